#pragma once

#include <chrono>
#include <map>
#include <string>
#include <vector>

#include "vernier/run/record/recorder.hpp"

namespace vernier::app {

/// Which events a run prints: `--events all`, `none`, or those of components that match a pattern.
/// Without a choice, the first few of each component in every second.
struct EventChoice {
  std::string text;  // as given; empty: no choice

  bool shows(const std::string& component) const;
  bool groups() const noexcept { return text.empty(); }
};

/// Events as lines of text. Of a component that has many of them in a second of wall time, the
/// first ones are shown and the others counted.
class EventLines {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr std::size_t most_per_second = 5;  // of one component

  explicit EventLines(EventChoice choice = {}) : choice_(std::move(choice)) {}

  /// Decimals of times in seconds; room for the names of components, in characters.
  void set_format(int decimals, std::size_t component_width);

  /// What to print for one event: nothing, its line, or a count of earlier ones before it.
  std::vector<std::string> lines(const record::Event&, Clock::time_point now);
  /// The counts of components whose second is over; at the end, all.
  std::vector<std::string> counts(Clock::time_point now, bool end = false);

  /// Whether some event was not shown as a line.
  bool hid() const noexcept { return hid_; }

 private:
  struct Group {
    Clock::time_point began{};
    std::size_t shown = 0, hidden = 0;
    Time last{};  // of those that are hidden
  };

  std::string line(const record::Event&);
  std::string count(const std::string& component, const Group&) const;

  EventChoice choice_;
  int decimals_ = 3;
  std::size_t component_width_ = 10;
  std::map<std::string, Group> groups_;  // by component
  bool hid_ = false;
};

}  // namespace vernier::app
