#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "vernier/gateway/federation/callbacks.hpp"
#include "vernier/gateway/federation/federate.hpp"
#include "vernier/gateway/federation/instance.hpp"
#include "vernier/gateway/federation/requests.hpp"
#include "vernier/gateway/federation/time_manager.hpp"
#include "vernier/gateway/fom/model.hpp"

namespace vernier::federation {

class Federation;
class Regions;
class SaveStore;
class FomStore;
struct LoadedFom;

/// The resources that one federation may use; more is refused with a reason.
struct Limits {
  std::size_t federates = 4096, instances = 1u << 22, names = 1u << 20, points = 4096;
  std::size_t joins = 1u << 24;  // of all federates ever joined: handles are not reused
  std::size_t modules = 512, name_bytes = 1024, tag_bytes = 1u << 16;
  std::size_t module_bytes = 64u << 20;        // of FOM modules
  std::size_t kept_bytes = 1u << 30;           // of names, instances, regions, tags
  std::size_t waiting_bytes = 256u << 20;      // of messages for one federate
  std::chrono::milliseconds patience{600000};  // with a federate that has more and requests nothing
};

/// Observes a federation and acts for the RTI: its Management Object Model. Called while the
/// federation is consistent; it may call any function below.
class Observer {
 public:
  virtual ~Observer() = default;

  /// Has just joined and got the answer.
  virtual void joined(Federate&) = 0;
  /// Will be resigned; still complete. `lost`: why the connection was lost; empty: it resigned
  /// itself.
  virtual void resigning(Federate&, std::string_view lost) = 0;
  virtual void resigned(Handle federate) = 0;
  /// A federate invoked a service. `refused` is null if it was served, with this answer.
  virtual void invoked(Federate&, Kind, Bytes frame, Bytes answer, const Refusal* refused) = 0;
  /// The same for a service that the federate's side refused or served alone.
  virtual void invoked(Federate&, const ReportInvocation&) = 0;
  /// A callback is sent to a federate whose services are reported.
  virtual void called(const Federate&, const Frame&) = 0;
  /// An interaction below HLAmanager; it is also sent to its subscribers.
  virtual void received(Federate& from, Handle interaction_class, const Values&) = 0;
  /// Values of these attributes, all owned by the RTI, are requested.
  virtual void provide(Instance&, const Numbers& attributes) = 0;
  /// The FOM has grown, a save or restore has begun or ended, or a switch was set.
  virtual void changed() = 0;
  /// After a restore: federates and instances, including those of the RTI, are those of the save.
  virtual void restored() = 0;
  /// Called after the current service if `due`.
  virtual void catch_up() = 0;
  /// Called periodically.
  virtual void pulse(std::chrono::steady_clock::time_point now) = 0;

  bool due = false;       // catch_up() has work to do, or there are `evictions`
  bool periodic = false;  // pulse() has work to do periodically
  std::vector<std::pair<Connection, ResignAction>> evictions;  // federates to resign
};

/// One federation execution. A service that throws Refusal has changed nothing. The federate passed
/// to a service is a member. Handles and attributes in messages are untrusted.
class Federation {
 public:
  /// Builds the FOM of the modules and the MIM (none: the standard one). Throws Refusal.
  Federation(std::string name, TimeKind, std::vector<Document> modules, std::optional<Document> mim,
             SaveStore&, FomStore&, std::string own_time = {});
  ~Federation();
  Federation(const Federation&) = delete;

  // ---- general
  const std::string& name() const noexcept { return name_; }
  TimeKind time_kind() const noexcept { return time_.kind(); }
  /// The name of a time that the federates define; empty: one of the two standard times.
  const std::string& own_time() const noexcept { return own_time_; }
  const fom::Fom& fom() const noexcept;
  /// What is wrong with the modules and does no harm, one line each.
  const std::vector<std::string>& fom_warnings() const noexcept;
  /// Class members are in ascending order.
  const FomTables& tables() const noexcept { return tables_; }
  /// The modules as given, without the MIM; then the MIM, if one was given.
  const std::vector<Document>& documents() const noexcept { return documents_; }
  const std::optional<Document>& mim() const noexcept { return mim_; }
  TimeManager& time() noexcept { return time_; }
  Regions& regions() noexcept { return *regions_; }
  void observe(std::unique_ptr<Observer> o) { observer_ = std::move(o); }

