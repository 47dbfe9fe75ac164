#include "vernier/kernel/constrained/analysis.hpp"

#include <Eigen/Eigenvalues>
#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <numbers>

#include "vernier/kernel/constrained/detail/saddle.hpp"
#include "vernier/kernel/constrained/rotation.hpp"

// Residuals depend on the coefficient c as r_{y'} + c r_y, so that the parts by rates and by values
// are J(0) and J(1) - J(0). With Y the changes of places and V those of velocities:
//   M V' + C V + K Y + E y' + S y + Λ a + Φᵀλ = F u,   Φ_q Y + Φ_u u = 0
// Y = N η + P u with N spanning the null space of Φ_q, masses of η being 1 or 0; then one QR
// factorization of what multiplies the rates separates states from what follows them at once.
namespace vernier::constrained {

using detail::ElementPlan;
using detail::Level;
using detail::RowKind;
using detail::Triplet;
using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;

namespace {

/// QR⁻¹ B. Eigen takes references to the first element of B, which one without columns has not.
Matrix solved(const Eigen::ColPivHouseholderQR<Matrix>& qr, const Matrix& B) {
  if (B.cols() == 0 || qr.rows() == 0) return Matrix::Zero(qr.cols(), B.cols());
  return qr.solve(B);
}

Matrix dense(const std::vector<Triplet>& triplets, int size) {
  Matrix m = Matrix::Zero(size, size);
  for (const Triplet& t : triplets) m(t.row, t.column) += t.value;
  return m;
}

/// The system in changes about the present state, in all coordinates.
class SmallMotion {
 public:
  explicit SmallMotion(const Solver& s) : p_(s.parts()), l_(p_.newest()), n_(p_.size) {
    value_of_.assign(n_, -1);
    algebraic_of_.assign(n_, -1);
    for (std::size_t i = 0; i < p_.value_columns.size(); ++i) {
      value_of_[p_.value_columns[i]] = static_cast<int>(i);
    }
    for (std::size_t i = 0; i < p_.algebraic_columns.size(); ++i) {
      algebraic_of_[p_.algebraic_columns[i]] = static_cast<int>(i);
    }
    std::vector<char> place(n_, 0);
    for (int i = 0; i < 6 * p_.node_count; ++i) place[i] = 1;
    for (const int v : p_.coordinate_values) place[p_.value_columns[v]] = 1;
    for (int i = 0; i < n_; ++i) {
      if (place[i]) {
        places_.push_back(i);
      } else if (p_.kinds[i] == RowKind::constraint) {
        constraints_.push_back(i);
      } else if (value_of_[i] >= 0) {
        firsts_.push_back(i);
      } else {
        algebraic_.push_back(i);
      }
    }
    take_coefficients();
    reduce();
  }

  int states() const { return static_cast<int>(A.rows()); }
  int inputs() const { return static_cast<int>(p_.inputs.size()); }

  Matrix A, B;

  /// Changes of places and velocities (all coordinates) by states, by inputs.
  Matrix places_by_states() const { return Y_by_x_ * x_by_z_; }
  void outputs(const std::vector<Output>& wanted, Matrix& C, Matrix& D);
  int node_places() const { return 6 * p_.node_count; }

 private:
  void set_turns(double c) {
    for (int i = 0; i < p_.node_count; ++i) {
      const Vector3 o = l_.nodes[i].omega * c;
      p_.turns[i] = {{1.0, o.z, -o.y, -o.z, 1.0, o.x, o.y, -o.x, 1.0}};
    }
  }
  /// Rows and columns of momenta: ∂P/∂V + c ∂P/∂Y.
  Matrix momenta(double c);
  void take_coefficients();
  Matrix by_inputs(double sign_of_step, double step);
  void reduce();
  [[noreturn]] void refuse() const {
    throw AssemblyProblem(AssemblyProblem::Kind::singular,
                          "the equations do not determine small motions", {}, 0.0);
  }

