// How well a run keeps real time while two other programs load the processor: wake-up, late frames
// by cause, allocations, page faults, context switches. usage: realtime_bench [seconds per rate,
// 60]
// [--quiet-machine]
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <fstream>
#include <string>
#include <thread>

#include "vernier/base/diagnostic.hpp"
#include "vernier/base/temporary_folder.hpp"
#include "vernier/model/automaton/automaton.hpp"
#include "vernier/model/island/island.hpp"
#include "vernier/run/realtime/ports.hpp"
#include "vernier/run/session/session.hpp"
#include "vernier/testing/allocations.hpp"

namespace {

using namespace vernier;
using namespace std::chrono_literals;

long first_allocations = -1, last_allocations = -1;

/// Checks the allocations of the loop's thread in every frame.
class Probe final : public Component {
 public:
  Probe() {
    description_.inputs = {{.name = "u", .count = 3, .initial = std::vector<double>(3, 0.0)}};
  }
  const Description& description() const noexcept override { return description_; }
  void bind(const Bindings& b) override { u_ = b.real_input("u"); }
  Outcome output(Instant) noexcept override { return Outcome::ok; }
  Advance advance(Time from, Time to) noexcept override {
    if (from > Time{}) last_allocations = testing::allocations();
    if (first_allocations < 0) first_allocations = last_allocations;
    return {to};
  }
  void save(std::span<std::byte>) const noexcept override {}
  void load(std::span<const std::byte>) noexcept override {}

 private:
  Description description_;
  std::span<const double> u_;
};

/// Sends orders to a run a thousand times a second, until it is destroyed.
class Asker {
 public:
  explicit Asker(session::Session& s) : thread_([this, &s] { ask(s); }) {}
  ~Asker() { finish(); }
  /// Orders that were executed, and the seconds that it took.
  std::pair<long, double> finish() {
    stop_.store(true);
    if (thread_.joinable()) thread_.join();
    return {done_, lasted_};
  }

 private:
  void ask(session::Session& s) {
    using namespace std::chrono;
    const auto began = steady_clock::now();
    auto next = began;
    std::deque<std::uint64_t> waiting;
    for (long k = 0; !stop_.load(); ++k) {
      next += 1ms;
      std::this_thread::sleep_until(next);
      const double v = static_cast<double>(k);
      try {
        waiting.push_back(s.ask({executive::OrderKind::replace, "probe.u", {v, 2.0 * v, -v}}));
      } catch (const ConfigurationError&) {  // too many are waiting: this one is not counted
      }
      while (!waiting.empty() && s.answer(waiting.front()).done) {
        waiting.pop_front();
        ++done_;
      }
    }
    lasted_ = duration<double>(steady_clock::now() - began).count();
  }

  std::atomic<bool> stop_{false};
  long done_ = 0;
  double lasted_ = 0.0;
  std::thread thread_;
};

/// Programs that never sleep, until it is destroyed.
class Load {
 public:
  Load() : stress_ng_(std::system("command -v stress-ng > /dev/null 2>&1") == 0) {
    for (pid_t& child : children_) {
      if (stress_ng_ && &child != children_) break;
      child = fork();
      if (child != 0) continue;
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      if (stress_ng_) execlp("stress-ng", "stress-ng", "--cpu", "2", "--quiet", nullptr);
      for (volatile unsigned long x = 0;;) x = x + 1;
    }
  }
  ~Load() {
    for (const pid_t child : children_) {
      if (child <= 0) continue;
      kill(child, SIGTERM);
      waitpid(child, nullptr, 0);
    }
  }
  const char* name() const { return stress_ng_ ? "stress-ng --cpu 2" : "two busy loops"; }

