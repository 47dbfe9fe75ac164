#include <array>
#include <cmath>

#include "vernier/kernel/constrained/elements.hpp"
#include "vernier/kernel/constrained/elements/beam_kernel.hpp"
#include "vernier/kernel/constrained/elements/section_blocks.hpp"

namespace vernier::constrained {
namespace beams {
namespace {

using Matrix6 = std::array<double, 36>;

/// The inverse of a positive definite matrix.
Matrix6 inverse_of(Matrix6 m) {
  for (int k = 0; k < 6; ++k) {  // Gauss-Jordan in place
    const double pivot = 1.0 / m[7 * k];
    for (int j = 0; j < 6; ++j) m[6 * k + j] *= j == k ? 0.0 : pivot;
    m[7 * k] = pivot;
    for (int i = 0; i < 6; ++i) {
      if (i == k) continue;
      const double f = m[6 * i + k];
      m[6 * i + k] = 0.0;
      for (int j = 0; j < 6; ++j) m[6 * i + j] -= f * m[6 * k + j];
    }
  }
  return m;
}

/// Adds the flexibility of bending within the element, ℓ²/12 times that of the section, to the
/// shear flexibility: 1/GA* = 1/GA + ℓ²/(12 EI). A straight beam under end loads is then exact.
Matrix6 with_bending_in_shear(const Matrix6& stiffness, double length) {
  Matrix6 f = inverse_of(stiffness);
  const double w = length * length / 12.0;
  // Shear along y bends about z, shear along z about -y.
  f[7] += w * f[35], f[14] += w * f[28];
  f[8] -= w * f[34], f[13] -= w * f[29];
  return inverse_of(f);
}

Coefficients<double> coefficients(const SectionBlocks& b) {
  return {
      {b.ee.a[0], b.ee.a[4], b.ee.a[8]}, {b.kk.a[0], b.kk.a[4], b.kk.a[8]}, b.ee, b.ek, b.ke, b.kk};
}

/// A beam with one evaluation point in the middle; R is half the rotation from node 1 to node 2.
/// The forces on the nodes are F, M + (p - x_1) × F, and the opposite about node 2.
class TwoNodeBeam final : public Element {
 public:
  explicit TwoNodeBeam(const Beam2&);

  const Shape& shape() const noexcept override { return shape_; }
  void evaluate(const Point&, const Contribution&) const noexcept override;
  void measure(const Point&, std::span<double>) const noexcept override;
  double energy(const Point&) const noexcept override;

 private:
  struct Placed {
    std::array<Matrix3, 2> Q;  // section axes
    std::array<Vector3, 2> d;  // from the nodes, global axes
    Vector3 r;                 // from one point to the other
  };
  Placed placed(const Point&) const noexcept;
  SectionInput<double> input(const Point&, const Placed&, const Vector3& psi) const noexcept;
  template <bool Full>
  void evaluate_as(const Point&, const Contribution&) const noexcept;
  SectionPoint<double> strains(const Point&, bool viscous) const noexcept;

