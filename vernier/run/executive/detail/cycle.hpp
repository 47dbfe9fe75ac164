#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "vernier/component/component.hpp"
#include "vernier/component/rest.hpp"
#include "vernier/run/composition/plan.hpp"
#include "vernier/run/executive/detail/clockwork.hpp"
#include "vernier/run/executive/detail/memory.hpp"
#include "vernier/run/executive/detail/workers.hpp"
#include "vernier/run/executive/executive.hpp"

namespace vernier::executive::detail {

/// What stopped a run; converted to a message only on request.
struct Breakdown {
  enum class Kind : std::uint8_t {
    none,
    component,     // `part` returned failed
    loop,          // `part` is one that still changes
    not_a_number,  // of some real output
    no_agreement,  // the early returns of several parts do not converge; `part` is one of them
    unannounced,   // `part` stopped early without having declared it
    no_progress,   // `part` stops immediately, again and again
    pacer          // `part` is the number of the pacer that failed
  };
  Kind kind = Kind::none;
  std::uint32_t part = 0;
  Instant at{};
};

/// The phases of a tick, on one thread or several. Every function marked noexcept is for the loop.
class Cycle {
 public:
  Cycle(const composition::Plan&, Memory&, const Options&);

  Clockwork& clockwork() noexcept { return clockwork_; }
  const Clockwork& clockwork() const noexcept { return clockwork_; }
  const Breakdown& breakdown() const noexcept { return breakdown_; }
  void break_down(Breakdown::Kind k, std::uint32_t part, Instant at) noexcept;

  /// Back to the state before the first tick, at `start`.
  void restart(Time start) noexcept;
  /// Called after restart() with the ticks of the groups restored: everything due at `now` has been
  /// executed, in each cluster up to its microstep.
  void resettled(Time now, std::span<const std::uint32_t> microsteps) noexcept;
  std::size_t clusters() const noexcept { return clusters_.size(); }
  std::uint32_t microstep(std::size_t cluster) const noexcept {
    return clusters_[cluster].at.microstep;
  }
  /// Whether every cluster with continuous parts has an instant now: only then can a run be stopped
  /// and saved.
  bool aligned() const noexcept;
  /// The same for the instant `now`, which is about to be settled.
  bool aligned(Time now) const noexcept;

  /// Computes all outputs, due or not: used between the phases of initialization.
  bool compute_all(Time) noexcept;
  /// Output, react and exchange of the clusters with an instant at `now`, and requested samples of
  /// others. False: the run has failed.
  bool settle(Time now) noexcept;
  /// Advances the clusters whose instant is `now` to their next ones, at most to `until`. Check
  /// breakdown() afterwards.
  void advance(Time now, Time until) noexcept;
  /// The next time at which there is something to settle, at most `until`.
  Time next(Time until) const noexcept;

  void observe(Observer&, const Sampling&, Time now);
  void remove(Observer&) noexcept;

  void on_every_thread(void (*f)(void*) noexcept, void* context) noexcept;

  /// Executes the next ticks invisibly, on the threads that will execute them, and restores the
  /// previous state to the bit. Parts that cannot be rewound, or have external effects, are
  /// skipped. Allocates.
  void rehearse(Time now, Time until, int ticks);

  // -- coming to rest (rest.cpp): see Executive::come_to_rest() ---------------------------------

  bool moving() const noexcept;
  Duration longest_rest() const noexcept;
  /// From now on a part that fails is left out, and the others continue.
  void begin_rest() noexcept;
  void end_rest() noexcept;
  void tell(RestPhase) noexcept;
  /// Calls `f(part, component, lost)` for each that can come to rest; lost: it has failed.
  template <class F>
  void each_rester(const F& f) const {
    for (const Rester& r : resters_) f(r.part, *r.component, r.lost);
  }

  Statistics& statistics() noexcept { return statistics_; }
  /// The number of calls of advance() of a part.
  std::uint64_t calls(std::size_t part) const noexcept;
  /// The last journal entry of a part, to explain an instantaneous loop.
  const Entry& last_entry(std::size_t part) const noexcept { return last_entries_[part]; }
  /// Parts that returned `changed` in the last round of reactions.
  std::span<const std::uint8_t> changed() const noexcept { return changed_; }

 private:
  // groups and clusters never move, so that pointers to hot data stay valid
  struct Call {
    Component* component;
    std::span<const Transfer> before;
    const Group* group;
    const Instant* at;  // of its cluster
    std::uint32_t part;
    bool dense;  // sample() can be asked
  };
  struct Mover {
    Component* component = nullptr;
    const Group* group = nullptr;
    std::uint32_t part = 0, cluster = 0;
    bool stops = false;
  };
  /// A part that may stop early, and what is needed to rewind it.
  struct Stopper {
    Mover mover;
    Time reached{};
    bool rewinds = true;
    bool alone = true;  // the only one of its cluster
    std::vector<std::byte> state;
    std::vector<std::vector<std::byte>> streams;
    std::vector<StreamReader::Position> readers;
    std::size_t journal = 0;
  };
  Stopper stopper(const Mover&, const Description&) const;
  struct Watch {
    Observer* observer;
    Sampling sampling;
    bool exact = false;  // called at ticks, even if these are not instants
    std::int64_t k = 0;
    Time next{};

    bool sees(std::size_t cluster) const noexcept {
      return !sampling.cluster || *sampling.cluster == cluster;
    }
  };
  /// Parts that share their instants: see composition::Cluster.
  struct Cluster {
    bool continuous = false;  // has parts without a rate, and so the ticks of the base step
    bool early = false;
    bool dense = true;
    std::uint32_t group = none;  // of the continuous parts
    std::size_t parts = 0;
    std::vector<std::uint32_t> groups;  // of rates
    std::vector<std::uint32_t> calls;   // its continuous parts, in the order of calls_
    std::vector<Component*> predictors, sampled;

