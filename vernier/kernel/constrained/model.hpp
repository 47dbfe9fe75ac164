#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "vernier/base/finding.hpp"
#include "vernier/kernel/constrained/element.hpp"

namespace vernier::constrained {

/// A structural node. A static node must not carry mass (users count 12 unknowns for a dynamic
/// node, 6 for a static one).
struct Node {
  std::string name;
  Vector3 position{};                                  // m
  Matrix3 orientation = spatial::identity3<double>();  // node axes to global axes
  Vector3 velocity{}, angular_velocity{};              // global axes
  bool dynamic = true;
  double weight = 1.0;  // resistance to displacement during assembly
};

/// A rigid body on a node; several add up.
struct Body {
  std::string name;
  int node = 0;
  double mass = 0.0;                // kg
  Vector3 centre{};                 // m, node axes
  spatial::Sym3<double> inertia{};  // kg m², about the centre of mass, node axes
};

/// An electric, hydraulic or control quantity with one equation: the contributions of elements to
/// its row sum to zero.
struct ScalarNode {
  std::string name;
  std::string unit = "1";
  double value = 0.0, rate = 0.0;
};

/// A function of time with its first two derivatives.
class Drive {
 public:
  virtual ~Drive() = default;
  virtual DriveState at(double time) const noexcept = 0;
  /// Times at which the value or a derivative jumps, ascending. Unknown times are not listed.
  virtual std::vector<double> corners() const { return {}; }
};

/// Either a function of time, or an input whose value is held over a step.
struct DriveSlot {
  std::string name;
  std::shared_ptr<const Drive> function = {};  // shared between copies of a model
  std::string unit = "1";                      // input
  double initial = 0.0;                        // input
};

struct NamedElement {
  std::string name;
  std::shared_ptr<const Element> element;  // shared between copies of a model
  std::string kind;                        // "revolute", for messages
};

/// A mechanism and its initial state. Indices are positions in the vectors.
struct Model {
  std::string name;
  Vector3 gravity{};  // m/s²
  std::vector<Node> nodes;
  std::vector<Body> bodies;
  std::vector<ScalarNode> scalars;
  std::vector<DriveSlot> drives;
  std::vector<NamedElement> elements;

  int add(Node n);
  int add(Body b);
  int add(ScalarNode s);
  int add(DriveSlot d);
  int add(std::string name, std::string kind, std::shared_ptr<const Element>);
  /// A constant as a drive.
  int constant(double);
};

/// Equations as users count them: 12 for a dynamic node, 6 for a static one, 1 for a scalar, 2 for
/// an own coordinate, 1 for each other own unknown.
int equations(const Model&);

/// Checks everything that needs no solving: indices, masses, inertias that no body can have, static
/// nodes with mass, numbers that are not finite. All findings are V1714, with the names of parts.
std::vector<Finding> check(const Model&);

}  // namespace vernier::constrained
