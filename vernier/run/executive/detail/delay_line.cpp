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
  }
}

void DelayLine::push(Time now) noexcept {
  if (pushed_ && std::memcmp(last_.data(), source_, last_.size()) == 0) return;
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

Time DelayLine::next_arrival() const noexcept {
  return used_ > 0 ? times_[head_] + delay_ : Time::max();
}

void DelayLine::reset() noexcept {
  std::copy(initial_.begin(), initial_.end(), out_.begin());
  head_ = used_ = 0;
  pushed_ = false;
}

// image: pushed_, used_, out_, last_, then time and value of each pending change
std::vector<std::byte> DelayLine::save() const {
  std::vector<std::byte> image;
  const auto put = [&image](const void* from, std::size_t bytes) {
    const auto* b = static_cast<const std::byte*>(from);
    image.insert(image.end(), b, b + bytes);
  };
  const std::uint64_t header[] = {pushed_, used_};
  put(header, sizeof header);
  put(out_.data(), out_.size());
  put(last_.data(), last_.size());
  for (std::size_t i = 0; i < used_; ++i) {
    const std::size_t at = wrapped(head_ + i);
    put(&times_[at], sizeof(Time));
    put(slot(at), out_.size());
  }
  return image;
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
