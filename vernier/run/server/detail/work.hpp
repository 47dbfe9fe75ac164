#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "vernier/run/exchange/exchange.hpp"
#include "vernier/run/server/composer.hpp"
#include "vernier/run/server/merger.hpp"
#include "vernier/run/server/past.hpp"
#include "vernier/run/session/timing.hpp"

namespace vernier::server {

using executive::Ending;
using net::Clock;
using Peer = Fleet::Executor;

constexpr auto prepare_within = std::chrono::minutes(10);  // a large model on a busy machine
constexpr auto answer_within = std::chrono::seconds(60);
/// Between two attempts to start an executor where one was lost.
constexpr Clock::duration first_pause = std::chrono::milliseconds(500),
                          longest_pause = std::chrono::seconds(30);
constexpr int most_failures = 100;  // attempts to continue without any progress

/// This process is a node without a part of the run.
class Composer::Nobody final : public exchange::Exchange {
 public:
  void set_nodes(std::size_t n) noexcept { nodes_ = static_cast<std::uint32_t>(n); }
  std::uint32_t nodes() const noexcept override { return nodes_ + 1; }
  std::uint32_t self() const noexcept override { return nodes_; }
  void reserve(std::size_t) override {}
  bool send(std::uint32_t, Bytes) noexcept override { return false; }
  exchange::Received receive(std::uint32_t, Bytes&, Clock::time_point) noexcept override {
    return exchange::Received::lost;
  }
  void interrupt() noexcept override {}
  void begin(std::uint32_t) override {}
  std::uint32_t epoch() const noexcept override { return 0; }
  const char* why(std::uint32_t) const noexcept override { return ""; }

 private:
  std::uint32_t nodes_ = 0;
};

class Composer::Work final : public Fleet::Listener, public Merger::Reader {
 public:
  Work(Composer& c, Team t);
  ~Work() override;

  // -- Fleet::Listener, Merger::Reader ----------------------------------------------------------

  bool results(Peer& e, Bytes content) override;
  void answered(Peer&, const Answered& a) override;
  void news(Peer&, const Problems&) override;
  void halted(Peer&) override;
  bool reach(Time t) override;
  void note(std::uint32_t part, std::span<const Entry> entries) override;
  void executed(const Executed& e) override;
  bool speaks(std::uint32_t node, std::uint32_t part) const override;

  // -- what the session calls -------------------------------------------------------------------

  void initialize();
  Diagnostics take_privileges();
  /// The clock starts again from where the run is.
  void restart_clock() noexcept { clock_stands_ = true; }
  void restore(const executive::Snapshot& s);
  executive::Snapshot save();
  void observe(executive::Observer& o, const executive::Sampling& s);
  void remove(executive::Observer& o) noexcept;
  void replace(std::size_t view, std::span<const double> values);
  void schedule(const std::vector<executive::ScheduledOrder>& orders);
  void write_below(const std::filesystem::path& folder);

  const std::string& stays() const noexcept { return stays_; }
  const std::filesystem::path& outputs() const noexcept { return outputs_; }
  const Diagnostic& fault() const noexcept { return fault_; }
  const std::vector<Peer*>& active() const noexcept { return active_; }
  using Seats = composition::Division::Nodes;
  /// From any thread: the seats that run each part.
  std::vector<Seats> current() const {
    const std::lock_guard lock(current_mutex_);
    return current_;
  }
  const std::vector<Seats>& home() const noexcept { return home_; }
  const Team& team() const noexcept { return team_; }
  void wake() const noexcept { fleet_.wake(); }

  void move(std::uint32_t part, std::uint32_t seat);
  void carry_out() noexcept;
  Ending run_until(Time until) noexcept;
  executive::Statistics statistics;
  void count();

 private:
  struct Watch {
    std::uint32_t tap = 0;
    executive::Observer* observer = nullptr;
    executive::Sampling sampling;
  };
  /// An order on its way.
  struct Asked {
    std::uint32_t number = 0;
    std::vector<std::uint32_t> awaited;  // nodes whose answers are missing
    bool executed = false;               // it is known when
    std::optional<Answered> answer = {};
  };
  struct Attempt {
    Clock::time_point next{};
    Clock::duration pause = first_pause;
  };

  std::uint32_t seats() const noexcept { return static_cast<std::uint32_t>(team_.seats.size()); }
  const std::string& name_of(const Peer& e) const { return team_.seats[e.seat].name; }
  Time start() const noexcept { return Time{}; }

  std::optional<std::uint32_t> node_of(const Peer& e) const noexcept {
    for (std::uint32_t n = 0; n < members_.size(); ++n)
      if (members_[n] == &e) return n;
    return {};
  }

  // -- beginnings -------------------------------------------------------------------------------

  void refuse_unready(std::uint32_t seat);
  Diagnostics refusal(const Peer& e) const;

  void ask_all(Word w) {
    for (Peer* e : active_) fleet_.ask(*e, w);
  }
  template <class T>
  void ask_all(Word w, const T& content) {
    for (Peer* e : active_) fleet_.ask(*e, w, content);
  }

  void refuse_refused();

  /// Waits for all; throws when one has refused or is lost.
  void require_all();

  /// Divides the run among all executors that are ready: a new epoch, from a state of the whole run
  /// or (empty) from the beginning. Some may be lost afterwards.
  void arrange(const std::vector<std::byte>& snapshot);
  /// Whether the nodes are those of the current epoch, and nothing has happened to what joins them.
  bool still_joined() const { return joined_ == numbers(); }
  /// Of the executors of the nodes.
  std::vector<std::uint64_t> numbers() const;
  std::string new_memory();

