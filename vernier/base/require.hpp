#pragma once

#include <cstdio>
#include <cstdlib>

namespace vernier {

/// Stops the node unless `holds`, naming the place. For mistakes of ours, never for bad input;
/// compiled in always.
// The built-in functions are those behind std::source_location, which clang 14 does not have yet.
constexpr void require(bool holds, const char* file = __builtin_FILE(), int line = __builtin_LINE(),
                       const char* function = __builtin_FUNCTION()) {
  if (holds) return;
  std::fprintf(stderr, "%s:%d: broken promise in %s\n", file, line, function);
  std::abort();
}

}  // namespace vernier
