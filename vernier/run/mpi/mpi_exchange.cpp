#include "vernier/run/mpi/mpi_exchange.hpp"

#include <mpi.h>
#include <sched.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <numeric>
#include <thread>
#include <vector>

#include "vernier/base/require.hpp"

namespace vernier::exchange {
namespace {

using namespace std::chrono_literals;

constexpr std::uint32_t spins = 50;
constexpr std::size_t piece_bytes = std::size_t{16} << 10;
constexpr int tag = 1;
constexpr std::chrono::microseconds busy = 1ms, nap = 50us;
constexpr const char* left = "it has left";

std::uint32_t rank_of_job() {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return static_cast<std::uint32_t>(rank);
}

bool done(MPI_Request& r) noexcept {
  int flag = 1;
  if (r != MPI_REQUEST_NULL) MPI_Test(&r, &flag, MPI_STATUS_IGNORE);
  return flag != 0;
}

/// Bytes on their way to a peer: MPI reads them until the request is done.
struct Piece {
  std::vector<std::byte> bytes = std::vector<std::byte>(piece_bytes);
  MPI_Request request = MPI_REQUEST_NULL;
};

struct Link {
  std::array<Piece, 4> out;
  std::size_t next = 0;        // of out
  std::vector<std::byte> in =  // a message that did not fit where it was wanted
      std::vector<std::byte>(piece_bytes);
  std::size_t begin = 0, end = 0;  // what is left of it
  MPI_Request farewell = MPI_REQUEST_NULL;
  bool gone = false;  // it sent the empty message, its last
};

}  // namespace

struct MpiExchange::Links {
  MPI_Comm comm = MPI_COMM_NULL;
  std::vector<Link> all;

  explicit Links(std::uint32_t nodes) : all(nodes) {
    std::vector<int> ranks(nodes);
    std::iota(ranks.begin(), ranks.end(), 0);
    MPI_Group world = MPI_GROUP_NULL, ours = MPI_GROUP_NULL;
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, static_cast<int>(nodes), ranks.data(), &ours);
    MPI_Comm_create_group(MPI_COMM_WORLD, ours, tag, &comm);
    MPI_Group_free(&ours);
    MPI_Group_free(&world);
  }

  /// Receives a message into one of both; how long it is. Nothing: none has arrived.
  std::size_t receive(std::uint32_t peer, std::span<std::byte> to) noexcept {
    Link& link = all[peer];
    int flag = 0, count = 0;
    MPI_Message message = MPI_MESSAGE_NULL;
    MPI_Status status;
    MPI_Improbe(static_cast<int>(peer), tag, comm, &flag, &message, &status);
    if (flag == 0) return 0;
    MPI_Get_count(&status, MPI_BYTE, &count);
    const bool fits = static_cast<std::size_t>(count) <= to.size();
    require(count >= 0 && static_cast<std::size_t>(count) <= piece_bytes);
    MPI_Mrecv(fits ? to.data() : link.in.data(), count, MPI_BYTE, &message, MPI_STATUS_IGNORE);
    if (count == 0) link.gone = true;
    if (fits) return static_cast<std::size_t>(count);
    link.begin = 0;
    link.end = static_cast<std::size_t>(count);
    return take_rest(link, to);
  }

  static std::size_t take_rest(Link& link, std::span<std::byte> to) noexcept {
    const std::size_t count = std::min(to.size(), link.end - link.begin);
    std::memcpy(to.data(), link.in.data() + link.begin, count);
    link.begin += count;
    return count;
  }
};

MpiExchange::MpiExchange(std::uint32_t nodes)
    : FramedExchange(rank_of_job(), nodes), links_(std::make_unique<Links>(nodes)) {
  int size = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  require(nodes <= static_cast<std::uint32_t>(size));
}

MpiExchange::~MpiExchange() {
  for (std::uint32_t peer = 0; peer < nodes(); ++peer)
    if (peer != self())
      MPI_Isend(nullptr, 0, MPI_BYTE, static_cast<int>(peer), tag, links_->comm,
                &links_->all[peer].farewell);
  // others may wait for room: what they send is taken, and dropped
  std::vector<std::byte> dropped(piece_bytes);
  for (bool all = false; !all; sched_yield()) {
    all = true;
    for (std::uint32_t peer = 0; peer < nodes(); ++peer) {
      if (peer == self()) continue;
      Link& link = links_->all[peer];
      if (!link.gone) links_->receive(peer, dropped);
      all = all && link.gone && done(link.farewell);
      for (Piece& p : link.out) all = done(p.request) && all;
    }
  }
  MPI_Comm_free(&links_->comm);
}

FramedExchange::Moved MpiExchange::take(std::uint32_t peer, std::span<std::byte> to) noexcept {
  Link& link = links_->all[peer];
  if (link.begin < link.end) return {Links::take_rest(link, to), nullptr};
  const std::size_t count = link.gone ? 0 : links_->receive(peer, to);
  return {count, link.gone ? left : nullptr};
}

FramedExchange::Moved MpiExchange::give(std::uint32_t peer, Bytes first, Bytes second) noexcept {
  Link& link = links_->all[peer];
  if (link.gone) return {0, left};
  std::size_t given = 0;
  while (!first.empty() || !second.empty()) {
    Piece& p = link.out[link.next];
    if (!done(p.request)) break;
    const Bytes a = first.first(std::min(first.size(), piece_bytes));
    const Bytes b = second.first(std::min(second.size(), piece_bytes - a.size()));
    std::copy(a.begin(), a.end(), p.bytes.begin());
    std::copy(b.begin(), b.end(), p.bytes.begin() + static_cast<std::ptrdiff_t>(a.size()));
    const std::size_t count = a.size() + b.size();
    MPI_Isend(p.bytes.data(), static_cast<int>(count), MPI_BYTE, static_cast<int>(peer), tag,
              links_->comm, &p.request);
    first = first.subspan(a.size());
    second = second.subspan(b.size());
    given += count;
    link.next = (link.next + 1) % link.out.size();
  }
  return {given, nullptr};
}

bool MpiExchange::ready(const Waiting& w) noexcept {
  if (interrupted()) return true;
  for (std::uint32_t peer = 0; peer < nodes(); ++peer) {
    if (peer == self()) continue;
    Link& link = links_->all[peer];
    if (has_more(peer) && done(link.out[link.next].request)) return true;
    if (!listens(peer, w)) continue;
    int flag = link.gone || link.begin < link.end;
    if (flag == 0) MPI_Iprobe(static_cast<int>(peer), tag, links_->comm, &flag, MPI_STATUS_IGNORE);
    if (flag != 0) return true;
  }
  return false;
}

void MpiExchange::wait(const Waiting& w) noexcept {
  if (w.attempt < spins) {
    sched_yield();
    return;
  }
  const Clock::time_point began = Clock::now();
  for (Clock::time_point now = began; now < w.until && !ready(w); now = Clock::now()) {
    if (now - began < busy && !w.listens_to_all)
      sched_yield();
    else
      std::this_thread::sleep_for(std::min<Clock::duration>(nap, w.until - now));
  }
}

}  // namespace vernier::exchange
