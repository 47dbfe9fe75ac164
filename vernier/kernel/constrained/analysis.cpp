#include "vernier/kernel/constrained/analysis.hpp"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <numbers>

#include "vernier/kernel/constrained/detail/saddle.hpp"
#include "vernier/kernel/constrained/rotation.hpp"
#include "vernier/kernel/dense/dense.hpp"

// The Jacobian has the form r_{y'} + c r_y, so the parts by rates and by values are J(0) and J(1) -
// J(0). With Y the changes of positions and V those of velocities:
//   M V' + C V + K Y + E y' + S y + Λ a + Φᵀλ = F u,   Φ_q Y + Φ_u u = 0
// Y = N η + P u, where N spans the null space of Φ_q and is scaled so that the modal masses are 1
// or 0. One QR factorization of the coefficients of the rates then separates the states from the
// algebraic unknowns.
namespace vernier::constrained {

using detail::ElementPlan;
using detail::RowKind;
using detail::Triplet;
using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;

namespace {

Matrix filled(const std::vector<Triplet>& triplets, int size) {
  Matrix m = Matrix::Zero(size, size);
  for (const Triplet& t : triplets) m(t.row, t.column) += t.value;
  return m;
}

/// The system linearized about the current state, in all coordinates.
class SmallMotion {
 public:
  explicit SmallMotion(const Solver& s)
      : p_(s.mechanism().plan()),
        state_(s.state()),
        work_(p_),
        eq_(p_, state_, work_),
        l_(state_.history[0]),
        n_(p_.size) {
    eq_.keep_drives();
    std::vector<char> place(n_, 0);
    for (int i = 0; i < 6 * p_.node_count; ++i) place[i] = 1;
    for (const int v : p_.coordinate_values) place[p_.value_columns[v]] = 1;
    for (int i = 0; i < n_; ++i) {
      if (place[i]) {
        places_.push_back(i);
      } else if (p_.kinds[i] == RowKind::constraint) {
        constraints_.push_back(i);
      } else if (p_.value_of[i] >= 0) {
        firsts_.push_back(i);
      } else {
        algebraic_.push_back(i);
      }
    }
    take_coefficients();
    reduce();
  }

  int states() const { return static_cast<int>(A.rows()); }
  int inputs() const { return static_cast<int>(state_.inputs.size()); }

  Matrix A, B;

  /// Changes of positions (all coordinates) by states.
  const Matrix& places_by_states() const { return Y_by_z_; }
  void outputs(const std::vector<Output>& wanted, Matrix& C, Matrix& D);
  int node_places() const { return 6 * p_.node_count; }

 private:
  /// Rows and columns of momenta: ∂P/∂V + c ∂P/∂Y.
  Matrix momenta(double c);
  void take_coefficients();
  Matrix by_inputs(double sign_of_step, double step);
  /// x = (η1, ν1, η0, y, a);  L x' = R x + G u
  struct Descriptor {
    Matrix L, R, G;
  };
  Matrix free_places();
  void split_by_mass(const Matrix& N);
  Descriptor descriptor() const;
  void reduce();
  void take_back(const Matrix& x_by_z, const Matrix& x_by_u);
  void join_states_and_inputs();
  Level moved(double s, int j) const;
  double seen(const Output&, const Level&, std::vector<double>& measured) const;
  [[noreturn]] void refuse() const {
    throw AssemblyProblem(AssemblyProblem::Kind::singular,
                          "the equations do not determine small motions", {}, 0.0);
  }

