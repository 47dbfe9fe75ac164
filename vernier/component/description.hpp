#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "vernier/base/time.hpp"

namespace vernier {

/// How a signal's elements are stored: double, std::int64_t, std::uint8_t (0 or 1), std::uint8_t.
enum class Scalar : std::uint8_t { real, integer, boolean, byte };

/// As formats and messages call it: "real".
const char* name_of(Scalar) noexcept;

/// signal: the last value, held until replaced.
/// event: stored as the count of its occurrences, so that an event is never lost between two ticks
///        of a slow receiver and needs no clearing. Scalar integer, one element.
/// stream: a bounded queue of stamped messages.
enum class Flow : std::uint8_t { signal, event, stream };
const char* name_of(Flow) noexcept;

struct Port {
  std::string name;
  std::string unit = "1";   // SI; connections between different dimensions are refused
  std::string frame = {};   // axes of the elements; different frames are refused too
  std::uint32_t count = 1;  // elements: 3 for a vector, 9 for a matrix, row by row
  Scalar scalar = Scalar::real;
  Flow flow = Flow::signal;
  std::optional<std::vector<double>> initial = {};  // an input's value while not connected;
                                                    // without it, it must be connected
  std::string description = {};
  bool state = false;  // of an output: a state of the equations, to be watched only. It cannot be
                       // connected, and setting it would not change the equations
  std::uint32_t capacity = 64;        // stream: messages
  std::uint32_t message_bytes = 256;  // stream: the largest message
  std::vector<double> noise = {};     // output: standard deviation of one reading, by element; for
                                      // filters and studies; empty: none
};

/// `output` depends on `input` at the same instant. Pairs that are not listed are independent.
struct Feedthrough {
  std::string output;
  std::string input;
};

struct Abilities {
  bool rewinds = true;       // load(save()) restores the state exactly
  bool predicts = false;     // horizon() knows the time of the next event
  bool faces_world = false;  // bound to the wall clock: hardware, sockets, operators
  bool reacts = false;       // react() has an effect: the component has events or modes
  bool stops_early = false;  // advance() may return before `to`, at an event others must see
  bool dense = false;        // sample() gives the outputs at any time of the last advance()
  bool constant = false;     // the outputs never change after the start
};

/// Everything known about a component before it runs.
struct Description {
  std::vector<Port> inputs;  // a tunable parameter is an input with a default
  std::vector<Port> outputs;
  std::vector<Feedthrough> feedthrough;
  Rate rate;  // none: continuous, advanced at every instant of the run
  Abilities abilities;
  std::size_t state_bytes = 0;
  /// What is not known because native code was not loaded, as a sentence; empty: nothing. Such a
  /// component cannot be run (NotLoaded).
  std::string unchecked = {};
  bool more_outputs = false;  // then also: it has outputs whose names are not known
};

}  // namespace vernier
