#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "vernier/base/random.hpp"
#include "vernier/net/clock_filter.hpp"

/// Models of networks and clocks, for tests, benchmarks and the relay that impairs a link.
namespace vernier::link {

/// lan: kernel time stamps over a quiet switch. app: time stamps in the threads of a loaded
/// machine. epos: the EPOS laboratory, mean 2.5 ms with a tail of 10 ms. wan: 10 ms away.
enum class Network : std::uint8_t { lan, app, epos, wan };
std::optional<Network> network_named(std::string_view) noexcept;
std::string_view name(Network) noexcept;

/// The one-way delay of one packet, in s.
double drawn_delay(Network, Random&) noexcept;

/// Exchanges between two clocks that drift apart: with the given skew and, if they wander, a
/// thermal cycle of 0.2 ppm per hour and a random walk of the frequency of 2e-9/√s.
class ClockPair {
 public:
  struct Settings {
    Network network = Network::epos;
    double skew = 10e-6;  // of the target's clock relative to home's, s/s
    bool wanders = true;
    double asymmetry = 0.0;  // s, added to the outbound path
    double start = 0.123;    // s, initial lead of the target's clock
    double interval = 0.1;   // s between exchanges
    std::uint64_t seed = 1;
  };
  explicit ClockPair(const Settings&) noexcept;

  /// The next exchange; true time advances by the interval.
  net::ClockExchange next() noexcept;
  /// Home's time of the last exchange's request, s.
  double now() const noexcept { return now_; }
  /// The true value of home minus target at home time t near now, in s.
  double true_offset(double t) const noexcept { return -(x_ + frequency_ * (t - now_)); }
  /// Steps the target's clock, or the outbound delay, from now on (s).
  void step_clock(double by) noexcept { x_ += by; }
  void change_path(double more) noexcept { settings_.asymmetry += more; }

 private:
  Settings settings_;
  Random random_;
  double now_ = 0.0, x_, frequency_, walk_ = 0.0;
  bool began_ = false;
};

}  // namespace vernier::link
