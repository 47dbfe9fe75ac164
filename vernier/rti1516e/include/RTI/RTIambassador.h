// IEEE 1516.1-2010 C++ API, written for Vernier: the services of the RTI.
//
// Each number is a section of the standard, followed by the exceptions that the service throws. Unless noted
// otherwise, every service also throws SaveInProgress, RestoreInProgress, FederateNotExecutionMember,
// NotConnected and RTIinternalError.
#ifndef RTI_RTIambassador_h
#define RTI_RTIambassador_h

#include <RTI/SpecificConfig.h>
#include <RTI/Enums.h>
#include <RTI/Exception.h>
#include <RTI/RangeBounds.h>
#include <RTI/Typedefs.h>

#include <memory>
#include <set>
#include <string>
#include <vector>

namespace rti1516e
{
   class FederateAmbassador;
   class LogicalTime;
   class LogicalTimeFactory;
   class LogicalTimeInterval;

   class RTI_EXPORT RTIambassador
   {
   protected:
      RTIambassador () noexcept;

   public:
      virtual ~RTIambassador ();

      // Federation management. Services before the join do not require membership; their exceptions are listed in
      // full.

      // 4.2: ConnectionFailed, InvalidLocalSettingsDesignator, UnsupportedCallbackModel, AlreadyConnected,
      // CallNotAllowedFromWithinCallback, RTIinternalError
      virtual void connect (
         FederateAmbassador & federateAmbassador, CallbackModel theCallbackModel,
         std::wstring const & localSettingsDesignator = L"") = 0;

      // 4.3: FederateIsExecutionMember, CallNotAllowedFromWithinCallback, RTIinternalError
      virtual void disconnect () = 0;

      // 4.5: CouldNotCreateLogicalTimeFactory, InconsistentFDD, ErrorReadingFDD, CouldNotOpenFDD,
      // FederationExecutionAlreadyExists, NotConnected, RTIinternalError; with a MIM also
      // DesignatorIsHLAstandardMIM, ErrorReadingMIM, CouldNotOpenMIM
      virtual void createFederationExecution (
         std::wstring const & federationExecutionName, std::wstring const & fomModule,
         std::wstring const & logicalTimeImplementationName = L"") = 0;
      virtual void createFederationExecution (
         std::wstring const & federationExecutionName, std::vector<std::wstring> const & fomModules,
         std::wstring const & logicalTimeImplementationName = L"") = 0;
      virtual void createFederationExecutionWithMIM (
         std::wstring const & federationExecutionName, std::vector<std::wstring> const & fomModules,
         std::wstring const & mimModule, std::wstring const & logicalTimeImplementationName = L"") = 0;

      // 4.6: FederatesCurrentlyJoined, FederationExecutionDoesNotExist, NotConnected, RTIinternalError
      virtual void destroyFederationExecution (std::wstring const & federationExecutionName) = 0;

      // 4.7: NotConnected, RTIinternalError
      virtual void listFederationExecutions () = 0;

      // 4.9: CouldNotCreateLogicalTimeFactory, InconsistentFDD, ErrorReadingFDD, CouldNotOpenFDD,
      // FederationExecutionDoesNotExist, SaveInProgress, RestoreInProgress, FederateAlreadyExecutionMember,
      // NotConnected, CallNotAllowedFromWithinCallback, RTIinternalError; with a name also FederateNameAlreadyInUse
      virtual FederateHandle joinFederationExecution (
         std::wstring const & federateType, std::wstring const & federationExecutionName,
         std::vector<std::wstring> const & additionalFomModules = std::vector<std::wstring> ()) = 0;
      virtual FederateHandle joinFederationExecution (
         std::wstring const & federateName, std::wstring const & federateType,
         std::wstring const & federationExecutionName,
         std::vector<std::wstring> const & additionalFomModules = std::vector<std::wstring> ()) = 0;