  Solver::Parts& p_;
  Level& l_;
  int n_;
  std::vector<int> value_of_, algebraic_of_;
  std::vector<int> places_, constraints_, firsts_, algebraic_;  // columns, and rows, of each kind
  Matrix M_, E_, K_, F_;  // all rows by all columns; F by inputs
  Matrix N1_, N0_, P_;    // places by massive, by massless coordinates, by inputs
  Matrix x_by_z_, x_by_u_, Y_by_x_, Y_by_u_, V_by_z_, V_by_u_, first_by_z_, first_by_u_;
};

Matrix SmallMotion::momenta(double c) {
  set_turns(c);
  Matrix m = Matrix::Zero(n_, n_);
  const auto block = [&](int row, int column, const Matrix3& b) {
    for (int k = 0; k < 9; ++k) m(row + k / 3, column + k % 3) += b.a[k];
  };
  const auto times = [](Matrix3 a, double s) {
    for (double& x : a.a) x *= s;
    return a;
  };
  for (int i = 0; i < p_.node_count; ++i) {
    const detail::NodePlan& plan = p_.node_plans[i];
    if (!plan.dynamic) continue;
    const auto& [x, R, v, w] = l_.nodes[i];
    const Vector3 s = R * plan.moment;
    const auto Js = rotated(R, plan.inertia);
    const Matrix3 J = {{Js.xx, Js.xy, Js.xz, Js.xy, Js.yy, Js.yz, Js.xz, Js.yz, Js.zz}};
    const Matrix3 S = skew(s), W = p_.turns[i];
    for (int k = 0; k < 3; ++k) m(6 * i + k, 6 * i + k) += plan.mass;
    block(6 * i, 6 * i + 3, times(S * W, -1.0));
    block(6 * i, 6 * i + 3, times(skew(w) * S, -c));
    block(6 * i + 3, 6 * i, S);
    block(6 * i + 3, 6 * i + 3, J * W);
    block(6 * i + 3, 6 * i + 3, times(skew(v) * S, c));
    block(6 * i + 3, 6 * i + 3, times(skew(Js * w), -c));
    block(6 * i + 3, 6 * i + 3, times(J * skew(w), c));
  }
  for (const int e : p_.inertial) {
    const ElementPlan& plan = p_.plans[e];
    const int n = plan.size;
    std::fill_n(p_.local_residual.data(), n, 0.0);
    std::fill_n(p_.local_jacobian.data(), n * n, 0.0);
    plan.element->momentum(p_.point(plan, l_, c),
                           {p_.local_residual.data(), p_.local_jacobian.data(), n});
    for (int i = 0; i < n * n; ++i) {
      const int row = p_.rows[plan.rows + i / n], column = p_.rows[plan.rows + i % n];
      if (row < n_ && column < n_) m(row, column) += p_.local_jacobian[i];
    }
  }
  return m;
}

/// -∂r/∂u: what inputs add to the right sides.
Matrix SmallMotion::by_inputs(double sign_of_step, double step) {
  Matrix r = Matrix::Zero(n_ + 1, inputs());
  const std::vector<double> before = p_.inputs;
  for (int j = 0; j < inputs(); ++j) {
    p_.inputs[j] = before[j] + sign_of_step * step;
    p_.set_drives(l_.time);
    std::vector<double> residual;
    detail::jacobian(p_, l_, 0.0, residual);
    for (int i = 0; i < n_; ++i) r(i, j) = -residual[i];
    if (!p_.held.empty()) {
      p_.hold(0.0);
      for (int i = 0; i < 6 * p_.node_count; ++i) r(i, j) += p_.next_held_rates[i];
    }
    p_.inputs[j] = before[j];
  }
  p_.set_drives(l_.time);
  return r.topRows(n_);
}

void SmallMotion::take_coefficients() {
  std::vector<double> unused;
  const Matrix P0 = momenta(0.0), P1 = momenta(1.0) - P0;
  M_ = P0;
  set_turns(0.0);
  E_ = dense(detail::jacobian(p_, l_, 0.0, unused), n_);
  set_turns(1.0);
  K_ = dense(detail::jacobian(p_, l_, 1.0, unused), n_) - E_;
  // unknowns without rates are in J(0) once and for all
  for (int j = 0; j < n_; ++j) {
    if (algebraic_of_[j] < 0) continue;
    K_.col(j) = E_.col(j);
    E_.col(j).setZero();
  }
  // rates of momenta: M V' + (∂P/∂Y) V; v × β, and gravity
  E_ += P1;
  for (int i = 0; i < p_.node_count; ++i) {
    const detail::NodePlan& plan = p_.node_plans[i];
    const double* P = l_.momenta.data() + 6 * i;
    const auto add = [&](Matrix& to, const Matrix3& by, const Matrix& from) {
      for (int a = 0; a < 3; ++a) {
        for (int b = 0; b < 3; ++b) to.row(6 * i + 3 + a) += by.a[3 * a + b] * from.row(6 * i + b);
      }
    };
    const Matrix3 V = skew(l_.nodes[i].v), beta = skew(Vector3{P[0], P[1], P[2]});
    const Matrix E = P0, K = P1;
    add(E_, V, E);
    add(K_, V, K);
    const Matrix3 G = skew(p_.model.gravity) * skew(l_.nodes[i].R * plan.moment);
    for (int k = 0; k < 9; ++k) {
      E_(6 * i + 3 + k / 3, 6 * i + k % 3) -= beta.a[k];
      K_(6 * i + 3 + k / 3, 6 * i + 3 + k % 3) -= G.a[k];
    }
  }
  double largest = 1.0;
  for (const double u : p_.inputs) largest = std::max(largest, std::abs(u));
  const double step = 1e-4 * largest;
  F_ = (by_inputs(1.0, step) - by_inputs(-1.0, step)) / (2.0 * step);
}

/// Columns of a matrix, by number.
Matrix picked(const Matrix& m, const std::vector<int>& rows, const std::vector<int>& columns) {
  Matrix r(static_cast<int>(rows.size()), static_cast<int>(columns.size()));
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (std::size_t j = 0; j < columns.size(); ++j) {
      r(static_cast<int>(i), static_cast<int>(j)) = m(rows[i], columns[j]);
    }
  }
  return r;
}
Matrix picked_rows(const Matrix& m, const std::vector<int>& rows) {
  Matrix r(static_cast<int>(rows.size()), m.cols());
  for (std::size_t i = 0; i < rows.size(); ++i) r.row(static_cast<int>(i)) = m.row(rows[i]);
  return r;
}

void SmallMotion::reduce() {
  const int nq = static_cast<int>(places_.size()), nc = static_cast<int>(constraints_.size());
  const int ny = static_cast<int>(firsts_.size()), na = static_cast<int>(algebraic_.size());
  const int nu = inputs();
  const Matrix M = picked(M_, places_, places_);
  // null space, turns weighed by the model's length
  Vector weight = Vector::Ones(nq);
  for (int i = 0; i < 6 * p_.node_count; ++i) {
    if (i % 6 >= 3) weight(i) = 1.0 / p_.unit_length;
  }
  Matrix N = weight.asDiagonal() * Matrix::Identity(nq, nq);
  P_ = Matrix::Zero(nq, nu);
  if (nc > 0) {
    const Matrix Phi = picked(K_, constraints_, places_) * weight.asDiagonal();
    const Eigen::ColPivHouseholderQR<Matrix> qr(Phi.transpose());
    const int rank = static_cast<int>(qr.rank());
    const Matrix Q = qr.householderQ();
    N = weight.asDiagonal() * Q.rightCols(nq - rank);
    if (nu > 0) {
      P_ = weight.asDiagonal() *
           solved(Eigen::ColPivHouseholderQR<Matrix>(Phi), picked_rows(F_, constraints_));
    }
  }
  // masses 1, or none
  const Eigen::SelfAdjointEigenSolver<Matrix> by_mass(N.transpose() * M * N);
  const Vector m = by_mass.eigenvalues();
  const double heaviest = m.size() > 0 ? m.maxCoeff() : 0.0;
  int light = 0;
  while (light < m.size() && m(light) <= 1e-12 * heaviest) ++light;
  const int n1 = static_cast<int>(m.size()) - light;
  const Matrix basis = N * by_mass.eigenvectors();
  N0_ = basis.leftCols(light);
  N1_ = basis.rightCols(n1) * m.tail(n1).cwiseSqrt().cwiseInverse().asDiagonal();

  // x = (η1, ν1, η0, y, a);  L x' = R x + G u
  const int n = 2 * n1 + light + ny + na;
  Matrix L = Matrix::Zero(n, n), R = Matrix::Zero(n, n), G = Matrix::Zero(n, nu);
  const int i1 = 0, iv = n1, i0 = 2 * n1, iy = i0 + light, ia = iy + ny;
  L.block(i1, i1, n1, n1).setIdentity();
  R.block(i1, iv, n1, n1).setIdentity();
  const auto equation = [&](int row, int count, const Matrix& E, const Matrix& K, const Matrix& Ey,
                            const Matrix& Ky, const Matrix& Ka, const Matrix& Fu) {
    R.block(row, i1, count, n1) = -K * N1_;
    R.block(row, iv, count, n1) = -E * N1_;
    R.block(row, i0, count, light) = -K * N0_;
    L.block(row, i0, count, light) = E * N0_;
    L.block(row, iy, count, ny) = Ey;
    R.block(row, iy, count, ny) = -Ky;
    R.block(row, ia, count, na) = -Ka;
    G.middleRows(row, count) = Fu - K * P_;
  };
  const auto rows_of = [&](const std::vector<int>& rows, const Matrix& left, int row) {
    equation(row, static_cast<int>(left.rows()), left * picked(E_, rows, places_),
             left * picked(K_, rows, places_), left * picked(E_, rows, firsts_),
             left * picked(K_, rows, firsts_), left * picked(K_, rows, algebraic_),
             left * picked_rows(F_, rows));
  };
  rows_of(places_, N1_.transpose(), iv);
  L.block(iv, iv, n1, n1).setIdentity();
  rows_of(places_, N0_.transpose(), i0);
  rows_of(firsts_, Matrix::Identity(ny, ny), iy);
  rows_of(algebraic_, Matrix::Identity(na, na), ia);

  // equations of like size before what is small is called nothing
  for (int i = n1; i < n; ++i) {
    const double size = std::max(L.row(i).cwiseAbs().maxCoeff(), R.row(i).cwiseAbs().maxCoeff());
    if (i >= i0 && size > 0.0) L.row(i) /= size, R.row(i) /= size, G.row(i) /= size;
  }
  if (n == 0) refuse();
  // L P = Q [S T; 0 0], x = P w: states z = w1 + S⁻¹ T w2; w2 follows from the rows without rates
  const Eigen::ColPivHouseholderQR<Matrix> split(L);
  const Matrix upper = split.matrixR();
  int rank = 0;
  while (rank < n && std::abs(upper(rank, rank)) > 1e-11 * std::abs(upper(0, 0))) ++rank;
  const int rest = n - rank;
  const Matrix Q = split.householderQ();
  const Matrix permutation = split.colsPermutation();
  const Matrix Rw = Q.transpose() * Matrix(R * permutation), Gw = Q.transpose() * G;
  const Eigen::ColPivHouseholderQR<Matrix> top(
      Matrix(upper.topLeftCorner(rank, rank).triangularView<Eigen::Upper>()));
  const Matrix X = solved(top, upper.topRightCorner(rank, rest));
  Matrix w2_by_z = Matrix::Zero(rest, rank), w2_by_u = Matrix::Zero(rest, nu);
  if (rest > 0) {
    const Matrix below = Rw.bottomLeftCorner(rest, rank);
    const Eigen::ColPivHouseholderQR<Matrix> qr(
        Matrix(Rw.bottomRightCorner(rest, rest) - below * X));
    if (qr.rank() < rest) refuse();
    w2_by_z = -solved(qr, below);
    w2_by_u = -solved(qr, Gw.bottomRows(rest));
  }
  Matrix w_by_z(n, rank), w_by_u(n, nu);
  w_by_z.topRows(rank) = Matrix::Identity(rank, rank) - X * w2_by_z;
  w_by_z.bottomRows(rest) = w2_by_z;
  w_by_u.topRows(rank) = -X * w2_by_u;
  w_by_u.bottomRows(rest) = w2_by_u;
  const Matrix rows = Rw.topRows(rank);
  A = solved(top, rows * w_by_z);
  B = solved(top, rows * w_by_u + Gw.topRows(rank));
  x_by_z_ = permutation * w_by_z;
  x_by_u_ = permutation * w_by_u;
  Y_by_x_ = Matrix::Zero(nq, n);
  Y_by_x_.middleCols(i1, n1) = N1_;
  Y_by_x_.middleCols(i0, light) = N0_;
  // velocities: N1 ν1 + N0 η0', the latter from the states' rates
  V_by_z_ = N1_ * x_by_z_.middleRows(iv, n1) + N0_ * x_by_z_.middleRows(i0, light) * A;
  V_by_u_ = N1_ * x_by_u_.middleRows(iv, n1) + N0_ * x_by_z_.middleRows(i0, light) * B;
  Y_by_u_ = Y_by_x_ * x_by_u_ + P_;
  first_by_z_ = x_by_z_.middleRows(iy, ny + na);
  first_by_u_ = x_by_u_.middleRows(iy, ny + na);
}

void SmallMotion::outputs(const std::vector<Output>& wanted, Matrix& C, Matrix& D) {
  const int nz = states(), nu = inputs(), nq = static_cast<int>(places_.size());
  const int ny = static_cast<int>(firsts_.size()), na = static_cast<int>(algebraic_.size());
  // every quantity by (z, u), u' = 0
  const auto joined = [](const Matrix& a, const Matrix& b) {
    Matrix m(a.rows(), a.cols() + b.cols());
    m << a, b;
    return m;
  };
  const Matrix Y = joined(Y_by_x_ * x_by_z_, Y_by_u_), V = joined(V_by_z_, V_by_u_);
  const Matrix first = joined(first_by_z_, first_by_u_);
  const Matrix rates = joined(first_by_z_.topRows(ny) * A, first_by_z_.topRows(ny) * B);
  const Matrix acceleration = joined(V_by_z_ * A, V_by_z_ * B);
  Matrix u = Matrix::Zero(nu, nz + nu);
  u.rightCols(nu).setIdentity();
  // Φᵀλ = F u - M V' - C V - K Y - …
  Matrix reactions = Matrix::Zero(static_cast<int>(constraints_.size()), nz + nu);
  if (!constraints_.empty()) {
    const Matrix right =
        picked_rows(F_, places_) * u - picked(M_, places_, places_) * acceleration -
        picked(E_, places_, places_) * V - picked(K_, places_, places_) * Y -
        picked(E_, places_, firsts_) * rates - picked(K_, places_, firsts_) * first.topRows(ny) -
        picked(K_, places_, algebraic_) * first.bottomRows(na);
    reactions =
        solved(Eigen::ColPivHouseholderQR<Matrix>(picked(K_, places_, constraints_)), right);
  }

  C = Matrix::Zero(static_cast<int>(wanted.size()), nz);
  D = Matrix::Zero(static_cast<int>(wanted.size()), nu);
  std::size_t most = 1;
  for (const ElementPlan& plan : p_.plans) {
    std::size_t count = 0;
    for (const Measure& m : plan.element->shape().measures)
      count += static_cast<std::size_t>(m.count);
    most = std::max(most, count);
  }
  std::vector<double> measured(most);
  Level moved = l_;
  const std::vector<double> inputs_before = p_.inputs;
  for (int j = 0; j < nz + nu; ++j) {
    double largest = 1e-12;
    for (int i = 0; i < nq; ++i)
      largest = std::max({largest, std::abs(Y(i, j)), std::abs(V(i, j))});
    for (int i = 0; i < first.rows(); ++i) largest = std::max(largest, std::abs(first(i, j)));
    const double e = 1e-5 / largest;
    for (const double sign : {1.0, -1.0}) {
      const double s = sign * e;
      moved = l_;
      for (int i = 0; i < p_.node_count; ++i) {
        const auto at = [&](const Matrix& m, int k) {
          return Vector3{m(6 * i + k, j), m(6 * i + k + 1, j), m(6 * i + k + 2, j)};
        };
        NodeState& n = moved.nodes[i];
        const Vector3 theta = at(Y, 3);
        n.x += at(Y, 0) * s;
        n.R = rotation(theta * s) * n.R;
        n.v += at(V, 0) * s;
        n.omega += (at(V, 3) - cross(n.omega, theta)) * s;
      }
      for (int i = 6 * p_.node_count; i < nq; ++i) {
        moved.values[value_of_[places_[i]]] += s * Y(i, j);
        moved.rates[value_of_[places_[i]]] += s * V(i, j);
      }
      for (int i = 0; i < ny; ++i) {
        moved.values[value_of_[firsts_[i]]] += s * first(i, j);
        moved.rates[value_of_[firsts_[i]]] += s * rates(i, j);
      }
      for (int i = 0; i < na; ++i) {
        moved.algebraic[algebraic_of_[algebraic_[i]]] += s * first(ny + i, j);
      }
      for (std::size_t i = 0; i < constraints_.size(); ++i) {
        moved.algebraic[algebraic_of_[constraints_[i]]] += s * reactions(static_cast<int>(i), j);
      }
      if (j >= nz) p_.inputs[j - nz] = inputs_before[j - nz] + s;
      p_.set_drives(l_.time);
      for (std::size_t k = 0; k < wanted.size(); ++k) {
        const Output& o = wanted[k];
        double value = 0.0;
        if (o.element >= 0) {
          const ElementPlan& plan = p_.plans[o.element];
          plan.element->measure(p_.point(plan, moved, 1.0), measured);
          value = measured[o.measure];
        } else {
          const NodeState &n = moved.nodes[o.node], &was = l_.nodes[o.node];
          const Vector3 turned = rotation_vector(times_transposed(n.R, was.R));
          const Vector3 all[] = {n.x, turned, n.v, n.omega};
          const Vector3& v = all[o.component / 3];
          value = o.component % 3 == 0 ? v.x : o.component % 3 == 1 ? v.y : v.z;
        }
        double& to = j < nz ? C(static_cast<int>(k), j) : D(static_cast<int>(k), j - nz);
        to += sign * value / (2.0 * e);
      }
      if (j >= nz) p_.inputs[j - nz] = inputs_before[j - nz];
    }
  }
  p_.set_drives(l_.time);
}

std::vector<double> row_major(const Matrix& m) {
  std::vector<double> v;
  for (int i = 0; i < m.rows(); ++i) {
    for (int j = 0; j < m.cols(); ++j) v.push_back(m(i, j));
  }
  return v;
}

}  // namespace

