#include "vernier/run/server/shipper.hpp"

#include <gtest/gtest.h>
#include <sys/socket.h>

#include <atomic>
#include <memory>
#include <thread>

#include "vernier/run/executive/test_parts.hpp"
#include "vernier/run/server/byte_ring.hpp"
#include "vernier/testing/allocations.hpp"

namespace vernier::server {
namespace {

using namespace std::chrono_literals;
using executive::Ending;
using executive::test::Bench;
using executive::test::Lag;

TEST(ByteRing, TakesAllBytesToTheOtherThreadInOrder) {
  ByteRing ring(1000);
  std::atomic<bool> over{false};
  std::vector<std::byte> written, taken;
  std::thread reader([&] {
    for (bool last = false; !last;) {
      last = over;
      ring.take(taken);
    }
  });
  std::uint32_t x = 1;
  for (int k = 0; k < 2'000; ++k) {
    std::vector<std::byte> chunk((x = x * 1664525u + 1013904223u) >> 24);
    for (std::byte& b : chunk) b = static_cast<std::byte>((x = x * 1664525u + 1013904223u) >> 24);
    while (!ring.write(chunk)) std::this_thread::yield();
    written.insert(written.end(), chunk.begin(), chunk.end());
  }
  over = true;
  reader.join();
  EXPECT_EQ(taken, written);
}

TEST(ByteRing, RefusesWhatItHasNoRoomFor) {
  ByteRing ring(64);
  EXPECT_FALSE(ring.write(std::vector<std::byte>(65)));
  EXPECT_TRUE(ring.write(std::vector<std::byte>(60)));
  EXPECT_FALSE(ring.write(std::vector<std::byte>(5)));
  std::vector<std::byte> out;
  EXPECT_TRUE(ring.take(out));
  EXPECT_EQ(out.size(), 60u);
  EXPECT_FALSE(ring.take(out));
  EXPECT_TRUE(ring.write(std::vector<std::byte>(64)));
}

/// What a composer receives.
struct Heard {
  std::vector<std::int64_t> rows, shares, frames;  // ms; numbers
  std::vector<double> values;
  Time progress = Time::min();

  bool take(const Row& r) {
    rows.push_back(r.at.time.time_since_epoch() / 1ms);
    values.push_back(load<double>(r.content.data()));
    return true;
  }
  bool take(const Noted&) { return true; }
  bool take(const Executed&) { return true; }
  bool take(const Share& s) {
    const auto whole = decoded_snapshot(s.content);
    EXPECT_TRUE(whole && whole->time == s.at);
    shares.push_back(s.at.time_since_epoch() / 1ms);
    return true;
  }
  bool take(const MeasuredFrame& f) {
    frames.push_back(f.number);
    return true;
  }
  bool take(Time t) {
    EXPECT_GE(t, progress);
    progress = t;
    return true;
  }
};

/// A run of two parts that is paced by nothing but a shipper.
class Shipped : public ::testing::Test {
 protected:
  Shipped() {
    int ends[2];
    EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends), 0);
    near = std::make_unique<Channel>(net::Stream(Descriptor(ends[0])));
    far = std::make_unique<Channel>(net::Stream(Descriptor(ends[1])));
    Bench b(1ms);
    b.add("one", std::make_unique<Lag>(1.0, 3.0));
    b.add("two", std::make_unique<Lag>(2.0, 5.0));
    run = std::make_unique<executive::Executive>(b.take(), std::vector<Pacer*>{&late},
                                                 executive::Options{});
    shipper = std::make_unique<Shipper>(*near, *run);
    late.to = shipper.get();
    shipper->observe({.number = 1, .views = {view("one.y")}});
  }
  std::uint32_t view(const char* path) {
    return static_cast<std::uint32_t>(run->find(path) - run->ports().data());
  }
  bool hear() {
    return far->take([this](Word w, Bytes content) {
      EXPECT_EQ(w, Word::results);
      EXPECT_TRUE(read_results(content, heard));
    });
  }

