#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "vernier/base/diagnostic.hpp"
#include "vernier/base/time.hpp"
#include "vernier/component/pacer.hpp"
#include "vernier/run/composition/plan.hpp"
#include "vernier/run/executive/meter.hpp"
#include "vernier/run/executive/observer.hpp"
#include "vernier/run/executive/orders.hpp"
#include "vernier/run/executive/snapshot.hpp"
#include "vernier/run/executive/statistics.hpp"

namespace vernier::executive {

namespace detail {
class Memory;
class Cycle;
class OrderQueue;
}  // namespace detail

/// What counts as a fault.
struct FaultPolicy {
  int microsteps = 1000;     // rounds of reactions at one time before it is an instantaneous loop
  bool not_a_number = true;  // a real output that becomes NaN stops the run
};

struct Options {
  Time start{};
  int threads = 1;          // never changes a result
  int measure_every = 256;  // ticks between two measurements of costs per component; 0: never
  bool real_time = false;   // no early return: external devices do not wait for repeated steps
  Meter* meter = nullptr;   // receives the cost of every component; then every tick is measured
  FaultPolicy policy = {};
};

/// Why run_until() returned.
enum class Ending : std::uint8_t {
  reached,  // the requested time, or the end declared by a pacer; everything at now() is done
  frozen,   // request_freeze()
  stopped,  // request_stop()
  failed    // see fault()
};

/// Runs a plan. One tick:
///
///   output    every due component, in feedthrough order
///   react     until no component returns `changed`, at successive microsteps
///   exchange  streams published, observers called, journals emptied
///   advance   the clusters that are due, each to its next instant; no output changes meanwhile
///   pace      wait for every pacer
///
/// Each cluster of the plan has its own instants: ticks of the step and of its rates, its events
/// and stimuli. Neither observers nor other clusters add to them.
///
/// One thread calls all members except request_stop(), request_freeze() and those for orders, and
/// none while run_until() runs. run_until() does not allocate, lock or throw.
class Executive {
 public:
  /// `pacers` must outlive the executive. Binds all components; may throw what they throw.
  explicit Executive(composition::Plan, std::vector<Pacer*> pacers = {}, const Options& = {});
  ~Executive();
  Executive(const Executive&) = delete;
  Executive& operator=(const Executive&) = delete;

  /// Initializes all components, in phases until all have settled, and executes what is due at the
  /// start, before time advances. Throws ConfigurationError.
  void initialize();

  /// Executes a few ticks from now() invisibly and restores the previous state to the bit, so that
  /// the next run_until() finds its code and data in the caches. Components that cannot rewind or
  /// have external effects are skipped. After initialize() or restore(); may allocate.
  void rehearse();

  /// Continues until `t`, which becomes an instant of all clusters. After initialize() or
  /// restore().
  Ending run_until(Time) noexcept;

  /// The time reached; everything due at it is done.
  Time now() const noexcept { return now_; }

  /// Stops at the first instant at or after `t` that all clusters with continuous parts share, such
  /// as a tick of the step, without adding one. From any thread.
  void request_freeze(Time t) noexcept { freeze_at_.store(t.time_since_epoch().count()); }
  /// Permits run_until() to continue after a freeze or stop; the pacers restart from now().
  void resume() noexcept;
  /// Stops at the next such instant. From any thread or signal handler.
  void request_stop() noexcept { stop_.store(true); }

  // -- coming to rest --------------------------------------------------------------------------

  /// Whether a component that can come to rest (ComesToRest) is not at rest.
  bool moving() const noexcept;
  /// The longest that come_to_rest() takes, simulated; zero: no component can come to rest.
  Duration longest_rest() const noexcept;
  /// Time is about to stand still: all components that move come to rest first. Ticks continue
  /// after now(), held back by `pacers` only, until all are at rest at an instant that all clusters
  /// with continuous parts share, at most for longest_rest(). Neither stop, freeze nor the end of
  /// the run ends this, and no failure: a component that fails, or has failed, is left out, and its
  /// outputs keep their values. Returns whether all came to rest; if nothing moves, no time passes.
  /// After run_until() has returned, however it did. Does not allocate, lock or throw.
  bool come_to_rest(std::span<Pacer* const> pacers) noexcept;
  /// Permits them to move again, after a freeze. The time between is recorded as orders.
  void end_rest() noexcept;
  /// What still moves and how fast, and what failed while it moved; empty: nothing.
  std::string motion() const;

  /// Why the run failed: code, one sentence, the component and the time in the notes.
  Diagnostic fault() const;

