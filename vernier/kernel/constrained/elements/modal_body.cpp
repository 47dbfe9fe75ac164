#include <array>
#include <cmath>
#include <stdexcept>

#include "vernier/kernel/constrained/elements/ends.hpp"
#include "vernier/kernel/constrained/elements/section_blocks.hpp"
#include "vernier/kernel/constrained/rotation.hpp"

namespace vernier::constrained {
namespace modal {
namespace {

using spatial::column;
using spatial::skew;

constexpr int most_modes = 256;

/// A floating frame on a node (order 2; order 1 without J2, order 0 also without H1 and N0), with u
/// = Rᵀ v and w = Rᵀ ω in its axes:
///   s = s_0 + S1 q,  H_i = H0_i + Σ_l q_l H1_li,  N_i = N0_i + Σ_l q_l J2_il,
///   J = J_0 + Σ_i q_i (N0_i + N0_iᵀ) + Σ_il q_i q_l J2_il
///   β = R (m u + w × s + S1 q'),   γ = R (s × u + J w + H q'),   p = S1ᵀ u + Hᵀ w + M q'
///   p' = ∂T/∂q - K q - D q' + S1ᵀ Rᵀ g,   ∂T/∂q_i = u·(w × S1_i) + wᵀ N_i w + w·(H1_i q')
/// A station's node is at x + R (place + Φ q) with axes B = R exp(Ψ q) A, kept there by the three
/// differences of places and by B_1·S_2 = B_2·S_3 = B_3·S_1 = 0, S the axes of its node.
class FloatingBody final : public Element {
 public:
  explicit FloatingBody(const ModalBody&);

  const Shape& shape() const noexcept override { return shape_; }
  void evaluate(const Point&, const Contribution&) const noexcept override;
  void momentum(const Point&, const Contribution&) const noexcept override;
  void measure(const Point&, std::span<double>) const noexcept override;
  double energy(const Point&) const noexcept override;

 private:
  using Vectors = std::array<Vector3, most_modes>;
  int n() const noexcept { return body_.modes; }
  Vector3 centre(const double* q) const noexcept;               // s
  Matrix3 inertia(const double* q) const noexcept;              // J
  Vector3 sweep(int i, const double* q) const noexcept;         // H_i
  Matrix3 inertia_rate(int i, const double* q) const noexcept;  // N_i
  Vector3 coriolis(int i, const double* rates) const noexcept;  // H1_i q'
  /// A station with a node: its position from the frame, its rotation, and its multipliers.
  struct Clamp {
    Vector3 d{}, psi{}, lambda{}, m{};
    const double* turning = nullptr;  // multipliers of the orientation
    Matrix3 RT{};
    std::array<Vector3, 3> mine{}, its{}, normal{};
  };
  Clamp clamp(const Point&, int k) const noexcept;
  void station(const Point&, const Contribution&, int k) const noexcept;
  void station_jacobian(const Point&, const Contribution&, int k, const Clamp&) const noexcept;
  void station_modes(const Point&, const Contribution&, int k, const Clamp&, const Matrix3& ww,
                     const Matrix3& uu) const noexcept;
  void check() const;
  void check_numbers() const;
  void check_inertia() const;

