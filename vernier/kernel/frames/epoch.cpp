#include "vernier/kernel/frames/epoch.hpp"

#include <erfa.h>

#include <cmath>

#include "vernier/base/text.hpp"

namespace vernier::frames {
namespace {

constexpr double seconds_per_day = 86400.0;

// takes `count` digits from the front
std::optional<int> digits(std::string_view& text, int count) {
  int value = 0;
  if (text.size() < static_cast<std::size_t>(count)) return {};
  for (int i = 0; i < count; ++i) {
    const char c = text[static_cast<std::size_t>(i)];
    if (c < '0' || c > '9') return {};
    value = 10 * value + (c - '0');
  }
  text.remove_prefix(static_cast<std::size_t>(count));
  return value;
}

bool take(std::string_view& text, char c) {
  if (text.empty() || text.front() != c) return false;
  text.remove_prefix(1);
  return true;
}

struct Calendar {
  int year = 0, month = 0, day = 0, hour = 0, minute = 0;
  double second = 0.0;
};

std::optional<Calendar> parsed_calendar(std::string_view text) {
  Calendar c;
  const auto year = digits(text, 4);
  if (!year || !take(text, '-')) return {};
  const auto month = digits(text, 2);
  if (!month || !take(text, '-')) return {};
  const auto day = digits(text, 2);
  if (!day) return {};
  c.year = *year;
  c.month = *month;
  c.day = *day;
  if (take(text, 'T') || take(text, ' ')) {
    const auto hour = digits(text, 2);
    if (!hour || !take(text, ':')) return {};
    const auto minute = digits(text, 2);
    if (!minute) return {};
    c.hour = *hour;
    c.minute = *minute;
    if (take(text, ':')) {
      const auto whole = digits(text, 2);
      if (!whole) return {};
      c.second = *whole;
      if (take(text, '.')) {
        double weight = 0.1;
        if (text.empty() || text.front() < '0' || text.front() > '9') return {};
        while (!text.empty() && text.front() >= '0' && text.front() <= '9') {
          c.second += weight * (text.front() - '0');
          weight *= 0.1;
          text.remove_prefix(1);
        }
      }
    }
  }
  take(text, 'Z');
  if (!text.empty() || c.year < 1972 || c.year > 2199) return {};
  return c;
}

// the UTC quasi-Julian date; ERFA answers a failure only for dates before 1960
JulianDate coordinated(const Epoch& e) noexcept {
  JulianDate utc{};
  eraTaiutc(e.day, e.seconds / seconds_per_day, &utc.whole, &utc.part);
  return utc;
}

}  // namespace

std::optional<Epoch> parsed_epoch(std::string_view text) {
  const auto c = parsed_calendar(trimmed(text));
  if (!c) return {};
  JulianDate midnight{}, utc{}, tai{};
  // 1: a year whose leap seconds nobody can know; more: a second that does not exist
  const int status = eraDtf2d("UTC", c->year, c->month, c->day, c->hour, c->minute, c->second,
                              &utc.whole, &utc.part);
  if (status < 0 || status > 1) return {};
  if (eraDtf2d("UTC", c->year, c->month, c->day, 0, 0, 0.0, &midnight.whole, &midnight.part) < 0 ||
      eraUtctai(midnight.whole, midnight.part, &tai.whole, &tai.part) < 0) {
    return {};
  }
  // counted from midnight, so that the seconds keep their digits
  const double day = std::floor(midnight.whole + midnight.part) + 0.5;
  const double ahead = std::round(((tai.whole - day) + tai.part) * seconds_per_day);
  return Epoch{day, ahead + c->hour * 3600.0 + c->minute * 60.0 + c->second};
}

Epoch shifted(const Epoch& e, double seconds) noexcept {
  const double total = e.seconds + seconds;
  const double days = std::floor(total / seconds_per_day);
  return {e.day + days, total - days * seconds_per_day};
}

JulianDate terrestrial_time(const Epoch& e) noexcept {
  return {e.day, (e.seconds + 32.184) / seconds_per_day};
}

double leap_seconds(const Epoch& e) noexcept {
  const JulianDate utc = coordinated(e);
  int year = 0, month = 0, day = 0;
  double fraction = 0.0, ahead = 0.0;
  eraJd2cal(utc.whole, utc.part, &year, &month, &day, &fraction);
  eraDat(year, month, day, fraction, &ahead);
  return ahead;
}

JulianDate universal_time(const Epoch& e, double dut1) noexcept {
  return {e.day, (e.seconds - leap_seconds(e) + dut1) / seconds_per_day};
}

double decimal_year(const Epoch& e) noexcept {
  const JulianDate utc = coordinated(e);
  int year = 0, month = 0, day = 0;
  double fraction = 0.0, zero = 0.0, begin = 0.0, end = 0.0;
  eraJd2cal(utc.whole, utc.part, &year, &month, &day, &fraction);
  eraCal2jd(year, 1, 1, &zero, &begin);
  eraCal2jd(year + 1, 1, 1, &zero, &end);
  return year + ((utc.whole - zero) - begin + utc.part) / (end - begin);
}

}  // namespace vernier::frames
