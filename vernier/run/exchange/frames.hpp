#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "vernier/base/codec.hpp"

/// Numbered frames in a stream of bytes between two nodes. Without sockets and clocks.
namespace vernier::exchange {

/// Before the content of each frame, little endian.
struct FrameHead {
  static constexpr std::size_t size = 16;

  std::uint32_t length = 0;  // of the frame with its head
  std::uint32_t epoch = 0;
  std::uint64_t number = 0;  // from zero in each epoch

  static FrameHead from(const std::byte*) noexcept;
  std::array<std::byte, size> bytes() const noexcept;
};

/// Bytes in the order in which they were added. Only reserve() allocates.
class ByteQueue {
 public:
  /// Memory for this many bytes; the content stays.
  void reserve(std::size_t capacity);
  std::size_t capacity() const noexcept { return capacity_; }

  bool empty() const noexcept { return begin_ == end_; }
  std::size_t size() const noexcept { return end_ - begin_; }
  /// Unused memory before the content.
  std::size_t dropped() const noexcept { return begin_; }
  Bytes content() const noexcept { return {memory_.get() + begin_, end_ - begin_}; }
  /// Free memory after the content.
  std::span<std::byte> room() noexcept { return {memory_.get() + end_, capacity_ - end_}; }
  void add(std::size_t count) noexcept { end_ += count; }
  void drop(std::size_t count) noexcept;
  void clear() noexcept { begin_ = end_ = 0; }
  /// Moves the content to the beginning, so that all free memory is after it.
  void compact() noexcept;

 private:
  std::unique_ptr<std::byte[]> memory_;
  std::size_t capacity_ = 0, begin_ = 0, end_ = 0;
};

/// What arrives from a peer: cuts it into frames and checks that each is the next one. Between two
/// calls of next(), while a frame is in use, it has room for two more of the largest size.
class Incoming {
 public:
  /// `none`: not complete yet. `later`: of a later epoch than this one; it stays for begin().
  /// `refused`: the peer does not keep to the protocol; why() tells how.
  enum class Next : std::uint8_t { frame, none, later, refused };

  void reserve(std::size_t largest_frame);
  void begin(std::uint32_t epoch) noexcept;
  /// As if nothing had arrived; within the same epoch.
  void clear() noexcept;

  /// Where to write what arrives; empty while there is no room.
  std::span<std::byte> room() noexcept;
  void add(std::size_t count) noexcept { queue_.add(count); }

  /// The content of the next frame, valid until the next call of next(), begin() or clear().
  Next next(Bytes& frame) noexcept;
  /// Whether the peer is in a later epoch, as far as can be seen from here.
  bool later() const noexcept;
  /// Static text; null: nothing was refused.
  const char* why() const noexcept { return why_; }

 private:
  bool drop_past() noexcept;
  void make_room() noexcept;
  Next refuse(const char* why) noexcept;

  ByteQueue queue_;
  std::size_t longest_ = FrameHead::size;  // with its head
  std::size_t held_ = 0;                   // bytes of the frame in use, which is the first
  std::uint32_t epoch_ = 0;
  std::uint64_t number_ = 0;  // of the next frame
  const char* why_ = nullptr;
};

/// What a peer has not taken yet.
class Outgoing {
 public:
  void reserve(std::size_t largest_frame);

  bool empty() const noexcept { return queue_.empty(); }
  bool has_room_for(std::size_t bytes) const noexcept {
    return queue_.capacity() - queue_.size() >= bytes;
  }
  /// Only if there is room.
  void add(Bytes) noexcept;
  Bytes content() const noexcept { return queue_.content(); }
  void drop(std::size_t count) noexcept { queue_.drop(count); }
  void clear() noexcept { queue_.clear(); }

 private:
  ByteQueue queue_;
};

}  // namespace vernier::exchange
