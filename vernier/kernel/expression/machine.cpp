#include "vernier/kernel/expression/detail/machine.hpp"

#include "vernier/base/instructions.hpp"
#include "vernier/kernel/expression/detail/translator.hpp"

namespace vernier::expression::detail {
namespace {

// Beyond this, displacements no longer fit into the 32 bits of an instruction.
constexpr std::size_t most_values = 4'000'000;

}  // namespace

MachineCode::MachineCode(std::span<const std::uint8_t> image, Entries at, std::size_t work) noexcept
    : memory_(image), work_(work) {
  if (!memory_.ready()) return;
  scalar_ = memory_.at<Function>(at.scalar);
  if (at.lanes != 0) lanes_ = memory_.at<LaneFunction>(at.lanes);
}

std::unique_ptr<const MachineCode> machine_code(const Values& values, std::span<const Term> outputs,
                                                bool for_lanes) {
#if defined(__x86_64__)
  if (!__builtin_cpu_supports("avx")) return nullptr;
#else
  return nullptr;
#endif
  if (values.size() > most_values || outputs.size() > most_values) return nullptr;
  for (std::uint32_t v = 0; v < values.size(); ++v) {
    if (values.node(v).operation == Operation::symbol && values.node(v).symbol > most_values) {
      return nullptr;
    }
  }
  const CodeSchedule plan(values, outputs);
  const int width = !for_lanes ? 1 : chosen_instructions() == Instructions::avx512 ? 8 : 4;
  const Pool pool(values, width);
  std::vector<std::uint8_t> image = pool.bytes;
  const auto append = [&](const std::vector<std::uint8_t>& code) {
    image.insert(image.end(), code.begin(), code.end());
    while (image.size() % 64 != 0) image.push_back(0xcc);  // int3: traps if it is ever reached
  };
  MachineCode::Entries at{image.size(), 0};
  const Translator one(values, plan, pool, 1, at.scalar);
  append(one.bytes());
  if (for_lanes) {
    at.lanes = image.size();
    append(Translator(values, plan, pool, width, at.lanes).bytes());
  }
  auto code = std::make_unique<const MachineCode>(image, at, one.slots());
  if (!code->ready()) return nullptr;
  return code;
}

}  // namespace vernier::expression::detail
