#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <nlohmann/json_fwd.hpp>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "vernier/net/web_server.hpp"
#include "vernier/run/desktop/desktop.hpp"
#include "vernier/run/desktop/messages.hpp"
#include "vernier/run/desktop/open_run.hpp"
#include "vernier/run/desktop/page.hpp"
#include "vernier/run/desktop/places.hpp"
#include "vernier/run/desktop/workers.hpp"

namespace vernier::desktop {

/// The protocol of formats/desktop: takes requests, has the work done by threads that may wait, and
/// sends the answers. All functions are those of the network's thread.
class Site final : public net::WebSite {
 public:
  Site(Settings, const Catalogue&);
  ~Site() override;
  /// Before the server begins to serve.
  void use(net::WebServer& s) { server_ = &s; }

  std::optional<net::WebAnswer> file(Client, const net::http::Request&, net::Role) override;
  void opened(Client, net::Role) override;
  void received(Client, std::string text) override;
  void closed(Client) override;
  net::Clock::time_point serve(net::Clock::time_point now) override;

 private:
  /// What a thread hands back: a text, a binary message, or what the network's thread is to do,
  /// which returns the text.
  using Done = std::variant<std::string, std::vector<std::byte>, std::function<std::string()>>;
  using Work = std::function<Done()>;
  struct Visitor {
    net::Role role = net::Role::none;
    std::size_t waiting = 0;  // requests that are not answered yet
  };
  struct Action {
    void (Site::*take)(Client, const Request&);
    bool controls;  // needs the role
  };
  static const std::map<std::string, Action, std::less<>>& actions();

  void take(Client, const Request&);
  void have_done(Client, std::uint64_t id, Workers&, Work);
  void deliver(Client, std::uint64_t id, const Work&);
  net::Role role(Client c) const;

  void hello(Client, const Request&);
  void home(Client, const Request&);
  void open(Client, const Request&);
  void close(Client, const Request&);
  void read(Client, const Request&);
  void row(Client, const Request&);
  void events(Client, const Request&);
  // site_results.cpp
  void frames(Client, const Request&);
  void strip(Client, const Request&);
  void compare(Client, const Request&);
  void difference(Client, const Request&);
  void align(Client, const Request&);

  Settings settings_;
  const Catalogue& catalogue_;
  Page page_;
  Places places_;
  OpenRuns runs_;  // of the thread that reads
  net::WebServer* server_ = nullptr;
  std::map<Client, Visitor> visitors_;

  std::mutex mutex_;
  std::vector<std::function<void()>> done_;  // for the network's thread

  // last: they end first
  Workers reading_{1}, documents_{1};
};

}  // namespace vernier::desktop
