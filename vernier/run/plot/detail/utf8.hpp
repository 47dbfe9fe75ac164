#pragma once

#include <string>
#include <string_view>

namespace vernier::plot {

/// The code points of a text; invalid UTF-8 and control characters become U+FFFD.
std::u32string characters(std::string_view utf8);

}  // namespace vernier::plot
