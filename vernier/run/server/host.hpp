#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "vernier/net/address.hpp"
#include "vernier/net/tls.hpp"
#include "vernier/run/server/host_messages.hpp"
#include "vernier/run/server/spawned.hpp"

namespace vernier::server {

struct HostSettings {
  net::Address listen{"127.0.0.1", std::to_string(usual_port)};  // port 0: any free one
  std::vector<std::byte> key = {};                               // required of clients; empty: none
  std::shared_ptr<net::Tls> tls = {};                            // null: in the clear
  std::filesystem::path folder;  // for files of others, and what executors write meanwhile
  std::uint64_t most_cached = std::uint64_t{4} << 30;  // bytes of files of others
  Launch launch;                                       // starts an executor
  Limits limits = {};                                  // of each
  About about = {};                                    // what does not change, and `most_runs`
  std::size_t most_connections = 256;
  // that have not proved who they are: all, and of one address
  std::size_t most_strangers = 128, most_strangers_of_one = 32;
  std::chrono::milliseconds greet_within{5'000};
  std::chrono::milliseconds idle{60'000};           // between two requests
  std::chrono::milliseconds answer_within{60'000};  // a run that was asked
  std::chrono::milliseconds end_within{1'000};      // an executor whose composer is gone
  std::chrono::milliseconds drain_within{60'000};   // then executors are killed
  /// Receives one sentence about each executor and each connection refused. May be empty.
  std::function<void(std::string_view)> log = {};
};

/// A computer's server: starts an executor for each composer that asks for one, and passes on what
/// the two say to each other. Its clients can ask the runs whose composers are attached to it. One
/// thread.
class Host {
 public:
  /// Starts to listen. Throws ConfigurationError: V5630 for an address, V5641 for the folder.
  explicit Host(HostSettings);
  ~Host();
  Host(const Host&) = delete;
  Host& operator=(const Host&) = delete;

  /// "127.0.0.1:4870"
  std::string address() const;

  /// Until it has drained, or stop().
  void serve();
  /// From any thread or signal handler. It takes no new runs, tells the composers of all others,
  /// and serve() returns when those have ended.
  void drain() noexcept;
  /// From any thread or signal handler. serve() returns at once, and kills what runs.
  void stop() noexcept;

 private:
  class Work;
  std::unique_ptr<Work> work_;
};

}  // namespace vernier::server
