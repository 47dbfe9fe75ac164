#pragma once

#include "vernier/gateway/federation/messages.hpp"

/// What a federate says to the RTI.
namespace vernier::federation {

// ---- federation management

/// Answered.
struct CreateFederation {
  static constexpr Kind kind = Kind::create_federation;
  std::string federation{};
  std::vector<Document> modules{};
  std::optional<Document> mim{};
  TimeKind time{};
  std::string own_time{};  // the name of one that federates define, counted in its epsilons
  VERNIER_FIELDS(federation, modules, mim, time, own_time)
};
/// Answered.
struct DestroyFederation {
  static constexpr Kind kind = Kind::destroy_federation;
  std::string federation{};
  VERNIER_FIELDS(federation)
};
/// Answered; the list comes as a callback.
struct ListFederations {
  static constexpr Kind kind = Kind::list_federations;
  VERNIER_FIELDS()
};
/// Answered by Joined; an empty federate name: the RTI chooses.
struct Join {
  static constexpr Kind kind = Kind::join;
  std::string federate{};
  std::string type{};
  std::string federation{};
  std::vector<Document> modules{};
  VERNIER_FIELDS(federate, type, federation, modules)
};
/// Answered.
struct Resign {
  static constexpr Kind kind = Kind::resign;
  ResignAction action{};
  VERNIER_FIELDS(action)
};
/// Answered; an empty set means all, now and later.
struct RegisterSynchronization {
  static constexpr Kind kind = Kind::register_synchronization;
  std::string label{};
  Blob tag{};
  std::optional<Numbers> federates{};
  VERNIER_FIELDS(label, tag, federates)
};
/// Answered.
struct AchieveSynchronization {
  static constexpr Kind kind = Kind::achieve_synchronization;
  std::string label{};
  bool success{};
  VERNIER_FIELDS(label, success)
};
/// Answered.
struct RequestSave {
  static constexpr Kind kind = Kind::request_save;
  std::string label{};
  std::optional<Stamp> time{};
  VERNIER_FIELDS(label, time)
};
/// Answered.
struct SaveBegun {
  static constexpr Kind kind = Kind::save_begun;
  VERNIER_FIELDS()
};
/// Answered.
struct SaveDone {
  static constexpr Kind kind = Kind::save_done;
  bool success{};
  VERNIER_FIELDS(success)
};
/// Answered.
struct AbortSave {
  static constexpr Kind kind = Kind::abort_save;
  VERNIER_FIELDS()
};
/// Answered.
struct QuerySaveStatus {
  static constexpr Kind kind = Kind::query_save_status;
  VERNIER_FIELDS()
};
/// Answered.
struct RequestRestore {
  static constexpr Kind kind = Kind::request_restore;
  std::string label{};
  VERNIER_FIELDS(label)
};
/// Answered.
struct RestoreDone {
  static constexpr Kind kind = Kind::restore_done;
  bool success{};
  VERNIER_FIELDS(success)
};
/// Answered.
struct AbortRestore {
  static constexpr Kind kind = Kind::abort_restore;
  VERNIER_FIELDS()
};
/// Answered.
struct QueryRestoreStatus {
  static constexpr Kind kind = Kind::query_restore_status;
  VERNIER_FIELDS()
};

// ---- declaration management; without attributes: the whole class

/// Answered.
struct PublishAttributes {
  static constexpr Kind kind = Kind::publish_attributes;
  Handle object_class{};
  Numbers attributes{};
  VERNIER_FIELDS(object_class, attributes)
};
/// Answered.
struct UnpublishAttributes {
  static constexpr Kind kind = Kind::unpublish_attributes;
  Handle object_class{};
  std::optional<Numbers> attributes{};
  VERNIER_FIELDS(object_class, attributes)
};
/// Answered.
struct PublishInteraction {
  static constexpr Kind kind = Kind::publish_interaction;
  Handle interaction_class{};
  VERNIER_FIELDS(interaction_class)
};
/// Answered.
struct UnpublishInteraction {
  static constexpr Kind kind = Kind::unpublish_interaction;
  Handle interaction_class{};
  VERNIER_FIELDS(interaction_class)
};
/// Answered.
struct SubscribeAttributes {
  static constexpr Kind kind = Kind::subscribe_attributes;
  Handle object_class{};
  std::vector<InRegions> parts{};
  bool active{};
  std::string rate{};
  bool with_regions{};
  VERNIER_FIELDS(object_class, parts, active, rate, with_regions)
};
/// Answered.
struct UnsubscribeAttributes {
  static constexpr Kind kind = Kind::unsubscribe_attributes;
  Handle object_class{};
  std::optional<std::vector<InRegions>> parts{};
  bool with_regions{};
  VERNIER_FIELDS(object_class, parts, with_regions)
};
/// Answered.
struct SubscribeInteraction {
  static constexpr Kind kind = Kind::subscribe_interaction;
  Handle interaction_class{};
  bool active{};
  std::optional<Numbers> regions{};
  VERNIER_FIELDS(interaction_class, active, regions)
};
/// Answered.
struct UnsubscribeInteraction {
  static constexpr Kind kind = Kind::unsubscribe_interaction;
  Handle interaction_class{};
  std::optional<Numbers> regions{};
  VERNIER_FIELDS(interaction_class, regions)
};

// ---- object management

/// Answered; success comes as a callback.
struct ReserveNames {
  static constexpr Kind kind = Kind::reserve_names;
  std::vector<std::string> names{};
  bool multiple{};
  VERNIER_FIELDS(names, multiple)
};
/// Answered.
struct ReleaseNames {
  static constexpr Kind kind = Kind::release_names;
  std::vector<std::string> names{};
  bool multiple{};
  VERNIER_FIELDS(names, multiple)
};
/// Answered by Registered.
struct RegisterObject {
  static constexpr Kind kind = Kind::register_object;
  Handle object_class{};
  std::optional<std::string> name{};
  std::vector<InRegions> parts{};
  bool with_regions{};
  VERNIER_FIELDS(object_class, name, parts, with_regions)
};
/// NOT answered; the federate has checked what it can.
struct UpdateAttributes {
  static constexpr Kind kind = Kind::update_attributes;
  Handle object{};
  Values values{};
  Bytes tag{};
  std::optional<Stamp> time{};
  std::uint32_t retraction{};
  VERNIER_FIELDS(object, values, tag, time, retraction)
};
/// NOT answered.
struct SendInteraction {
  static constexpr Kind kind = Kind::send_interaction;
  Handle interaction_class{};
  Values values{};
  Bytes tag{};
  std::optional<Stamp> time{};
  std::uint32_t retraction{};
  std::optional<Numbers> regions{};
  VERNIER_FIELDS(interaction_class, values, tag, time, retraction, regions)
};
/// Answered.
struct DeleteObject {
  static constexpr Kind kind = Kind::delete_object;
  Handle object{};
  Blob tag{};
  std::optional<Stamp> time{};
  std::uint32_t retraction{};
  VERNIER_FIELDS(object, tag, time, retraction)
};
/// Answered.
struct LocalDelete {
  static constexpr Kind kind = Kind::local_delete;
  Handle object{};
  VERNIER_FIELDS(object)
};
/// Answered.
struct RequestUpdate {
  static constexpr Kind kind = Kind::request_update;
  Handle object{};
  Numbers attributes{};
  Blob tag{};
  VERNIER_FIELDS(object, attributes, tag)
};
/// Answered.
struct RequestClassUpdate {
  static constexpr Kind kind = Kind::request_class_update;
  Handle object_class{};
  std::vector<InRegions> parts{};
  bool with_regions{};
  Blob tag{};
  VERNIER_FIELDS(object_class, parts, with_regions, tag)
};
/// Answered; confirmed by a callback.
struct ChangeAttributeTransportation {
  static constexpr Kind kind = Kind::change_attribute_transportation;
  Handle object{};
  Numbers attributes{};
  Handle transportation{};
  VERNIER_FIELDS(object, attributes, transportation)
};
/// Answered; reported by a callback.
struct QueryAttributeTransportation {
  static constexpr Kind kind = Kind::query_attribute_transportation;
  Handle object{};
  Handle attribute{};
  VERNIER_FIELDS(object, attribute)
};
/// Answered; confirmed by a callback.
struct ChangeInteractionTransportation {
  static constexpr Kind kind = Kind::change_interaction_transportation;
  Handle interaction_class{};
  Handle transportation{};
  VERNIER_FIELDS(interaction_class, transportation)
};
/// Answered; reported by a callback.
struct QueryInteractionTransportation {
  static constexpr Kind kind = Kind::query_interaction_transportation;
  Handle federate{};
  Handle interaction_class{};
  VERNIER_FIELDS(federate, interaction_class)
};

// ---- ownership management

/// Answered.
struct DivestUnconditionally {
  static constexpr Kind kind = Kind::divest_unconditionally;
  Handle object{};
  Numbers attributes{};
  VERNIER_FIELDS(object, attributes)
};
/// Answered.
struct DivestNegotiated {
  static constexpr Kind kind = Kind::divest_negotiated;
  Handle object{};
  Numbers attributes{};
  Blob tag{};
  VERNIER_FIELDS(object, attributes, tag)
};
/// Answered.
struct ConfirmDivestiture {
  static constexpr Kind kind = Kind::confirm_divestiture;
  Handle object{};
  Numbers attributes{};
  Blob tag{};
  VERNIER_FIELDS(object, attributes, tag)
};
/// Answered.
struct Acquire {
  static constexpr Kind kind = Kind::acquire;
  Handle object{};
  Numbers attributes{};
  Blob tag{};
  VERNIER_FIELDS(object, attributes, tag)
};
/// Answered.
struct AcquireIfAvailable {
  static constexpr Kind kind = Kind::acquire_if_available;
  Handle object{};
  Numbers attributes{};
  VERNIER_FIELDS(object, attributes)
};
/// Answered.
struct DenyRelease {
  static constexpr Kind kind = Kind::deny_release;
  Handle object{};
  Numbers attributes{};
  VERNIER_FIELDS(object, attributes)
};
/// Answered by Divested.
struct DivestIfWanted {
  static constexpr Kind kind = Kind::divest_if_wanted;
  Handle object{};
  Numbers attributes{};
  VERNIER_FIELDS(object, attributes)
};
/// Answered.
struct CancelDivestiture {
  static constexpr Kind kind = Kind::cancel_divestiture;
  Handle object{};
  Numbers attributes{};
  VERNIER_FIELDS(object, attributes)
};
/// Answered.
struct CancelAcquisition {
  static constexpr Kind kind = Kind::cancel_acquisition;
  Handle object{};
  Numbers attributes{};
  VERNIER_FIELDS(object, attributes)
};
/// Answered; informed by a callback.
struct QueryOwnership {
  static constexpr Kind kind = Kind::query_ownership;
  Handle object{};
  Handle attribute{};
  VERNIER_FIELDS(object, attribute)
};
/// Answered by Truth.
struct IsOwned {
  static constexpr Kind kind = Kind::is_owned;
  Handle object{};
  Handle attribute{};
  VERNIER_FIELDS(object, attribute)
};

// ---- time management

/// Answered.
struct EnableRegulation {
  static constexpr Kind kind = Kind::enable_regulation;
  Stamp lookahead{};
  VERNIER_FIELDS(lookahead)
};
/// Answered.
struct DisableRegulation {
  static constexpr Kind kind = Kind::disable_regulation;
  VERNIER_FIELDS()
};
/// Answered.
struct EnableConstrained {
  static constexpr Kind kind = Kind::enable_constrained;
  VERNIER_FIELDS()
};
/// Answered.
struct DisableConstrained {
  static constexpr Kind kind = Kind::disable_constrained;
  VERNIER_FIELDS()
};
/// NOT answered; the federate has checked state and time.
struct Advance {
  static constexpr Kind kind = Kind::advance;
  AdvanceKind how{};
  Stamp time{};
  VERNIER_FIELDS(how, time)
};
/// Answered.
struct EnableAsynchronous {
  static constexpr Kind kind = Kind::enable_asynchronous;
  VERNIER_FIELDS()
};
/// Answered.
struct DisableAsynchronous {
  static constexpr Kind kind = Kind::disable_asynchronous;
  VERNIER_FIELDS()
};
/// Answered by MaybeTime.
struct QueryGalt {
  static constexpr Kind kind = Kind::query_galt;
  VERNIER_FIELDS()
};
/// Answered by MaybeTime.
struct QueryLits {
  static constexpr Kind kind = Kind::query_lits;
  VERNIER_FIELDS()
};
/// Answered by MaybeTime.
struct QueryTime {
  static constexpr Kind kind = Kind::query_time;
  VERNIER_FIELDS()
};
/// Answered.
struct ModifyLookahead {
  static constexpr Kind kind = Kind::modify_lookahead;
  Stamp lookahead{};
  VERNIER_FIELDS(lookahead)
};
/// Answered by MaybeTime.
struct QueryLookahead {
  static constexpr Kind kind = Kind::query_lookahead;
  VERNIER_FIELDS()
};
/// Answered; numbers are the sender's own.
struct Retract {
  static constexpr Kind kind = Kind::retract;
  std::uint32_t retraction{};
  VERNIER_FIELDS(retraction)
};
/// Answered.
struct ChangeAttributeOrder {
  static constexpr Kind kind = Kind::change_attribute_order;
  Handle object{};
  Numbers attributes{};
  Order order{};
  VERNIER_FIELDS(object, attributes, order)
};
/// Answered.
struct ChangeInteractionOrder {
  static constexpr Kind kind = Kind::change_interaction_order;
  Handle interaction_class{};
  Order order{};
  VERNIER_FIELDS(interaction_class, order)
};

// ---- data distribution management

/// Answered by Created.
struct CreateRegion {
  static constexpr Kind kind = Kind::create_region;
  Numbers dimensions{};
  VERNIER_FIELDS(dimensions)
};
/// Answered.
struct CommitRegions {
  static constexpr Kind kind = Kind::commit_regions;
  std::vector<RegionBounds> regions{};
  VERNIER_FIELDS(regions)
};
/// Answered.
struct DeleteRegion {
  static constexpr Kind kind = Kind::delete_region;
  Handle region{};
  VERNIER_FIELDS(region)
};
/// Answered.
struct AssociateRegions {
  static constexpr Kind kind = Kind::associate_regions;
  Handle object{};
  std::vector<InRegions> parts{};
  VERNIER_FIELDS(object, parts)
};
/// Answered.
struct UnassociateRegions {
  static constexpr Kind kind = Kind::unassociate_regions;
  Handle object{};
  std::vector<InRegions> parts{};
  VERNIER_FIELDS(object, parts)
};

// ---- support

/// Answered.
struct SetResignAction {
  static constexpr Kind kind = Kind::set_resign_action;
  ResignAction action{};
  VERNIER_FIELDS(action)
};
/// Answered.
struct SetSwitch {
  static constexpr Kind kind = Kind::set_switch;
  Switch which{};
  bool on{};
  VERNIER_FIELDS(which, on)
};
/// Answered by Rate.
struct QueryRate {
  static constexpr Kind kind = Kind::query_rate;
  Handle object{};
  Handle attribute{};
  VERNIER_FIELDS(object, attribute)
};
/// Answered by Found; NameNotFound.
struct FindFederate {
  static constexpr Kind kind = Kind::find_federate;
  std::string name{};
  VERNIER_FIELDS(name)
};
/// Answered by Named; InvalidFederateHandle of one that never was, FederateHandleNotKnown of one
/// that has resigned.
struct NameFederate {
  static constexpr Kind kind = Kind::name_federate;
  Handle federate{};
  VERNIER_FIELDS(federate)
};
/// NOT answered: a service that the federate's side refused, or served without asking the RTI. Sent
/// while the RTI reports services or exceptions of the federate.
struct ReportInvocation {
  static constexpr Kind kind = Kind::report_invocation;
  std::string service{};
  std::vector<std::string> arguments{}, returned{};
  Failure failure{};
  std::string text{};
  VERNIER_FIELDS(service, arguments, returned, failure, text)
};
/// NOT answered: the federate disconnects.
struct Leave {
  static constexpr Kind kind = Kind::leave;
  VERNIER_FIELDS()
};
/// Answered; first message of a connection.
struct Hello {
  static constexpr Kind kind = Kind::hello;
  std::string program{};
  std::uint32_t version{};
  Blob proof{};
  VERNIER_FIELDS(program, version, proof)
};
/// NOT answered; either way, when nothing else was sent for a while.
struct Alive {
  static constexpr Kind kind = Kind::alive;
  VERNIER_FIELDS()
};

// ---- all of them

/// The management object model may invoke it on behalf of a federate.
enum class Invoker : std::uint8_t { own, mom };
template <class M>
inline constexpr bool mom_invokes = false;
#define VERNIER_INVOKER(number, name, M, invoker, service) \
  template <>                                              \
  inline constexpr bool mom_invokes<M> = Invoker::invoker == Invoker::mom;
VERNIER_FEDERATION_REQUESTS(VERNIER_INVOKER)
#undef VERNIER_INVOKER

/// Calls `f.operator()<M>()` with the type of the request of this kind; false when none has it.
template <class F>
bool with_request(Kind kind, F&& f) {
  switch (kind) {
#define VERNIER_CASE(number, name, M, invoker, service)               \
  case Kind::name:                                                    \
    static_assert(M::kind == Kind::name, "the list and the message"); \
    f.template operator()<M>();                                       \
    return true;
    VERNIER_FEDERATION_REQUESTS(VERNIER_CASE)
#undef VERNIER_CASE
    default:
      return false;
  }
}

}  // namespace vernier::federation
