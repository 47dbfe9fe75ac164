// The cost of a tick of the executive: 200 trivial components, compared with 200 bare virtual calls
// of the same components in the same run. Prints the figures and whether the targets are met; exits
// with 1 if one is not.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <string>
#include <vector>

#include "vernier/base/diagnostic.hpp"
#include "vernier/run/composition/plan.hpp"
#include "vernier/run/executive/executive.hpp"

namespace {

long allocated = 0;

}  // namespace

// not inlined: otherwise gcc 12 reports a mismatch of malloc and delete, or new and free
[[gnu::noinline]] void* operator new(std::size_t n) {
  ++allocated;
  if (void* p = std::malloc(n)) return p;
  throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* p) noexcept { std::free(p); }
[[gnu::noinline]] void operator delete(void* p, std::size_t) noexcept { std::free(p); }

namespace {

using namespace vernier;
using namespace std::chrono_literals;
using Wall = std::chrono::steady_clock;

/// x' = u, y = x by Euler steps; `work` more iterations of something that takes time.
class Trivial final : public Component {
 public:
  explicit Trivial(int work = 0) : work_(work) {
    Port p;
    p.name = "u";
    p.initial = {{0.0}};
    description_.inputs = {p};
    p.name = "y";
    p.initial.reset();
    description_.outputs = {p};
    description_.state_bytes = sizeof x_;
  }
  const Description& description() const noexcept override { return description_; }
  void bind(const Bindings& b) override {
    u_ = b.real_input("u").data();
    y_ = b.real_output("y").data();
  }
  Outcome output(Instant) noexcept override {
    *y_ = x_;
    return Outcome::ok;
  }
  Advance advance(Time from, Time to) noexcept override {
    for (int i = 0; i < work_; ++i) x_ = x_ * 0.999999 + 1e-9;
    x_ += *u_ * 1e-9 * static_cast<double>((to - from).count());
    return {to};
  }
  void save(std::span<std::byte> b) const noexcept override {
    std::memcpy(b.data(), &x_, sizeof x_);
  }
  void load(std::span<const std::byte> b) noexcept override {
    std::memcpy(&x_, b.data(), sizeof x_);
  }

 private:
  Description description_;
  const double* u_ = nullptr;
  double* y_ = nullptr;
  int work_;
  double x_ = 1.0;
};

composition::Plan chain(int size, int work) {
  composition::Plan plan;
  plan.step = 1ms;
  for (int i = 0; i < size; ++i) {
    composition::Part p;
    p.name = "c" + std::to_string(i);
    p.prefix = p.name + ".";
    p.component = std::make_unique<Trivial>(work);
    plan.parts.push_back(std::move(p));
  }
  for (int i = 0; i < size; ++i) {
    composition::Wire w;
    w.from_part = static_cast<std::uint32_t>(i);
    w.to_part = static_cast<std::uint32_t>((i + 1) % size);
    plan.wires.push_back(w);
  }
  Diagnostics problems;
  composition::arrange(plan, problems);
  problems.throw_if_errors();
  return plan;
}

/// Copies all outputs, as a recorder does.
class Recorder final : public executive::Observer {
 public:
  explicit Recorder(const executive::Executive& run) {
    for (const executive::PortView& v : run.ports())
      if (v.output) views_.push_back(&v);
    row_.resize(views_.size());
  }
  void sample(Instant, bool) noexcept override {
    for (std::size_t i = 0; i < views_.size(); ++i) row_[i] = views_[i]->reals()[0];
  }

 private:
  std::vector<const executive::PortView*> views_;
  std::vector<double> row_;
};

struct Timing {
  std::vector<double> ns;
  double best() const { return *std::min_element(ns.begin(), ns.end()); }
  double median() const {
    std::vector<double> s = ns;
    std::nth_element(s.begin(), s.begin() + static_cast<long>(s.size() / 2), s.end());
    return s[s.size() / 2];
  }
};

template <class F>
double per_turn(int turns, F f) {
  const auto begin = Wall::now();
  f(turns);
  return std::chrono::duration<double, std::nano>(Wall::now() - begin).count() / turns;
}

void run_ticks(executive::Executive& run, int ticks) {
  if (run.run_until(run.now() + ticks * 1ms) != executive::Ending::reached) std::abort();
}

int failures = 0;

void figure(const char* name, double value, double most) {
  const bool ok = value <= most;
  std::printf("%-52s %8.2f   <= %-5.2f %s\n", name, value, most, ok ? "ok" : "NOT");
  failures += !ok;
}

void threads() {
  std::printf("\n64 components of about 10 us each: us per tick\n");
  double one = 0.0;
  for (const int n : {1, 2, 4}) {
    executive::Options options;
    options.threads = n;
    executive::Executive run(chain(64, 5000), {}, options);
    run.initialize();
    Timing t;
    for (int k = 0; k < 15; ++k)
      t.ns.push_back(per_turn(20, [&](int turns) { run_ticks(run, turns); }));
    if (n == 1) one = t.best();
    std::printf("  %d thread%s %36.1f %8.1f   speed-up %.2f\n", n, n == 1 ? " " : "s",
                1e-3 * t.best(), 1e-3 * t.median(), one / t.best());
  }
}

}  // namespace

int main() {
  constexpr int size = 200, turns = 500, rounds = 200;
  executive::Executive plain(chain(size, 0)), recorded(chain(size, 0)), bare_calls(chain(size, 0));
  executive::Options every;
  every.measure_every = 1;
  executive::Executive measured(chain(size, 0), {}, every);
  Recorder recorder(recorded);
  recorded.observe(recorder, {});
  for (executive::Executive* run : {&plain, &recorded, &measured, &bare_calls}) run->initialize();
  std::vector<Component*> components;
  for (const composition::Part& p : bare_calls.parts()) components.push_back(p.component.get());

  Timing bare, tick, with_recorder, with_measuring;
  long during = 0;
  // in turns, so that disturbances by the machine affect all of them
  for (int k = 0; k < rounds; ++k) {
    const double b = per_turn(turns, [&](int n) {
      for (int i = 0; i < n; ++i)
        for (Component* c : components)
          if (c->output({Time{Duration(i)}}) != Outcome::ok) std::abort();
    });
    const long a = allocated;
    const double t = per_turn(turns, [&](int n) { run_ticks(plain, n); });
    const double r = per_turn(turns, [&](int n) { run_ticks(recorded, n); });
    const double m = per_turn(turns, [&](int n) { run_ticks(measured, n); });
    during += allocated - a;
    bare.ns.push_back(b);
    tick.ns.push_back(t);
    with_recorder.ns.push_back(r);
    with_measuring.ns.push_back(m);
  }

  std::printf("%d trivial components: ns for all of them %10s %8s\n", size, "best", "median");
  const auto line = [](const char* name, const Timing& t) {
    std::printf("  %-42s %10.0f %8.0f\n", name, t.best(), t.median());
  };
  line("bare virtual calls", bare);
  line("a tick", tick);
  line("a tick, all outputs recorded", with_recorder);
  line("a tick, the cost of each measured", with_measuring);
  std::printf("\n%-52s %8s   %s\n", "figure", "value", "required");
  figure("a tick over as many bare virtual calls (medians)", tick.median() / bare.median(), 4.0);
  figure("allocations in all ticks", static_cast<double>(during), 0.0);
  threads();
  return failures ? 1 : 0;
}
