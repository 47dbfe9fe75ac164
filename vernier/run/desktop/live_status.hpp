#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <utility>
#include <vector>

#include "vernier/net/web_server.hpp"

namespace vernier::desktop {

/// What is known of the live runs that pages have open, for messages "status". Asks nobody itself:
/// its owner does when due() says so, and passes the answers on.
class LiveStatus {
 public:
  using Client = net::WebSite::Client;
  using Clock = net::Clock;

  /// `name`: of the run, as the page knows it.
  void watch(const std::filesystem::path& run, Client, std::string name);
  void forget(const std::filesystem::path& run, Client);
  void forget(Client);

  /// A run whose state is to be asked for now; empty: none. It is not given again before it was
  /// answered.
  std::filesystem::path due(Clock::time_point now);
  /// When due() will have one at the latest.
  Clock::time_point next() const noexcept;

  /// Messages, and to whom.
  using Told = std::vector<std::pair<Client, std::string>>;
  /// The answer to the request `state` of a run. Nothing when nothing has changed.
  Told take(const std::filesystem::path& run, const std::string& state, std::uint64_t lost,
            Clock::time_point now);
  /// The run has ended, as its manifest says; `next`: the run that continues it, or empty.
  Told end(const std::filesystem::path& run, const std::string& status, std::uint64_t events,
           const std::string& next);
  /// It did not answer now.
  void missed(const std::filesystem::path& run, Clock::time_point now);

 private:
  struct Run;
  static Told to_all(const Run&, const nlohmann::ordered_json&);

  struct Run {
    std::map<Client, std::string> clients;  // with its name
    Clock::time_point next{};               // when it is to be asked
    bool asked = false;
    double time = 0.0;  // s of the run, at the last answer
    Clock::time_point at{};
    bool known = false;
    std::string last;  // message, without the name
  };
  std::map<std::filesystem::path, Run> runs_;
};

}  // namespace vernier::desktop
