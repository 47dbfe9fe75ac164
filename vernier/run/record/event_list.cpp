#include "vernier/run/record/event_list.hpp"

#include <algorithm>
#include <fstream>
#include <utility>

#include "vernier/base/text.hpp"

namespace vernier::record {

EventList::EventList(const std::filesystem::path& run_folder) : file_(run_folder / "events.csv") {}

void EventList::refresh() {
  std::ifstream in(file_, std::ios::binary);
  if (!in.seekg(static_cast<std::streamoff>(read_))) return;
  std::uint64_t begin = read_, at = read_;
  bool quoted = false;
  std::vector<char> block(1u << 16);
  while (in) {
    in.read(block.data(), static_cast<std::streamsize>(block.size()));
    const auto n = static_cast<std::size_t>(in.gcount());
    for (std::size_t i = 0; i < n; ++i, ++at) {
      // a text may have line breaks; a quotation mark in it is doubled, which changes nothing here
      if (block[i] == '"') quoted = !quoted;
      if (block[i] != '\n' || quoted) continue;
      if (std::exchange(head_, true)) begins_.push_back(begin);
      begin = read_ = at + 1;
    }
  }
}

std::vector<EventList::Line> EventList::lines(std::uint64_t first, std::size_t most) const {
  std::vector<Line> found;
  if (first >= begins_.size()) return found;
  const std::size_t count = std::min<std::size_t>(most, begins_.size() - first);
  std::ifstream in(file_, std::ios::binary);
  in.seekg(static_cast<std::streamoff>(begins_[first]));
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t begin = begins_[first + i];
    const std::uint64_t end = first + i + 1 < begins_.size() ? begins_[first + i + 1] : read_;
    std::string record(end - begin, '\0');
    if (!in.read(record.data(), static_cast<std::streamsize>(record.size()))) break;
    while (record.ends_with('\n') || record.ends_with('\r')) record.pop_back();
    Line line;
    line.cells = csv_cells(record);
    line.cells.resize(columns);
    line.time = parsed_real(line.cells[0]).value_or(0.0);
    found.push_back(std::move(line));
  }
  return found;
}

std::vector<std::string> csv_cells(std::string_view record) {
  std::vector<std::string> list(1);
  bool quoted = false;
  for (std::size_t i = 0; i < record.size(); ++i) {
    const char c = record[i];
    if (quoted && c == '"' && i + 1 < record.size() && record[i + 1] == '"') {
      list.back() += '"';
      ++i;
    } else if (c == '"') {
      quoted = !quoted;
    } else if (c == ',' && !quoted) {
      list.emplace_back();
    } else {
      list.back() += c;
    }
  }
  return list;
}

}  // namespace vernier::record
