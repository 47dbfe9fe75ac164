#pragma once

#include <RTI/NullFederateAmbassador.h>
#include <RTI/RTI1516.h>
#include <RTI/time/HLAinteger64Interval.h>
#include <RTI/time/HLAinteger64Time.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

/// Federates that write down what the RTI tells them, through the standard interface only.
namespace vernier::federation_tests {

using namespace rti1516e;
using Lines = std::vector<std::string>;

/// For what comes at once, on a machine that is not busy.
constexpr std::chrono::seconds patience{120};

std::string narrow(const std::wstring&);
std::wstring wide(const std::string&);
inline VariableLengthData value(const std::string& text) { return {text.data(), text.size()}; }

/// Names of handles, for the lines; those of the FOM are the same for all federates.
struct Names {
  std::map<ObjectClassHandle, std::string> classes;
  std::map<InteractionClassHandle, std::string> interactions;
  std::map<AttributeHandle, std::string> attributes;
  std::map<ParameterHandle, std::string> parameters;
  std::map<FederateHandle, std::string> federates;
};

/// Writes each callback as a line, such as "reflect(ball, Place=7, tag, T>T, 12)": sent and
/// received order, then the time, if there is one. May be called by another thread than the test's.
class Recorder : public NullFederateAmbassador {
 public:
  explicit Recorder(Names& names) : names_(names) {}

  /// What was written so far; it is forgotten.
  Lines take();
  /// Waits for a line that begins so, or so many marks; false after a very long time.
  bool wait(const std::string& begin);
  bool wait_for_mark(std::size_t number);
  bool has(const std::string& begin);
  void know(ObjectInstanceHandle, const std::string& name);
  /// The next report of a save or restore that nobody waits for yet is a mark, not a line.
  void expect_mark();
  std::size_t marks();
  /// Called in the next callback, inside it.
  std::function<void()> within;
  /// Called with each of them, before its line is written.
  std::function<void(InteractionClassHandle, const ParameterHandleValueMap&,
                     const SupplementalReceiveInfo&)>
      on_receive;
  std::function<void(ObjectInstanceHandle, const AttributeHandleValueMap&,
                     const SupplementalReflectInfo&)>
      on_reflect;

  HLAinteger64Time time;  // of the last grant
  MessageRetractionHandle retraction;

  void connectionLost(const std::wstring&) override;
  void reportFederationExecutions(const FederationExecutionInformationVector&) override;
  void synchronizationPointRegistrationSucceeded(const std::wstring&) override;
  void synchronizationPointRegistrationFailed(const std::wstring&,
                                              SynchronizationPointFailureReason) override;
  void announceSynchronizationPoint(const std::wstring&, const VariableLengthData&) override;
  void federationSynchronized(const std::wstring&, const FederateHandleSet&) override;
  void initiateFederateSave(const std::wstring&) override;
  void initiateFederateSave(const std::wstring&, const LogicalTime&) override;
  void federationSaved() override;
  void federationNotSaved(SaveFailureReason) override;
  void federationSaveStatusResponse(const FederateHandleSaveStatusPairVector&) override;
  void requestFederationRestoreSucceeded(const std::wstring&) override;
  void requestFederationRestoreFailed(const std::wstring&) override;
  void federationRestoreBegun() override;
  void initiateFederateRestore(const std::wstring&, const std::wstring&, FederateHandle) override;
  void federationRestored() override;
  void federationNotRestored(RestoreFailureReason) override;
  void federationRestoreStatusResponse(const FederateRestoreStatusVector&) override;
  void startRegistrationForObjectClass(ObjectClassHandle) override;
  void stopRegistrationForObjectClass(ObjectClassHandle) override;
  void turnInteractionsOn(InteractionClassHandle) override;
  void turnInteractionsOff(InteractionClassHandle) override;
  void objectInstanceNameReservationSucceeded(const std::wstring&) override;
  void objectInstanceNameReservationFailed(const std::wstring&) override;
  void multipleObjectInstanceNameReservationSucceeded(const std::set<std::wstring>&) override;
  void multipleObjectInstanceNameReservationFailed(const std::set<std::wstring>&) override;
  void discoverObjectInstance(ObjectInstanceHandle, ObjectClassHandle,
                              const std::wstring&) override;
  void discoverObjectInstance(ObjectInstanceHandle, ObjectClassHandle, const std::wstring&,
                              FederateHandle) override;
  void reflectAttributeValues(ObjectInstanceHandle, const AttributeHandleValueMap&,
                              const VariableLengthData&, OrderType, TransportationType,
                              SupplementalReflectInfo) override;
  void reflectAttributeValues(ObjectInstanceHandle, const AttributeHandleValueMap&,
                              const VariableLengthData&, OrderType, TransportationType,
                              const LogicalTime&, OrderType, SupplementalReflectInfo) override;
  void reflectAttributeValues(ObjectInstanceHandle, const AttributeHandleValueMap&,
                              const VariableLengthData&, OrderType, TransportationType,
                              const LogicalTime&, OrderType, MessageRetractionHandle,
                              SupplementalReflectInfo) override;
  void receiveInteraction(InteractionClassHandle, const ParameterHandleValueMap&,
                          const VariableLengthData&, OrderType, TransportationType,
                          SupplementalReceiveInfo) override;
  void receiveInteraction(InteractionClassHandle, const ParameterHandleValueMap&,
                          const VariableLengthData&, OrderType, TransportationType,
                          const LogicalTime&, OrderType, SupplementalReceiveInfo) override;
  void receiveInteraction(InteractionClassHandle, const ParameterHandleValueMap&,
                          const VariableLengthData&, OrderType, TransportationType,
                          const LogicalTime&, OrderType, MessageRetractionHandle,
                          SupplementalReceiveInfo) override;
  void removeObjectInstance(ObjectInstanceHandle, const VariableLengthData&, OrderType,
                            SupplementalRemoveInfo) override;
  void removeObjectInstance(ObjectInstanceHandle, const VariableLengthData&, OrderType,
                            const LogicalTime&, OrderType, SupplementalRemoveInfo) override;
  void removeObjectInstance(ObjectInstanceHandle, const VariableLengthData&, OrderType,
                            const LogicalTime&, OrderType, MessageRetractionHandle,
                            SupplementalRemoveInfo) override;
  void attributesInScope(ObjectInstanceHandle, const AttributeHandleSet&) override;
  void attributesOutOfScope(ObjectInstanceHandle, const AttributeHandleSet&) override;
  void provideAttributeValueUpdate(ObjectInstanceHandle, const AttributeHandleSet&,
                                   const VariableLengthData&) override;
  void turnUpdatesOnForObjectInstance(ObjectInstanceHandle, const AttributeHandleSet&) override;
  void turnUpdatesOnForObjectInstance(ObjectInstanceHandle, const AttributeHandleSet&,
                                      const std::wstring&) override;
  void turnUpdatesOffForObjectInstance(ObjectInstanceHandle, const AttributeHandleSet&) override;
  void confirmAttributeTransportationTypeChange(ObjectInstanceHandle, AttributeHandleSet,
                                                TransportationType) override;
  void reportAttributeTransportationType(ObjectInstanceHandle, AttributeHandle,
                                         TransportationType) override;
  void confirmInteractionTransportationTypeChange(InteractionClassHandle,
                                                  TransportationType) override;
  void reportInteractionTransportationType(FederateHandle, InteractionClassHandle,
                                           TransportationType) override;
  void requestAttributeOwnershipAssumption(ObjectInstanceHandle, const AttributeHandleSet&,
                                           const VariableLengthData&) override;
  void requestDivestitureConfirmation(ObjectInstanceHandle, const AttributeHandleSet&) override;
  void attributeOwnershipAcquisitionNotification(ObjectInstanceHandle, const AttributeHandleSet&,
                                                 const VariableLengthData&) override;
  void attributeOwnershipUnavailable(ObjectInstanceHandle, const AttributeHandleSet&) override;
  void requestAttributeOwnershipRelease(ObjectInstanceHandle, const AttributeHandleSet&,
                                        const VariableLengthData&) override;
  void confirmAttributeOwnershipAcquisitionCancellation(ObjectInstanceHandle,
                                                        const AttributeHandleSet&) override;
  void informAttributeOwnership(ObjectInstanceHandle, AttributeHandle, FederateHandle) override;
  void attributeIsNotOwned(ObjectInstanceHandle, AttributeHandle) override;
  void attributeIsOwnedByRTI(ObjectInstanceHandle, AttributeHandle) override;
  void timeRegulationEnabled(const LogicalTime&) override;
  void timeConstrainedEnabled(const LogicalTime&) override;
  void timeAdvanceGrant(const LogicalTime&) override;
  void requestRetraction(MessageRetractionHandle) override;

