#pragma once

#include <cstddef>
#include <mutex>
#include <utility>
#include <vector>

#include "vernier/base/codec.hpp"
#include "vernier/net/framing.hpp"
#include "vernier/net/stream.hpp"
#include "vernier/run/server/messages.hpp"

namespace vernier::server {

/// A connection between a composer and an executor, as messages. One thread may receive while
/// others send.
class Channel {
 public:
  static constexpr std::size_t longest = std::size_t{256} << 20;

  explicit Channel(net::Stream stream) : stream_(std::move(stream)) {}

  net::Stream& stream() noexcept { return stream_; }

  /// Waits until all is sent. False: the other side is gone, or reads nothing for a minute.
  bool send(Word, Bytes content = {});
  template <class T>
  bool send(Word w, const T& message) {
    return send(w, Bytes(encode(message)));
  }

  /// Calls `f(word, content)` for each message that has arrived, without waiting. False: the other
  /// side is gone, or has sent something that is no message.
  template <class F>
  bool take(const F& f) {
    const bool open = read();
    Bytes rest = inbox_.content(), frame;
    net::Cut cut = net::next_frame(rest, frame, head, longest);
    for (; cut == net::Cut::frame; cut = net::next_frame(rest, frame, head, longest))
      f(load<Word>(frame.data() + sizeof(std::uint32_t)), frame.subspan(head));
    inbox_.keep(rest);
    inbox_.shrink(usual);
    return open && cut != net::Cut::malformed;
  }

 private:
  static constexpr std::size_t head = 2 * sizeof(std::uint32_t);
  static constexpr std::size_t usual = std::size_t{1} << 20;

  /// Everything that has arrived, at most some megabytes. False: nothing more will.
  bool read();

  net::Stream stream_;
  std::mutex sending_;
  net::Inbox inbox_{std::size_t{64} << 10};
  std::vector<std::byte> outgoing_;
};

}  // namespace vernier::server
