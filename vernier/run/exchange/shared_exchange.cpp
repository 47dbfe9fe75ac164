#include "vernier/run/exchange/shared_exchange.hpp"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstring>

#include "vernier/net/wait.hpp"

namespace vernier::exchange {
namespace {

using namespace std::chrono_literals;

// A process that was killed rings no bell. The longer a wait lasts, the more seldom it is looked
// for one, so that a loss is noticed soon and a halted run costs nothing.
constexpr auto look_first = 1ms, look_last = 100ms;
constexpr const char* damaged = "the shared memory is damaged";

/// From a place in a ring to `to`, around its end.
void copy_out(std::span<const std::byte> ring, std::uint64_t at, std::span<std::byte> to) noexcept {
  const std::size_t begin = at & (ring.size() - 1);
  const std::size_t first = std::min(to.size(), ring.size() - begin);
  std::memcpy(to.data(), ring.data() + begin, first);
  std::memcpy(to.data() + first, ring.data(), to.size() - first);
}

void copy_in(std::span<std::byte> ring, std::uint64_t at, Bytes from) noexcept {
  if (from.empty()) return;
  const std::size_t begin = at & (ring.size() - 1);
  const std::size_t first = std::min(from.size(), ring.size() - begin);
  std::memcpy(ring.data() + begin, from.data(), first);
  std::memcpy(ring.data(), from.data() + first, from.size() - first);
}

}  // namespace

Result<std::unique_ptr<SharedExchange>, std::string> SharedExchange::of(std::uint32_t self,
                                                                        const Descriptor& memory) {
  auto m = SharedMemory::seated(self, memory);
  if (!m) return Failure{m.error()};
  return std::unique_ptr<SharedExchange>(new SharedExchange(self, std::move(*m)));
}

SharedExchange::SharedExchange(std::uint32_t self, SharedMemory m)
    : FramedExchange(self, m.nodes()), memory_(std::move(m)), links_(memory_.nodes()) {}

SharedExchange::~SharedExchange() {
  memory_.seat(self()).present = 2;
  for (std::uint32_t peer = 0; peer < nodes(); ++peer) ring_bell(peer);
}

/// Null: it is there, or not there yet.
const char* SharedExchange::gone(std::uint32_t peer) const noexcept {
  if (links_[peer].died) return "its process has ended";
  return memory_.seat(peer).present.load() == 2 ? "it has left" : nullptr;
}

FramedExchange::Moved SharedExchange::take(std::uint32_t peer, std::span<std::byte> to) noexcept {
  // looked at first: what it wrote before it went is still taken
  const char* const ended = gone(peer);
  Link& link = links_[peer];
  SharedMemory::Ring& ring = memory_.ring(peer, self());
  const std::uint64_t available = ring.written.load() - link.taken;
  if (available > memory_.ring_bytes()) return {0, damaged};
  if (available == 0) return {0, ended};
  const std::size_t count = std::min<std::uint64_t>(available, to.size());
  copy_out(memory_.bytes(peer, self()), link.taken, to.first(count));
  link.taken += count;
  ring.taken.store(link.taken);
  if (ring.writer_waits.load() != 0) ring_bell(peer);
  return {count, nullptr};
}

FramedExchange::Moved SharedExchange::give(std::uint32_t peer, Bytes first, Bytes second) noexcept {
  if (const char* const ended = gone(peer)) return {0, ended};
  Link& link = links_[peer];
  SharedMemory::Ring& ring = memory_.ring(self(), peer);
  const std::span<std::byte> bytes = memory_.bytes(self(), peer);
  const std::uint64_t used = link.written - ring.taken.load();
  if (used > bytes.size()) return {0, damaged};
  const std::size_t count = std::min(first.size() + second.size(), bytes.size() - used);
  if (count == 0) return {};
  const std::size_t of_first = std::min(first.size(), count);
  copy_in(bytes, link.written, first.first(of_first));
  copy_in(bytes, link.written + of_first, second.first(count - of_first));
  link.written += count;
  // Sequentially consistent with what the peer does before it sleeps: it announces its sleep, then
  // looks here. One of both sees the other.
  ring.written.store(link.written);
  const std::uint32_t asleep = memory_.seat(peer).asleep.load();
  if (asleep == SharedMemory::for_anybody || asleep == SharedMemory::for_peer + self())
    ring_bell(peer);
  return {count, nullptr};
}

void SharedExchange::ring_bell(std::uint32_t node) const noexcept {
  auto& bell = memory_.seat(node).bell;
  bell.fetch_add(1);
  syscall(SYS_futex, &bell, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
}

bool SharedExchange::ready(const Waiting& w) noexcept {
  if (interrupted()) return true;
  for (std::uint32_t peer = 0; peer < nodes(); ++peer) {
    if (peer == self()) continue;
    const bool in = listens(peer, w), out = has_more(peer);
    if (!in && !out) continue;
    if (gone(peer)) return true;
    const Link& link = links_[peer];
    if (in && memory_.ring(peer, self()).written.load() != link.taken) return true;
    if (out && link.written - memory_.ring(self(), peer).taken.load() != memory_.ring_bytes())
      return true;
  }
  return false;
}

void SharedExchange::wait(const Waiting& w) noexcept {
  if (yields(w)) return;
  const auto announce = [&](std::uint32_t value) {
    for (std::uint32_t peer = 0; peer < nodes(); ++peer)
      if (has_more(peer)) memory_.ring(self(), peer).writer_waits = value;
  };
  announce(1);
  sleep(w);
  announce(0);
}

void SharedExchange::sleep(const Waiting& w) noexcept {
  SharedMemory::Seat& seat = memory_.seat(self());
  const std::uint32_t bell = seat.bell.load();
  seat.asleep = w.listens_to_all ? SharedMemory::for_anybody : SharedMemory::for_peer + w.peer;
  if (!ready(w)) {
    const Clock::time_point now = Clock::now();
    const auto look = std::clamp<Clock::duration>((now - w.since) / 4, look_first, look_last);
    const timespec left = net::time_left(std::min(w.until, now + look));
    const long woken = syscall(SYS_futex, &seat.bell, FUTEX_WAIT, bell, &left, nullptr, 0);
    if (woken != 0 && errno == ETIMEDOUT) look_for_the_dead();
  }
  seat.asleep = SharedMemory::awake;
}

void SharedExchange::look_for_the_dead() noexcept {
  for (std::uint32_t peer = 0; peer < nodes(); ++peer)
    if (peer != self() && !links_[peer].died) links_[peer].died = memory_.died(peer);
}

}  // namespace vernier::exchange
