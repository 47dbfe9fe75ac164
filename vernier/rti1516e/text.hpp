#pragma once

#include <string>
#include <string_view>

namespace vernier::hla {

/// UTF-8 to and from the wide text of the standard interface. Invalid input becomes U+FFFD.
std::wstring wide(std::string_view utf8);
std::string narrow(std::wstring_view);

}  // namespace vernier::hla
