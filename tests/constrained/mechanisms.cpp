#include "tests/constrained/mechanisms.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>

#include "vernier/kernel/constrained/elements.hpp"
#include "vernier/kernel/constrained/elements/section.hpp"

namespace vernier::constrained::mechanisms {
namespace {

/// From 0 to 90° in 5 s, half of the time with the acceleration A, half with -A.
class Arcs final : public Drive {
 public:
  DriveState at(double t) const noexcept override {
    constexpr double A = 4.0 * (std::numbers::pi / 2.0) / 25.0;
    const double u = std::max(t - 2.5, 0.0), w = std::max(t - 5.0, 0.0);
    return {0.5 * A * (t * t - 2.0 * u * u + w * w), A * (t - 2.0 * u + w),
            t < 2.5   ? A
            : t < 5.0 ? -A
                      : 0.0};
  }
  std::vector<double> corners() const override { return {2.5, 5.0}; }
};

Matrix3 turned_about_z(double angle) {
  const double c = std::cos(angle), s = std::sin(angle);
  return {{c, -s, 0.0, s, c, 0.0, 0.0, 0.0, 1.0}};
}

}  // namespace

Model pendulum(double angle) {
  Model m;
  m.name = "pendulum";
  m.gravity = {0.0, -9.81, 0.0};
  Node rod;
  rod.name = "rod";
  rod.orientation = turned_about_z(angle);
  const int node = m.add(rod);
  m.add(Body{"bob", node, 1.0, {0.0, -1.0, 0.0}, {0.01, 0.01, 0.01, 0.0, 0.0, 0.0}});
  Joint hinge;
  hinge.b = {.node = node};
  m.add("hinge", "revolute", make(hinge));
  Load torque;
  torque.couple = true;
  torque.b = {.node = node};
  torque.direction = {0.0, 0.0, 1.0};
  torque.drive = m.add(DriveSlot{.name = "torque", .unit = "N·m"});
  torque.held = true;
  m.add("torque", "couple", make(torque));
  return m;
}

Model chain(int n) {
  Model m;
  m.name = "chain";
  m.gravity = {0.0, -9.81, 0.0};
  const double l = 1.0 / n, mass = 1.0 / n, J = mass * l * l / 12.0;
  for (int k = 0; k < n; ++k) {
    Node bar;
    bar.name = "bar" + std::to_string(k);
    bar.position = {(k + 0.5) * l, 0.0, 0.0};
    m.add(bar);
    m.add(Body{bar.name, k, mass, {}, {0.01 * J, J, J, 0.0, 0.0, 0.0}});
    Joint hinge;
    if (k > 0) hinge.a = {.node = k - 1, .offset = {0.5 * l, 0.0, 0.0}};
    hinge.b = {.node = k, .offset = {-0.5 * l, 0.0, 0.0}};
    m.add("hinge" + std::to_string(k), "revolute", make(hinge));
  }
  return m;
}

Model robot(int beams) {
  Model m;
  m.name = "robot";
  const Section sections[] = {damped(rectangle({207e9, 0.3, 7800.0}, 0.005, 0.1), 1e-3),
                              damped(rectangle({71.7e9, 0.33, 2740.0}, 0.0025, 0.1), 1e-3)};
  const int nodes = 2 * beams + 1;  // of a link
  for (int link = 0; link < 2; ++link) {
    const int first = link * nodes;
    for (int i = 0; i < nodes; ++i) {
      Node n;
      n.name = "link" + std::to_string(link + 1) + "." + std::to_string(i);
      n.position = {link + 0.5 * i / beams, 0.0, 0.0};
      m.add(n);
    }
    for (int k = 0; k < beams; ++k) {
      Beam3 beam;
      for (int i = 0; i < 3; ++i) {
        beam.nodes[i] = first + 2 * k + i;
        const Node& n = m.nodes[beam.nodes[i]];
        beam.reference[i] = {n.position, n.orientation, {}, {}};
      }
      beam.sections = {sections[link], sections[link]};
      for (Body& b : lumped(beam)) {
        b.name = "lump" + std::to_string(m.bodies.size());
        m.add(std::move(b));
      }
      m.add("beam" + std::to_string(link * beams + k), "beam", make(beam));
    }
  }
  const Attachment ends[2][2] = {{{.node = ground}, {.node = 0}},
                                 {{.node = nodes - 1}, {.node = nodes}}};
  for (int k = 0; k < 2; ++k) {
    Joint hinge;
    hinge.a = ends[k][0];
    hinge.b = ends[k][1];
    m.add("joint" + std::to_string(k + 1), "revolute", make(hinge));
  }
  const int reference = m.add(DriveSlot{.name = "arcs", .function = std::make_shared<Arcs>()});
  const double gains[2][3] = {{12.0, 3.0, 4.0}, {1.2, 0.4, 0.5}};
  for (int k = 0; k < 2; ++k) {
    Servo servo;
    servo.coordinate = {ends[k][0], ends[k][1], true};
    servo.reference = reference;
    servo.proportional = gains[k][0];
    servo.integral = gains[k][1];
    servo.derivative = gains[k][2];
    m.add("pid" + std::to_string(k + 1), "servo", make(servo));
  }
  return m;
}

int robot_servo(int joint, int beams) { return 2 * beams + 2 + joint; }

}  // namespace vernier::constrained::mechanisms
