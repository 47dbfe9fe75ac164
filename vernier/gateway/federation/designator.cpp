#include <algorithm>
#include <cctype>

#include "vernier/base/text.hpp"
#include "vernier/gateway/federation/rti_transport.hpp"
#include "vernier/net/socket.hpp"

namespace vernier::federation {
namespace {

constexpr const char* forms =
    "write tcp://HOST:PORT, unix:///PATH, or nothing for an RTI inside this process";

void set_address(Designator& d, std::string_view address) {
  using Where = Designator::Where;
  const auto scheme = address.find("://");
  const std::string_view kind = scheme == address.npos ? "" : address.substr(0, scheme);
  std::string_view rest = scheme == address.npos ? address : address.substr(scheme + 3);
  if (kind == "vernier" && rest == "here") {
    d.where = Where::here;
  } else if (kind == "unix" || address.starts_with("unix:")) {
    d.where = Where::unix_socket;
    d.address = kind == "unix" ? rest : address.substr(5);
    if (d.address.empty() || d.address.size() > 107)
      d.error = "the path of a Unix socket has 1 to 107 characters";
  } else if (kind == "tcp" || kind == "rti" || kind == "tls" || kind.empty()) {
    d.where = Where::tcp;
    d.tls = d.tls || kind == "tls";
    if (rest.ends_with('/')) rest.remove_suffix(1);
    std::string whole(rest);
    const auto bracket = whole.rfind(']');
    const auto colon = whole.rfind(':');
    const bool port = colon != whole.npos && (bracket == whole.npos || colon > bracket);
    if (!port) whole += ":" + std::to_string(default_port);
    const auto parsed = net::parsed_address(whole);
    if (rest.empty() || !parsed) {
      d.error = "\"" + std::string(address) + "\" is not an address; " + forms;
    } else {
      d.address = net::text(*parsed);
    }
  } else {
    d.error = "\"" + std::string(address) + "\" is not an address; " + forms;
  }
}

void set_option(Designator& d, std::string_view pair) {
  const auto equals = pair.find('=');
  const std::string key(trimmed(pair.substr(0, equals)));
  const std::string_view value =
      equals == pair.npos ? std::string_view{} : trimmed(pair.substr(equals + 1));
  if (value.empty()) {
    d.error = "\"" + std::string(pair) + "\" is not a setting; write KEY=VALUE";
  } else if (key == "address" || key == "crcAddress") {
    set_address(d, value);
  } else if (key == "key-file") {
    d.key_file = value;
  } else if (key == "tls-ca") {
    d.tls_ca = value;
    d.tls = true;
  } else {
    d.error = "there is no setting \"" + key + "\"; those are: address, key-file, tls-ca";
  }
}

}  // namespace

Designator parsed_designator(std::string_view text) {
  Designator d;
  text = trimmed(text);
  if (text.size() > 4096 || text.find('\0') != text.npos) {
    d.error = "a local settings designator has at most 4096 characters";
    return d;
  }
  std::string options(text);
  // an address alone, possibly with options after a question mark
  if (const auto equals = text.find('='), mark = text.find('?');
      !text.empty() && (equals == text.npos || mark < equals)) {
    set_address(d, text.substr(0, mark));
    options = mark == text.npos ? "" : text.substr(mark + 1);
  }
  std::replace_if(
      options.begin(), options.end(), [](char c) { return c == '\n' || c == ';' || c == ','; },
      '&');
  for (const std::string_view part : split(options, '&')) {
    if (d.error.empty() && !trimmed(part).empty()) set_option(d, trimmed(part));
  }
  if (d.error.empty() && d.tls && d.where != Designator::Where::tcp)
    d.error = "TLS is for tcp:// addresses";
  if (d.error.empty() && d.where == Designator::Where::here && !d.key_file.empty())
    d.error = "an RTI inside this process wants no key";
  return d;
}

}  // namespace vernier::federation
