#pragma once

#include <filesystem>

namespace vernier::record {

/// Held by the writer of a results file, on `<file>.lock`. The kernel releases it when the writer
/// dies, so that a reader can distinguish a running writer from a dead one.
class WriterLock {
 public:
  /// Throws ConfigurationError when another process holds it or the lock file cannot be created.
  /// `patient`: waits instead for who looks at it or repairs the file.
  explicit WriterLock(const std::filesystem::path& file, bool patient = false);
  ~WriterLock();
  WriterLock(const WriterLock&) = delete;
  WriterLock& operator=(const WriterLock&) = delete;

  /// The file is complete: removes the lock file.
  void release() noexcept;

  /// The lock file, open for writing; it also contains the journal of the write in progress.
  int descriptor() const noexcept { return descriptor_; }

 private:
  /// Whether the lock file still has its name.
  bool in_folder() const noexcept;

  std::filesystem::path path_;
  int descriptor_ = -1;
};

/// Makes a file readable whose writer died; `lock`: its lock file, held by the caller; negative:
/// there is none. False when it cannot be changed.
bool mend(const std::filesystem::path& file, int lock);

/// Whether a process holds the lock of `file`. If in doubt, true.
bool being_written(const std::filesystem::path& file);

}  // namespace vernier::record
