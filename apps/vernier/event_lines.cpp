#include "apps/vernier/event_lines.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "apps/vernier/console.hpp"
#include "apps/vernier/table.hpp"
#include "vernier/base/text.hpp"

namespace vernier::app {
namespace {

constexpr auto window = std::chrono::seconds(1);

/// "From → To", and what kind of event it is where that is not a transition.
std::string change_of(const record::Event& e) {
  std::string change;
  if (!e.to.empty())
    change = e.from.empty() ? "→ " + e.to : e.from == e.to ? e.to : e.from + " → " + e.to;
  if (!change.empty() && (e.kind == "transition" || e.kind.empty())) return change;
  return change.empty() ? e.kind : e.kind + " " + change;
}

}  // namespace

bool EventChoice::shows(const std::string& component) const {
  if (text.empty() || text == "all") return true;
  return text != "none" && matches(text, component);
}

void EventLines::set_format(int decimals, std::size_t component_width) {
  decimals_ = decimals;
  component_width_ = component_width;
}

std::string EventLines::line(const record::Event& e) {
  component_width_ = std::max(component_width_, width(e.component));
  std::string line =
      fmt::format("  t = {:{}.{}f} s   {}   {}   {}", seconds(e.time), decimals_ + 6, decimals_,
                  padded(e.component, component_width_), padded(change_of(e), 24), e.reason);
  line.erase(line.find_last_not_of(' ') + 1);
  const bool color = e.warning && color_on_output();
  return fmt::format("{}{}{}{}", color ? "\033[33m" : "", line, e.warning ? "   ⚠" : "",
                     color ? "\033[0m" : "");
}

std::string EventLines::count(const std::string& component, const Group& g) const {
  return fmt::format("  … {} more event{} of {} until t = {:.{}f} s   (--events all shows {})",
                     g.hidden, g.hidden == 1 ? "" : "s", component, seconds(g.last), decimals_,
                     g.hidden == 1 ? "it" : "them");
}

std::vector<std::string> EventLines::lines(const record::Event& e, Clock::time_point now) {
  if (!choice_.shows(e.component)) {
    hid_ = true;
    return {};
  }
  if (!choice_.groups()) return {line(e)};
  std::vector<std::string> all;
  Group& g = groups_[e.component];
  if (now - g.began >= window) {
    if (g.hidden > 0) all.push_back(count(e.component, g));
    g = {.began = now};
  }
  if (g.shown < most_per_second) {
    ++g.shown;
    all.push_back(line(e));
  } else {
    ++g.hidden;
    g.last = e.time;
    hid_ = true;
  }
  return all;
}

std::vector<std::string> EventLines::counts(Clock::time_point now, bool end) {
  std::vector<std::string> all;
  for (auto& [component, g] : groups_) {
    if (g.hidden == 0 || (!end && now - g.began < window)) continue;
    all.push_back(count(component, g));
    g = {.began = now};
  }
  return all;
}

}  // namespace vernier::app
