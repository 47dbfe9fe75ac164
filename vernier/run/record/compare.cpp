#include "vernier/run/record/compare.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "vernier/base/text.hpp"
#include "vernier/document/document.hpp"
#include "vernier/run/record/detail/pairing.hpp"

namespace vernier::embedded {
std::string_view record(std::string_view file) noexcept;
}

namespace vernier::record {

namespace {

constexpr std::string_view tolerances_version = "1";

double tolerance_number(const document::Document& d, const document::Element& e,
                        std::string_view name, Diagnostics& problems) {
  const document::Attribute* a = e.attribute(name);
  if (a == nullptr) return 0.0;
  const auto v = parsed_real(a->value);
  if (v && std::isfinite(*v) && *v >= 0.0) return *v;
  Place place = a->value_place;
  place.length = static_cast<int>(std::max<std::size_t>(1, width(a->value)));
  Diagnostic& problem =
      problems.error("V7121", std::string(name) + " must be a number that is not negative", place);
  d.show_source(problem);
  return 0.0;
}

double distance(double x, double y) noexcept {
  if (x == y || (std::isnan(x) && std::isnan(y))) return 0.0;
  const double d = std::abs(x - y);
  return std::isnan(d) ? std::numeric_limits<double>::infinity() : d;
}

/// Accumulates the differences of one signal, row by row.
class Judge {
 public:
  Judge(Difference& d, const Tolerance& t, std::uint32_t count)
      : d_(d), tolerance_(t), count_(count) {}

  void row(double time, const double* a, const double* b) {
    ++d_.compared;
    for (std::uint32_t e = 0; e < count_; ++e) {
      const double difference = distance(a[e], b[e]);
      if (difference == 0.0) continue;
      const double bound =
          tolerance_.absolute + tolerance_.relative * std::max(std::abs(a[e]), std::abs(b[e]));
      if (!d_.diverges_at && !(difference <= bound)) d_.diverges_at = time;
      // scaled, so that the sum of squares cannot overflow
      if (difference > d_.largest) {
        const double ratio = std::isinf(difference) ? 0.0 : d_.largest / difference;
        squares_ = squares_ * ratio * ratio + 1.0;
        d_.largest = difference;
        d_.largest_at = time;
        d_.largest_element = e;
      } else {
        const double ratio = std::isinf(d_.largest) ? 1.0 : difference / d_.largest;
        squares_ += ratio * ratio;
      }
    }
  }
  void close() {
    if (d_.compared == 0 || d_.largest == 0.0) return;
    d_.rms = d_.largest * std::sqrt(squares_ / (static_cast<double>(d_.compared) * count_));
  }

