#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "vernier/base/temporary_folder.hpp"
#include "vernier/run/record/checkpoint.hpp"
#include "vernier/run/record/manifest.hpp"
#include "vernier/run/record/progress.hpp"
#include "vernier/run/record/run_folder.hpp"
#include "vernier/run/session/session.hpp"

namespace vernier::session {

/// What a run leaves on the disk besides its results: manifest, inputs, log, checkpoints, report.
/// If nothing is kept, a temporary folder that goes with the archive.
class Archive {
 public:
  /// Creates the folder with everything known before the run; `problems` are those found so far.
  /// Throws ConfigurationError.
  Archive(const composition::Composition&, const Options&, const Diagnostics& problems);
  /// Takes over the folder of a run that is continued from `begin`.
  Archive(Continuation&, const Options&, const Diagnostics& problems, Time begin);

  bool keeps() const noexcept { return folder_ != nullptr; }
  /// Of the files.
  const std::filesystem::path& place() const noexcept { return place_; }
  /// The same, when it stays; else empty.
  const std::filesystem::path& kept() const noexcept { return kept_; }
  /// "detumble-0007".
  const std::string& name() const noexcept { return manifest_.name; }
  /// Wall time, ISO 8601.
  const std::string& started() const noexcept { return manifest_.started; }
  /// Of everything that was read.
  Digest documents() const { return record::digest_of(manifest_.inputs); }

  /// Where the files go that the document writes.
  std::filesystem::path outputs() const { return place_ / "outputs"; }

  /// Warns of files that go with the folder, as the run is not kept.
  void warn_of_lost(const std::vector<FileWriter*>&, Diagnostics&) const;

  void log(std::string_view line) const;
  /// Warnings that came after the creation.
  void add(const Diagnostics& warnings);

  /// Where a checkpoint is, or will be.
  std::filesystem::path place_of(const record::Checkpoint& c) const {
    return folder_->checkpoint(c.snapshot.time);
  }
  /// Writes a checkpoint, and before it how far the run's files are; returns its file.
  std::filesystem::path save(const record::Checkpoint&, record::Progress) const;
  /// The run removes a checkpoint that it has made by itself.
  void remove(const std::filesystem::path& checkpoint) const;
  /// The latest checkpoint at or before `t`, and not before `begins`; empty: none.
  std::filesystem::path last_checkpoint(Time t, Time begins) const;

  /// Nothing was run: leaves nothing behind, or what was there before.
  void discard();
  /// Frees the room that is set aside for finish().
  void release_reserve() noexcept;
  /// Completes the manifest. `links` are for the report of a run in real time. Throws
  /// ConfigurationError.
  void finish(const Summary&, const std::vector<realtime::LinkFigure>& links);

 private:
  void note_options(const Options&);
  void note_executed(const composition::Composition&);
  /// Warnings that are not known yet; returns them.
  std::vector<std::string> note_warnings(const Diagnostics&);
  void forget_progress() const;
  void write_report(const realtime::Health&, const std::vector<realtime::LinkFigure>&) const;

  std::optional<TemporaryFolder> temporary_;
  std::unique_ptr<record::RunFolder> folder_;
  std::filesystem::path place_, kept_;
  record::Manifest manifest_;
};

/// How results were computed.
Computing computing(const composition::Composition&) noexcept;

/// A checkpoint that a run starts from, in the run's folder.
inline constexpr const char* start_file = "inputs/start.vchk";

}  // namespace vernier::session
