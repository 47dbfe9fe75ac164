#include <algorithm>
#include <array>
#include <cmath>

#include "vernier/kernel/constrained/elements.hpp"
#include "vernier/kernel/constrained/elements/beam_kernel.hpp"
#include "vernier/kernel/constrained/elements/section_blocks.hpp"

namespace vernier::constrained {
namespace beams {
namespace {

using spatial::all;

/// Both evaluation points in two lanes, the first in lane 0. In relative(): the outer nodes.
using Two = spatial::Lanes<2>;

VERNIER_INLINE Two both(double x) noexcept { return Two{x, x}; }
VERNIER_INLINE Vec3<Two> both(const Vector3& v) noexcept {
  return {both(v.x), both(v.y), both(v.z)};
}
VERNIER_INLINE Mat3<Two> both(const Matrix3& m) noexcept {
  Mat3<Two> r;
  for (int i = 0; i < 9; ++i) r.a[i] = both(m.a[i]);
  return r;
}
VERNIER_INLINE Mat3<Two> pair(const Matrix3& m, const Matrix3& n) noexcept {
  Mat3<Two> r;
  for (int i = 0; i < 9; ++i) r.a[i] = Two{m.a[i], n.a[i]};
  return r;
}
template <int Lane>
VERNIER_INLINE Two lane(const Two& x) noexcept {
  return Two{x[Lane], x[Lane]};
}
template <int Lane>
VERNIER_INLINE Vec3<Two> lane(const Vec3<Two>& v) noexcept {
  return {lane<Lane>(v.x), lane<Lane>(v.y), lane<Lane>(v.z)};
}
template <int Lane>
VERNIER_INLINE Mat3<Two> lane(const Mat3<Two>& m) noexcept {
  Mat3<Two> r;
  for (int i = 0; i < 9; ++i) r.a[i] = lane<Lane>(m.a[i]);
  return r;
}
template <int Lane>
VERNIER_INLINE Vector3 taken(const Vec3<Two>& v) noexcept {
  return {v.x[Lane], v.y[Lane], v.z[Lane]};
}
Coefficients<Two> pair(const SectionBlocks& a, const SectionBlocks& b, double sign_a) noexcept {
  Coefficients<Two> r;
  const auto m = [&](const Matrix3& x, const Matrix3& y) { return pair(x * sign_a, y); };
  r.ee = m(a.ee, b.ee), r.ek = m(a.ek, b.ek), r.ke = m(a.ke, b.ke), r.kk = m(a.kk, b.kk);
  r.force = {r.ee.a[0], r.ee.a[4], r.ee.a[8]};
  r.moment = {r.kk.a[0], r.kk.a[4], r.kk.a[8]};
  return r;
}

/// The forces on the nodes, with F and M at the evaluation points I and II, are
///   1: F_I, M_I + (p_I - x_1) × F_I
///   2: F_II - F_I, M_II + (p_II - x_2) × F_II - M_I - (p_I - x_2) × F_I
///   3: -F_II, -M_II - (p_II - x_3) × F_II
/// The section of I is kept with the opposite sign: then the residuals of the outer nodes are the
/// lanes of what the section gives, that of node 2 is minus their sum.
class ThreeNodeBeam final : public Element {
 public:
  explicit ThreeNodeBeam(const Beam3&);

  const Shape& shape() const noexcept override { return shape_; }
  void evaluate(const Point&, const Contribution&) const noexcept override;
  void measure(const Point&, std::span<double>) const noexcept override;
  double energy(const Point&) const noexcept override;

 private:
  struct Placed;  // points of the beam on its nodes
  Placed placed(const Point&) const noexcept;
  SectionInput<Two> input(const Point&, const Placed&, const Relative<Two>&) const noexcept;
  template <bool Full>
  void evaluate_as(const Point&, const Contribution&) const noexcept;
  /// At the evaluation points, with their actual signs.
  void strains(const Point&, bool viscous, SectionPoint<Two>&) const noexcept;

