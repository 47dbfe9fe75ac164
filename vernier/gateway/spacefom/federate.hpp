#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "vernier/gateway/spacefom/encoding.hpp"
#include "vernier/gateway/spacefom/steps.hpp"

namespace rti1516e {
class RTIambassador;
}

namespace vernier::spacefom {

/// Creates the ambassador to an RTI. Empty: the standard's factory.
using AmbassadorMaker = std::function<std::unique_ptr<rti1516e::RTIambassador>()>;

/// The identity of a federate and the agreements of its federation.
struct Settings {
  std::string federation = "SpaceFOM";
  std::string designator = {};  // of the RTI: "tcp://127.0.0.1:14321"; empty: in this process
  std::string name = "federate", type = "federate";
  bool master = false, pacing = false, root_publisher = false;
  std::vector<std::string> modules = {};    // files besides those of the SpaceFOM
  std::vector<std::string> federates = {};  // Master: required before it begins
  std::vector<std::string> instances = {};  // required object instances
  std::vector<std::string> phases = {};     // multiphase points, in order
  Steps steps = {};                         // the Master supplies the LCTS
  double epoch = 0.0;                       // Master: epoch of logical time 0, s of TT past TJD 0
  Ticks freeze_padding = 0;                 // Master; 0: the smallest allowed
  std::string pacer = {};                   // the name of the Pacing federate, where known
  std::function<std::int64_t()> central_clock = {};  // central timing equipment, ns; empty: none
  std::chrono::milliseconds central_lead{500};       // Master: from the command to the run
  bool late_only = false;                            // never an early joiner, even if it is first
  std::chrono::milliseconds patience{0};             // for others to join; 0: unlimited
  std::chrono::milliseconds wait{0};                 // for the RTI to start
  // options for federations whose members deviate from the standard
  frames::WireAttitude attitude = frames::WireAttitude::parent_to_own;
  bool tolerate_swapped_lcts = true;
  bool evoked = false;    // evoked instead of immediate callbacks; also if the RTI requires it
  bool use_mom = true;    // false, or an RTI without it: only required federates are tracked
  bool observes = false;  // peers() reports more than names
  std::function<void(const std::string&)> notice = {};  // called before waiting
};

/// The execution configuration that the Master sends to all.
struct Configuration {
  std::string root_frame;
  double epoch = 0.0;
  Mode current = Mode::uninitialized, next = Mode::uninitialized;
  double next_mode_time = 0.0;          // scenario time
  double next_mode_central_time = 0.0;  // s of the central timing equipment; 0: not in use
  Ticks least_common = 0;
  bool has_epoch = false, has_modes = false;
};

/// An object of another federate, with the values received so far.
struct Remote {
  struct Value {
    std::string attribute;
    Octets bytes;
    std::uint64_t updates = 0;
    Ticks stamp = -1;  // of the last update; -1: it had none
  };
  std::size_t number = 0;  // small, and unique among the current objects
  std::string name, object_class;
  std::vector<Value> values = {};  // as subscribed; their positions never change
};

/// A federate that was waited for, as far as the RTI reports it.
struct Keeper {
  std::string name;          // empty: not known
  std::uint64_t steps = 0;   // steps that ended with waiting for it
  std::int64_t longest = 0;  // ns
};

/// A federate as the RTI describes it (MOM); everything but the name only with Settings::observes.
struct Peer {
  std::string name, type;
  Ticks time = -1, lookahead = -1;  // -1: not known
  bool known = false;               // the RTI has reported the next two
  bool regulating = false, constrained = false;
  bool advancing = false;  // waits for a grant
  bool master = false, root_publisher = false;
};

/// Is told about other federates' objects and prepares own values. Called on the federate's thread,
/// from within its functions. A listener resolves an object's names once, in discovered(), and
/// later uses Remote::number and the positions of values.
class Listener {
 public:
  virtual ~Listener() = default;
  virtual void discovered(const Remote&) {}
  /// `changed`: indices of its values.
  virtual void reflected(const Remote&, std::span<const std::size_t> changed) = 0;
  virtual void removed(const Remote&) {}
  /// A subscribed interaction, by its number. `values` as subscribed; empty where none was
  /// received. `stamp`: -1 if it had none.
  virtual void received(std::size_t /*interaction*/, std::span<const Octets> /*values*/,
                        Ticks /*stamp*/) {}
  /// Values of logical time `t` are about to be sent: call set() for those that are due.
  virtual void sending(Ticks t) = 0;
};

/// A member of a SpaceFOM federation (SISO-STD-018-2020), in any role, on any RTI with the C++
/// interface of IEEE 1516.1-2010. Handles object classes by name and values as bytes; Objects
/// (objects.hpp) interprets them.
///
///   declare with publish() and subscribe(); join(); phase() for each of the settings; begin();
///   then step() until it returns false; resign().
///
/// Every wait also watches for a shutdown, a lost connection and the end of the Master (rule 7-17).
/// Failures are ConfigurationErrors with codes V5320 to V5339. One thread calls all functions
/// except request() and interrupt().
class Federate {
 public:
  explicit Federate(Settings, AmbassadorMaker = {});
  /// Resigns, if resign() was not called.
  ~Federate();
  Federate(const Federate&) = delete;
  Federate& operator=(const Federate&) = delete;

