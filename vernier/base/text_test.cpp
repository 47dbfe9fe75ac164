#include "vernier/base/text.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace vernier {
namespace {

TEST(Text, TrimsAndSplitsAtBlanks) {
  EXPECT_EQ(trimmed(" \n toPayload\t"), "toPayload");
  EXPECT_EQ(trimmed("   "), "");
  EXPECT_EQ(words(" 1  2\n3 "), (std::vector<std::string_view>{"1", "2", "3"}));
  EXPECT_EQ(split("a,,b", ','), (std::vector<std::string_view>{"a", "", "b"}));
  EXPECT_EQ(joined({"a", "b"}, ", "), "a, b");
}

TEST(Text, ReadsNumbersInCNotationOnly) {
  EXPECT_EQ(parsed_real("+2.7e-4"), 2.7e-4);
  EXPECT_EQ(parsed_real("-.5"), -0.5);
  for (const char* bad : {"", "1,5", "1 ", "0x10", "inf", "nan", "1e999", "--1", "+-1", "1.2.3"}) {
    EXPECT_FALSE(parsed_real(bad)) << bad;
  }
  EXPECT_EQ(parsed_integer("-42"), -42);
  EXPECT_FALSE(parsed_integer("42.0"));
  EXPECT_FALSE(parsed_integer("99999999999999999999"));
}

TEST(Text, WritesNumbersThatReadBackTheSame) {
  for (const double value : {0.1, 1.0 / 3.0, 238.124467993, 5e-324, -0.0}) {
    EXPECT_EQ(parsed_real(exact(value)), value);
  }
  EXPECT_TRUE(std::signbit(*parsed_real(exact(-0.0))));
}

TEST(Text, FindsTheWordThatWasMeant) {
  const std::vector<std::string> elements{"diffequation", "outputmap", "transitions", "name"};
  EXPECT_EQ(closest("diffequaton", elements), "diffequation");
  EXPECT_EQ(closest("naem", elements), "name");
  EXPECT_EQ(closest("OUTPUTMAP", elements), std::nullopt);  // half a character each: too different
  EXPECT_EQ(closest("OutputMap", elements), "outputmap");
  EXPECT_EQ(closest("Pinn", {"Pin", "M"}), "Pin");
  EXPECT_EQ(closest("x", {"q", "w"}), std::nullopt);  // all of the word would differ
  EXPECT_EQ(edit_distance("ab", "ba"), 1.0);
}

TEST(Text, MatchesPatternsOverPaths) {
  EXPECT_TRUE(matches("wheel*.speed", "wheel2.speed"));
  EXPECT_TRUE(matches("*", ""));
  EXPECT_TRUE(matches("a?c", "abc"));
  EXPECT_FALSE(matches("wheel*.speed", "wheel2.speeds"));
  EXPECT_TRUE(matches("q[0]", "q[0]"));
  EXPECT_FALSE(matches("", "a"));
}

TEST(Text, CountsCharactersNotBytes) { EXPECT_EQ(width("‖ω‖ µT"), 6u); }

TEST(Text, EscapesWhatMarkupWouldTakeForItsOwn) {
  EXPECT_EQ(escaped("a < b && \"c\" > 'd' µ"), "a &lt; b &amp;&amp; &quot;c&quot; &gt; 'd' µ");
  EXPECT_EQ(escaped("&amp;"), "&amp;amp;");
  EXPECT_EQ(escaped(""), "");
}

TEST(Text, DecimalCommasBecomePoints) {
  EXPECT_EQ(without_decimal_commas("0,2 m"), "0.2 m");
  EXPECT_EQ(without_decimal_commas("1, 2"), std::nullopt);
  EXPECT_EQ(without_decimal_commas("0.2"), std::nullopt);
}

}  // namespace
}  // namespace vernier
