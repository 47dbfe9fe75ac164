#pragma once

#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <span>

/// Mailboxes between one writer and one reader, in the same process or in two that share memory.
/// Wait-free: neither side ever waits for the other, allocates or makes a system call. They use
/// memory of the caller, which must be aligned to mailbox_line. Data that the other side may have
/// damaged is never used to address memory.
namespace vernier {

constexpr std::size_t mailbox_line = 64;  // bytes of a cache line

/// Keeps every message in order until it is taken; when it is full, the writer is told and decides.
/// Both sides may use one object, or each its own object over the same memory.
template <template <class> class Atomic = std::atomic>
class BasicQueue {
 public:
  /// Bytes that a queue of `capacity` messages needs; capacity is rounded up to a power of two.
  static constexpr std::size_t bytes(std::size_t message_bytes, std::size_t capacity) noexcept {
    return sizeof(Ends) + stride(message_bytes) * std::bit_ceil(capacity);
  }

  BasicQueue() = default;
  /// A queue over memory of bytes(message_bytes, capacity); both sides must use the same numbers.
  BasicQueue(std::span<std::byte> memory, std::size_t message_bytes, std::size_t capacity) noexcept
      : ends_(reinterpret_cast<Ends*>(memory.data())),
        messages_(memory.data() + sizeof(Ends)),
        stride_(stride(message_bytes)),
        mask_(std::bit_ceil(capacity) - 1) {}
  /// Empties it; before the first use, by one side alone.
  void clear() noexcept { new (ends_) Ends(); }

  // -- the writer's side --

  /// Where to write the next message; null when the queue is full. Visible to the reader after
  /// push().
  std::byte* next() noexcept {
    const std::uint64_t head = ends_->head.load(std::memory_order_relaxed);
    if (head - known_tail_ > mask_) {
      known_tail_ = ends_->tail.load(std::memory_order_acquire);
      if (head - known_tail_ > mask_) return nullptr;
    }
    return message(head);
  }
  void push() noexcept {
    ends_->head.store(ends_->head.load(std::memory_order_relaxed) + 1, std::memory_order_release);
  }
  /// Messages that are certain to fit now.
  std::size_t room() noexcept {
    known_tail_ = ends_->tail.load(std::memory_order_acquire);
    const std::uint64_t used = ends_->head.load(std::memory_order_relaxed) - known_tail_;
    return used > mask_ + 1 ? 0 : static_cast<std::size_t>(mask_ + 1 - used);
  }

  // -- the reader's side --

  /// The oldest message; null when there is none. Its memory returns to the writer after pop().
  const std::byte* front() noexcept {
    const std::uint64_t tail = ends_->tail.load(std::memory_order_relaxed);
    if (tail == known_head_) {
      known_head_ = ends_->head.load(std::memory_order_acquire);
      if (tail == known_head_) return nullptr;
    }
    return message(tail);
  }
  void pop() noexcept {
    ends_->tail.store(ends_->tail.load(std::memory_order_relaxed) + 1, std::memory_order_release);
  }

  std::size_t capacity() const noexcept { return static_cast<std::size_t>(mask_ + 1); }

 private:
  struct Ends {
    alignas(mailbox_line) Atomic<std::uint64_t> head{0};
    alignas(mailbox_line) Atomic<std::uint64_t> tail{0};
  };
  static constexpr std::size_t stride(std::size_t bytes) noexcept { return (bytes + 7) / 8 * 8; }
  std::byte* message(std::uint64_t n) const noexcept { return messages_ + (n & mask_) * stride_; }

  Ends* ends_ = nullptr;
  std::byte* messages_ = nullptr;
  std::size_t stride_ = 0;
  std::uint64_t mask_ = 0;
  alignas(mailbox_line) std::uint64_t known_tail_ = 0;  // the writer's
  alignas(mailbox_line) std::uint64_t known_head_ = 0;  // the reader's
};

/// Keeps only the newest message: a new one replaces one that was not taken. Reading without a new
/// one returns the last again and says so. A triple buffer.
template <template <class> class Atomic = std::atomic>
class BasicLatest {
 public:
  static constexpr std::size_t bytes(std::size_t message_bytes) noexcept {
    return sizeof(Hands) + 3 * stride(message_bytes);
  }

  BasicLatest() = default;
  /// Over memory of bytes(message_bytes); both sides must use the same number.
  BasicLatest(std::span<std::byte> memory, std::size_t message_bytes) noexcept
      : hands_(reinterpret_cast<Hands*>(memory.data())),
        messages_(memory.data() + sizeof(Hands)),
        stride_(stride(message_bytes)) {}
  /// Nothing is written yet, and the message to read until then is all zero; before the first use,
  /// by one side alone.
  void clear() noexcept {
    new (hands_) Hands();
    std::memset(messages_, 0, 3 * stride_);
  }