      // 4.10: InvalidResignAction, OwnershipAcquisitionPending, FederateOwnsAttributes, FederateNotExecutionMember,
      // NotConnected, CallNotAllowedFromWithinCallback, RTIinternalError
      virtual void resignFederationExecution (ResignAction resignAction) = 0;

      // 4.11: with a set: InvalidFederateHandle
      virtual void registerFederationSynchronizationPoint (
         std::wstring const & label, VariableLengthData const & theUserSuppliedTag) = 0;
      virtual void registerFederationSynchronizationPoint (
         std::wstring const & label, VariableLengthData const & theUserSuppliedTag,
         FederateHandleSet const & synchronizationSet) = 0;

      // 4.14: SynchronizationPointLabelNotAnnounced
      virtual void synchronizationPointAchieved (std::wstring const & label, bool successfully = true) = 0;

      // 4.16: with a time: LogicalTimeAlreadyPassed, InvalidLogicalTime, FederateUnableToUseTime
      virtual void requestFederationSave (std::wstring const & label) = 0;
      virtual void requestFederationSave (std::wstring const & label, LogicalTime const & theTime) = 0;

      // 4.18: SaveNotInitiated; no SaveInProgress
      virtual void federateSaveBegun () = 0;

      // 4.19: FederateHasNotBegunSave; no SaveInProgress
      virtual void federateSaveComplete () = 0;
      virtual void federateSaveNotComplete () = 0;

      // 4.21: SaveNotInProgress; no SaveInProgress, no RestoreInProgress
      virtual void abortFederationSave () = 0;

      // 4.22: no SaveInProgress
      virtual void queryFederationSaveStatus () = 0;

      // 4.24
      virtual void requestFederationRestore (std::wstring const & label) = 0;

      // 4.28: RestoreNotRequested; no RestoreInProgress
      virtual void federateRestoreComplete () = 0;
      virtual void federateRestoreNotComplete () = 0;

      // 4.30: RestoreNotInProgress; no SaveInProgress, no RestoreInProgress
      virtual void abortFederationRestore () = 0;

      // 4.31: no RestoreInProgress
      virtual void queryFederationRestoreStatus () = 0;

      // Declaration management

      // 5.2: AttributeNotDefined, ObjectClassNotDefined
      virtual void publishObjectClassAttributes (
         ObjectClassHandle theClass, AttributeHandleSet const & attributeList) = 0;

      // 5.3: OwnershipAcquisitionPending, AttributeNotDefined, ObjectClassNotDefined
      virtual void unpublishObjectClass (ObjectClassHandle theClass) = 0;
      virtual void unpublishObjectClassAttributes (
         ObjectClassHandle theClass, AttributeHandleSet const & attributeList) = 0;

      // 5.4: InteractionClassNotDefined
      virtual void publishInteractionClass (InteractionClassHandle theInteraction) = 0;

      // 5.5: InteractionClassNotDefined
      virtual void unpublishInteractionClass (InteractionClassHandle theInteraction) = 0;

      // 5.6: AttributeNotDefined, ObjectClassNotDefined, InvalidUpdateRateDesignator
      virtual void subscribeObjectClassAttributes (
         ObjectClassHandle theClass, AttributeHandleSet const & attributeList, bool active = true,
         std::wstring const & updateRateDesignator = L"") = 0;

      // 5.7: AttributeNotDefined, ObjectClassNotDefined
      virtual void unsubscribeObjectClass (ObjectClassHandle theClass) = 0;
      virtual void unsubscribeObjectClassAttributes (
         ObjectClassHandle theClass, AttributeHandleSet const & attributeList) = 0;

      // 5.8: FederateServiceInvocationsAreBeingReportedViaMOM, InteractionClassNotDefined
      virtual void subscribeInteractionClass (InteractionClassHandle theClass, bool active = true) = 0;

      // 5.9: InteractionClassNotDefined
      virtual void unsubscribeInteractionClass (InteractionClassHandle theClass) = 0;

      // Object management

      // 6.2: IllegalName
      virtual void reserveObjectInstanceName (std::wstring const & theObjectInstanceName) = 0;

