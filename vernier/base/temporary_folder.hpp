#pragma once

#include <filesystem>

namespace vernier {

/// A new folder of the system's temporary ones, removed with everything in it at the end of its
/// life.
class TemporaryFolder {
 public:
  /// @throws ConfigurationError V7107 when none can be made.
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::filesystem::path& path() const noexcept { return path_; }
  std::filesystem::path operator/(const std::filesystem::path& name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
};

}  // namespace vernier
