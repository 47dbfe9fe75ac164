#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "vernier/kernel/expression/expression.hpp"

namespace vernier::expression {

/// Several terms compiled together to a register bytecode, which is the reference of what they
/// mean: every back end computes the same bits. (NaN is one value: its sign and payload may
/// differ.)
///
/// Immutable: any number of threads may run one program, each with its own working memory. Inputs,
/// outputs and working memory must not overlap. Nothing is allocated while running.
class Program {
 public:
  /// `inputs`: how many symbols there are. `for_lanes`: makes machine code for run_lanes() too,
  /// which takes as long again, and is then several times faster than lanes by the bytecode.
  Program(const Graph&, std::span<const Term> outputs, std::size_t inputs, bool for_lanes = false);

  std::size_t inputs() const noexcept;
  std::size_t outputs() const noexcept;
  /// Doubles of working memory that run() needs.
  std::size_t work() const noexcept;

  /// By the bytecode.
  void interpret(const double* in, double* out, double* work) const noexcept;
  /// By machine code where the processor is known, else by the bytecode.
  void run(const double* in, double* out, double* work) const noexcept;
  bool machine_code() const noexcept;

  /// 8 states at once: element i of lane l is at in[i][l] and out[i*8 + l]; work is 8 times work().
  /// By machine code where it was made for lanes, else by the bytecode.
  static constexpr int lanes = 8;
  void run_lanes(const double* const* in, double* out, double* work) const noexcept;

 private:
  struct Code;
  std::shared_ptr<const Code> code_;  // shared: programs are copied with the systems that hold them
};

/// Switches machine code off for programs compiled from now on (tests, other processors).
void allow_machine_code(bool) noexcept;

}  // namespace vernier::expression
