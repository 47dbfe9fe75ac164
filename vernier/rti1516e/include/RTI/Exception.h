// IEEE 1516.1-2010 C++ API, written for Vernier: exceptions.
#ifndef RTI_Exception_h
#define RTI_Exception_h

#include <RTI/SpecificConfig.h>

#include <iosfwd>
#include <string>

namespace rti1516e
{
   class RTI_EXPORT Exception
   {
   public:
      Exception ();
      Exception (Exception const & rhs);
      Exception & operator= (Exception const & rhs);
      virtual ~Exception () noexcept;

      // A description of the problem.
      virtual std::wstring what () const noexcept = 0;
   };

   RTI_EXPORT std::wostream & operator<< (std::wostream &, Exception const &);

#define RTI_EXCEPTION(A)                             \
   class RTI_EXPORT A : public Exception             \
   {                                                 \
   public:                                           \
      A (std::wstring const & message) noexcept;     \
      ~A () noexcept override;                       \
      A (A const &) = default;                       \
      A & operator= (A const &) = default;           \
      std::wstring what () const noexcept override;  \
                                                     \
   private:                                          \
      std::wstring _msg;                             \
   };

// one list for declarations and definitions
#define RTI_EXCEPTIONS(_)                               \
   _ (AlreadyConnected)                                 \
   _ (AsynchronousDeliveryAlreadyDisabled)              \
   _ (AsynchronousDeliveryAlreadyEnabled)               \
   _ (AttributeAcquisitionWasNotCanceled)               \
   _ (AttributeAcquisitionWasNotRequested)              \
   _ (AttributeAlreadyBeingAcquired)                    \
   _ (AttributeAlreadyBeingChanged)                     \
   _ (AttributeAlreadyBeingDivested)                    \
   _ (AttributeAlreadyOwned)                            \
   _ (AttributeDivestitureWasNotRequested)              \
   _ (AttributeNotDefined)                              \
   _ (AttributeNotOwned)                                \
   _ (AttributeNotPublished)                            \
   _ (AttributeNotRecognized)                           \
   _ (AttributeNotSubscribed)                           \
   _ (AttributeRelevanceAdvisorySwitchIsOff)            \
   _ (AttributeRelevanceAdvisorySwitchIsOn)             \
   _ (AttributeScopeAdvisorySwitchIsOff)                \
   _ (AttributeScopeAdvisorySwitchIsOn)                 \
   _ (BadInitializationParameter)                       \
   _ (CallNotAllowedFromWithinCallback)                 \
   _ (ConnectionFailed)                                 \
   _ (CouldNotCreateLogicalTimeFactory)                 \
   _ (CouldNotDecode)                                   \
   _ (CouldNotDiscover)                                 \
   _ (CouldNotEncode)                                   \
   _ (CouldNotInitiateRestore)                          \
   _ (CouldNotOpenFDD)                                  \
   _ (CouldNotOpenMIM)                                  \
   _ (DeletePrivilegeNotHeld)                           \
   _ (DesignatorIsHLAstandardMIM)                       \
   _ (ErrorReadingFDD)                                  \
   _ (ErrorReadingMIM)                                  \
   _ (FederateAlreadyExecutionMember)                   \
   _ (FederateHandleNotKnown)                           \
   _ (FederateHasNotBegunSave)                          \
   _ (FederateInternalError)                            \
   _ (FederateIsExecutionMember)                        \
   _ (FederateNameAlreadyInUse)                         \
   _ (FederateNotExecutionMember)                       \
   _ (FederateOwnsAttributes)                           \
   _ (FederateServiceInvocationsAreBeingReportedViaMOM) \
   _ (FederateUnableToUseTime)                          \
   _ (FederatesCurrentlyJoined)                         \
   _ (FederationExecutionAlreadyExists)                 \
   _ (FederationExecutionDoesNotExist)                  \
   _ (IllegalName)                                      \
   _ (IllegalTimeArithmetic)                            \
   _ (InTimeAdvancingState)                             \
   _ (InconsistentFDD)                                  \
   _ (InteractionClassAlreadyBeingChanged)              \
   _ (InteractionClassNotDefined)                       \
   _ (InteractionClassNotPublished)                     \
   _ (InteractionClassNotRecognized)                    \
   _ (InteractionClassNotSubscribed)                    \
   _ (InteractionParameterNotDefined)                   \
   _ (InteractionParameterNotRecognized)                \
   _ (InteractionRelevanceAdvisorySwitchIsOff)          \
   _ (InteractionRelevanceAdvisorySwitchIsOn)           \
   _ (InternalError)                                    \
   _ (InvalidAttributeHandle)                           \
   _ (InvalidDimensionHandle)                           \
   _ (InvalidFederateHandle)                            \
   _ (InvalidInteractionClassHandle)                    \
   _ (InvalidLocalSettingsDesignator)                   \
   _ (InvalidLogicalTime)                               \
   _ (InvalidLogicalTimeInterval)                       \
   _ (InvalidLookahead)                                 \
   _ (InvalidMessageRetractionHandle)                   \
   _ (InvalidObjectClassHandle)                         \
   _ (InvalidOrderName)                                 \
   _ (InvalidOrderType)                                 \
   _ (InvalidParameterHandle)                           \
   _ (InvalidRangeBound)                                \
   _ (InvalidRegion)                                    \
   _ (InvalidRegionContext)                             \
   _ (InvalidResignAction)                              \
   _ (InvalidServiceGroup)                              \
   _ (InvalidTransportationName)                        \
   _ (InvalidTransportationType)                        \
   _ (InvalidUpdateRateDesignator)                      \
   _ (JoinedFederateIsNotInTimeAdvancingState)          \
   _ (LogicalTimeAlreadyPassed)                         \
   _ (MessageCanNoLongerBeRetracted)                    \
   _ (NameNotFound)                                     \
   _ (NameSetWasEmpty)                                  \
   _ (NoAcquisitionPending)                             \
   _ (NoFederateWillingToAcquireAttribute)              \
   _ (NoRequestToEnableTimeConstrainedWasPending)       \
   _ (NoRequestToEnableTimeRegulationWasPending)        \
   _ (NotConnected)                                     \
   _ (ObjectClassNotDefined)                            \
   _ (ObjectClassNotKnown)                              \
   _ (ObjectClassNotPublished)                          \
   _ (ObjectClassRelevanceAdvisorySwitchIsOff)          \
   _ (ObjectClassRelevanceAdvisorySwitchIsOn)           \
   _ (ObjectInstanceNameInUse)                          \
   _ (ObjectInstanceNameNotReserved)                    \
   _ (ObjectInstanceNotKnown)                           \
   _ (OwnershipAcquisitionPending)                      \
   _ (RTIinternalError)                                 \
   _ (RegionDoesNotContainSpecifiedDimension)           \
   _ (RegionInUseForUpdateOrSubscription)               \
   _ (RegionNotCreatedByThisFederate)                   \
   _ (RequestForTimeConstrainedPending)                 \
   _ (RequestForTimeRegulationPending)                  \
   _ (RestoreInProgress)                                \
   _ (RestoreNotInProgress)                             \
   _ (RestoreNotRequested)                              \
   _ (SaveInProgress)                                   \
   _ (SaveNotInProgress)                                \
   _ (SaveNotInitiated)                                 \
   _ (SpecifiedSaveLabelDoesNotExist)                   \
   _ (SynchronizationPointLabelNotAnnounced)            \
   _ (TimeConstrainedAlreadyEnabled)                    \
   _ (TimeConstrainedIsNotEnabled)                      \
   _ (TimeRegulationAlreadyEnabled)                     \
   _ (TimeRegulationIsNotEnabled)                       \
   _ (UnableToPerformSave)                              \
   _ (UnknownName)                                      \
   _ (UnsupportedCallbackModel)

   RTI_EXCEPTIONS (RTI_EXCEPTION)
#undef RTI_EXCEPTION
}

#endif  // RTI_Exception_h
