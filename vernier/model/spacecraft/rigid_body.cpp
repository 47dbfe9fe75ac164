#include "vernier/model/spacecraft/rigid_body.hpp"

#include <Eigen/Cholesky>
#include <Eigen/LU>
#include <cmath>

#include "vernier/base/require.hpp"
#include "vernier/base/units.hpp"
#include "vernier/kernel/spatial/spans.hpp"

namespace vernier::spacecraft {
namespace {

using hybrid::Direction;
using hybrid::Point;
using hybrid::Tangent;
using hybrid::Workspace;
using spatial::attitude_matrix;
using spatial::Matrix3;
using spatial::Quaternion;
using spatial::quaternion;
using spatial::quaternion_or_zero;
using spatial::quaternion_rate;
using spatial::vector3;
using spatial::Vector3;
using spatial::vector3_or_zero;

// places in the vectors x, u and y
enum State { q_at = 0, omega_at = 4 };
enum Input { torque_at = 0, wheels_at = 3 };
enum Output {
  attitude_at = 0,
  rate_at = 4,
  rate_norm_at = 7,
  momentum_at = 8,
  momentum_norm_at = 11,
  energy_at = 12,
  norm_at = 13
};

const std::vector<double> zero3{0.0, 0.0, 0.0};

// |v| along dv; 0 at the origin, where it has no derivative
double norm_rate(double norm, double product) { return norm > 0.0 ? product / norm : 0.0; }

// positive definite, by its Cholesky factors
bool physical(const Matrix3& inertia) {
  const Eigen::LLT<Matrix3> factor(inertia);
  return inertia.allFinite() && factor.info() == Eigen::Success;
}

}  // namespace

RigidBody::RigidBody(const Parameters& p) : inertia_(p.inertia), inverse_(p.inertia.inverse()) {
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
  spec_.unit_vectors = {{q_at, 4}};
}

void RigidBody::flow(const Point& p, std::span<double> xdot, Workspace&) const noexcept {
  const Vector3 w = vector3(p.x, omega_at);
  const Vector3 h = inertia_ * w + vector3(p.u, wheels_at);
  quaternion(xdot, q_at) = quaternion_rate(quaternion(p.x, q_at), w);
  vector3(xdot, omega_at) = inverse_ * (vector3(p.u, torque_at) - w.cross(h));
}

void RigidBody::output(const Point& p, std::span<double> y, Workspace&) const noexcept {
  const Quaternion q = quaternion(p.x, q_at);
  const Vector3 w = vector3(p.x, omega_at);
  const Vector3 body = inertia_ * w;
  const Vector3 h = spatial::to_inertial(q, body + vector3(p.u, wheels_at));
  quaternion(y, attitude_at) = q;
  vector3(y, rate_at) = w;
  y[rate_norm_at] = w.norm();
  vector3(y, momentum_at) = h;
  y[momentum_norm_at] = h.norm();
  y[energy_at] = 0.5 * w.dot(body);
  y[norm_at] = q.norm();
}

void RigidBody::tangent(const Point& p, const Direction& d, const Tangent& t,
                        Workspace&) const noexcept {
  const Quaternion q = quaternion(p.x, q_at), dq = quaternion_or_zero(d.x, q_at);
  const Vector3 w = vector3(p.x, omega_at), dw = vector3_or_zero(d.x, omega_at);
  const Vector3 h = inertia_ * w + vector3(p.u, wheels_at);
  const Vector3 dh = inertia_ * dw + vector3_or_zero(d.u, wheels_at);
  if (!t.xdot.empty()) {
    quaternion(t.xdot, q_at) = quaternion_rate(dq, w) + quaternion_rate(q, dw);
    vector3(t.xdot, omega_at) =
        inverse_ * (vector3_or_zero(d.u, torque_at) - dw.cross(h) - w.cross(dh));
  }
  if (!t.y.empty()) {
    // A(q) is quadratic in q: its derivative along dq is (A(q + dq) - A(q - dq)) / 2
    const Vector3 h_N = attitude_matrix(q).transpose() * h;
    const Matrix3 dR = 0.5 * (attitude_matrix(q + dq) - attitude_matrix(q - dq));
    const Vector3 dh_N = dR.transpose() * h + attitude_matrix(q).transpose() * dh;
    quaternion(t.y, attitude_at) = dq;
    vector3(t.y, rate_at) = dw;
    t.y[rate_norm_at] = norm_rate(w.norm(), w.dot(dw));
    vector3(t.y, momentum_at) = dh_N;
    t.y[momentum_norm_at] = norm_rate(h_N.norm(), h_N.dot(dh_N));
    t.y[energy_at] = w.dot(inertia_ * dw);
    t.y[norm_at] = norm_rate(q.norm(), q.dot(dq));
  }
}

Rotation::Rotation(Way way, const std::string& unit) : way_(way) {
  const bool to_body = way == Way::to_body;
  spec_.inputs = {{"attitude", "1", "", 4, {}, "quaternion from N to B, scalar last"},
                  {"vector", unit, to_body ? "N" : "B", 3, {}, "what is seen in other axes"}};
  spec_.outputs = {{"rotated", unit, to_body ? "B" : "N", 3, {}, "the same vector"}};
  spec_.feedthrough = {{0, 0}, {0, 1}};
}

void Rotation::output(const Point& p, std::span<double> y, Workspace&) const noexcept {
  const Matrix3 R = attitude_matrix(quaternion(p.u));
  const auto v = vector3(p.u, 4);
  if (way_ == Way::to_body) {
    vector3(y) = R * v;
  } else {
    vector3(y) = R.transpose() * v;
  }
}

void Rotation::tangent(const Point& p, const Direction& d, const Tangent& t,
                       Workspace&) const noexcept {
  if (t.y.empty()) return;
  const Quaternion q = quaternion(p.u), dq = quaternion_or_zero(d.u);
  const Matrix3 R = attitude_matrix(q),
                dR = 0.5 * (attitude_matrix(q + dq) - attitude_matrix(q - dq));
  const Vector3 v = vector3(p.u, 4), dv = vector3_or_zero(d.u, 4);
  if (way_ == Way::to_body) {
    vector3(t.y) = dR * v + R * dv;
  } else {
    vector3(t.y) = dR.transpose() * v + R.transpose() * dv;
  }
}

Type rigid_body_type() {
  Type type{"rigid_body", "attitude of a rigid spacecraft with stored momentum", {}, {}, {}};
  type.parameters = {
      {.name = "inertia",
       .unit = "kg*m^2",
       .count = 3,
       .description = "Jxx Jyy Jzz about the centre of mass, in B"},
      {.name = "products",
       .unit = "kg*m^2",
       .count = 3,
       .initial = "0 0 0",
       .description = "Jxy Jxz Jyz, as they stand in the matrix (minus the products of inertia)"},
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
    k.attitude = {q[0], q[1], q[2], q[3]};
    if (!(k.attitude.norm() > 1e-6) || !k.attitude.allFinite()) {
      p.reject("attitude", "the quaternion must not be zero");
    }
    k.omega = {w[0], w[1], w[2]};
    return std::make_unique<RigidBody>(k);
  };
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
