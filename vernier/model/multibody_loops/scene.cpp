#include "vernier/model/multibody_loops/scene.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "vernier/model/multibody_tree/outline.hpp"

namespace vernier::multibody_loops {
namespace {

using constrained::Attachment;
using constrained::Node;

scene::Vector numbers_of(const constrained::Vector3& v) { return {v.x, v.y, v.z}; }
double length_of(const constrained::Vector3& v) {
  return std::sqrt(v.x * v.x + v.y * v.y + v.z * v.z);
}

/// q_BN of R_NB, scalar last.
std::vector<double> attitude_of(const constrained::Matrix3& R) {
  Eigen::Matrix3d m;
  for (int i = 0; i < 9; ++i) m(i / 3, i % 3) = R.a[i];
  const Eigen::Quaterniond q = Eigen::Quaterniond(m).normalized();
  return {q.x(), q.y(), q.z(), q.w()};
}

bool lines_up(const std::string& kind) {
  return kind == "beam" || kind == "rod" || kind == "distance";
}

/// Elements that act on nodes and hold nothing.
bool acts(const std::string& kind) {
  return kind == "couple" || kind == "force" || kind == "deformable" || kind == "contact";
}

class Painter {
 public:
  explicit Painter(const Definition& d) : definition_(d), model_(d.model) {}

  scene::Scene run() {
    size_ = extent();
    for (std::size_t i = 0; i < model_.nodes.size(); ++i) add_node(static_cast<int>(i));
    add_masses();
    for (const Bending& b : definition_.bending) add_bending(b);
    for (const Joined& j : definition_.joined) add_joined(j);
    if (const double g = length_of(model_.gravity); g > 0.0)
      s_.up = numbers_of(model_.gravity * (-1.0 / g));
    return std::move(s_);
  }

 private:
  scene::Body& drawn(int node) { return s_.bodies[static_cast<std::size_t>(node)]; }
  const Node& node(int i) const { return model_.nodes[static_cast<std::size_t>(i)]; }

  /// The size of the whole at the start.
  double extent() const {
    Eigen::AlignedBox3d box;
    const auto add = [&](const constrained::Vector3& p) {
      box.extend(Eigen::Vector3d(p.x, p.y, p.z));
    };
    for (const Node& n : model_.nodes) add(n.position);
    for (const constrained::Body& b : model_.bodies)
      add(node(b.node).position + node(b.node).orientation * b.centre);
    for (const Joined& j : definition_.joined) {
      for (const Attachment& a : j.at)
        if (a.node == constrained::ground) add(a.offset);
    }
    return box.isEmpty() || !(box.diagonal().norm() > 0.0) ? 1.0 : box.diagonal().norm();
  }

  void add_node(int i) {
    const Node& n = node(i);
    const std::string request =
        "<output of=\"" + n.name + "\" measures=\"position attitude\"/> in the mechanism";
    const scene::Vector p = numbers_of(n.position);
    scene::Body b{.name = n.name, .kind = scene::Body::Kind::point};
    b.pose = {
        scene::position(
            {.signal = n.name + ".position", .start = {p.begin(), p.end()}, .request = request}),
        scene::attitude({.signal = n.name + ".attitude",
                         .start = attitude_of(n.orientation),
                         .request = request})};
    s_.bodies.push_back(std::move(b));
  }

  /// The axis of a node that hangs at one revolute joint, in its axes: it may be a wheel.
  std::optional<scene::Vector> wheel_axis(int i, const constrained::Vector3& centre) const {
    std::optional<scene::Vector> axis;
    for (const Joined& j : definition_.joined) {
      for (const Attachment& a : j.at) {
        if (a.node != i || acts(j.kind)) continue;
        if (j.kind != "revolute" || axis || !(length_of(a.offset) < 1e-9)) return {};
        axis = scene::Vector{a.axes.a[2], a.axes.a[5], a.axes.a[8]};
      }
    }
    if (axis) {
      const constrained::Vector3 z{(*axis)[0], (*axis)[1], (*axis)[2]};
      if (length_of(cross(z, centre)) > 1e-6) return {};
    }
    return axis;
  }

  /// Whether a body is one of those that a beam line puts on its nodes: it is drawn as the beam.
  bool of_a_line(const constrained::Body& b) const {
    return std::any_of(definition_.joined.begin(), definition_.joined.end(), [&](const Joined& j) {
      return j.kind == "beam" && b.name.starts_with(j.name + ".m");
    });
  }

