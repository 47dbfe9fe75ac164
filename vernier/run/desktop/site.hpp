#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <variant>
#include <vector>

#include "vernier/net/web_server.hpp"
#include "vernier/run/desktop/desktop.hpp"
#include "vernier/run/desktop/documents.hpp"
#include "vernier/run/desktop/live_follow.hpp"
#include "vernier/run/desktop/live_status.hpp"
#include "vernier/run/desktop/messages.hpp"
#include "vernier/run/desktop/open_run.hpp"
#include "vernier/run/desktop/page.hpp"
#include "vernier/run/desktop/places.hpp"
#include "vernier/run/desktop/scene_files.hpp"
#include "vernier/run/desktop/workers.hpp"

namespace vernier::desktop {

/// The protocol of formats/desktop: takes requests, has the work done by threads that may wait, and
/// sends the answers. All functions are called by the network's thread.
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
  struct Follow {
    std::filesystem::path run;
    std::shared_ptr<LiveFollow> rows;
    std::size_t columns = 0;
    net::Clock::duration every{};
    net::Clock::time_point next{};
  };
  struct Visitor {
    net::Role role = net::Role::none;
    std::size_t waiting = 0;  // requests that are not answered yet
    std::map<std::uint32_t, Follow> follows = {};
    std::uint32_t last_follow = 0;
    std::uint64_t dropped = 0;  // samples, by all that it follows
  };
  struct Action {
    void (Site::*take)(Client, const Request&);
    bool controls;  // needs the role
  };
  static const std::map<std::string, Action, std::less<>>& actions();

  void take(Client, const Request&);
  void have_done(Client, std::uint64_t id, Workers&, Work);
  void deliver(Client, std::uint64_t id, const Work&);
  /// Has it done by the network's thread.
  void hand_over(std::function<void()>);
  net::Role role(Client c) const;

  net::Clock::time_point send_live(net::Clock::time_point now);
  void send_rows(Client, Visitor&, std::uint32_t number, Follow&);
  void ask_states(net::Clock::time_point now);
  void ask_state(const std::filesystem::path& run);
  void tell(const LiveStatus::Told&);
  std::uint64_t lost_of(const std::filesystem::path& run) const;

  void hello(Client, const Request&);
  void home(Client, const Request&);
  void open(Client, const Request&);
  void close(Client, const Request&);
  void read(Client, const Request&);
  void row(Client, const Request&);
  void events(Client, const Request&);
  void follow(Client, const Request&);
  void unfollow(Client, const Request&);
  void start(Client, const Request&);
  void order(Client, const Request&);
  void edit(Client, const Request&);
  using Described = nlohmann::ordered_json (Documents::*)(const Documents::Subject&);
  void describe(Client, const Request&, Described);
  void automata(Client, const Request&);
  void parameters(Client, const Request&);
  void scene(Client, const Request&);
  void source(Client, const Request&);
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
  SceneFiles files_;
  OpenRuns runs_;        // of the thread that reads
  Documents documents_;  // of the thread that describes
  net::WebServer* server_ = nullptr;
  std::map<Client, Visitor> visitors_;
  LiveStatus status_;
  /// Runs that were rewound, and since when the one that continues them is awaited.
  std::map<std::filesystem::path, net::Clock::time_point> rewound_;
  net::Wake ending_;  // ends what waits for other processes

  std::mutex mutex_;
  std::vector<std::function<void()>> done_;  // for the network's thread

  // last: they end first
  Workers reading_{1}, listing_{1}, describing_{1}, starting_{2}, asking_{4};
};

}  // namespace vernier::desktop
