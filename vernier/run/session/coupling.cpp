#include "vernier/run/session/coupling.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "vernier/base/temporary_folder.hpp"
#include "vernier/base/text.hpp"
#include "vernier/run/composition/time_text.hpp"
#include "vernier/run/record/compare.hpp"
#include "vernier/run/session/session.hpp"

namespace vernier::session {

namespace {

/// A run that can be repeated: it has no external connections.
Prepared repeatable(const std::filesystem::path& document, const Changes& changes,
                    const Catalogue& catalogue, Diagnostics& problems) {
  Prepared p = prepare(document, changes, catalogue, problems);
  for (const composition::Part& part : p.plan.parts) {
    if (!part.component->description().abilities.faces_world) continue;
    throw ConfigurationError("V2134",
                             part.name +
                                 " is connected to an external device or process, so the run "
                                 "cannot be repeated to measure the coupling",
                             part.place);
  }
  return p;
}

record::ResultReader results(Prepared prepared, const Changes& changes,
                             const std::filesystem::path& folder) {
  const std::string step = composition::step_text(prepared.plan.step, prepared.plan.step_rate);
  Diagnostics told;  // by the first preparation
  Session session(std::move(prepared), {.runs = folder, .changes = changes}, told);
  const Summary s = session.run();
  if (s.fault) {
    Diagnostic d = *s.fault;
    d.notes.push_back("in the run at a step of " + step);
    Diagnostics all;
    all.add(std::move(d));
    throw ConfigurationError(all);
  }
  return record::ResultReader(session.folder());
}

double largest_value(const record::ResultReader& r, const record::Signal& s) {
  double largest = 0.0;
  for (const double v : r.read(s).values)
    if (std::isfinite(v)) largest = std::max(largest, std::abs(v));
  return largest;
}

}  // namespace

bool Coupling::within() const noexcept {
  return std::all_of(signals.begin(), signals.end(),
                     [this](const CoupledSignal& s) { return !s.real || s.error <= tolerance; });
}

Duration Coupling::advised() const noexcept {
  double least = seconds(step);
  for (const CoupledSignal& s : signals)
    if (s.real && s.error > tolerance) least = std::min(least, s.step);
  if (!(least < seconds(step))) return step;
  // the largest of 1, 2, 5, 10, 20, … nanoseconds that is not longer
  const double wanted = least * 1e9;
  std::int64_t unit = 1, best = 1;
  for (; static_cast<double>(unit) <= wanted; unit *= 10)
    for (const int factor : {1, 2, 5})
      if (static_cast<double>(factor * unit) <= wanted) best = factor * unit;
  return Duration(best);
}

Coupling coupling(const std::filesystem::path& document, const Changes& changes,
                  const Catalogue& catalogue, double tolerance, Diagnostics& problems) {
  Prepared first = repeatable(document, changes, catalogue, problems);
  Coupling c{
      .step = first.plan.step, .stop = first.plan.stop, .tolerance = tolerance, .signals = {}};
  Changes halved = changes;
  halved.set.push_back("run.step=" +
                       composition::step_text(first.plan.step, first.plan.step_rate, 2));
  Diagnostics same;
  Prepared second = repeatable(document, halved, catalogue, same);

  const TemporaryFolder folder;
  const record::ResultReader whole = results(std::move(first), changes, folder.path());
  const record::ResultReader half = results(std::move(second), halved, folder.path());
  for (const record::Difference& d : record::compare(whole, half).signals) {
    const record::Signal& signal = *whole.find(d.signal);
    CoupledSignal s{.signal = d.signal,
                    .unit = d.unit,
                    .real = signal.spec.scalar == Scalar::real,
                    .difference = d.largest,
                    .at = d.largest_at};
    s.largest = largest_value(whole, signal);
    if (d.largest > 0.0) {
      s.error = s.largest > 0.0 ? 2.0 * d.largest / s.largest : HUGE_VAL;
      s.step = seconds(c.step) * tolerance / s.error;
    }
    c.signals.push_back(std::move(s));
  }
  return c;
}

}  // namespace vernier::session
