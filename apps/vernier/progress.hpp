#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

#include "vernier/base/time.hpp"
#include "vernier/run/record/recorder.hpp"

namespace vernier::session {
class Session;
}

namespace vernier::app {

/// What is shown while a run goes: on a terminal one line that rewrites itself at most ten times a
/// second, elsewhere one plain line per ten percent; and the events as they happen.
class Progress {
 public:
  Progress();
  ~Progress();

  /// Begins to show how far the run is, on a thread of its own.
  void follow(const session::Session&);
  /// Room for the names of components, in characters.
  void set_component_width(std::size_t w) { component_width_ = w; }
  /// Ends that and clears the line.
  void finish();

  /// Calls `f`, which prints something, above the line of progress. From any thread.
  void hold(const std::function<void()>& f);

  /// One event, above the line of progress. From any thread; after a few hundred the rest is only
  /// counted.
  void event(const record::Event&);

  std::size_t events() const noexcept { return events_; }
  std::size_t warnings() const noexcept { return warnings_; }

 private:
  void watch(const session::Session&);
  void draw(double share, double t, const std::string& pace, double left);
  void clear_line();

  const bool terminal_;
  std::mutex mutex_;
  std::condition_variable wake_;
  bool done_ = false;
  bool drawn_ = false;
  int tenths_ = 0;
  std::size_t events_ = 0, warnings_ = 0;
  std::size_t component_width_ = 10;
  std::thread thread_;
};

}  // namespace vernier::app
