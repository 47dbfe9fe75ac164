#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "vernier/component/component.hpp"
#include "vernier/run/composition/plan.hpp"
#include "vernier/run/executive/detail/clockwork.hpp"
#include "vernier/run/executive/detail/memory.hpp"
#include "vernier/run/executive/detail/workers.hpp"
#include "vernier/run/executive/executive.hpp"

namespace vernier::executive::detail {

/// What stopped a run; turned into words only when somebody asks.
struct Breakdown {
  enum class Kind : std::uint8_t {
    none,
    component,     // `part` answered failed
    loop,          // `part` is one that still changes
    not_a_number,  // of some real output
    no_agreement,  // early returns of several parts do not meet; `part` is one of them
    unannounced,   // `part` stopped early without having said it may
    no_progress,   // `part` stops at once, again and again
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

  /// As if nothing had happened, at `start`.
  void restart(Time start) noexcept;
  /// After restart() and with the ticks of the groups restored: what is due at `now` has happened,
  /// up to `microstep`.
  void resettled(Time now, std::uint32_t microstep) noexcept;
  std::uint32_t microstep() const noexcept { return microstep_; }

  /// Computes all outputs, due or not: between the phases of initialization.
  bool compute_all(Time) noexcept;
  /// Output, react and exchange at `now`. False: broken down.
  bool settle(Time now) noexcept;
  /// The next instant after `now`, at most `until`.
  Time next(Time now, Time until) const noexcept;
  /// Lets time pass towards `to`; answers how far it came. Look at breakdown() after it.
  Time advance(Time now, Time to) noexcept;

  void observe(Observer&, const Sampling&, Time now);
  void remove(Observer&) noexcept;

  void on_every_thread(void (*f)(void*) noexcept, void* context) noexcept;

  /// Makes the next ticks unseen, on the threads that will make them, and takes them back to the
  /// bit. Parts that cannot be brought back, and those with an outside, sit still. Allocates.
  void rehearse(Time now, Time until, int ticks);

  Statistics& statistics() noexcept { return statistics_; }
  /// Calls of advance() of a part so far.
  std::uint64_t calls(std::size_t part) const noexcept;
  bool early_return() const noexcept { return early_; }
  /// The last entry of a part's journal that was seen, for explaining an instantaneous loop.
  const Entry& last_entry(std::size_t part) const noexcept { return last_entries_[part]; }
  /// Parts that answered `changed` in the last round of reactions.
  std::span<const std::uint8_t> changed() const noexcept { return changed_; }

 private:
  struct Call {
    Component* component;
    std::span<const Transfer> before;
    std::uint32_t part, group;
  };
  struct Mover {
    Component* component = nullptr;
    std::uint32_t part = 0, group = 0;
    bool stops = false;
  };
  /// A part that may stop early, and what it takes to step it back.
  struct Stopper {
    Mover mover;
    Time reached{};
    bool rewinds = true;
    std::vector<std::byte> state;
    std::vector<std::vector<std::byte>> streams;
    std::vector<StreamReader::Position> readers;
    std::size_t journal = 0;
  };
  Stopper stopper(const Mover&, const Description&) const;
  struct Watch {
    Observer* observer;
    Sampling sampling;
    std::int64_t k = 0;
    Time next{};
  };
  /// What one worker found in a phase.
  struct alignas(64) Desk {
    std::uint32_t failed = none;
    Breakdown::Kind kind = Breakdown::Kind::none;
    bool changed = false;
  };
  enum class Task : std::uint8_t { output, react, stop_early, move };
  static constexpr std::uint32_t none = 0xffffffff;

  void run(Task, std::size_t items) noexcept;
  static void work(void* cycle, int worker) noexcept;
  void do_slice(Task, Slice, int worker) noexcept;
  template <bool measuring>
  void do_calls(Task, Slice, int worker) noexcept;

  void outputs(Instant) noexcept;
  void outputs_of_changed(Instant) noexcept;
  bool reactions(Instant) noexcept;
  void carry_late() noexcept;
  void exchange(Instant, bool event) noexcept;
  void show(Instant, bool last, bool event) noexcept;
  void empty_journals() noexcept;
  static void aim(Watch&, Time from) noexcept;

  void call(const Call&, Instant, int worker) noexcept;
  void move(const Mover&, Time from, Time to, int worker) noexcept;
  void move_alone(const Mover&, Time from, Time to, int worker) noexcept;
  Time settle_stoppers(Time now, Time to) noexcept;
  void keep(Stopper&) noexcept;
  void step_back(Stopper&) noexcept;
  void note(std::uint32_t part, Outcome, int worker,
            Breakdown::Kind = Breakdown::Kind::component) noexcept;
  bool collect(Instant) noexcept;

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
  void outputs_of(Instant) noexcept;
  void finish_measuring() noexcept;

  Workers workers_;
  Memory& memory_;
  Options options_;
  bool early_;
  Clockwork clockwork_;
  Breakdown breakdown_;

  std::vector<Call> calls_;
  std::vector<std::size_t> levels_;                    // first call of each level, and the end
  std::vector<std::vector<std::uint32_t>> followers_;  // parts whose outputs need those of a part
  std::vector<Mover> reactors_, movers_;
  std::vector<Stopper> stoppers_;  // the one that cannot rewind, if any, comes last
  std::vector<Component*> predictors_;
  std::vector<Watch> watches_;

  // of the phase under way
  Task task_ = Task::output;
  Instant at_{};
  Time from_{}, to_{};
  std::size_t first_ = 0, items_ = 0;
  std::vector<Desk> desks_;
  bool measuring_ = false;

  std::vector<std::uint8_t> changed_, affected_;  // by part
  std::vector<std::uint64_t> moves_;              // by group: advances that all movers of it did
  std::vector<std::uint64_t> more_moves_;         // by part: those besides
  std::vector<std::uint32_t> group_of_;           // by part; of stoppers `none`
  std::vector<std::int64_t> costs_;               // by part, of this tick
  std::vector<Entry> last_entries_;
  Statistics statistics_;
  Time settled_ = Time::min();  // the last time that was settled, and its last microstep
  std::uint32_t microstep_ = 0;
  int stalls_ = 0;
  bool cut_short_ = false;  // the present instant comes from an early return
};

}  // namespace vernier::executive::detail