    Time next{};             // the instant that it advances to, or the current one
    Time limit{}, wanted{};  // of the current advance: the agreed limit, and the earliest request
    Instant at{};            // the last one settled
    bool settled = false;    // at least one was
    bool active = false;     // a part reacted in the last round
    bool event = false;      // something changed at the current instant
    bool shown = false;      // the values before that were shown
    bool cut_short = false;  // the current instant results from an early return
    int stalls = 0;
    std::vector<Time> expected;  // times to sample before `next`
    Time sampled_at = Time::min();
  };
  /// What one worker found in a phase.
  struct alignas(64) Desk {
    std::uint32_t failed = none;
    Breakdown::Kind kind = Breakdown::Kind::none;
    bool changed = false;
  };
  struct Rester {
    ComesToRest* component;
    std::uint32_t part;
    bool lost = false;  // it failed
  };
  enum class Task : std::uint8_t { output, react, stop_early, move };
  static constexpr std::uint32_t none = 0xffffffff;

  void run(Task, std::size_t items) noexcept;
  static void work(void* cycle, int worker) noexcept;
  void do_slice(Task, Slice, int worker) noexcept;
  template <bool measuring>
  void do_calls(Task, Slice, int worker) noexcept;

  bool enter(Time now) noexcept;
  bool settle_due(Time now) noexcept;
  bool react_until_quiet() noexcept;
  void take_up_changes() noexcept;
  void outputs() noexcept;
  void outputs_of_changed() noexcept;
  bool reactions() noexcept;
  void carry_late() noexcept;
  void empty_journals() noexcept;

  void show_before(std::size_t cluster) noexcept;
  void show(Time now) noexcept;
  void sample_before() noexcept;
  bool sample(std::size_t cluster, Time at) noexcept;
  void reserve_samples(std::size_t cluster);
  void expect_samples(std::size_t cluster) noexcept;
  static void aim(Watch&, Time from) noexcept;

  void call(const Call&, int worker) noexcept;
  void move(const Mover&, Time from, Time to, int worker) noexcept;
  void move_alone(const Mover&, Time from, Time to, int worker) noexcept;
  Time next_instant(std::size_t cluster, Time now, Time until) const noexcept;
  void settle_stoppers(Time now) noexcept;
  bool agree() noexcept;
  bool limit_to_reached() noexcept;
  void move_all() noexcept;
  void leave(Time now) noexcept;
  void keep(Stopper&) noexcept;
  void step_back(Stopper&) noexcept;
  void note(std::uint32_t part, Outcome, int worker,
            Breakdown::Kind = Breakdown::Kind::component) noexcept;
  bool collect() noexcept;
  /// After a failure: whether the tick is completed without what failed, because something moves.
  bool survives() noexcept;
  void leave_out(std::uint32_t part) noexcept;
  void put_in_place(std::uint32_t part, Component*) noexcept;
  /// Back to all parts.
  void reinstate() noexcept;
  void find_resters(const composition::Plan&);

  /// Attributes wall time to parts, from one call to the next.
  template <bool measuring>
  class Stopwatch {
   public:
    explicit Stopwatch(Cycle& c) noexcept : cycle_(c) {
      if constexpr (measuring) last_ = cycle_.wall();
    }
    void lap(std::uint32_t part) noexcept {
      if constexpr (measuring) {
        const std::int64_t now = cycle_.wall();
        cycle_.costs_[part] += now - last_;
        last_ = now;
      }
    }

   private:
    Cycle& cycle_;
    std::int64_t last_ = 0;
  };
  std::int64_t wall() const noexcept {
    if (options_.meter) return options_.meter->now();
    return std::chrono::nanoseconds(std::chrono::steady_clock::now().time_since_epoch()).count();
  }
  template <bool measuring>
  void outputs_of() noexcept;
  void finish_measuring() noexcept;

  Workers workers_;
  Memory& memory_;
  Options options_;
  Duration step_;
  Clockwork clockwork_;
  Breakdown breakdown_;

  std::vector<Cluster> clusters_;
  std::vector<std::uint8_t> due_;  // by cluster: its instant is now, and it has not advanced
  std::vector<Call> calls_;
  std::vector<std::size_t> levels_;                    // first call of each level, and the end
  std::vector<std::vector<std::uint32_t>> followers_;  // parts whose outputs need those of a part
  std::vector<Mover> reactors_, movers_;
  std::vector<Stopper> stoppers_;  // those that cannot rewind come last, at most one per cluster
  std::vector<Watch> watches_;
  std::vector<Rester> resters_;
  std::vector<RestListener*> listeners_;
  std::vector<Component*> components_;  // by part
  std::unique_ptr<Component> absent_;   // takes the place of a part that failed
  bool surviving_ = false;              // failures do not end the tick

  // of the current phase
  Task task_ = Task::output;
  Time from_{};
  std::size_t first_ = 0, items_ = 0;
  std::size_t due_parts_ = 0;  // parts of clusters that are due
  std::vector<Desk> desks_;
  bool measuring_ = false;

  std::vector<std::uint8_t> changed_, affected_;  // by part
  std::vector<std::uint64_t> moves_;              // by group: advances common to all its movers
  std::vector<std::uint64_t> more_moves_;         // by part: additional ones
  std::vector<std::uint32_t> group_of_;           // by part; of stoppers `none`
  std::vector<std::uint32_t> cluster_of_;         // by part
  std::vector<std::int64_t> costs_;               // by part, of this tick
  std::vector<Entry> last_entries_;
  Statistics statistics_;
};

}  // namespace vernier::executive::detail
