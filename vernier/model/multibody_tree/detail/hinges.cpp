#include <algorithm>
#include <cmath>
#include <utility>

#include "vernier/base/text.hpp"
#include "vernier/kernel/elementary/elementary.hpp"
#include "vernier/model/multibody_tree/detail/builder.hpp"

namespace vernier::multibody_tree::detail {
namespace {

HingeKind kind_of(std::string_view name) {
  for (const HingeFacts& k : multibody::hinge_kinds()) {
    if (k.name == name) return k.kind;
  }
  return HingeKind::fixed;
}

}  // namespace

// A hinge joins the node `to` of another body (outboard) to the node `at` of this one (inboard).
// Nodes are copied, because orient_hinge() rotates them.
void Builder::read_hinge(int i) {
  const Element& e = *known(i).element->child("hinge");
  multibody::Hinge& h = body(i).hinge;
  h.name = body(i).name;
  h.kind = kind_of(e.value("kind"));
  // The other end
  const std::string_view to = trimmed(e.value("to"));
  const Place to_place = Report::value_place(e, "to");
  const std::size_t dot = std::min(to.find('.'), to.size());
  const std::string_view owner = to.substr(0, dot), end = to.substr(std::min(dot + 1, to.size()));
  h.parent = multibody::ground;
  if (owner == "ground") {
    const auto n =
        std::find_if(ground_.begin(), ground_.end(), [&](const Node& g) { return g.name == end; });
    if (n != ground_.end()) {
      h.outboard = *n;
    } else if (dot == to.size() || end == "frame") {
      h.outboard.name = "ground";
    } else {
      std::vector<std::string> names;
      for (const Node& g : ground_) names.push_back(g.name);
      Diagnostic& d = report_.error("V1624", "the ground has no node " + in_quotes(end), to_place);
      if (const auto near = closest(end, names)) d.mark = "did you mean ground." + *near + "?";
      if (!names.empty()) d.notes.push_back("its nodes: " + listed(names));
    }
  } else if (const auto parent = body_named(owner, to_place)) {
    h.parent = *parent;
    if (const auto n = own_node(*parent, end, to_place)) {
      if (*n >= 0) {
        h.outboard = body(*parent).nodes[static_cast<std::size_t>(*n)];
      } else {
        h.outboard.name = "frame";
      }
    }
  }
  // This end
  h.inboard.name = "frame";
  if (const document::Attribute* a = e.attribute("at")) {
    if (const auto n = own_node(i, trimmed(a->value), a->value_place); n && *n >= 0)
      h.inboard = body(i).nodes[static_cast<std::size_t>(*n)];
  } else if (body(i).modes && !multibody::facts(h.kind).position) {
    report_
        .error("V1633",
               "the flexible body " + in_quotes(body(i).name) + " does not say where its hinge is",
               e.place)
        .notes.push_back(
            "add at=\"NODE\"; or at=\"frame\" when the modes are clamped there, so that they do "
            "not move it");
  }
  read_parameter(e, h);
  orient_hinge(e, h.kind, h.outboard, h.inboard);
  read_start(e, i);
}

/// Reads the parameter that hinges of this kind have, such as the pitch of a screw.
void Builder::read_parameter(const Element& e, multibody::Hinge& h) {
  const HingeFacts& own = multibody::facts(h.kind);
  const std::string why = "has no meaning for a hinge of kind " + std::string(own.name);
  for (const HingeFacts& k : multibody::hinge_kinds()) {
    if (!k.parameter.empty() && k.parameter != own.parameter)
      refuse_attributes(e, {k.parameter.data()}, "V1632", why);
  }
  if (own.parameter.empty()) return;
  if (!e.attribute(own.parameter)) {
    const std::string what(own.parameter);
    not_given("V1632", "a " + std::string(own.name) + " hinge has a " + what, e,
              "give " + what + "=\"… " + std::string(own.parameter_unit) + "\"");
    return;
  }
  h.parameter = quantities_.number(e, own.parameter, own.parameter_unit).value_or(0.0);
}

/// Rotates both nodes so that the hinge moves about and along the axes given in the document.
void Builder::orient_hinge(const Element& e, HingeKind kind, Node& outboard, Node& inboard) {
  const int axes = multibody::facts(kind).axes;
  const bool two = axes == 2, none = axes == 0;
  const std::string why = "has no meaning for a hinge of kind " + std::string(e.value("kind"));
  if (none && !refuse_attributes(e, {"axis", "axis2"}, "V1632", why)) return;
  if (!two && !refuse_attributes(e, {"axis2"}, "V1632", why)) return;
  if (two && !e.attribute("axis") != !e.attribute("axis2")) {
    not_given("V1632",
              "a " + std::string(e.value("kind")) + " hinge has axis and axis2, or neither", e,
              "axis is its first axis (x), axis2 its second (y); without them they are those of "
              "the nodes");
    return;
  }
  if (!e.attribute("axis")) return;
  const auto a = quantities_.direction(e, "axis");
  if (!a) return;
  Matrix3 A;
  if (two) {
    const auto b = quantities_.direction(e, "axis2");
    if (!b) return;
    constexpr double most = 1e-6;  // tolerance for rounded input
    if (std::abs(a->dot(*b)) > most) {
      report_.error("V1622", "axis2 must be at right angles to axis",
                    Report::value_place(e, "axis2"));
      return;
    }
    const Vector3 y = (*b - a->dot(*b) * *a).normalized();
    A.col(0) = *a;
    A.col(1) = y;
    A.col(2) = a->cross(y);
  } else {
    A = with_z_along(*a);
  }
  outboard.pose.R = outboard.pose.R * A;
  inboard.pose.R = inboard.pose.R * A;
}

// Initial coordinates and speeds

void Builder::read_start(const Element& e, int i) {
  Known& k = known(i);
  const HingeFacts& kind = multibody::facts(body(i).hinge.kind);
  const std::string& name = body(i).name;
  const std::span<const HingeDof> all = kind.dofs;
  const std::string why = "has no meaning for a hinge of kind " + std::string(e.value("kind"));
  k.u.assign(all.size(), 0.0);
  k.motion.assign(all.size(), 0);
  k.held.assign(all.size(), 0);
  if (kind.quaternion) {
    Matrix3 R = Matrix3::Identity();  // axes of the child in those of the parent's node
    std::vector<double> q{0.0, 0.0, 0.0, 1.0};
    if (e.attribute("turned")) {
      if (const auto turned = quantities_.attitude(e)) {
        const Eigen::Quaterniond h(*turned);
        q = {h.x(), h.y(), h.z(), h.w()};
      }
    } else if (e.attribute("quaternion")) {
      if (const auto four = quantities_.numbers(e, "quaternion", "1", 4)) q = *four;
    }
    q = quantities_.replaceable(name + ".quaternion", "1", q, "attitude at the start, scalar last");
    if (const auto unit = quantities_.quaternion(q, Report::value_place(e, "quaternion"))) {
      q.assign(unit->begin(), unit->end());
      R = spatial::attitude_matrix(*unit).transpose();
    }
    k.q = q;
    const auto rate = quantities_.replaceable(name + ".rate", e, "rate", "rad/s", {0.0, 0.0, 0.0},
                                              "angular velocity at the start, own axes");
    std::copy(rate.begin(), rate.end(), k.u.begin());
    if (kind.position) {
      const auto p = quantities_.replaceable(name + ".position", e, "position", "m",
                                             {0.0, 0.0, 0.0}, "position at the start");
      const bool ground_axes = e.value("velocity_axes") == "ground";
      const auto v =
          quantities_.replaceable(name + ".velocity", e, "velocity", "m/s", {0.0, 0.0, 0.0},
                                  ground_axes ? "velocity at the start, axes of the other end"
                                              : "velocity at the start, own axes");
      k.q.insert(k.q.end(), p.begin(), p.end());
      Vector3 own(v.data());
      if (ground_axes) own = R.transpose() * own;
      std::copy(own.begin(), own.end(), k.u.begin() + 3);
    } else {
      refuse_attributes(e, {"position", "velocity"}, "V1632", why);
    }
  } else {
    refuse_attributes(e, {"position", "velocity", "quaternion", "turned", "rate"}, "V1632", why);
    k.q.assign(all.size(), 0.0);
  }
  std::vector<const Element*> given(all.size(), nullptr);
  for (const Element& d : e.children) {
    const std::string_view which = trimmed(d.value("name"));
    const auto found =
        std::find_if(all.begin(), all.end(), [&](const HingeDof& x) { return x.name == which; });
    if (found == all.end()) {
      std::vector<std::string> names;
      for (const HingeDof& x : all) names.emplace_back(x.name);
      report_
          .error("V1632",
                 "a " + std::string(e.value("kind")) + " hinge has no dof " + in_quotes(which),
                 Report::value_place(d, "name"))
          .notes.push_back(names.empty() ? "it cannot move" : "it has: " + joined(names, ", "));
      continue;
    }
    const auto index = static_cast<std::size_t>(found - all.begin());
    if (given[index]) {
      report_.error("V1311", "there are two dofs " + in_quotes(which) + " of this hinge", d.place);
      continue;
    }
    given[index] = &d;
  }
  // A dof without an element has the defaults of an empty one.
  static const Element nothing;
  for (std::size_t s = 0; s < all.size(); ++s) read_dof(given[s] ? *given[s] : nothing, i, s);
  constexpr double singular = 1e-6;
  if (kind.singular < 0) return;
  const auto which = static_cast<std::size_t>(kind.singular);
  if (std::abs(elementary::cos(k.q[which])) < singular) {
    report_
        .error("V1636",
               "the " + std::string(kind.name) + " of the body " + in_quotes(name) +
                   " begins where it is singular",
               given[which] ? Report::value_place(*given[which], "initial") : e.place)
        .notes.emplace_back(kind.singular_advice);
  }
}

void Builder::read_dof(const Element& d, int i, std::size_t s) {
  Known& k = known(i);
  const HingeFacts& kind = multibody::facts(body(i).hinge.kind);
  const HingeDof& dof = kind.dofs[s];
  const std::string parameter = body(i).name + "." + std::string(dof.name);
  const char* unit = dof.angle ? "rad" : "m";
  const char* rate_unit = dof.angle ? "rad/s" : "m/s";
  if (!kind.quaternion) {
    k.q[s] = quantities_.replaceable(parameter, d, "initial", unit, {0.0}, "at the start").front();
    k.u[s] =
        quantities_
            .replaceable(parameter + "_rate", d, "rate", rate_unit, {0.0}, "its rate at the start")
            .front();
  } else {
    refuse_attributes(
        d, {"initial", "rate"}, "V1632",
        "of this dof is said at the hinge: quaternion or turned, rate, position, velocity");
  }
  const std::string_view motion = d.value("motion", "regular");
  const bool hold = d.value("hold") == "yes";
  if (hold && motion != "prescribed") {
    report_.error("V1632", "hold is for prescribed dofs, and this one is " + std::string(motion),
                  Report::value_place(d, "hold"));
  }
  k.motion[s] = motion == "prescribed" ? 1 : motion == "locked" ? 2 : 0;
  k.held[s] = hold || motion == "locked" ? 1 : 0;
  if (motion == "locked" && k.u[s] != 0.0) {
    report_.error("V1622", "a locked dof stands still: its rate must be zero",
                  d.attribute("rate") ? Report::value_place(d, "rate") : d.place);
  }
  if (const auto rotor = positive(d, "rotor", dof.angle ? "kg*m^2" : "kg", true))
    body(i).hinge.rotor[s] = *rotor;
  read_law(d, i, s);
}

void Builder::read_law(const Element& d, int i, std::size_t s) {
  const HingeFacts& kind = multibody::facts(body(i).hinge.kind);
  const HingeDof& dof = kind.dofs[s];
  const char* names[] = {"stiffness", "damping", "friction", "lower", "upper"};
  const bool any = std::any_of(std::begin(names), std::end(names),
                               [&](const char* a) { return d.attribute(a); });
  const bool sprung = d.attribute("stiffness"),
             stopped = d.attribute("lower") || d.attribute("upper");
  if (!sprung) refuse_attributes(d, {"rest"}, "V1635", "is that of a spring: give stiffness too");
  if (!stopped)
    refuse_attributes(d, {"stop_stiffness", "stop_damping"}, "V1635",
                      "is that of stops: give lower or upper too");
  if (!d.attribute("friction"))
    refuse_attributes(d, {"friction_speed"}, "V1635", "is that of friction: give friction too");
  if (!any) return;
  if (kind.quaternion && (sprung || stopped)) {
    report_.error("V1635", "a dof without an angle or distance has no springs and stops", d.place);
    return;
  }
  if (stopped && !d.attribute("stop_stiffness")) {
    not_given("V1635", "the stops have no stiffness", d,
              dof.angle ? "give stop_stiffness=\"… N*m/rad\"" : "give stop_stiffness=\"… N/m\"");
    return;
  }
  const char* unit = dof.angle ? "rad" : "m";
  const char* rate = dof.angle ? "rad/s" : "m/s";
  const char* force = dof.angle ? "N*m" : "N";
  const char* per_way = dof.angle ? "N*m/rad" : "N/m";
  const char* per_rate = dof.angle ? "N*m*s/rad" : "N*s/m";
  multibody::HingeLaw law;
  law.body = i;
  law.speed = static_cast<int>(s);
  // Numbers that a parameter may replace, and for which derivatives are available.
  using Kind = multibody::Parameter::Kind;
  const auto replaceable = [&](const char* what, const char* in, Kind law_kind) {
    double value = positive(d, what, in, true).value_or(0.0);
    if (!d.attribute(what)) return value;
    const std::string name = body(i).name + "." + std::string(dof.name) + "_" + what;
    value = quantities_.replaceable(name, in, {value}, std::string(what) + " of the hinge").front();
    if (!(value >= 0.0)) report_.error("V1622", name + " must not be negative", d.place);
    adjustable(name, in, law_kind, craft_.model.laws.size());
    return value;
  };
  law.stiffness = replaceable("stiffness", per_way, Kind::stiffness);
  law.rest = quantities_.number(d, "rest", unit).value_or(0.0);
  law.damping = replaceable("damping", per_rate, Kind::damping);
  law.friction = replaceable("friction", force, Kind::friction);
  law.friction_speed = positive(d, "friction_speed", rate).value_or(law.friction_speed);
  law.lower = quantities_.number(d, "lower", unit).value_or(law.lower);
  law.upper = quantities_.number(d, "upper", unit).value_or(law.upper);
  law.stop_stiffness = positive(d, "stop_stiffness", per_way).value_or(0.0);
  law.stop_damping = positive(d, "stop_damping", per_rate, true).value_or(0.0);
  if (law.lower >= law.upper) {
    report_.error("V1635", "the lower stop is not below the upper one",
                  Report::value_place(d, "lower"));
    return;
  }
  if (const double q = known(i).q[s]; stopped && (q < law.lower || q > law.upper)) {
    report_
        .warning("V1635",
                 body(i).name + "." + std::string(dof.name) + " begins beyond its " +
                     (q < law.lower ? "lower" : "upper") + " stop, by " +
                     exact(q < law.lower ? law.lower - q : q - law.upper) + " " + unit,
                 d.attribute("initial") ? Report::value_place(d, "initial") : d.place)
        .notes.push_back("the stop pushes it back from the start, with its stiffness");
  }
  craft_.model.laws.push_back(law);
}

}  // namespace vernier::multibody_tree::detail
