#include "vernier/run/placement/cost.hpp"

#include <algorithm>
#include <utility>

#include "vernier/run/executive/executive.hpp"
#include "vernier/run/placement/place.hpp"

namespace vernier::placement {
namespace {

using Clock = std::chrono::steady_clock;

class Sum final : public executive::Meter {
 public:
  explicit Sum(std::size_t parts) : total(parts) {}
  std::int64_t now() noexcept override {
    return std::chrono::nanoseconds(Clock::now().time_since_epoch()).count();
  }
  void spent(std::span<const std::int64_t> by_part) noexcept override {
    for (std::size_t p = 0; p < total.size(); ++p) total[p] += static_cast<double>(by_part[p]);
  }
  std::vector<double> total;  // ns
};

}  // namespace

Cost measured_cost(composition::Plan plan, const composition::Composition& c,
                   std::chrono::nanoseconds wall) {
  Cost cost;
  for (const composition::Part& p : plan.parts) {
    if (!p.component->description().unchecked.empty()) {
      cost.unknown = p.name + " runs native code, which was not loaded";
    } else if (stays(p, c)) {
      cost.unknown =
          p.name + " is connected to a device or another program, writes files or cannot go back";
    }
    if (!cost.unknown.empty()) return cost;
  }
  const Duration step = plan.step;
  const Time stop = plan.stop > Duration{} ? Time(plan.stop) : Time::max();
  Sum sum(plan.parts.size());
  try {
    executive::Executive run(std::move(plan), {}, {.meter = &sum});
    run.initialize();
    const Clock::time_point end = Clock::now() + wall;
    Time t{}, began{};
    // the first tick finds nothing in the caches: it counts only if there is no other
    for (std::int64_t ticks = 1; t < stop && (ticks <= 2 || Clock::now() < end); ticks *= 2) {
      if (ticks == 2) {
        began = t;
        std::fill(sum.total.begin(), sum.total.end(), 0.0);
      }
      t = stop - t > ticks * step ? t + ticks * step : stop;
      if (run.run_until(t) == executive::Ending::reached) continue;
      cost.unknown = "the run fails: " + run.fault().message;
      return cost;
    }
    cost.ticks = seconds(t - began) / seconds(step);
  } catch (const ConfigurationError& e) {
    cost.unknown = "the run does not start: " + e.diagnostics().list().front().message;
    return cost;
  }
  for (const double ns : sum.total) cost.by_part.push_back(ns * 1e-9 / cost.ticks);
  return cost;
}

}  // namespace vernier::placement
