#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <utility>
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
  /// Connects, and each side proves who it is. `version`: of this program. `wake`: a descriptor
  /// that ends this and every later wait, as the deadline does, while it is readable; or -1.
  static Result<Connection, Diagnostic> to(const net::Address&, const Credentials&,
                                           const std::string& version,
                                           net::Clock::time_point deadline, int wake = -1);

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

  /// The runs that can be asked there.
  Result<std::vector<HostedRun>, Diagnostic> runs();
  /// The answer of a run to a request, or its refusal, as a line.
  Result<std::string, Diagnostic> control(const std::string& run, const std::string& line);
  /// Answers what is asked about a run, from now on with receive_question() and say() alone; the
  /// name by which the server's clients find it.
  Result<std::string, Diagnostic> attach(const Attach&);
  Result<NumberedLine, Diagnostic> receive_question();
  Result<bool, Diagnostic> say(const NumberedLine&);
  /// For who continues without this.
  net::Stream take_stream() noexcept { return std::move(stream_); }

 private:
  Connection() = default;
  Diagnostic trouble(std::string code, const std::string& what, std::string note = {}) const;
  Diagnostic no_tls() const;
  Result<bool, Diagnostic> send(Bytes);
  /// False: not before the deadline.
  bool wait_to_read(net::Stream::State) const noexcept;
  bool wait_to_write() const noexcept;
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
  int wake_ = -1;
};

}  // namespace vernier::server
