#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <utility>

namespace vernier {

/// Where files are now that documents name at another place: the copies of a run that is repeated.
/// By absolute path.
using MovedFiles = std::map<std::filesystem::path, std::filesystem::path>;

/// Where a file is: as `moved` says, else as named.
std::filesystem::path found_at(const std::filesystem::path&, const MovedFiles& moved);

/// The file of a document, relative to which the document names others.
class DocumentFile {
 public:
  DocumentFile() = default;
  DocumentFile(std::filesystem::path path, std::shared_ptr<const MovedFiles> moved = {})
      : path_(std::move(path)), moved_(std::move(moved)) {}
  DocumentFile(const char* path) : path_(path) {}
  DocumentFile(const std::string& path) : path_(path) {}

  operator const std::filesystem::path&() const noexcept { return path_; }
  const std::filesystem::path& path() const noexcept { return path_; }

  /// A file that the document names.
  DocumentFile beside(const std::filesystem::path& name) const;

 private:
  std::filesystem::path path_;
  std::shared_ptr<const MovedFiles> moved_;
};

}  // namespace vernier
