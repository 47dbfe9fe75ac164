#include "vernier/model/facility/scene.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "vernier/model/facility/reader.hpp"
#include "vernier/testing/scene_poses.hpp"

namespace vernier::facility {
namespace {

Installation installation() {
  Diagnostics problems;
  const auto source =
      read_source(std::filesystem::path(VERNIER_SOURCE_DIR) / "missions/epos/robots.xml", problems);
  EXPECT_EQ(rendered(problems), "");
  const Parameters p("robots", source->parameters(), {}, 1, {}, problems);
  return source->made(p);
}

TEST(FacilityScene, ItsArmsCarryTheMockUpsWhereTheKinematicsSay) {
  const Installation made = installation();
  const scene::Scene s = scene_of(made);
  for (int k = 0; k < 20; ++k) {
    std::array<Coordinates, 2> q;
    for (int r = 0; r < 2; ++r)
      for (int i = 0; i < 7; ++i)
        q[static_cast<std::size_t>(r)][i] = 1.3 * std::sin(1.7 * k + 3 * r + 0.9 * i);
    q[0][0] = 0.0;  // no rail
    const auto poses = testing::scene_poses(s, [&](const scene::Binding& b) {
      const std::size_t r = b.signal.starts_with(made.robots[0].name + ".") ? 0 : 1;
      const bool rail = b.signal.ends_with(".rail");
      EXPECT_TRUE(rail || b.signal.ends_with(".joints"));
      return std::vector<double>{q[r][rail ? 0 : 1 + b.element]};
    });
    for (std::size_t r = 0; r < 2; ++r) {
      const Pose expected = body_pose(made.robots[r], q[r]);
      const Eigen::Isometry3d& drawn = poses.at(made.robots[r].name);
      EXPECT_LT((drawn.translation() - expected.p).norm(), 1e-12) << made.robots[r].name << k;
      EXPECT_LT((drawn.linear() - expected.R).norm(), 1e-12);
    }
  }
}

}  // namespace
}  // namespace vernier::facility
