#include "vernier/net/secret.hpp"

#include <gtest/gtest.h>

#include <fstream>

#include "vernier/base/diagnostic.hpp"
#include "vernier/base/temporary_folder.hpp"

namespace vernier::net {
namespace {

std::string mac(std::string_view key, std::string_view message) {
  return text(authentication(std::as_bytes(std::span(key)), std::as_bytes(std::span(message))));
}

// test cases 1, 2, 6 and 7 of RFC 4231
TEST(Authentication, AgreesWithTheTestCasesOfHmac) {
  EXPECT_EQ(mac(std::string(20, 0x0b), "Hi There"),
            "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7");
  EXPECT_EQ(mac("Jefe", "what do ya want for nothing?"),
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
  const std::string long_key(131, static_cast<char>(0xaa));
  EXPECT_EQ(mac(long_key, "Test Using Larger Than Block-Size Key - Hash Key First"),
            "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54");
  EXPECT_EQ(mac(long_key,
                "This is a test using a larger than block-size key and a larger than block-size "
                "data. The key needs to be hashed before being used by the HMAC algorithm."),
            "9b09ffa71b942fcb27635fbcd5b0e944bfdc63644f0713938a7f51535c3a35e2");
}

TEST(Authentication, NeedsTheKeyAndTheWholeMessage) {
  EXPECT_NE(mac("key", "message"), mac("kez", "message"));
  EXPECT_NE(mac("key", "message"), mac("key", "message."));
  // a key may be any bytes, or empty
  EXPECT_NE(mac("", ""), mac("k", ""));
}

TEST(Authentication, ComparesAllBytes) {
  Digest a = sha256({}), b = a;
  EXPECT_TRUE(same(a, b));
  for (std::byte& one : b) {
    one ^= std::byte{1};
    EXPECT_FALSE(same(a, b));
    one ^= std::byte{1};
  }
  EXPECT_FALSE(same(a, Bytes(b).first(31)));
  EXPECT_TRUE(same({}, {}));
}

TEST(Authentication, RandomBytesAreNeverTheSame) {
  std::array<std::byte, 16> a{}, b{};
  fill_random(a);
  fill_random(b);
  EXPECT_NE(a, b);  // fails by chance once in 2^128
}

TEST(Keys, AreAllBytesOfAFile) {
  const TemporaryFolder folder;
  const auto file = folder.path() / "key";
  namespace fs = std::filesystem;
  std::ofstream(file, std::ios::binary) << "fifteen bytes..\n";
  const auto refusal = [&] {
    try {
      key_in(file, "V5302", "the federate");
    } catch (const ConfigurationError& e) {
      return e.diagnostics().list().front().message;
    }
    return std::string();
  };
  for (const fs::perms p : {fs::perms::group_read, fs::perms::others_read, fs::perms::group_write,
                            fs::perms::others_write}) {
    fs::permissions(file, fs::perms::owner_read | fs::perms::owner_write | p);
    EXPECT_NE(refusal().find("others can read or change it"), std::string::npos);
  }
  fs::permissions(file, fs::perms::owner_read | fs::perms::owner_write);
  EXPECT_EQ(key_in(file, "V5302", "the federate").size(), 16u);
  std::ofstream(file, std::ios::binary) << "fifteen bytes..";
  EXPECT_NE(refusal().find("it has 15 bytes, a key has at least 16"), std::string::npos);
  std::ofstream(file, std::ios::binary) << std::string(4096, 'x');
  EXPECT_EQ(key_in(file, "V5302", "the federate").size(), 4096u);
  std::ofstream(file, std::ios::binary) << std::string(4097, 'x');
  EXPECT_THROW(key_in(file, "V5302", "the federate"), ConfigurationError);
  std::ofstream(file, std::ios::binary) << "";
  EXPECT_THROW(key_in(file, "V5302", "the federate"), ConfigurationError);
  EXPECT_THROW(key_in(folder.path() / "none", "V5302", "the federate"), ConfigurationError);
}

}  // namespace
}  // namespace vernier::net
