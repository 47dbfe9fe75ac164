#pragma once

#include <array>

#include "vernier/kernel/constrained/elements.hpp"
#include "vernier/kernel/constrained/model.hpp"

/// Sections of beams, and their masses as bodies on nodes.
namespace vernier::constrained {

struct Material {
  double young = 0.0;    // Pa
  double poisson = 0.3;  // 1
  double density = 0.0;  // kg/m³
};

/// Constants of a prismatic beam whose section axes are principal axes and whose axis is the line
/// of shear centres.
struct SectionConstants {
  double EA = 0.0, GAy = 0.0, GAz = 0.0;    // N
  double GJ = 0.0, EIy = 0.0, EIz = 0.0;    // N m²; y: bending about y
  double line_density = 0.0;                // kg/m
  double inertia_y = 0.0, inertia_z = 0.0;  // ρ I: kg m, about y and z
};
/// The following throw std::invalid_argument for invalid sections.
Section section(const SectionConstants&);
/// `y` wide along axis 2, `z` along axis 3, m. Shear factor 5/6; torsion by Saint-Venant's series.
Section rectangle(const Material&, double y, double z);
/// Shear coefficient by Cowper; `inner` = 0: a solid circle.
Section tube(const Material&, double outer_radius, double inner_radius = 0.0);
/// Adds damping proportional to stiffness: C_v = time C.
Section damped(Section, double time);
/// The section of a beam whose axis is displaced by (y, z) in section axes: from the reference line
/// to the line of the constants.
Section displaced(const Section&, double y, double z);

/// The beam cut at its evaluation points, each piece a rigid body on its node: mass, centre and
/// inertia of the curve through the nodes. Names are left empty.
std::array<Body, 3> lumped(const Beam3&);
std::array<Body, 2> lumped(const Beam2&);

}  // namespace vernier::constrained
