#include <algorithm>
#include <stdexcept>

#include "family.hpp"
#include "simbody_engine.hpp"
#include "vernier/kernel/spatial/spans.hpp"

namespace vernier::peers {

using namespace multibody;

namespace {

SimbodyHinge hinge_of(HingeKind kind) {
  switch (kind) {
    case HingeKind::free:
      return SimbodyHinge::free;
    case HingeKind::pin:
      return SimbodyHinge::pin;
    case HingeKind::prismatic:
      return SimbodyHinge::slider_z;
    case HingeKind::cylindrical:
      return SimbodyHinge::cylinder;
    case HingeKind::universal:
      return SimbodyHinge::universal;
    case HingeKind::ball:
      return SimbodyHinge::ball;
    case HingeKind::fixed:
      return SimbodyHinge::fixed;
    default:
      throw std::invalid_argument("Simbody has no hinge with these speeds");
  }
}

void put(const Pose& pose, double* R, double* p) {
  for (int i = 0; i < 9; ++i) R[i] = pose.R(i / 3, i % 3);
  std::copy_n(pose.p.data(), 3, p);
}

SimbodyBody as_theirs(const Body& b) {
  SimbodyBody t{hinge_of(b.hinge.kind), b.hinge.parent, {}, {}, {}, {}, b.inertia.mass, {}, {}};
  put(b.hinge.outboard.pose, t.outboard_R, t.outboard_p);
  put(b.hinge.inboard.pose, t.inboard_R, t.inboard_p);
  for (int i = 0; i < 3; ++i) t.centre[i] = b.inertia.moment[i] / b.inertia.mass;
  const Matrix3& J = b.inertia.inertia;
  const double inertia[6] = {J(0, 0), J(1, 1), J(2, 2), J(0, 1), J(0, 2), J(1, 2)};
  std::copy_n(inertia, 6, t.inertia);
  return t;
}

bool turns_by_quaternion(HingeKind kind) {
  return kind == HingeKind::free || kind == HingeKind::ball;
}

/// Bodies of these models come after their parents.
class Simbody final : public Peer {
 public:
  Simbody(const Tree& tree, const std::vector<State>& states)
      : tree_(tree),
        states_(states),
        engine_(bodies_of(tree.model()), tree.model().gravity.data()) {
    for (int i = 0; i < static_cast<int>(tree.model().bodies.size()); ++i) {
      const HingeKind kind = tree.model().bodies[static_cast<std::size_t>(i)].hinge.kind;
      if (kind == HingeKind::fixed) continue;
      places_.push_back({kind, tree.block(i), static_cast<std::size_t>(engine_.first_coordinate(i)),
                         static_cast<std::size_t>(engine_.first_speed(i))});
    }
    for (const State& s : states) add(s);
  }

  void evaluate(std::size_t state) override {
    last_ = state;
    engine_.evaluate(static_cast<int>(state));
  }

  std::vector<double> accelerations() const override {
    std::vector<double> udot(tree_.speeds());
    const State& s = states_[last_];
    for (const Place& p : places_) {
      const auto at = [&](std::size_t k) { return engine_.udot(static_cast<int>(p.u + k)); };
      if (!turns_by_quaternion(p.kind)) {
        for (std::size_t k = 0; k < p.block.speeds; ++k) udot[p.block.u + k] = at(k);
        continue;
      }
      const Matrix3 A = spatial::attitude_matrix(spatial::quaternion(s.q, p.block.q));
      spatial::vector3(std::span(udot), p.block.u) = A * Vector3(at(0), at(1), at(2));
      if (p.kind == HingeKind::ball) continue;
      const Vector3 w = spatial::vector3(s.u, p.block.u), v = spatial::vector3(s.u, p.block.u + 3);
      spatial::vector3(std::span(udot), p.block.u + 3) =
          A * Vector3(at(3), at(4), at(5)) - w.cross(v);
    }
    return udot;
  }

 private:
  struct Place {
    HingeKind kind;
    Block block;
    std::size_t q, u;
  };

  static std::vector<SimbodyBody> bodies_of(const Model& model) {
    std::vector<SimbodyBody> all;
    for (const Body& b : model.bodies) all.push_back(as_theirs(b));
    return all;
  }

  void add(const State& s) {
    std::vector<double> q(static_cast<std::size_t>(engine_.coordinates())),
        u(static_cast<std::size_t>(engine_.speeds())), f(u.size());
    for (const Place& p : places_) {
      if (turns_by_quaternion(p.kind)) {
        const spatial::Quaternion k = spatial::quaternion(s.q, p.block.q);
        const Matrix3 R = spatial::attitude_matrix(k).transpose();
        q[p.q] = k[3];
        spatial::vector3(std::span(q), p.q + 1) = k.head<3>();
        for (std::size_t part = 0; part < p.block.speeds; part += 3) {
          spatial::vector3(std::span(u), p.u + part) = R * spatial::vector3(s.u, p.block.u + part);
          spatial::vector3(std::span(f), p.u + part) =
              R * spatial::vector3(s.force, p.block.u + part);
        }
        if (p.kind == HingeKind::free)
          spatial::vector3(std::span(q), p.q + 4) = spatial::vector3(s.q, p.block.q + 4);
        continue;
      }
      for (std::size_t k = 0; k < p.block.coordinates; ++k) q[p.q + k] = s.q[p.block.q + k];
      for (std::size_t k = 0; k < p.block.speeds; ++k) {
        u[p.u + k] = s.u[p.block.u + k];
        f[p.u + k] = s.force[p.block.u + k];
      }
    }
    engine_.add_state(q, u, f);
  }

  const Tree& tree_;
  const std::vector<State>& states_;
  SimbodyEngine engine_;
  std::vector<Place> places_;
  std::size_t last_ = 0;
};

}  // namespace

std::unique_ptr<Peer> simbody(const Tree& tree, const std::vector<State>& states) {
  return std::make_unique<Simbody>(tree, states);
}

}  // namespace vernier::peers
