#include "vernier/model/multibody_loops/drives.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "vernier/kernel/elementary/elementary.hpp"
#include "vernier/kernel/expression/program.hpp"

namespace vernier::multibody_loops {
namespace {

using constrained::Drive;
using constrained::DriveState;

class Ramp final : public Drive {
 public:
  Ramp(double from, double to, double begin, double end)
      : from_(from), to_(to), begin_(begin), end_(end), slope_((to - from) / (end - begin)) {}
  DriveState at(double t) const noexcept override {
    if (t < begin_) return {from_};
    if (t >= end_) return {to_};
    return {from_ + slope_ * (t - begin_), slope_};
  }
  std::vector<double> corners() const override { return {begin_, end_}; }

 private:
  double from_, to_, begin_, end_, slope_;
};

class Step final : public Drive {
 public:
  Step(double from, double to, double at) : from_(from), to_(to), at_(at) {}
  DriveState at(double t) const noexcept override { return {t < at_ ? from_ : to_}; }
  std::vector<double> corners() const override { return {at_}; }

 private:
  double from_, to_, at_;
};

class SineDrive final : public Drive {
 public:
  explicit SineDrive(const Sine& s) : s_(s), origin_(std::isfinite(s.begin) ? s.begin : 0.0) {}
  DriveState at(double t) const noexcept override {
    const bool outside = t < s_.begin || t >= s_.end;
    const double a = s_.omega * (std::clamp(t, s_.begin, s_.end) - origin_) + s_.phase;
    const double value = s_.offset + s_.amplitude * elementary::sin(a);
    if (outside) return {value};
    const double rate = s_.amplitude * s_.omega;
    return {value, rate * elementary::cos(a), -rate * s_.omega * elementary::sin(a)};
  }
  std::vector<double> corners() const override {
    std::vector<double> all;
    if (std::isfinite(s_.begin)) all.push_back(s_.begin);
    if (std::isfinite(s_.end)) all.push_back(s_.end);
    return all;
  }

 private:
  Sine s_;
  double origin_;
};

/// Points in time, and the search for an interval.
class Points {
 public:
  Points(std::vector<double> times, std::vector<double> values)
      : times_(std::move(times)), values_(std::move(values)) {}

 protected:
  /// The interval that contains t, which must not be outside the points.
  std::size_t interval(double t) const noexcept {
    const auto after = std::upper_bound(times_.begin(), times_.end(), t);
    return static_cast<std::size_t>(after - times_.begin()) - 1;
  }
  bool before(double t) const noexcept { return t < times_.front(); }
  bool behind(double t) const noexcept { return t >= times_.back(); }

  std::vector<double> times_, values_;
};

class Table final : public Drive, Points {
 public:
  using Points::Points;
  DriveState at(double t) const noexcept override {
    if (before(t)) return {values_.front()};
    if (behind(t)) return {values_.back()};
    const std::size_t i = interval(t);
    const double slope = (values_[i + 1] - values_[i]) / (times_[i + 1] - times_[i]);
    return {values_[i] + slope * (t - times_[i]), slope};
  }
  std::vector<double> corners() const override { return times_; }
};

class Spline final : public Drive, Points {
 public:
  Spline(std::vector<double> times, std::vector<double> values)
      : Points(std::move(times), std::move(values)), curvature_(times_.size(), 0.0) {
    // Natural cubic spline: the second derivatives solve a tridiagonal system (Thomas algorithm)
    // and vanish at both ends.
    const std::size_t n = times_.size();
    std::vector<double> upper(n, 0.0);
    for (std::size_t i = 1; i + 1 < n; ++i) {
      const double a = times_[i] - times_[i - 1], b = times_[i + 1] - times_[i];
      const double jump = (values_[i + 1] - values_[i]) / b - (values_[i] - values_[i - 1]) / a;
      const double pivot = 2.0 * (a + b) - a * upper[i - 1];
      upper[i] = b / pivot;
      curvature_[i] = (6.0 * jump - a * curvature_[i - 1]) / pivot;
    }
    for (std::size_t i = n - 1; i-- > 1;) curvature_[i] -= upper[i] * curvature_[i + 1];
  }
  DriveState at(double t) const noexcept override {
    if (before(t)) return {values_.front()};
    if (behind(t)) return {values_.back()};
    const std::size_t i = interval(t);
    const double h = times_[i + 1] - times_[i], s = t - times_[i];
    const double c = curvature_[i], d = (curvature_[i + 1] - c) / h;
    const double slope =
        (values_[i + 1] - values_[i]) / h - h * (2.0 * c + curvature_[i + 1]) / 6.0;
    return {values_[i] + s * (slope + s * (c / 2.0 + s * d / 6.0)), slope + s * (c + s * d / 2.0),
            c + s * d};
  }
  std::vector<double> corners() const override { return {times_.front(), times_.back()}; }

 private:
  std::vector<double> curvature_;
};

class Formula final : public Drive {
 public:
  // The working memory is on the stack, because evaluation must not allocate.
  static constexpr std::size_t most_work = 512;
  explicit Formula(expression::Program p) : program_(std::move(p)) {}
  DriveState at(double t) const noexcept override {
    std::array<double, most_work> work;
    std::array<double, 3> out{};
    program_.run(&t, out.data(), work.data());
    return {out[0], out[1], out[2]};
  }

 private:
  expression::Program program_;
};

}  // namespace

Function ramp(double from, double to, double begin, double end) {
  return std::make_shared<Ramp>(from, to, begin, end);
}
Function step(double from, double to, double at) { return std::make_shared<Step>(from, to, at); }
Function sine(const Sine& s) { return std::make_shared<SineDrive>(s); }
Function table(std::vector<double> times, std::vector<double> values) {
  return std::make_shared<Table>(std::move(times), std::move(values));
}
Function spline(std::vector<double> times, std::vector<double> values) {
  return std::make_shared<Spline>(std::move(times), std::move(values));
}

Function formula(expression::Graph& graph, expression::Term value) {
  const expression::Term rate = graph.derivative(value, 0);
  const std::array terms{value, rate, graph.derivative(rate, 0)};
  expression::Program program(graph, terms, 1);
  if (program.work() > Formula::most_work) return {};
  return std::make_shared<Formula>(std::move(program));
}

}  // namespace vernier::multibody_loops
