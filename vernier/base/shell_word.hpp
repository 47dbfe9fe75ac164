#pragma once

#include <string>
#include <string_view>

namespace vernier {

/// One word of a POSIX shell, in quotes where needed, for commands that messages advise: a file
/// name from a document must not become a command when it is pasted. Control characters, which
/// cannot be pasted, become '?'.
std::string shell_word(std::string_view);

}  // namespace vernier
