#pragma once

#include <algorithm>
#include <cstring>
#include <span>
#include <vector>

#include "vernier/gateway/federation/messages.hpp"

namespace vernier::federation {

/// The next whole frame at the beginning of `bytes`, which then begins behind it.
enum class Cut { frame, more, malformed };
inline Cut next_frame(Bytes& bytes, Bytes& frame, std::size_t longest = longest_frame) noexcept {
  Header h;
  if (bytes.size() < sizeof h) return Cut::more;
  std::memcpy(&h, bytes.data(), sizeof h);
  if (h.length < sizeof h || h.length > longest || h.flags != 0) return Cut::malformed;
  if (bytes.size() < h.length) return Cut::more;
  frame = bytes.first(h.length);
  bytes = bytes.subspan(h.length);
  return Cut::frame;
}

/// Bytes that came and are not frames yet. Grows with what comes, not with what was announced.
class Inbox {
 public:
  explicit Inbox(std::size_t size) : bytes_(size) {}

  Bytes content() const noexcept { return Bytes(bytes_).first(end_); }
  /// Where to read to.
  std::span<std::byte> room() {
    if (bytes_.size() - end_ < least) bytes_.resize(std::max(2 * bytes_.size(), end_ + least));
    return std::span(bytes_).subspan(end_);
  }
  void add(std::size_t count) noexcept { end_ += count; }
  /// Only these are left; they may be its own.
  void keep(Bytes rest) {
    if (bytes_.size() < rest.size()) bytes_.resize(rest.size());
    if (!rest.empty()) std::memmove(bytes_.data(), rest.data(), rest.size());
    end_ = rest.size();
  }
  /// Gives back what one long frame took.
  void shrink(std::size_t size) {
    if (bytes_.size() <= size || end_ > size) return;
    bytes_.resize(size);
    bytes_.shrink_to_fit();
  }

 private:
  static constexpr std::size_t least = 16u << 10;
  std::vector<std::byte> bytes_;
  std::size_t end_ = 0;
};

}  // namespace vernier::federation
