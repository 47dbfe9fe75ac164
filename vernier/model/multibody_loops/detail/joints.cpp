#include <algorithm>
#include <cmath>

#include "vernier/base/text.hpp"
#include "vernier/model/multibody_loops/detail/builder.hpp"

namespace vernier::multibody_loops::detail {
namespace {

using constrained::JointKind;
using constrained::Law;

const std::map<std::string_view, JointKind> joint_kinds{
    {"spherical", JointKind::spherical},     {"revolute", JointKind::revolute},
    {"cylindrical", JointKind::cylindrical}, {"prismatic", JointKind::prismatic},
    {"planar", JointKind::planar},           {"universal", JointKind::universal},
    {"in_line", JointKind::in_line},         {"in_plane", JointKind::in_plane},
    {"distance", JointKind::distance},       {"clamp", JointKind::clamp},
    {"rotation", JointKind::rotation},       {"displacement", JointKind::displacement}};

}  // namespace

void Builder::read_joint(const Element& e) {
  const std::size_t before = found_.errors();
  constrained::Joint j;
  j.kind = joint_kinds.at(e.value("kind"));
  const auto both = ends(e);
  const std::string of = "has no meaning for a joint of kind " + std::string(e.value("kind"));
  const bool follows = j.kind == JointKind::rotation || j.kind == JointKind::displacement;
  if (j.kind != JointKind::distance) refuse(e, {"length"}, of);
  if (!follows) refuse(e, {"follow"}, of);
  if (j.kind == JointKind::distance && both) {
    if (e.attribute("length")) {
      // A constant is checked here; a drive can only be checked at t = 0.
      j.drives[0] = drive(e, "length", "m");
      j.length = at_start(j.drives[0]);
    } else {
      j.length = (pose_of(both->second).p - pose_of(both->first).p).norm();
    }
    if (!(j.length > 0.0) && found_.errors() == before) {
      report_
          .error("V1700", "the length of " + who(e) + " must be more than zero",
                 e.attribute("length") ? Report::value_place(e, "length") : e.place)
          .notes.push_back("points that coincide are a spherical joint");
    }
  }
  if (follows && need(e, {"follow"}, who(e))) {
    const document::Attribute* a = e.attribute("follow");
    const bool commas = a->value.find(',') != std::string::npos;
    // Drives may be expressions with blanks, so commas separate them if there are any.
    const std::vector<std::string_view> parts = commas ? split(a->value, ',') : words(a->value);
    const bool turns = j.kind == JointKind::rotation;
    if (parts.size() != 3) {
      report_.error("V1704", "follow needs three drives, for x, y and z", a->value_place)
          .notes.push_back(turns ? "for example follow=\"0, 0, angle\""
                                 : "for example follow=\"way, 0, 0\"");
    } else {
      for (std::size_t i = 0; i < 3; ++i)
        j.drives[i] = drive(trimmed(parts[i]), a->value_place, "follow", turns ? "rad" : "m");
    }
  }
  read_friction(e, j);
  if (!both || found_.errors() > before) return;
  j.a = both->first;
  j.b = both->second;
  add(e, name_of(e), e.value("kind"), j);
}

// Stiction defaults to Coulomb friction: without it there is no Stribeck effect.
void Builder::read_friction(const Element& e, constrained::Joint& j) {
  const bool turns = j.kind == JointKind::revolute;
  const Element *f = e.child("friction"), *s = e.child("stop");
  for (const Element* c : {f, s}) {
    if (!c || turns || j.kind == JointKind::prismatic) continue;
    report_.error("V1705", "only revolute and prismatic joints have a <" + c->name + ">", c->place);
    return;
  }
  const char* speed = turns ? "rad/s" : "m/s";
  if (f) {
    constrained::Friction r;
    r.coulomb = positive(*f, "coulomb", "1", true).value_or(0.0);
    // Without stiction there is no Stribeck effect.
    r.stiction =
        f->attribute("stiction") ? positive(*f, "stiction", "1", true).value_or(0.0) : r.coulomb;
    r.stribeck_speed = positive(*f, "stribeck_speed", speed).value_or(1.0);
    r.viscous = positive(*f, "viscous", turns ? "N*m*s" : "N*s/m", true).value_or(0.0);
    r.preload = positive(*f, "preload", turns ? "N*m" : "N", true).value_or(0.0);
    r.radius = positive(*f, "radius", "m", true).value_or(0.0);
    r.smoothing = positive(*f, "smoothing", speed).value_or(1e-3);
    if (r.stiction < r.coulomb)
      report_.error("V1700", "stiction must not be less than coulomb",
                    Report::value_place(*f, "stiction"));
    j.friction = r;
  }
  if (s) {
    constrained::Stop r;
    r.lower = number(*s, "lower", turns ? "rad" : "m");
    r.upper = number(*s, "upper", turns ? "rad" : "m");
    r.stiffness = positive(*s, "stiffness", turns ? "N*m" : "N/m").value_or(1.0);
    r.damping = positive(*s, "damping", turns ? "N*m*s" : "N*s/m", true).value_or(0.0);
    if (!(r.lower < r.upper))
      report_.error("V1700", "lower must be less than upper", Report::value_place(*s, "lower"));
    j.stop = r;
  }
}

std::optional<constrained::JointCoordinate> Builder::coordinate(const Element& e,
                                                                std::string_view of,
                                                                std::string_view kind) {
  const Entry* found = find(e, of, {Named::element}, "joint");
  if (!found) return {};
  const auto at = ends_.find(trimmed(e.value(of)));
  if (at == ends_.end()) {
    static const std::set<std::string, std::less<>> have{"joint", "deformable", "rod", "contact"};
    if (!have.contains(found->element->name)) {
      report_
          .error("V1702", who(*found->element) + " has no angle or position",
                 Report::value_place(e, of))
          .notes.push_back("joints have, and deformable joints");
    }
    return {};
  }
  // Coordinates that the joint itself constrains.
  static const std::set<std::string_view> no_turn{"prismatic", "clamp", "rotation"},
      no_way{"revolute", "spherical", "universal", "clamp", "displacement"};
  const bool angle = e.value(kind) == "angle";
  if (found->element->name == "joint" &&
      (angle ? no_turn : no_way).contains(trimmed(found->element->value("kind")))) {
    report_
        .error("V1702",
               who(*found->element) + " holds its " + (angle ? "angle" : "position") +
                   ": nothing can act on it",
               Report::value_place(e, of))
        .notes.push_back(angle ? "revolute and cylindrical joints turn; prismatic ones have a "
                                 "position"
                               : "prismatic and cylindrical joints slide; revolute ones have an "
                                 "angle");
    return {};
  }
  return constrained::JointCoordinate{at->second.first, at->second.second,
                                      e.value(kind) == "angle"};
}

void Builder::read_coupling(const Element& e) {
  const std::size_t before = found_.errors();
  std::vector<constrained::JointCoordinate> both;
  for (const Element& c : e.children) {
    if (const auto one = coordinate(c, "of", "kind")) both.push_back(*one);
  }
  constrained::Coupling k;
  if (both.size() == 2) {
    k.first = both[0];
    k.second = both[1];
    const char* unit = k.first.angle == k.second.angle ? "1" : k.first.angle ? "rad/m" : "m/rad";
    k.ratio = number(e, "ratio", unit);
    k.drive = drive(e, "drive", k.first.angle ? "rad" : "m");
  }
  if (both.size() != 2 || found_.errors() > before) return;
  add(e, name_of(e), "coupling", k);
}

// Force laws of springs and dampers

std::optional<Law> Builder::law(const Element& e, bool turns) {
  const std::size_t before = found_.errors();
  static const std::map<std::string_view, Law::Kind> kinds{
      {"linear", Law::Kind::linear},
      {"cubic", Law::Kind::cubic},
      {"table", Law::Kind::table},
      {"viscoelastic", Law::Kind::viscoelastic},
      {"one_sided", Law::Kind::one_sided}};
  const char* stiffness = turns ? "N*m" : "N/m";
  Law l;
  l.kind = kinds.at(e.value("kind"));
  l.stiffness = positive(e, "stiffness", stiffness, true).value_or(0.0);
  l.damping = positive(e, "damping", turns ? "N*m*s" : "N*s/m", true).value_or(0.0);
  l.cubic = number(e, "cubic", turns ? "N*m" : "N/m^3");
  l.branch_stiffness = positive(e, "branch_stiffness", stiffness, true).value_or(0.0);
  l.relaxation_time = positive(e, "relaxation_time", "s", true).value_or(0.0);
  l.prestress = number(e, "prestress", turns ? "N*m" : "N");
  const bool text = !trimmed(e.text).empty();
  if (text != (l.kind == Law::Kind::table)) {
    report_.error("V1704",
                  text ? "numbers here are for a law of kind table"
                       : "a table needs its points: elongation and force in turn, in SI",
                  text ? report_.text_place(e) : e.place);
  }
  if (l.kind == Law::Kind::table && text) {
    const auto all = text_numbers(e, "the table");
    if (all && (all->size() % 2 != 0 || all->size() < 4)) {
      report_.error("V1711",
                    "the table has " + std::to_string(all->size()) +
                        " numbers: it needs at least two pairs of an elongation and a force",
                    report_.text_place(e));
    } else if (all) {
      for (std::size_t i = 0; i < all->size(); i += 2) {
        l.points.push_back((*all)[i]);
        l.forces.push_back((*all)[i + 1]);
      }
      if (!std::is_sorted(l.points.begin(), l.points.end(), std::less_equal<>()))
        report_.error("V1711", "the points of the table do not rise", report_.text_place(e));
    }
  }
  if (l.kind == Law::Kind::viscoelastic && !(l.relaxation_time > 0.0))
    report_.error("V1704", "a viscoelastic law needs relaxation_time", e.place);
  if (found_.errors() > before) return {};
  return l;
}

void Builder::read_deformable(const Element& e) {
  const std::size_t before = found_.errors();
  const auto both = ends(e);
  constrained::DeformableJoint d;
  bool any = false;
  for (const Element& c : e.children) {
    if (c.name != "law") continue;
    any = true;
    const bool turns = c.attribute("about") != nullptr;
    if (turns == (c.attribute("along") != nullptr)) {
      report_.error("V1704", "a law says along or about which axes it is", c.place)
          .notes.push_back("along=\"x\" for a force, about=\"yz\" for moments");
      continue;
    }
    const std::string_view axes = trimmed(c.value(turns ? "about" : "along"));
    const auto l = law(c, turns);
    const int rest = drive(c, "rest", turns ? "rad" : "m");
    if (axes.empty() || axes.find_first_not_of("xyz") != std::string_view::npos) {
      report_.error("V1700", "axes are of x, y and z, not " + in_quotes(axes),
                    Report::value_place(c, turns ? "about" : "along"));
      continue;
    }
    for (const char axis : axes) {
      const auto i = static_cast<std::size_t>(axis - 'x');
      std::optional<Law>& at = turns ? d.rotation[i] : d.translation[i];
      if (at)
        report_.error("V1705", std::string("two laws for ") + axis + " of " + who(e), c.place);
      if (l) at = *l;
      (turns ? d.reference : d.rest)[i] = rest;
    }
  }
  const bool matrices = e.child("matrix") != nullptr;
  if (any == matrices) {
    report_.error("V1704", who(e) + (any ? " has laws and matrices" : " has no law"), e.place)
        .notes.push_back("give <law>s, or <matrix of=\"stiffness\"> and <matrix of=\"damping\">");
  } else if (matrices) {
    constrained::SixLaw six;
    if (const auto k = matrix(e, "stiffness", 6, 6))
      std::copy(k->begin(), k->end(), six.stiffness.begin());
    if (const auto k = matrix(e, "damping", 6, 6))
      std::copy(k->begin(), k->end(), six.damping.begin());
    d.full = six;
  }
  if (!both || found_.errors() > before) return;
  d.a = both->first;
  d.b = both->second;
  add(e, name_of(e), "deformable", d);
}

double Builder::at_start(int drive) const {
  if (drive < 0) return 0.0;
  const auto& slot = made_.model.drives[static_cast<std::size_t>(drive)];
  return slot.function ? slot.function->at(0.0).value : slot.initial;
}

void Builder::read_rod(const Element& e) {
  const std::size_t before = found_.errors();
  const auto both = ends(e);
  const Element& c = *e.child("law");
  refuse(c, {"along", "about", "rest"}, "has no meaning for a rod: its law is along its line");
  const auto l = law(c, false);
  constrained::Rod r;
  if (e.attribute("length")) {
    r.length_drive = drive(e, "length", "m");
    if (at_start(r.length_drive) < 0.0)
      report_.error("V1700", "the length of " + who(e) + " must not be negative",
                    Report::value_place(e, "length"));
  } else if (both) {
    r.length = (pose_of(both->second).p - pose_of(both->first).p).norm();
  }
  r.cable = e.value("cable") == "yes";
  if (!both || !l || found_.errors() > before) return;
  if ((pose_of(both->second).p - pose_of(both->first).p).norm() == 0.0) {
    report_.error("V1709", "the ends of " + who(e) + " are at the same point: it has no direction",
                  e.place);
    return;
  }
  r.a = both->first;
  r.b = both->second;
  r.law = *l;
  add(e, name_of(e), r.cable ? "cable" : "rod", r);
}

}  // namespace vernier::multibody_loops::detail
