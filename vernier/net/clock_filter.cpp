#include "vernier/net/clock_filter.hpp"

#include <algorithm>
#include <cmath>

namespace vernier::net {

void MeanOffset::add(const ClockExchange& e) noexcept {
  if (!e.plausible()) return;
  if (count_ == 0) base_ = e.twice_offset();
  sum_ += e.twice_offset() - base_;
  ++count_;
}

std::int64_t MeanOffset::offset() const noexcept {
  if (count_ == 0) return 0;
  const double beyond = static_cast<double>(sum_) / static_cast<double>(count_) / 2.0;
  return base_ / 2 + std::llround(beyond + static_cast<double>(base_ % 2) / 2.0);
}

std::int64_t ClockEstimate::offset_at(std::int64_t home) const noexcept {
  const double dt = static_cast<double>(home - reference);
  return base + std::llround(offset * 1e9 + skew * dt);
}

std::int64_t ClockEstimate::home_of(std::int64_t target) const noexcept {
  // solved for home: home = target + offset + skew (home - reference)
  const double from_reference = static_cast<double>(target + base - reference) + offset * 1e9;
  return reference + std::llround(from_reference / (1.0 - skew));
}

ClockFilter::ClockFilter(const Settings& s) noexcept : settings_(s) {}

void ClockFilter::clear() noexcept { *this = ClockFilter(settings_); }

bool ClockFilter::add(const ClockExchange& e) noexcept {
  if (!e.plausible()) return false;
  const bool first = !have_best_ && samples_ == 0;
  if (first) estimate_.base = e.twice_offset() / 2;
  const std::int64_t since = first ? 0 : e.t4 - previous_;
  previous_ = e.t4;
  if (!have_best_) {
    best_ = e;
    have_best_ = true;
    window_began_ = e.t4;
  } else if (e.round_trip() < best_.round_trip()) {
    best_ = e;
  }
  // until the filter starts, the exchange with the shortest round trip is the best estimate
  const double trip = static_cast<double>(e.round_trip()) * 1e-9;
  if (!estimate_.converged && (first || trip < start_best_)) {
    start_best_ = trip;
    started_from_ = e.t4;
    estimate_.offset = beyond_base(e);
  }
  // the next exchange will fall into the next interval
  if (!first && e.t4 - window_began_ + since < settings_.select) return false;
  renew(best_);
  have_best_ = false;
  return true;
}

double ClockFilter::beyond_base(const ClockExchange& e) const noexcept {
  return static_cast<double>(e.twice_offset() - 2 * estimate_.base) * 0.5e-9;
}

void ClockFilter::note_round_trip(double trip) noexcept {
  trips_[trip_count_ % window] = trip;
  ++trip_count_;
  const std::size_t n = std::min(trip_count_, window);
  if (trip_count_ > 16 && trip_count_ % 10 != 0) {
    trip_minimum_ = std::min(trip_minimum_, trip);
    return;
  }
  std::array<double, window> sorted = trips_;
  const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>(n / 2);
  std::nth_element(sorted.begin(), middle, sorted.begin() + static_cast<std::ptrdiff_t>(n));
  trip_minimum_ =
      *std::min_element(trips_.begin(), trips_.begin() + static_cast<std::ptrdiff_t>(n));
  trip_spread_ = std::max(*middle - trip_minimum_, 2e-6);
}

void ClockFilter::begin(double offset, double deviation, double skew) noexcept {
  estimate_.offset = offset;
  estimate_.skew = skew;
  p00_ = deviation * deviation;
  p01_ = 0.0;
  p11_ = settings_.start_skew * settings_.start_skew;
  estimate_.converged = true;
  rejections_ = openings_ = 0;
}

void ClockFilter::renew(const ClockExchange& e) noexcept {
  const double trip = static_cast<double>(e.round_trip()) * 1e-9;
  note_round_trip(trip);
  used_ = e;
  const double dt = samples_ ? static_cast<double>(e.t4 - estimate_.reference) * 1e-9 : 0.0;
  estimate_.reference = e.t4;
  estimate_.least_round_trip = trip_minimum_;
  ++samples_;
  if (samples_ <= settings_.start) {
    estimate_.ready = true;
    const double age = static_cast<double>(e.t4 - started_from_) * 1e-9;
    estimate_.offset_deviation = 0.5 * start_best_ + settings_.start_skew * age;
    estimate_.skew_deviation = settings_.start_skew;
    if (samples_ == settings_.start) {
      const double excess = 0.5 * (start_best_ - trip_minimum_) + trip_spread_;
      const double drift = settings_.start_skew * age;
      begin(estimate_.offset, std::sqrt(excess * excess + drift * drift), 0.0);
    }
    return;
  }
  filter(beyond_base(e), trip, dt);
}

void ClockFilter::filter(double offset, double trip, double dt) noexcept {
  const double qf = settings_.frequency_walk, qo = settings_.offset_walk;
  double& x0 = estimate_.offset;
  double& x1 = estimate_.skew;
  // predict: constant skew, process noise of both random walks integrated over dt
  x0 += x1 * dt;
  p00_ += 2.0 * dt * p01_ + dt * dt * p11_ + qo * dt + qf * dt * dt * dt / 3.0;
  p01_ += dt * p11_ + qf * dt * dt / 2.0;
  p11_ += qf * dt;

  // the measurement noise R of the header, and the gate on the innovation
  const double excess = 0.5 * (trip - trip_minimum_);
  const double r = 0.0625 * trip_spread_ * trip_spread_ + excess * excess;
  const double innovation = offset - x0, s = p00_ + r;
  if (innovation * innovation > settings_.gate * settings_.gate * s) {
    ++estimate_.rejected;
    if (++rejections_ >= settings_.patience) {
      rejections_ = 0;
      ++estimate_.restarts;
      // first widen the covariance; if that does not help, start from this measurement
      if (++openings_ == 1) {
        p00_ = 100.0 * p00_ + r;
        p01_ *= 100.0;
        p11_ = 100.0 * p11_ + 1e-12;
      } else {
        begin(offset, excess + trip_spread_, x1);
      }
    }
  } else {
    rejections_ = openings_ = 0;
    // scalar Kalman update of offset and skew
    const double k0 = p00_ / s, k1 = p01_ / s;
    x0 += k0 * innovation;
    x1 += k1 * innovation;
    p11_ -= k1 * p01_;
    p01_ -= k0 * p01_;
    p00_ -= k0 * p00_;
  }
  estimate_.offset_deviation = std::sqrt(p00_);
  estimate_.skew_deviation = std::sqrt(p11_);
}

std::int64_t SlewedOffset::follow(const ClockEstimate& e, std::int64_t now) noexcept {
  if (!e.ready) return 0;
  const std::int64_t wanted = e.offset_at(now);
  if (!set_) {
    set_ = true;
    at_ = now;
    base_ = wanted;
    value_ = 0.0;
  }
  const auto dt = static_cast<double>(std::max<std::int64_t>(now - at_, 0));
  at_ = std::max(now, at_);
  value_ += e.skew * dt;
  const double wrong = static_cast<double>(wanted - base_) - value_;
  value_ += std::clamp(wrong, -fastest * dt, fastest * dt);
  return base_ + std::llround(value_);
}

void HullCheck::add(const ClockExchange& e) noexcept {
  if (!e.plausible()) return;
  ring_[count_ % window] = e;
  ++count_;
}

std::optional<HullCheck::Gap> HullCheck::gap() const noexcept {
  const std::size_t n = std::min(count_, window);
  if (n < 16) return {};
  const ClockExchange& oldest = ring_[count_ > window ? count_ % window : 0];
  const ClockExchange& newest = ring_[(count_ - 1) % window];
  Gap g;
  g.at = oldest.t1 + (newest.t4 - oldest.t1) / 2;
  g.base = newest.twice_offset() / 2;

  // the lower convex hull of points in ascending order of t, and the line of its edge over t = 0
  struct Line {
    double y, slope;
  };
  const auto lower = [&](auto point) {
    std::array<Point, window> hull;
    std::size_t m = 0;
    for (std::size_t i = 0; i < n; ++i) {
      const Point p = point(ring_[(count_ - n + i) % window]);
      while (m >= 2 && (hull[m - 1].t - hull[m - 2].t) * (p.y - hull[m - 2].y) <=
                           (hull[m - 1].y - hull[m - 2].y) * (p.t - hull[m - 2].t)) {
        --m;
      }
      hull[m++] = p;
    }
    std::size_t i = 1;
    while (i + 1 < m && hull[i].t < 0.0) ++i;
    const Point &a = hull[i - 1], &b = hull[i];
    const double slope = b.t > a.t ? (b.y - a.y) / (b.t - a.t) : 0.0;
    return Line{a.y - slope * a.t, slope};
  };
  // No packet arrives before it was sent: the offset is above t1 − T2 and below t4 − T3.
  const Line below = lower([&](const ClockExchange& e) {
    return Point{static_cast<double>(e.t1 - g.at), -static_cast<double>(e.t1 - e.T2 - g.base)};
  });
  const Line above = lower([&](const ClockExchange& e) {
    return Point{static_cast<double>(e.t4 - g.at), static_cast<double>(e.t4 - e.T3 - g.base)};
  });
  g.low = -below.y;
  g.high = above.y;
  g.middle = 0.5 * (g.low + g.high);
  g.slope = 0.5 * (above.slope - below.slope);
  return g;
}

bool HullCheck::refutes(const ClockEstimate& e, double margin) const noexcept {
  const auto g = gap();
  if (!g || !e.ready) return false;
  const auto offset = static_cast<double>(e.offset_at(g->at) - g->base);
  return offset < g->low - margin || offset > g->high + margin;
}

}  // namespace vernier::net
