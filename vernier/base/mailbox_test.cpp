#include "vernier/base/mailbox.hpp"

#include <gtest/gtest.h>
#include <setjmp.h>

#include <algorithm>
#include <array>
#include <functional>
#include <set>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

namespace vernier {
namespace {

// -- every interleaving --------------------------------------------------------------------------
//
// Two sides use one memory, one access at a time. From each reachable state either side may take
// its
// next step; all states are visited (exhaustive model checking). A side is a function of the values
// that its accesses returned: to take one more step it runs again from its start with the earlier
// values, takes the step, and is suspended there.

class Explorer {
 public:
  using Side = std::function<void()>;

  Explorer(std::size_t memory, Side writer, Side reader)
      : memory_(memory), sides_{std::move(writer), std::move(reader)} {}

  /// The number of states of all interleavings.
  std::size_t visit_all(const std::vector<std::byte>& start) {
    State first;
    first.memory = start;
    std::vector<State> open{first};
    std::set<State> seen(open.begin(), open.end());
    while (!open.empty()) {
      const State from = open.back();
      open.pop_back();
      for (int side = 0; side < 2; ++side) {
        State next = from;
        if (step(next, side) && seen.insert(next).second) open.push_back(next);
      }
    }
    return seen.size();
  }

  /// One access to the shared memory, as a value.
  template <class F>
  std::uint64_t access(F&& live) {
    if (position_ < past_->size()) return (*past_)[position_++];
    if (stepped_) longjmp(leave_, 1);
    stepped_ = true;
    past_->push_back(live());
    return (*past_)[position_++];
  }

 private:
  struct State {
    std::vector<std::byte> memory;
    std::vector<std::uint64_t> past[2];
    auto key() const { return std::tie(memory, past[0], past[1]); }
    bool operator<(const State& s) const { return key() < s.key(); }
  };

  /// False when the side has finished.
  bool step(State& s, int side) {
    std::copy(s.memory.begin(), s.memory.end(), memory_.span().begin());
    past_ = &s.past[side];
    position_ = 0;
    stepped_ = false;
    if (setjmp(leave_) == 0) sides_[side]();
    std::copy_n(memory_.span().begin(), s.memory.size(), s.memory.begin());
    return stepped_;
  }

 public:
  MailboxMemory memory_;

