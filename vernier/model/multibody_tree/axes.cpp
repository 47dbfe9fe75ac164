#include <cmath>

#include "vernier/base/text.hpp"
#include "vernier/model/multibody_tree/quantities.hpp"

namespace vernier::multibody_tree {
namespace {

using spatial::Matrix3;
using spatial::Vector3;

/// The smallest rotation that takes the unit vector a to the unit vector b, by Rodrigues' formula:
/// with v = a × b, R = (a·b) 1 + skew(v) + v vᵀ/(1 + a·b). b must not be opposite to a.
Matrix3 turn(const Vector3& a, const Vector3& b) {
  const Vector3 v = a.cross(b);
  Matrix3 R = Matrix3::Identity() * a.dot(b) + v * v.transpose() / (1.0 + a.dot(b));
  R(0, 1) -= v.z();
  R(1, 0) += v.z();
  R(0, 2) += v.y();
  R(2, 0) -= v.y();
  R(1, 2) -= v.x();
  R(2, 1) += v.x();
  return R;
}

}  // namespace

Matrix3 with_z_along(const Vector3& n) {
  // Near -z the smallest rotation is not defined; half a turn about x comes first there.
  if (n.z() >= -0.5) return turn(Vector3::UnitZ(), n);
  return turn(-Vector3::UnitZ(), n) * Matrix3(Vector3(1.0, -1.0, -1.0).asDiagonal());
}

std::optional<Matrix3> Quantities::inertia(const Element& e) {
  const std::string_view unit = trimmed(e.value("unit"));
  if (!unit.empty() && !parsed_unit(unit)) {
    report_.error("V1313", in_quotes(unit) + " is not a unit", Report::value_place(e, "unit"));
    return {};
  }
  const auto read = [&](const char* attribute) -> std::optional<double> {
    const document::Attribute* a = e.attribute(attribute);
    const auto one = numbers(a->value, a->value_place, attribute, "kg*m^2", 1, unit);
    return one ? std::optional(one->front()) : std::nullopt;
  };
  const int products =
      (e.attribute("xy") ? 1 : 0) + (e.attribute("xz") ? 1 : 0) + (e.attribute("yz") ? 1 : 0);
  if (products > 0 && products < 3) {
    report_.error("V1627", "some products of inertia are missing", e.place)
        .notes.push_back("give xy, xz and yz, or none of them when these are principal axes");
    return {};
  }
  if (products > 0 && !e.attribute("products")) {
    report_.error("V1627", "the sign of the products of inertia is not said", e.place)
        .notes.push_back(
            "products=\"tensor\": xy is an element of the inertia tensor, -∫ x y dm; "
            "products=\"integral\": xy is +∫ x y dm");
    return {};
  }
  const auto xx = read("xx"), yy = read("yy"), zz = read("zz");
  std::optional<double> xy = 0.0, xz = 0.0, yz = 0.0;
  if (products > 0) {
    xy = read("xy");
    xz = read("xz");
    yz = read("yz");
  }
  if (!xx || !yy || !zz || !xy || !xz || !yz) return {};
  const double sign = e.value("products") == "integral" ? -1.0 : 1.0;
  Matrix3 J;
  J << *xx, sign * *xy, sign * *xz,  //
      sign * *xy, *yy, sign * *yz,   //
      sign * *xz, sign * *yz, *zz;
  return J;
}

}  // namespace vernier::multibody_tree
