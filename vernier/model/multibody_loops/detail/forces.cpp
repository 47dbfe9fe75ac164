#include <algorithm>
#include <cmath>

#include "vernier/base/text.hpp"
#include "vernier/model/multibody_loops/detail/builder.hpp"

namespace vernier::multibody_loops::detail {

std::optional<std::vector<double>> Builder::matrix(const Element& e, std::string_view of,
                                                   std::size_t rows, std::size_t columns) {
  const Element* found = nullptr;
  for (const Element& c : e.children) {
    if (c.name != "matrix" || c.value("of") != of) continue;
    if (found) {
      report_.error("V1705", "the matrix " + std::string(of) + " is given twice", c.place);
      return {};
    }
    found = &c;
  }
  if (!found) return {};
  auto all = text_numbers(*found, "the matrix " + std::string(of));
  if (!all) return {};
  if (all->size() == rows * columns) return all;
  report_.error("V1715",
                "the matrix " + std::string(of) + " has " + std::to_string(all->size()) +
                    " numbers instead of " + std::to_string(rows) + " × " + std::to_string(columns),
                found->place);
  return {};
}

void Builder::read_load(const Element& e) {
  using Kind = constrained::Load::Kind;
  const std::size_t before = found_.errors();
  constrained::Load l;
  l.couple = e.name == "couple";
  l.kind = e.value("kind") == "dead"       ? Kind::dead
           : e.value("kind") == "follower" ? Kind::follower
                                           : Kind::internal;
  std::vector<const Element*> all;
  for (const Element& c : e.children) all.push_back(&c);
  const std::size_t wanted = l.kind == Kind::internal ? 2 : 1;
  if (all.size() != wanted) {
    report_.error("V1704",
                  who(e) + (all.size() == 1 ? " has one end; " : " has two ends; ") +
                      (wanted == 2 ? "an internal one acts between two"
                                   : "only an internal one acts between two"),
                  e.place);
    return;
  }
  std::optional<Attachment> a, b;
  if (wanted == 2) {
    if (const auto both = ends(e)) {
      a = both->first;
      b = both->second;
    }
  } else {
    b = attachment(*all[0], false);
  }
  const auto direction = quantities_.direction(e, "direction");
  l.drive = drive(e, "size", l.couple ? "N*m" : "N");
  if (!b || !direction || l.drive < 0 || found_.errors() > before) return;
  if (a) l.a = *a;
  l.b = *b;
  l.direction = plain(*direction);
  // Inputs are held over a step, functions of time are not: only held loads are integrated by their
  // exact impulse (docs/mathematics/constrained.md, section 5).
  const constrained::DriveSlot& d = made_.model.drives[static_cast<std::size_t>(l.drive)];
  l.held = !d.function && made_.settings.split_impulses;
  add(e, name_of(e), e.name, l);
}

void Builder::read_contact(const Element& e) {
  const std::size_t before = found_.errors();
  const auto both = ends(e);
  constrained::Contact c;
  c.radius = positive(e, "radius", "m", true).value_or(0.0);
  c.tip_radius = positive(e, "tip_radius", "m", true).value_or(0.0);
  c.exponent = positive(e, "exponent", "1").value_or(1.5);
  // N/m^exponent cannot be written as a unit for every exponent, so this is a bare number in SI.
  c.stiffness = positive(e, "stiffness", "1").value_or(0.0);
  c.damping = positive(e, "damping", "s/m", true).value_or(0.0);
  c.friction = positive(e, "friction", "1", true).value_or(0.0);
  c.friction_speed = positive(e, "friction_speed", "m/s").value_or(1e-3);
  if (!both || found_.errors() > before) return;
  c.a = both->first;
  c.b = both->second;
  add(e, name_of(e), "contact", c);
}

void Builder::read_servo(const Element& e) {
  const std::size_t before = found_.errors();
  const auto at = coordinate(e, "joint", "coordinate");
  const bool angle = e.value("coordinate") == "angle";
  constrained::Servo s;
  s.reference = drive(e, "reference", angle ? "rad" : "m");
  s.proportional = number(e, "proportional", angle ? "N*m" : "N/m");
  s.integral = number(e, "integral", angle ? "N*m/s" : "N/m/s");
  s.derivative = number(e, "derivative", angle ? "N*m*s" : "N*s/m");
  s.limit = positive(e, "limit", angle ? "N*m" : "N").value_or(0.0);
  s.held = e.value("sampled") == "yes";
  if (!at || found_.errors() > before) return;
  s.coordinate = *at;
  add(e, name_of(e), "servo", s);
}

void Builder::read_state_space(const Element& e) {
  constexpr std::size_t most = 1000;
  const std::size_t before = found_.errors();
  constrained::StateSpace s;
  const auto names = [&](const char* attribute, auto&& take) {
    const document::Attribute* a = e.attribute(attribute);
    for (const std::string_view name : words(a->value)) take(name, a->value_place);
  };
  names("inputs", [&](std::string_view name, const Place& p) {
    const Entry* found = find(name, {Named::scalar, Named::drive}, "scalar or drive", p);
    if (!found || found->index < 0) return;
    if (found->kind == Named::scalar && !s.input_drives.empty()) {
      report_.error("V1704", "inputs names scalars first, then drives", p);
      return;
    }
    (found->kind == Named::scalar ? s.input_scalars : s.input_drives).push_back(found->index);
  });
  names("outputs", [&](std::string_view name, const Place& p) {
    const Entry* found = find(name, {Named::scalar}, "scalar", p);
    if (found && found->index >= 0) s.output_scalars.push_back(found->index);
  });
  if (found_.errors() > before) return;
  const std::size_t in = s.input_scalars.size() + s.input_drives.size();
  const std::size_t out = s.output_scalars.size();
  std::size_t states = 0;
  for (const Element& c : e.children) {
    if (c.value("of") == "stiffness" || c.value("of") == "damping") {
      report_.error("V1705", "a state space has the matrices A, B, C and D", c.place);
      return;
    }
    if (c.value("of") != "A") continue;
    const auto all = text_numbers(c, "the matrix A");
    if (!all) return;
    // The number of states follows from the size of A.
    states = static_cast<std::size_t>(std::lround(std::sqrt(static_cast<double>(all->size()))));
    if (states * states != all->size() || states > most) {
      report_.error("V1715",
                    "the matrix A has " + std::to_string(all->size()) +
                        " numbers: it is not square, or too large",
                    c.place);
      return;
    }
  }
  s.states = static_cast<int>(states);
  const auto read = [&](const char* of, std::size_t rows, std::size_t columns) {
    if (const auto all = matrix(e, of, rows, columns)) return *all;
    return std::vector<double>(rows * columns, 0.0);
  };
  s.A = read("A", states, states);
  s.B = read("B", states, in);
  s.C = read("C", out, states);
  s.D = read("D", out, in);
  if (found_.errors() > before) return;
  add(e, name_of(e), "state_space", s);
}

void Builder::read_branch(const Element& e) {
  const std::size_t before = found_.errors();
  constrained::ScalarBranch b;
  const auto scalar = [&](const char* attribute) {
    const Entry* found = find(e, attribute, {Named::scalar}, "scalar");
    return found ? found->index : -1;
  };
  b.a = scalar("a");
  if (e.attribute("b")) b.b = scalar("b");
  b.conductance = positive(e, "conductance", "1", true).value_or(0.0);
  b.capacity = positive(e, "capacity", "1", true).value_or(0.0);
  b.cubic = number(e, "cubic", "1");
  if (e.attribute("source")) {
    const Entry* found = find(e, "source", {Named::drive}, "drive");
    b.source = found ? found->index : constrained::no_drive;
  }
  if (found_.errors() > before) return;
  if (b.a == b.b) {
    report_.error("V1706", who(e) + " joins a scalar to itself", e.place);
    return;
  }
  add(e, name_of(e), "branch", b);
}

void Builder::read_transducer(const Element& e) {
  const std::size_t before = found_.errors();
  const auto at = coordinate(e, "joint", "coordinate");
  const Entry* scalar = find(e, "scalar", {Named::scalar}, "scalar");
  constrained::Transducer t;
  t.constant = number(e, "constant", "1");
  if (!at || !scalar || scalar->index < 0 || found_.errors() > before) return;
  t.coordinate = *at;
  t.scalar = scalar->index;
  add(e, name_of(e), "transducer", t);
}

}  // namespace vernier::multibody_loops::detail
