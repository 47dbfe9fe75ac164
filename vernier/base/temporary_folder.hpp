#pragma once

#include <filesystem>

namespace vernier {

/// A new temporary directory, removed with its contents by the destructor.
class TemporaryFolder {
 public:
  /// @throws ConfigurationError V7107 when it cannot be created.
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
