#include <algorithm>
#include <cmath>
#include <numbers>

#include "vernier/base/text.hpp"
#include "vernier/kernel/constrained/elements/section.hpp"
#include "vernier/kernel/elementary/elementary.hpp"
#include "vernier/model/multibody_loops/detail/builder.hpp"

namespace vernier::multibody_loops::detail {
namespace {

using constrained::Section;

/// Why a section stiffness is not symmetric positive definite, or an empty string.
std::string flaw(std::array<double, 36> c) {
  for (std::size_t i = 0; i < 6; ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const double scale = std::sqrt(std::abs(c[7 * i] * c[7 * j]));
      if (std::abs(c[6 * i + j] - c[6 * j + i]) > 1e-6 * scale)
        return "row " + std::to_string(i + 1) + ", column " + std::to_string(j + 1) +
               " is not the same as row " + std::to_string(j + 1) + ", column " +
               std::to_string(i + 1);
    }
  }
  // Cholesky decomposition in place. A pivot that is not positive means that a strain stores no
  // energy.
  static const char* const names[] = {"stretching", "shearing along y", "shearing along z",
                                      "twisting",   "bending about y",  "bending about z"};
  for (std::size_t i = 0; i < 6; ++i) {
    const double own = c[7 * i];
    for (std::size_t k = 0; k < i; ++k) c[7 * i] -= c[6 * i + k] * c[6 * i + k];
    if (!(c[7 * i] > 1e-12 * own) || !(own > 0.0))
      return std::string("it gives energy back when ") + names[i];
    c[7 * i] = std::sqrt(c[7 * i]);
    for (std::size_t j = i + 1; j < 6; ++j) {
      for (std::size_t k = 0; k < i; ++k) c[6 * j + i] -= c[6 * j + k] * c[6 * i + k];
      c[6 * j + i] /= c[7 * i];
    }
  }
  return {};
}

/// A straight line or a circular arc from a to b, with section axes along it: x is the tangent.
class Curve {
 public:
  Curve(const Vector3& a, const Vector3& b, const Vector3& up) : a_(a), along_(b - a) {
    length_ = along_.norm();
    if (length_ > 0.0) orient(along_ / length_, up);
  }
  /// The circle through a, via and b.
  Curve(const Vector3& a, const Vector3& via, const Vector3& b, const Vector3& up) : a_(a) {
    const Vector3 u = via - a, v = b - a;
    normal_ = u.cross(v);
    const double n2 = normal_.squaredNorm();
    if (!(n2 > 1e-20 * u.squaredNorm() * v.squaredNorm())) return;  // on one line
    // From a to the centre of the circle through three points.
    const Vector3 to =
        (v.squaredNorm() * normal_.cross(u) + u.squaredNorm() * v.cross(normal_)) / (2.0 * n2);
    centre_ = a + to;
    normal_.normalize();
    radius_ = to.norm();
    const Vector3 r0 = -to;
    const Vector3 r1 = b - centre_;
    double angle = elementary::atan2(normal_.dot(r0.cross(r1)), r0.dot(r1));
    if (angle <= 0.0) angle += 2.0 * std::numbers::pi;
    length_ = radius_ * angle;
    orient(normal_.cross(r0) / radius_, up);
  }

  double length() const { return length_; }
  Vector3 at(double s) const {
    return radius_ > 0.0 ? Vector3(centre_ + turn(s) * (a_ - centre_))
                         : Vector3(a_ + along_ * (s / length_));
  }
  Matrix3 axes(double s) const { return radius_ > 0.0 ? Matrix3(turn(s) * R0_) : R0_; }

 private:
  // z is the part of `up` normal to x. If `up` is almost parallel to x, the global y axis replaces
  // it.
  void orient(const Vector3& x, const Vector3& up) {
    Vector3 z = up - up.dot(x) * x;
    if (z.norm() < 1e-3 * up.norm()) z = Vector3::UnitY() - x.y() * x;
    z.normalize();
    R0_.col(0) = x;
    R0_.col(1) = z.cross(x);
    R0_.col(2) = z;
  }
  Matrix3 turn(double s) const {
    return spatial::attitude_matrix(spatial::turned(normal_, s / radius_)).transpose();
  }