      // 6.4: ObjectInstanceNameNotReserved
      virtual void releaseObjectInstanceName (std::wstring const & theObjectInstanceName) = 0;

      // 6.5: IllegalName, NameSetWasEmpty
      virtual void reserveMultipleObjectInstanceName (std::set<std::wstring> const & theObjectInstanceNames) = 0;

      // 6.7: ObjectInstanceNameNotReserved
      virtual void releaseMultipleObjectInstanceName (std::set<std::wstring> const & theObjectInstanceNames) = 0;

      // 6.8: ObjectClassNotPublished, ObjectClassNotDefined; with a name also ObjectInstanceNameInUse,
      // ObjectInstanceNameNotReserved
      virtual ObjectInstanceHandle registerObjectInstance (ObjectClassHandle theClass) = 0;
      virtual ObjectInstanceHandle registerObjectInstance (
         ObjectClassHandle theClass, std::wstring const & theObjectInstanceName) = 0;

      // 6.10: AttributeNotOwned, AttributeNotDefined, ObjectInstanceNotKnown; with a time also InvalidLogicalTime
      virtual void updateAttributeValues (
         ObjectInstanceHandle theObject, AttributeHandleValueMap const & theAttributeValues,
         VariableLengthData const & theUserSuppliedTag) = 0;
      virtual MessageRetractionHandle updateAttributeValues (
         ObjectInstanceHandle theObject, AttributeHandleValueMap const & theAttributeValues,
         VariableLengthData const & theUserSuppliedTag, LogicalTime const & theTime) = 0;

      // 6.12: InteractionClassNotPublished, InteractionParameterNotDefined, InteractionClassNotDefined; with a time
      // also InvalidLogicalTime
      virtual void sendInteraction (
         InteractionClassHandle theInteraction, ParameterHandleValueMap const & theParameterValues,
         VariableLengthData const & theUserSuppliedTag) = 0;
      virtual MessageRetractionHandle sendInteraction (
         InteractionClassHandle theInteraction, ParameterHandleValueMap const & theParameterValues,
         VariableLengthData const & theUserSuppliedTag, LogicalTime const & theTime) = 0;

      // 6.14: DeletePrivilegeNotHeld, ObjectInstanceNotKnown; with a time also InvalidLogicalTime
      virtual void deleteObjectInstance (
         ObjectInstanceHandle theObject, VariableLengthData const & theUserSuppliedTag) = 0;
      virtual MessageRetractionHandle deleteObjectInstance (
         ObjectInstanceHandle theObject, VariableLengthData const & theUserSuppliedTag,
         LogicalTime const & theTime) = 0;

      // 6.16: OwnershipAcquisitionPending, FederateOwnsAttributes, ObjectInstanceNotKnown
      virtual void localDeleteObjectInstance (ObjectInstanceHandle theObject) = 0;

      // 6.19: AttributeNotDefined, ObjectInstanceNotKnown or ObjectClassNotDefined
      virtual void requestAttributeValueUpdate (
         ObjectInstanceHandle theObject, AttributeHandleSet const & theAttributes,
         VariableLengthData const & theUserSuppliedTag) = 0;
      virtual void requestAttributeValueUpdate (
         ObjectClassHandle theClass, AttributeHandleSet const & theAttributes,
         VariableLengthData const & theUserSuppliedTag) = 0;

      // 6.23: AttributeAlreadyBeingChanged, AttributeNotOwned, AttributeNotDefined, ObjectInstanceNotKnown,
      // InvalidTransportationType
      virtual void requestAttributeTransportationTypeChange (
         ObjectInstanceHandle theObject, AttributeHandleSet const & theAttributes, TransportationType theType) = 0;

      // 6.25: AttributeNotDefined, ObjectInstanceNotKnown
      virtual void queryAttributeTransportationType (
         ObjectInstanceHandle theObject, AttributeHandle theAttribute) = 0;