  // -- before join() --

  /// Declares an object instance of ours; returns its number. `root`: the root reference frame.
  std::size_t publish(std::string object_class, std::string name,
                      std::vector<std::string> attributes, bool root = false);
  /// Repeated calls for one class add attributes.
  void subscribe(std::string object_class, std::vector<std::string> attributes);
  /// Interactions other than mode transition requests; return their numbers, each from 0.
  std::size_t publish_interaction(std::string interaction_class,
                                  std::vector<std::string> parameters);
  std::size_t subscribe_interaction(std::string interaction_class,
                                    std::vector<std::string> parameters);
  /// Listeners are called in the order in which they were added, and must outlive the federate.
  void add_listener(Listener&);

  // -- values of ours; sent with the next phase() or step() --

  void set(std::size_t object, std::size_t attribute, std::span<const std::byte>);
  /// An interaction to send with the next step(), with the same stamp as the values.
  void post(std::size_t interaction, std::vector<Octets> values);

  // -- the life of a federate --

  /// Connects, joins, determines its role and initializes: an early joiner until the root frame is
  /// known, a late joiner until it knows the configuration and the required instances. False, here
  /// and below: the federation was shut down.
  bool join();
  /// Whether it takes part in the initialization; after join().
  bool early() const noexcept;
  /// Sends all values and takes part in multiphase point `k`; does nothing for a late joiner.
  bool phase(std::size_t k);
  /// Enables time management; then waits until the federation runs, which may be frozen first.
  bool begin();
  /// Sends the values that were set, stamped granted() + step, requests that time and waits for the
  /// grant. Blocks while the federation is frozen.
  bool step();
  /// Resigns. The Master thereby ends the federation.
  void resign();

  // -- status --

  Ticks granted() const noexcept;
  /// The logical time at which it began: 0, or a boundary for a late joiner.
  Ticks started() const noexcept;
  const Settings& settings() const noexcept;
  const Configuration& configuration() const noexcept;
  Mode mode() const noexcept;  // from any thread
  /// The scenario time at a logical time.
  double scenario_time(Ticks) const noexcept;
  /// Whether step() or begin() was frozen since the last call.
  bool stood_still() noexcept;
  /// How long the last step() waited for others, ns, and for which federate at the end: the one
  /// whose logical time held all others back. Empty: the RTI did not report it, or the wait was
  /// only short.
  std::int64_t waited() const noexcept;
  const std::string& waited_for() const noexcept;
  /// Whether to ask the RTI for that name after waiting a millisecond; initially false.
  void name_keepers(bool) noexcept;
  /// All federates it waited for, by name.
  const std::vector<Keeper>& keepers() const noexcept;
  /// When the federation last began to run, ns of the central timing equipment; -1: without it.
  std::int64_t ran_at() const noexcept;
  /// Why it ended, when step() returned false: "the Master shut the federation down".
  const std::string& farewell() const noexcept;
  std::vector<std::string> members() const;
  /// As the RTI last reported; look_around() requests new values, which arrive with the next
  /// step().
  std::vector<Peer> peers() const;
  void look_around();
  bool evoked() const noexcept;

  /// Requests a mode: run, freeze or shutdown. The Master commands it, others send a request. May
  /// be called from any thread.
  void request(Mode);
  /// Sends the request at once; after join(), on the federate's thread.
  void send_request(Mode);
  /// Ends a wait soon, as if shut down. May be called from any thread or signal handler.
  void interrupt() noexcept;

  class Work;

 private:
  std::unique_ptr<Work> work_;
};

}  // namespace vernier::spacefom
