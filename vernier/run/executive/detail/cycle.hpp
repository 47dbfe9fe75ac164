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
#include "vernier/run/executive/detail/switchboard.hpp"
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
    pacer,         // `part` is the number of the pacer that failed
    peer,          // `part` is the number of the node that is lost
    replicas       // those of `part` differ
  };
  Kind kind = Kind::none;
  std::uint32_t part = 0;
  Instant at{};
};

/// The phases of a tick, on one thread or several. Every function marked noexcept is for the loop.
class Cycle {
 public:
  /// `switchboard`: to the other nodes of the run; null: there are none.
  Cycle(const composition::Plan&, Memory&, const Options&, Switchboard* switchboard);

  Clockwork& clockwork() noexcept { return clockwork_; }
  const Clockwork& clockwork() const noexcept { return clockwork_; }
  const Breakdown& breakdown() const noexcept { return breakdown_; }
  void break_down(Breakdown::Kind k, std::uint32_t part, Instant at) noexcept;
  /// Of another node; null: none.
  const Switchboard::Trouble* trouble() const noexcept {
    return switchboard_ && switchboard_->trouble() ? &*switchboard_->trouble() : nullptr;
  }

  /// What the switchboard returned; when that is false, the run has failed.
  bool together(bool exchanged, Time now) noexcept;

  /// The observers and statistics of another, which is used no more. restart() must follow.
  void take_over(Cycle&);
  /// Counts how often journals were emptied at the current time.
  std::uint32_t emptied() const noexcept { return emptied_; }

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
  bool aligned() const noexcept { return aligned_here() && shared_by_all(now_); }
  /// The same for the instant `now`, which is about to be settled.
  bool aligned(Time now) const noexcept { return aligned_here(now) && shared_by_all(now); }
  /// The same for the clusters of this node only.
  bool aligned_here() const noexcept;
  bool aligned_here(Time now) const noexcept;

  /// Computes all outputs, due or not: used between the phases of initialization.
  bool compute_all(Time) noexcept;
  /// The same on several nodes, of all parts that are initialized on this one; `settled` becomes
  /// false if it is false on another.
  bool compute_all_together(Time, std::uint32_t phase, bool& settled) noexcept;
  /// Nothing lies beyond this time, which is an instant of all clusters.
  void bound(Time until) noexcept { until_ = until; }
  /// After a return to `now`: tells other nodes again until when clusters that are not due now do
  /// not change. False: one of them is lost.
  bool promise_again(Time now) noexcept;
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
    bool dense;               // sample() can be asked
    std::uint32_t round = 0;  // after which other nodes receive the outputs
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
    bool here = true;         // this node has parts of it
    bool shared = false;      // and others have
    bool continuous = false;  // has parts without a rate, and so the ticks of the base step
    bool early = false;
    bool dense = true;
    std::uint32_t group = none;  // of the continuous parts
    std::size_t parts = 0;
    std::vector<std::uint32_t> groups;  // of rates
    std::vector<std::uint32_t> calls;   // its continuous parts, in the order of calls_
    std::uint32_t rounds = 0;           // of outputs that are exchanged
    std::vector<Component*> predictors, sampled;

    Time next{};             // the instant that it advances to, or the current one
    Time limit{}, wanted{};  // of the current advance: the agreed limit, and the earliest request
    Time agreed{};           // the limit that all nodes know
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
  bool react_until_quiet(Time now) noexcept;
  void take_up_changes() noexcept;
  bool outputs(Time now) noexcept;
  void outputs_of_round(std::uint32_t round) noexcept;
  bool outputs_of_changed(Time now) noexcept;
  bool reactions(Time now, std::uint32_t round, bool& any) noexcept;
  void carry_late() noexcept;
  void empty_journals() noexcept;

  void show_before(std::size_t cluster) noexcept;
  void show(Time now) noexcept;
  bool sample_before() noexcept;
  bool sample(std::size_t cluster, Time at) noexcept;
  void sample_shared(Time now) noexcept;
  /// Calls `f` for the calls of a cluster's continuous parts, and exchanges what they compute.
  template <class F>
  bool recompute(std::size_t cluster, Time at, const F& f) noexcept;
  void reserve_samples(std::size_t cluster);
  void expect_samples(std::size_t cluster) noexcept;
  static void aim(Watch&, Time from) noexcept;