  Vector3 a_, along_ = Vector3::Zero(), normal_ = Vector3::UnitZ(), centre_ = Vector3::Zero();
  double length_ = 0.0, radius_ = 0.0;
  Matrix3 R0_ = Matrix3::Identity();
};

}  // namespace

constrained::NodeState Builder::start_of(int node) const {
  const constrained::Node& n = made_.model.nodes[static_cast<std::size_t>(node)];
  return {n.position, n.orientation, n.velocity, n.angular_velocity};
}

// Sections

void Builder::read_section(const Element& e) {
  const std::size_t before = found_.errors();
  Section s;
  const bool good = e.value("kind") == "general" ? general_section(e, s) : shaped_section(e, s);
  if (!good || found_.errors() > before) return;
  if (const std::string why = flaw(s.stiffness); !why.empty()) {
    report_.error("V1708", "the stiffness of " + who(e) + " is not positive definite", e.place)
        .notes.push_back(why);
    return;
  }
  if (const auto entry = names_.find(name_of(e)); entry != names_.end())
    entry->second.index = static_cast<int>(sections_.size());
  sections_.push_back(s);
  // Of the circle with the area of the outline.
  const bool tube = e.value("kind") == "tube";
  const auto length = [&](const char* attribute) {
    return e.attribute(attribute) ? positive(e, attribute, "m").value_or(0.0) : 0.0;
  };
  radii_.push_back(tube ? 0.5 * length("outer")
                        : std::sqrt(length("width") * length("height") / std::numbers::pi));
}

double Builder::radius_of(const Element& e) const {
  const auto all = words(e.value("section"));
  const auto found = all.empty() ? names_.end() : names_.find(all.front());
  return found == names_.end() || found->second.index < 0
             ? 0.0
             : radii_[static_cast<std::size_t>(found->second.index)];
}

bool Builder::general_section(const Element& e, Section& s) {
  refuse(e, {"width", "height", "outer", "inner", "young", "poisson", "shear", "density"},
         "has no meaning for a general section: its matrices say it");
  const auto C = matrix(e, "stiffness", 6, 6), D = matrix(e, "damping", 6, 6);
  if (!C) {
    if (!e.child("matrix"))
      report_.error("V1704", who(e) + " needs a <matrix of=\"stiffness\">", e.place);
    return false;
  }
  const double factor = positive(e, "damping", "s", true).value_or(0.0);
  if (D && factor > 0.0) {
    report_.error("V1705", "damping and the matrix of damping both give it",
                  e.attribute("damping")->place);
    return false;
  }
  for (std::size_t i = 0; i < 36; ++i) {
    s.stiffness[i] = (*C)[i];
    s.damping[i] = D ? (*D)[i] : factor * (*C)[i];
  }
  s.line_density = positive(e, "line_density", "kg/m", true).value_or(0.0);
  const Vector3 j = quantities_.vector(e, "line_inertia", "kg*m").value_or(Vector3::Zero());
  s.line_inertia = {j[0], j[1], j[2], 0.0, 0.0, 0.0};
  return true;
}

