#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace vernier::federation {

/// The exceptions of IEEE 1516.1-2010, with their standard names.
// clang-format off
#define VERNIER_FEDERATION_FAILURES(X) \
  X(AlreadyConnected) X(AsynchronousDeliveryAlreadyDisabled) \
  X(AsynchronousDeliveryAlreadyEnabled) X(AttributeAcquisitionWasNotRequested) \
  X(AttributeAlreadyBeingAcquired) X(AttributeAlreadyBeingChanged) \
  X(AttributeAlreadyBeingDivested) X(AttributeAlreadyOwned) \
  X(AttributeDivestitureWasNotRequested) X(AttributeNotDefined) X(AttributeNotOwned) \
  X(AttributeNotPublished) X(AttributeRelevanceAdvisorySwitchIsOff) \
  X(AttributeRelevanceAdvisorySwitchIsOn) X(AttributeScopeAdvisorySwitchIsOff) \
  X(AttributeScopeAdvisorySwitchIsOn) X(BadInitializationParameter) \
  X(CallNotAllowedFromWithinCallback) X(ConnectionFailed) X(CouldNotCreateLogicalTimeFactory) \
  X(CouldNotDecode) X(CouldNotEncode) X(CouldNotOpenFDD) X(CouldNotOpenMIM) \
  X(DeletePrivilegeNotHeld) X(DesignatorIsHLAstandardMIM) X(ErrorReadingFDD) X(ErrorReadingMIM) \
  X(FederateAlreadyExecutionMember) X(FederateHandleNotKnown) X(FederateHasNotBegunSave) \
  X(FederateInternalError) X(FederateIsExecutionMember) X(FederateNameAlreadyInUse) \
  X(FederateNotExecutionMember) X(FederateOwnsAttributes) \
  X(FederateServiceInvocationsAreBeingReportedViaMOM) X(FederateUnableToUseTime) \
  X(FederatesCurrentlyJoined) X(FederationExecutionAlreadyExists) \
  X(FederationExecutionDoesNotExist) X(IllegalName) X(IllegalTimeArithmetic) \
  X(InTimeAdvancingState) X(InconsistentFDD) X(InteractionClassAlreadyBeingChanged) \
  X(InteractionClassNotDefined) X(InteractionClassNotPublished) \
  X(InteractionParameterNotDefined) X(InteractionRelevanceAdvisorySwitchIsOff) \
  X(InteractionRelevanceAdvisorySwitchIsOn) X(InvalidAttributeHandle) X(InvalidDimensionHandle) \
  X(InvalidFederateHandle) X(InvalidInteractionClassHandle) X(InvalidLocalSettingsDesignator) \
  X(InvalidLogicalTime) X(InvalidLogicalTimeInterval) X(InvalidLookahead) \
  X(InvalidMessageRetractionHandle) X(InvalidObjectClassHandle) X(InvalidOrderName) \
  X(InvalidOrderType) X(InvalidParameterHandle) X(InvalidRangeBound) X(InvalidRegion) \
  X(InvalidRegionContext) X(InvalidResignAction) X(InvalidServiceGroup) \
  X(InvalidTransportationName) X(InvalidTransportationType) X(InvalidUpdateRateDesignator) \
  X(LogicalTimeAlreadyPassed) X(MessageCanNoLongerBeRetracted) X(NameNotFound) \
  X(NameSetWasEmpty) X(NoAcquisitionPending) X(NotConnected) X(ObjectClassNotDefined) \
  X(ObjectClassNotPublished) X(ObjectClassRelevanceAdvisorySwitchIsOff) \
  X(ObjectClassRelevanceAdvisorySwitchIsOn) X(ObjectInstanceNameInUse) \
  X(ObjectInstanceNameNotReserved) X(ObjectInstanceNotKnown) X(OwnershipAcquisitionPending) \
  X(RTIinternalError) X(RegionDoesNotContainSpecifiedDimension) \
  X(RegionInUseForUpdateOrSubscription) X(RegionNotCreatedByThisFederate) \
  X(RequestForTimeConstrainedPending) X(RequestForTimeRegulationPending) X(RestoreInProgress) \
  X(RestoreNotInProgress) X(RestoreNotRequested) X(SaveInProgress) X(SaveNotInProgress) \
  X(SaveNotInitiated) X(SynchronizationPointLabelNotAnnounced) X(TimeConstrainedAlreadyEnabled) \
  X(TimeConstrainedIsNotEnabled) X(TimeRegulationAlreadyEnabled) X(TimeRegulationIsNotEnabled) \
  X(UnableToPerformSave) X(UnknownName) X(UnsupportedCallbackModel)
// clang-format on

enum class Failure : std::uint16_t {
  none,
#define VERNIER_ENUMERATOR(name) name,
  VERNIER_FEDERATION_FAILURES(VERNIER_ENUMERATOR)
#undef VERNIER_ENUMERATOR
};

/// "InvalidLookahead".
std::string_view name_of(Failure) noexcept;

/// Thrown inside the RTI while it serves a request; the federate gets the exception of that name.
struct Refusal {
  Failure failure;
  std::string text;
};

}  // namespace vernier::federation
