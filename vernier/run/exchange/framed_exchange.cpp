#include "vernier/run/exchange/framed_exchange.hpp"

#include <sched.h>

#include <algorithm>

#include "vernier/base/require.hpp"

namespace vernier::exchange {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t usual_frame = std::size_t{64} << 10;
// Others wait for this node only when much is under way. Until it has waited this long for one
// peer, their frames need not wake it.
constexpr auto alone = 1ms;
constexpr std::uint32_t spins = 50;
// A thread that yields for longer has left its processor to other work for a time slice. One that
// sleeps gets it back sooner. So it sleeps, for more waits each time it finds the same again.
constexpr auto time_slice = 500us;
constexpr std::uint32_t first_sleeps = 16, most_sleeps = 4096;

}  // namespace

FramedExchange::FramedExchange(std::uint32_t self, std::uint32_t nodes)
    : self_(self), flows_(nodes) {
  require(self < nodes);
  reserve(usual_frame);
}

void FramedExchange::reserve(std::size_t largest_frame) {
  require(largest_frame <= longest_frame);
  largest_ = std::max(largest_, largest_frame);
  for (std::uint32_t peer = 0; peer < nodes(); ++peer) {
    if (peer == self_) continue;
    flows_[peer].in.reserve(largest_);
    flows_[peer].out.reserve(largest_);
  }
}

bool FramedExchange::send(std::uint32_t peer, Bytes frame) noexcept {
  require(peer < nodes() && peer != self_ && frame.size() <= largest_);
  Flow& f = flows_[peer];
  if (interrupted() || !open(f)) return false;
  const std::size_t size = FrameHead::size + frame.size();
  const auto head = FrameHead{static_cast<std::uint32_t>(size), epoch_, f.number}.bytes();
  ++f.number;
  if (f.out.empty() && gathers(peer)) {
    send_now(peer, head, frame);
    return open(f);
  }
  if (!f.out.has_room_for(size) && !wait_for_room(peer, size)) return false;
  f.out.add(head);
  f.out.add(frame);
  give_out(peer);
  return open(f);
}

/// Gives what the peer takes and keeps the rest.
void FramedExchange::send_now(std::uint32_t peer, Bytes head, Bytes frame) noexcept {
  Flow& f = flows_[peer];
  const Moved m = give(peer, head, frame);
  f.unheard = m.ended;
  f.out.add(head.subspan(std::min(m.bytes, head.size())));
  f.out.add(frame.subspan(m.bytes - std::min(m.bytes, head.size())));
}

/// Meanwhile takes in what arrives, so that two nodes that send do not wait for each other.
bool FramedExchange::wait_for_room(std::uint32_t peer, std::size_t bytes) noexcept {
  Flow& f = flows_[peer];
  Waiting w{.listens_to_all = true, .until = Clock::time_point::max()};
  for (; !f.out.has_room_for(bytes); ++w.attempt) {
    take_in_all_but(self_);
    give_out_all();
    if (interrupted() || !open(f) || f.in.later()) return false;
    if (!f.out.has_room_for(bytes)) wait(w);
  }
  return true;
}

Received FramedExchange::receive(std::uint32_t peer, Bytes& frame,
                                 Clock::time_point deadline) noexcept {
  require(peer < nodes() && peer != self_);
  Flow& f = flows_[peer];
  Waiting w{.peer = peer};
  while (true) {
    if (interrupted()) return Received::interrupted;
    if (f.why) return Received::lost;
    switch (f.in.next(frame)) {
      case Incoming::Next::frame:
        return Received::frame;
      case Incoming::Next::later:
        return Received::left;
      case Incoming::Next::refused:
        hang_up(peer);
        lose(peer, f.in.why());
        return Received::lost;
      case Incoming::Next::none:
        break;
    }
    if (f.ended) lose(peer, f.ended);
    if (f.why || take_in(peer) || f.ended) continue;
    const Clock::time_point now = Clock::now();
    if (now >= deadline) return Received::late;
    if (w.attempt++ == 0) w.since = now;
    w.listens_to_all = now - w.since >= alone;
    // not of this peer: what is taken is looked at before the next wait
    if (w.listens_to_all) take_in_all_but(peer);
    give_out_all();
    w.until = w.listens_to_all ? deadline : std::min(deadline, w.since + alone);
    wait(w);
  }
}

