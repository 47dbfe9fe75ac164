#include "vernier/component/stream.hpp"

#include <algorithm>
#include <cstring>

#include "vernier/base/require.hpp"

namespace vernier {

Stream::Stream(std::uint32_t capacity, std::uint32_t message_bytes)
    : capacity_(capacity),
      message_bytes_(message_bytes),
      slots_(capacity),
      content_(std::size_t{capacity} * message_bytes) {
  require(capacity > 0);
}

bool Stream::push(Time stamp, std::span<const std::byte> message) noexcept {
  if (message.size() > message_bytes_) return false;
  const std::size_t slot = pushed_ % capacity_;
  slots_[slot] = {stamp, static_cast<std::uint32_t>(message.size())};
  std::copy(message.begin(), message.end(),
            content_.begin() + static_cast<std::ptrdiff_t>(slot * message_bytes_));
  ++pushed_;
  return true;
}

std::uint64_t Stream::oldest() const noexcept {
  return pushed_ > capacity_ ? pushed_ - capacity_ : 0;
}

Message Stream::at(std::uint64_t n) const noexcept {
  const std::size_t slot = n % capacity_;
  return {slots_[slot].stamp, {content_.data() + slot * message_bytes_, slots_[slot].size}};
}

std::size_t Stream::state_bytes() const noexcept {
  return 2 * sizeof(std::uint64_t) + slots_.size() * sizeof(Slot) + content_.size();
}

void Stream::save(std::span<std::byte> image) const noexcept {
  require(image.size() == state_bytes());
  std::byte* to = image.data();
  std::memcpy(to, &pushed_, sizeof pushed_);
  std::memcpy(to += sizeof pushed_, &visible_, sizeof visible_);
  to += sizeof visible_;
  for (const Slot& s : slots_) {  // field by field: padding is undefined
    std::memset(to, 0, sizeof s);
    std::memcpy(to, &s.stamp, sizeof s.stamp);
    std::memcpy(to + sizeof s.stamp, &s.size, sizeof s.size);
    to += sizeof s;
  }
  std::copy(content_.begin(), content_.end(), to);
}

void Stream::load(std::span<const std::byte> image) noexcept {
  require(image.size() == state_bytes());
  const std::byte* from = image.data();
  std::memcpy(&pushed_, from, sizeof pushed_);
  std::memcpy(&visible_, from += sizeof pushed_, sizeof visible_);
  from += sizeof visible_;
  for (Slot& s : slots_) {
    std::memcpy(&s.stamp, from, sizeof s.stamp);
    std::memcpy(&s.size, from + sizeof s.stamp, sizeof s.size);
    s.size = std::min(s.size, message_bytes_);
    from += sizeof s;
  }
  std::copy_n(from, content_.size(), content_.begin());
}

bool StreamReader::pop(Message& message) noexcept {
  if (!stream_ || next_ >= stream_->visible()) return false;
  const std::uint64_t oldest = stream_->oldest();
  if (next_ < oldest) {
    lost_ += oldest - next_;
    next_ = oldest;
    if (next_ >= stream_->visible()) return false;
  }
  message = stream_->at(next_++);
  return true;
}

}  // namespace vernier
