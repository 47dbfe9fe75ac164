#include <algorithm>
#include <cmath>
#include <numbers>
#include <set>

#include "vernier/base/text.hpp"
#include "vernier/kernel/elementary/elementary.hpp"
#include "vernier/model/multibody_loops/detail/deck_text.hpp"

namespace vernier::multibody_loops::detail {
namespace {

constexpr int deepest = 100;

bool letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool digit(char c) { return c >= '0' && c <= '9'; }

const std::map<std::string_view, double, std::less<>> constants{
    {"pi", std::numbers::pi},
    {"e", std::numbers::e},
    {"deg2rad", std::numbers::pi / 180.0},
    {"rad2deg", 180.0 / std::numbers::pi},
    {"in2m", 0.0254},
    {"m2in", 1.0 / 0.0254},
    {"ft2m", 0.3048},
    {"m2ft", 1.0 / 0.3048},
    {"lb2kg", 0.45359237},
    {"kg2lb", 1.0 / 0.45359237}};

double sign_of(double x) { return x > 0.0 ? 1.0 : x < 0.0 ? -1.0 : 0.0; }

/// A function of one number, and its text in documents, where % stands for the argument.
struct Known {
  double (*of)(double);
  const char* text;
};
const std::map<std::string_view, Known, std::less<>> functions{
    {"sin", {elementary::sin, "sin(%)"}},
    {"cos", {elementary::cos, "cos(%)"}},
    {"tan", {elementary::tan, "tan(%)"}},
    {"asin", {elementary::asin, "asin(%)"}},
    {"acos", {elementary::acos, "acos(%)"}},
    {"atan", {elementary::atan, "atan(%)"}},
    {"sinh", {elementary::sinh, "sinh(%)"}},
    {"cosh", {elementary::cosh, "cosh(%)"}},
    {"tanh", {elementary::tanh, "tanh(%)"}},
    {"exp", {elementary::exp, "exp(%)"}},
    {"log", {elementary::log, "log(%)"}},
    {"log10", {elementary::log10, "log10(%)"}},
    {"sqrt", {std::sqrt, "sqrt(%)"}},
    {"abs", {std::fabs, "abs(%)"}},
    {"floor", {std::floor, "floor(%)"}},
    {"ceil", {std::ceil, "ceil(%)"}},
    {"sign", {sign_of, "sign(%)"}},
    {"step", {[](double x) { return 0.5 * (1.0 + sign_of(x)); }, "0.5*(1 + sign(%))"}},
    {"ramp", {[](double x) { return std::max(x, 0.0); }, "max(%, 0)"}},
    {"par", {[](double x) { return x > 0.0 ? x * x : 0.0; }, "max(%, 0)^2"}}};

/// A recursive-descent parser of deck expressions. Operators by increasing precedence: || and &&
/// (from left to right), comparisons, + -, * / %, ^, and the sign, which binds tighter than ^ in
/// decks. Constants are evaluated; expressions of Time are translated to the language of documents.
class Arithmetic {
 public:
  using Value = DeckNumbers::Value;
  using Values = std::map<std::string, Value, std::less<>>;

  Arithmetic(std::string_view text, const Place& place, const Values& values, bool varying = false,
             double start = 0.0)
      : text_(text), place_(place), values_(values), varying_(varying), start_(start) {}

  const std::set<std::string, std::less<>>& used() const { return used_; }

  Value all() {
    Value x = logical();
    skip();
    if (at_ < text_.size()) wrong("cannot go on at \"" + std::string(text_.substr(at_, 10)) + "\"");
    if (!x.varies && !std::isfinite(x.x)) wrong("is not a finite number");
    return x;
  }

