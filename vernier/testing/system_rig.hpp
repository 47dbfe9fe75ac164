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

/// A system with a point of its own: states start at their initial values, inputs at their defaults
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
  /// Outputs, derivatives and guards at the point as it is now.
  std::vector<double> out(std::string_view output);
  std::vector<double> rate(std::string_view state);
  std::vector<double> guards();

  /// Takes enabled transitions until there are none, at most 100; returns their names. `present`
  /// names the events of the first round.
  std::vector<std::string> react(const std::vector<std::string>& present = {});
  /// One step of the classical Runge-Kutta method; inputs held. Normalises unit vectors.
  void step(double h);

  hybrid::Point point() const { return {t, x, mode, u, p}; }
  hybrid::Workspace& workspace() { return *work_; }
  const hybrid::System& system() const { return system_; }

 private:
  const hybrid::System& system_;
  std::unique_ptr<hybrid::Workspace> work_;
};

/// The promises every system makes, checked at the rig's point: outputs depend on the declared
/// inputs only, tangent() agrees with differences (relative to the largest element of each signal,
/// the rest being `tolerance`; derivatives below `rounding` are that of the differences), nothing
/// allocates, the same point gives the same values, lanes have the bits of single calls,
/// also in several blocks, an output that is wanted alone those of a call for all, and jacobian()
/// has all derivatives.
void expect_conforming(SystemRig&, double tolerance = 1e-6, double rounding = 0.0);

/// A system of a type with the named parameters adjustable: it keeps the promises above, and has
/// the bits of the same system with all of them fixed. `drive` gives state, inputs and time.
void expect_adjustable(const Type&, const std::map<std::string, std::string>& texts,
                       const std::vector<std::string>& names,
                       const std::function<void(SystemRig&)>& drive, double tolerance = 1e-6,
                       double rounding = 0.0);

/// A system of a type, from parameters as a document would write them. Throws ConfigurationError.
std::unique_ptr<hybrid::System> made_system(const Type&,
                                            const std::map<std::string, std::string>& = {});
std::unique_ptr<Component> made_component(const Type&,
                                          const std::map<std::string, std::string>& = {},
                                          std::uint64_t seed = 1);

}  // namespace vernier::testing