 private:
  bool stress_ng_;
  pid_t children_[2] = {};
};

Catalogue catalogue() {
  Catalogue c;
  c.set_island(island::make_island);
  automaton::add_to(c);
  realtime::add_to(c);
  Type probe;
  probe.name = "probe";
  probe.component = [](const Parameters&) { return std::make_unique<Probe>(); };
  c.add(std::move(probe));
  return c;
}

bool measure(int rate, double seconds, const std::filesystem::path& folder, bool ordered) {
  const std::string models = VERNIER_SOURCE_DIR "/examples/realtime/";
  const auto document = folder / "balance.xml";
  std::ofstream(document) << "<interconnection name='balance' version='1'><system id='stick' file='"
                          << models << "stick.xml'/><system id='finger' file='" << models
                          << "finger.xml'/><component id='probe' type='probe'/>"
                             "<connect from='stick.angle' to='finger.angle'/><connect "
                             "from='stick.rate' to='finger.rate'/>"
                             "<connect from='finger.torque' to='stick.torque'/><run stop='"
                          << seconds << " s' step='" << 1000.0 / rate << " ms'/></interconnection>";
  Diagnostics problems;
  session::Options options;
  options.real_time.emplace();
  options.changes.frames = true;
  options.runs = folder / "runs";
  first_allocations = last_allocations = -1;
  const Catalogue types = catalogue();
  session::Session run(session::prepare(document, options.changes, types, problems), options,
                       problems);
  std::optional<Asker> asker;
  if (ordered) asker.emplace(run);
  const session::Summary s = run.run();
  const auto [done, lasted] = asker ? asker->finish() : std::pair(0l, 1.0);
  const realtime::Health& h = *s.real_time;
  const realtime::FrameStatistics& f = h.frames;
  const auto us = [](std::int64_t ns) { return static_cast<double>(ns) / 1e3; };
  const double p99 = us(f.wake_up.quantile(0.99));
  std::printf("%4d Hz, %g s, %s\n", rate, seconds,
              h.prioritized ? "SCHED_FIFO 80" : "without real-time priority");
  std::printf("  wake-up, us        p50 %.1f   p99 %.1f   p99.9 %.1f   max %.1f at frame %lld\n",
              us(f.wake_up.quantile(0.5)), p99, us(f.wake_up.quantile(0.999)), us(f.wake_up.max()),
              static_cast<long long>(f.wake_up.max_frame()));
  std::printf("  cost of a frame    p50 %.1f   p99 %.1f   p99.9 %.1f   max %.1f\n",
              us(f.cost.quantile(0.5)), us(f.cost.quantile(0.99)), us(f.cost.quantile(0.999)),
              us(f.cost.max()));
  std::printf("  late frames        %llu of %llu: work %llu, wake-up %llu, wait %llu\n",
              static_cast<unsigned long long>(f.late), static_cast<unsigned long long>(f.frames),
              static_cast<unsigned long long>(f.late_by[1]),
              static_cast<unsigned long long>(f.late_by[2]),
              static_cast<unsigned long long>(f.late_by[3]));
  for (const realtime::Frame& late : f.late_frames)
    if (late.cause == realtime::Cause::work)
      std::printf("    frame %lld, by %.1f us: %s\n", static_cast<long long>(late.number),
                  us(-late.margin), realtime::blame(late, h.parts).c_str());
  std::printf(
      "  in the loop        %ld allocations, %lld minor and %lld major page faults, %lld waits "
      "besides the sleep\n",
      last_allocations - first_allocations, static_cast<long long>(h.minor_faults),
      static_cast<long long>(h.major_faults), static_cast<long long>(h.waits));
  const double orders = static_cast<double>(done) / lasted;
  if (ordered) std::printf("  orders carried out %.0f a second\n", orders);
  const bool good = p99 < 150.0 && (!ordered || orders > 990.0) && f.late_by[1] == 0 &&
                    last_allocations == first_allocations && h.minor_faults == 0 &&
                    h.major_faults == 0 && h.waits == 0;
  std::printf(
      "  asked for: p99 below 150 us, no late frame by work, no allocation, fault or wait%s: "
      "%s\n\n",
      ordered ? ", 1000 orders a second" : "", good ? "kept" : "NOT KEPT");
  return good;
}

}  // namespace

int main(int count, char** words) {
  double seconds = 60.0;
  bool load = true;
  for (int i = 1; i < count; ++i) {
    if (std::strcmp(words[i], "--quiet-machine") == 0)
      load = false;
    else
      seconds = std::atof(words[i]);
  }
  if (!(seconds > 0.0)) return 2;
  std::optional<Load> hogs;
  if (load) hogs.emplace();
  double mean[1] = {};
  static_cast<void>(getloadavg(mean, 1));
  std::printf("load: %s; %.1f runnable tasks in the last minute\n",
              hogs ? hogs->name() : "none of ours", mean[0]);
  std::fflush(stdout);
  const TemporaryFolder folder;
  bool good = true;
  for (const int rate : {250, 1000}) good &= measure(rate, seconds, folder.path(), false);
  good &= measure(1000, seconds, folder.path(), true);
  return good ? 0 : 1;
}
