#include "vernier/base/text.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace vernier {
namespace {

constexpr std::string_view blanks = " \t\r\n\f\v";

char lower(char c) noexcept { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

// from_chars accepts no leading plus sign
std::string_view without_plus(std::string_view s) noexcept {
  if (s.size() > 1 && s[0] == '+' && s[1] != '-' && s[1] != '+') s.remove_prefix(1);
  return s;
}

}  // namespace

std::string_view trimmed(std::string_view s) noexcept {
  const auto first = s.find_first_not_of(blanks);
  if (first == s.npos) return {};
  return s.substr(first, s.find_last_not_of(blanks) - first + 1);
}

std::vector<std::string_view> words(std::string_view s) {
  std::vector<std::string_view> found;
  for (std::size_t at = 0;;) {
    at = s.find_first_not_of(blanks, at);
    if (at == s.npos) return found;
    const auto end = std::min(s.find_first_of(blanks, at), s.size());
    found.push_back(s.substr(at, end - at));
    at = end;
  }
}

std::vector<std::string_view> split(std::string_view s, char separator) {
  std::vector<std::string_view> parts;
  for (;;) {
    const auto end = s.find(separator);
    parts.push_back(s.substr(0, end));
    if (end == s.npos) return parts;
    s.remove_prefix(end + 1);
  }
}

std::string joined(const std::vector<std::string>& parts, std::string_view separator) {
  std::string all;
  for (const auto& part : parts) {
    if (&part != &parts.front()) all += separator;
    all += part;
  }
  return all;
}

std::optional<double> parsed_real(std::string_view s) noexcept {
  s = without_plus(s);
  double value = 0.0;
  const auto [end, error] = std::from_chars(s.data(), s.data() + s.size(), value);
  if (error != std::errc{} || end != s.data() + s.size() || !std::isfinite(value)) return {};
  return value;
}

std::optional<long long> parsed_integer(std::string_view s) noexcept {
  s = without_plus(s);
  long long value = 0;
  const auto [end, error] = std::from_chars(s.data(), s.data() + s.size(), value);
  if (error != std::errc{} || end != s.data() + s.size()) return {};
  return value;
}

std::optional<std::string> without_decimal_commas(std::string_view text) {
  std::string better(text);
  const auto digit = [&](std::size_t i) { return better[i] >= '0' && better[i] <= '9'; };
  bool any = false;
  for (std::size_t i = 1; i + 1 < better.size(); ++i) {
    if (better[i] != ',' || !digit(i - 1) || !digit(i + 1)) continue;
    better[i] = '.';
    any = true;
  }
  if (!any) return {};
  return better;
}

std::string exact(double value) {
  std::array<char, 32> text;
  const auto [end, error] = std::to_chars(text.data(), text.data() + text.size(), value);
  return {text.data(), end};
}

double edit_distance(std::string_view a, std::string_view b) {
  std::vector<double> before(b.size() + 1), last(b.size() + 1), now(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) last[j] = static_cast<double>(j);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    now[0] = static_cast<double>(i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const char x = a[i - 1], y = b[j - 1];
      const double change = x == y ? 0.0 : lower(x) == lower(y) ? 0.5 : 1.0;
      now[j] = std::min({last[j] + 1.0, now[j - 1] + 1.0, last[j - 1] + change});
      if (i > 1 && j > 1 && x == b[j - 2] && a[i - 2] == y) {
        now[j] = std::min(now[j], before[j - 2] + 1.0);
      }
    }
    before.swap(last);
    last.swap(now);
  }
  return last[b.size()];
}

std::optional<std::string> closest(std::string_view word,
                                   const std::vector<std::string>& candidates) {
  // up to a third of the word may differ, but never so much that any short word matches
  const double most = std::max(1.0, std::floor(static_cast<double>(word.size()) / 3.0));
  const std::string* best = nullptr;
  double least = most + 0.25;
  for (const auto& candidate : candidates) {
    const double size = static_cast<double>(candidate.size());
    if (std::abs(size - static_cast<double>(word.size())) > most) continue;
    const double distance = edit_distance(word, candidate);
    if (distance < least && distance < size) {
      least = distance;
      best = &candidate;
    }
  }
  if (!best) return {};
  return *best;
}

bool matches(std::string_view pattern, std::string_view name) noexcept {
  std::size_t p = 0, n = 0, star = pattern.npos, resume = 0;
  while (n < name.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      resume = n;
    } else if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == name[n])) {
      ++p, ++n;
    } else if (star != pattern.npos) {
      p = star + 1;
      n = ++resume;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

std::string escaped(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

std::size_t width(std::string_view utf8) noexcept {
  return static_cast<std::size_t>(std::count_if(utf8.begin(), utf8.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  }));
}

}  // namespace vernier