 private:
  Side sides_[2];
  std::vector<std::uint64_t>* past_ = nullptr;
  std::size_t position_ = 0;
  bool stepped_ = false;
  jmp_buf leave_;
};

Explorer* explorer = nullptr;

/// An atomic whose accesses are steps of the explorer.
template <class T>
struct Stepped {
  Stepped(T v) : value(v) {}
  T load(std::memory_order) const {
    return static_cast<T>(explorer->access([&] { return value; }));
  }
  void store(T v, std::memory_order) {
    explorer->access([&] { return value = v, 0; });
  }
  T exchange(T v, std::memory_order) {
    return static_cast<T>(explorer->access([&] { return std::exchange(value, v); }));
  }
  T value;
};

using Message = std::uint64_t[2];

void fill(std::byte* at, std::uint64_t v) {
  auto* m = reinterpret_cast<std::uint64_t*>(at);
  explorer->access([&] { return m[0] = v, 0; });
  explorer->access([&] { return m[1] = v, 0; });
}
std::uint64_t taken(const std::byte* at) {
  const auto* m = reinterpret_cast<const std::uint64_t*>(at);
  const std::uint64_t a = explorer->access([&] { return m[0]; });
  const std::uint64_t b = explorer->access([&] { return m[1]; });
  EXPECT_EQ(a, b) << "half of one message and half of another";
  return a;
}

std::vector<std::byte> content(const MailboxMemory& m) {
  return {m.span().begin(), m.span().end()};
}

TEST(Mailbox, LatestIsWholeAndNeverGoesBackInAllInterleavings) {
  using Box = BasicLatest<Stepped>;
  MailboxMemory* memory = nullptr;
  const auto writer = [&] {
    Box box(memory->span(), sizeof(Message));
    for (std::uint64_t v = 1; v <= 3; ++v) {
      fill(box.next(), v);
      box.write();
    }
  };
  const auto reader = [&] {
    Box box(memory->span(), sizeof(Message));
    std::uint64_t last = 0;
    for (int k = 0; k < 3; ++k) {
      const bool fresh = box.read();
      const std::uint64_t v = taken(box.front());
      EXPECT_EQ(fresh, v > last);
      EXPECT_GE(v, last);
      last = v;
    }
  };
  Explorer e(Box::bytes(sizeof(Message)), writer, reader);
  explorer = &e;
  memory = &e.memory_;
  Box(memory->span(), sizeof(Message)).clear();
  // 40 steps of two sides give far fewer states than orders
  EXPECT_GT(e.visit_all(content(e.memory_)), 500u);
}

TEST(Mailbox, QueueKeepsOrderAndLosesNothingInAllInterleavings) {
  using Box = BasicQueue<Stepped>;
  MailboxMemory* memory = nullptr;
  const auto writer = [&] {
    Box box(memory->span(), sizeof(Message), 2);
    std::uint64_t sent = 0;
    for (int k = 0; k < 4; ++k) {
      std::byte* at = box.next();
      if (!at) continue;  // full
      fill(at, ++sent);
      box.push();
    }
  };
  const auto reader = [&] {
    Box box(memory->span(), sizeof(Message), 2);
    std::uint64_t last = 0;
    for (int k = 0; k < 4; ++k) {
      const std::byte* at = box.front();
      if (!at) continue;  // empty
      const std::uint64_t v = taken(at);
      EXPECT_EQ(v, last + 1);
      last = v;
      box.pop();
    }
  };
  Explorer e(Box::bytes(sizeof(Message), 2), writer, reader);
  explorer = &e;
  memory = &e.memory_;
  Box(memory->span(), sizeof(Message), 2).clear();
  EXPECT_GT(e.visit_all(content(e.memory_)), 500u);
}

/// A mailbox with a planted error: the writer continues to write in the message that it has just
/// published. If the explorer did not find it, its other results would mean nothing.
TEST(Mailbox, TheExplorerFindsAMessageWrittenWhileItIsRead) {
  std::size_t torn = 0;
  MailboxMemory* memory = nullptr;
  const auto at = [&] { return reinterpret_cast<std::uint64_t*>(memory->span().data()); };
  const auto writer = [&] {
    for (std::uint64_t v = 1; v <= 2; ++v) {
      explorer->access([&] { return at()[0] = v, 0; });
      explorer->access([&] { return at()[1] = v, 0; });
    }
  };
  const auto reader = [&] {
    const std::uint64_t a = explorer->access([&] { return at()[0]; });
    const std::uint64_t b = explorer->access([&] { return at()[1]; });
    torn += a != b;
  };
  Explorer e(sizeof(Message), writer, reader);
  explorer = &e;
  memory = &e.memory_;
  std::ranges::fill(memory->span(), std::byte{});
  e.visit_all(content(e.memory_));
  EXPECT_GT(torn, 0u);
}

// -- threads, for the thread sanitizer
// -------------------------------------------------------------

TEST(Mailbox, QueueBetweenThreadsKeepsOrder) {
  constexpr std::uint64_t count = 200'000;
  OwnedQueue box(sizeof(std::uint64_t), 64);
  EXPECT_EQ(box.capacity(), 64u);
  std::thread writer([&] {
    for (std::uint64_t v = 1; v <= count;) {
      std::byte* at = box.next();
      if (!at) {
        std::this_thread::yield();
        continue;
      }
      std::memcpy(at, &v, sizeof v);
      box.push();
      ++v;
    }
  });
  std::uint64_t expected = 1;
  while (expected <= count) {
    const std::byte* at = box.front();
    if (!at) {
      std::this_thread::yield();
      continue;
    }
    std::uint64_t v = 0;
    std::memcpy(&v, at, sizeof v);
    ASSERT_EQ(v, expected);
    box.pop();
    ++expected;
  }
  writer.join();
  EXPECT_EQ(box.room(), 64u);
}

TEST(Mailbox, LatestBetweenThreadsEndsWithTheNewest) {
  constexpr std::uint64_t count = 200'000;
  using Wide = std::array<std::uint64_t, 32>;
  OwnedLatest box(sizeof(Wide));
  Wide seen{};
  std::memcpy(&seen, box.front(), sizeof seen);
  EXPECT_EQ(seen[0], 0u);
  EXPECT_FALSE(box.read());
  std::thread writer([&] {
    Wide m;
    for (std::uint64_t v = 1; v <= count; ++v) {
      m.fill(v);
      std::memcpy(box.next(), &m, sizeof m);
      box.write();
    }
  });
  std::uint64_t last = 0;
  while (last < count) {
    if (!box.read()) continue;
    std::memcpy(&seen, box.front(), sizeof seen);
    ASSERT_GT(seen[0], last);
    ASSERT_TRUE(std::ranges::all_of(seen, [&](std::uint64_t v) { return v == seen[0]; }));
    last = seen[0];
  }
  writer.join();
  EXPECT_FALSE(box.read());
}

TEST(Mailbox, WordsThatTheOtherSideDamagedAddressNothingOutside) {
  MailboxMemory memory(Latest::bytes(8) + 4096);
  std::ranges::fill(memory.span(), std::byte{0xFF});
  Latest box(memory.span().first(Latest::bytes(8)), 8);
  const auto inside = [&](const std::byte* p) {
    return p >= memory.span().data() && p + 8 <= memory.span().data() + Latest::bytes(8);
  };
  for (int k = 0; k < 4; ++k) {
    EXPECT_TRUE(inside(box.next()));
    box.write();
    box.read();
    EXPECT_TRUE(inside(box.front()));
  }
  Queue queue(memory.span().first(Queue::bytes(8, 4)), 8, 4);
  const std::byte* end = memory.span().data() + Queue::bytes(8, 4);
  for (int k = 0; k < 9; ++k) {
    if (const std::byte* p = queue.next()) {
      EXPECT_LE(p + 8, end);
    }
    queue.push();
    if (const std::byte* p = queue.front()) {
      EXPECT_LE(p + 8, end);
    }
    queue.pop();
    EXPECT_LE(queue.room(), 4u);
  }
}

// -- a side that was killed ----------------------------------------------------------------------

TEST(Latest, ASideThatWasKilledBetweenItsTwoAccessesBeginsAgain) {
  // the owners in memory: writer, middle, reader, one cache line each
  for (std::uint32_t killed = 0; killed < 3; killed += 2) {
    for (std::uint32_t middle = 0; middle < 3; ++middle) {
      for (std::uint32_t theirs = 0; theirs < 3; ++theirs) {
        if (middle == theirs) continue;
        for (const std::uint32_t mine : {middle, 3 - middle - theirs}) {
          MailboxMemory memory(Latest::bytes(8));
          Latest box(memory.span(), 8);
          box.clear();
          const auto hand = [&](std::size_t k) {
            return reinterpret_cast<std::atomic<std::uint32_t>*>(memory.span().data() +
                                                                 k * mailbox_line);
          };
          *hand(killed) = mine;
          *hand(1) = middle | 4;
          *hand(2 - killed) = theirs;
          EXPECT_TRUE(killed == 0 ? box.resume_writer() : box.resume_reader());
          EXPECT_EQ(*hand(killed), 3 - middle - theirs);
          EXPECT_EQ(*hand(1), middle | 4);
        }
      }
    }
  }
}

}  // namespace
}  // namespace vernier
