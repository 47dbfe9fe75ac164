#include "vernier/run/scene/scene_of.hpp"

#include <algorithm>
#include <deque>
#include <map>
#include <set>

#include "vernier/base/text.hpp"
#include "vernier/run/composition/sources.hpp"
#include "vernier/run/scene/detail/generic.hpp"

namespace vernier::scene {

using composition::Composition;
using composition::Instance;

namespace {

using detail::Seen;
using detail::Signals;

/// Which instances are joined by connections, and how far apart.
class Neighbours {
 public:
  explicit Neighbours(const Composition& c) {
    for (const composition::Connection& k : c.connections) {
      if (k.from.instance == "ext") continue;
      joined_[k.from.instance].insert(k.to.instance);
      joined_[k.to.instance].insert(k.from.instance);
      if (k.from.port == "position") placed_[k.from.instance].insert(k.to.instance);
    }
  }
  /// The nearest of `wanted`; the first of several. Nothing if none is joined, unless there is only
  /// one.
  std::optional<std::string> nearest(const std::string& from,
                                     const std::vector<std::string>& wanted) const {
    const auto is_wanted = [&](const std::string& i) {
      return std::find(wanted.begin(), wanted.end(), i) != wanted.end();
    };
    std::set<std::string> seen{from};
    std::deque<std::string> next{from};
    while (!next.empty()) {
      const std::string at = std::move(next.front());
      next.pop_front();
      if (is_wanted(at)) return at;
      const auto found = joined_.find(at);
      if (found == joined_.end()) continue;
      for (const std::string& i : found->second)
        if (seen.insert(i).second) next.push_back(i);
    }
    if (wanted.size() == 1) return wanted.front();
    return {};
  }
  /// Whether the output `position` of one feeds the other.
  bool places(const std::string& from, const std::string& to) const {
    const auto found = placed_.find(from);
    return found != placed_.end() && found->second.contains(to);
  }

 private:
  std::map<std::string, std::set<std::string>> joined_, placed_;
};

class Composer {
 public:
  Composer(const Composition& c, const composition::Plan& plan, const Catalogue& catalogue,
           const Recorded& recorded)
      : composition_(c),
        plan_(plan),
        catalogue_(catalogue),
        sources_(c.sources ? c.sources : std::make_shared<composition::Sources>()),
        signals_(c, plan, recorded),
        neighbours_(c) {}

  Composed run() {
    made_.name = composition_.name;
    std::vector<std::string> unknown;
    for (const Instance& i : composition_.instances) {
      const auto scene = scene_of_instance(i);
      if (!scene) {
        unknown.push_back(i.name);
      } else {
        take(i.name, *scene);
      }
    }
    const auto placed = [](const Body& b) { return b.kind != Body::Kind::planet && !b.aboard; };
    if (std::none_of(bodies_.begin(), bodies_.end(), placed)) add_seen(unknown);
    place_crafts();
    attach();
    in_order();
    note_missing();
    return std::move(made_);
  }

 private:
  std::optional<Scene> scene_of_instance(const Instance& i) const {
    const Type* type = i.file.empty() ? catalogue_.find(i.type)
                                      : sources_->type(i.file, i.place, catalogue_, nullptr);
    if (!type || !type->scene) return {};
    Diagnostics ignored;  // make_plan() reports them
    const Parameters parameters(i.name, type->parameters, i.parameters, composition_.run.seed,
                                i.place, ignored, composition_.run.arithmetic);
    if (ignored.errors() > 0) return {};
    try {
      return type->scene(parameters);
    } catch (const ConfigurationError&) {
      return {};
    }
  }

