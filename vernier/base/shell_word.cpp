#include "vernier/base/shell_word.hpp"

namespace vernier {

std::string shell_word(std::string_view text) {
  constexpr std::string_view plain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:=+,@%";
  if (!text.empty() && text.find_first_not_of(plain) == text.npos && text.front() != '-')
    return std::string(text);
  // a word that begins with - would be an option
  std::string word = text.starts_with('-') ? "'./" : "'";
  for (const char c : text) {
    const bool control = static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
    word += c == '\'' ? "'\\''" : std::string(1, control ? '?' : c);
  }
  return word + "'";
}

}  // namespace vernier
