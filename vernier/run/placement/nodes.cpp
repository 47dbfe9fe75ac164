#include "vernier/run/placement/nodes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <utility>

#include "vernier/base/require.hpp"
#include "vernier/base/text.hpp"
#include "vernier/document/report.hpp"
#include "vernier/run/composition/composition.hpp"

namespace vernier::embedded {
std::string_view placement(std::string_view file) noexcept;
}

namespace vernier::placement {
namespace {

using document::Element;

constexpr std::string_view address_forms = "write HOST, HOST:PORT or [IPv6]:PORT";

bool all_of(std::string_view s, std::string_view also) {
  return !s.empty() && std::all_of(s.begin(), s.end(), [also](unsigned char c) {
    return std::isalnum(c) || also.find(static_cast<char>(c)) != also.npos;
  });
}

/// Sets address and port of `host`; what is wrong otherwise.
std::string take_address(std::string_view s, Host& host) {
  constexpr std::size_t longest = 253;  // of a domain name
  s = trimmed(s);
  std::string_view name = s, port;
  if (s.starts_with('[')) {
    const auto end = s.find(']');
    if (end == s.npos) return "there is no ] after the IPv6 address";
    name = s.substr(1, end - 1);
    const std::string_view rest = s.substr(end + 1);
    if (!all_of(name, ":.%") || name.find(':') == name.npos)
      return "no IPv6 address is between [ and ]";
    if (!rest.empty() && !rest.starts_with(':')) return "a colon and a port come after ]";
    port = rest.empty() ? rest : rest.substr(1);
    if (!rest.empty() && port.empty()) return "the port is missing";
  } else if (const auto colon = s.find(':'); colon != s.npos) {
    if (s.find(':', colon + 1) != s.npos) return "an IPv6 address needs brackets: [::1]:4870";
    name = s.substr(0, colon);
    port = s.substr(colon + 1);
    if (port.empty()) return "the port is missing";
  }
  if (!s.starts_with('[') && (!all_of(name, ".-_") || name.starts_with('-')))
    return name.empty() ? "the host is missing" : "a host name has no such characters";
  if (name.size() > longest) return "the host name is too long";
  if (!s.starts_with('[') && name == s && parsed_integer(name)) return "the host is missing";
  host.address = name;
  if (port.empty()) return {};
  const auto number = port.size() > 5 ? std::nullopt : parsed_integer(port);
  if (!number || *number < 1 || *number > 65535) return "a port is a number from 1 to 65535";
  host.port = static_cast<int>(*number);
  return {};
}

[[noreturn]] void refuse(const std::string& on, const std::string& why) {
  Diagnostics problems;
  Diagnostic& d =
      problems.error("V2151", fmt::format("--on {}: {}", on.substr(0, 200), why), Place{});
  d.notes = {"write local:4, for four processes on this computer",
             "or the servers, host1,host2:4711; or the name of a nodes document, nodes.xml"};
  throw ConfigurationError(problems);
}

Nodes processes_here(const std::string& on, std::string_view count) {
  const auto n = parsed_integer(count);
  if (!n || *n < 1 || static_cast<std::size_t>(*n) > most_nodes)
    refuse(on, fmt::format("the number of processes is from 1 to {}", most_nodes));
  Nodes nodes;
  for (long long i = 1; i <= *n; ++i) nodes.hosts.push_back({.name = fmt::format("node{}", i)});
  return nodes;
}

Nodes listed_hosts(const std::string& on) {
  Nodes nodes;
  for (const std::string_view item : split(on, ',')) {
    Host h{.name = std::string(trimmed(item))};
    if (h.name != "local") {
      if (const std::string why = take_address(item, h); !why.empty())
        refuse(on, h.name.empty() ? "there is an empty name"
                                  : fmt::format("\"{}\" is not an address: {}", h.name, why));
      h.name = h.address;
    }
    nodes.hosts.push_back(std::move(h));
  }
  if (nodes.hosts.size() > most_nodes) refuse(on, fmt::format("more than {} nodes", most_nodes));
  // servers on one host are told apart by their ports
  std::vector<std::string> names;
  for (const Host& h : nodes.hosts) {
    const auto of_host = [&h](const Host& other) { return other.address == h.address; };
    const bool alone = std::count_if(nodes.hosts.begin(), nodes.hosts.end(), of_host) == 1;
    names.push_back(alone ? h.name : text(h));
    if (std::count(names.begin(), names.end(), names.back()) > 1)
      refuse(on, fmt::format("{} comes twice", names.back()));
  }
  for (std::size_t i = 0; i < names.size(); ++i) nodes.hosts[i].name = names[i];
  return nodes;
}

/// "125 MB/s", "1 Gbit/s": bytes per second; 0: not understood.
double bandwidth_in(std::string_view s) {
  static constexpr std::array<std::pair<std::string_view, double>, 8> units{{{"B/s", 1.0},
                                                                             {"kB/s", 1e3},
                                                                             {"MB/s", 1e6},
                                                                             {"GB/s", 1e9},
                                                                             {"bit/s", 0.125},
                                                                             {"kbit/s", 125.0},
                                                                             {"Mbit/s", 125e3},
                                                                             {"Gbit/s", 125e6}}};
  s = trimmed(s);
  const auto end = s.find_first_not_of("0123456789.eE+");
  if (end == s.npos) return 0.0;
  const auto number = parsed_real(trimmed(s.substr(0, end)));
  const std::string_view unit = trimmed(s.substr(end));
  for (const auto& [name, factor] : units)
    if (number && name == unit && *number > 0.0 && std::isfinite(*number * factor))
      return *number * factor;
  return 0.0;
}

class Reader {
 public:
  Reader(const document::Document& d, Diagnostics& problems) : report_(d, problems) {
    nodes_.file = d.file();
    const Element& root = d.root();
    if (const std::string_view version = trimmed(root.value("version", "1")); version != "1")
      report_
          .error("V2001",
                 fmt::format("this document has version {}; this program reads version 1", version),
                 document::Report::value_place(root, "version"))
          .mark = "write version=\"1\"";
    nodes_.synchronised = root.value("clock", "messages") == "synchronised";
    for (const Element& e : root.children)
      if (e.name == "node") add_node(e, root);
    for (const Element& e : root.children) {
      if (e.name == "place") add_place(e);
      if (e.name == "network") read_network(e);
    }
  }
  Nodes take() { return std::move(nodes_); }

