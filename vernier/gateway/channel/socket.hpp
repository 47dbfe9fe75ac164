#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "vernier/base/result.hpp"

/// TCP sockets as the gateways use them: addresses, and descriptors that do not block.
namespace vernier::channel {

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

/// For poll(): at least 0, at most an hour.
int milliseconds_until(Clock::time_point) noexcept;
/// Small packets leave at once, and nothing on it blocks.
void prepare(int fd) noexcept;

/// Listens; port 0 takes a free one. The error is the system's words.
Result<Descriptor, std::string> listening(const Address&);
/// The port a listening socket has.
int port_of(const Descriptor&) noexcept;
/// Waits for one connection; nothing when none came before the deadline or `wake` became readable.
std::optional<Descriptor> accepted(const Descriptor& listener, Clock::time_point deadline,
                                   int wake = -1) noexcept;
/// One attempt to connect, given up when `wake` becomes readable. The error is the system's words.
Result<Descriptor, std::string> connected(const Address&, Clock::time_point deadline,
                                          int wake = -1);

}  // namespace vernier::channel
