#include <cmath>

#include "vernier/kernel/constrained/elements/coordinate.hpp"
#include "vernier/kernel/constrained/elements/ends.hpp"
#include "vernier/kernel/constrained/elements/jet.hpp"
#include "vernier/kernel/constrained/elements/joint_values.hpp"
#include "vernier/kernel/constrained/elements/laws.hpp"

namespace vernier::constrained {
namespace {

using namespace parts;

constexpr bool has_angle(JointKind k) noexcept {
  return k == JointKind::revolute || k == JointKind::cylindrical || k == JointKind::planar;
}
constexpr bool has_position(JointKind k) noexcept {
  return k == JointKind::cylindrical || k == JointKind::prismatic || k == JointKind::in_line;
}

/// The common part of all joints. Memory: that of the angle, then the reaction normal to the motion
/// (friction), negative before the first step, when the current one is used.
class AnyJoint : public Element {
 public:
  explicit AnyJoint(const Joint& joint) : joint_(joint) {
    ends_ = joined(shape_, joint.a, joint.b);
    const JointKind k = joint.kind;
    const bool turns = has_angle(k), slides = has_position(k);
    if (k == JointKind::distance || k == JointKind::rotation || k == JointKind::displacement) {
      for (int i = 0; i < (k == JointKind::distance ? 1 : 3); ++i) {
        drives_[i] = place_drive(shape_, joint.drives[i]);
      }
    }
    if (k == JointKind::distance && drives_[0] < 0) {
      demand(std::isfinite(joint.length) && joint.length > 0.0,
             "the length of a distance joint is not positive");
    }
    const bool extras = joint.friction || joint.stop;
    demand(!extras || k == JointKind::revolute || k == JointKind::prismatic,
           "only revolute and prismatic joints have friction or stops");
    if (joint.friction) check(*joint.friction, k == JointKind::revolute);
    if (joint.stop) check(*joint.stop);
    pair_ = {ends_, turns};
    shape_.holonomic = constraints_of(k);
    shape_.algebraic = shape_.holonomic + (joint.friction ? 1 : 0);
    shape_.memory = (turns ? angle_memory : 0) + (joint.friction ? 1 : 0);
    auto& m = shape_.measures;
    m = {{"force", "N", 3, "of the joint on b, axes of a"},
         {"moment", "N·m", 3, "of the joint on b about its point, axes of a"}};
    if (turns) {
      m.push_back({"angle", "rad", 1, "about axis 3, whole turns counted"});
      m.push_back({"rate", "rad/s", 1, "of the angle"});
    }
    if (slides) {
      m.push_back({"position", "m", 1, "along axis 3"});
      m.push_back({"speed", "m/s", 1, "along axis 3"});
    }
    if (k == JointKind::distance) m.push_back({"length", "m", 1, "between the points"});
    if (joint.friction) {
      m.push_back({"friction", turns ? "N·m" : "N", 1, "against the motion of b"});
    }
  }

  const Shape& shape() const noexcept override { return shape_; }

  void constraint_motion(const Point& p, std::span<double> rate,
                         std::span<double> drift) const override {
    Jet values[6];
    for (bool moves : {false, true}) {
      Vec3<Jet> drive{};
      drive.x = driven(p, 0), drive.y = driven(p, 1), drive.z = driven(p, 2);
      constraint_values(joint_, in_motion(ends_.node_a(p), moves),
                        in_motion(ends_.node_b(p), moves), drive, values);
      for (int i = 0; i < shape_.holonomic; ++i) {
        if (moves) {
          drift[i] = values[i].dd;
        } else {
          rate[i] = values[i].d;
        }
      }
    }
  }

  void begin(const Point& p, std::span<double> memory) const noexcept override {
    pair_.begin(p, memory.data());
    if (joint_.friction) memory[pair_.memory()] = -1.0;
  }
  bool accept(const Point& p, std::span<double> memory) const noexcept override {
    pair_.accept(p, memory.data());
    if (joint_.friction) memory[pair_.memory()] = normal_reaction(p);
    return false;
  }

