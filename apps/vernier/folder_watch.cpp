#include "apps/vernier/folder_watch.hpp"

#include <system_error>

namespace vernier::app {

namespace fs = std::filesystem;

bool FolderWatch::changed(const std::set<fs::path>& folders) {
  Seen now;
  for (const fs::path& folder : folders) {
    // a file removed meanwhile is noticed at the next check
    std::error_code failed;
    for (fs::directory_iterator i(folder, failed), end; !failed && i != end; i.increment(failed)) {
      std::error_code gone;
      if (i->path().filename().native().front() == '.' || !i->is_regular_file(gone)) continue;
      const fs::file_time_type time = i->last_write_time(gone);
      const std::uintmax_t size = i->file_size(gone);
      if (!gone) now[i->path()] = {time, size};
    }
  }
  const bool differs = now != seen_;
  seen_ = std::move(now);
  return differs;
}

}  // namespace vernier::app
