#include "vernier/gateway/lines/connection.hpp"

#include <poll.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>
#include <utility>

namespace vernier::lines {

Connection::Connection(Descriptor socket, int wake)
    : socket_(std::move(socket)), wake_(wake), buffer_(longest_line) {}

std::optional<Trouble> Connection::wait(short events, Clock::time_point deadline) noexcept {
  // the deadline is that of the whole line: a peer that dribbles does not extend it
  while (Clock::now() < deadline) {
    pollfd waiting[2] = {{socket_.get(), events, 0}, {wake_, POLLIN, 0}};
    poll(waiting, 2, channel::milliseconds_until(deadline));
    if (waiting[1].revents != 0) return Trouble::stopped;
    if (waiting[0].revents != 0) return {};
  }
  return Trouble::timed_out;
}

Result<std::string_view, Trouble> Connection::receive(Clock::time_point deadline) noexcept {
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
    const ssize_t got = recv(socket_.get(), buffer_.data() + end_, buffer_.size() - end_, 0);
    if (got > 0) {
      end_ += static_cast<std::size_t>(got);
      continue;
    }
    if (got == 0) return Failure{Trouble::closed};
    if (errno == EINTR) continue;
    if (errno != EAGAIN && errno != EWOULDBLOCK) return Failure{Trouble::closed};
    if (const auto trouble = wait(POLLIN, deadline)) return Failure{*trouble};
  }
}

std::optional<Trouble> Connection::send(std::string_view text,
                                        Clock::time_point deadline) noexcept {
  if (text.empty()) return Trouble::too_long;
  while (!text.empty()) {
    const ssize_t put = ::send(socket_.get(), text.data(), text.size(), MSG_NOSIGNAL);
    if (put > 0) {
      text.remove_prefix(static_cast<std::size_t>(put));
    } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
      if (const auto trouble = wait(POLLOUT, deadline)) return trouble;
    } else if (errno != EINTR) {
      return Trouble::closed;
    }
  }
  return {};
}

}  // namespace vernier::lines
