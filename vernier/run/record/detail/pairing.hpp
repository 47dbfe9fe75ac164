#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

/// How the rows of two runs belong together; used by everything that compares runs.
namespace vernier::record {

/// Times that both runs have, after `shift` (s) was added to those of the second: its own times
/// plus the shift; where that is a time of the first run, but for rounding, exactly that time. Both
/// ascending.
std::vector<double> shifted_times(std::vector<double> second, double shift,
                                  const std::vector<double>& first);

/// The last row of those from `i` on with the same time.
std::size_t last_of_instant(const std::vector<double>& t, std::size_t i) noexcept;

/// Walks through the instants of two runs in order and calls
///
///   both(i, j)     rows i and j of an instant of both; if one has more rows there (before and
///   after
///                  an event), only the last ones
///   only_a(i, j)   row i is at an instant of the first run alone; row j of the second is the next
///   only_b(i, j)   the same for row j
///   extra(m, n)    m rows of the first and n of the second were left out at an instant of both
template <typename Both, typename OnlyA, typename OnlyB, typename Extra>
void pair_rows(const std::vector<double>& a, const std::vector<double>& b, Both&& both,
               OnlyA&& only_a, OnlyB&& only_b, Extra&& extra) {
  std::size_t i = 0, j = 0;
  while (i < a.size() && j < b.size()) {
    if (a[i] < b[j]) {
      only_a(i, j), ++i;
    } else if (b[j] < a[i]) {
      only_b(i, j), ++j;
    } else {
      const std::size_t last_i = last_of_instant(a, i), last_j = last_of_instant(b, j);
      if (last_i - i == last_j - j) {
        for (; i <= last_i; ++i, ++j) both(i, j);
      } else {
        extra(last_i - i, last_j - j);
        both(last_i, last_j);
        i = last_i + 1, j = last_j + 1;
      }
    }
  }
  for (; i < a.size(); ++i) only_a(i, j);
  for (; j < b.size(); ++j) only_b(i, j);
}

/// The value at `t` of rows with times `times`, of which `next` is the first after `t`: held since
/// the row before, or on the straight line to the next. Outside of the rows there is none: call it
/// only with 0 < next < rows. `value(i)`: of row i.
template <typename Value>
double value_between(const std::vector<double>& times, std::size_t next, double t, bool held,
                     Value&& value) {
  const double before = value(next - 1);
  if (held) return before;
  const double span = times[next] - times[next - 1];
  return before + (value(next) - before) * ((t - times[next - 1]) / span);
}

}  // namespace vernier::record
