#pragma once

#include <RTI/RTI1516.h>

#include <functional>
#include <initializer_list>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "vernier/rti1516e/courier.hpp"
#include "vernier/rti1516e/joined_federate.hpp"
#include "vernier/rti1516e/rti_connection.hpp"
#include "vernier/rti1516e/service.hpp"

namespace vernier::hla {

using namespace ::rti1516e;
namespace wire = ::vernier::federation;

/// The services of IEEE 1516.1-2010 on an RtiTransport to an RTI. Each service checks locally what
/// the federate knows, in the standard's order of exceptions, and asks the RTI for the rest.
/// Updates, interactions and time advances are checked completely here and get no answer, so they
/// cost no round trip.
///
/// Any thread may call any service. Callbacks are made by the thread that evokes them, or by a
/// thread of the ambassador; never two at once, and with no lock held.
class VernierAmbassador : public RTIambassador {
 public:
  using Connect =
      std::function<std::unique_ptr<RtiTransport>(const wire::Designator&, std::string& why)>;

  explicit VernierAmbassador(Connect connect);
  ~VernierAmbassador() override;

  // ---- federation management, section 4 (ambassador.cpp, ambassador_federation.cpp)

  void connect(FederateAmbassador&, CallbackModel, const std::wstring&) override;
  void disconnect() override;
  void createFederationExecution(const std::wstring&, const std::wstring&,
                                 const std::wstring&) override;
  void createFederationExecution(const std::wstring&, const std::vector<std::wstring>&,
                                 const std::wstring&) override;
  void createFederationExecutionWithMIM(const std::wstring&, const std::vector<std::wstring>&,
                                        const std::wstring&, const std::wstring&) override;
  void destroyFederationExecution(const std::wstring&) override;
  void listFederationExecutions() override;
  FederateHandle joinFederationExecution(const std::wstring&, const std::wstring&,
                                         const std::vector<std::wstring>&) override;
  FederateHandle joinFederationExecution(const std::wstring&, const std::wstring&,
                                         const std::wstring&,
                                         const std::vector<std::wstring>&) override;
  void resignFederationExecution(ResignAction) override;
  void registerFederationSynchronizationPoint(const std::wstring&,
                                              const VariableLengthData&) override;
  void registerFederationSynchronizationPoint(const std::wstring&, const VariableLengthData&,
                                              const FederateHandleSet&) override;
  void synchronizationPointAchieved(const std::wstring&, bool) override;
  void requestFederationSave(const std::wstring&) override;
  void requestFederationSave(const std::wstring&, const LogicalTime&) override;
  void federateSaveBegun() override;
  void federateSaveComplete() override;
  void federateSaveNotComplete() override;
  void abortFederationSave() override;
  void queryFederationSaveStatus() override;
  void requestFederationRestore(const std::wstring&) override;
  void federateRestoreComplete() override;
  void federateRestoreNotComplete() override;
  void abortFederationRestore() override;
  void queryFederationRestoreStatus() override;

  // ---- declaration management, section 5 (ambassador_declaration.cpp)

  void publishObjectClassAttributes(ObjectClassHandle, const AttributeHandleSet&) override;
  void unpublishObjectClass(ObjectClassHandle) override;
  void unpublishObjectClassAttributes(ObjectClassHandle, const AttributeHandleSet&) override;
  void publishInteractionClass(InteractionClassHandle) override;
  void unpublishInteractionClass(InteractionClassHandle) override;
  void subscribeObjectClassAttributes(ObjectClassHandle, const AttributeHandleSet&, bool,
                                      const std::wstring&) override;
  void unsubscribeObjectClass(ObjectClassHandle) override;
  void unsubscribeObjectClassAttributes(ObjectClassHandle, const AttributeHandleSet&) override;
  void subscribeInteractionClass(InteractionClassHandle, bool) override;
  void unsubscribeInteractionClass(InteractionClassHandle) override;

  // ---- object management, section 6 (ambassador_object.cpp)

