#include "vernier/kernel/constrained/elements/cases_test.hpp"

#include <algorithm>
#include <utility>

#include "vernier/kernel/constrained/elements.hpp"
#include "vernier/kernel/constrained/elements/beam_cases_test.hpp"
#include "vernier/kernel/constrained/elements/modal_cases_test.hpp"
#include "vernier/kernel/constrained/rotation.hpp"

namespace vernier::constrained {
namespace {

/// An attachment with offset and axes of its own.
Attachment attached(int node, double side = 1.0) {
  return {node, {0.3 * side, -0.2, 0.4}, rotation(Vector3{0.3, -0.5 * side, 0.2})};
}

Case at(std::unique_ptr<const Element> e, const Surroundings& around = {}) {
  return {std::move(e), around};
}
}  // namespace

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
        const bool points = kind == JointKind::spherical || kind == JointKind::revolute ||
                            kind == JointKind::universal || kind == JointKind::clamp;
        for (double turn : {0.25, 0.9}) {
          m[name].push_back({make(j), {.turn = turn}, a != ground && b != ground, false, points});
        }
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
      m[name + "_in_stop"].push_back(
          {make(j), {.turn = 0.25}, true, true, kind == JointKind::revolute});
      j.a.node = ground;
      m[name + "_in_stop"].push_back(at(make(j), {.turn = 0.25}));
    }
    {
      Joint j{.kind = JointKind::distance, .a = attached(0), .b = attached(1, -1.0)};
      j.drives[0] = 3;
      m["distance"].push_back({make(j), {}, true});
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
        m[std::string(name) + "_load"].push_back({make(l), {}, kind == internal});
        l.a.node = ground;
        m[std::string(name) + "_load"].push_back(at(make(l)));
      }
    }
    // two nodes apart, on both sides of the ground
    for (const auto& [a, b] : {std::pair(0, 1), {ground, 0}, {0, ground}}) {
      const Attachment on_a = attached(a), on_b = attached(b, -1.0);
      const bool free = a != ground && b != ground;
      using enum Law::Kind;
      const Law laws[] = {
          {.kind = linear, .stiffness = 3.0, .damping = 0.4, .prestress = 0.2},
          {.kind = cubic, .stiffness = 2.0, .damping = 0.3, .cubic = 4.0},
          {.kind = table, .damping = 0.1, .points = {-9.0, 9.0, 9.5}, .forces = {-4.0, 5.0, 9.0}},
          {.kind = viscoelastic,
           .stiffness = 1.5,
           .damping = 0.2,
           .branch_stiffness = 2.5,
           .relaxation_time = 0.3},
          {.kind = one_sided, .stiffness = 20.0, .damping = 0.1}};
      for (const Law& law : laws) {
        const Rod rod{.a = on_a, .b = on_b, .length = 0.1, .law = law};
        m["rod"].push_back({make(rod), {}, free, true});
        Rod cable = rod;
        cable.cable = true;
        cable.length_drive = 1;
        m["cable"].push_back({make(cable), {}, free, true});
      }
      DeformableJoint j{.a = on_a, .b = on_b};
      j.translation = {laws[0], laws[3], laws[2]};
      j.rotation = {laws[1], laws[0], laws[3]};
      j.rest[1] = 0;
      j.reference = {1, 2, 3};
      m["deformable"].push_back({make(j), {}, free, true});
      j.translation = {};
      j.rest = {no_drive, no_drive, no_drive};
      m["deformable"].push_back({make(j), {.turn = 0.3}, free, true});
      j.rotation = {};
      j.full = SixLaw{};
      for (int i = 0; i < 36; ++i) {
        const int row = i / 6;
        j.full->stiffness[i] = 1.0 / (1 + row + i % 6) + (i % 7 == 0 ? 5.0 : 0.0);
        j.full->damping[i] = 0.1 / (1 + i % 5);
      }
      m["deformable"].push_back({make(j), {}, free, true});
      for (bool angle : {true, false}) {
        const JointCoordinate s{on_a, on_b, angle};
        Servo servo{.coordinate = s, .reference = 0, .proportional = 5.0, .derivative = 0.7};
        m["servo"].push_back({make(servo), {}, free});
        servo.integral = 2.0;
        m["servo"].push_back({make(servo), {}, free});
        servo.limit = 0.01;  // always reached
        m["servo"].push_back({make(servo), {}, free});
        servo.held = true;
        m["servo"].push_back({make(servo), {}, free});
        m["transducer"].push_back({make(Transducer{s, 0, 1.7}), {}, free});
        for (bool other : {true, false}) {
          // on the same nodes, as a screw; and with a third, as gears
          m["coupling"].push_back({make(Coupling{s, {on_a, on_b, other}, 0.6, 0}), {}, free});
          m["coupling"].push_back({make(Coupling{s, {attached(2), on_b, other}, -1.6}), {}, free});
        }
      }
      // deep inside, so that it stays there
      Contact c{.a = on_a,
                .b = on_b,
                .tip_radius = 9.0,
                .stiffness = 0.5,
                .damping = 0.02,
                .friction = 0.3,
                .friction_speed = 0.5};
      m["contact"].push_back({make(c), {}, free, true});
      c.radius = 0.4;
      m["contact"].push_back({make(c), {}, free, true});
    }
    m["branch"] = {at(make(ScalarBranch{0, 1, 2.0, 3.0, 0.5, 0})),
                   at(make(ScalarBranch{-1, 1, 2.0, 3.0})),
                   at(make(ScalarBranch{0, -1, 0.0, 1.0}))};
    StateSpace s{.states = 2,
                 .A = {-1.0, 2.0, 0.5, -3.0},
                 .B = {1.0, 0.3, -0.4, 2.0},
                 .C = {0.2, 0.7, 1.0, -1.0},
                 .D = {0.1, 0.2, 0.3, 0.4},
                 .input_scalars = {0},
                 .input_drives = {2},
                 .output_scalars = {1, 0}};
    m["state_space"].push_back(at(make(s)));
    s.E = {1.0, 0.5, 0.0, 0.0};
    m["state_space"].push_back(at(make(s)));
    for (bool three : {true, false}) {
      for (const BeamCase& b : beam_cases(three)) {
        const auto& nodes = b.element->shape().nodes;
        const bool free = std::count(nodes.begin(), nodes.end(), ground) == 0;
        m[three ? "beam_of_three_nodes" : "beam_of_two_nodes"].push_back(
            {b.element, b.around, free});
      }
    }
    for (const BeamCase& b : modal_cases()) m["modal_body"].push_back({b.element, b.around});
    return m;
  }();
  return all;
}

}  // namespace vernier::constrained
