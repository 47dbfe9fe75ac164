#include "vernier/kernel/constrained/element.hpp"

#include "vernier/base/require.hpp"

namespace vernier::constrained {

void Element::momentum(const Point&, const Contribution&) const noexcept {
  require(false);  // an inertial element must override this
}

void Element::held_forces(const Point&, std::span<Wrench>) const noexcept {
  require(false);  // an element with held inputs must override this
}

void Element::begin(const Point&, std::span<double>) const noexcept {}

bool Element::accept(const Point&, std::span<double>) const noexcept { return false; }

void Element::measure(const Point&, std::span<double>) const noexcept {}

double Element::energy(const Point&) const noexcept { return 0.0; }

}  // namespace vernier::constrained
