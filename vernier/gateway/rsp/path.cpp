#include "vernier/gateway/rsp/path.hpp"

#include <algorithm>
#include <cmath>

namespace vernier::rsp {
namespace {

// of a halt that is tried
constexpr int samples = 48, most_samples = 4000;
constexpr int attempts = 30;
constexpr double longer = 1.1;

std::optional<Violation> over(Refusal q, std::size_t body, double value, double limit) noexcept {
  if (value <= limit * slack) return {};
  return Violation{q, static_cast<std::uint32_t>(body), value, limit};
}

std::optional<Violation> outside(std::size_t body, const Vector3& p, const Limits& l) noexcept {
  for (int i = 0; i < 3; ++i) {
    // a limit reached exactly may be off by the rounding of what is added to get there
    const double room = 1e-12 * std::max({1.0, std::abs(l.low[i]), std::abs(l.high[i])});
    if (p[i] < l.low[i] - room)
      return Violation{Refusal::position, static_cast<std::uint32_t>(body), p[i], l.low[i]};
    if (p[i] > l.high[i] + room)
      return Violation{Refusal::position, static_cast<std::uint32_t>(body), p[i], l.high[i]};
  }
  return {};
}

}  // namespace

std::optional<Violation> Watch::check(States before, States now, bool first) const noexcept {
  for (std::size_t i = 0; i < now.size(); ++i) {
    const Limits& l = limits_[i];
    const Trajectory &b = before[i], &s = now[i];
    if (positions_) {
      if (auto v = outside(i, s.p, l)) return v;
    }
    if (auto v = over(Refusal::speed, i, s.v.norm(), l.speed)) return v;
    if (auto v = over(Refusal::acceleration, i, s.a.norm(), l.acceleration)) return v;
    if (auto v = over(Refusal::rate, i, s.omega.norm(), l.rate)) return v;
    if (auto v = over(Refusal::angular_acceleration, i, s.alpha.norm(), l.angular_acceleration))
      return v;
    if (first) continue;
    if (auto v = over(Refusal::acceleration, i, (s.v - b.v).norm() / dt_, l.acceleration)) return v;
    if (auto v = over(Refusal::angular_acceleration, i, (s.omega - b.omega).norm() / dt_,
                      l.angular_acceleration))
      return v;
    if (!smooth_) continue;
    if (auto v = over(Refusal::jerk, i, (s.a - b.a).norm() / dt_, l.jerk)) return v;
    if (auto v = over(Refusal::angular_jerk, i, (s.alpha - b.alpha).norm() / dt_, l.angular_jerk))
      return v;
  }
  return {};
}

void Path::rest(States at) noexcept {
  h_ = 0.0;
  for (std::size_t i = 0; i < bodies_.size(); ++i) {
    Trajectory still;
    still.p = at[i].p;
    still.q = at[i].q;
    bodies_[i].tail = spatial::Fading(still, 1.0);
  }
}

void Path::join(States from, States to, double h, Curve curve, double fade,
                std::span<const Limits> limits) noexcept {
  h_ = h;
  for (std::size_t i = 0; i < bodies_.size(); ++i) {
    Body& b = bodies_[i];
    b.segment = spatial::Segment(from[i], to[i], h, curve);
    Trajectory end = to[i];
    // what the curve has at its end, which for a cubic is not what was sent
    const Trajectory curved = b.segment.at(h);
    end.a = curved.a;
    end.alpha = curved.alpha;
    const Limits& l = limits[i];
    b.tail = spatial::Fading(
        end, std::max({fade, end.a.norm() / l.jerk, end.alpha.norm() / l.angular_jerk}));
  }
}

void Path::at(double t, std::span<Trajectory> to) const noexcept {
  for (std::size_t i = 0; i < bodies_.size(); ++i) {
    to[i] = h_ > 0.0 && t < h_ ? bodies_[i].segment.at(t) : bodies_[i].tail.at(t - h_);
  }
}

void Halt::at(const Path& path, double t, std::span<Trajectory> to) const noexcept {
  const auto s = slow.at(t);
  path.at(begin + s.path, to);
  for (Trajectory& body : to) body = spatial::SlowDown::slowed(body, s);
}

Halting::Halting(std::span<const Limits> limits, double shortest)
    : limits_(limits), shortest_(shortest), before_(limits.size()), now_(limits.size()) {}

std::optional<Violation> Halting::first_violation(const Path& path, const Halt& halt, bool smooth,
                                                  double dt, bool positions) noexcept {
  const int n = dt > 0.0 ? static_cast<int>(std::ceil(halt.slow.duration / dt)) : samples;
  if (!(dt > 0.0) || n > most_samples) dt = halt.slow.duration / std::min(n, most_samples);
  const Watch watch(limits_, dt, smooth, positions);
  path.at(halt.begin, before_);
  for (int k = 1; k <= std::min(n, most_samples); ++k) {
    halt.at(path, k * dt, now_);
    if (const auto v = watch.check(before_, now_, false)) return v;
    std::swap(before_, now_);
  }
  return {};
}

std::optional<Violation> Halting::find(const Path& path, double t, bool smooth, double dt,
                                       Halt& found) noexcept {
  path.at(t, now_);
  found.begin = t;
  double least = shortest_;
  for (std::size_t i = 0; i < now_.size(); ++i) {
    const Limits& l = limits_[i];
    least = std::max({least, spatial::SlowDown::shortest(now_[i].v.norm(), l.acceleration, l.jerk),
                      spatial::SlowDown::shortest(now_[i].omega.norm(), l.angular_acceleration,
                                                  l.angular_jerk)});
  }
  std::optional<Violation> first;
  double tried = least;
  for (int k = 0; k < attempts; ++k, tried *= longer) {
    found.slow.duration = tried;
    const auto v = first_violation(path, found, smooth, dt, true);
    if (!v) return {};
    if (!first) first = v;
    // a longer halt goes farther: if this one is gentle enough there is none
    if (v->quantity == Refusal::position && !first_violation(path, found, smooth, dt, false)) {
      return v;
    }
  }
  found.slow.duration = least;
  return first;
}

}  // namespace vernier::rsp
