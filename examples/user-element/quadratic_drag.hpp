#pragma once

#include <cmath>

#include "vernier/kernel/constrained/user_element.hpp"

/// Isotropic drag of a body, F = -b |v| v at its node; the Jacobian by hand:
/// ∂F/∂v = -b (|v| + v vᵀ / |v|).
class QuadraticDrag final : public vernier::constrained::Element {
 public:
  explicit QuadraticDrag(const vernier::constrained::UserArguments& given)
      : b_(given.parameters[0]) {
    if (!(b_ >= 0.0)) throw std::invalid_argument("the coefficient of drag is not negative");
    shape_.nodes = {given.nodes[0]};
    shape_.measures = {{"force", "N", 3, "global axes"}};
  }

  const vernier::constrained::Shape& shape() const noexcept override { return shape_; }

  void evaluate(const vernier::constrained::Point& p,
                const vernier::constrained::Contribution& out) const noexcept override {
    const auto& v = p.node(0).v;
    const double speed = std::sqrt(dot(v, v));
    out.act(0, v * (-b_ * speed), {});
    if (!out.jacobian) return;
    // the residual counts forces as negative; the velocity is the unknown itself, so there is no c
    const double a[] = {v.x, v.y, v.z}, inverse = speed > 0.0 ? 1.0 / speed : 0.0;
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j) out.at(i, j) += b_ * a[i] * a[j] * inverse;
      out.at(i, i) += b_ * speed;
    }
  }

  void measure(const vernier::constrained::Point& p,
               std::span<double> out) const noexcept override {
    const auto& v = p.node(0).v;
    const auto F = v * (-b_ * std::sqrt(dot(v, v)));
    out[0] = F.x, out[1] = F.y, out[2] = F.z;
  }

 private:
  double b_;
  vernier::constrained::Shape shape_;
};
