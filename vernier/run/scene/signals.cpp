#include <algorithm>

#include "vernier/base/text.hpp"
#include "vernier/run/scene/detail/signals.hpp"

namespace vernier::scene::detail {

using composition::Composition;
using composition::Connection;
using composition::Endpoint;

namespace {

/// A composition records what its patterns match; all, without any.
Recorded records_of(const Composition& c) {
  return [&c](std::string_view path) {
    return c.records.empty() ||
           std::any_of(c.records.begin(), c.records.end(), [&](const composition::Record& r) {
             const auto patterns = words(r.signals);
             return std::any_of(patterns.begin(), patterns.end(),
                                [&](std::string_view p) { return matches(p, path); });
           });
  };
}

/// The elements of a port that a connection carries, as far as they are written down.
std::uint32_t elements(const Endpoint& e) {
  return e.last == std::numeric_limits<std::uint32_t>::max() ? e.last : e.last - e.first;
}

}  // namespace

Signals::Signals(const Composition& c, const composition::Plan& plan, const Recorded& recorded)
    : composition_(c), recorded_(recorded ? recorded : records_of(c)) {
  for (const composition::Part& part : plan.parts) {
    for (const Port& p : part.component->description().outputs)
      outputs_.try_emplace(composition::path(part, p), &p);
    for (const Port& p : part.component->description().inputs)
      inputs_.insert(composition::path(part, p));
  }
}

Binding Signals::resolved(const std::string& instance, Binding b) const {
  if (b.signal.empty()) return b;
  const std::string path = instance + "." + b.signal;
  if (outputs_.contains(path)) {
    b.recorded = recorded_(path);
    b.signal = path;
    b.request.clear();
    return b;
  }
  Binding found = fed(instance, b);
  if (!found.signal.empty() || !found.sum.empty() || !found.start.empty()) return found;
  b.signal = path;
  b.recorded = false;
  return b;
}

Binding Signals::fed(const std::string& instance, const Binding& b) const {
  std::vector<Binding> terms;
  for (const Connection& k : composition_.connections) {
    if (k.to.instance != instance || k.to.port != b.signal) continue;
    if (auto term = source(k, b)) terms.push_back(std::move(*term));
  }
  // An input that nothing feeds keeps its value.
  if (terms.empty() && inputs_.contains(instance + "." + b.signal))
    return {.count = b.count, .start = b.start};
  if (terms.empty()) return {};
  if (terms.size() == 1) {
    if (terms.front().start.empty()) terms.front().start = b.start;
    return std::move(terms.front());
  }
  return {.count = b.count, .start = b.start, .sum = std::move(terms)};
}

std::optional<Binding> Signals::source(const Connection& k, const Binding& b) const {
  const std::uint32_t first = k.to.first;
  const std::uint32_t count = std::min(elements(k.from), elements(k.to));
  if (b.element < first || b.element - first >= count) return {};
  if (count != std::numeric_limits<std::uint32_t>::max() && b.element - first + b.count > count)
    return {};
  Binding s{.signal = k.from.instance + "." + k.from.port,
            .element = k.from.first + b.element - first,
            .count = b.count,
            .gain = b.gain * k.gain};
  if (outputs_.contains(s.signal)) {
    s.recorded = recorded_(s.signal);
    if (k.from.instance != "ext") return s;
  }
  const auto given =
      std::find_if(composition_.inputs.begin(), composition_.inputs.end(),
                   [&](const composition::ExternalInput& i) { return i.name == k.from.port; });
  if (k.from.instance != "ext" || given == composition_.inputs.end()) {
    s.recorded = false;
    return s;
  }
  for (std::size_t i = s.element;
       i < std::min<std::size_t>(s.element + s.count, given->value.size()); ++i)
    s.start.push_back(s.gain * given->value[i]);
  // Without a stimulus it is constant.
  const bool driven = std::any_of(composition_.stimuli.begin(), composition_.stimuli.end(),
                                  [&](const composition::Stimulus& t) {
                                    return t.to.instance == "ext" && t.to.port == k.from.port;
                                  });
  if (!driven)
    s.signal.clear();
  else
    s.recorded = outputs_.contains(s.signal) && recorded_(s.signal);
  return s;
}

bool known(const Binding& b) {
  if (!b.sum.empty()) return std::all_of(b.sum.begin(), b.sum.end(), known);
  return b.signal.empty() || b.recorded;
}

void add_missing(const Binding& b, std::vector<std::string>& to) {
  for (const Binding& term : b.sum) add_missing(term, to);
  if (known(b) || !b.sum.empty()) return;
  if (std::find(to.begin(), to.end(), b.signal) == to.end()) to.push_back(b.signal);
}

}  // namespace vernier::scene::detail