  void call(const Call&, int worker) noexcept;
  void move(const Mover&, Time from, Time to, int worker) noexcept;
  void move_alone(const Mover&, Time from, Time to, int worker) noexcept;
  Time next_event(std::size_t cluster, Time now) const noexcept;
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
  void order_calls(const composition::Plan&);

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
  void outputs_of_affected(std::uint32_t round) noexcept;
  void finish_measuring() noexcept;

  // with other nodes (together.cpp); each returns false, and the run has failed, when one is lost
  /// Whether all nodes can stop at `t`: all have an instant there, and know it.
  bool shared_by_all(Time t) const noexcept;
  bool here(std::uint32_t part) const noexcept { return !switchboard_ || switchboard_->here(part); }
  void outputs_of_initialized(Time now) noexcept;
  bool begin_together(Time now) noexcept;
  bool finish_together(Time now) noexcept;
  bool react_together(Time now, std::uint32_t round, bool& any) noexcept;
  bool exchange_reactions(Time now, std::uint32_t round) noexcept;
  bool agree_after_return(Time now) noexcept;
  /// From now on agree_on_limits() exchanges the limits of the clusters with parts that stop, or
  /// only of those where one cannot rewind. Returns whether there is one.
  bool open_limits(bool only_last) noexcept;
  /// Whether any limit has moved, here (`any`) or on another node; false after a failure.
  bool agree_on_limits(bool any) noexcept;
  bool promise_limits(Time now) noexcept;

  Workers workers_;
  Memory& memory_;
  Switchboard* switchboard_;
  Options options_;
  Duration step_;
  Clockwork clockwork_;
  Breakdown breakdown_;

  std::vector<Cluster> clusters_;
  std::vector<std::uint8_t> due_;  // by cluster: its instant is now, and it has not advanced
  std::vector<Call> calls_;
  std::vector<std::size_t> levels_;                    // first call of each level, and the end
  std::vector<std::size_t> rounds_;                    // first level of each round, and the end
  Group elsewhere_{.due = false};                      // of parts on other nodes
  std::vector<std::vector<std::uint32_t>> followers_;  // parts whose outputs need those of a part
  std::vector<Mover> reactors_, movers_;
  std::vector<std::uint32_t> reacting_;  // parts, of all nodes
  std::vector<Stopper> stoppers_;  // those that cannot rewind come last, at most one per cluster
  std::vector<Watch> watches_;
  std::vector<Rester> resters_;
  std::vector<RestListener*> listeners_;
  std::vector<Component*> components_;  // by part
  std::unique_ptr<Component> absent_;   // takes the place of a part that failed
  bool surviving_ = false;              // failures do not end the tick

  // of the current phase
  Task task_ = Task::output;
  Time now_{};   // of the instant that is settled
  Time from_{};  // that parts are advanced from
  std::size_t first_ = 0, items_ = 0;
  std::size_t due_parts_ = 0;  // parts of clusters that are due
  std::uint32_t emptied_ = 0;
  std::vector<Desk> desks_;
  bool measuring_ = false;

  std::vector<std::uint8_t> changed_, affected_;  // by part
  // by cluster, for exchanges with other nodes
  std::vector<std::uint8_t> chosen_, unsettled_;
  std::vector<Time> times_;     // the next event of all nodes; or limits
  std::vector<Time> promised_;  // the time before which others expect no change
  bool agreed_ = false;         // times_ are those of the current instant
  Time until_ = Time::max();
  std::vector<std::uint64_t> moves_;       // by group: advances common to all its movers
  std::vector<std::uint64_t> more_moves_;  // by part: additional ones
  std::vector<std::uint32_t> group_of_;    // by part; of stoppers `none`
  std::vector<std::uint32_t> cluster_of_;  // by part
  std::vector<std::int64_t> costs_;        // by part, of this tick
  std::vector<Entry> last_entries_;
  Statistics statistics_;
};

}  // namespace vernier::executive::detail
