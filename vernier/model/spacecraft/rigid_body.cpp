#include "vernier/model/spacecraft/rigid_body.hpp"

#include <Eigen/Cholesky>
#include <algorithm>
#include <iterator>

#include "vernier/base/require.hpp"
#include "vernier/base/units.hpp"
#include "vernier/component/scene.hpp"
#include "vernier/kernel/spatial/inertia.hpp"
#include "vernier/model/spacecraft/detail/lanes.hpp"

namespace vernier::spacecraft {
namespace {

using spatial::Matrix3;
using spatial::Quaternion;

const std::vector<double> zero3{0.0, 0.0, 0.0};

// Whether an inertia is positive definite, by Cholesky factorization.
bool physical(const Matrix3& inertia) {
  const Eigen::LLT<Matrix3> factor(inertia);
  return inertia.allFinite() && factor.info() == Eigen::Success;
}

scene::Scene body_looks(const vernier::Parameters& p) {
  const auto &d = p.reals("inertia"), &o = p.reals("products"), &q = p.reals("attitude");
  const Quaternion start = Quaternion(q[0], q[1], q[2], q[3]).normalized();
  scene::Body b{.kind = scene::Body::Kind::craft, .floats = true};
  b.pose = {scene::attitude({.signal = "attitude", .start = {start.data(), start.data() + 4}})};
  b.shapes = {scene::solid(0.0, {}, {d[0], d[1], d[2], o[0], o[1], o[2]}, "bus")};
  scene::Scene s;
  s.bodies.push_back(std::move(b));
  s.vectors = {{.name = "omega",
                .of_craft = true,
                .by = {.signal = "omega", .count = 3, .start = p.reals("omega")},
                .unit = "rad/s",
                .role = "rate"},
               {.name = "momentum",
                .by = {.signal = "momentum", .count = 3},
                .unit = "N*m*s",
                .role = "momentum",
                .shown = false}};
  return s;
}

}  // namespace

RigidBody::RigidBody(const Parameters& p) : LaneSystem(detail::model_lanes().rigid_body) {
  const Matrix3& J = p.inertia;
  const double given[] = {J(0, 0), J(1, 1), J(2, 2), J(0, 1), J(0, 2), J(1, 2)};
  std::copy(std::begin(given), std::end(given), data_.given.value);
  finish({{"inertia", "kg*m^2", 0, 3}, {"products", "kg*m^2", 3, 3}});
  require(physical(p.inertia) && p.inertia.isApprox(p.inertia.transpose()));
  require(p.attitude.norm() > 0.0 && p.attitude.allFinite());
  const Quaternion q = p.attitude.normalized();
  spec_.states = {
      {"attitude", "1", "", 4, std::vector<double>(q.data(), q.data() + 4),
       "quaternion from N to B, scalar last"},
      {"omega", "rad/s", "B", 3, std::vector<double>(p.omega.data(), p.omega.data() + 3),
       "angular velocity of B relative to N"}};
  spec_.inputs = {
      {"torque", "N*m", "B", 3, zero3, "of everything on the body, wheel motors included"},
      {"wheel_momentum", "N*m*s", "B", 3, zero3, "angular momentum stored in wheels"}};
  spec_.outputs = {{"attitude", "1", "", 4, {}, "quaternion from N to B, scalar last"},
                   {"omega", "rad/s", "B", 3, {}, "angular velocity of B relative to N"},
                   {"omega_norm", "rad/s", "", 1, {}, "its length"},
                   {"momentum", "N*m*s", "N", 3, {}, "angular momentum of body and wheels"},
                   {"momentum_norm", "N*m*s", "", 1, {}, "its length"},
                   {"energy", "J", "", 1, {}, "of the body's rotation"},
                   {"attitude_norm", "1", "", 1, {}, "length of the quaternion"}};
  spec_.feedthrough = {{3, 1}, {4, 1}};
  spec_.unit_vectors = {{0, 4, hybrid::UnitVector::Kind::quaternion}};
}

Rotation::Rotation(Way way, const std::string& unit) : LaneSystem(detail::model_lanes().rotation) {
  const bool to_body = way == Way::to_body;
  data_.to_body = to_body;
  spec_.inputs = {{"attitude", "1", "", 4, {}, "quaternion from N to B, scalar last"},
                  {"vector", unit, to_body ? "N" : "B", 3, {}, "what is seen in other axes"}};
  spec_.outputs = {{"rotated", unit, to_body ? "B" : "N", 3, {}, "the same vector"}};
  spec_.feedthrough = {{0, 0}, {0, 1}};
}

Type rigid_body_type() {
  Type type{"rigid_body", "attitude of a rigid spacecraft with stored momentum", {}, {}, {}};
  type.parameters = {
      {.name = "inertia",
       .unit = "kg*m^2",
       .count = 3,
       .description = "Jxx Jyy Jzz about the centre of mass, in B",
       .adjustable = true},
      {.name = "products",
       .unit = "kg*m^2",
       .count = 3,
       .initial = "0 0 0",
       .description = "Jxy Jxz Jyz, as they stand in the matrix (minus the products of inertia)",
       .adjustable = true},
      {.name = "attitude",
       .count = 4,
       .initial = "0 0 0 1",
       .description = "quaternion from N to B at the start, scalar last; normalised"},
      {.name = "omega",
       .unit = "rad/s",
       .count = 3,
       .initial = "0 0 0",
       .description = "angular velocity of B relative to N at the start, in B"}};
  type.system = [](const vernier::Parameters& p) {
    const auto &d = p.reals("inertia"), &o = p.reals("products"), &q = p.reals("attitude"),
               &w = p.reals("omega");
    RigidBody::Parameters k;
    k.inertia << d[0], o[0], o[1], o[0], d[1], o[2], o[1], o[2], d[2];
    if (!physical(k.inertia)) {
      p.reject(p.given("products") ? "products" : "inertia",
               "the inertia matrix must be positive definite");
    }
    if (const auto found = spatial::checked_inertia(k.inertia, k.inertia.norm()); !found.triangle)
      p.warn("inertia", "V1606", spatial::broken_triangle(found))
          .notes.push_back("no moment of a body exceeds the sum of the other two");
    k.attitude = {q[0], q[1], q[2], q[3]};
    if (!(k.attitude.norm() > 1e-6) || !k.attitude.allFinite()) {
      p.reject("attitude", "the quaternion must not be zero");
    }
    k.omega = {w[0], w[1], w[2]};
    return adjusted(std::make_unique<RigidBody>(k), p);
  };
  type.scene = body_looks;
  return type;
}

Type rotation_type() {
  Type type{"rotation", "a vector seen in body or inertial axes", {}, {}, {}};
  type.parameters = {{.name = "way",
                      .kind = ParameterKind::choice,
                      .initial = "to_body",
                      .description = "from N to B, or back",
                      .choices = {"to_body", "to_inertial"}},
                     {.name = "unit",
                      .kind = ParameterKind::text,
                      .initial = "1",
                      .description = "of the vector"}};
  type.system = [](const vernier::Parameters& p) {
    const std::string& unit = p.text("unit");
    const auto known = parsed_unit(unit);
    if (!known || known->factor != 1.0) p.reject("unit", "must be a unit of SI, as in T or m/s");
    return std::make_unique<Rotation>(
        p.text("way") == "to_body" ? Rotation::Way::to_body : Rotation::Way::to_inertial, unit);
  };
  return type;
}

}  // namespace vernier::spacecraft
