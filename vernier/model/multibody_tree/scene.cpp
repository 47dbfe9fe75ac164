#include "vernier/model/multibody_tree/scene.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "vernier/kernel/elementary/elementary.hpp"
#include "vernier/kernel/multibody/spacecraft.hpp"
#include "vernier/model/multibody_tree/outline.hpp"

namespace vernier::multibody_tree {
namespace {

using multibody::Actuator;
using multibody::Body;
using multibody::HingeKind;
using multibody::Inertia;
using multibody::Matrix3X;
using multibody::Node;
using multibody::NodeId;
using multibody::SpacecraftModel;
using spatial::Matrix3;
using spatial::Vector3;

constexpr double earth_mu = 3.986e14;  // m³/s²; a centre with nearly this one is the Earth
constexpr double earth_radius = 6378137.0;

scene::Quaternion quaternion(const Matrix3& R) {
  const Eigen::Quaterniond q = Eigen::Quaterniond(R).normalized();
  return {q.x(), q.y(), q.z(), q.w()};
}

std::vector<scene::Vector> columns(const Matrix3X& m, double sign = 1.0) {
  std::vector<scene::Vector> all;
  if (m.size() == 0 || m.isZero(0.0)) return all;
  for (Eigen::Index i = 0; i < m.cols(); ++i)
    all.push_back(scene::vector(Vector3(sign * m.col(i))));
  return all;
}

/// The inertia about the centre of mass.
scene::Tensor about_centre(const Inertia& i) {
  if (!(i.mass > 0.0)) return {};
  const Vector3 c = i.moment / i.mass;
  Matrix3 J = i.inertia - i.mass * (c.squaredNorm() * Matrix3::Identity() - c * c.transpose());
  // Rounding of a point mass is no size.
  if (J.norm() < 1e-9 * i.inertia.norm()) J.setZero();
  return {J(0, 0), J(1, 1), J(2, 2), J(0, 1), J(0, 2), J(1, 2)};
}

class Painter {
 public:
  explicit Painter(const Spacecraft& craft)
      : craft_(craft), model_(craft.model), made_(craft.model) {}

  scene::Scene run() {
    for (std::size_t k = 0; k < model_.tree.bodies.size(); ++k) add_body(k);
    for (const multibody::Tank& t : model_.tanks) add_tank(t);
    for (const multibody::Rotor& r : model_.rotors) add_rotor(r);
    size_ = size_of_craft();
    for (const Actuator& a : model_.actuators) add_actuator(a);
    add_centre();
    add_vectors();
    if (!model_.tree.gravity.isZero(0.0))
      s_.up = scene::vector(Vector3(-model_.tree.gravity.normalized()));
    return std::move(s_);
  }

 private:
  const Body& body(int k) const { return model_.tree.bodies[static_cast<std::size_t>(k)]; }

  std::vector<double> start(std::size_t first, std::size_t count) const {
    const auto at = model_.q.begin() + static_cast<std::ptrdiff_t>(first);
    return {at, at + static_cast<std::ptrdiff_t>(count)};
  }

  scene::Binding eta(int k) const {
    const auto b = made_.tree().block(k);
    return {.signal = body(k).name + ".eta",
            .count = static_cast<std::uint32_t>(b.modes),
            .start = start(b.q + b.coordinates, b.modes)};
  }

  /// From the axes of a body to those of a node on it.
  void to_node(int k, const Node& n, std::vector<scene::Step>& pose) const {
    if (!n.pose.p.isZero(0.0)) pose.push_back(scene::offset(scene::vector(n.pose.p)));
    if (k != multibody::ground && body(k).modes) {
      scene::Step bend{.kind = scene::Step::Kind::modes,
                       .shape = columns(n.phi_t),
                       .turn = columns(n.phi_r),
                       .pairs = columns(n.phi_2)};
      if (!bend.shape.empty() || !bend.turn.empty()) {
        bend.by = eta(k);
        pose.push_back(std::move(bend));
      }
    }
    if (!n.pose.R.isIdentity(0.0)) pose.push_back(scene::rotation(quaternion(n.pose.R)));
  }

