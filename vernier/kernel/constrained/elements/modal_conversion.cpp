#include <stdexcept>

#include "vernier/kernel/constrained/elements/modal_body.hpp"

namespace vernier::constrained {
namespace {

Vector3 plain(const multibody::Vector3& v) { return {v.x(), v.y(), v.z()}; }
Matrix3 plain(const multibody::Matrix3& m) {
  Matrix3 r;
  for (int i = 0; i < 9; ++i) r.a[i] = m(i / 3, i % 3);
  return r;
}
std::vector<Vector3> columns(const multibody::Matrix3X& m) {
  std::vector<Vector3> r;
  for (Eigen::Index i = 0; i < m.cols(); ++i) r.push_back(plain(multibody::Vector3(m.col(i))));
  return r;
}
std::vector<double> modal_row_major(const multibody::MatrixX& m) {
  std::vector<double> r;
  for (Eigen::Index i = 0; i < m.rows(); ++i) {
    for (Eigen::Index j = 0; j < m.cols(); ++j) r.push_back(m(i, j));
  }
  return r;
}

}  // namespace

ModalBody modal_body(const multibody::Body& body, int node) {
  if (!body.modes) throw std::invalid_argument("body \"" + body.name + "\" has no modes");
  const multibody::Modes& m = *body.modes;
  const multibody::Matrix3& J = body.inertia.inertia;
  ModalBody r;
  r.node = node;
  r.mass = body.inertia.mass;
  r.first_moment = plain(body.inertia.moment);
  r.inertia = {J(0, 0), J(1, 1), J(2, 2), J(0, 1), J(0, 2), J(1, 2)};
  r.modes = static_cast<int>(m.count());
  r.order = m.order;
  r.modal_mass = modal_row_major(m.mass);
  r.modal_stiffness = modal_row_major(m.stiffness);
  r.modal_damping = modal_row_major(m.damping);
  r.S1 = columns(m.S1);
  r.H0 = columns(m.H0);
  for (const auto& n : m.N0) r.N0.push_back(plain(n));
  for (const auto& h : m.H1) {
    for (const Vector3& v : columns(h)) r.H1.push_back(v);
  }
  for (const auto& j : m.J2) r.J2.push_back(plain(j));
  for (const multibody::Node& n : body.nodes) {
    r.stations.push_back(
        {n.name, plain(n.pose.p), plain(n.pose.R), columns(n.phi_t), columns(n.phi_r)});
  }
  return r;
}

}  // namespace vernier::constrained