  const detail::MechanismLayout& p_;
  State state_;  // inputs are perturbed for differences
  detail::Scratch work_;
  detail::Equations eq_;
  const Level& l_;
  int n_;
  std::vector<int> places_, constraints_, firsts_, algebraic_;  // columns, and rows, of each kind
  Matrix M_, E_, K_, F_;  // all rows by all columns; F by inputs
  Matrix N1_, N0_, P_;    // positions by massive and massless coordinates, and by inputs
  Matrix Y_by_z_, Y_by_u_, V_by_z_, V_by_u_, first_by_z_, first_by_u_;
  // For outputs(): all by (z, u), with u' = 0.
  Matrix Y_, V_, first_, rates_, reactions_;
};

Matrix SmallMotion::momenta(double c) {
  eq_.set_turns(l_, c);
  Matrix m = Matrix::Zero(n_, n_);
  const auto block = [&](int row, int column, const Matrix3& b) {
    for (int k = 0; k < 9; ++k) m(row + k / 3, column + k % 3) += b.a[k];
  };
  const auto times = [](Matrix3 a, double s) {
    for (double& x : a.a) x *= s;
    return a;
  };
  for (int i = 0; i < p_.node_count; ++i) {
    const detail::NodePlan& plan = p_.nodes[i];
    if (!plan.dynamic) continue;
    const auto& [x, R, v, w] = l_.nodes[i];
    const Vector3 s = R * plan.moment;
    const auto Js = rotated(R, plan.inertia);
    const Matrix3 J = {{Js.xx, Js.xy, Js.xz, Js.xy, Js.yy, Js.yz, Js.xz, Js.yz, Js.zz}};
    const Matrix3 S = skew(s), W = work_.turns[i];
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
    const ElementPlan& plan = p_.elements[e];
    const int n = plan.size;
    std::fill_n(work_.local_residual.data(), n, 0.0);
    std::fill_n(work_.local_jacobian.data(), n * n, 0.0);
    plan.element->momentum(eq_.point(plan, l_, c),
                           {work_.local_residual.data(), work_.local_jacobian.data(), n});
    for (int i = 0; i < n * n; ++i) {
      const int row = p_.rows[plan.rows + i / n], column = p_.rows[plan.rows + i % n];
      if (row < n_ && column < n_) m(row, column) += work_.local_jacobian[i];
    }
  }
  return m;
}

/// -∂r/∂u: the inputs on the right-hand side.
Matrix SmallMotion::by_inputs(double sign_of_step, double step) {
  Matrix r = Matrix::Zero(n_ + 1, inputs());
  const std::vector<double> before = state_.inputs;
  for (int j = 0; j < inputs(); ++j) {
    state_.inputs[j] = before[j] + sign_of_step * step;
    eq_.set_drives(l_.time);
    std::vector<double> residual;
    detail::jacobian(eq_, l_, 0.0, residual);
    for (int i = 0; i < n_; ++i) r(i, j) = -residual[i];
    if (!p_.held.empty()) {
      eq_.hold(0.0);
      for (int i = 0; i < 6 * p_.node_count; ++i) r(i, j) += work_.held.rates[i];
    }
    state_.inputs[j] = before[j];
  }
  eq_.set_drives(l_.time);
  return r.topRows(n_);
}

void SmallMotion::take_coefficients() {
  std::vector<double> unused;
  const Matrix P0 = momenta(0.0), P1 = momenta(1.0) - P0;
  M_ = P0;
  eq_.set_turns(l_, 0.0);
  E_ = filled(detail::jacobian(eq_, l_, 0.0, unused), n_);
  eq_.set_turns(l_, 1.0);
  K_ = filled(detail::jacobian(eq_, l_, 1.0, unused), n_) - E_;
  // Unknowns without rates are contained in J(0) alone.
  for (int j = 0; j < n_; ++j) {
    if (p_.algebraic_of[j] < 0) continue;
    K_.col(j) = E_.col(j);
    E_.col(j).setZero();
  }
  // Rates of momenta: M V' + (∂P/∂Y) V, the term v × β, and gravity.
  E_ += P1;
  for (int i = 0; i < p_.node_count; ++i) {
    const detail::NodePlan& plan = p_.nodes[i];
    const double* P = l_.momenta.data() + 6 * i;
    const auto add = [&](Matrix& to, const Matrix3& by, const Matrix& from) {
      for (int a = 0; a < 3; ++a) {
        for (int b = 0; b < 3; ++b) to.row(6 * i + 3 + a) += by.a[3 * a + b] * from.row(6 * i + b);
      }
    };
    const Matrix3 V = skew(l_.nodes[i].v), beta = skew(Vector3{P[0], P[1], P[2]});
    add(E_, V, P0);
    add(K_, V, P1);
    const Matrix3 G = skew(p_.model.gravity) * skew(l_.nodes[i].R * plan.moment);
    for (int k = 0; k < 9; ++k) {
      E_(6 * i + 3 + k / 3, 6 * i + k % 3) -= beta.a[k];
      K_(6 * i + 3 + k / 3, 6 * i + 3 + k % 3) -= G.a[k];
    }
  }
  double largest = 1.0;
  for (const double u : state_.inputs) largest = std::max(largest, std::abs(u));
  const double step = 1e-4 * largest;
  F_ = (by_inputs(1.0, step) - by_inputs(-1.0, step)) / (2.0 * step);
}

/// The given rows and columns of a matrix.
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

/// The null space of Φ_q as columns; and P, the positions by inputs that drive constraints.
Matrix SmallMotion::free_places() {
  const int nq = static_cast<int>(places_.size());
  // Rotations are weighted by the length of the model.
  Vector weight = Vector::Ones(nq);
  for (int i = 0; i < 6 * p_.node_count; ++i) {
    if (i % 6 >= 3) weight(i) = 1.0 / p_.scales.length;
  }
  P_ = Matrix::Zero(nq, inputs());
  if (constraints_.empty()) return weight.asDiagonal() * Matrix::Identity(nq, nq);
  const Matrix Phi = picked(K_, constraints_, places_) * weight.asDiagonal();
  if (inputs() > 0) {
    P_ = weight.asDiagonal() * dense::PivotedQr(Phi).solve(picked_rows(F_, constraints_));
  }
  const dense::PivotedQr qr(Phi.transpose());
  return weight.asDiagonal() * qr.q().rightCols(nq - qr.rank());
}

/// Splits N into directions with mass, normalised to mass 1, and massless ones.
void SmallMotion::split_by_mass(const Matrix& N) {
  const dense::SymmetricEigen by_mass =
      dense::symmetric_eigen(N.transpose() * picked(M_, places_, places_) * N);
  const Vector& m = by_mass.values;
  const double heaviest = m.size() > 0 ? m.maxCoeff() : 0.0;
  int light = 0;
  while (light < m.size() && m(light) <= 1e-12 * heaviest) ++light;
  const int heavy = static_cast<int>(m.size()) - light;
  const Matrix basis = N * by_mass.vectors;
  N0_ = basis.leftCols(light);
  N1_ = basis.rightCols(heavy) * m.tail(heavy).cwiseSqrt().cwiseInverse().asDiagonal();
}

SmallMotion::Descriptor SmallMotion::descriptor() const {
  const int n1 = static_cast<int>(N1_.cols()), light = static_cast<int>(N0_.cols());
  const int ny = static_cast<int>(firsts_.size()), na = static_cast<int>(algebraic_.size());
  const int iv = n1, i0 = 2 * n1, iy = i0 + light, ia = iy + ny, n = ia + na;
  Descriptor d{Matrix::Zero(n, n), Matrix::Zero(n, n), Matrix::Zero(n, inputs())};
  Matrix &L = d.L, &R = d.R, &G = d.G;
  L.topLeftCorner(n1, n1).setIdentity();
  R.block(0, iv, n1, n1).setIdentity();
  // Writes `left` times the equations `rows`, from `row` on.
  const auto put = [&](const std::vector<int>& rows, const Matrix& left, int row) {
    const int count = static_cast<int>(left.rows());
    const Matrix E = left * picked(E_, rows, places_), K = left * picked(K_, rows, places_);
    R.block(row, 0, count, n1) = -K * N1_;
    R.block(row, iv, count, n1) = -E * N1_;
    R.block(row, i0, count, light) = -K * N0_;
    L.block(row, i0, count, light) = E * N0_;
    L.block(row, iy, count, ny) = left * picked(E_, rows, firsts_);
    R.block(row, iy, count, ny) = -(left * picked(K_, rows, firsts_));
    R.block(row, ia, count, na) = -(left * picked(K_, rows, algebraic_));
    G.middleRows(row, count) = left * picked_rows(F_, rows) - K * P_;
  };
  put(places_, N1_.transpose(), iv);
  L.block(iv, iv, n1, n1).setIdentity();
  put(places_, N0_.transpose(), i0);
  put(firsts_, Matrix::Identity(ny, ny), iy);
  put(algebraic_, Matrix::Identity(na, na), ia);
  // Scale the equations before small entries are treated as zero.
  for (int i = i0; i < n; ++i) {
    const double size = std::max(L.row(i).cwiseAbs().maxCoeff(), R.row(i).cwiseAbs().maxCoeff());
    if (size > 0.0) L.row(i) /= size, R.row(i) /= size, G.row(i) /= size;
  }
  return d;
}

void SmallMotion::reduce() {
  split_by_mass(free_places());
  const auto [L, R, G] = descriptor();
  const int n = static_cast<int>(L.rows()), nu = inputs();
  if (n == 0) refuse();
  // L P = Q [S T; 0 0], x = P w: the states are z = w1 + S⁻¹ T w2; w2 follows from the rows without
  // rates.
  const dense::PivotedQr split(L);
  const Matrix& upper = split.r();
  int rank = 0;
  while (rank < n && std::abs(upper(rank, rank)) > 1e-11 * std::abs(upper(0, 0))) ++rank;
  const int rest = n - rank;
  const Matrix Q = split.q();
  const Matrix permutation = split.p();
  const Matrix Rw = Q.transpose() * Matrix(R * permutation), Gw = Q.transpose() * G;
  const dense::PivotedQr top(upper.topLeftCorner(rank, rank).triangularView<Eigen::Upper>());
  const Matrix X = top.solve(upper.topRightCorner(rank, rest));
  Matrix w2_by_z = Matrix::Zero(rest, rank), w2_by_u = Matrix::Zero(rest, nu);
  if (rest > 0) {
    const Matrix below = Rw.bottomLeftCorner(rest, rank);
    const dense::PivotedQr qr(Rw.bottomRightCorner(rest, rest) - below * X);
    if (qr.rank() < rest) refuse();
    w2_by_z = -qr.solve(below);
    w2_by_u = -qr.solve(Gw.bottomRows(rest));
  }
  Matrix w_by_z(n, rank), w_by_u(n, nu);
  w_by_z.topRows(rank) = Matrix::Identity(rank, rank) - X * w2_by_z;
  w_by_z.bottomRows(rest) = w2_by_z;
  w_by_u.topRows(rank) = -X * w2_by_u;
  w_by_u.bottomRows(rest) = w2_by_u;
  const Matrix rows = Rw.topRows(rank);
  A = top.solve(rows * w_by_z);
  B = top.solve(rows * w_by_u + Gw.topRows(rank));
  take_back(permutation * w_by_z, permutation * w_by_u);
}

/// Converts x by states and inputs to positions, velocities and the other unknowns.
void SmallMotion::take_back(const Matrix& x_by_z, const Matrix& x_by_u) {
  const int n1 = static_cast<int>(N1_.cols()), light = static_cast<int>(N0_.cols());
  const int rest = static_cast<int>(firsts_.size() + algebraic_.size());
  const auto places = [&](const Matrix& x) -> Matrix {
    return N1_ * x.topRows(n1) + N0_ * x.middleRows(2 * n1, light);
  };
  Y_by_z_ = places(x_by_z);
  Y_by_u_ = places(x_by_u) + P_;
  // Velocities: N1 ν1 + N0 η0', where η0' follows from the rates of the states.
  const Matrix massless = N0_ * x_by_z.middleRows(2 * n1, light);
  V_by_z_ = N1_ * x_by_z.middleRows(n1, n1) + massless * A;
  V_by_u_ = N1_ * x_by_u.middleRows(n1, n1) + massless * B;
  first_by_z_ = x_by_z.bottomRows(rest);
  first_by_u_ = x_by_u.bottomRows(rest);
}

/// All quantities by (z, u), with u' = 0.
void SmallMotion::join_states_and_inputs() {
  const int nz = states(), nu = inputs();
  const int ny = static_cast<int>(firsts_.size()), na = static_cast<int>(algebraic_.size());
  const auto joined = [](const Matrix& a, const Matrix& b) {
    Matrix m(a.rows(), a.cols() + b.cols());
    m << a, b;
    return m;
  };
  Y_ = joined(Y_by_z_, Y_by_u_);
  V_ = joined(V_by_z_, V_by_u_);
  first_ = joined(first_by_z_, first_by_u_);
  rates_ = joined(first_by_z_.topRows(ny) * A, first_by_z_.topRows(ny) * B);
  reactions_ = Matrix::Zero(static_cast<int>(constraints_.size()), nz + nu);
  if (constraints_.empty()) return;
  // Φᵀλ = F u - M V' - C V - K Y - …
  Matrix u = Matrix::Zero(nu, nz + nu);
  u.rightCols(nu).setIdentity();
  const Matrix right = picked_rows(F_, places_) * u -
                       picked(M_, places_, places_) * joined(V_by_z_ * A, V_by_z_ * B) -
                       picked(E_, places_, places_) * V_ - picked(K_, places_, places_) * Y_ -
                       picked(E_, places_, firsts_) * rates_ -
                       picked(K_, places_, firsts_) * first_.topRows(ny) -
                       picked(K_, places_, algebraic_) * first_.bottomRows(na);
  reactions_ = dense::PivotedQr(picked(K_, places_, constraints_)).solve(right);
}

/// The current level, perturbed by s along column j of (z, u).
Level SmallMotion::moved(double s, int j) const {
  Level to = l_;
  for (int i = 0; i < p_.node_count; ++i) {
    const auto at = [&](const Matrix& m, int k) {
      return Vector3{m(6 * i + k, j), m(6 * i + k + 1, j), m(6 * i + k + 2, j)};
    };
    NodeState& n = to.nodes[i];
    const Vector3 theta = at(Y_, 3);
    n.x += at(Y_, 0) * s;
    n.R = rotation(theta * s) * n.R;
    n.v += at(V_, 0) * s;
    n.omega += (at(V_, 3) - cross(n.omega, theta)) * s;
  }
  const int nq = static_cast<int>(places_.size()), ny = static_cast<int>(firsts_.size());
  for (int i = 6 * p_.node_count; i < nq; ++i) {
    to.values[p_.value_of[places_[i]]] += s * Y_(i, j);
    to.rates[p_.value_of[places_[i]]] += s * V_(i, j);
  }
  for (int i = 0; i < ny; ++i) {
    to.values[p_.value_of[firsts_[i]]] += s * first_(i, j);
    to.rates[p_.value_of[firsts_[i]]] += s * rates_(i, j);
  }
  for (std::size_t i = 0; i < algebraic_.size(); ++i) {
    to.algebraic[p_.algebraic_of[algebraic_[i]]] += s * first_(ny + static_cast<int>(i), j);
  }
  for (std::size_t i = 0; i < constraints_.size(); ++i) {
    to.algebraic[p_.algebraic_of[constraints_[i]]] += s * reactions_(static_cast<int>(i), j);
  }
  return to;
}

/// The value of an output at a level; small rotations are relative to the current state.
double SmallMotion::seen(const Output& o, const Level& l, std::vector<double>& measured) const {
  if (o.element >= 0) {
    const ElementPlan& plan = p_.elements[o.element];
    plan.element->measure(eq_.point(plan, l, 1.0), measured);
    return measured[o.measure];
  }
  const NodeState &n = l.nodes[o.node], &was = l_.nodes[o.node];
  const Vector3 all[] = {n.x, rotation_vector(times_transposed(n.R, was.R)), n.v, n.omega};
  const Vector3& v = all[o.component / 3];
  return o.component % 3 == 0 ? v.x : o.component % 3 == 1 ? v.y : v.z;
}

void SmallMotion::outputs(const std::vector<Output>& wanted, Matrix& C, Matrix& D) {
  join_states_and_inputs();
  const int nz = states(), nu = inputs();
  C = Matrix::Zero(static_cast<int>(wanted.size()), nz);
  D = Matrix::Zero(static_cast<int>(wanted.size()), nu);
  std::size_t most = 1;
  for (const ElementPlan& plan : p_.elements) {
    std::size_t count = 0;
    for (const Measure& m : plan.element->shape().measures)
      count += static_cast<std::size_t>(m.count);
    most = std::max(most, count);
  }
  std::vector<double> measured(most);
  const std::vector<double> inputs_before = state_.inputs;
  const auto largest_in = [](const Matrix& m, int j) {
    return m.rows() > 0 ? m.col(j).cwiseAbs().maxCoeff() : 0.0;
  };
  for (int j = 0; j < nz + nu; ++j) {
    const double e =
        1e-5 / std::max({1e-12, largest_in(Y_, j), largest_in(V_, j), largest_in(first_, j)});
    for (const double sign : {1.0, -1.0}) {
      const Level there = moved(sign * e, j);
      if (j >= nz) state_.inputs[j - nz] = inputs_before[j - nz] + sign * e;
      eq_.set_drives(l_.time);
      for (std::size_t k = 0; k < wanted.size(); ++k) {
        double& to = j < nz ? C(static_cast<int>(k), j) : D(static_cast<int>(k), j - nz);
        to += sign * seen(wanted[k], there, measured) / (2.0 * e);
      }
      if (j >= nz) state_.inputs[j - nz] = inputs_before[j - nz];
    }
  }
  eq_.set_drives(l_.time);
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
  const dense::Spectrum eigen = dense::spectrum(motion.A);
  const Matrix& by_states = motion.places_by_states();
  for (int i = 0; i < motion.states(); ++i) {
    const std::complex<double> s = eigen.values(i);
    if (s.imag() < 0.0) continue;
    Mode m;
    m.eigenvalue = s;
    m.frequency = std::abs(s) / (2.0 * std::numbers::pi);
    m.damping = s.imag() > 0.0 ? -s.real() / std::abs(s) : s.real() > 0.0 ? -1.0 : 1.0;
    std::complex<double> largest = 0.0;
    for (int k = 0; k < motion.node_places(); ++k) {
      std::complex<double> x = 0.0;
      for (int j = 0; j < motion.states(); ++j) x += by_states(k, j) * eigen.vectors(j, i);
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
