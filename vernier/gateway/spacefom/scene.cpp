#include "vernier/gateway/spacefom/detail/scene.hpp"

#include <algorithm>

namespace vernier::spacefom::detail {
namespace {

using frames::FrameState;
using scene::Body;

constexpr double size_of_others = 5.0;  // m, of entities of which only the state is known

struct Globe {
  const char *prefix, *planet;
  double radius;  // m
};
constexpr Globe globes[] = {
    {"Earth", "earth", 6378137.0}, {"Moon", "moon", 1737400.0}, {"Sun", "sun", 695700e3}};

std::vector<double> start(const frames::Vector3& v) { return {v[0], v[1], v[2]}; }
std::vector<double> start(const frames::Quaternion& q) { return {q[0], q[1], q[2], q[3]}; }

class Painter {
 public:
  scene::Scene run(const FederateDocument& d) {
    for (const PublishedFrame& f : d.frames) add_frame(f.name, f.parent, f.port, f.initial);
    for (const Subscribed& f : d.subscribed_frames) add_frame(f.name, f.in, f.port, {});
    for (const PublishedEntity& e : d.entities) add_entity(e);
    for (const Subscribed& e : d.subscribed_entities) {
      Body b = moving(e.name, e.in, e.port, {});
      b.kind = Body::Kind::craft;
      scene::Shape box{.shape = "box", .role = "bus", .assumed = true};
      box.size = {size_of_others, size_of_others, size_of_others};
      b.shapes = {box};
      s_.bodies.push_back(std::move(b));
    }
    for (const PublishedInterface& i : d.interfaces) {
      const FrameState at{.position = i.interface.position, .attitude = i.interface.attitude};
      Body b = moving(i.interface.name, i.interface.parent, i.port, at);
      b.kind = Body::Kind::point;
      b.shapes = {{.shape = "axes", .length = 1.0}};
      s_.bodies.push_back(std::move(b));
    }
    add_parents();
    add_globes();
    return std::move(s_);
  }

 private:
  /// Placed by the ports of an object in its parent's axes. The names are those of the federation.
  static Body moving(const std::string& name, const std::string& parent, const std::string& port,
                     const FrameState& initial) {
    Body b{.name = name, .kind = Body::Kind::frame, .parent = parent, .shared = true};
    if (port.empty()) {
      b.pose = {scene::offset(scene::vector(initial.position)),
                scene::rotation({initial.attitude[0], initial.attitude[1], initial.attitude[2],
                                 initial.attitude[3]})};
    } else {
      b.pose = {scene::position({.signal = port + ".position", .start = start(initial.position)}),
                scene::attitude({.signal = port + ".attitude", .start = start(initial.attitude)})};
    }
    return b;
  }

  void add_frame(const std::string& name, const std::string& parent, const std::string& port,
                 const FrameState& initial) {
    Body b = moving(name, parent, port, initial);
    if (parent.empty()) b.pose.clear();
    b.shapes = {{.shape = "axes"}};
    s_.bodies.push_back(std::move(b));
  }

  void add_entity(const PublishedEntity& e) {
    const std::string parent = !e.expressed.empty() ? e.expressed
                               : e.parents.empty()  ? e.entity.parent
                                                    : e.parents.front();
    Body b = moving(e.entity.name, parent, e.port, e.entity.state);
    b.kind = Body::Kind::craft;
    const auto& J = e.entity.inertia;
    b.shapes = {scene::solid(e.entity.mass, {}, {J[0], J[4], J[8], J[1], J[2], J[5]}, "bus")};
    s_.bodies.push_back(std::move(b));
  }

  /// Frames of others that are parents here.
  void add_parents() {
    for (std::size_t i = 0; i < s_.bodies.size(); ++i) {
      const std::string parent = s_.bodies[i].parent;
      const bool known = std::any_of(s_.bodies.begin(), s_.bodies.end(),
                                     [&](const Body& b) { return b.name == parent; });
      if (!parent.empty() && !known)
        s_.bodies.push_back({.name = parent,
                             .kind = Body::Kind::frame,
                             .shapes = {{.shape = "axes"}},
                             .shared = true});
    }
  }

  /// A globe in the frames of a planet's centre: in the one that turns with it, if it is there.
  void add_globes() {
    for (const Globe& g : globes) {
      Body* best = nullptr;
      for (Body& b : s_.bodies) {
        if (b.kind != Body::Kind::frame || !b.name.starts_with(g.prefix)) continue;
        if (b.name.find("Barycentric") != std::string::npos ||
            b.name.find("L2") != std::string::npos)
          continue;
        if (best == nullptr || b.name.ends_with("Fixed")) best = &b;
      }
      if (best != nullptr)
        best->shapes.push_back({.shape = "globe", .radius = g.radius, .planet = g.planet});
    }
  }

  scene::Scene s_;
};

}  // namespace

scene::Scene scene_of(const FederateDocument& d) { return Painter().run(d); }

}  // namespace vernier::spacefom::detail