  struct Late final : Pacer {
    Shipper* to = nullptr;
    Outcome wait_for(Time t) noexcept override { return to->wait_for(t); }
    Fault fault() const noexcept override { return to->fault(); }
  };
  std::unique_ptr<Channel> near, far;
  Late late;
  std::unique_ptr<executive::Executive> run;
  std::unique_ptr<Shipper> shipper;
  Heard heard;
};

TEST_F(Shipped, ByTheClockNeverWaitsOrAllocatesInTheLoopAndLosesNothing) {
  realtime::FramePacer frames({.grid = {.step = 1ms}});
  frames.know_nodes({"a", "b"});
  shipper->keep_time(&frames);
  run->keep_every(10, shipper.get());
  run->initialize();
  shipper->reserve(true);
  const realtime::Frame frame{.number = 7};
  const std::int64_t costs[] = {1000, 2000};
  const long before = testing::allocations();
  EXPECT_EQ(run->run_until(Time(2s)), Ending::reached);
  shipper->take(frame, costs);
  EXPECT_EQ(testing::allocations(), before);
  std::thread composer([this] {
    while (heard.progress <= Time(2s) && hear()) std::this_thread::yield();
  });
  EXPECT_TRUE(shipper->ship(run->now() + Duration(1)));
  composer.join();
  EXPECT_EQ(shipper->dropped(), 0u);
  ASSERT_EQ(heard.rows.size(), 2001u);
  for (std::size_t k = 0; k < heard.rows.size(); ++k) {
    ASSERT_EQ(heard.rows[k], static_cast<std::int64_t>(k));
    ASSERT_NEAR(heard.values[k], 3.0 * std::exp(-1e-3 * static_cast<double>(k)), 1e-12);
  }
  ASSERT_EQ(heard.shares.size(), 200u);
  for (std::size_t k = 0; k < heard.shares.size(); ++k)
    EXPECT_EQ(heard.shares[k], static_cast<std::int64_t>(10 * k));
  EXPECT_EQ(heard.frames, std::vector<std::int64_t>{7});
}

TEST_F(Shipped, ByTheClockCountsWhatAComposerThatReadsNothingHasNoRoomFor) {
  shipper->keep_time(nullptr);
  run->initialize();
  shipper->reserve(false);
  const long before = testing::allocations();
  EXPECT_EQ(run->run_until(Time(400s)), Ending::reached);  // 18 MB of rows
  EXPECT_EQ(testing::allocations(), before);
  EXPECT_GT(shipper->dropped(), 0u);
  std::thread composer([this] {
    while (heard.progress <= Time(400s) && hear()) std::this_thread::yield();
  });
  EXPECT_TRUE(shipper->ship(run->now() + Duration(1)));
  composer.join();
  EXPECT_EQ(heard.rows.size() + shipper->dropped(), 400'001u);
  EXPECT_TRUE(std::is_sorted(heard.rows.begin(), heard.rows.end()));
}

TEST_F(Shipped, ByTheClockFailsWhenTheComposerIsGone) {
  shipper->keep_time(nullptr);
  run->initialize();
  far.reset();
  while (run->run_until(run->now() + 1s) == Ending::reached) std::this_thread::yield();
  EXPECT_EQ(run->fault().code, "V5601");
}

TEST_F(Shipped, ByTheClockAnswersWhenEverythingBeforeWasSent) {
  // the shipper's thread outlives this function
  const auto sent = std::make_shared<std::atomic<std::int64_t>>(-1);
  shipper->on_tick = [sent](Time t) { *sent = t.time_since_epoch() / 1ms; };
  shipper->keep_time(nullptr);
  run->initialize();
  shipper->reserve(false);
  EXPECT_EQ(run->run_until(Time(50ms)), Ending::reached);
  while (*sent < 50) std::this_thread::yield();
  while (heard.progress < Time(50ms)) ASSERT_TRUE(hear());
  EXPECT_EQ(heard.rows.size(), 50u);  // that of 50 ms leaves the node with the next tick
}

}  // namespace
}  // namespace vernier::server
