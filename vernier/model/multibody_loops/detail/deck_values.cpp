#include <algorithm>
#include <cmath>
#include <numbers>

#include "vernier/base/text.hpp"
#include "vernier/model/multibody_loops/detail/deck.hpp"

namespace vernier::multibody_loops::detail {

const DeckArgument& DeckArguments::next(const char* what) {
  if (!more())
    refuse("V1721", std::string("the statement ends where ") + what + " is expected",
           statement_.place);
  return statement_.arguments[at_++];
}

void DeckArguments::skip_name() {
  if (keyword("name")) next("a name");
}

bool DeckArguments::keyword(std::string_view word) {
  if (!more() || normal(peek().text) != word) return false;
  ++at_;
  return true;
}

long DeckArguments::label(const char* what) {
  const DeckArgument& a = next(what);
  const double x = numbers_.value(a);
  if (!(std::abs(x) < 1e15) || x != std::floor(x))
    refuse("V1721", std::string(what) + " must be a whole number", a.place);
  return static_cast<long>(x);
}

void DeckArguments::unexpected(const char* wanted) const {
  if (!more())
    refuse("V1721", std::string("the statement ends where ") + wanted + " is expected",
           statement_.place);
  refuse("V1722", "\"" + peek().text + "\" is not among what can be converted here", peek().place,
         std::string("can be converted: ") + wanted);
}

/// The frame of `reference, global | node | other node | LABEL`; null if no reference is given.
const Deck::Pose* Deck::frame(DeckArguments& a, const Pose* own) {
  static const Pose ground;
  if (!a.keyword("reference")) return nullptr;
  const Place place = a.place();
  if (a.keyword("global")) return &ground;
  if (a.keyword("node")) {
    if (!own) refuse("V1721", "there is no node here to refer to", place);
    return own;
  }
  if (a.keyword("other node")) {
    if (!other_) refuse("V1721", "there is no other node here to refer to", place);
    return other_->node;
  }
  const auto found = frames_.find(a.label("the label of a reference"));
  if (found == frames_.end()) refuse("V1723", "there is no such reference", place);
  return &found->second;
}

/// Consumes `reference, other position, null` (and the like) if it comes next.
bool Deck::as_other(DeckArguments& a, std::initializer_list<const char*> words, const char* rest) {
  const auto is = [&](std::size_t k, const char* word) {
    return a.more(k) && normal(a.peek(k).text) == word;
  };
  if (!is(0, "reference") ||
      std::none_of(words.begin(), words.end(), [&](const char* w) { return is(1, w); }))
    return false;
  const Place place = a.place();
  a.next("reference");
  a.next("what is referred to");
  if (!other_) refuse("V1721", "there is no other node here to refer to", place);
  if (!a.keyword(rest))
    refuse("V1722", "relative to the other one only " + std::string(rest) + " can be converted",
           a.place(), "refer to the node, to global, or to a reference");
  return true;
}

Deck::Vector3 Deck::plain_vector(DeckArguments& a) {
  if (a.keyword("null")) return Vector3::Zero();
  Vector3 v;
  for (int i = 0; i < 3; ++i) v[i] = a.number("a number of a vector");
  if (a.keyword("scale")) v *= a.number("the scale");
  return v;
}

Deck::Matrix3 Deck::plain_matrix(DeckArguments& a) {
  const auto turn = [](const Vector3& axis, double angle) {
    return Matrix3(spatial::attitude_matrix(spatial::turned(axis, angle)).transpose());
  };
  const Place place = a.place();
  if (a.keyword("eye")) return Matrix3::Identity();
  if (a.keyword("matr")) {
    Matrix3 R;
    for (int i = 0; i < 9; ++i) R(i / 3, i % 3) = a.number("a number of a matrix");
    if (!(R.transpose() * R - Matrix3::Identity()).isZero(1e-6) || R.determinant() < 0.0)
      refuse("V1721", "this matrix is no rotation", place);
    return R;
  }
  if (a.keyword("vector")) {
    const Vector3 v = plain_vector(a);
    const double angle = v.norm();
    return angle == 0.0 ? Matrix3(Matrix3::Identity()) : turn(v / angle, angle);
  }
  // Euler angles: turns about successive axes of the rotated frame.
  for (const auto& [name, axes] : {std::pair("euler", "123"), std::pair("euler123", "123"),
                                   std::pair("euler313", "313"), std::pair("euler321", "321")}) {
    if (!a.keyword(name)) continue;
    const double unit = a.keyword("degrees") ? std::numbers::pi / 180.0 : 1.0;
    Matrix3 R = Matrix3::Identity();
    for (int i = 0; i < 3; ++i)
      R = R * turn(Vector3::Unit(axes[i] - '1'), unit * a.number("an angle"));
    return R;
  }
  // index, vector, index, vector: the first axis is exact, the second gives the plane
  // (Gram-Schmidt).
  const auto axis = [&](const char* what) {
    const Place at = a.place();
    const long i = a.label(what);
    if (i < 1 || i > 3) refuse("V1721", "an axis is 1, 2 or 3", at);
    return static_cast<int>(i - 1);
  };
  if (a.keyword("mult")) {
    const Matrix3 first = plain_matrix(a);
    return first * plain_matrix(a);
  }
  if (a.more() && !a.numbers().begins(a.peek().text))
    a.unexpected(
        "eye, matr, vector, euler, euler123, euler313, euler321, mult, or two axes with their "
        "numbers");
  const int i = axis("the number of an axis");
  const Vector3 u = plain_vector(a);
  const int j = axis("the number of the second axis");
  Vector3 w;
  if (a.keyword("guess")) {
    // guess: normal to the first axis, in the plane of its least and its largest component. Of two
    // equal ones among the first two components, the second is the least.
    const Vector3 size = u.cwiseAbs();
    int largest = size[1] > size[0] ? 1 : 0, least = 1 - largest;
    if (size[2] > size[largest])
      largest = 2;
    else if (size[2] < size[least])
      least = 2;
    w = Vector3::Unit(least);
    if (size[largest] > 0.0) w[largest] = -u[least] / u[largest];
  } else {
    w = plain_vector(a);
  }
  const Vector3 x = u.normalized(), y = (w - w.dot(x) * x).normalized();
  if (i == j || !(u.norm() > 0.0) || !(u.cross(w).norm() > 1e-9 * u.norm() * w.norm()))
    refuse("V1721", "these two axes give no orientation", place);
  const int k = 3 - i - j;
  Matrix3 R;
  R.col(i) = x;
  R.col(j) = y;
  R.col(k) = (j - i + 3) % 3 == 1 ? Vector3(x.cross(y)) : Vector3(y.cross(x));
  return R;
}

/// A point in the axes of `own`, whatever frame it is given in.
Deck::Vector3 Deck::position(DeckArguments& a, const Pose& own) {
  if (as_other(a, {"other position"}, "null"))
    return own.R.transpose() * (other_->position - own.p);
  const Pose* f = frame(a, &own);
  Vector3 v = plain_vector(a);
  if (!f || f == &own) return v;
  return own.R.transpose() * (f->p + f->R * v - own.p);
}

Deck::Matrix3 Deck::orientation(DeckArguments& a, const Pose& own) {
  if (as_other(a, {"other orientation", "other position", "other rotation"}, "eye"))
    return own.R.transpose() * other_->orientation;
  const Pose* f = frame(a, &own);
  Matrix3 R = plain_matrix(a);
  if (!f || f == &own) return R;
  return own.R.transpose() * f->R * R;
}

/// Position, orientation, velocity and angular velocity, each with an optional reference. A
/// reference that moves adds its own motion, as a rigid body.
Deck::Pose Deck::pose(DeckArguments& a, bool at_rest_if_short) {
  static const Pose ground;
  const auto from = [&] {
    const Pose* f = frame(a, nullptr);
    return f ? *f : ground;
  };
  Pose made;
  a.keyword("position");
  Pose f = from();
  made.p = f.p + f.R * plain_vector(a);
  a.keyword("orientation");
  f = from();
  made.R = f.R * plain_matrix(a);
  // The card of a reference may end here, or after the velocity: the rest is zero.
  if (at_rest_if_short && !a.more()) return made;
  a.keyword("velocity");
  f = from();
  made.v = f.v + f.w.cross(made.p - f.p) + f.R * plain_vector(a);
  if (at_rest_if_short && !a.more()) return made;
  a.keyword("angular velocity");
  f = from();
  made.w = f.w + f.R * plain_vector(a);
  return made;
}

/// A square matrix, row major.
std::vector<double> Deck::square(DeckArguments& a, std::size_t n) {
  std::vector<double> m(n * n, 0.0);
  if (a.keyword("null")) return m;
  const bool eye = a.keyword("eye");
  if (eye || a.keyword("diag")) {
    for (std::size_t i = 0; i < n; ++i)
      m[i * n + i] = eye ? 1.0 : a.number("a number of the diagonal");
  } else if (a.keyword("sym")) {
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = i; j < n; ++j)
        m[i * n + j] = m[j * n + i] = a.number("a number of a matrix");
    }
  } else {
    a.keyword("matr");
    if (a.more() && !a.numbers().begins(a.peek().text))
      a.unexpected("diag, sym, matr, eye, null, or numbers");
    for (double& x : m) x = a.number("a number of a matrix");
  }
  if (a.keyword("scale")) {
    const double factor = a.number("the scale");
    for (double& x : m) x *= factor;
  }
  return m;
}

