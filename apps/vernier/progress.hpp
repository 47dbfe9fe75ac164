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

/// The display during a run: on a terminal one line that is updated at most ten times a second,
/// elsewhere one plain line per ten percent; and the events as they occur.
class Progress {
 public:
  Progress();
  ~Progress();

  /// Begins to display the progress of the run, on a separate thread.
  void follow(const session::Session&);
  /// The width for names of components, in characters.
  void set_component_width(std::size_t w) { component_width_ = w; }
  /// Ends the display and clears the line.
  void finish();

  /// Calls `f`, which prints something, above the progress line. From any thread.
  void hold(const std::function<void()>& f);

  /// Prints one event above the progress line. From any thread; after a few hundred the rest is
  /// only counted.
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
