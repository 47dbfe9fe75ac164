#include <algorithm>
#include <type_traits>

#include "vernier/gateway/federation/callbacks.hpp"
#include "vernier/gateway/federation/detail/mom.hpp"
#include "vernier/gateway/federation/requests.hpp"

namespace vernier::federation {

namespace {

/// Writes the fields of a message as texts.
class Teller {
 public:
  explicit Teller(std::vector<std::string>& to) : to_(to) {}
  template <class... T>
  void operator()(const T&... fields) {
    (to_.push_back(told(fields)), ...);
  }

 private:
  static constexpr std::size_t longest = 4096;  // of a list or text that is reported

  static std::string told(const std::string& s) { return s.substr(0, longest); }
  static std::string told(const Blob& b) { return std::to_string(b.size()) + " bytes"; }
  static std::string told(Bytes b) { return std::to_string(b.size()) + " bytes"; }
  static std::string told(bool b) { return b ? "true" : "false"; }
  static std::string told(const Values& v) {
    std::string all;
    for_each(v, [&](Handle h, Bytes b) {
      if (all.size() > longest) return;
      all += (all.empty() ? "" : ", ") + std::to_string(h) + ": " + told(b);
    });
    return "[" + all + "]";
  }
  static std::string told(const Document& d) { return d.name; }
  template <Number T>
  static std::string told(T n) {
    if constexpr (std::is_enum_v<T>)
      return std::to_string(static_cast<std::underlying_type_t<T>>(n));
    else
      return std::to_string(n);
  }
  template <class T>
  static std::string told(const std::optional<T>& o) {
    return o ? told(*o) : std::string();
  }
  template <class T>
  static std::string told(const std::vector<T>& all) {
    std::string s;
    for (const T& one : all) {
      s += (s.empty() ? "" : ", ") + told(one);
      if (s.size() > longest) break;
    }
    return "[" + s + "]";
  }
  template <class T>
  requires T::visited static std::string told(const T& message) {
    std::vector<std::string> fields;
    Teller t(fields);
    const_cast<T&>(message).fields(t);
    if (fields.size() == 1) return fields.front();
    return told(fields);
  }

