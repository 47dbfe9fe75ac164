// IEEE 1516.1-2010 C++ API, written for Vernier: a federate that ignores all callbacks.
#ifndef RTI_NullFederateAmbassador_h
#define RTI_NullFederateAmbassador_h

#include <RTI/Exception.h>
#include <RTI/FederateAmbassador.h>

namespace rti1516e
{
   class RTI_EXPORT NullFederateAmbassador : public FederateAmbassador
   {
   public:
      NullFederateAmbassador () {}
      ~NullFederateAmbassador () noexcept override {}

      // Federation management

      // 4.4
      void connectionLost (std::wstring const &) override {}

      // 4.8
      void reportFederationExecutions (FederationExecutionInformationVector const &) override {}

      // 4.12
      void synchronizationPointRegistrationSucceeded (std::wstring const &) override {}
      void synchronizationPointRegistrationFailed (
         std::wstring const &, SynchronizationPointFailureReason) override {}

      // 4.13
      void announceSynchronizationPoint (std::wstring const &, VariableLengthData const &) override {}

      // 4.15
      void federationSynchronized (std::wstring const &, FederateHandleSet const &) override {}

      // 4.17
      void initiateFederateSave (std::wstring const &) override {}
      void initiateFederateSave (std::wstring const &, LogicalTime const &) override {}

      // 4.20
      void federationSaved () override {}
      void federationNotSaved (SaveFailureReason) override {}

      // 4.23
      void federationSaveStatusResponse (FederateHandleSaveStatusPairVector const &) override {}

      // 4.25
      void requestFederationRestoreSucceeded (std::wstring const &) override {}
      void requestFederationRestoreFailed (std::wstring const &) override {}

      // 4.26
      void federationRestoreBegun () override {}

      // 4.27
      void initiateFederateRestore (std::wstring const &, std::wstring const &, FederateHandle) override {}

      // 4.29
      void federationRestored () override {}
      void federationNotRestored (RestoreFailureReason) override {}

      // 4.32
      void federationRestoreStatusResponse (FederateRestoreStatusVector const &) override {}

      // Declaration management

      // 5.10
      void startRegistrationForObjectClass (ObjectClassHandle) override {}

      // 5.11
      void stopRegistrationForObjectClass (ObjectClassHandle) override {}

      // 5.12
      void turnInteractionsOn (InteractionClassHandle) override {}

      // 5.13
      void turnInteractionsOff (InteractionClassHandle) override {}

      // Object management

      // 6.3
      void objectInstanceNameReservationSucceeded (std::wstring const &) override {}
      void objectInstanceNameReservationFailed (std::wstring const &) override {}

      // 6.6
      void multipleObjectInstanceNameReservationSucceeded (std::set<std::wstring> const &) override {}
      void multipleObjectInstanceNameReservationFailed (std::set<std::wstring> const &) override {}

      // 6.9
      void discoverObjectInstance (ObjectInstanceHandle, ObjectClassHandle, std::wstring const &) override {}
      void discoverObjectInstance (
         ObjectInstanceHandle, ObjectClassHandle, std::wstring const &, FederateHandle) override {}

      // 6.11
      void reflectAttributeValues (
         ObjectInstanceHandle, AttributeHandleValueMap const &, VariableLengthData const &, OrderType,
         TransportationType, SupplementalReflectInfo) override {}
      void reflectAttributeValues (
         ObjectInstanceHandle, AttributeHandleValueMap const &, VariableLengthData const &, OrderType,
         TransportationType, LogicalTime const &, OrderType, SupplementalReflectInfo) override {}
      void reflectAttributeValues (
         ObjectInstanceHandle, AttributeHandleValueMap const &, VariableLengthData const &, OrderType,
         TransportationType, LogicalTime const &, OrderType, MessageRetractionHandle, SupplementalReflectInfo) override {}

