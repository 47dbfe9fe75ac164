#include "vernier/kernel/sparse/detail/layout.hpp"

#include <algorithm>
#include <iterator>
#include <limits>

namespace vernier::sparse::detail {
namespace {

constexpr int widest = 4;

/// Rows and columns of entries, and how many factors each pivot has below it.
struct Uses {
  Lists rows_of, rights_of;  // of columns: rows with an entry there; those where it belongs to U
  std::vector<int> factors;

  explicit Uses(const Lists& rows)
      : rows_of(rows.size()), rights_of(rows.size()), factors(rows.size(), 0) {
    for (int i = 0; i < static_cast<int>(rows.size()); ++i)
      for (const int j : rows[i]) {
        rows_of[j].push_back(i);
        if (j > i) rights_of[j].push_back(i);
        if (j < i) ++factors[j];
      }
  }
};

void unite(std::vector<int>& a, const std::vector<int>& b, std::vector<int>& work) {
  work.clear();
  std::set_union(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(work));
  a.swap(work);
}

/// Partitions a sequence of columns into groups with approximately the fewest instructions (dynamic
/// programming); returns the ends of the groups and the cost.
std::pair<std::vector<int>, double> partition(const std::vector<int>& columns, const Uses& uses) {
  const int n = static_cast<int>(columns.size());
  std::vector<double> least(n + 1, std::numeric_limits<double>::infinity());
  std::vector<int> from(n + 1, 0);
  std::vector<int> rows;
  std::vector<int> rights;
  std::vector<int> work;
  least[0] = 0.0;
  for (int first = 0; first < n; ++first) {
    rows.clear();
    rights.clear();
    for (int count = 1; count <= std::min(widest, n - first); ++count) {
      unite(rows, uses.rows_of[columns[first + count - 1]], work);
      unite(rights, uses.rights_of[columns[first + count - 1]], work);
      double total = least[first] + 4.0 * static_cast<double>(rows.size());
      for (const int k : rights) total += 2.3 * uses.factors[k];
      if (total >= least[first + count]) continue;
      least[first + count] = total;
      from[first + count] = first;
    }
  }
  std::vector<int> ends;
  for (int end = n; end > 0; end = from[end]) ends.push_back(end);
  std::reverse(ends.begin(), ends.end());
  return {ends, least[n]};
}

}  // namespace

Lists filled_rows(const Pattern& pattern, const Pivots& pivots) {
  const int n = pattern.size;
  std::vector<int> row_order(n);
  std::vector<int> column_order(n);
  for (int k = 0; k < n; ++k) {
    row_order[pivots.rows[k]] = k;
    column_order[pivots.columns[k]] = k;
  }
  Lists rows(n);
  Lists below(n);
  for (const Entry& e : pattern.entries) {
    rows[row_order[e.row]].push_back(column_order[e.column]);
    below[column_order[e.column]].push_back(row_order[e.row]);
  }
  for (std::vector<int>& row : rows) std::sort(row.begin(), row.end());
  std::vector<int> work;
  for (int k = 0; k < n; ++k) {
    const std::vector<int> right(std::upper_bound(rows[k].begin(), rows[k].end(), k),
                                 rows[k].end());
    for (const int i : below[k]) {
      if (i <= k) continue;
      for (const int j : right)
        if (!std::binary_search(rows[i].begin(), rows[i].end(), j)) below[j].push_back(i);
      unite(rows[i], right, work);
    }
  }
  return rows;
}

Groups group_columns(const Lists& rows, const Pivots& pivots) {
  const int n = static_cast<int>(rows.size());
  const Uses uses(rows);
  std::vector<int> by_pivot(n);
  std::vector<int> by_pattern(n);
  for (int k = 0; k < n; ++k) by_pivot[k] = by_pattern[pivots.columns[k]] = k;
  auto [ends, cost] = partition(by_pivot, uses);
  auto [other_ends, other_cost] = partition(by_pattern, uses);
  const bool other = other_cost < cost;
  const std::vector<int>& columns = other ? by_pattern : by_pivot;
  Groups groups{std::vector<int>(n), std::vector<int>(n), {}};
  int first = 0;
  for (const int end : other ? other_ends : ends) {
    for (int k = first; k < end; ++k) {
      groups.of[columns[k]] = static_cast<int>(groups.widths.size());
      groups.lane[columns[k]] = k - first;
    }
    groups.widths.push_back(end - first == 3 ? 4 : end - first);
    first = end;
  }
  return groups;
}

}  // namespace vernier::sparse::detail