  // ---- federates
  /// In the order in which they joined.
  const std::vector<Federate*>& federates() const noexcept { return joined_; }
  Federate* federate(Handle h) const noexcept {
    return h < federates_.size() ? federates_[h].get() : nullptr;
  }
  Federate* federate(std::string_view name) const noexcept;
  /// Throws Refusal. Announcements follow with sent_joined(), after the answer.
  Federate& join(const Join&, Peer&, Connection, Joined& answer);
  void sent_joined(Federate&);
  /// Throws what resign() would throw.
  void check_resign(const Federate&, ResignAction) const;
  /// On request or, with a reason, because the connection was lost: then never refused.
  void resign(Federate&, ResignAction, std::string_view lost = {});

  // ---- messages
  /// Directly to the federate.
  void send(const Federate& to, const Frame& f) {
    if (to.service_reporting && observer_) observer_->called(to, f);
    to.peer->put(f);
  }
  template <class M>
  void tell(const Federate& to, const M& message) {
    send(to, frame(message));
  }

  // ---- messages that wait for a federate (detail/crowd.cpp)
  void limit_waiting(std::size_t bytes, std::chrono::milliseconds patience) noexcept;
  /// A federate is near its limit of waiting messages.
  bool crowded() const noexcept { return !time_.crowded().empty(); }
  /// The federate that must catch up before a frame of this kind is taken from the sender; null:
  /// none.
  const Federate* pressing(const Federate& sender, Kind next, bool waits) const noexcept;
  /// The federate to resign, and why.
  struct Stuck {
    Federate* federate = nullptr;  // null: none
    std::string why;
  };
  /// Checked after a frame of the sender.
  Stuck overflowing(Federate& sender, Kind);
  /// Checked periodically.
  Stuck stuck(std::chrono::steady_clock::time_point now);

  // ---- actions of the RTI itself
  /// Registers an instance owned by the RTI; subscribers discover it. `regions` apply to attributes
  /// that have their dimensions.
  Instance& register_own(Handle object_class, const std::string& name, const Numbers& regions = {});
  void delete_own(Instance&);
  /// Sends values of the RTI's instance to subscribers. Attributes ascend.
  void update_own(Instance&, const Values&);
  /// Sends an interaction of the RTI to subscribers; with `only`, to this one if it subscribes.
  /// `regions` apply if the class has their dimensions.
  void send_own(Handle interaction_class, const Values&, const Federate* only = nullptr,
                const Numbers& regions = {});
  bool subscribed(const Federate&, Handle interaction_class) const noexcept;

  // ---- instances
  const Table<Instance>& instances() const noexcept { return instances_; }
  Instance* instance(Handle h) const noexcept { return instances_.find(h); }
  bool auto_provide() const noexcept { return auto_provide_; }
  void set_auto_provide(bool on) { auto_provide_ = on; }
  void set_convey(Federate&, bool producer, bool regions);
  void set_reporting(Federate&, bool services, bool exceptions);
  /// Makes the federate the owner of an attribute or, if not `owned`, removes its ownership. No
  /// federate is asked or called back. Refused when the federate does not know the instance or does
  /// not publish the attribute, or when the RTI owns it.
  void set_ownership(Federate&, Handle object, Handle attribute, bool owned);