      // 6.27: InteractionClassAlreadyBeingChanged, InteractionClassNotPublished, InteractionClassNotDefined,
      // InvalidTransportationType
      virtual void requestInteractionTransportationTypeChange (
         InteractionClassHandle theClass, TransportationType theType) = 0;

      // 6.29: InteractionClassNotDefined
      virtual void queryInteractionTransportationType (
         FederateHandle theFederate, InteractionClassHandle theInteraction) = 0;

      // Ownership management

      // 7.2: AttributeNotOwned, AttributeNotDefined, ObjectInstanceNotKnown
      virtual void unconditionalAttributeOwnershipDivestiture (
         ObjectInstanceHandle theObject, AttributeHandleSet const & theAttributes) = 0;

      // 7.3: AttributeAlreadyBeingDivested, AttributeNotOwned, AttributeNotDefined, ObjectInstanceNotKnown
      virtual void negotiatedAttributeOwnershipDivestiture (
         ObjectInstanceHandle theObject, AttributeHandleSet const & theAttributes,
         VariableLengthData const & theUserSuppliedTag) = 0;

      // 7.6: NoAcquisitionPending, AttributeDivestitureWasNotRequested, AttributeNotOwned, AttributeNotDefined,
      // ObjectInstanceNotKnown
      virtual void confirmDivestiture (
         ObjectInstanceHandle theObject, AttributeHandleSet const & confirmedAttributes,
         VariableLengthData const & theUserSuppliedTag) = 0;

      // 7.8: AttributeNotPublished, ObjectClassNotPublished, FederateOwnsAttributes, AttributeNotDefined,
      // ObjectInstanceNotKnown
      virtual void attributeOwnershipAcquisition (
         ObjectInstanceHandle theObject, AttributeHandleSet const & desiredAttributes,
         VariableLengthData const & theUserSuppliedTag) = 0;

      // 7.9: as 7.8 and AttributeAlreadyBeingAcquired
      virtual void attributeOwnershipAcquisitionIfAvailable (
         ObjectInstanceHandle theObject, AttributeHandleSet const & desiredAttributes) = 0;

      // 7.12: AttributeNotOwned, AttributeNotDefined, ObjectInstanceNotKnown
      virtual void attributeOwnershipReleaseDenied (
         ObjectInstanceHandle theObject, AttributeHandleSet const & theAttributes) = 0;

      // 7.13: AttributeNotOwned, AttributeNotDefined, ObjectInstanceNotKnown. Fills theDivestedAttributes
      virtual void attributeOwnershipDivestitureIfWanted (
         ObjectInstanceHandle theObject, AttributeHandleSet const & theAttributes,
         AttributeHandleSet & theDivestedAttributes) = 0;

      // 7.14: AttributeDivestitureWasNotRequested, AttributeNotOwned, AttributeNotDefined, ObjectInstanceNotKnown
      virtual void cancelNegotiatedAttributeOwnershipDivestiture (
         ObjectInstanceHandle theObject, AttributeHandleSet const & theAttributes) = 0;

      // 7.15: AttributeAcquisitionWasNotRequested, AttributeAlreadyOwned, AttributeNotDefined,
      // ObjectInstanceNotKnown
      virtual void cancelAttributeOwnershipAcquisition (
         ObjectInstanceHandle theObject, AttributeHandleSet const & theAttributes) = 0;

      // 7.17: AttributeNotDefined, ObjectInstanceNotKnown
      virtual void queryAttributeOwnership (ObjectInstanceHandle theObject, AttributeHandle theAttribute) = 0;

      // 7.19: AttributeNotDefined, ObjectInstanceNotKnown
      virtual bool isAttributeOwnedByFederate (ObjectInstanceHandle theObject, AttributeHandle theAttribute) = 0;

      // Time management

      // 8.2: InvalidLookahead, InTimeAdvancingState, RequestForTimeRegulationPending, TimeRegulationAlreadyEnabled
      virtual void enableTimeRegulation (LogicalTimeInterval const & theLookahead) = 0;

