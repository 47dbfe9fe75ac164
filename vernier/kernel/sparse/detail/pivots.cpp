#include "vernier/kernel/sparse/detail/pivots.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>

#include "vernier/kernel/elementary/elementary.hpp"

namespace vernier::sparse {

Singular::Singular(std::vector<int> those_rows, std::vector<int> those_columns)
    : std::runtime_error("the matrix is singular"),
      rows(std::move(those_rows)),
      columns(std::move(those_columns)) {}

namespace detail {
namespace {

/// A logarithm that is exact for powers of two.
double log2_of(double x) {
  int exponent = 0;
  const double part = std::frexp(x, &exponent);
  const bool low = part < 0.7071067811865476;  // √½
  return (low ? exponent - 1 : exponent) +
         elementary::log(low ? 2.0 * part : part) * 1.4426950408889634;
}

constexpr double epsilon = std::numeric_limits<double>::epsilon();

/// One entry in one sample: its value, and a bound of its rounding error.
struct Number {
  double value = 0.0;
  double error = 0.0;
};

/// The part of the matrix that is not yet eliminated, in all samples. Rows are sorted by column;
/// cells of a row are stored sample by sample.
class Remainder {
 public:
  /// `much`: size decides between two pivots only if one is larger by this factor.
  Remainder(const Pattern& pattern, std::span<const std::vector<double>> samples, double threshold,
            double much)
      : samples_(static_cast<int>(samples.size())), threshold_(threshold), much_(much) {
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

  /// Excludes columns farther than `farthest` from now on; `distances` of all columns.
  void limit(std::span<const int> distances, int farthest) noexcept {
    distances_ = distances;
    farthest_ = farthest;
  }

  /// The better of `best` and the entries of this row that are large enough.
  void consider(int i, double threshold, Candidate& best) const {
    const Row& row = rows_[i];
    const auto others = static_cast<std::int64_t>(row.columns.size()) - 1;
    for (std::size_t k = 0; k < row.columns.size(); ++k) {
      const int j = row.columns[k];
      if (!distances_.empty() && distances_[j] > farthest_) continue;
      const std::int64_t cost = others * (static_cast<std::int64_t>(columns_[j].size()) - 1);
      if (cost > best.cost) continue;
      const double size = relative_size(i, k);
      if (size < threshold || size <= 0.0) continue;
      // Prefer the diagonal if possible, so that rows and columns of a node stay together.
      const bool better = cost < best.cost || (i == j) > (best.row == best.column) ||
                          ((i == j) == (best.row == best.column) && size > much_ * best.size);
      if (better) best = {i, j, cost, size};
    }
  }

  /// The entry that is largest relative to its row in the worst sample.
  Candidate largest_in(int i) const {
    Candidate best;
    for (std::size_t k = 0; k < rows_[i].columns.size(); ++k)
      if (const double size = relative_size(i, k); size > best.size)
        best = {i, rows_[i].columns[k], 0, size};
    return best;
  }

  double threshold() const noexcept { return threshold_; }

  /// The smallest magnitude of the entry in the samples.
  double magnitude(int i, int j) const {
    const std::size_t k = place(i, j);
    double least = std::numeric_limits<double>::infinity();
    for (int s = 0; s < samples_; ++s)
      least = std::min(least, std::fabs(rows_[i].cells[k * samples_ + s].value));
    return least;
  }

  /// Eliminates row i and column j; returns the rows that had an entry in the column.
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

  /// The magnitude relative to the largest of the row, in the worst sample; 0 if it may be rounding
  /// error alone.
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
  double threshold_, much_;
  std::span<const int> distances_;
  int farthest_ = 0;
  std::vector<Row> rows_;
  std::vector<std::vector<int>> columns_;  // rows of each column, unordered
  std::vector<double> scale_, largest_;    // of each row and sample: at first, and now
};

/// The next pivot among all rows: the cheapest (Markowitz' count) of those that are large enough,
/// otherwise the largest.
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

/// The samples with rows and columns scaled to minimize the logarithms of entries in the mean
/// square (Curtis and Reid 1972): which pivots are large enough then depends on the mechanism, not
/// on its units and size.
struct Scaled {
  std::vector<std::vector<double>> samples;
  std::vector<double> rows, columns;  // factors, powers of 2
};
Scaled equilibrated(const Pattern& pattern, std::span<const std::vector<double>> samples) {
  constexpr double negligible = 1e-12;  // relative to its row: rounding error
  constexpr int rounds = 10;
  const auto n = static_cast<std::size_t>(pattern.size);
  std::vector<double> typical(pattern.entries.size(), 0.0);
  std::vector<double> most(n, 0.0);
  for (std::size_t k = 0; k < typical.size(); ++k) {
    for (const std::vector<double>& sample : samples)
      typical[k] = std::max(typical[k], std::fabs(sample[k]));
    most[pattern.entries[k].row] = std::max(most[pattern.entries[k].row], typical[k]);
  }
  std::vector<double> row(n, 0.0), column(n, 0.0), sum(n), count(n);
  for (int round = 0; round < 2 * rounds; ++round) {
    const bool rows = round % 2 == 0;
    std::fill(sum.begin(), sum.end(), 0.0);
    std::fill(count.begin(), count.end(), 0.0);
    for (std::size_t k = 0; k < typical.size(); ++k) {
      const auto [i, j] = pattern.entries[k];
      if (!(typical[k] > negligible * most[i]) || !std::isfinite(typical[k])) continue;
      const int at = rows ? i : j;
      sum[at] += log2_of(typical[k]) + (rows ? column[j] : row[i]);
      count[at] += 1.0;
    }
    std::vector<double>& to = rows ? row : column;
    for (std::size_t i = 0; i < n; ++i)
      if (count[i] > 0.0) to[i] = -sum[i] / count[i];
  }
  for (std::vector<double>* list : {&row, &column})
    for (double& x : *list) x = std::ldexp(1.0, static_cast<int>(std::round(x)));
  Scaled scaled{{samples.begin(), samples.end()}, std::move(row), std::move(column)};
  for (std::vector<double>& sample : scaled.samples)
    for (std::size_t k = 0; k < typical.size(); ++k)
      sample[k] *= scaled.rows[pattern.entries[k].row] * scaled.columns[pattern.entries[k].column];
  return scaled;
}

/// The adjacency of rows: those in whose columns a row has entries, and the reverse.
std::vector<std::vector<int>> neighbours(const Pattern& pattern) {
  std::vector<std::vector<int>> near(pattern.size);
  for (const Entry& e : pattern.entries) {
    near[e.row].push_back(e.column);
    near[e.column].push_back(e.row);
  }
  for (std::vector<int>& row : near) {
    std::sort(row.begin(), row.end());
    row.erase(std::unique(row.begin(), row.end()), row.end());
  }
  return near;
}

/// Breadth-first search: writes distances from `start`; returns the reachable rows, nearest first.
std::vector<int> walk(const std::vector<std::vector<int>>& near, int start,
                      std::vector<int>& distances) {
  std::vector<int> reached{start};
  distances[start] = 0;
  for (std::size_t k = 0; k < reached.size(); ++k)
    for (const int j : near[reached[k]])
      if (distances[j] < 0) {
        distances[j] = distances[reached[k]] + 1;
        reached.push_back(j);
      }
  return reached;
}

/// Distances from an end of the pattern, component by component.
std::vector<int> distances_from_ends(const Pattern& pattern) {
  const std::vector<std::vector<int>> near = neighbours(pattern);
  std::vector<int> all(pattern.size, -1);
  std::vector<int> trial(pattern.size, -1);
  int first = 0;
  for (int i = 0; i < pattern.size; ++i) {
    if (all[i] >= 0) continue;
    int end = i;
    for (int k = 0; k < 3; ++k) {  // the farthest row from any row is nearly an end
      const std::vector<int> reached = walk(near, end, trial);
      end = reached.back();
      for (const int j : reached) trial[j] = -1;
    }
    const std::vector<int> part = walk(near, end, all);
    const int longest = all[part.back()];
    for (const int j : part) all[j] += first;
    first += longest + 1;
  }
  return all;
}

/// The candidates of a sweep: the remaining rows and columns nearest to the end, and slightly
/// beyond. Nothing is postponed to the end, where all others would fill it in.
class Front {
 public:
  explicit Front(const Pattern& pattern) : distances_(distances_from_ends(pattern)) {
    rows_.resize(pattern.size);
    for (int i = 0; i < pattern.size; ++i) rows_[i] = i;
    std::sort(rows_.begin(), rows_.end(), [this](int a, int b) { return nearer(a, b); });
    columns_ = rows_;
  }

