#include "vernier/gateway/lines/protocol.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstring>

#include "vernier/base/units.hpp"

namespace vernier::lines {
namespace {

constexpr std::array<std::string_view, 14> verbs{
    "HELLO",   "CHANNELS", "INIT", "STEP",    "OUTPUT", "REACT", "DONE",
    "CHANGED", "EVENT",    "SAVE", "RESTORE", "OK",     "ERROR", "BYE"};

constexpr bool blank(char c) noexcept { return c == ' ' || c == '\t'; }
constexpr bool digit(char c) noexcept { return c >= '0' && c <= '9'; }

enum class Reading : std::uint8_t { good, bad, not_finite };

Reading read_real(std::string_view word, double& value) noexcept {
  if (!word.empty() && word.front() == '+') word.remove_prefix(1);
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (end != word.data() + word.size() || word.empty()) return Reading::bad;
  if (error == std::errc::result_out_of_range) {
    // underflow reads as zero, overflow as infinite
    const bool tiny = word.find("e-") != word.npos || word.find("E-") != word.npos;
    if (!tiny) return Reading::not_finite;
    value = word.front() == '-' ? -0.0 : 0.0;
    return Reading::good;
  }
  if (error != std::errc{}) return Reading::bad;
  return std::isfinite(value) ? Reading::good : Reading::not_finite;
}

// a decimal with up to nine places, converted exactly; nothing for any other notation
std::optional<std::int64_t> exact_nanoseconds(std::string_view word) noexcept {
  std::size_t i = 0;
  const bool negative = !word.empty() && word[0] == '-';
  if (negative || (!word.empty() && word[0] == '+')) ++i;
  std::int64_t whole = 0;
  std::size_t digits = 0;
  for (; i < word.size() && digit(word[i]); ++i, ++digits) {
    if (whole > 922'337'203) return {};
    whole = whole * 10 + (word[i] - '0');
  }
  std::int64_t part = 0;
  int places = 0;
  if (i < word.size() && word[i] == '.') {
    for (++i; i < word.size() && digit(word[i]); ++i, ++digits) {
      if (++places > 9) return {};
      part = part * 10 + (word[i] - '0');
    }
  }
  if (digits == 0 || i != word.size() || whole >= 9'223'372'036) return {};
  for (; places < 9; ++places) part *= 10;
  const std::int64_t total = whole * 1'000'000'000 + part;
  return negative ? -total : total;
}

}  // namespace

std::string_view name(Verb v) noexcept { return verbs[static_cast<std::size_t>(v)]; }

std::optional<Line> opened(std::string_view line) noexcept {
  if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
  Words words(line);
  const std::string_view first = words.next();
  for (std::size_t i = 0; i < verbs.size(); ++i) {
    if (first == verbs[i]) return Line{static_cast<Verb>(i), words.rest()};
  }
  return {};
}

std::string_view Words::next() noexcept {
  while (!rest_.empty() && blank(rest_.front())) rest_.remove_prefix(1);
  std::size_t n = 0;
  while (n < rest_.size() && !blank(rest_[n])) ++n;
  const std::string_view word = rest_.substr(0, n);
  rest_.remove_prefix(n);
  return word;
}

std::optional<Time> parsed_time(std::string_view word) noexcept {
  if (const auto exact = exact_nanoseconds(word)) return Time{Duration{*exact}};
  double t = 0.0;
  if (read_real(word, t) != Reading::good || std::abs(t) >= 9.2e9) return {};
  // whole seconds separately, so that only the fraction is rounded
  const double whole = std::floor(t);
  return Time{
      Duration{static_cast<std::int64_t>(whole) * 1'000'000'000 + std::llround((t - whole) * 1e9)}};
}

std::size_t find(std::span<const std::string> labels, std::string_view label) noexcept {
  return static_cast<std::size_t>(std::find(labels.begin(), labels.end(), label) - labels.begin());
}

Moment read_moment(std::string_view rest, std::span<double> values,
                   std::span<const std::string> labels, std::span<std::int64_t> happened) noexcept {
  Moment m;
  Words words(rest);
  m.at = words.next();
  const auto time = parsed_time(m.at);
  if (!time) {
    m.flaw = Flaw::time;
    return m;
  }
  m.time = *time;
  for (double& value : values) {
    m.at = words.next();
    if (m.at.empty() || m.at == "EVENT") {
      m.flaw = Flaw::too_few;
      return m;
    }
    switch (read_real(m.at, value)) {
      case Reading::good:
        break;
      case Reading::bad:
        m.flaw = Flaw::number;
        return m;
      case Reading::not_finite:
        m.flaw = Flaw::not_finite;
        return m;
    }
    ++m.found;
  }
  m.at = words.next();
  if (m.at.empty()) return m;
  if (m.at != "EVENT") {
    // count them all, for the message
    m.flaw = Flaw::too_many;
    while (!m.at.empty() && m.at != "EVENT") ++m.found, m.at = words.next();
    return m;
  }
  int count = 0;
  for (m.at = words.next(); !m.at.empty(); m.at = words.next(), ++count) {
    const std::size_t i = find(labels, m.at);
    if (i == labels.size()) {
      m.flaw = Flaw::label;
      return m;
    }
    ++happened[i];
  }
  if (count == 0) m.flaw = Flaw::label;
  return m;
}

Composer& Composer::clear() noexcept {
  used_ = 0;
  fits_ = true;
  return *this;
}

void Composer::put(std::string_view s) noexcept {
  if (s.empty()) return;
  if (!fits_ || s.size() > text_.size() - used_) {
    fits_ = false;
    return;
  }
  std::memcpy(text_.data() + used_, s.data(), s.size());
  used_ += s.size();
}

void Composer::separate() noexcept {
  if (used_ > 0 && text_[used_ - 1] != '\n') put(" ");
}

Composer& Composer::verb(Verb v) noexcept { return word(name(v)); }

Composer& Composer::word(std::string_view s) noexcept {
  separate();
  put(s);
  return *this;
}

Composer& Composer::time(Time t) noexcept {
  char buffer[32];
  const std::int64_t ns = t.time_since_epoch().count();
  const std::uint64_t size =
      ns < 0 ? 0 - static_cast<std::uint64_t>(ns) : static_cast<std::uint64_t>(ns);
  char* p = buffer;
  if (ns < 0) *p++ = '-';
  p = std::to_chars(p, buffer + sizeof buffer, size / 1'000'000'000).ptr;
  if (std::uint64_t part = size % 1'000'000'000; part != 0) {
    *p++ = '.';
    std::uint64_t place = 100'000'000;
    for (; part != 0; part %= place, place /= 10) *p++ = static_cast<char>('0' + part / place);
  }
  return word({buffer, static_cast<std::size_t>(p - buffer)});
}

Composer& Composer::real(double x) noexcept {
  char buffer[40];
  const auto end =
      std::to_chars(buffer, buffer + sizeof buffer, x, std::chars_format::general, 17).ptr;
  return word({buffer, static_cast<std::size_t>(end - buffer)});
}

Composer& Composer::number(std::uint64_t n) noexcept {
  char buffer[24];
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, n).ptr;
  return word({buffer, static_cast<std::size_t>(end - buffer)});
}

Composer& Composer::end() noexcept {
  put("\n");
  return *this;
}

std::string_view Composer::text() const noexcept {
  return fits_ ? std::string_view{text_.data(), used_} : std::string_view{};
}

std::string_view shown(std::string_view text, std::span<char> out) noexcept {
  const std::size_t n = std::min(text.size(), out.size());
  for (std::size_t i = 0; i < n; ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    out[i] = c < 0x20 || c == 0x7f ? '?' : text[i];
  }
  return {out.data(), n};
}

}  // namespace vernier::lines
