#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace vernier::executive::detail {

/// One transfer into an input that does not simply alias an output.
struct Transfer {
  enum class Kind : std::uint8_t { set_real, add_real, set_integer, add_integer, set_byte };
  void* to = nullptr;
  const void* from = nullptr;
  double gain = 1.0;  // reals
  std::uint32_t count = 1;
  Kind kind = Kind::set_real;
};

inline void run(const Transfer& t) noexcept {
  const auto each = [&t](auto* to, const auto* from, auto what) {
    for (std::uint32_t i = 0; i < t.count; ++i) what(to[i], from[i]);
  };
  switch (t.kind) {
    case Transfer::Kind::set_real:
      return each(static_cast<double*>(t.to), static_cast<const double*>(t.from),
                  [&t](double& a, double b) { a = t.gain * b; });
    case Transfer::Kind::add_real:
      return each(static_cast<double*>(t.to), static_cast<const double*>(t.from),
                  [&t](double& a, double b) { a += t.gain * b; });
    case Transfer::Kind::set_integer:
      return each(static_cast<std::int64_t*>(t.to), static_cast<const std::int64_t*>(t.from),
                  [](std::int64_t& a, std::int64_t b) { a = b; });
    case Transfer::Kind::add_integer:
      // unsigned, so that sums of counts wrap around instead of being undefined
      return each(static_cast<std::uint64_t*>(t.to), static_cast<const std::uint64_t*>(t.from),
                  [](std::uint64_t& a, std::uint64_t b) { a += b; });
    case Transfer::Kind::set_byte:
      std::memcpy(t.to, t.from, t.count);
      return;
  }
}

inline void run(std::span<const Transfer> program) noexcept {
  for (const Transfer& t : program) run(t);
}

}  // namespace vernier::executive::detail
