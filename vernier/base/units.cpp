#include "vernier/base/units.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numbers>

namespace vernier {
namespace {

constexpr std::size_t longest_text = 256;
constexpr int deepest_nesting = 16;
constexpr int largest_power = 99;

using Powers = std::array<std::int8_t, 7>;

// The factor is multiply / divide, so that "km/h" and "mm" round once, at the end.
struct Named {
  constexpr Named(std::string_view n, Powers p, double m = 1.0, double d = 1.0,
                  bool takes_prefixes = true)
      : name(n), power(p), prefixed(takes_prefixes), multiply(m), divide(d) {}

  std::string_view name;
  Powers power;   // m, kg, s, A, K, mol, cd
  bool prefixed;  // takes SI prefixes
  double multiply, divide;
};

constexpr Powers none{};
constexpr Powers length{1}, volume{3}, mass{0, 1}, duration{0, 0, 1}, frequency{0, 0, -1};
constexpr Powers energy{2, 1, -2}, pressure{-1, 1, -2}, charge{0, 0, 1, 1};
constexpr double pi = std::numbers::pi;

constexpr Named units[] = {
    {"1", none, 1, 1, false},
    {"m", length},
    {"g", mass, 1, 1000},
    {"s", duration},
    {"A", {0, 0, 0, 1}},
    {"K", {0, 0, 0, 0, 1}},
    {"mol", {0, 0, 0, 0, 0, 1}},
    {"cd", {0, 0, 0, 0, 0, 0, 1}},
    {"rad", none},
    {"sr", none},
    {"Hz", frequency},
    {"N", {1, 1, -2}},
    {"Pa", pressure},
    {"J", energy},
    {"W", {2, 1, -3}},
    {"C", charge},
    {"V", {2, 1, -3, -1}},
    {"F", {-2, -1, 4, 2}},
    {"Ohm", {2, 1, -3, -2}},
    {"ohm", {2, 1, -3, -2}},
    {"\u03a9", {2, 1, -3, -2}},  // Ω, the letter
    {"\u2126", {2, 1, -3, -2}},  // Ω, the sign
    {"S", {-2, -1, 3, 2}},
    {"Wb", {2, 1, -2, -1}},
    {"T", {0, 1, -2, -1}},
    {"H", {2, 1, -2, -2}},
    {"lm", {0, 0, 0, 0, 0, 0, 1}},
    {"lx", {-2, 0, 0, 0, 0, 0, 1}},
    {"Bq", frequency},
    {"Gy", {2, 0, -2}},
    {"Sv", {2, 0, -2}},
    {"kat", {0, 0, -1, 0, 0, 1}},
    // commonly written together; there is no prefix N, W or A
    {"Nm", energy},
    {"Nms", {2, 1, -1}},
    {"Wh", energy, 3600},
    {"Ah", charge, 3600},
    {"min", duration, 60, 1, false},
    {"h", duration, 3600, 1, false},
    {"d", duration, 86400, 1, false},
    {"deg", none, pi, 180, false},
    {"\u00b0", none, pi, 180, false},  // °
    {"arcmin", none, pi, 10800, false},
    {"arcsec", none, pi, 648000},
    {"rev", none, 2 * pi, 1, false},
    {"rpm", frequency, pi, 30, false},
    {"%", none, 1, 100, false},
    {"ppm", none, 1, 1e6, false},
    {"t", mass, 1000, 1, false},
    {"au", length, 149597870700.0, 1, false},
    {"L", volume, 1, 1000},
    {"l", volume, 1, 1000},
    {"bar", pressure, 1e5},
    {"atm", pressure, 101325, 1, false},
    {"eV", energy, 1.602176634e-19},
    {"gauss", {0, 1, -2, -1}, 1, 1e4},
};

struct Prefix {
  std::string_view name;
  double multiply, divide;
};

constexpr Prefix prefixes[] = {
    {"da", 10, 1},      {"h", 100, 1},  {"k", 1e3, 1},  {"M", 1e6, 1},  {"G", 1e9, 1},
    {"T", 1e12, 1},     {"P", 1e15, 1}, {"E", 1e18, 1}, {"Z", 1e21, 1}, {"Y", 1e24, 1},
    {"d", 1, 10},       {"c", 1, 100},  {"m", 1, 1e3},  {"u", 1, 1e6},  {"\u00b5", 1, 1e6},
    {"\u03bc", 1, 1e6}, {"n", 1, 1e9},  {"p", 1, 1e12}, {"f", 1, 1e15}, {"a", 1, 1e18},
    {"z", 1, 1e21},     {"y", 1, 1e24},
};

const Named* find(std::string_view name, bool prefixed) noexcept {
  for (const Named& u : units) {
    if (u.name == name && (u.prefixed || !prefixed)) return &u;
  }
  return nullptr;
}

// A unit while it is parsed: wide powers, and the factor as numerator and denominator.
struct Reading {
  std::array<int, 7> power{};
  double multiply = 1.0, divide = 1.0;
};

std::optional<Reading> named(std::string_view name) noexcept {
  Reading r;
  const Named* u = find(name, false);
  // try the whole name first: min is a minute, cd a candela
  for (std::size_t i = 0; u == nullptr && i < std::size(prefixes); ++i) {
    const Prefix& p = prefixes[i];
    if (!name.starts_with(p.name)) continue;
    u = find(name.substr(p.name.size()), true);
    if (u != nullptr) r.multiply = p.multiply, r.divide = p.divide;
  }
  if (u == nullptr) return {};
  std::copy(u->power.begin(), u->power.end(), r.power.begin());
  // kg: the prefix and the gram's factor cancel exactly
  r.multiply *= u->multiply;
  r.divide *= u->divide;
  return r;
}

class Reader {
 public:
  explicit Reader(std::string_view text) noexcept : rest_(text) {}

