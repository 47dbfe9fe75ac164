#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "vernier/kernel/expression/expression.hpp"

namespace vernier::expression {

/// Several terms compiled together to a register bytecode. The bytecode defines the result: every
/// back end computes the same bits. (NaN counts as one value: its sign and payload may differ.)
///
/// A program is immutable: any number of threads may run it, each with its own working memory.
/// Inputs, outputs and working memory must not overlap. Running allocates nothing.
class Program {
 public:
  /// `inputs` is the number of symbols. `for_lanes` also makes machine code for run_lanes():
  /// compiling takes twice as long, and lanes run several times faster than by the bytecode.
  Program(const Graph&, std::span<const Term> outputs, std::size_t inputs, bool for_lanes = false);

  std::size_t inputs() const noexcept;
  std::size_t outputs() const noexcept;
  /// Doubles of working memory that run() needs.
  std::size_t work() const noexcept;

  /// Interprets the bytecode.
  void interpret(const double* in, double* out, double* work) const noexcept;
  /// Runs machine code if the processor is supported, otherwise the bytecode.
  void run(const double* in, double* out, double* work) const noexcept;
  bool machine_code() const noexcept;

  /// Evaluates 8 states at once: element i of lane l is at in[i][l] and out[i*8 + l]; `work` has 8
  /// times work() doubles. Uses machine code if it was made for lanes, otherwise the bytecode.
  static constexpr int lanes = 8;
  void run_lanes(const double* const* in, double* out, double* work) const noexcept;

 private:
  struct Code;
  std::shared_ptr<const Code> code_;  // shared between copies of a system
};

/// Enables or disables machine code for programs that are compiled later (for tests).
void allow_machine_code(bool) noexcept;

}  // namespace vernier::expression
