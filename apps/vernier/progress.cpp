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

Progress::Progress(EventChoice choice)
    : terminal_(output_is_terminal()), lines_(std::move(choice)) {}
Progress::~Progress() { finish(); }

void Progress::set_format(int decimals, std::size_t component_width) {
  decimals_ = decimals;
  lines_.set_format(decimals, component_width);
}

void Progress::follow(const session::Session& session) {
  {
    const std::lock_guard lock(mutex_);
    following_ = true;
    for (const record::Event& e : early_) print(lines_.lines(e, EventLines::Clock::now()));
    early_ = {};
  }
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
  print(lines_.counts(EventLines::Clock::now(), true));
}

void Progress::watch(const session::Session& session) {
  const auto began = std::chrono::steady_clock::now();
  const double from = seconds(session.begins());
  const double span = std::max(1e-9, seconds(session.ends()) - from);
  std::unique_lock lock(mutex_);
  while (!wake_.wait_for(lock, std::chrono::milliseconds(terminal_ ? 100 : 20),
                         [this] { return done_; })) {
    print(lines_.counts(EventLines::Clock::now()));
    // lines that stay are in the order of time: events first
    const double t =
        seconds(terminal_ ? session.now() : std::max(session.told(), session.begins()));
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
      fmt::print("  {:3d} %   t = {:.{}f} s   {}\n", tenths * 10, t, decimals_ - 2, pace);
      std::fflush(stdout);
    }
  }
}

void Progress::draw(double share, double t, const std::string& pace, double left) {
  const std::string text =
      fmt::format("{:3.0f}%   t = {:.{}f} s   {}   {} left", std::floor(share * 100.0), t,
                  decimals_ - 2, pace, elapsed_text(left));
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
  warnings_ += e.warning;
  if (following_) {
    print(lines_.lines(e, EventLines::Clock::now()));
  } else {
    early_.push_back(e);
  }
}

void Progress::print(const std::vector<std::string>& lines) {
  if (lines.empty()) return;
  clear_line();
  for (const std::string& line : lines) fmt::print("{}\n", line);
  std::fflush(stdout);
}

}  // namespace vernier::app