      // 8.4: TimeRegulationIsNotEnabled
      virtual void disableTimeRegulation () = 0;

      // 8.5: InTimeAdvancingState, RequestForTimeConstrainedPending, TimeConstrainedAlreadyEnabled
      virtual void enableTimeConstrained () = 0;

      // 8.7: TimeConstrainedIsNotEnabled
      virtual void disableTimeConstrained () = 0;

      // 8.8 to 8.12: LogicalTimeAlreadyPassed, InvalidLogicalTime, InTimeAdvancingState,
      // RequestForTimeRegulationPending, RequestForTimeConstrainedPending
      virtual void timeAdvanceRequest (LogicalTime const & theTime) = 0;
      virtual void timeAdvanceRequestAvailable (LogicalTime const & theTime) = 0;
      virtual void nextMessageRequest (LogicalTime const & theTime) = 0;
      virtual void nextMessageRequestAvailable (LogicalTime const & theTime) = 0;
      virtual void flushQueueRequest (LogicalTime const & theTime) = 0;

      // 8.14: AsynchronousDeliveryAlreadyEnabled
      virtual void enableAsynchronousDelivery () = 0;

      // 8.15: AsynchronousDeliveryAlreadyDisabled
      virtual void disableAsynchronousDelivery () = 0;

      // 8.16 to 8.18. False: there is no such time
      virtual bool queryGALT (LogicalTime & theTime) = 0;
      virtual void queryLogicalTime (LogicalTime & theTime) = 0;
      virtual bool queryLITS (LogicalTime & theTime) = 0;

      // 8.19: InvalidLookahead, InTimeAdvancingState, TimeRegulationIsNotEnabled
      virtual void modifyLookahead (LogicalTimeInterval const & theLookahead) = 0;

      // 8.20: TimeRegulationIsNotEnabled
      virtual void queryLookahead (LogicalTimeInterval & interval) = 0;

      // 8.21: MessageCanNoLongerBeRetracted, InvalidMessageRetractionHandle, TimeRegulationIsNotEnabled
      virtual void retract (MessageRetractionHandle theHandle) = 0;

      // 8.23: AttributeNotOwned, AttributeNotDefined, ObjectInstanceNotKnown
      virtual void changeAttributeOrderType (
         ObjectInstanceHandle theObject, AttributeHandleSet const & theAttributes, OrderType theType) = 0;

      // 8.24: InteractionClassNotPublished, InteractionClassNotDefined
      virtual void changeInteractionOrderType (InteractionClassHandle theClass, OrderType theType) = 0;

      // Data distribution management

      // 9.2: InvalidDimensionHandle
      virtual RegionHandle createRegion (DimensionHandleSet const & theDimensions) = 0;

      // 9.3: RegionNotCreatedByThisFederate, InvalidRegion
      virtual void commitRegionModifications (RegionHandleSet const & theRegionHandleSet) = 0;

      // 9.4: RegionInUseForUpdateOrSubscription, RegionNotCreatedByThisFederate, InvalidRegion
      virtual void deleteRegion (RegionHandle const & theRegion) = 0;

      // 9.5: InvalidRegionContext, RegionNotCreatedByThisFederate, InvalidRegion, AttributeNotPublished,
      // ObjectClassNotPublished, AttributeNotDefined, ObjectClassNotDefined; with a name also
      // ObjectInstanceNameInUse, ObjectInstanceNameNotReserved
      virtual ObjectInstanceHandle registerObjectInstanceWithRegions (
         ObjectClassHandle theClass,
         AttributeHandleSetRegionHandleSetPairVector const & theAttributeHandleSetRegionHandleSetPairVector) = 0;
      virtual ObjectInstanceHandle registerObjectInstanceWithRegions (
         ObjectClassHandle theClass,
         AttributeHandleSetRegionHandleSetPairVector const & theAttributeHandleSetRegionHandleSetPairVector,
         std::wstring const & theObjectInstanceName) = 0;

