#include <linux/sockios.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/ioctl.h>

#include <algorithm>
#include <cstring>

#include "vernier/gateway/link/detail/framed_stream.hpp"

namespace vernier::link {

void FramedStream::open(net::Stream s) noexcept {
  close(false);
  stream_ = std::move(s);
  reader_.clear();
  begin_ = end_ = 0;
  partial_since = 0;
  // keep unsent data here rather than in the kernel, so that the newest vector can replace it
  const int low = 1;
  setsockopt(stream_.descriptor(), IPPROTO_TCP, TCP_NOTSENT_LOWAT, &low, sizeof low);
}

void FramedStream::adopt(FramedStream& other) noexcept {
  other.forget();
  open(std::move(other.stream_));
  const auto rest = other.reader_.rest();
  const auto room = reader_.room();
  const std::size_t n = std::min(rest.size(), room.size());
  std::memcpy(room.data(), rest.data(), n);
  reader_.received(n);
}

void FramedStream::close(bool reset) noexcept {
  if (!stream_) return;
  forget();
  stream_.close(reset);
}

void FramedStream::watch(net::Loop& loop, net::Loop::Key key, bool sends) noexcept {
  const std::uint32_t wanted = net::readable | (sends ? net::writable : 0u);
  if (watched_ == wanted) return;
  if (watched_ == 0)
    loop.watch(stream_.descriptor(), wanted, key);
  else
    loop.change(stream_.descriptor(), wanted, key);
  loop_ = &loop;
  watched_ = wanted;
}

void FramedStream::forget() noexcept {
  if (watched_ != 0) loop_->forget(stream_.descriptor());
  watched_ = 0;
}

FramedStream::Reading FramedStream::read() noexcept {
  const net::Stream::Moved m = stream_.read(reader_.room());
  reader_.received(m.bytes);
  if (m.state == net::Stream::State::done) return Reading::some;
  return m.state == net::Stream::State::closed ? Reading::closed : Reading::nothing;
}

bool FramedStream::empty() const noexcept {
  if (end_ > begin_) return false;
  int unsent = 0;
  return ioctl(stream_.descriptor(), SIOCOUTQNSD, &unsent) != 0 || unsent == 0;
}

bool FramedStream::put(const Header& h, std::span<const std::byte> payload) noexcept {
  const std::size_t bytes = write_frame(h, payload, std::span(out_).subspan(end_));
  if (bytes == 0) return false;
  end_ += bytes;
  flush();  // a lost connection is detected when reading
  return true;
}

bool FramedStream::flush() noexcept {
  while (begin_ < end_) {
    const net::Stream::Moved m = stream_.write(std::span(out_).subspan(begin_, end_ - begin_));
    if (m.state != net::Stream::State::done) return m.state != net::Stream::State::closed;
    begin_ += m.bytes;
  }
  begin_ = end_ = 0;
  return true;
}

}  // namespace vernier::link
