// How long a run on several nodes stands still when one of them is killed: four oscillators on
// three processes of the program, one of which is killed with SIGKILL again and again. A gap is the
// time between two rows that the run shows. Prints the figures and whether the targets are met;
// exits with 1 if one is not. The last line is of parts that all run on two of the three processes:
// then no time is computed again. usage: failover_bench PROGRAM [KILLS]
#include <signal.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "machine.hpp"
#include "vernier/base/random.hpp"
#include "vernier/base/temporary_folder.hpp"
#include "vernier/run/server/composer.hpp"
#include "vernier/run/session/prepare.hpp"
#include "vernier/standard/catalogue.hpp"

namespace {

using namespace vernier;
using namespace std::chrono_literals;
using Wall = std::chrono::steady_clock;

constexpr const char* const model = R"(<hybridsystem name="Oscillator" version="1">
  <constants><constant name="k" value="4"/></constants>
  <inputs><input name="u" default="0"/></inputs>
  <states><state name="x" initial="1"/><state name="v" initial="0"/></states>
  <outputs><output name="y"/></outputs>
  <location><name>Swing</name>
    <diffequation state="x">v</diffequation>
    <diffequation state="v" unit="1">u - k*x - 0.1*v - 0.3*sin(x)</diffequation>
    <outputmap output="y">x</outputmap></location>
</hybridsystem>)";
constexpr const char* const document = R"(<interconnection name="four" version="1">
  <system id="a" file="oscillator.xml" island="own"/>
  <system id="b" file="oscillator.xml" island="own"/>
  <system id="c" file="oscillator.xml" island="own"/>
  <system id="d" file="oscillator.xml" island="own"/>
  <connect from="d.y" to="a.u" gain="0.1"/>
  <connect from="a.y" to="b.u" gain="0.1"/>
  <connect from="b.y" to="c.u" gain="0.1"/>
  <connect from="c.y" to="d.u" gain="0.1"/>
  <run stop="100000 s" step="10 ms"/></interconnection>)";

/// The executors that run now.
class Processes {
 public:
  server::Started start(std::uint32_t seat, const std::string& program) {
    server::Started s = server::started_here({program, {"executor"}});
    const std::lock_guard lock(mutex_);
    if (seat >= ids_.size()) ids_.resize(seat + 1);
    ids_[seat] = s.process->process->id();
    ++started_;
    return s;
  }
  void kill(std::uint32_t seat) {
    const std::lock_guard lock(mutex_);
    ::kill(ids_[seat], SIGKILL);
  }
  int started() {
    const std::lock_guard lock(mutex_);
    return started_;
  }

 private:
  std::mutex mutex_;
  std::vector<pid_t> ids_;
  int started_ = 0;
};

/// When rows come; and what is in them.
struct Rows final : executive::Observer {
  explicit Rows(const executive::PortView& v) : port(&v), ports{&v} {}
  const executive::PortView* port;
  std::vector<const executive::PortView*> ports;
  Wall::time_point before = Wall::now();
  std::atomic<std::int64_t> longest{0};  // ns, since it was last asked
  std::uint64_t digest = 14695981039346656037u, count = 0;
  const std::vector<const executive::PortView*>* reads() const noexcept override { return &ports; }
  void sample(Instant, bool) noexcept override {
    const auto now = Wall::now();
    const std::int64_t gap = (now - before).count();
    before = now;
    if (gap > longest.load()) longest.store(gap);
    for (const double x : port->reals())
      digest = (digest ^ std::bit_cast<std::uint64_t>(x)) * 1099511628211u;
    ++count;
  }
};

composition::Plan plan_of(const std::filesystem::path& file, const Catalogue& types) {
  Diagnostics problems;
  return std::move(session::prepare(file, {}, types, problems).plan);
}

struct Killed {
  std::vector<double> gaps, usual;  // ms, with and without a kill
  bool same = false;                // the same rows as one process
  int returns = 0;                  // to an earlier state
};

