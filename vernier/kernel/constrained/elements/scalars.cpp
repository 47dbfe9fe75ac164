#include <algorithm>
#include <cmath>

#include "vernier/kernel/constrained/elements/ends.hpp"

namespace vernier::constrained {
namespace {

using namespace parts;

int place_scalar(Shape& s, int scalar) {
  const auto found = std::find(s.scalars.begin(), s.scalars.end(), scalar);
  if (found != s.scalars.end()) return static_cast<int>(found - s.scalars.begin());
  s.scalars.push_back(scalar);
  return static_cast<int>(s.scalars.size()) - 1;
}

class StateSpaceElement final : public Element {
 public:
  explicit StateSpaceElement(const StateSpace& s) : system_(s) {
    const std::size_t n = static_cast<std::size_t>(std::max(0, s.states));
    const std::size_t u = s.input_scalars.size() + s.input_drives.size();
    const std::size_t y = s.output_scalars.size();
    demand(s.states >= 0, "a state space has a negative number of states");
    demand(s.A.size() == n * n, "A of a state space has not states times states numbers");
    demand(s.B.size() == n * u, "B of a state space has not states times inputs numbers");
    demand(s.C.size() == y * n, "C of a state space has not outputs times states numbers");
    demand(s.D.empty() || s.D.size() == y * u,
           "D of a state space has not outputs times inputs numbers");
    demand(s.E.empty() || s.E.size() == n * n,
           "E of a state space has not states times states numbers");
    demand(s.initial.empty() || s.initial.size() == n,
           "a state space has not one initial value for each state");
    for (const auto* m : {&s.A, &s.B, &s.C, &s.D, &s.E, &s.initial}) {
      for (double v : *m) check_finite({v}, "a number of a state space is not finite");
    }
    if (system_.D.empty()) system_.D.assign(y * u, 0.0);
    for (int i : s.input_scalars) {
      demand(i >= 0, "an input of a state space has no scalar node");
      inputs_.push_back(place_scalar(shape_, i));
    }
    for (int i : s.input_drives) {
      demand(i >= 0, "an input of a state space has no drive");
      drives_.push_back(place_drive(shape_, i));
    }
    for (int i : s.output_scalars) {
      demand(i >= 0, "an output of a state space has no scalar node");
      outputs_.push_back(place_scalar(shape_, i));
    }
    shape_.differential = s.states;
    if (!s.initial.empty()) {
      shape_.initial = s.initial;
      shape_.initial.resize(2 * n, 0.0);
    }
    shape_.measures = {{"state", "1", s.states, "x"},
                       {"output", "1", static_cast<int>(y), "C x + D u"}};
    if (s.states == 0) shape_.measures.erase(shape_.measures.begin());
    shape_.pattern = probed_pattern(*this, shape_);
  }

  const Shape& shape() const noexcept override { return shape_; }

  void evaluate(const Point& p, const Contribution& out) const noexcept override {
    const int n = system_.states, own = shape_.own_row(), nodes = shape_.scalar_row();
    for (int i = 0; i < n; ++i) {
      double r = -forced(system_.B, i, p);
      for (int j = 0; j < n; ++j) {
        const double e = inertia(i, j), a = system_.A[i * n + j];
        r += e * p.own_rates[j] - a * p.own[j];
        if (out.jacobian != nullptr) out.at(own + i, own + j) += e - p.c * a;
      }
      out.residual[own + i] += r;
      if (out.jacobian != nullptr) by_inputs(system_.B, i, own + i, -p.c, out);
    }
    for (int i = 0; i < static_cast<int>(outputs_.size()); ++i) {
      const int row = nodes + outputs_[i];
      out.residual[row] += output(i, p) - p.scalar(outputs_[i]);
      if (out.jacobian == nullptr) continue;
      for (int j = 0; j < n; ++j) out.at(row, own + j) += p.c * system_.C[i * n + j];
      by_inputs(system_.D, i, row, p.c, out);
      out.at(row, row) -= p.c;
    }
  }

  void measure(const Point& p, std::span<double> to) const noexcept override {
    const auto n = static_cast<std::size_t>(system_.states);
    for (std::size_t i = 0; i < n; ++i) to[i] = p.own[i];
    for (int i = 0; i < static_cast<int>(outputs_.size()); ++i) to[n + i] = output(i, p);
  }

