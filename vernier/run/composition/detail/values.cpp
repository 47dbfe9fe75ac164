#include "vernier/run/composition/detail/values.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <utility>

#include "vernier/base/text.hpp"
#include "vernier/base/units.hpp"

namespace vernier::composition::detail {
namespace {

__extension__ typedef __int128 Wide;

/// numerator / denominator, both below 10^36.
struct Ratio {
  Wide numerator = 0, denominator = 1;
};

constexpr Wide most = Wide(1'000'000'000'000'000'000) * 1'000'000'000'000'000'000;

bool is_digit(char c) noexcept { return c >= '0' && c <= '9'; }

/// Parses an unsigned decimal number at the beginning of `text` exactly, and removes it.
std::optional<Ratio> take_decimal(std::string_view& text) {
  Ratio r;
  std::size_t i = 0;
  int digits = 0, places = 0;
  bool point = false;
  for (; i < text.size() && (is_digit(text[i]) || (text[i] == '.' && !point)); ++i) {
    if (text[i] == '.') {
      point = true;
      continue;
    }
    if (++digits > 30) return {};
    r.numerator = r.numerator * 10 + (text[i] - '0');
    places += point;
  }
  if (digits == 0) return {};
  int exponent = 0;
  // an e belongs to the number only if digits follow
  if (i < text.size() && (text[i] == 'e' || text[i] == 'E')) {
    std::size_t j = i + 1;
    const bool negative = j < text.size() && text[j] == '-';
    if (j < text.size() && (text[j] == '-' || text[j] == '+')) ++j;
    if (j < text.size() && is_digit(text[j])) {
      for (; j < text.size() && is_digit(text[j]); ++j) {
        exponent = exponent * 10 + (text[j] - '0');
        if (exponent > 30) return {};
      }
      if (negative) exponent = -exponent;
      i = j;
    }
  }
  exponent -= places;
  for (; exponent < 0; ++exponent) {
    if (r.denominator > most / 10) return {};
    r.denominator *= 10;
  }
  for (; exponent > 0; --exponent) {
    if (r.numerator > most / 10) return {};
    r.numerator *= 10;
  }
  text.remove_prefix(i);
  return r;
}

Wide gcd(Wide a, Wide b) {
  while (b != 0) a = std::exchange(b, a % b);
  return a;
}

/// Nanoseconds per unit of time; zero: not a unit of time.
std::int64_t nanoseconds_of(std::string_view unit) {
  static constexpr std::array<std::pair<std::string_view, std::int64_t>, 9> units{
      {{"s", 1'000'000'000},
       {"ms", 1'000'000},
       {"us", 1'000},
       {"µs", 1'000},
       {"ns", 1},
       {"min", 60'000'000'000},
       {"h", 3'600'000'000'000},
       {"d", 86'400'000'000'000},
       {"", 1'000'000'000}}};
  for (const auto& [name, size] : units) {
    if (name == unit) return size;
  }
  return 0;
}

/// The same, or a fraction of two such numbers: "1/330".
std::optional<Ratio> take_number(std::string_view& text) {
  const auto r = take_decimal(text);
  if (!r || !text.starts_with('/')) return r;
  text.remove_prefix(1);
  const auto divisor = take_decimal(text);
  if (!divisor || divisor->numerator == 0 || r->numerator > most / divisor->denominator ||
      r->denominator > most / divisor->numerator)
    return {};
  return Ratio{r->numerator * divisor->denominator, r->denominator * divisor->numerator};
}

/// A time in units of 1 ns, as a ratio.
std::optional<Ratio> time_ratio(std::string_view text) {
  text = trimmed(text);
  auto r = take_number(text);
  if (!r) return {};
  const std::int64_t unit = nanoseconds_of(trimmed(text));
  if (unit == 0 || r->numerator > most / unit) return {};
  r->numerator *= unit;
  return r;
}

/// times / seconds in lowest terms, if it is a valid rate.
std::optional<Rate> as_rate(Wide times, Wide seconds) {
  if (times <= 0 || seconds <= 0) return {};
  const Wide common = gcd(times, seconds);
  times /= common;
  seconds /= common;
  // tick() computes times * seconds * 1e9 in 64 bits
  if (times > Wide(1'000'000'000) * seconds || times > Wide(9'000'000'000) / seconds) return {};
  return Rate{static_cast<std::int64_t>(times), static_cast<std::int64_t>(seconds)};
}

/// To the nearest nanosecond.
std::optional<Duration> rounded(const Ratio& nanoseconds) {
  const Wide whole =
      (nanoseconds.numerator + nanoseconds.denominator / 2) / nanoseconds.denominator;
  if (whole > Wide(9'100'000'000'000'000'000)) return {};
  return Duration(static_cast<std::int64_t>(whole));
}

std::optional<std::uint32_t> parsed_index(std::string_view text) {
  const auto n = parsed_integer(trimmed(text));
  if (!n || *n < 0 || *n >= UINT32_MAX) return {};
  return static_cast<std::uint32_t>(*n);
}

}  // namespace

std::optional<Duration> parsed_duration(std::string_view text) {
  const auto r = time_ratio(text);
  if (!r) return {};
  if (text.find('/') != std::string_view::npos && r->numerator % r->denominator != 0) return {};
  return rounded(*r);
}

std::optional<Period> parsed_period(std::string_view text) {
  if (const auto time = parsed_duration(text)) return Period{*time};
  const auto rate = parsed_rate(text);
  if (!rate) return {};
  const Wide period = Wide(rate->seconds) * 1'000'000'000, rest = period % rate->times;
  const auto time = rounded(Ratio{period - rest, rate->times});
  if (!time) return {};
  return rest == 0 ? Period{*time} : Period{*time, *rate};
}

double Period::length() const noexcept {
  return rate.periodic() ? static_cast<double>(rate.seconds) / static_cast<double>(rate.times)
                         : seconds(time);
}

std::optional<Rate> parsed_rate(std::string_view text) {
  text = trimmed(text);
  std::string_view rest = text;
  const auto number = take_number(rest);
  if (!number) return {};
  rest = trimmed(rest);
  if (rest.substr(0, 4) == "per ") {
    const auto span = time_ratio(rest.substr(4));
    if (!span || number->numerator > most / 1'000'000'000 / span->denominator) return {};
    if (span->numerator == 0 || number->denominator > most / span->numerator) return {};
    return as_rate(number->numerator * 1'000'000'000 * span->denominator,
                   number->denominator * span->numerator);
  }
  if (rest == "Hz") return as_rate(number->numerator, number->denominator);
  if (rest == "kHz") return as_rate(number->numerator * 1000, number->denominator);
  // a bare number is ambiguous
  const auto period = rest.empty() ? std::nullopt : time_ratio(text);
  if (!period || period->denominator > most / 1'000'000'000) return {};
  return as_rate(period->denominator * 1'000'000'000, period->numerator);
}

std::optional<Delay> parsed_delay(std::string_view text) {
  const auto parts = words(text);
  if (parts.size() == 2 && (parts[1] == "tick" || parts[1] == "ticks")) {
    const auto n = parsed_integer(parts[0]);
    if (!n || *n < 0 || *n > 1'000'000) return {};
    return Delay{.ticks = static_cast<int>(*n)};
  }
  const auto time = parsed_duration(text);
  if (!time) return {};
  return Delay{.time = *time};
}

std::optional<NumbersText> numbers_text(std::string_view text) {
  if (without_decimal_commas(text)) return {};  // "0,5" may be one number or two
  NumbersText read;
  std::vector<double>& values = read.values;
  std::string_view rest = trimmed(text);
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find_first_of(" \t\r\n,"), rest.size());
    std::string_view word = rest.substr(0, end);
    const auto value = parsed_real(word);
    if (!value) break;
    values.push_back(*value);
    rest.remove_prefix(end);
    rest = trimmed(rest);
    if (!rest.empty() && rest.front() == ',') rest = trimmed(rest.substr(1));
  }
  if (!rest.empty()) {
    // the rest is a unit, or the last number and a unit without a blank: "4.1kg"
    const std::size_t letter = std::min(rest.find_first_not_of("0123456789.+-"), rest.size());
    if (letter > 0) {
      const auto value = parsed_real(rest.substr(0, letter));
      if (!value) return {};
      values.push_back(*value);
      rest = trimmed(rest.substr(letter));
    }
    read.unit = rest;
  }
  if (values.empty()) return {};
  return read;
}

std::optional<std::vector<double>> parsed_numbers(std::string_view text, std::string_view unit,
                                                  std::string_view expected) {
  auto read = numbers_text(text);
  if (!read || !(read->unit.empty() || unit.empty())) return {};
  std::vector<double>& values = read->values;
  double factor = 1.0;
  if (unit.empty()) unit = read->unit;
  if (unit.empty()) unit = expected;
  if (!unit.empty()) {
    const auto u = parsed_unit(unit);
    if (!u) return {};
    if (!expected.empty() && !interchangeable(unit, expected)) return {};
    factor = u->factor;
  }
  for (double& v : values) v *= factor;
  return std::move(values);
}

bool is_name(std::string_view name) noexcept {
  if (name.empty() || name.size() > 200) return false;
  for (std::size_t i = 0; i < name.size(); ++i) {
    const auto c = static_cast<unsigned char>(name[i]);
    const bool letter = c < 128 && (std::isalpha(c) || c == '_');
    if (!letter && (i == 0 || !(is_digit(name[i]) || c == '-'))) return false;
  }
  return true;
}

std::optional<PathText> parsed_path(std::string_view text) {
  text = trimmed(text);
  PathText result;
  const std::size_t bracket = text.find('[');
  result.path = text.substr(0, bracket);
  if (bracket != std::string_view::npos) {
    if (text.back() != ']') return {};
    const std::string_view inside = text.substr(bracket + 1, text.size() - bracket - 2);
    const std::size_t colon = inside.find(':');
    if (colon == std::string_view::npos) {
      const auto index = parsed_index(inside);
      if (!index) return {};
      result.first = *index;
      result.last = *index + 1;
    } else {
      const std::string_view a = trimmed(inside.substr(0, colon));
      const std::string_view b = trimmed(inside.substr(colon + 1));
      if (!a.empty()) {
        const auto first = parsed_index(a);
        if (!first) return {};
        result.first = *first;
      }
      if (!b.empty()) {
        const auto last = parsed_index(b);
        if (!last) return {};
        result.last = *last;
      }
    }
    if (result.first >= result.last) return {};
  }
  for (const std::string_view part : split(result.path, '.')) {
    if (!is_name(part)) return {};
  }
  return result;
}

std::string slice_text(std::uint32_t first, std::uint32_t last) {
  if (last == UINT32_MAX) return first == 0 ? "" : "[" + std::to_string(first) + ":]";
  if (last == first + 1) return "[" + std::to_string(first) + "]";
  return "[" + std::to_string(first) + ":" + std::to_string(last) + "]";
}

}  // namespace vernier::composition::detail
