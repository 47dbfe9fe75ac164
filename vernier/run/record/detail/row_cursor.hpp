#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "vernier/run/record/result_reader.hpp"

namespace vernier::record {

constexpr std::uint64_t rows_in_block = 4096;

/// Selects rows: all, or the first at or after each multiple of a step.
class Sieve {
 public:
  explicit Sieve(double every) : every_(every) {}

  bool keeps(double t) noexcept {
    if (every_ <= 0.0) return true;
    // a time that is below a multiple only by rounding counts as reaching it
    const double n = std::floor(t / every_ * (1.0 + 1e-12) + 1e-9);
    if (any_ && n <= last_) return false;
    any_ = true;
    last_ = n;
    return true;
  }

 private:
  double every_, last_ = 0.0;
  bool any_ = false;
};

/// Iterates over signals that share their times, row by row; memory does not grow with the rows.
class RowCursor {
 public:
  explicit RowCursor(const ResultReader& r) : reader_(r) {}

  void add(const Signal& s) { signals_.push_back(&s); }
  /// False at the end.
  bool next() {
    if (++row_ < block_.size() && !block_.empty()) return true;
    first_ += block_.size();
    row_ = 0;
    values_.clear();
    for (const Signal* s : signals_) {
      Series some = reader_.read(*s, first_, rows_in_block);
      block_ = std::move(some.time);
      values_.push_back(std::move(some.values));
    }
    return !block_.empty();
  }
  double time() const { return block_[row_]; }
  /// Of the n-th signal that was added, all elements.
  const double* values(std::size_t n) const { return &values_[n][row_ * signals_[n]->spec.count]; }

 private:
  const ResultReader& reader_;
  std::vector<const Signal*> signals_;
  std::vector<double> block_;
  std::vector<std::vector<double>> values_;
  std::uint64_t first_ = 0;
  std::size_t row_ = 0;
};

/// Calls `take(time, cursors)` for the rows that a sieve keeps, in the order of time; the cursors
/// are those that have a row at this time. Advances them to their ends.
template <class Take>
void in_order(std::vector<RowCursor*> open, double every, const Take& take) {
  std::erase_if(open, [](RowCursor* c) { return !c->next(); });
  Sieve sieve(every);
  std::vector<RowCursor*> here;
  while (!open.empty()) {
    double t = open.front()->time();
    for (const RowCursor* c : open) t = std::min(t, c->time());
    here.clear();
    for (RowCursor* c : open)
      if (!(c->time() > t)) here.push_back(c);
    if (sieve.keeps(t)) take(t, std::span<RowCursor* const>(here));
    for (RowCursor* c : here)
      if (!c->next()) std::erase(open, c);
  }
}

}  // namespace vernier::record