 private:
  double inertia(int i, int j) const noexcept {
    if (system_.E.empty()) return i == j ? 1.0 : 0.0;
    return system_.E[i * system_.states + j];
  }
  /// Element i of B u or D u.
  double forced(const std::vector<double>& m, int i, const Point& p) const noexcept {
    const std::size_t scalars = inputs_.size(), columns = scalars + drives_.size();
    double sum = 0.0;
    for (std::size_t j = 0; j < scalars; ++j) sum += m[i * columns + j] * p.scalar(inputs_[j]);
    for (std::size_t j = scalars; j < columns; ++j) {
      sum += m[i * columns + j] * p.drive(drives_[j - scalars]).value;
    }
    return sum;
  }
  void by_inputs(const std::vector<double>& m, int i, int row, double s,
                 const Contribution& out) const noexcept {
    const std::size_t columns = inputs_.size() + drives_.size();
    for (std::size_t j = 0; j < inputs_.size(); ++j) {
      out.at(row, shape_.scalar_row(inputs_[j])) += s * m[i * columns + j];
    }
  }
  double output(int i, const Point& p) const noexcept {
    double y = forced(system_.D, i, p);
    for (int j = 0; j < system_.states; ++j) y += system_.C[i * system_.states + j] * p.own[j];
    return y;
  }

  StateSpace system_;
  Shape shape_;
  std::vector<int> inputs_, drives_, outputs_;
};

class BranchElement final : public Element {
 public:
  explicit BranchElement(const ScalarBranch& b) : branch_(b) {
    check_finite({b.conductance, b.capacity, b.cubic}, "a number of a branch is not finite");
    demand(b.a >= 0 || b.b >= 0, "a branch has no scalar node");
    demand(b.a != b.b, "both ends of a branch are the same scalar node");
    if (b.a >= 0) a_ = place_scalar(shape_, b.a);
    if (b.b >= 0) b_ = place_scalar(shape_, b.b);
    drive_ = place_drive(shape_, b.source);
    shape_.measures = {{"flow", "1", 1, "from a to b"}, {"difference", "1", 1, "of a and b"}};
  }

  const Shape& shape() const noexcept override { return shape_; }

  void evaluate(const Point& p, const Contribution& out) const noexcept override {
    const double u = difference(p), f = flow(p);
    if (a_ >= 0) out.residual[a_] += f;
    if (b_ >= 0) out.residual[b_] -= f;
    if (out.jacobian == nullptr) return;
    const double slope =
        p.c * (branch_.conductance + 3.0 * branch_.cubic * u * u) + branch_.capacity;
    if (a_ >= 0) out.at(a_, a_) += slope;
    if (b_ >= 0) out.at(b_, b_) += slope;
    if (a_ < 0 || b_ < 0) return;
    out.at(a_, b_) -= slope;
    out.at(b_, a_) -= slope;
  }

  void measure(const Point& p, std::span<double> to) const noexcept override {
    to[0] = flow(p);
    to[1] = difference(p);
  }
  double energy(const Point& p) const noexcept override {
    return 0.5 * branch_.capacity * difference(p) * difference(p);
  }

 private:
  double difference(const Point& p) const noexcept {
    return (a_ < 0 ? 0.0 : p.scalar(a_)) - (b_ < 0 ? 0.0 : p.scalar(b_));
  }
  double flow(const Point& p) const noexcept {
    const double u = difference(p);
    const double rate = (a_ < 0 ? 0.0 : p.scalar_rate(a_)) - (b_ < 0 ? 0.0 : p.scalar_rate(b_));
    return (branch_.conductance + branch_.cubic * u * u) * u + branch_.capacity * rate +
           (drive_ < 0 ? 0.0 : p.drive(drive_).value);
  }

  ScalarBranch branch_;
  Shape shape_;
  int a_ = -1, b_ = -1, drive_ = -1;
};

}  // namespace

std::unique_ptr<const Element> make(const StateSpace& s) {
  return std::make_unique<StateSpaceElement>(s);
}
std::unique_ptr<const Element> make(const ScalarBranch& b) {
  return std::make_unique<BranchElement>(b);
}

}  // namespace vernier::constrained
