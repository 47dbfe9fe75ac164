#include "vernier/net/address.hpp"

#include "vernier/base/text.hpp"

namespace vernier::net {

std::optional<Address> parsed_address(std::string_view s) {
  s = trimmed(s);
  const auto colon = s.rfind(':');
  Address a{"127.0.0.1", std::string(colon == s.npos ? s : s.substr(colon + 1))};
  std::string_view host = colon == s.npos ? std::string_view{} : s.substr(0, colon);
  if (host.starts_with('[') && host.ends_with(']')) {
    host = host.substr(1, host.size() - 2);
    if (host.empty()) return {};
  } else if (host.find(':') != host.npos) {
    return {};  // an IPv6 address without brackets: the port is ambiguous
  }
  if (!host.empty()) a.host = host;
  const auto port = parsed_integer(a.port);
  if (!port || *port < 0 || *port > 65535 || a.port.size() > 5 || a.port.front() == '+') return {};
  return a;
}

std::string text(const Address& a) {
  return (a.host.find(':') == a.host.npos ? a.host : "[" + a.host + "]") + ":" + a.port;
}

bool beyond_this_machine(const Address& a) noexcept {
  return !(a.host.starts_with("127.") || a.host == "localhost" || a.host == "::1");
}

}  // namespace vernier::net
