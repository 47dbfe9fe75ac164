#include "vernier/kernel/constrained/elements/section.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <stdexcept>

#include "vernier/kernel/constrained/elements/section_blocks.hpp"
#include "vernier/kernel/constrained/rotation.hpp"
#include "vernier/kernel/elementary/elementary.hpp"

namespace vernier::constrained {
namespace {

using Array36 = std::array<double, 36>;

/// Whether all pivots of LDLᵀ exceed `least` times the diagonal they come from.
bool all_pivots_above(Array36 m, double least) {
  for (int k = 0; k < 6; ++k) {
    const double whole = m[7 * k];
    for (int j = 0; j < k; ++j) m[7 * k] -= m[6 * k + j] * m[6 * k + j] * m[7 * j];
    const double d = m[7 * k];
    if (!(d > least * whole)) {
      // Semidefinite: a row with a zero pivot must be zero.
      const bool empty = least < 0.0 && std::fabs(d) <= -least * std::fabs(whole);
      if (!empty) return false;
      m[7 * k] = 0.0;
    }
    for (int i = k + 1; i < 6; ++i) {
      double s = m[6 * i + k];
      for (int j = 0; j < k; ++j) s -= m[6 * i + j] * m[6 * k + j] * m[7 * j];
      if (m[7 * k] != 0.0) {
        m[6 * i + k] = s / m[7 * k];
      } else if (std::fabs(s) > 1e-9 * std::sqrt(std::fabs(m[7 * i] * whole))) {
        return false;
      } else {
        m[6 * i + k] = 0.0;
      }
    }
  }
  return true;
}

Section with_mass(Section s, double density, double area, double Iy, double Iz) {
  s.line_density = density * area;
  s.line_inertia = {density * (Iy + Iz), density * Iy, density * Iz, 0.0, 0.0, 0.0};
  return s;
}

void check_material(const Material& m) {
  if (!(m.young > 0.0)) throw std::invalid_argument("Young's modulus of a section is not positive");
  if (!(m.poisson > -1.0 && m.poisson <= 0.5))
    throw std::invalid_argument("Poisson's ratio of a section is not between -1 and 0.5");
  if (!(m.density >= 0.0)) throw std::invalid_argument("the density of a section is negative");
}

/// Mass, first moment and inertia about a node, in node axes.
struct Sum {
  double mass = 0.0;
  Vector3 moment{};
  spatial::Sym3<double> inertia{};
};

spatial::Sym3<double> point_inertia(double m, const Vector3& r) {
  return {m * (r.y * r.y + r.z * r.z),
          m * (r.x * r.x + r.z * r.z),
          m * (r.x * r.x + r.y * r.y),
          -m * r.x * r.y,
          -m * r.x * r.z,
          -m * r.y * r.z};
}

/// Adds the piece from ξ = a to b of the curve `at` (point, ds/dξ, section axes) to a node.
template <class Curve>
void add_piece(Sum& sum, const NodeState& node, const Section& section, double a, double b,
               const Curve& at) {
  // Gauss quadrature with four points: exact for the moments of a straight element, accurate for a
  // curved one.
  constexpr double x[] = {0.33998104358485626480, 0.86113631159405257522};
  constexpr double w[] = {0.65214515486254614263, 0.34785484513745385737};
  for (int k = 0; k < 4; ++k) {
    const double xi = 0.5 * (a + b) + 0.5 * (b - a) * (k % 2 ? x[k / 2] : -x[k / 2]);
    const auto [p, ds, R] = at(xi);
    const double length = 0.5 * (b - a) * w[k / 2] * ds, m = section.line_density * length;
    const Matrix3 A = transposed(node.R) * R;
    const Vector3 axis = transposed_times(node.R, p - node.x), centre = A * section.line_centre,
                  r = axis + centre;
    sum.mass += m;
    sum.moment += r * m;
    // line_inertia is about the axis, not about the centre of mass.
    sum.inertia +=
        point_inertia(m, r) + point_inertia(-m, centre) + rotated(A, section.line_inertia * length);
  }
}

Body body_of(const Sum& s, int node) {
  Body b;
  b.node = node;
  b.mass = s.mass;
  if (s.mass > 0.0) {
    b.centre = s.moment * (1.0 / s.mass);
    b.inertia = s.inertia + point_inertia(-s.mass, b.centre);
  }
  return b;
}

struct OnCurve {
  Vector3 p;
  double ds;
  Matrix3 R;
};

void check_mass(const Section& s) {
  const auto& i = s.line_inertia;
  if (!(s.line_density > 0.0))
    throw std::invalid_argument("a section needs a positive mass per length to make bodies of it");
  if (!(i.xx >= 0.0 && i.yy >= 0.0 && i.zz >= 0.0))
    throw std::invalid_argument("the inertia per length of a section is negative");
}

}  // namespace

SectionBlocks checked_blocks(const Array36& m, bool definite) {
  const char* what = definite ? "the stiffness of a section" : "the damping of a section";
  SectionBlocks r;
  for (int i = 0; i < 6; ++i) {
    for (int j = 0; j < 6; ++j) {
      const double v = m[6 * i + j], size = std::sqrt(std::fabs(m[7 * i] * m[7 * j]));
      if (!std::isfinite(v)) throw std::invalid_argument(std::string(what) + " is not finite");
      if (std::fabs(v - m[6 * j + i]) > 1e-6 * size)
        throw std::invalid_argument(std::string(what) + " is not symmetric: rows and columns " +
                                    std::to_string(std::min(i, j) + 1) + " and " +
                                    std::to_string(std::max(i, j) + 1));
      Matrix3& block = i < 3 ? (j < 3 ? r.ee : r.ek) : (j < 3 ? r.ke : r.kk);
      block.a[3 * (i % 3) + j % 3] = v;
      if (v != 0.0) {
        r.zero = false;
        if (i != j) r.diagonal = false;
      }
    }
  }
  if (!all_pivots_above(m, definite ? 1e-12 : -1e-12))
    throw std::invalid_argument(std::string(what) + " is not positive " +
                                (definite ? "definite" : "semidefinite"));
  return r;
}

void check_axes(const Matrix3& m, const char* what) {
  const Matrix3 s = transposed(m) * m;
  const Matrix3 one = spatial::identity3<double>();
  bool good = dot(cross(column(m, 0), column(m, 1)), column(m, 2)) > 0.0;
  for (int i = 0; i < 9; ++i) good = good && std::fabs(s.a[i] - one.a[i]) < 1e-9;
  if (!good) throw std::invalid_argument(std::string("the ") + what + " are no rotation");
}

void check_length(double ds, double size) {
  if (!(size > 0.0)) throw std::invalid_argument("a beam has no length: its nodes coincide");
  if (!(ds > 1e-3 * size))
    throw std::invalid_argument(
        "the nodes of a beam do not follow one another: the middle one must be near the middle");
}

void check_along(double cosine) {
  if (!(cosine > 0.5))
    throw std::invalid_argument("axis 1 of a beam's section does not point along the beam");
}

void check_bent(const Vector3& v) {
  if (!(dot(v, v) < 2.5))
    throw std::invalid_argument(
        "the section axes of neighbouring nodes of a beam are turned by more than 90 degrees: use "
        "more beams");
}

Section section(const SectionConstants& c) {
  Section s;
  s.stiffness[0] = c.EA, s.stiffness[7] = c.GAy, s.stiffness[14] = c.GAz;
  s.stiffness[21] = c.GJ, s.stiffness[28] = c.EIy, s.stiffness[35] = c.EIz;
  s.line_density = c.line_density;
  s.line_inertia = {c.inertia_y + c.inertia_z, c.inertia_y, c.inertia_z, 0.0, 0.0, 0.0};
  checked_blocks(s.stiffness, true);
  return s;
}

Section rectangle(const Material& m, double y, double z) {
  check_material(m);
  if (!(y > 0.0 && z > 0.0)) throw std::invalid_argument("a side of a rectangle is not positive");
  const double a = std::max(y, z), b = std::min(y, z), pi = std::numbers::pi;
  // Torsion constant of a rectangle by Saint-Venant's series.
  double sum = 0.0;
  for (int n = 1; n < 20; n += 2)
    sum += elementary::tanh(n * pi * a / (2.0 * b)) / elementary::pow(n, 5);
  const double J = a * b * b * b * (1.0 / 3.0 - 64.0 / elementary::pow(pi, 5) * (b / a) * sum);
  const double G = m.young / (2.0 * (1.0 + m.poisson)), A = y * z, Iy = y * z * z * z / 12.0,
               Iz = z * y * y * y / 12.0, k = 5.0 / 6.0;
  return with_mass(section({m.young * A, k * G * A, k * G * A, G * J, m.young * Iy, m.young * Iz}),
                   m.density, A, Iy, Iz);
}

Section tube(const Material& m, double outer, double inner) {
  check_material(m);
  if (!(outer > 0.0 && inner >= 0.0 && inner < outer))
    throw std::invalid_argument("the radii of a tube must be 0 <= inner < outer");
  const double pi = std::numbers::pi, nu = m.poisson, G = m.young / (2.0 * (1.0 + nu));
  const double A = pi * (outer * outer - inner * inner),
               I = pi / 4.0 * (elementary::pow(outer, 4) - elementary::pow(inner, 4));
  const double r2 = (inner / outer) * (inner / outer), q = (1.0 + r2) * (1.0 + r2);
  // Shear coefficient of a hollow circle by Cowper.
  const double k = 6.0 * (1.0 + nu) * q / ((7.0 + 6.0 * nu) * q + (20.0 + 12.0 * nu) * r2);
  return with_mass(
      section({m.young * A, k * G * A, k * G * A, 2.0 * G * I, m.young * I, m.young * I}),
      m.density, A, I, I);
}

Section damped(Section s, double time) {
  if (!(time >= 0.0)) throw std::invalid_argument("the time constant of damping is negative");
  for (int i = 0; i < 36; ++i) s.damping[i] = time * s.stiffness[i];
  return s;
}

Section displaced(const Section& s, double y, double z) {
  // Strain at the line of the constants: ε + κ × r; force and moment about the reference line: n, m
  // + r × n.
  const Matrix3 K = spatial::skew(Vector3{0.0, y, z});
  Array36 T{};
  for (int i = 0; i < 3; ++i) {
    T[7 * i] = T[7 * (i + 3)] = 1.0;
    for (int j = 0; j < 3; ++j) T[6 * i + 3 + j] = -K.a[3 * i + j];
  }
  const auto congruent = [&T](const Array36& C) {
    Array36 r{};
    for (int i = 0; i < 6; ++i) {
      for (int j = 0; j < 6; ++j) {
        for (int a = 0; a < 6; ++a) {
          for (int b = 0; b < 6; ++b) r[6 * i + j] += T[6 * a + i] * C[6 * a + b] * T[6 * b + j];
        }
      }
    }
    return r;
  };
  Section r = s;
  r.stiffness = congruent(s.stiffness);
  r.damping = congruent(s.damping);
  r.line_centre = s.line_centre + Vector3{0.0, y, z};
  r.line_inertia +=
      point_inertia(s.line_density, r.line_centre) + point_inertia(-s.line_density, s.line_centre);
  return r;
}

std::array<Body, 3> lumped(const Beam3& beam) {
  std::array<Vector3, 3> p;
  std::array<Matrix3, 3> Q;
  for (int i = 0; i < 3; ++i) {
    check_mass(beam.sections[static_cast<std::size_t>(i / 2)]);
    p[i] = beam.reference[i].x + beam.reference[i].R * beam.offsets[i];
    Q[i] = beam.reference[i].R * beam.axes[i];
  }
  const Vector3 psi1 = rotation_vector(transposed(Q[1]) * Q[0]),
                psi3 = rotation_vector(transposed(Q[1]) * Q[2]);
  const auto at = [&](double xi) {
    const double a = 0.5 * xi * (xi - 1.0), b = 0.5 * xi * (xi + 1.0);
    const Vector3 r1 = p[0] - p[1], r3 = p[2] - p[1];
    const Vector3 slope = r1 * (xi - 0.5) + r3 * (xi + 0.5);
    return OnCurve{p[1] + r1 * a + r3 * b, std::sqrt(dot(slope, slope)),
                   Q[1] * rotation(psi1 * a + psi3 * b)};
  };
  const double g = 1.0 / std::sqrt(3.0);
  std::array<Sum, 3> sums;
  add_piece(sums[0], beam.reference[0], beam.sections[0], -1.0, -g, at);
  add_piece(sums[1], beam.reference[1], beam.sections[0], -g, 0.0, at);
  add_piece(sums[1], beam.reference[1], beam.sections[1], 0.0, g, at);
  add_piece(sums[2], beam.reference[2], beam.sections[1], g, 1.0, at);
  return {body_of(sums[0], beam.nodes[0]), body_of(sums[1], beam.nodes[1]),
          body_of(sums[2], beam.nodes[2])};
}

std::array<Body, 2> lumped(const Beam2& beam) {
  check_mass(beam.section);
  std::array<Vector3, 2> p;
  std::array<Matrix3, 2> Q;
  for (int i = 0; i < 2; ++i) {
    p[i] = beam.reference[i].x + beam.reference[i].R * beam.offsets[i];
    Q[i] = beam.reference[i].R * beam.axes[i];
  }
  const Vector3 psi = rotation_vector(transposed(Q[0]) * Q[1]), chord = p[1] - p[0];
  const auto at = [&](double xi) {
    const double b = 0.5 * (1.0 + xi);
    return OnCurve{p[0] + chord * b, 0.5 * std::sqrt(dot(chord, chord)), Q[0] * rotation(psi * b)};
  };
  std::array<Sum, 2> sums;
  add_piece(sums[0], beam.reference[0], beam.section, -1.0, 0.0, at);
  add_piece(sums[1], beam.reference[1], beam.section, 0.0, 1.0, at);
  return {body_of(sums[0], beam.nodes[0]), body_of(sums[1], beam.nodes[1])};
}

}  // namespace vernier::constrained