  void measure(const Point& p, std::span<double> to) const noexcept override {
    double residual[19] = {};
    evaluate(p, {residual, nullptr, shape_.size()});
    // The force on b, or the opposite of that on a, about the point of b.
    const NodeState &na = ends_.node_a(p), &nb = ends_.node_b(p);
    const bool by_b = ends_.b >= 0;
    const double* f = residual + 6 * (by_b ? ends_.b : ends_.a);
    const double sign = by_b ? -1.0 : 1.0;
    const Vector3 db = nb.R * ends_.on_b.offset, F = Vector3{f[0], f[1], f[2]} * sign;
    const Vector3 from = by_b ? db : nb.x + db - na.x;
    const Vector3 M = Vector3{f[3], f[4], f[5]} * sign - cross(from, F);
    const Matrix3 A = na.R * ends_.on_a.axes;
    const Vector3 force = transposed_times(A, F), moment = transposed_times(A, M);
    std::size_t n = 0;
    for (double v : {force.x, force.y, force.z, moment.x, moment.y, moment.z}) to[n++] = v;
    const JointKind k = joint_.kind;
    double rate = 0.0;
    if (has_angle(k)) {
      const Line l = pair_.at(p, p.memory, false);
      to[n++] = l.s;
      to[n++] = rate = l.rate;
    }
    if (has_position(k)) {
      const Line l = Pair{ends_, false}.at(p, nullptr, false);
      to[n++] = l.s;
      to[n++] = rate = l.rate;
    }
    if (k == JointKind::distance) to[n++] = length_at(ends_, p, false).s;
    if (joint_.friction) to[n++] = -dry(p) - joint_.friction->viscous * rate;
  }

  double energy(const Point& p) const noexcept override {
    return joint_.stop ? stop_energy(*joint_.stop, pair_.value(p, p.memory)) : 0.0;
  }

 protected:
  /// Drive i as a function of time; without a drive 0, or the length of a distance joint.
  Jet driven(const Point& p, int i) const noexcept {
    if (drives_[i] >= 0) {
      const DriveState& d = p.drive(drives_[i]);
      return Jet(d.value, d.rate, d.acceleration);
    }
    return Jet(i == 0 && joint_.kind == JointKind::distance ? joint_.length : 0.0);
  }
  double target(const Point& p, int i) const noexcept { return driven(p, i).v; }

  /// Friction and stops.
  void extras(const Rows& o, const Point& p) const noexcept {
    const Line l = pair_.at(p, p.memory, o.J != nullptr);
    Push sum{0.0, 0.0, 0.0};
    if (joint_.stop) sum = stop_force(*joint_.stop, l.s, l.rate);
    if (joint_.friction) {
      const int row = shape_.algebraic_row(shape_.holonomic);
      const double f = dry(p), viscous = joint_.friction->viscous;
      const Slide s = slide(*joint_.friction, load(p), l.rate, f);
      sum.Q -= f + viscous * l.rate;
      sum.by_rate -= viscous;
      o.r[row] = s.residual;
      if (o.J != nullptr) {
        add_row(o, row, l.rate_slopes, s.by_rate);
        add_column(o, row, l.gradient, 1.0);
        o.J[row * o.n + row] = s.by_f;
      }
    }
    push(o, pair_, l, p, sum);
  }

  /// Called after the constructor of the kind: probes the pattern of the Jacobian.
  void find_pattern() {
    shape_.pattern = probed_pattern(*this, shape_);
    if (!joint_.friction && !joint_.stop) return;
    const int row = shape_.algebraic_row(shape_.holonomic), own = joint_.friction ? 1 : 0;
    mark(shape_, row, own, row, own);
    const int nodes = static_cast<int>(shape_.nodes.size());
    const int skip = joint_.kind == JointKind::revolute ? 3 : 0, count = 6 - skip;
    for (int i = 0; i < nodes; ++i) {
      mark(shape_, row, own, 6 * i + skip, count);
      mark(shape_, 6 * i + skip, count, row, own);
      for (int j = 0; j < nodes; ++j) mark(shape_, 6 * i + skip, count, 6 * j + skip, count);
    }
  }

  Joint joint_;
  Shape shape_;
  Ends ends_;
  Pair pair_;
  int drives_[3] = {-1, -1, -1};

 private:
  /// The magnitude of the reaction normal to the axis, from the multipliers.
  double normal_reaction(const Point& p) const noexcept {
    const double* l = p.own_algebraic;
    if (l == nullptr) return 0.0;
    if (joint_.kind == JointKind::prismatic) return std::sqrt(l[0] * l[0] + l[1] * l[1]);
    const Vector3 f{l[0], l[1], l[2]};
    const double along = dot(f, ends_.node_a(p).R * column(ends_.on_a.axes, 2));
    return std::sqrt(std::fmax(0.0, dot(f, f) - along * along));
  }
  /// The unknown: dry friction against the motion of b.
  double dry(const Point& p) const noexcept { return p.own_algebraic[shape_.holonomic]; }
  /// The normal load: a force, or a moment for a revolute joint.
  double load(const Point& p) const noexcept {
    const Friction& f = *joint_.friction;
    const double before = p.memory[pair_.memory()], N = before < 0.0 ? normal_reaction(p) : before;
    return f.preload + (joint_.kind == JointKind::revolute ? f.radius * N : N);
  }
};

template <JointKind K>
class JointOf final : public AnyJoint {
 public:
  explicit JointOf(const Joint& joint) : AnyJoint(joint) {
    row_ = shape_.own_row();
    extras_ = joint.friction || joint.stop;
    find_pattern();
  }

