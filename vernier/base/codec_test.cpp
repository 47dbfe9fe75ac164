#include "vernier/base/codec.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace vernier {
namespace {

enum class Colour : std::uint16_t { red = 0x1234 };

struct Inner {
  static constexpr bool visited = true;
  std::uint8_t small = 0;
  std::string name;
  bool operator==(const Inner&) const = default;
  template <class V>
  void fields(V& v) {
    v(small, name);
  }
};
struct Outer {
  static constexpr bool visited = true;
  std::int64_t number = 0;
  double real = 0.0;
  Colour colour{};
  bool truth = false;
  std::array<char, 3> tag{};
  std::optional<std::uint32_t> maybe, none;
  std::vector<Inner> all;
  std::vector<std::byte> blob;
  bool operator==(const Outer&) const = default;
  template <class V>
  void fields(V& v) {
    Reserved<2> later;
    v(number, real, colour, truth, later, tag, maybe, none, all, blob);
  }
};

Outer sample() {
  return {.number = -2,
          .real = 1.5,
          .colour = Colour::red,
          .truth = true,
          .tag = {'a', 'b', 'c'},
          .maybe = 7,
          .none = {},
          .all = {{1, "x"}, {2, ""}},
          .blob = {std::byte{9}}};
}

std::string hex(Bytes bytes) {
  std::string s;
  for (const std::byte b : bytes) {
    s += "0123456789abcdef"[std::to_integer<unsigned>(b) >> 4];
    s += "0123456789abcdef"[std::to_integer<unsigned>(b) & 15];
  }
  return s;
}

std::vector<std::byte> written(const Outer& o) {
  std::vector<std::byte> bytes;
  ByteWriter{bytes}(o);
  return bytes;
}

TEST(Codec, WritesNumbersInEitherOrder) {
  std::vector<std::byte> little, big;
  ByteWriter{little}(std::uint32_t{0x01020304}, std::int16_t{-2}, 1.0);
  BigEndianWriter{big}(std::uint32_t{0x01020304}, std::int16_t{-2}, 1.0);
  EXPECT_EQ(hex(little), "04030201feff000000000000f03f");
  EXPECT_EQ(hex(big), "01020304fffe3ff0000000000000");
  BigEndianReader r(big);
  EXPECT_EQ(r.number<std::uint32_t>(), 0x01020304u);
  EXPECT_EQ(r.number<std::int16_t>(), -2);
  EXPECT_EQ(r.number<double>(), 1.0);
  EXPECT_TRUE(r.complete());
}

TEST(Codec, WritesByteForByteWhatIsSpecified) {
  EXPECT_EQ(hex(written(sample())),
            "feffffffffffffff"  // number
            "000000000000f83f"  // real
            "3412"              // colour
            "01"                // truth
            "0000"              // reserved
            "616263"            // tag, without a count
            "0107000000"        // maybe
            "00"                // none
            "02000000"          // all: two,
            "010100000078"      // 1 and "x",
            "0200000000"        // 2 and ""
            "0100000009");      // blob
}

TEST(Codec, ReadsWhatItWrote) {
  Outer back;
  const auto bytes = written(sample());
  ByteReader r(bytes);
  r(back);
  EXPECT_TRUE(r.complete());
  EXPECT_EQ(back, sample());
}

TEST(Codec, WhatIsCutShortIsRefusedAndNeverReadBeyond) {
  const auto bytes = written(sample());
  for (std::size_t n = 0; n < bytes.size(); ++n) {
    // a copy of exactly this size, so that a sanitizer detects reading one byte too many
    const std::vector<std::byte> cut(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(n));
    Outer back;
    ByteReader r(cut);
    r(back);
    EXPECT_FALSE(r.ok()) << n;
    EXPECT_EQ(r.number<std::uint64_t>(), 0u) << n;
    EXPECT_TRUE(r.rest().empty()) << n;
  }
}

TEST(Codec, CountsThatCannotBeAreRefusedBeforeMemoryIsTaken) {
  std::vector<std::byte> bytes;
  ByteWriter{bytes}(std::uint32_t{0xffffffff}, std::uint32_t{0});
  std::vector<std::uint32_t> numbers;
  std::string text;
  ByteReader of_numbers(bytes), of_text(bytes);
  of_numbers(numbers);
  of_text(text);
  EXPECT_FALSE(of_numbers.ok());
  EXPECT_FALSE(of_text.ok());
  EXPECT_LT(numbers.capacity(), 100u);
  EXPECT_LT(text.capacity(), 100u);
}

TEST(Codec, ATruthIsZeroOrOne) {
  const std::vector<std::byte> two{std::byte{2}};
  bool truth = false;
  ByteReader r(two);
  r(truth);
  EXPECT_FALSE(r.ok());
}

TEST(Codec, ASpanIsNeverWrittenBeyondItsEnd) {
  const auto whole = written(sample());
  for (std::size_t n = 0; n <= whole.size(); ++n) {
    std::vector<std::byte> room(n);
    SpanWriter w(room);
    w(sample());
    EXPECT_EQ(w.ok(), n == whole.size()) << n;
    if (!w.ok()) {
      // after a failure nothing more is written, even if it would fit
      const std::size_t used = w.used();
      w(std::uint8_t{1});
      EXPECT_EQ(w.used(), used);
    } else {
      EXPECT_EQ(room, whole);
    }
  }
}

TEST(Codec, MovesSequencesOfNumbersAtOnce) {
  const std::array<double, 3> values{1.0, -0.0, std::numeric_limits<double>::infinity()};
  std::vector<std::byte> little, big;
  ByteWriter{little}.numbers(std::span<const double>(values));
  BigEndianWriter{big}.numbers(std::span<const double>(values));
  EXPECT_EQ(little.size(), 24u);
  std::array<double, 3> a{}, b{};
  ByteReader{little}.numbers(std::span<double>(a));
  BigEndianReader{big}.numbers(std::span<double>(b));
  EXPECT_EQ(a, values);
  EXPECT_EQ(b, values);
  ByteReader short_of_one(Bytes(little).first(23));
  short_of_one.numbers(std::span<double>(a));
  EXPECT_FALSE(short_of_one.ok());
}

}  // namespace
}  // namespace vernier