  void reserveObjectInstanceName(const std::wstring&) override;
  void releaseObjectInstanceName(const std::wstring&) override;
  void reserveMultipleObjectInstanceName(const std::set<std::wstring>&) override;
  void releaseMultipleObjectInstanceName(const std::set<std::wstring>&) override;
  ObjectInstanceHandle registerObjectInstance(ObjectClassHandle) override;
  ObjectInstanceHandle registerObjectInstance(ObjectClassHandle, const std::wstring&) override;
  void updateAttributeValues(ObjectInstanceHandle, const AttributeHandleValueMap&,
                             const VariableLengthData&) override;
  MessageRetractionHandle updateAttributeValues(ObjectInstanceHandle,
                                                const AttributeHandleValueMap&,
                                                const VariableLengthData&,
                                                const LogicalTime&) override;
  void sendInteraction(InteractionClassHandle, const ParameterHandleValueMap&,
                       const VariableLengthData&) override;
  MessageRetractionHandle sendInteraction(InteractionClassHandle, const ParameterHandleValueMap&,
                                          const VariableLengthData&, const LogicalTime&) override;
  void deleteObjectInstance(ObjectInstanceHandle, const VariableLengthData&) override;
  MessageRetractionHandle deleteObjectInstance(ObjectInstanceHandle, const VariableLengthData&,
                                               const LogicalTime&) override;
  void localDeleteObjectInstance(ObjectInstanceHandle) override;
  void requestAttributeValueUpdate(ObjectInstanceHandle, const AttributeHandleSet&,
                                   const VariableLengthData&) override;
  void requestAttributeValueUpdate(ObjectClassHandle, const AttributeHandleSet&,
                                   const VariableLengthData&) override;
  void requestAttributeTransportationTypeChange(ObjectInstanceHandle, const AttributeHandleSet&,
                                                TransportationType) override;
  void queryAttributeTransportationType(ObjectInstanceHandle, AttributeHandle) override;
  void requestInteractionTransportationTypeChange(InteractionClassHandle,
                                                  TransportationType) override;
  void queryInteractionTransportationType(FederateHandle, InteractionClassHandle) override;

  // ---- ownership management, section 7 (ambassador_ownership.cpp)

  void unconditionalAttributeOwnershipDivestiture(ObjectInstanceHandle,
                                                  const AttributeHandleSet&) override;
  void negotiatedAttributeOwnershipDivestiture(ObjectInstanceHandle, const AttributeHandleSet&,
                                               const VariableLengthData&) override;
  void confirmDivestiture(ObjectInstanceHandle, const AttributeHandleSet&,
                          const VariableLengthData&) override;
  void attributeOwnershipAcquisition(ObjectInstanceHandle, const AttributeHandleSet&,
                                     const VariableLengthData&) override;
  void attributeOwnershipAcquisitionIfAvailable(ObjectInstanceHandle,
                                                const AttributeHandleSet&) override;
  void attributeOwnershipReleaseDenied(ObjectInstanceHandle, const AttributeHandleSet&) override;
  void attributeOwnershipDivestitureIfWanted(ObjectInstanceHandle, const AttributeHandleSet&,
                                             AttributeHandleSet&) override;
  void cancelNegotiatedAttributeOwnershipDivestiture(ObjectInstanceHandle,
                                                     const AttributeHandleSet&) override;
  void cancelAttributeOwnershipAcquisition(ObjectInstanceHandle,
                                           const AttributeHandleSet&) override;
  void queryAttributeOwnership(ObjectInstanceHandle, AttributeHandle) override;
  bool isAttributeOwnedByFederate(ObjectInstanceHandle, AttributeHandle) override;

  // ---- time management, section 8 (ambassador_time.cpp)

