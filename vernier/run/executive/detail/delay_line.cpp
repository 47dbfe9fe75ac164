#include "vernier/run/executive/detail/delay_line.hpp"

#include <algorithm>
#include <cstring>

namespace vernier::executive::detail {

DelayLine::DelayLine(const std::byte* source, std::span<const std::byte> initial, Duration delay,
                     std::size_t capacity)
    : source_(source),
      delay_(delay),
      initial_(initial.begin(), initial.end()),
      out_(initial_),
      ring_(initial.size() * capacity),
      last_(initial.size()),
      times_(capacity) {}

void DelayLine::read(Time now) noexcept {
  while (used_ > 0 && times_[head_] + delay_ <= now) {
    std::memcpy(out_.data(), slot(head_), out_.size());
    head_ = wrapped(head_ + 1);
    --used_;
    output_ = true;
  }
}

void DelayLine::push(Time now) noexcept {
  if (unchanged()) return;
  pushed_ = true;
  std::memcpy(last_.data(), source_, last_.size());
  const std::size_t newest = wrapped(head_ + used_ + times_.size() - 1);
  const bool same_time = used_ > 0 && times_[newest] == now;
  const bool full = used_ == times_.size();
  if (full && !same_time) ++merged_;
  const std::size_t at = same_time || full ? newest : wrapped(head_ + used_++);
  times_[at] = now;
  std::memcpy(slot(at), source_, last_.size());
}

bool DelayLine::unchanged() const noexcept {
  return pushed_ && std::memcmp(last_.data(), source_, last_.size()) == 0;
}

Time DelayLine::next_arrival() const noexcept {
  return used_ > 0 ? times_[head_] + delay_ : Time::max();
}

Time DelayLine::next_arrival_after_push(Time now) const noexcept {
  return used_ > 0 || unchanged() ? next_arrival() : now + delay_;
}

void DelayLine::reset() noexcept {
  std::copy(initial_.begin(), initial_.end(), out_.begin());
  head_ = used_ = 0;
  pushed_ = output_ = false;
}

// image: pushed_, used_, out_, last_, then time and value of each pending change
std::size_t DelayLine::state_bytes(Time until) const noexcept {
  return 2 * sizeof(std::uint64_t) + 2 * out_.size() +
         pushed_until(until) * (sizeof(Time) + out_.size());
}

/// How many of the pending changes are not later.
std::size_t DelayLine::pushed_until(Time until) const noexcept {
  std::size_t n = used_;
  while (n > 0 && times_[wrapped(head_ + n - 1)] > until) --n;
  return n;
}

void DelayLine::save(Time until, std::span<std::byte> image) const noexcept {
  std::byte* to = image.data();
  const auto put = [&to](const void* from, std::size_t bytes) {
    std::memcpy(to, from, bytes);
    to += bytes;
  };
  const std::size_t used = pushed_until(until);
  // what was pushed last: the newest pending change, or else the one that was output last
  const std::byte* last = used == used_ ? last_.data()
                          : used > 0    ? slot(wrapped(head_ + used - 1))
                                        : out_.data();
  const std::uint64_t header[] = {pushed_ && (used == used_ || used > 0 || output_), used};
  put(header, sizeof header);
  put(out_.data(), out_.size());
  put(last, last_.size());
  for (std::size_t i = 0; i < used; ++i) {
    const std::size_t at = wrapped(head_ + i);
    put(&times_[at], sizeof(Time));
    put(slot(at), out_.size());
  }
}

bool DelayLine::load(std::span<const std::byte> image) {
  std::uint64_t header[2];
  const std::size_t fixed = sizeof header + 2 * out_.size();
  if (image.size() < fixed) return false;
  std::memcpy(header, image.data(), sizeof header);
  const std::size_t each = sizeof(Time) + out_.size();
  if (header[1] > times_.size() || image.size() != fixed + header[1] * each) return false;
  pushed_ = header[0] != 0;
  head_ = 0;
  used_ = header[1];
  output_ = pushed_ && used_ == 0;
  std::memcpy(out_.data(), image.data() + sizeof header, out_.size());
  std::memcpy(last_.data(), image.data() + sizeof header + out_.size(), out_.size());
  const std::byte* from = image.data() + fixed;
  for (std::size_t i = 0; i < used_; ++i, from += each) {
    std::memcpy(&times_[i], from, sizeof(Time));
    std::memcpy(slot(i), from + sizeof(Time), out_.size());
  }
  return true;
}

}  // namespace vernier::executive::detail
