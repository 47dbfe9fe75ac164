#include "vernier/component/stream.hpp"

#include <gtest/gtest.h>

#include <string_view>

namespace vernier {
namespace {

using namespace std::chrono_literals;

std::span<const std::byte> bytes(std::string_view s) { return std::as_bytes(std::span(s)); }
std::string_view text(const Message& m) {
  return {reinterpret_cast<const char*>(m.content.data()), m.content.size()};
}

TEST(Stream, ShowsMessagesOnlyAfterTheyArePublished) {
  Stream stream(4, 16);
  StreamReader reader;
  reader.connect(&stream);
  Message m;
  EXPECT_TRUE(stream.push(Time{1s}, bytes("on")));
  EXPECT_FALSE(reader.pop(m));
  stream.publish();
  ASSERT_TRUE(reader.pop(m));
  EXPECT_EQ(text(m), "on");
  EXPECT_EQ(m.stamp, Time{1s});
  EXPECT_FALSE(reader.pop(m));
}

TEST(Stream, DropsTheOldestAndEachReaderCountsItsOwnLoss) {
  Stream stream(2, 8);
  StreamReader quick, slow;
  quick.connect(&stream);
  slow.connect(&stream);
  Message m;
  for (const char* message : {"a", "b", "c", "d"}) {
    stream.push(Time{}, bytes(message));
    stream.publish();
    ASSERT_TRUE(quick.pop(m));
    EXPECT_EQ(text(m), message);
  }
  ASSERT_TRUE(slow.pop(m));
  EXPECT_EQ(text(m), "c");
  EXPECT_EQ(slow.lost(), 2u);
  EXPECT_EQ(quick.lost(), 0u);
}

TEST(Stream, RefusesAMessageThatIsTooLarge) {
  Stream stream(2, 4);
  EXPECT_FALSE(stream.push(Time{}, bytes("too long")));
  EXPECT_EQ(stream.pushed(), 0u);
}

TEST(Stream, ResumesFromItsImage) {
  Stream stream(3, 8), other(3, 8);
  stream.push(Time{1s}, bytes("a"));
  stream.publish();
  stream.push(Time{2s}, bytes("b"));
  std::vector<std::byte> image(stream.state_bytes()), again(stream.state_bytes());
  stream.save(image);
  other.load(image);
  other.save(again);
  EXPECT_EQ(image, again);
  StreamReader reader;
  reader.connect(&other);
  Message m;
  ASSERT_TRUE(reader.pop(m));
  EXPECT_EQ(text(m), "a");
  EXPECT_FALSE(reader.pop(m));
  other.publish();
  ASSERT_TRUE(reader.pop(m));
  EXPECT_EQ(text(m), "b");
}

TEST(StreamReader, OfNoStreamIsEmpty) {
  StreamReader reader;
  Message m;
  EXPECT_FALSE(reader.pop(m));
}

}  // namespace
}  // namespace vernier
