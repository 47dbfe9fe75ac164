#include "vernier/net/wait.hpp"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>

namespace vernier::net {

using namespace std::chrono_literals;

Wake::Wake() noexcept : event_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}

void Wake::ring() const noexcept {
  const std::uint64_t one = 1;
  static_cast<void>(!write(event_.get(), &one, sizeof one));
}

bool Wake::clear() const noexcept {
  std::uint64_t count = 0;
  return read(event_.get(), &count, sizeof count) == sizeof count;
}

timespec time_left(Clock::time_point until) noexcept {
  const Clock::time_point now = Clock::now();
  // forever - now cannot overflow, since the clock counts from boot
  const auto left = std::clamp<Clock::duration>(until <= now ? 0s : until - now, 0s, 1h);
  return {left / 1s, std::chrono::nanoseconds(left % 1s).count()};
}

Waited wait_for(int fd, std::uint32_t what, Clock::time_point deadline, int wake) noexcept {
  const auto events = static_cast<short>(((what & readable) != 0 ? POLLIN : 0) |
                                         ((what & writable) != 0 ? POLLOUT : 0));
  while (true) {
    pollfd all[2] = {{wake, POLLIN, 0}, {fd, events, 0}};
    const timespec left = time_left(deadline);
    const int count = ppoll(all, 2, &left, nullptr);
    Waited w;
    if (count > 0) {
      const short r = all[1].revents;
      w.woken = all[0].revents != 0;
      if ((r & POLLOUT) != 0) w.ready |= writable;
      if ((r & POLLIN) != 0) w.ready |= readable;
      if ((r & (POLLHUP | POLLERR | POLLNVAL)) != 0) w.ready |= readable | hung_up;
    }
    if (count > 0 || Clock::now() >= deadline) return w;
  }
}

}  // namespace vernier::net
