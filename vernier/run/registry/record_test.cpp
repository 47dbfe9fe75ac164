#include "vernier/run/registry/record.hpp"

#include <gtest/gtest.h>

namespace vernier::registry {
namespace {

Record example() {
  return {.run = "formation-3f2a",
          .leader = {"desk", 4711, 7},
          .version = "0.1.0",
          .folder = "/home/user/runs/formation-0003",
          .document = "/home/user/formation.xml",
          .nodes = {{"a", "", {"leader"}}, {"b", "lab2:4870", {"b.craft", "b.guidance"}}},
          .checkpoint = RunCheckpoint{"/home/user/runs/formation-0003/checkpoints/60.vchk",
                                      60'000'000'000, std::string(64, 'a')}};
}

TEST(RegistryRecord, IsTheSameAfterWritingAndReading) {
  const auto read = record_of(to_json(example()));
  ASSERT_TRUE(read) << read.error();
  EXPECT_EQ(*read, example());
  const auto least = record_of(to_json(Record{.run = "a"}));
  ASSERT_TRUE(least) << least.error();
  EXPECT_EQ(*least, Record{.run = "a"});
}

TEST(RegistryRecord, NeedsAllItsBytes) {
  const std::string text = to_json(example());
  for (std::size_t n = 0; n + 2 < text.size(); ++n) EXPECT_FALSE(record_of(text.substr(0, n))) << n;
}

std::string why_not(const std::string& from, const std::string& to) {
  std::string text = to_json(example());
  const std::size_t at = text.find(from);
  EXPECT_NE(at, text.npos) << from;
  text.replace(at, from.size(), to);
  const auto read = record_of(text);
  EXPECT_FALSE(read) << text;
  return read ? "" : read.error();
}

TEST(RegistryRecord, ThatIsNotOneIsRefusedWithAReason) {
  EXPECT_EQ(record_of("[]").error(), "there is no object");
  EXPECT_EQ(record_of("{}").error(), "\"record\" is missing");
  EXPECT_EQ(why_not("\"record\": 1", "\"record\": 2"), "it has another version");
  EXPECT_EQ(why_not("\"formation-3f2a\"", "\"../x\""), "\"run\" is not the name of a run");
  EXPECT_EQ(why_not("\"epoch\": 7", "\"epoch\": -7"), "\"epoch\" is not a whole number");
  EXPECT_EQ(why_not("\"desk\"", "7"), "\"host\" is not a text");
  EXPECT_EQ(why_not("\"leader\"", "7"), "a part is not a text");
  EXPECT_EQ(why_not("60000000000", "1e9"), "\"time_ns\" is not a whole number");
  EXPECT_EQ(why_not("60000000000", "18446744073709551615"), "\"time_ns\" is not a whole number");
  EXPECT_EQ(why_not(std::string(64, 'a'), "abc"), "\"sha256\" is not a digest");
  EXPECT_EQ(record_of(std::string(longest_record + 1, ' ')).error(), "there is no object");
}

TEST(RegistryRecord, OfARunHasANameThatIsSafeInKeysAndOnTerminals) {
  EXPECT_TRUE(is_run_name("Formation_2.a-b"));
  for (const char* name : {"", "a/b", "a b", "\x1b[0m", "µ"}) EXPECT_FALSE(is_run_name(name));
  EXPECT_TRUE(is_run_name(std::string(100, 'a')));
  EXPECT_FALSE(is_run_name(std::string(101, 'a')));
}

TEST(RegistryLeader, IsTheSameAfterWritingAndReading) {
  const auto read = leader_of(to_json(Leader{"desk", 4711, 7}));
  ASSERT_TRUE(read) << read.error();
  EXPECT_EQ(*read, (Leader{"desk", 4711, 0}));  // the registry knows the epoch
  EXPECT_FALSE(leader_of("{\"host\":\"desk\"}"));
}

}  // namespace
}  // namespace vernier::registry
