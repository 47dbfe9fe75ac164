#include <cmath>

#include "vernier/kernel/constrained/elements/ends.hpp"
#include "vernier/kernel/elementary/elementary.hpp"

namespace vernier::constrained {
namespace {

using namespace parts;

class ContactElement final : public Element {
 public:
  explicit ContactElement(const Contact& c) : contact_(c) {
    check_finite(
        {c.radius, c.tip_radius, c.stiffness, c.exponent, c.damping, c.friction, c.friction_speed},
        "a number of a contact is not finite");
    demand(c.radius >= 0.0 && c.tip_radius >= 0.0, "a radius of a contact is negative");
    demand(c.stiffness > 0.0, "the stiffness of a contact is not positive");
    demand(c.exponent >= 1.0, "the exponent of a contact is less than 1");
    demand(c.damping >= 0.0 && c.friction >= 0.0,
           "the damping or the friction of a contact is negative");
    demand(c.friction_speed > 0.0, "the friction speed of a contact is not positive");
    ends_ = joined(shape_, c.a, c.b);
    shape_.measures = {{"penetration", "m", 1, "negative: distance"},
                       {"force", "N", 1, "normal, never negative"},
                       {"friction", "N", 1, "size"}};
  }

  const Shape& shape() const noexcept override { return shape_; }

  void evaluate(const Point& p, const Contribution& out) const noexcept override {
    const Touch t = touch(p);
    if (t.f <= 0.0) return;
    const Rows o(out, ends_, p.c);
    if (o.b >= 0) {
      o.act(o.b, -t.F);
      o.act(o.b + 3, cross(t.F, t.rb));
    }
    if (o.a >= 0) {
      o.act(o.a, t.F);
      o.act(o.a + 3, cross(t.ra, t.F));
    }
    if (o.J == nullptr) return;
    for (int j = 0; j < 6; ++j) {
      if (o.a >= 0) put_column(o, p, t, true, j);
      if (o.b >= 0) put_column(o, p, t, false, j);
    }
  }

  void measure(const Point& p, std::span<double> to) const noexcept override {
    const Touch t = touch(p);
    const Vector3 along = plus_times(t.F, t.n, -t.f);
    to[0] = t.depth;
    to[1] = t.f;
    to[2] = std::sqrt(dot(along, along));
  }

  double energy(const Point& p) const noexcept override {
    const double depth = touch(p).depth;
    if (depth <= 0.0) return 0.0;
    return contact_.stiffness * elementary::pow(depth, contact_.exponent + 1.0) /
           (contact_.exponent + 1.0);
  }

 private:
  struct Touch {
    double depth, f, by_depth, by_rate;  // normal force with its derivatives
    double distance, vn, q;              // q = 1 / √(v_t² + v_0²)
    Vector3 n, r, ra, rb, db, da, v, vt, F;
  };

  Touch touch(const Point& p) const noexcept {
    const NodeState &na = ends_.node_a(p), &nb = ends_.node_b(p);
    Touch t;
    t.da = na.R * ends_.on_a.offset;
    t.db = nb.R * ends_.on_b.offset;
    t.r = nb.x + t.db - na.x - t.da;
    const Vector3 axis = na.R * column(ends_.on_a.axes, 2);
    const bool sphere = contact_.radius > 0.0;
    const Reach to = reach(t.r, axis);
    t.n = sphere ? to.n : axis;
    t.distance = sphere ? to.length : dot(axis, t.r);
    t.depth = contact_.radius + contact_.tip_radius - t.distance;
    // The contact point of both bodies is the foremost point of the tip.
    t.rb = plus_times(t.db, t.n, -contact_.tip_radius);
    t.ra = nb.x + t.rb - na.x;
    t.v = nb.v + cross(nb.omega, t.rb) - na.v - cross(na.omega, t.ra);
    t.vn = dot(t.n, t.v);
    t.f = t.by_depth = t.by_rate = 0.0;
    const double loss = 1.0 - contact_.damping * t.vn;
    if (t.depth > 0.0 && loss > 0.0) {
      // Hunt and Crossley: f = k δⁿ (1 - damping v_n), zero if it would pull.
      const double k = contact_.stiffness * elementary::pow(t.depth, contact_.exponent - 1.0);
      t.f = k * t.depth * loss;
      t.by_depth = contact_.exponent * k * loss;
      t.by_rate = k * t.depth * contact_.damping;
    }
    t.vt = plus_times(t.v, t.n, -t.vn);
    t.q = 1.0 / std::sqrt(dot(t.vt, t.vt) + contact_.friction_speed * contact_.friction_speed);
    t.F = plus_times(t.n * t.f, t.vt, -contact_.friction * t.f * t.q);
    return t;
  }

  /// One column of the Jacobian: the derivative of touch() along unknown j of a node.
  void put_column(const Rows& o, const Point& p, const Touch& t, bool of_a, int j) const noexcept {
    const NodeState &na = ends_.node_a(p), &nb = ends_.node_b(p);
    const Vector3 none{0.0, 0.0, 0.0};
    const Vector3 unit = spatial::along_axis(j % 3, 1.0);
    const bool place = j < 3;
    const Vector3 dx = place ? unit * p.c : none, th = place ? none : unit * p.c;
    const Vector3 dv = place ? unit : none;
    const Vector3 dw = place ? none : p.turn(of_a ? ends_.a : ends_.b) * unit;
    // Variations of both points, the normal and the lever arms.
    const Vector3 da = of_a ? dx + cross(th, t.da) : none;
    const Vector3 db = of_a ? none : dx + cross(th, t.db);
    const Vector3 dr = db - da;
    Vector3 dn;
    double d_distance;
    if (contact_.radius > 0.0) {
      d_distance = dot(t.n, dr);
      dn = t.distance > 0.0 ? plus_times(dr, t.n, -d_distance) * (1.0 / t.distance) : none;
    } else {
      dn = of_a ? cross(th, t.n) : none;
      d_distance = dot(dn, t.r) + dot(t.n, dr);
    }
    const Vector3 tip = plus_times(db, dn, -contact_.tip_radius);
    const Vector3 rb = of_a ? tip : tip - dx, ra = of_a ? tip - dx : tip;
    Vector3 v = cross(nb.omega, rb) - cross(na.omega, ra);
    v += of_a ? -dv - cross(dw, t.ra) : dv + cross(dw, t.rb);
    const double vn = dot(dn, t.v) + dot(t.n, v);
    const double f = -t.by_depth * d_distance - t.by_rate * vn;
    const Vector3 vt = v - dn * t.vn - t.n * vn;
    const double mq = contact_.friction * t.q;
    const Vector3 slip = t.vt * (f - t.f * t.q * t.q * dot(t.vt, vt)) + vt * t.f;
    const Vector3 F = t.n * f + dn * t.f - slip * mq;
    const int col = (of_a ? o.a : o.b) + j;
    const auto put = [&](int row, const Vector3& w) {
      o.J[row * o.n + col] += w.x;
      o.J[(row + 1) * o.n + col] += w.y;
      o.J[(row + 2) * o.n + col] += w.z;
    };
    if (o.b >= 0) {
      put(o.b, -F);
      put(o.b + 3, cross(t.F, rb) + cross(F, t.rb));
    }
    if (o.a >= 0) {
      put(o.a, F);
      put(o.a + 3, cross(ra, t.F) + cross(t.ra, F));
    }
  }

  Contact contact_;
  Shape shape_;
  Ends ends_;
};

}  // namespace

std::unique_ptr<const Element> make(const Contact& c) {
  return std::make_unique<ContactElement>(c);
}

}  // namespace vernier::constrained
