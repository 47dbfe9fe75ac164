#pragma once

#include <filesystem>
#include <vector>

namespace vernier {

/// Also implemented by a component that writes files which a document names. The session finds it.
class FileWriter {
 public:
  virtual ~FileWriter() = default;

  /// Where files with relative paths go; called before initialize(). The folder may not exist yet.
  virtual void write_below(const std::filesystem::path& folder) = 0;
  /// The files that it writes; valid after initialize().
  virtual std::vector<std::filesystem::path> files() const = 0;
};

}  // namespace vernier
