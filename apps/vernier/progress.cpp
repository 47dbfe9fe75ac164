#include "apps/vernier/progress.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "apps/vernier/console.hpp"
#include "apps/vernier/table.hpp"
#include "vernier/base/text.hpp"
#include "vernier/run/session/session.hpp"

namespace vernier::app {
namespace {

constexpr std::size_t shown_events = 200;

/// A bar of `cells` with eighths of a cell.
std::string bar(double share, int cells) {
  static constexpr const char* parts[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  const int eighths = static_cast<int>(std::clamp(share, 0.0, 1.0) * cells * 8);
  std::string out;
  for (int i = 0; i < eighths / 8; ++i) out += "█";
  out += parts[eighths % 8];
  const int used = eighths / 8 + (eighths % 8 ? 1 : 0);
  return out + std::string(static_cast<std::size_t>(cells - used), ' ');
}

}  // namespace

Progress::Progress() : terminal_(output_is_terminal()) {}
Progress::~Progress() { finish(); }

void Progress::follow(const session::Session& session) {
  thread_ = std::thread([this, &session] { watch(session); });
}

void Progress::finish() {
  {
    const std::lock_guard lock(mutex_);
    done_ = true;
  }
  wake_.notify_all();
  if (thread_.joinable()) thread_.join();
  const std::lock_guard lock(mutex_);
  clear_line();
}

void Progress::watch(const session::Session& session) {
  const auto began = std::chrono::steady_clock::now();
  const double from = seconds(session.begins());
  const double span = std::max(1e-9, seconds(session.ends()) - from);
  std::unique_lock lock(mutex_);
  while (!wake_.wait_for(lock, std::chrono::milliseconds(terminal_ ? 100 : 20),
                         [this] { return done_; })) {
    const double t = seconds(session.now());
    const double share = std::clamp((t - from) / span, 0.0, 1.0);
    const double wall =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
    const double factor = wall > 0.0 ? (t - from) / wall : 0.0;
    const double left = factor > 0.0 ? (1.0 - share) * span / factor : 0.0;
    std::string pace = fmt::format("{} × real time", short_number(factor));
    if (session.frozen()) {
      pace = "frozen";
    } else if (const session::Pulse p = session.pulse(); p.frames > 0) {
      pace = fmt::format("margin {} · {} late", realtime::time_text(static_cast<double>(p.margin)),
                         p.late);
    }
    if (terminal_) {
      draw(share, t, pace, left);
    } else if (const int tenths = static_cast<int>(share * 10.0); tenths > tenths_ && tenths < 10) {
      tenths_ = tenths;
      fmt::print("  {:3d} %   t = {:.1f} s   {}\n", tenths * 10, t, pace);
      std::fflush(stdout);
    }
  }
}

void Progress::draw(double share, double t, const std::string& pace, double left) {
  const std::string text = fmt::format("{:3.0f}%   t = {:.1f} s   {}   {} left",
                                       std::floor(share * 100.0), t, pace, elapsed_text(left));
  const int cells = std::clamp(terminal_width() - static_cast<int>(width(text)) - 9, 0, 34);
  fmt::print("\r\033[K  [{}]  {}", bar(share, cells), text);
  std::fflush(stdout);
  drawn_ = true;
}

void Progress::clear_line() {
  if (!drawn_) return;
  fmt::print("\r\033[K");
  std::fflush(stdout);
  drawn_ = false;
}

void Progress::hold(const std::function<void()>& f) {
  const std::lock_guard lock(mutex_);
  clear_line();
  f();
}

void Progress::event(const record::Event& e) {
  const std::lock_guard lock(mutex_);
  ++events_;
  warnings_ += e.warning;
  if (events_ > shown_events) {
    if (events_ == shown_events + 1) {
      clear_line();
      fmt::print("  … there are more events; all of them are in events.csv\n");
    }
    return;
  }
  clear_line();
  component_width_ = std::max(component_width_, width(e.component));
  std::string change;
  if (!e.to.empty())
    change = e.from.empty() ? "→ " + e.to : e.from == e.to ? e.to : e.from + " → " + e.to;
  if (change.empty() || (e.kind != "transition" && !e.kind.empty())) {
    change = change.empty() ? e.kind : e.kind + " " + change;
  }
  std::string line =
      fmt::format("  t = {:9.3f} s   {}   {}   {}", seconds(e.time),
                  padded(e.component, component_width_), padded(change, 24), e.reason);
  line.erase(line.find_last_not_of(' ') + 1);
  const bool color = e.warning && color_on_output();
  fmt::print("{}{}{}{}\n", color ? "\033[33m" : "", line, e.warning ? "   ⚠" : "",
             color ? "\033[0m" : "");
  std::fflush(stdout);
}

}  // namespace vernier::app
