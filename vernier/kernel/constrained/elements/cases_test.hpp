#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "vernier/kernel/constrained/check.hpp"

namespace vernier::constrained {

/// An element, and where it is checked.
struct Case {
  std::shared_ptr<const Element> element;
  Surroundings around = {};
  bool free = false;     // all is between nodes: forces sum up to nothing, and turn with the nodes
  bool elastic = false;  // at rest its forces are the slopes of its energy
  bool points = false;   // its first constraints are those of points that coincide, global axes
};
using Cases = std::map<std::string, std::vector<Case>>;

/// Every kind of element, by name. A new one joins with a line in cases_test.cpp.
const Cases& cases();

}  // namespace vernier::constrained
