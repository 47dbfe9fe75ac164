#pragma once

#include <array>
#include <concepts>
#include <stdexcept>
#include <utility>

#include "vernier/kernel/constrained/element.hpp"
#include "vernier/kernel/spatial/dual.hpp"

namespace vernier::constrained {

/// Point for any number type T, for residuals written once as a template.
template <class T>
struct PointOf {
  const Point& at;  // time, c, drives, memory
  const NodeStateOf<T>* node_states = nullptr;
  const T* scalar_values = nullptr;
  const T* scalar_rates = nullptr;
  const T* own_values = nullptr;
  const T* own_rates = nullptr;
  const T* own_algebraic = nullptr;

  double time() const noexcept { return at.time; }
  const NodeStateOf<T>& node(int i) const noexcept { return node_states[i]; }
  const T& scalar(int i) const noexcept { return scalar_values[i]; }
  const T& scalar_rate(int i) const noexcept { return scalar_rates[i]; }
  /// Coordinates, then differential unknowns.
  const T& own(int i) const noexcept { return own_values[i]; }
  const T& own_rate(int i) const noexcept { return own_rates[i]; }
  const T& algebraic(int i) const noexcept { return own_algebraic[i]; }
  const DriveState& drive(int i) const noexcept { return at.drive(i); }
  double memory(int i) const noexcept { return at.memory[i]; }
};

/// Receives the residual; zero before.
template <class T>
struct ResidualOf {
  T* rows = nullptr;
  const Shape& shape;

  /// The force F and the moment M about the node act on node i.
  void act(int i, const spatial::Vec3<T>& F, const spatial::Vec3<T>& M) const noexcept {
    T* r = rows + 6 * i;
    r[0] -= F.x, r[1] -= F.y, r[2] -= F.z;
    r[3] -= M.x, r[4] -= M.y, r[5] -= M.z;
  }
  void act(int i, const spatial::Vec3<T>& F) const noexcept {
    T* r = rows + 6 * i;
    r[0] -= F.x, r[1] -= F.y, r[2] -= F.z;
  }
  T& node(int i, int k) const noexcept { return rows[6 * i + k]; }
  T& scalar(int i) const noexcept { return rows[shape.scalar_row(i)]; }
  T& own(int i) const noexcept { return rows[shape.own_row(i)]; }
  T& algebraic(int i) const noexcept { return rows[shape.algebraic_row(i)]; }
};

/// An element defined by its residual alone: forward automatic differentiation gives the exact
/// Jacobian. `Derived` has
///   template <class T> void residual(const PointOf<T>&, const ResidualOf<T>&) const noexcept;
/// and, if its shape is inertial,
///   template <class T> void momenta(const PointOf<T>&, const ResidualOf<T>&) const noexcept;
/// both called with T = double and T = spatial::Dual<Size>. Size: at least shape().size(). For
/// functions of numbers: `using elementary::sin; … sin(x)`.
template <class Derived, int Size>
class DualElement : public Element {
 public:
  const Shape& shape() const noexcept final { return shape_; }

  void evaluate(const Point& p, const Contribution& out) const noexcept final {
    run(p, out, [this](const auto& at, const auto& r) { self().residual(at, r); });
  }
  void momentum(const Point& p, const Contribution& out) const noexcept final {
    if constexpr (requires(const Derived& d, PointOf<double> at, ResidualOf<double> r) {
                    d.momenta(at, r);
                  }) {
      run(p, out, [this](const auto& at, const auto& r) { self().momenta(at, r); });
    } else {
      Element::momentum(p, out);
    }
  }

 protected:
  /// Throws std::invalid_argument for a shape of more than Size rows.
  explicit DualElement(Shape shape) : shape_(std::move(shape)) {
    if (shape_.size() > Size)
      throw std::invalid_argument("an element has " + std::to_string(shape_.size()) +
                                  " rows, its DualElement was made for " + std::to_string(Size));
  }

 private:
  static constexpr std::size_t most = Size;
  const Derived& self() const noexcept { return static_cast<const Derived&>(*this); }

