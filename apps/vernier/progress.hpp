#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

#include "apps/vernier/event_lines.hpp"
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
  explicit Progress(EventChoice = {});
  ~Progress();

  /// Shows the events so far, then how far the run is, on a thread of its own.
  void follow(const session::Session&);
  /// As EventLines::set_format(); before the first event.
  void set_format(int decimals, std::size_t component_width);
  /// Ends that and clears the line.
  void finish();

  /// Calls `f`, which prints something, above the progress line. From any thread.
  void hold(const std::function<void()>& f);

  /// One event, above the line of progress; those before follow() wait for it. From any thread.
  void event(const record::Event&);

  std::size_t warnings() const noexcept { return warnings_; }
  /// Whether some event was not shown as a line.
  bool hid_events() const noexcept { return lines_.hid(); }

 private:
  void watch(const session::Session&);
  void draw(double share, double t, const std::string& pace, double left);
  void clear_line();
  void print(const std::vector<std::string>& lines);

  const bool terminal_;
  std::mutex mutex_;
  std::condition_variable wake_;
  bool done_ = false;
  bool drawn_ = false;
  int tenths_ = 0;
  std::size_t warnings_ = 0;
  EventLines lines_;
  int decimals_ = 3;
  bool following_ = false;
  std::vector<record::Event> early_;  // before follow()
  std::thread thread_;
};

}  // namespace vernier::app
