#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "vernier/kernel/hybrid/system.hpp"

namespace vernier::hybrid {

/// A system that is part of a composition.
struct Part {
  std::string name;  // qualifies its signals and automata: "plant.omega"; empty: as they are
  std::unique_ptr<System> system;
  std::map<std::string, std::string> events = {};  // its label -> that of the composition; others
                                                   // keep their label
  /// Its label -> further labels of the composition that it receives as this one. So a part can
  /// react to events of any other part without a common label.
  std::map<std::string, std::vector<std::string>> hears = {};
};

/// Elements [first, first + count) of a signal of a part, or of the composition itself.
struct End {
  static constexpr std::uint32_t all = std::numeric_limits<std::uint32_t>::max();
  static constexpr std::size_t outside = std::numeric_limits<std::size_t>::max();

  std::size_t part = outside;
  std::string signal;
  std::uint32_t first = 0;
  std::uint32_t count = all;  // all: to the end
};

/// One block of the matrix M: from an output of a part, or an input of the composition, to an input
/// of a part, or an output of the composition. Wires to the same elements add up.
struct MatrixBlock {
  End from, to;
  double gain = 1.0;
};

/// The inputs and outputs of the composition in addition to those of its parts.
struct Outside {
  std::vector<Signal> inputs;
  std::vector<Signal> outputs;
};

/// The parallel composition of systems, which is a system again:
///
///   [u_1 … u_N; y] = M [y_1 … y_N; u],   x = [x_1 … x_N],   an automaton for each of the parts'
///
/// Transitions, resets and guards act part by part; a part sees the labels it has, and those that
/// it hears as one of them.
///
/// states   those of the parts, "part.signal"
/// inputs   those of `outside`, then inputs of parts without any wire, "part.signal", which keep
///          their initial value
/// outputs  all outputs of parts, "part.signal", then those of `outside`
/// events   the labels of all parts
///
/// Elements of an input that no wire reaches while others of it are wired keep their initial value.
/// Throws ConfigurationError for names and sizes that do not fit, an output of `outside` without a
/// wire, and an algebraic loop (V2110, with the chain of its signals as body).
std::unique_ptr<System> compose(std::vector<Part> parts, std::span<const MatrixBlock> wires,
                                const Outside& outside = {});

}  // namespace vernier::hybrid