  /// From the axes of a node to those of its body: the inverse.
  void from_node(int k, const Node& n, std::vector<scene::Step>& pose) const {
    if (!n.pose.R.isIdentity(0.0))
      pose.push_back(scene::rotation(quaternion(n.pose.R.transpose())));
    if (body(k).modes) {
      // Turned back first, then displaced in the axes of the body.
      scene::Step turn{.kind = scene::Step::Kind::modes, .turn = columns(n.phi_r, -1.0)};
      scene::Step shape{.kind = scene::Step::Kind::modes,
                        .shape = columns(n.phi_t, -1.0),
                        .pairs = columns(n.phi_2, -1.0)};
      for (scene::Step* s : {&turn, &shape}) {
        if (s->turn.empty() && s->shape.empty()) continue;
        s->by = eta(k);
        pose.push_back(std::move(*s));
      }
    }
    if (!n.pose.p.isZero(0.0)) pose.push_back(scene::offset(scene::vector(Vector3(-n.pose.p))));
  }

  scene::Binding coordinate(int k, std::size_t i) const {
    const auto& dofs = multibody::facts(body(k).hinge.kind).dofs;
    return {.signal = body(k).name + "." + std::string(dofs[i].name),
            .start = start(made_.tree().block(k).q + i, 1)};
  }

  /// From the outboard to the inboard node. Every kind is drawn as kernel/multibody moves it.
  void hinge(int k, std::vector<scene::Step>& pose) const {
    constexpr scene::Vector x{1, 0, 0}, y{0, 1, 0}, z{0, 0, 1};
    const std::string& name = body(k).name;
    const std::size_t q = made_.tree().block(k).q;
    const auto attitude = [&] {
      pose.push_back(scene::attitude({.signal = name + ".quaternion", .start = start(q, 4)}));
    };
    const auto turn = [&](const scene::Vector& axis, std::size_t i) {
      pose.push_back(scene::about(axis, coordinate(k, i)));
    };
    const auto slide = [&](const scene::Vector& axis, std::size_t i) {
      pose.push_back(scene::along(axis, coordinate(k, i)));
    };
    switch (body(k).hinge.kind) {
      case HingeKind::fixed:
        return;
      case HingeKind::pin:
        return turn(z, 0);
      case HingeKind::prismatic:
        return slide(z, 0);
      case HingeKind::cylindrical:
        turn(z, 0);
        return slide(z, 1);
      case HingeKind::universal:
        turn(x, 0);
        return turn(y, 1);
      case HingeKind::gimbal:
        turn(x, 0);
        turn(y, 1);
        return turn(z, 2);
      case HingeKind::planar:
        slide(x, 0);
        slide(y, 1);
        return turn(z, 2);
      case HingeKind::screw:
        slide({0, 0, body(k).hinge.parameter}, 0);
        return turn(z, 0);
      case HingeKind::ball:
        return attitude();
      case HingeKind::free:
        pose.push_back(scene::position({.signal = name + ".position", .start = start(q + 4, 3)}));
        return attitude();
    }
  }

  bool carries(int k) const {
    return std::any_of(model_.tree.bodies.begin(), model_.tree.bodies.end(),
                       [&](const Body& b) { return b.hinge.parent == k; });
  }

  /// The axis of a pin, of a body that may be a wheel: its centre of mass is on it.
  std::optional<scene::Vector> wheel_axis(int k) const {
    const Body& b = body(k);
    if (b.hinge.kind != HingeKind::pin || carries(k) || b.modes || !(b.inertia.mass > 0.0))
      return {};
    const Vector3 axis = b.hinge.inboard.pose.R.col(2);
    const Vector3 off = b.inertia.moment / b.inertia.mass - b.hinge.inboard.pose.p;
    if (axis.cross(off).norm() > 1e-3) return {};
    return scene::vector(axis);
  }

