#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "vernier/base/random.hpp"
#include "vernier/gateway/link/clock.hpp"

/// Networks and clocks as models, for tests, benchmarks and the relay that makes a link worse.
namespace vernier::link {

/// lan: stamps of the kernel over a quiet switch. app: stamps in the threads of a loaded machine.
/// epos: the EPOS laboratory, mean 2.5 ms with a tail of 10 ms. wan: 10 ms away.
enum class Network : std::uint8_t { lan, app, epos, wan };
std::optional<Network> network_named(std::string_view) noexcept;
std::string_view name(Network) noexcept;

/// The delay of one packet one way, in s.
double drawn_delay(Network, Random&) noexcept;

/// Exchanges between two clocks that run apart: the skew given, and when they wander a thermal
/// cycle of 0.2 ppm an hour and a random walk of the frequency of 2e-9/√s.
class ClockPair {
 public:
  struct Settings {
    Network network = Network::epos;
    double skew = 10e-6;  // of the target's clock against home's, s/s
    bool wanders = true;
    double asymmetry = 0.0;  // s, more on the way out
    double start = 0.123;    // s, what the target's clock shows more than home's
    double interval = 0.1;   // s between exchanges
    std::uint64_t seed = 1;
  };
  explicit ClockPair(const Settings&) noexcept;

  /// The next exchange; true time goes on by the interval.
  Exchange next() noexcept;
  /// Home's time of the last exchange's request, s.
  double now() const noexcept { return now_; }
  /// What home less target truly is at home time t near now, in s.
  double true_offset(double t) const noexcept { return -(x_ + frequency_ * (t - now_)); }
  /// The target's clock, or the delay out, changes by so much from now on (s).
  void step_clock(double by) noexcept { x_ += by; }
  void change_path(double more) noexcept { settings_.asymmetry += more; }

 private:
  Settings settings_;
  Random random_;
  double now_ = 0.0, x_, frequency_, walk_ = 0.0;
  bool began_ = false;
};

}  // namespace vernier::link
