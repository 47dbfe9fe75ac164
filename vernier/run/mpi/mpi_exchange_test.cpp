// What every exchange must do, on MPI: each of four ranks runs all tests.
#include "vernier/run/mpi/mpi_exchange.hpp"

#include <gtest/gtest.h>
#include <mpi.h>

#include <functional>
#include <thread>

#include "vernier/run/exchange/test_nodes.hpp"

namespace vernier::exchange {
namespace {

using namespace std::chrono_literals;
using testing::content;
using testing::received;
using testing::same;
using Clock = Exchange::Clock;

int rank() {
  int r = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &r);
  return r;
}

/// As many ranks as nodes do this; the others wait.
void among(std::uint32_t nodes, const std::function<void(Exchange&)>& work) {
  if (rank() < static_cast<int>(nodes)) {
    MpiExchange e(nodes);
    EXPECT_EQ(e.nodes(), nodes);
    EXPECT_EQ(e.self(), static_cast<std::uint32_t>(rank()));
    work(e);
  }
  MPI_Barrier(MPI_COMM_WORLD);
}

/// The other one of two has said what it says before this returns.
void meet(Exchange& e) {
  ASSERT_TRUE(e.send(1 - e.self(), {}));
  received(e, 1 - e.self());
}

TEST(MpiExchange, CarriesFramesOfAnySizeInOrder) { among(2, testing::carry_any_size); }

TEST(MpiExchange, KeepsAllNodesInStepForThousandsOfTicks) {
  for (const std::uint32_t nodes : {2u, 3u, 4u})
    among(nodes, [](Exchange& e) { testing::keep_in_step(e, 2000); });
}

TEST(MpiExchange, LetsAllNodesSendMuchBeforeAnyReceives) { among(4, testing::send_much_first); }

TEST(MpiExchange, KeepsAFrameValidWhileSending) { among(3, testing::keep_frames_valid); }

TEST(MpiExchange, IsLateWhenNothingComes) {
  among(2, [](Exchange& e) {
    if (e.self() == 1) {
      received(e, 0);  // only then it sends
      ASSERT_TRUE(e.send(0, content(1, 0, 0, 10)));
      return;
    }
    Bytes frame;
    EXPECT_EQ(e.receive(1, frame, Clock::now()), Received::late);
    const auto soon = Clock::now() + 30ms;
    EXPECT_EQ(e.receive(1, frame, soon), Received::late);
    EXPECT_GE(Clock::now(), soon);
    ASSERT_TRUE(e.send(1, {}));
    EXPECT_TRUE(same(received(e, 1), content(1, 0, 0, 10)));
  });
}

TEST(MpiExchange, DropsWhatIsLeftOfAnEarlierEpoch) {
  among(2, [](Exchange& e) {
    if (e.self() == 0)
      for (std::uint64_t tick = 0; tick < 5; ++tick)
        ASSERT_TRUE(e.send(1, content(0, 1, tick, 1000)));
    else
      EXPECT_TRUE(same(received(e, 0), content(0, 1, 0, 1000)));
    e.begin(3);
    EXPECT_EQ(e.epoch(), 3u);
    if (e.self() == 0)
      ASSERT_TRUE(e.send(1, content(0, 1, 77, 50)));
    else
      EXPECT_TRUE(same(received(e, 0), content(0, 1, 77, 50)));
    EXPECT_TRUE(e.flush(Clock::time_point::max()));
  });
}

TEST(MpiExchange, DoesNotReachIntoALaterEpoch) {
  among(2, [](Exchange& e) {
    if (e.self() == 0) {
      ASSERT_TRUE(e.send(1, content(0, 1, 0, 100)));
      e.begin(1);
      ASSERT_TRUE(e.send(1, content(0, 1, 1, 100)));
      EXPECT_TRUE(e.flush(Clock::time_point::max()));
      return;
    }
    EXPECT_TRUE(same(received(e, 0), content(0, 1, 0, 100)));
    Bytes frame;
    EXPECT_EQ(e.receive(0, frame), Received::left);
    e.begin(1);
    EXPECT_TRUE(same(received(e, 0), content(0, 1, 1, 100)));
  });
}

TEST(MpiExchange, IsInterruptedUntilTheNextEpoch) {
  among(2, [](Exchange& e) {
    const std::uint32_t other = 1 - e.self();
    std::thread thread([&] { e.interrupt(); });
    Bytes frame;
    Received got{};
    do {
      got = e.receive(other, frame);
    } while (got == Received::left);  // the other rank is in the next epoch already
    EXPECT_EQ(got, Received::interrupted);
    thread.join();
    EXPECT_FALSE(e.send(other, {}));
    e.begin(1);
    meet(e);
  });
}

TEST(MpiExchange, DeliversWhatAPeerSentBeforeItLeft) {
  among(2, [](Exchange& e) {
    if (e.self() == 1) {
      ASSERT_TRUE(e.send(0, content(1, 0, 0, 1000)));
      ASSERT_TRUE(e.send(0, content(1, 0, 1, 0)));
      EXPECT_TRUE(e.flush(Clock::time_point::max()));
      return;
    }
    EXPECT_TRUE(same(received(e, 1), content(1, 0, 0, 1000)));
    EXPECT_TRUE(same(received(e, 1), content(1, 0, 1, 0)));
    Bytes frame;
    EXPECT_EQ(e.receive(1, frame), Received::lost);
    EXPECT_STREQ(e.why(1), "it has left");
    EXPECT_FALSE(e.send(1, {}));
  });
}

TEST(MpiExchange, LeavesAPeerThatStillSends) {
  among(2, [](Exchange& e) {
    if (e.self() == 1) return;
    const std::vector<std::byte> frame(60'000);
    while (e.send(1, frame)) {
    }
    EXPECT_STREQ(e.why(1), "it has left");
  });
}

}  // namespace
}  // namespace vernier::exchange

int main(int count, char** arguments) {
  int level = 0;
  MPI_Init_thread(&count, &arguments, MPI_THREAD_FUNNELED, &level);
  ::testing::InitGoogleTest(&count, arguments);
  const int result = RUN_ALL_TESTS();
  MPI_Finalize();
  return result;
}
