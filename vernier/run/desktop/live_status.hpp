#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <set>
#include <string>

#include "vernier/net/web_server.hpp"

namespace vernier::desktop {

/// What is known of the live runs that pages have open, for messages "status". Asks nobody itself:
/// its owner does when due() says so, and passes the answers on.
class LiveStatus {
 public:
  using Client = net::WebSite::Client;
  using Clock = net::Clock;

  void watch(const std::filesystem::path& run, Client);
  void forget(const std::filesystem::path& run, Client);
  void forget(Client);

  /// A run whose state is to be asked for now; empty: none. It is not given again before it was
  /// answered.
  std::filesystem::path due(Clock::time_point now);
  /// When due() will have one at the latest.
  Clock::time_point next() const noexcept;

  struct Told {
    std::string text;  // the message; empty: nothing has changed
    std::set<Client> clients;
  };
  /// The answer to the request `state` of a run.
  Told take(const std::filesystem::path& run, const std::string& state, std::uint64_t lost,
            Clock::time_point now);
  /// The run does not answer any more; its manifest says how it ended.
  Told end(const std::filesystem::path& run, const std::string& status, std::uint64_t events);

 private:
  struct Run {
    std::set<Client> clients;
    Clock::time_point next{};  // when it is to be asked
    bool asked = false;
    double time = 0.0;  // s of the run, at the last answer
    Clock::time_point at{};
    bool known = false;
    std::string last;  // message
  };
  std::map<std::filesystem::path, Run> runs_;
};

}  // namespace vernier::desktop
