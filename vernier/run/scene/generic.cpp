#include "vernier/run/scene/detail/generic.hpp"

#include <algorithm>
#include <map>
#include <set>

namespace vernier::scene::detail {
namespace {

struct Named {
  std::string stem;  // "servicer", or empty
  bool attitude = false;
};

/// What a port says of a place, by its name and kind.
std::optional<Named> place_in(std::string_view port, const Port& p) {
  if (p.scalar != Scalar::real || p.flow != Flow::signal || p.state) return {};
  const std::size_t dot = port.rfind('.');
  const std::string_view last = dot == std::string_view::npos ? port : port.substr(dot + 1);
  const std::string_view stem = dot == std::string_view::npos ? "" : port.substr(0, dot);
  // What is measured repeats what is.
  if (stem.starts_with("measured")) return {};
  if (last == "position" && p.count == 3 && p.unit == "m") return Named{std::string(stem), false};
  if ((last == "attitude" || last == "quaternion") && p.count == 4 && p.unit == "1")
    return Named{std::string(stem), true};
  return {};
}

void see(const Signals& signals, const std::string& instance, std::string_view port, const Port& p,
         std::map<std::string, Seen>& all) {
  const auto named = place_in(port, p);
  if (!named) return;
  const std::string name = named->stem.empty() ? instance : instance + "." + named->stem;
  Seen& s = all[name];
  s.instance = instance;
  s.name = name;
  Binding b{.signal = std::string(port), .count = p.count};
  if (p.initial) b.start = *p.initial;
  b = signals.resolved(instance, std::move(b));
  b.count = p.count;
  Binding& to = named->attitude ? s.attitude : s.position;
  // An output says more than the input of the same name.
  if (to.count == 0 || !known(to)) to = std::move(b);
}

std::string source(const Binding& b) { return b.signal + "#" + std::to_string(b.element); }

}  // namespace

std::vector<Seen> seen_at_ports(const composition::Plan& plan,
                                const std::vector<std::string>& instances, const Signals& signals) {
  std::map<std::string, Seen> all;
  for (const composition::Part& part : plan.parts) {
    const Description& d = part.component->description();
    for (const auto* ports : {&d.outputs, &d.inputs}) {
      for (const Port& p : *ports) {
        const std::string path = composition::path(part, p);
        for (const std::string& i : part.instances) {
          if (!path.starts_with(i + ".")) continue;
          if (std::find(instances.begin(), instances.end(), i) == instances.end()) continue;
          see(signals, i, std::string_view(path).substr(i.size() + 1), p, all);
        }
      }
    }
  }
  // Those with both first: they stand for the instances that their values come from.
  std::vector<Seen> found;
  std::set<std::string> taken;
  for (const int pass : {0, 1}) {
    for (const auto& [name, s] : all) {
      const bool both = s.position.count > 0 && s.attitude.count > 0;
      if (both != (pass == 0)) continue;
      if (both && !known(s.position) && !known(s.attitude)) continue;
      bool fresh = false;
      for (const Binding* b : {&s.attitude, &s.position}) {
        if (b->count == 0 || b->signal.empty()) continue;
        fresh |= taken.insert(source(*b)).second;
      }
      if (fresh) found.push_back(s);
    }
  }
  return found;
}

}  // namespace vernier::scene::detail
