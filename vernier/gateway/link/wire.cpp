#include <linux/sockios.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "vernier/gateway/link/detail/wire.hpp"

namespace vernier::link {

void Wire::open(channel::Descriptor d) noexcept {
  socket_ = std::move(d);
  reader_.clear();
  begin_ = end_ = 0;
  partial_since = 0;
  // what is not sent yet stays ours, so that the newest vector can replace it
  const int low = 1;
  setsockopt(socket_.get(), IPPROTO_TCP, TCP_NOTSENT_LOWAT, &low, sizeof low);
}

void Wire::adopt(Wire&& other) noexcept {
  open(std::move(other.socket_));
  const auto rest = other.reader_.rest();
  const auto room = reader_.room();
  const std::size_t n = std::min(rest.size(), room.size());
  std::memcpy(room.data(), rest.data(), n);
  reader_.received(n);
}

void Wire::close(bool reset) noexcept {
  if (!socket_) return;
  if (reset) {
    const linger at_once{1, 0};
    setsockopt(socket_.get(), SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
  }
  socket_.reset();
}

void Wire::limit_silence(std::uint32_t milliseconds) noexcept {
  setsockopt(socket_.get(), IPPROTO_TCP, TCP_USER_TIMEOUT, &milliseconds, sizeof milliseconds);
}

Wire::Reading Wire::read() noexcept {
  const auto room = reader_.room();
  while (true) {
    const ssize_t n = recv(socket_.get(), room.data(), room.size(), MSG_DONTWAIT);
    if (n > 0) {
      reader_.received(static_cast<std::size_t>(n));
      return Reading::some;
    }
    if (n == 0) return Reading::closed;
    if (errno == EINTR) continue;
    return errno == EAGAIN || errno == EWOULDBLOCK ? Reading::nothing : Reading::closed;
  }
}

bool Wire::empty() const noexcept {
  if (end_ > begin_) return false;
  int unsent = 0;
  return ioctl(socket_.get(), SIOCOUTQNSD, &unsent) != 0 || unsent == 0;
}

bool Wire::put(const Header& h, std::span<const std::byte> payload) noexcept {
  const std::size_t bytes = write_frame(h, payload, std::span(out_).subspan(end_));
  if (bytes == 0) return false;
  end_ += bytes;
  flush();  // a connection that is lost is found when it is read
  return true;
}

bool Wire::flush() noexcept {
  while (begin_ < end_) {
    const ssize_t n =
        ::send(socket_.get(), out_.data() + begin_, end_ - begin_, MSG_DONTWAIT | MSG_NOSIGNAL);
    if (n > 0) {
      begin_ += static_cast<std::size_t>(n);
    } else if (errno != EINTR) {
      return errno == EAGAIN || errno == EWOULDBLOCK;
    }
  }
  begin_ = end_ = 0;
  return true;
}

}  // namespace vernier::link