 private:
  Diagnostic& error(const std::string& what, const Element& e, std::string_view attribute) {
    return report_.error("V2152", what, document::Report::value_place(e, attribute));
  }

  void add_node(const Element& e, const Element& root) {
    if (report_.full()) return;
    Host h{.name = std::string(trimmed(e.value("name")))};
    h.place = document::Report::value_place(e, "name");
    if (!all_of(h.name, ".-_")) {
      error(fmt::format("{} is not a name for a node", document::in_quotes(h.name)), e, "name")
          .notes.push_back("a name has letters, digits, and the characters . - _");
      return;
    }
    if (named(h.name)) {
      error(fmt::format("two nodes have the name {}", h.name), e, "name");
      return;
    }
    const bool local = e.value("local", "no") == "yes";
    if (local && e.attribute("address"))
      error("a local node has no address: it is a process on this computer", e, "address")
          .notes.push_back("leave out address, or local=\"yes\"");
    // without an address the name is one
    const std::string_view address = e.value("address", h.name);
    if (!local) {
      if (const std::string why = take_address(address, h); !why.empty())
        error(fmt::format("{} is not an address: {}", document::in_quotes(trimmed(address)), why),
              e, e.attribute("address") ? "address" : "name")
            .notes.emplace_back(address_forms);
    }
    const auto file = [&](const char* attribute) {
      std::string_view given = trimmed(e.value(attribute));
      if (given.empty() && !local) given = trimmed(root.value(attribute));
      return given.empty() ? std::string() : report_.document().beside(given).path().string();
    };
    h.key_file = file("key");
    h.authorities = file("authorities");
    h.certificate = file("certificate");
    h.certificate_key = file("certificate_key");
    if (nodes_.hosts.size() == most_nodes) {
      report_.error("V2152", fmt::format("more than {} nodes", most_nodes), e.place);
    } else if (nodes_.hosts.size() < most_nodes) {
      nodes_.hosts.push_back(std::move(h));
    }
  }

  const Host* named(std::string_view name) const {
    const auto found = std::find_if(nodes_.hosts.begin(), nodes_.hosts.end(),
                                    [name](const Host& h) { return h.name == name; });
    return found == nodes_.hosts.end() ? nullptr : &*found;
  }

  void add_place(const Element& e) {
    Assignment a{.part = std::string(trimmed(e.value("part")))};
    a.place = document::Report::value_place(e, "part");
    if (a.part.empty()) error("part is empty", e, "part");
    std::vector<std::size_t> nodes;
    for (const std::string_view name : words(e.value("node"))) {
      const Host* h = named(name);
      if (!h) return unknown_node(e, name);
      const auto n = static_cast<std::size_t>(h - nodes_.hosts.data());
      if (std::find(nodes.begin(), nodes.end(), n) != nodes.end()) {
        error(fmt::format("{} comes twice", name), e, "node");
        return;
      }
      nodes.push_back(n);
    }
    if (nodes.empty()) return unknown_node(e, "");
    a.node = nodes.front();
    a.more.assign(nodes.begin() + 1, nodes.end());
    nodes_.assignment.push_back(std::move(a));
  }