 private:
  void write(std::string line);
  bool marked();
  std::string name(ObjectInstanceHandle);
  std::string list(const AttributeHandleSet&);

  Names& names_;
  std::map<ObjectInstanceHandle, std::string> objects_;
  std::mutex mutex_;
  std::condition_variable changed_;
  Lines lines_;
  std::size_t marks_expected_ = 0, marks_ = 0;
};

struct Setup {
  int federates;
  bool tcp;
  bool immediate;
};
std::string name_of(const ::testing::TestParamInfo<Setup>&);
/// Of an RTI that listens on a port of its own in this process.
std::string server_designator();
/// Two and five federates, in this process and over TCP, evoked and immediate.
std::vector<Setup> all_setups();

struct Member {
  Member(Names& names) : seen(names) {}
  Recorder seen;
  std::unique_ptr<RTIambassador> rti;
  FederateHandle handle;
  bool joined = false;
  RTIambassador* operator->() const { return rti.get(); }
};

/// A federation of playground.xml; federates are called f0, f1, …
class Federation : public ::testing::TestWithParam<Setup> {
 public:
  void SetUp() override;
  void TearDown() override;

  int size() const { return GetParam().federates; }
  Member& operator[](int i) { return *members_[static_cast<std::size_t>(i)]; }
  Member& last() { return *members_.back(); }
  /// A connected federate more.
  Member& add();
  void create();
  void join(int i);
  void join_all();
  /// Everything that was asked has its effect, and every callback of it was made.
  void settle();
  /// Everything that one federate asked has its effect.
  void ask(Member&);
  /// The lines of one federate since the last time, after settle().
  Lines took(int i);
  void forget();
  /// Answers callbacks until it has a line that begins so; false after a very long time.
  bool wait(int i, const std::string& begin);

  ObjectClassHandle ball, heavy;
  AttributeHandle place, color, mass, privilege;
  InteractionClassHandle kick, hard, shout;
  ParameterHandle force, sound, word;
  DimensionHandle ground;
  std::wstring name, module;
  VariableLengthData tag = value("tag");

  /// Everybody but the first is subscribed to all; the first publishes all.
  void first_publishes();
  /// An object of the first, known to all that may; nothing is left to take.
  ObjectInstanceHandle registered(ObjectClassHandle, const std::string& name, int by = 0);
  /// Everybody regulates with this lookahead and is constrained.
  void manage_time(int lookahead);

  std::string designator_;
  Names names_;
  std::vector<std::unique_ptr<Member>> members_;
};

}  // namespace vernier::federation_tests
