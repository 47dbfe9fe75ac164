#include "vernier/kernel/sparse/detail/elimination.hpp"

#include <algorithm>
#include <bit>
#include <iterator>

namespace vernier::sparse::detail {
namespace {

using Lists = std::vector<std::vector<int>>;

/// Adds to sorted rows what elimination fills in.
void fill(Lists& rows) {
  Lists below(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i)
    for (const int j : rows[i]) below[j].push_back(static_cast<int>(i));
  std::vector<int> work;
  for (int k = 0; k < static_cast<int>(rows.size()); ++k) {
    const auto right = std::upper_bound(rows[k].begin(), rows[k].end(), k);
    for (const int i : below[k]) {
      if (i <= k) continue;
      for (auto j = right; j != rows[k].end(); ++j)
        if (!std::binary_search(rows[i].begin(), rows[i].end(), *j)) below[*j].push_back(i);
      work.clear();
      std::set_union(rows[i].begin(), rows[i].end(), right, rows[k].end(),
                     std::back_inserter(work));
      rows[i].swap(work);
    }
  }
}

/// Lays out the rows: L, pivot, U, each in the order of `rank`.
void lay_out(Elimination& e, Lists& rows, const std::vector<int>& rank) {
  const auto before = [&](int a, int b) { return rank[a] < rank[b]; };
  for (int i = 0; i < e.size; ++i) {
    std::vector<int>& row = rows[i];
    const auto pivot = std::lower_bound(row.begin(), row.end(), i);
    std::sort(row.begin(), pivot, before);
    std::sort(pivot + 1, row.end(), before);
    e.starts.push_back(static_cast<int>(e.columns.size()));
    e.pivots.push_back(e.starts.back() + static_cast<int>(pivot - row.begin()));
    e.columns.insert(e.columns.end(), row.begin(), row.end());
    e.ends.push_back(static_cast<int>(e.columns.size()));
  }
  e.starts.push_back(static_cast<int>(e.columns.size()));
}

}  // namespace

Elimination make_elimination(const Pattern& pattern, const Pivots& pivots, bool by_pivot) {
  const int n = pattern.size;
  Elimination e;
  e.size = n;
  e.row_at = pivots.rows;
  e.column_at = pivots.columns;
  e.references = pivots.magnitudes;
  std::vector<int> row_order(n);
  std::vector<int> column_order(n);
  std::vector<int> rank(n);
  for (int k = 0; k < n; ++k) {
    row_order[pivots.rows[k]] = k;
    column_order[pivots.columns[k]] = k;
    rank[k] = by_pivot ? k : pivots.columns[k];
  }
  Lists rows(n);
  for (const Entry& entry : pattern.entries)
    rows[row_order[entry.row]].push_back(column_order[entry.column]);
  for (std::vector<int>& row : rows) std::sort(row.begin(), row.end());
  fill(rows);
  lay_out(e, rows, rank);

  std::vector<int> place(n, -1);  // of columns in the present row
  std::vector<int> order;
  const auto sorted = [&](int first, int last, bool descending) {
    order.resize(last - first);
    for (int k = first; k < last; ++k) order[k - first] = k;
    std::sort(order.begin(), order.end(), [&](int a, int b) {
      return descending ? e.columns[a] > e.columns[b] : e.columns[a] < e.columns[b];
    });
  };
  for (int i = 0; i < n; ++i) {
    for (int v = e.starts[i]; v < e.ends[i]; ++v) place[e.columns[v]] = v;
    e.factors_of.push_back(static_cast<int>(e.factors.size()));
    sorted(e.starts[i], e.pivots[i], false);
    for (const int v : order) {
      const int k = e.columns[v];
      e.factors.push_back({v, k, static_cast<int>(e.targets.size())});
      for (int u = e.pivots[k] + 1; u < e.ends[k]; ++u) e.targets.push_back(place[e.columns[u]]);
    }
    sorted(e.pivots[i] + 1, e.ends[i], true);
    e.rights.resize(e.ends[i]);
    std::copy(order.begin(), order.end(), e.rights.begin() + e.pivots[i] + 1);
    e.operations += e.ends[i] - e.pivots[i] - 1;
  }
  e.factors_of.push_back(static_cast<int>(e.factors.size()));
  e.operations += 2 * static_cast<long long>(e.targets.size());
  for (const Entry& entry : pattern.entries) {
    const int i = row_order[entry.row];
    const auto first = e.columns.begin() + e.starts[i];
    const auto found = std::find(first, e.columns.begin() + e.ends[i], column_order[entry.column]);
    e.slots.push_back(static_cast<int>(found - e.columns.begin()));
  }
  return e;
}

std::uint32_t high_bits(double x) noexcept {
  return static_cast<std::uint32_t>(std::bit_cast<std::uint64_t>(x) >> 32) & 0x7fffffffU;
}

std::uint32_t factorize(const Elimination& e, double* values, double* reciprocals) noexcept {
  std::uint32_t met = 0;
  for (int i = 0; i < e.size; ++i) {
    for (int k = e.factors_of[i]; k < e.factors_of[i + 1]; ++k) {
      const Elimination::Factor& factor = e.factors[k];
      const double f = values[factor.value];
      const double* u = values + e.pivots[factor.pivot] + 1;
      const int* target = e.targets.data() + factor.first;
      const int count = e.ends[factor.pivot] - e.pivots[factor.pivot] - 1;
      for (int m = 0; m < count; ++m) values[target[m]] -= f * u[m];
    }
    const double reciprocal = 1.0 / values[e.pivots[i]];
    reciprocals[i] = reciprocal;
    met = std::max(met, high_bits(values[e.pivots[i]]));
    for (int u = e.pivots[i] + 1; u < e.ends[i]; ++u) {
      met = std::max(met, high_bits(values[u]));
      values[u] *= reciprocal;
    }
  }
  return met;
}

void solve(const Elimination& e, const double* values, const double* reciprocals, double* b,
           double* work) noexcept {
  for (int i = 0; i < e.size; ++i) {
    double y = b[e.row_at[i]];
    for (int k = e.factors_of[i]; k < e.factors_of[i + 1]; ++k)
      y -= values[e.factors[k].value] * work[e.factors[k].pivot];
    work[i] = y * reciprocals[i];
  }
  for (int i = e.size - 1; i >= 0; --i) {
    double x = work[i];
    for (int u = e.pivots[i] + 1; u < e.ends[i]; ++u)
      x -= values[e.rights[u]] * work[e.columns[e.rights[u]]];
    work[i] = x;
    b[e.column_at[i]] = x;
  }
}

}  // namespace vernier::sparse::detail