  // ---- synchronization, saves
  struct Point {
    struct Participant {
      Handle federate = 0;
      bool achieved = false, success = false;
      VERNIER_FIELDS(federate, achieved, success)
    };
    Blob tag;
    bool all = false;  // includes federates that join later
    std::vector<Participant> members;
    VERNIER_FIELDS(tag, all, members)
  };
  const std::map<std::string, Point>& points() const noexcept { return points_; }
  bool saving() const noexcept { return saving_; }
  bool restoring() const noexcept { return restoring_; }
  /// The label of the last successful save, and of the next one.
  const std::string& last_save() const noexcept { return last_save_; }
  std::optional<Stamp> last_save_time() const noexcept { return last_save_time_; }
  const std::string& next_save() const noexcept { return next_save_; }
  std::optional<Stamp> next_save_time() const noexcept { return next_save_time_; }

  /// Regions were committed or (un)associated: scopes may have changed.
  void regions_changed();

  // ---- services; those that return void are answered without a body
  void take(Federate&, const RegisterSynchronization&);
  void take(Federate&, const AchieveSynchronization&);
  void take(Federate&, const RequestSave&);
  void take(Federate&, const SaveBegun&);
  void take(Federate&, const SaveDone&);
  void take(Federate&, const AbortSave&);
  void take(Federate&, const QuerySaveStatus&);
  void take(Federate&, const RequestRestore&);
  void take(Federate&, const RestoreDone&);
  void take(Federate&, const AbortRestore&);
  void take(Federate&, const QueryRestoreStatus&);

  void take(Federate&, const PublishAttributes&);
  void take(Federate&, const UnpublishAttributes&);
  void take(Federate&, const PublishInteraction&);
  void take(Federate&, const UnpublishInteraction&);
  void take(Federate&, const SubscribeAttributes&);
  void take(Federate&, const UnsubscribeAttributes&);
  void take(Federate&, const SubscribeInteraction&);
  void take(Federate&, const UnsubscribeInteraction&);

  void take(Federate&, const ReserveNames&);
  void take(Federate&, const ReleaseNames&);
  Registered take(Federate&, const RegisterObject&);
  void take(Federate&, const UpdateAttributes&);
  void take(Federate&, const SendInteraction&);
  void take(Federate&, const DeleteObject&);
  void take(Federate&, const LocalDelete&);
  void take(Federate&, const RequestUpdate&);
  void take(Federate&, const RequestClassUpdate&);
  void take(Federate&, const ChangeAttributeTransportation&);
  void take(Federate&, const QueryAttributeTransportation&);
  void take(Federate&, const ChangeInteractionTransportation&);
  void take(Federate&, const QueryInteractionTransportation&);

  void take(Federate&, const DivestUnconditionally&);
  void take(Federate&, const DivestNegotiated&);
  void take(Federate&, const ConfirmDivestiture&);
  void take(Federate&, const Acquire&);
  void take(Federate&, const AcquireIfAvailable&);
  void take(Federate&, const DenyRelease&);
  Divested take(Federate&, const DivestIfWanted&);
  void take(Federate&, const CancelDivestiture&);
  void take(Federate&, const CancelAcquisition&);
  void take(Federate&, const QueryOwnership&);
  Truth take(Federate&, const IsOwned&);

  void take(Federate&, const EnableRegulation&);
  void take(Federate&, const DisableRegulation&);
  void take(Federate&, const EnableConstrained&);
  void take(Federate&, const DisableConstrained&);
  void take(Federate&, const Advance&);
  void take(Federate&, const EnableAsynchronous&);
  void take(Federate&, const DisableAsynchronous&);
  MaybeTime take(Federate&, const QueryGalt&);
  MaybeTime take(Federate&, const QueryLits&);
  MaybeTime take(Federate&, const QueryTime&);
  void take(Federate&, const ModifyLookahead&);
  MaybeTime take(Federate&, const QueryLookahead&);
  void take(Federate&, const Retract&);
  void take(Federate&, const ChangeAttributeOrder&);
  void take(Federate&, const ChangeInteractionOrder&);

  Created take(Federate&, const CreateRegion&);
  void take(Federate&, const CommitRegions&);
  void take(Federate&, const DeleteRegion&);
  void take(Federate&, const AssociateRegions&);
  void take(Federate&, const UnassociateRegions&);

