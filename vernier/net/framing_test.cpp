#include "vernier/net/framing.hpp"

#include <gtest/gtest.h>

#include "vernier/net/liveness.hpp"
#include "vernier/net/outbox.hpp"

namespace vernier::net {
namespace {

using namespace std::chrono_literals;

std::vector<std::byte> framed(std::size_t length, std::byte filling = std::byte{7}) {
  std::vector<std::byte> f(length, filling);
  store(f.data(), static_cast<std::uint32_t>(length));
  return f;
}

TEST(Framing, CutsWholeFramesAndLeavesTheRest) {
  std::vector<std::byte> stream = framed(4);
  for (const std::size_t n : {10u, 5u}) {
    const auto f = framed(n);
    stream.insert(stream.end(), f.begin(), f.end());
  }
  stream.resize(stream.size() - 1);
  Bytes rest(stream), frame;
  EXPECT_EQ(next_frame(rest, frame, 4, 100), Cut::frame);
  EXPECT_EQ(frame.size(), 4u);
  EXPECT_EQ(next_frame(rest, frame, 4, 100), Cut::frame);
  EXPECT_EQ(frame.size(), 10u);
  EXPECT_EQ(next_frame(rest, frame, 4, 100), Cut::more);
  EXPECT_EQ(rest.size(), 4u);
}

TEST(Framing, RefusesALengthOutOfBoundsAsSoonAsItIsThere) {
  for (const std::uint32_t length : {0u, 11u, 101u, 0xffffffffu}) {
    std::vector<std::byte> stream(4);
    store(stream.data(), length);
    Bytes rest(stream), frame;
    EXPECT_EQ(next_frame(rest, frame, 12, 100), Cut::malformed) << length;
    rest = Bytes(stream).first(3);
    EXPECT_EQ(next_frame(rest, frame, 12, 100), Cut::more) << length;
  }
  for (const std::size_t length : {12u, 100u}) {
    const auto f = framed(length);
    Bytes rest(f), frame;
    EXPECT_EQ(next_frame(rest, frame, 12, 100), Cut::frame) << length;
  }
}

TEST(Inbox, GrowsWithWhatComesAndGivesItBack) {
  Inbox inbox(0);
  const auto f = framed(1u << 20);
  std::size_t came = 0;
  // a frame that announces a megabyte uses no memory for it before the bytes arrive
  EXPECT_LT(inbox.room().size(), 100u << 10);
  while (came < f.size()) {
    const std::span<std::byte> room = inbox.room();
    const std::size_t n = std::min<std::size_t>({room.size(), 1000, f.size() - came});
    std::memcpy(room.data(), f.data() + came, n);
    inbox.add(n);
    came += n;
    Bytes content = inbox.content(), frame;
    EXPECT_EQ(next_frame(content, frame, 4, 2u << 20), came < f.size() ? Cut::more : Cut::frame);
  }
  EXPECT_TRUE(std::equal(f.begin(), f.end(), inbox.content().begin(), inbox.content().end()));
  // the bytes to keep may be part of its own content
  inbox.keep(inbox.content().last(3));
  EXPECT_EQ(inbox.content().size(), 3u);
  inbox.shrink(1000);
  EXPECT_EQ(inbox.content().size(), 3u);
  EXPECT_LT(inbox.room().size(), 100u << 10);
}

TEST(Liveness, KnowsSilenceAndWhenToSpeakByTheTimesItIsGiven) {
  const Clock::time_point start{};
  Liveness l(start);
  EXPECT_FALSE(l.silent(start + 5s, 5s));
  EXPECT_TRUE(l.silent(start + 5001ms, 5s));
  l.hear(start + 3s);
  EXPECT_FALSE(l.silent(start + 8s, 5s));
  EXPECT_EQ(l.beat(), start + 1s);
  l.say(start + 10s);
  EXPECT_EQ(l.beat(), start + 11s);
}

}  // namespace
}  // namespace vernier::net
