#include "vernier/kernel/multibody/analysis.hpp"

#include <algorithm>

#include "vernier/base/require.hpp"
#include "vernier/kernel/multibody/detail/data.hpp"
#include "vernier/kernel/multibody/detail/inverse.hpp"

namespace vernier::multibody {

using detail::LinkState;
using detail::Mat3;
using detail::ModalConstants;
using detail::MovingNode;
using detail::NodeRecord;
using detail::Sym3;
using detail::TreeLink;
using detail::Vec3;
using detail::Vec6;
using spatial::cross;
using spatial::dot;
using spatial::force_from;
using spatial::motion_at;
using spatial::rotated;
using spatial::rotated_back;
using spatial::vec3;

namespace {

/// Mass, first moment and inertia of a link in its current deformation, about the origin of its
/// working frame.
struct Standing {
  double m;
  Vec3<double> s;
  Sym3<double> J;
};
Standing standing(const Evaluation::Data& e, int k) noexcept {
  const TreeLink& link = e.tree->layout.links[k];
  const detail::Mass& mass = e.masses[k];
  if (link.modes == 0) return {mass.m, vec3<double>(mass.s), spatial::sym3<double>(mass.J)};
  const auto& m = e.work.modal[link.mode];
  return {mass.m, m.s, m.J};
}

}  // namespace

Totals totals(const Tree& tree, const Evaluation& evaluation) noexcept {
  const auto& e = evaluation.data();
  const auto& layout = tree.data().layout;
  e.pose_links();
  Totals t;
  Vector3 moment = Vector3::Zero();
  for (std::size_t k = 0; k < layout.links.size(); ++k) {
    const TreeLink& link = layout.links[k];
    const Standing at = standing(e, static_cast<int>(k));
    const Vec6<double>& V = e.work.links[k].V;
    // Momentum y = M [η'; V] with M of docs/mathematics/multibody.md, section 2; T = y·[η'; V] / 2.
    Vec6<double> y = {at.J * V.a + cross(at.s, V.l), V.l * at.m + cross(V.a, at.s)};
    double twice = 0.0;
    if (link.modes > 0) {
      const int n = link.modes;
      const ModalConstants c(layout.numbers.data() + link.constants, n);
      const double *eta = e.q.data() + link.q_modes, *rate = e.u.data() + link.u_modes;
      for (int i = 0; i < n; ++i) {
        const Vec6<double> by = detail::coupling(tree.data().view, link, e.work, i);
        y += by * rate[i];
        double modal = dot(by, V);
        for (int l = 0; l < n; ++l) {
          const int high = std::max(i, l), low = std::min(i, l);
          modal += c.mass[high * (high + 1) / 2 + low] * rate[l];
          t.deformation += 0.5 * eta[i] * c.K[n * i + l] * eta[l];
        }
        twice += modal * rate[i];
      }
    }
    twice += dot(y, V);
    for (int i = 0; i < link.speeds; ++i) {
      twice += link.rotor[i] * e.u[link.u + i] * e.u[link.u + i];
    }
    t.kinetic += 0.5 * twice;
    const Vector3 P = detail::eigen(e.R[k] * y.l), r = detail::eigen(e.p[k]);
    t.mass += at.m;
    t.momentum += P;
    t.angular_momentum += detail::eigen(e.R[k] * y.a) + r.cross(P);
    moment += at.m * r + detail::eigen(e.R[k] * at.s);
  }
  t.gravitational = -moment.dot(e.gravity);
  if (t.mass > 0.0) {
    t.centre = moment / t.mass;
    t.centre_velocity = t.momentum / t.mass;
  }
  return t;
}

Inertia composite_inertia(const Tree& tree, const Evaluation& evaluation) noexcept {
  const auto& e = evaluation.data();
  e.pose_links();
  spatial::Sym6<double> sum = spatial::zero66<double>();
  for (std::size_t k = 0; k < tree.data().layout.links.size(); ++k) {
    const Standing at = standing(e, static_cast<int>(k));
    // Composite rigid body: inertias rotated to ground axes and shifted to the ground origin.
    sum += spatial::shifted(rotated(e.R[k], spatial::rigid(at.m, at.s, at.J)), e.p[k]);
  }
  Inertia out;
  out.mass = sum.C.xx;
  out.moment = {sum.B.a[7], sum.B.a[2], sum.B.a[3]};
  const Sym3<double>& J = sum.A;
  out.inertia << J.xx, J.xy, J.xz, J.xy, J.yy, J.yz, J.xz, J.yz, J.zz;
  return out;
}

// Recursive Newton-Euler (Featherstone, chapter 5), extended to modes: z starts with the
// velocity-product forces less the node forces, then detail::inverse() adds the inertia forces.
void inverse_dynamics(const Tree& tree, Evaluation& evaluation, std::span<const double> udot,
                      std::span<const NodeForce> nodes, std::span<double> tau) noexcept {
  auto& e = evaluation.data();
  e.settle();
  const auto& data = tree.data();
  const auto& work = e.work;
  require((udot.empty() || udot.size() == e.u.size()) && tau.size() == e.u.size());
  std::fill(e.tau.begin(), e.tau.end(), 0.0);
  if (udot.empty()) {
    std::fill(e.udot.begin(), e.udot.end(), 0.0);
  } else {
    std::copy(udot.begin(), udot.end(), e.udot.begin());
  }
  detail::begin(data.view, e.masses.data(), e.tau.data(), work);
  for (const NodeForce& f : nodes) {
    const int index = data.layout.node_index(f.at);
    const NodeRecord& record = data.layout.nodes[index];
    if (record.link < 0) continue;
    detail::apply(data.view, record, e.node(index), e.q.data(),
                  Vec6<double>{detail::plain(f.force.moment), detail::plain(f.force.resultant)},
                  work);
  }
  detail::inverse(data.view, e.masses.data(), detail::plain(e.gravity), e.udot.data(), work,
                  tau.data());
}

void bias_forces(const Tree& tree, Evaluation& evaluation, std::span<const NodeForce> nodes,
                 std::span<double> tau) noexcept {
  inverse_dynamics(tree, evaluation, {}, nodes, tau);
}

MatrixX jacobian(const Tree& tree, const Evaluation& evaluation, NodeId id) {
  const auto& e = evaluation.data();
  e.settle();
  const auto& data = tree.data();
  const auto& work = e.work;
  MatrixX out = MatrixX::Zero(6, data.view.speeds);
  const int index = data.layout.node_index(id);
  const NodeRecord& record = data.layout.nodes[index];
  if (record.link < 0) return out;
  const MovingNode<double>& node = e.node(index);
  // The Jacobian is collected on the path from the node to the ground. R and p are the pose of the
  // node in the frame of the link that the walk has reached.
  Mat3<double> R = node.R;
  Vec3<double> p = node.p;
  const auto put = [&](int column, const Vec6<double>& v) {  // motion v at the node, in link axes
    const Vec6<double> own = rotated_back(R, v);
    out.col(column) +=
        (Eigen::Matrix<double, 6, 1>() << detail::eigen(own.a), detail::eigen(own.l)).finished();
  };
  if (record.moves) {
    const TreeLink& link = data.view.links[record.link];
    const detail::NodeShape phi(data.view.numbers + record.shape, link.modes);
    for (int i = 0; i < link.modes; ++i) {
      put(link.u_modes + i, {node.J * vec3<double>(phi.r + 3 * i),
                             detail::translation(link, phi, i, e.q.data() + link.q_modes)});
    }
  }
  for (int k = record.link; k >= 0; k = data.view.links[k].parent) {
    const TreeLink& link = data.view.links[k];
    const LinkState<double>& s = work.links[k];
    if (link.inboard_moves) {
      const auto& m = work.modal[link.mode];
      for (int i = 0; i < link.modes; ++i) {
        put(link.u_modes + i, motion_at(work.psi[link.inboard_psi + i], p) * -1.0);
      }
      p = spatial::transposed_times(m.Ri, p - m.pi);
      R = spatial::transposed(m.Ri) * R;
    }
    for (int i = 0; i < link.speeds; ++i) {
      put(link.u + i, motion_at(detail::hinge_axis(link.kind, link.parameter, i, s.trig), p));
    }
    p = s.E * p;
    R = s.E * R;
    if (link.outboard_moves) {
      const TreeLink& on = data.view.links[link.parent];
      for (int i = 0; i < on.modes; ++i) {
        put(on.u_modes + i, motion_at(work.psi[link.outboard_psi + i], p));
      }
    }
    p += s.r;
  }
  return out;
}

// An impact is forward dynamics at rest with velocity jumps in place of accelerations
// (docs/mathematics/multibody.md, section 4).
Solution impact(const Tree& tree, Evaluation& evaluation, std::span<const double> q,
                std::span<const double> u, std::span<const std::uint8_t> locked,
                std::span<const double> target, std::span<const std::uint8_t> prescribed,
                std::span<double> du, std::span<double> impulse) noexcept {
  auto& e = evaluation.data();
  const std::size_t n = e.u.size();
  require(u.size() == n && locked.size() == n && du.size() == n && impulse.size() == n &&
          (target.empty() || target.size() == n) && (prescribed.empty() || prescribed.size() == n));
  std::fill(du.begin(), du.end(), 0.0);
  tree.place(q, du, evaluation);
  e.settle();
  // Only the impulse acts: at rest there are no velocity products, and elastic forces are set to
  // zero.
  std::fill_n(e.work.be, tree.data().view.modes, 0.0);
  std::fill(e.tau.begin(), e.tau.end(), 0.0);
  for (std::size_t i = 0; i < n; ++i) {
    const bool locks = locked[i] != 0;
    const bool held = locks || (!prescribed.empty() && prescribed[i] != 0);
    e.regular[i] = held ? 0.0 : 1.0;
    e.given[i] = locks ? (target.empty() ? 0.0 : target[i]) - u[i] : 0.0;
  }
  e.prescribed = true;
  const auto& view = tree.data().view;
  const detail::Drive<double> drive{e.tau.data(), e.given.data(), e.regular.data()};
  detail::Watch<double> watch;
  detail::begin(view, e.masses.data(), e.tau.data(), e.work);
  detail::accelerate(view, e.masses.data(), spatial::zero3<double>(), drive, e.work, e.udot.data(),
                     watch);
  e.by_sweeps = true;
  std::copy(e.udot.begin(), e.udot.end(), du.begin());
  tree.forces(evaluation, impulse);
  if (watch.first >= 0) return {tree.data().layout.links[watch.first].body};
  return {};
}

}  // namespace vernier::multibody
