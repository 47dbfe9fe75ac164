#include "vernier/gateway/link/network_model.hpp"

#include <cmath>
#include <numbers>

namespace vernier::link {
namespace {

double exponential(double mean, Random& r) noexcept { return -mean * std::log(r.uniform()); }

}  // namespace

std::string_view name(Network n) noexcept {
  switch (n) {
    case Network::lan:
      return "lan";
    case Network::app:
      return "app";
    case Network::epos:
      return "epos";
    case Network::wan:
      break;
  }
  return "wan";
}

std::optional<Network> network_named(std::string_view s) noexcept {
  for (const Network n : {Network::lan, Network::app, Network::epos, Network::wan}) {
    if (s == name(n)) return n;
  }
  return {};
}

double drawn_delay(Network n, Random& r) noexcept {
  double d = 0.0, share = 0.0, tail = 0.0;
  switch (n) {
    case Network::lan:
      d = 60e-6 + exponential(15e-6, r);
      share = 0.01, tail = 1e-3;
      break;
    case Network::app:
      d = 100e-6 + exponential(60e-6, r);
      share = 0.05, tail = 2e-3;
      break;
    case Network::epos:
      d = 0.3e-3 + 1.5e-3 * std::exp(0.75 * r.normal());
      share = 0.02, tail = 10e-3;
      break;
    case Network::wan: {
      // gamma distribution of shape 3/2: an exponential plus half the square of a normal deviate
      const double z = r.normal();
      d = 10e-3 + exponential(0.7e-3, r) + 0.35e-3 * z * z;
      share = 0.02, tail = 20e-3;
      break;
    }
  }
  if (r.uniform() < share) d += exponential(tail, r);
  return d;
}

ClockPair::ClockPair(const Settings& s) noexcept
    : settings_(s), random_(s.seed), x_(s.start), frequency_(s.skew) {}

net::ClockExchange ClockPair::next() noexcept {
  const double step = settings_.interval;
  if (began_) {
    now_ += step;
    x_ += frequency_ * step;
  }
  began_ = true;
  frequency_ = settings_.skew;
  if (settings_.wanders) {
    walk_ += 2e-9 * std::sqrt(step) * random_.normal();
    frequency_ += 0.2e-6 * std::sin(2.0 * std::numbers::pi * now_ / 3600.0) + walk_;
  }
  const double out = drawn_delay(settings_.network, random_) + settings_.asymmetry;
  const double back = drawn_delay(settings_.network, random_);
  const double t2 = now_ + out, t3 = t2 + 50e-6, t4 = t3 + back;
  const auto home = [](double t) { return std::llround(t * 1e9); };
  const auto target = [&](double t) { return std::llround((t - true_offset(t)) * 1e9); };
  return {home(now_), target(t2), target(t3), home(t4)};
}

}  // namespace vernier::link