  void take(Federate&, const SetResignAction&);
  void take(Federate&, const SetSwitch&);
  Rate take(Federate&, const QueryRate&);
  Found take(Federate&, const FindFederate&);
  Named take(Federate&, const NameFederate&);
  void take(Federate&, const ReportInvocation&);

  /// Throws SaveInProgress or RestoreInProgress if this service is not allowed meanwhile.
  void require_running(Kind) const;
  Observer* observer() const noexcept { return observer_.get(); }

  Limits limits;

 private:
  struct Name {
    Handle reserved_by = 0;
    Handle object = 0;
    VERNIER_FIELDS(reserved_by, object)
  };
  struct InteractionRoute;

  // ---- the FOM (detail/tables.cpp)
  void load(std::vector<Document> added);
  void size_tables(Federate&) const;
  const FomTables::Class& object_class(Handle) const;
  const FomTables::Class& interaction_class(Handle) const;
  Numbers checked_attributes(Handle object_class, const Numbers&) const;
  bool is_a(Handle object_class, Handle ancestor) const noexcept;
  bool interaction_is_a(Handle interaction_class, Handle ancestor) const noexcept;
  void check_transportation(Handle) const;
  bool reliable(Handle transportation) const noexcept;
  Slot fresh_slot(Handle attribute) const;

  // ---- discovery and scope (detail/discovery.cpp)
  /// Throws ObjectInstanceNotKnown.
  Instance& known_instance(const Federate&, Handle) const;
  /// Attributes of the class as which the federate knows the instance; throws AttributeNotDefined.
  std::vector<Slot*> slots(const Federate&, Instance&, const Numbers& attributes) const;
  std::vector<Slot*> owned_slots(const Federate&, Instance&, const Numbers& attributes) const;
  /// Also throws AttributeDivestitureWasNotRequested.
  std::vector<Slot*> divesting_slots(const Federate&, Instance&, const Numbers& attributes) const;
  /// The class as which this federate would discover the instance; 0: none.
  Handle candidate(const Federate&, const Instance&) const noexcept;
  bool sees(Federate&, const Slot&, Handle at_class) const;
  /// Updates discovery and scope of an instance for one federate.
  void review(Instance&, Federate&);
  /// The same for all federates; also tells owners whether updates are wanted.
  void review(Instance&);
  void review_wanted(Instance&);
  void review_below(Federate&, Handle object_class);
  /// Tells publishers whether instances or interactions of a class have subscribers.
  void review_registration(Handle object_class);
  void review_interactions(Handle interaction_class);
  void review_advisories();
  void forget_wanted(const Federate&);
  bool registration_wanted(const Federate&, Handle object_class) const noexcept;
  bool interactions_wanted(const Federate&, Handle interaction_class) const noexcept;
  void provide(Instance&, const Numbers& attributes, Bytes tag, const Federate& asked_by);
  void routes_changed() noexcept { ++declarations_; }

  // ---- objects (detail/objects.cpp, detail/relay.cpp)
  Instance& create(Handle object_class, std::string name, Handle producer);
  void remove(Instance&, Handle by, Bytes tag, std::optional<Stamp>, std::uint32_t retraction);
  Known& remember(Instance&, Handle federate, Handle as_class);
  void forget(Instance&, Handle federate);
  void erase(Instance&);
  void deliver(Handle federate, const Frame&);
  void deliver_waiting();
  Route* route(Instance&, Handle sender, const Numbers& attributes, bool ordered);
  void add_target(Route&, Instance&, Known&);
  void relay(Instance&, Route&, Handle producer, const UpdateAttributes&);
  InteractionRoute* route(Handle interaction_class, const Numbers& parameters);
  void relay(const Federate* from, const SendInteraction&, Order, Handle transportation,
             const Federate* only);
  void check_name(const std::string&) const;
  void check_tag(const Blob&) const;

