#include "vernier/model/mechanism/detail/deck_text.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "vernier/base/text.hpp"

namespace vernier::mechanism::detail {
namespace {

constexpr std::size_t most_arguments = 100'000, most_statements = 1'000'000;
constexpr int deepest = 100;

bool blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }
bool letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool digit(char c) { return c >= '0' && c <= '9'; }

/// Characters one after the other, without comments, with their places.
class Characters {
 public:
  Characters(std::string_view content, const std::string& name) : text_(content), file_(name) {}

  bool end() {
    skip_comments();
    return at_ >= text_.size();
  }
  char peek() const { return text_[at_]; }
  char take() {
    const char c = text_[at_++];
    if (c == '\n') {
      ++line_;
      column_ = 1;
    } else if ((static_cast<unsigned char>(c) & 0xC0u) != 0x80u) {
      ++column_;
    }
    return c;
  }
  Place place() const { return {.file = file_, .line = line_, .column = column_}; }
  bool open_comment() const { return open_comment_; }
  bool quoted = false;

 private:
  void skip_comments() {
    while (!quoted && at_ < text_.size()) {
      if (text_[at_] == '#' || text_.substr(at_, 2) == "//") {
        while (at_ < text_.size() && text_[at_] != '\n') take();
      } else if (text_.substr(at_, 2) == "/*") {
        const std::size_t close = text_.find("*/", at_ + 2);
        open_comment_ = close == std::string_view::npos;
        const std::size_t to = open_comment_ ? text_.size() : close + 2;
        while (at_ < to) take();
      } else {
        return;
      }
    }
  }

  std::string_view text_;
  const std::string& file_;
  std::size_t at_ = 0;
  int line_ = 1, column_ = 1;
  bool open_comment_ = false;
};

/// Numbers and operators by rising precedence: || && comparison + - * / unary ^.
class Arithmetic {
 public:
  Arithmetic(std::string_view text, const Place& place,
             const std::map<std::string, double, std::less<>>& values)
      : text_(text), place_(place), values_(values) {}

  double all() {
    const double x = sum();
    skip();
    if (at_ < text_.size()) wrong("cannot go on");
    if (!std::isfinite(x)) wrong("is not a finite number");
    return x;
  }