  /// Names and signals as paths.
  void take(const std::string& instance, Scene s) {
    std::set<std::string> shared;
    for (const Body& b : s.bodies)
      if (b.shared) shared.insert(b.name);
    const auto path = [&](const std::string& name) {
      if (shared.contains(name)) return name;
      return name.empty() ? instance : instance + "." + name;
    };
    for (Body& b : s.bodies) {
      const bool own_parent = !b.parent.empty();
      b.name = path(b.name);
      if (own_parent) b.parent = path(b.parent);
      for (Step& t : b.pose) t.by = signals_.resolved(instance, std::move(t.by));
      if (b.modes) b.modes = signals_.resolved(instance, std::move(*b.modes));
      for (Shape& shape : b.shapes) shape.by = signals_.resolved(instance, std::move(shape.by));
      if (b.orbit) resolve(instance, *b.orbit);
      if (b.shared && merged(b)) continue;
      if (b.kind == Body::Kind::craft) crafts_.try_emplace(instance, b.name);
      owners_[b.name] = instance;
      bodies_.push_back(std::move(b));
    }
    for (Curve& c : s.curves) {
      c.name = path(c.name);
      for (Curve::Through& t : c.through) t.body = path(t.body);
      made_.scene.curves.push_back(std::move(c));
    }
    for (Arrow& v : s.vectors) {
      if (!v.of.empty()) v.of = path(v.of);
      if (!v.axes.empty()) v.axes = path(v.axes);
      v.by = signals_.resolved(instance, std::move(v.by));
      arrows_.emplace_back(instance, std::move(v));
    }
    for (Place& p : s.places) {
      resolve(instance, p.orbit);
      places_.emplace_back(instance, std::move(p));
    }
    if (s.up && !made_.scene.up) made_.scene.up = s.up;
    if (s.sun && !made_.scene.sun) made_.scene.sun = signals_.resolved(instance, std::move(*s.sun));
  }

  void resolve(const std::string& instance, Orbit& o) const {
    o.position = signals_.resolved(instance, std::move(o.position));
    o.velocity = signals_.resolved(instance, std::move(o.velocity));
  }

  /// Adds what this one knows to the shared body of the same name, if there is one: its pose, and
  /// shapes of kinds that it lacks.
  bool merged(Body& b) {
    const auto found = std::find_if(bodies_.begin(), bodies_.end(),
                                    [&](const Body& o) { return o.shared && o.name == b.name; });
    if (found == bodies_.end()) return false;
    if (found->pose.empty() && found->parent.empty()) {
      found->pose = std::move(b.pose);
      found->parent = std::move(b.parent);
    }
    const std::size_t had = found->shapes.size();
    for (Shape& s : b.shapes) {
      if (std::none_of(found->shapes.begin(), found->shapes.begin() + static_cast<long>(had),
                       [&](const Shape& o) { return o.shape == s.shape; }))
        found->shapes.push_back(std::move(s));
    }
    return true;
  }

  void add_seen(const std::vector<std::string>& unknown) {
    for (Seen& s : detail::seen_at_ports(plan_, unknown, signals_)) {
      const bool turns = s.attitude.count > 0, moves = s.position.count > 0;
      if (!turns && std::any_of(composition_.instances.begin(), composition_.instances.end(),
                                [&](const Instance& i) {
                                  return i.name != s.instance &&
                                         neighbours_.places(s.instance, i.name);
                                })) {
        places_.emplace_back(s.instance, Place{{.position = std::move(s.position)}});
        continue;
      }
      Body b{.name = s.name, .kind = Body::Kind::craft};
      b.floats = turns && !moves;
      if (moves) b.pose.push_back(position(std::move(s.position)));
      if (turns) b.pose.push_back(attitude(std::move(s.attitude)));
      Shape cube{.shape = turns ? "box" : "sphere", .role = "bus", .assumed = true};
      if (turns) cube.size = {1.0, 1.0, 1.0};
      if (!turns) cube.radius = 0.5;
      b.shapes = {cube};
      crafts_.try_emplace(s.instance, b.name);
      owners_[b.name] = s.instance;
      bodies_.push_back(std::move(b));
    }
  }

  /// Orbits give their position to bodies that have none: those that they feed, or the nearest.
  void place_crafts() {
    std::vector<std::string> orbits;
    for (const auto& [instance, place] : places_) orbits.push_back(instance);
    std::set<std::string> used;
    for (Body& b : bodies_) {
      if (!b.floats || orbits.empty()) continue;
      const std::string& owner = owners_[b.name];
      std::vector<std::string> open;
      for (const std::string& o : orbits) {
        const bool feeds_others =
            std::any_of(bodies_.begin(), bodies_.end(), [&](const Body& other) {
              return other.floats && neighbours_.places(o, owners_[other.name]);
            });
        if (!feeds_others || neighbours_.places(o, owner)) open.push_back(o);
      }
      const auto chosen = neighbours_.nearest(owner, open);
      if (!chosen) continue;
      const auto& place = std::find_if(places_.begin(), places_.end(), [&](const auto& p) {
                            return p.first == *chosen;
                          })->second;
      b.pose.insert(b.pose.begin(), position(place.orbit.position));
      if (!place.orbit.about.empty()) b.orbit = place.orbit;
      used.insert(*chosen);
    }
    for (auto& [instance, place] : places_) {
      if (used.contains(instance)) continue;
      Body b{.name = instance, .kind = Body::Kind::craft};
      b.pose = {position(place.orbit.position)};
      b.shapes = {{.shape = "sphere", .role = "bus", .assumed = true, .radius = 0.5}};
      if (!place.orbit.about.empty()) b.orbit = std::move(place.orbit);
      crafts_.try_emplace(instance, b.name);
      bodies_.push_back(std::move(b));
    }
  }

