#pragma once

#include <cstdint>
#include <vector>

#include "vernier/gateway/link/frame.hpp"
#include "vernier/net/loop.hpp"
#include "vernier/net/stream.hpp"

namespace vernier::link {

/// One of the two connections: a socket, what comes in cut into frames, and what has not gone out
/// yet. Nothing here waits.
class FramedStream {
 public:
  /// `largest` payload in, `backlog` bytes out.
  FramedStream(std::size_t largest, std::size_t backlog) : reader_(largest), out_(backlog) {}

  ~FramedStream() { close(false); }
  FramedStream(const FramedStream&) = delete;
  FramedStream& operator=(const FramedStream&) = delete;

  void open(net::Stream) noexcept;
  /// `reset`: the port is free at once and nothing more is sent; for a peer that is gone.
  void close(bool reset) noexcept;
  bool is_open() const noexcept { return static_cast<bool>(stream_); }
  net::Stream& stream() noexcept { return stream_; }
  /// The loop tells what comes on it, and when it can send on if it `sends`. Until it is closed or
  /// another's.
  void watch(net::Loop&, net::Loop::Key, bool sends) noexcept;
  FrameReader& reader() noexcept { return reader_; }
  /// Takes over another's connection, with what came behind the frames that it read.
  void adopt(FramedStream& other) noexcept;

  enum class Reading : std::uint8_t { some, nothing, closed };
  /// Reads once what there is.
  Reading read() noexcept;

  /// True when a frame of `bytes` can be put; for vectors, `empty()` is asked instead.
  bool fits(std::size_t bytes) const noexcept { return out_.size() - end_ >= bytes; }
  /// Nothing waits here or in the kernel for being sent.
  bool empty() const noexcept;
  /// Writes a frame and sends what can be sent; false when it does not fit.
  bool put(const Header&, std::span<const std::byte> payload) noexcept;
  /// Sends on; false when the connection is lost.
  bool flush() noexcept;
  bool waits_to_send() const noexcept { return end_ > begin_; }

  std::int64_t partial_since = 0;  // when an incomplete frame began; 0: none is there

 private:
  void forget() noexcept;

  net::Stream stream_;
  net::Loop* loop_ = nullptr;  // that watches it,
  std::uint32_t watched_ = 0;  // and for what
  FrameReader reader_;
  std::vector<std::byte> out_;
  std::size_t begin_ = 0, end_ = 0;
};

}  // namespace vernier::link
