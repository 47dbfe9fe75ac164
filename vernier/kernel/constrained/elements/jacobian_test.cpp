#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "vernier/kernel/constrained/check.hpp"
#include "vernier/kernel/constrained/elements.hpp"
#include "vernier/kernel/constrained/rotation.hpp"

namespace vernier::constrained {
namespace {

/// An attachment with offset and axes of its own.
Attachment attached(int node, double side = 1.0) {
  return {node, {0.3 * side, -0.2, 0.4}, rotation(Vector3{0.3, -0.5 * side, 0.2})};
}

/// An element, and where it is checked.
struct Case {
  std::shared_ptr<const Element> element;
  Surroundings around = {};
};
Case at(std::unique_ptr<const Element> e, const Surroundings& around = {}) {
  return {std::move(e), around};
}

using Cases = std::map<std::string, std::vector<Case>>;

/// Every kind of element, by name. A new one joins with a line here.
const Cases& cases() {
  static const Cases all = [] {
    Cases m;
    const std::pair<const char*, JointKind> kinds[] = {
        {"spherical", JointKind::spherical},     {"revolute", JointKind::revolute},
        {"cylindrical", JointKind::cylindrical}, {"prismatic", JointKind::prismatic},
        {"planar", JointKind::planar},           {"universal", JointKind::universal},
        {"in_line", JointKind::in_line},         {"in_plane", JointKind::in_plane},
        {"distance", JointKind::distance},       {"clamp", JointKind::clamp},
        {"rotation", JointKind::rotation},       {"displacement", JointKind::displacement}};
    for (const auto& [name, kind] : kinds) {
      for (const auto& [a, b] : {std::pair(0, 1), {ground, 0}, {0, ground}}) {
        Joint j{.kind = kind, .a = attached(a), .b = attached(b, -1.0), .length = 0.8};
        if (kind == JointKind::rotation || kind == JointKind::displacement) j.drives = {0, 1, 2};
        m[name].push_back(at(make(j), {.turn = 0.25}));
        m[name].push_back(at(make(j), {.turn = 0.9}));
      }
    }
    for (JointKind kind : {JointKind::revolute, JointKind::prismatic}) {
      const std::string name = kind == JointKind::revolute ? "revolute" : "prismatic";
      Joint j{.kind = kind, .a = attached(0), .b = attached(1, -1.0)};
      j.friction = Friction{.coulomb = 0.2,
                            .stiction = 0.3,
                            .stribeck_speed = 0.5,
                            .viscous = 0.1,
                            .preload = 2.0,
                            .radius = 0.1,
                            .smoothing = 0.4};
      m[name + "_with_friction"].push_back(at(make(j), {.turn = 0.25}));
      j.stop = Stop{.lower = 5.0, .upper = 6.0, .stiffness = 30.0, .damping = 2.0};
      m[name + "_in_stop"].push_back(at(make(j), {.turn = 0.25}));
      j.a.node = ground;
      m[name + "_in_stop"].push_back(at(make(j), {.turn = 0.25}));
    }
    {
      Joint j{.kind = JointKind::distance, .a = attached(0), .b = attached(1, -1.0)};
      j.drives[0] = 3;
      m["distance"].push_back(at(make(j)));
    }
    using enum Load::Kind;
    for (const auto& [name, kind] :
         {std::pair("dead", dead), {"follower", follower}, {"internal", internal}}) {
      for (bool couple : {false, true}) {
        Load l{.kind = kind,
               .couple = couple,
               .a = attached(0),
               .b = attached(1, -1.0),
               .direction = {1.0, -2.0, 0.5},
               .drive = 0};
        m[std::string(name) + "_load"].push_back(at(make(l)));
        l.a.node = ground;
        m[std::string(name) + "_load"].push_back(at(make(l)));
      }
    }
    return m;
  }();
  return all;
}

std::vector<std::string> names() {
  std::vector<std::string> n;
  for (const auto& [name, c] : cases()) n.push_back(name);
  return n;
}

class Elements : public ::testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(All, Elements, ::testing::ValuesIn(names()),
                         [](const auto& of) { return of.param; });

std::string told(const Deviation& d) {
  return d.what + ", row " + std::to_string(d.row) + ", column " + std::to_string(d.column) + ": " +
         std::to_string(d.given) + " instead of " + std::to_string(d.expected);
}

// Differences of fourth order, rounded by 1e-16 / 2e-2: 1e-6 of an entry, or 1e-11 of the largest.
TEST_P(Elements, JacobianIsTheDerivative) {
  for (const Case& c : cases().at(GetParam())) {
    for (unsigned seed = 1; seed <= 4; ++seed) {
      const Deviation d = check_jacobian(*c.element, seed, c.around);
      EXPECT_LT(d.error, 1e-6) << told(d);
    }
  }
}

TEST_P(Elements, ConstraintMotionIsTheDerivative) {
  for (const Case& c : cases().at(GetParam())) {
    for (unsigned seed = 1; seed <= 4; ++seed) {
      const Deviation d = check_constraint_motion(*c.element, seed, c.around);
      EXPECT_LT(d.error, 1e-7) << told(d);  // second differences over 2e-3: rounding 1e-16 / 4e-6
    }
  }
}

}  // namespace
}  // namespace vernier::constrained
