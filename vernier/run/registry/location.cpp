#include "vernier/run/registry/location.hpp"

#include <algorithm>

#include "vernier/base/diagnostic.hpp"
#include "vernier/base/text.hpp"
#include "vernier/run/registry/etcd.hpp"

namespace vernier::registry {
namespace {

constexpr std::string_view scheme = "etcd://";
constexpr const char* usual_port = "2379";
constexpr std::size_t most_members = 16;
constexpr long long shortest_lease = 2, longest_lease = 3600;  // s

[[noreturn]] void refuse(const std::string& address, const std::string& why) {
  Diagnostics d;
  d.error("V5650", "\"" + address + "\" is not the address of a registry: " + why, {})
      .notes.push_back(
          "write etcd://HOST:PORT,HOST:PORT,… with all members of the cluster; after it may come "
          "/PREFIX and ?lease=10");
  throw ConfigurationError(std::move(d));
}

net::Address member(const std::string& address, std::string_view text) {
  std::string one(trimmed(text));
  if (one.find(':') == one.npos || one.ends_with(']')) one += std::string(":") + usual_port;
  const auto a = net::parsed_address(one);
  const bool plain = a && std::all_of(a->host.begin(), a->host.end(), [](char c) {
                       return c > ' ' && c < 0x7f && c != '/' && c != '@' && c != '?';
                     });
  if (!plain || one.front() == ':' || a->port == "0")
    refuse(address, "\"" + std::string(text) + "\" is not a computer");
  return *a;
}

}  // namespace

Location parsed_location(const std::string& address) {
  Location l;
  std::string_view rest = address;
  if (!rest.starts_with(scheme)) refuse(address, "it does not begin with etcd://");
  rest.remove_prefix(scheme.size());
  if (const std::size_t mark = rest.find('?'); mark != rest.npos) {
    constexpr std::string_view name = "lease=";
    std::string_view option = rest.substr(mark + 1);
    rest = rest.substr(0, mark);
    if (!option.starts_with(name)) refuse(address, "only \"lease\" can be set after \"?\"");
    option.remove_prefix(name.size());
    if (option.ends_with('s')) option.remove_suffix(1);
    const auto lease = parsed_integer(option);
    if (!lease || *lease < shortest_lease || *lease > longest_lease)
      refuse(address, "a lease is 2 to 3600 seconds");
    l.lease = std::chrono::seconds(*lease);
  }
  if (const std::size_t slash = rest.find('/'); slash != rest.npos) {
    const std::string_view prefix = rest.substr(slash + 1);
    rest = rest.substr(0, slash);
    for (const std::string_view part : split(prefix, '/'))
      if (!is_run_name(part)) refuse(address, "\"" + std::string(prefix) + "\" is not a prefix");
    l.prefix = prefix;
  }
  for (const std::string_view one : split(rest, ',')) l.members.push_back(member(address, one));
  if (l.members.size() > most_members) refuse(address, "it has more than 16 members");
  return l;
}

std::unique_ptr<Registry> registry_at(const std::string& address) {
  return std::make_unique<EtcdRegistry>(parsed_location(address));
}

}  // namespace vernier::registry
