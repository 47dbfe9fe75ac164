#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <vector>

#include "vernier/base/codec.hpp"
#include "vernier/base/digest.hpp"

namespace vernier::record {

/// How far the files of a run's folder were at a checkpoint: what a run that was killed needs,
/// besides the checkpoint, to continue in its own folder. formats/progress specifies the file.
struct Progress {
  static constexpr bool visited = true;

  Digest checkpoint{};        // of the checkpoint's file
  std::int64_t begin = 0;     // ns: where the run began
  bool automatic = false;     // the run made the checkpoint by itself, and will remove it
  std::uint64_t notes = 0;    // events that components had told
  std::uint64_t orders = 0;   // executed
  std::uint64_t frames = 0;   // rows of frames.h5
  std::uint64_t dropped = 0;  // samples
  std::uint64_t ticks = 0, instants = 0, microsteps = 0, late = 0;
  double wall = 0.0;                     // s, spent running
  std::vector<std::uint64_t> rows = {};  // of results.h5, by group
  std::vector<std::byte> watch = {};     // state of reports and checks

  template <class V>
  void fields(V& v) {
    v(checkpoint, begin, automatic, notes, orders, frames, dropped, ticks, instants, microsteps,
      late, wall, rows, watch);
  }
};

inline constexpr const char* progress_extension = ".progress";
/// "t=0300.000.progress", beside "t=0300.000.vchk"; and the other way round.
std::filesystem::path progress_file(std::filesystem::path checkpoint);
std::filesystem::path checkpoint_of(std::filesystem::path progress);

/// The file is written completely or not at all. Throws ConfigurationError (V7107).
void write_progress(const std::filesystem::path&, const Progress&);
/// Throws ConfigurationError: V7107 not readable, V7113 damaged, truncated or of another version.
Progress read_progress(const std::filesystem::path&);

std::vector<std::byte> encoded(const Progress&);
/// `name` stands for the file in messages.
Progress decoded_progress(std::span<const std::byte>, const std::filesystem::path& name);
/// The same without verifying the checksum, to test the checks after it.
Progress decoded_progress_unchecked(std::span<const std::byte>, const std::filesystem::path& name);

}  // namespace vernier::record
