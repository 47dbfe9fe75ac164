#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "vernier/kernel/hybrid/system.hpp"

namespace vernier::testing {

struct ExpectedEvent {
  double t;                // s
  std::string transition;  // empty: any
};

/// A hybrid system with known events: from closed forms evaluated in extended precision or, where
/// there is none, computed once with 30 digits.
struct AccuracyCase {
  std::string name;
  std::function<std::unique_ptr<hybrid::System>()> make;
  double until;  // s
  std::vector<ExpectedEvent> events;
  bool polynomial = false;               // flows are polynomials in time of degree at most 2
  std::vector<double> final_state = {};  // at `until`, where known
  // simultaneous events may occur in another order where bodies touch within rounding
  bool ties = false;
};

std::vector<AccuracyCase> accuracy_cases();
const AccuracyCase& accuracy_case(const std::string& name);

/// The plant, the relay and the counter of the composition example, separately.
std::unique_ptr<hybrid::System> make_plant();
std::unique_ptr<hybrid::System> make_relay();
std::unique_ptr<hybrid::System> make_counter();

}  // namespace vernier::testing
