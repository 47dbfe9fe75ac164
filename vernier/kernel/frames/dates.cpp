#include "vernier/kernel/frames/dates.hpp"

#include <array>
#include <cctype>
#include <charconv>
#include <utility>

#include "vernier/base/text.hpp"

namespace vernier::frames {
namespace {

__extension__ using Wide = __int128;

struct ScaleName {
  Scale scale;
  std::string_view name;
};
constexpr std::array<ScaleName, 7> scale_names = {{{Scale::tai, "TAI"},
                                                   {Scale::tt, "TT"},
                                                   {Scale::utc, "UTC"},
                                                   {Scale::ut1, "UT1"},
                                                   {Scale::tdb, "TDB"},
                                                   {Scale::tcg, "TCG"},
                                                   {Scale::gps, "GPS"}}};

bool same_word(std::string_view a, std::string_view b) noexcept {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (std::toupper(static_cast<unsigned char>(a[i])) != b[i]) return false;
  }
  return true;
}

bool is_digit(char c) noexcept { return c >= '0' && c <= '9'; }

// Takes `count` digits from the front.
std::optional<int> digits(std::string_view& text, std::size_t count) {
  int value = 0;
  if (text.size() < count) return {};
  for (std::size_t i = 0; i < count; ++i) {
    if (!is_digit(text[i])) return {};
    value = 10 * value + (text[i] - '0');
  }
  text.remove_prefix(count);
  return value;
}

bool take(std::string_view& text, char c) {
  if (text.empty() || text.front() != c) return false;
  text.remove_prefix(1);
  return true;
}

// The digits after a point, as attoseconds of a second (or 1e-18 of a day); at least one digit.
std::optional<std::int64_t> fraction(std::string_view& text) {
  if (text.empty() || !is_digit(text.front())) return {};
  std::int64_t value = 0, weight = attoseconds_per_second / 10;
  for (; !text.empty() && is_digit(text.front()); text.remove_prefix(1), weight /= 10)
    value += weight * (text.front() - '0');
  return value;
}

struct Written {
  std::chrono::year_month_day date;
  int hour = 0, minute = 0, second = 0;
  std::int64_t attoseconds = 0;
};

// Takes a date and time from the front.
std::optional<Written> take_date(std::string_view& text) {
  const auto year = digits(text, 4);
  if (!year || !take(text, '-')) return {};
  const auto month = digits(text, 2);
  if (!month || !take(text, '-')) return {};
  const auto of_month = digits(text, 2);
  if (!of_month) return {};
  Written w{std::chrono::year(*year) / *month / *of_month};
  if (!w.date.ok()) return {};
  // A space may also precede the name of a scale.
  const bool time =
      !text.empty() && (text[0] == 'T' || text[0] == ' ') && text.size() > 1 && is_digit(text[1]);
  if (!time) return w;
  text.remove_prefix(1);
  const auto hour = digits(text, 2);
  if (!hour || !take(text, ':')) return {};
  const auto minute = digits(text, 2);
  if (!minute) return {};
  w.hour = *hour;
  w.minute = *minute;
  if (take(text, ':')) {
    const auto second = digits(text, 2);
    if (!second) return {};
    w.second = *second;
    if (take(text, '.')) {
      const auto rest = fraction(text);
      if (!rest) return {};
      w.attoseconds = *rest;
    }
  }
  return w;
}

std::optional<Epoch> instant_of(const Written& w, Scale scale, double dut1) {
  const int year = static_cast<int>(w.date.year());
  if (scale == Scale::utc ? year < 1972 || year > 2199 : year < 1600) return {};
  if (w.hour > 23 || w.minute > 59 || w.second > (scale == Scale::utc ? 60 : 59)) return {};
  const bool leap = w.second == 60;
  const Seconds count{midnight(w.date) + w.hour * 3600 + w.minute * 60 + w.second - (leap ? 1 : 0),
                      w.attoseconds};
  const Epoch e = instant({count, leap}, scale, dut1);
  if (leap && !leap_at(e).inside) return {};
  return e;
}

// A decimal number, exactly.
std::optional<Seconds> parsed_decimal(std::string_view text) {
  const bool negative = take(text, '-');
  if (text.empty() || !is_digit(text.front())) return {};
  std::int64_t whole = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), whole);
  if (error != std::errc() || whole > 1'000'000'000'000) return {};
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  Seconds s{whole, 0};
  if (take(text, '.')) {
    const auto rest = fraction(text);
    if (!rest) return {};
    s.attoseconds = *rest;
  }
  if (!text.empty()) return {};
  return negative ? Seconds{} - s : s;
}

// Days with 18 decimals times 86400 are seconds with 18 decimals.
std::optional<Seconds> as_days(const Seconds& d) {
  if (d.whole > 10'000'000 || d.whole < -10'000'000) return {};
  const auto rest = static_cast<Wide>(d.attoseconds) * day_seconds;
  return Seconds{d.whole * day_seconds + static_cast<std::int64_t>(rest / attoseconds_per_second),
                 static_cast<std::int64_t>(rest % attoseconds_per_second)};
}

