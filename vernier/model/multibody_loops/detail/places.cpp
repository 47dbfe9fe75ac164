#include <algorithm>
#include <cmath>
#include <numbers>

#include "vernier/base/text.hpp"
#include "vernier/model/multibody_loops/detail/builder.hpp"

namespace vernier::multibody_loops::detail {
namespace {

Vector3 eigen(const constrained::Vector3& v) { return {v.x, v.y, v.z}; }
Matrix3 eigen(const constrained::Matrix3& m) {
  return Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(m.a);
}

constexpr double farthest = 1e9;  // m; beyond this, rounding of positions exceeds 1e-7 m

}  // namespace

void Builder::read_settings(const Element& e) {
  constrained::Settings& s = made_.settings;
  static const std::map<std::string_view, constrained::Scheme> schemes{
      {"multistep2", constrained::Scheme::multistep2},
      {"multistep3", constrained::Scheme::multistep3},
      {"multistep4", constrained::Scheme::multistep4},
      {"trapezoid", constrained::Scheme::trapezoid},
      {"generalized_alpha", constrained::Scheme::generalized_alpha},
      {"generalized_alpha_second", constrained::Scheme::generalized_alpha_second},
      {"composite", constrained::Scheme::composite},
      {"sdirk3", constrained::Scheme::sdirk3}};
  s.scheme = schemes.at(e.value("scheme"));
  if (const auto rho = quantities_.number(e, "rho", "1")) {
    // Multistep schemes have k roots of modulus rho at infinity; multiple roots of modulus 1 are
    // unstable.
    const bool multistep = s.scheme == constrained::Scheme::multistep2 ||
                           s.scheme == constrained::Scheme::multistep3 ||
                           s.scheme == constrained::Scheme::multistep4;
    s.rho = *rho;
    if (!(*rho >= 0.0 && *rho <= 1.0) || (multistep && *rho == 1.0)) {
      Diagnostic& d =
          report_.error("V1700", "rho must be from 0 to 1", Report::value_place(e, "rho"));
      if (*rho == 1.0) {
        d.message = "rho must be less than 1 for " + std::string(e.value("scheme"));
        d.notes.push_back("use 0.99, or scheme=\"trapezoid\"");
      }
    }
  }
  if (e.attribute("step") && e.attribute("rate")) {
    report_.error("V1705", "step and rate both say how long a step is", e.attribute("rate")->place);
  } else if (e.attribute("rate")) {
    if (const auto w = quantities_.frequency(e, "rate"))
      made_.step = 2.0 * std::numbers::pi / std::max(*w, 1e-12);
  } else if (const auto step = positive(e, "step", "s")) {
    made_.step = *step;
  }
  if (!(made_.step >= 1e-9 && made_.step <= 1e3)) {
    report_.error("V1700", "a step must be from 1 ns to 1000 s",
                  Report::value_place(e, e.attribute("rate") ? "rate" : "step"));
    made_.step = 1e-3;
  }
  if (e.attribute("iterations") && e.attribute("budget")) {
    report_.error("V1705", "iterations and budget both limit the iterations",
                  e.attribute("budget")->place);
  }
  s.accept_unconverged = e.attribute("budget") != nullptr;
  s.iterations_most = whole(e, s.accept_unconverged ? "budget" : "iterations", 1, 1000, 20);
  if (const auto x = positive(e, "tolerance", "1")) s.tolerance = *x;
  s.reuse = whole(e, "reuse", 0, 1000, 0);
  s.project_velocities = e.value("projection") == "yes";
  s.split_impulses = e.value("splitting") == "yes";
  made_.equilibrium = e.value("start") == "equilibrium";
  made_.load_steps = whole(e, "load_steps", 1, 10000, 10);
}

void Builder::read_run(const Element& e) {
  // Times of a run are whole nanoseconds.
  const auto time = [&](const char* attribute, double longest) -> std::optional<Duration> {
    const auto t = positive(e, attribute, "s");
    if (!e.attribute(attribute) || !t) return {};
    if (*t >= 1e-9 && *t <= longest) return Duration(std::llround(*t * 1e9));
    report_.error("V1700",
                  std::string(attribute) + " must be from 1 ns to " + exact(longest) + " s",
                  Report::value_place(e, attribute));
    return {};
  };
  made_.alone = {time("stop", 1e9), time("step", 1e3)};
}

// Frames and nodes

std::optional<Matrix3> Builder::attitude(const Element& e, bool with_axes) {
  std::vector<const document::Attribute*> given;
  for (const char* name : {"turned", "quaternion", "rotation", "axis"}) {
    if (const document::Attribute* a = e.attribute(name)) given.push_back(a);
  }
  if (given.size() > 1) {
    report_
        .error("V1705", given[0]->name + " and " + given[1]->name + " both give the axes",
               given[1]->place)
        .mark = "leave one of them out";
    return {};
  }
  const document::Attribute* second = with_axes ? e.attribute("axis2") : nullptr;
  if (second && !given.empty() && given[0]->name != "axis") {
    report_.error("V1705", given[0]->name + " and axis2 both give the axes", second->place);
    return {};
  }
  if (!given.empty() && given[0]->name == "rotation") {
    const auto v = quantities_.vector(e, "rotation", "rad");
    if (!v) return {};
    const double angle = v->stableNorm();
    if (angle == 0.0) return Matrix3::Identity();
    return spatial::attitude_matrix(spatial::turned(*v / angle, angle)).transpose();
  }
  const bool first = with_axes && e.attribute("axis");
  if (!first && !second) return quantities_.attitude(e);
  std::optional<Vector3> z, y;
  if (first && !(z = quantities_.direction(e, "axis"))) return {};
  if (second && !(y = quantities_.direction(e, "axis2"))) return {};
  if (!second) return multibody_tree::with_z_along(*z);
  if (z && std::abs(z->dot(*y)) > 1e-6) {
    report_.error("V1700", "axis2 must be at right angles to axis", second->value_place);
    return {};
  }
  if (!z) {
    // Only y is given: z is chosen nearest to that of the node.
    z = Vector3(Vector3::UnitZ() - y->z() * *y);
    if (z->norm() < 0.1) z = Vector3(Vector3::UnitX() - y->x() * *y);
  }
  Matrix3 R;
  R.col(1) = *y;
  R.col(2) = (*z - z->dot(*y) * *y).normalized();
  R.col(0) = R.col(1).cross(R.col(2));
  return R;
}

// Resolves references recursively; `resolving_` detects cycles, `poses_` stores what is known.
std::optional<Builder::Pose> Builder::pose_of(std::string_view name, const Place& place) {
  if (name == "ground") return Pose{};
  const Entry* found = find(name, {Named::frame, Named::node}, "frame or node", place);
  if (!found) return {};
  if (const auto known = poses_.find(name); known != poses_.end()) return known->second;
  if (!resolving_.emplace(name).second) {
    report_.error("V1713", in_quotes(name) + " is placed by way of itself", place)
        .notes.push_back("through: " + listed({resolving_.begin(), resolving_.end()}));
    return {};
  }
  std::optional<Pose> made = pose_of(*found->element);
  resolving_.erase(resolving_.find(name));
  poses_.emplace(name, made);
  return made;
}

std::optional<Builder::Pose> Builder::pose_of(const Element& e) {
  constexpr std::size_t deepest = 1000;
  if (resolving_.size() > deepest) {
    report_.error("V1713", "references are more than 1000 deep", e.place);
    return {};
  }
  const auto from = pose_of(trimmed(e.value("reference")), Report::value_place(e, "reference"));
  const std::size_t before = found_.errors();
  const auto R = attitude(e, false);
  const Vector3 p = quantities_.vector(e, "position", "m").value_or(Vector3::Zero());
  const Vector3 v = quantities_.vector(e, "velocity", "m/s").value_or(Vector3::Zero());
  const Vector3 w = quantities_.vector(e, "rate", "rad/s").value_or(Vector3::Zero());
  if (!from || !R || found_.errors() > before) return {};
  Pose made;
  made.R = from->R * *R;
  // A pose relative to a moving frame: rigid motion of the frame plus the relative velocities.
  const Vector3 arm = from->R * p;
  made.p = from->p + arm;
  made.v = from->v + from->R * v + from->w.cross(arm);
  made.w = from->w + from->R * w;
  if (!(made.p.norm() <= farthest) || !made.v.allFinite() || !made.w.allFinite()) {
    report_.error("V1700", "this is more than a million kilometres from the origin",
                  Report::value_place(e, "position"));
    return {};
  }
  return made;
}

void Builder::read_frame(const Element& e) { static_cast<void>(pose_of(name_of(e), e.place)); }

void Builder::read_node(const Element& e) {
  const std::string name = name_of(e);
  const auto entry = names_.find(name);
  if (entry == names_.end() || entry->second.element != &e) return;
  const auto pose = pose_of(name, e.place);
  const auto weight = positive(e, "weight", "1");
  if (!pose || !weight) return;
  constrained::Node n;
  n.name = name;
  n.dynamic = e.value("kind") == "dynamic";
  n.weight = *weight;
  entry->second.index = add_node(std::move(n), *pose, e.place);
}

int Builder::add_node(constrained::Node n, const Pose& pose, const Place& place) {
  n.position = plain(pose.p);
  n.orientation = plain(pose.R);
  n.velocity = plain(pose.v);
  n.angular_velocity = plain(pose.w);
  made_.places.emplace(n.name, place);
  node_poses_.push_back(pose);
  return made_.model.add(std::move(n));
}

void Builder::read_body(const Element& e) {
  const auto node = node_named(e, "node", false);
  const auto mass = positive(e, "mass", "kg", true);
  const Vector3 centre = quantities_.vector(e, "centre", "m").value_or(Vector3::Zero());
  Matrix3 J = Matrix3::Zero();
  if (const Element* i = e.child("inertia")) {
    const auto given = quantities_.inertia(*i);
    if (!given || !mass) return;
    J = *given;
    if (i->value("about") == "origin")
      // Steiner's theorem: from the origin of the node to the centre of mass.
      J -= *mass * (centre.squaredNorm() * Matrix3::Identity() - centre * centre.transpose());
  }
  if (!node || !mass) return;
  constrained::Body b;
  b.name = name_of(e);
  b.node = *node;
  b.mass = *mass;
  b.centre = plain(centre);
  b.inertia = symmetric(J);
  made_.places.emplace(b.name, e.place);
  auto meshes = multibody_tree::read_meshes(
      e, document_, quantities_, [this](const Element& m) { return attitude(m, false); }, report_,
      meshes_);
  if (!meshes.empty()) made_.meshes.emplace(b.name, std::move(meshes));
  made_.model.add(std::move(b));
}

void Builder::read_scalar(const Element& e) {
  const std::string unit(trimmed(e.value("unit")));
  if (!parsed_unit(unit)) {
    report_.error("V1313", in_quotes(unit) + " is not a unit", Report::value_place(e, "unit"));
    return;
  }
  constrained::ScalarNode s;
  s.name = name_of(e);
  s.unit = unit;
  s.value = number(e, "initial", unit);
  s.rate = number(e, "rate", unit == "1" ? "1/s" : "(" + unit + ")/s");
  made_.places.emplace(s.name, e.place);
  const auto entry = names_.find(s.name);
  const int index = made_.model.add(std::move(s));
  if (entry != names_.end()) entry->second.index = index;
}

// Ends

std::optional<Attachment> Builder::attachment(const Element& e, bool ground_too) {
  const auto node = node_named(e, "node", ground_too);
  const std::size_t before = found_.errors();
  const auto R = attitude(e, true);
  const Vector3 offset = quantities_.vector(e, "offset", "m").value_or(Vector3::Zero());
  std::optional<Pose> frame = Pose{};
  const bool framed = e.attribute("frame") != nullptr;
  if (framed) frame = pose_of(trimmed(e.value("frame")), Report::value_place(e, "frame"));
  if (!node || !R || !frame || found_.errors() > before) return {};
  Attachment a;
  a.node = *node;
  a.offset = plain(offset);
  a.axes = plain(*R);
  if (framed) {
    const Pose of =
        *node == constrained::ground ? Pose{} : node_poses_[static_cast<std::size_t>(*node)];
    // The offset is given in another frame; convert it to node axes at the initial pose.
    a.offset = plain(Vector3(of.R.transpose() * (frame->p + frame->R * offset - of.p)));
    a.axes = plain(Matrix3(of.R.transpose() * frame->R * *R));
  }
  return a;
}

std::optional<Builder::Ends> Builder::ends(const Element& e) {
  std::vector<Attachment> all;
  for (const Element& c : e.children) {
    if (c.name != "end") continue;
    if (const auto a = attachment(c)) all.push_back(*a);
  }
  if (all.size() != 2) return {};
  if (all[0].node == all[1].node) {
    report_.error(
        "V1706",
        all[0].node == constrained::ground
            ? who(e) + " joins the ground to itself"
            : who(e) + " joins the node " +
                  in_quotes(made_.model.nodes[static_cast<std::size_t>(all[0].node)].name) +
                  " to itself",
        e.place);
    return {};
  }
  ends_.emplace(name_of(e), Ends{all[0], all[1]});
  const bool joint = e.name == "joint";
  made_.joined.push_back({name_of(e), joint ? std::string(e.value("kind")) : e.name, all});
  return Ends{all[0], all[1]};
}

Builder::Pose Builder::pose_of(const Attachment& a) const {
  const Pose of =
      a.node == constrained::ground ? Pose{} : node_poses_[static_cast<std::size_t>(a.node)];
  Pose made;
  made.R = of.R * eigen(a.axes);
  made.p = of.p + of.R * eigen(a.offset);
  return made;
}

}  // namespace vernier::multibody_loops::detail