  void take(int row, int column) {
    remove(rows_, row);
    remove(columns_, column);
  }

  void limit(Remainder& left) const {
    left.limit(distances_, std::min(distances_[rows_.front()], distances_[columns_.front()]));
  }

  /// The cheapest pivot in rows and columns that are near enough. The side that lags behind
  /// excludes none; the other is widened until a pivot is found.
  Remainder::Candidate next(Remainder& left) {
    const int row = distances_[rows_.front()];
    const int column = distances_[columns_.front()];
    const int end = distances_[rows_.back()] + distances_[columns_.back()];
    Remainder::Candidate best;
    for (int more = 0; best.row < 0 && more <= end; ++more) {
      const int nearest = std::min(row, column);
      left.limit(distances_, nearest + (row <= column ? more : 0));
      for (const int i : rows_) {
        if (distances_[i] > nearest + 1 + (row <= column ? 0 : more)) break;
        left.consider(i, left.threshold(), best);
      }
    }
    return best;
  }

 private:
  bool nearer(int a, int b) const {
    return distances_[a] != distances_[b] ? distances_[a] < distances_[b] : a < b;
  }
  void remove(std::vector<int>& from, int k) const {
    from.erase(std::lower_bound(from.begin(), from.end(), k,
                                [this](int a, int b) { return nearer(a, b); }));
  }

