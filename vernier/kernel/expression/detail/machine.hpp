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

/// Functions compiled at run time, in executable memory.
class MachineCode {
 public:
  using Function = void (*)(const double* in, double* out, double* work);
  using LaneFunction = void (*)(const double* const* in, double* out, double* work);

  /// Offsets of the functions in the image. The image starts with constants, so lanes = 0 means
  /// that there is no function for lanes.
  struct Entries {
    std::size_t scalar, lanes;
  };

  /// Allocates whole pages; check ready().
  MachineCode(std::span<const std::uint8_t> image, Entries, std::size_t work) noexcept;

  /// Whether the operating system provided executable memory.
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

/// Compiles in one pass over the values. Null if the processor is not supported, the program is too
/// large for 32-bit displacements, or executable memory is refused.
std::unique_ptr<const MachineCode> machine_code(const Values&, std::span<const Term> outputs,
                                                bool for_lanes);

}  // namespace vernier::expression::detail