  void evaluate(const Point& p, const Contribution& out) const noexcept override {
    using enum JointKind;
    const NodeState &na = ends_.node_a(p), &nb = ends_.node_b(p);
    const double* l = p.own_algebraic;
    const Rows o(out, ends_, p.c);
    const int row = row_;
    const Matrix3 &Ea = ends_.on_a.axes, &Eb = ends_.on_b.axes;

    // Positions
    constexpr bool points = K == spherical || K == revolute || K == universal || K == clamp;
    constexpr int first = K == planar || K == in_plane ? 2 : 0;
    constexpr int lines = K == planar || K == in_plane                         ? 1
                          : K == cylindrical || K == prismatic || K == in_line ? 2
                          : K == displacement                                  ? 3
                                                                               : 0;
    if constexpr (K != rotation) {
      const Vector3 da = na.R * ends_.on_a.offset, db = nb.R * ends_.on_b.offset;
      const Vector3 e = nb.x + db - na.x, r = e - da;
      if constexpr (points) coincide(o, row, da, db, r, {l[0], l[1], l[2]});
      if constexpr (lines > 0) {
        Vector3 f{0.0, 0.0, 0.0};
        for (int i = 0; i < lines; ++i) {
          const Vector3 w = na.R * column(Ea, first + i);
          project(o, row + i, w, r, e, db, K == displacement ? target(p, i) : 0.0);
          f = plus_times(f, w, l[i]);
        }
        project_forces(o, f, e, db);
      }
      if constexpr (K == distance) {
        const Reach to = reach(r, na.R * column(Ea, 2));
        o.r[row] = to.length - target(p, 0);
        stretch_forces(o, to, da, db, l[0]);
        if (o.J != nullptr) {
          if (o.a >= 0) {
            o.gradient(row, o.a, -to.n);
            o.gradient(row, o.a + 3, cross(to.n, da));
          }
          if (o.b >= 0) {
            o.gradient(row, o.b, to.n);
            o.gradient(row, o.b + 3, cross(db, to.n));
          }
        }
      }
    }

    // Orientation
    constexpr int next = points ? 3 : lines;
    if constexpr (K == revolute || K == cylindrical || K == planar) {
      align(o, row + next, na.R * column(Ea, 2), nb.R * Eb, l[next], l[next + 1]);
    }
    if constexpr (K == universal) {
      normal(o, row + next, na.R * column(Ea, 2), nb.R * column(Eb, 1), l[next]);
    }
    if constexpr (K == prismatic || K == clamp || K == rotation) {
      Matrix3 B = nb.R * Eb;
      if constexpr (K == rotation) {
        B = times_transposed(
            B, constrained::rotation(Vector3{target(p, 0), target(p, 1), target(p, 2)}));
      }
      keep_orientation(o, row + next, turned(na.R * Ea, B), {l[next], l[next + 1], l[next + 2]});
    }
    if constexpr (K == revolute || K == prismatic) {
      if (extras_) [[unlikely]]
        extras(o, p);
    }
  }

 private:
  int row_ = 0;
  bool extras_ = false;
};

}  // namespace

std::unique_ptr<const Element> make(const Joint& j) {
  using enum JointKind;
  switch (j.kind) {
    case spherical:
      return std::make_unique<JointOf<spherical>>(j);
    case revolute:
      return std::make_unique<JointOf<revolute>>(j);
    case cylindrical:
      return std::make_unique<JointOf<cylindrical>>(j);
    case prismatic:
      return std::make_unique<JointOf<prismatic>>(j);
    case planar:
      return std::make_unique<JointOf<planar>>(j);
    case universal:
      return std::make_unique<JointOf<universal>>(j);
    case in_line:
      return std::make_unique<JointOf<in_line>>(j);
    case in_plane:
      return std::make_unique<JointOf<in_plane>>(j);
    case distance:
      return std::make_unique<JointOf<distance>>(j);
    case clamp:
      return std::make_unique<JointOf<clamp>>(j);
    case rotation:
      return std::make_unique<JointOf<rotation>>(j);
    case displacement:
      return std::make_unique<JointOf<displacement>>(j);
  }
  demand(false, "there is no such kind of joint");
  return nullptr;
}

}  // namespace vernier::constrained
