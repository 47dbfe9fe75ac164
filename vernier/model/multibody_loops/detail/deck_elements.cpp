#include <algorithm>
#include <cmath>

#include "vernier/base/text.hpp"
#include "vernier/kernel/elementary/elementary.hpp"
#include "vernier/model/multibody_loops/detail/deck.hpp"

namespace vernier::multibody_loops::detail {
namespace {

constexpr const char* all_joints =
    "clamp, revolute hinge, revolute pin, spherical hinge, spherical pin, prismatic, in line, in "
    "plane, cardano hinge, universal hinge, distance, total joint, total pin "
    "joint, axial rotation, drive hinge, drive displacement, drive displacement pin, deformable "
    "hinge, deformable displacement joint, deformable joint, deformable axial joint, rod";

const char* const axis_names[] = {"x", "y", "z"};

}  // namespace

void Deck::body(const DeckStatement& s, DeckArguments& a) {
  const std::string name = named(s, "body", a.label("the label of the body"));
  a.skip_name();
  const Node& n = node_of(a);
  long pieces = 1;
  const bool several = a.keyword("condense");
  if (several) {
    const Place place = a.place();
    pieces = a.label("the number of masses");
    if (pieces < 1 || pieces > 10'000) refuse("V1721", "there are 1 to 10000 masses", place);
  }
  for (long i = 0; i < pieces; ++i) {
    const double mass = a.number("the mass");
    a.keyword("position");
    const Vector3 centre = position(a, n.pose);
    const Place place = a.place();
    const std::vector<double> m = square(a, 3);
    Matrix3 J = Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(m.data());
    if (!(J - J.transpose()).isZero(1e-9 * J.cwiseAbs().maxCoeff()))
      refuse("V1721", "this inertia is not symmetric", place);
    // The inertia is given in rotated axes.
    if (a.keyword("inertial") || a.keyword("orientation")) {
      const Matrix3 R = a.keyword("node") ? Matrix3(Matrix3::Identity()) : orientation(a, n.pose);
      J = R * J * R.transpose();
    }
    std::string inertia =
        "xx=\"" + exact(J(0, 0)) + "\" yy=\"" + exact(J(1, 1)) + "\" zz=\"" + exact(J(2, 2)) + "\"";
    if (J(0, 1) != 0.0 || J(0, 2) != 0.0 || J(1, 2) != 0.0) {
      inertia += " xy=\"" + exact(J(0, 1)) + "\" xz=\"" + exact(J(0, 2)) + "\" yz=\"" +
                 exact(J(1, 2)) + "\" products=\"tensor\"";
    }
    written_nodes_ += "  <body name=\"" + name + (several ? "_" + std::to_string(i + 1) : "") +
                      "\" node=\"" + n.name + "\" mass=\"" + exact(mass) + " kg\"" +
                      (centre.isZero(0.0) ? "" : " centre=\"" + vector(centre, "m") + "\"") +
                      "><inertia about=\"centre\" unit=\"kg*m^2\" " + inertia + "/></body>\n";
  }
  tail(a);
}

void Deck::joint(const DeckStatement& s, DeckArguments& a) {
  const std::string name = named(s, "joint", a.label("the label of the joint"));
  a.skip_name();
  const DeckArgument& word = a.next("the kind of joint");
  const std::string kind = normal(word.text);
  const bool known = two_node_joint(kind, name, a) || driven_joint(kind, name, a) ||
                     pin_joint(kind, name, a) || elastic_joint(kind, name, a);
  if (!known)
    refuse("V1722", "the joint \"" + word.text + "\" is not among what can be converted",
           word.place, std::string("can be converted: ") + all_joints);
  tail(a);
}

bool Deck::two_node_joint(const std::string& kind, const std::string& name, DeckArguments& a) {
  if (kind == "revolute hinge" || kind == "spherical hinge" || kind == "cardano hinge" ||
      kind == "universal hinge") {
    const End one = end(a, true), two = end(a, true);
    write_joint(name,
                kind[0] == 'r'   ? "revolute"
                : kind[0] == 's' ? "spherical"
                                 : "universal",
                one, two);
    return true;
  }
  if (kind == "prismatic" || kind == "drive hinge") {
    const End one = end(a, false), two = end(a, false);
    write_joint(name, "rotation", one, two,
                follow_text(kind == "drive hinge" ? drive3(a) : Drive3{}, "rad"));
    return true;
  }
  if (kind == "in line" || kind == "in plane") {
    End one, two;
    one.node = &node_of(a);
    a.keyword("position");
    one.offset = position(a, one.node->pose);
    if (kind == "in line") {
      if (!a.keyword("orientation")) a.keyword("hinge");
      one.axes = orientation(a, one.node->pose);
    } else {
      const Pose* f = frame(a, &one.node->pose);
      Vector3 n = plain_vector(a);
      if (f && f != &one.node->pose) n = one.node->pose.R.transpose() * f->R * n;
      if (!(n.norm() > 0.0)) refuse("V1721", "the normal of the plane has no direction", a.place());
      n.normalize();
      one.axes.col(2) = n;
      one.axes.col(0) =
          (std::abs(n.x()) < 0.9 ? n.cross(Vector3::UnitX()) : n.cross(Vector3::UnitY()))
              .normalized();
      one.axes.col(1) = n.cross(one.axes.col(0));
    }
    other_ = Other{&one.node->pose, one.node->pose.p + one.node->pose.R * one.offset,
                   one.node->pose.R * one.axes};
    two.node = &node_of(a);
    if (a.keyword("offset") || a.keyword("position")) two.offset = position(a, two.node->pose);
    write_joint(name, kind == "in line" ? "in_line" : "in_plane", one, two);
    return true;
  }
  if (kind == "distance" || kind == "distance with offset") {
    const bool bare = kind != "distance";
    const End one = end(a, bare), two = end(a, bare);
    const bool as_is = a.keyword("from nodes");
    write_joint(name, "distance", one, two,
                as_is ? "" : " length=\"" + drive_text(drive(a), 1.0, "m") + "\"");
    return true;
  }
  if (kind == "total joint" || kind == "total pin joint") {
    total_joint(name, a, kind == "total pin joint");
    return true;
  }
  return false;
}

bool Deck::driven_joint(const std::string& kind, const std::string& name, DeckArguments& a) {
  if (kind == "axial rotation") {
    const End one = end(a, true), two = end(a, true);
    const Place place = a.place();
    // MBDyn's axial rotation prescribes the angular velocity; the joint of the document follows the
    // angle.
    // MBDyn holds the axes parallel and drives the speed: the angle begins where the nodes are.
    const Matrix3 R = (one.node->pose.R * one.axes).transpose() * two.node->pose.R * two.axes;
    const double first = elementary::atan2(R(1, 0), R(0, 0));
    std::string turned = integral_of(drive(a), place);
    if (std::abs(first) > 1e-12) turned += " + (" + exact(first) + ")";
    const Drive angle{Drive::Kind::formula, {}, turned};
    write_joint(name, "spherical", one, two);
    write_joint(name + "_turn", "rotation", one, two,
                " follow=\"0, 0, " + drive_text(angle, 1.0, "rad") + "\"");
    return true;
  }
  const bool pin = kind == "drive displacement pin";
  if (!pin && kind != "drive displacement") return false;
  static const Pose ground;
  End one = end(a, true), two;
  if (pin) {
    two = one;
    one = {};
    a.keyword("position");
    one.offset = position(a, ground);
  } else {
    two = end(a, true);
  }
  write_joint(name, "displacement", one, two, follow_text(drive3(a), "m"));
  return true;
}

/// The attribute `follow` of a joint, from three drives.
std::string Deck::follow_text(const Drive3& d, const char* unit) {
  std::string all = " follow=\"";
  for (int i = 0; i < 3; ++i)
    all += (i > 0 ? ", " : "") + (d.drive[i] ? drive_text(*d.drive[i], d.factor[i], unit) : "0");
  return all + "\"";
}

bool Deck::pin_joint(const std::string& kind, const std::string& name, DeckArguments& a) {
  static const Pose ground;
  if (kind == "clamp") {
    End two;
    two.node = &node_of(a);
    End one;
    one.offset = two.node->pose.p;
    one.axes = two.node->pose.R;
    // Global unless it says otherwise; `reference, node` is the node at the start.
    const Pose& own = two.node->pose;
    const auto node_follows = [&] {
      return a.more(1) && normal(a.peek().text) == "reference" && normal(a.peek(1).text) == "node";
    };
    a.keyword("position");
    if (a.more() && !a.keyword("node") && normal(a.peek().text) != "output")
      one.offset = node_follows() ? Vector3(own.p + own.R * position(a, own)) : position(a, ground);
    a.keyword("orientation");
    if (a.more() && !a.keyword("node") && normal(a.peek().text) != "output")
      one.axes = node_follows() ? Matrix3(own.R * orientation(a, own)) : orientation(a, ground);
    write_joint(name, "clamp", one, two);
    return true;
  }
  if (kind == "revolute pin" || kind == "spherical pin" || kind == "pin") {
    const End two = end(a, true);
    End one;
    a.keyword("position");
    one.offset = position(a, ground);
    if (a.keyword("orientation") || a.keyword("hinge")) one.axes = orientation(a, ground);
    write_joint(name, kind == "revolute pin" ? "revolute" : "spherical", one, two);
    return true;
  }
  return false;
}

bool Deck::elastic_joint(const std::string& kind, const std::string& name, DeckArguments& a) {
  if (kind == "rod" || kind == "rod with offset") {
    const bool bare = kind != "rod";
    const End one = end(a, bare), two = end(a, bare);
    const auto at = [](const End& e) {
      return Vector3(e.node->pose.p + e.node->pose.R * e.offset);
    };
    const Place place = a.place();
    const double length =
        a.keyword("from nodes") ? (at(two) - at(one)).norm() : a.number("the length");
    if (!(length > 0.0)) refuse("V1721", "a rod has a length of more than zero", place);
    // MBDyn's law of a rod takes the strain, the document's law the change of length.
    const Law l = law(a, 1);
    written_ += "  <rod name=\"" + name + "\" length=\"" + exact(length) + " m\">\n" + text(one) +
                text(two) + "    <law" + law_text(l, length, "N/m", "N*s/m", "N/m^3") +
                "  </rod>\n";
    return true;
  }
  if (kind == "deformable axial joint") {
    const End one = end(a, false), two = end(a, false);
    written_ += "  <deformable name=\"" + name + "\">\n" + text(one) + text(two) +
                "    <law about=\"z\"" + law_text(law(a, 1), 1.0, "N*m", "N*m*s", "N*m") +
                "  </deformable>\n";
    return true;
  }
  const bool hinge = kind == "deformable hinge", way = kind == "deformable displacement joint";
  if (!hinge && !way && kind != "deformable joint") return false;
  const End one = end(a, !hinge), two = end(a, !hinge);
  const std::size_t n = hinge || way ? 3 : 6;
  const Law l = law(a, n);
  written_ += "  <deformable name=\"" + name + "\">\n" + text(one) + text(two);
  // A diagonal law becomes one <law> per axis, any other the full matrices.
  bool diagonal = n == 3;
  for (std::size_t i = 0; i < n * n; ++i)
    diagonal = diagonal && (i % (n + 1) == 0 || (l.stiffness[i] == 0.0 && l.damping[i] == 0.0));
  if (diagonal) {
    for (std::size_t i = 0; i < 3; ++i) {
      written_ += std::string("    <law ") + (hinge ? "about" : "along") + "=\"" + axis_names[i] +
                  "\" stiffness=\"" + exact(l.stiffness[4 * i]) + (hinge ? " N*m" : " N/m") +
                  "\" damping=\"" + exact(l.damping[4 * i]) + (hinge ? " N*m*s" : " N*s/m") +
                  "\"/>\n";
    }
  } else {
    const auto six = [&](const std::vector<double>& m) {
      if (n == 6) return m;
      std::vector<double> all(36, 0.0);
      const std::size_t at = hinge ? 3 : 0;
      for (std::size_t i = 0; i < 3; ++i) {
        for (std::size_t j = 0; j < 3; ++j) all[6 * (at + i) + at + j] = m[3 * i + j];
      }
      return all;
    };
    written_ +=
        matrix_text("stiffness", six(l.stiffness), 6) + matrix_text("damping", six(l.damping), 6);
  }
  written_ += "  </deformable>\n";
  return true;
}

/// The attributes of a scalar law whose argument is divided by `length`.
std::string Deck::law_text(const Law& l, double length, const char* stiffness, const char* damping,
                           const char* cubic) {
  std::string all = l.cubic != 0.0 ? " kind=\"cubic\"" : "";
  all += " stiffness=\"" + exact(l.stiffness[0] / length) + " " + stiffness + "\"";
  if (l.cubic != 0.0)
    all += " cubic=\"" + exact(l.cubic / (length * length * length)) + " " + cubic + "\"";
  if (l.damping[0] != 0.0)
    all += " damping=\"" + exact(l.damping[0] / length) + " " + damping + "\"";
  return all + "/>\n";
}

/// A total joint constrains any combination of relative positions and rotations. Combinations that
/// correspond to one or two joints of the document are converted, others are refused.
void Deck::total_joint(const std::string& name, DeckArguments& a, bool pin) {
  static const Pose ground;
  struct Side {
    const Node* node = nullptr;
    Vector3 offset = Vector3::Zero();
    Matrix3 of_position = Matrix3::Identity(), of_rotation = Matrix3::Identity();
  } sides[2];
  for (int k = 0; k < 2; ++k) {
    Side& side = sides[pin ? 1 - k : k];
    if (!pin || k == 0) side.node = &node_of(a);
    const Pose& own = side.node ? side.node->pose : ground;
    // The second side may refer to the position or orientation of the first.
    const auto first = [&](const Matrix3& R) {
      if (k == 1) other_->orientation = other_->node->R * R;
    };
    if (a.keyword("position")) side.offset = position(a, own);
    if (k == 0) other_ = Other{&own, own.p + own.R * side.offset, own.R};
    first(sides[pin ? 1 : 0].of_position);
    if (a.keyword("position orientation")) side.of_position = orientation(a, own);
    first(sides[pin ? 1 : 0].of_rotation);
    if (a.keyword("rotation orientation")) side.of_rotation = orientation(a, own);
  }
  bool held[2][3] = {};
  Drive3 follow[2];
  for (const auto& [k, word] :
       {std::pair(0, "position constraint"), std::pair(1, "orientation constraint")}) {
    if (!a.keyword(word)) continue;
    for (bool& h : held[k]) {
      h = a.keyword("active") || a.keyword(k == 0 ? "position" : "rotation") || a.keyword("1");
      if (!h && !a.keyword("inactive") && !a.keyword("0")) a.unexpected("active or inactive");
    }
    follow[k] = drive3(a);
  }
  const auto count = [](const bool(&h)[3]) { return static_cast<int>(h[0]) + h[1] + h[2]; };
  const int ways = count(held[0]), turns = count(held[1]);
  const auto driven = [](const Drive3& d) { return d.drive[0] || d.drive[1] || d.drive[2]; };
  const auto with_axes = [&](const Side& s, const Matrix3& R, int axis) {
    End e{s.node, s.offset, R};
    // The axis becomes z, in cyclic order.
    Matrix3 P;
    for (int i = 0; i < 3; ++i) P.col(i) = R.col((axis + 1 + i) % 3);
    e.axes = P;
    return e;
  };
  const auto write = [&](const std::string& n, const char* kind, bool rotation, int axis,
                         const std::string& more = {}) {
    const auto R = [&](const Side& s) { return rotation ? s.of_rotation : s.of_position; };
    write_joint(n, kind, with_axes(sides[0], R(sides[0]), axis),
                with_axes(sides[1], R(sides[1]), axis), more);
  };
  const bool moved = driven(follow[0]), turned = driven(follow[1]);
  const auto odd = [](const bool(&h)[3]) {  // the index that differs from the other two
    return h[0] == h[1] ? 2 : h[0] == h[2] ? 1 : 0;
  };
  const bool same_axes = (sides[0].of_position - sides[0].of_rotation).isZero(1e-12) &&
                         (sides[1].of_position - sides[1].of_rotation).isZero(1e-12);
  if (!moved && !turned) {
    if (ways == 3 && turns == 3 && same_axes) return write(name, "clamp", true, 2);
    if (ways == 3 && turns == 2) return write(name, "revolute", true, odd(held[1]));
    if (ways == 2 && turns == 3 && same_axes) return write(name, "prismatic", false, odd(held[0]));
    const bool along = same_axes && odd(held[0]) == odd(held[1]);
    if (ways == 2 && turns == 2 && along) return write(name, "cylindrical", false, odd(held[0]));
    if (ways == 1 && turns == 2 && along) return write(name, "planar", false, odd(held[0]));
  }
  // Otherwise one joint for the positions and one for the orientations.
  if ((!moved || ways == 3) && (turns == 0 || turns == 3) && ways + turns > 0) {
    if (moved || (ways == 3 && turned))
      write(name, "displacement", false, 2, follow_text(follow[0], "m"));
    else if (ways > 0)
      write(name,
            ways == 3   ? "spherical"
            : ways == 2 ? "in_line"
                        : "in_plane",
            false, ways == 3 ? 2 : odd(held[0]));
    if (turns == 3)
      write(ways > 0 ? name + "_turn" : name, "rotation", true, 2, follow_text(follow[1], "rad"));
    return;
  }
  refuse("V1722", "this combination of a total joint is none of the joints there are", a.place(),
         "it holds " + std::to_string(ways) + " positions and " + std::to_string(turns) +
             " orientations" + (moved || turned ? ", some of them driven" : ""));
}

void Deck::force(const DeckStatement& s, DeckArguments& a, bool couple) {
  const std::string name = named(s, couple ? "couple" : "force", a.label("the label"));
  a.skip_name();
  const bool between = a.more() && normal(a.peek().text).ends_with(" internal");
  const bool follower = a.keyword("follower") || a.keyword("follower internal");
  if (!follower && !a.keyword("absolute") && !a.keyword("absolute internal"))
    a.unexpected("absolute, follower, absolute internal, follower internal");
  End one = end(a, false), two;
  if (between) two = end(a, false);
  const auto at = [](const End& e) { return Vector3(e.node->pose.p + e.node->pose.R * e.offset); };
  if (between && follower && !couple && !(at(one) - at(two)).isZero(1e-9)) {
    warnings_
        ->warning("V1728",
                  "both ends of this internal force act at the point of the second node, in MBDyn "
                  "each at its own",
                  s.place)
        .notes.push_back("the same as long as the force is along the line between the two points");
  }
  // Older decks write direction, arm, drive.
  const auto arm_follows = [&] {
    const auto number = [&](std::size_t k) {
      return a.more(k) && a.numbers().begins(a.peek(k).text);
    };
    const auto is = [&](std::size_t k, const char* word) {
      return a.more(k) && normal(a.peek(k).text) == word;
    };
    if (couple || between || !number(0) || a.left() < 5) return false;
    if (is(3, "reference")) return is(5, "null") || (number(5) && a.left() > 7);
    return is(3, "null") || (number(3) && a.left() > 6);
  };
  Drive3 d;
  if (arm_follows()) {
    const Place place = a.place();
    Vector3 direction = plain_vector(a);
    if (!(direction.norm() > 0.0)) refuse("V1721", "the force has no direction", place);
    // In this form, and only in this one, MBDyn takes the direction as a unit vector.
    direction.normalize();
    one.offset = position(a, one.node->pose);
    const Drive size = drive(a);
    for (int i = 0; i < 3; ++i) {
      if (direction[i] == 0.0) continue;
      d.drive[i] = size;
      d.factor[i] = direction[i];
    }
  } else {
    d = drive3(a);
  }
  const auto write = [&](const std::string& own, const char* kind, int i, double factor,
                         const std::string& ends) {
    static constexpr const char* directions[] = {"1 0 0", "0 1 0", "0 0 1"};
    const std::string what = couple ? "couple" : "force";
    written_ += "  <" + what + " name=\"" + own + "_" + axis_names[i] + "\" kind=\"" + kind +
                "\" direction=\"" + directions[i] + "\" size=\"" +
                drive_text(*d.drive[i], factor, couple ? "N*m" : "N") + "\">\n" + ends + "  </" +
                what + ">\n";
  };
  for (int i = 0; i < 3; ++i) {
    if (!d.drive[i]) continue;
    if (!between) {
      write(name, follower ? "follower" : "dead", i, d.factor[i], text(one));
    } else if (follower) {
      // MBDyn applies the force to the first node; the document's internal force acts on the second
      // end.
      write(name, "internal", i, -d.factor[i], text(one) + text(two));
    } else {
      write(name, "dead", i, d.factor[i], text(one));
      write(name + "_back", "dead", i, -d.factor[i], text(two));
    }
  }
  tail(a);
}

void Deck::gravity(DeckArguments& a) {
  a.keyword("uniform");
  const Place place = a.place();
  const Drive3 d = drive3(a);
  Vector3 g = Vector3::Zero();
  for (int i = 0; i < 3; ++i) {
    if (!d.drive[i]) continue;
    if (d.drive[i]->kind != Drive::Kind::constant)
      refuse("V1722", "gravity can be converted when its drive is const", place);
    g[i] = d.drive[i]->numbers[0] * d.factor[i];
  }
  gravity_ = "  <gravity uniform=\"" + vector(g, "m/s^2") + "\"/>\n";
}

void Deck::beam(const DeckStatement& s, DeckArguments& a, std::size_t ends) {
  const std::string name = named(s, "beam", a.label("the label of the beam"));
  a.skip_name();
  std::vector<End> all;
  for (std::size_t i = 0; i < ends; ++i) all.push_back(end(a, true));
  static const Pose ground;
  const std::size_t points = ends - 1;
  std::optional<Matrix3> axes[2];
  Law laws[2];
  for (std::size_t k = 0; k < points; ++k) {
    const Place place = a.place();
    if (k == 1 && a.keyword("same")) {
      axes[1] = axes[0];
    } else if (!a.keyword("from nodes")) {
      if (a.more(1) && normal(a.peek().text) == "reference" && normal(a.peek(1).text) == "node")
        refuse("V1722", "a section turned relative to the node cannot be converted", place,
               "turn the ends, and say from nodes; or refer to global or to a reference");
      axes[k] = orientation(a, ground);
    }
    // A beam of the document has one set of section axes.
    if (k == 1 && (axes[0].has_value() != axes[1].has_value() ||
                   (axes[0] && !(*axes[0] - *axes[1]).isZero(1e-9))))
      refuse("V1722", "a beam whose two sections are turned differently cannot be converted", place,
             "turn the nodes, and say from nodes");
    laws[k] = k == 1 && a.keyword("same") ? laws[0] : law(a, 6);
  }
  std::string names;
  for (std::size_t k = 0; k < points; ++k) {
    if (k == 1 && laws[1].stiffness == laws[0].stiffness && laws[1].damping == laws[0].damping)
      break;
    const std::string own = name + "_section" + (k == 1 ? "_2" : "");
    written_ += "  <section name=\"" + own + "\" kind=\"general\">\n" +
                matrix_text("stiffness", laws[k].stiffness, 6) +
                matrix_text("damping", laws[k].damping, 6) + "  </section>\n";
    names += (k == 1 ? " " : "") + own;
  }
  written_ += "  <beam name=\"" + name + "\" section=\"" + names + "\">\n";
  for (End& e : all) {
    if (axes[0]) e.axes = e.node->pose.R.transpose() * *axes[0];
    written_ += text(e);
  }
  written_ += "  </beam>\n";
  tail(a);
}

}  // namespace vernier::multibody_loops::detail