  void enableTimeRegulation(const LogicalTimeInterval&) override;
  void disableTimeRegulation() override;
  void enableTimeConstrained() override;
  void disableTimeConstrained() override;
  void timeAdvanceRequest(const LogicalTime&) override;
  void timeAdvanceRequestAvailable(const LogicalTime&) override;
  void nextMessageRequest(const LogicalTime&) override;
  void nextMessageRequestAvailable(const LogicalTime&) override;
  void flushQueueRequest(const LogicalTime&) override;
  void enableAsynchronousDelivery() override;
  void disableAsynchronousDelivery() override;
  bool queryGALT(LogicalTime&) override;
  void queryLogicalTime(LogicalTime&) override;
  bool queryLITS(LogicalTime&) override;
  void modifyLookahead(const LogicalTimeInterval&) override;
  void queryLookahead(LogicalTimeInterval&) override;
  void retract(MessageRetractionHandle) override;
  void changeAttributeOrderType(ObjectInstanceHandle, const AttributeHandleSet&,
                                OrderType) override;
  void changeInteractionOrderType(InteractionClassHandle, OrderType) override;

  // ---- data distribution management, section 9 (ambassador_region.cpp)

  RegionHandle createRegion(const DimensionHandleSet&) override;
  void commitRegionModifications(const RegionHandleSet&) override;
  void deleteRegion(const RegionHandle&) override;
  ObjectInstanceHandle registerObjectInstanceWithRegions(
      ObjectClassHandle, const AttributeHandleSetRegionHandleSetPairVector&) override;
  ObjectInstanceHandle registerObjectInstanceWithRegions(
      ObjectClassHandle, const AttributeHandleSetRegionHandleSetPairVector&,
      const std::wstring&) override;
  void associateRegionsForUpdates(ObjectInstanceHandle,
                                  const AttributeHandleSetRegionHandleSetPairVector&) override;
  void unassociateRegionsForUpdates(ObjectInstanceHandle,
                                    const AttributeHandleSetRegionHandleSetPairVector&) override;
  void subscribeObjectClassAttributesWithRegions(ObjectClassHandle,
                                                 const AttributeHandleSetRegionHandleSetPairVector&,
                                                 bool, const std::wstring&) override;
  void unsubscribeObjectClassAttributesWithRegions(
      ObjectClassHandle, const AttributeHandleSetRegionHandleSetPairVector&) override;
  void subscribeInteractionClassWithRegions(InteractionClassHandle, const RegionHandleSet&,
                                            bool) override;
  void unsubscribeInteractionClassWithRegions(InteractionClassHandle,
                                              const RegionHandleSet&) override;
  void sendInteractionWithRegions(InteractionClassHandle, const ParameterHandleValueMap&,
                                  const RegionHandleSet&, const VariableLengthData&) override;
  MessageRetractionHandle sendInteractionWithRegions(InteractionClassHandle,
                                                     const ParameterHandleValueMap&,
                                                     const RegionHandleSet&,
                                                     const VariableLengthData&,
                                                     const LogicalTime&) override;
  void requestAttributeValueUpdateWithRegions(ObjectClassHandle,
                                              const AttributeHandleSetRegionHandleSetPairVector&,
                                              const VariableLengthData&) override;

  // ---- support services, section 10 (ambassador_support.cpp; callbacks: ambassador.cpp)

