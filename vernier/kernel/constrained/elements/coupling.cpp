#include <cmath>

#include "vernier/kernel/constrained/elements/coordinate.hpp"
#include "vernier/kernel/constrained/elements/ends.hpp"

namespace vernier::constrained {
namespace {

using namespace parts;

/// Memory: whether the run has begun, the right-hand side, then those of the coordinates. Before
/// the run Φ is always 0: the assembly preserves the coordinates to first order, and begin() stores
/// their values.
class CouplingElement final : public Element {
 public:
  explicit CouplingElement(const Coupling& c) : ratio_(c.ratio) {
    check_finite({c.ratio}, "the ratio of a coupling is not finite");
    demand(c.ratio != 0.0, "the ratio of a coupling is zero");
    first_ = {joined(shape_, c.first.a, c.first.b), c.first.angle};
    second_ = {joined(shape_, c.second.a, c.second.b), c.second.angle};
    drive_ = place_drive(shape_, c.drive);
    shape_.algebraic = shape_.holonomic = 1;
    shape_.memory = 2 + first_.memory() + second_.memory();
    shape_.measures = {
        {"first", c.first.angle ? "rad" : "m", 1, "the first coordinate"},
        {"second", c.second.angle ? "rad" : "m", 1, "the second coordinate"},
        {"reaction", c.first.angle ? "N·m" : "N", 1, "of the coupling along the first coordinate"}};
    row_ = shape_.own_row();
    shape_.pattern = probed_pattern(*this, shape_);
  }

  const Shape& shape() const noexcept override { return shape_; }

  void evaluate(const Point& p, const Contribution& out) const noexcept override {
    const double l = p.own_algebraic[0];
    one(first_, p, p.memory + 2, 1.0, l, out);
    one(second_, p, p.memory + 2 + first_.memory(), ratio_, l, out);
    out.residual[row_] = p.memory[0] != 0.0 ? sum(p, p.memory) - p.memory[1] : 0.0;
  }

  void constraint_motion(const Point& p, std::span<double> rate,
                         std::span<double> drift) const override {
    const DriveState d = drive(p);
    const Jet r = Jet(ratio_);
    rate[0] = -d.rate;
    drift[0] = (first_.moving(p, true) + r * second_.moving(p, true)).dd - d.acceleration;
  }

  void begin(const Point& p, std::span<double> memory) const noexcept override {
    first_.begin(p, memory.data() + 2);
    second_.begin(p, memory.data() + 2 + first_.memory());
    memory[0] = 1.0;
    memory[1] = sum(p, memory.data());
  }
  bool accept(const Point& p, std::span<double> memory) const noexcept override {
    first_.accept(p, memory.data() + 2);
    second_.accept(p, memory.data() + 2 + first_.memory());
    return false;
  }

  void measure(const Point& p, std::span<double> to) const noexcept override {
    to[0] = first_.value(p, p.memory + 2);
    to[1] = second_.value(p, p.memory + 2 + first_.memory());
    to[2] = -p.own_algebraic[0];
  }

 private:
  DriveState drive(const Point& p) const noexcept {
    return drive_ < 0 ? DriveState{} : p.drive(drive_);
  }
  /// The quantity that remains constant.
  double sum(const Point& p, const double* memory) const noexcept {
    return first_.value(p, memory + 2) + ratio_ * second_.value(p, memory + 2 + first_.memory()) -
           drive(p).value;
  }
  void one(const Pair& pair, const Point& p, const double* memory, double weight, double l,
           const Contribution& out) const noexcept {
    const Rows o(out, pair.ends, p.c);
    pair.forces(o, p, weight * l);
    if (o.J == nullptr) return;
    const Line line = pair.at(p, memory, false);
    add_row(o, row_, line.gradient, weight * o.c);
    add_column(o, row_, line.gradient, weight);
  }

  double ratio_;
  Shape shape_;
  Pair first_, second_;
  int drive_ = -1, row_ = 0;
};

}  // namespace

std::unique_ptr<const Element> make(const Coupling& c) {
  return std::make_unique<CouplingElement>(c);
}

}  // namespace vernier::constrained