std::vector<Mode> modes(const Solver& solver) {
  const SmallMotion motion(solver);
  std::vector<Mode> all;
  if (motion.states() == 0) return all;
  const Eigen::EigenSolver<Matrix> eigen(motion.A);
  const Matrix by_states = motion.places_by_states();
  const Eigen::MatrixXcd vectors = eigen.eigenvectors();
  for (int i = 0; i < motion.states(); ++i) {
    const std::complex<double> s = eigen.eigenvalues()(i);
    if (s.imag() < 0.0) continue;
    Mode m;
    m.eigenvalue = s;
    m.frequency = std::abs(s) / (2.0 * std::numbers::pi);
    m.damping = s.imag() > 0.0 ? -s.real() / std::abs(s) : s.real() > 0.0 ? -1.0 : 1.0;
    std::complex<double> largest = 0.0;
    for (int k = 0; k < motion.node_places(); ++k) {
      std::complex<double> x = 0.0;
      for (int j = 0; j < motion.states(); ++j) x += by_states(k, j) * vectors(j, i);
      m.shape.push_back(x);
      if (std::abs(m.shape.back()) > std::abs(largest)) largest = m.shape.back();
    }
    if (std::abs(largest) > 0.0) {
      for (auto& x : m.shape) x /= largest;
    }
    all.push_back(std::move(m));
  }
  std::stable_sort(all.begin(), all.end(), [](const Mode& a, const Mode& b) {
    const bool va = a.eigenvalue.imag() > 0.0, vb = b.eigenvalue.imag() > 0.0;
    return va != vb ? va : a.frequency < b.frequency;
  });
  return all;
}

LinearModel linearize(const Solver& solver, const std::vector<Output>& outputs) {
  SmallMotion motion(solver);
  Matrix C, D;
  motion.outputs(outputs, C, D);
  return {motion.states(),     motion.inputs(),     static_cast<int>(outputs.size()),
          row_major(motion.A), row_major(motion.B), row_major(C),
          row_major(D)};
}

}  // namespace vernier::constrained
