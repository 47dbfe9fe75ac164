#pragma once

#include <cstddef>
#include <new>
#include <vector>

namespace vernier::hybrid {

/// Memory aligned to 64 bytes: a load or store of eight lanes never touches two cache lines.
template <class T>
struct LaneAllocator {
  using value_type = T;
  static constexpr std::align_val_t alignment{64};

  LaneAllocator() = default;
  template <class U>
  explicit LaneAllocator(const LaneAllocator<U>&) noexcept {}
  T* allocate(std::size_t count) {
    return static_cast<T*>(::operator new(count * sizeof(T), alignment));
  }
  void deallocate(T* p, std::size_t) noexcept { ::operator delete(p, alignment); }
  bool operator==(const LaneAllocator&) const = default;
};

/// Numbers in lanes (system.hpp).
using LaneVector = std::vector<double, LaneAllocator<double>>;

}  // namespace vernier::hybrid
