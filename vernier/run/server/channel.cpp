#include "vernier/run/server/channel.hpp"

namespace vernier::server {

bool Channel::send(Word w, Bytes content) {
  const std::lock_guard lock(sending_);
  outgoing_.clear();
  ByteWriter writer(outgoing_);
  writer(static_cast<std::uint32_t>(head + content.size()), w);
  writer.raw(content);
  Bytes rest = outgoing_;
  while (!rest.empty()) {
    const net::Stream::Moved m = stream_.write(rest);
    if (m.state == net::Stream::State::closed) return false;
    rest = rest.subspan(m.bytes);
    if (m.state == net::Stream::State::done) continue;
    if (!net::wait_for_room(stream_, net::Clock::now() + std::chrono::minutes(1))) return false;
  }
  return true;
}

bool Channel::read() {
  constexpr std::size_t most = std::size_t{8} << 20;
  for (std::size_t got = 0; got < most;) {
    const net::Stream::Moved m = stream_.read(inbox_.room());
    if (m.state == net::Stream::State::closed) return false;
    if (m.state != net::Stream::State::done) return true;
    inbox_.add(m.bytes);
    got += m.bytes;
  }
  return true;
}

}  // namespace vernier::server
