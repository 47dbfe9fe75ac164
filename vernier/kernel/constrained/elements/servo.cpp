#include <algorithm>
#include <cmath>

#include "vernier/kernel/constrained/elements/coordinate.hpp"
#include "vernier/kernel/constrained/elements/ends.hpp"

namespace vernier::constrained {
namespace {

using namespace parts;

/// Marks the rows and columns of a force along a coordinate, and those of the own or scalar
/// unknown.
void mark_coordinate(Shape& s, const Pair& pair, int other, bool with_other) {
  s.pattern.assign(static_cast<std::size_t>(s.size()) * static_cast<std::size_t>(s.size()), 0);
  const int skip = pair.angle ? 3 : 0, count = 6 - skip;
  for (int i : {pair.ends.a, pair.ends.b}) {
    if (i < 0) continue;
    for (int j : {pair.ends.a, pair.ends.b}) {
      if (j >= 0) mark(s, 6 * i + skip, count, 6 * j + skip, count);
    }
    if (!with_other) continue;
    mark(s, 6 * i + skip, count, other, 1);
    mark(s, other, 1, 6 * i + skip, count);
  }
  if (with_other) mark(s, other, 1, other, 1);
}

/// A PID controller. Memory: that of the coordinate; if held, then the command, the integral, the
/// last error and its time.
class ServoElement final : public Element {
 public:
  explicit ServoElement(const Servo& s) : servo_(s) {
    check_finite({s.proportional, s.integral, s.derivative, s.limit},
                 "a gain of the servo is not finite");
    demand(s.limit >= 0.0, "the limit of the servo is negative");
    demand(s.integral == 0.0 || s.limit == 0.0 || s.proportional * s.integral > 0.0,
           "a servo with a limit and an integral gain needs a proportional gain of the same sign");
    pair_ = {joined(shape_, s.coordinate.a, s.coordinate.b), s.coordinate.angle};
    drive_ = place_drive(shape_, s.reference);
    integrates_ = s.integral != 0.0;
    shape_.differential = integrates_ && !s.held ? 1 : 0;
    shape_.held = s.held;
    shape_.memory = pair_.memory() + (s.held ? 4 : 0);
    const char* unit = s.coordinate.angle ? "rad" : "m";
    shape_.measures = {
        {"command", s.coordinate.angle ? "N·m" : "N", 1, "on b along the coordinate"},
        {"error", unit, 1, "reference less coordinate"},
        {"position", unit, 1, "the coordinate"}};
    mark_coordinate(shape_, pair_, shape_.own_row(), shape_.differential == 1);
  }

  const Shape& shape() const noexcept override { return shape_; }

  void evaluate(const Point& p, const Contribution& out) const noexcept override {
    if (servo_.held) return;
    const Rows o(out, pair_.ends, p.c);
    const Line l = pair_.at(p, p.memory, o.J != nullptr);
    const bool integral = shape_.differential == 1;
    const Command u = command(p, l, integral ? p.own[0] : 0.0);
    const double free = u.limited ? 0.0 : 1.0;
    push(o, pair_, l, p, {u.u, -free * servo_.proportional, -free * servo_.derivative});
    if (!integral) return;
    // z' = e below the limit. At the limit z is tracked back (anti-windup) with time constant Kp /
    // Ki.
    const int row = shape_.own_row();
    const double back = 1.0 / servo_.proportional;
    o.r[row] = p.own_rates[0] - u.error - (u.u - u.wanted) * back;
    if (o.J == nullptr) return;
    add_column(o, row, l.gradient, -free * servo_.integral * o.c);
    const double of_wanted = (1.0 - free) * back;
    add_row(o, row, l.gradient, o.c * (1.0 - of_wanted * servo_.proportional));
    add_row(o, row, l.rate_slopes, -of_wanted * servo_.derivative);
    out.at(row, row) += 1.0 + o.c * of_wanted * servo_.integral;
  }

  void held_forces(const Point& p, std::span<Wrench> to) const noexcept override {
    Wrench on_a, on_b;
    pair_.wrenches(p, p.memory[pair_.memory()], on_a, on_b);
    if (pair_.ends.a >= 0) to[pair_.ends.a] = on_a;
    if (pair_.ends.b >= 0) to[pair_.ends.b] = on_b;
  }

