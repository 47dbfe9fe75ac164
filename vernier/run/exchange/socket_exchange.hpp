#pragma once

#include <poll.h>

#include <vector>

#include "vernier/net/stream.hpp"
#include "vernier/net/wait.hpp"
#include "vernier/run/exchange/framed_exchange.hpp"

namespace vernier::exchange {

/// Over connected sockets: TCP or Unix, in the clear or with TLS. With TLS, sending and receiving
/// allocate.
class SocketExchange final : public FramedExchange {
 public:
  /// One stream for each node, that of this one empty; TLS has shaken hands. See Meeting. An empty
  /// stream of another node: it is lost until replace().
  SocketExchange(std::uint32_t self, std::vector<net::Stream>);

  /// Another connection to a peer that was started again. Between two epochs: before begin().
  void replace(std::uint32_t peer, net::Stream);
  /// The peer is lost from now on.
  void close(std::uint32_t peer);

 private:
  Moved take(std::uint32_t peer, std::span<std::byte> to) noexcept override;
  Moved give(std::uint32_t peer, Bytes first, Bytes second) noexcept override;
  // each piece would be a record of TLS
  bool gathers(std::uint32_t peer) const noexcept override { return !streams_[peer].secured(); }
  void wait(const Waiting&) noexcept override;
  void wake() noexcept override { wake_.ring(); }
  void hang_up(std::uint32_t peer) noexcept override { streams_[peer].close(); }
  Moved outcome(std::uint32_t peer, net::Stream::Moved) const noexcept;

  std::vector<net::Stream> streams_;
  std::vector<pollfd> waited_for_;
  net::Wake wake_;
};

}  // namespace vernier::exchange