Killed measure(const std::string& program, std::int64_t keep_every, int kills,
               std::uint32_t replicas) {
  const TemporaryFolder folder;
  const std::filesystem::path file = folder / "four.xml";
  std::ofstream(folder / "oscillator.xml") << model;
  std::ofstream(file) << document;
  const Catalogue types = standard_catalogue({});
  Processes processes;
  server::Team team;
  for (std::uint32_t s = 0; s < 3; ++s)
    team.seats.push_back({.name = std::string(1, static_cast<char>('a' + s)),
                          .start = [&, s] { return processes.start(s, program); }});
  composition::Plan plan = plan_of(file, types);
  std::vector<composition::Division::Nodes> division(plan.parts.size());
  for (std::uint32_t p = 0; p < plan.parts.size(); ++p)
    for (std::uint32_t r = 0; r < replicas; ++r) division[p].push_back((p + r) % 3);
  team.division = composition::Division(std::move(division));
  team.begin = {.version = VERNIER_VERSION, .document = file.string()};
  team.begin.keep_every = keep_every;
  server::Composer run(std::move(plan), {}, {}, std::move(team));
  Rows rows(*run.find("d.y"));
  run.observe(rows, {.cluster = rows.port->cluster});
  run.initialize();

  Killed found;
  run.on_news = [&found](const Diagnostics& d) {
    found.returns += rendered(d).find("continues from") != std::string::npos;
  };
  std::thread killer([&] {
    Random random(7);
    for (int k = 0; k < kills; ++k) {
      const int before = processes.started();
      std::this_thread::sleep_for(100ms);
      rows.longest = 0;
      std::this_thread::sleep_for(100ms);
      found.usual.push_back(1e-6 * static_cast<double>(rows.longest.exchange(0)));
      processes.kill(static_cast<std::uint32_t>(random.uniform() * 3));
      // until a new one was started; before it takes part again
      for (int i = 0; i < 10'000 && processes.started() == before; ++i)
        std::this_thread::sleep_for(1ms);
      found.gaps.push_back(1e-6 * static_cast<double>(rows.longest.exchange(0)));
      std::this_thread::sleep_for(400ms);
    }
    run.request_freeze(Time::min());
  });
  const executive::Ending ending = run.run_until(Time(run.plan().stop));
  killer.join();
  if (ending != executive::Ending::frozen) {
    std::fprintf(stderr, "it ended (%d) at %g s\n%s", static_cast<int>(ending), seconds(run.now()),
                 rendered(run.fault()).c_str());
    return found;
  }
  executive::Executive plain(plan_of(file, types));
  Rows expected(*plain.find("d.y"));
  plain.observe(expected, {.cluster = expected.port->cluster});
  plain.initialize();
  plain.request_freeze(run.now());
  plain.run_until(Time(plain.plan().stop));
  found.same = plain.now() == run.now() && expected.digest == rows.digest;
  return found;
}

double quantile(std::vector<double> all, double q) {
  std::sort(all.begin(), all.end());
  return all.empty() ? 1e9
                     : all[std::min(all.size() - 1,
                                    static_cast<std::size_t>(q * static_cast<double>(all.size())))];
}

bool check(const std::string& program, std::int64_t keep_every, int kills, double target,
           std::uint32_t replicas = 1) {
  const Killed k = measure(program, keep_every, kills, replicas);
  const double p99 = quantile(k.gaps, 0.99);
  const bool met = k.same && static_cast<int>(k.gaps.size()) == kills && p99 < target;
  std::printf(
      "%u replica%s, copies every %4lld ticks, %d kills: %d returns, gap p50 %.1f ms, p99 %.1f ms, "
      "worst %.1f ms (target "
      "p99 < %.0f ms); without a kill p50 %.1f ms, p99 %.1f ms; %s   %s\n",
      replicas, replicas == 1 ? "" : "s", static_cast<long long>(keep_every), kills, k.returns,
      quantile(k.gaps, 0.5), p99, quantile(k.gaps, 1.0), target, quantile(k.usual, 0.5),
      quantile(k.usual, 0.99), k.same ? "the bits of one process" : "OTHER BITS",
      met ? "ok" : "NOT");
  std::fflush(stdout);
  return met;
}

}  // namespace

int main(int count, char** words) {
  if (count < 2) {
    std::fprintf(stderr, "usage: failover_bench PROGRAM [KILLS]\n");
    return 2;
  }
  const std::string program = std::filesystem::absolute(words[1]).string();
  const int kills = count > 2 ? std::atoi(words[2]) : 100;
  std::printf("%s\n", bench::machine().c_str());
  try {
    const bool every = check(program, 1, kills, 10.0);
    const bool hundred = check(program, 100, kills, 50.0);
    const bool twice = check(program, 1000, kills, 10.0, 2);
    return every && hundred && twice ? 0 : 1;
  } catch (const ConfigurationError& e) {
    std::fprintf(stderr, "%s", rendered(e.diagnostics()).c_str());
    return 2;
  }
}
