#include "vernier/net/web_access.hpp"

#include <arpa/inet.h>

#include <algorithm>
#include <array>
#include <utility>

#include "vernier/base/digest.hpp"
#include "vernier/net/secret.hpp"

namespace vernier::net {
namespace {

bool is_digits(std::string_view text) noexcept {
  return text.find_first_not_of("0123456789") == std::string_view::npos;
}

bool is_numeric_address(std::string_view host) {
  std::array<unsigned char, 16> address{};
  const std::string text(host);
  return inet_pton(AF_INET, text.c_str(), address.data()) == 1 ||
         inet_pton(AF_INET6, text.c_str(), address.data()) == 1;
}

std::string in_lower_case(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + 32);
  }
  return lower;
}

/// In a time that does not depend on where they differ.
bool is(std::string_view token, const std::string& known) noexcept {
  return !known.empty() && same(std::as_bytes(std::span(token)), std::as_bytes(std::span(known)));
}

}  // namespace

std::string_view host_without_port(std::string_view field) noexcept {
  std::string_view host, port;
  if (field.starts_with('[')) {
    const std::size_t end = field.find(']');
    if (end == std::string_view::npos) return {};
    host = field.substr(1, end - 1);
    port = field.substr(end + 1);
  } else {
    const std::size_t colon = std::min(field.find(':'), field.size());
    host = field.substr(0, colon);
    port = field.substr(colon);
  }
  if (!port.empty() && (!port.starts_with(':') || port.size() > 6 || !is_digits(port.substr(1))))
    return {};
  return host;
}

std::string random_token() {
  Digest random{};
  fill_random(random);
  return vernier::text(random);
}

WebAccess::WebAccess(Settings s) : settings_(std::move(s)) {
  for (std::string& host : settings_.hosts) host = in_lower_case(host);
}

Role WebAccess::role_of(std::string_view token) const noexcept {
  if (is(token, settings_.control_token)) return Role::control;
  return is(token, settings_.watch_token) ? Role::watch : Role::none;
}

/// A page from elsewhere whose name was made to lead here (DNS rebinding) sends its own name as
/// Host. The port is not compared: it may be that of a tunnel.
bool WebAccess::known_host(std::string_view field) const {
  const std::string host = in_lower_case(host_without_port(field));
  if (host.empty()) return false;
  if (settings_.any_address && is_numeric_address(host)) return true;
  return std::find(settings_.hosts.begin(), settings_.hosts.end(), host) != settings_.hosts.end();
}

bool WebAccess::own_origin(const http::Request& r) const {
  const std::string* origin = r.field("origin");
  if (!origin) return true;
  const std::string scheme = settings_.secure ? "https://" : "http://";
  return in_lower_case(*origin) == scheme + in_lower_case(*r.field("host"));
}

WebAccess::Entry WebAccess::admit(const http::Request& r) {
  if (!known_host(*r.field("host"))) return {};
  if (settings_.token_in_address) {
    const Role role = role_of(r.parameter("token").value_or(""));
    return {.role = role, .status = role == Role::none ? 403 : 200};
  }
  if (!own_origin(r)) return {};
  if (const auto token = r.parameter("token"); token && r.path() == "/") {
    const bool first = is(*token, settings_.first_token);
    if (first) settings_.first_token.clear();
    const std::string lasting = first ? settings_.control_token : std::string(*token);
    const Role role = role_of(lasting);
    if (role == Role::none) return {};
    std::string cookie = settings_.cookie + "=" + lasting + "; HttpOnly; SameSite=Strict; Path=/" +
                         (settings_.secure ? "; Secure" : "");
    return {.role = role, .status = 303, .redirect = true, .cookie = std::move(cookie)};
  }
  const std::string* field = r.field("cookie");
  Role role = Role::none;
  if (field) {
    for (const std::string_view token : http::cookies(*field, settings_.cookie))
      role = std::max(role, role_of(token));
  }
  return {.role = role, .status = role == Role::none ? 403 : 200};
}

}  // namespace vernier::net