 private:
  void skip() {
    while (at_ < text_.size() && blank(text_[at_])) ++at_;
  }
  bool accept(char c) {
    skip();
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  [[noreturn]] void wrong(const std::string& why) const {
    refuse("V1724", "\"" + std::string(text_) + "\" " + why, place_);
  }
  double sum() {
    double x = product();
    while (true) {
      if (accept('+')) {
        x += product();
      } else if (accept('-')) {
        x -= product();
      } else {
        return x;
      }
    }
  }
  double product() {
    double x = signed_power();
    while (true) {
      if (accept('*')) {
        x *= signed_power();
      } else if (accept('/')) {
        x /= signed_power();
      } else {
        return x;
      }
    }
  }
  double signed_power() {
    if (++depth_ > deepest) wrong("is nested too deeply");
    double x = 0.0;
    if (accept('-')) {
      x = -signed_power();
    } else if (accept('+')) {
      x = signed_power();
    } else {
      x = atom();
      if (accept('^')) x = std::pow(x, signed_power());
    }
    --depth_;
    return x;
  }
  double atom() {
    skip();
    if (at_ >= text_.size()) wrong("ends too early");
    if (accept('(')) {
      const double x = sum();
      if (!accept(')')) wrong("misses a )");
      return x;
    }
    if (digit(text_[at_]) || text_[at_] == '.') return number();
    if (letter(text_[at_])) return name();
    wrong(std::string("has a '") + text_[at_] + "' that has no meaning");
  }
  double number() {
    const std::size_t begin = at_;
    while (at_ < text_.size() && (digit(text_[at_]) || text_[at_] == '.')) ++at_;
    if (at_ < text_.size() && (text_[at_] == 'e' || text_[at_] == 'E')) {
      std::size_t k = at_ + 1;
      if (k < text_.size() && (text_[k] == '+' || text_[k] == '-')) ++k;
      if (k < text_.size() && digit(text_[k])) {
        while (k < text_.size() && digit(text_[k])) ++k;
        at_ = k;
      }
    }
    const auto x = parsed_real(text_.substr(begin, at_ - begin));
    if (!x) wrong("has no number at \"" + std::string(text_.substr(begin, at_ - begin)) + "\"");
    return *x;
  }
  double name() {
    const std::size_t begin = at_;
    while (at_ < text_.size() && (letter(text_[at_]) || digit(text_[at_]))) ++at_;
    const std::string_view n = text_.substr(begin, at_ - begin);
    if (accept('(')) {
      const double x = sum();
      const bool two = accept(',');
      const double y = two ? sum() : 0.0;
      if (!accept(')')) wrong("misses a )");
      return function(n, x, y, two);
    }
    if (const auto found = values_.find(n); found != values_.end()) return found->second;
    if (n == "pi") return std::numbers::pi;
    if (n == "e") return std::numbers::e;
    if (n == "deg2rad") return std::numbers::pi / 180.0;
    if (n == "rad2deg") return 180.0 / std::numbers::pi;
    std::vector<std::string> known;
    for (const auto& [k, v] : values_) known.push_back(k);
    const auto near = closest(n, known);
    refuse("V1724", "there is no variable \"" + std::string(n) + "\"", place_,
           near ? "did you mean " + *near + "?" : "variables are made by set: real NAME = VALUE;");
  }
  double function(std::string_view n, double x, double y, bool two) const {
    if (two) {
      if (n == "atan2") return std::atan2(x, y);
      if (n == "pow") return std::pow(x, y);
      if (n == "min") return std::min(x, y);
      if (n == "max") return std::max(x, y);
    } else {
      static const std::map<std::string_view, double (*)(double)> known{
          {"sin", std::sin},   {"cos", std::cos},   {"tan", std::tan},     {"asin", std::asin},
          {"acos", std::acos}, {"atan", std::atan}, {"sinh", std::sinh},   {"cosh", std::cosh},
          {"tanh", std::tanh}, {"exp", std::exp},   {"log", std::log},     {"log10", std::log10},
          {"sqrt", std::sqrt}, {"abs", std::fabs},  {"floor", std::floor}, {"ceil", std::ceil}};
      if (const auto found = known.find(n); found != known.end()) return found->second(x);
    }
    wrong("calls " + std::string(n) + ", which is not known with so many arguments");
  }

  std::string_view text_;
  const Place& place_;
  const std::map<std::string, double, std::less<>>& values_;
  std::size_t at_ = 0;
  int depth_ = 0;
};

}  // namespace

void refuse(const char* code, std::string message, const Place& place, std::string note) {
  Diagnostic d;
  d.code = code;
  d.message = std::move(message);
  d.place = place;
  if (!note.empty()) d.notes.push_back(std::move(note));
  throw DeckProblem{std::move(d)};
}

std::string normal(std::string_view text) {
  std::string all;
  for (const std::string_view w : words(text)) {
    if (!all.empty()) all += ' ';
    for (const char c : w) all += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  }
  return all;
}

std::vector<DeckStatement> deck_statements(std::string_view content, const std::string& name,
                                           Diagnostics& problems) {
  std::vector<DeckStatement> all;
  Characters c(content, name);
  std::string text;
  Place place;
  DeckStatement now;
  bool begun = false, keyed = false;
  int depth = 0;
  const auto finish = [&] {
    const std::string_view t = trimmed(text);
    place.length = static_cast<int>(std::clamp<std::size_t>(width(t), 1, 1000));
    if (!keyed) {
      now.keyword = normal(t);
      now.place = place;
    } else {
      now.arguments.push_back({std::string(t), place});
    }
    text.clear();
    begun = false;
  };
  const auto stop = [&](std::string what, const Place& at) {
    problems.error("V1721", std::move(what), at);
    return all;
  };
  while (!c.end()) {
    if (!begun && !blank(c.peek())) {
      place = c.place();
      begun = true;
    }
    const Place here = c.place();
    const char ch = c.take();
    if (ch == '\0') return stop("a deck is text, and this is not", here);
    if (ch == '"') c.quoted = !c.quoted;
    if (c.quoted || ch == '"') {
      text += ch;
      continue;
    }
    if (ch == '(') ++depth;
    if (ch == ')') --depth;
    if (ch == ':' && !keyed && depth == 0) {
      finish();
      keyed = true;
    } else if (ch == ',' && keyed && depth <= 0) {
      if (!begun) place = here;
      finish();
      if (now.arguments.size() > most_arguments) return stop("a statement is too long", here);
    } else if (ch == ';') {
      if (depth != 0)
        return stop("a parenthesis is not closed in this statement",
                    now.place.line > 0 ? now.place : here);
      if (begun || keyed) {
        if (!begun) place = here;
        const bool nothing = keyed && trimmed(text).empty() && now.arguments.empty();
        if (nothing) {
          text.clear();
        } else {
          finish();
        }
        all.push_back(std::move(now));
      }
      now = {};
      keyed = begun = false;
      if (all.size() > most_statements) return stop("there are too many statements", here);
    } else {
      text += ch;
    }
  }
  if (c.open_comment()) return stop("a comment is not closed", c.place());
  if (begun || keyed)
    return stop("the last statement has no end: a ; is missing", keyed ? now.place : place);
  return all;
}

void DeckNumbers::set(const DeckArgument& a) {
  std::string_view text = a.text;
  const std::size_t equals = text.find('=');
  std::vector<std::string_view> left = words(text.substr(0, equals));
  while (left.size() > 1 && (left[0] == "const" || left[0] == "real" || left[0] == "integer" ||
                             left[0] == "ifndef" || left[0] == "bool"))
    left.erase(left.begin());
  if (left.size() != 1 || !letter(left[0][0]) ||
      !std::all_of(left[0].begin(), left[0].end(), [](char c) { return letter(c) || digit(c); })) {
    refuse("V1721", "\"" + std::string(trimmed(text)) + "\" sets no variable", a.place,
           "write set: real NAME = VALUE;");
  }
  if (equals == std::string_view::npos) {
    values_[std::string(left[0])] = 0.0;
    return;
  }
  const bool whole = words(text.substr(0, equals)).size() > 1 &&
                     normal(text).find("integer ") != std::string::npos;
  const double x = Arithmetic(trimmed(text.substr(equals + 1)), a.place, values_).all();
  values_[std::string(left[0])] = whole ? std::trunc(x) : x;
}

double DeckNumbers::value(const DeckArgument& a) const {
  return Arithmetic(trimmed(a.text), a.place, values_).all();
}

std::string DeckNumbers::formula(const DeckArgument& a) const {
  std::string_view text = trimmed(a.text);
  if (text.size() < 2 || text.front() != '"' || text.back() != '"')
    refuse("V1721", "a string in quotes is expected here, not \"" + std::string(text) + "\"",
           a.place);
  text = text.substr(1, text.size() - 2);
  std::string made;
  for (std::size_t i = 0; i < text.size();) {
    if (digit(text[i]) || (text[i] == '.' && i + 1 < text.size() && digit(text[i + 1]))) {
      std::size_t end = i;
      while (end < text.size() && (digit(text[end]) || text[end] == '.')) ++end;
      if (end < text.size() && (text[end] == 'e' || text[end] == 'E')) {
        std::size_t k = end + 1;
        if (k < text.size() && (text[k] == '+' || text[k] == '-')) ++k;
        while (k < text.size() && digit(text[k])) end = ++k;
      }
      const auto x = parsed_real(text.substr(i, end - i));
      if (!x)
        refuse("V1724", "\"" + std::string(text.substr(i, end - i)) + "\" is not a number",
               a.place);
      made += exact(*x);
      i = end;
    } else if (letter(text[i])) {
      std::size_t end = i;
      while (end < text.size() && (letter(text[end]) || digit(text[end]))) ++end;
      const std::string name(text.substr(i, end - i));
      static const std::vector<std::string> functions{
          "sin", "cos", "tan",   "asin", "acos", "atan",  "atan2", "sinh", "cosh", "tanh",
          "exp", "log", "log10", "sqrt", "abs",  "floor", "ceil",  "min",  "max",  "sign"};
      if (name == "Time") {
        made += "t";
      } else if (const auto found = values_.find(name); found != values_.end()) {
        made += "(" + exact(found->second) + ")";
      } else if (name == "pi" ||
                 std::find(functions.begin(), functions.end(), name) != functions.end()) {
        made += name;
      } else {
        refuse("V1724", "the expression uses \"" + name + "\", which has no meaning in a document",
               a.place, "Time, variables that are set, and usual functions can be converted");
      }
      i = end;
    } else {
      static constexpr std::string_view allowed = " \t\r\n+-*/^(),";
      if (allowed.find(text[i]) == std::string_view::npos)
        refuse("V1724",
               std::string("the expression uses '") + text[i] + "', which cannot be converted",
               a.place);
      made += text[i++];
    }
  }
  return made;
}

}  // namespace vernier::mechanism::detail
