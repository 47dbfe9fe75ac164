#include "vernier/testing/scene_poses.hpp"

namespace vernier::testing {
namespace {

using Eigen::Isometry3d;
using Eigen::Quaterniond;
using Eigen::Vector3d;

Vector3d plain(const std::vector<double>& v) { return {v.at(0), v.at(1), v.at(2)}; }
Vector3d plain(const scene::Vector& v) { return {v[0], v[1], v[2]}; }

Vector3d sum(const std::vector<scene::Vector>& shapes, const std::vector<double>& eta) {
  Vector3d d = Vector3d::Zero();
  for (std::size_t i = 0; i < shapes.size(); ++i) d += plain(shapes[i]) * eta.at(i);
  return d;
}

Vector3d pairs(const std::vector<scene::Vector>& g, const std::vector<double>& eta) {
  Vector3d d = Vector3d::Zero();
  std::size_t k = 0;
  for (std::size_t i = 0; i < eta.size() && k < g.size(); ++i)
    for (std::size_t l = 0; l <= i; ++l, ++k)
      d += plain(g.at(k)) * (i == l ? 0.5 : 1.0) * eta[i] * eta[l];
  return d;
}

/// The turn of a quaternion that takes components from the outer axes to the inner ones: the
/// transpose of A(q), which is the rotation of q as a Hamilton quaternion.
Isometry3d turn(double x, double y, double z, double s) {
  return Isometry3d(Quaterniond(s, x, y, z).normalized());
}

Isometry3d taken(const scene::Step& s, const SceneValues& values) {
  using Kind = scene::Step::Kind;
  Isometry3d m = Isometry3d::Identity();
  switch (s.kind) {
    case Kind::offset:
      m.translation() = plain(s.vector);
      return m;
    case Kind::rotation:
      return turn(s.quaternion[0], s.quaternion[1], s.quaternion[2], s.quaternion[3]);
    case Kind::position:
      m.translation() = plain(values(s.by));
      return m;
    case Kind::attitude: {
      const std::vector<double> q = values(s.by);
      return turn(q.at(0), q.at(1), q.at(2), q.at(3));
    }
    case Kind::along:
      m.translation() = plain(s.vector) * values(s.by).at(0);
      return m;
    case Kind::about:
      m.linear() = Eigen::AngleAxisd(values(s.by).at(0), plain(s.vector)).toRotationMatrix();
      return m;
    case Kind::spin:
      return m;
    case Kind::modes:
      break;
  }
  const std::vector<double> eta = values(s.by);
  m.translation() = sum(s.shape, eta) + pairs(s.pairs, eta);
  const Vector3d theta = sum(s.turn, eta);
  if (theta.norm() > 0.0)
    m.linear() = Eigen::AngleAxisd(theta.norm(), theta.normalized()).toRotationMatrix();
  return m;
}

}  // namespace

std::map<std::string, Isometry3d> scene_poses(const scene::Scene& scene,
                                              const SceneValues& values) {
  std::map<std::string, Isometry3d> all;
  for (const scene::Body& b : scene.bodies) {
    Isometry3d m = b.parent.empty() ? Isometry3d::Identity() : all.at(b.parent);
    for (const scene::Step& s : b.pose) m = m * taken(s, values);
    all.emplace(b.name, m);
  }
  return all;
}

Vector3d scene_point(const scene::Point& p, const std::vector<double>& eta) {
  return plain(p.at) + sum(p.shape, eta);
}

}  // namespace vernier::testing
