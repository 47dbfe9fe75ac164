#include "vernier/run/desktop/desktop.hpp"

#include <fmt/format.h>

#include <utility>

#include "vernier/base/diagnostic.hpp"
#include "vernier/net/socket.hpp"
#include "vernier/net/tls.hpp"
#include "vernier/net/web_server.hpp"
#include "vernier/run/desktop/problems.hpp"
#include "vernier/run/desktop/site.hpp"
#include "vernier/run/record/manifest.hpp"

namespace vernier::desktop {
namespace {

constexpr const char* subprotocol = "vernier.desktop.1";

Descriptor listener(const net::Address& where) {
  auto made = net::listening(where, 64);
  if (made) return std::move(*made);
  refuse("V8101",
         fmt::format("the desktop cannot listen at {}: {}", net::text(where), made.error()),
         "another desktop may use the port: choose one with --port, or 0 for any that is free");
}

std::shared_ptr<net::Tls> tls_of(const Settings& s) {
  if (s.certificate.empty() != s.key.empty()) refuse("V8105", "--cert and --key go together");
  const bool beyond = net::beyond_this_machine(s.listen);
  if (s.certificate.empty()) {
    if (beyond)
      refuse("V8105",
             fmt::format("{} can be reached by other machines, and that needs encryption",
                         net::text(s.listen)),
             "give --cert FILE and --key FILE, or listen here only and forward the port: ssh -L");
    return nullptr;
  }
  std::string why;
  auto tls = net::Tls::of_server(s.certificate, s.key, why);
  if (!tls) refuse("V8105", "the desktop cannot use its certificate: " + why);
  return tls;
}

bool is_loopback(const std::string& host) {
  return host.empty() || host == "localhost" || host == "127.0.0.1" || host == "::1";
}

/// As addresses on the web have it: an address of IPv6 in brackets.
std::string in_address(const std::string& host) {
  return host.find(':') == std::string::npos ? host : "[" + host + "]";
}

}  // namespace

class Desktop::Work {
 public:
  Work(Settings s, const Catalogue& catalogue)
      : tls_(tls_of(s)),
        listen_(s.listen),
        read_only_(s.read_only),
        site_(std::move(s), catalogue) {
    Descriptor socket = listener(listen_);
    port_ = net::port_of(socket);
    server_ = std::make_unique<net::WebServer>(
        std::move(socket),
        net::WebServer::Settings{.access = access(), .tls = tls_, .subprotocol = subprotocol},
        site_);
    site_.use(*server_);
  }

  std::string address(const std::string& token) const {
    const bool any = listen_.host == "0.0.0.0" || listen_.host == "::";
    const std::string host = any ? record::host_name() : listen_.host;
    return fmt::format("{}://{}:{}/?token={}", tls_ ? "https" : "http",
                       in_address(host.empty() ? "127.0.0.1" : host), port_, token);
  }
  std::string control_address() const { return read_only_ ? "" : address(control_token_); }
  std::string first_address() const { return read_only_ ? "" : address(first_token_); }
  std::string watch_address() const { return address(watch_token_); }
  void serve() { server_->serve(); }
  void stop() noexcept { server_->stop(); }

 private:
  net::WebAccess::Settings access() const {
    net::WebAccess::Settings a{.control_token = read_only_ ? "" : control_token_,
                               .watch_token = watch_token_,
                               .first_token = read_only_ ? "" : first_token_,
                               .cookie = fmt::format("vernier_{}", port_),
                               .hosts = {"localhost", "127.0.0.1", "::1"},
                               .secure = tls_ != nullptr};
    if (!is_loopback(listen_.host)) {
      a.hosts.push_back(listen_.host);
      a.hosts.push_back(record::host_name());
      // a page whose name leads here sends its name; a number was typed by the user
      a.any_address = true;
    }
    return a;
  }

  std::shared_ptr<net::Tls> tls_;
  net::Address listen_;
  bool read_only_;
  std::string control_token_ = net::random_token(), watch_token_ = net::random_token(),
              first_token_ = net::random_token();
  int port_ = 0;
  std::unique_ptr<net::WebServer> server_;  // outlives the site, whose threads wake it
  Site site_;
};

Desktop::Desktop(Settings s, const Catalogue& catalogue)
    : work_(std::make_unique<Work>(std::move(s), catalogue)) {}
Desktop::~Desktop() = default;

std::string Desktop::address() const { return work_->control_address(); }
std::string Desktop::first_address() const { return work_->first_address(); }
std::string Desktop::watch_address() const { return work_->watch_address(); }
void Desktop::serve() { work_->serve(); }
void Desktop::stop() noexcept { work_->stop(); }

}  // namespace vernier::desktop
