#pragma once

#include <cstdio>
#include <cstdlib>
#include <source_location>

namespace vernier {

/// Stops the node unless `holds`, naming the place. For mistakes of ours, never for bad input;
/// compiled in always.
constexpr void require(bool holds,
                       const std::source_location& at = std::source_location::current()) {
  if (holds) return;
  std::fprintf(stderr, "%s:%u: broken promise in %s\n", at.file_name(), at.line(),
               at.function_name());
  std::abort();
}

}  // namespace vernier
