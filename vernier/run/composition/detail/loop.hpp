#pragma once

#include <string>
#include <vector>

#include "vernier/base/diagnostic.hpp"

namespace vernier::composition::detail {

/// A connection of an algebraic loop.
struct Hop {
  std::string from, to;
  Place place;
};

/// A line for each connection, with its place in the document.
std::vector<std::string> chain(const std::vector<Hop>&);

/// V2110: the chain of ports with the lines of their connections; the last one leads to the first.
void report_loop(const std::vector<Hop>&, Diagnostics&);

}  // namespace vernier::composition::detail