  Shape shape_;
  std::array<Vector3, 3> offsets_;
  std::array<Matrix3, 3> axes_;
  bool offset_ = false, aligned_ = true, full_ = false, viscous_ = false;
  std::array<Two, 3> N_, dN_;     // at the points; dN: by the length along the beam
  Two ds_;                        // ds/dξ
  Vec3<Two> strain_, curvature_;  // strain and curvature without force
  Coefficients<Two> C_, Cv_;
  Vector3 tip_{};  // of node 3 in the section axes of node 1, in the reference
  Matrix3 tip_axes_{};
};

struct ThreeNodeBeam::Placed {
  std::array<Matrix3, 3> Q;  // section axes
  std::array<Vector3, 3> d;  // from the nodes, global axes
  Vector3 r1, r3;            // points of the outer nodes, from that of the middle one
};

ThreeNodeBeam::Placed ThreeNodeBeam::placed(const Point& p) const noexcept {
  Placed r;
  r.r1 = p.node(0).x - p.node(1).x;
  r.r3 = p.node(2).x - p.node(1).x;
  for (int i = 0; i < 3; ++i) r.Q[i] = aligned_ ? p.node(i).R : p.node(i).R * axes_[i];
  if (offset_) {
    for (int i = 0; i < 3; ++i) r.d[i] = p.node(i).R * offsets_[i];
    r.r1 += r.d[0] - r.d[1];
    r.r3 += r.d[2] - r.d[1];
  }
  return r;
}

SectionInput<Two> ThreeNodeBeam::input(const Point& p, const Placed& at,
                                       const Relative<Two>& rel) const noexcept {
  SectionInput<Two> in;
  in.Q = both(at.Q[1]);
  const Vec3<Two> psi1 = lane<0>(rel.psi), psi3 = lane<1>(rel.psi);
  in.psi = psi1 * N_[0] + psi3 * N_[2];
  in.psi_rate = psi1 * dN_[0] + psi3 * dN_[2];
  in.L = both(at.r1) * dN_[0] + both(at.r3) * dN_[2];
  in.initial_strain = strain_;
  in.initial_curvature = curvature_;
  if (viscous_) {
    const NodeState &a = p.node(0), &b = p.node(1), &c = p.node(2);
    Vector3 v1 = a.v - b.v, v3 = c.v - b.v;
    if (offset_) {
      const Vector3 vb = cross(b.omega, at.d[1]);
      v1 += cross(a.omega, at.d[0]) - vb;
      v3 += cross(c.omega, at.d[2]) - vb;
    }
    const Vec3<Two> w1 = both(a.omega - b.omega), w3 = both(c.omega - b.omega);
    in.L_rate = both(v1) * dN_[0] + both(v3) * dN_[2];
    in.omega = both(b.omega) + w1 * N_[0] + w3 * N_[2];
    in.omega_gradient = w1 * dN_[0] + w3 * dN_[2];
  }
  return in;
}

ThreeNodeBeam::ThreeNodeBeam(const Beam3& beam) : offsets_(beam.offsets), axes_(beam.axes) {
  shape_.nodes.assign(beam.nodes.begin(), beam.nodes.end());
  for (const char* end : {"_1", "_2"}) {
    const std::string at = end[1] == '1' ? " at the first point" : " at the second point";
    const auto named = [&](const char* what) { return std::string(what) + end; };
    shape_.measures.push_back({named("force"), "N", 3, "section axes," + at});
    shape_.measures.push_back({named("moment"), "N m", 3, "section axes," + at});
    shape_.measures.push_back({named("strain"), "1", 3, "stretch and shear" + at});
    shape_.measures.push_back({named("curvature"), "rad/m", 3, "twist and bending" + at});
  }
  shape_.measures.push_back(
      {"deflection", "m", 3, "of the last node, in section axes of the first"});
  shape_.measures.push_back(
      {"turn", "rad", 3, "rotation vector of the last node, in section axes of the first"});
  const double g = 1.0 / std::sqrt(3.0);
  const Two xi = {-g, g}, half = both(0.5), one = both(1.0);
  N_ = {half * xi * (xi - one), one - xi * xi, half * xi * (xi + one)};
  dN_ = {xi - half, both(-2.0) * xi, xi + half};
  for (int i = 0; i < 3; ++i) {
    check_axes(axes_[i], "section axes of a beam");
    const Matrix3 I = spatial::identity3<double>();
    for (int k = 0; k < 9; ++k) aligned_ = aligned_ && axes_[i].a[k] == I.a[k];
    offset_ = offset_ || dot(offsets_[i], offsets_[i]) > 0.0;
  }
  const SectionBlocks a = checked_blocks(beam.sections[0].stiffness, true),
                      b = checked_blocks(beam.sections[1].stiffness, true),
                      av = checked_blocks(beam.sections[0].damping, false),
                      bv = checked_blocks(beam.sections[1].damping, false);
  full_ = !(a.diagonal && b.diagonal && av.diagonal && bv.diagonal);
  viscous_ = !(av.zero && bv.zero);
  C_ = pair(a, b, -1.0);
  Cv_ = pair(av, bv, -1.0);

  // Reference: dp/ds has length 1 at the points, and there is no force.
  const int local[] = {0, 1, 2};
  Point reference;
  reference.node_states = beam.reference.data();
  reference.nodes = local;
  const Placed at = placed(reference);
  const Vec3<Two> slope = both(at.r1) * dN_[0] + both(at.r3) * dN_[2];
  ds_ = spatial::square_root(dot(slope, slope));
  const double size = std::sqrt(std::max(dot(at.r1, at.r1), dot(at.r3, at.r3)));
  check_length(ds_[0], size);
  check_length(ds_[1], size);
  for (Two& n : dN_) n = n / ds_;
  strain_ = curvature_ = both(Vector3{});
  SectionPoint<Two> start{};
  strains(reference, false, start);
  check_along(start.strain.x[0]);
  check_along(start.strain.x[1]);
  check_bent(rotation_vector(transposed(at.Q[1]) * at.Q[0]));
  check_bent(rotation_vector(transposed(at.Q[1]) * at.Q[2]));
  const auto& s0 = beam.prestrain[0];
  const auto& s1 = beam.prestrain[1];
  strain_ = start.strain - Vec3<Two>{Two{s0[0], s1[0]}, Two{s0[1], s1[1]}, Two{s0[2], s1[2]}};
  curvature_ = start.curvature - Vec3<Two>{Two{s0[3], s1[3]}, Two{s0[4], s1[4]}, Two{s0[5], s1[5]}};
  tip_ = transposed_times(at.Q[0], at.r3 - at.r1);
  tip_axes_ = transposed(at.Q[0]) * at.Q[2];
}

void ThreeNodeBeam::strains(const Point& p, bool viscous, SectionPoint<Two>& o) const noexcept {
  const Placed at = placed(p);
  const auto rel = relative(both(at.Q[1]), pair(at.Q[0], at.Q[2]), false);
  beams::evaluate<true>(o, input(p, at, rel), C_, viscous ? &Cv_ : nullptr, both(1.0), false);
}

template <bool Full>
void ThreeNodeBeam::evaluate_as(const Point& p, const Contribution& out) const noexcept {
  const Placed at = placed(p);
  const bool linear = out.jacobian != nullptr;
  const auto rel = relative(both(at.Q[1]), pair(at.Q[0], at.Q[2]), linear);
  const SectionInput<Two> in = input(p, at, rel);
  const Two c = both(p.c);
  SectionPoint<Two> o;
  beams::evaluate<Full>(o, in, C_, viscous_ ? &Cv_ : nullptr, c, linear);

  // Arms from the nodes: `outer` for nodes 1 and 3, `inner` for node 2.
  const Vec3<Two> q = both(at.r1) * N_[0] + both(at.r3) * N_[2];
  Vec3<Two> inner = q, outer = q - Vec3<Two>{Two{at.r1.x, at.r3.x}, Two{at.r1.y, at.r3.y},
                                             Two{at.r1.z, at.r3.z}};
  if (offset_) {
    inner += both(at.d[1]);
    outer +=
        Vec3<Two>{Two{at.d[0].x, at.d[2].x}, Two{at.d[0].y, at.d[2].y}, Two{at.d[0].z, at.d[2].z}};
  }
  {
    const Vec3<Two> To = plus_cross(o.M, outer, o.F), Ti = plus_cross(o.M, inner, o.F);
    double* r = out.residual;
    const auto put = [r](int i, const Two& x, const Two& y) {
      r[i] = x[0];
      r[12 + i] = x[1];
      r[6 + i] = -(y[0] + y[1]);
    };
    put(0, o.F.x, o.F.x), put(1, o.F.y, o.F.y), put(2, o.F.z, o.F.z);
    put(3, To.x, Ti.x), put(4, To.y, Ti.y), put(5, To.z, Ti.z);
  }
  if (!linear) return;

  double* const J = out.jacobian;
  const int n = out.size;
  const auto put = [J, n](int row, int column, const Mat3<Two>& x, const Mat3<Two>& y) {
    for (int i = 0; i < 3; ++i) {
      double* a = J + (row + i) * n + column;
      double *b = a + 6 * n, *d = a + 12 * n;
      for (int j = 0; j < 3; ++j) {
        const Two u = x.a[3 * i + j], w = y.a[3 * i + j];
        a[j] = u[0];
        d[j] = u[1];
        b[j] = -(w[0] + w[1]);
      }
    }
  };
  const Vec3<Two> cF = o.F * c;
  // δa of the outer arms: - δx_1 in lane 0, - δx_3 in lane 1
  const std::array<Two, 3> mine = {Two{1.0, 0.0}, Two{0.0, 0.0}, Two{0.0, 1.0}};
  {
    const Mat3<Two> none{};
    const Mat3<Two>& PM = Full ? o.PM : none;
    const Mat3<Two> To = plus_skew_times(PM, outer, o.P), Ti = plus_skew_times(PM, inner, o.P);
    for (int i = 0; i < 3; ++i) {
      const Mat3<Two> F = o.P * dN_[i];
      put(0, 6 * i, F, F);
      put(3, 6 * i, minus_skew(To * dN_[i], cF * (N_[i] - mine[i])),
          minus_skew(Ti * dN_[i], cF * (i == 1 ? N_[1] - both(1.0) : N_[i])));
    }
  }
  const Mat3<Two> W1 = lane<0>(rel.W), W3 = lane<1>(rel.W);
  std::array<Mat3<Two>, 3> F, M;
  if constexpr (Full) {
    F[0] = (o.XN * N_[0] + o.XD * dN_[0]) * W1;
    F[2] = (o.XN * N_[2] + o.XD * dN_[2]) * W3;
  } else {
    F[0] = (o.XN * W1) * N_[0];
    F[2] = (o.XN * W3) * N_[2];
  }
  F[1] = o.GF - F[0] - F[2];
  M[0] = (o.YN * N_[0] + o.YD * dN_[0]) * W1;
  M[2] = (o.YN * N_[2] + o.YD * dN_[2]) * W3;
  M[1] = o.GM - M[0] - M[2];
  for (int i = 0; i < 3; ++i) {
    if (viscous_) {
      const Mat3<Two> turn = both(p.turn(i));
      if constexpr (Full) {
        F[i] = F[i] + (o.VF * N_[i] + o.UF * dN_[i]) * turn;
        M[i] = M[i] + (o.VM * N_[i] + o.UM * dN_[i]) * turn;
      } else {
        F[i] = F[i] + (o.VF * turn) * N_[i];
        M[i] = M[i] + (o.UM * turn) * dN_[i];
      }
    }
    Mat3<Two> arm{};
    if (offset_) {
      // δp = θ × d; δp' = δω × d + ω × (θ × d): P holds S_v (1 - c ω ×) beside c S
      const Vec3<Two> d = both(at.d[i]), cd = d * c;
      Mat3<Two> A = o.P;
      Mat3<Two> B = Full ? o.PM : Mat3<Two>{};
      if (viscous_) {
        // both parts that S_v multiplies: by c θ × d through P less S_v, and by the velocity
        const Mat3<Two> rate = plus_skew_times(plus_skew_times(Mat3<Two>{}, -d, both(p.turn(i))),
                                               both(p.node(i).omega) * -c, skew(d));
        F[i] = F[i] + (o.Sv * rate) * dN_[i];
        A = A - o.Sv;
        if constexpr (Full) {
          M[i] = M[i] + (o.SMv * rate) * dN_[i];
          B = B - o.SMv;
        }
      }
      F[i] = F[i] - times_skew(A, d) * dN_[i];
      if constexpr (Full) M[i] = M[i] - times_skew(B, d) * dN_[i];
      arm = plus_skew_times(Mat3<Two>{}, o.F, skew(cd)) * N_[i];
    }
    put(0, 6 * i + 3, F[i], F[i]);
    const Mat3<Two> Mi = offset_ ? M[i] + arm : M[i];
    put(3, 6 * i + 3, plus_skew_times(Mi, outer, F[i]), plus_skew_times(Mi, inner, F[i]));
  }
}

void ThreeNodeBeam::evaluate(const Point& p, const Contribution& out) const noexcept {
  if (full_) {
    evaluate_as<true>(p, out);
  } else {
    evaluate_as<false>(p, out);
  }
}

void ThreeNodeBeam::measure(const Point& p, std::span<double> out) const noexcept {
  SectionPoint<Two> o{};
  strains(p, viscous_, o);
  const auto put = [&](int at, const Vector3& v) {
    out[at] = v.x, out[at + 1] = v.y, out[at + 2] = v.z;
  };
  const Vec3<Two> f = transposed_times(o.R, o.F), m = transposed_times(o.R, o.M),
                  e = o.strain - strain_, k = o.curvature - curvature_;
  put(0, -taken<0>(f)), put(3, -taken<0>(m)), put(6, taken<0>(e)), put(9, taken<0>(k));
  put(12, taken<1>(f)), put(15, taken<1>(m)), put(18, taken<1>(e)), put(21, taken<1>(k));
  const Placed at = placed(p);
  const Matrix3 back = transposed(at.Q[0]);
  put(24, back * (at.r3 - at.r1) - tip_);
  put(27, rotation_vector(times_transposed(back * at.Q[2], tip_axes_)));
}

double ThreeNodeBeam::energy(const Point& p) const noexcept {
  SectionPoint<Two> o{};
  strains(p, false, o);
  const Vec3<Two> n = transposed_times(o.R, o.F), m = transposed_times(o.R, o.M);
  const Two e = (dot(n, o.strain - strain_) + dot(m, o.curvature - curvature_)) * ds_ * both(0.5);
  return e[1] - e[0];
}

}  // namespace
}  // namespace beams

std::unique_ptr<const Element> make(const Beam3& beam) {
  return std::make_unique<beams::ThreeNodeBeam>(beam);
}

}  // namespace vernier::constrained