  void add_body(std::size_t index) {
    const int k = static_cast<int>(index);
    const Body& b = body(k);
    const bool root = b.hinge.parent == multibody::ground;
    const bool flies = b.hinge.kind == HingeKind::free;
    scene::Body drawn{.name = b.name,
                      .kind = root ? scene::Body::Kind::craft : scene::Body::Kind::part};
    if (!root) drawn.parent = body(b.hinge.parent).name;
    to_node(b.hinge.parent, b.hinge.outboard, drawn.pose);
    hinge(k, drawn.pose);
    from_node(k, b.hinge.inboard, drawn.pose);
    const std::shared_ptr<const ModalFile> file = craft_.files[index];
    if (b.modes) drawn.modes = eta(k);
    if (file) {
      Outline o = outline(*file);
      drawn.points = std::move(o.points);
      drawn.shapes = std::move(o.shapes);
    } else if (b.inertia.mass > 0.0) {
      const scene::Vector centre = scene::vector(Vector3(b.inertia.moment / b.inertia.mass));
      const std::string role = root ? "bus" : flies ? "probe" : "part";
      drawn.shapes = scene::dressed(
          scene::solid(b.inertia.mass, centre, about_centre(b.inertia), role, wheel_axis(k)),
          craft_.meshes[index]);
    }
    if (drawn.shapes.empty() || file)
      drawn.shapes.insert(drawn.shapes.end(), craft_.meshes[index].begin(),
                          craft_.meshes[index].end());
    s_.bodies.push_back(std::move(drawn));
  }

  scene::Body& drawn(int k) { return s_.bodies[static_cast<std::size_t>(k)]; }

  void add_tank(const multibody::Tank& t) {
    if (!(t.full.mass > 0.0)) return;
    const scene::Tensor J = about_centre(t.full);
    scene::Shape s{.shape = "sphere", .role = "tank", .assumed = true};
    s.at = scene::vector(Vector3(t.full.moment / t.full.mass));
    // A homogeneous sphere: I = 2/5 m r².
    s.radius = std::sqrt(2.5 * (J.xx + J.yy + J.zz) / 3.0 / t.full.mass);
    if (!(s.radius > 0.0)) s.radius = scene::solid(t.full.mass, {}, {}, "tank").radius;
    drawn(t.body).shapes.push_back(std::move(s));
  }

  const Node& node(const NodeId& at) const {
    static const Node frame{};
    const Body& b = body(at.body);
    if (at.node == NodeId::frame) return frame;
    if (at.node == NodeId::inboard) return b.hinge.inboard;
    if (at.node == NodeId::outboard) return b.hinge.outboard;
    return b.nodes[static_cast<std::size_t>(at.node)];
  }

  scene::Body at_node(const std::string& name, const NodeId& at) const {
    scene::Body b{.name = name, .parent = body(at.body).name};
    to_node(at.body, node(at), b.pose);
    return b;
  }

  void add_rotor(const multibody::Rotor& r) {
    scene::Body b = at_node(r.name, r.at);
    b.pose.push_back(
        scene::spin(scene::vector(r.axis), {.signal = r.name + ".speed", .start = {r.speed}}));
    scene::Shape s{.shape = "cylinder", .role = "wheel", .assumed = true};
    // A steel wheel, rim and spokes, of half the density and half as thick as its radius.
    s.radius = elementary::pow(4.0 * r.inertia / (std::numbers::pi * 3900.0), 0.2);
    s.length = 0.5 * s.radius;
    s.rotation = scene::z_to(scene::vector(r.axis));
    b.shapes = {s};
    s_.bodies.push_back(std::move(b));
  }

  /// About the size of its main body, for what has none.
  double size_of_craft() const {
    const scene::Body& bus = s_.bodies[static_cast<std::size_t>(model_.bus)];
    double size = 0.0;
    for (const scene::Shape& s : bus.shapes) size = std::max(size, scene::reach(s));
    if (bus.points.empty() && size > 0.0) return size;
    // Half of the points of a flexible bus: booms do not count.
    std::vector<double> far;
    for (const scene::Point& p : bus.points) far.push_back(std::hypot(p.at[0], p.at[1], p.at[2]));
    if (far.empty()) return size > 0.0 ? size : 1.0;
    std::nth_element(far.begin(), far.begin() + static_cast<std::ptrdiff_t>(far.size() / 2),
                     far.end());
    return far[far.size() / 2];
  }

