#include "vernier/base/base64.hpp"

#include <gtest/gtest.h>

namespace vernier {
namespace {

// RFC 4648, section 10
TEST(Base64, IsThatOfTheStandard) {
  const std::pair<const char*, const char*> vectors[] = {{"", ""},
                                                         {"f", "Zg=="},
                                                         {"fo", "Zm8="},
                                                         {"foo", "Zm9v"},
                                                         {"foob", "Zm9vYg=="},
                                                         {"fooba", "Zm9vYmE="},
                                                         {"foobar", "Zm9vYmFy"}};
  for (const auto& [bytes, text] : vectors) {
    EXPECT_EQ(base64(bytes), text);
    EXPECT_EQ(from_base64(text), bytes);
  }
}

TEST(Base64, GivesEveryByteBack) {
  std::string bytes;
  for (int k = 0; k < 256; ++k) {
    EXPECT_EQ(from_base64(base64(bytes)), bytes);
    bytes += static_cast<char>(k);
  }
}

TEST(Base64, RefusesWhatItDoesNotWrite) {
  for (const char* text : {"Z", "Zg", "Zg=", "Zh==", "Zm9=", "Zg==Zg==", "=",
                           "====", "Z===", "Zm 9", "Zm9v\n", "Zm_-"})
    EXPECT_EQ(from_base64(text), std::nullopt) << text;
}

}  // namespace
}  // namespace vernier