bool Builder::shaped_section(const Element& e, Section& s) {
  const bool tube = e.value("kind") == "tube";
  const std::string kind(e.value("kind"));
  const std::string why = "has no meaning for a " + kind;
  refuse(e, {"line_density", "line_inertia"}, why);
  if (tube) {
    refuse(e, {"width", "height"}, why);
  } else {
    refuse(e, {"outer", "inner"}, why);
  }
  if (const Element* m = e.child("matrix"))
    report_.error("V1705", "a " + kind + " has no matrices", m->place);
  if (!e.attribute("poisson") == !e.attribute("shear")) {
    report_.error("V1704", who(e) + " needs poisson or shear, one of them", e.place);
    return false;
  }
  if (!need(e, {"young", tube ? "outer" : "width", tube ? "inner" : "height"}, who(e)))
    return false;
  const auto E = positive(e, "young", "Pa");
  const auto damping = positive(e, "damping", "s", true);
  constrained::Material m;
  m.density = positive(e, "density", "kg/m^3", true).value_or(0.0);
  if (e.attribute("poisson")) {
    m.poisson = number(e, "poisson", "1");
  } else if (const auto G = positive(e, "shear", "Pa"); G && E) {
    m.poisson = *E / (2.0 * *G) - 1.0;
  }
  const auto first = positive(e, tube ? "outer" : "width", "m");
  const auto second = positive(e, tube ? "inner" : "height", "m", tube);
  if (!E || !damping || !first || !second) return false;
  m.young = *E;
  try {
    s = tube ? constrained::tube(m, 0.5 * *first, 0.5 * *second)
             : constrained::rectangle(m, *first, *second);
  } catch (const std::invalid_argument& x) {
    report_.error("V1707", who(e) + ": " + x.what(), e.place);
    return false;
  }
  s = constrained::damped(s, *damping);
  return true;
}

std::optional<std::vector<Section>> Builder::sections(const Element& e, std::size_t most) {
  const document::Attribute* a = e.attribute("section");
  const std::vector<std::string_view> names = words(a->value);
  if (names.empty() || names.size() > most) {
    report_.error("V1704",
                  who(e) + " has one section" + (most > 1 ? ", or two" : "") + ", not " +
                      std::to_string(names.size()),
                  a->value_place);
    return {};
  }
  std::vector<Section> all;
  for (const std::string_view name : names) {
    const Entry* found = find(name, {Named::section}, "section", a->value_place);
    if (!found || found->index < 0) return {};
    all.push_back(sections_[static_cast<std::size_t>(found->index)]);
  }
  if (all.size() == 1) all.push_back(all[0]);
  return all;
}

// Beams

void Builder::read_beam(const Element& e) {
  std::vector<Attachment> at;
  std::size_t count = 0;
  for (const Element& c : e.children) {
    ++count;
    if (const auto a = attachment(c, false)) at.push_back(*a);
  }
  const auto both = sections(e, count == 3 ? 2 : 1);
  if (!both || at.size() != count) return;
  for (std::size_t i = 0; i + 1 < count; ++i) {
    const Vector3 d = pose_of(at[i + 1]).p - pose_of(at[i]).p;
    if (d.norm() > 1e-12) continue;
    report_.error("V1709",
                  who(e) + " has no length: its ends " + std::to_string(i + 1) + " and " +
                      std::to_string(i + 2) + " are at the same point",
                  e.place);
    return;
  }
  made_.joined.push_back({name_of(e), "beam", at, radius_of(e)});
  if (count == 2) {
    constrained::Beam2 b;
    for (std::size_t i = 0; i < 2; ++i) {
      b.nodes[i] = at[i].node;
      b.offsets[i] = at[i].offset;
      b.axes[i] = at[i].axes;
      b.reference[i] = start_of(at[i].node);
    }
    b.section = both->front();
    b.correct_shear = e.value("shear_correction") == "yes";
    add(e, name_of(e), "beam", b);
    return;
  }
  constrained::Beam3 b;
  for (std::size_t i = 0; i < 3; ++i) {
    b.nodes[i] = at[i].node;
    b.offsets[i] = at[i].offset;
    b.axes[i] = at[i].axes;
    b.reference[i] = start_of(at[i].node);
  }
  b.sections = {(*both)[0], (*both)[1]};
  add(e, name_of(e), "beam", b);
}

