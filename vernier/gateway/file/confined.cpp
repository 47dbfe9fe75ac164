#include "vernier/gateway/file/confined.hpp"

#include <fcntl.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

namespace vernier::file {
namespace {

namespace fs = std::filesystem;

bool is_below(const fs::path& file, const fs::path& folder) {
  auto f = file.begin();
  for (const fs::path& part : folder) {
    if (part.empty()) continue;  // after a trailing slash
    if (f == file.end() || *f != part) return false;
    ++f;
  }
  return true;
}

fs::path whole(const fs::path& p) { return fs::absolute(p).lexically_normal(); }

}  // namespace

fs::path root_of(const fs::path& file, const std::vector<fs::path>& writable) {
  const fs::path place = whole(file);
  for (const fs::path& folder : writable)
    if (is_below(place, whole(folder))) return folder;
  return {};
}

std::string escape(const fs::path& file, const std::vector<fs::path>& writable) {
  if (file.is_relative()) {
    const bool up =
        std::any_of(file.begin(), file.end(), [](const fs::path& p) { return p == ".."; });
    return up ? "it would leave the folder of the run" : "";
  }
  return root_of(file, writable).empty() ? "it is outside of the folder of the run" : "";
}

int open_below(const fs::path& root, const fs::path& file, int flags) {
  std::error_code failed;
  const fs::path top = fs::canonical(root, failed);
  const fs::path folder = failed ? fs::path() : fs::canonical(file.parent_path(), failed);
  if (failed) {
    errno = failed.value();
    return -1;
  }
  if (!is_below(folder, top)) {
    errno = EXDEV;
    return -1;
  }
  // the folder that was looked at is the one that is written in
  const Descriptor in(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!in) return -1;
  return ::openat(in.get(), file.filename().c_str(), flags | O_NOFOLLOW | O_CLOEXEC, 0666);
}

}  // namespace vernier::file
