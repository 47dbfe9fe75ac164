#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <memory>
#include <span>
#include <string>

#include "vernier/base/codec.hpp"
#include "vernier/base/descriptor.hpp"
#include "vernier/net/tls.hpp"
#include "vernier/net/wait.hpp"

struct iovec;

namespace vernier::net {

/// A connected socket that does not block, in the clear or with TLS. One thread may read while
/// another writes. Without TLS nothing allocates.
class Stream {
 public:
  enum class State { done, wait, wait_to_write, closed };
  struct Moved {
    State state = State::done;
    std::size_t bytes = 0;  // more than 0 only when done
  };

  Stream() noexcept;
  explicit Stream(Descriptor) noexcept;
  ~Stream();
  Stream(Stream&&) noexcept;
  Stream& operator=(Stream&&) noexcept;

  explicit operator bool() const noexcept { return static_cast<bool>(fd_); }
  int descriptor() const noexcept { return fd_.get(); }
  /// A network that carries nothing for so long closes it.
  void tolerate(std::chrono::milliseconds) noexcept;
  /// From now on with TLS; shake() until done. A client gives the name the certificate is for.
  void secure(const Tls&, const std::string& server_name);
  void secure(const Tls& server);
  State shake() noexcept;
  bool secured() const noexcept { return tls_ != nullptr; }

  Moved read(std::span<std::byte>) noexcept;
  /// What had to wait is offered again the next time, perhaps with more after it.
  Moved write(Bytes) noexcept;
  /// Some of all; without TLS in one system call.
  Moved write(std::span<const iovec>) noexcept;
  /// Says that nothing more will come.
  void finish() noexcept;
  /// `reset`: the port is free at once and nothing more is sent; for a peer that is gone.
  void close(bool reset = false) noexcept;
  /// It was lost, not closed by the other side.
  bool failed() const noexcept { return error_ != 0; }
  /// What went wrong, in the system's words.
  std::string why() const;

 private:
  struct Session;
  Moved outcome(long moved) noexcept;

  Descriptor fd_;
  std::atomic<int> error_{0};
  std::unique_ptr<Session> tls_;
};

/// Waits for what a read, a write or a handshake waits for. False: not before the deadline.
bool wait_for(const Stream&, Stream::State, Clock::time_point deadline) noexcept;

}  // namespace vernier::net
