#include "vernier/model/facility/scene.hpp"

#include <Eigen/Geometry>

namespace vernier::facility {
namespace {

using scene::Shape;

scene::Quaternion turn_of(const Matrix3& R) {
  const Eigen::Quaterniond q = Eigen::Quaterniond(R).normalized();
  return {q.x(), q.y(), q.z(), q.w()};
}

/// A bar of an arm between two points of a link.
Shape bar(const scene::Vector& from, const scene::Vector& to, double radius) {
  return {.shape = "line", .role = "arm", .assumed = true, .radius = radius, .points = {from, to}};
}
/// The drive of a joint, about z turned to `axis`.
Shape drive(const scene::Vector& axis, double radius) {
  Shape s{.shape = "cylinder", .role = "engine", .rotation = scene::z_to(axis), .assumed = true};
  s.radius = radius;
  s.length = 2.0 * radius;
  return s;
}

class Painter {
 public:
  explicit Painter(const Robot& r) : robot_(r), thick_(0.09 * (r.arm.upper_arm + r.arm.forearm)) {}

  void add_to(scene::Scene& s) const {
    const Arm& a = robot_.arm;
    if (robot_.railed) s.bodies.push_back(rail());
    scene::Body base = link("base", "");
    if (robot_.railed) {
      const double start = robot_.joints[0].parked;
      base.pose = {scene::along(scene::vector(robot_.axis),
                                {.signal = robot_.name + ".rail", .start = {start}})};
    }
    base.pose.push_back(scene::offset(scene::vector(robot_.base.p)));
    base.pose.push_back(scene::rotation(turn_of(robot_.base.R)));
    Shape foot{.shape = "cylinder",
               .role = "ground",
               .at = {0, 0, 0.2 * a.shoulder_height},
               .assumed = true};
    foot.radius = 1.6 * thick_;
    foot.length = 0.4 * a.shoulder_height;
    base.shapes = {foot};
    s.bodies.push_back(std::move(base));

    scene::Body column = turned("A1", "base", {0, 0, 0}, {0, 0, 1}, 0);
    const scene::Vector shoulder{a.shoulder_offset, 0, a.shoulder_height};
    column.shapes = {bar({0, 0, 0.4 * a.shoulder_height}, {0, 0, a.shoulder_height}, 1.2 * thick_),
                     bar({0, 0, a.shoulder_height}, shoulder, thick_)};
    s.bodies.push_back(std::move(column));

    scene::Body upper = turned("A2", "A1", shoulder, {0, 1, 0}, 1);
    upper.shapes = {bar({0, 0, 0}, {0, 0, a.upper_arm}, 0.8 * thick_), drive({0, 1, 0}, thick_)};
    s.bodies.push_back(std::move(upper));

    scene::Body elbow = turned("A3", "A2", {0, 0, a.upper_arm}, {0, 1, 0}, 2);
    elbow.shapes = {
        bar({0, 0, 0}, {0, 0, a.elbow_offset}, 0.7 * thick_),
        bar({0, 0, a.elbow_offset}, {0.3 * a.forearm, 0, a.elbow_offset}, 0.75 * thick_),
        drive({0, 1, 0}, 0.9 * thick_)};
    s.bodies.push_back(std::move(elbow));

    scene::Body forearm = turned("A4", "A3", {a.forearm, 0, a.elbow_offset}, {1, 0, 0}, 3);
    forearm.shapes = {bar({-0.7 * a.forearm, 0, 0}, {0, 0, 0}, 0.55 * thick_)};
    s.bodies.push_back(std::move(forearm));
    scene::Body wrist = turned("A5", "A4", {0, 0, 0}, {0, 1, 0}, 4);
    wrist.shapes = {drive({0, 1, 0}, 0.55 * thick_)};
    s.bodies.push_back(std::move(wrist));
    scene::Body hand = turned("A6", "A5", {0, 0, 0}, {1, 0, 0}, 5);
    hand.shapes = {bar({0, 0, 0}, {a.hand, 0, 0}, 0.45 * thick_)};
    s.bodies.push_back(std::move(hand));

    scene::Body body = link("", "A6");
    body.kind = scene::Body::Kind::craft;
    body.pose = {scene::offset({a.hand, 0, 0}), scene::offset(scene::vector(robot_.mount.p)),
                 scene::rotation(turn_of(robot_.mount.R))};
    // No document has the mock-ups: a frame of half the size of the arm's reach.
    const double size = 0.35 * (a.upper_arm + a.forearm);
    Shape box{.shape = "box", .role = "bus", .assumed = true, .size = {size, size, size}};
    body.shapes = {box};
    s.bodies.push_back(std::move(body));
  }

 private:
  scene::Body link(const std::string& name, const std::string& parent) const {
    const auto path = [&](const std::string& n) {
      return n.empty() ? robot_.name : robot_.name + "." + n;
    };
    return {.name = path(name), .parent = parent.empty() ? "" : path(parent)};
  }
  scene::Body turned(const std::string& name, const std::string& parent, const scene::Vector& at,
                     const scene::Vector& axis, std::uint32_t joint) const {
    scene::Body b = link(name, parent);
    b.pose = {scene::offset(at), scene::about(axis, {.signal = robot_.name + ".joints",
                                                     .element = joint,
                                                     .start = {robot_.joints[joint + 1].parked}})};
    return b;
  }
  scene::Body rail() const {
    scene::Body b = link("track", "");
    const double from = robot_.joints[0].minimum, to = robot_.joints[0].maximum;
    b.pose = {scene::offset(scene::vector(robot_.base.p))};
    Shape s{.shape = "box", .role = "ground", .assumed = true};
    const Vector3 middle = 0.5 * (from + to) * robot_.axis - Vector3(0, 0, 0.04);
    s.at = scene::vector(middle);
    s.size = {3.0 * thick_, 0.08, to - from + 3.0 * thick_};
    // z along the axis of the rail, and the thin side up.
    const Eigen::Vector3d z = robot_.axis;
    const Eigen::Vector3d y = (Eigen::Vector3d::UnitZ() - z.z() * z).normalized();
    Matrix3 R;
    R << y.cross(z), y, z;
    s.rotation = turn_of(R);
    b.shapes = {s};
    return b;
  }

  const Robot& robot_;
  double thick_;
};

}  // namespace

scene::Scene scene_of(const Installation& i) {
  scene::Scene s;
  for (const Robot& r : i.robots) Painter(r).add_to(s);
  return s;
}

}  // namespace vernier::facility
