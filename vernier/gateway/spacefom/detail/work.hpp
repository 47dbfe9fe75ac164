#pragma once

#include <atomic>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "vernier/base/temporary_folder.hpp"
#include "vernier/gateway/spacefom/detail/events.hpp"
#include "vernier/gateway/spacefom/federate.hpp"

namespace vernier::spacefom {

/// The labels of synchronization points.
namespace label {
inline constexpr const char* initialization_started = "initialization_started";
inline constexpr const char* objects_discovered = "objects_discovered";
inline constexpr const char* root_frame_discovered = "root_frame_discovered";
inline constexpr const char* initialization_completed = "initialization_completed";
inline constexpr const char* mtr_run = "mtr_run";
inline constexpr const char* mtr_freeze = "mtr_freeze";
inline constexpr const char* mtr_shutdown = "mtr_shutdown";
}  // namespace label

inline constexpr const char* frame_class = "HLAobjectRoot.ReferenceFrame";
inline constexpr const char* exco_class = "HLAobjectRoot.ExecutionConfiguration";
inline constexpr const char* exco_name = "ExCO";

/// The ambassador to an RTI, by default that of the standard's factory; tests put one in its place
/// that lacks something.
using Maker = std::unique_ptr<rti1516e::RTIambassador> (*)();
std::unique_ptr<rti1516e::RTIambassador> standard_ambassador();
inline Maker new_ambassador = standard_ambassador;

/// Thrown within, and caught at the functions of Federate: the federation is over for us.
struct Over {};

class Federate::Work {
 public:
  explicit Work(Settings);
  ~Work();

  // initialization.cpp
  void join();
  void phase(std::size_t);
  void begin();

  // modes.cpp
  void step();
  void ask(Mode);
  void shut_down();

  void resign() noexcept;

  // visit.cpp
  std::vector<std::string> listed();
  void create();
  void expel(const std::string& federate);
  std::string current_fom();

  /// Runs `f`; false when the federation is over. What an RTI throws becomes a ConfigurationError.
  template <class F>
  bool guarded(F f);

  struct Own {
    std::string object_class, name;
    std::vector<std::string> attributes;
    bool root = false;
    std::vector<Octets> values;
    std::vector<bool> dirty, asked;
    rti1516e::ObjectInstanceHandle handle = {};
    std::vector<rti1516e::AttributeHandle> handles = {};
  };
  struct Class {
    std::string name;
    std::vector<std::string> attributes;
    bool internal = false;  // the listener does not hear of it
    rti1516e::ObjectClassHandle handle = {};
    std::vector<rti1516e::AttributeHandle> handles = {};
  };
  struct Interaction {
    std::string name;
    std::vector<std::string> parameters;
    rti1516e::InteractionClassHandle handle = {};
    std::vector<rti1516e::ParameterHandle> handles = {};
  };
  struct Point {
    bool registered = false, refused = false, announced = false, achieved = false,
         synchronized = false;
  };

  Settings settings;
  Listener* listener = nullptr;
  std::vector<Own> own;
  std::vector<Class> classes;
  std::vector<Interaction> said, heard;
  std::vector<std::pair<std::size_t, std::vector<Octets>>> posted;
  std::vector<Remote> remotes;
  Configuration configuration;
  std::atomic<Mode> mode{Mode::uninitialized};  // others look at it
  Ticks granted = 0, started = 0;
  bool early = false, stood_still = false, evoked = false, names_keepers = false;
  std::string farewell;
  std::int64_t waited = 0, ran_at = -1;
  std::string keeper;
  std::vector<Keeper> keepers;
  std::atomic<bool> interrupted{false};
  detail::Inbox inbox;

  std::vector<std::string> members() const;
  std::vector<Peer> peers() const;
  void look_around();
  double scenario_time(Ticks) const noexcept;

