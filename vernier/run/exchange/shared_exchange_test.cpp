#include "vernier/run/exchange/shared_exchange.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include "vernier/base/temporary_folder.hpp"
#include "vernier/run/exchange/test_nodes.hpp"

namespace vernier::exchange {
namespace {

using testing::content;
using ::testing::HasSubstr;
using testing::received;

std::string refusal(std::uint32_t self, const Descriptor& memory) {
  const auto made = SharedExchange::of(self, memory);
  return made ? "" : made.error();
}

TEST(SharedMemory, IsFoundByAPath) {
  const TemporaryFolder folder;
  const auto made = made_memory_at(folder / "run", 2, 4096);
  ASSERT_TRUE(made) << made.error();
  EXPECT_FALSE(made_memory_at(folder / "run", 2, 4096));
  const auto opened = opened_memory(folder / "run");
  ASSERT_TRUE(opened) << opened.error();
  auto a = SharedExchange::of(0, *made);
  auto b = SharedExchange::of(1, *opened);
  ASSERT_TRUE(a && b);
  // longer than the ring
  (*a)->reserve(50'000);
  (*b)->reserve(50'000);
  ASSERT_TRUE((*a)->send(1, content(0, 1, 0, 50'000)));
  std::thread other([&] { EXPECT_TRUE((*a)->flush(net::forever)); });
  const auto expected = content(0, 1, 0, 50'000);
  EXPECT_THAT(received(**b, 0), ::testing::ElementsAreArray(expected));
  other.join();
}

TEST(SharedMemory, CannotBeShrunk) {
  const auto made = made_memory(2);
  ASSERT_TRUE(made);
  EXPECT_NE(ftruncate(made->get(), 4096), 0);
}

TEST(SharedMemory, HasOneSeatForEachNode) {
  const auto made = made_memory(2);
  {
    const auto first = SharedExchange::of(0, *made);
    ASSERT_TRUE(first);
    EXPECT_EQ(refusal(0, *made), "another process is node 0");
    EXPECT_EQ(refusal(2, *made), "the memory is for 2 nodes, from 0; there is no node 2");
  }
  EXPECT_EQ(refusal(0, *made), "node 0 has used this memory before");
}

TEST(SharedMemory, IsCheckedBeforeItIsMapped) {
  const TemporaryFolder folder;
  const Descriptor empty(memfd_create("empty", MFD_CLOEXEC));
  EXPECT_EQ(refusal(0, empty), "this is not memory of an exchange");
  const auto made = made_memory_at(folder / "run", 2, 4096);
  const std::uint32_t version = 7;
  ASSERT_EQ(pwrite(made->get(), &version, 4, 8), 4);
  EXPECT_EQ(refusal(0, *made), "the memory has version 7, this program uses 1");
  const std::uint32_t right[2] = {1, 3};
  ASSERT_EQ(pwrite(made->get(), right, 8, 8), 8);
  EXPECT_EQ(refusal(0, *made), "the memory is damaged");
  const std::uint64_t ring = 1u << 30;
  ASSERT_EQ(pwrite(made->get(), &ring, 8, 16), 8);
  EXPECT_EQ(refusal(0, *made), "the memory is damaged");
}

/// Node 0; the other seat is ours, to do harm.
struct Hostile {
  Hostile()
      : file(std::move(*made_memory(2, 4096))),
        node(std::move(*SharedExchange::of(0, file))),
        memory(std::move(*SharedMemory::seated(1, file))) {}
  Descriptor file;
  std::unique_ptr<SharedExchange> node;
  SharedMemory memory;
};

TEST(SharedExchange, LosesAPeerThatWritesMoreThanFits) {
  Hostile h;
  for (const std::uint64_t written : {std::uint64_t{4097}, ~std::uint64_t{0}}) {
    h.memory.ring(1, 0).written = written;
    Bytes frame;
    EXPECT_EQ(h.node->receive(1, frame), Received::lost);
    EXPECT_STREQ(h.node->why(1), "the shared memory is damaged");
  }
}

TEST(SharedExchange, LosesAPeerThatTakesMoreThanThereIs) {
  Hostile h;
  h.memory.ring(0, 1).taken = 1;
  EXPECT_FALSE(h.node->send(1, content(0, 1, 0, 100)));
  EXPECT_STREQ(h.node->why(1), "the shared memory is damaged");
}

TEST(SharedExchange, LosesAPeerThatWritesGarbage) {
  Hostile h;
  h.memory.ring(1, 0).written = 4000;  // zeros
  Bytes frame;
  EXPECT_EQ(h.node->receive(1, frame), Received::lost);
  EXPECT_STREQ(h.node->why(1), "it sent what is not a frame");
}

TEST(SharedExchange, IsNotMisledByBellsAndSleepers) {
  Hostile h;
  h.memory.seat(0).asleep = 77;
  h.memory.seat(1).asleep = ~0u;
  h.memory.seat(0).bell = ~0u;
  h.memory.ring(0, 1).writer_waits = 5;
  Bytes frame;
  ASSERT_TRUE(h.node->send(1, content(0, 1, 0, 100)));
  EXPECT_EQ(h.node->receive(1, frame, Exchange::Clock::now() + std::chrono::milliseconds(5)),
            Received::late);
}

}  // namespace
}  // namespace vernier::exchange