  ModalBody body_;
  Shape shape_;
  std::vector<int> clamped_;  // stations with nodes; their nodes are 1, 2, … of the shape
  Matrix3 J0_;
};

[[noreturn]] void refuse(const std::string& what) {
  throw std::invalid_argument("a modal body " + what);
}

template <class V>
V sum(const double* q, int n, V start, const std::vector<V>& each) noexcept {
  for (int i = 0; i < n; ++i) {
    if constexpr (std::is_same_v<V, Vector3>) {
      start = plus_times(start, each[i], q[i]);
    } else {
      for (int k = 0; k < 9; ++k) start.a[k] += q[i] * each[i].a[k];
    }
  }
  return start;
}

Vector3 FloatingBody::centre(const double* q) const noexcept {
  return sum(q, n(), body_.first_moment, body_.S1);
}
Matrix3 FloatingBody::inertia(const double* q) const noexcept {
  Matrix3 J = J0_;
  if (body_.order == 0) return J;
  for (int i = 0; i < n(); ++i) {
    Matrix3 m = body_.N0[i];
    const Matrix3 t = transposed(m);
    for (int k = 0; k < 9; ++k) m.a[k] += t.a[k];
    if (body_.order == 2) {
      for (int l = 0; l < n(); ++l) {
        for (int k = 0; k < 9; ++k) m.a[k] += q[l] * body_.J2[i * n() + l].a[k];
      }
    }
    for (int k = 0; k < 9; ++k) J.a[k] += q[i] * m.a[k];
  }
  return J;
}
Vector3 FloatingBody::sweep(int i, const double* q) const noexcept {
  Vector3 h = body_.H0[i];
  if (body_.order > 0) {
    for (int l = 0; l < n(); ++l) h = plus_times(h, body_.H1[l * n() + i], q[l]);
  }
  return h;
}
Matrix3 FloatingBody::inertia_rate(int i, const double* q) const noexcept {
  if (body_.order == 0) return {};
  Matrix3 m = body_.N0[i];
  if (body_.order == 2) {
    for (int l = 0; l < n(); ++l) {
      for (int k = 0; k < 9; ++k) m.a[k] += q[l] * body_.J2[i * n() + l].a[k];
    }
  }
  return m;
}
Vector3 FloatingBody::coriolis(int i, const double* rates) const noexcept {
  Vector3 h{};
  if (body_.order > 0) {
    for (int l = 0; l < n(); ++l) h = plus_times(h, body_.H1[i * n() + l], rates[l]);
  }
  return h;
}

void FloatingBody::momentum(const Point& p, const Contribution& out) const noexcept {
  const NodeState& a = p.node(0);
  const double *q = p.own, *rates = p.own_rates, c = p.c;
  const int own = shape_.own_row();
  const Vector3 s = a.R * centre(q), w = transposed_times(a.R, a.omega);
  const Matrix3 J = times_transposed(a.R * inertia(q), a.R);
  Vectors S, H;  // columns of R S1 and R H
  Vector3 slide{}, spin{};
  for (int i = 0; i < n(); ++i) {
    S[i] = a.R * body_.S1[i];
    H[i] = a.R * sweep(i, q);
    slide = plus_times(slide, S[i], rates[i]);
    spin = plus_times(spin, H[i], rates[i]);
  }
  const Vector3 beta = a.v * body_.mass + cross(a.omega, s) + slide,
                gamma = cross(s, a.v) + J * a.omega + spin;
  double* r = out.residual;
  r[0] += beta.x, r[1] += beta.y, r[2] += beta.z;
  r[3] += gamma.x, r[4] += gamma.y, r[5] += gamma.z;
  for (int i = 0; i < n(); ++i) {
    r[own + i] += dot(S[i], a.v) + dot(H[i], a.omega);
    for (int l = 0; l < n(); ++l) r[own + i] += body_.modal_mass[i * n() + l] * rates[l];
  }
  if (!out.jacobian) return;

  const Matrix3 sx = skew(s), wx = skew(a.omega), vx = skew(a.v), &turn = p.turn(0);
  out.add(0, 0, spatial::identity3<double>(), body_.mass);
  out.add(0, 3, sx * turn, -1.0);
  out.add(0, 3, wx * sx, -c);
  out.add(0, 3, skew(slide), -c);
  out.add(3, 0, sx);
  out.add(3, 3, J * turn);
  out.add(3, 3, vx * sx, c);
  out.add(3, 3, skew(J * a.omega + spin), -c);
  out.add(3, 3, J * wx, c);
  const auto put_column = [&](int row, int col, const Vector3& v) {
    out.at(row, col) += v.x, out.at(row + 1, col) += v.y, out.at(row + 2, col) += v.z;
  };
  const auto put_row = [&](int row, int col, const Vector3& v) {
    out.at(row, col) += v.x, out.at(row, col + 1) += v.y, out.at(row, col + 2) += v.z;
  };
  for (int j = 0; j < n(); ++j) {
    const Matrix3 N = inertia_rate(j, q);
    const Vector3 by_q = cross(a.omega, S[j]),
                  moment_by_q = cross(S[j], a.v) +
                                a.R * (N * w + transposed_times(N, w) + coriolis(j, rates));
    put_column(0, own + j, S[j] + by_q * c);
    put_column(3, own + j, H[j] + moment_by_q * c);
    // Rᵀ v by the rotation: Rᵀ (v × θ).
    put_row(own + j, 0, S[j]);
    put_row(own + j, 3, (cross(S[j], a.v) + cross(H[j], a.omega)) * c);
    put_row(own + j, 3, transposed_times(turn, H[j]));
    for (int l = 0; l < n(); ++l) {
      out.at(own + j, own + l) += body_.modal_mass[j * n() + l];
      if (body_.order > 0) out.at(own + j, own + l) += c * dot(body_.H1[l * n() + j], w);
    }
  }
}

void FloatingBody::evaluate(const Point& p, const Contribution& out) const noexcept {
  const NodeState& a = p.node(0);
  const double *q = p.own, *rates = p.own_rates, c = p.c;
  const int own = shape_.own_row();
  const Vector3 u = transposed_times(a.R, a.v), w = transposed_times(a.R, a.omega),
                g = transposed_times(a.R, body_.gravity), s = a.R * centre(q);
  out.act(0, body_.gravity * body_.mass, cross(s, body_.gravity));
  if (out.jacobian) out.add(3, 3, skew(body_.gravity) * skew(s), -c);
  for (int i = 0; i < n(); ++i) {
    const Vector3& S = body_.S1[i];
    double force = dot(S, g);
    for (int l = 0; l < n(); ++l) {
      force -=
          body_.modal_stiffness[i * n() + l] * q[l] + body_.modal_damping[i * n() + l] * rates[l];
    }
    const Matrix3 N = inertia_rate(i, q);
    const Vector3 h = coriolis(i, rates), Nw = N * w;
    force += dot(u, cross(w, S)) + dot(w, Nw) + dot(w, h);
    out.residual[own + i] -= force;
    if (!out.jacobian) continue;
    // δu = Rᵀ (δv + v × θ), δw = Rᵀ (δω + ω × θ), δg = Rᵀ (g × θ)
    const Vector3 RS = a.R * S, Ru = a.R * cross(w, S),
                  Rw = a.R * (cross(S, u) + Nw + transposed_times(N, w) + h),
                  weight = cross(RS, body_.gravity) * c;
    const Vector3 turn =
        transposed_times(p.turn(0), Rw) + (cross(Ru, a.v) + cross(Rw, a.omega)) * c + weight;
    double* J = out.jacobian + (own + i) * out.size;
    J[0] -= Ru.x, J[1] -= Ru.y, J[2] -= Ru.z;
    J[3] -= turn.x, J[4] -= turn.y, J[5] -= turn.z;
    for (int l = 0; l < n(); ++l) {
      J[own + l] += c * body_.modal_stiffness[i * n() + l] + body_.modal_damping[i * n() + l];
      if (body_.order > 0) J[own + l] -= dot(w, body_.H1[i * n() + l]);
      if (body_.order == 2) J[own + l] -= c * dot(w, body_.J2[i * n() + l] * w);
    }
    out.at(3, own + i) -= weight.x, out.at(4, own + i) -= weight.y;
    out.at(5, own + i) -= weight.z;
  }
  for (int k = 0; k < static_cast<int>(clamped_.size()); ++k) station(p, out, k);
}

FloatingBody::Clamp FloatingBody::clamp(const Point& p, int k) const noexcept {
  const ModalBody::Station& st = body_.stations[clamped_[k]];
  const Matrix3 &R = p.node(0).R, &S = p.node(k + 1).R;
  const double* l = p.own_algebraic + 6 * k;
  Clamp c;
  c.lambda = {l[0], l[1], l[2]};
  c.turning = l + 3;
  c.d = R * sum(p.own, n(), st.place, st.translation);
  c.psi = sum(p.own, n(), Vector3{}, st.rotation);
  c.RT = R * tangent(c.psi);
  const Matrix3 B = R * (rotation(c.psi) * st.axes);
  for (int i = 0; i < 3; ++i) {
    c.mine[i] = column(B, i);
    c.its[i] = column(S, (i + 1) % 3);
    c.normal[i] = cross(c.mine[i], c.its[i]);
    c.m = plus_times(c.m, c.normal[i], c.turning[i]);
  }
  return c;
}

void FloatingBody::station(const Point& p, const Contribution& out, int k) const noexcept {
  const ModalBody::Station& st = body_.stations[clamped_[k]];
  const NodeState& a = p.node(0);
  const int own = shape_.own_row(), at = 6 * (k + 1), rows = shape_.algebraic_row(6 * k);
  const Clamp c = clamp(p, k);
  double* r = out.residual;
  const Vector3 gap = p.node(k + 1).x - a.x - c.d;
  r[rows] += gap.x, r[rows + 1] += gap.y, r[rows + 2] += gap.z;
  for (int i = 0; i < 3; ++i) r[rows + 3 + i] += dot(c.mine[i], c.its[i]);
  // forces: Φᵀ λ
  const Vector3 &lambda = c.lambda, &m = c.m, on_frame = cross(lambda, c.d);
  r[0] -= lambda.x, r[1] -= lambda.y, r[2] -= lambda.z;
  r[3] += on_frame.x, r[4] += on_frame.y, r[5] += on_frame.z;
  r[at] += lambda.x, r[at + 1] += lambda.y, r[at + 2] += lambda.z;
  r[3] += m.x, r[4] += m.y, r[5] += m.z;
  r[at + 3] -= m.x, r[at + 4] -= m.y, r[at + 5] -= m.z;
  for (int i = 0; i < n(); ++i) {
    r[own + i] += dot(c.RT * st.rotation[i], m) - dot(a.R * st.translation[i], lambda);
  }
  if (out.jacobian) station_jacobian(p, out, k, c);
}

void FloatingBody::station_jacobian(const Point& p, const Contribution& out, int k,
                                    const Clamp& s) const noexcept {
  const double c = p.c;
  const int at = 6 * (k + 1), rows = shape_.algebraic_row(6 * k);
  const Matrix3 one = spatial::identity3<double>(), dx = skew(s.d);
  out.add(rows, 0, one, -c), out.add(0, rows, one, -1.0);
  out.add(rows, at, one, c), out.add(at, rows, one);
  out.add(rows, 3, dx, c), out.add(3, rows, dx, -1.0);
  out.add(3, 3, skew(s.lambda) * dx, -c);
  Matrix3 ww{}, uu{};  // Σ λ w× u×, Σ λ u× w×
  for (int i = 0; i < 3; ++i) {
    const Matrix3 u = skew(s.mine[i]), w = skew(s.its[i]), wu = w * u, uw = u * w;
    for (int e = 0; e < 9; ++e)
      ww.a[e] += s.turning[i] * wu.a[e], uu.a[e] += s.turning[i] * uw.a[e];
    const double normal[] = {s.normal[i].x, s.normal[i].y, s.normal[i].z};
    for (int e = 0; e < 3; ++e) {
      out.at(rows + 3 + i, 3 + e) += c * normal[e], out.at(3 + e, rows + 3 + i) += normal[e];
      out.at(rows + 3 + i, at + 3 + e) -= c * normal[e];
      out.at(at + 3 + e, rows + 3 + i) -= normal[e];
    }
  }
  // m by the rotation of the frame at the station and by that of its node.
  out.add(3, 3, ww, c), out.add(3, at + 3, uu, -c);
  out.add(at + 3, 3, ww, -c), out.add(at + 3, at + 3, uu, c);
  station_modes(p, out, k, s, ww, uu);
}

/// The rows and columns of the modes.
void FloatingBody::station_modes(const Point& p, const Contribution& out, int k, const Clamp& s,
                                 const Matrix3& ww, const Matrix3& uu) const noexcept {
  const ModalBody::Station& st = body_.stations[clamped_[k]];
  const Matrix3& R = p.node(0).R;
  const double c = p.c;
  const int own = shape_.own_row(), at = 6 * (k + 1), rows = shape_.algebraic_row(6 * k);
  const Vector3 &psi = s.psi, &m = s.m, &lambda = s.lambda;
  // y = Rᵀ m; Tᵀ y by ψ
  const auto k2 = spatial::turn_coefficients(dot(psi, psi));
  const Vector3 y = transposed_times(R, m), py = cross(psi, y), ppy = cross(psi, py);
  const double along = dot(psi, y);
  const auto by_psi = [&](const Vector3& e) {
    const double pe = dot(psi, e);
    return cross(e, y) * -k2.c - py * (k2.c_rate * pe) + ppy * (k2.d_rate * pe) +
           (e * along + psi * dot(y, e) - y * (2.0 * pe)) * k2.d;
  };
  for (int i = 0; i < n(); ++i) {
    const Vector3 t = R * st.translation[i], z = s.RT * st.rotation[i];
    const Vector3 lt = cross(lambda, t), wz = ww * z;
    const auto add = [&](int row, int col, double x) { out.at(row, col) += x; };
    const double tv[] = {t.x, t.y, t.z}, ltv[] = {lt.x, lt.y, lt.z}, wzv[] = {wz.x, wz.y, wz.z};
    // q row by turns: (θ × z)·m + z·(ww θ - uu θ_b) - (θ × t)·λ
    const Vector3 by_turn = cross(z, m) + transposed_times(ww, z) - cross(t, lambda),
                  by_other = transposed_times(uu, z);
    const double bt[] = {by_turn.x, by_turn.y, by_turn.z},
                 bo[] = {by_other.x, by_other.y, by_other.z};
    for (int e = 0; e < 3; ++e) {
      add(rows + e, own + i, -c * tv[e]), add(own + i, rows + e, -tv[e]);
      const double nz = dot(s.normal[e], z);
      add(rows + 3 + e, own + i, c * nz), add(own + i, rows + 3 + e, nz);
      add(3 + e, own + i, c * (ltv[e] + wzv[e]));
      add(at + 3 + e, own + i, -c * wzv[e]);
      add(own + i, 3 + e, c * bt[e]);
      add(own + i, at + 3 + e, -c * bo[e]);
    }
    for (int j = 0; j < n(); ++j) {
      const Vector3 zj = s.RT * st.rotation[j];
      add(own + i, own + j, c * (dot(z, ww * zj) + dot(st.rotation[i], by_psi(st.rotation[j]))));
    }
  }
}

void FloatingBody::measure(const Point& p, std::span<double> out) const noexcept {
  std::size_t at = 0;
  const auto put = [&](const Vector3& v) {
    out[at] = v.x, out[at + 1] = v.y, out[at + 2] = v.z;
    at += 3;
  };
  for (int i = 0; i < n(); ++i) out[at++] = p.own[i];
  for (int i = 0; i < n(); ++i) out[at++] = p.own_rates[i];
  int k = 0;
  const NodeState& a = p.node(0);
  for (const ModalBody::Station& st : body_.stations) {
    put(sum(p.own, n(), Vector3{}, st.translation));
    if (st.node == ground) continue;
    const Clamp c = clamp(p, k++);
    put(transposed_times(a.R, -c.lambda));
    put(transposed_times(a.R, c.m));
  }
}

double FloatingBody::energy(const Point& p) const noexcept {
  double e = 0.0;
  for (int i = 0; i < n(); ++i) {
    for (int l = 0; l < n(); ++l)
      e += 0.5 * p.own[i] * body_.modal_stiffness[i * n() + l] * p.own[l];
  }
  const NodeState& a = p.node(0);
  const Vector3 s = a.R * centre(p.own);
  return e - dot(body_.gravity, a.x * body_.mass + s);
}

FloatingBody::FloatingBody(const ModalBody& body) : body_(body) {
  if (n() < 1 || n() > most_modes)
    refuse("has " + std::to_string(n()) + " modes; 1 to " + std::to_string(most_modes) + " can be");
  if (body_.modal_damping.empty())
    body_.modal_damping.assign(static_cast<std::size_t>(n()) * static_cast<std::size_t>(n()), 0.0);
  const auto& J = body_.inertia;
  J0_ = {{J.xx, J.xy, J.xz, J.xy, J.yy, J.yz, J.xz, J.yz, J.zz}};
  check();
  shape_.nodes = {body.node};
  shape_.measures = {{"coordinates", "1", n(), "of the modes"},
                     {"rates", "1/s", n(), "of the modes"}};
  for (int k = 0; k < static_cast<int>(body_.stations.size()); ++k) {
    const ModalBody::Station& st = body_.stations[k];
    shape_.measures.push_back({st.name + ".deflection", "m", 3, "node axes"});
    if (st.node == ground) continue;
    shape_.nodes.push_back(st.node);
    clamped_.push_back(k);
    shape_.measures.push_back({st.name + ".force", "N", 3, "of the body, node axes"});
    shape_.measures.push_back({st.name + ".moment", "N m", 3, "of the body, node axes"});
  }
  shape_.coordinates = n();
  shape_.algebraic = shape_.holonomic = 6 * static_cast<int>(clamped_.size());
  shape_.inertial = true;
  if (!body.initial.empty() || !body.initial_rates.empty()) {
    shape_.initial = body.initial;
    shape_.initial.resize(static_cast<std::size_t>(n()), 0.0);
    for (const double v : body.initial_rates) shape_.initial.push_back(v);
    shape_.initial.resize(2 * static_cast<std::size_t>(n()), 0.0);
  }
  shape_.pattern = probed_pattern(*this, shape_);
}

void FloatingBody::check() const {
  if (body_.order < 0 || body_.order > 2) refuse("has an order that is not 0, 1 or 2");
  const auto count = static_cast<std::size_t>(n()), square = count * count;
  const auto sized = [&](std::size_t has, std::size_t needs, const char* what) {
    if (has != needs)
      refuse("has " + std::to_string(has) + " numbers for " + what + " instead of " +
             std::to_string(needs));
  };
  sized(body_.modal_mass.size(), square, "the modal mass");
  sized(body_.modal_stiffness.size(), square, "the modal stiffness");
  sized(body_.modal_damping.size(), square, "the modal damping");
  sized(body_.S1.size(), count, "S1");
  sized(body_.H0.size(), count, "H0");
  if (body_.order > 0) sized(body_.N0.size(), count, "N0"), sized(body_.H1.size(), square, "H1");
  if (body_.order == 2) sized(body_.J2.size(), square, "J2");
  if (body_.initial.size() > count || body_.initial_rates.size() > count)
    refuse("has more initial values than modes");
  for (const ModalBody::Station& st : body_.stations) {
    sized(st.translation.size(), count, "the translations of a station");
    sized(st.rotation.size(), count, "the rotations of a station");
    check_axes(st.axes, "axes of a station");
  }
  check_numbers();
  check_inertia();
}

void FloatingBody::check_numbers() const {
  constexpr const char* what = "a modal body has a number that is not finite";
  const auto vectors = [](const std::vector<Vector3>& list) {
    for (const Vector3& v : list) parts::check_finite({v.x, v.y, v.z}, what);
  };
  for (const auto* list : {&body_.S1, &body_.H0, &body_.H1}) vectors(*list);
  for (const auto* list : {&body_.N0, &body_.J2}) {
    for (const Matrix3& m : *list) {
      for (const double x : m.a) parts::check_finite({x}, what);
    }
  }
  for (const ModalBody::Station& st : body_.stations) {
    vectors(st.translation);
    vectors(st.rotation);
    vectors({st.place});
  }
  for (const auto* m : {&body_.modal_mass, &body_.modal_stiffness, &body_.modal_damping}) {
    for (int i = 0; i < n(); ++i) {
      for (int l = 0; l < n(); ++l) {
        const double a = (*m)[i * n() + l], b = (*m)[l * n() + i];
        const double size = std::sqrt(std::fabs((*m)[i * n() + i] * (*m)[l * n() + l]));
        if (!std::isfinite(a)) refuse("has a modal mass, stiffness or damping that is not finite");
        if (std::fabs(a - b) > 1e-6 * size + 1e-300)
          refuse("has a modal mass, stiffness or damping that is not symmetric");
      }
      if ((*m)[i * n() + i] < 0.0) refuse("has a negative modal mass, stiffness or damping");
    }
  }
}

/// Checks the undeformed mass matrix by Cholesky factorization.
void FloatingBody::check_inertia() const {
  const int size = 6 + n();
  std::vector<double> M(static_cast<std::size_t>(size * size));
  const Matrix3 sx = skew(body_.first_moment);
  for (int i = 0; i < 3; ++i) {
    M[i * size + i] = body_.mass;
    for (int k = 0; k < 3; ++k) {
      M[(3 + i) * size + k] = sx.a[3 * i + k];
      M[(3 + i) * size + 3 + k] = J0_.a[3 * i + k];
    }
  }
  for (int i = 0; i < n(); ++i) {
    double* row = &M[(6 + i) * size];
    const Vector3 &S = body_.S1[i], &H = body_.H0[i];
    row[0] = S.x, row[1] = S.y, row[2] = S.z, row[3] = H.x, row[4] = H.y, row[5] = H.z;
    for (int l = 0; l <= i; ++l) row[6 + l] = body_.modal_mass[i * n() + l];
  }
  for (int i = 0; i < size; ++i) {
    for (int j = 0; j <= i; ++j) {
      double s = M[i * size + j];
      const double whole = s;
      for (int k = 0; k < j; ++k) s -= M[i * size + k] * M[j * size + k];
      if (i == j) {
        // If the modes represent the whole mass of the body, only rounding remains for the frame.
        if (!(s > -1e-9 * whole) || !(whole > 0.0))
          refuse(
              "has an inertia that is not positive: mass, first moment, inertia and modes do not "
              "belong together");
        M[i * size + i] = std::sqrt(std::max(s, 1e-30 * whole));
      } else {
        M[i * size + j] = s / M[j * size + j];
      }
    }
  }
}

}  // namespace
}  // namespace modal

std::unique_ptr<const Element> make(const ModalBody& body) {
  return std::make_unique<modal::FloatingBody>(body);
}

}  // namespace vernier::constrained
