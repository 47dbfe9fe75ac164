#include "vernier/kernel/frames/epoch.hpp"

#include <cmath>

#include "vernier/kernel/frames/scales.hpp"

namespace vernier::frames {
namespace {

constexpr double seconds_per_day = 86400.0;
constexpr double midnight_2000 = 2451544.5;  // JD; half a day before the origin of seconds

struct DayAndSeconds {
  double midnight, seconds;
};

DayAndSeconds split(const Seconds& count) noexcept {
  constexpr std::int64_t day = 86400;
  const std::int64_t s = count.whole + day / 2;
  const std::int64_t days = s >= 0 ? s / day : -((day - 1 - s) / day);
  return {midnight_2000 + static_cast<double>(days),
          rounded(Seconds{s - days * day, count.attoseconds})};
}

}  // namespace

Seconds operator+(const Seconds& a, const Seconds& b) noexcept {
  const std::int64_t rest = a.attoseconds + b.attoseconds;  // below 2e18, so it fits
  const bool carry = rest >= attoseconds_per_second;
  return {a.whole + b.whole + (carry ? 1 : 0), carry ? rest - attoseconds_per_second : rest};
}

Seconds operator-(const Seconds& a, const Seconds& b) noexcept {
  const std::int64_t rest = a.attoseconds - b.attoseconds;
  const bool borrow = rest < 0;
  return {a.whole - b.whole - (borrow ? 1 : 0), borrow ? rest + attoseconds_per_second : rest};
}

Seconds exact_seconds(double s) noexcept {
  constexpr double most = 1e12;
  if (std::isnan(s)) return {};
  s = s < -most ? -most : s > most ? most : s;
  const double whole = std::floor(s);
  // The fractional part of a double is exact; its product with 1e18 = 2^18 5^18 is rounded once.
  const auto rest = static_cast<std::int64_t>(std::nearbyint((s - whole) * 1e18));
  return Seconds{static_cast<std::int64_t>(whole), 0} +
         Seconds{rest / attoseconds_per_second, rest % attoseconds_per_second};
}

double rounded(const Seconds& s) noexcept {
  // Computed from the side of zero, so that small numbers keep their digits.
  if (s.whole < 0) {
    const std::int64_t rest = attoseconds_per_second - s.attoseconds;
    return static_cast<double>(s.whole + 1) - static_cast<double>(rest) / 1e18;
  }
  return static_cast<double>(s.whole) + static_cast<double>(s.attoseconds) / 1e18;
}

Epoch shifted(const Epoch& e, const Seconds& s) noexcept { return {e.tai + s}; }

Epoch shifted(const Epoch& e, Duration d) noexcept {
  constexpr std::int64_t giga = 1'000'000'000;
  const std::int64_t n = d.count(), rest = (n % giga + giga) % giga;
  return {e.tai + exact_seconds((n - rest) / giga, rest, giga)};
}

Epoch shifted(const Epoch& e, double seconds) noexcept { return {e.tai + exact_seconds(seconds)}; }

double elapsed(const Epoch& from, const Epoch& to) noexcept { return rounded(to.tai - from.tai); }

JulianDate atomic_time(const Epoch& e) noexcept {
  const DayAndSeconds d = split(e.tai);
  return {d.midnight, d.seconds / seconds_per_day};
}

JulianDate terrestrial_time(const Epoch& e) noexcept {
  const DayAndSeconds d = split(e.tai);
  return {d.midnight, (d.seconds + 32.184) / seconds_per_day};
}

int leap_seconds(const Epoch& e) noexcept { return leap_at(e).ahead; }

JulianDate universal_time(const Epoch& e, double dut1) noexcept {
  const DayAndSeconds d = split(e.tai);
  return {d.midnight, (d.seconds - leap_seconds(e) + dut1) / seconds_per_day};
}

double decimal_year(const Epoch& e) noexcept {
  const Reading utc = reading(e, Scale::utc);
  const std::chrono::year year = date_of(utc).year();
  const std::int64_t begin = midnight(year / 1 / 1),
                     end = midnight((year + std::chrono::years(1)) / 1 / 1);
  const double since = rounded(utc.count - Seconds{begin, 0}) + (utc.leap ? 1.0 : 0.0);
  return static_cast<int>(year) + since / static_cast<double>(end - begin);
}

}  // namespace vernier::frames
