#include "apps/vernier/table.hpp"

#include <algorithm>

#include "vernier/base/text.hpp"

namespace vernier::app {

std::string padded(const std::string& text, std::size_t to) {
  const std::size_t w = width(text);
  return w < to ? text + std::string(to - w, ' ') : text;
}

std::string Table::text(std::string_view indent) const {
  std::vector<std::size_t> widths;
  for (const auto& r : rows_) {
    if (r.size() == 1) continue;  // a remark: as long as the line
    widths.resize(std::max(widths.size(), r.size()));
    for (std::size_t i = 0; i < r.size(); ++i) widths[i] = std::max(widths[i], width(r[i]));
  }
  std::string out;
  for (const auto& r : rows_) {
    std::string line(indent);
    for (std::size_t i = 0; i < r.size(); ++i)
      line += padded(r[i], i + 1 < r.size() ? widths[i] + 2 : 0);
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + "\n";
  }
  return out;
}

}  // namespace vernier::app
