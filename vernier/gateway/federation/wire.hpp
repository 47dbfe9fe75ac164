#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <memory>
#include <mutex>
#include <span>
#include <string>

#include "vernier/gateway/channel/socket.hpp"
#include "vernier/gateway/federation/bytes.hpp"

struct iovec;

namespace vernier::federation {

/// Certificates, for one side.
class Tls {
 public:
  /// Of an RTI: its certificate chain and private key, PEM files. Null and `why` when they cannot
  /// be used.
  static std::shared_ptr<Tls> of_server(const std::string& certificate, const std::string& key,
                                        std::string& why);
  /// Of a federate: what the RTI's certificate must come from; empty: the system's authorities.
  static std::shared_ptr<Tls> of_client(const std::string& authorities, std::string& why);

  struct Context;
  explicit Tls(std::unique_ptr<Context>);
  ~Tls();

 private:
  friend class Wire;
  std::unique_ptr<Context> context_;
};

/// A connected socket that does not block, in the clear or with TLS. One thread may read while
/// another writes.
class Wire {
 public:
  enum class State { done, wait, wait_to_write, closed };
  struct Moved {
    State state = State::done;
    std::size_t bytes = 0;  // more than 0 only when done
  };

  explicit Wire(channel::Descriptor);
  ~Wire();
  Wire(const Wire&) = delete;

  int descriptor() const noexcept { return fd_.get(); }
  /// A network that carries nothing for so long closes it.
  void tolerate(std::chrono::milliseconds) noexcept;
  /// From now on with TLS; shake() until done. A federate gives the name the certificate is for.
  void secure(const Tls&, const std::string& server_name);
  void secure(const Tls& server);
  State shake() noexcept;
  bool secured() const noexcept { return tls_ != nullptr; }

  Moved read(std::span<std::byte>) noexcept;
  Moved write(Bytes) noexcept;
  /// Some of all; without TLS in one system call.
  Moved write(std::span<const iovec>) noexcept;
  /// Says that nothing more will come.
  void finish() noexcept;
  /// What went wrong, in the system's words.
  std::string why() const;

 private:
  struct Session;
  Moved outcome(long moved) noexcept;
  Moved tls_outcome(int moved) noexcept;

  channel::Descriptor fd_;
  std::atomic<int> error_{0};
  std::unique_ptr<Session> tls_;
  mutable std::mutex tls_lock_;  // a TLS session is not for two threads
  std::string tls_error_;
};

}  // namespace vernier::federation
