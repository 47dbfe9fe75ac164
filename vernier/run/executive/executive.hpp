#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
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
#include "vernier/run/composition/cut.hpp"
#include "vernier/run/composition/plan.hpp"
#include "vernier/run/executive/meter.hpp"
#include "vernier/run/executive/observer.hpp"
#include "vernier/run/executive/orders.hpp"
#include "vernier/run/executive/snapshot.hpp"
#include "vernier/run/executive/statistics.hpp"

namespace vernier::exchange {
class Exchange;
}

namespace vernier::executive {

namespace detail {
class Memory;
class Cycle;
class OrderQueue;
class Switchboard;
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

  // a run on several nodes: every node makes the same plan, and runs some of its parts
  exchange::Exchange* exchange = nullptr;    // to the other nodes; null: there are none
  composition::Division nodes = {};          // which of them run each part
  std::vector<std::string> node_names = {};  // for messages
};

/// Why run_until() returned.
enum class Ending : std::uint8_t {
  reached,  // the requested time, or the end declared by a pacer; everything at now() is done
  frozen,   // request_freeze()
  stopped,  // request_stop()
  failed,   // see fault()
  cut_off   // another node is lost, or the exchange was interrupted; see fault(). The run continues
            // after restore()
};

/// Takes copies of a run's state while it runs.
class Keeper {
 public:
  virtual ~Keeper() = default;
  /// Everything due at `now`, a tick of the step, is done: save() can be called. In the loop.
  virtual void keep(Time now) noexcept = 0;
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
///
/// Virtual is what a run in other processes does differently (server::Composer).
class Executive {
 public:
  /// `pacers` must outlive the executive. Binds all components; may throw what they throw.
  explicit Executive(composition::Plan, std::vector<Pacer*> pacers = {}, const Options& = {});
  virtual ~Executive();
  Executive(const Executive&) = delete;
  Executive& operator=(const Executive&) = delete;

  /// Initializes all components, in phases until all have settled, and executes what is due at the
  /// start, before time advances. Throws ConfigurationError.
  virtual void initialize();

  /// Executes a few ticks from now() invisibly and restores the previous state to the bit, so that
  /// the next run_until() finds its code and data in the caches. Components that cannot rewind or
  /// have external effects are skipped. After initialize() or restore(); may allocate.
  virtual void rehearse();

  /// Continues until `t`, which becomes an instant of all clusters. After initialize() or
  /// restore().
  virtual Ending run_until(Time) noexcept;

  /// The time reached; everything due at it is done.
  Time now() const noexcept { return now_; }

  /// Stops at the first instant at or after `t` that all clusters with continuous parts share, such
  /// as a tick of the step, without adding one. From any thread.
  virtual void request_freeze(Time t) noexcept { freeze_at_.store(t.time_since_epoch().count()); }
  /// Permits run_until() to continue after a freeze or stop; the pacers restart from now().
  virtual void resume() noexcept;
  /// Stops at the next such instant. From any thread or signal handler.
  virtual void request_stop() noexcept { stop_.store(true); }

  /// Where the files go that parts write (FileWriter), before initialize(); and these files after
  /// it.
  virtual void write_below(const std::filesystem::path& folder);
  virtual std::vector<std::filesystem::path> files() const;

  // -- coming to rest --------------------------------------------------------------------------

  /// Whether a component that can come to rest (ComesToRest) is not at rest.
  virtual bool moving() const noexcept;
  /// The longest that come_to_rest() takes, simulated; zero: no component can come to rest.
  virtual Duration longest_rest() const noexcept;
  /// Time is about to stand still: all components that move come to rest first. Ticks continue
  /// after now(), held back by `pacers` only, until all are at rest at an instant that all clusters
  /// with continuous parts share, at most for longest_rest(). Neither stop, freeze nor the end of
  /// the run ends this, and no failure: a component that fails, or has failed, is left out, and its
  /// outputs keep their values. Returns whether all came to rest; if nothing moves, no time passes.
  /// After run_until() has returned, however it did. Does not allocate, lock or throw.
  virtual bool come_to_rest(std::span<Pacer* const> pacers) noexcept;
  /// Permits them to move again, after a freeze. The time between is recorded as orders.
  virtual void end_rest() noexcept;
  /// What still moves and how fast, and what failed while it moved; empty: nothing.
  virtual std::string motion() const;

  /// Why the run failed: code, one sentence, the component and the time in the notes.
  virtual Diagnostic fault() const;

  /// Calls `f` once on every thread that executes the run, including the calling one: to set their
  /// priority. Not while run_until() runs.
  virtual void on_every_thread(void (*f)(void*) noexcept, void* context) noexcept;

  // -- several nodes -----------------------------------------------------------------------------

  /// Right before the loop of a run in real time whose parts are in other processes: these acquire
  /// their privileges. Returns warnings. Throws ConfigurationError when all are required.
  virtual Diagnostics take_privileges() { return {}; }

  /// The nodes, with the names of the parts that each runs; empty: there is one only.
  using Placement = std::vector<std::pair<std::string, std::vector<std::string>>>;
  virtual Placement placement() const { return {}; }
  /// Moves a part to another node, between two calls of run_until(). Throws ConfigurationError.
  virtual void move(std::string_view part, std::string_view node);
  /// Told, by the thread that calls run_until(), of what does not end the run: a node was lost.
  std::function<void(const Diagnostics&)> on_news = {};

  // -- taps ------------------------------------------------------------------------------------

