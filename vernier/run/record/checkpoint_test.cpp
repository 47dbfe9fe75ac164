#include "vernier/run/record/checkpoint.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "vernier/base/temporary_folder.hpp"

namespace vernier::record {
namespace {

Checkpoint sample() {
  Checkpoint c{"0.1.0", "detumble", digest_of(std::vector<Digest>(2)), {}};
  c.snapshot.time = Time(Duration(300'000'000'001));
  c.snapshot.sections.push_back({"state plant", {std::byte{1}, std::byte{2}, std::byte{3}}});
  c.snapshot.sections.push_back({"state bus.wheel2", {}});
  c.snapshot.sections.push_back({"port plant.omega", std::vector<std::byte>(1000, std::byte{7})});
  c.computing = {Arithmetic::fastest, Instructions::avx2};
  return c;
}

std::string code_of(std::span<const std::byte> bytes) {
  try {
    decoded(bytes, "x.vchk");
  } catch (const ConfigurationError& e) {
    return e.diagnostics().list()[0].code;
  }
  return "";
}

TEST(Checkpoint, GivesBackEveryByte) {
  const TemporaryFolder folder;
  const Checkpoint c = sample();
  write_checkpoint(folder / "a.vchk", c);
  const Checkpoint d = read_checkpoint(folder / "a.vchk");
  EXPECT_EQ(d.version, c.version);
  EXPECT_EQ(d.composition, c.composition);
  EXPECT_EQ(d.documents, c.documents);
  EXPECT_EQ(d.snapshot.time, c.snapshot.time);
  ASSERT_EQ(d.snapshot.sections.size(), 3u);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(d.snapshot.sections[i].path, c.snapshot.sections[i].path);
    EXPECT_EQ(d.snapshot.sections[i].bytes, c.snapshot.sections[i].bytes);
  }
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), {}), 1);
}

TEST(Checkpoint, SaysWhatIsWrongWithAFile) {
  const std::vector<std::byte> good = encoded(sample());
  EXPECT_EQ(code_of(good), "");
  EXPECT_EQ(code_of({}), "V7110");
  for (std::size_t n = 8; n < good.size(); ++n) {
    EXPECT_EQ(code_of(std::span(good).first(n)), "V7112") << n << " bytes";
  }
  auto longer = good;
  longer.push_back(std::byte{0});
  EXPECT_EQ(code_of(longer), "V7113");
  auto newer = good;
  newer[8] = std::byte{2};
  EXPECT_EQ(code_of(newer), "V7111");
  // any other changed bit is detected
  for (std::size_t i = 24; i < good.size(); ++i) {
    auto bad = good;
    bad[i] ^= std::byte{0x10};
    EXPECT_EQ(code_of(bad), "V7113") << "byte " << i;
  }
}

TEST(Checkpoint, BelievesNoSizeThatAFileClaims) {
  const std::vector<std::byte> good = encoded(sample());
  // without the checksum every byte may be wrong: only a refusal may follow
  for (std::size_t i = 0; i < good.size(); ++i) {
    for (const auto value : {0x00, 0x7f, 0xff}) {
      auto bad = good;
      bad[i] = std::byte(value);
      try {
        decoded_unchecked(bad, "x.vchk");
      } catch (const ConfigurationError&) {
      }
    }
  }
}

TEST(Checkpoint, TellsWhichStatesDoNotFit) {
  const Checkpoint c = sample();
  Diagnostics none;
  compare_shape(c, c.snapshot, c.documents, "a.vchk", none);
  EXPECT_TRUE(none.list().empty());

  Diagnostics changed;
  compare_shape(c, c.snapshot, Digest{}, "a.vchk", changed);
  ASSERT_EQ(changed.list().size(), 1u);
  EXPECT_EQ(changed.list()[0].code, "V7115");
  EXPECT_EQ(changed.errors(), 0u);

  executive::Snapshot other = c.snapshot;
  other.sections[0].bytes.resize(8);
  other.sections[1].path = "state bus.wheel3";
  Diagnostics problems;
  compare_shape(c, other, c.documents, "a.vchk", problems);
  ASSERT_EQ(problems.errors(), 1u);
  EXPECT_THAT(problems.list()[0].body,
              ::testing::ElementsAre("state plant: 3 bytes in the checkpoint, 8 here",
                                     "state bus.wheel2: in the checkpoint only",
                                     "state bus.wheel3: not in the checkpoint"));

  // overrides, there or here, are not part of the shape
  Checkpoint overridden = c;
  overridden.snapshot.sections.push_back({"shadow input plant.torque", {std::byte{1}}});
  other = c.snapshot;
  other.sections.push_back({"shadow output plant.omega", {std::byte{1}}});
  compare_shape(overridden, other, c.documents, "a.vchk", none);
  EXPECT_TRUE(none.list().empty());
}

TEST(Checkpoint, TellsWhenBitsWillNotBeThoseOfItsRun) {
  Checkpoint c = sample();
  const auto told = [&](Arithmetic a, Instructions i) {
    Diagnostics problems;
    compare_arithmetic(c, {a, i}, "a.vchk", problems);
    EXPECT_EQ(problems.errors(), 0u);
    EXPECT_LE(problems.list().size(), 1u);
    return problems.list().empty() ? "" : problems.list()[0].message;
  };
  using enum Arithmetic;
  EXPECT_EQ(told(fastest, Instructions::avx2), "");
  EXPECT_EQ(told(fastest, Instructions::avx512),
            "a.vchk was taken with arithmetic \"fastest\" on avx2, this run has arithmetic "
            "\"fastest\" on avx512: it continues, but its results may differ from the original run "
            "by rounding errors");
  EXPECT_NE(told(reproducible, Instructions::avx2), "");
  c.computing = {reproducible, Instructions::avx2};
  EXPECT_EQ(told(reproducible, Instructions::sse2), "");
  EXPECT_NE(told(fastest, Instructions::avx2), "");
  c.computing.reset();
  EXPECT_NE(told(reproducible, Instructions::avx2), "");
}

TEST(Checkpoint, IsNamedAfterItsTime) {
  EXPECT_EQ(checkpoint_name(Time(std::chrono::seconds(300))), "t=0300.000.vchk");
  EXPECT_EQ(checkpoint_name(Time(Duration(1))), "t=0000.000000001.vchk");
  EXPECT_EQ(checkpoint_name(Time(std::chrono::milliseconds(-1500))), "t=-0001.500.vchk");
}

}  // namespace
}  // namespace vernier::record
