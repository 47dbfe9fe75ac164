#pragma once

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "vernier/base/descriptor.hpp"
#include "vernier/base/digest.hpp"
#include "vernier/base/document_file.hpp"
#include "vernier/base/time.hpp"
#include "vernier/run/record/manifest.hpp"

namespace vernier::record {

/// log.txt: lines with the wall time. Safe from several threads, not for the loop.
class RunLog {
 public:
  /// `again`: adds lines to those that are there.
  explicit RunLog(const std::filesystem::path&, bool again = false);
  void line(std::string_view);

 private:
  std::mutex mutex_;
  std::ofstream file_;
};

/// The directory of one run, `<runs>/<name>-NNNN/`:
///
///   manifest.json   written at the start and replaced at the end
///   inputs/         exact copies of all documents, with their relative locations
///   results.h5  events.csv  log.txt  checkpoints/
///
/// Nothing that exists is ever overwritten. `<runs>/latest` points to the newest. While the object
/// exists, the directory is locked: a run that was killed is one that says "running" in a directory
/// that is not.
class RunFolder {
 public:
  /// Creates the next directory of this name; two programs at once get two directories. Characters
  /// unsuitable for file names become '-'. Throws ConfigurationError (V7107).
  RunFolder(const std::filesystem::path& runs, std::string_view name);
  /// The directory of a run that is continued; `lock`: lock_of_dead_run(). Throws
  /// ConfigurationError (V7107).
  RunFolder(std::filesystem::path folder, Descriptor lock);

  const std::filesystem::path& path() const noexcept { return path_; }
  std::string name() const { return path_.filename().string(); }
  std::filesystem::path checkpoint(Time) const;

  /// The content of a file when it was read for the run; null: it was not kept.
  using KnownContent = std::function<const std::string*(const std::filesystem::path&)>;
  /// Copies the documents of a run, the main one first, with everything they refer to; known
  /// content is written as it was read, without opening the file again. Returns them for the
  /// manifest, in the same order; Input::file of the first is Manifest::document.
  /// Files of `data` that are large are not copied; their digest is kept.
  std::vector<Input> copy_inputs(const std::vector<std::filesystem::path>& documents,
                                 const std::vector<std::filesystem::path>& data = {},
                                 const KnownContent& = {});

  void write(const Manifest&) const;
  /// A further file of the folder; completely or not at all. Throws ConfigurationError (V7107).
  void write(const std::string& file, std::string_view content) const;
  /// Frees what was set aside at the beginning, so that the last files of a run fit on a full disk.
  void release_reserve() noexcept { reserve_.reset(); }
  RunLog& log() noexcept { return *log_; }
  /// Removes the folder and all in it, as nothing was run; `latest` is again what it was before. A
  /// run that was to be continued is left as it is.
  void discard() noexcept;

 private:
  std::filesystem::path path_;
  std::filesystem::path before_;  // what `latest` was; empty: nothing
  bool continued_ = false;
  Descriptor lock_;
  std::unique_ptr<RunLog> log_;
  Descriptor reserve_;
};

/// A file of a run's folder, completely or not at all. Throws ConfigurationError (V7107).
void write_file(const std::filesystem::path&, std::string_view content);
/// Its content, of at most this many bytes. Throws ConfigurationError (V7107).
std::string read_file(const std::filesystem::path&, std::size_t most);
/// Locks the directory of a run that no longer runs, for who continues it. `wait`: until it no
/// longer runs, at once when its process dies. Throws ConfigurationError: V7107, and V7131 when the
/// run still runs and `wait` is false.
Descriptor lock_of_dead_run(const std::filesystem::path& run_folder, bool wait);

/// The manifest of a run's directory; its status is "killed" when it says running but no process
/// writes results. Throws ConfigurationError (V7107, V7108).
Manifest read_manifest(const std::filesystem::path& run_folder);

/// Makes results and frame log of a run that no longer runs readable for every HDF5 program, and
/// removes unfinished files. Returns the number of files changed or removed; nothing when one
/// cannot be changed.
std::optional<std::size_t> repair_run(const std::filesystem::path& run_folder);

/// Whether `path` is a folder with a manifest.
bool is_run_folder(const std::filesystem::path&);

/// The digest of all inputs of a run, as stored in checkpoints.
Digest digest_of(const std::vector<Input>&);

/// How to repeat a run.
struct Repetition {
  std::filesystem::path document;  // in inputs/
  Manifest manifest;               // seed, set, options
  /// Where files are that documents and parameters name: the copy of an original, or the original
  /// of one that was not copied.
  MovedFiles moved = {};
};

/// Throws ConfigurationError: V7108 no manifest, V7109 an input is missing or was changed.
Repetition repetition(const std::filesystem::path& run_folder);

struct RunEntry {
  std::filesystem::path path;
  Manifest manifest;  // only the name when it is not readable: then status is "unreadable"
  std::uint64_t bytes = 0;
};

/// All runs in a directory, the oldest first. Empty when the directory does not exist.
std::vector<RunEntry> list_runs(const std::filesystem::path& runs);

/// Removes all but the newest `keep` runs of each composition; never one that is running or
/// unreadable. Returns the directories removed or, when `really` is false, those that would be.
std::vector<std::filesystem::path> prune(const std::filesystem::path& runs, std::size_t keep,
                                         bool really);

}  // namespace vernier::record