Deck::Law Deck::law(DeckArguments& a, std::size_t n) {
  if (a.keyword("reference")) {
    const Place place = a.place();
    const auto found = laws_.find(a.label("the label of a constitutive law"));
    if (found == laws_.end()) refuse("V1723", "there is no such constitutive law", place);
    if (found->second.n != n)
      refuse("V1723",
             "this constitutive law has dimension " + std::to_string(found->second.n) + ", not " +
                 std::to_string(n),
             place);
    return found->second;
  }
  Law l;
  l.n = n;
  const auto scalar = [&](const char* what) {
    std::vector<double> m(n * n, 0.0);
    const double x = a.number(what);
    for (std::size_t i = 0; i < n; ++i) m[i * n + i] = x;
    return m;
  };
  const auto damping = [&](bool generic) {
    if (!a.keyword("proportional")) {
      l.damping = generic ? square(a, n) : scalar("the damping");
      return;
    }
    const double factor = a.number("the factor of damping");
    l.damping = l.stiffness;
    for (double& x : l.damping) x *= factor;
  };
  const std::vector<double> zero(n * n, 0.0);
  l.stiffness = l.damping = zero;
  if (a.keyword("linear elastic generic")) {
    l.stiffness = square(a, n);
  } else if (a.keyword("linear elastic") || a.keyword("linear elastic isotropic")) {
    l.stiffness = scalar("the stiffness");
  } else if (a.keyword("linear viscous generic")) {
    l.damping = square(a, n);
  } else if (a.keyword("linear viscous") || a.keyword("linear viscous isotropic")) {
    l.damping = scalar("the damping");
  } else if (a.keyword("linear viscoelastic generic")) {
    l.stiffness = square(a, n);
    damping(true);
  } else if (a.keyword("linear viscoelastic") || a.keyword("linear viscoelastic isotropic")) {
    l.stiffness = scalar("the stiffness");
    damping(false);
  } else if (n == 1 && a.keyword("cubic elastic")) {
    l.stiffness = scalar("the stiffness");
    const Place place = a.place();
    if (a.number("the stiffness of the square") != 0.0)
      refuse("V1722", "a spring whose force has a square cannot be converted", place,
             "write its <law kind=\"table\"> in the document");
    l.cubic = a.number("the stiffness of the cube");
  } else {
    a.unexpected(
        "linear elastic, linear viscous and linear viscoelastic laws, also isotropic or generic, "
        "cubic elastic of rods and axial joints");
  }
  return l;
}

