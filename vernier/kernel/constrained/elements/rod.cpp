#include <cmath>

#include "vernier/kernel/constrained/elements/ends.hpp"
#include "vernier/kernel/constrained/elements/laws.hpp"

namespace vernier::constrained {
namespace {

using namespace parts;

class RodElement final : public Element {
 public:
  explicit RodElement(const Rod& rod) : rod_(rod) {
    ends_ = joined(shape_, rod.a, rod.b);
    parts::check(rod.law);
    drive_ = place_drive(shape_, rod.length_drive);
    demand(drive_ >= 0 || (std::isfinite(rod.length) && rod.length >= 0.0),
           "the length of a rod at rest is negative or not a number");
    shape_.differential = rod.law.kind == Law::Kind::viscoelastic ? 1 : 0;
    shape_.measures = {{"length", "m", 1, "between the points"},
                       {"rate", "m/s", 1, "of the length"},
                       {"tension", "N", 1, "positive: pulls"}};
    // The pattern is probed with a law that pulls; slack or flat laws have the same pattern.
    const Law given = rod_.law;
    rod_.cable = false;
    if (shape_.differential == 0) {
      rod_.law = Law{.kind = Law::Kind::linear, .stiffness = 1.0, .damping = 1.0};
    }
    shape_.pattern = probed_pattern(*this, shape_);
    rod_.law = given;
    rod_.cable = rod.cable;
  }

  const Shape& shape() const noexcept override { return shape_; }

  void evaluate(const Point& p, const Contribution& out) const noexcept override {
    const Rows o(out, ends_, p.c);
    const NodeState &na = ends_.node_a(p), &nb = ends_.node_b(p);
    const Line l = length_at(ends_, p, o.J != nullptr);
    const LawForce f = tension(p, l);
    const Vector3 da = na.R * ends_.on_a.offset, db = nb.R * ends_.on_b.offset;
    const Reach to = reach(nb.x + db - na.x - da, na.R * column(ends_.on_a.axes, 2));
    stretch_forces(o, to, da, db, f.force);
    const bool relaxing = shape_.differential == 1;
    const int row = shape_.own_row();
    const double tau = rod_.law.relaxation_time;
    if (relaxing) o.r[row] = p.own_rates[0] - (l.s - rest(p).value - p.own[0]) / tau;
    if (o.J == nullptr) return;
    double v[12];
    for (int j = 0; j < 12; ++j) v[j] = f.by_s * o.c * l.gradient[j] + f.by_rate * l.rate_slopes[j];
    add_outer(o, l.gradient, v, 1.0);
    if (!relaxing) return;
    add_column(o, row, l.gradient, f.by_z * o.c);
    add_row(o, row, l.gradient, -o.c / tau);
    out.at(row, row) += 1.0 + o.c / tau;
  }

  void measure(const Point& p, std::span<double> to) const noexcept override {
    const Line l = length_at(ends_, p, false);
    to[0] = l.s;
    to[1] = l.rate;
    to[2] = tension(p, l).force;
  }

  double energy(const Point& p) const noexcept override {
    const double s = length_at(ends_, p, false).s - rest(p).value;
    if (rod_.cable && s <= 0.0) return 0.0;
    return parts::energy(rod_.law, s, relaxed(p));
  }

 private:
  DriveState rest(const Point& p) const noexcept {
    return drive_ < 0 ? DriveState{rod_.length, 0.0, 0.0} : p.drive(drive_);
  }
  double relaxed(const Point& p) const noexcept {
    return shape_.differential == 1 ? p.own[0] : 0.0;
  }
  LawForce tension(const Point& p, const Line& l) const noexcept {
    const DriveState d = rest(p);
    const double s = l.s - d.value, rate = l.rate - d.rate;
    return rod_.cable ? pulling_force(rod_.law, s, rate, relaxed(p))
                      : parts::force(rod_.law, s, rate, relaxed(p));
  }

  Rod rod_;
  Shape shape_;
  Ends ends_;
  int drive_ = -1;
};

}  // namespace

std::unique_ptr<const Element> make(const Rod& r) { return std::make_unique<RodElement>(r); }

}  // namespace vernier::constrained
