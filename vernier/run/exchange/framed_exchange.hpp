#pragma once

#include <atomic>
#include <memory>
#include <vector>

#include "vernier/run/exchange/exchange.hpp"
#include "vernier/run/exchange/frames.hpp"

namespace vernier::exchange {

/// The part of an exchange that does not depend on how bytes reach a peer: frames, numbers, epochs,
/// queues, and whom to wait for. A derived class moves bytes, and never waits but in wait().
///
/// A node may be two frames of the largest size ahead of what its peer has received without ever
/// making it wait; nodes that send one frame to each other in every round are never further ahead.
class FramedExchange : public Exchange {
 public:
  std::uint32_t nodes() const noexcept final { return static_cast<std::uint32_t>(flows_.size()); }
  std::uint32_t self() const noexcept final { return self_; }
  void reserve(std::size_t largest_frame) final;
  bool send(std::uint32_t peer, Bytes frame) noexcept final;
  Received receive(std::uint32_t peer, Bytes& frame,
                   Clock::time_point deadline = Clock::time_point::max()) noexcept final;
  bool flush(Clock::time_point deadline) noexcept final;
  void leave() noexcept final;
  void interrupt() noexcept final;
  void begin(std::uint32_t epoch) final;
  std::uint32_t epoch() const noexcept final { return epoch_; }
  const char* why(std::uint32_t peer) const noexcept final;

 protected:
  /// What became of an attempt to move bytes: how many; or that there will never be more, and why.
  struct Moved {
    std::size_t bytes = 0;
    const char* ended = nullptr;
  };
  /// What a wait is for. It may end early.
  struct Waiting {
    static constexpr std::uint32_t nobody = ~0u;
    std::uint32_t peer = nobody;   // what it sends is wanted most
    std::uint32_t attempt = 0;     // how often nothing came
    bool listens_to_all = false;   // also wanted: what the other peers send
    Clock::time_point since = {};  // when it began; unknown: long ago
    Clock::time_point until = {};  // then it ends in any case
  };

  /// Frames of up to 64 KiB until reserve() is called.
  FramedExchange(std::uint32_t self, std::uint32_t nodes);

  /// Takes what has arrived from a peer.
  virtual Moved take(std::uint32_t peer, std::span<std::byte> to) noexcept = 0;
  /// Gives a peer as much as it takes, of one and then the other.
  virtual Moved give(std::uint32_t peer, Bytes first, Bytes second) noexcept = 0;
  /// Whether it gives two pieces at the cost of one.
  virtual bool gathers(std::uint32_t peer) const noexcept = 0;
  /// Waits until bytes can be moved from or to a peer for which listens() or has_more() is true.
  virtual void wait(const Waiting&) noexcept = 0;
  /// Ends a wait; from any thread or signal handler.
  virtual void wake() noexcept = 0;
  /// The peer is lost by a fault of its own.
  virtual void hang_up(std::uint32_t peer) noexcept = 0;

  /// At the beginning of a wait: lets other threads run for a moment instead of sleeping, which is
  /// quicker where the peers have processors of their own. False: it is time to sleep.
  bool yields(const Waiting&) noexcept;
  bool interrupted() const noexcept { return interrupted_.load(); }
  bool listens(std::uint32_t peer, const Waiting&) noexcept;
  bool has_more(std::uint32_t peer) const noexcept;
  void lose(std::uint32_t peer, const char* why) noexcept;
  /// As at the beginning of the epoch, for a peer that has changed.
  void restart(std::uint32_t peer) noexcept;

 private:
  struct Flow {
    Incoming in;
    Outgoing out;
    std::uint64_t number = 0;       // of the next frame to send
    const char* why = nullptr;      // it is lost
    const char* ended = nullptr;    // nothing more arrives; there may be frames that have arrived
    const char* unheard = nullptr;  // it takes nothing more
  };

  bool open(const Flow& f) const noexcept { return !f.why && !f.ended && !f.unheard; }
  bool can_take(Flow&) noexcept;
  bool take_in(std::uint32_t peer) noexcept;
  void take_in_all_but(std::uint32_t peer) noexcept;
  void give_out(std::uint32_t peer) noexcept;
  void give_out_all() noexcept;
  bool wait_for_room(std::uint32_t peer, std::size_t bytes) noexcept;
  void send_now(std::uint32_t peer, Bytes head, Bytes frame) noexcept;

  const std::uint32_t self_;
  std::uint32_t epoch_ = 0;
  std::size_t largest_ = 0;
  std::vector<Flow> flows_;  // one for each node; that of this one is unused
  std::atomic<bool> interrupted_{false};
  // other work has the processors: so many waits sleep at once, and so many after the next attempt
  std::uint32_t sleeps_ = 0, crowded_ = 0;
};

}  // namespace vernier::exchange