void Deck::constitutive_law(DeckArguments& a) {
  const long label = a.label("the label of the constitutive law");
  if (a.keyword("name")) a.next("a name");
  const Place place = a.place();
  const double n = a.number("the dimension");
  if (n != 1.0 && n != 3.0 && n != 6.0)
    refuse("V1721", "a constitutive law has dimension 1, 3 or 6", place);
  laws_[label] = law(a, static_cast<std::size_t>(n));
  tail(a);
}

const Deck::Node& Deck::node_of(DeckArguments& a) {
  const Place place = a.place();
  const auto found = nodes_.find(a.label("the label of a node"));
  if (found == nodes_.end()) refuse("V1723", "there is no such structural node", place);
  return found->second;
}

Deck::End Deck::end(DeckArguments& a, bool bare_offset) {
  End e;
  e.node = &node_of(a);
  const auto vector_follows = [&] {
    if (!a.more()) return false;
    const std::string text = normal(a.peek().text);
    return text == "null" || text == "reference" || a.numbers().begins(a.peek().text);
  };
  if (a.keyword("position") || (bare_offset && vector_follows()))
    e.offset = position(a, e.node->pose);
  if (a.keyword("orientation") || a.keyword("hinge")) e.axes = orientation(a, e.node->pose);
  if (!other_)
    other_ =
        Other{&e.node->pose, e.node->pose.p + e.node->pose.R * e.offset, e.node->pose.R * e.axes};
  return e;
}

/// What may follow at the end of any statement.
void Deck::tail(DeckArguments& a) {
  const Place place = a.place();
  if (a.keyword("initial theta")) {
    a.number("an angle");
    leave_out("initial theta", place);  // of the angle that is reported, not of the motion
  }
  const std::string word = a.more() ? normal(a.peek().text) : "output";
  if (word == "output" || word == "orientation description") return;
  if (word == "friction" || word == "preload")
    refuse("V1722", "the friction of a joint is not among what can be converted", a.place(),
           "convert without it, and add <friction> to the joint of the document");
  a.unexpected("nothing more, or output");
}

}  // namespace vernier::multibody_loops::detail