  std::optional<Unit> whole() noexcept {
    const auto r = product(0);
    skip_blanks();
    if (!r || !rest_.empty()) return {};
    Unit u{{}, r->multiply / r->divide};
    if (!std::isfinite(u.factor) || u.factor <= 0.0) return {};
    for (std::size_t i = 0; i < 7; ++i) u.power[i] = static_cast<std::int8_t>(r->power[i]);
    return u;
  }

 private:
  void skip_blanks() noexcept {
    while (!rest_.empty() && (rest_[0] == ' ' || rest_[0] == '\t')) rest_.remove_prefix(1);
  }
  bool take(std::string_view word) noexcept {
    if (!rest_.starts_with(word)) return false;
    rest_.remove_prefix(word.size());
    return true;
  }

  std::optional<Reading> product(int depth) noexcept {
    auto left = factor(depth);
    bool divided = false;
    while (left) {
      const std::size_t before = rest_.size();
      skip_blanks();
      if (rest_.empty() || rest_[0] == ')') return left;
      int sign = 1;
      if (take("/")) {
        sign = -1;
        divided = true;
      } else if (!take("*") && !take("\u00b7") && !take("\u22c5")) {
        // "J/kg K" is ambiguous
        if (rest_.size() == before || divided) return {};
      }
      const auto right = factor(depth);
      if (!right || !multiply(*left, *right, sign)) return {};
    }
    return left;
  }

  std::optional<Reading> factor(int depth) noexcept {
    skip_blanks();
    std::optional<Reading> r;
    if (take("(")) {
      if (depth >= deepest_nesting) return {};
      r = product(depth + 1);
      skip_blanks();
      if (!r || !take(")")) return {};
    } else {
      r = named(name());
    }
    if (!r) return {};
    int power = 1;
    if (take("^")) {
      const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), power);
      if (error != std::errc{} || std::abs(power) > largest_power) return {};
      rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
    } else if (take("\u00b2")) {
      power = 2;
    } else if (take("\u00b3")) {
      power = 3;
    }
    Reading raised;
    const int sign = power < 0 ? -1 : 1;
    for (int i = 0; i < std::abs(power); ++i) {
      if (!multiply(raised, *r, sign)) return {};
    }
    return raised;
  }

  std::string_view name() noexcept {
    std::size_t n = 0;
    if (!rest_.empty() && rest_[0] == '1') {
      n = 1;
    } else {
      while (n < rest_.size() && part_of_name(rest_.substr(n))) ++n;
    }
    const auto word = rest_.substr(0, n);
    rest_.remove_prefix(n);
    return word;
  }
  static bool part_of_name(std::string_view s) noexcept {
    if (s.starts_with("\u00b7") || s.starts_with("\u22c5")) return false;
    if (s.starts_with("\u00b2") || s.starts_with("\u00b3")) return false;
    const char c = s[0];
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '%' ||
           static_cast<unsigned char>(c) >= 0x80;
  }

  static bool multiply(Reading& left, const Reading& right, int sign) noexcept {
    for (std::size_t i = 0; i < 7; ++i) {
      left.power[i] += sign * right.power[i];
      if (std::abs(left.power[i]) > largest_power) return false;
    }
    left.multiply *= sign > 0 ? right.multiply : right.divide;
    left.divide *= sign > 0 ? right.divide : right.multiply;
    return true;
  }

  std::string_view rest_;
};

std::int8_t limited(int power) noexcept {
  return static_cast<std::int8_t>(std::clamp(power, -127, 127));
}

// Customary names of dimensions; the first match is used.
constexpr std::string_view usual[] = {
    "1",   "N",     "N*m", "N*m*s", "N/m",  "W",       "Pa",       "V",         "C",   "T",
    "Wb",  "H",     "F",   "Ohm",   "S",    "V/m",     "T/s",      "W/m^2",     "W/K", "J/K",
    "V/s", "A*m^2", "H/m", "F/m",   "Pa*s", "W/(m*K)", "J/(kg*K)", "W/(m^2*K)",
};

