#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "vernier/base/result.hpp"
#include "vernier/gateway/lines/protocol.hpp"

namespace vernier::lines {

using Clock = std::chrono::steady_clock;

/// "127.0.0.1:4711", "localhost:4711", "[::1]:4711"; ":4711" and "4711" mean this machine only.
struct Address {
  std::string host;
  std::string port;
};
std::optional<Address> parsed_address(std::string_view);
std::string text(const Address&);

/// A file descriptor that closes itself.
class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int fd) noexcept : fd_(fd) {}
  Descriptor(Descriptor&& other) noexcept : fd_(other.release()) {}
  Descriptor& operator=(Descriptor&& other) noexcept;
  ~Descriptor() { reset(); }

  int get() const noexcept { return fd_; }
  explicit operator bool() const noexcept { return fd_ >= 0; }
  int release() noexcept;
  void reset() noexcept;

 private:
  int fd_ = -1;
};

/// Listens; port 0 takes a free one. The error is the system's words.
Result<Descriptor, std::string> listening(const Address&);
/// The port a listening socket has.
int port_of(const Descriptor&) noexcept;
/// Waits for one connection; nothing when none came before the deadline or `wake` became readable.
std::optional<Descriptor> accepted(const Descriptor& listener, Clock::time_point deadline,
                                   int wake = -1) noexcept;
/// One attempt to connect. The error is the system's words.
Result<Descriptor, std::string> connected(const Address&, Clock::time_point deadline);

/// Why a line could not be sent or received.
enum class Trouble : std::uint8_t { timed_out, closed, too_long, stopped };

/// A TCP connection cut into lines. Takes its memory when made.
class Connection {
 public:
  /// `wake`: a descriptor that ends every wait with `stopped` when it becomes readable; or -1.
  explicit Connection(Descriptor, int wake = -1);

  /// The next line without its end; the view lasts until the next call.
  Result<std::string_view, Trouble> receive(Clock::time_point deadline) noexcept;
  /// All of the text, or the reason why not.
  std::optional<Trouble> send(std::string_view text, Clock::time_point deadline) noexcept;

 private:
  std::optional<Trouble> wait(short events, Clock::time_point deadline) noexcept;

  Descriptor socket_;
  int wake_;
  std::vector<char> buffer_;
  std::size_t begin_ = 0, end_ = 0, searched_ = 0;
};

}  // namespace vernier::lines
