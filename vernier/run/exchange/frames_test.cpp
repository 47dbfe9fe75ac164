#include "vernier/run/exchange/frames.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

namespace vernier::exchange {
namespace {

using Next = Incoming::Next;

std::vector<std::byte> frame(std::uint32_t epoch, std::uint64_t number, std::size_t size) {
  const FrameHead head{static_cast<std::uint32_t>(FrameHead::size + size), epoch, number};
  std::vector<std::byte> all(FrameHead::size + size, static_cast<std::byte>(number));
  std::ranges::copy(head.bytes(), all.begin());
  return all;
}

/// False: there was no room for all of it.
bool arrive(Incoming& in, Bytes bytes) {
  const std::span<std::byte> room = in.room();
  const std::size_t count = std::min(room.size(), bytes.size());
  if (count > 0) std::memcpy(room.data(), bytes.data(), count);
  in.add(count);
  return count == bytes.size();
}

TEST(FrameHead, IsLittleEndian) {
  const FrameHead head{0x01020304, 5, 0x060708090a0b0c0d};
  const std::array<std::byte, 16> bytes = head.bytes();
  EXPECT_EQ(bytes[0], std::byte{4});
  EXPECT_EQ(bytes[4], std::byte{5});
  EXPECT_EQ(bytes[15], std::byte{6});
  const FrameHead same = FrameHead::from(bytes.data());
  EXPECT_EQ(same.length, head.length);
  EXPECT_EQ(same.epoch, head.epoch);
  EXPECT_EQ(same.number, head.number);
}

TEST(Incoming, CutsPiecesOfAnySizeIntoFrames) {
  std::vector<std::byte> all;
  for (std::uint64_t i = 0; i < 200; ++i) {
    const auto one = frame(0, i, i * 7 % 1000);
    all.insert(all.end(), one.begin(), one.end());
  }
  for (const std::size_t piece : {1u, 15u, 16u, 17u, 1000u, 60'000u}) {
    Incoming in;
    in.reserve(1000);
    std::uint64_t number = 0;
    Bytes rest = all, got;
    while (!rest.empty()) {
      const Bytes some = rest.first(std::min({piece, rest.size(), in.room().size()}));
      rest = rest.subspan(some.size());
      ASSERT_TRUE(arrive(in, some));
      while (in.next(got) == Next::frame) {
        ASSERT_EQ(got.size(), number * 7 % 1000);
        for (const std::byte b : got) ASSERT_EQ(b, static_cast<std::byte>(number));
        ++number;
      }
    }
    EXPECT_EQ(number, 200u);
  }
}

TEST(Incoming, HasRoomForTwoFramesMoreThanTheOneInUse) {
  constexpr std::size_t largest = 1'000'000;
  Incoming in;
  in.reserve(largest);
  std::uint64_t sent = 0;
  const auto one_more = [&] { return arrive(in, frame(0, sent++, largest)); };
  Bytes got;
  ASSERT_TRUE(one_more() && one_more());
  for (int i = 0; i < 20; ++i) {
    ASSERT_EQ(in.next(got), Next::frame);
    const std::byte first = got.front();
    ASSERT_TRUE(one_more());
    EXPECT_EQ(got.front(), first);
    EXPECT_EQ(got.back(), first);
  }
}

std::string refusal(const std::vector<std::vector<std::byte>>& frames) {
  Incoming in;
  in.reserve(1000);
  in.begin(2);
  Bytes got;
  for (const auto& f : frames) {
    arrive(in, f);
    if (in.next(got) == Next::refused) break;
  }
  EXPECT_EQ(in.next(got), in.why() ? Next::refused : Next::none);
  return in.why() ? in.why() : "";
}

TEST(Incoming, RefusesWhatIsNotTheNextFrame) {
  EXPECT_EQ(refusal({frame(2, 0, 5), frame(2, 1, 1000)}), "");
  EXPECT_EQ(refusal({frame(2, 0, 5), frame(2, 0, 5)}), "it sent a frame twice");
  EXPECT_EQ(refusal({frame(2, 0, 5), frame(2, 2, 5)}), "a frame is missing");
  EXPECT_EQ(refusal({frame(2, 0, 1001)}), "it sent a frame that is longer than agreed");
  EXPECT_EQ(refusal({frame(1, 9, 1001)}), "it sent a frame that is longer than agreed");
  auto without_length = frame(2, 0, 5);
  store(without_length.data(), std::uint32_t{15});
  EXPECT_EQ(refusal({without_length}), "it sent what is not a frame");
}

TEST(Incoming, KeepsALaterEpochAndDropsAnEarlierOne) {
  Incoming in;
  in.reserve(1000);
  in.begin(2);
  Bytes got;
  arrive(in, frame(1, 7, 50));
  arrive(in, frame(2, 0, 20));
  arrive(in, frame(5, 0, 30));
  EXPECT_EQ(in.next(got), Next::frame);
  EXPECT_EQ(got.size(), 20u);
  EXPECT_TRUE(in.later());
  EXPECT_EQ(in.next(got), Next::later);
  EXPECT_EQ(in.next(got), Next::later);
  in.begin(5);
  EXPECT_FALSE(in.later());
  EXPECT_EQ(in.next(got), Next::frame);
  EXPECT_EQ(got.size(), 30u);
  EXPECT_EQ(in.next(got), Next::none);
}

TEST(Outgoing, KeepsTheOrder) {
  Outgoing out;
  out.reserve(100'000);
  const std::vector<std::byte> piece(1000, std::byte{1});
  std::size_t given = 0, dropped = 0;
  for (int i = 0; i < 2000; ++i) {
    while (out.has_room_for(piece.size())) {
      std::vector<std::byte> next(piece.size());
      for (std::byte& b : next) b = static_cast<std::byte>(given++ % 251);
      out.add(next);
    }
    for (const std::byte b : out.content().first(777))
      ASSERT_EQ(b, static_cast<std::byte>(dropped++ % 251));
    out.drop(777);
  }
}

}  // namespace
}  // namespace vernier::exchange