bool FramedExchange::yields(const Waiting& w) noexcept {
  if (w.attempt >= spins) return false;
  if (sleeps_ > 0) {
    --sleeps_;
    return false;
  }
  const Clock::time_point began = Clock::now();
  sched_yield();
  if (Clock::now() - began < time_slice) {
    if (w.attempt == 1) crowded_ = 0;
    return true;
  }
  crowded_ = std::clamp(2 * crowded_, first_sleeps, most_sleeps);
  sleeps_ = crowded_;
  return true;
}

bool FramedExchange::flush(Clock::time_point deadline) noexcept {
  Waiting w{.listens_to_all = true, .until = deadline};
  for (;; ++w.attempt) {
    take_in_all_but(self_);
    give_out_all();
    bool all = true;
    for (std::uint32_t peer = 0; peer < nodes(); ++peer) all = all && !has_more(peer);
    if (all) return true;
    if (interrupted() || Clock::now() >= deadline) return false;
    wait(w);
  }
}

bool FramedExchange::can_take(Flow& f) noexcept {
  return !f.why && !f.ended && !f.in.room().empty();
}

bool FramedExchange::take_in(std::uint32_t peer) noexcept {
  Flow& f = flows_[peer];
  if (!can_take(f)) return false;
  const Moved m = take(peer, f.in.room());
  f.in.add(m.bytes);
  f.ended = m.ended;
  return m.bytes > 0;
}

void FramedExchange::take_in_all_but(std::uint32_t one) noexcept {
  for (std::uint32_t peer = 0; peer < nodes(); ++peer)
    if (peer != self_ && peer != one) take_in(peer);
}

void FramedExchange::give_out(std::uint32_t peer) noexcept {
  Flow& f = flows_[peer];
  const Moved m = give(peer, f.out.content(), {});
  f.out.drop(m.bytes);
  f.unheard = m.ended;
}

void FramedExchange::give_out_all() noexcept {
  for (std::uint32_t peer = 0; peer < nodes(); ++peer)
    if (has_more(peer)) give_out(peer);
}

bool FramedExchange::listens(std::uint32_t peer, const Waiting& w) noexcept {
  return peer != self_ && (peer == w.peer || w.listens_to_all) && can_take(flows_[peer]);
}

bool FramedExchange::has_more(std::uint32_t peer) const noexcept {
  return peer != self_ && open(flows_[peer]) && !flows_[peer].out.empty();
}

void FramedExchange::lose(std::uint32_t peer, const char* why) noexcept {
  Flow& f = flows_[peer];
  f.why = why;
  f.out.clear();
}

void FramedExchange::restart(std::uint32_t peer) noexcept {
  Flow& f = flows_[peer];
  f.in.clear();
  f.out.clear();
  f.number = 0;
  f.why = f.ended = f.unheard = nullptr;
}

void FramedExchange::leave() noexcept {
  // a frame of a later epoch ends this one for the peer
  ++epoch_;
  for (std::uint32_t peer = 0; peer < nodes(); ++peer) {
    Flow& f = flows_[peer];
    if (peer == self_ || !open(f) || !f.out.has_room_for(FrameHead::size)) continue;
    f.out.add(FrameHead{FrameHead::size, epoch_, 0}.bytes());
    give_out(peer);
  }
}

void FramedExchange::interrupt() noexcept {
  interrupted_ = true;
  wake();
}

void FramedExchange::begin(std::uint32_t epoch) {
  require(epoch > epoch_);
  epoch_ = epoch;
  for (Flow& f : flows_) {
    f.in.begin(epoch);
    f.number = 0;
  }
  interrupted_ = false;
}

const char* FramedExchange::why(std::uint32_t peer) const noexcept {
  const Flow& f = flows_[peer];
  for (const char* text : {f.why, f.ended, f.unheard})
    if (text) return text;
  return "";
}

}  // namespace vernier::exchange