  /// The nodes that run a part and are there; the first speaks for it.
  std::vector<std::uint32_t> nodes_of(std::uint32_t part) const;
  /// Whether a part runs on several nodes.
  bool any_replicas() const;
  void watch(const Watch& w);
  void send_schedule(const std::vector<TimedOrder>& orders);

  // -- results ----------------------------------------------------------------------------------

  bool take_order(std::uint32_t node, Executed& o);
  void mirror(const Executed& e);
  void journal(const Executed& e);
  Past::Merge merge() const;

  /// Nothing: a node was lost meanwhile.
  std::optional<std::vector<std::byte>> whole_state();
  Time progress() const noexcept;
  Time time_of_nodes() const noexcept;

  /// False: nothing more is wanted.
  bool show_all();
  void reached(Time t);

  // -- orders -----------------------------------------------------------------------------------

  /// `halted`: all nodes are at the same instant. Orders that concern all nodes need that.
  void do_orders(bool halted);
  void finish_order(const Answered& a);

  // -- the run ----------------------------------------------------------------------------------

  bool lost() const noexcept;
  bool all_halted() const noexcept;
  static Ending ending(const Peer& e) noexcept { return static_cast<Ending>(e.halted.ending); }
  static bool continues(const Peer& e) noexcept {
    return ending(e) == Ending::frozen || ending(e) == Ending::stopped || e.rests;
  }
  bool any(Ending how) const noexcept;
  /// A node has ended the run before its end.
  bool over() const noexcept;
  /// After a return to an earlier state the run first computes again what was shown.
  bool behind() const noexcept;
  /// When it is to freeze or stop.
  Time halt_at() const noexcept;
  /// A node was lost while the run stood still.
  void catch_up();
  Ending run(Time until);

  /// All nodes have halted: what becomes of the run; nothing: it continues.
  std::optional<Ending> decide(Time until);
  bool by_the_clock() const noexcept { return team_.timing != nullptr; }
  void go(Time until);
  /// ns of the clock that is common to all nodes.
  std::int64_t clock_now() const noexcept;
  void limit_window(Time now) noexcept;

  /// Lets the nodes continue before they reach the end of what they were given, so that they never
  /// wait for this process.
  void extend(Time until);

  /// In a run by the clock nodes are not held back: to halt them all at one tick, they are told in
  /// time.
  void halt_in_time();

  /// Those that reached the end of what they were given before it was extended.
  void resume_halted();
  void interrupt_all();
  Ending end_by_pacer();
  Ending fail();

  /// Nodes have stopped waiting for another.
  std::optional<Ending> cut_off(Time until);

  // -- surviving --------------------------------------------------------------------------------

  std::string words_of_lost() const;
  /// Continues without those that are lost: at once if nothing is lost with them, else from an
  /// earlier state.
  void survive();
  /// Continues without those that are lost, if others run all their parts. False: they do not.
  bool drop_lost();
  void drop(Peer&);
  /// Whether every part runs on a node that is fit.
  template <class Fit>
  bool covered(const Fit& fit) const;
  /// A node that the others have lost, although it is there, is of no use any more.
  void lose_cut_off();
  void recover();

  /// Every part to its own seats, as far as these have executors; the parts of lost nodes go to
  /// others; if there are none, to new executors.
  void hand_over();
  bool usable(std::uint32_t seat);
  bool any_ready();

  /// No executor is left: waits for new ones.
  void revive();
  void schedule_attempt(std::uint32_t seat);

  /// Starts executors where they were lost; those that are ready take part at the next halt.
  void see_to_seats();
  bool wanted(std::uint32_t seat) const noexcept;
  bool wants_rearrangement();

  /// Every part to its own seat, as far as that has an executor; the run has halted. Without a loss
  /// of time.
  void rearrange();

  /// An order whose answer was lost.
  void requeue_order();
  Composer& run_;
  Team team_;
  Fleet fleet_;
  Merger merger_;
  std::vector<Peer*> members_;         // by node; null: it was dropped
  std::vector<Peer*> active_;          // the same without these
  std::vector<std::uint64_t> joined_;  // numbers() of the current epoch, unless something happened
  std::vector<Seats> home_;            // by part: the seats that are to run it
  mutable std::mutex current_mutex_;   // only the thread that runs changes current_
  std::vector<Seats> current_;         // and those that do
  std::vector<Attempt> attempts_;      // by seat
  Descriptor memory_;
  std::uint32_t epoch_ = 0, next_tap_ = 0, orders_ = 0;
  std::vector<std::unique_ptr<Watch>> watches_;
  std::filesystem::path outputs_;
  std::string stays_;  // why the run cannot return to an earlier state; empty: it can
  Diagnostic fault_;
  realtime::NodeFrames* frames_ = nullptr;  // null: they are not measured
  Diagnostics news_;                        // of nodes
  bool privileged_ = false;                 // nodes have their privileges
  bool clock_stands_ = true;
  Time origin_{};         // simulated, is due
  std::int64_t due_ = 0;  // at this time, ns of this machine's clock (or the time of day)

  Past past_;
  std::optional<Asked> asked_;

  Time window_ = Time::min();  // the nodes may run to the first tick that is not before
  Duration span_{};
  Clock::time_point extended_{};
  std::int64_t asked_until_ = 0;
  bool halting_ = false, paced_out_ = false;
  bool interrupted_ = false;  // by this process, in this epoch
  int failures_ = 0;
};

}  // namespace vernier::server