 private:
  // work.cpp: connection, events, points, objects
  void connect();
  void join_as_visitor();
  void create_and_join();
  void require_integer_time();
  std::vector<std::wstring> module_files();
  std::optional<detail::Event> next_event(std::chrono::milliseconds nap);
  void handle(detail::Event&);
  void announced(const std::string& label);
  void discovered(const detail::Event&);
  void reflected(const detail::Event&);
  void removed(const detail::Event&);
  void received(const detail::Event&);
  void provide(const detail::Event&);
  void register_point(const std::string& label, const rti1516e::FederateHandleSet* members);
  void achieve(const std::string& label);
  void synchronize(const std::string& label);
  void declare(Class&);
  void subscribe(Class&);
  void register_own();
  void declare_interactions();
  void send(std::optional<Ticks> stamp, bool root_only = false);
  void answer();
  void request_values();
  bool has_instance(const std::string& name) const;
  const Remote* root_frame() const;

  // peers.cpp: who holds time back, who is lost
  void watch_peers();
  void look_for_keeper();
  void end_looking();
  void note_keeper();
  void peer_lost(const detail::Event&);
  void peer_gone(const std::string& name, const std::string& why, bool lost);
  void miss_required();
  void leave_if_over();
  [[noreturn]] void fail_lost(const std::string& why) const;
  [[noreturn]] void fail_expelled() const;
  [[noreturn]] void fail_without_master() const;
  std::string way_back() const;

  /// waiting.hpp. Deals with what comes until `done()`; throws Over, or ConfigurationError when the
  /// connection or the Master is lost or `patience` ends, with what() that was waited for.
  template <class Done, class What>
  void wait(Done done, What what, bool patient = true);
  /// False: `most` is over.
  template <class Done, class What>
  bool wait_for(Done done, What what, std::chrono::milliseconds most);

  // initialization.cpp
  void determine_role();
  void gather_federates();
  void switch_auto_provide_off();
  /// Of the first attribute that was subscribed of the federation's own object; none within `most`.
  const Octets* execution_value(std::chrono::seconds most);
  void restore_auto_provide();
  void initialize_early();
  void initialize_late();
  void manage_time();
  void check_steps();

  // modes.cpp
  void publish_requests();
  void take_configuration(const detail::Event&);
  void send_configuration();
  void command(Mode);
  void enter_run();
  void await_central_time();
  void freeze();
  void freeze_if_due();
  void advance_to(Ticks);

  rti1516e::RTIambassador& rti() { return *rti_; }

  detail::Ambassador ambassador_{inbox};
  std::unique_ptr<rti1516e::RTIambassador> rti_;
  bool connected_ = false, joined_ = false, entered_ = false, role_known_ = false;
  bool regulating_ = false, constrained_ = false, advanced_ = false;
  bool shutdown_ = false, master_lost_ = false;
  std::chrono::steady_clock::time_point master_lost_at_ = {};
  struct Gone {
    std::string name, why;
    Ticks at = 0;
    bool lost = false, needed = false;
    std::chrono::steady_clock::time_point since = {};
  };
  std::optional<Gone> gone_;  // the last, or the first that is needed
  bool looking_ = false;
  std::optional<std::string> lost_;
  std::optional<std::vector<std::wstring>> executions_;
  std::map<std::string, Point> points_;
  std::map<std::string, bool> reservations_;
  std::map<rti1516e::ObjectInstanceHandle, std::size_t> remote_of_;
  Class exco_, federates_, execution_;
  rti1516e::ObjectInstanceHandle exco_object_ = {};
  std::map<rti1516e::ObjectInstanceHandle, std::string> owners_;
  rti1516e::InteractionClassHandle mtr_ = {};
  rti1516e::ParameterHandle mtr_mode_ = {};
  rti1516e::InteractionClassHandle lost_report_ = {};
  rti1516e::ParameterHandle lost_name_ = {}, lost_why_ = {};
  bool has_mom_ = false;
  std::optional<bool> auto_provide_;
  bool freeze_first_ = false, configuration_wanted_ = false, may_ask_ = false,
       run_confirmed_ = false;
  std::vector<Mode> waiting_;  // requests
  Ticks freeze_at_ = -1, requested_ = 0;
  std::optional<TemporaryFolder> modules_;
};

}  // namespace vernier::spacefom
