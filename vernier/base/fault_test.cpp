#include "vernier/base/fault.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <string>

namespace vernier {
namespace {

TEST(Fault, HoldsAsMuchOfItsWordsAsThereIsRoomFor) {
  Fault f;
  const std::string many(2 * sizeof f.text, 'x');
  f.set(Category::peer, "V51060000", "%s", many.c_str());
  EXPECT_STREQ(f.code, "V510600");
  EXPECT_EQ(std::string(f.text), many.substr(0, sizeof f.text - 1));
  EXPECT_EQ(f.category, Category::peer);
}

TEST(Fault, LeavesNothingOfTheOneBefore) {
  Fault f;
  f.set(Category::numerics, "V3107", " became not-a-number at t = %g s", 2.5);
  std::strcpy(f.subject, "omega");
  EXPECT_STREQ(f.text, " became not-a-number at t = 2.5 s");
  f.set(Category::machine, "V7310", "full");
  EXPECT_STREQ(f.code, "V7310");
  EXPECT_STREQ(f.subject, "");
  EXPECT_STREQ(f.text, "full");
  EXPECT_EQ(f.category, Category::machine);
}

}  // namespace
}  // namespace vernier