  ResignAction getAutomaticResignDirective() override;
  void setAutomaticResignDirective(ResignAction) override;
  FederateHandle getFederateHandle(const std::wstring&) override;
  std::wstring getFederateName(FederateHandle) override;
  ObjectClassHandle getObjectClassHandle(const std::wstring&) override;
  std::wstring getObjectClassName(ObjectClassHandle) override;
  ObjectClassHandle getKnownObjectClassHandle(ObjectInstanceHandle) override;
  ObjectInstanceHandle getObjectInstanceHandle(const std::wstring&) override;
  std::wstring getObjectInstanceName(ObjectInstanceHandle) override;
  AttributeHandle getAttributeHandle(ObjectClassHandle, const std::wstring&) override;
  std::wstring getAttributeName(ObjectClassHandle, AttributeHandle) override;
  double getUpdateRateValue(const std::wstring&) override;
  double getUpdateRateValueForAttribute(ObjectInstanceHandle, AttributeHandle) override;
  InteractionClassHandle getInteractionClassHandle(const std::wstring&) override;
  std::wstring getInteractionClassName(InteractionClassHandle) override;
  ParameterHandle getParameterHandle(InteractionClassHandle, const std::wstring&) override;
  std::wstring getParameterName(InteractionClassHandle, ParameterHandle) override;
  OrderType getOrderType(const std::wstring&) override;
  std::wstring getOrderName(OrderType) override;
  TransportationType getTransportationType(const std::wstring&) override;
  std::wstring getTransportationName(TransportationType) override;
  DimensionHandleSet getAvailableDimensionsForClassAttribute(ObjectClassHandle,
                                                             AttributeHandle) override;
  DimensionHandleSet getAvailableDimensionsForInteractionClass(InteractionClassHandle) override;
  DimensionHandle getDimensionHandle(const std::wstring&) override;
  std::wstring getDimensionName(DimensionHandle) override;
  unsigned long getDimensionUpperBound(DimensionHandle) override;
  DimensionHandleSet getDimensionHandleSet(RegionHandle) override;
  RangeBounds getRangeBounds(RegionHandle, DimensionHandle) override;
  void setRangeBounds(RegionHandle, DimensionHandle, const RangeBounds&) override;
  unsigned long normalizeFederateHandle(FederateHandle) override;
  unsigned long normalizeServiceGroup(ServiceGroup) override;
  void enableObjectClassRelevanceAdvisorySwitch() override;
  void disableObjectClassRelevanceAdvisorySwitch() override;
  void enableAttributeRelevanceAdvisorySwitch() override;
  void disableAttributeRelevanceAdvisorySwitch() override;
  void enableAttributeScopeAdvisorySwitch() override;
  void disableAttributeScopeAdvisorySwitch() override;
  void enableInteractionRelevanceAdvisorySwitch() override;
  void disableInteractionRelevanceAdvisorySwitch() override;
  bool evokeCallback(double) override;
  bool evokeMultipleCallbacks(double, double) override;
  void enableCallbacks() override;
  void disableCallbacks() override;
  std::unique_ptr<LogicalTimeFactory> getTimeFactory() const override;
  FederateHandle decodeFederateHandle(const VariableLengthData&) const override;
  ObjectClassHandle decodeObjectClassHandle(const VariableLengthData&) const override;
  InteractionClassHandle decodeInteractionClassHandle(const VariableLengthData&) const override;
  ObjectInstanceHandle decodeObjectInstanceHandle(const VariableLengthData&) const override;
  AttributeHandle decodeAttributeHandle(const VariableLengthData&) const override;
  ParameterHandle decodeParameterHandle(const VariableLengthData&) const override;
  DimensionHandle decodeDimensionHandle(const VariableLengthData&) const override;
  MessageRetractionHandle decodeMessageRetractionHandle(const VariableLengthData&) const override;
  RegionHandle decodeRegionHandle(const VariableLengthData&) const override;

 private:
  using Lock = RtiConnection::Lock;
  using Clock = RtiConnection::Clock;

  /// One invocation of a service; holds the lock. If the RTI reports services or exceptions of this
  /// federate (Management Object Model), this tells the RTI what it cannot see itself: exceptions
  /// raised here, and services that do not involve the RTI.
  class Service : public Lock {
   public:
    Service(VernierAmbassador&, const char* name, std::initializer_list<Argument> arguments);
    ~Service();
    /// The RTI was asked, so it reports this invocation itself.
    void asked() noexcept { asked_ = true; }
    template <class T>
    T gives(T value) {
      if (watch_) watch_->returned = {Argument::text(value)};
      return value;
    }

   private:
    struct Watch {
      std::vector<Argument> arguments;
      std::vector<std::string> returned;
      Raised raised;
      Raised* outer = nullptr;
      int exceptions = 0;  // in flight when the service began
    };
    void report() noexcept;

    VernierAmbassador& of_;
    const char* name_;
    bool asked_ = false;
    std::unique_ptr<Watch> watch_;  // null: no reports are requested
  };

