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

/// A connected non-blocking socket, unencrypted or with TLS. One thread may read while another
/// writes. Without TLS nothing allocates.
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
  /// Closes the connection when the network delivers nothing for this time.
  void tolerate(std::chrono::milliseconds) noexcept;
  /// Uses TLS from now on; call shake() until done. A client passes the name in the certificate.
  void secure(const Tls&, const std::string& server_name);
  void secure(const Tls& server);
  State shake() noexcept;
  bool secured() const noexcept { return tls_ != nullptr; }

  Moved read(std::span<std::byte>) noexcept;
  /// Bytes that were not accepted must be offered again, possibly followed by more.
  Moved write(Bytes) noexcept;
  /// Writes some of all; without TLS in one system call.
  Moved write(std::span<const iovec>) noexcept;
  /// Tells the peer that nothing more will be sent.
  void finish() noexcept;
  /// `reset`: frees the port at once and sends nothing more; for a peer that is gone.
  void close(bool reset = false) noexcept;
  /// It was lost, not closed by the peer.
  bool failed() const noexcept { return error_ != 0; }
  /// The system's text for the failure.
  std::string why() const;

 private:
  struct Session;
  Moved outcome(long moved) noexcept;

  Descriptor fd_;
  std::atomic<int> error_{0};
  std::unique_ptr<Session> tls_;
};

/// Waits until a read or a handshake can continue. False: not before the deadline.
bool wait_for(const Stream&, Stream::State, Clock::time_point deadline) noexcept;
/// Waits until a write can continue.
bool wait_for_room(const Stream&, Clock::time_point deadline) noexcept;

}  // namespace vernier::net
