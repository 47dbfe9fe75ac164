#include "vernier/kernel/machine/executable.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <utility>

namespace vernier::machine {
namespace {

std::size_t whole_pages(std::size_t size) noexcept {
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  return (size + page - 1) / page * page;
}

}  // namespace

Executable::Executable(std::span<const std::uint8_t> image) noexcept
    : size_(whole_pages(image.size())) {
  void* memory = mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return;
  std::memcpy(memory, image.data(), image.size());
  if (mprotect(memory, size_, PROT_READ | PROT_EXEC) != 0) {
    munmap(memory, size_);
    return;
  }
  memory_ = memory;
}

Executable::Executable(Executable&& from) noexcept
    : memory_(std::exchange(from.memory_, nullptr)), size_(from.size_) {}

Executable& Executable::operator=(Executable&& from) noexcept {
  std::swap(memory_, from.memory_);
  std::swap(size_, from.size_);
  return *this;
}

Executable::~Executable() {
  if (memory_ != nullptr) munmap(memory_, size_);
}

}  // namespace vernier::machine
