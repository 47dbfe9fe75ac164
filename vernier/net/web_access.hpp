#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "vernier/net/http.hpp"

namespace vernier::net {

/// What a visitor of a web server may do.
enum class Role { none, watch, control };

/// Who may use a web server: holders of one of two tokens, from its own pages only. Without
/// sockets.
class WebAccess {
 public:
  struct Settings {
    std::string control_token, watch_token;
    std::string first_token = {};    // controls, but opens the page only once; empty: there is none
    std::string cookie;              // its name
    std::vector<std::string> hosts;  // the names and addresses under which it is reached
    bool any_address = false;        // also under every address that is written as a number
    bool secure = false;             // TLS
    bool token_in_address = false;   // every request has it, also from pages from elsewhere: for
                                     // WebSockets of programs without cookies
  };
  explicit WebAccess(Settings);

  /// The decision about a request. `redirect`: a page without the token in its address, with
  /// `cookie`. Else the role; with `none`, the status 400 or 403.
  struct Entry {
    Role role = Role::none;
    int status = 403;
    bool redirect = false;
    std::string cookie = {};  // Set-Cookie
  };
  Entry admit(const http::Request&);

  const std::string& control_token() const noexcept { return settings_.control_token; }
  const std::string& watch_token() const noexcept { return settings_.watch_token; }

 private:
  Role role_of(std::string_view token) const noexcept;
  bool known_host(std::string_view host_field) const;
  bool own_origin(const http::Request&) const;

  Settings settings_;
};

/// A token of 256 random bits.
std::string random_token();

/// The host in a Host field, without its port: "localhost:8000" gives "localhost", "[::1]:80" gives
/// "::1". Empty: it is not well formed.
std::string_view host_without_port(std::string_view host_field) noexcept;

}  // namespace vernier::net
