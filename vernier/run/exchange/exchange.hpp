#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

#include "vernier/base/codec.hpp"

namespace vernier::exchange {

/// What became of a wait for a frame. `lost`: the peer is gone, or sent what it must not send; see
/// Exchange::why(). `left`: it is already in a later epoch. `interrupted`: by interrupt().
enum class Received : std::uint8_t { frame, lost, left, interrupted, late };

/// Frames between the nodes of a run, each numbered from zero. What one node sends to another
/// arrives once, in order, and within the epoch in which it was sent: after a return to an earlier
/// state all nodes begin a new epoch, and what is still under way from the past is dropped.
///
/// One thread of the node calls all members except interrupt(). send() and receive() are for the
/// loop: after start they do not allocate (except where an implementation says so), lock or throw.
class Exchange {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr std::size_t longest_frame = std::size_t{64} << 20;

  virtual ~Exchange() = default;
  Exchange() = default;
  Exchange(const Exchange&) = delete;
  Exchange& operator=(const Exchange&) = delete;

  virtual std::uint32_t nodes() const noexcept = 0;
  virtual std::uint32_t self() const noexcept = 0;

  /// Prepares for frames of at most this size, from and to every peer. Before the loop.
  virtual void reserve(std::size_t largest_frame) = 0;

  /// Sends a frame, which is copied. Does not wait for the peer to read, except when much is
  /// waiting; it then takes in what arrives meanwhile, so that two nodes never wait for each other.
  /// False: the peer is lost, or interrupted.
  virtual bool send(std::uint32_t peer, Bytes frame) noexcept = 0;

  /// The next frame of a peer. `frame` is valid until the next receive() from the same peer, or
  /// begin(). `late`: none before the deadline.
  virtual Received receive(std::uint32_t peer, Bytes& frame,
                           Clock::time_point deadline = Clock::time_point::max()) noexcept = 0;

  /// Waits until all that was sent has left this node, which may end then. send() keeps what the
  /// peer does not take at once, and later calls of send() and receive() pass it on. False: not
  /// before the deadline, or interrupted.
  virtual bool flush(Clock::time_point) noexcept { return true; }

  /// Sends nothing more in this epoch: to a peer that has received everything and waits for more,
  /// this node has left. Without waiting; begin() must follow before another frame is sent or
  /// received.
  virtual void leave() noexcept {}

  /// Makes send() and receive() return at once, now and until begin(). From any thread.
  virtual void interrupt() noexcept = 0;

  /// Begins an epoch, later than all before; ends an interruption.
  virtual void begin(std::uint32_t epoch) = 0;
  virtual std::uint32_t epoch() const noexcept = 0;

  /// Why a peer is lost, as a sentence without its name: "the connection was closed". Static text.
  virtual const char* why(std::uint32_t peer) const noexcept = 0;
};

}  // namespace vernier::exchange
