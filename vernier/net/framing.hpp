#pragma once

#include <algorithm>
#include <cstring>
#include <span>
#include <vector>

#include "vernier/base/codec.hpp"

/// Splits byte streams into frames, each of which begins with its length.
namespace vernier::net {

enum class Cut { frame, more, malformed };
/// Removes the next complete frame from the beginning of `bytes`. The first four bytes are the
/// length of the whole frame, little endian, from `least` (at least 4) to `longest`; another length
/// is refused as soon as it has been received.
inline Cut next_frame(Bytes& bytes, Bytes& frame, std::size_t least, std::size_t longest) noexcept {
  if (bytes.size() < sizeof(std::uint32_t)) return Cut::more;
  const auto length = load<std::uint32_t>(bytes.data());
  if (length < least || length > longest) return Cut::malformed;
  if (bytes.size() < length) return Cut::more;
  frame = bytes.first(length);
  bytes = bytes.subspan(length);
  return Cut::frame;
}

/// Received bytes that are not complete frames yet. Grows with the bytes received, not with the
/// announced length.
class Inbox {
 public:
  explicit Inbox(std::size_t size) : bytes_(size) {}

  Bytes content() const noexcept { return Bytes(bytes_).first(end_); }
  /// The buffer to read into.
  std::span<std::byte> room() {
    if (bytes_.size() - end_ < least) bytes_.resize(std::max(2 * bytes_.size(), end_ + least));
    return std::span(bytes_).subspan(end_);
  }
  void add(std::size_t count) noexcept { end_ += count; }
  /// Keeps only these bytes, which may be part of its own content.
  void keep(Bytes rest) {
    if (bytes_.size() < rest.size()) bytes_.resize(rest.size());
    if (!rest.empty()) std::memmove(bytes_.data(), rest.data(), rest.size());
    end_ = rest.size();
  }
  /// Frees the memory of one long frame.
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

}  // namespace vernier::net
