#include "vernier/run/session/pace.hpp"

#include <fmt/format.h>

#include "vernier/base/text.hpp"

namespace vernier::session {

std::vector<Pacer*> pacers_of(const composition::Plan& plan, bool by_the_clock) {
  std::vector<Pacer*> all;
  for (const composition::Part& part : plan.parts) {
    auto* source = dynamic_cast<PacerSource*>(part.component.get());
    if (!source || (by_the_clock && !source->withholds_time())) continue;
    for (Pacer* p : source->pacers()) all.push_back(p);
  }
  return all;
}

void adopt_pace(const composition::Plan& plan, Options& options) {
  if (options.rate || options.real_time) return;
  for (const composition::Part& part : plan.parts) {
    auto* source = dynamic_cast<PacerSource*>(part.component.get());
    const auto wanted = source ? source->pace() : std::nullopt;
    if (!wanted) continue;
    options.rate = wanted->rate;
    if (options.late != realtime::LatePolicy{}) return;
    options.late = realtime::parsed_policy(wanted->late).value_or(realtime::LatePolicy{});
    return;
  }
}

std::vector<Pacer*> pacers_at_rest(const composition::Plan& plan) {
  std::vector<Pacer*> all;
  for (const composition::Part& part : plan.parts) {
    auto* source = dynamic_cast<PacerSource*>(part.component.get());
    if (!source || source->withholds_time()) continue;
    for (Pacer* p : source->pacers()) all.push_back(p);
  }
  return all;
}

std::string pace_text(const Prepared& p, const Options& o) {
  Options adopted{.rate = o.rate, .real_time = o.real_time};
  adopt_pace(p.plan, adopted);
  if (!adopted.rate && !adopted.real_time)
    return shares_time(p.plan) ? "paced by the federation" : "as fast as possible";
  const double rate = adopted.rate.value_or(1.0);
  return rate == 1.0 ? "in real time" : fmt::format("{} × real time", exact(rate));
}

std::string rest_text(Duration d) { return fmt::format("{:.4g} s", seconds(d)); }

Diagnostic not_at_rest(Duration longest, const std::string& motion) {
  Diagnostic d;
  d.category = Category::machine;
  d.code = "V4123";
  d.message = fmt::format("something still moves {} after it was to come to rest: {}",
                          rest_text(longest), motion);
  d.notes.emplace_back("the run ends although it moves: whoever supervises it must stop it");
  return d;
}

}  // namespace vernier::session
