#include "vernier/run/exchange/frames.hpp"

#include <algorithm>
#include <cstring>

#include "vernier/base/require.hpp"

namespace vernier::exchange {
namespace {

// small frames are read many at a time
constexpr std::size_t least_memory = std::size_t{64} << 10;

}  // namespace

FrameHead FrameHead::from(const std::byte* at) noexcept {
  return {load<std::uint32_t>(at), load<std::uint32_t>(at + 4), load<std::uint64_t>(at + 8)};
}

std::array<std::byte, FrameHead::size> FrameHead::bytes() const noexcept {
  std::array<std::byte, size> all;
  store(all.data(), length);
  store(all.data() + 4, epoch);
  store(all.data() + 8, number);
  return all;
}

void ByteQueue::reserve(std::size_t capacity) {
  if (capacity <= capacity_) return;
  // not initialized: pages that are never used take no memory
  auto memory = std::make_unique_for_overwrite<std::byte[]>(capacity);
  if (!empty()) std::memcpy(memory.get(), memory_.get() + begin_, size());
  memory_ = std::move(memory);
  capacity_ = capacity;
  end_ -= begin_;
  begin_ = 0;
}

void ByteQueue::drop(std::size_t count) noexcept {
  begin_ += count;
  if (begin_ == end_) clear();
}

void ByteQueue::compact() noexcept {
  if (begin_ == 0) return;
  std::memmove(memory_.get(), memory_.get() + begin_, size());
  end_ -= begin_;
  begin_ = 0;
}

void Incoming::reserve(std::size_t largest_frame) {
  longest_ = std::max(longest_, FrameHead::size + largest_frame);
  queue_.reserve(std::max(4 * longest_, least_memory));
}

void Incoming::begin(std::uint32_t epoch) noexcept {
  queue_.drop(held_);
  held_ = 0;
  epoch_ = epoch;
  number_ = 0;
  while (drop_past()) {
  }
}

void Incoming::clear() noexcept {
  queue_.clear();
  held_ = 0;
  number_ = 0;
  why_ = nullptr;
}

std::span<std::byte> Incoming::room() noexcept {
  if (held_ == 0) {
    while (drop_past()) {
    }
    make_room();
  }
  return queue_.room();
}

/// Moves at most as many bytes as were dropped since the last time.
void Incoming::make_room() noexcept {
  if (queue_.room().size() < 3 * longest_ && queue_.dropped() >= queue_.size()) queue_.compact();
}

/// Removes a complete frame of an earlier epoch from the beginning.
bool Incoming::drop_past() noexcept {
  const Bytes all = queue_.content();
  if (all.size() < FrameHead::size) return false;
  const FrameHead head = FrameHead::from(all.data());
  if (head.epoch >= epoch_ || head.length < FrameHead::size ||
      head.length > std::min(longest_, all.size()))
    return false;
  queue_.drop(head.length);
  return true;
}

bool Incoming::later() const noexcept {
  const Bytes all = queue_.content().subspan(held_);
  return all.size() >= FrameHead::size && FrameHead::from(all.data()).epoch > epoch_;
}

Incoming::Next Incoming::refuse(const char* why) noexcept {
  why_ = why;
  return Next::refused;
}

Incoming::Next Incoming::next(Bytes& frame) noexcept {
  if (why_) return Next::refused;
  queue_.drop(held_);
  held_ = 0;
  while (drop_past()) {
  }
  make_room();
  const Bytes all = queue_.content();
  if (all.size() < FrameHead::size) return Next::none;
  const FrameHead head = FrameHead::from(all.data());
  if (head.length < FrameHead::size) return refuse("it sent what is not a frame");
  // a later epoch may agree on longer frames
  if (head.epoch > epoch_) return Next::later;
  if (head.length > longest_) return refuse("it sent a frame that is longer than agreed");
  if (head.epoch == epoch_ && head.number < number_) return refuse("it sent a frame twice");
  if (head.epoch == epoch_ && head.number > number_) return refuse("a frame is missing");
  if (all.size() < head.length) return Next::none;
  ++number_;
  held_ = head.length;
  frame = all.first(head.length).subspan(FrameHead::size);
  return Next::frame;
}

void Outgoing::reserve(std::size_t largest_frame) {
  queue_.reserve(std::max(2 * (FrameHead::size + largest_frame), least_memory));
}

void Outgoing::add(Bytes bytes) noexcept {
  require(has_room_for(bytes.size()));
  if (bytes.empty()) return;
  if (queue_.room().size() < bytes.size()) queue_.compact();
  std::memcpy(queue_.room().data(), bytes.data(), bytes.size());
  queue_.add(bytes.size());
}

}  // namespace vernier::exchange
