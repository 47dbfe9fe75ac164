// Conformance with the C++ annex of IEEE 1516.1-2010, checked by the compiler. A class that
// overrides every virtual function verifies names, parameters, const and virtual, and that no
// exception specification prevents it; functions that are not virtual are compared by type.
#include <RTI/RTI1516.h>
#include <RTI/encoding/HLAfixedArray.h>
#include <RTI/encoding/HLAopaqueData.h>
#include <RTI/encoding/HLAvariableArray.h>
#include <RTI/time/HLAfloat64Time.h>
#include <RTI/time/HLAfloat64TimeFactory.h>
#include <RTI/time/HLAinteger64Time.h>
#include <RTI/time/HLAinteger64TimeFactory.h>

#include <string>
#include <type_traits>

namespace vernier::hla::letter {

using namespace rti1516e;
using Bytes = VariableLengthData;
using Octets = std::vector<Octet>;

/// Compiles only if the member has the type.
template <class Type, class Class>
constexpr bool member(Type Class::*) {
  return true;
}

// ---- exceptions

template <class E>
constexpr bool is_exception() {
  static_assert(std::is_base_of_v<Exception, E> && std::is_copy_constructible_v<E>);
  static_assert(std::is_convertible_v<const std::wstring&, E>);  // not explicit
  static_assert(std::is_nothrow_constructible_v<E, const std::wstring&>);
  static_assert(!std::is_default_constructible_v<E> && std::is_nothrow_destructible_v<E>);
  static_assert(std::is_same_v<decltype(std::declval<const E&>().what()), std::wstring>);
  static_assert(noexcept(std::declval<const E&>().what()));
  return true;
}
template <class... E>
constexpr std::size_t exceptions() {
  static_assert((is_exception<E>() && ...));
  return sizeof...(E);
}
static_assert(
    exceptions<
        AlreadyConnected, AsynchronousDeliveryAlreadyDisabled, AsynchronousDeliveryAlreadyEnabled,
        AttributeAcquisitionWasNotCanceled, AttributeAcquisitionWasNotRequested,
        AttributeAlreadyBeingAcquired, AttributeAlreadyBeingChanged, AttributeAlreadyBeingDivested,
        AttributeAlreadyOwned, AttributeDivestitureWasNotRequested, AttributeNotDefined,
        AttributeNotOwned, AttributeNotPublished, AttributeNotRecognized, AttributeNotSubscribed,
        AttributeRelevanceAdvisorySwitchIsOff, AttributeRelevanceAdvisorySwitchIsOn,
        AttributeScopeAdvisorySwitchIsOff, AttributeScopeAdvisorySwitchIsOn,
        BadInitializationParameter, CallNotAllowedFromWithinCallback, ConnectionFailed,
        CouldNotCreateLogicalTimeFactory, CouldNotDecode, CouldNotDiscover, CouldNotEncode,
        CouldNotInitiateRestore, CouldNotOpenFDD, CouldNotOpenMIM, DeletePrivilegeNotHeld,
        DesignatorIsHLAstandardMIM, ErrorReadingFDD, ErrorReadingMIM,
        FederateAlreadyExecutionMember, FederateHandleNotKnown, FederateHasNotBegunSave,
        FederateInternalError, FederateIsExecutionMember, FederateNameAlreadyInUse,
        FederateNotExecutionMember, FederateOwnsAttributes,
        FederateServiceInvocationsAreBeingReportedViaMOM, FederateUnableToUseTime,
        FederatesCurrentlyJoined, FederationExecutionAlreadyExists, FederationExecutionDoesNotExist,
        IllegalName, IllegalTimeArithmetic, InTimeAdvancingState, InconsistentFDD,
        InteractionClassAlreadyBeingChanged, InteractionClassNotDefined,
        InteractionClassNotPublished, InteractionClassNotRecognized, InteractionClassNotSubscribed,
        InteractionParameterNotDefined, InteractionParameterNotRecognized,
        InteractionRelevanceAdvisorySwitchIsOff, InteractionRelevanceAdvisorySwitchIsOn,
        InternalError, InvalidAttributeHandle, InvalidDimensionHandle, InvalidFederateHandle,
        InvalidInteractionClassHandle, InvalidLocalSettingsDesignator, InvalidLogicalTime,
        InvalidLogicalTimeInterval, InvalidLookahead, InvalidMessageRetractionHandle,
        InvalidObjectClassHandle, InvalidOrderName, InvalidOrderType, InvalidParameterHandle,
        InvalidRangeBound, InvalidRegion, InvalidRegionContext, InvalidResignAction,
        InvalidServiceGroup, InvalidTransportationName, InvalidTransportationType,
        InvalidUpdateRateDesignator, JoinedFederateIsNotInTimeAdvancingState,
        LogicalTimeAlreadyPassed, MessageCanNoLongerBeRetracted, NameNotFound, NameSetWasEmpty,
        NoAcquisitionPending, NoFederateWillingToAcquireAttribute,
        NoRequestToEnableTimeConstrainedWasPending, NoRequestToEnableTimeRegulationWasPending,
        NotConnected, ObjectClassNotDefined, ObjectClassNotKnown, ObjectClassNotPublished,
        ObjectClassRelevanceAdvisorySwitchIsOff, ObjectClassRelevanceAdvisorySwitchIsOn,
        ObjectInstanceNameInUse, ObjectInstanceNameNotReserved, ObjectInstanceNotKnown,
        OwnershipAcquisitionPending, RTIinternalError, RegionDoesNotContainSpecifiedDimension,
        RegionInUseForUpdateOrSubscription, RegionNotCreatedByThisFederate,
        RequestForTimeConstrainedPending, RequestForTimeRegulationPending, RestoreInProgress,
        RestoreNotInProgress, RestoreNotRequested, SaveInProgress, SaveNotInProgress,
        SaveNotInitiated, SpecifiedSaveLabelDoesNotExist, SynchronizationPointLabelNotAnnounced,
        TimeConstrainedAlreadyEnabled, TimeConstrainedIsNotEnabled, TimeRegulationAlreadyEnabled,
        TimeRegulationIsNotEnabled, UnableToPerformSave, UnknownName, UnsupportedCallbackModel>() ==
    121);
static_assert(is_exception<EncoderException>());
static_assert(std::is_abstract_v<Exception> && std::has_virtual_destructor_v<Exception>);
static_assert(std::is_same_v<decltype(std::declval<std::wostream&>() << std::declval<Exception&>()),
                             std::wostream&>);

struct Failure : Exception {
  Failure() = default;
  Failure(const Failure&) = default;
  Failure& operator=(const Failure&) = default;
  virtual ~Failure() throw();
  virtual std::wstring what() const throw();
};

// ---- times

template <class Base, class Number>
struct Time : Base {
  Time();
  virtual ~Time() throw();
  void setInitial() override;
  bool isInitial() const override;
  void setFinal() override;
  bool isFinal() const override;
  LogicalTime& operator=(const LogicalTime&) override;
  Base& operator=(const Base&) override;
  LogicalTime& operator+=(const LogicalTimeInterval&) override;
  LogicalTime& operator-=(const LogicalTimeInterval&) override;
  bool operator>(const LogicalTime&) const override;
  bool operator<(const LogicalTime&) const override;
  bool operator==(const LogicalTime&) const override;
  bool operator>=(const LogicalTime&) const override;
  bool operator<=(const LogicalTime&) const override;
  Bytes encode() const override;
  size_t encode(void*, size_t) const override;
  size_t encodedLength() const override;
  void decode(const Bytes&) override;
  void decode(void*, size_t) override;
  std::wstring toString() const override;
  std::wstring implementationName() const override;
  Number getTime() const override;
  void setTime(Number) override;
};

template <class Base, class Number>
struct Interval : Base {
  Interval();
  virtual ~Interval() throw();
  void setZero() override;
  bool isZero() const override;
  void setEpsilon() override;
  bool isEpsilon() const override;
  LogicalTimeInterval& operator=(const LogicalTimeInterval&) override;
  Base& operator=(const Base&) override;
  LogicalTimeInterval& operator+=(const LogicalTimeInterval&) override;
  LogicalTimeInterval& operator-=(const LogicalTimeInterval&) override;
  bool operator>(const LogicalTimeInterval&) const override;
  bool operator<(const LogicalTimeInterval&) const override;
  bool operator==(const LogicalTimeInterval&) const override;
  bool operator>=(const LogicalTimeInterval&) const override;
  bool operator<=(const LogicalTimeInterval&) const override;
  void setToDifference(const LogicalTime&, const LogicalTime&) override;
  Bytes encode() const override;
  size_t encode(void*, size_t) const override;
  size_t encodedLength() const override;
  void decode(const Bytes&) override;
  void decode(void*, size_t) override;
  std::wstring toString() const override;
  std::wstring implementationName() const override;
  Number getInterval() const override;
  void setInterval(Number) override;
};

template <class Base, class OfTime, class OfInterval, class Number>
struct Factory : Base {
  Factory();
  virtual ~Factory() throw();
  RTI_UNIQUE_PTR<OfTime> makeLogicalTime(Number) override;
  RTI_UNIQUE_PTR<OfInterval> makeLogicalTimeInterval(Number) override;
  RTI_UNIQUE_PTR<LogicalTime> makeInitial() override;
  RTI_UNIQUE_PTR<LogicalTime> makeFinal() override;
  RTI_UNIQUE_PTR<LogicalTimeInterval> makeZero() override;
  RTI_UNIQUE_PTR<LogicalTimeInterval> makeEpsilon() override;
  RTI_UNIQUE_PTR<LogicalTime> decodeLogicalTime(const Bytes&) override;
  RTI_UNIQUE_PTR<LogicalTime> decodeLogicalTime(void*, size_t) override;
  RTI_UNIQUE_PTR<LogicalTimeInterval> decodeLogicalTimeInterval(const Bytes&) override;
  RTI_UNIQUE_PTR<LogicalTimeInterval> decodeLogicalTimeInterval(void*, size_t) override;
  std::wstring getName() const override;
};

template <class T, class I, class F, class Number>
constexpr bool are_times() {
  static_assert(!std::is_abstract_v<Time<T, Number>> && !std::is_abstract_v<Interval<I, Number>>);
  static_assert(!std::is_abstract_v<Factory<F, T, I, Number>>);
  static_assert(std::is_convertible_v<Number, T> && std::is_convertible_v<Number, I>);
  static_assert(std::is_convertible_v<const LogicalTime&, T> && std::is_convertible_v<T, Number>);
  static_assert(std::is_convertible_v<const LogicalTimeInterval&, I>);
  static_assert(std::is_convertible_v<I, Number>);
  static_assert(std::is_default_constructible_v<T> && std::is_copy_constructible_v<T>);
  static_assert(std::is_default_constructible_v<I> && std::is_copy_constructible_v<I>);
  static_assert(std::is_default_constructible_v<F>);
  return true;
}
static_assert(
    are_times<HLAinteger64Time, HLAinteger64Interval, HLAinteger64TimeFactory, Integer64>());
static_assert(are_times<HLAfloat64Time, HLAfloat64Interval, HLAfloat64TimeFactory, double>());
static_assert(std::is_same_v<decltype((HLAinteger64TimeName)), const std::wstring&>);
static_assert(std::is_same_v<decltype((HLAfloat64TimeName)), const std::wstring&>);
static_assert(std::is_abstract_v<LogicalTime> && std::is_abstract_v<LogicalTimeInterval>);
static_assert(std::is_abstract_v<LogicalTimeFactory>);
using Make = RTI_UNIQUE_PTR<LogicalTimeFactory>(const std::wstring&);
static_assert(std::is_same_v<decltype(HLAlogicalTimeFactoryFactory::makeLogicalTimeFactory), Make>);
static_assert(std::is_same_v<decltype(LogicalTimeFactoryFactory::makeLogicalTimeFactory), Make>);

// ---- encoding helpers

template <class Base>
struct Element : Base {
  virtual ~Element();
  RTI_UNIQUE_PTR<DataElement> clone() const override;
  Bytes encode() const override;
  void encode(Bytes&) const override;
  void encodeInto(Octets&) const override;
  void decode(const Bytes&) override;
  size_t decodeFrom(const Octets&, size_t) override;
  size_t getEncodedLength() const override;
  unsigned int getOctetBoundary() const override;
  bool isSameTypeAs(const DataElement&) const override;
  Integer64 hash() const override;
};

template <class Base>
struct Array : Element<Base> {
  bool hasPrototypeSameTypeAs(const DataElement&) const override;
  size_t size() const override;
  void set(size_t, const DataElement&) override;
  void setElementPointer(size_t, DataElement*) override;
  const DataElement& get(size_t) const override;
};
struct Variable : Array<HLAvariableArray> {
  void addElement(const DataElement&) override;
  void addElementPointer(DataElement*) override;
};
struct Opaque : Element<HLAopaqueData> {
  size_t bufferLength() const override;
  size_t dataLength() const override;
  void setDataPointer(Octet**, size_t, size_t) override;
  void set(const Octet*, size_t) override;
  const Octet* get() const override;
};
static_assert(!std::is_abstract_v<Array<HLAfixedArray>> && !std::is_abstract_v<Variable>);
static_assert(!std::is_abstract_v<Opaque>);
static_assert(member<const DataElement&(size_t) const>(&HLAfixedArray::operator[]));
static_assert(member<const DataElement&(size_t) const>(&HLAvariableArray::operator[]));
static_assert(member<const Octet*() const>(&HLAopaqueData::operator const Octet*));

static_assert(std::is_constructible_v<HLAfixedArray, const DataElement&, size_t>);
static_assert(!std::is_default_constructible_v<HLAfixedArray>);
static_assert(std::is_constructible_v<HLAvariableArray, const DataElement&>);
static_assert(!std::is_default_constructible_v<HLAvariableArray>);
static_assert(std::is_constructible_v<HLAopaqueData, const Octet*, size_t>);
static_assert(std::is_constructible_v<HLAopaqueData, Octet**, size_t, size_t>);
static_assert(std::is_default_constructible_v<HLAopaqueData>);
// both array constructors are explicit: neither braces nor implicit conversion
template <class T>
concept braced = requires(void (&take)(HLAfixedArray), const T& t) {
  take({t, size_t(3)});
};
static_assert(!braced<DataElement>);
static_assert(!std::is_convertible_v<const HLAopaqueData&, HLAvariableArray>);
template <class... T>
constexpr bool copied_only = ((std::is_copy_constructible_v<T> &&
                               !std::is_copy_assignable_v<T>)&&...);
static_assert(copied_only<HLAfixedArray, HLAvariableArray, HLAopaqueData>);

}  // namespace vernier::hla::letter