  /// Calls `f` once on every thread that executes the run, including the calling one: to set their
  /// priority. Not while run_until() runs.
  void on_every_thread(void (*f)(void*) noexcept, void* context) noexcept;

  // -- taps ------------------------------------------------------------------------------------

  const std::vector<composition::Part>& parts() const noexcept { return plan_.parts; }
  const std::vector<Pacer*>& pacers() const noexcept { return pacers_; }
  const composition::Plan& plan() const noexcept { return plan_; }
  /// All ports, in the order of the parts, outputs before inputs. The views never move.
  std::span<const PortView> ports() const noexcept { return views_; }
  /// The port of a path; an output takes precedence over an input of the same name; null: none.
  const PortView* find(std::string_view path) const noexcept;
  /// A journal entry as text, its subject as a full path. From any thread.
  Telling tell(std::size_t part, const Entry&) const;

  /// Called from now on; `o` must outlive the run or be removed.
  void observe(Observer& o, const Sampling&);
  void remove(Observer& o) noexcept;

  /// From now on all readers see `values` instead of the port's value; an input is replaced only
  /// for its component. Throws ConfigurationError: unknown path, wrong number of elements, stream.
  void override_port(std::string_view path, std::span<const double> values);
  void release(std::string_view path);
  /// Triggers an event input once, at the next tick. Throws ConfigurationError.
  void send(std::string_view path);

  // -- orders: from any thread, while the run continues ----------------------------------------

  /// Orders an action at the next instant that all clusters with continuous parts share: changes
  /// before its outputs are computed, reads after everything has settled. Orders are executed in
  /// the order of the calls; a change after a read waits for another instant. Returns a number for
  /// answer(). Throws ConfigurationError: as override_port(), release() and send() do; V2144 when
  /// too many orders are waiting.
  std::uint64_t ask(const Order&);
  /// The result of an order; call it until the order is done.
  OrderAnswer answer(std::uint64_t number);
  /// The answer will not be requested.
  void forget(std::uint64_t number);
  /// Executes waiting orders while run_until() does not run; called by the thread that calls
  /// run_until().
  void carry_out() noexcept;
  /// Orders of a run that is repeated: each is executed at its time. Throws as ask().
  void schedule(const std::vector<ScheduledOrder>&);
  /// `j` must outlive the run; null: none.
  void keep_journal(OrderJournal* j) noexcept { order_journal_ = j; }

  // -- state -----------------------------------------------------------------------------------

  /// Everything needed to continue to the bit. Throws ConfigurationError when a component cannot
  /// rewind.
  Snapshot save() const;
  /// Instead of initialize(), or at any later time. Throws ConfigurationError naming what does not
  /// match; the run is then unusable until restored or initialized.
  void restore(const Snapshot&);

  const Statistics& statistics() const noexcept;

 private:
  /// The index of the view of a path; throws ConfigurationError with a suggestion.
  std::size_t known(std::string_view path) const;
  /// Throws ConfigurationError (V2150) for a value that an island exchanges without a port.
  void refuse_inside(std::string_view path) const;
  /// The view that an order refers to; throws ConfigurationError when it cannot be executed.
  std::size_t checked(const Order&) const;
  void carry_out_scheduled(bool settled) noexcept;
  void carry_out_changes(bool settled) noexcept;
  void carry_out_reads() noexcept;
  void change(bool settled, OrderKind, std::size_t view, std::span<const double> values) noexcept;
  void start_components(Time start);
  bool pace(Time) noexcept;
  Outcome wait(Pacer&, Time) noexcept;
  bool enter(Time) noexcept;

  composition::Plan plan_;
  std::vector<Pacer*> pacers_;
  Options options_;
  std::vector<PortView> views_;
  std::unordered_map<std::string_view, std::size_t> by_path_;
  Time now_{};
  bool initialized_ = false;  // the components were started
  bool ready_ = false;        // run_until() may be called
  bool paced_ = false;        // the pacers have started
  bool over_ = false;         // as one of them declared
  std::atomic<std::int64_t> freeze_at_{std::numeric_limits<std::int64_t>::max()};
  std::atomic<bool> stop_{false};
  std::unique_ptr<detail::Memory> memory_;
  std::unique_ptr<detail::Cycle> cycle_;
  std::unique_ptr<detail::OrderQueue> orders_;
  struct Scheduled {
    Time at;
    bool settled;
    OrderKind kind;
    std::size_t view;
    std::vector<double> values;
  };
  std::vector<Scheduled> scheduled_;  // by time
  std::size_t next_scheduled_ = 0;
  OrderJournal* order_journal_ = nullptr;
  std::optional<Time> rest_began_;  // of a freeze that goes on
};

}  // namespace vernier::executive