      // 9.6: InvalidRegionContext, RegionNotCreatedByThisFederate, InvalidRegion, AttributeNotDefined,
      // ObjectInstanceNotKnown
      virtual void associateRegionsForUpdates (
         ObjectInstanceHandle theObject,
         AttributeHandleSetRegionHandleSetPairVector const & theAttributeHandleSetRegionHandleSetPairVector) = 0;

      // 9.7: RegionNotCreatedByThisFederate, InvalidRegion, AttributeNotDefined, ObjectInstanceNotKnown
      virtual void unassociateRegionsForUpdates (
         ObjectInstanceHandle theObject,
         AttributeHandleSetRegionHandleSetPairVector const & theAttributeHandleSetRegionHandleSetPairVector) = 0;

      // 9.8: InvalidRegionContext, RegionNotCreatedByThisFederate, InvalidRegion, AttributeNotDefined,
      // ObjectClassNotDefined, InvalidUpdateRateDesignator
      virtual void subscribeObjectClassAttributesWithRegions (
         ObjectClassHandle theClass,
         AttributeHandleSetRegionHandleSetPairVector const & theAttributeHandleSetRegionHandleSetPairVector,
         bool active = true, std::wstring const & updateRateDesignator = L"") = 0;

      // 9.9: RegionNotCreatedByThisFederate, InvalidRegion, AttributeNotDefined, ObjectClassNotDefined
      virtual void unsubscribeObjectClassAttributesWithRegions (
         ObjectClassHandle theClass,
         AttributeHandleSetRegionHandleSetPairVector const & theAttributeHandleSetRegionHandleSetPairVector) = 0;

      // 9.10: FederateServiceInvocationsAreBeingReportedViaMOM, InvalidRegionContext,
      // RegionNotCreatedByThisFederate, InvalidRegion, InteractionClassNotDefined
      virtual void subscribeInteractionClassWithRegions (
         InteractionClassHandle theClass, RegionHandleSet const & theRegionHandleSet, bool active = true) = 0;

      // 9.11: RegionNotCreatedByThisFederate, InvalidRegion, InteractionClassNotDefined
      virtual void unsubscribeInteractionClassWithRegions (
         InteractionClassHandle theClass, RegionHandleSet const & theRegionHandleSet) = 0;

      // 9.12: InvalidRegionContext, RegionNotCreatedByThisFederate, InvalidRegion, InteractionClassNotPublished,
      // InteractionParameterNotDefined, InteractionClassNotDefined; with a time also InvalidLogicalTime
      virtual void sendInteractionWithRegions (
         InteractionClassHandle theInteraction, ParameterHandleValueMap const & theParameterValues,
         RegionHandleSet const & theRegionHandleSet, VariableLengthData const & theUserSuppliedTag) = 0;
      virtual MessageRetractionHandle sendInteractionWithRegions (
         InteractionClassHandle theInteraction, ParameterHandleValueMap const & theParameterValues,
         RegionHandleSet const & theRegionHandleSet, VariableLengthData const & theUserSuppliedTag,
         LogicalTime const & theTime) = 0;

      // 9.13: InvalidRegionContext, RegionNotCreatedByThisFederate, InvalidRegion, AttributeNotDefined,
      // ObjectClassNotDefined
      virtual void requestAttributeValueUpdateWithRegions (
         ObjectClassHandle theClass, AttributeHandleSetRegionHandleSetPairVector const & theSet,
         VariableLengthData const & theUserSuppliedTag) = 0;

      // Support services. No SaveInProgress, no RestoreInProgress, except regions (10.28 to 10.30), switches (10.33 to
      // 10.40), enableCallbacks and disableCallbacks

      // 10.2
      virtual ResignAction getAutomaticResignDirective () = 0;

      // 10.3: InvalidResignAction
      virtual void setAutomaticResignDirective (ResignAction resignAction) = 0;

      // 10.4: NameNotFound
      virtual FederateHandle getFederateHandle (std::wstring const & theName) = 0;

