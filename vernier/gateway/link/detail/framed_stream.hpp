#pragma once

#include <cstdint>
#include <vector>

#include "vernier/gateway/link/frame.hpp"
#include "vernier/net/loop.hpp"
#include "vernier/net/stream.hpp"

namespace vernier::link {

/// One of the two connections: a socket, input split into frames, and output not yet sent. Nothing
/// here blocks.
class FramedStream {
 public:
  /// `largest`: incoming payload; `backlog`: outgoing bytes.
  FramedStream(std::size_t largest, std::size_t backlog) : reader_(largest), out_(backlog) {}

  ~FramedStream() { close(false); }
  FramedStream(const FramedStream&) = delete;
  FramedStream& operator=(const FramedStream&) = delete;

  void open(net::Stream) noexcept;
  /// `reset`: frees the port at once and sends nothing more; for a peer that is gone.
  void close(bool reset) noexcept;
  bool is_open() const noexcept { return static_cast<bool>(stream_); }
  net::Stream& stream() noexcept { return stream_; }
  /// The loop reports input and, if `sends`, when output is possible. Lasts until the stream is
  /// closed or moved.
  void watch(net::Loop&, net::Loop::Key, bool sends) noexcept;
  FrameReader& reader() noexcept { return reader_; }
  /// Takes over another's connection, including input after the frames that it has read.
  void adopt(FramedStream& other) noexcept;

  enum class Reading : std::uint8_t { some, nothing, closed };
  /// Reads once what is available.
  Reading read() noexcept;

  /// Whether a frame of `bytes` fits; for vectors, check `empty()` instead.
  bool fits(std::size_t bytes) const noexcept { return out_.size() - end_ >= bytes; }
  /// Nothing is waiting to be sent, here or in the kernel.
  bool empty() const noexcept;
  /// Writes a frame and sends what is possible; false when it does not fit.
  bool put(const Header&, std::span<const std::byte> payload) noexcept;
  /// Continues to send; false when the connection is lost.
  bool flush() noexcept;
  bool waits_to_send() const noexcept { return end_ > begin_; }

  std::int64_t partial_since = 0;  // when an incomplete frame began; 0: none

 private:
  void forget() noexcept;

  net::Stream stream_;
  net::Loop* loop_ = nullptr;  // the loop that monitors it
  std::uint32_t watched_ = 0;  // and the events monitored
  FrameReader reader_;
  std::vector<std::byte> out_;
  std::size_t begin_ = 0, end_ = 0;
};

}  // namespace vernier::link
