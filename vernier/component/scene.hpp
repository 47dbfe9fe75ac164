#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

/// What an instance looks like and which of its signals move it (formats/scene). Types fill it
/// (Type::scene); run/scene puts the scenes of all instances together. SI units.
namespace vernier::scene {

using Vector = std::array<double, 3>;
/// Scalar last; takes components from the outer axes to the inner ones, as all signals do.
using Quaternion = std::array<double, 4>;

/// Where numbers come from: elements of a port of the instance, an output or an input. Without a
/// signal, and while it has no value, the numbers are those of `start`.
struct Binding {
  std::string signal = {};
  std::uint32_t element = 0, count = 1;
  double gain = 1.0;
  std::vector<double> start = {};  // gain included; empty: not known
  double rate = 0.0;               // without a signal: the numbers are start + rate t
  /// What makes the instance have this port, where it has not: an element to add to its document.
  std::string request = {};
  bool recorded = true;           // filled by run/scene
  std::vector<Binding> sum = {};  // filled by run/scene: these are added, `signal` is empty
};

/// One step of a pose, as formats/scene describes them.
struct Step {
  enum class Kind : std::uint8_t {
    offset,    // vector
    rotation,  // quaternion
    position,  // by
    attitude,  // by
    along,     // vector, by
    about,     // vector, by
    spin,      // vector, by: a speed
    modes      // by; shape, turn, pairs
  };
  Kind kind = Kind::offset;
  Vector vector{};
  Quaternion quaternion{0.0, 0.0, 0.0, 1.0};
  Binding by = {};
  std::vector<Vector> shape = {}, turn = {}, pairs = {};
};

Step offset(const Vector&);
Step rotation(const Quaternion&);
Step position(Binding);
Step attitude(Binding);
Step along(const Vector& direction, Binding by);
Step about(const Vector& axis, Binding angle);
Step spin(const Vector& axis, Binding speed);

/// One thing to draw. Which members count depends on `shape`: see formats/scene.
struct Shape {
  std::string shape;  // "box"
  std::string role = {};
  Vector at{};
  Quaternion rotation{0.0, 0.0, 0.0, 1.0};
  bool assumed = false;  // no document gives its dimensions
  Vector size{};
  double radius = 0.0, top = 0.0, length = 0.0;
  std::vector<Vector> points = {};
  std::vector<std::pair<int, int>> members = {};
  std::vector<std::array<int, 4>> quads = {};
  std::vector<std::pair<int, double>> blocks = {};
  Vector direction{};
  Binding by = {};
  double full = 0.0;  // 0: not known
  std::string planet = {};
  std::string file = {};  // of the kind `file`: its path
  Vector scale{1.0, 1.0, 1.0};
  std::vector<Shape> instead = {};  // what is drawn while there is no file
};

/// A point of a flexible body.
struct Point {
  Vector at{};
  std::vector<Vector> shape = {};  // a displacement for each mode; empty: it does not move
};

struct Orbit {
  std::string about = {};  // body
  double mu = 0.0;         // m³/s²
  Binding position = {}, velocity = {};
};

struct Body {
  enum class Kind : std::uint8_t { craft, part, point, frame, planet };
  std::string name = {};  // within the instance; empty: that of the instance
  Kind kind = Kind::part;
  std::string parent = {};  // a body of the same instance, or a shared one; empty: the scene
  std::vector<Step> pose = {};
  std::optional<Binding> modes = {};
  std::vector<Point> points = {};
  std::vector<Shape> shapes = {};
  std::optional<Orbit> orbit = {};
  /// The name is the same for all instances, which mean one body by it: "Earth".
  bool shared = false;
  /// Without a parent: it is fixed to the craft that the instance's connections lead to.
  bool aboard = false;
  /// Without a parent: its position is that of the orbit that its connections lead to, if there is
  /// one.
  bool floats = false;
  std::vector<std::string> missing = {};  // filled by run/scene
};

/// A line through bodies.
struct Curve {
  struct Through {
    std::string body;
    Vector at{};
  };
  std::string name;
  std::string role = "boom";
  double radius = 0.0;
  std::vector<Through> through = {};
};

struct Arrow {
  std::string name = {};
  std::string of = {};    // body; empty: the craft that the connections lead to
  std::string axes = {};  // body; empty: the scene's
  bool of_craft = false;  // its values are in the axes of the craft
  Binding by = {};
  std::string unit = {}, role = {};
  bool shown = true;
};

/// An orbit on which the craft is that the instance's connections lead to.
struct Place {
  Orbit orbit = {};
};

struct Scene {
  std::vector<Body> bodies = {};
  std::vector<Curve> curves = {};
  std::vector<Arrow> vectors = {};
  std::vector<Place> places = {};
  std::optional<Binding> sun = {};
  std::optional<Vector> up = {};  // against gravity, in the axes of the scene
};

/// The Earth, as instances share it.
Body earth(double radius);

/// The edges of a homogeneous box with this mass and these principal moments of inertia:
/// a² = 6 (I_y + I_z - I_x) / m. With mass 0, the box has the moments and this density.
Vector box_size(double mass, const Vector& moments, double density = 800.0);

/// Moments and products of inertia about the centre of mass, elements of the tensor.
struct Tensor {
  double xx = 0.0, yy = 0.0, zz = 0.0, xy = 0.0, xz = 0.0, yz = 0.0;
};
/// A homogeneous body with this mass and inertia: a box along the principal axes; a cylinder if it
/// is axisymmetric about `spin`, an axis that it turns about; a sphere without inertia. Role: wheel
/// for that cylinder; panel or boom for a thin box; else `role`.
Shape solid(double mass, const Vector& centre, const Tensor&, std::string role,
            const std::optional<Vector>& spin = {});
/// The turn that takes z to a direction; none for a zero direction.
Quaternion z_to(const Vector& direction);
/// Draws files in place of a shape that is assumed, which stays for viewers that cannot.
std::vector<Shape> dressed(std::optional<Shape> assumed, std::vector<Shape> files);
/// The distance of the farthest point of a shape from the origin of its body, about.
double reach(const Shape&);

/// The first three elements of anything that has elements.
template <class V>
Vector vector(const V& v) {
  return {v[0], v[1], v[2]};
}

}  // namespace vernier::scene
