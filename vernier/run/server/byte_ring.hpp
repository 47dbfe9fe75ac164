#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstring>
#include <vector>

#include "vernier/base/codec.hpp"

namespace vernier::server {

/// Bytes on their way from one thread to another, which never wait for each other. What is written
/// at once is read at once, or not yet.
class ByteRing {
 public:
  /// Rounded up to a power of two.
  explicit ByteRing(std::size_t capacity) : bytes_(std::bit_ceil(capacity)) {}

  // -- the writer's side: allocates nothing ------------------------------------------------------

  /// False: there is no room.
  bool write(Bytes b) noexcept {
    const std::size_t written = written_.load(std::memory_order_relaxed);
    if (b.size() > bytes_.size() - (written - taken_.load(std::memory_order_acquire))) return false;
    const std::size_t at = written & (bytes_.size() - 1);
    const std::size_t first = std::min(b.size(), bytes_.size() - at);
    std::memcpy(bytes_.data() + at, b.data(), first);
    std::memcpy(bytes_.data(), b.data() + first, b.size() - first);
    written_.store(written + b.size(), std::memory_order_release);
    return true;
  }

  // -- the reader's side -------------------------------------------------------------------------

  /// Appends everything that is there. False: nothing.
  bool take(std::vector<std::byte>& to) {
    const std::size_t taken = taken_.load(std::memory_order_relaxed);
    const std::size_t count = written_.load(std::memory_order_acquire) - taken;
    if (count == 0) return false;
    const std::size_t at = taken & (bytes_.size() - 1);
    const std::size_t first = std::min(count, bytes_.size() - at);
    const auto from = bytes_.begin() + static_cast<std::ptrdiff_t>(at);
    to.insert(to.end(), from, from + static_cast<std::ptrdiff_t>(first));
    to.insert(to.end(), bytes_.begin(),
              bytes_.begin() + static_cast<std::ptrdiff_t>(count - first));
    taken_.store(taken + count, std::memory_order_release);
    return true;
  }

 private:
  std::vector<std::byte> bytes_;
  alignas(64) std::atomic<std::size_t> written_{0};
  alignas(64) std::atomic<std::size_t> taken_{0};
};

}  // namespace vernier::server
