#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "vernier/run/record/checkpoint.hpp"
#include "vernier/run/record/progress.hpp"

namespace vernier::session {

class Archive;

/// Calls a function on a thread of its own: first after some wall time, then each time after ten
/// times as long.
class Regularly {
 public:
  Regularly(std::chrono::milliseconds first, std::function<void()>);
  /// Waits for a call in progress.
  ~Regularly();
  Regularly(const Regularly&) = delete;
  Regularly& operator=(const Regularly&) = delete;

 private:
  std::mutex mutex_;
  std::condition_variable wake_;
  bool ending_ = false;
  std::thread thread_;
};

/// The checkpoints in a run's folder: those that were asked for, and the last two of those that the
/// run makes by itself.
class SavedStates {
 public:
  /// The state of the run, and how far its files are.
  using Take = std::function<std::pair<record::Checkpoint, record::Progress>()>;
  SavedStates(const Archive& a, Take take) : archive_(a), take_(std::move(take)) {}

  /// Throws ConfigurationError.
  const std::filesystem::path& save();
  /// The run makes one by itself; an earlier one goes. Nothing: it is there already. Throws
  /// ConfigurationError.
  std::optional<std::filesystem::path> keep();
  /// Those that the run has made by itself before it was killed.
  void adopt(const std::vector<std::filesystem::path>& kept);
  void remove_kept() const;

  /// Those that were asked for.
  const std::vector<std::filesystem::path>& saved() const noexcept { return saved_; }

 private:
  const Archive& archive_;
  Take take_;
  std::vector<std::filesystem::path> saved_;
  std::deque<std::filesystem::path> kept_;
};

}  // namespace vernier::session
