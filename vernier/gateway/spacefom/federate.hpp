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

/// Makes the ambassador to an RTI. Empty: by the factory of the standard.
using AmbassadorMaker = std::function<std::unique_ptr<rti1516e::RTIambassador>()>;

/// Who a federate is and what the federation agreed on.
struct Settings {
  std::string federation = "SpaceFOM";
  std::string designator = {};  // of the RTI: "tcp://127.0.0.1:14321"; empty: that of this process
  std::string name = "federate", type = "federate";
  bool master = false, pacing = false, root_publisher = false;
  std::vector<std::string> modules = {};    // files besides those of the SpaceFOM
  std::vector<std::string> federates = {};  // the Master: that must be there before it begins
  std::vector<std::string> instances = {};  // object instances that must be there
  std::vector<std::string> phases = {};     // multiphase points, in their order
  Steps steps = {};                         // the Master gives the LCTS
  double epoch = 0.0;                       // the Master: of logical time 0, s of TT past TJD 0
  Ticks freeze_padding = 0;                 // the Master; 0: the smallest good one
  std::string pacer = {};                   // who is the Pacing federate, where that is known
  std::function<std::int64_t()> central_clock = {};  // central timing equipment, ns; empty: none
  std::chrono::milliseconds central_lead{500};       // the Master: from its word to the run
  bool late_only = false;                 // never an early joiner, also when it comes first
  std::chrono::milliseconds patience{0};  // for others to come; 0: any time
  std::chrono::milliseconds wait{0};      // for the RTI to come up
  // switches of a federation whose members do not follow the standard to the letter
  frames::WireAttitude attitude = frames::WireAttitude::parent_to_own;
  bool tolerate_swapped_lcts = true;
  bool evoked = false;    // callbacks when asked for, instead of at once; also if the RTI wants it
  bool use_mom = true;    // false, or an RTI without: only required federates are seen
  bool observes = false;  // peers() knows more than names
  std::function<void(const std::string&)> notice = {};  // told what is being waited for
};

/// The execution configuration: what the Master says to all.
struct Configuration {
  std::string root_frame;
  double epoch = 0.0;
  Mode current = Mode::uninitialized, next = Mode::uninitialized;
  double next_mode_time = 0.0;          // scenario time
  double next_mode_central_time = 0.0;  // s of the central timing equipment; 0: none is in use
  Ticks least_common = 0;
  bool has_epoch = false, has_modes = false;
};

/// An object of another federate, as far as it was heard of.
struct Remote {
  struct Value {
    std::string attribute;
    Octets bytes;
    std::uint64_t updates = 0;
    Ticks stamp = -1;  // of the last; -1: it had none
  };
  std::size_t number = 0;  // small, and of no other object that is there
  std::string name, object_class;
  std::vector<Value> values = {};  // as subscribed; their places are the same for its life
};

/// For whom a federate waited, as far as the RTI tells.
struct Keeper {
  std::string name;          // empty: it is not known
  std::uint64_t steps = 0;   // that ended with a wait for it
  std::int64_t longest = 0;  // ns
};

/// A federate as the RTI describes it (MOM); all but the name only for one that observes.
struct Peer {
  std::string name, type;
  Ticks time = -1, lookahead = -1;  // -1: not known
  bool regulating = false, constrained = false;
  bool advancing = false;  // waits for a grant
  bool master = false, root_publisher = false;
};

/// Hears of others' objects and prepares own values. Called on the federate's thread, from within
/// its functions. What a listener needs of the names of an object it looks up once, in
/// discovered(), and finds again by Remote::number and the places of values.
class Listener {
 public:
  virtual ~Listener() = default;
  virtual void discovered(const Remote&) {}
  /// `changed`: indices of its values.
  virtual void reflected(const Remote&, std::span<const std::size_t> changed) = 0;
  virtual void removed(const Remote&) {}
  /// An interaction that was subscribed, by its number. `values` as subscribed; empty where none
  /// came. `stamp`: -1: it had none.
  virtual void received(std::size_t /*interaction*/, std::span<const Octets> /*values*/,
                        Ticks /*stamp*/) {}
  /// Values are about to leave, of logical time `t`: call set() for those that are due.
  virtual void sending(Ticks t) = 0;
};

