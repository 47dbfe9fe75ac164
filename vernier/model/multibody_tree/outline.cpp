#include "vernier/model/multibody_tree/outline.hpp"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>

namespace vernier::multibody_tree {
namespace {

using multibody::Lump;
using multibody::Matrix3X;
using spatial::Matrix3;
using spatial::Vector3;

constexpr double density = 800.0;         // kg/m³, of point masses
constexpr std::size_t most_points = 400;  // drawn of one body; finding neighbours costs their cube

/// The points that are drawn: evenly spread, if there are too many.
std::vector<std::size_t> chosen(const ModalFile& f) {
  std::vector<std::size_t> all;
  const std::size_t stride = (f.points.size() + most_points - 1) / most_points;
  for (std::size_t i = 0; i < f.points.size(); i += std::max<std::size_t>(stride, 1))
    all.push_back(i);
  return all;
}

std::vector<std::pair<int, int>> neighbours(const std::vector<Vector3>& p) {
  std::vector<std::pair<int, int>> pairs;
  for (std::size_t i = 0; i < p.size(); ++i) {
    for (std::size_t k = 0; k < i; ++k) {
      const double d = (p[i] - p[k]).squaredNorm();
      if (!(d > 0.0)) continue;
      // Equal distances do not separate: a square keeps its sides and no diagonal.
      const bool apart = std::none_of(p.begin(), p.end(), [&](const Vector3& o) {
        const double nearer = d * (1.0 - 1e-9);
        return (o - p[i]).squaredNorm() < nearer && (o - p[k]).squaredNorm() < nearer;
      });
      if (apart) pairs.emplace_back(static_cast<int>(k), static_cast<int>(i));
    }
  }
  return pairs;
}

/// Half of the longest edge of the box that has the inertia of a point; zero: it is no bar.
Vector3 half_bar(const Lump& l) {
  if (!(l.mass > 0.0) || l.inertia.isZero(0.0) || l.rotation.cols() == 0) return Vector3::Zero();
  const Eigen::SelfAdjointEigenSolver<Matrix3> principal(l.inertia);
  const scene::Vector size = scene::box_size(l.mass, scene::vector(principal.eigenvalues()));
  // The smallest moment is about the longest edge.
  if (size[0] < 3.0 * std::max(size[1], size[2])) return Vector3::Zero();
  return 0.5 * size[0] * principal.eigenvectors().col(0);
}

/// A point at p + d that moves and turns with a lump at p.
scene::Point moved(const Lump& l, const Vector3& d) {
  scene::Point point{.at = scene::vector(Vector3(l.p + d))};
  for (Eigen::Index i = 0; i < l.shape.cols(); ++i) {
    Vector3 by = l.shape.col(i);
    if (l.rotation.cols() > i) by += l.rotation.col(i).cross(d);
    point.shape.push_back(scene::vector(by));
  }
  return point;
}

}  // namespace

Outline outline(const ModalFile& f) {
  Outline o;
  std::vector<Vector3> places;
  std::vector<int> drawn(f.points.size(), -1);
  std::vector<Vector3> bars;
  for (const std::size_t i : chosen(f)) {
    drawn[i] = static_cast<int>(places.size());
    places.push_back(f.points[i].p);
    bars.push_back(half_bar(f.points[i]));
    o.points.push_back(moved(f.points[i], Vector3::Zero()));
  }
  scene::Shape truss{.shape = "truss", .role = "boom"};
  for (const std::vector<std::size_t>& beam : f.beams) {
    int before = -1;
    for (const std::size_t i : beam) {
      if (drawn[i] < 0) continue;
      if (before >= 0) truss.members.emplace_back(before, drawn[i]);
      before = drawn[i];
    }
  }
  if (f.beams.empty()) truss.members = neighbours(places);

  // The two ends of each bar, and the sheets between bars that lie side by side.
  scene::Shape sheet{.shape = "sheet", .role = "panel"};
  std::vector<int> ends(places.size(), -1);
  std::size_t k = 0;
  for (const std::size_t i : chosen(f)) {
    const Vector3 d = bars[k];
    if (d.isZero(0.0) && f.beams.empty() && f.points[i].mass > 0.0)
      truss.blocks.emplace_back(static_cast<int>(k), std::cbrt(f.points[i].mass / density));
    if (!d.isZero(0.0)) {
      ends[k] = static_cast<int>(o.points.size());
      o.points.push_back(moved(f.points[i], d));
      o.points.push_back(moved(f.points[i], -d));
    }
    ++k;
  }
  for (const auto& [a, b] : truss.members) {
    const auto i = static_cast<std::size_t>(a), l = static_cast<std::size_t>(b);
    if (ends[i] < 0 || ends[l] < 0) continue;
    const double along = bars[i].dot(bars[l]);
    const Vector3 way = (places[l] - places[i]).normalized();
    if (std::abs(along) < 0.9 * bars[i].norm() * bars[l].norm()) continue;
    if (std::abs(way.dot(bars[i])) > 0.5 * bars[i].norm()) continue;
    const int turn = along > 0.0 ? 0 : 1;
    sheet.quads.push_back({ends[i], ends[i] + 1, ends[l] + 1 - turn, ends[l] + turn});
  }
  double size = 0.0;
  for (const Vector3& p : places) size = std::max(size, (p - places.front()).norm());
  truss.radius = 0.005 * size;
  if (!truss.members.empty()) o.shapes.push_back(std::move(truss));
  if (!sheet.quads.empty()) o.shapes.push_back(std::move(sheet));
  return o;
}

}  // namespace vernier::multibody_tree
