#pragma once

#include <atomic>
#include <bit>
#include <cstddef>
#include <memory>
#include <new>

namespace vernier::record {

/// A bounded queue of rows of equal size between one writer and one reader. Memory is taken when it
/// is made; neither side ever waits for the other.
class RowQueue {
 public:
  RowQueue(std::size_t row_bytes, std::size_t capacity)
      : stride_((row_bytes + 7) / 8 * 8),
        mask_(std::bit_ceil(capacity) - 1),
        rows_(std::make_unique<std::byte[]>(stride_ * (mask_ + 1))) {}

  // -- the writer's side --

  /// Where the next row goes; null when the queue is full. Visible to the reader after push().
  std::byte* next() noexcept {
    const std::size_t head = head_.load(std::memory_order_relaxed);
    if (head - known_tail_ > mask_) {
      known_tail_ = tail_.load(std::memory_order_acquire);
      if (head - known_tail_ > mask_) return nullptr;
    }
    return row(head);
  }
  void push() noexcept {
    head_.store(head_.load(std::memory_order_relaxed) + 1, std::memory_order_release);
  }
  /// Rows that surely fit now.
  std::size_t room() noexcept {
    known_tail_ = tail_.load(std::memory_order_acquire);
    return mask_ + 1 - (head_.load(std::memory_order_relaxed) - known_tail_);
  }

  // -- the reader's side --

  /// The oldest row; null when there is none. Its memory is the writer's again after pop().
  const std::byte* front() noexcept {
    const std::size_t tail = tail_.load(std::memory_order_relaxed);
    if (tail == known_head_) {
      known_head_ = head_.load(std::memory_order_acquire);
      if (tail == known_head_) return nullptr;
    }
    return row(tail);
  }
  void pop() noexcept {
    tail_.store(tail_.load(std::memory_order_relaxed) + 1, std::memory_order_release);
  }

  std::size_t capacity() const noexcept { return mask_ + 1; }

 private:
  std::byte* row(std::size_t n) const noexcept { return rows_.get() + (n & mask_) * stride_; }

  static constexpr std::size_t line = 64;  // bytes that two processors share only as a whole

  std::size_t stride_, mask_;
  std::unique_ptr<std::byte[]> rows_;
  alignas(line) std::atomic<std::size_t> head_{0};
  std::size_t known_tail_ = 0;
  alignas(line) std::atomic<std::size_t> tail_{0};
  std::size_t known_head_ = 0;
};

}  // namespace vernier::record
