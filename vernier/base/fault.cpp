#include "vernier/base/fault.hpp"

#include <cstdarg>
#include <cstdio>

namespace vernier {

void Fault::set(Category what, const char* number, const char* format, ...) noexcept {
  category = what;
  std::snprintf(code, sizeof code, "%s", number);
  subject[0] = '\0';
  std::va_list arguments;
  va_start(arguments, format);
  // the analyzer does not see va_start
  std::vsnprintf(text, sizeof text, format, arguments);  // NOLINT(clang-analyzer-valist*)
  va_end(arguments);
}

}  // namespace vernier