 private:
  Difference& d_;
  const Tolerance& tolerance_;
  std::uint32_t count_;
  double squares_ = 0.0;  // over the square of the largest
};

/// Rows of a run and whose values are held.
struct Rows {
  const Series& series;
  bool held;
};

void compare_rows(const Rows& a, const Rows& b, std::uint32_t count, bool between, Difference& d,
                  Judge& judge) {
  const Series &x = a.series, &y = b.series;
  std::vector<double> row(count);
  // the other run's values at an instant that it lacks; null: it has begun later or ended earlier
  const auto values_at = [&](const Rows& r, std::size_t next, double t) -> const double* {
    const Series& s = r.series;
    if (!between || next == 0 || next == s.time.size()) return nullptr;
    for (std::uint32_t e = 0; e < count; ++e)
      row[e] = value_between(s.time, next, t, r.held,
                             [&](std::size_t i) { return s.values[i * count + e]; });
    return row.data();
  };
  pair_rows(
      x.time, y.time,
      [&](std::size_t i, std::size_t j) {
        judge.row(x.time[i], &x.values[i * count], &y.values[j * count]);
      },
      [&](std::size_t i, std::size_t j) {
        if (const double* v = values_at(b, j, x.time[i]))
          judge.row(x.time[i], &x.values[i * count], v);
        else
          ++d.only_a;
      },
      [&](std::size_t i, std::size_t j) {
        if (const double* v = values_at(a, i, y.time[j]))
          judge.row(y.time[j], v, &y.values[j * count]);
        else
          ++d.only_b;
      },
      [&](std::size_t m, std::size_t n) {
        d.only_a += m;
        d.only_b += n;
      });
}

/// Two runs without a value agree in nothing.
void refuse_nothing(const Comparison& c) {
  const bool any = std::any_of(c.signals.begin(), c.signals.end(), [](const Difference& d) {
    return d.compared > 0 || !d.problem.empty();
  });
  if (any || !c.only_a.empty() || !c.only_b.empty()) return;
  Diagnostics problems;
  problems
      .error("V7124",
             c.signals.empty() ? "there is nothing to compare: neither run has recorded a signal"
                               : "there is nothing to compare: neither run has recorded a value of "
                                 "these signals",
             {})
      .notes.push_back("vernier info RUN   shows what a run recorded");
  throw ConfigurationError(problems);
}

document::Grammar tolerances_grammar() {
  return {"tolerances", "tolerances.dtd", embedded::record("formats/tolerances/tolerances.dtd")};
}

std::vector<Tolerance> tolerances_in(const std::optional<document::Document>& d,
                                     Diagnostics& problems) {
  problems.throw_if_errors();
  std::vector<Tolerance> all;
  if (!d) return all;
  const document::Attribute* version = d->root().attribute("version");
  if (version != nullptr && version->value != tolerances_version) {
    Diagnostic& problem =
        problems.error("V7121", "this program reads version 1 of tolerances, not " + version->value,
                       version->value_place);
    d->show_source(problem);
  }
  for (const document::Element& e : d->root().children) {
    all.push_back({std::string(e.value("pattern")), tolerance_number(*d, e, "absolute", problems),
                   tolerance_number(*d, e, "relative", problems)});
  }
  problems.throw_if_errors();
  return all;
}

}  // namespace

std::vector<Tolerance> read_tolerances(const std::filesystem::path& file) {
  const document::Grammar grammar = tolerances_grammar();
  Diagnostics problems;
  return tolerances_in(document::read(file, {&grammar, 1}, problems), problems);
}

std::vector<Tolerance> parse_tolerances(std::string text, const std::filesystem::path& name) {
  const document::Grammar grammar = tolerances_grammar();
  Diagnostics problems;
  return tolerances_in(document::parse(std::move(text), name, {&grammar, 1}, problems), problems);
}

bool Comparison::within() const noexcept {
  return only_a.empty() && only_b.empty() &&
         std::all_of(signals.begin(), signals.end(), [](const auto& d) { return d.within(); });
}

Comparison compare(const ResultReader& a, const ResultReader& b, const CompareOptions& o) {
  Comparison result;
  std::set<std::string> wanted;
  // one without signals has nothing to select from
  if (!a.signals().empty() || o.signals != CompareOptions{}.signals)
    for (const Selected& s : a.select(o.signals)) wanted.insert(s.signal->spec.path);
  for (const Signal& s : b.signals()) {
    const bool asked = std::any_of(o.signals.begin(), o.signals.end(),
                                   [&](const auto& p) { return matches(p, s.spec.path); });
    if (asked && a.find(s.spec.path) == nullptr) result.only_b.push_back(s.spec.path);
  }
  const Tolerance exactly;
  for (const std::string& path : wanted) {
    const Signal& x = *a.find(path);
    const Signal* y = b.find(path);
    if (y == nullptr) {
      result.only_a.push_back(path);
      continue;
    }
    Difference& d = result.signals.emplace_back();
    d.signal = path;
    d.unit = x.spec.unit;
    if (x.spec.count != y->spec.count) {
      d.problem = std::to_string(x.spec.count) + " elements in one run, " +
                  std::to_string(y->spec.count) + " in the other";
      continue;
    }
    if (x.spec.unit != y->spec.unit) {
      d.problem = "in " + x.spec.unit + " in one run, in " + y->spec.unit + " in the other";
      continue;
    }
    const auto fitting = std::find_if(o.tolerances.begin(), o.tolerances.end(),
                                      [&](const Tolerance& t) { return matches(t.pattern, path); });
    Judge judge(d, fitting == o.tolerances.end() ? exactly : *fitting, x.spec.count);
    const Series first = a.read(x);
    Series second = b.read(*y);
    second.time = shifted_times(std::move(second.time), o.shift, first.time);
    compare_rows({first, x.spec.held}, {second, y->spec.held}, x.spec.count, o.between, d, judge);
    judge.close();
    if (d.compared == 0 && x.rows + y->rows > 0) d.problem = "the runs have no instant in common";
  }
  refuse_nothing(result);
  return result;
}

}  // namespace vernier::record
