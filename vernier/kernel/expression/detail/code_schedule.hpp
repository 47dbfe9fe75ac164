#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "vernier/kernel/expression/detail/values.hpp"

namespace vernier::expression::detail {

/// The steps of the machine code in order, and the steps that use each value. It is made once and
/// translated up to twice: for one state and for lanes.
class CodeSchedule {
 public:
  static constexpr std::uint32_t never = std::numeric_limits<std::uint32_t>::max();

  struct Step {
    Operation operation;
    std::uint32_t value;
    std::uint32_t operand[4];
    int operands;
    // A select by a comparison: the operands of the comparison come first, and no truth value is
    // computed.
    bool compares = false;
    Operation comparison = Operation::less;
  };

  CodeSchedule(const Values&, std::span<const Term> outputs);

  const std::vector<Step>& steps() const noexcept { return steps_; }
  /// Steps that use a value, ascending.
  std::span<const std::uint32_t> uses(std::uint32_t value) const {
    return {&uses_[first_use_[value]], first_use_[value + 1] - first_use_[value]};
  }
  /// The outputs that a value is written to.
  std::span<const std::uint32_t> outputs(std::uint32_t value) const {
    return {&outputs_[first_output_[value]], first_output_[value + 1] - first_output_[value]};
  }
  /// Whether library functions are called.
  bool calls() const noexcept { return calls_; }

 private:
  std::vector<Step> steps_;
  std::vector<std::uint32_t> uses_, first_use_, outputs_, first_output_;
  bool calls_ = false;
};

}  // namespace vernier::expression::detail
