#pragma once

#include <string>
#include <vector>

#include "vernier/base/diagnostic.hpp"

namespace vernier {

/// The discrete part of a type, as its author wrote it: for people who look at it.
struct StateMachine {
  struct Location {
    std::string name;
    Place place;
  };
  struct Transition {
    std::string name, from, to;
    std::string label;      // the event that it waits for; empty: none
    std::string emits;      // the events that it sends, separated by ", "
    std::string condition;  // empty: none
    std::string reset;      // "f = gauss*b/pole; x = 0"; empty: nothing but the location changes
    Place place;
  };
  std::vector<Location> locations;
  std::vector<Transition> transitions;  // in the order in which they are tried
  std::string initial;
};

}  // namespace vernier