  std::string craft_near(const std::string& instance) const {
    std::vector<std::string> all;
    for (const auto& [owner, name] : crafts_) all.push_back(owner);
    const auto found = neighbours_.nearest(instance, all);
    return found ? crafts_.at(*found) : std::string();
  }

  /// Parts that are aboard, and vectors, go to the nearest craft.
  void attach() {
    std::erase_if(bodies_, [&](Body& b) {
      if (!b.aboard) return false;
      b.parent = craft_near(owners_[b.name]);
      return b.parent.empty();
    });
    for (auto& [instance, v] : arrows_) {
      if (v.of.empty()) v.of = craft_near(instance);
      if (v.of.empty()) continue;
      v.name = instance + "." + v.name;
      if (v.of_craft) v.axes = v.of;
      made_.scene.vectors.push_back(std::move(v));
    }
  }

  /// Parents before their children. A parent that nobody describes is a frame at the origin.
  void in_order() {
    std::map<std::string, std::size_t> at;
    for (std::size_t i = 0; i < bodies_.size(); ++i) at.emplace(bodies_[i].name, i);
    for (std::size_t i = 0; i < bodies_.size(); ++i) {
      const std::string parent = bodies_[i].parent;
      if (parent.empty() || at.contains(parent)) continue;
      at.emplace(parent, bodies_.size());
      bodies_.push_back({.name = parent, .kind = Body::Kind::frame});
    }
    std::vector<int> state(bodies_.size(), 0);  // 1: on the way down, 2: done
    const auto visit = [&](const auto& self, std::size_t i) -> void {
      if (state[i] != 0) return;
      state[i] = 1;
      const auto up = at.find(bodies_[i].parent);
      if (!bodies_[i].parent.empty() && state[up->second] == 1) bodies_[i].parent.clear();
      if (!bodies_[i].parent.empty()) self(self, up->second);
      state[i] = 2;
      made_.scene.bodies.push_back(std::move(bodies_[i]));
    };
    for (std::size_t i = 0; i < bodies_.size(); ++i) visit(visit, i);
  }

  void note(const Binding& b, const std::vector<std::string>& missing) {
    for (const Binding& term : b.sum) note(term, missing);
    if (std::find(missing.begin(), missing.end(), b.signal) == missing.end()) return;
    if (!b.request.empty()) {
      requests_[b.request].insert(b.signal);
    } else if (signals_.has(b.signal)) {
      unrecorded_.insert(b.signal);
    }
  }

  void note_missing() {
    for (Body& b : made_.scene.bodies) {
      for (const Step& t : b.pose) detail::add_missing(t.by, b.missing);
      if (b.modes) detail::add_missing(*b.modes, b.missing);
      for (const Step& t : b.pose) note(t.by, b.missing);
      if (b.modes) note(*b.modes, b.missing);
    }
    if (!unrecorded_.empty()) {
      const std::vector<std::string> all(unrecorded_.begin(), unrecorded_.end());
      made_.missing.push_back({all, "<record signals=\"" + joined(all, " ") + "\"/>"});
    }
    for (const auto& [request, signals] : requests_)
      made_.missing.push_back({{signals.begin(), signals.end()}, request});
  }

  const Composition& composition_;
  const composition::Plan& plan_;
  const Catalogue& catalogue_;
  std::shared_ptr<composition::Sources> sources_;
  Signals signals_;
  Neighbours neighbours_;
  std::vector<Body> bodies_;
  std::vector<std::pair<std::string, Arrow>> arrows_;
  std::vector<std::pair<std::string, Place>> places_;
  std::map<std::string, std::string> crafts_;  // by instance: its first craft
  std::map<std::string, std::string> owners_;  // of bodies: the instance
  std::set<std::string> unrecorded_;
  std::map<std::string, std::set<std::string>> requests_;
  Composed made_;
};

}  // namespace

Composed scene_of(const Composition& c, const composition::Plan& plan, const Catalogue& catalogue,
                  const Recorded& recorded) {
  return Composer(c, plan, catalogue, recorded).run();
}

}  // namespace vernier::scene