  // ---- checks at the beginning of services; each throws the exception of the standard

  /// Throws NotConnected.
  void require_connection() const;
  /// Also throws FederateNotExecutionMember.
  JoinedFederate& member() const;
  /// Also throws SaveInProgress, RestoreInProgress.
  JoinedFederate& active() const;
  void require_outside_callback() const;

  // ---- requests

  /// Sends a request and waits for its answer. `done` applies what a positive answer changes;
  /// callbacks that arrive after the request are delivered after that. The membership may have
  /// changed meanwhile.
  template <class M>
  void ask(Service& lock, const M& message, const std::function<void()>& done = {}) {
    lock.asked();
    const std::uint32_t sequence = link_.next_sequence();
    wire::write(link_.empty_frame(), message, sequence);
    await(
        lock, sequence,
        [&](Bytes) {
          if (done) done();
          return true;
        },
        done != nullptr);
  }
  /// The same; a positive answer changes the member as if the service had been invoked for it.
  template <class M>
  void ask_as(Service& lock, JoinedFederate& m, const M& message) {
    ask(lock, message, [&] { m.done(message); });
  }
  template <class Body, class M>
  Body ask_for(Service& lock, const M& message, const std::function<bool(Body&)>& done = {}) {
    lock.asked();
    Body body;
    const std::uint32_t sequence = link_.next_sequence();
    wire::write(link_.empty_frame(), message, sequence);
    await(
        lock, sequence,
        [&](Bytes bytes) {
          wire::Reader r(bytes);
          body.fields(r);
          return r.complete() && (!done || done(body));
        },
        done != nullptr);
    return body;
  }

  /// As RtiConnection::await(); if the answer shows that the federate is no longer a member, the
  /// membership ends.
  void await(Lock&, std::uint32_t sequence, const std::function<bool(Bytes)>& read, bool holds);
  void create(const std::wstring& federation, const std::vector<std::wstring>& modules,
              const std::wstring* mim, const std::wstring& time);
  FederateHandle join(const std::wstring& name, const std::wstring& type,
                      const std::wstring& federation, const std::vector<std::wstring>& modules);
  void finish_save(const char* service, bool success);
  void finish_restore(const char* service, bool success);
  ObjectInstanceHandle register_object(const char* service, ObjectClassHandle,
                                       const std::wstring* name,
                                       const AttributeHandleSetRegionHandleSetPairVector*);
  MessageRetractionHandle update(ObjectInstanceHandle, const AttributeHandleValueMap&,
                                 const VariableLengthData& tag, const LogicalTime*);
  MessageRetractionHandle send(const char* service, InteractionClassHandle,
                               const ParameterHandleValueMap&, const RegionHandleSet*,
                               const VariableLengthData& tag, const LogicalTime*);
  MessageRetractionHandle remove(ObjectInstanceHandle, const VariableLengthData& tag,
                                 const LogicalTime*);
  void advance(const char* service, wire::AdvanceKind, const LogicalTime&);
  void set_switch(const char* service, wire::Switch, bool on, wire::Failure already);
  template <class H>
  H decode(const VariableLengthData&) const;

  // ---- callbacks

  bool within_callback() const noexcept { return delivering_ == std::this_thread::get_id(); }
  bool deliverable() const noexcept;
  void deliver(Lock&);
  void deliver_immediately();
  /// Waits for a callback, at most until then.
  void wait_for_callback(Lock&, Clock::time_point until);
  void stop_delivering(Lock&);

  const Connect connect_;
  mutable std::mutex mutex_;  // protects everything below
  RtiConnection link_;
  Courier courier_;
  CallbackModel model_ = HLA_EVOKED;
  bool connected_ = false;
  bool callbacks_enabled_ = true;
  bool stopping_ = false;
  std::thread::id delivering_;  // the thread that is in a callback
  std::thread thread_;          // makes immediate callbacks
  std::unique_ptr<JoinedFederate> member_;
};

}  // namespace vernier::hla
