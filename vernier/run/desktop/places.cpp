#include "vernier/run/desktop/places.hpp"

#include <algorithm>

#include "vernier/run/desktop/problems.hpp"
#include "vernier/run/record/run_folder.hpp"

namespace vernier::desktop {

namespace fs = std::filesystem;

namespace {

bool is_below(const fs::path& path, const fs::path& folder) {
  const auto [end, rest] = std::mismatch(folder.begin(), folder.end(), path.begin(), path.end());
  return end == folder.end();
}

/// With links followed, so that a link does not lead out of a folder.
fs::path real_path(const fs::path& path) {
  std::error_code failed;
  fs::path whole = fs::canonical(path, failed);
  return failed ? fs::path() : whole;
}

}  // namespace

Places::Places(const fs::path& start, const std::vector<fs::path>& folders)
    : start_(real_path(start)) {
  folders_.push_back(start_);
  for (const fs::path& f : folders) {
    if (fs::path whole = real_path(f); !whole.empty()) folders_.push_back(std::move(whole));
  }
}

fs::path Places::admitted(const fs::path& whole, const std::string& name, net::Role role) {
  const bool known = std::any_of(folders_.begin(), folders_.end(),
                                 [&](const fs::path& f) { return is_below(whole, f); });
  if (!known) {
    const std::lock_guard lock(mutex_);
    if (role == net::Role::control)
      opened_.insert(whole);
    else if (!opened_.contains(whole))
      refuse("V8107", "\"" + name + "\" is outside of the folder that this desktop shows",
             "who controls can open it; then others can watch it");
  }
  return is_below(whole, start_) ? whole.lexically_relative(start_) : whole;
}

fs::path Places::run(const std::string& name, net::Role role) {
  const fs::path whole = real_path(start_ / name);
  if (name.empty() || whole.empty() || !record::is_run_folder(whole))
    refuse("V8102", "there is no run in \"" + name + "\"",
           "it was removed or moved; the list of runs shows those that are there");
  return admitted(whole, name, role);
}

fs::path Places::document(const std::string& name, net::Role role) {
  const fs::path whole = real_path(start_ / name);
  std::error_code failed;
  if (name.empty() || whole.empty() || !fs::is_regular_file(whole, failed))
    refuse("V8102", "there is no document \"" + name + "\"", "give the name of a file, with .xml");
  return admitted(whole, name, role);
}

}  // namespace vernier::desktop