// The value times the factor; divides if the factor is the inverse of an integer, so that 10 ms is
// exactly the number 0.01.
double in_si(double value, double factor) noexcept {
  if (factor < 1.0) {
    const double inverse = std::round(1.0 / factor);
    if (inverse <= 1e22 && 1.0 / inverse == factor) return value / inverse;
  }
  return value * factor;
}

// The length of a number in C notation at the start of `text`; 0: none.
std::size_t length_of_number(std::string_view text) noexcept {
  const auto digits = [&](std::size_t from) {
    std::size_t i = from;
    while (i < text.size() && text[i] >= '0' && text[i] <= '9') ++i;
    return i;
  };
  const std::size_t start = !text.empty() && (text[0] == '+' || text[0] == '-') ? 1 : 0;
  std::size_t end = digits(start);
  std::size_t count = end - start;
  if (end < text.size() && text[end] == '.') {
    const std::size_t after = digits(end + 1);
    count += after - (end + 1);
    end = after;
  }
  if (count == 0) return 0;
  if (end < text.size() && (text[end] == 'e' || text[end] == 'E')) {
    std::size_t exponent = end + 1;
    if (exponent < text.size() && (text[exponent] == '+' || text[exponent] == '-')) ++exponent;
    // without digits the e belongs to the unit: 5 eV
    if (const std::size_t after = digits(exponent); after > exponent) end = after;
  }
  return end;
}

}  // namespace

std::vector<std::string_view> unit_names() {
  std::vector<std::string_view> all;
  for (const Named& u : units) all.push_back(u.name);
  return all;
}

std::optional<Unit> parsed_unit(std::string_view text) noexcept {
  if (text.size() > longest_text) return {};
  return Reader(text).whole();
}

bool dimensionless(const Unit& u) noexcept { return u.power == none; }

Unit product(const Unit& a, const Unit& b) noexcept {
  Unit r{{}, a.factor * b.factor};
  for (std::size_t i = 0; i < 7; ++i) r.power[i] = limited(a.power[i] + b.power[i]);
  return r;
}

Unit quotient(const Unit& a, const Unit& b) noexcept {
  Unit r{{}, a.factor / b.factor};
  for (std::size_t i = 0; i < 7; ++i) r.power[i] = limited(a.power[i] - b.power[i]);
  return r;
}

std::optional<Unit> power(const Unit& u, int numerator, int denominator) noexcept {
  if (denominator == 0) return {};
  Unit r;
  for (std::size_t i = 0; i < 7; ++i) {
    const long long p = static_cast<long long>(u.power[i]) * numerator;
    if (p % denominator != 0 || std::abs(p / denominator) > 127) return {};
    r.power[i] = static_cast<std::int8_t>(p / denominator);
  }
  // in long double: the last bits of pow(double) differ between processors
  const long double exponent = static_cast<long double>(numerator) / denominator;
  r.factor = u.factor == 1.0
                 ? 1.0
                 : static_cast<double>(std::pow(static_cast<long double>(u.factor), exponent));
  return r;
}

std::string text(const Unit& u) {
  for (const std::string_view name : usual) {
    if (const auto known = parsed_unit(name); known && same_dimension(*known, u)) {
      return std::string(name);
    }
  }
  constexpr std::string_view symbols[] = {"m", "kg", "s", "A", "K", "mol", "cd"};
  constexpr std::size_t order[] = {1, 0, 2, 3, 4, 5, 6};
  std::string above, below;
  int divisors = 0;
  for (const std::size_t i : order) {
    if (u.power[i] == 0) continue;
    std::string& side = u.power[i] > 0 ? above : below;
    divisors += u.power[i] < 0 ? 1 : 0;
    if (!side.empty()) side += '*';
    side += symbols[i];
    if (const int p = std::abs(u.power[i]); p != 1) side += '^' + std::to_string(p);
  }
  if (above.empty()) above = "1";
  if (below.empty()) return above;
  return above + '/' + (divisors > 1 ? '(' + below + ')' : below);
}

std::optional<double> parsed_quantity(std::string_view text, std::string_view expected) {
  const auto trim = [](std::string_view s) {
    const auto blank = [](char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; };
    while (!s.empty() && blank(s.front())) s.remove_prefix(1);
    while (!s.empty() && blank(s.back())) s.remove_suffix(1);
    return s;
  };
  const auto wanted = parsed_unit(expected);
  text = trim(text);
  const std::size_t n = length_of_number(text);
  if (!wanted || n == 0 || text.size() > longest_text) return {};

  const char* first = text.data() + (text[0] == '+' ? 1 : 0);
  double value = 0.0;
  const auto [end, error] = std::from_chars(first, text.data() + n, value);
  if (error != std::errc{} || end != text.data() + n) return {};

  const std::string_view rest = trim(text.substr(n));
  // "3 1" is more likely a list of two numbers than 3 with unit 1
  if (rest == "1") return {};
  const auto given = rest.empty() ? wanted : parsed_unit(rest);
  if (!given || (!rest.empty() && !interchangeable(rest, expected))) return {};
  const double si = in_si(value, given->factor);
  if (!std::isfinite(si)) return {};
  return si;
}

}  // namespace vernier
