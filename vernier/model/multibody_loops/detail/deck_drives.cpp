#include <algorithm>
#include <cmath>
#include <numbers>

#include "vernier/base/text.hpp"
#include "vernier/kernel/elementary/elementary.hpp"
#include "vernier/model/multibody_loops/detail/deck.hpp"

namespace vernier::multibody_loops::detail {
namespace {

/// A number inside a formula; negative ones need parentheses.
std::string term(double x) { return x < 0.0 ? "(" + exact(x) + ")" : exact(x); }

/// Time since `begin`, zero before it; `between` stops at `end`.
std::string since(const std::string& t, double begin) {
  return "max(" + t + " - " + term(begin) + ", 0)";
}
std::string between(const std::string& t, double begin, double end) {
  return "clamp(" + t + " - " + term(begin) + ", 0, " + term(end - begin) + ")";
}

constexpr std::size_t most_terms = 200;  // limit for a table that becomes a formula

}  // namespace

/// A drive as a formula of t in the language of documents.
std::string Deck::formula_of(const Drive& d, const Place& place) {
  using Kind = Drive::Kind;
  const std::vector<double>& n = d.numbers;
  switch (d.kind) {
    case Kind::constant:
      return exact(n[0]);
    case Kind::ramp:
      return exact(n[0]) + " + " + term((n[1] - n[0]) / (n[3] - n[2])) + "*" +
             between("t", n[2], n[3]);
    case Kind::step:
      return "if(t >= " + term(n[2]) + ", " + exact(n[1]) + ", " + exact(n[0]) + ")";
    case Kind::sine:
      return exact(n[0]) + " + " + term(n[1]) + "*sin(" + term(n[2]) + "*" +
             (n[5] != 0.0 ? between("t", n[4], n[6]) : since("t", n[4])) + " + " + term(n[3]) + ")";
    case Kind::polynomial: {
      const std::string t = "(t + " + term(start_) + ")";
      std::string all = exact(n[0]);
      for (std::size_t i = 1; i < n.size(); ++i)
        all += " + " + term(n[i]) + "*" + t + (i > 1 ? "^" + std::to_string(i) : "");
      return all;
    }
    case Kind::table: {
      if (n.size() / 2 > most_terms)
        refuse("V1722", "a table of so many points cannot be part of another drive", place,
               "at most " + std::to_string(most_terms));
      std::string all = exact(n[1]);
      for (std::size_t i = 0; i + 3 < n.size(); i += 2)
        all += " + " + term((n[i + 3] - n[i + 1]) / (n[i + 2] - n[i])) + "*" +
               between("t", n[i], n[i + 2]);
      return all;
    }
    case Kind::formula:
      break;
  }
  return d.formula;
}

/// The integral of a drive from t = 0, for joints whose drive is an angular velocity.
std::string Deck::integral_of(const Drive& d, const Place& place) {
  using Kind = Drive::Kind;
  const std::vector<double>& n = d.numbers;
  // Integral of a ramp that has this slope from `begin` to `end` and is constant after it.
  const auto sloped = [](const std::string& t, double slope, double begin, double end) {
    return term(0.5 * slope) + "*(" + since(t, begin) + "^2 - " + since(t, end) + "^2)";
  };
  const auto at = [&](const std::string& t) -> std::string {
    switch (d.kind) {
      case Kind::constant:
        return term(n[0]) + "*" + t;
      case Kind::ramp:
        return term(n[0]) + "*" + t + " + " + sloped(t, (n[1] - n[0]) / (n[3] - n[2]), n[2], n[3]);
      case Kind::step:
        return term(n[0]) + "*" + t + " + " + term(n[1] - n[0]) + "*" + since(t, n[2]);
      case Kind::sine: {
        const std::string phase = term(n[2]) + "*" +
                                  (n[5] != 0.0 ? between(t, n[4], n[6]) : since(t, n[4])) + " + " +
                                  term(n[3]);
        std::string all = term(n[0]) + "*" + t + " + " + term(n[1] * elementary::sin(n[3])) +
                          "*min(" + t + ", " + term(n[4]) + ") - " + term(n[1] / n[2]) + "*cos(" +
                          phase + ")";
        if (n[5] != 0.0)
          all += " + " + term(n[1] * elementary::sin(n[2] * (n[6] - n[4]) + n[3])) + "*" +
                 since(t, n[6]);
        return all;
      }
      case Kind::polynomial: {
        std::string all = "0";
        for (std::size_t i = 0; i < n.size(); ++i)
          all += " + " + term(n[i] / static_cast<double>(i + 1)) + "*(" + t + " + " + term(start_) +
                 ")^" + std::to_string(i + 1);
        return all;
      }
      case Kind::table: {
        if (n.size() / 2 > most_terms) break;
        std::string all = term(n[1]) + "*" + t;
        for (std::size_t i = 0; i + 3 < n.size(); i += 2)
          all += " + " + sloped(t, (n[i + 3] - n[i + 1]) / (n[i + 2] - n[i]), n[i], n[i + 2]);
        return all;
      }
      case Kind::formula:
        break;
    }
    refuse("V1722",
           "the angle of this axial rotation is the integral of its drive, which is not known",
           place,
           "known for const, ramp, double ramp, step, sine, cosine, linear, parabolic, cubic and "
           "piecewise linear; for others use a total joint with the angle as drive");
  };
  // These antiderivatives vanish at t = 0, so no constant is subtracted.
  const bool zero_at_start = d.kind == Kind::constant || (d.kind == Kind::ramp && n[2] >= 0.0) ||
                             (d.kind == Kind::step && n[2] >= 0.0) ||
                             (d.kind == Kind::table && n[0] >= 0.0) ||
                             (d.kind == Kind::polynomial && start_ == 0.0);
  return zero_at_start ? at("t") : "(" + at("t") + ") - (" + at("0") + ")";
}

// Drive callers of the MBDyn input manual. Times are shifted so that the run starts at t = 0.
Deck::Drive Deck::drive(DeckArguments& a) {
  using Kind = Drive::Kind;
  constexpr int deepest_drives = 20;
  const auto numbers = [&](std::initializer_list<const char*> what) {
    std::vector<double> all;
    for (const char* w : what) all.push_back(a.number(w));
    return all;
  };
  const Place place = a.place();
  if (a.keyword("null")) return {Kind::constant, {0.0}, {}};
  if (a.keyword("unit")) return {Kind::constant, {1.0}, {}};
  if (a.keyword("const")) return {Kind::constant, numbers({"the value"}), {}};
  if (a.keyword("time")) return {Kind::polynomial, {0.0, 1.0}, {}};
  if (a.keyword("reference")) {
    const Place label = a.place();
    const auto found = drives_.find(a.label("the label of a drive"));
    if (found == drives_.end()) refuse("V1723", "there is no such drive caller", label);
    return found->second;
  }
  if (a.keyword("ramp")) {
    const double slope = a.number("the slope"), begin = a.number("the begin") - start_;
    if (a.keyword("forever")) {
      const double from = a.number("the value at the begin");
      // Longer than any run.
      constexpr double ever = 1e9;
      return {Kind::ramp, {from, from + slope * ever, begin, begin + ever}, {}};
    }
    const Place at = a.place();
    const double end = a.number("the end") - start_, from = a.number("the value at the begin");
    if (!(begin < end)) refuse("V1721", "the ramp ends before it begins", at);
    return {Kind::ramp, {from, from + slope * (end - begin), begin, end}, {}};
  }
  if (a.keyword("double ramp")) {
    const std::vector<double> n =
        numbers({"the first slope", "its begin", "its end", "the second slope", "its begin"});
    if (a.keyword("forever"))
      refuse("V1722", "a double ramp without end cannot be converted", place,
             "give the end of the second ramp");
    const double last = a.number("its end"), from = a.number("the value at the begin");
    if (!(n[1] < n[2] && n[2] <= n[4] && n[4] < last))
      refuse("V1721", "a double ramp goes up, then down, one after the other", place);
    const double top = from + n[0] * (n[2] - n[1]);
    Drive d{Kind::table, {n[1] - start_, from, n[2] - start_, top}, {}};
    if (n[4] > n[2]) d.numbers.insert(d.numbers.end(), {n[4] - start_, top});
    d.numbers.insert(d.numbers.end(), {last - start_, top + n[3] * (last - n[4])});
    return d;
  }
  if (a.keyword("step")) {
    const std::vector<double> n = numbers({"the time", "the step", "the value before"});
    return {Kind::step, {n[2], after_step(n[1], n[2], place), n[0] - start_}, {}};
  }
  if (a.keyword("double step")) {
    const std::vector<double> n =
        numbers({"the time", "the time of the second step", "the step", "the value before"});
    const double between = after_step(n[2], n[3], place);
    const std::string t = "t + " + term(start_);
    return {Kind::formula,
            {},
            "if(" + t + " >= " + term(n[0]) + " and " + t + " <= " + term(n[1]) + ", " +
                exact(between) + ", " + exact(n[3]) + ")"};
  }
  const bool sine = a.keyword("sine");
  if (sine || a.keyword("cosine")) {
    const std::vector<double> n = numbers({"the begin", "the angular velocity", "the amplitude"});
    // "one" is 1 and "half" is -1. A number of cycles n > 0 ends at the initial value: a sine after
    // n - 1/2 periods, a cosine after n. n < 0 ends at an extreme: a sine after |n| - 3/4 periods,
    // a cosine after |n| - 1/2. 0 is forever.
    const auto n_cycles = [&]() -> double {
      if (a.keyword("forever")) return 0.0;
      if (a.keyword("one")) return 1.0;
      if (a.keyword("half")) return -1.0;
      return static_cast<double>(a.label("the number of cycles"));
    };
    const double k = n_cycles();
    const double cycles = k > 0.0   ? k - (sine ? 0.5 : 0.0)
                          : k < 0.0 ? -k - (sine ? 0.75 : 0.5)
                                    : 0.0;
    const double initial = a.number("the value at the begin"), begin = n[0] - start_;
    if (!(n[1] > 0.0)) refuse("V1721", "the angular velocity must be more than zero", place);
    const double end = cycles > 0.0 ? begin + cycles * 2.0 * std::numbers::pi / n[1] : 0.0;
    // The cosine drive is amplitude (1 - cos): a sine with phase -90 degrees and an offset.
    return {Kind::sine,
            {sine ? initial : initial + n[2], n[2], n[1], sine ? 0.0 : -0.5 * std::numbers::pi,
             begin, cycles > 0.0 ? 1.0 : 0.0, end},
            {}};
  }
  if (a.keyword("linear")) return {Kind::polynomial, numbers({"the constant", "the slope"}), {}};
  if (a.keyword("parabolic"))
    return {Kind::polynomial, numbers({"the constant", "the slope", "the square"}), {}};
  if (a.keyword("cubic"))
    return {Kind::polynomial, numbers({"the constant", "the slope", "the square", "the cube"}), {}};
  if (a.keyword("exponential")) {
    const std::vector<double> n =
        numbers({"the amplitude", "the time constant", "the begin", "the value at the begin"});
    if (!(n[1] != 0.0)) refuse("V1721", "the time constant must not be zero", place);
    return {Kind::formula,
            {},
            exact(n[3]) + " + " + term(n[0]) + "*(1 - exp(-" + since("t", n[2] - start_) + "/" +
                term(n[1]) + "))"};
  }
  if (a.keyword("string"))
    return {Kind::formula, {}, a.numbers().formula(a.next("an expression"), start_)};
  if (a.keyword("piecewise linear")) {
    const long n = a.label("the number of points");
    if (n < 2 || n > 100'000)
      refuse("V1721", "a piecewise linear drive has 2 to 100000 points", place);
    Drive d{Kind::table, {}, {}};
    for (long i = 0; i < 2 * n; ++i)
      d.numbers.push_back(a.number("a time or a value") - (i % 2 == 0 ? start_ : 0.0));
    for (std::size_t i = 2; i < d.numbers.size(); i += 2)
      if (!(d.numbers[i - 2] < d.numbers[i]))
        refuse("V1721", "the times of a piecewise linear drive must increase", place);
    return d;
  }
  const bool product = a.keyword("mult"), sum = !product && a.keyword("array");
  if (product || sum) {
    const long count = sum ? a.label("the number of drives") : 2;
    if (count < 1 || count > 100) refuse("V1721", "there are 1 to 100 drives", place);
    if (++drive_depth_ > deepest_drives) refuse("V1721", "drives are nested too deeply", place);
    std::string all;
    for (long i = 0; i < count; ++i)
      all += (i == 0 ? "(" : product ? "*(" : " + (") + formula_of(drive(a), place) + ")";
    --drive_depth_;
    if (all.size() > 100'000) refuse("V1722", "this drive is too long to be converted", place);
    return {Kind::formula, {}, all};
  }
  if (a.more() && a.numbers().begins(a.peek().text))
    return {Kind::constant, numbers({"a drive"}), {}};
  a.unexpected(
      "const, ramp, double ramp, step, double step, sine, cosine, linear, parabolic, cubic, "
      "exponential, string, piecewise linear, mult, array, time, unit, null, reference; a file "
      "becomes a <table file=\"…\"> of the document, what follows the model a port or a servo");
}

double Deck::after_step(double step, double before, const Place& place) {
  if (before == 0.0) return step;
  const bool increment = steps_ == DeckSteps::increment;
  const double after = increment ? before + step : step;
  Diagnostic& d = warnings_->warning(
      "V1727",
      "after this step the drive is " + exact(after) +
          (increment ? ", as in MBDyn since November 2018; MBDyn up to 1.7.3 makes it "
                     : ", as in MBDyn up to 1.7.3; MBDyn since November 2018 makes it ") +
          exact(increment ? step : before + step),
      place);
  d.notes.push_back(increment ? "--steps value reads it as 1.7.3 does"
                              : "--steps increment reads it as newer versions do");
  d.notes.push_back("all versions agree on a step from 0: array, 2, const, " + exact(before) +
                    ", step, TIME, CHANGE, 0.");
  return after;
}

Deck::Drive3 Deck::drive3(DeckArguments& a) {
  Drive3 made;
  if (a.keyword("null")) return made;
  if (a.keyword("component")) {
    for (auto& d : made.drive) {
      if (!a.keyword("inactive")) d = drive(a);
    }
    return made;
  }
  a.keyword("single");
  const Vector3 v = plain_vector(a);
  const Drive d = drive(a);
  for (int i = 0; i < 3; ++i) {
    if (v[i] == 0.0) continue;
    made.drive[i] = d;
    made.factor[i] = v[i];
  }
  return made;
}

std::string Deck::drive_text(const Drive& d, double factor, const char* unit) {
  using Kind = Drive::Kind;
  const auto quantity = [&](double x) {
    return exact(x * factor) + (x == 0.0 ? "" : std::string(" ") + unit);
  };
  if (d.kind == Kind::constant) return quantity(d.numbers[0]);
  std::string name = "drive_" + std::to_string(++drive_count_["drive"]);
  while (!names_.insert(name).second) name += "_2";
  const std::string head = " name=\"" + name + "\" unit=\"" + unit + "\"";
  const std::vector<double>& n = d.numbers;
  std::string& out = written_drives_;
  switch (d.kind) {
    case Kind::ramp:
      out += "  <ramp" + head + " from=\"" + quantity(n[0]) + "\" to=\"" + quantity(n[1]) +
             "\" begin=\"" + exact(n[2]) + " s\" end=\"" + exact(n[3]) + " s\"/>\n";
      break;
    case Kind::step:
      out += "  <step" + head + " from=\"" + quantity(n[0]) + "\" to=\"" + quantity(n[1]) +
             "\" at=\"" + exact(n[2]) + " s\"/>\n";
      break;
    case Kind::sine:
      out += "  <sine" + head + " offset=\"" + quantity(n[0]) + "\" amplitude=\"" + quantity(n[1]) +
             "\" frequency=\"" + exact(n[2]) + " rad/s\" phase=\"" + exact(n[3]) +
             " rad\" begin=\"" + exact(n[4]) + " s\"" +
             (n[5] != 0.0 ? " end=\"" + exact(n[6]) + " s\"" : "") + "/>\n";
      break;
    case Kind::table: {
      out += "  <table" + head + ">";
      for (std::size_t i = 0; i < n.size(); i += 2)
        out += "\n    " + exact(n[i]) + " " + exact(n[i + 1] * factor);
      out += "\n  </table>\n";
      break;
    }
    default: {
      // No unit: the units of the terms of a formula are not known here.
      const std::string formula = formula_of(d, {});
      out += "  <function name=\"" + name + "\" value=\"" +
             escaped(factor == 1.0 ? formula : "(" + exact(factor) + ")*(" + formula + ")") +
             "\"/>\n";
    }
  }
  return name;
}

}  // namespace vernier::multibody_loops::detail
