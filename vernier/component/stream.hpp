#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "vernier/base/time.hpp"

namespace vernier {

/// One message of a stream; `content` points into the stream and is valid until the next publish().
struct Message {
  Time stamp;
  std::span<const std::byte> content;
};

/// The queue of a stream output. Bounded: when it is full the oldest message is dropped, and
/// readers that had not taken it count it as lost. Pushing never waits and never allocates.
/// Messages become visible to readers at publish(), which the executive calls between the phases of
/// a tick, so that the order of calls within a phase does not matter.
class Stream {
 public:
  Stream(std::uint32_t capacity, std::uint32_t message_bytes);

  /// False (and nothing stored) when the message is larger than message_bytes.
  bool push(Time stamp, std::span<const std::byte>) noexcept;
  void publish() noexcept { visible_ = pushed_; }

  std::uint64_t pushed() const noexcept { return pushed_; }
  std::uint64_t visible() const noexcept { return visible_; }
  /// Message number `n`; the caller checks oldest() <= n < visible().
  Message at(std::uint64_t n) const noexcept;
  std::uint64_t oldest() const noexcept;

  std::size_t state_bytes() const noexcept;
  void save(std::span<std::byte>) const noexcept;
  void load(std::span<const std::byte>) noexcept;

 private:
  struct Slot {
    Time stamp;
    std::uint32_t size = 0;
  };
  std::uint32_t capacity_, message_bytes_;
  std::vector<Slot> slots_;
  std::vector<std::byte> content_;
  std::uint64_t pushed_ = 0, visible_ = 0;
};

/// One consumer's position in the streams connected to one input (none: always empty). The
/// executive saves it.
class StreamReader {
 public:
  void connect(const Stream* s) noexcept { stream_ = s; }
  /// The next message, oldest first; false when there is none.
  bool pop(Message&) noexcept;
  std::uint64_t lost() const noexcept { return lost_; }

  struct Position {
    std::uint64_t next = 0, lost = 0;
  };
  Position position() const noexcept { return {next_, lost_}; }
  void seek(Position p) noexcept { next_ = p.next, lost_ = p.lost; }

 private:
  const Stream* stream_ = nullptr;
  std::uint64_t next_ = 0, lost_ = 0;
};

}  // namespace vernier