      // 10.5: InvalidFederateHandle, FederateHandleNotKnown
      virtual std::wstring getFederateName (FederateHandle theHandle) = 0;

      // 10.6: NameNotFound
      virtual ObjectClassHandle getObjectClassHandle (std::wstring const & theName) = 0;

      // 10.7: InvalidObjectClassHandle
      virtual std::wstring getObjectClassName (ObjectClassHandle theHandle) = 0;

      // 10.8: ObjectInstanceNotKnown
      virtual ObjectClassHandle getKnownObjectClassHandle (ObjectInstanceHandle theObject) = 0;

      // 10.9: ObjectInstanceNotKnown
      virtual ObjectInstanceHandle getObjectInstanceHandle (std::wstring const & theName) = 0;

      // 10.10: ObjectInstanceNotKnown
      virtual std::wstring getObjectInstanceName (ObjectInstanceHandle theHandle) = 0;

      // 10.11: NameNotFound, InvalidObjectClassHandle
      virtual AttributeHandle getAttributeHandle (
         ObjectClassHandle whichClass, std::wstring const & theAttributeName) = 0;

      // 10.12: AttributeNotDefined, InvalidAttributeHandle, InvalidObjectClassHandle
      virtual std::wstring getAttributeName (ObjectClassHandle whichClass, AttributeHandle theHandle) = 0;

      // 10.13: InvalidUpdateRateDesignator
      virtual double getUpdateRateValue (std::wstring const & updateRateDesignator) = 0;

      // 10.14: ObjectInstanceNotKnown, AttributeNotDefined
      virtual double getUpdateRateValueForAttribute (
         ObjectInstanceHandle theObject, AttributeHandle theAttribute) = 0;

      // 10.15: NameNotFound
      virtual InteractionClassHandle getInteractionClassHandle (std::wstring const & theName) = 0;

      // 10.16: InvalidInteractionClassHandle
      virtual std::wstring getInteractionClassName (InteractionClassHandle theHandle) = 0;

      // 10.17: NameNotFound, InvalidInteractionClassHandle
      virtual ParameterHandle getParameterHandle (
         InteractionClassHandle whichClass, std::wstring const & theName) = 0;

      // 10.18: InteractionParameterNotDefined, InvalidParameterHandle, InvalidInteractionClassHandle
      virtual std::wstring getParameterName (InteractionClassHandle whichClass, ParameterHandle theHandle) = 0;

      // 10.19: InvalidOrderName
      virtual OrderType getOrderType (std::wstring const & orderName) = 0;

      // 10.20: InvalidOrderType
      virtual std::wstring getOrderName (OrderType orderType) = 0;

      // 10.21: InvalidTransportationName
      virtual TransportationType getTransportationType (std::wstring const & transportationName) = 0;

      // 10.22: InvalidTransportationType
      virtual std::wstring getTransportationName (TransportationType transportationType) = 0;

      // 10.23: AttributeNotDefined, InvalidAttributeHandle, InvalidObjectClassHandle
      virtual DimensionHandleSet getAvailableDimensionsForClassAttribute (
         ObjectClassHandle theClass, AttributeHandle theHandle) = 0;

      // 10.24: InvalidInteractionClassHandle
      virtual DimensionHandleSet getAvailableDimensionsForInteractionClass (InteractionClassHandle theClass) = 0;

      // 10.25: NameNotFound
      virtual DimensionHandle getDimensionHandle (std::wstring const & theName) = 0;

      // 10.26: InvalidDimensionHandle
      virtual std::wstring getDimensionName (DimensionHandle theHandle) = 0;

      // 10.27: InvalidDimensionHandle
      virtual unsigned long getDimensionUpperBound (DimensionHandle theHandle) = 0;

      // 10.28: InvalidRegion
      virtual DimensionHandleSet getDimensionHandleSet (RegionHandle theRegionHandle) = 0;

