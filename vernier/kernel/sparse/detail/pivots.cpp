#include "vernier/kernel/sparse/detail/pivots.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

namespace vernier::sparse {

Singular::Singular(std::vector<int> those_rows, std::vector<int> those_columns)
    : std::runtime_error("the matrix is singular"),
      rows(std::move(those_rows)),
      columns(std::move(those_columns)) {}

namespace detail {
namespace {

constexpr double epsilon = std::numeric_limits<double>::epsilon();

/// What is known of one entry in one sample: its value, and a bound of the rounding errors in it.
struct Number {
  double value = 0.0;
  double error = 0.0;
};

/// The part of the matrix that is not eliminated yet, in all samples at once. Rows are sorted by
/// column; cells of a row lie sample by sample behind each other.
class Remainder {
 public:
  Remainder(const Pattern& pattern, std::span<const std::vector<double>> samples, double threshold)
      : samples_(static_cast<int>(samples.size())), threshold_(threshold) {
    const auto n = static_cast<std::size_t>(pattern.size);
    rows_.resize(n);
    columns_.resize(n);
    scale_.assign(n * samples.size(), 0.0);
    largest_.assign(n * samples.size(), 0.0);
    std::vector<int> order(pattern.entries.size());
    for (std::size_t k = 0; k < order.size(); ++k) order[k] = static_cast<int>(k);
    std::sort(order.begin(), order.end(), [&](int a, int b) {
      const Entry& p = pattern.entries[a];
      const Entry& q = pattern.entries[b];
      return p.row != q.row ? p.row < q.row : p.column < q.column;
    });
    for (const int k : order) {
      const Entry e = pattern.entries[k];
      Row& row = rows_[e.row];
      row.columns.push_back(e.column);
      for (const std::vector<double>& sample : samples)
        row.cells.push_back({sample[k], 4.0 * epsilon * std::fabs(sample[k])});
      columns_[e.column].push_back(e.row);
    }
    for (int i = 0; i < pattern.size; ++i) {
      find_largest(i);
      for (int s = 0; s < samples_; ++s) scale_[at(i, s)] = largest_[at(i, s)];
    }
  }

  struct Candidate {
    int row = -1, column = -1;
    std::int64_t cost = std::numeric_limits<std::int64_t>::max();
    double size = 0.0;
  };

  const std::vector<int>& columns_of(int row) const { return rows_[row].columns; }

  /// The better of `best` and the entries of this row that are large enough.
  void consider(int i, double threshold, Candidate& best) const {
    const Row& row = rows_[i];
    const auto others = static_cast<std::int64_t>(row.columns.size()) - 1;
    for (std::size_t k = 0; k < row.columns.size(); ++k) {
      const int j = row.columns[k];
      const std::int64_t cost = others * (static_cast<std::int64_t>(columns_[j].size()) - 1);
      if (cost > best.cost) continue;
      const double size = relative_size(i, k);
      if (size < threshold || size <= 0.0) continue;
      // the diagonal, if it will do: rows and columns of a node stay together
      const bool better = cost < best.cost || (i == j) > (best.row == best.column) ||
                          ((i == j) == (best.row == best.column) && size > best.size);
      if (better) best = {i, j, cost, size};
    }
  }

  /// The entry of the row that is largest against its row in the worst sample.
  Candidate largest_in(int i) const {
    Candidate best;
    for (std::size_t k = 0; k < rows_[i].columns.size(); ++k)
      if (const double size = relative_size(i, k); size > best.size)
        best = {i, rows_[i].columns[k], 0, size};
    return best;
  }

  double threshold() const noexcept { return threshold_; }

  /// Smallest magnitude of the entry in the samples.
  double magnitude(int i, int j) const {
    const std::size_t k = place(i, j);
    double least = std::numeric_limits<double>::infinity();
    for (int s = 0; s < samples_; ++s)
      least = std::min(least, std::fabs(rows_[i].cells[k * samples_ + s].value));
    return least;
  }

  /// Takes row i and column j out; answers the rows that had an entry in the column.
  std::vector<int> eliminate(int i, int j) {
    Row pivot = std::move(rows_[i]);
    rows_[i] = {};
    for (const int column : pivot.columns) std::erase(columns_[column], i);
    const auto k = static_cast<std::size_t>(
        std::lower_bound(pivot.columns.begin(), pivot.columns.end(), j) - pivot.columns.begin());
    std::vector<Number> p(samples_);
    for (int s = 0; s < samples_; ++s) p[s] = pivot.cells[k * samples_ + s];
    take_out(pivot, k);
    for (std::size_t c = 0; c < pivot.columns.size(); ++c)
      for (int s = 0; s < samples_; ++s) {
        Number& u = pivot.cells[c * samples_ + s];
        const double quotient = u.value / p[s].value;
        u.error = (u.error + std::fabs(quotient) * p[s].error) / std::fabs(p[s].value) +
                  epsilon * std::fabs(quotient);
        u.value = quotient;
      }
    std::vector<int> touched = std::move(columns_[j]);
    columns_[j] = {};
    for (const int target : touched) subtract(target, j, pivot);
    return touched;
  }

 private:
  struct Row {
    std::vector<int> columns;
    std::vector<Number> cells;
  };

