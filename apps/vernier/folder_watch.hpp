#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <set>
#include <utility>

namespace vernier::app {

/// Detects files that were added, removed or changed in some directories, by time and size; hidden
/// files and subdirectories are ignored. Works on any file system, by polling.
class FolderWatch {
 public:
  /// Whether anything is different from the last call.
  bool changed(const std::set<std::filesystem::path>& folders);

 private:
  using Seen =
      std::map<std::filesystem::path, std::pair<std::filesystem::file_time_type, std::uintmax_t>>;
  Seen seen_;
};

}  // namespace vernier::app
