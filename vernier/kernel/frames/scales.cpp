#include "vernier/kernel/frames/scales.hpp"

#include <erfa.h>

#include <array>
#include <cmath>

namespace vernier::frames {
namespace {

__extension__ using Wide = __int128;

constexpr Seconds tt_ahead = exact_seconds(32, 184, 1000);
constexpr std::int64_t gps_behind = 19;

struct LeapEntry {
  std::int64_t utc = 0;  // from here on, in the calendar of UTC
  int ahead = 10;
};
struct LeapTable {
  std::array<LeapEntry, 64> entries;
  std::size_t count = 0;
};

LeapTable read_leap_table() noexcept {
  LeapTable t;
  for (int month = 1972 * 12; month < 2100 * 12 && t.count < t.entries.size(); ++month) {
    double ahead = 0.0;
    if (eraDat(month / 12, month % 12 + 1, 1, 0.0, &ahead) < 0) break;
    const int whole = static_cast<int>(std::lround(ahead));
    if (t.count > 0 && t.entries[t.count - 1].ahead == whole) continue;
    const auto m = std::chrono::month(static_cast<unsigned>(month % 12 + 1));
    t.entries[t.count++] = {midnight(std::chrono::year(month / 12) / m / 1), whole};
  }
  return t;
}

const LeapTable& leap_table() noexcept {
  static const LeapTable table = read_leap_table();
  return table;
}

Leap leap_at_tai(std::int64_t tai) noexcept {
  const LeapTable& t = leap_table();
  for (std::size_t i = t.count; i-- > 1;) {
    const LeapEntry& e = t.entries[i];
    if (tai >= e.utc + e.ahead) return {e.ahead, false};
    const int before = t.entries[i - 1].ahead;
    if (tai >= e.utc + before) return {before, true};
  }
  return {t.entries[0].ahead, false};
}

int leap_at_utc(std::int64_t utc) noexcept {
  const LeapTable& t = leap_table();
  for (std::size_t i = t.count; i-- > 1;) {
    if (utc >= t.entries[i].utc) return t.entries[i].ahead;
  }
  return t.entries[0].ahead;
}

// L_G = 6969290134 / 1e19. TCG began with TAI at 1977-01-01 00:00:00 TAI.
constexpr Wide lg = 6969290134;
constexpr Wide lg_unit = Wide(10'000'000'000) * 1'000'000'000;
constexpr std::int64_t tcg_begin = -8400 * day_seconds - day_seconds / 2;

// a n / d for 0 < n < d < 2^64, rounded to nearest; a n itself would overflow.
Wide scaled(Wide a, Wide n, Wide d) noexcept {
  Wide q = a / d, r = a % d;
  if (r < 0) {
    r += d;
    --q;
  }
  return q * n + (2 * r * n + d) / (2 * d);
}

Wide attoseconds(const Seconds& s) noexcept {
  return Wide(s.whole) * attoseconds_per_second + s.attoseconds;
}
Seconds from_attoseconds(Wide a) noexcept {
  Wide whole = a / attoseconds_per_second, rest = a % attoseconds_per_second;
  if (rest < 0) {
    rest += attoseconds_per_second;
    --whole;
  }
  return {static_cast<std::int64_t>(whole), static_cast<std::int64_t>(rest)};
}

Seconds tdb_minus_tt(const Epoch& e) noexcept {
  const JulianDate tt = terrestrial_time(e);
  return exact_seconds(eraDtdb(tt.whole, tt.part, 0.0, 0.0, 0.0, 0.0));
}

constexpr double most_microseconds = 9007199254740992.0;  // 2^53

std::optional<std::int64_t> microseconds(double seconds) noexcept {
  const double us = seconds * 1e6;
  if (!(std::fabs(us) <= most_microseconds)) return {};
  return static_cast<std::int64_t>(std::llround(us));
}

}  // namespace

Leap leap_at(const Epoch& e) noexcept { return leap_at_tai(e.tai.whole); }

Reading reading(const Epoch& e, Scale scale, double dut1) noexcept {
  switch (scale) {
    case Scale::tai:
      return {e.tai};
    case Scale::tt:
      return {e.tai + tt_ahead};
    case Scale::gps:
      return {e.tai - Seconds{gps_behind, 0}};
    case Scale::utc: {
      const Leap l = leap_at(e);
      return {e.tai - Seconds{l.ahead + (l.inside ? 1 : 0), 0}, l.inside};
    }
    case Scale::ut1:
      return {e.tai - Seconds{leap_at(e).ahead, 0} + exact_seconds(dut1)};
    case Scale::tcg: {
      const Seconds offset =
          from_attoseconds(scaled(attoseconds(e.tai - Seconds{tcg_begin, 0}), lg, lg_unit - lg));
      return {e.tai + tt_ahead + offset};
    }
    case Scale::tdb:
      return {e.tai + tt_ahead + tdb_minus_tt(e)};
  }
  return {};
}

Epoch instant(const Reading& r, Scale scale, double dut1) noexcept {
  const Seconds count = r.count + Seconds{r.leap ? 1 : 0, 0};
  switch (scale) {
    case Scale::tai:
      return {count};
    case Scale::tt:
      return {count - tt_ahead};
    case Scale::gps:
      return {count + Seconds{gps_behind, 0}};
    case Scale::utc:
      // The inserted second has the same number of leap seconds as the one before it.
      return {count + Seconds{leap_at_utc(r.count.whole), 0}};
    case Scale::ut1: {
      const Seconds utc = count - exact_seconds(dut1);
      return {utc + Seconds{leap_at_utc(utc.whole), 0}};
    }
    case Scale::tcg: {
      const Seconds tai = count - tt_ahead;
      return {tai -
              from_attoseconds(scaled(attoseconds(tai - Seconds{tcg_begin, 0}), lg, lg_unit))};
    }
    case Scale::tdb: {
      // The difference changes by 3e-10 s/s, so two iterations leave an error of 1e-21 s.
      Epoch e{count - tt_ahead};
      for (int i = 0; i < 3; ++i) e.tai = count - tt_ahead - tdb_minus_tt(e);
      return e;
    }
  }
  return {};
}

Seconds since(Origin o, const Reading& r) noexcept {
  return r.count + Seconds{(r.leap ? 1 : 0) - seconds_of(o), 0};
}

Reading reading_since(Origin o, const Seconds& s) noexcept {
  return {s + Seconds{seconds_of(o), 0}};
}

std::chrono::year_month_day date_of(const Reading& r) noexcept {
  const std::int64_t s = r.count.whole - seconds_of(Origin::unix);
  return std::chrono::floor<std::chrono::days>(std::chrono::sys_seconds(std::chrono::seconds(s)));
}

std::int64_t midnight(std::chrono::year_month_day d) noexcept {
  return std::chrono::sys_days(d).time_since_epoch().count() * day_seconds +
         seconds_of(Origin::unix);
}

double scenario_time(const Epoch& e) noexcept {
  return rounded(since(Origin::tjd, reading(e, Scale::tt)));
}

Epoch scenario_instant(double scenario_time) noexcept {
  constexpr std::int64_t mega = 1'000'000;
  const auto us = microseconds(scenario_time);
  if (!us) return instant(reading_since(Origin::tjd, exact_seconds(scenario_time)), Scale::tt);
  const std::int64_t rest = (*us % mega + mega) % mega;
  return instant(reading_since(Origin::tjd, exact_seconds((*us - rest) / mega, rest, mega)),
                 Scale::tt);
}

std::optional<double> scenario_time(double scenario_epoch, std::int64_t logical_us) noexcept {
  const auto begin = microseconds(scenario_epoch);
  std::int64_t sum = 0;
  if (!begin || __builtin_add_overflow(*begin, logical_us, &sum)) return {};
  if (std::fabs(static_cast<double>(sum)) > most_microseconds) return {};
  return static_cast<double>(sum) / 1e6;
}

std::optional<std::int64_t> logical_time(double scenario_epoch, double scenario_time) noexcept {
  const auto begin = microseconds(scenario_epoch), at = microseconds(scenario_time);
  if (!begin || !at) return {};
  return *at - *begin;
}

}  // namespace vernier::frames
