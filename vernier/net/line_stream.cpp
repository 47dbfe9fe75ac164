#include "vernier/net/line_stream.hpp"

#include <cstring>
#include <utility>

namespace vernier::net {

LineStream::LineStream(Descriptor socket, std::size_t longest, int wake)
    : stream_(std::move(socket)), wake_(wake), buffer_(longest) {}

std::optional<Trouble> LineStream::wait(std::uint32_t what, Clock::time_point deadline) noexcept {
  if (Clock::now() >= deadline) return Trouble::timed_out;
  const Waited w = wait_for(stream_.descriptor(), what, deadline, wake_);
  if (w.woken) return Trouble::stopped;
  if (w.ready == 0) return Trouble::timed_out;
  return {};
}

Result<std::string_view, Trouble> LineStream::receive(Clock::time_point deadline) noexcept {
  while (true) {
    const char* from = buffer_.data() + searched_;
    const auto* line_end = static_cast<const char*>(std::memchr(from, '\n', end_ - searched_));
    if (line_end) {
      const std::string_view line(buffer_.data() + begin_, line_end);
      begin_ = searched_ = begin_ + line.size() + 1;
      return line;
    }
    searched_ = end_;
    if (begin_ > 0) {
      std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
      end_ -= begin_;
      searched_ -= begin_;
      begin_ = 0;
    }
    if (end_ == buffer_.size()) return Failure{Trouble::too_long};
    const Stream::Moved m = stream_.read(std::as_writable_bytes(std::span(buffer_).subspan(end_)));
    end_ += m.bytes;
    if (m.state == Stream::State::done) continue;
    if (m.state == Stream::State::closed) return Failure{Trouble::closed};
    if (const auto trouble = wait(readable, deadline)) return Failure{*trouble};
  }
}

std::optional<Trouble> LineStream::send(std::string_view text,
                                        Clock::time_point deadline) noexcept {
  if (text.empty()) return Trouble::too_long;
  while (!text.empty()) {
    const Stream::Moved m = stream_.write(std::as_bytes(std::span(text)));
    text.remove_prefix(m.bytes);
    if (m.state == Stream::State::done) continue;
    if (m.state == Stream::State::closed) return Trouble::closed;
    if (const auto trouble = wait(writable, deadline)) return trouble;
  }
  return {};
}

std::optional<Trouble> LineStream::ended() const noexcept {
  const Waited w = wait_for(stream_.descriptor(), hung_up, Clock::now(), wake_);
  if (w.woken) return Trouble::stopped;
  if ((w.ready & hung_up) != 0) return Trouble::closed;
  return {};
}

}  // namespace vernier::net
