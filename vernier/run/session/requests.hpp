#pragma once

#include <atomic>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <string>

#include "vernier/base/diagnostic.hpp"

namespace vernier::session {

/// What another thread wants done by the run's own thread, between two ticks: a checkpoint, a step.
/// One request at a time; the loop itself never touches the lock.
class Requests {
 public:
  using What = std::function<std::string()>;

  /// Has `what` done and answers what it answers; `wake` lets the run come to serve(). Throws what
  /// it throws, and V4121 when the run is over before.
  std::string have_done(What what, const std::function<void()>& wake);

  /// Somebody waits. From any thread.
  bool waiting() const noexcept { return waiting_.load(); }
  /// By the run's thread: does what somebody waits for, if anybody does.
  void serve();
  /// No request is served from now on; those who wait are sent away.
  void close();
  bool closed();

 private:
  std::mutex mutex_;
  std::condition_variable served_;
  What what_;
  std::atomic<bool> waiting_{false};
  std::string answer_;
  std::optional<ConfigurationError> refusal_;
  bool closed_ = false;
};

/// V4121: what was asked of a run cannot be done.
[[noreturn]] void refuse_request(std::string why, const std::string& note = {});

}  // namespace vernier::session
