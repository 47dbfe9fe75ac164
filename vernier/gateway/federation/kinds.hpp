#pragma once

#include <cstdint>

/// All messages between federates and the RTI, with their numbers and all other properties. The
/// switches, type lists and names elsewhere are generated from these two lists, so a message that
/// is missing anywhere fails to compile.
///
/// The numbers are part of the protocol: a new message takes the next free one; existing ones never
/// change.
///
/// Requests: number, kind, type; `mom` if the Management Object Model may invoke it on behalf of a
/// federate, else `own`; the service of IEEE 1516.1-2010 that it represents, as an expression in
/// which `m` is the message, or "" if it is not reported. Callbacks: number, kind, type, service.
// clang-format off
#define VERNIER_FEDERATION_REQUESTS(X) \
  /* federation management */ \
  X(1, create_federation, CreateFederation, own, "") \
  X(2, destroy_federation, DestroyFederation, own, "") \
  X(3, list_federations, ListFederations, own, "") \
  X(4, join, Join, own, "") \
  X(5, resign, Resign, own, "resignFederationExecution") \
  X(6, register_synchronization, RegisterSynchronization, own, \
    "registerFederationSynchronizationPoint") \
  X(7, achieve_synchronization, AchieveSynchronization, mom, "synchronizationPointAchieved") \
  X(8, request_save, RequestSave, own, "requestFederationSave") \
  X(9, save_begun, SaveBegun, mom, "federateSaveBegun") \
  X(10, save_done, SaveDone, mom, m.success \
    ? "federateSaveComplete" : "federateSaveNotComplete") \
  X(11, abort_save, AbortSave, own, "abortFederationSave") \
  X(12, query_save_status, QuerySaveStatus, own, "queryFederationSaveStatus") \
  X(13, request_restore, RequestRestore, own, "requestFederationRestore") \
  X(14, restore_done, RestoreDone, mom, m.success \
    ? "federateRestoreComplete" : "federateRestoreNotComplete") \
  X(15, abort_restore, AbortRestore, own, "abortFederationRestore") \
  X(16, query_restore_status, QueryRestoreStatus, own, "queryFederationRestoreStatus") \
  /* declaration management; without attributes: the whole class */ \
  X(17, publish_attributes, PublishAttributes, mom, "publishObjectClassAttributes") \
  X(18, unpublish_attributes, UnpublishAttributes, mom, "unpublishObjectClassAttributes") \
  X(19, publish_interaction, PublishInteraction, mom, "publishInteractionClass") \
  X(20, unpublish_interaction, UnpublishInteraction, mom, "unpublishInteractionClass") \
  X(21, subscribe_attributes, SubscribeAttributes, mom, m.with_regions \
    ? "subscribeObjectClassAttributesWithRegions" : "subscribeObjectClassAttributes") \
  X(22, unsubscribe_attributes, UnsubscribeAttributes, mom, m.with_regions \
    ? "unsubscribeObjectClassAttributesWithRegions" : "unsubscribeObjectClassAttributes") \
  X(23, subscribe_interaction, SubscribeInteraction, mom, "subscribeInteractionClass") \
  X(24, unsubscribe_interaction, UnsubscribeInteraction, mom, "unsubscribeInteractionClass") \
  /* object management */ \
  X(25, reserve_names, ReserveNames, own, "reserveObjectInstanceName") \
  X(26, release_names, ReleaseNames, own, "releaseObjectInstanceName") \
  X(27, register_object, RegisterObject, own, m.with_regions \
    ? "registerObjectInstanceWithRegions" : "registerObjectInstance") \
  X(28, update_attributes, UpdateAttributes, own, "updateAttributeValues") \
  X(29, send_interaction, SendInteraction, own, "sendInteraction") \
  X(30, delete_object, DeleteObject, mom, "deleteObjectInstance") \
  X(31, local_delete, LocalDelete, mom, "localDeleteObjectInstance") \
  X(32, request_update, RequestUpdate, own, "requestAttributeValueUpdate") \
  X(33, request_class_update, RequestClassUpdate, own, m.with_regions \
    ? "requestAttributeValueUpdateWithRegions" : "requestAttributeValueUpdate") \
  X(34, change_attribute_transportation, ChangeAttributeTransportation, mom, \
    "requestAttributeTransportationTypeChange") \
  X(35, query_attribute_transportation, QueryAttributeTransportation, own, \
    "queryAttributeTransportationType") \
  X(36, change_interaction_transportation, ChangeInteractionTransportation, mom, \
    "requestInteractionTransportationTypeChange") \
  X(37, query_interaction_transportation, QueryInteractionTransportation, own, \
    "queryInteractionTransportationType") \
  /* ownership management */ \
  X(38, divest_unconditionally, DivestUnconditionally, mom, \
    "unconditionalAttributeOwnershipDivestiture") \
  X(39, divest_negotiated, DivestNegotiated, own, "negotiatedAttributeOwnershipDivestiture") \
  X(40, confirm_divestiture, ConfirmDivestiture, own, "confirmDivestiture") \
  X(41, acquire, Acquire, own, "attributeOwnershipAcquisition") \
  X(42, acquire_if_available, AcquireIfAvailable, own, \
    "attributeOwnershipAcquisitionIfAvailable") \
  X(43, deny_release, DenyRelease, own, "attributeOwnershipReleaseDenied") \
  X(44, divest_if_wanted, DivestIfWanted, own, "attributeOwnershipDivestitureIfWanted") \
  X(45, cancel_divestiture, CancelDivestiture, own, \
    "cancelNegotiatedAttributeOwnershipDivestiture") \
  X(46, cancel_acquisition, CancelAcquisition, own, "cancelAttributeOwnershipAcquisition") \
  X(47, query_ownership, QueryOwnership, own, "queryAttributeOwnership") \
  X(48, is_owned, IsOwned, own, "isAttributeOwnedByFederate") \
  /* time management */ \
  X(49, enable_regulation, EnableRegulation, mom, "enableTimeRegulation") \
  X(50, disable_regulation, DisableRegulation, mom, "disableTimeRegulation") \
  X(51, enable_constrained, EnableConstrained, mom, "enableTimeConstrained") \
  X(52, disable_constrained, DisableConstrained, mom, "disableTimeConstrained") \
  X(53, advance, Advance, mom, advance_name(m.how)) \
  X(54, enable_asynchronous, EnableAsynchronous, mom, "enableAsynchronousDelivery") \
  X(55, disable_asynchronous, DisableAsynchronous, mom, "disableAsynchronousDelivery") \
  X(56, query_galt, QueryGalt, own, "queryGALT") \
  X(57, query_lits, QueryLits, own, "queryLITS") \
  X(58, query_time, QueryTime, own, "queryLogicalTime") \
  X(59, modify_lookahead, ModifyLookahead, mom, "modifyLookahead") \
  X(60, query_lookahead, QueryLookahead, own, "queryLookahead") \
  X(61, retract, Retract, own, "retract") \
  X(62, change_attribute_order, ChangeAttributeOrder, mom, "changeAttributeOrderType") \
  X(63, change_interaction_order, ChangeInteractionOrder, mom, "changeInteractionOrderType") \
  /* data distribution management */ \
  X(64, create_region, CreateRegion, own, "createRegion") \
  X(65, commit_regions, CommitRegions, own, "commitRegionModifications") \
  X(66, delete_region, DeleteRegion, own, "deleteRegion") \
  X(67, associate_regions, AssociateRegions, own, "associateRegionsForUpdates") \
  X(68, unassociate_regions, UnassociateRegions, own, "unassociateRegionsForUpdates") \
  /* support */ \
  X(69, set_resign_action, SetResignAction, own, "setAutomaticResignDirective") \
  X(70, set_switch, SetSwitch, own, "setAdvisorySwitch") \
  X(71, query_rate, QueryRate, own, "getUpdateRateValueForAttribute") \
  X(72, find_federate, FindFederate, own, "getFederateHandle") \
  X(73, name_federate, NameFederate, own, "getFederateName") \
  X(74, report_invocation, ReportInvocation, own, "") \
  X(75, leave, Leave, own, "") \
  X(76, hello, Hello, own, "") \
  X(77, alive, Alive, own, "")

