#pragma once

#include "vernier/kernel/constrained/dual_element.hpp"
#include "vernier/kernel/constrained/user_element.hpp"

/// A radial magnetic bearing: pairs of magnets along axes 1 and 2 of the stator pull at the rotor,
///   f = K ((I + i)² / (g - s)² - (I - i)² / (g + s)²),   L i' + R i = -(P s + D s')
/// with s the rotor's displacement along the axis and i the control current, an unknown of the
/// element. Only the residual is written: dual numbers give the Jacobian.
class MagneticBearing final : public vernier::constrained::DualElement<MagneticBearing, 14> {
 public:
  enum { K, gap, bias, resistance, inductance, proportional, derivative, count };

  explicit MagneticBearing(const vernier::constrained::UserArguments& given)
      : DualElement(its_shape(given)) {
    for (int i = 0; i < count; ++i) {
      parameters_[i] = given.parameters[i];
      if (i < proportional && !(parameters_[i] > 0.0))
        throw std::invalid_argument("constant, gap, bias, resistance and inductance are positive");
    }
  }

  template <class T>
  void residual(const vernier::constrained::PointOf<T>& p,
                const vernier::constrained::ResidualOf<T>& r) const noexcept {
    const auto &stator = p.node(0), &rotor = p.node(1);
    const auto d = rotor.x - stator.x;
    const auto s = transposed_times(stator.R, d);
    const auto speed = transposed_times(stator.R, rotor.v - stator.v - cross(stator.omega, d));
    const T places[] = {s.x, s.y}, speeds[] = {speed.x, speed.y};
    T force[2];
    for (int k = 0; k < 2; ++k) {
      const T a = (at(bias) + p.own(k)) / (at(gap) - places[k]);
      const T b = (at(bias) - p.own(k)) / (at(gap) + places[k]);
      force[k] = at(K) * (a * a - b * b);
      r.own(k) = at(inductance) * p.own_rate(k) + at(resistance) * p.own(k) +
                 at(proportional) * places[k] + at(derivative) * speeds[k];
    }
    const auto F = stator.R * vernier::spatial::Vec3<T>{force[0], force[1], T(0.0)};
    r.act(1, F);
    r.act(0, -F, cross(d, -F));
  }

  void measure(const vernier::constrained::Point& p,
               std::span<double> out) const noexcept override {
    out[0] = p.own[0], out[1] = p.own[1];
  }

 private:
  double at(int i) const noexcept { return parameters_[i]; }

  static vernier::constrained::Shape its_shape(const vernier::constrained::UserArguments& given) {
    vernier::constrained::Shape s;
    s.nodes.assign(given.nodes.begin(), given.nodes.end());
    s.differential = 2;
    s.measures = {{"current", "A", 2, "of the two axes"}};
    return s;
  }

  double parameters_[count];
};
