#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace vernier::app {

/// The text padded with blanks to a width on the terminal.
std::string padded(const std::string& text, std::size_t to);

/// Rows of cells in columns; a row of one cell is a remark across all of them.
class Table {
 public:
  void row(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
  std::string text(std::string_view indent) const;

 private:
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace vernier::app
