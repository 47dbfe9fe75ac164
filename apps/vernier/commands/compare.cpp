#include "vernier/run/record/compare.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>

#include "apps/vernier/command.hpp"
#include "apps/vernier/run_argument.hpp"
#include "vernier/base/text.hpp"
#include "vernier/run/desktop/compare_runs.hpp"

namespace vernier::app {
namespace {

struct CompareRequest {
  std::string a, b, tolerances, shift;
  std::vector<std::string> signals;
  double absolute = 0.0, relative = 0.0;
  bool between = false, json = false;
};

void show_comparison(const record::Comparison& c) {
  std::size_t wide = 6;
  for (const record::Difference& d : c.signals) wide = std::max(wide, width(d.signal));
  fmt::print("    {:<{}}  {:>12}  {:>12}  {:>12}  first outside\n", "signal", wide, "largest", "at",
             "rms");
  for (const record::Difference& d : c.signals) {
    if (!d.problem.empty()) {
      fmt::print("  ✗ {:<{}}  {}\n", d.signal, wide, d.problem);
      continue;
    }
    fmt::print("  {} {:<{}}  {:>12.4g}  {:>10.3f} s  {:>12.4g}  {}\n", d.within() ? "✓" : "✗",
               d.signal, wide, d.largest, d.largest_at, d.rms,
               d.diverges_at ? fmt::format("{:.3f} s", *d.diverges_at) : "");
  }
  for (const std::string& s : c.only_a) fmt::print("  ✗ {:<{}}  only in the first run\n", s, wide);
  for (const std::string& s : c.only_b) fmt::print("  ✗ {:<{}}  only in the second run\n", s, wide);
  fmt::print("\n{}\n", c.within() ? "the runs agree" : "the runs differ");
}

/// A time that may be negative.
Duration shift_in(const std::string& text) {
  const bool back = text.starts_with('-');
  const Duration t = time_in("--shift", back ? text.substr(1) : text);
  return back ? -t : t;
}

int compare(const CompareRequest& a) {
  const record::ResultReader first(run_argument(a.a)), second(run_argument(a.b));
  record::CompareOptions options;
  if (!a.signals.empty()) options.signals = a.signals;
  if (!a.tolerances.empty()) options.tolerances = record::read_tolerances(a.tolerances);
  if (a.absolute > 0.0 || a.relative > 0.0)
    options.tolerances.push_back({"*", a.absolute, a.relative});
  if (!a.shift.empty()) options.shift = seconds(shift_in(a.shift));
  options.between = a.between;
  const record::Comparison c = record::compare(first, second, options);
  if (a.json) {
    fmt::print("{}\n", desktop::json_of(c).dump(2));
  } else {
    show_comparison(c);
  }
  return c.within() ? status::good : status::broken_check;
}

}  // namespace

Action declare_compare(CLI::App& app) {
  auto asked = std::make_shared<CompareRequest>();
  app.add_option("first", asked->a, "a run's folder")->required()->type_name("");
  app.add_option("second", asked->b, "another one")->required()->type_name("");
  app.add_option("--signals", asked->signals, "patterns (default: all)")
      ->type_name("PATTERN")
      ->expected(1)
      ->take_all();
  app.add_option("--tolerances", asked->tolerances, "a document of tolerances")
      ->type_name("FILE")
      ->check(CLI::Validator(CLI::ExistingFile).description(""));
  app.add_option("--absolute", asked->absolute, "allowed difference, in each signal's unit")
      ->type_name("NUMBER")
      ->check(CLI::Validator(CLI::NonNegativeNumber).description(""));
  app.add_option("--relative", asked->relative, "allowed share of the larger value")
      ->type_name("NUMBER")
      ->check(CLI::Validator(CLI::NonNegativeNumber).description(""));
  app.add_option("--shift", asked->shift, "added to the times of the second run: -2.5s")
      ->type_name("TIME");
  app.add_flag("--between", asked->between,
               "also compare where only one run has a row: the other's value is held or "
               "interpolated");
  app.add_flag("--json", asked->json, "as one JSON object");
  app.footer(
      "Without tolerances the runs must be equal to the bit. Exit status 3 when they differ.");
  return [asked](const Invocation&) { return compare(*asked); };
}

}  // namespace vernier::app
