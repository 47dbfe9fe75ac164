#pragma once

#include <filesystem>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "vernier/net/web_access.hpp"

namespace vernier::desktop {

/// Which runs and documents a page may have: those below the folder where the desktop was started,
/// the runs, missions and examples, and what somebody who controls has opened by its name. From any
/// thread.
class Places {
 public:
  /// `folders`: everything below them.
  Places(const std::filesystem::path& start, const std::vector<std::filesystem::path>& folders);

  /// The folder of a run, as it is shown: relative if it is below the start. Throws
  /// ConfigurationError: V8102 there is none, V8107 it is elsewhere and the role only watches.
  std::filesystem::path run(const std::string& name, net::Role);
  /// The same for a document.
  std::filesystem::path document(const std::string& name, net::Role);

 private:
  std::filesystem::path admitted(const std::filesystem::path& whole, const std::string& name,
                                 net::Role);

  std::filesystem::path start_;
  std::vector<std::filesystem::path> folders_;
  std::mutex mutex_;
  std::set<std::filesystem::path> opened_;
};

}  // namespace vernier::desktop
