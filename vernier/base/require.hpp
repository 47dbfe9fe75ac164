#pragma once

#include <cstdio>
#include <cstdlib>

namespace vernier {

/// Stops the process unless `holds`, naming the place. For programming errors, never for bad input;
/// always compiled in.
// The built-in functions are those that std::source_location uses, which clang 14 lacks.
constexpr void require(bool holds, const char* file = __builtin_FILE(), int line = __builtin_LINE(),
                       const char* function = __builtin_FUNCTION()) {
  if (holds) return;
  std::fprintf(stderr, "%s:%d: broken promise in %s\n", file, line, function);
  std::abort();
}

}  // namespace vernier
