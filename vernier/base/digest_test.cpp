#include "vernier/base/digest.hpp"

#include <gtest/gtest.h>

namespace vernier {
namespace {

std::string sha(std::string_view s) { return text(sha256(std::as_bytes(std::span(s)))); }

// the vectors of FIPS 180-4's examples
TEST(Sha256, AgreesWithTheStandardsExamples) {
  EXPECT_EQ(sha(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(sha("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(sha("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(sha(std::string(1'000'000, 'a')),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Sha256, DoesNotDependOnThePieces) {
  const std::string all(300, 'x');
  for (std::size_t cut = 0; cut <= all.size(); ++cut) {
    Sha256 sum;
    sum.add(std::string_view(all).substr(0, cut));
    sum.add(std::string_view(all).substr(cut));
    EXPECT_EQ(text(sum.finish()), sha(all)) << cut;
  }
}

std::string mac(std::string_view key, std::string_view message) {
  return text(hmac_sha256(std::as_bytes(std::span(key)), std::as_bytes(std::span(message))));
}

// test cases 1, 2, 6 and 7 of RFC 4231
TEST(Hmac, AgreesWithTheStandardsTestCases) {
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

TEST(Digests, AreTheSameOrNot) {
  Digest a = sha256({}), b = a;
  EXPECT_TRUE(same(a, b));
  b[31] ^= std::byte{1};
  EXPECT_FALSE(same(a, b));
}

}  // namespace
}  // namespace vernier
