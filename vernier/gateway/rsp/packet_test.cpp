#include "vernier/gateway/rsp/packet.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <sstream>

namespace vernier::rsp {
namespace {

using spatial::Trajectory;
using spatial::Vector3;

const std::filesystem::path format = std::filesystem::path(VERNIER_SOURCE_DIR) / "formats/rsp";

/// Little-endian doubles in hexadecimal, one per line.
std::vector<double> vector_in(const std::filesystem::path& file) {
  std::ifstream in(file);
  std::vector<double> all;
  std::string line;
  while (std::getline(in, line)) {
    EXPECT_EQ(line.size(), 16u) << file;
    std::uint64_t bits = 0;
    for (std::size_t i = 0; i < 8; ++i)
      bits |= std::stoull(line.substr(2 * i, 2), nullptr, 16) << (8 * i);
    double x = 0.0;
    std::memcpy(&x, &bits, sizeof x);
    all.push_back(x);
  }
  return all;
}

bool same(const Trajectory& a, const Trajectory& b) {
  return (a.p - b.p).norm() == 0 && (a.v - b.v).norm() == 0 && (a.q - b.q).norm() < 1e-15 &&
         (a.omega - b.omega).norm() < 1e-15 && (a.a - b.a).norm() == 0 &&
         (a.alpha - b.alpha).norm() < 1e-15;
}

/// The contents of formats/rsp/vectors.py, in this program's conventions.
Trajectory servicer() {
  Trajectory t;
  t.p = Vector3(1.0, -2.5, 0.125);
  t.v = Vector3(0.01, 0.0, -0.02);
  t.q = spatial::Quaternion(0.5, -0.5, 0.5, 0.5);  // x y z w
  t.omega = Vector3(0.1, -0.2, 0.3);
  return t;
}

Packet golden(Kind kind, std::int64_t run, std::int64_t step, std::uint32_t bodies = 0,
              std::array<double, 6> arguments = {}) {
  Packet p;
  p.kind = kind;
  p.run = run;
  p.step = step;
  p.bodies = bodies;
  p.arguments = arguments;
  if (bodies > 0) p.states[0] = servicer();
  return p;
}

std::vector<std::pair<const char*, Packet>> all_golden() {
  const Packet state = golden(Kind::state, 3, 6, 2, {51.0});
  Packet pushed = state;
  pushed.accelerations = true;
  pushed.states[0].a = Vector3(0.001, 0.002, -0.003);
  pushed.states[0].alpha = Vector3(0.01, 0.02, -0.03);
  Packet turned = state;
  turned.reference_axes = true;
  return {{"ready", golden(Kind::ready, 2, 1000, 2)},
          {"init", golden(Kind::init, 3, 5, 2, {47.0, 100e6, 1.0, 0.5, 30.0})},
          {"init_ack", golden(Kind::init_ack, 3, 10)},
          {"init_nak", golden(Kind::init_nak, 3, 10, 0, {12.0, 0.75, 0.5, 1.0})},
          {"state", state},
          {"state_accelerations", pushed},
          {"state_reference_axes", turned},
          {"feedback", golden(Kind::feedback, 3, 60, 2, {3.0, 0.0485, 1.0, 2.0, 0.0})},
          {"stop", golden(Kind::stop, 3, 12)},
          {"halted", golden(Kind::halted, 3, 900, 0, {1.0})},
          {"fault", golden(Kind::fault, 3, 901)}};
}

TEST(Packet, GoldenOnesAreWrittenAndReadNumberByNumber) {
  for (const auto& [name, packet] : all_golden()) {
    const auto numbers_there = vector_in(format / "golden" / (std::string(name) + ".hex"));
    ASSERT_GE(numbers_there.size(), prefix) << name;
    std::vector<double> written(numbers_there.size());
    encode(packet, written);
    for (std::size_t i = 0; i < written.size(); ++i) {
      // vectors in rotated axes are rounded, all else is exact
      EXPECT_NEAR(written[i], numbers_there[i], packet.reference_axes ? 1e-15 : 0.0)
          << name << ' ' << i;
    }
    Packet read;
    ASSERT_EQ(decode(numbers_there, read), Flaw::none) << name;
    EXPECT_EQ(read.kind, packet.kind) << name;
    EXPECT_EQ(read.run, packet.run);
    EXPECT_EQ(read.step, packet.step);
    EXPECT_EQ(read.bodies, packet.bodies);
    EXPECT_EQ(read.accelerations, packet.accelerations);
    EXPECT_EQ(read.reference_axes, packet.reference_axes);
    EXPECT_EQ(read.arguments, packet.arguments);
    for (std::uint32_t i = 0; i < read.bodies; ++i)
      EXPECT_TRUE(same(read.states[i], packet.states[i])) << name << ' ' << i;
  }
}

TEST(Packet, BadOnesAreNamed) {
  const std::pair<const char*, Flaw> bad[] = {{"short", Flaw::size},
                                              {"cut", Flaw::size},
                                              {"version", Flaw::version},
                                              {"version_nan", Flaw::version},
                                              {"kind", Flaw::kind},
                                              {"kind_half", Flaw::kind},
                                              {"run", Flaw::whole},
                                              {"run_large", Flaw::whole},
                                              {"step", Flaw::whole},
                                              {"bodies", Flaw::bodies},
                                              {"bodies_negative", Flaw::bodies},
                                              {"flags", Flaw::flags},
                                              {"argument", Flaw::finite},
                                              {"position", Flaw::finite},
                                              {"rate", Flaw::finite},
                                              {"attitude", Flaw::attitude},
                                              {"attitude_zero", Flaw::attitude}};
  std::size_t files = 0;
  for ([[maybe_unused]] const auto& f : std::filesystem::directory_iterator(format / "bad"))
    files += f.path().extension() == ".hex";
  EXPECT_EQ(files, std::size(bad));
  for (const auto& [name, flaw] : bad) {
    Packet read;
    EXPECT_EQ(decode(vector_in(format / "bad" / (std::string(name) + ".hex")), read), flaw) << name;
    EXPECT_FALSE(words(flaw).empty());
    if (flaw == Flaw::finite || flaw == Flaw::attitude) {
      EXPECT_EQ(read.run, 3);  // the run is still known
    }
  }
}

TEST(Packet, AttitudesNearAUnitBecomeOne) {
  auto numbers_there = vector_in(format / "golden/state.hex");
  for (std::size_t i = 18; i < 22; ++i) numbers_there[i] *= 1.0 + 9e-7;
  Packet read;
  ASSERT_EQ(decode(numbers_there, read), Flaw::none);
  EXPECT_NEAR(read.states[0].q.norm(), 1.0, 1e-15);
}

TEST(Packet, WhatIsBehindItIsNotLookedAt) {
  auto numbers_there = vector_in(format / "golden/stop.hex");
  numbers_there[30] = std::numeric_limits<double>::quiet_NaN();
  Packet read;
  EXPECT_EQ(decode(numbers_there, read), Flaw::none);
}

TEST(Packet, EveryReasonHasWords) {
  for (int i = 0; i <= static_cast<int>(last_refusal); ++i) {
    for (int j = 0; j < i; ++j)
      EXPECT_NE(words(static_cast<Refusal>(i)), words(static_cast<Refusal>(j)));
  }
}

}  // namespace
}  // namespace vernier::rsp