  /// Restarts a side whose predecessor may have been killed at any point: it takes the buffer that
  /// no other side has. Before its first use; the other side may continue meanwhile. False when the
  /// other side was also interrupted between two of its accesses, or the memory is damaged.
  bool resume_writer() noexcept { return resume(hands_->writer, hands_->reader); }
  bool resume_reader() noexcept { return resume(hands_->reader, hands_->writer); }

  // -- the writer's side --

  /// Where to write the next message; visible to the reader after write().
  std::byte* next() noexcept { return message(hands_->writer.load(std::memory_order_relaxed)); }
  void write() noexcept {
    const std::uint32_t mine = hands_->writer.load(std::memory_order_relaxed) & slot;
    const std::uint32_t back = hands_->middle.exchange(mine | fresh, std::memory_order_acq_rel);
    hands_->writer.store(back & slot, std::memory_order_relaxed);
  }

  // -- the reader's side --

  /// True if there is a new message: takes the newest. It is at front().
  bool read() noexcept {
    if (!(hands_->middle.load(std::memory_order_relaxed) & fresh)) return false;
    const std::uint32_t mine = hands_->reader.load(std::memory_order_relaxed) & slot;
    const std::uint32_t back = hands_->middle.exchange(mine, std::memory_order_acq_rel);
    hands_->reader.store(back & slot, std::memory_order_relaxed);
    return true;
  }
  /// The message taken last; all zero before the first.
  const std::byte* front() const noexcept {
    return message(hands_->reader.load(std::memory_order_relaxed));
  }

 private:
  static constexpr std::uint32_t slot = 3, fresh = 4;

  bool resume(Atomic<std::uint32_t>& mine, Atomic<std::uint32_t>& others) noexcept {
    // The other side exchanges only its own buffer with the middle one, so the third is free.
    // During that exchange the two seem to be one.
    for (int k = 0; k < 1'000'000; ++k) {
      const std::uint32_t middle = hands_->middle.load(std::memory_order_acquire) & slot;
      const std::uint32_t theirs = others.load(std::memory_order_acquire) & slot;
      if (middle > 2 || theirs > 2) return false;
      if (middle == theirs) continue;
      mine.store(3 - middle - theirs, std::memory_order_relaxed);
      return true;
    }
    return false;
  }

  // Each of the three buffers has one of three owners: the writer, the reader, or the middle, where
  // they are exchanged. The owners are recorded in the shared memory, so that a side that restarts
  // continues with its own.
  struct Hands {
    alignas(mailbox_line) Atomic<std::uint32_t> writer{0};
    alignas(mailbox_line) Atomic<std::uint32_t> middle{1};
    alignas(mailbox_line) Atomic<std::uint32_t> reader{2};
  };
  static constexpr std::size_t stride(std::size_t bytes) noexcept {
    return (bytes + mailbox_line - 1) / mailbox_line * mailbox_line;
  }
  std::byte* message(std::uint32_t n) const noexcept {
    // 3 can only come from a damaged word
    return messages_ + ((n & slot) % 3) * stride_;
  }

  Hands* hands_ = nullptr;
  std::byte* messages_ = nullptr;
  std::size_t stride_ = 0;
};

using Queue = BasicQueue<>;
using Latest = BasicLatest<>;

/// Memory for mailboxes between the threads of one process.
class MailboxMemory {
 public:
  explicit MailboxMemory(std::size_t bytes)
      : content_(static_cast<std::byte*>(::operator new (bytes, std::align_val_t{mailbox_line}))),
        bytes_(bytes) {}
  std::span<std::byte> span() const noexcept { return {content_.get(), bytes_}; }

 private:
  struct Delete {
    void operator()(std::byte* p) const noexcept {
      ::operator delete (p, std::align_val_t{mailbox_line});
    }
  };
  std::unique_ptr<std::byte, Delete> content_;
  std::size_t bytes_;
};

/// A mailbox with its memory.
class OwnedQueue : private MailboxMemory, public Queue {
 public:
  OwnedQueue(std::size_t message_bytes, std::size_t capacity)
      : MailboxMemory(Queue::bytes(message_bytes, capacity)),
        Queue(span(), message_bytes, capacity) {
    clear();
  }
};
class OwnedLatest : private MailboxMemory, public Latest {
 public:
  explicit OwnedLatest(std::size_t message_bytes)
      : MailboxMemory(Latest::bytes(message_bytes)), Latest(span(), message_bytes) {
    clear();
  }
};

}  // namespace vernier
