#include "vernier/run/plot/detail/utf8.hpp"

#include <cstddef>

namespace vernier::plot {

std::u32string characters(std::string_view s) {
  constexpr char32_t unknown = U'\uFFFD';
  std::u32string out;
  for (std::size_t i = 0; i < s.size();) {
    const auto lead = static_cast<unsigned char>(s[i]);
    const int more = lead < 0x80       ? 0
                     : lead >> 5 == 6  ? 1
                     : lead >> 4 == 14 ? 2
                     : lead >> 3 == 30 ? 3
                                       : -1;
    char32_t c = more < 0 ? unknown : more == 0 ? lead : lead & (0x3Fu >> more);
    ++i;
    for (int k = 0; k < more; ++k, ++i) {
      const unsigned next = i < s.size() ? static_cast<unsigned char>(s[i]) : 0u;
      if ((next & 0xC0u) != 0x80u) {
        c = unknown;
        break;
      }
      c = c << 6 | (next & 0x3Fu);
    }
    const bool overlong =
        (more == 1 && c < 0x80) || (more == 2 && c < 0x800) || (more == 3 && c < 0x10000);
    const bool allowed = c >= 0x20 && c != 0x7F && c < 0x110000 && !(c >= 0xD800 && c < 0xE000) &&
                         (c & 0xFFFEu) != 0xFFFEu;
    out += overlong || !allowed ? unknown : c;
  }
  return out;
}

}  // namespace vernier::plot
