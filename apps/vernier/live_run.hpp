#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "vernier/net/wait.hpp"
#include "vernier/run/server/credentials.hpp"
#include "vernier/run/server/hosts.hpp"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace vernier::app {

inline constexpr const char* of_a_run =
    "the folder of an active run (runs/latest); with --server: its name there";

/// How the user names an active run.
struct RunName {
  std::string run;     // its folder, or its name at the server; empty: the latest, or the only one
  std::string server;  // empty: it was started on this computer, by this user
  server::CredentialFiles files = {};
};

/// --server, to name a run of a server.
CLI::Option* declare_server_of_run(CLI::App&, RunName&);
/// --server, and with what to show it who asks.
CLI::Option* declare_run_at_server(CLI::App&, RunName&);

/// An active run that can be asked, through its folder or a server.
class LiveRun {
 public:
  /// Throws ConfigurationError: V7503, V5642.
  explicit LiveRun(const RunName&);

  /// The answer to a request (docs/reference/live-access.md). Throws ConfigurationError: that of
  /// the run, V4120 or V5661 without an active run, V5660 when several could be meant, or what is
  /// wrong with the server.
  std::string ask(const std::string& line);

 private:
  void connect();
  std::string asked_at_server(const std::string& line);

  RunName named_;
  std::filesystem::path folder_;
  std::optional<server::Credentials> with_;
  std::optional<server::Connection> connection_;
  net::Clock::time_point used_{};
  bool chosen_ = false;  // named_.run is that of a run of the server
};

}  // namespace vernier::app