  const std::vector<composition::Part>& parts() const noexcept { return plan_.parts; }
  const std::vector<Pacer*>& pacers() const noexcept { return pacers_; }
  const composition::Plan& plan() const noexcept { return plan_; }
  /// Whether a part runs on this node. The ports of others have no current values.
  bool here(std::size_t part) const noexcept;
  /// Whether a part stays on its node: it cannot go back to an earlier state, or has effects
  /// outside of the run.
  static bool stays(const Component&) noexcept;
  /// Divides the run anew, between two ticks, as Options::exchange, nodes and node_names; restore()
  /// must follow. A part that stays() keeps its process. All nodes do the same.
  void divide(exchange::Exchange&, composition::Division nodes, std::vector<std::string> names);
  /// Counts how often journals were emptied at the current time: a run in one process orders their
  /// entries by this, then by part.
  std::uint32_t emptied() const noexcept;
  /// Whether everything due at now() is done; false only after a failure.
  bool settled() const noexcept { return settled_; }
  /// All ports, in the order of the parts, outputs before inputs. The views never move.
  std::span<const PortView> ports() const noexcept { return views_; }
  /// The port of a path; an output takes precedence over an input of the same name; null: none.
  const PortView* find(std::string_view path) const noexcept;
  /// A journal entry as text, its subject as a full path. From any thread.
  Telling tell(std::size_t part, const Entry&) const;

  /// Called from now on; `o` must outlive the run or be removed.
  virtual void observe(Observer& o, const Sampling&);
  virtual void remove(Observer& o) noexcept;

  /// From now on all readers see `values` instead of the port's value; an input is replaced only
  /// for its component. Throws ConfigurationError: unknown path, wrong number of elements, stream.
  virtual void override_port(std::string_view path, std::span<const double> values);
  virtual void release(std::string_view path);
  /// Triggers an event input once, at the next tick. Throws ConfigurationError.
  virtual void send(std::string_view path);

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
  virtual void carry_out() noexcept;
  /// Forgets waiting orders instead.
  void drop_orders() noexcept;
  /// Orders of a run that is repeated: each is executed at its time. Throws as ask().
  virtual void schedule(const std::vector<ScheduledOrder>&);
  /// `j` must outlive the run; null: none.
  void keep_journal(OrderJournal* j) noexcept { order_journal_ = j; }

  // -- state -----------------------------------------------------------------------------------

  /// On several nodes, before save(): waits until what other nodes have sent to this one up to
  /// now() has arrived. False: one of them is lost. Does not throw or allocate.
  bool gather() noexcept;
  /// Everything needed to continue to the bit. Throws ConfigurationError when a component cannot
  /// rewind.
  virtual Snapshot save() const;
  /// The same in the memory of an earlier copy: does not allocate while the state keeps its size.
  void save_into(Snapshot&) const;
  /// Instead of initialize(), or at any later time. Throws ConfigurationError naming what does not
  /// match; the run is then unusable until restored or initialized.
  virtual void restore(const Snapshot&);
  /// Every `ticks` ticks of the step, counted from the start; null: never. `k` must outlive the
  /// run.
  void keep_every(std::int64_t ticks, Keeper* k) noexcept {
    keep_every_ = ticks;
    keeper_ = k;
  }

  virtual const Statistics& statistics() const noexcept;

 protected:
  // for a run in other processes
  struct WaitingOrder {
    OrderKind kind{};
    std::uint32_t view = 0;
    std::span<double> values;  // of replace; or room for what is read
  };
  /// The order that has waited longest.
  std::optional<WaitingOrder> next_order() noexcept;
  /// next_order() was executed at `t`.
  void finish_order(Time t) noexcept;
  OrderJournal* order_journal() const noexcept { return order_journal_; }
  std::int64_t freeze_at() const noexcept { return freeze_at_.load(); }
  bool stops() const noexcept { return stop_.load(); }
  void reached(Time t) noexcept { now_ = t; }
  void start_pacers() noexcept;
  /// Lets all pacers hold time back. False: one has failed, see fault(), or is over().
  bool pace(Time) noexcept;
  bool over() const noexcept { return over_; }
  /// What an order elsewhere has done to the port that observers see here.
  void mirror(OrderKind, std::size_t view, std::span<const double> values) noexcept;
  /// How the run is divided.
  const composition::Cut& cut() const noexcept;
  /// The snapshot of the whole run from those of its nodes; without sections: it is lost, and
  /// others run its parts. Throws ConfigurationError (V5608) when replicas differ.
  Snapshot merged(const std::vector<Snapshot>& by_node) const;
  std::size_t checked_view(const Order& o) const { return checked(o); }

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
  void change(bool settled, OrderKind, std::size_t view, std::span<const double> values,
              bool scheduled) noexcept;
  void start_components(Time start);
  void arrange_nodes();
  /// Whether a part is bound and initialized here: it runs here, or could.
  bool prepared(std::size_t part) const noexcept;
  Ending failure() const noexcept;
  void keep() noexcept;
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
  bool settled_ = false;      // everything due at now_ is done
  bool returned_ = false;     // by restore(), and has not run since
  std::atomic<std::int64_t> freeze_at_{std::numeric_limits<std::int64_t>::max()};
  std::atomic<bool> stop_{false};
  std::unique_ptr<detail::Memory> memory_;
  std::unique_ptr<detail::Switchboard> switchboard_;  // null: one node
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
  Keeper* keeper_ = nullptr;
  std::int64_t keep_every_ = 0;
  std::optional<Time> rest_began_;  // of a freeze that goes on
};

}  // namespace vernier::executive