  template <class F>
  void run(const Point& p, const Contribution& out, const F& f) const noexcept {
    if (out.jacobian) {
      run_as<spatial::Dual<Size>>(p, out, f);
    } else {
      run_as<double>(p, out, f);
    }
  }

  template <class T, class F>
  void run_as(const Point& p, const Contribution& out, const F& f) const noexcept {
    constexpr bool dual = !std::same_as<T, double>;
    [[maybe_unused]] const auto seed = [](T& x, int column, double by) {
      if constexpr (dual) x.d[static_cast<std::size_t>(column)] = by;
    };
    std::array<NodeStateOf<T>, most / 6 + 1> nodes;
    std::array<T, most> scalars, scalar_rates, own, own_rates, algebraic, rows{};
    const int node_count = static_cast<int>(shape_.nodes.size());
    for (int i = 0; i < node_count; ++i) fill(nodes[i], p, i);
    for (int i = 0; i < static_cast<int>(shape_.scalars.size()); ++i) {
      scalars[i] = T(p.scalar(i)), scalar_rates[i] = T(p.scalar_rate(i));
      seed(scalars[i], shape_.scalar_row(i), p.c), seed(scalar_rates[i], shape_.scalar_row(i), 1.0);
    }
    for (int i = 0; i < shape_.coordinates + shape_.differential; ++i) {
      own[i] = T(p.own[i]), own_rates[i] = T(p.own_rates[i]);
      seed(own[i], shape_.own_row(i), p.c), seed(own_rates[i], shape_.own_row(i), 1.0);
    }
    for (int i = 0; i < shape_.algebraic; ++i) {
      algebraic[i] = T(p.own_algebraic[i]);
      seed(algebraic[i], shape_.algebraic_row(i), 1.0);
    }
    const PointOf<T> at{p,          nodes.data(),     scalars.data(),  scalar_rates.data(),
                        own.data(), own_rates.data(), algebraic.data()};
    f(at, ResidualOf<T>{rows.data(), shape_});
    for (int i = 0; i < shape_.size(); ++i) {
      if constexpr (dual) {
        out.residual[i] += rows[i].v;
        for (int j = 0; j < shape_.size(); ++j) out.at(i, j) += rows[i].d[j];
      } else {
        out.residual[i] += rows[i];
      }
    }
  }

  /// δx = c e, δR = skew(c e) R, δv = e, δω = turn e.
  template <class T>
  static void fill(NodeStateOf<T>& n, const Point& p, int i) noexcept {
    const NodeState& s = p.node(i);
    n.x = {T(s.x.x), T(s.x.y), T(s.x.z)};
    n.v = {T(s.v.x), T(s.v.y), T(s.v.z)};
    n.omega = {T(s.omega.x), T(s.omega.y), T(s.omega.z)};
    for (int k = 0; k < 9; ++k) n.R.a[k] = T(s.R.a[k]);
    if constexpr (!std::same_as<T, double>) {
      const std::size_t at = 6 * static_cast<std::size_t>(i);
      n.x.x.d[at] = n.x.y.d[at + 1] = n.x.z.d[at + 2] = p.c;
      n.v.x.d[at] = n.v.y.d[at + 1] = n.v.z.d[at + 2] = 1.0;
      const Matrix3& turn = p.turn(i);
      for (std::size_t k = 0; k < 3; ++k) {
        n.omega.x.d[at + 3 + k] = turn.a[k];
        n.omega.y.d[at + 3 + k] = turn.a[3 + k];
        n.omega.z.d[at + 3 + k] = turn.a[6 + k];
        // Row r of skew(e_k) R.
        const std::size_t a = (k + 1) % 3, b = (k + 2) % 3;
        for (std::size_t j = 0; j < 3; ++j) {
          n.R.a[3 * a + j].d[at + 3 + k] = -p.c * s.R.a[3 * b + j];
          n.R.a[3 * b + j].d[at + 3 + k] = p.c * s.R.a[3 * a + j];
        }
      }
    }
  }

  Shape shape_;
};

}  // namespace vernier::constrained
