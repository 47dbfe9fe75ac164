#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "vernier/kernel/expression/expression.hpp"
#include "vernier/kernel/machine/executable.hpp"

namespace vernier::expression::detail {

class Values;

/// Functions made while running.
class MachineCode {
 public:
  using Function = void (*)(const double* in, double* out, double* work);
  using LaneFunction = void (*)(const double* const* in, double* out, double* work);

  /// Where in an image the functions begin. Nothing stands at 0 but constants: no lanes.
  struct Entries {
    std::size_t scalar, lanes;
  };

  /// Takes whole pages; check ready().
  MachineCode(std::span<const std::uint8_t> image, Entries, std::size_t work) noexcept;

  /// Whether the operating system gave the memory.
  bool ready() const noexcept { return memory_.ready(); }
  /// Doubles of working memory; lanes need Program::lanes times as many.
  std::size_t work() const noexcept { return work_; }

  bool has_lanes() const noexcept { return lanes_ != nullptr; }

  void run(const double* in, double* out, double* work) const noexcept { scalar_(in, out, work); }
  void run_lanes(const double* const* in, double* out, double* work) const noexcept {
    lanes_(in, out, work);
  }

 private:
  machine::Executable memory_;
  std::size_t work_;
  Function scalar_ = nullptr;
  LaneFunction lanes_ = nullptr;
};

/// In one pass over the values. Null where the processor is another, the program is beyond all
/// measure, or executable memory is refused.
std::unique_ptr<const MachineCode> machine_code(const Values&, std::span<const Term> outputs,
                                                bool for_lanes);

}  // namespace vernier::expression::detail
