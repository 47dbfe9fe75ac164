#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>

#include "vernier/net/address.hpp"
#include "vernier/net/web_server.hpp"
#include "vernier/run/viewers/foxglove.hpp"

namespace vernier::viewers {

/// Serves a live run to Foxglove's clients over WebSocket until the run is over. A client that does
/// not keep up misses messages and is told so.
class FoxgloveSite final : public net::WebSite {
 public:
  /// Listens from now on. Throws ConfigurationError: V7101 the run is not running, V8120 it cannot
  /// listen there.
  FoxgloveSite(const std::filesystem::path& run_folder, const std::string& name,
               const net::Address&);
  ~FoxgloveSite() override;

  /// "ws://127.0.0.1:8765/?token=…": what to type in the viewer.
  std::string address() const;
  /// Until the run is over or stop() is called.
  void serve();
  /// From any thread or signal handler.
  void stop() noexcept;

  std::optional<net::WebAnswer> file(Client, const net::http::Request&, net::Role) override;
  void opened(Client, net::Role) override;
  void received(Client, std::string text) override;
  void closed(Client) override;
  net::Clock::time_point serve(net::Clock::time_point now) override;

 private:
  struct Missed {
    std::uint64_t messages = 0, told = 0;
    net::Clock::time_point when{};
  };

  Descriptor listener_;
  record::LiveRowReader rows_;
  Foxglove protocol_;
  std::string address_;
  std::map<Client, Missed> clients_;
  std::optional<net::WebServer> server_;
};

}  // namespace vernier::viewers