  void add_masses() {
    int heaviest = -1;
    double most = 0.0;
    for (const constrained::Body& m : model_.bodies) {
      if (of_a_line(m)) continue;
      const auto& J = m.inertia;
      scene::Body& b = drawn(m.node);
      b.kind = scene::Body::Kind::part;
      scene::Shape assumed =
          scene::solid(m.mass, numbers_of(m.centre), {J.xx, J.yy, J.zz, J.xy, J.xz, J.yz}, "bus",
                       wheel_axis(m.node, m.centre));
      if (m.mass > most) most = m.mass, heaviest = m.node;
      if (const auto own = definition_.meshes.find(m.name); own != definition_.meshes.end()) {
        for (scene::Shape& s : scene::dressed(std::move(assumed), own->second))
          b.shapes.push_back(std::move(s));
        continue;
      }
      b.shapes.push_back(std::move(assumed));
      // A pendulum's rod: from the node to the mass.
      const double reach = length_of(m.centre);
      if (reach > 1e-6 && b.shapes.back().radius < reach) strut(m.node, m.centre);
    }
    const bool grounded =
        std::any_of(definition_.joined.begin(), definition_.joined.end(), [](const Joined& j) {
          return std::any_of(j.at.begin(), j.at.end(),
                             [](const Attachment& a) { return a.node == constrained::ground; });
        });
    if (heaviest >= 0 && !grounded) drawn(heaviest).kind = scene::Body::Kind::craft;
  }

  void strut(int i, const constrained::Vector3& to) {
    scene::Shape line{.shape = "line", .role = "arm", .assumed = true};
    line.radius = 0.008 * size_;
    line.points = {{0, 0, 0}, numbers_of(to)};
    drawn(i).shapes.push_back(std::move(line));
  }

  void add_bending(const Bending& m) {
    scene::Body& b = drawn(m.node);
    b.kind = scene::Body::Kind::part;
    b.modes = scene::Binding{
        .signal = m.name + ".coordinates",
        .count = static_cast<std::uint32_t>(m.file->modes()),
        .start = m.start,
        .request = "<output of=\"" + m.name + "\" measures=\"coordinates\"/> in the mechanism"};
    multibody_tree::Outline o = multibody_tree::outline(*m.file);
    b.points = std::move(o.points);
    for (scene::Shape& s : o.shapes) b.shapes.push_back(std::move(s));
  }

  void add_joined(const Joined& j) {
    if (lines_up(j.kind)) {
      scene::Curve c{.name = j.name, .role = j.kind == "beam" ? "boom" : "arm"};
      c.radius = j.radius > 0.0 ? j.radius : 0.003 * size_;
      for (const Attachment& a : j.at) c.through.push_back({body_of(a), numbers_of(a.offset)});
      s_.curves.push_back(std::move(c));
      return;
    }
    if (acts(j.kind)) return;
    for (const Attachment& a : j.at) {
      if (a.node == constrained::ground) {
        scene::Shape foot{
            .shape = "box", .role = "ground", .at = numbers_of(a.offset), .assumed = true};
        foot.size = {0.04 * size_, 0.04 * size_, 0.04 * size_};
        body_of(a);
        s_.bodies[ground_].shapes.push_back(std::move(foot));
      } else if (length_of(a.offset) > 1e-6) {
        strut(a.node, a.offset);
      }
    }
    // A pin, so that joints can be seen.
    const auto on_node = std::find_if(j.at.begin(), j.at.end(), [](const Attachment& a) {
      return a.node != constrained::ground;
    });
    if (on_node == j.at.end() ||
        (j.kind != "revolute" && j.kind != "spherical" && j.kind != "universal"))
      return;
    scene::Shape pin{.shape = j.kind == "revolute" ? "cylinder" : "sphere",
                     .role = "arm",
                     .at = numbers_of(on_node->offset),
                     .assumed = true};
    pin.radius = 0.016 * size_;
    const auto& R = on_node->axes;
    if (j.kind == "revolute") {
      pin.length = 0.03 * size_;
      pin.rotation = scene::z_to({R.a[2], R.a[5], R.a[8]});
    }
    drawn(on_node->node).shapes.push_back(std::move(pin));
  }

  /// The name of the body that an attachment is on. The ground is one more body.
  std::string body_of(const Attachment& a) {
    if (a.node != constrained::ground) return node(a.node).name;
    if (ground_ == 0) {
      ground_ = s_.bodies.size();
      s_.bodies.push_back({.name = "ground", .kind = scene::Body::Kind::frame});
    }
    return "ground";
  }

  const Definition& definition_;
  const constrained::Model& model_;
  double size_ = 1.0;
  std::size_t ground_ = 0;  // 0: not there; bodies begin with the nodes
  scene::Scene s_;
};

}  // namespace

scene::Scene scene_of(const Definition& d) { return Painter(d).run(); }

}  // namespace vernier::multibody_loops
