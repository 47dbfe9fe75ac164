#pragma once

#include <sys/uio.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <deque>
#include <memory>
#include <utility>
#include <vector>

#include "vernier/base/codec.hpp"
#include "vernier/net/stream.hpp"

namespace vernier::net {

/// Shared bytes: written once, sent to many.
using SharedBytes = std::shared_ptr<const std::vector<std::byte>>;

/// Reusable memory for outgoing data.
class Chunks {
 public:
  static constexpr std::size_t size = 32u << 10;
  static constexpr std::size_t most_free = 512;  // enough for a step of some hundred federates
  using Chunk = std::unique_ptr<std::byte[]>;

  Chunk take() {
    if (free_.empty()) return Chunk(new std::byte[size]);
    Chunk c = std::move(free_.back());
    free_.pop_back();
    return c;
  }
  void give(Chunk c) {
    if (free_.size() < most_free) free_.push_back(std::move(c));
  }

 private:
  std::vector<Chunk> free_;
};

/// Data waiting to be written to one stream, in order. Small frames are copied together, so that
/// many are sent in few pieces; large ones are shared with other outboxes. It has no limit: the
/// caller checks size() and stops its sources in time.
class Outbox {
 public:
  explicit Outbox(Chunks& chunks) noexcept : chunks_(chunks) {}

  std::size_t size() const noexcept { return size_; }

  void put(const SharedBytes& f) {
    if (f->size() <= small) return put(Bytes(*f));
    pieces_.push_back({{}, f, f->size()});
    size_ += f->size();
  }
  void put(Bytes bytes) {
    size_ += bytes.size();
    while (!bytes.empty()) {
      if (pieces_.empty() || !pieces_.back().chunk || pieces_.back().size == Chunks::size)
        pieces_.emplace_back().chunk = chunks_.take();
      Piece& last = pieces_.back();
      const std::size_t n = std::min(bytes.size(), Chunks::size - last.size);
      std::memcpy(last.chunk.get() + last.size, bytes.data(), n);
      last.size += n;
      bytes = bytes.subspan(n);
    }
  }

  /// Writes as much as the stream accepts. Done: everything.
  Stream::State write(Stream& stream) {
    while (size_ > 0) {
      std::array<iovec, 16> parts;
      std::size_t n = 0;
      for (auto p = pieces_.begin(); p != pieces_.end() && n < parts.size(); ++p, ++n) {
        const std::byte* from = p->chunk ? p->chunk.get() : p->shared->data();
        const std::size_t skip = n == 0 ? begin_ : 0;
        parts[n] = {const_cast<std::byte*>(from) + skip, p->size - skip};
      }
      const Stream::Moved m = stream.write(std::span<const iovec>(parts.data(), n));
      if (m.state != Stream::State::done) return m.state;
      drop(m.bytes);
    }
    return Stream::State::done;
  }

 private:
  struct Piece {
    Chunks::Chunk chunk;
    SharedBytes shared;
    std::size_t size = 0;
  };
  static constexpr std::size_t small = 2048;

  void drop(std::size_t bytes) {
    size_ -= bytes;
    begin_ += bytes;
    while (!pieces_.empty() && begin_ >= pieces_.front().size) {
      begin_ -= pieces_.front().size;
      if (pieces_.front().chunk) chunks_.give(std::move(pieces_.front().chunk));
      pieces_.pop_front();
    }
  }

  Chunks& chunks_;
  std::deque<Piece> pieces_;
  std::size_t begin_ = 0;  // bytes of the first piece already written
  std::size_t size_ = 0;
};

}  // namespace vernier::net
