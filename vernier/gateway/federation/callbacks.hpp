#pragma once

#include "vernier/gateway/federation/messages.hpp"

/// The messages from the RTI to a federate, with their callbacks and sections of IEEE 1516.1-2010.
namespace vernier::federation {

// ---- answers

/// The answer to the request with this sequence number.
struct Answer {
  static constexpr Kind kind = Kind::answer;
  Failure failure{};
  std::string text{};
  Blob body{};
  VERNIER_FIELDS(failure, text, body)
};

// ---- federation management

/// The FOM has grown: the new FomTables, sent before anything that uses them.
struct Tables {
  static constexpr Kind kind = Kind::joined_tables;
  Blob tables{};
  VERNIER_FIELDS(tables)
};
/// Whether the Management Object Model reports the federate's service invocations, or their
/// exceptions.
struct Reporting {
  static constexpr Kind kind = Kind::reporting;
  bool services{}, exceptions{};
  VERNIER_FIELDS(services, exceptions)
};
/// reportFederationExecutions (4.8).
struct Federations {
  static constexpr Kind kind = Kind::federations;
  std::vector<FederationName> all{};
  VERNIER_FIELDS(all)
};
/// connectionLost (4.4): the connection can no longer be used.
struct Lost {
  static constexpr Kind kind = Kind::lost;
  std::string why{};
  VERNIER_FIELDS(why)
};
/// synchronizationPointRegistrationSucceeded or -Failed (4.12).
struct SynchronizationRegistered {
  static constexpr Kind kind = Kind::synchronization_registered;
  std::string label{};
  SynchronizationFailure failure{};
  VERNIER_FIELDS(label, failure)
};
/// announceSynchronizationPoint (4.13).
struct AnnounceSynchronization {
  static constexpr Kind kind = Kind::announce_synchronization;
  std::string label{};
  Bytes tag{};
  VERNIER_FIELDS(label, tag)
};
/// federationSynchronized (4.15).
struct Synchronized {
  static constexpr Kind kind = Kind::synchronized;
  std::string label{};
  Numbers failed{};
  VERNIER_FIELDS(label, failed)
};
/// initiateFederateSave (4.17).
struct InitiateSave {
  static constexpr Kind kind = Kind::initiate_save;
  std::string label{};
  std::optional<Stamp> time{};
  VERNIER_FIELDS(label, time)
};
/// federationSaved (4.20).
struct Saved {
  static constexpr Kind kind = Kind::saved;
  bool success{};
  SaveFailure reason{};
  VERNIER_FIELDS(success, reason)
};
/// federationSaveStatusResponse (4.23).
struct SaveStatusReport {
  static constexpr Kind kind = Kind::save_status;
  std::vector<StatusOf> all{};
  VERNIER_FIELDS(all)
};
/// requestFederationRestoreSucceeded (4.25).
struct RestoreRequested {
  static constexpr Kind kind = Kind::restore_requested;
  std::string label{};
  bool success{};
  VERNIER_FIELDS(label, success)
};
/// federationRestoreBegun (4.26).
struct RestoreBegun {
  static constexpr Kind kind = Kind::restore_begun;
  VERNIER_FIELDS()
};
/// initiateFederateRestore (4.27).
struct InitiateRestore {
  static constexpr Kind kind = Kind::initiate_restore;
  std::string label{};
  std::string federate_name{};
  Handle federate{};
  VERNIER_FIELDS(label, federate_name, federate)
};
/// federationRestored (4.29).
struct Restored {
  static constexpr Kind kind = Kind::restored;
  bool success{};
  RestoreFailure reason{};
  VERNIER_FIELDS(success, reason)
};
/// The federate's state after a restore; sent before Restored, and replaces what the federate knew.
struct MemberState {
  static constexpr Kind kind = Kind::member_state;
  Handle federate{};
  std::string name{};
  std::vector<KnownObject> objects{};
  std::vector<Published> published{};
  Numbers published_interactions{};
  Numbers time_stamped_interactions{};  // those sent in time stamp order
  std::vector<RegionBounds> regions{};  // created by the federate
  bool regulating{}, constrained{}, asynchronous{};
  Stamp time{}, lookahead{};
  std::array<bool, 4> switches{};  // in the order of enum Switch
  ResignAction resign{};
  bool service_reporting{}, exception_reporting{};
  VERNIER_FIELDS(federate, name, objects, published, published_interactions,
                 time_stamped_interactions, regions, regulating, constrained, asynchronous, time,
                 lookahead, switches[0], switches[1], switches[2], switches[3], resign,
                 service_reporting, exception_reporting)
};
/// A service was invoked on behalf of the federate and took effect: the frame of its request.
struct Served {
  static constexpr Kind kind = Kind::served;
  Bytes request{};
  VERNIER_FIELDS(request)
};
/// federationRestoreStatusResponse (4.32).
struct RestoreStatusReport {
  static constexpr Kind kind = Kind::restore_status;
  std::vector<RestoreStatusOf> all{};
  VERNIER_FIELDS(all)
};

// ---- declaration management

/// startRegistrationForObjectClass (5.10, 5.11).
struct RegistrationWanted {
  static constexpr Kind kind = Kind::registration_wanted;
  Handle object_class{};
  bool on{};
  VERNIER_FIELDS(object_class, on)
};
/// turnInteractionsOn (5.12, 5.13).
struct InteractionsWanted {
  static constexpr Kind kind = Kind::interactions_wanted;
  Handle interaction_class{};
  bool on{};
  VERNIER_FIELDS(interaction_class, on)
};

// ---- object management

/// objectInstanceNameReservationSucceeded (6.3, 6.6).
struct NamesReserved {
  static constexpr Kind kind = Kind::names_reserved;
  std::vector<std::string> names{};
  bool success{};
  bool multiple{};
  VERNIER_FIELDS(names, success, multiple)
};
/// discoverObjectInstance (6.9).
struct Discover {
  static constexpr Kind kind = Kind::discover;
  Handle object{};
  Handle object_class{};
  std::string name{};
  Handle producer{};
  VERNIER_FIELDS(object, object_class, name, producer)
};
/// reflectAttributeValues (6.11).
struct Reflect {
  static constexpr Kind kind = Kind::reflect;
  Handle object{};
  Values values{};
  Bytes tag{};
  Order sent{};
  Order received{};
  Handle transportation{};
  std::optional<Stamp> time{};
  std::optional<Retraction> retraction{};
  Handle producer{};
  std::vector<RegionOf> regions{};
  VERNIER_FIELDS(object, values, tag, sent, received, transportation, time, retraction, producer,
                 regions)
};
/// receiveInteraction (6.13).
struct Receive {
  static constexpr Kind kind = Kind::receive;
  Handle interaction_class{};
  Values values{};
  Bytes tag{};
  Order sent{};
  Order received{};
  Handle transportation{};
  std::optional<Stamp> time{};
  std::optional<Retraction> retraction{};
  Handle producer{};
  std::vector<RegionOf> regions{};
  VERNIER_FIELDS(interaction_class, values, tag, sent, received, transportation, time, retraction,
                 producer, regions)
};
/// removeObjectInstance (6.15).
struct Remove {
  static constexpr Kind kind = Kind::remove;
  Handle object{};
  Bytes tag{};
  Order sent{};
  Order received{};
  std::optional<Stamp> time{};
  std::optional<Retraction> retraction{};
  Handle producer{};
  VERNIER_FIELDS(object, tag, sent, received, time, retraction, producer)
};
/// attributesInScope (6.17, 6.18).
struct Scope {
  static constexpr Kind kind = Kind::scope;
  Handle object{};
  Numbers attributes{};
  bool in{};
  VERNIER_FIELDS(object, attributes, in)
};
/// provideAttributeValueUpdate (6.20).
struct Provide {
  static constexpr Kind kind = Kind::provide;
  Handle object{};
  Numbers attributes{};
  Bytes tag{};
  VERNIER_FIELDS(object, attributes, tag)
};
/// turnUpdatesOnForObjectInstance (6.21, 6.22).
struct UpdatesWanted {
  static constexpr Kind kind = Kind::updates_wanted;
  Handle object{};
  Numbers attributes{};
  bool on{};
  std::string rate{};
  VERNIER_FIELDS(object, attributes, on, rate)
};
/// confirmAttributeTransportationTypeChange (6.24, 6.26): a change confirmed, or a query answered.
struct AttributeTransportation {
  static constexpr Kind kind = Kind::attribute_transportation;
  Handle object{};
  Numbers attributes{};
  Handle transportation{};
  bool confirmed{};
  VERNIER_FIELDS(object, attributes, transportation, confirmed)
};
/// confirmInteractionTransportationTypeChange (6.28, 6.30).
struct InteractionTransportation {
  static constexpr Kind kind = Kind::interaction_transportation;
  Handle federate{};
  Handle interaction_class{};
  Handle transportation{};
  bool confirmed{};
  VERNIER_FIELDS(federate, interaction_class, transportation, confirmed)
};

// ---- ownership management

/// requestAttributeOwnershipAssumption (7.4).
struct Assume {
  static constexpr Kind kind = Kind::assume;
  Handle object{};
  Numbers attributes{};
  Bytes tag{};
  VERNIER_FIELDS(object, attributes, tag)
};
/// requestDivestitureConfirmation (7.5).
struct ConfirmDivest {
  static constexpr Kind kind = Kind::confirm_divest;
  Handle object{};
  Numbers attributes{};
  VERNIER_FIELDS(object, attributes)
};
/// attributeOwnershipAcquisitionNotification (7.7).
struct Acquired {
  static constexpr Kind kind = Kind::acquired;
  Handle object{};
  Numbers attributes{};
  Bytes tag{};
  VERNIER_FIELDS(object, attributes, tag)
};
/// attributeOwnershipUnavailable (7.10).
struct Unavailable {
  static constexpr Kind kind = Kind::unavailable;
  Handle object{};
  Numbers attributes{};
  VERNIER_FIELDS(object, attributes)
};
/// requestAttributeOwnershipRelease (7.11).
struct Release {
  static constexpr Kind kind = Kind::release;
  Handle object{};
  Numbers attributes{};
  Bytes tag{};
  VERNIER_FIELDS(object, attributes, tag)
};
/// confirmAttributeOwnershipAcquisitionCancellation (7.16).
struct AcquisitionCancelled {
  static constexpr Kind kind = Kind::acquisition_cancelled;
  Handle object{};
  Numbers attributes{};
  VERNIER_FIELDS(object, attributes)
};
/// informAttributeOwnership (7.18); 0: unowned; rti_owner: the RTI.
struct Owner {
  static constexpr Kind kind = Kind::owner;
  Handle object{};
  Handle attribute{};
  Handle federate{};
  VERNIER_FIELDS(object, attribute, federate)
};

/// Changed through the Management Object Model, which has no callback for it.
struct OwnershipSet {
  static constexpr Kind kind = Kind::ownership_set;
  Handle object{};
  Numbers attributes{};
  bool owned{};
  VERNIER_FIELDS(object, attributes, owned)
};

// ---- time management

/// timeRegulationEnabled (8.3).
struct RegulationEnabled {
  static constexpr Kind kind = Kind::regulation_enabled;
  Stamp time{};
  bool after{};  // with zero lookahead, it must send after `time`
  VERNIER_FIELDS(time, after)
};
/// timeConstrainedEnabled (8.6).
struct ConstrainedEnabled {
  static constexpr Kind kind = Kind::constrained_enabled;
  Stamp time{};
  VERNIER_FIELDS(time)
};
/// timeAdvanceGrant (8.13).
struct Granted {
  static constexpr Kind kind = Kind::granted;
  Stamp time{};
  VERNIER_FIELDS(time)
};
/// requestRetraction (8.22).
struct RetractionRequested {
  static constexpr Kind kind = Kind::retraction_requested;
  Retraction retraction{};
  VERNIER_FIELDS(retraction)
};

// ---- all of them

/// Calls `f.operator()<M>()` with the type of the callback of this kind; false for other kinds.
template <class F>
bool with_callback(Kind kind, F&& f) {
  switch (kind) {
#define VERNIER_CASE(number, name, M, service)                        \
  case Kind::name:                                                    \
    static_assert(M::kind == Kind::name, "the list and the message"); \
    f.template operator()<M>();                                       \
    return true;
    VERNIER_FEDERATION_CALLBACKS(VERNIER_CASE)
#undef VERNIER_CASE
    default:
      return false;
  }
}

}  // namespace vernier::federation