#define VERNIER_FEDERATION_CALLBACKS(X) \
  /* answers */ \
  X(78, answer, Answer, "") \
  /* federation management */ \
  X(79, joined_tables, Tables, "") \
  X(80, reporting, Reporting, "") \
  X(81, federations, Federations, "") \
  X(82, lost, Lost, "") \
  X(83, synchronization_registered, SynchronizationRegistered, m.failure != SynchronizationFailure::none \
    ? "synchronizationPointRegistrationFailed" : "synchronizationPointRegistrationSucceeded") \
  X(84, announce_synchronization, AnnounceSynchronization, "announceSynchronizationPoint") \
  X(85, synchronized, Synchronized, "federationSynchronized") \
  X(86, initiate_save, InitiateSave, "initiateFederateSave") \
  X(87, saved, Saved, m.success ? "federationSaved" : "federationNotSaved") \
  X(88, save_status, SaveStatusReport, "federationSaveStatusResponse") \
  X(89, restore_requested, RestoreRequested, m.success \
    ? "requestFederationRestoreSucceeded" : "requestFederationRestoreFailed") \
  X(90, restore_begun, RestoreBegun, "federationRestoreBegun") \
  X(91, initiate_restore, InitiateRestore, "initiateFederateRestore") \
  X(92, restored, Restored, m.success ? "federationRestored" : "federationNotRestored") \
  X(93, restore_status, RestoreStatusReport, "federationRestoreStatusResponse") \
  X(94, member_state, MemberState, "") \
  X(95, served, Served, "") \
  /* declaration management */ \
  X(96, registration_wanted, RegistrationWanted, m.on \
    ? "startRegistrationForObjectClass" : "stopRegistrationForObjectClass") \
  X(97, interactions_wanted, InteractionsWanted, m.on \
    ? "turnInteractionsOn" : "turnInteractionsOff") \
  /* object management */ \
  X(98, names_reserved, NamesReserved, m.success \
    ? "objectInstanceNameReservationSucceeded" : "objectInstanceNameReservationFailed") \
  X(99, discover, Discover, "discoverObjectInstance") \
  X(100, reflect, Reflect, "reflectAttributeValues") \
  X(101, receive, Receive, "receiveInteraction") \
  X(102, remove, Remove, "removeObjectInstance") \
  X(103, scope, Scope, m.in ? "attributesInScope" : "attributesOutOfScope") \
  X(104, provide, Provide, "provideAttributeValueUpdate") \
  X(105, updates_wanted, UpdatesWanted, m.on \
    ? "turnUpdatesOnForObjectInstance" : "turnUpdatesOffForObjectInstance") \
  X(106, attribute_transportation, AttributeTransportation, m.confirmed \
    ? "confirmAttributeTransportationTypeChange" : "reportAttributeTransportationType") \
  X(107, interaction_transportation, InteractionTransportation, m.confirmed \
    ? "confirmInteractionTransportationTypeChange" : "reportInteractionTransportationType") \
  /* ownership management */ \
  X(108, assume, Assume, "requestAttributeOwnershipAssumption") \
  X(109, confirm_divest, ConfirmDivest, "requestDivestitureConfirmation") \
  X(110, acquired, Acquired, "attributeOwnershipAcquisitionNotification") \
  X(111, unavailable, Unavailable, "attributeOwnershipUnavailable") \
  X(112, release, Release, "requestAttributeOwnershipRelease") \
  X(113, acquisition_cancelled, AcquisitionCancelled, \
    "confirmAttributeOwnershipAcquisitionCancellation") \
  X(114, owner, Owner, "informAttributeOwnership") \
  X(115, ownership_set, OwnershipSet, "") \
  /* time management */ \
  X(116, regulation_enabled, RegulationEnabled, "timeRegulationEnabled") \
  X(117, constrained_enabled, ConstrainedEnabled, "timeConstrainedEnabled") \
  X(118, granted, Granted, "timeAdvanceGrant") \
  X(119, retraction_requested, RetractionRequested, "requestRetraction")
// clang-format on

namespace vernier::federation {

enum class Kind : std::uint16_t {
  none = 0,
#define VERNIER_REQUEST(number, kind, M, invoker, service) kind = (number),
#define VERNIER_CALLBACK(number, kind, M, service) kind = (number),
  VERNIER_FEDERATION_REQUESTS(VERNIER_REQUEST) VERNIER_FEDERATION_CALLBACKS(VERNIER_CALLBACK)
#undef VERNIER_REQUEST
#undef VERNIER_CALLBACK
};

}  // namespace vernier::federation
