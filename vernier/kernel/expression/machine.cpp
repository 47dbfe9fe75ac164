#include "vernier/kernel/expression/detail/machine.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <cstring>

#include "vernier/kernel/expression/detail/translator.hpp"

namespace vernier::expression::detail {
namespace {

// Beyond this, distances no longer fit into the instructions.
constexpr std::size_t most_values = 4'000'000;

std::size_t whole_pages(std::size_t size) noexcept {
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  return (size + page - 1) / page * page;
}

}  // namespace

MachineCode::MachineCode(std::span<const std::uint8_t> image, Entries at, std::size_t work) noexcept
    : size_(whole_pages(image.size())), work_(work) {
  void* memory = mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return;
  std::memcpy(memory, image.data(), image.size());
  if (mprotect(memory, size_, PROT_READ | PROT_EXEC) != 0) {
    munmap(memory, size_);
    return;
  }
  memory_ = memory;
  auto* base = static_cast<std::uint8_t*>(memory);
  scalar_ = reinterpret_cast<Function>(base + at.scalar);
  if (at.lanes != 0) lanes_ = reinterpret_cast<Function>(base + at.lanes);
}

MachineCode::~MachineCode() {
  if (memory_ != nullptr) munmap(memory_, size_);
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
  const Plan plan(values, outputs);
  const Pool pool(values, for_lanes);
  std::vector<std::uint8_t> image = pool.bytes;
  const auto append = [&](const std::vector<std::uint8_t>& code) {
    image.insert(image.end(), code.begin(), code.end());
    while (image.size() % 64 != 0) image.push_back(0xcc);  // traps if ever reached
  };
  MachineCode::Entries at{image.size(), 0};
  const Translator one(values, plan, pool, false, at.scalar);
  append(one.bytes());
  if (for_lanes) {
    at.lanes = image.size();
    append(Translator(values, plan, pool, true, at.lanes).bytes());
  }
  auto code = std::make_unique<const MachineCode>(image, at, one.slots());
  if (!code->ready()) return nullptr;
  return code;
}

}  // namespace vernier::expression::detail