      // 10.29: RegionDoesNotContainSpecifiedDimension, InvalidRegion
      virtual RangeBounds getRangeBounds (RegionHandle theRegionHandle, DimensionHandle theDimensionHandle) = 0;

      // 10.30: InvalidRangeBound, RegionDoesNotContainSpecifiedDimension, RegionNotCreatedByThisFederate,
      // InvalidRegion
      virtual void setRangeBounds (
         RegionHandle theRegionHandle, DimensionHandle theDimensionHandle, RangeBounds const & theRangeBounds) = 0;

      // 10.31: InvalidFederateHandle
      virtual unsigned long normalizeFederateHandle (FederateHandle theFederateHandle) = 0;

      // 10.32: InvalidServiceGroup
      virtual unsigned long normalizeServiceGroup (ServiceGroup theServiceGroup) = 0;

      // 10.33: ObjectClassRelevanceAdvisorySwitchIsOn
      virtual void enableObjectClassRelevanceAdvisorySwitch () = 0;

      // 10.34: ObjectClassRelevanceAdvisorySwitchIsOff
      virtual void disableObjectClassRelevanceAdvisorySwitch () = 0;

      // 10.35: AttributeRelevanceAdvisorySwitchIsOn
      virtual void enableAttributeRelevanceAdvisorySwitch () = 0;

      // 10.36: AttributeRelevanceAdvisorySwitchIsOff
      virtual void disableAttributeRelevanceAdvisorySwitch () = 0;

      // 10.37: AttributeScopeAdvisorySwitchIsOn
      virtual void enableAttributeScopeAdvisorySwitch () = 0;

      // 10.38: AttributeScopeAdvisorySwitchIsOff
      virtual void disableAttributeScopeAdvisorySwitch () = 0;

      // 10.39: InteractionRelevanceAdvisorySwitchIsOn
      virtual void enableInteractionRelevanceAdvisorySwitch () = 0;

      // 10.40: InteractionRelevanceAdvisorySwitchIsOff
      virtual void disableInteractionRelevanceAdvisorySwitch () = 0;

      // 10.41: CallNotAllowedFromWithinCallback, RTIinternalError. True: more callbacks are waiting
      virtual bool evokeCallback (double approximateMinimumTimeInSeconds) = 0;

      // 10.42: CallNotAllowedFromWithinCallback, RTIinternalError
      virtual bool evokeMultipleCallbacks (
         double approximateMinimumTimeInSeconds, double approximateMaximumTimeInSeconds) = 0;

      // 10.43: SaveInProgress, RestoreInProgress, RTIinternalError
      virtual void enableCallbacks () = 0;

      // 10.44: SaveInProgress, RestoreInProgress, RTIinternalError
      virtual void disableCallbacks () = 0;

      // The time factory of the federation
      virtual RTI_UNIQUE_PTR<LogicalTimeFactory> getTimeFactory () const = 0;

      // Decode handles: CouldNotDecode
      virtual FederateHandle decodeFederateHandle (VariableLengthData const & encodedValue) const = 0;
      virtual ObjectClassHandle decodeObjectClassHandle (VariableLengthData const & encodedValue) const = 0;
      virtual InteractionClassHandle decodeInteractionClassHandle (VariableLengthData const & encodedValue) const = 0;
      virtual ObjectInstanceHandle decodeObjectInstanceHandle (VariableLengthData const & encodedValue) const = 0;
      virtual AttributeHandle decodeAttributeHandle (VariableLengthData const & encodedValue) const = 0;
      virtual ParameterHandle decodeParameterHandle (VariableLengthData const & encodedValue) const = 0;
      virtual DimensionHandle decodeDimensionHandle (VariableLengthData const & encodedValue) const = 0;
      virtual MessageRetractionHandle decodeMessageRetractionHandle (
         VariableLengthData const & encodedValue) const = 0;
      virtual RegionHandle decodeRegionHandle (VariableLengthData const & encodedValue) const = 0;
   };
}

#endif  // RTI_RTIambassador_h