std::string decimal(std::int64_t whole, std::int64_t rest, int digits) {
  std::string text = std::to_string(whole);
  if (digits <= 0) return text;
  std::string tail = std::to_string(rest);
  tail.insert(0, 18 - tail.size(), '0');
  return text + "." + tail.substr(0, static_cast<std::size_t>(digits > 18 ? 18 : digits));
}

// Integer part and 18 decimals as text, with the sign in front.
std::string signed_decimal(const Seconds& s, int digits) {
  if (s.whole >= 0) return decimal(s.whole, s.attoseconds, digits);
  const Seconds minus = Seconds{} - s;
  return "-" + decimal(minus.whole, minus.attoseconds, digits);
}

}  // namespace

std::optional<Epoch> parsed_epoch(std::string_view utc) {
  utc = trimmed(utc);
  const auto w = take_date(utc);
  take(utc, 'Z');
  if (!w || !utc.empty()) return {};
  return instant_of(*w, Scale::utc, 0.0);
}

std::optional<Epoch> parsed_instant(std::string_view text, double dut1) {
  text = trimmed(text);
  if (const auto e = parsed_epoch(text)) return e;
  std::string_view rest = text;
  if (const auto w = take_date(rest)) {
    const auto scale = parsed_scale(trimmed(rest));
    return scale ? instant_of(*w, *scale, dut1) : std::nullopt;
  }
  std::vector<std::string_view> word = words(text);
  if (word.size() < 2 || word.size() > 3) return {};
  const auto number = parsed_decimal(word[1]);
  if (!number) return {};
  if (same_word(word[0], "GPS")) {
    const auto into = word.size() == 3 ? parsed_decimal(word[2]) : Seconds{};
    if (!into || number->attoseconds != 0 || number->whole < 0 || number->whole > 100'000)
      return {};
    return instant(reading_since(Origin::gps, Seconds{number->whole * 7 * day_seconds, 0} + *into),
                   Scale::gps);
  }
  std::optional<Scale> scale;
  if (word.size() == 3 && !(scale = parsed_scale(word[2]))) return {};
  struct Count {
    std::string_view name;
    Origin origin;
    bool days;
    Scale scale;
  };
  constexpr std::array<Count, 6> counts = {{{"JD", Origin::julian, true, Scale::utc},
                                            {"MJD", Origin::mjd, true, Scale::utc},
                                            {"TJD", Origin::tjd, true, Scale::utc},
                                            {"TJDS", Origin::tjd, false, Scale::tt},
                                            {"J2000", Origin::j2000, false, Scale::tt},
                                            {"UNIX", Origin::unix, false, Scale::utc}}};
  for (const Count& c : counts) {
    if (!same_word(word[0], c.name)) continue;
    const auto seconds = c.days ? as_days(*number) : number;
    if (!seconds) return {};
    return instant(reading_since(c.origin, *seconds), scale.value_or(c.scale), dut1);
  }
  return {};
}

std::string date_text(const Reading& r, int digits) {
  const auto date = date_of(r);
  const std::int64_t of_day = r.count.whole - midnight(date);
  const auto two = [](std::int64_t n) { return (n < 10 ? "0" : "") + std::to_string(n); };
  std::string year = std::to_string(static_cast<int>(date.year()));
  if (year.size() < 4 && year[0] != '-') year.insert(0, 4 - year.size(), '0');
  const std::string second = decimal(of_day % 60 + (r.leap ? 1 : 0), r.count.attoseconds, digits);
  const bool one = second.size() < 2 || second[1] == '.';
  return year + "-" + two(static_cast<unsigned>(date.month())) + "-" +
         two(static_cast<unsigned>(date.day())) + "T" + two(of_day / 3600) + ":" +
         two(of_day / 60 % 60) + ":" + (one ? "0" : "") + second;
}

std::string day_text(const Seconds& s, int digits) {
  const std::int64_t days =
      s.whole >= 0 ? s.whole / day_seconds : -((day_seconds - 1 - s.whole) / day_seconds);
  const auto rest =
      static_cast<Wide>(s.whole - days * day_seconds) * attoseconds_per_second + s.attoseconds;
  return signed_decimal({days, static_cast<std::int64_t>(rest / day_seconds)}, digits);
}

std::string second_text(const Seconds& s, int digits) { return signed_decimal(s, digits); }

std::string_view name_of(Scale s) noexcept { return scale_names[static_cast<std::size_t>(s)].name; }

std::optional<Scale> parsed_scale(std::string_view word) noexcept {
  for (const ScaleName& n : scale_names) {
    if (same_word(word, n.name)) return n.scale;
  }
  return {};
}

}  // namespace vernier::frames