  void unknown_node(const Element& e, std::string_view name) {
    if (report_.full()) return;
    Diagnostic& d =
        report_.error("V2153", fmt::format("no node is called {}", document::in_quotes(name)),
                      document::Report::value_place(e, "node"));
    std::vector<std::string> names;
    for (const Host& h : nodes_.hosts) names.push_back(h.name);
    if (const auto near = closest(name, names)) {
      did_you_mean(d, *near);
    } else {
      d.notes.push_back("the nodes are " + document::listed(names));
    }
  }

  void read_network(const Element& e) {
    if (const document::Attribute* a = e.attribute("round_trip")) {
      const auto t = composition::parsed_time(a->value);
      if (!t || *t <= Duration{} || *t > std::chrono::hours(1)) {
        error(fmt::format("{} is not a round trip", document::in_quotes(a->value)), e, "round_trip")
            .notes.push_back("write a time: round_trip=\"200 us\"");
      } else {
        nodes_.round_trip = *t;
      }
    }
    if (const document::Attribute* a = e.attribute("bandwidth")) {
      const double b = bandwidth_in(a->value);
      if (b <= 0.0) {
        error(fmt::format("{} is not a bandwidth", document::in_quotes(a->value)), e, "bandwidth")
            .notes.push_back("write bandwidth=\"1 Gbit/s\" or \"125 MB/s\"");
      } else {
        nodes_.bandwidth = b;
      }
    }
    read_plugin(e);
  }

  void read_plugin(const Element& e) {
    const std::string_view name = trimmed(e.value("plugin"));
    nodes_.network_config = e.value("config");
    if (name.empty() && (e.attribute("plugin") || e.attribute("config"))) {
      const char* at = e.attribute("plugin") ? "plugin" : "config";
      error("no network plug-in is named", e, at)
          .notes.push_back("write plugin=\"FILE.so\", or leave out plugin and config");
      return;
    }
    if (name.empty()) return;
    const auto file = report_.document().beside(name);
    std::error_code none;
    if (!std::filesystem::is_regular_file(file.path(), none))
      error(fmt::format("there is no file {}", document::in_quotes(file.path().string())), e,
            "plugin")
          .notes.push_back("file names are relative to the document");
    nodes_.network = file.path();
  }

  document::Report report_;
  Nodes nodes_;
};

Nodes nodes_in(const std::optional<document::Document>& d, Diagnostics& problems) {
  problems.throw_if_errors();
  require(d.has_value());
  Nodes nodes = Reader(*d, problems).take();
  problems.throw_if_errors();
  return nodes;
}

document::Grammar grammar() {
  return {"nodes", "nodes.dtd", embedded::placement("formats/nodes/nodes.dtd")};
}

}  // namespace

std::string text(const Host& h) {
  if (h.local()) return h.name;
  const bool v6 = h.address.find(':') != std::string::npos;
  return fmt::format("{}{}{}:{}", v6 ? "[" : "", h.address, v6 ? "]" : "", h.port);
}

bool Nodes::local() const noexcept {
  return std::all_of(hosts.begin(), hosts.end(), [](const Host& h) { return h.local(); });
}

Nodes nodes_of(const std::string& on, Diagnostics& problems) {
  const std::string_view what = trimmed(on);
  if (what.empty()) refuse(on, "no node is given");
  const std::filesystem::path file = std::string(what);
  std::error_code none;
  if (file.extension() == ".xml" || what.find('/') != what.npos ||
      std::filesystem::is_regular_file(file, none))
    return read_nodes(file, problems);
  if (what.starts_with("local:") && what.find(',') == what.npos)
    return processes_here(on, what.substr(what.find(':') + 1));
  return listed_hosts(std::string(what));
}

Nodes read_nodes(const std::filesystem::path& file, Diagnostics& problems) {
  const document::Grammar g = grammar();
  return nodes_in(document::read(file, {&g, 1}, problems), problems);
}

Nodes parse_nodes(std::string content, const std::filesystem::path& name, Diagnostics& problems) {
  const document::Grammar g = grammar();
  return nodes_in(document::parse(std::move(content), name, {&g, 1}, problems), problems);
}

}  // namespace vernier::placement
