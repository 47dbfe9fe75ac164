#include "vernier/net/loop.hpp"

#include <poll.h>
#include <sys/epoll.h>

#include <algorithm>
#include <ctime>
#include <limits>

namespace vernier::net {
namespace {

constexpr Loop::Key wake_key = std::numeric_limits<Loop::Key>::max();

void control(const Descriptor& poll, int how, int fd, std::uint32_t what, Loop::Key key) noexcept {
  epoll_event e{};
  e.events = ((what & readable) != 0 ? EPOLLIN : 0u) | ((what & writable) != 0 ? EPOLLOUT : 0u) |
             ((what & hung_up) != 0 ? EPOLLRDHUP : 0u);
  e.data.u64 = key;
  epoll_ctl(poll.get(), how, fd, &e);
}

}  // namespace

void Timers::set(Key key, Clock::time_point at) {
  cancel(key);
  const auto after =
      std::find_if(timers_.begin(), timers_.end(), [&](const Timer& t) { return t.at <= at; });
  timers_.insert(after, {at, key});
}

void Timers::cancel(Key key) noexcept {
  std::erase_if(timers_, [&](const Timer& t) { return t.key == key; });
}

Clock::time_point Timers::next() const noexcept {
  return timers_.empty() ? forever : timers_.back().at;
}

bool Timers::take_due(Clock::time_point now, Key& key) noexcept {
  if (timers_.empty() || timers_.back().at > now) return false;
  key = timers_.back().key;
  timers_.pop_back();
  return true;
}

Loop::Loop() noexcept : poll_(epoll_create1(EPOLL_CLOEXEC)) {
  if (*this) watch(wake_.descriptor(), readable, wake_key);
}
Loop::~Loop() = default;

void Loop::watch(int fd, std::uint32_t what, Key key) noexcept {
  control(poll_, EPOLL_CTL_ADD, fd, what, key);
}
void Loop::change(int fd, std::uint32_t what, Key key) noexcept {
  control(poll_, EPOLL_CTL_MOD, fd, what, key);
}
void Loop::forget(int fd) noexcept { control(poll_, EPOLL_CTL_DEL, fd, 0, 0); }

std::span<const Loop::Event> Loop::wait(Clock::time_point until) noexcept {
  until = std::min(until, timers_.next());
  std::array<epoll_event, most_events> ready;
  const timespec left = time_left(until);
  // epoll_wait() has milliseconds; epoll_pwait2() has nanoseconds, on Linux 5.11 and later
  int n = epoll_pwait2(poll_.get(), ready.data(), most_events, &left, nullptr);
  if (n < 0 && errno == ENOSYS) {
    pollfd p{poll_.get(), POLLIN, 0};
    ppoll(&p, 1, &left, nullptr);
    n = epoll_wait(poll_.get(), ready.data(), most_events, 0);
  }
  std::size_t count = 0;
  for (int i = 0; i < n; ++i) {
    const epoll_event& e = ready[static_cast<std::size_t>(i)];
    if (e.data.u64 == wake_key) {
      wake_.clear();
      continue;
    }
    const std::uint32_t ended = e.events & (EPOLLRDHUP | EPOLLHUP | EPOLLERR);
    const std::uint32_t what = ((e.events & EPOLLIN) != 0 ? readable : 0u) |
                               ((e.events & EPOLLOUT) != 0 ? writable : 0u) |
                               (ended != 0 ? readable | hung_up : 0u);
    events_[count++] = {e.data.u64, what};
  }
  now_ = Clock::now();
  for (Key key = 0; count < events_.size() && timers_.take_due(now_, key);)
    events_[count++] = {key, due};
  return std::span(events_).first(count);
}

}  // namespace vernier::net