  std::vector<int> distances_;
  std::vector<int> rows_, columns_;  // left
};

}  // namespace

Pivots choose_pivots(const Pattern& pattern, std::span<const std::vector<double>> samples,
                     double threshold, Order order) {
  Scaled scaled;
  std::optional<Front> front;
  if (order == Order::sweep) {
    scaled = equilibrated(pattern, samples);
    samples = scaled.samples;
    front.emplace(pattern);
  }
  // In a sweep, equal costs are resolved by position, so that small differences of values do not
  // matter.
  Remainder left(pattern, samples, threshold,
                 front ? std::numeric_limits<double>::infinity() : 1.0);
  Pivots pivots;
  std::vector<int> open(pattern.size);
  std::vector<bool> column_done(pattern.size, false);
  for (int i = 0; i < pattern.size; ++i) open[i] = i;
  std::vector<int> touched;
  std::size_t width = 0;
  for (int k = 0; k < pattern.size; ++k) {
    // Rows that now have the pattern of the last pivot row cause no new fill-in, so they come next.
    Remainder::Candidate next;
    if (front) front->limit(left);
    for (const int i : touched)
      if (left.columns_of(i).size() == width) left.consider(i, threshold, next);
    if (front && next.row < 0) next = front->next(left);
    if (front) left.limit({}, 0);
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
    if (front) front->take(next.row, next.column);
    column_done[next.column] = true;
  }
  if (front)
    for (int k = 0; k < pattern.size; ++k)
      pivots.magnitudes[k] /= scaled.rows[pivots.rows[k]] * scaled.columns[pivots.columns[k]];
  return pivots;
}

}  // namespace detail
}  // namespace vernier::sparse
