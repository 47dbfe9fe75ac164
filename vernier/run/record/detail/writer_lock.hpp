#pragma once

#include <filesystem>

namespace vernier::record {

/// Held by whoever writes a results file, on `<file>.lock`. The kernel lets go when the writer
/// dies, so that a reader can tell a running writer from a dead one.
class WriterLock {
 public:
  /// Throws ConfigurationError when another process holds it or the lock file cannot be made.
  explicit WriterLock(const std::filesystem::path& file);
  ~WriterLock();
  WriterLock(const WriterLock&) = delete;
  WriterLock& operator=(const WriterLock&) = delete;

  /// The file is complete: removes the lock file.
  void release() noexcept;

  /// The lock file, open for writing; it also holds the write that is under way.
  int descriptor() const noexcept { return descriptor_; }

 private:
  std::filesystem::path path_;
  int descriptor_ = -1;
};

/// Whether somebody holds the lock of `file`. When in doubt, yes.
bool being_written(const std::filesystem::path& file);

}  // namespace vernier::record
