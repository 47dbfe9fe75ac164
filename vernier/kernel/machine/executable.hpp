#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace vernier::machine {

/// Machine code generated at run time, in memory that is executable and no longer writable.
class Executable {
 public:
  Executable() noexcept = default;
  /// Allocates whole pages; check ready().
  explicit Executable(std::span<const std::uint8_t> image) noexcept;
  Executable(Executable&&) noexcept;
  Executable& operator=(Executable&&) noexcept;
  ~Executable();

  /// Whether the operating system provided the memory.
  bool ready() const noexcept { return memory_ != nullptr; }
  /// The function that begins at this byte of the image.
  template <class Function>
  Function at(std::size_t offset) const noexcept {
    return reinterpret_cast<Function>(static_cast<std::uint8_t*>(memory_) + offset);
  }

 private:
  void* memory_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace vernier::machine