 private:
  void skip() {
    while (at_ < text_.size() &&
           (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\r' || text_[at_] == '\n'))
      ++at_;
  }
  bool accept(std::string_view token) {
    skip();
    if (text_.substr(at_, token.size()) != token) return false;
    at_ += token.size();
    return true;
  }
  [[noreturn]] void wrong(const std::string& why) const {
    refuse("V1724", "\"" + std::string(text_) + "\" " + why, place_);
  }
  /// The outermost operator of a text decides where it needs parentheses; a unit never needs them.
  enum Level { a_sum, a_product, a_unit };
  static std::string in_document(const Value& v, Level needed) {
    const std::string text = v.varies ? v.text : exact(v.x);
    const bool bare = v.varies ? v.level >= needed : v.x >= 0.0 || needed == a_sum;
    return bare ? text : "(" + text + ")";
  }
  static Value number_of(double x, bool whole) { return {x, whole, false, a_unit, {}}; }
  Value text_of(std::string t, Level level) const {
    if (t.size() > 100'000) wrong("is too long");
    return {0.0, false, true, level, std::move(t)};
  }
  Value joined(const Value& a, const char* op, const Value& b, Level level) const {
    const Level right = level == a_sum ? a_product : a_unit;
    return text_of(in_document(a, level) + op + in_document(b, right),
                   level == a_unit ? a_product : level);
  }
  Value called(const char* name, const Value& a, const Value& b) const {
    return text_of(name + ("(" + in_document(a, a_sum)) + ", " + in_document(b, a_sum) + ")",
                   a_unit);
  }

  /// 1 where a value is not 0, as a text; what a comparison gave is 0 or 1 already.
  Value truth(const Value& v) const {
    if (!v.varies) return number_of(v.x != 0.0 ? 1.0 : 0.0, true);
    if (v.text.starts_with("if(") && v.text.ends_with(", 1, 0)")) return v;
    return text_of("if(" + v.text + " != 0, 1, 0)", a_unit);
  }
  Value logical() {
    Value x = comparison();
    while (true) {
      const bool either = accept("||");
      if (!either && !accept("&&")) return x;
      const Value y = comparison();
      if (x.varies || y.varies)
        x = either ? called("max", truth(x), truth(y)) : joined(truth(x), "*", truth(y), a_product);
      else
        x = number_of((either ? x.x != 0.0 || y.x != 0.0 : x.x != 0.0 && y.x != 0.0) ? 1.0 : 0.0,
                      true);
    }
  }
  Value comparison() {
    Value x = sum();
    static constexpr const char* operators[] = {"<=", ">=", "==", "!=", "<", ">"};
    for (const char* op : operators) {
      if (!accept(op)) continue;
      const Value y = sum();
      if (x.varies || y.varies) {
        // In documents a comparison is a condition, in decks a number.
        return text_of(
            "if(" + in_document(x, a_sum) + " " + op + " " + in_document(y, a_sum) + ", 1, 0)",
            a_unit);
      }
      const bool holds = op[0] == '<'   ? (op[1] ? x.x <= y.x : x.x < y.x)
                         : op[0] == '>' ? (op[1] ? x.x >= y.x : x.x > y.x)
                         : op[0] == '=' ? x.x == y.x
                                        : x.x != y.x;
      return number_of(holds ? 1.0 : 0.0, true);
    }
    return x;
  }
  Value sum() {
    Value x = product();
    while (true) {
      const bool plus = accept("+");
      if (!plus && !accept("-")) return x;
      const Value y = product();
      if (x.varies || y.varies)
        x = joined(x, plus ? " + " : " - ", y, a_sum);
      else
        x = number_of(plus ? x.x + y.x : x.x - y.x, x.whole && y.whole);
    }
  }
  Value product() {
    Value x = power();
    while (true) {
      const char op = accept("*") ? '*' : accept("/") ? '/' : accept("%") ? '%' : '\0';
      if (op == '\0') return x;
      const Value y = power();
      if (op == '%' && (x.varies || y.varies)) wrong("takes a remainder of what depends on Time");
      if (op != '*' && !y.varies && y.x == 0.0) wrong("divides by zero");
      const bool whole = x.whole && y.whole;
      if (x.varies || y.varies)
        x = joined(x, op == '*' ? "*" : "/", y, a_product);
      else if (op == '%')
        x = number_of(std::fmod(x.x, y.x), whole);
      else if (op == '*')
        x = number_of(x.x * y.x, whole);
      else
        // Integers divide as in C: 1/2 is 0.
        x = number_of(whole ? std::trunc(x.x / y.x) : x.x / y.x, whole);
    }
  }
  Value power() {
    if (++depth_ > deepest) wrong("is nested too deeply");
    Value x = with_sign();
    if (accept("^")) {
      const Value y = power();
      if (x.varies || y.varies)
        x = joined(x, "^", y, a_unit);
      else
        x = number_of(x.whole && y.whole && y.x < 0.0 ? 0.0 : elementary::pow(x.x, y.x),
                      x.whole && y.whole);
    }
    --depth_;
    return x;
  }
  Value with_sign() {
    if (accept("+")) return atom();
    if (!accept("-")) return atom();
    Value x = atom();
    if (x.varies) return text_of("-(" + x.text + ")", a_sum);
    x.x = -x.x;
    return x;
  }
  Value atom() {
    skip();
    if (at_ >= text_.size()) wrong("ends too early");
    if (accept("(")) {
      if (++depth_ > deepest) wrong("is nested too deeply");
      Value x = logical();
      --depth_;
      if (!accept(")")) wrong("misses a )");
      return x;
    }
    if (digit(text_[at_]) || text_[at_] == '.') return number();
    if (letter(text_[at_])) return name();
    wrong(std::string("has a '") + text_[at_] + "' that has no meaning");
  }
  Value number() {
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
    const std::string_view own = text_.substr(begin, at_ - begin);
    const auto x = parsed_real(own);
    if (!x) wrong("has no number at \"" + std::string(own) + "\"");
    return number_of(*x, own.find_first_of(".eE") == std::string_view::npos);
  }
  Value name() {
    const std::size_t begin = at_;
    while (at_ < text_.size() && (letter(text_[at_]) || digit(text_[at_]))) ++at_;
    const std::string_view n = text_.substr(begin, at_ - begin);
    if (text_.substr(at_, 2) == "::")
      refuse("V1724",
             "\"" + std::string(n) + "::\" asks for what the model does, which is no drive", place_,
             "a servo, a transducer or a port can follow the model");
    if (accept("(")) return call(n);
    if (const auto found = values_.find(n); found != values_.end()) {
      if (varying_) used_.emplace(n);
      return found->second;
    }
    if (const auto found = constants.find(n); found != constants.end())
      return number_of(found->second, false);
    if (varying_ && n == "Time")
      return start_ == 0.0 ? text_of("t", a_unit)
                           : joined(text_of("t", a_unit), " + ", number_of(start_, false), a_sum);
    std::vector<std::string> known;
    for (const auto& [k, v] : values_) known.push_back(k);
    const auto near = closest(n, known);
    refuse("V1724", "there is no variable \"" + std::string(n) + "\"", place_,
           near ? "did you mean " + *near + "?" : "variables are made by set: real NAME = VALUE;");
  }
  Value call(std::string_view n) {
    if (++depth_ > deepest) wrong("is nested too deeply");
    const Value x = logical();
    const bool two = accept(",");
    const Value y = two ? logical() : Value{};
    --depth_;
    if (!accept(")")) wrong("misses a )");
    const bool varies = x.varies || y.varies;
    if (two) {
      if (varies && (n == "atan2" || n == "pow" || n == "min" || n == "max"))
        return called(std::string(n).c_str(), x, y);
      if (varies && n == "sramp")
        return text_of("clamp(" + in_document(x, a_sum) + ", 0, " + in_document(y, a_sum) + ")",
                       a_unit);
      if (n == "atan2") return number_of(elementary::atan2(x.x, y.x), false);
      if (n == "pow") return number_of(elementary::pow(x.x, y.x), false);
      if (n == "min") return number_of(std::min(x.x, y.x), false);
      if (n == "max") return number_of(std::max(x.x, y.x), false);
      if (n == "sramp") return number_of(std::min(std::max(x.x, 0.0), y.x), false);
    } else if (const auto found = functions.find(n); found != functions.end()) {
      // Functions give reals, also abs; only sign gives an integer.
      if (!varies) return number_of(found->second.of(x.x), n == "sign");
      std::string text = found->second.text;
      return text_of(text.replace(text.find('%'), 1, x.text), a_product);
    }
    wrong("calls " + std::string(n) + ", which is not known with so many arguments");
  }

  std::string_view text_;
  const Place& place_;
  const Values& values_;
  bool varying_;
  double start_;
  std::size_t at_ = 0;
  int depth_ = 0;
  std::set<std::string, std::less<>> used_;  // variables, if expressions of Time are translated
};

}  // namespace

void DeckNumbers::set(const DeckArgument& a) {
  const std::string_view text = a.text;
  const std::size_t equals = text.find('=');
  std::vector<std::string_view> left = words(text.substr(0, equals));
  std::string type;
  while (left.size() > 1 && (left[0] == "const" || left[0] == "real" || left[0] == "integer" ||
                             left[0] == "ifndef" || left[0] == "bool" || left[0] == "string")) {
    if (left[0] != "const" && left[0] != "ifndef") type = left[0];
    left.erase(left.begin());
  }
  if (left.size() != 1 || !letter(left[0][0]) ||
      !std::all_of(left[0].begin(), left[0].end(), [](char c) { return letter(c) || digit(c); })) {
    refuse("V1721", "\"" + std::string(trimmed(text)) + "\" sets no variable", a.place,
           "write set: real NAME = VALUE;");
  }
  if (type == "string") return;  // strings name output; a use as a number is refused
  const std::string name(left[0]);
  const auto known = values_.find(name);
  if (words(text)[0] == "ifndef" && known != values_.end()) return;
  const bool whole = type.empty() ? known != values_.end() && known->second.whole : type != "real";
  double x = 0.0;
  if (equals != std::string_view::npos) {
    const std::string_view right = trimmed(text.substr(equals + 1));
    x = right == "TRUE"    ? 1.0
        : right == "FALSE" ? 0.0
                           : Arithmetic(right, a.place, values_).all().x;
  }
  values_[name] = {whole ? std::trunc(x) : x, whole, false, 0, {}};
}

double DeckNumbers::value(const DeckArgument& a) const {
  return Arithmetic(trimmed(a.text), a.place, values_).all().x;
}

std::string DeckNumbers::formula(const DeckArgument& a, double start) const {
  std::string_view text = trimmed(a.text);
  if (text.size() < 2 || text.front() != '"' || text.back() != '"')
    refuse("V1721", "a string in quotes is expected here, not \"" + std::string(text) + "\"",
           a.place);
  text = text.substr(1, text.size() - 2);
  Arithmetic arithmetic(text, a.place, values_, true, start);
  const Value v = arithmetic.all();
  for (const std::string& name : arithmetic.used())
    uses_.push_back({name, values_.find(name)->second.x, a.place});
  return v.varies ? v.text : exact(v.x);
}

std::vector<DeckNumbers::Use> DeckNumbers::changed_uses() const {
  std::vector<Use> changed;
  for (const Use& u : uses_)
    if (values_.find(u.name)->second.x != u.value) changed.push_back(u);
  return changed;
}

bool DeckNumbers::begins(std::string_view text) const {
  if (text.empty()) return false;
  const char c = text[0];
  if (!letter(c)) return c != '"';
  const std::string_view word = text.substr(0, text.find_first_of(" \t\r\n+-*/^%(<>=!&|"));
  return has(word) || constants.contains(word) ||
         (functions.contains(word) && text.size() > word.size() && text[word.size()] == '(');
}

}  // namespace vernier::multibody_loops::detail
