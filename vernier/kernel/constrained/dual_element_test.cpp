#include "vernier/kernel/constrained/dual_element.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>

#include "vernier/base/diagnostic.hpp"
#include "vernier/base/temporary_folder.hpp"
#include "vernier/kernel/constrained/check.hpp"
#include "vernier/kernel/constrained/rotation.hpp"
#include "vernier/kernel/constrained/user_element.hpp"
#include "vernier/testing/allocations.hpp"

namespace vernier::constrained {
namespace {

using spatial::Vec3;

/// Reads everything a residual can read.
class Everything final : public DualElement<Everything, 18> {
 public:
  Everything() : DualElement(its_shape()) {}

  template <class T>
  void residual(const PointOf<T>& p, const ResidualOf<T>& r) const noexcept {
    using elementary::sin;
    const Vec3<T> d = p.node(0).R * Vec3<T>{T(0.1), T(0.2), T(-0.3)};
    const Vec3<T> psi = rotation_vector(transposed(p.node(0).R) * p.node(1).R);
    const Vec3<T> F = (p.node(1).x - p.node(0).x - d) * p.own(0) + p.node(1).v * p.algebraic(0);
    r.act(0, F, cross(d, F) + psi * p.scalar(0));
    r.act(1, -F, cross(p.node(0).omega, p.node(1).omega) * sin(p.own(1)));
    r.scalar(0) = p.scalar_rate(0) * p.own_rate(0) + p.scalar(0) * p.drive(0).value;
    r.own(0) = p.own_rate(0) + dot(F, psi) + p.own(1) * p.own(1);
    r.own(1) = p.own_rate(1) * p.own(0) - p.scalar(0) * p.time();
    r.algebraic(0) = dot(d, p.node(1).v) + p.algebraic(0) * p.algebraic(0);
  }
  template <class T>
  void momenta(const PointOf<T>& p, const ResidualOf<T>& r) const noexcept {
    r.node(0, 1) += p.node(1).v.x * p.own(0);
    r.own(0) += p.own_rate(0) * p.own(1) + p.node(0).omega.z;
  }

 private:
  static Shape its_shape() {
    Shape s;
    s.nodes = {0, 1};
    s.scalars = {0};
    s.drives = {0};
    s.coordinates = 1;
    s.differential = 1;
    s.algebraic = 1;
    s.inertial = true;
    return s;
  }
};

TEST(DualElement, HasTheExactJacobian) {
  const Everything e;
  for (unsigned seed = 1; seed < 6; ++seed) {
    const Deviation d = check_jacobian(e, seed, {});
    EXPECT_LT(d.error, 1e-6) << d.what << " row " << d.row << " column " << d.column;
  }
}

TEST(DualElement, DoesNotAllocate) {
  const Everything e;
  const std::array<NodeState, 2> nodes = {
      NodeState{{}, spatial::identity3<double>(), {}, {}},
      NodeState{{1.0, 0.0, 0.0}, spatial::identity3<double>(), {}, {}}};
  const std::array<Matrix3, 2> turns = {spatial::identity3<double>(), spatial::identity3<double>()};
  const int numbers[] = {0, 1};
  const double values[] = {1.0, 2.0};
  const DriveState drive{};
  Point p;
  p.node_states = nodes.data(), p.node_turns = turns.data(), p.nodes = numbers;
  p.scalar_values = p.scalar_rates = p.own = p.own_rates = p.own_algebraic = values;
  p.scalars = p.drives = numbers, p.drive_states = &drive;
  std::array<double, 16> r{};
  std::array<double, 256> J{};
  const long before = testing::allocations();
  e.evaluate(p, {r.data(), J.data(), 16});
  EXPECT_EQ(testing::allocations(), before);
}

class TooLarge final : public DualElement<TooLarge, 6> {
 public:
  TooLarge()
      : DualElement([] {
          Shape s;
          s.nodes = {0, 1};
          return s;
        }()) {}
  template <class T>
  void residual(const PointOf<T>&, const ResidualOf<T>&) const noexcept {}
};

TEST(DualElement, RefusesAShapeItHasNoRoomFor) { EXPECT_THROW(TooLarge(), std::invalid_argument); }

// -- shared objects that are none, or wrong ------------------------------------------------------

std::filesystem::path compiled(const std::string& name, const std::string& code) {
  static const TemporaryFolder folder;
  const auto source = folder / (name + ".c"), object = folder / (name + ".so");
  std::ofstream(source) << code;
  const std::string command =
      "cc -fPIC -shared -o '" + object.string() + "' '" + source.string() + "'";
  EXPECT_EQ(std::system(command.c_str()), 0);
  return object;
}

std::string refused(const std::filesystem::path& path) {
  try {
    std::vector<std::filesystem::path> trusted;
    if (std::filesystem::exists(path)) trusted.push_back(path);
    const UserElements loaded(path, *code_of(trusted));
  } catch (const ConfigurationError& e) {
    const Diagnostic& d = e.diagnostics().list().front();
    EXPECT_EQ(d.code, "V1717");
    EXPECT_NE(d.message.find(path.string()), std::string::npos);
    return d.message;
  }
  ADD_FAILURE() << path << " was loaded";
  return {};
}

TEST(UserElements, RefusesSharedObjectsByNameAndRemedy) {
  EXPECT_NE(refused("/nowhere/x.so").find("No such file"), std::string::npos);
  EXPECT_NE(refused(compiled("empty", "int nothing;")).find("VERNIER_ELEMENTS"), std::string::npos);
  const std::string layout = std::to_string(element_interface_layout());
  const auto list = [](const std::string& what) {
    return "static struct { unsigned version, layout; const void* kinds; unsigned long count; } l "
           "= {" +
           what + "}; const void* vernier_elements(void) { return &l; }";
  };
  EXPECT_NE(refused(compiled("version", list("7, 0, 0, 0")))
                .find("version 7 of the element interface, this program has version 1"),
            std::string::npos);
  EXPECT_NE(refused(compiled("layout", list("1, 5, 0, 0"))).find("compiler"), std::string::npos);
  EXPECT_NE(refused(compiled("none", list("1, " + layout + ", 0, 0"))).find("lists 0 kinds"),
            std::string::npos);
  EXPECT_NE(refused(compiled("null", "const void* vernier_elements(void) { return 0; }"))
                .find("for version 0 of the element interface"),
            std::string::npos);
}

}  // namespace
}  // namespace vernier::constrained