  std::size_t at(int row, int sample) const {
    return static_cast<std::size_t>(row) * samples_ + sample;
  }

  std::size_t place(int i, int j) const {
    const std::vector<int>& c = rows_[i].columns;
    return static_cast<std::size_t>(std::lower_bound(c.begin(), c.end(), j) - c.begin());
  }

  void take_out(Row& row, std::size_t k) const {
    row.columns.erase(row.columns.begin() + static_cast<std::ptrdiff_t>(k));
    const auto first = row.cells.begin() + static_cast<std::ptrdiff_t>(k) * samples_;
    row.cells.erase(first, first + samples_);
  }

  /// Magnitude against the largest of the row, in the worst sample; 0 where it may be rounding
  /// alone.
  double relative_size(int i, std::size_t k) const {
    double least = std::numeric_limits<double>::infinity();
    for (int s = 0; s < samples_; ++s) {
      const Number& x = rows_[i].cells[k * samples_ + s];
      const double magnitude = std::fabs(x.value);
      const bool noise = magnitude <= x.error && magnitude <= 1e-9 * scale_[at(i, s)];
      if (noise || !(magnitude > 0.0) || !std::isfinite(magnitude)) return 0.0;
      least = std::min(least, magnitude / largest_[at(i, s)]);
    }
    return least;
  }

  void find_largest(int i) {
    for (int s = 0; s < samples_; ++s) {
      double largest = 0.0;
      for (std::size_t k = 0; k < rows_[i].columns.size(); ++k)
        largest = std::max(largest, std::fabs(rows_[i].cells[k * samples_ + s].value));
      largest_[at(i, s)] = largest;
    }
  }

  void subtract(int target, int j, const Row& pivot) {
    Row& row = rows_[target];
    const std::size_t k = place(target, j);
    std::vector<Number> f(samples_);
    for (int s = 0; s < samples_; ++s) f[s] = row.cells[k * samples_ + s];
    take_out(row, k);
    Row sum;
    sum.columns.reserve(row.columns.size() + pivot.columns.size());
    std::size_t a = 0;
    for (std::size_t b = 0; a < row.columns.size() || b < pivot.columns.size();) {
      const bool in_row = a < row.columns.size() &&
                          (b == pivot.columns.size() || row.columns[a] <= pivot.columns[b]);
      const bool in_pivot = b < pivot.columns.size() &&
                            (a == row.columns.size() || pivot.columns[b] <= row.columns[a]);
      const int column = in_row ? row.columns[a] : pivot.columns[b];
      sum.columns.push_back(column);
      if (!in_row) columns_[column].push_back(target);
      for (int s = 0; s < samples_; ++s) {
        Number x = in_row ? row.cells[a * samples_ + s] : Number{};
        if (in_pivot) {
          const Number& u = pivot.cells[b * samples_ + s];
          x.value -= f[s].value * u.value;
          x.error += epsilon * (std::fabs(f[s].value * u.value) + std::fabs(x.value)) +
                     std::fabs(f[s].value) * u.error + f[s].error * std::fabs(u.value);
        }
        sum.cells.push_back(x);
      }
      a += in_row;
      b += in_pivot;
    }
    row = std::move(sum);
    find_largest(target);
  }

  int samples_;
  double threshold_;
  std::vector<Row> rows_;
  std::vector<std::vector<int>> columns_;  // rows of each column, unordered
  std::vector<double> scale_, largest_;    // of each row and sample: at first, and now
};

/// The next pivot among all rows: of those large enough the cheapest, else the largest.
Remainder::Candidate search(const Remainder& left, const std::vector<int>& rows) {
  Remainder::Candidate best;
  for (const int i : rows) left.consider(i, left.threshold(), best);
  if (best.row < 0)
    for (const int i : rows) {
      Remainder::Candidate here = left.largest_in(i);
      if (here.size > best.size) best = here;
    }
  return best;
}

}  // namespace

Pivots choose_pivots(const Pattern& pattern, std::span<const std::vector<double>> samples,
                     double threshold) {
  Remainder left(pattern, samples, threshold);
  Pivots pivots;
  std::vector<int> open(pattern.size);
  std::vector<bool> column_done(pattern.size, false);
  for (int i = 0; i < pattern.size; ++i) open[i] = i;
  std::vector<int> touched;
  std::size_t width = 0;
  for (int k = 0; k < pattern.size; ++k) {
    // rows that now look like the last pivot's make no new fill: they come next
    Remainder::Candidate next;
    for (const int i : touched)
      if (left.columns_of(i).size() == width) left.consider(i, threshold, next);
    if (next.row < 0) next = search(left, open);
    if (next.row < 0) {
      std::vector<int> columns;
      for (int j = 0; j < pattern.size; ++j)
        if (!column_done[j]) columns.push_back(j);
      throw Singular(open, columns);
    }
    pivots.rows.push_back(next.row);
    pivots.columns.push_back(next.column);
    pivots.magnitudes.push_back(left.magnitude(next.row, next.column));
    width = left.columns_of(next.row).size() - 1;
    touched = left.eliminate(next.row, next.column);
    std::erase(open, next.row);
    column_done[next.column] = true;
  }
  return pivots;
}

}  // namespace detail
}  // namespace vernier::sparse
