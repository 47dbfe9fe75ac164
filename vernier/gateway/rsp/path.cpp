#include "vernier/gateway/rsp/path.hpp"

#include <algorithm>
#include <cmath>

namespace vernier::rsp {
namespace {

// of a trial halt
constexpr int samples = 48, most_samples = 400;
constexpr int attempts = 24, close_attempts = 6;
constexpr double longer = 1.15, slightly_longer = 1.05;

/// Keeps the worst.
struct Worst {
  std::optional<Violation> found;

  void limit(Refusal q, std::size_t body, double value, double limit) noexcept {
    const double ratio = value / limit;
    if (ratio <= slack || (found && ratio <= found->ratio)) return;
    found = Violation{q, static_cast<std::uint32_t>(body), value, limit, ratio};
  }
  void inside(std::size_t body, double x, double low, double high) noexcept {
    // a limit reached exactly may be exceeded by rounding
    const double room = 1e-12 * std::max({1.0, std::abs(low), std::abs(high)});
    const double excess = std::max(low - x, x - high);
    const double ratio = 1.0 + excess / 0.01;
    if (excess <= room || (found && ratio <= found->ratio)) return;
    found = Violation{Refusal::position, static_cast<std::uint32_t>(body), x, x < low ? low : high,
                      ratio};
  }
};

}  // namespace

std::optional<Violation> Watch::check(States before, States now, bool first) const noexcept {
  Worst w;
  for (std::size_t i = 0; i < now.size(); ++i) {
    const Limits& l = limits_[i];
    const Trajectory &b = before[i], &s = now[i];
    for (int k = 0; k < 3; ++k) w.inside(i, s.p[k], l.low[k], l.high[k]);
    const double a_most = share_ * l.acceleration, alpha_most = share_ * l.angular_acceleration;
    w.limit(Refusal::speed, i, s.v.norm(), share_ * l.speed);
    w.limit(Refusal::acceleration, i, s.a.norm(), a_most);
    w.limit(Refusal::rate, i, s.omega.norm(), share_ * l.rate);
    w.limit(Refusal::angular_acceleration, i, s.alpha.norm(), alpha_most);
    if (first) continue;
    w.limit(Refusal::acceleration, i, (s.v - b.v).norm() / dt_, a_most);
    w.limit(Refusal::angular_acceleration, i, (s.omega - b.omega).norm() / dt_, alpha_most);
    if (!smooth_) continue;
    w.limit(Refusal::jerk, i, (s.a - b.a).norm() / dt_, share_ * l.jerk);
    w.limit(Refusal::angular_jerk, i, (s.alpha - b.alpha).norm() / dt_, share_ * l.angular_jerk);
  }
  return w.found;
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
    // the derivatives at the curve's end, which for a cubic differ from the command's
    const Trajectory curved = b.segment.at(h);
    end.a = curved.a;
    end.alpha = curved.alpha;
    const Limits& l = limits[i];
    // half of the jerk limit is reserved for a halt
    b.tail = spatial::Fading(end, std::max({fade, 2.0 * end.a.norm() / l.jerk,
                                            2.0 * end.alpha.norm() / l.angular_jerk}));
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

std::optional<Violation> Halting::worst(const Path& path, const Halt& halt, bool smooth, double dt,
                                        double share, double enough) noexcept {
  const int wanted = dt > 0.0 ? static_cast<int>(std::ceil(halt.slow.duration / dt)) : samples;
  const int n = std::min(wanted, most_samples);
  if (!(dt > 0.0) || n < wanted) dt = halt.slow.duration / n;
  const Watch watch(limits_, dt, smooth, share);
  path.at(halt.begin, before_);
  std::optional<Violation> found;
  for (int k = 1; k <= n; ++k) {
    halt.at(path, k * dt, now_);
    const auto v = watch.check(before_, now_, false);
    if (v && (!found || v->ratio > found->ratio)) found = v;
    if (found && found->ratio >= enough) break;
    std::swap(before_, now_);
  }
  return found;
}

std::optional<Violation> Halting::find(const Path& path, double t, bool smooth, double dt,
                                       double share, Halt& found) noexcept {
  path.at(t, now_);
  double tried = shortest_;
  for (std::size_t i = 0; i < now_.size(); ++i) {
    const Limits& l = limits_[i];
    tried = std::max({tried, spatial::SlowDown::shortest(now_[i].v.norm(), l.acceleration, l.jerk),
                      spatial::SlowDown::shortest(now_[i].omega.norm(), l.angular_acceleration,
                                                  l.angular_jerk)});
  }
  std::optional<Violation> best;
  const auto attempt = [&](double interval, double allowed) {
    const Halt halt{t, {tried}};
    const auto v = worst(path, halt, smooth, interval, allowed, best ? best->ratio : 1e300);
    if (v && best && v->ratio >= best->ratio) return false;
    found = halt;
    best = v;
    return !v;
  };
  // first coarsely, at a tenth of the cost; then finely from there
  bool good = false;
  for (int k = 0; k < attempts && !good; ++k) {
    good = attempt(0.0, share);
    if (!good) tried *= longer;
  }
  for (int k = 0; k < close_attempts && good && dt > 0.0; ++k, tried *= slightly_longer) {
    if (attempt(dt, share)) break;
  }
  return best;
}

}  // namespace vernier::rsp
