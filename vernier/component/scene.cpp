#include "vernier/component/scene.hpp"

#include <Eigen/Eigenvalues>
#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <numbers>

#include "vernier/kernel/elementary/elementary.hpp"

namespace vernier::scene {

Step offset(const Vector& v) { return {.kind = Step::Kind::offset, .vector = v}; }
Step rotation(const Quaternion& q) { return {.kind = Step::Kind::rotation, .quaternion = q}; }
Step position(Binding b) {
  b.count = 3;
  return {.kind = Step::Kind::position, .by = std::move(b)};
}
Step attitude(Binding b) {
  b.count = 4;
  return {.kind = Step::Kind::attitude, .by = std::move(b)};
}
Step along(const Vector& direction, Binding by) {
  return {.kind = Step::Kind::along, .vector = direction, .by = std::move(by)};
}
Step about(const Vector& axis, Binding angle) {
  return {.kind = Step::Kind::about, .vector = axis, .by = std::move(angle)};
}
Step spin(const Vector& axis, Binding speed) {
  return {.kind = Step::Kind::spin, .vector = axis, .by = std::move(speed)};
}

Body earth(double radius) {
  Body b{.name = "Earth", .kind = Body::Kind::planet, .shared = true};
  b.shapes.push_back({.shape = "globe", .radius = radius, .planet = "earth"});
  return b;
}

Vector box_size(double mass, const Vector& moments, double density) {
  const double sum = moments[0] + moments[1] + moments[2];
  // Moments of a thin plate or rod may break the triangle inequality by rounding.
  Vector squares;
  for (std::size_t i = 0; i < 3; ++i) squares[i] = std::max(0.0, 6.0 * (sum - 2.0 * moments[i]));
  if (!(mass > 0.0)) {
    // The edges are √(squares / m), and m is density times their product.
    const double product = std::sqrt(squares[0] * squares[1] * squares[2]);
    if (!(product > 0.0)) return {};
    mass = elementary::pow(density * product, 0.4);
  }
  return {std::sqrt(squares[0] / mass), std::sqrt(squares[1] / mass), std::sqrt(squares[2] / mass)};
}

namespace {

constexpr double density_of_points = 1000.0;  // kg/m³, of what has mass and no size
constexpr double symmetric = 0.02;            // relative difference of equal moments

Eigen::Vector3d plain(const Vector& v) { return {v[0], v[1], v[2]}; }
Quaternion numbers(const Eigen::Quaterniond& q) { return {q.x(), q.y(), q.z(), q.w()}; }

/// A homogeneous cylinder with moment `along` its axis and `across` it.
std::optional<Shape> cylinder(double mass, double along, double across) {
  const double height = (12.0 * across - 6.0 * along) / mass;  // squared
  // A thin disc has none but for rounding.
  if (!(along > 0.0) || height < -1e-6 * along / mass) return {};
  Shape s{.shape = "cylinder", .role = "wheel"};
  s.radius = std::sqrt(2.0 * along / mass);
  s.length = std::sqrt(std::max(height, 0.0));
  return s;
}

}  // namespace

Quaternion z_to(const Vector& direction) {
  const Eigen::Vector3d d = plain(direction);
  if (!(d.norm() > 0.0)) return {0.0, 0.0, 0.0, 1.0};
  return numbers(Eigen::Quaterniond::FromTwoVectors(Eigen::Vector3d::UnitZ(), d));
}

Shape solid(double mass, const Vector& centre, const Tensor& t, std::string role,
            const std::optional<Vector>& spin) {
  Eigen::Matrix3d J;
  J << t.xx, t.xy, t.xz, t.xy, t.yy, t.yz, t.xz, t.yz, t.zz;
  Shape s;
  if (!(J.trace() > 0.0) || !J.allFinite()) {
    s.shape = "sphere";
    s.radius =
        elementary::cbrt(std::max(mass, 1e-3) / (4.0 / 3.0 * std::numbers::pi * density_of_points));
  } else if (spin) {
    const Eigen::Vector3d axis = plain(*spin).normalized();
    const double along = axis.dot(J * axis), across = 0.5 * (J.trace() - along);
    // What is left when the axisymmetric tensor is taken away.
    const Eigen::Matrix3d rest =
        J - across * Eigen::Matrix3d::Identity() - (along - across) * axis * axis.transpose();
    const auto round = mass > 0.0 && rest.norm() < symmetric * J.norm()
                           ? cylinder(mass, along, across)
                           : std::nullopt;
    if (!round) return solid(mass, centre, t, std::move(role));
    s = *round;
    s.rotation = z_to(*spin);
  } else {
    const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> principal(J);
    Eigen::Matrix3d R = principal.eigenvectors();
    // The principal axes in the order and sense that is nearest to those of the body, so that a
    // body with a diagonal tensor gets a box along its axes.
    std::array<Eigen::Index, 3> order{0, 1, 2}, best = order;
    double most = -1.0;
    do {
      const double fit =
          std::abs(R(0, order[0])) + std::abs(R(1, order[1])) + std::abs(R(2, order[2]));
      if (fit > most + 1e-9) most = fit, best = order;
    } while (std::next_permutation(order.begin(), order.end()));
    Eigen::Matrix3d axes;
    Vector moments;
    for (Eigen::Index i = 0; i < 3; ++i) {
      const auto k = best[static_cast<std::size_t>(i)];
      axes.col(i) = R(i, k) < 0.0 ? -R.col(k) : Eigen::Vector3d(R.col(k));
      moments[static_cast<std::size_t>(i)] = principal.eigenvalues()[k];
    }
    if (axes.determinant() < 0.0) axes.col(2) = -axes.col(2);
    s.shape = "box";
    s.size = box_size(mass, moments);
    s.rotation = numbers(Eigen::Quaterniond(axes).normalized());
    Vector sorted = s.size;
    std::sort(sorted.begin(), sorted.end());
    if (role == "bus" || role == "part") {
      if (sorted[0] < 0.12 * sorted[1]) role = "panel";
      if (sorted[1] < 0.12 * sorted[2]) role = "boom";
    }
  }
  s.at = centre;
  s.assumed = true;
  if (s.role.empty()) s.role = std::move(role);
  return s;
}

std::vector<Shape> dressed(std::optional<Shape> assumed, std::vector<Shape> files) {
  if (!assumed) return files;
  if (files.empty()) return {std::move(*assumed)};
  for (Shape& f : files)
    if (f.role.empty()) f.role = assumed->role;
  files.front().instead = {std::move(*assumed)};
  return files;
}

double reach(const Shape& s) {
  const double own = std::max({plain(s.size).norm() / 2.0, s.radius, s.length / 2.0});
  double far = plain(s.at).norm() + own;
  for (const Vector& p : s.points) far = std::max(far, plain(p).norm());
  for (const Shape& i : s.instead) far = std::max(far, reach(i));
  return far;
}

}  // namespace vernier::scene