/// A member of a SpaceFOM federation (SISO-STD-018-2020), in any role, on any RTI with the C++
/// interface of IEEE 1516.1-2010. Knows object classes by name and values as bytes; what they mean
/// is Objects' (objects.hpp).
///
///   declare with publish() and subscribe(); join(); phase() for each of the settings; begin();
///   then step() until it answers false; resign().
///
/// Every wait watches for a shutdown, for a lost connection and for the Master's end. Failures are
/// ConfigurationErrors with codes V5320 to V5339. All functions but request() and interrupt() by
/// one thread.
class Federate {
 public:
  explicit Federate(Settings, AmbassadorMaker = {});
  /// Resigns if that was not done.
  ~Federate();
  Federate(const Federate&) = delete;
  Federate& operator=(const Federate&) = delete;

  // -- before join() --

  /// An object instance of ours; answers its number. `root`: the root reference frame.
  std::size_t publish(std::string object_class, std::string name,
                      std::vector<std::string> attributes, bool root = false);
  /// Of one class several times: all that were named.
  void subscribe(std::string object_class, std::vector<std::string> attributes);
  /// Interactions besides mode transition requests; answer their numbers, each from 0.
  std::size_t publish_interaction(std::string interaction_class,
                                  std::vector<std::string> parameters);
  std::size_t subscribe_interaction(std::string interaction_class,
                                    std::vector<std::string> parameters);
  /// Listeners are called in the order in which they were added, and live as long.
  void add_listener(Listener&);

  // -- values of ours; leave with the next phase() or step() --

  void set(std::size_t object, std::size_t attribute, std::span<const std::byte>);
  /// An interaction to be sent with the next step(), stamped as the values are.
  void post(std::size_t interaction, std::vector<Octets> values);

  // -- the life of a federate --

  /// Connects, joins, finds its part and initializes: an early joiner up to the known root frame, a
  /// late one until it knows the configuration and the required instances. False: the federation
  /// was shut down, now and below.
  bool join();
  /// Whether it takes part in the initialization; after join().
  bool early() const noexcept;
  /// Sends all values and takes part in multiphase point `k`; nothing to do for a late joiner.
  bool phase(std::size_t k);
  /// Time management; then waits for the federation to run, which may freeze first.
  bool begin();
  /// Sends what was set, stamped granted() + step, requests that time and waits until it is
  /// granted. Stands still in it while the federation is frozen.
  bool step();
  /// Leaves. The Master ends the federation with it.
  void resign();

  // -- how it stands --

  Ticks granted() const noexcept;
  /// Logical time at which it began: 0, or of a late joiner a boundary.
  Ticks started() const noexcept;
  const Settings& settings() const noexcept;
  const Configuration& configuration() const noexcept;
  Mode mode() const noexcept;  // from any thread
  /// Scenario time at a logical time.
  double scenario_time(Ticks) const noexcept;
  /// Whether step() or begin() stood still since this was last asked.
  bool stood_still() noexcept;
  /// How long the last step() waited for others, ns; and for whom at last: the one whose logical
  /// time held all others back. Empty: the RTI did not tell, or it was no more than a moment.
  std::int64_t waited() const noexcept;
  const std::string& waited_for() const noexcept;
  /// Whether it asks the RTI for whom, when it has waited for a millisecond; at first it does not.
  void name_keepers(bool) noexcept;
  /// All it waited for, by name.
  const std::vector<Keeper>& keepers() const noexcept;
  /// When the federation began to run last, ns of the central timing equipment; -1: without it.
  std::int64_t ran_at() const noexcept;
  /// Why it ended, when step() answered false: "the Master shut the federation down".
  const std::string& farewell() const noexcept;
  std::vector<std::string> members() const;
  /// As the RTI last said; look_around() asks it to say it anew, which comes with the next step().
  std::vector<Peer> peers() const;
  void look_around();
  bool evoked() const noexcept;

  /// Asks for a mode: run, freeze or shutdown. The Master commands it, others send a request. From
  /// any thread.
  void request(Mode);
  /// Sends the request at once; after join(), by the federate's thread.
  void send_request(Mode);
  /// Lets a wait end soon, as if shut down. From any thread or signal handler.
  void interrupt() noexcept;

  class Work;

 private:
  std::unique_ptr<Work> work_;
};

}  // namespace vernier::spacefom