  void add_actuator(const Actuator& a) {
    if (a.kind != Actuator::Kind::thruster) {
      const bool moment = a.kind == Actuator::Kind::moment;
      scene::Body b = at_node(a.name, a.at);
      b.kind = scene::Body::Kind::point;
      s_.vectors.push_back({.name = a.name,
                            .of = a.name,
                            .axes = a.name,
                            .by = {.signal = a.name + (moment ? ".moment" : ".force"), .count = 3},
                            .unit = moment ? "N*m" : "N",
                            .role = moment ? "torque" : "force"});
      s_.bodies.push_back(std::move(b));
      return;
    }
    scene::Body b = at_node(a.name, a.at);
    const Vector3 axis = a.axis.normalized();
    const bool engine = a.at.body != model_.bus && become_engine(a, axis);
    const double length = engine ? 0.5 * size_ : 0.06 * size_;
    if (!engine) {
      scene::Shape horn{.shape = "cone",
                        .role = "engine",
                        .rotation = scene::z_to(scene::vector(axis)),
                        .assumed = true};
      horn.length = length;
      horn.radius = 0.35 * length;
      horn.top = 0.12 * length;
      horn.at = scene::vector(Vector3(-0.5 * length * axis));
      b.shapes.push_back(horn);
    }
    scene::Shape plume{.shape = "plume", .by = {.signal = a.name + ".thrust"}};
    plume.direction = scene::vector(Vector3(-axis));
    plume.length = engine ? 1.5 * size_ : 0.4 * size_;
    plume.radius = engine ? engine_radius_ : 0.3 * length;
    if (!engine) plume.at = scene::vector(Vector3(-length * axis));
    b.shapes.push_back(std::move(plume));
    s_.bodies.push_back(std::move(b));
  }

  /// A body that ends in a thruster is an engine: a cone from its hinge to the nozzle.
  bool become_engine(const Actuator& a, const Vector3& axis) {
    const Body& b = body(a.at.body);
    scene::Body& own = drawn(a.at.body);
    if (b.modes || carries(a.at.body) || own.shapes.empty() || own.shapes[0].shape != "box")
      return false;
    const Vector3 nozzle = node(a.at).pose.p, hinge = b.hinge.inboard.pose.p;
    const Vector3 thrust = node(a.at).pose.R * axis;
    const double length = (hinge - nozzle).dot(thrust);
    if (!(length > 0.0)) return false;
    const scene::Vector& size = own.shapes[0].size;
    scene::Shape cone{.shape = "cone",
                      .role = "engine",
                      .rotation = scene::z_to(scene::vector(thrust)),
                      .assumed = true};
    cone.length = length;
    std::array<double, 3> sorted = size;
    std::sort(sorted.begin(), sorted.end());
    cone.radius = engine_radius_ = 0.5 * sorted[0];
    cone.top = 0.3 * cone.radius;
    cone.at = scene::vector(Vector3(nozzle + 0.5 * length * thrust));
    own.shapes = {cone};
    return true;
  }

  void add_centre() {
    if (!model_.central_gravity) return;
    const double mu = model_.central_gravity->mu;
    if (std::abs(mu / earth_mu - 1.0) > 0.01) return;
    s_.bodies.push_back(scene::earth(earth_radius));
    for (std::size_t k = 0; k < model_.tree.bodies.size(); ++k) {
      const Body& b = model_.tree.bodies[k];
      if (b.hinge.parent != multibody::ground || b.hinge.kind != HingeKind::free) continue;
      const auto block = made_.tree().block(static_cast<int>(k));
      s_.bodies[k].orbit = {
          {.about = "Earth",
           .mu = mu,
           .position = {
               .signal = b.name + ".position", .count = 3, .start = start(block.q + 4, 3)}}};
    }
  }

  void add_vectors() {
    for (const Body& b : model_.tree.bodies) {
      if (b.hinge.parent != multibody::ground || !multibody::facts(b.hinge.kind).quaternion)
        continue;
      s_.vectors.push_back({.name = b.name + ".rate",
                            .of = b.name,
                            .axes = b.name,
                            .by = {.signal = b.name + ".rate", .count = 3},
                            .unit = "rad/s",
                            .role = "rate"});
    }
    s_.vectors.push_back({.name = "angular_momentum",
                          .of = body(model_.bus).name,
                          .by = {.signal = "angular_momentum", .count = 3},
                          .unit = "N*m*s",
                          .role = "momentum",
                          .shown = false});
  }

  const Spacecraft& craft_;
  const SpacecraftModel& model_;
  multibody::Spacecraft made_;  // for the layout of q
  double size_ = 1.0, engine_radius_ = 0.1;
  scene::Scene s_;
};

}  // namespace

scene::Scene scene_of(const Spacecraft& craft) { return Painter(craft).run(); }

}  // namespace vernier::multibody_tree