      // 6.13
      void receiveInteraction (
         InteractionClassHandle, ParameterHandleValueMap const &, VariableLengthData const &, OrderType,
         TransportationType, SupplementalReceiveInfo) override {}
      void receiveInteraction (
         InteractionClassHandle, ParameterHandleValueMap const &, VariableLengthData const &, OrderType,
         TransportationType, LogicalTime const &, OrderType, SupplementalReceiveInfo) override {}
      void receiveInteraction (
         InteractionClassHandle, ParameterHandleValueMap const &, VariableLengthData const &, OrderType,
         TransportationType, LogicalTime const &, OrderType, MessageRetractionHandle, SupplementalReceiveInfo) override {}

      // 6.15
      void removeObjectInstance (
         ObjectInstanceHandle, VariableLengthData const &, OrderType, SupplementalRemoveInfo) override {}
      void removeObjectInstance (
         ObjectInstanceHandle, VariableLengthData const &, OrderType, LogicalTime const &, OrderType,
         SupplementalRemoveInfo) override {}
      void removeObjectInstance (
         ObjectInstanceHandle, VariableLengthData const &, OrderType, LogicalTime const &, OrderType,
         MessageRetractionHandle, SupplementalRemoveInfo) override {}

      // 6.17
      void attributesInScope (ObjectInstanceHandle, AttributeHandleSet const &) override {}

      // 6.18
      void attributesOutOfScope (ObjectInstanceHandle, AttributeHandleSet const &) override {}

      // 6.20
      void provideAttributeValueUpdate (
         ObjectInstanceHandle, AttributeHandleSet const &, VariableLengthData const &) override {}

      // 6.21
      void turnUpdatesOnForObjectInstance (ObjectInstanceHandle, AttributeHandleSet const &) override {}
      void turnUpdatesOnForObjectInstance (
         ObjectInstanceHandle, AttributeHandleSet const &, std::wstring const &) override {}

      // 6.22
      void turnUpdatesOffForObjectInstance (ObjectInstanceHandle, AttributeHandleSet const &) override {}

      // 6.24
      void confirmAttributeTransportationTypeChange (
         ObjectInstanceHandle, AttributeHandleSet, TransportationType) override {}

      // 6.26
      void reportAttributeTransportationType (ObjectInstanceHandle, AttributeHandle, TransportationType) override {}

      // 6.28
      void confirmInteractionTransportationTypeChange (InteractionClassHandle, TransportationType) override {}

      // 6.30
      void reportInteractionTransportationType (
         FederateHandle, InteractionClassHandle, TransportationType) override {}

      // Ownership management

      // 7.4
      void requestAttributeOwnershipAssumption (
         ObjectInstanceHandle, AttributeHandleSet const &, VariableLengthData const &) override {}

      // 7.5
      void requestDivestitureConfirmation (ObjectInstanceHandle, AttributeHandleSet const &) override {}

      // 7.7
      void attributeOwnershipAcquisitionNotification (
         ObjectInstanceHandle, AttributeHandleSet const &, VariableLengthData const &) override {}

      // 7.10
      void attributeOwnershipUnavailable (ObjectInstanceHandle, AttributeHandleSet const &) override {}

      // 7.11
      void requestAttributeOwnershipRelease (
         ObjectInstanceHandle, AttributeHandleSet const &, VariableLengthData const &) override {}

      // 7.16
      void confirmAttributeOwnershipAcquisitionCancellation (
         ObjectInstanceHandle, AttributeHandleSet const &) override {}

      // 7.18
      void informAttributeOwnership (ObjectInstanceHandle, AttributeHandle, FederateHandle) override {}
      void attributeIsNotOwned (ObjectInstanceHandle, AttributeHandle) override {}
      void attributeIsOwnedByRTI (ObjectInstanceHandle, AttributeHandle) override {}

      // Time management

      // 8.3
      void timeRegulationEnabled (LogicalTime const &) override {}

      // 8.6
      void timeConstrainedEnabled (LogicalTime const &) override {}

      // 8.13
      void timeAdvanceGrant (LogicalTime const &) override {}

      // 8.22
      void requestRetraction (MessageRetractionHandle) override {}
   };
}

#endif  // RTI_NullFederateAmbassador_h
