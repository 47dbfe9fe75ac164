#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "vernier/base/diagnostic.hpp"
#include "vernier/base/result.hpp"
#include "vernier/net/address.hpp"
#include "vernier/net/framing.hpp"
#include "vernier/net/stream.hpp"
#include "vernier/run/server/credentials.hpp"
#include "vernier/run/server/host_messages.hpp"

namespace vernier::server {

/// The clock of a server, from the exchange that took least: its time is ours plus the offset,
/// which is wrong by at most half the round trip.
struct ClockOffset {
  std::int64_t round_trip = 0;     // ns, the shortest
  std::int64_t steady_offset = 0;  // ns, of the clock that never jumps
  std::int64_t wall_offset = 0;    // ns, of the time of day
};

/// A server, as its client sees it: asks one thing after the other and waits for the answer. Errors
/// name the server and say what to do.
class Connection {
 public:
  /// Connects, and each side proves who it is. `version`: of this program.
  static Result<Connection, Diagnostic> to(const net::Address&, const Credentials&,
                                           const std::string& version,
                                           net::Clock::time_point deadline);

  /// The version of the server's program.
  const std::string& version() const noexcept { return version_; }
  const std::string& name() const noexcept { return name_; }
  /// The host of the server in numbers: "10.0.0.2".
  std::string host() const;
  /// For what follows.
  void set_deadline(net::Clock::time_point t) noexcept { deadline_ = t; }

  Result<About, Diagnostic> info();
  Result<ClockOffset, Diagnostic> ping(int times);
  /// Has the server keep these files; where each is there. The deadline is extended while bytes
  /// move.
  Result<std::map<std::string, std::string>, Diagnostic> files(
      const std::vector<std::filesystem::path>&);
  /// Starts an executor; the stream is its own from then on.
  Result<net::Stream, Diagnostic> execute(const Execute&);

 private:
  Connection() = default;
  Diagnostic trouble(std::string code, const std::string& what, std::string note = {}) const;
  Diagnostic no_tls() const;
  Result<bool, Diagnostic> send(Bytes);
  /// The next frame; valid until the next call.
  Result<Bytes, Diagnostic> receive(std::size_t longest);
  template <class T>
  Result<T, Diagnostic> answer(HostWord);
  template <class T>
  Result<T, Diagnostic> ask(HostWord word, const auto& question, HostWord answered);
  Result<bool, Diagnostic> send_missing(const std::vector<std::filesystem::path>&,
                                        const std::vector<FileId>&,
                                        const std::vector<std::uint32_t>& missing);

  net::Stream stream_;
  net::Inbox in_{0};
  std::size_t taken_ = 0;  // of what arrived
  std::string name_, version_;
  net::Clock::time_point deadline_;
};

}  // namespace vernier::server