void Builder::read_line(const Element& e) {
  const std::size_t before = found_.errors();
  std::vector<Attachment> at;
  for (const Element& c : e.children) {
    refuse(c, {"turned", "quaternion", "rotation", "axis", "axis2"},
           "has no meaning here: the section's axes follow the line");
    if (const auto a = attachment(c, false)) at.push_back(*a);
  }
  const int n = whole(e, "elements", 1, 1000, 1);
  const auto both = sections(e, 1);
  const auto up =
      e.attribute("up") ? quantities_.direction(e, "up") : std::optional(Vector3(Vector3::UnitZ()));
  const auto via = quantities_.vector(e, "via", "m");
  if (at.size() != 2 || !both || !up || found_.errors() > before) return;
  const Pose a = pose_of(at[0]), b = pose_of(at[1]);
  const Curve curve = via ? Curve(a.p, *via, b.p, *up) : Curve(a.p, b.p, *up);
  if (!(curve.length() > 1e-12)) {
    report_.error("V1709",
                  via ? who(e) + " has no arc: its ends and via are on one line"
                      : who(e) + " has no length: its ends are at the same point",
                  e.place);
    return;
  }
  const std::string name = name_of(e);
  const Section& section = both->front();
  const double length = curve.length() / n;
  const Pose &from = node_poses_[static_cast<std::size_t>(at[0].node)],
             &to = node_poses_[static_cast<std::size_t>(at[1].node)];
  // Intermediate nodes start with velocities interpolated between those of the ends.
  const Vector3 v0 = from.v, v1 = to.v, w0 = from.w, w1 = to.w;
  std::vector<int> nodes{at[0].node};
  for (int k = 1; k < 2 * n; ++k) {
    const double s = 0.5 * length * k, share = 0.5 * k / n;
    Pose p;
    p.p = curve.at(s);
    p.R = curve.axes(s);
    p.v = v0 + (v1 - v0) * share;
    p.w = w0 + (w1 - w0) * share;
    constrained::Node node;
    node.name = name + ".n" + std::to_string(k);
    names_[node.name] = {Named::node, &e, static_cast<int>(made_.model.nodes.size())};
    nodes.push_back(add_node(std::move(node), p, e.place));
  }
  nodes.push_back(at[1].node);
  Joined line{name, "beam", {}, radius_of(e)};
  // A point of the curve in node axes.
  const auto local = [&](int node, double s) {
    const Pose& p = node_poses_[static_cast<std::size_t>(node)];
    return Vector3(p.R.transpose() * (curve.at(s) - p.p));
  };
  for (int k = 0; k <= 2 * n; ++k) {
    const int node = nodes[static_cast<std::size_t>(k)];
    line.at.push_back({.node = node, .offset = plain(local(node, 0.5 * length * k))});
  }
  made_.joined.push_back(std::move(line));
  int pieces = 0;
  for (int k = 0; k < n; ++k) {
    constrained::Beam3 beam;
    const double s0 = length * k;
    for (std::size_t i = 0; i < 3; ++i) {
      const double s = s0 + 0.5 * length * static_cast<double>(i);
      const int node = nodes[static_cast<std::size_t>(2 * k) + i];
      beam.nodes[i] = node;
      beam.offsets[i] = plain(local(node, s));
      beam.axes[i] =
          plain(Matrix3(node_poses_[static_cast<std::size_t>(node)].R.transpose() * curve.axes(s)));
      beam.reference[i] = start_of(node);
    }
    beam.sections = {section, section};
    const std::string own = name + ".b" + std::to_string(k + 1);
    names_[own] = {Named::element, &e, -1};
    add(e, own, "beam", beam);
    if (e.value("lumps") == "no") continue;
    for (constrained::Body& body : constrained::lumped(beam)) {
      // A static node carries no mass: something else holds it.
      if (!made_.model.nodes[static_cast<std::size_t>(body.node)].dynamic) continue;
      body.name = name + ".m" + std::to_string(++pieces);
      made_.places.emplace(body.name, e.place);
      made_.model.add(std::move(body));
    }
  }
}

}  // namespace vernier::multibody_loops::detail
