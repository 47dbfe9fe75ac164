#pragma once

#include <atomic>
#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "vernier/base/temporary_folder.hpp"
#include "vernier/gateway/spacefom/detail/execution.hpp"
#include "vernier/gateway/spacefom/detail/mirror.hpp"
#include "vernier/gateway/spacefom/detail/outgoing.hpp"
#include "vernier/gateway/spacefom/detail/peers.hpp"
#include "vernier/gateway/spacefom/detail/points.hpp"
#include "vernier/gateway/spacefom/federate.hpp"

namespace vernier::spacefom {

/// An ambassador from the standard's factory.
std::unique_ptr<rti1516e::RTIambassador> standard_ambassador();

namespace detail {

/// The federate's stage at the RTI and in its federation; each follows the one before, and resign()
/// returns to the first.
enum class Stage { apart, connected, joined, taking_part };

/// Whether it takes part in the initialization (SISO-STD-018-2020, 7.2) or joins later (7.3).
enum class Role { unknown, early, late };

/// Time management (IEEE 1516.1-2010, section 8): each follows the one before; a grant returns to
/// `managed`.
enum class TimeManagement { none, constrained, managed, advancing };

struct LogicalTime {
  TimeManagement state = TimeManagement::none;
  Ticks granted = 0, started = 0, requested = 0;

  void enter(TimeManagement s, Ticks at) noexcept {
    state = s;
    granted = at;
  }
};

/// Why the federation may have ended for us.
struct Ending {
  using Clock = std::chrono::steady_clock;
  struct Gone {
    std::string name, why;
    Ticks at = 0;
    bool lost = false, needed = false;
    Clock::time_point since = {};
  };

  std::optional<std::string> connection_lost;  // why
  bool shutdown = false;
  std::string farewell;
  std::optional<Clock::time_point> master_gone;  // since when, without a shutdown
  std::optional<Gone> peer;                      // the last, or the first one that is required

  void shut_down(std::string words) {
    shutdown = true;
    farewell = std::move(words);
  }
  /// A required federate is gone: wait until the reason is known.
  bool unclear() const noexcept { return master_gone || (peer && peer->needed); }
};

/// Thrown internally and caught by the functions of Federate: the federation has ended for us.
struct Over {};

}  // namespace detail

/// The implementation of Federate: the sequence of its life, and which part handles which callback.
class Federate::Work {
 public:
  Work(Settings, AmbassadorMaker);
  ~Work();

  // initialization.cpp
  void join();
  void phase(std::size_t);
  void begin();

  // modes.cpp
  void step();
  void ask(Mode);

  void resign() noexcept;

  // visit.cpp
  std::vector<std::string> listed();
  void create();
  void expel(const std::string& federate);
  std::string current_fom();

  /// Runs `f`; false when the federation has ended. Exceptions of the RTI become
  /// ConfigurationErrors.
  template <class F>
  bool guarded(F f);

  std::vector<Peer> peers() const { return peers_.all(execution_); }
  void look_around() { peers_.look_around(rti(), execution_); }
  double scenario_time(Ticks) const noexcept;
  bool early() const noexcept { return role_ == detail::Role::early; }
  const Configuration& configuration() const noexcept { return execution_.configuration; }

  Settings settings;
  std::vector<Listener*> listeners;
  std::vector<detail::Interaction> heard;
  detail::Mirror mirror;
  detail::Outgoing own;
  detail::LogicalTime time;
  detail::Ending ending;
  detail::Inbox inbox;
  std::atomic<Mode> mode{Mode::uninitialized};  // read by other threads
  std::atomic<bool> interrupted{false};
  bool stood_still = false, evoked = false;
  std::int64_t ran_at = -1;

 private:
  // work.cpp: connection and callbacks
  void connect();
  void join_as_visitor();
  void create_and_join();
  void require_integer_time();
  std::vector<std::wstring> module_files();
  std::optional<detail::Event> next_event(std::chrono::milliseconds nap);
  void answer();
  void handle(detail::Event&);
  void announced(const std::string& label);
  void discovered(const detail::Event&);
  void reflected(detail::Event&);
  void removed(const detail::Event&);
  void received(detail::Event&);
  void provide(const detail::Event&);
  void register_point(const std::string& label, const rti1516e::FederateHandleSet* members);
  void achieve(const std::string& label);
  void synchronize(const std::string& label);
  void register_own();
  void reserve_names();
  void send(std::optional<Ticks> stamp, bool root_only = false);
  bool has_instance(const std::string& name) const;
  void await_instances(std::vector<std::string> names);

  // peers.cpp: lost federates
  void peer_gone(const std::string& name, const std::string& why, bool lost);
  void miss_required();
  void leave_if_over();
  [[noreturn]] void fail_lost(const std::string& why) const;
  [[noreturn]] void fail_expelled() const;
  [[noreturn]] void fail_without_master() const;
  [[noreturn]] void fail_shut_down() const;
  [[noreturn]] void fail_without_peer() const;
  std::string way_back() const;

  /// In waiting.hpp. Handles events until `done()`; throws Over, or ConfigurationError with what()
  /// was awaited when the connection or the Master is lost or `patience` ends.
  template <class Done, class What>
  void wait(Done done, What what, bool patient = true);
  /// False: `most` has passed.
  template <class Done, class What>
  bool wait_for(Done done, What what, std::chrono::milliseconds most);

  // initialization.cpp
  void prepare_master();
  detail::Role find_role();
  void gather_federates();
  void register_points(const rti1516e::FederateHandleSet&);
  void switch_auto_provide_off();
  /// The value of the first subscribed attribute of the federation's own object; null if none
  /// arrives within `most`.
  const Octets* execution_value(std::chrono::seconds most);
  void set_auto_provide(bool on);
  void initialize_early();
  void declare_early();
  void agree_on_root();
  void initialize_late();
  void subscribe_classes();
  void manage_time();
  void begin_early();
  void begin_late();
  void check_steps();

  // modes.cpp
  void take_configuration(const detail::Event&);
  void send_configuration() { execution_.send(rti()); }
  void command(Mode);
  void shut_down();
  void enter_run();
  void await_central_time();
  void freeze();
  void freeze_if_due();
  void advance_to(Ticks);

  rti1516e::RTIambassador& rti() { return *rti_; }
  Configuration& configuration() noexcept { return execution_.configuration; }
  bool joined() const noexcept { return stage_ >= detail::Stage::joined; }
  void enter(detail::Stage next);

  AmbassadorMaker make_ambassador_;
  detail::Ambassador ambassador_{inbox};
  std::unique_ptr<rti1516e::RTIambassador> rti_;
  detail::Stage stage_ = detail::Stage::apart;
  detail::Role role_ = detail::Role::unknown;
  detail::Points points_;
  detail::Execution execution_;
  detail::ModeRequests requests_;
  detail::Peers peers_;
  detail::Class& federation_;                 // of the mirror: the federation's own object
  std::map<std::string, bool> reservations_;  // of names: whether granted
  std::optional<bool> auto_provide_;          // the value before we changed it (rule 7-5)
  std::optional<std::vector<std::wstring>> executions_;
  std::optional<TemporaryFolder> modules_;

  friend class Federate;
};

}  // namespace vernier::spacefom
