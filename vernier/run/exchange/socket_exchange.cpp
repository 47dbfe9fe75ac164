#include "vernier/run/exchange/socket_exchange.hpp"

#include <sys/uio.h>

#include <array>

#include "vernier/base/require.hpp"

namespace vernier::exchange {
namespace {

constexpr const char* closed_here = "this node closed the connection";

}  // namespace

SocketExchange::SocketExchange(std::uint32_t self, std::vector<net::Stream> streams)
    : FramedExchange(self, static_cast<std::uint32_t>(streams.size())),
      streams_(std::move(streams)),
      waited_for_(streams_.size() + 1) {
  require(static_cast<bool>(wake_));
  for (std::uint32_t peer = 0; peer < nodes(); ++peer)
    if (peer != self && !streams_[peer]) lose(peer, "there is no connection");
}

void SocketExchange::replace(std::uint32_t peer, net::Stream stream) {
  require(peer < nodes() && peer != self() && stream);
  streams_[peer] = std::move(stream);
  restart(peer);
}

void SocketExchange::close(std::uint32_t peer) {
  require(peer < nodes() && peer != self());
  hang_up(peer);
  lose(peer, closed_here);
}

FramedExchange::Moved SocketExchange::outcome(std::uint32_t peer,
                                              net::Stream::Moved m) const noexcept {
  if (m.state != net::Stream::State::closed) return {m.bytes, nullptr};
  return {0, streams_[peer].failed() ? "the connection was lost" : "the connection was closed"};
}

FramedExchange::Moved SocketExchange::take(std::uint32_t peer, std::span<std::byte> to) noexcept {
  return outcome(peer, streams_[peer].read(to));
}

FramedExchange::Moved SocketExchange::give(std::uint32_t peer, Bytes first, Bytes second) noexcept {
  if (second.empty()) return outcome(peer, streams_[peer].write(first));
  const std::array<iovec, 2> parts{iovec{const_cast<std::byte*>(first.data()), first.size()},
                                   iovec{const_cast<std::byte*>(second.data()), second.size()}};
  return outcome(peer, streams_[peer].write(parts));
}

void SocketExchange::wait(const Waiting& w) noexcept {
  if (yields(w)) return;
  waited_for_[0] = {wake_.descriptor(), POLLIN, 0};
  nfds_t count = 1;
  for (std::uint32_t peer = 0; peer < nodes(); ++peer) {
    const int events = (listens(peer, w) ? POLLIN : 0) | (has_more(peer) ? POLLOUT : 0);
    if (events != 0)
      waited_for_[count++] = {streams_[peer].descriptor(), static_cast<short>(events), 0};
  }
  const timespec left = net::time_left(w.until);
  const int ready = ppoll(waited_for_.data(), count, &left, nullptr);
  // left over from an interruption that begin() has ended
  if (ready > 0 && waited_for_[0].revents != 0 && !interrupted()) wake_.clear();
}

}  // namespace vernier::exchange