  void begin(const Point& p, std::span<double> memory) const noexcept override {
    pair_.begin(p, memory.data());
    if (!servo_.held) return;
    const Line l = pair_.at(p, memory.data(), false);
    const Command u = command(p, l, 0.0);
    double* m = memory.data() + pair_.memory();
    m[0] = u.u, m[1] = 0.0, m[2] = u.error, m[3] = p.time;
  }
  bool accept(const Point& p, std::span<double> memory) const noexcept override {
    pair_.accept(p, memory.data());
    if (!servo_.held) return false;
    // Sampled here: the integral by the trapezoidal rule, but no further into a limit.
    const Line l = pair_.at(p, memory.data(), false);
    double* m = memory.data() + pair_.memory();
    const double error = command(p, l, 0.0).error;
    const double more = integrates_ ? 0.5 * (p.time - m[3]) * (m[2] + error) : 0.0;
    Command u = command(p, l, m[1] + more);
    if (u.limited && servo_.integral * more * u.u > 0.0) {
      u = command(p, l, m[1]);
    } else {
      m[1] += more;
    }
    m[0] = u.u, m[2] = error, m[3] = p.time;
    return false;
  }

  void measure(const Point& p, std::span<double> to) const noexcept override {
    const Line l = pair_.at(p, p.memory, false);
    const Command u = command(p, l, shape_.differential == 1 ? p.own[0] : 0.0);
    to[0] = servo_.held ? p.memory[pair_.memory()] : u.u;
    to[1] = u.error;
    to[2] = l.s;
  }

 private:
  struct Command {
    double error, wanted, u;
    bool limited;
  };
  Command command(const Point& p, const Line& l, double z) const noexcept {
    const DriveState r = drive_ < 0 ? DriveState{} : p.drive(drive_);
    const double e = r.value - l.s;
    const double u =
        servo_.proportional * e + servo_.integral * z + servo_.derivative * (r.rate - l.rate);
    const double most = servo_.limit > 0.0 ? servo_.limit : INFINITY;
    return {e, u, std::clamp(u, -most, most), std::abs(u) > most};
  }

  Servo servo_;
  Shape shape_;
  Pair pair_;
  int drive_ = -1;
  bool integrates_ = false;
};

class TransducerElement final : public Element {
 public:
  explicit TransducerElement(const Transducer& t) : constant_(t.constant) {
    check_finite({t.constant}, "the constant of a transducer is not finite");
    demand(t.scalar >= 0, "a transducer has no scalar node");
    pair_ = {joined(shape_, t.coordinate.a, t.coordinate.b), t.coordinate.angle};
    shape_.scalars = {t.scalar};
    shape_.memory = pair_.memory();
    shape_.measures = {{"force", t.coordinate.angle ? "N·m" : "N", 1, "on b along the coordinate"},
                       {"rate", t.coordinate.angle ? "rad/s" : "m/s", 1, "of the coordinate"}};
    mark_coordinate(shape_, pair_, shape_.scalar_row(), true);
  }

  const Shape& shape() const noexcept override { return shape_; }

  void evaluate(const Point& p, const Contribution& out) const noexcept override {
    const Rows o(out, pair_.ends, p.c);
    const Line l = pair_.at(p, p.memory, o.J != nullptr);
    const int row = shape_.scalar_row();
    push(o, pair_, l, p, {constant_ * p.scalar(0), 0.0, 0.0});
    o.r[row] += constant_ * l.rate;
    if (o.J == nullptr) return;
    add_column(o, row, l.gradient, -constant_ * o.c);
    add_row(o, row, l.rate_slopes, constant_);
  }

  void begin(const Point& p, std::span<double> memory) const noexcept override {
    pair_.begin(p, memory.data());
  }
  bool accept(const Point& p, std::span<double> memory) const noexcept override {
    pair_.accept(p, memory.data());
    return false;
  }
  void measure(const Point& p, std::span<double> to) const noexcept override {
    to[0] = constant_ * p.scalar(0);
    to[1] = pair_.at(p, p.memory, false).rate;
  }

 private:
  double constant_;
  Shape shape_;
  Pair pair_;
};

}  // namespace

std::unique_ptr<const Element> make(const Servo& s) { return std::make_unique<ServoElement>(s); }
std::unique_ptr<const Element> make(const Transducer& t) {
  return std::make_unique<TransducerElement>(t);
}

}  // namespace vernier::constrained
