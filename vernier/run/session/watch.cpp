#include "vernier/run/session/watch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "vernier/base/codec.hpp"
#include "vernier/base/require.hpp"
#include "vernier/base/text.hpp"
#include "vernier/base/units.hpp"

namespace vernier::session {

using composition::Check;
using composition::Report;

double Watch::Source::value() const noexcept {
  if (last == first + 1) return port->element(first);
  double sum = 0.0;
  for (std::uint32_t i = first; i < last; ++i) {
    const double v = port->element(i);
    sum += v * v;
  }
  return std::sqrt(sum);
}

Watch::Source Watch::source_of(const composition::Endpoint& end,
                               const executive::Executive& executive) {
  const executive::PortView* port = executive.find(end.instance + "." + end.port);
  require(port != nullptr);
  return {port, end.first, std::min(end.last, port->port->count)};
}

Watch::Watch(const composition::Composition& c, const executive::Executive& executive) {
  for (const Report& r : c.reports) {
    Reported& item = reports_.emplace_back();
    item.spec = r;
    item.source = source_of(r.signal, executive);
  }
  for (const Check& k : c.checks) {
    Checked& item = checks_.emplace_back();
    item.spec = k;
    item.source = source_of(k.signal, executive);
    item.reference.resize(item.source.last - item.source.first);
    CheckResult& result = item.result;
    result.name = k.name;
    result.signal = k.signal.text;
    result.kind = k.kind;
    result.unit = k.kind == Check::Kind::constant ? "1" : item.source.port->port->unit;
    const bool by_tolerance = k.kind == Check::Kind::constant || k.kind == Check::Kind::near;
    result.allowed = by_tolerance ? k.tolerance : k.limit;
  }
  for (Reported& r : reports_) {
    Eye& e = eye(r.source);
    e.reports.push_back(&r);
    e.ports.push_back(r.source.port);
  }
  for (Checked& k : checks_) {
    Eye& e = eye(k.source);
    e.checks.push_back(&k);
    e.ports.push_back(k.source.port);
  }
}

Watch::Eye& Watch::eye(const Source& source) {
  const std::uint32_t cluster = source.port->cluster;
  for (const auto& e : eyes_)
    if (e->cluster == cluster) return *e;
  eyes_.push_back(std::make_unique<Eye>());
  eyes_.back()->cluster = cluster;
  return *eyes_.back();
}

void Watch::attach(executive::Executive& executive) {
  executive.observe(*this, {.events = false});
  for (const auto& e : eyes_) executive.observe(*e, {.cluster = e->cluster});
}

void Watch::leave(executive::Executive& executive) noexcept {
  executive.remove(*this);
  for (const auto& e : eyes_) executive.remove(*e);
}

std::vector<std::byte> Watch::save() const {
  std::vector<std::byte> bytes;
  ByteWriter w(bytes);
  for (const Reported& r : reports_) w(r);
  for (const Checked& c : checks_) w(c);
  return bytes;
}

bool Watch::load(std::span<const std::byte> bytes) {
  ByteReader r(bytes);
  for (Reported& x : reports_) r(x);
  for (Checked& c : checks_) {
    const std::size_t elements = c.reference.size();
    r(c);
    if (c.reference.size() != elements) return false;
  }
  return r.complete();
}

void Watch::sample(Instant at, bool) noexcept {
  now_.store(at.time.time_since_epoch().count(), std::memory_order_relaxed);
}

void Watch::Eye::sample(Instant at, bool) noexcept {
  const double t = seconds(at.time);
  for (Reported* r : reports) take(*r, t);
  for (Checked* c : checks) {
    if (!c->spec.from || at.time >= *c->spec.from) take(*c, t);
  }
}

void Watch::take(Reported& r, double t) noexcept {
  const double v = r.source.value();
  if (!r.any) {
    r.any = true;
    r.first = r.least = r.most = v;
    r.when = r.began = t;
  } else {
    const double dt = t - r.before;
    // trapezoidal rule; between the two samples of an event no time passes
    r.integral += 0.5 * dt * (v + r.previous);
    r.square += 0.5 * dt * (v * v + r.previous * r.previous);
    if (v > r.most) {
      r.most = v;
      r.when = t;
    }
    r.least = std::min(r.least, v);
  }
  r.previous = v;
  r.before = t;
}

void Watch::take(Checked& c, double t) noexcept {
  CheckResult& result = c.result;
  double worst = 0.0;
  bool kept = true;
  switch (c.spec.kind) {
    case Check::Kind::constant: {
      if (!result.seen) {
        for (std::size_t i = 0; i < c.reference.size(); ++i) {
          c.reference[i] = c.source.port->element(c.source.first + i);
        }
        c.size = c.source.value();
      }
      double sum = 0.0;
      for (std::size_t i = 0; i < c.reference.size(); ++i) {
        const double d = c.source.port->element(c.source.first + i) - c.reference[i];
        sum += d * d;
      }
      // a value that begins at zero has no relative change
      worst = std::sqrt(sum) / (c.size > 0.0 ? c.size : 1.0);
      kept = worst <= c.spec.tolerance;
      break;
    }
    case Check::Kind::below:
      worst = c.source.value();
      kept = worst < c.spec.limit;
      break;
    case Check::Kind::above:
      worst = c.source.value();
      kept = worst > c.spec.limit;
      break;
    case Check::Kind::near:
      worst = std::abs(c.source.value() - c.spec.limit);
      kept = worst <= c.spec.tolerance;
      break;
  }
  const bool lower = c.spec.kind == Check::Kind::above;
  // NaN is the worst of all and is kept
  const bool further = std::isnan(worst) || (lower ? worst < result.worst : worst > result.worst);
  if (!result.seen || (further && !std::isnan(result.worst))) {
    result.worst = worst;
    result.at = t;
  }
  result.seen = true;
  result.kept = result.kept && kept;
}

std::vector<ReportResult> Watch::reports() const {
  std::vector<ReportResult> list;
  for (const Reported& r : reports_) {
    if (!r.any) continue;
    const double span = r.before - r.began;
    ReportResult result{r.spec.name, r.spec.signal.text, r.source.port->port->unit, 0.0};
    switch (r.spec.kind) {
      case Report::Kind::last:
        result.value = r.previous;
        break;
      case Report::Kind::first:
        result.value = r.first;
        break;
      case Report::Kind::maximum:
        result.value = r.most;
        break;
      case Report::Kind::minimum:
        result.value = r.least;
        break;
      case Report::Kind::mean:
        result.value = span > 0.0 ? r.integral / span : r.first;
        break;
      case Report::Kind::rms:
        result.value = span > 0.0 ? std::sqrt(r.square / span) : std::abs(r.first);
        break;
      case Report::Kind::time_of_maximum:
        result.value = r.when;
        result.unit = "s";
        break;
    }
    // values are in SI, regardless of the display unit
    if (!r.spec.unit.empty()) result.unit = r.spec.unit;
    if (const auto unit = parsed_unit(result.unit)) result.value /= unit->factor;
    list.push_back(std::move(result));
  }
  return list;
}

std::string words_of(const CheckResult& c) {
  const std::string unit = c.unit == "1" ? "" : " " + c.unit;
  if (!c.seen) return "was never looked at";
  switch (c.kind) {
    case Check::Kind::constant:
      return fmt::format("changes by {:.2g}, allowed {:.2g}", c.worst, c.allowed);
    case Check::Kind::below:
      return fmt::format("at most {:.6g}{}, allowed below {}{}", c.worst, unit, exact(c.allowed),
                         unit);
    case Check::Kind::above:
      return fmt::format("at least {:.6g}{}, allowed above {}{}", c.worst, unit, exact(c.allowed),
                         unit);
    case Check::Kind::near:
      return fmt::format("off by {:.3g}{}, allowed {:.3g}{}", c.worst, unit, c.allowed, unit);
  }
  return {};
}

std::vector<CheckResult> Watch::checks() const {
  std::vector<CheckResult> list;
  for (const Checked& c : checks_) {
    CheckResult& result = list.emplace_back(c.result);
    const auto unit = parsed_unit(result.unit);
    result.worst /= unit ? unit->factor : 1.0;
    result.allowed /= unit ? unit->factor : 1.0;
  }
  return list;
}

}  // namespace vernier::session
