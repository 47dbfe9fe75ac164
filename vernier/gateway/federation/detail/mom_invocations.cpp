#include <type_traits>

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
  Invocation i{service, {}};
  M m;
  if (!read(bytes, m)) return {};
  Teller t(i.arguments);
  m.fields(t);
  return i;
}

const char* advance_name(Bytes bytes) {
  Advance m;
  if (!read(bytes, m) || m.how > AdvanceKind::flush) return "";
  constexpr std::array names{"timeAdvanceRequest", "timeAdvanceRequestAvailable",
                             "nextMessageRequest", "nextMessageRequestAvailable",
                             "flushQueueRequest"};
  return names[static_cast<std::size_t>(m.how)];
}

}  // namespace

Invocation described(Kind kind, Bytes bytes) {
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
    VERNIER_TELL(save_done, SaveDone, "federateSaveComplete")
    VERNIER_TELL(abort_save, AbortSave, "abortFederationSave")
    VERNIER_TELL(query_save_status, QuerySaveStatus, "queryFederationSaveStatus")
    VERNIER_TELL(request_restore, RequestRestore, "requestFederationRestore")
    VERNIER_TELL(restore_done, RestoreDone, "federateRestoreComplete")
    VERNIER_TELL(abort_restore, AbortRestore, "abortFederationRestore")
    VERNIER_TELL(query_restore_status, QueryRestoreStatus, "queryFederationRestoreStatus")
    VERNIER_TELL(publish_attributes, PublishAttributes, "publishObjectClassAttributes")
    VERNIER_TELL(unpublish_attributes, UnpublishAttributes, "unpublishObjectClassAttributes")
    VERNIER_TELL(publish_interaction, PublishInteraction, "publishInteractionClass")
    VERNIER_TELL(unpublish_interaction, UnpublishInteraction, "unpublishInteractionClass")
    VERNIER_TELL(subscribe_attributes, SubscribeAttributes, "subscribeObjectClassAttributes")
    VERNIER_TELL(unsubscribe_attributes, UnsubscribeAttributes, "unsubscribeObjectClassAttributes")
    VERNIER_TELL(subscribe_interaction, SubscribeInteraction, "subscribeInteractionClass")
    VERNIER_TELL(unsubscribe_interaction, UnsubscribeInteraction, "unsubscribeInteractionClass")
    VERNIER_TELL(reserve_names, ReserveNames, "reserveObjectInstanceName")
    VERNIER_TELL(release_names, ReleaseNames, "releaseObjectInstanceName")
    VERNIER_TELL(register_object, RegisterObject, "registerObjectInstance")
    VERNIER_TELL(update_attributes, UpdateAttributes, "updateAttributeValues")
    VERNIER_TELL(send_interaction, SendInteraction, "sendInteraction")
    VERNIER_TELL(delete_object, DeleteObject, "deleteObjectInstance")
    VERNIER_TELL(local_delete, LocalDelete, "localDeleteObjectInstance")
    VERNIER_TELL(request_update, RequestUpdate, "requestAttributeValueUpdate")
    VERNIER_TELL(request_class_update, RequestClassUpdate, "requestAttributeValueUpdate")
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
#undef VERNIER_TELL
    default:
      return {};
  }
}

}  // namespace vernier::federation
