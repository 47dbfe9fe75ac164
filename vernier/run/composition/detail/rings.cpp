#include "vernier/run/composition/detail/rings.hpp"

#include <algorithm>
#include <set>

#include "vernier/base/ordering.hpp"
#include "vernier/base/text.hpp"
#include "vernier/run/composition/detail/loop.hpp"

namespace vernier::composition::detail {

namespace {

const Port& source(const Plan& plan, const Wire& w) {
  return plan.parts[w.from_part].component->description().outputs[w.from];
}

bool couples(const Plan& plan, const Wire& w) {
  const Part &a = plan.parts[w.from_part], &b = plan.parts[w.to_part];
  return w.delay == Duration{} && source(plan, w).flow == Flow::signal && !a.rate.periodic() &&
         !b.rate.periodic();
}

void report_ring(const Plan& plan, const std::vector<const Wire*>& ring, Diagnostics& problems) {
  std::vector<std::string> names;
  std::vector<Hop> hops;
  for (const Wire* w : ring) {
    const Part &a = plan.parts[w->from_part], &b = plan.parts[w->to_part];
    names.push_back(a.name);
    hops.push_back(
        {path(a, source(plan, *w)), path(b, b.component->description().inputs[w->to]), w->place});
  }
  const std::string who = names.size() == 1 ? names[0] + " acts on itself"
                          : names.size() == 2
                              ? names[0] + " and " + names[1] + " act on each other"
                              : joined(names, ", ") + " act on each other in a ring";
  Place whole;
  whole.file = ring.back()->place.file;
  Diagnostic& d =
      problems.warning("V2130",
                       who + " but " + (names.size() == 1 ? "is" : "are") +
                           " integrated apart: what goes between them is held for up to " +
                           exact(1e3 * seconds(plan.step)) + " ms",
                       whole);
  d.body = chain(hops);
  d.notes.push_back(
      "systems: integrate them together, in one island or without the attribute island");
  d.notes.push_back(
      "others: give what is sampled its rate, what takes time a delay, or shorten the step");
  d.notes.push_back("vernier check FILE --coupling   shows what the step does to the results");
}

}  // namespace

void warn_of_rings(const Plan& plan, Diagnostics& problems) {
  // model each part as a block whose only output depends on its only input: a ring is a loop of
  // these
  const std::vector<Block> blocks(plan.parts.size(),
                                  {.outputs = 1, .inputs = 1, .needs = {{0, 0}}});
  std::set<std::size_t> told;
  while (true) {
    std::vector<DirectFeed> links;
    std::vector<const Wire*> wires;
    for (const Wire& w : plan.wires) {
      if (!couples(plan, w) || told.contains(w.from_part) || told.contains(w.to_part)) continue;
      links.push_back({w.from_part, 0, w.to_part, 0});
      wires.push_back(&w);
    }
    const Ordering o = ordering(blocks, links);
    if (o.loop.empty()) return;
    std::vector<const Wire*> ring;
    for (const DirectFeed& l : o.loop) {
      const auto at = std::find(links.begin(), links.end(), l) - links.begin();
      ring.push_back(wires[static_cast<std::size_t>(at)]);
      told.insert(l.from);
    }
    report_ring(plan, ring, problems);
  }
}

}  // namespace vernier::composition::detail
