#include <algorithm>
#include <utility>

#include "vernier/base/text.hpp"
#include "vernier/model/multibody_tree/detail/builder.hpp"

namespace vernier::multibody_tree::detail {

void Builder::read_gravity(const Element& e) {
  const bool uniform = e.attribute("uniform"), central = e.attribute("mu");
  if (uniform == central) {
    report_
        .error("V1626", "gravity is either uniform or that of a point mass",
               uniform ? Report::value_place(e, "mu") : e.place)
        .notes.push_back(
            "write uniform=\"0 0 -9.81 m/s^2\", or mu=\"398600.4418 km^3/s^2\"; or leave <gravity> "
            "out");
    return;
  }
  if (const auto g = quantities_.vector(e, "uniform", "m/s^2")) craft_.model.tree.gravity = *g;
  if (const auto mu = positive(e, "mu", "m^3/s^2")) craft_.model.central_gravity = {*mu};
}

void Builder::read_ground(const Element& e) {
  const Known none;
  for (const Element& n : e.children) {
    Node node = read_node(n, none);
    const bool twice = std::any_of(ground_.begin(), ground_.end(),
                                   [&](const Node& g) { return g.name == node.name; });
    if (twice) {
      report_.error("V1311", "there are two nodes " + in_quotes(node.name) + " on the ground",
                    Report::value_place(n, "name"));
      continue;
    }
    ground_.push_back(std::move(node));
  }
}

// Mass properties come from modes with points, from lumps, or directly from the document.
void Builder::read_body(int i) {
  const Element& e = *known(i).element;
  if (const Element* modes = e.child("modes")) {
    read_modes(i, *modes);
  } else {
    if (e.child("lump")) {
      refuse_attributes(e, {"mass", "centre", "moment"}, "V1626",
                        "is given by the lumps of this body");
      if (const Element* j = e.child("inertia"))
        report_.error("V1626", "the inertia is given by the lumps of this body", j->place);
      const std::vector<Lump> all = lumps(i);
      if (!report_.failed()) body(i).inertia = multibody::rigid_inertia(all);
    } else {
      read_rigid(i);
    }
    refuse_attributes(e, {"eta", "eta_rate"}, "V1632",
                      "is for bodies with modes, and this one is rigid");
  }
  read_nodes(i);
  known(i).meshes = read_meshes(
      e, document_, quantities_, [this](const Element& m) { return quantities_.attitude(m); },
      report_, files_.meshes);
}

/// Mass, centre and inertia of a body that gives them directly.
void Builder::read_rigid(int i) {
  const Element& e = *known(i).element;
  const std::string& name = body(i).name;
  std::vector<std::string> missing;
  if (!e.attribute("mass")) missing.emplace_back("no mass");
  if (!e.attribute("centre") && !e.attribute("moment")) missing.emplace_back("no centre");
  if (!e.child("inertia")) missing.emplace_back("no inertia");
  if (!missing.empty()) {
    Diagnostic& d = report_.error(
        "V1625", "the body " + in_quotes(name) + " has " + joined(missing, ", "), e.place);
    d.notes.push_back(
        "give it mass=\"… kg\", centre=\"… m\" and <inertia about=\"centre\" …/>, or <lump>s");
    return;
  }
  if (const document::Attribute* a = e.attribute("moment"); a && e.attribute("centre")) {
    report_.error("V1626", "centre and moment both say where the mass is", a->place).mark =
        "leave one of them out";
    return;
  }
  const double mass =
      quantities_.replaceable(name + ".mass", e, "mass", "kg", {0.0}, "mass of the body").front();
  if (mass < 0.0) {
    report_.error("V1622", "mass must not be negative", Report::value_place(e, "mass"));
    return;
  }
  multibody::GivenMass given;
  given.body = i;
  given.mass = mass;
  given.by_moment = e.attribute("moment");
  const char* const place = given.by_moment ? "moment" : "centre";
  const char* const unit = given.by_moment ? "kg*m" : "m";
  const auto three = quantities_.replaceable(
      name + "." + place, e, place, unit, {0.0, 0.0, 0.0},
      given.by_moment ? "first moment of mass of the body" : "centre of mass of the body");
  given.place = {three[0], three[1], three[2]};
  if (given.by_moment && mass == 0.0 && !given.place.isZero()) {
    report_.error("V1622", "moment must be zero: the mass is", Report::value_place(e, "moment"));
    return;
  }
  const Element& tensor = *e.child("inertia");
  const auto J = quantities_.inertia(tensor);
  if (!J) return;
  given.about_centre = tensor.value("about") == "centre";
  const auto six = quantities_.replaceable(
      name + ".inertia", "kg*m^2",
      {(*J)(0, 0), (*J)(1, 1), (*J)(2, 2), (*J)(0, 1), (*J)(0, 2), (*J)(1, 2)},
      given.about_centre ? "xx yy zz xy xz yz of its matrix, about the centre"
                         : "xx yy zz xy xz yz of its matrix, about the body's origin");
  given.inertia << six[0], six[3], six[4], six[3], six[1], six[5], six[4], six[5], six[2];
  body(i).inertia = multibody::inertia_of(given);
  using Kind = multibody::Parameter::Kind;
  const std::size_t index = craft_.model.masses.size(), known = craft_.model.parameters.size();
  adjustable(name + ".mass", "kg", Kind::mass, index);
  adjustable(name + "." + place, unit, Kind::place, index, 3);
  adjustable(name + ".inertia", "kg*m^2", Kind::inertia, index, 6);
  if (craft_.model.parameters.size() > known) craft_.model.masses.push_back(std::move(given));
}

void Builder::adjustable(const std::string& name, std::string_view unit,
                         multibody::Parameter::Kind kind, std::size_t index, std::size_t count) {
  if (quantities_.adjustable(name))
    craft_.model.parameters.push_back(
        {name, std::string(unit), kind, static_cast<int>(index), count});
}

std::optional<Inertia> Builder::inertia(const Element& e, double mass, const Vector3& centre) {
  auto J = quantities_.inertia(e);
  if (!J) return {};
  if (e.value("about") == "centre") {
    // Steiner's theorem: from the centre of mass to the origin of the body.
    *J += mass * (centre.squaredNorm() * Matrix3::Identity() - centre * centre.transpose());
  }
  return Inertia{mass, mass * centre, *J};
}

/// The point masses of a body, with the shapes of its modes.
std::vector<Lump> Builder::lumps(int i) {
  std::vector<Lump> all;
  const Known& k = known(i);
  for (const Element& e : k.element->children) {
    if (e.name != "lump") continue;
    Lump l;
    const auto mass = positive(e, "mass", "kg", true);
    const auto p = quantities_.vector(e, "position", "m");
    if (!mass || !p) continue;
    l.mass = *mass;
    l.p = *p;
    const Element* own = e.child("inertia");
    if (own) {
      if (own->value("about") != "centre") {
        report_.error("V1626", "the inertia of a lump is about its own centre",
                      Report::value_place(*own, "about"));
      } else if (const auto J = quantities_.inertia(*own)) {
        l.inertia = *J;
      }
    }
    read_shapes(e, k, "the lump", own != nullptr, l.shape, l.rotation, l.second);
    if (!all.empty() && !report_.failed() && all.back().second.cols() != l.second.cols())
      not_given("V1628", "this lump and the one before it differ in shapes of two modes", e,
                "give <shape mode=… with=…/> to all lumps, or to none; zeros for those that do not "
                "move");
    all.push_back(std::move(l));
  }
  return all;
}

void Builder::read_nodes(int i) {
  Known& k = known(i);
  for (const Element& e : k.element->children) {
    if (e.name != "node") continue;
    Node node = read_node(e, k);
    if (!identifier(node.name)) {
      k.usable = false;
      continue;
    }
    if (!k.nodes.emplace(node.name, static_cast<int>(body(i).nodes.size())).second) {
      report_.error(
          "V1311", "the body " + in_quotes(body(i).name) + " has two nodes " + in_quotes(node.name),
          Report::value_place(e, "name"));
      continue;
    }
    body(i).nodes.push_back(std::move(node));
    craft_.places.bodies[static_cast<std::size_t>(i)].nodes.push_back(e.place);
  }
}

Node Builder::read_node(const Element& e, const Known& k) {
  Node node;
  node.name = trimmed(e.value("name"));
  quantities_.good_name(e, node.name);
  if (node.name == "frame") {
    report_.error("V1309", "\"frame\" cannot be a name: it is the frame of the body itself",
                  Report::value_place(e, "name"));
  }
  if (const auto R = quantities_.attitude(e)) node.pose.R = *R;
  const std::string whose = "the node " + in_quotes(node.name);
  const bool rigid = e.value("rigid") == "yes";
  if (const document::Attribute* a = e.attribute("point")) {
    refuse_attributes(e, {"position"}, "V1626", "is that of the point in the modal file");
    if (!k.file) {
      if (k.usable)
        report_.error("V1657", whose + " is a point of a modal file, and the body has none",
                      a->value_place);
      return node;
    }
    const auto id = parsed_integer(trimmed(a->value));
    const auto found = id ? k.file->by_id.find(*id) : k.file->by_id.end();
    if (found == k.file->by_id.end()) {
      report_.error("V1657", "the modal file has no point " + in_quotes(trimmed(a->value)),
                    a->value_place);
      return node;
    }
    const Lump& point = k.file->points[found->second];
    node.pose.p = point.p;
    if (rigid) return node;
    if (!k.file->rotations) {
      not_given("V1628", whose + " has no rotations: the modal file gives none", e,
                "write the file with rotations, or give position and <shape>s with rotation here");
      return node;
    }
    node.phi_t = point.shape;
    node.phi_r = point.rotation;
    node.phi_2 = point.second;
    return node;
  }
  if (const auto p = quantities_.vector(e, "position", "m")) {
    node.pose.p = *p;
  } else if (!e.attribute("position")) {
    report_.error("V1625", whose + " has no position", e.place);
  }
  if (rigid) {
    if (const Element* s = e.child("shape"))
      report_.error("V1626", whose + " is rigid and has shapes", s->place);
    return node;
  }
  read_shapes(e, k, whose, true, node.phi_t, node.phi_r, node.phi_2);
  return node;
}

}  // namespace vernier::multibody_tree::detail
