#pragma once

#include "vernier/gateway/federation/messages.hpp"

/// What the RTI says to a federate.
namespace vernier::federation {

// ---- answers

/// To the request of this sequence number.
struct Answer {
  static constexpr Kind kind = Kind::answer;
  Failure failure{};
  std::string text{};
  Blob body{};
  VERNIER_FIELDS(failure, text, body)
};

// ---- federation management

/// The FOM has grown: FomTables, before anything that uses it.
struct Tables {
  static constexpr Kind kind = Kind::joined_tables;
  Blob tables{};
  VERNIER_FIELDS(tables)
};
/// Whether the management object model reports services of the federate, or their exceptions.
struct Reporting {
  static constexpr Kind kind = Kind::reporting;
  bool services{}, exceptions{};
  VERNIER_FIELDS(services, exceptions)
};
struct Federations {
  static constexpr Kind kind = Kind::federations;
  std::vector<FederationName> all{};
  VERNIER_FIELDS(all)
};
/// The connection is of no use any more.
struct Lost {
  static constexpr Kind kind = Kind::lost;
  std::string why{};
  VERNIER_FIELDS(why)
};
struct SynchronizationRegistered {
  static constexpr Kind kind = Kind::synchronization_registered;
  std::string label{};
  SynchronizationFailure failure{};
  VERNIER_FIELDS(label, failure)
};
struct AnnounceSynchronization {
  static constexpr Kind kind = Kind::announce_synchronization;
  std::string label{};
  Bytes tag{};
  VERNIER_FIELDS(label, tag)
};
struct Synchronized {
  static constexpr Kind kind = Kind::synchronized;
  std::string label{};
  Numbers failed{};
  VERNIER_FIELDS(label, failed)
};
struct InitiateSave {
  static constexpr Kind kind = Kind::initiate_save;
  std::string label{};
  std::optional<Stamp> time{};
  VERNIER_FIELDS(label, time)
};
struct Saved {
  static constexpr Kind kind = Kind::saved;
  bool success{};
  SaveFailure reason{};
  VERNIER_FIELDS(success, reason)
};
struct SaveStatusReport {
  static constexpr Kind kind = Kind::save_status;
  std::vector<StatusOf> all{};
  VERNIER_FIELDS(all)
};
struct RestoreRequested {
  static constexpr Kind kind = Kind::restore_requested;
  std::string label{};
  bool success{};
  VERNIER_FIELDS(label, success)
};
struct RestoreBegun {
  static constexpr Kind kind = Kind::restore_begun;
  VERNIER_FIELDS()
};
struct InitiateRestore {
  static constexpr Kind kind = Kind::initiate_restore;
  std::string label{};
  std::string federate_name{};
  Handle federate{};
  VERNIER_FIELDS(label, federate_name, federate)
};
struct Restored {
  static constexpr Kind kind = Kind::restored;
  bool success{};
  RestoreFailure reason{};
  VERNIER_FIELDS(success, reason)
};
/// What the federate is after a restore; comes before Restored and replaces what it knew.
struct MemberState {
  static constexpr Kind kind = Kind::member_state;
  Handle federate{};
  std::string name{};
  std::vector<KnownObject> objects{};
  std::vector<Published> published{};
  Numbers published_interactions{};
  Numbers time_stamped_interactions{};  // those that go in time stamp order
  std::vector<RegionBounds> regions{};  // made by it
  bool regulating{}, constrained{}, asynchronous{};
  Stamp time{}, lookahead{};
  std::array<bool, 4> switches{};  // as enum Switch numbers them
  ResignAction resign{};
  bool service_reporting{}, exception_reporting{};
  VERNIER_FIELDS(federate, name, objects, published, published_interactions,
                 time_stamped_interactions, regions, regulating, constrained, asynchronous, time,
                 lookahead, switches[0], switches[1], switches[2], switches[3], resign,
                 service_reporting, exception_reporting)
};
/// A service was invoked on behalf of the federate, with effect: the frame of its request.
struct Served {
  static constexpr Kind kind = Kind::served;
  Bytes request{};
  VERNIER_FIELDS(request)
};
struct RestoreStatusReport {
  static constexpr Kind kind = Kind::restore_status;
  std::vector<RestoreStatusOf> all{};
  VERNIER_FIELDS(all)
};

// ---- declaration management

struct RegistrationWanted {
  static constexpr Kind kind = Kind::registration_wanted;
  Handle object_class{};
  bool on{};
  VERNIER_FIELDS(object_class, on)
};
struct InteractionsWanted {
  static constexpr Kind kind = Kind::interactions_wanted;
  Handle interaction_class{};
  bool on{};
  VERNIER_FIELDS(interaction_class, on)
};

// ---- object management

struct NamesReserved {
  static constexpr Kind kind = Kind::names_reserved;
  std::vector<std::string> names{};
  bool success{};
  bool multiple{};
  VERNIER_FIELDS(names, success, multiple)
};
struct Discover {
  static constexpr Kind kind = Kind::discover;
  Handle object{};
  Handle object_class{};
  std::string name{};
  Handle producer{};
  VERNIER_FIELDS(object, object_class, name, producer)
};
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
struct Scope {
  static constexpr Kind kind = Kind::scope;
  Handle object{};
  Numbers attributes{};
  bool in{};
  VERNIER_FIELDS(object, attributes, in)
};
struct Provide {
  static constexpr Kind kind = Kind::provide;
  Handle object{};
  Numbers attributes{};
  Bytes tag{};
  VERNIER_FIELDS(object, attributes, tag)
};
struct UpdatesWanted {
  static constexpr Kind kind = Kind::updates_wanted;
  Handle object{};
  Numbers attributes{};
  bool on{};
  std::string rate{};
  VERNIER_FIELDS(object, attributes, on, rate)
};
/// Confirmed or reported.
struct AttributeTransportation {
  static constexpr Kind kind = Kind::attribute_transportation;
  Handle object{};
  Numbers attributes{};
  Handle transportation{};
  bool confirmed{};
  VERNIER_FIELDS(object, attributes, transportation, confirmed)
};
struct InteractionTransportation {
  static constexpr Kind kind = Kind::interaction_transportation;
  Handle federate{};
  Handle interaction_class{};
  Handle transportation{};
  bool confirmed{};
  VERNIER_FIELDS(federate, interaction_class, transportation, confirmed)
};

// ---- ownership management

struct Assume {
  static constexpr Kind kind = Kind::assume;
  Handle object{};
  Numbers attributes{};
  Bytes tag{};
  VERNIER_FIELDS(object, attributes, tag)
};
struct ConfirmDivest {
  static constexpr Kind kind = Kind::confirm_divest;
  Handle object{};
  Numbers attributes{};
  VERNIER_FIELDS(object, attributes)
};
struct Acquired {
  static constexpr Kind kind = Kind::acquired;
  Handle object{};
  Numbers attributes{};
  Bytes tag{};
  VERNIER_FIELDS(object, attributes, tag)
};
struct Unavailable {
  static constexpr Kind kind = Kind::unavailable;
  Handle object{};
  Numbers attributes{};
  VERNIER_FIELDS(object, attributes)
};
struct Release {
  static constexpr Kind kind = Kind::release;
  Handle object{};
  Numbers attributes{};
  Bytes tag{};
  VERNIER_FIELDS(object, attributes, tag)
};
struct AcquisitionCancelled {
  static constexpr Kind kind = Kind::acquisition_cancelled;
  Handle object{};
  Numbers attributes{};
  VERNIER_FIELDS(object, attributes)
};
/// 0: nobody; rti_owner: the RTI.
struct Owner {
  static constexpr Kind kind = Kind::owner;
  Handle object{};
  Handle attribute{};
  Handle federate{};
  VERNIER_FIELDS(object, attribute, federate)
};

/// By the management object model, which has no callback for it.
struct OwnershipSet {
  static constexpr Kind kind = Kind::ownership_set;
  Handle object{};
  Numbers attributes{};
  bool owned{};
  VERNIER_FIELDS(object, attributes, owned)
};

// ---- time management

struct RegulationEnabled {
  static constexpr Kind kind = Kind::regulation_enabled;
  Stamp time{};
  bool after{};  // with lookahead zero, it sends later than `time` only
  VERNIER_FIELDS(time, after)
};
struct ConstrainedEnabled {
  static constexpr Kind kind = Kind::constrained_enabled;
  Stamp time{};
  VERNIER_FIELDS(time)
};
struct Granted {
  static constexpr Kind kind = Kind::granted;
  Stamp time{};
  VERNIER_FIELDS(time)
};
struct RetractionRequested {
  static constexpr Kind kind = Kind::retraction_requested;
  Retraction retraction{};
  VERNIER_FIELDS(retraction)
};

// ---- all of them

/// Calls `f.operator()<M>()` with the type of the callback of this kind; false when none has it.
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
