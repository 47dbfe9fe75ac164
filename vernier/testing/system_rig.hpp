#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "vernier/component/catalogue.hpp"
#include "vernier/kernel/hybrid/system.hpp"

namespace vernier::testing {

/// A system with its own point: states start at their initial values, inputs at their defaults
/// (zero without).
class SystemRig {
 public:
  explicit SystemRig(const hybrid::System&);
  SystemRig(const SystemRig&);

  double t = 0.0;
  std::vector<double> x, u, p;
  std::vector<int> mode;

  std::span<double> in(std::string_view input);
  std::span<double> state(std::string_view);
  /// Outputs, derivatives and guards at the current point.
  std::vector<double> out(std::string_view output);
  std::vector<double> rate(std::string_view state);
  std::vector<double> guards();

  /// Takes enabled transitions until there are none, at most 100; returns their names. `present`
  /// names the events of the first round.
  std::vector<std::string> react(const std::vector<std::string>& present = {});
  /// One step of the classical Runge-Kutta method with constant inputs. Normalizes unit vectors.
  void step(double h);

  hybrid::Point point() const { return {t, x, mode, u, p}; }
  hybrid::Workspace& workspace() { return *work_; }
  const hybrid::System& system() const { return system_; }

 private:
  const hybrid::System& system_;
  std::unique_ptr<hybrid::Workspace> work_;
};

/// Checks the contract of every system at the rig's point: outputs depend only on the declared
/// inputs; tangent() agrees with differences (relative to the largest element of each signal,
/// within `tolerance`; derivatives below `rounding` are rounding errors of the differences);
/// nothing allocates; the same point gives the same values; lanes give the bits of single calls,
/// also in several blocks; an output requested alone has the bits of a call for all; and jacobian()
/// has all derivatives.
void expect_conforming(SystemRig&, double tolerance = 1e-6, double rounding = 0.0);

/// A system of a type with the named parameters adjustable: it satisfies the contract above, and
/// gives the bits of the same system with all of them fixed. `drive` sets state, inputs and time.
void expect_adjustable(const Type&, const std::map<std::string, std::string>& texts,
                       const std::vector<std::string>& names,
                       const std::function<void(SystemRig&)>& drive, double tolerance = 1e-6,
                       double rounding = 0.0);

/// A system of a type, from parameters as written in a document. Throws ConfigurationError.
std::unique_ptr<hybrid::System> made_system(const Type&,
                                            const std::map<std::string, std::string>& = {});
std::unique_ptr<Component> made_component(const Type&,
                                          const std::map<std::string, std::string>& = {},
                                          std::uint64_t seed = 1);

}  // namespace vernier::testing
