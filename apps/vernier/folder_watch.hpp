#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <set>
#include <utility>

namespace vernier::app {

/// Notices that files in some folders came, went or changed, by their times and sizes; hidden files
/// and what lies in folders below do not count. Works on any file system, at the price of looking.
class FolderWatch {
 public:
  /// Looks, and answers whether anything is different from the last look.
  bool changed(const std::set<std::filesystem::path>& folders);

 private:
  using Seen =
      std::map<std::filesystem::path, std::pair<std::filesystem::file_time_type, std::uintmax_t>>;
  Seen seen_;
};

}  // namespace vernier::app
