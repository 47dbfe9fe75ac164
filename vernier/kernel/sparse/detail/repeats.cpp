#include "vernier/kernel/sparse/detail/repeats.hpp"

#include <algorithm>
#include <map>

namespace vernier::sparse::detail {
namespace {

constexpr int longest_period = 128;
constexpr int least_times = 3;

/// All operations of the elimination in row i, relative to the row and its values.
std::vector<int> described(const Elimination& e, int i) {
  const int base = e.row_values[i];
  const int first = e.rows[i];
  std::vector<int> all{e.rows[i + 1] - first, e.rights[i] - first, e.pivots[i] - base,
                       e.pivot_cells[i] - first};
  for (int c = first; c < e.rows[i + 1]; ++c) {
    const Elimination::Cell& cell = e.cells[c];
    all.insert(all.end(),
               {cell.at - base, cell.width, cell.from - first, static_cast<int>(cell.lanes)});
  }
  for (int f = e.factors_of[i]; f < e.factors_of[i + 1]; ++f) {
    const auto& [value, pivot, targets] = e.factors[f];
    all.insert(all.end(), {value - base, pivot - i, e.factor_cells[f] - first});
    for (int c = e.rights[pivot]; c < e.rows[pivot + 1]; ++c)
      all.insert(all.end(),
                 {e.cells[c].at - base, e.targets[targets + c - e.rights[pivot]] - first});
  }
  all.push_back(-1);
  for (int t = e.terms_of[i]; t < e.terms_of[i + 1]; ++t)
    all.insert(all.end(), {e.terms[t].value - base, e.terms[t].column - i});
  all.push_back(i + 1 < e.size ? e.row_values[i + 1] - base : -1);
  return all;
}

}  // namespace

std::vector<Repeat> find_repeats(const Elimination& e) {
  // Equal descriptions get equal numbers.
  std::map<std::vector<int>, int> known;
  std::vector<int> kinds(e.size);
  for (int i = 0; i < e.size; ++i)
    kinds[i] = known.emplace(described(e, i), static_cast<int>(known.size())).first->second;

  // For every row, the period that covers most rows.
  std::vector<Repeat> best(e.size, Repeat{0, 0, 0, 0});
  std::vector<int> alike(e.size + 1);
  for (int period = 1; period <= std::min(longest_period, e.size / least_times); ++period) {
    alike[e.size - period] = 0;
    for (int i = e.size - period - 1; i >= 0; --i) {
      alike[i] = kinds[i] == kinds[i + period] ? alike[i + 1] + 1 : 0;
      const int times = alike[i] / period + 1;
      if (times >= least_times && times * period > best[i].times * best[i].period)
        best[i] = {i, period, times, e.row_values[i + period] - e.row_values[i]};
    }
  }
  std::vector<Repeat> repeats;
  for (int i = 0; i < e.size;) {
    if (best[i].times == 0) {
      ++i;
      continue;
    }
    repeats.push_back(best[i]);
    i += best[i].period * best[i].times;
  }
  return repeats;
}

int repeated_rows(const std::vector<Repeat>& repeats) {
  int sum = 0;
  for (const Repeat& r : repeats) sum += r.period * r.times;
  return sum;
}

}  // namespace vernier::sparse::detail
