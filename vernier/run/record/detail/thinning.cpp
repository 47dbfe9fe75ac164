#include "vernier/run/record/detail/thinning.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace vernier::record {

void Extremes::take(const Point& p) noexcept {
  if (std::isnan(p.value)) {
    if (!nan) nan = p;
    return;
  }
  if (!low || p.value < low->value) low = p;
  if (!high || p.value > high->value) high = p;
}

void Extremes::take(const Extremes& e) noexcept {
  if (e.nan) take(*e.nan);
  if (!e.low) return;
  take(*e.low);
  take(*e.high);
}

Thinning::Thinning(Trace& to, double from, double until, std::size_t points)
    : to_(to), from_(from), count_(std::max<std::uint64_t>(1, points / 2)) {
  width_ = (until - from) / static_cast<double>(count_);
  // all in one interval when the times are unusable
  if (!(width_ > 0.0) || !std::isfinite(width_)) count_ = 1;
  end_ = from_ + width_;
}

void Thinning::next(double time) {
  finish();
  const double passed = (time - from_) / width_;
  const auto last = static_cast<double>(count_ - 1);
  number_ = std::max(number_ + 1, static_cast<std::uint64_t>(std::min(passed, last)));
  end_ = from_ + width_ * static_cast<double>(number_ + 1);
}

void Thinning::keep(const Point& p) {
  finish();
  to_.time.push_back(p.time);
  to_.values.push_back(p.value);
}

void Thinning::finish() {
  std::array<const Point*, 3> found{};
  std::size_t n = 0;
  for (const auto* p : {&now_.low, &now_.high, &now_.nan}) {
    const auto known = found.begin() + static_cast<std::ptrdiff_t>(n);
    const bool same = std::any_of(found.begin(), known,
                                  [p](const Point* f) { return *p && f->row == (*p)->row; });
    if (*p && !same) found[n++] = &**p;
  }
  std::sort(found.begin(), found.begin() + static_cast<std::ptrdiff_t>(n),
            [](const Point* a, const Point* b) { return a->row < b->row; });
  for (std::size_t i = 0; i < n; ++i) {
    to_.time.push_back(found[i]->time);
    to_.values.push_back(found[i]->value);
  }
  now_ = {};
}

}  // namespace vernier::record