  Shape shape_;
  std::array<Vector3, 2> offsets_;
  std::array<Matrix3, 2> axes_;
  bool offset_ = false, full_ = false, viscous_ = false;
  double length_ = 1.0;
  Vector3 strain_{}, curvature_{};  // strain and curvature without force
  Coefficients<double> C_, Cv_;
  Vector3 tip_{};
  Matrix3 tip_axes_{};
};

TwoNodeBeam::Placed TwoNodeBeam::placed(const Point& p) const noexcept {
  Placed r;
  for (int i = 0; i < 2; ++i) {
    r.Q[i] = p.node(i).R * axes_[i];
    r.d[i] = p.node(i).R * offsets_[i];
  }
  r.r = p.node(1).x - p.node(0).x + (r.d[1] - r.d[0]);
  return r;
}

SectionInput<double> TwoNodeBeam::input(const Point& p, const Placed& at,
                                        const Vector3& psi) const noexcept {
  const double by_length = 1.0 / length_;
  SectionInput<double> in;
  in.Q = at.Q[0];
  in.psi = psi * 0.5;
  in.psi_rate = psi * by_length;
  in.L = at.r * by_length;
  in.initial_strain = strain_;
  in.initial_curvature = curvature_;
  if (viscous_) {
    const NodeState &a = p.node(0), &b = p.node(1);
    in.L_rate = (b.v - a.v + cross(b.omega, at.d[1]) - cross(a.omega, at.d[0])) * by_length;
    in.omega = (a.omega + b.omega) * 0.5;
    in.omega_gradient = (b.omega - a.omega) * by_length;
  }
  return in;
}

TwoNodeBeam::TwoNodeBeam(const Beam2& beam) : offsets_(beam.offsets), axes_(beam.axes) {
  shape_.nodes.assign(beam.nodes.begin(), beam.nodes.end());
  shape_.measures = {
      {"force", "N", 3, "section axes, in the middle"},
      {"moment", "N m", 3, "section axes, in the middle"},
      {"strain", "1", 3, "stretch and shear"},
      {"curvature", "rad/m", 3, "twist and bending"},
      {"deflection", "m", 3, "of the last node, in section axes of the first"},
      {"turn", "rad", 3, "rotation vector of the last node, in section axes of the first"}};
  for (int i = 0; i < 2; ++i) {
    check_axes(axes_[i], "section axes of a beam");
    offset_ = offset_ || dot(offsets_[i], offsets_[i]) > 0.0;
  }
  const int local[] = {0, 1};
  Point reference;
  reference.node_states = beam.reference.data();
  reference.nodes = local;
  const Placed at = placed(reference);
  length_ = std::sqrt(dot(at.r, at.r));
  check_length(length_, length_);
  check_bent(rotation_vector(transposed(at.Q[0]) * at.Q[1]));

  Matrix6 stiffness = beam.section.stiffness, damping = beam.section.damping;
  checked_blocks(stiffness, true);
  checked_blocks(damping, false);
  if (beam.correct_shear) {
    stiffness = with_bending_in_shear(stiffness, length_);
    for (int i = 1; i < 3; ++i) {
      // Damping is reduced with the shear stiffness, symmetrically in rows and columns.
      const double s = std::sqrt(stiffness[7 * i] / beam.section.stiffness[7 * i]);
      for (int j = 0; j < 6; ++j) damping[6 * i + j] *= s, damping[6 * j + i] *= s;
    }
  }
  const SectionBlocks c = checked_blocks(stiffness, true), v = checked_blocks(damping, false);
  full_ = !(c.diagonal && v.diagonal);
  C_ = coefficients(c);
  Cv_ = coefficients(v);
  const SectionPoint<double> start = strains(reference, false);
  viscous_ = !v.zero;
  check_along(start.strain.x);
  const auto& e = beam.prestrain;
  strain_ = start.strain - Vector3{e[0], e[1], e[2]};
  curvature_ = start.curvature - Vector3{e[3], e[4], e[5]};
  tip_ = transposed_times(at.Q[0], at.r);
  tip_axes_ = transposed(at.Q[0]) * at.Q[1];
}

SectionPoint<double> TwoNodeBeam::strains(const Point& p, bool viscous) const noexcept {
  const Placed at = placed(p);
  SectionPoint<double> o{};
  const Vector3 psi = relative(at.Q[0], at.Q[1], false).psi;
  beams::evaluate<true>(o, input(p, at, psi), C_, viscous ? &Cv_ : nullptr, 1.0, false);
  return o;
}

template <bool Full>
void TwoNodeBeam::evaluate_as(const Point& p, const Contribution& out) const noexcept {
  const Placed at = placed(p);
  const bool linear = out.jacobian != nullptr;
  const double c = p.c, dN[] = {-1.0 / length_, 1.0 / length_};
  const Relative<double> rel = relative(at.Q[0], at.Q[1], linear);
  SectionPoint<double> o;
  beams::evaluate<Full>(o, input(p, at, rel.psi), C_, viscous_ ? &Cv_ : nullptr, c, linear);
  const Vector3 arms[] = {at.r * 0.5 + at.d[0], at.r * -0.5 + at.d[1]};
  out.act(0, o.F, plus_cross(o.M, arms[0], o.F));
  out.act(1, -o.F, -plus_cross(o.M, arms[1], o.F));
  if (!linear) return;

  const Matrix3 none{};
  std::array<Matrix3, 2> F, M, arm{};  // by the rotation of each node; arm: motion of the point
  F[1] = Full ? (o.XN * 0.5 + o.XD * dN[1]) * rel.W : o.XN * rel.W * 0.5;
  M[1] = (o.YN * 0.5 + o.YD * dN[1]) * rel.W;
  F[0] = o.GF - F[1];
  M[0] = o.GM - M[1];
  for (int i = 0; i < 2; ++i) {
    if (viscous_) {
      const Matrix3& turn = p.turn(i);
      F[i] = F[i] + (Full ? o.VF * 0.5 + o.UF * dN[i] : o.VF * 0.5) * turn;
      M[i] = M[i] + (Full ? o.VM * 0.5 + o.UM * dN[i] : o.UM * dN[i]) * turn;
    }
    if (offset_) {
      // δp = θ × d; δp' = δω × d + ω × (θ × d)
      const Vector3& d = at.d[i];
      Matrix3 A = o.P, B = Full ? o.PM : none;
      if (viscous_) {
        const Matrix3 rate =
            plus_skew_times(plus_skew_times(none, -d, p.turn(i)), p.node(i).omega * -c, skew(d));
        F[i] = F[i] + o.Sv * rate * dN[i];
        A = A - o.Sv;
        if constexpr (Full) {
          M[i] = M[i] + o.SMv * rate * dN[i];
          B = B - o.SMv;
        }
      }
      F[i] = F[i] - times_skew(A, d) * dN[i];
      if constexpr (Full) M[i] = M[i] - times_skew(B, d) * dN[i];
      arm[i] = plus_skew_times(none, o.F, skew(d * (0.5 * c)));
    }
  }
  const Matrix3& PM = Full ? o.PM : none;
  for (int n = 0; n < 2; ++n) {  // rows of the node, which gets the forces with this sign
    const double sign = n == 0 ? -1.0 : 1.0;
    const Matrix3 T = plus_skew_times(PM, arms[n], o.P);
    for (int i = 0; i < 2; ++i) {
      out.add(6 * n, 6 * i, o.P, dN[i] * sign);
      out.add(6 * n + 3, 6 * i, minus_skew(T * dN[i], o.F * (c * (i == n ? -0.5 : 0.5))), sign);
      out.add(6 * n, 6 * i + 3, F[i], sign);
      out.add(6 * n + 3, 6 * i + 3, plus_skew_times(M[i] + arm[i], arms[n], F[i]), sign);
    }
  }
}

void TwoNodeBeam::evaluate(const Point& p, const Contribution& out) const noexcept {
  if (full_) {
    evaluate_as<true>(p, out);
  } else {
    evaluate_as<false>(p, out);
  }
}

void TwoNodeBeam::measure(const Point& p, std::span<double> out) const noexcept {
  const SectionPoint<double> o = strains(p, viscous_);
  const Placed at = placed(p);
  const Matrix3 back = transposed(at.Q[0]);
  const Vector3 all[] = {
      transposed_times(o.R, o.F), transposed_times(o.R, o.M),
      o.strain - strain_,         o.curvature - curvature_,
      back * at.r - tip_,         rotation_vector(times_transposed(back * at.Q[1], tip_axes_))};
  for (int i = 0; i < 6; ++i)
    out[3 * i] = all[i].x, out[3 * i + 1] = all[i].y, out[3 * i + 2] = all[i].z;
}

double TwoNodeBeam::energy(const Point& p) const noexcept {
  const SectionPoint<double> o = strains(p, false);
  return 0.5 * length_ *
         (dot(transposed_times(o.R, o.F), o.strain - strain_) +
          dot(transposed_times(o.R, o.M), o.curvature - curvature_));
}

}  // namespace
}  // namespace beams

std::unique_ptr<const Element> make(const Beam2& beam) {
  return std::make_unique<beams::TwoNodeBeam>(beam);
}

}  // namespace vernier::constrained