  // ---- memory accounting (detail/kept.cpp)
  std::size_t kept() const;
  /// Throws Refusal when the limit is exceeded.
  void keep(std::size_t bytes);
  void keep_for(const std::vector<InRegions>&);
  /// For entries of a map or list.
  void keep_entries(std::size_t count, std::size_t bytes);
  void gone(const Instance&) noexcept;

  // ---- ownership (detail/ownership.cpp)
  void hand_over(Instance&, Slot&, Handle to);
  void ask_release(Instance&, const std::vector<Slot*>&);
  std::vector<Slot*> wanted_slots(const Federate&, Instance&, const Numbers& attributes) const;
  void make_unowned(Instance&, const std::vector<Slot*>&, Bytes tag);
  void offer(Instance&, const std::vector<Slot*>&, Bytes tag, Handle except);
  void offer_unowned(Instance&, Federate&);
  bool publishes(const Federate&, Handle object_class, Handle attribute) const noexcept;
  void cancel_acquisitions(Federate&);

  // ---- regions (detail/distribution.cpp)
  /// Throws unless the regions are this federate's and suit these attributes, or this interaction
  /// class.
  void check_regions(const Federate&, const Numbers& regions, const Numbers& attributes) const;
  void check_regions(const Federate&, const Numbers& regions, const FomTables::Class&) const;
  void associate(Slot&, Numbers regions);

  // ---- synchronization, saves (detail/synchronization.cpp, saving.cpp, restoring.cpp)
  void announce_points(Federate&);
  void complete_point(const std::string& label);
  void leave_points(Handle federate);
  void begin_save();
  void end_save(SaveFailure);
  void check_stopped();
  void end_restore(RestoreFailure);
  Blob state() const;
  struct SavedState;
  std::unique_ptr<SavedState> parsed_state(Bytes) const;
  bool matched(const SavedState&);
  bool adopt(SavedState&);
  MemberState member_state(const Federate&) const;

  std::string name_, own_time_;
  SaveStore& store_;
  std::vector<Document> documents_;
  std::optional<Document> mim_;
  FomStore& foms_;
  std::shared_ptr<const LoadedFom> fom_;  // shared with other federations of the same modules
  FomTables tables_;
  Blob encoded_tables_;
  Handle privilege_ = 0;  // HLAprivilegeToDeleteObject
  Handle mom_ = 0;        // the interaction class HLAmanager
  std::array<bool, 4> switches_{};
  bool auto_provide_ = false, convey_producer_ = false, convey_regions_ = false;
  bool service_reporting_ = false, exception_reporting_ = false;
  ResignAction resign_{};

  std::vector<std::unique_ptr<Federate>> federates_;  // by handle; index 0 is unused
  std::vector<Federate*> joined_;
  std::unordered_map<std::string, Name> names_;
  Table<Instance> instances_;
  Handle next_instance_ = 1;
  Numbers deleting_;  // instances with a pending time-stamped deletion
  Handle removing_ = 0;
  std::uint64_t declarations_ = 1;  // version of the declarations that routes depend on
  std::vector<std::vector<InteractionRoute>> interaction_routes_;  // by class
  TimeManager time_;
  std::unique_ptr<Regions> regions_;
  std::map<std::string, Point> points_;

  std::size_t kept_ = 0;                        // upper bound, bytes
  std::size_t kept_since_ = 0, kept_gone_ = 0;  // added and removed since the last full count

  bool saving_ = false, restoring_ = false;
  std::string last_save_, next_save_;
  std::optional<Stamp> last_save_time_, next_save_time_;
  bool save_failed_ = false, restore_failed_ = false;  // for at least one federate
  std::unique_ptr<SavedState> restoring_state_;

  Numbers scratch_;              // attributes or parameters of the current message
  std::vector<std::byte> room_;  // values selected from it
  std::unique_ptr<Observer> observer_;
};

/// The type of the answer's body for a request to a federation; void: none.
template <class M>
using AnswerTo =
    decltype(std::declval<Federation&>().take(std::declval<Federate&>(), std::declval<const M&>()));

}  // namespace vernier::federation
