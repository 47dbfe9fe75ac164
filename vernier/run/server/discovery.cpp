#include "vernier/run/server/discovery.hpp"

#include <arpa/inet.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <utility>

#include "vernier/base/text.hpp"

namespace vernier::server {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t most_printed = 1u << 20;

/// A tool of Avahi with its output in English.
Launch tool(std::vector<std::string> words) {
  words.insert(words.begin(), "LC_ALL=C.UTF-8");
  return {"/usr/bin/env", std::move(words)};
}

std::string printed_in(const TemporaryFolder& folder) {
  std::ifstream file(folder / "output.txt", std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// What a tool that failed has said.
std::string words_of_failure(const std::string& printed, const std::string& status) {
  const auto first = trimmed(std::string_view(printed).substr(0, printed.find('\n')));
  return first.empty() ? status : std::string(first);
}

/// "lab\0322" is "lab 2".
std::string unescaped(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto code = text[i] == '\\' && i + 4 <= text.size()
                          ? parsed_integer(text.substr(i + 1, 3))
                          : std::nullopt;
    const bool digit = code && *code >= 0 && *code < 256 && text[i + 1] != '+';
    out += digit ? static_cast<char>(*code) : text[i];
    if (digit) i += 3;
  }
  return out;
}

bool in_numbers(const std::string& host, bool four) {
  std::array<unsigned char, 16> ip{};
  return host.find('\0') == host.npos &&
         inet_pton(four ? AF_INET : AF_INET6, host.c_str(), ip.data()) == 1;
}

/// The value of `version` in "\"version=0.1.0\" \"…\"".
std::string version_in(std::string_view txt) {
  constexpr std::string_view begin = "\"version=";
  const std::size_t at = txt.find(begin);
  if (at == txt.npos) return {};
  txt.remove_prefix(at + begin.size());
  return unescaped(txt.substr(0, std::min<std::size_t>(txt.find('"'), 100)));
}

}  // namespace

std::vector<Announced> announced_in(std::string_view printed) {
  std::map<std::string, std::pair<bool, Announced>> all;  // and whether at IPv4
  for (const std::string_view line : split(printed.substr(0, most_printed), '\n')) {
    // =;interface;protocol;name;type;domain;host;address;port;txt
    const auto parts = split(line, ';');
    if (parts.size() < 10 || parts[0] != "=" || parts[4] != service) continue;
    const bool four = parts[2] == "IPv4";
    Announced a{unescaped(parts[3]), {std::string(parts[7]), std::string(parts[8])}, {}};
    a.version = version_in(line.substr(static_cast<std::size_t>(parts[9].data() - line.data())));
    const auto port = parsed_integer(a.address.port);
    // what begins with fe80 is good with the name of an interface only
    if (!port || *port < 1 || *port > 65535 || !in_numbers(a.address.host, four) ||
        a.address.host.starts_with("fe80") || a.name.empty() || a.name.size() > 255)
      continue;
    a.address.port = std::to_string(*port);
    const auto known = all.find(a.name);
    if (known == all.end() && all.size() == most_announced) continue;
    if (known == all.end() || (four && !known->second.first))
      all.insert_or_assign(a.name, std::pair(four, a));
  }
  std::vector<Announced> list;
  for (auto& [name, one] : all) list.push_back(std::move(one.second));
  return list;
}

Result<std::vector<Announced>, std::string> discovered(net::Clock::time_point deadline) {
  const TemporaryFolder folder;
  auto p = Spawned::of(
      tool({"avahi-browse", "--parsable", "--resolve", "--terminate", "--no-db-lookup", service}),
      {.disk = most_printed}, folder.path(), {});
  if (!p) return Failure{p.error()};
  const bool over = net::wait_for(p->descriptor(), net::readable, deadline).ready != 0;
  if (!over) p->kill();
  const std::string status = p->ended(), printed = printed_in(folder);
  // those that were found in time are good
  if (over && !status.empty()) return Failure{words_of_failure(printed, status)};
  return announced_in(printed);
}

Result<std::unique_ptr<Announcement>, std::string> Announcement::of(
    const std::string& name, std::uint16_t port, const std::string& version,
    net::Clock::time_point deadline) {
  auto a = std::make_unique<Announcement>();
  auto p = Spawned::of(
      tool({"avahi-publish-service", name, service, std::to_string(port), "version=" + version}),
      {.disk = most_printed}, a->folder_.path(), {});
  if (!p) return Failure{p.error()};
  while (true) {
    const auto now = net::Clock::now();
    const bool over =
        net::wait_for(p->descriptor(), net::readable, std::min(deadline, now + 20ms)).ready != 0;
    const std::string printed = printed_in(a->folder_);
    if (over) return Failure{words_of_failure(printed, p->ended())};
    if (printed.find("Established") != printed.npos) break;
    if (now >= deadline) return Failure{words_of_failure(printed, "no answer of avahi-daemon")};
  }
  a->process_ = std::make_unique<Spawned>(std::move(*p));
  return a;
}

}  // namespace vernier::server
