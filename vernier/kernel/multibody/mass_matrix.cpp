#include <Eigen/Core>
#include <algorithm>
#include <cmath>

#include "vernier/base/require.hpp"
#include "vernier/kernel/dense/dense.hpp"
#include "vernier/kernel/multibody/analysis.hpp"
#include "vernier/kernel/multibody/detail/data.hpp"

/// Dense matrices of a placed tree: plain linear algebra on the results of the outward sweep,
/// written independently of the recursion, so that each checks the other.
namespace vernier::multibody {
namespace {

using detail::LinkState;
using detail::ModalConstants;
using detail::TreeLink;
using detail::Vec6;
using Matrix6 = Eigen::Matrix<double, 6, 6>;
using Vector6 = Eigen::Matrix<double, 6, 1>;

Vector6 dense(const Vec6<double>& v) {
  return (Vector6() << detail::eigen(v.a), detail::eigen(v.l)).finished();
}

Matrix3 skew(const Vector3& v) {
  Matrix3 m;
  m << 0, -v[2], v[1], v[2], 0, -v[0], -v[1], v[0], 0;
  return m;
}

/// The spatial transform X(R, p) from motions at A to motions at B, which is at (R, p) in A.
Matrix6 motion_to(const Matrix3& R, const Vector3& p) {
  Matrix6 X = Matrix6::Zero();
  X.topLeftCorner<3, 3>() = X.bottomRightCorner<3, 3>() = R.transpose();
  X.bottomLeftCorner<3, 3>() = -R.transpose() * skew(p);
  return X;
}

/// A link for dense algebra. Unknowns: its modes, then the acceleration of I.
struct Dense {
  int parent = -1;
  MatrixX S;    // 6 x speeds, axes of I
  MatrixX M;    // modes and I
  MatrixX out;  // 6 x (modes of the parent + 6): motion of I by modes and I of the parent
  std::vector<int> modes, speeds;  // indices in u
  Eigen::VectorXd rotor;
};

// M of docs/mathematics/multibody.md, section 2, in (η'', A).
MatrixX link_mass(const Evaluation::Data& e, int k) {
  const TreeLink& link = e.tree->layout.links[k];
  const int n = link.modes;
  MatrixX M = MatrixX::Zero(n + 6, n + 6);
  Matrix3 J;
  Vector3 s;
  const auto symmetric = [](double xx, double yy, double zz, double xy, double xz, double yz) {
    return (Matrix3() << xx, xy, xz, xy, yy, yz, xz, yz, zz).finished();
  };
  const detail::Mass& mass = e.masses[k];
  if (n == 0) {
    s = Vector3(mass.s);
    J = symmetric(mass.J[0], mass.J[1], mass.J[2], mass.J[3], mass.J[4], mass.J[5]);
  } else {
    const auto& m = e.work.modal[link.mode];
    s = detail::eigen(m.s);
    J = symmetric(m.J.xx, m.J.yy, m.J.zz, m.J.xy, m.J.xz, m.J.yz);
    const ModalConstants c(e.tree->view.numbers + link.constants, n);
    for (int i = 0; i < n; ++i) {
      for (int l = 0; l <= i; ++l) M(i, l) = M(l, i) = c.mass[i * (i + 1) / 2 + l];
      const detail::Vec6<double> by = detail::coupling(e.tree->view, link, e.work, i);
      M.block<3, 1>(n, i) = detail::eigen(by.a);
      M.block<3, 1>(n + 3, i) = detail::eigen(by.l);
    }
    M.topRightCorner(n, 6) = M.bottomLeftCorner(6, n).transpose();
  }
  M.block<3, 3>(n, n) = J;
  M.block<3, 3>(n, n + 3) = skew(s);
  M.block<3, 3>(n + 3, n) = -skew(s);
  M.block<3, 3>(n + 3, n + 3) = mass.m * Matrix3::Identity();
  return M;
}

/// The motion of W by modes and I: identity unless the inboard node moves.
MatrixX to_working(const Evaluation::Data& e, int k) {
  const TreeLink& link = e.tree->layout.links[k];
  const int n = link.modes;
  MatrixX T = MatrixX::Identity(n + 6, n + 6);
  if (link.inboard_moves) {
    const auto& m = e.work.modal[link.mode];
    T.bottomRightCorner<6, 6>() = motion_to(detail::eigen(m.Ri), detail::eigen(m.pi)).inverse();
    for (int i = 0; i < n; ++i) {
      T.block<6, 1>(n, i) = -dense(e.work.psi[link.inboard_psi + i]);
    }
  }
  return T;
}

std::vector<Dense> dense_links(const Evaluation::Data& e) {
  e.settle();
  std::vector<Dense> all;
  for (int k = 0; k < e.tree->view.count; ++k) {
    const TreeLink& link = e.tree->view.links[k];
    const LinkState<double>& s = e.work.links[k];
    Dense d;
    d.parent = link.parent;
    d.S.resize(6, link.speeds);
    d.rotor.resize(link.speeds);
    for (int i = 0; i < link.speeds; ++i) {
      d.S.col(i) = dense(detail::hinge_axis(link.kind, link.parameter, i, s.trig));
      d.rotor[i] = link.rotor[i];
      d.speeds.push_back(link.u + i);
    }
    for (int i = 0; i < link.modes; ++i) d.modes.push_back(link.u_modes + i);
    const MatrixX T = to_working(e, k);
    d.M = T.transpose() * link_mass(e, k) * T;
    if (link.parent >= 0) {
      const int n = e.tree->view.links[link.parent].modes;
      MatrixX by_working(6, n + 6);  // by modes and W of the parent
      by_working.setZero();
      by_working.rightCols<6>() = motion_to(detail::eigen(s.E), detail::eigen(s.r));
      if (link.outboard_moves) {
        for (int i = 0; i < n; ++i) {
          by_working.col(i) = dense(rotated_back(s.E, e.work.psi[link.outboard_psi + i]));
        }
      }
      d.out = by_working * to_working(e, link.parent);
    }
    all.push_back(std::move(d));
  }
  return all;
}

/// Projects a force F on I of link k to everything inboard of it: its own hinge, then modes and
/// hinges on the path to the ground.
template <class Put>
void send_inward(const std::vector<Dense>& links, int k, Vector6 F, Put put) {
  for (;;) {
    const Dense& d = links[k];
    const Eigen::VectorXd hinge = d.S.transpose() * F;
    for (Eigen::Index i = 0; i < hinge.size(); ++i) put(d.speeds[i], hinge[i]);
    if (d.parent < 0) return;
    const Eigen::VectorXd up = d.out.transpose() * F;
    const auto& modes = links[d.parent].modes;
    for (std::size_t i = 0; i < modes.size(); ++i) put(modes[i], up[i]);
    F = up.tail<6>();
    k = d.parent;
  }
}

}  // namespace

MatrixX mass_matrix(const Tree& tree, Evaluation& evaluation) {
  const auto& e = evaluation.data();
  e.settle();
  std::vector<Dense> links = dense_links(e);
  // Composite-rigid-body method (Featherstone, section 6.2): inertias are accumulated inward, then
  // each speed's force is projected to the speeds inboard of it.
  for (std::size_t k = links.size(); k-- > 0;) {
    const Dense& d = links[k];
    if (d.parent < 0) continue;
    const auto n = static_cast<Eigen::Index>(d.modes.size());
    links[d.parent].M += d.out.transpose() * d.M.block(n, n, 6, 6) * d.out;
  }
  const auto size = static_cast<Eigen::Index>(tree.speeds());
  MatrixX M = MatrixX::Zero(size, size);
  for (std::size_t k = 0; k < links.size(); ++k) {
    const Dense& d = links[k];
    const auto n = static_cast<Eigen::Index>(d.modes.size());
    const auto send = [&](int column, const Vector6& F) {
      send_inward(links, static_cast<int>(k), F,
                  [&](int row, double x) { M(row, column) = M(column, row) = x; });
    };
    for (Eigen::Index i = 0; i < n; ++i) {
      for (Eigen::Index l = 0; l < n; ++l) M(d.modes[l], d.modes[i]) = d.M(l, i);
      send(d.modes[i], d.M.block<6, 1>(n, i));
    }
    for (std::size_t i = 0; i < d.speeds.size(); ++i) {
      send(d.speeds[i], d.M.block(n, n, 6, 6) * d.S.col(static_cast<Eigen::Index>(i)));
      M(d.speeds[i], d.speeds[i]) += d.rotor[static_cast<Eigen::Index>(i)];
    }
  }
  return M;
}

Factors factors(const Tree& tree, Evaluation& evaluation) {
  std::vector<Dense> links = dense_links(evaluation.data());
  const auto size = static_cast<Eigen::Index>(tree.speeds());
  Factors f;
  f.L = f.D = MatrixX::Zero(size, size);
  std::vector<Eigen::Index> place(tree.speeds());
  for (const Dense& d : links) {
    for (const auto* part : {&d.speeds, &d.modes}) {
      for (const int i : *part) {
        place[i] = static_cast<Eigen::Index>(f.order.size());
        f.order.push_back(static_cast<std::size_t>(i));
      }
    }
  }
  // The articulated-body elimination with dense blocks: modes first, then the hinge, then to the
  // parent.
  for (std::size_t k = links.size(); k-- > 0;) {
    const Dense& d = links[k];
    const auto n = static_cast<Eigen::Index>(d.modes.size());
    const auto send = [&](int column, const Vector6& F) {
      return [&, column, F](auto only) {
        send_inward(links, static_cast<int>(k), F, [&](int row, double x) {
          if (only(row)) f.L(place[row], place[column]) = x;
        });
      };
    };
    const MatrixX ee = d.M.topLeftCorner(n, n), re = d.M.bottomLeftCorner(6, n);
    Matrix6 P = d.M.block(n, n, 6, 6);
    if (n > 0) {
      const MatrixX G = dense::solved_positive(ee, re.transpose()).transpose();  // 6 x n
      P -= G * re.transpose();
      for (Eigen::Index i = 0; i < n; ++i) {
        for (Eigen::Index l = 0; l < n; ++l) f.D(place[d.modes[l]], place[d.modes[i]]) = ee(l, i);
        send(d.modes[i], G.col(i))([](int) { return true; });
      }
    }
    if (!d.speeds.empty()) {
      const MatrixX U = P * d.S;
      MatrixX D = d.S.transpose() * U;
      D.diagonal() += d.rotor;
      const MatrixX G = dense::solved_positive(D, U.transpose()).transpose();
      for (std::size_t i = 0; i < d.speeds.size(); ++i) {
        for (std::size_t l = 0; l < d.speeds.size(); ++l) {
          f.D(place[d.speeds[l]], place[d.speeds[i]]) =
              D(static_cast<Eigen::Index>(l), static_cast<Eigen::Index>(i));
        }
        send(d.speeds[i], G.col(static_cast<Eigen::Index>(i)))([&](int row) {
          return std::find(d.speeds.begin(), d.speeds.end(), row) == d.speeds.end();
        });
      }
      P -= G * U.transpose();
    }
    if (d.parent >= 0) links[d.parent].M += d.out.transpose() * P * d.out;
  }
  return f;
}

MatrixX inverse_mass_matrix(const Tree& tree, Evaluation& evaluation) {
  auto& e = evaluation.data();
  const auto& view = tree.data().view;
  const std::vector<double> u = e.u, rest(tree.speeds(), 0.0);
  tree.place(e.q, rest, evaluation);
  e.settle();
  std::fill_n(e.work.be, view.modes, 0.0);
  MatrixX inverse(view.speeds, view.speeds);
  std::vector<double> unit(tree.speeds(), 0.0);
  for (int i = 0; i < view.speeds; ++i) {
    unit[i] = 1.0;
    detail::Watch<double> watch;
    detail::begin(view, e.masses.data(), unit.data(), e.work);
    detail::accelerate(view, e.masses.data(), spatial::zero3<double>(),
                       {unit.data(), e.given.data(), nullptr}, e.work, inverse.col(i).data(),
                       watch);
    unit[i] = 0.0;
  }
  tree.place(e.q, u, evaluation);
  return inverse;
}

// Generalized eigenvalues of K x = ω² M x over the speeds that are not prescribed.
std::vector<double> frequencies(const Tree& tree, Evaluation& evaluation, std::span<const double> q,
                                std::span<const double> hinge_stiffness,
                                std::span<const std::uint8_t> prescribed) {
  const std::size_t size = tree.speeds();
  require((hinge_stiffness.empty() || hinge_stiffness.size() == size) &&
          (prescribed.empty() || prescribed.size() == size));
  tree.place(q, std::vector<double>(size, 0.0), evaluation);
  const MatrixX M = mass_matrix(tree, evaluation);
  MatrixX K = MatrixX::Zero(M.rows(), M.cols());
  for (std::size_t i = 0; i < hinge_stiffness.size(); ++i) {
    K(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(i)) = hinge_stiffness[i];
  }
  for (const TreeLink& link : tree.data().layout.links) {
    const ModalConstants c(tree.data().view.numbers + link.constants, link.modes);
    for (int i = 0; i < link.modes; ++i) {
      for (int l = 0; l < link.modes; ++l) {
        K(link.u_modes + i, link.u_modes + l) = c.K[link.modes * i + l];
      }
    }
  }
  std::vector<Eigen::Index> moving;
  for (std::size_t i = 0; i < size; ++i) {
    if (prescribed.empty() || prescribed[i] == 0) moving.push_back(static_cast<Eigen::Index>(i));
  }
  if (moving.empty()) return {};
  const MatrixX Mm = M(moving, moving), Km = K(moving, moving);
  const Eigen::VectorXd squares = dense::symmetric_eigenvalues(Km, Mm);
  const double largest = squares.cwiseAbs().maxCoeff();
  std::vector<double> out;
  for (const double s : squares) out.push_back(s > 1e-12 * largest ? std::sqrt(s) : 0.0);
  return out;
}

}  // namespace vernier::multibody
