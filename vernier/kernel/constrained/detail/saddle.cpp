#include "vernier/kernel/constrained/detail/saddle.hpp"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "vernier/kernel/dense/dense.hpp"
#include "vernier/kernel/sparse/factorization.hpp"
#include "vernier/kernel/sparse/klu_factorization.hpp"

namespace vernier::constrained::detail {

bool solve_once(int size, std::span<const Triplet> triplets, std::span<double> b,
                std::vector<int>& bad) {
  // Equilibrate by powers of two: rows first, then columns.
  std::vector<double> row(size, 0.0), column(size, 0.0);
  for (const Triplet& t : triplets) row[t.row] = std::max(row[t.row], std::abs(t.value));
  for (double& r : row) r = r > 0.0 ? 1.0 / power_near(r) : 1.0;
  for (const Triplet& t : triplets) {
    column[t.column] = std::max(column[t.column], std::abs(t.value) * row[t.row]);
  }
  for (double& c : column) c = c > 0.0 ? 1.0 / power_near(c) : 1.0;

  // Sort by position and add up repeated entries.
  std::vector<int> sorted(triplets.size());
  std::iota(sorted.begin(), sorted.end(), 0);
  const auto place = [&](int k) {
    return static_cast<long long>(triplets[k].row) * size + triplets[k].column;
  };
  std::stable_sort(sorted.begin(), sorted.end(), [&](int a, int c) { return place(a) < place(c); });
  sparse::Pattern pattern;
  pattern.size = size;
  std::vector<double> values;
  long long before = -1;
  for (const int k : sorted) {
    const Triplet& t = triplets[k];
    if (place(k) != before) {
      pattern.entries.push_back({t.row, t.column});
      values.push_back(0.0);
      before = place(k);
    }
    values.back() += t.value * row[t.row] * column[t.column];
  }
  try {
    sparse::Factorization f(pattern, std::span(&values, 1));
    f.clear();
    for (std::size_t k = 0; k < values.size(); ++k) f.values()[f.slots()[k]] = values[k];
    if (!f.factorize().usable) return false;
    for (int i = 0; i < size; ++i) b[i] *= row[i];
    f.solve(b);
  } catch (const sparse::Singular& s) {
    bad = s.rows;
    return false;
  }
  for (int i = 0; i < size; ++i) b[i] *= column[i];
  return std::all_of(b.begin(), b.end(), [](double x) { return std::isfinite(x); });
}

namespace {

/// Whether the rows are clearly independent, by a sparse factorization of Φ Φᵀ with unit rows; a
/// rank-revealing decomposition of Φ would be dense. Returns false if in doubt.
bool clearly_independent(std::span<const Triplet> gradients, int rows, int columns) {
  constexpr double clear = 1e-7;  // reciprocal condition of Φ Φᵀ, the square of that of Φ
  std::vector<std::map<int, double>> of_column(columns);
  for (const Triplet& t : gradients) of_column[t.column][t.row] += t.value;
  std::vector<double> norm(rows, 0.0);
  for (const auto& column : of_column)
    for (const auto& [row, v] : column) norm[row] += v * v;
  for (const double n : norm)
    if (!(n > 0.0) || !std::isfinite(n)) return false;
  std::map<std::pair<int, int>, double> products;
  for (const auto& column : of_column)
    for (const auto& [i, a] : column)
      for (const auto& [j, b] : column) products[{i, j}] += a * b / std::sqrt(norm[i] * norm[j]);
  sparse::Pattern pattern{rows, {}};
  std::vector<double> values;
  for (const auto& [place, value] : products) {
    pattern.entries.push_back({place.first, place.second});
    values.push_back(value);
  }
  try {
    sparse::KluFactorization f(pattern, values);
    f.clear();
    for (std::size_t k = 0; k < values.size(); ++k) f.values()[f.slots()[k]] = values[k];
    return f.factorize().usable && f.reciprocal_condition() > clear;
  } catch (const sparse::Singular&) {
    return false;
  }
}

}  // namespace

std::vector<std::vector<int>> dependent_rows(std::span<const Triplet> gradients, int rows,
                                             int columns) {
  std::vector<std::vector<int>> groups;
  if (rows == 0 || clearly_independent(gradients, rows, columns)) return groups;
  Eigen::MatrixXd A = Eigen::MatrixXd::Zero(columns, rows);
  for (const Triplet& t : gradients) A(t.column, t.row) += t.value;
  for (int j = 0; j < rows; ++j) {
    const double norm = A.col(j).norm();
    if (norm > 0.0) A.col(j) /= norm;
  }
  // Rank-revealing QR of Φᵀ with unit columns. The columns beyond the rank are combinations X of
  // those before; large coefficients name the rows involved.
  const dense::PivotedQr qr(A);
  const Eigen::MatrixXd& R = qr.r();
  const Eigen::VectorXi& order = qr.order();
  constexpr double negligible = 1e-9;  // relative to unit rows
  int rank = 0;
  while (rank < std::min(rows, columns) && std::abs(R(rank, rank)) > negligible) ++rank;
  if (rank == rows) return groups;
  const Eigen::MatrixXd X = R.topLeftCorner(rank, rank)
                                .triangularView<Eigen::Upper>()
                                .solve(R.block(0, rank, rank, rows - rank));
  for (int j = 0; j < rows - rank; ++j) {
    std::vector<int> others;
    for (int i = 0; i < rank; ++i) {
      if (std::abs(X(i, j)) > 1e-6) others.push_back(i);
    }
    std::sort(others.begin(), others.end(), [&](int a, int b) {
      return std::abs(X(a, j)) > std::abs(X(b, j)) ||
             (std::abs(X(a, j)) == std::abs(X(b, j)) && a < b);
    });
    std::vector<int> group{order[rank + j]};
    for (const int i : others) group.push_back(order[i]);
    groups.push_back(std::move(group));
  }
  return groups;
}

}  // namespace vernier::constrained::detail