  std::vector<std::string>& to_;
};

template <class M>
Invocation told(const char* service, Bytes bytes) {
  Invocation i{service, {}, {}};
  M m;
  if (!read(bytes, m)) return {};
  Teller t(i.arguments);
  m.fields(t);
  return i;
}

/// The body of an answer.
template <class Body>
std::vector<std::string> told(Bytes bytes) {
  std::vector<std::string> fields;
  Body b;
  Reader r(bytes);
  b.fields(r);
  Teller t(fields);
  if (r.complete()) b.fields(t);
  return fields;
}

std::vector<std::string> returned(Kind kind, Bytes answer) {
  if (answer.empty()) return {};
  switch (kind) {
    case Kind::register_object:
      return {told<Registered>(answer).front()};
    case Kind::create_region:
      return told<Created>(answer);
    case Kind::divest_if_wanted:
      return told<Divested>(answer);
    case Kind::is_owned:
      return told<Truth>(answer);
    case Kind::query_galt:
    case Kind::query_lits:
    case Kind::query_time:
    case Kind::query_lookahead:
      return told<MaybeTime>(answer);
    case Kind::query_rate:
      return told<Rate>(answer);
    case Kind::find_federate:
      return told<Found>(answer);
    case Kind::name_federate:
      return told<Named>(answer);
    default:
      return {};
  }
}

/// One of two names, by a field of the message.
template <class M, class T>
const char* either(Bytes bytes, T M::*which, const char* yes, const char* no) {
  M m;
  return read(bytes, m) && m.*which != T{} ? yes : no;
}

const char* advance_name(Bytes bytes) {
  Advance m;
  if (!read(bytes, m) || m.how > AdvanceKind::flush) return "";
  constexpr std::array names{"timeAdvanceRequest", "timeAdvanceRequestAvailable",
                             "nextMessageRequest", "nextMessageRequestAvailable",
                             "flushQueueRequest"};
  return names[static_cast<std::size_t>(m.how)];
}

Invocation request(Kind kind, Bytes bytes) {
  switch (kind) {
#define VERNIER_TELL(k, M, name) \
  case Kind::k:                  \
    return told<M>(name, bytes);
    VERNIER_TELL(resign, Resign, "resignFederationExecution")
    VERNIER_TELL(register_synchronization, RegisterSynchronization,
                 "registerFederationSynchronizationPoint")
    VERNIER_TELL(achieve_synchronization, AchieveSynchronization, "synchronizationPointAchieved")
    VERNIER_TELL(request_save, RequestSave, "requestFederationSave")
    VERNIER_TELL(save_begun, SaveBegun, "federateSaveBegun")
    VERNIER_TELL(
        save_done, SaveDone,
        either(bytes, &SaveDone::success, "federateSaveComplete", "federateSaveNotComplete"))
    VERNIER_TELL(abort_save, AbortSave, "abortFederationSave")
    VERNIER_TELL(query_save_status, QuerySaveStatus, "queryFederationSaveStatus")
    VERNIER_TELL(request_restore, RequestRestore, "requestFederationRestore")
    VERNIER_TELL(restore_done, RestoreDone,
                 either(bytes, &RestoreDone::success, "federateRestoreComplete",
                        "federateRestoreNotComplete"))
    VERNIER_TELL(abort_restore, AbortRestore, "abortFederationRestore")
    VERNIER_TELL(query_restore_status, QueryRestoreStatus, "queryFederationRestoreStatus")
    VERNIER_TELL(publish_attributes, PublishAttributes, "publishObjectClassAttributes")
    VERNIER_TELL(unpublish_attributes, UnpublishAttributes, "unpublishObjectClassAttributes")
    VERNIER_TELL(publish_interaction, PublishInteraction, "publishInteractionClass")
    VERNIER_TELL(unpublish_interaction, UnpublishInteraction, "unpublishInteractionClass")
    VERNIER_TELL(
        subscribe_attributes, SubscribeAttributes,
        either(bytes, &SubscribeAttributes::with_regions,
               "subscribeObjectClassAttributesWithRegions", "subscribeObjectClassAttributes"))
    VERNIER_TELL(
        unsubscribe_attributes, UnsubscribeAttributes,
        either(bytes, &UnsubscribeAttributes::with_regions,
               "unsubscribeObjectClassAttributesWithRegions", "unsubscribeObjectClassAttributes"))
    VERNIER_TELL(subscribe_interaction, SubscribeInteraction, "subscribeInteractionClass")
    VERNIER_TELL(unsubscribe_interaction, UnsubscribeInteraction, "unsubscribeInteractionClass")
    VERNIER_TELL(reserve_names, ReserveNames, "reserveObjectInstanceName")
    VERNIER_TELL(release_names, ReleaseNames, "releaseObjectInstanceName")
    VERNIER_TELL(register_object, RegisterObject,
                 either(bytes, &RegisterObject::with_regions, "registerObjectInstanceWithRegions",
                        "registerObjectInstance"))
    VERNIER_TELL(update_attributes, UpdateAttributes, "updateAttributeValues")
    VERNIER_TELL(send_interaction, SendInteraction, "sendInteraction")
    VERNIER_TELL(delete_object, DeleteObject, "deleteObjectInstance")
    VERNIER_TELL(local_delete, LocalDelete, "localDeleteObjectInstance")
    VERNIER_TELL(request_update, RequestUpdate, "requestAttributeValueUpdate")
    VERNIER_TELL(request_class_update, RequestClassUpdate,
                 either(bytes, &RequestClassUpdate::with_regions,
                        "requestAttributeValueUpdateWithRegions", "requestAttributeValueUpdate"))
    VERNIER_TELL(change_attribute_transportation, ChangeAttributeTransportation,
                 "requestAttributeTransportationTypeChange")
    VERNIER_TELL(query_attribute_transportation, QueryAttributeTransportation,
                 "queryAttributeTransportationType")
    VERNIER_TELL(change_interaction_transportation, ChangeInteractionTransportation,
                 "requestInteractionTransportationTypeChange")
    VERNIER_TELL(query_interaction_transportation, QueryInteractionTransportation,
                 "queryInteractionTransportationType")
    VERNIER_TELL(divest_unconditionally, DivestUnconditionally,
                 "unconditionalAttributeOwnershipDivestiture")
    VERNIER_TELL(divest_negotiated, DivestNegotiated, "negotiatedAttributeOwnershipDivestiture")
    VERNIER_TELL(confirm_divestiture, ConfirmDivestiture, "confirmDivestiture")
    VERNIER_TELL(acquire, Acquire, "attributeOwnershipAcquisition")
    VERNIER_TELL(acquire_if_available, AcquireIfAvailable,
                 "attributeOwnershipAcquisitionIfAvailable")
    VERNIER_TELL(deny_release, DenyRelease, "attributeOwnershipReleaseDenied")
    VERNIER_TELL(divest_if_wanted, DivestIfWanted, "attributeOwnershipDivestitureIfWanted")
    VERNIER_TELL(cancel_divestiture, CancelDivestiture,
                 "cancelNegotiatedAttributeOwnershipDivestiture")
    VERNIER_TELL(cancel_acquisition, CancelAcquisition, "cancelAttributeOwnershipAcquisition")
    VERNIER_TELL(query_ownership, QueryOwnership, "queryAttributeOwnership")
    VERNIER_TELL(is_owned, IsOwned, "isAttributeOwnedByFederate")
    VERNIER_TELL(enable_regulation, EnableRegulation, "enableTimeRegulation")
    VERNIER_TELL(disable_regulation, DisableRegulation, "disableTimeRegulation")
    VERNIER_TELL(enable_constrained, EnableConstrained, "enableTimeConstrained")
    VERNIER_TELL(disable_constrained, DisableConstrained, "disableTimeConstrained")
    VERNIER_TELL(advance, Advance, advance_name(bytes))
    VERNIER_TELL(enable_asynchronous, EnableAsynchronous, "enableAsynchronousDelivery")
    VERNIER_TELL(disable_asynchronous, DisableAsynchronous, "disableAsynchronousDelivery")
    VERNIER_TELL(query_galt, QueryGalt, "queryGALT")
    VERNIER_TELL(query_lits, QueryLits, "queryLITS")
    VERNIER_TELL(query_time, QueryTime, "queryLogicalTime")
    VERNIER_TELL(modify_lookahead, ModifyLookahead, "modifyLookahead")
    VERNIER_TELL(query_lookahead, QueryLookahead, "queryLookahead")
    VERNIER_TELL(retract, Retract, "retract")
    VERNIER_TELL(change_attribute_order, ChangeAttributeOrder, "changeAttributeOrderType")
    VERNIER_TELL(change_interaction_order, ChangeInteractionOrder, "changeInteractionOrderType")
    VERNIER_TELL(create_region, CreateRegion, "createRegion")
    VERNIER_TELL(commit_regions, CommitRegions, "commitRegionModifications")
    VERNIER_TELL(delete_region, DeleteRegion, "deleteRegion")
    VERNIER_TELL(associate_regions, AssociateRegions, "associateRegionsForUpdates")
    VERNIER_TELL(unassociate_regions, UnassociateRegions, "unassociateRegionsForUpdates")
    VERNIER_TELL(set_resign_action, SetResignAction, "setAutomaticResignDirective")
    VERNIER_TELL(set_switch, SetSwitch, "setAdvisorySwitch")
    VERNIER_TELL(query_rate, QueryRate, "getUpdateRateValueForAttribute")
    VERNIER_TELL(find_federate, FindFederate, "getFederateHandle")
    VERNIER_TELL(name_federate, NameFederate, "getFederateName")
    default:
      return {};
  }
}

Invocation callback(Kind kind, Bytes bytes) {
  switch (kind) {
    VERNIER_TELL(
        synchronization_registered, SynchronizationRegistered,
        either(bytes, &SynchronizationRegistered::failure, "synchronizationPointRegistrationFailed",
               "synchronizationPointRegistrationSucceeded"))
    VERNIER_TELL(announce_synchronization, AnnounceSynchronization, "announceSynchronizationPoint")
    VERNIER_TELL(synchronized, Synchronized, "federationSynchronized")
    VERNIER_TELL(initiate_save, InitiateSave, "initiateFederateSave")
    VERNIER_TELL(saved, Saved,
                 either(bytes, &Saved::success, "federationSaved", "federationNotSaved"))
    VERNIER_TELL(save_status, SaveStatusReport, "federationSaveStatusResponse")
    VERNIER_TELL(restore_requested, RestoreRequested,
                 either(bytes, &RestoreRequested::success, "requestFederationRestoreSucceeded",
                        "requestFederationRestoreFailed"))
    VERNIER_TELL(restore_begun, RestoreBegun, "federationRestoreBegun")
    VERNIER_TELL(initiate_restore, InitiateRestore, "initiateFederateRestore")
    VERNIER_TELL(restored, Restored,
                 either(bytes, &Restored::success, "federationRestored", "federationNotRestored"))
    VERNIER_TELL(restore_status, RestoreStatusReport, "federationRestoreStatusResponse")
    VERNIER_TELL(registration_wanted, RegistrationWanted,
                 either(bytes, &RegistrationWanted::on, "startRegistrationForObjectClass",
                        "stopRegistrationForObjectClass"))
    VERNIER_TELL(
        interactions_wanted, InteractionsWanted,
        either(bytes, &InteractionsWanted::on, "turnInteractionsOn", "turnInteractionsOff"))
    VERNIER_TELL(names_reserved, NamesReserved,
                 either(bytes, &NamesReserved::success, "objectInstanceNameReservationSucceeded",
                        "objectInstanceNameReservationFailed"))
    VERNIER_TELL(discover, Discover, "discoverObjectInstance")
    VERNIER_TELL(reflect, Reflect, "reflectAttributeValues")
    VERNIER_TELL(receive, Receive, "receiveInteraction")
    VERNIER_TELL(remove, Remove, "removeObjectInstance")
    VERNIER_TELL(scope, Scope,
                 either(bytes, &Scope::in, "attributesInScope", "attributesOutOfScope"))
    VERNIER_TELL(provide, Provide, "provideAttributeValueUpdate")
    VERNIER_TELL(updates_wanted, UpdatesWanted,
                 either(bytes, &UpdatesWanted::on, "turnUpdatesOnForObjectInstance",
                        "turnUpdatesOffForObjectInstance"))
    VERNIER_TELL(
        attribute_transportation, AttributeTransportation,
        either(bytes, &AttributeTransportation::confirmed,
               "confirmAttributeTransportationTypeChange", "reportAttributeTransportationType"))
    VERNIER_TELL(
        interaction_transportation, InteractionTransportation,
        either(bytes, &InteractionTransportation::confirmed,
               "confirmInteractionTransportationTypeChange", "reportInteractionTransportationType"))
    VERNIER_TELL(assume, Assume, "requestAttributeOwnershipAssumption")
    VERNIER_TELL(confirm_divest, ConfirmDivest, "requestDivestitureConfirmation")
    VERNIER_TELL(acquired, Acquired, "attributeOwnershipAcquisitionNotification")
    VERNIER_TELL(unavailable, Unavailable, "attributeOwnershipUnavailable")
    VERNIER_TELL(release, Release, "requestAttributeOwnershipRelease")
    VERNIER_TELL(acquisition_cancelled, AcquisitionCancelled,
                 "confirmAttributeOwnershipAcquisitionCancellation")
    VERNIER_TELL(owner, Owner, "informAttributeOwnership")
    VERNIER_TELL(regulation_enabled, RegulationEnabled, "timeRegulationEnabled")
    VERNIER_TELL(constrained_enabled, ConstrainedEnabled, "timeConstrainedEnabled")
    VERNIER_TELL(granted, Granted, "timeAdvanceGrant")
    VERNIER_TELL(retraction_requested, RetractionRequested, "requestRetraction")
#undef VERNIER_TELL
    default:
      return {};
  }
}

}  // namespace

Invocation described(Kind kind, Bytes bytes, Bytes answer) {
  if (kind >= Kind::answer) return callback(kind, bytes);
  Invocation i = request(kind, bytes);
  i.returned = returned(kind, answer);
  return i;
}

std::uint32_t service_group(std::string_view service) noexcept {
  const auto begins = [&](std::initializer_list<std::string_view> all) {
    return std::any_of(all.begin(), all.end(), [&](auto s) { return service.starts_with(s); });
  };
  const auto has = [&](std::initializer_list<std::string_view> all) {
    return std::any_of(all.begin(), all.end(),
                       [&](auto s) { return service.find(s) != std::string_view::npos; });
  };
  if (begins({"get", "set", "decode", "normalize"}) || has({"AdvisorySwitch"})) return 6;
  if (has({"Region"})) return 5;
  if (has({"Time", "time", "AsynchronousDelivery", "GALT", "LITS", "ookahead", "OrderType",
           "NextMessage", "nextMessage", "flushQueue", "etract"}))
    return 4;
  if (has({"Ownership", "ivestiture", "Owned"})) return 3;
  if (has({"ublish", "ubscribe", "RegistrationForObjectClass", "turnInteractions"})) return 1;
  if (has({"Object", "Attribute", "attributes", "Interaction", "Updates"})) return 2;
  return 0;
}

}  // namespace vernier::federation
