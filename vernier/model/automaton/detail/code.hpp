#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "vernier/base/fault.hpp"
#include "vernier/kernel/expression/program.hpp"
#include "vernier/kernel/hybrid/system.hpp"
#include "vernier/model/automaton/detail/diagnosis.hpp"
#include "vernier/model/automaton/detail/equations.hpp"
#include "vernier/model/automaton/detail/model.hpp"

namespace vernier::automaton::detail {

using expression::Program;

/// A compiled transition.
struct TransitionCode {
  int number = 0;  // in the spec
  int to = 0;
  std::size_t in = Transition::none;  // event
  std::vector<std::size_t> out;       // events
  std::size_t condition =
      Transition::none;  // index among the conditions of its location; none: always true
  std::size_t first_side = 0, sides = 0;  // its comparisons in `actions`, two outputs each
  std::vector<expression::Operation> comparisons;
  std::vector<std::size_t> states;  // states that it resets
  std::size_t first_value = 0;      // their new values in `actions`
};

struct OutputPrograms {
  std::optional<Program> values, tangent;
};

/// Programs of (x, u, p), and their derivatives as programs of (x, u, p) and a direction. Nothing
/// if there is nothing to compute.
struct LocationCode {
  OutputPrograms output;
  std::optional<Program> flow, guards, conditions;
  std::optional<Program>
      undecided;  // the conditions; for each whether a comparison with NaN decides it
  std::optional<Program> actions;  // both sides of each comparison, and the values of all resets
  std::optional<Program> flow_tangent, guards_tangent;
  std::size_t guard_count = 0;
  std::vector<TransitionCode> transitions;  // in the order they are tried
};

/// Programs for a subset of the outputs, by location; other elements are not written.
struct OutputCode {
  std::vector<OutputPrograms> locations;
  std::size_t work = 0;  // as SystemSpec::work
};

struct Code;

/// Code that not every use of a model needs, compiled on first use.
class FurtherCode {
 public:
  using Compile = std::function<std::shared_ptr<const Code>()>;
  using CompileOutputs =
      std::function<std::shared_ptr<const OutputCode>(hybrid::OutputSet, bool for_lanes)>;
  /// As diagnose() in diagnosis.hpp.
  using Diagnose = std::function<bool(std::size_t location, Suspect, std::size_t transition,
                                      std::span<const double> point, Fault&)>;
  FurtherCode(Compile lanes, CompileOutputs outputs, Diagnose diagnose)
      : compile_(std::move(lanes)),
        compile_outputs_(std::move(outputs)),
        diagnose_(std::move(diagnose)) {}

  /// All programs, including those for lanes.
  std::shared_ptr<const Code> lanes() const;
  std::shared_ptr<const OutputCode> outputs(hybrid::OutputSet, bool for_lanes) const;
  bool diagnose(std::size_t location, Suspect suspect, std::size_t transition,
                std::span<const double> point, Fault& fault) const {
    return diagnose_(location, suspect, transition, point, fault);
  }

 private:
  Compile compile_;
  CompileOutputs compile_outputs_;
  Diagnose diagnose_;
  mutable std::mutex mutex_;
  mutable std::shared_ptr<const Code> lanes_;
  mutable std::map<std::pair<hybrid::OutputSet, bool>, std::shared_ptr<const OutputCode>> outputs_;
};

/// A compiled model: immutable, shared by all instances with the same constants.
struct Code {
  hybrid::SystemSpec spec;                 // with the document's initial values
  std::size_t n = 0, m = 0, q = 0, p = 0;  // sizes of x, u, p and y
  std::vector<LocationCode> locations;
  std::vector<std::size_t> place_of;  // by transition of the spec: its index in its location
  std::vector<std::vector<std::size_t>> inactive_states, inactive_outputs;  // by location; signals
  std::shared_ptr<const FurtherCode> further;

  /// Number of elements of a point that programs read.
  std::size_t inputs() const noexcept { return n + m + q; }
};

/// `constants` provides the initial values of adjustable ones. `for_lanes`: programs can run in
/// lanes.
std::shared_ptr<Code> compile(const Model&, Equations, std::span<const double> constants,
                              const Adjustable&, bool for_lanes);
std::shared_ptr<OutputCode> compile_outputs(const Model&, Equations,
                                            std::span<const double> constants, const Adjustable&,
                                            hybrid::OutputSet, bool for_lanes);

}  // namespace vernier::automaton::detail
