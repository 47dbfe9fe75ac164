#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <span>
#include <vector>

#include "vernier/base/codec.hpp"

namespace vernier::server {

/// Bytes on their way from one connection to another: so many at most.
class Passage {
 public:
  static constexpr std::size_t size = 256u << 10;

  Passage() : bytes_(size) {}
  bool empty() const noexcept { return begin_ == end_; }
  Bytes content() const noexcept { return Bytes(bytes_).subspan(begin_, end_ - begin_); }
  void drop(std::size_t count) noexcept {
    begin_ += count;
    if (begin_ == end_) begin_ = end_ = 0;
  }
  /// Empty: it is full.
  std::span<std::byte> room() noexcept {
    if (begin_ >= size / 2 && end_ == size) {  // not for every few bytes that leave
      std::memmove(bytes_.data(), bytes_.data() + begin_, end_ - begin_);
      end_ -= begin_;
      begin_ = 0;
    }
    return std::span(bytes_).subspan(end_);
  }
  void add(std::size_t count) noexcept { end_ += count; }
  /// False: there is no room.
  bool add(Bytes all) noexcept {
    const std::span<std::byte> to = room();
    if (to.size() < all.size()) return false;
    std::ranges::copy(all, to.begin());
    add(all.size());
    return true;
  }

 private:
  std::vector<std::byte> bytes_;
  std::size_t begin_ = 0, end_ = 0;
};

/// Where the frames of a stream of bytes begin, which may come in any pieces.
class FrameEdges {
 public:
  /// The next byte is the first of a frame.
  bool at_edge() const noexcept { return !lost_ && got_ == 0 && left_ == 0; }
  /// So many bytes may follow without passing an edge; never 0.
  std::size_t within() const noexcept {
    if (lost_) return static_cast<std::size_t>(-1);
    return left_ > 0 ? left_ : length_.size() - got_;
  }
  /// What is no frame: there are no edges any more.
  bool lost() const noexcept { return lost_; }

  void pass(Bytes bytes) noexcept {
    while (!bytes.empty() && !lost_) {
      const std::size_t n = std::min(bytes.size(), within());
      if (left_ > 0) {
        left_ -= n;
      } else {
        std::copy_n(bytes.begin(), n, length_.begin() + static_cast<std::ptrdiff_t>(got_));
        got_ += n;
        if (got_ == length_.size()) begin();
      }
      bytes = bytes.subspan(n);
    }
  }

 private:
  void begin() noexcept {
    const auto length = load<std::uint32_t>(length_.data());
    got_ = 0;
    lost_ = length < 2 * length_.size();
    left_ = lost_ ? 0 : length - length_.size();
  }

  std::array<std::byte, 4> length_{};
  std::size_t got_ = 0, left_ = 0;
  bool lost_ = false;
};

}  // namespace vernier::server
