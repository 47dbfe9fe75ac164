#include "vernier/kernel/linear/linear.hpp"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <numbers>

#include "vernier/kernel/dense/dense.hpp"

namespace vernier::linear {

namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using hybrid::UnitVector;

std::vector<Quantity> elements(const std::vector<hybrid::Signal>& signals) {
  std::vector<Quantity> all;
  for (const hybrid::Signal& s : signals)
    for (std::uint32_t i = 0; i < s.count; ++i)
      all.push_back({s.count == 1 ? s.name : s.name + "[" + std::to_string(i) + "]", s.unit});
  return all;
}

/// The derivative of a quaternion by a small rotation about the body axes: linear in q.
Eigen::Matrix<double, 4, 3> turn(const Eigen::Vector4d& q) {
  Eigen::Matrix<double, 4, 3> T;
  T << q[3], -q[2], q[1],  //
      q[2], q[3], -q[0],   //
      -q[1], q[0], q[3],   //
      -q[0], -q[1], -q[2];
  return 0.5 * T;
}

/// The map from independent changes e to states: δx = to_states e. A unit vector has fewer changes
/// than elements.
struct Freedom {
  MatrixXd to_states, from_states, to_states_rate;
  std::vector<Quantity> names;
};

Freedom freedom(const hybrid::System& system, const hybrid::Point& p, const Eigen::VectorXd& rate) {
  const hybrid::SystemSpec& spec = system.spec();
  const std::vector<Quantity> all = elements(spec.states);
  const auto quaternion_at = [&](std::size_t i) -> const UnitVector* {
    for (const UnitVector& v : spec.unit_vectors)
      if (v.kind == UnitVector::Kind::quaternion && v.first == i) return &v;
    return nullptr;
  };
  Index columns = 0;
  for (std::size_t i = 0; i < all.size();) {
    const bool turns = quaternion_at(i) != nullptr;
    columns += turns ? 3 : 1;
    i += turns ? 4 : 1;
  }
  const auto n = static_cast<Index>(all.size());
  Freedom f{MatrixXd::Zero(n, columns), MatrixXd::Zero(columns, n), MatrixXd::Zero(n, columns), {}};
  Index column = 0;
  for (std::size_t i = 0; i < all.size();) {
    const auto row = static_cast<Index>(i);
    if (quaternion_at(i) == nullptr) {
      f.to_states(row, column) = f.from_states(column, row) = 1.0;
      f.names.push_back(all[i]);
      ++column;
      ++i;
      continue;
    }
    const Eigen::Vector4d q(p.x[i], p.x[i + 1], p.x[i + 2], p.x[i + 3]);
    const Eigen::Vector4d q_rate = rate.segment<4>(row);
    f.to_states.block<4, 3>(row, column) = turn(q);
    // For a unit quaternion the columns are orthogonal with length one half, so the pseudoinverse
    // is 4 Tᵀ.
    f.from_states.block<3, 4>(column, row) = 4.0 * turn(q).transpose();
    f.to_states_rate.block<4, 3>(row, column) = turn(q_rate);
    const std::string name = all[i].name.substr(0, all[i].name.find('['));
    for (const char* axis : {"x", "y", "z"}) f.names.push_back({name + " about " + axis, "rad"});
    column += 3;
    i += 4;
  }
  return f;
}

}  // namespace

LinearSystem linearize(const hybrid::System& system, const hybrid::Point& p) {
  const hybrid::SystemSpec& spec = system.spec();
  const auto workspace = system.lane_workspace();
  const hybrid::Pattern pattern = system.pattern();
  std::vector<double> values(pattern.row.size());
  system.jacobian(p, pattern, values, *workspace);
  const auto n = static_cast<Index>(p.x.size()), m = static_cast<Index>(p.u.size()),
             q = static_cast<Index>(p.p.size()),
             outputs = static_cast<Index>(hybrid::size(spec.outputs));
  MatrixXd J = MatrixXd::Zero(static_cast<Index>(pattern.rows), n + m + q);
  for (std::size_t c = 0; c < pattern.columns(); ++c)
    for (std::size_t k = pattern.start[c]; k < pattern.start[c + 1]; ++k)
      J(static_cast<Index>(pattern.row[k]), static_cast<Index>(c)) = values[k];
  Eigen::VectorXd rate(n);
  system.flow(p, {rate.data(), static_cast<std::size_t>(n)}, *workspace);
  const Freedom f = freedom(system, p, rate);

  LinearSystem l;
  l.states = f.names;
  l.inputs = elements(spec.inputs);
  l.parameters = elements(spec.parameters);
  l.outputs = elements(spec.outputs);
  // x = X + T e gives e' = T⁺ (F T - T') e, where T moves with the reference motion.
  l.A = f.from_states * (J.topLeftCorner(n, n) * f.to_states - f.to_states_rate);
  l.B = f.from_states * J.block(0, n, n, m);
  l.P = f.from_states * J.block(0, n + m, n, q);
  l.C = J.block(n, 0, outputs, n) * f.to_states;
  l.D = J.block(n, n, outputs, m);
  l.Q = J.block(n, n + m, outputs, q);
  return l;
}

std::vector<Mode> modes(const LinearSystem& l) {
  std::vector<Mode> all;
  if (l.A.rows() == 0 || !l.A.allFinite()) return all;
  const dense::Spectrum eigen = dense::spectrum(l.A);
  const double scale = l.A.cwiseAbs().maxCoeff();
  for (Index k = 0; k < l.A.rows(); ++k) {
    Mode m;
    m.eigenvalue = eigen.values[k];
    if (m.eigenvalue.imag() < 0.0) continue;
    const double size = std::abs(m.eigenvalue);
    m.frequency = size / (2.0 * std::numbers::pi);
    m.damping = size > 1e-14 * scale ? -m.eigenvalue.real() / size : 0.0;
    const Eigen::VectorXcd v = eigen.vectors.col(k);
    Index largest = 0;
    v.cwiseAbs().maxCoeff(&largest);
    for (Index i = 0; i < v.size(); ++i) m.shape.push_back(v[i] / v[largest]);
    all.push_back(std::move(m));
  }
  std::stable_sort(all.begin(), all.end(), [](const Mode& a, const Mode& b) {
    if (a.frequency != b.frequency) return a.frequency < b.frequency;
    return a.eigenvalue.real() < b.eigenvalue.real();
  });
  return all;
}

}  // namespace vernier::linear
