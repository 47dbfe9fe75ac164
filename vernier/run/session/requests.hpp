#pragma once

#include <atomic>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <string>

#include "vernier/base/diagnostic.hpp"

namespace vernier::session {

/// Requests from other threads for the run's own thread, between two ticks: a checkpoint, a step.
/// One request at a time; the loop itself never takes the lock.
class Requests {
 public:
  using What = std::function<std::string()>;

  /// Has `what` executed and returns its result; `wake` makes the run call serve(). Throws what it
  /// throws, and V4121 when the run ends first.
  std::string have_done(What what, const std::function<void()>& wake);

  /// Whether a request is waiting. From any thread.
  bool waiting() const noexcept { return waiting_.load(); }
  /// Called by the run's thread: executes a waiting request, if any.
  void serve();
  /// Refuses all requests from now on, including waiting ones.
  void close();
  bool closed();

 private:
  std::mutex callers_;  // of have_done()
  std::mutex mutex_;
  std::condition_variable served_;
  What what_;
  std::atomic<bool> waiting_{false};
  std::string answer_;
  std::optional<ConfigurationError> refusal_;
  bool closed_ = false;
};

/// V4121: a request to a run cannot be executed.
[[noreturn]] void refuse_request(std::string why, const std::string& note = {});

}  // namespace vernier::session
