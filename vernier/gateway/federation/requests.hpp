#pragma once

#include "vernier/gateway/federation/messages.hpp"

/// The messages from a federate to the RTI, with their services and sections of IEEE 1516.1-2010.
namespace vernier::federation {

// ---- federation management

/// createFederationExecution (4.5). Answered.
struct CreateFederation {
  static constexpr Kind kind = Kind::create_federation;
  std::string federation{};
  std::vector<Document> modules{};
  std::optional<Document> mim{};
  TimeKind time{};
  std::string own_time{};  // a time that federates define, counted in its epsilons
  VERNIER_FIELDS(federation, modules, mim, time, own_time)
};
/// destroyFederationExecution (4.6). Answered.
struct DestroyFederation {
  static constexpr Kind kind = Kind::destroy_federation;
  std::string federation{};
  VERNIER_FIELDS(federation)
};
/// listFederationExecutions (4.7). Answered; the list comes as a callback.
struct ListFederations {
  static constexpr Kind kind = Kind::list_federations;
  VERNIER_FIELDS()
};
/// joinFederationExecution (4.9). Answered by Joined; an empty federate name: the RTI chooses.
struct Join {
  static constexpr Kind kind = Kind::join;
  std::string federate{};
  std::string type{};
  std::string federation{};
  std::vector<Document> modules{};
  VERNIER_FIELDS(federate, type, federation, modules)
};
/// resignFederationExecution (4.10). Answered.
struct Resign {
  static constexpr Kind kind = Kind::resign;
  ResignAction action{};
  VERNIER_FIELDS(action)
};
/// registerFederationSynchronizationPoint (4.11). Answered; an empty set means all, now and later.
struct RegisterSynchronization {
  static constexpr Kind kind = Kind::register_synchronization;
  std::string label{};
  Blob tag{};
  std::optional<Numbers> federates{};
  VERNIER_FIELDS(label, tag, federates)
};
/// synchronizationPointAchieved (4.14). Answered.
struct AchieveSynchronization {
  static constexpr Kind kind = Kind::achieve_synchronization;
  std::string label{};
  bool success{};
  VERNIER_FIELDS(label, success)
};
/// requestFederationSave (4.16). Answered.
struct RequestSave {
  static constexpr Kind kind = Kind::request_save;
  std::string label{};
  std::optional<Stamp> time{};
  VERNIER_FIELDS(label, time)
};
/// federateSaveBegun (4.18). Answered.
struct SaveBegun {
  static constexpr Kind kind = Kind::save_begun;
  VERNIER_FIELDS()
};
/// federateSaveComplete (4.19). Answered.
struct SaveDone {
  static constexpr Kind kind = Kind::save_done;
  bool success{};
  VERNIER_FIELDS(success)
};
/// abortFederationSave (4.21). Answered.
struct AbortSave {
  static constexpr Kind kind = Kind::abort_save;
  VERNIER_FIELDS()
};
/// queryFederationSaveStatus (4.22). Answered.
struct QuerySaveStatus {
  static constexpr Kind kind = Kind::query_save_status;
  VERNIER_FIELDS()
};
/// requestFederationRestore (4.24). Answered.
struct RequestRestore {
  static constexpr Kind kind = Kind::request_restore;
  std::string label{};
  VERNIER_FIELDS(label)
};
/// federateRestoreComplete (4.28). Answered.
struct RestoreDone {
  static constexpr Kind kind = Kind::restore_done;
  bool success{};
  VERNIER_FIELDS(success)
};
/// abortFederationRestore (4.30). Answered.
struct AbortRestore {
  static constexpr Kind kind = Kind::abort_restore;
  VERNIER_FIELDS()
};
/// queryFederationRestoreStatus (4.31). Answered.
struct QueryRestoreStatus {
  static constexpr Kind kind = Kind::query_restore_status;
  VERNIER_FIELDS()
};

// ---- declaration management; without attributes: the whole class

/// publishObjectClassAttributes (5.2). Answered.
struct PublishAttributes {
  static constexpr Kind kind = Kind::publish_attributes;
  Handle object_class{};
  Numbers attributes{};
  VERNIER_FIELDS(object_class, attributes)
};
/// unpublishObjectClassAttributes (5.3). Answered.
struct UnpublishAttributes {
  static constexpr Kind kind = Kind::unpublish_attributes;
  Handle object_class{};
  std::optional<Numbers> attributes{};
  VERNIER_FIELDS(object_class, attributes)
};
/// publishInteractionClass (5.4). Answered.
struct PublishInteraction {
  static constexpr Kind kind = Kind::publish_interaction;
  Handle interaction_class{};
  VERNIER_FIELDS(interaction_class)
};
/// unpublishInteractionClass (5.5). Answered.
struct UnpublishInteraction {
  static constexpr Kind kind = Kind::unpublish_interaction;
  Handle interaction_class{};
  VERNIER_FIELDS(interaction_class)
};
/// subscribeObjectClassAttributes (5.6, 9.8). Answered.
struct SubscribeAttributes {
  static constexpr Kind kind = Kind::subscribe_attributes;
  Handle object_class{};
  std::vector<InRegions> parts{};
  bool active{};
  std::string rate{};
  bool with_regions{};
  VERNIER_FIELDS(object_class, parts, active, rate, with_regions)
};
/// unsubscribeObjectClassAttributes (5.7, 9.9). Answered.
struct UnsubscribeAttributes {
  static constexpr Kind kind = Kind::unsubscribe_attributes;
  Handle object_class{};
  std::optional<std::vector<InRegions>> parts{};
  bool with_regions{};
  VERNIER_FIELDS(object_class, parts, with_regions)
};
/// subscribeInteractionClass (5.8, 9.10). Answered.
struct SubscribeInteraction {
  static constexpr Kind kind = Kind::subscribe_interaction;
  Handle interaction_class{};
  bool active{};
  std::optional<Numbers> regions{};
  VERNIER_FIELDS(interaction_class, active, regions)
};
/// unsubscribeInteractionClass (5.9, 9.11). Answered.
struct UnsubscribeInteraction {
  static constexpr Kind kind = Kind::unsubscribe_interaction;
  Handle interaction_class{};
  std::optional<Numbers> regions{};
  VERNIER_FIELDS(interaction_class, regions)
};

// ---- object management

/// reserveObjectInstanceName (6.2, 6.5). Answered; success comes as a callback.
struct ReserveNames {
  static constexpr Kind kind = Kind::reserve_names;
  std::vector<std::string> names{};
  bool multiple{};
  VERNIER_FIELDS(names, multiple)
};
/// releaseObjectInstanceName (6.4, 6.7). Answered.
struct ReleaseNames {
  static constexpr Kind kind = Kind::release_names;
  std::vector<std::string> names{};
  bool multiple{};
  VERNIER_FIELDS(names, multiple)
};
/// registerObjectInstance (6.8, 9.5). Answered by Registered.
struct RegisterObject {
  static constexpr Kind kind = Kind::register_object;
  Handle object_class{};
  std::optional<std::string> name{};
  std::vector<InRegions> parts{};
  bool with_regions{};
  VERNIER_FIELDS(object_class, name, parts, with_regions)
};
/// updateAttributeValues (6.10). NOT answered; the federate has checked what it can.
struct UpdateAttributes {
  static constexpr Kind kind = Kind::update_attributes;
  Handle object{};
  Values values{};
  Bytes tag{};
  std::optional<Stamp> time{};
  std::uint32_t retraction{};
  VERNIER_FIELDS(object, values, tag, time, retraction)
};
/// sendInteraction (6.12, 9.12). NOT answered.
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
/// deleteObjectInstance (6.14). Answered.
struct DeleteObject {
  static constexpr Kind kind = Kind::delete_object;
  Handle object{};
  Blob tag{};
  std::optional<Stamp> time{};
  std::uint32_t retraction{};
  VERNIER_FIELDS(object, tag, time, retraction)
};
/// localDeleteObjectInstance (6.16). Answered.
struct LocalDelete {
  static constexpr Kind kind = Kind::local_delete;
  Handle object{};
  VERNIER_FIELDS(object)
};
/// requestAttributeValueUpdate (6.19). Answered.
struct RequestUpdate {
  static constexpr Kind kind = Kind::request_update;
  Handle object{};
  Numbers attributes{};
  Blob tag{};
  VERNIER_FIELDS(object, attributes, tag)
};
/// requestAttributeValueUpdate (6.19, 9.13). Answered.
struct RequestClassUpdate {
  static constexpr Kind kind = Kind::request_class_update;
  Handle object_class{};
  std::vector<InRegions> parts{};
  bool with_regions{};
  Blob tag{};
  VERNIER_FIELDS(object_class, parts, with_regions, tag)
};
/// requestAttributeTransportationTypeChange (6.23). Answered; confirmed by a callback.
struct ChangeAttributeTransportation {
  static constexpr Kind kind = Kind::change_attribute_transportation;
  Handle object{};
  Numbers attributes{};
  Handle transportation{};
  VERNIER_FIELDS(object, attributes, transportation)
};
/// queryAttributeTransportationType (6.25). Answered; reported by a callback.
struct QueryAttributeTransportation {
  static constexpr Kind kind = Kind::query_attribute_transportation;
  Handle object{};
  Handle attribute{};
  VERNIER_FIELDS(object, attribute)
};
/// requestInteractionTransportationTypeChange (6.27). Answered; confirmed by a callback.
struct ChangeInteractionTransportation {
  static constexpr Kind kind = Kind::change_interaction_transportation;
  Handle interaction_class{};
  Handle transportation{};
  VERNIER_FIELDS(interaction_class, transportation)
};
/// queryInteractionTransportationType (6.29). Answered; reported by a callback.
struct QueryInteractionTransportation {
  static constexpr Kind kind = Kind::query_interaction_transportation;
  Handle federate{};
  Handle interaction_class{};
  VERNIER_FIELDS(federate, interaction_class)
};

// ---- ownership management

/// unconditionalAttributeOwnershipDivestiture (7.2). Answered.
struct DivestUnconditionally {
  static constexpr Kind kind = Kind::divest_unconditionally;
  Handle object{};
  Numbers attributes{};
  VERNIER_FIELDS(object, attributes)
};
/// negotiatedAttributeOwnershipDivestiture (7.3). Answered.
struct DivestNegotiated {
  static constexpr Kind kind = Kind::divest_negotiated;
  Handle object{};
  Numbers attributes{};
  Blob tag{};
  VERNIER_FIELDS(object, attributes, tag)
};
/// confirmDivestiture (7.6). Answered.
struct ConfirmDivestiture {
  static constexpr Kind kind = Kind::confirm_divestiture;
  Handle object{};
  Numbers attributes{};
  Blob tag{};
  VERNIER_FIELDS(object, attributes, tag)
};
/// attributeOwnershipAcquisition (7.8). Answered.
struct Acquire {
  static constexpr Kind kind = Kind::acquire;
  Handle object{};
  Numbers attributes{};
  Blob tag{};
  VERNIER_FIELDS(object, attributes, tag)
};
/// attributeOwnershipAcquisitionIfAvailable (7.9). Answered.
struct AcquireIfAvailable {
  static constexpr Kind kind = Kind::acquire_if_available;
  Handle object{};
  Numbers attributes{};
  VERNIER_FIELDS(object, attributes)
};
/// attributeOwnershipReleaseDenied (7.12). Answered.
struct DenyRelease {
  static constexpr Kind kind = Kind::deny_release;
  Handle object{};
  Numbers attributes{};
  VERNIER_FIELDS(object, attributes)
};
/// attributeOwnershipDivestitureIfWanted (7.13). Answered by Divested.
struct DivestIfWanted {
  static constexpr Kind kind = Kind::divest_if_wanted;
  Handle object{};
  Numbers attributes{};
  VERNIER_FIELDS(object, attributes)
};
/// cancelNegotiatedAttributeOwnershipDivestiture (7.14). Answered.
struct CancelDivestiture {
  static constexpr Kind kind = Kind::cancel_divestiture;
  Handle object{};
  Numbers attributes{};
  VERNIER_FIELDS(object, attributes)
};
/// cancelAttributeOwnershipAcquisition (7.15). Answered.
struct CancelAcquisition {
  static constexpr Kind kind = Kind::cancel_acquisition;
  Handle object{};
  Numbers attributes{};
  VERNIER_FIELDS(object, attributes)
};
/// queryAttributeOwnership (7.17). Answered; informed by a callback.
struct QueryOwnership {
  static constexpr Kind kind = Kind::query_ownership;
  Handle object{};
  Handle attribute{};
  VERNIER_FIELDS(object, attribute)
};
/// isAttributeOwnedByFederate (7.19). Answered by Truth.
struct IsOwned {
  static constexpr Kind kind = Kind::is_owned;
  Handle object{};
  Handle attribute{};
  VERNIER_FIELDS(object, attribute)
};

// ---- time management

/// enableTimeRegulation (8.2). Answered.
struct EnableRegulation {
  static constexpr Kind kind = Kind::enable_regulation;
  Stamp lookahead{};
  VERNIER_FIELDS(lookahead)
};
/// disableTimeRegulation (8.4). Answered.
struct DisableRegulation {
  static constexpr Kind kind = Kind::disable_regulation;
  VERNIER_FIELDS()
};
/// enableTimeConstrained (8.5). Answered.
struct EnableConstrained {
  static constexpr Kind kind = Kind::enable_constrained;
  VERNIER_FIELDS()
};
/// disableTimeConstrained (8.7). Answered.
struct DisableConstrained {
  static constexpr Kind kind = Kind::disable_constrained;
  VERNIER_FIELDS()
};
/// timeAdvanceRequest to flushQueueRequest (8.8 to 8.12). NOT answered; the federate has checked
/// state and time.
struct Advance {
  static constexpr Kind kind = Kind::advance;
  AdvanceKind how{};
  Stamp time{};
  VERNIER_FIELDS(how, time)
};
/// enableAsynchronousDelivery (8.14). Answered.
struct EnableAsynchronous {
  static constexpr Kind kind = Kind::enable_asynchronous;
  VERNIER_FIELDS()
};
/// disableAsynchronousDelivery (8.15). Answered.
struct DisableAsynchronous {
  static constexpr Kind kind = Kind::disable_asynchronous;
  VERNIER_FIELDS()
};
/// queryGALT (8.16). Answered by MaybeTime.
struct QueryGalt {
  static constexpr Kind kind = Kind::query_galt;
  VERNIER_FIELDS()
};
/// queryLITS (8.18). Answered by MaybeTime.
struct QueryLits {
  static constexpr Kind kind = Kind::query_lits;
  VERNIER_FIELDS()
};
/// queryLogicalTime (8.17). Answered by MaybeTime.
struct QueryTime {
  static constexpr Kind kind = Kind::query_time;
  VERNIER_FIELDS()
};
/// modifyLookahead (8.19). Answered.
struct ModifyLookahead {
  static constexpr Kind kind = Kind::modify_lookahead;
  Stamp lookahead{};
  VERNIER_FIELDS(lookahead)
};
/// queryLookahead (8.20). Answered by MaybeTime.
struct QueryLookahead {
  static constexpr Kind kind = Kind::query_lookahead;
  VERNIER_FIELDS()
};
/// retract (8.21). Answered; numbers are the sender's own.
struct Retract {
  static constexpr Kind kind = Kind::retract;
  std::uint32_t retraction{};
  VERNIER_FIELDS(retraction)
};
/// changeAttributeOrderType (8.23). Answered.
struct ChangeAttributeOrder {
  static constexpr Kind kind = Kind::change_attribute_order;
  Handle object{};
  Numbers attributes{};
  Order order{};
  VERNIER_FIELDS(object, attributes, order)
};
/// changeInteractionOrderType (8.24). Answered.
struct ChangeInteractionOrder {
  static constexpr Kind kind = Kind::change_interaction_order;
  Handle interaction_class{};
  Order order{};
  VERNIER_FIELDS(interaction_class, order)
};

// ---- data distribution management

/// createRegion (9.2). Answered by Created.
struct CreateRegion {
  static constexpr Kind kind = Kind::create_region;
  Numbers dimensions{};
  VERNIER_FIELDS(dimensions)
};
/// commitRegionModifications (9.3). Answered.
struct CommitRegions {
  static constexpr Kind kind = Kind::commit_regions;
  std::vector<RegionBounds> regions{};
  VERNIER_FIELDS(regions)
};
/// deleteRegion (9.4). Answered.
struct DeleteRegion {
  static constexpr Kind kind = Kind::delete_region;
  Handle region{};
  VERNIER_FIELDS(region)
};
/// associateRegionsForUpdates (9.6). Answered.
struct AssociateRegions {
  static constexpr Kind kind = Kind::associate_regions;
  Handle object{};
  std::vector<InRegions> parts{};
  VERNIER_FIELDS(object, parts)
};
/// unassociateRegionsForUpdates (9.7). Answered.
struct UnassociateRegions {
  static constexpr Kind kind = Kind::unassociate_regions;
  Handle object{};
  std::vector<InRegions> parts{};
  VERNIER_FIELDS(object, parts)
};

// ---- support

/// setAutomaticResignDirective (10.3). Answered.
struct SetResignAction {
  static constexpr Kind kind = Kind::set_resign_action;
  ResignAction action{};
  VERNIER_FIELDS(action)
};
/// the advisory switches (10.33 to 10.40). Answered.
struct SetSwitch {
  static constexpr Kind kind = Kind::set_switch;
  Switch which{};
  bool on{};
  VERNIER_FIELDS(which, on)
};
/// getUpdateRateValueForAttribute (10.14). Answered by Rate.
struct QueryRate {
  static constexpr Kind kind = Kind::query_rate;
  Handle object{};
  Handle attribute{};
  VERNIER_FIELDS(object, attribute)
};
/// getFederateHandle (10.4). Answered by Found; NameNotFound.
struct FindFederate {
  static constexpr Kind kind = Kind::find_federate;
  std::string name{};
  VERNIER_FIELDS(name)
};
/// getFederateName (10.5). Answered by Named; InvalidFederateHandle if it never existed,
/// FederateHandleNotKnown if it has resigned.
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
/// Answered; the first message on a connection.
struct Hello {
  static constexpr Kind kind = Kind::hello;
  std::string program{};
  std::uint32_t version{};
  Blob proof{};
  VERNIER_FIELDS(program, version, proof)
};
/// NOT answered; in both directions, when nothing else was sent for a while.
struct Alive {
  static constexpr Kind kind = Kind::alive;
  VERNIER_FIELDS()
};

// ---- all of them

/// Whether the Management Object Model may invoke the service on behalf of a federate.
enum class Invoker : std::uint8_t { own, mom };
template <class M>
inline constexpr bool mom_invokes = false;
#define VERNIER_INVOKER(number, name, M, invoker, service) \
  template <>                                              \
  inline constexpr bool mom_invokes<M> = Invoker::invoker == Invoker::mom;
VERNIER_FEDERATION_REQUESTS(VERNIER_INVOKER)
#undef VERNIER_INVOKER

/// Calls `f.operator()<M>()` with the type of the request of this kind; false for other kinds.
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
