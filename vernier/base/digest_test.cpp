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

}  // namespace
}  // namespace vernier
