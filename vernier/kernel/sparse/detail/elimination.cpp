#include "vernier/kernel/sparse/detail/elimination.hpp"

#include <algorithm>
#include <bit>

#include "vernier/kernel/sparse/detail/layout.hpp"

namespace vernier::sparse::detail {
namespace {

/// The cells of one row by group during layout; -1: none.
struct RowCells {
  std::vector<int> left, right;  // a group with factors or the pivot has its entries in `left`

  explicit RowCells(std::size_t groups) : left(groups, -1), right(groups, -1) {}
  int of(int group) const { return left[group] >= 0 ? left[group] : right[group]; }
};

/// Assigns positions in the values to the cells from `first` on: wide ones first, so that none
/// crosses a cache line.
void place_cells(Elimination& e, int first) {
  e.values = (e.values + 3) / 4 * 4;
  e.row_values.push_back(e.values);
  for (const int width : {4, 2, 1})
    for (std::size_t c = first; c < e.cells.size(); ++c)
      if (e.cells[c].width == width) {
        e.cells[c].at = e.values;
        e.values += width;
      }
}

/// Appends the cells of row i and records them in `cells`.
void make_cells(Elimination& e, const std::vector<int>& row, int i, const Groups& groups,
                RowCells& cells) {
  const int first = static_cast<int>(e.cells.size());
  e.rows.push_back(first);
  const auto make = [&](std::vector<int>& side, int group) {
    if (side[group] >= 0) return;
    side[group] = static_cast<int>(e.cells.size());
    e.cells.push_back({0, groups.widths[group], side[group], 0});
  };
  for (const int j : row)
    if (j <= i) make(cells.left, groups.of[j]);
  e.rights.push_back(static_cast<int>(e.cells.size()));
  for (const int j : row) {
    if (j <= i) continue;
    make(cells.right, groups.of[j]);
    Elimination::Cell& cell = e.cells[cells.right[groups.of[j]]];
    cell.from = cells.of(groups.of[j]);
    cell.lanes |= 1U << groups.lane[j];
  }
  place_cells(e, first);
  const int own = cells.left[groups.of[i]];
  e.pivot_cells.push_back(own);
  e.pivots.push_back(e.cells[own].at + groups.lane[i]);
}

}  // namespace

Elimination make_elimination(const Pattern& pattern, const Pivots& pivots) {
  const int n = pattern.size;
  Lists rows = filled_rows(pattern, pivots);
  const Groups groups = group_columns(rows, pivots);
  Elimination e;
  e.size = n;
  e.row_at = pivots.rows;
  e.column_at = pivots.columns;
  e.references = pivots.magnitudes;

  std::vector<std::vector<std::pair<int, int>>> entries(n);  // of the pattern by row: column, index
  std::vector<int> row_order(n);
  std::vector<int> column_order(n);
  for (int k = 0; k < n; ++k) {
    row_order[pivots.rows[k]] = k;
    column_order[pivots.columns[k]] = k;
  }
  for (std::size_t k = 0; k < pattern.entries.size(); ++k)
    entries[row_order[pattern.entries[k].row]].emplace_back(column_order[pattern.entries[k].column],
                                                            static_cast<int>(k));
  e.slots.resize(pattern.entries.size());

  Lists right_groups(n);
  RowCells cells(groups.widths.size());
  for (int i = 0; i < n; ++i) {
    make_cells(e, rows[i], i, groups, cells);
    const auto at = [&](int j) { return e.cells[cells.of(groups.of[j])].at + groups.lane[j]; };
    for (const auto& [j, k] : entries[i]) e.slots[k] = at(j);
    e.factors_of.push_back(static_cast<int>(e.factors.size()));
    for (const int k : rows[i]) {
      if (k >= i) break;
      e.factors.push_back({at(k), k, static_cast<int>(e.targets.size())});
      e.factor_cells.push_back(cells.left[groups.of[k]]);
      for (const int group : right_groups[k]) e.targets.push_back(cells.of(group));
    }
    e.terms_of.push_back(static_cast<int>(e.terms.size()));
    for (auto j = rows[i].rbegin(); *j > i; ++j)
      e.terms.push_back({e.cells[cells.right[groups.of[*j]]].at + groups.lane[*j], *j});
    for (std::size_t g = 0; g < groups.widths.size(); ++g)
      if (cells.right[g] >= 0) right_groups[i].push_back(static_cast<int>(g));
    std::sort(right_groups[i].begin(), right_groups[i].end(),
              [&](int a, int b) { return cells.right[a] < cells.right[b]; });
    for (const int j : rows[i]) cells.left[groups.of[j]] = cells.right[groups.of[j]] = -1;
    e.entries += static_cast<int>(rows[i].size());
  }
  e.rows.push_back(static_cast<int>(e.cells.size()));
  e.factors_of.push_back(static_cast<int>(e.factors.size()));
  e.terms_of.push_back(static_cast<int>(e.terms.size()));
  e.operations = e.terms_of.back();
  for (const Elimination::Factor& f : e.factors)
    e.operations += 2 * (e.terms_of[f.pivot + 1] - e.terms_of[f.pivot]);
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
      const int* target = e.targets.data() + factor.first;
      for (int c = e.rights[factor.pivot]; c < e.rows[factor.pivot + 1]; ++c, ++target) {
        double* __restrict to = values + e.cells[*target].at;
        const double* __restrict from = values + e.cells[c].at;
        if (e.cells[c].width == 4) {
          for (int lane = 0; lane < 4; ++lane) to[lane] -= f * from[lane];
        } else {
          for (int lane = 0; lane < e.cells[c].width; ++lane) to[lane] -= f * from[lane];
        }
      }
    }
    const double reciprocal = 1.0 / values[e.pivots[i]];
    reciprocals[i] = reciprocal;
    met = std::max(met, high_bits(values[e.pivots[i]]));
    for (int c = e.rights[i]; c < e.rows[i + 1]; ++c) {
      const Elimination::Cell& cell = e.cells[c];
      const double* from = values + e.cells[cell.from].at;
      double* to = values + cell.at;
      for (int lane = 0; lane < cell.width; ++lane) {
        const bool belongs = cell.from == c || (cell.lanes >> lane & 1U) != 0;
        if (belongs) met = std::max(met, high_bits(from[lane]));
        to[lane] = belongs ? from[lane] * reciprocal : 0.0;
      }
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
    for (int k = e.terms_of[i]; k < e.terms_of[i + 1]; ++k)
      x -= values[e.terms[k].value] * work[e.terms[k].column];
    work[i] = x;
    b[e.column_at[i]] = x;
  }
}

}  // namespace vernier::sparse::detail
