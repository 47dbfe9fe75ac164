#include "vernier/model/environment/reference_frame.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "vernier/base/diagnostic.hpp"
#include "vernier/kernel/frames/dates.hpp"
#include "vernier/testing/system_rig.hpp"

namespace vernier::environment {
namespace {

using testing::made_system;
using testing::SystemRig;

TEST(ReferenceFrame, IsTheStandardOneOfItsTime) {
  const auto system =
      made_system(reference_frame_type(),
                  {{"frame", "MoonCentricFixed"}, {"epoch", "2026-06-01"}, {"days", "2"}});
  SystemRig rig(*system);
  rig.t = 100000.5;
  frames::FrameState s;
  ASSERT_TRUE(frames::StandardFrames({}).relative(
      *frames::standard_frame("MoonCentricFixed"), *frames::standard_frame("EarthICRF"),
      *frames::parsed_epoch("2026-06-02T03:46:40.5"), s));
  const auto same = [&](const char* port, const auto& v) {
    const std::vector<double> out = rig.out(port);
    ASSERT_EQ(out.size(), static_cast<std::size_t>(v.size()));
    for (int i = 0; i < v.size(); ++i) EXPECT_EQ(out[static_cast<std::size_t>(i)], v[i]) << port;
  };
  same("position", s.position);
  same("velocity", s.velocity);
  same("acceleration", s.acceleration);
  same("attitude", s.attitude);
  same("rate", s.rate);
  same("angular_acceleration", s.angular_acceleration);
  testing::expect_conforming(rig);
  rig.t = 80.0 * 365.25 * 86400.0;  // 2106
  EXPECT_TRUE(std::isnan(rig.out("position")[0]));
}

TEST(ReferenceFrame, RefusesWhatItCannotKnow) {
  const auto with = [](const char* name, const char* value) {
    std::map<std::string, std::string> p{{"frame", "EarthFixed"}, {"epoch", "2026-06-01"}};
    p[name] = value;
    return made_system(reference_frame_type(), p);
  };
  EXPECT_THROW(with("frame", "EarthFixd"), ConfigurationError);
  EXPECT_THROW(with("epoch", "2150-01-01"), ConfigurationError);
  EXPECT_THROW(with("dut1", "2"), ConfigurationError);
  EXPECT_THROW(with("polar_motion", "1 0"), ConfigurationError);
  EXPECT_THROW(with("days", "-1"), ConfigurationError);
  EXPECT_THROW(with("ephemeris", "no-such-file"), ConfigurationError);
}

}  // namespace
}  // namespace vernier::environment
