#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <utility>

#include "vernier/gateway/spacefom/detail/rti.hpp"
#include "vernier/gateway/spacefom/encoding.hpp"

namespace vernier::spacefom::detail {

/// Values by handle, as received.
template <class Handle>
using Values = std::vector<std::pair<Handle, Octets>>;
using Updates = Values<rti1516e::AttributeHandle>;
using Parameters = Values<rti1516e::ParameterHandle>;

/// Copies the RTI's values, which are valid only during the callback.
template <class Handle>
Values<Handle> taken(const std::map<Handle, rti1516e::VariableLengthData>& from) {
  Values<Handle> to;
  to.reserve(from.size());
  for (const auto& [handle, value] : from) {
    const auto* bytes = static_cast<const std::byte*>(value.data());
    to.emplace_back(handle, Octets(bytes, bytes + value.size()));
  }
  return to;
}

/// Null: none was received.
template <class Handle>
const Octets* bytes_of(const Values<Handle>& values, const Handle& wanted) {
  for (const auto& [handle, bytes] : values)
    if (handle == wanted) return &bytes;
  return nullptr;
}

/// A callback of the RTI, to be handled on the federate's own thread.
struct Event {
  enum class Kind {
    lost,
    registered,
    not_registered,
    announced,
    synchronized,
    reserved,
    not_reserved,
    discovered,
    reflected,
    received,
    removed,
    provide,
    regulating,
    constrained,
    granted,
    owned,
    asked,  // by our own program: request()
    executions
  };
  Kind kind;
  std::wstring text = {};
  rti1516e::ObjectInstanceHandle object = {};
  rti1516e::ObjectClassHandle object_class = {};
  rti1516e::InteractionClassHandle interaction = {};
  rti1516e::AttributeHandleSet wanted = {};
  Updates values = {};
  Parameters parameters = {};
  Ticks time = -1;
  Mode mode = Mode::uninitialized;
  std::vector<std::wstring> names = {};
  rti1516e::FederateHandle federate = {};
};

/// Events in order of arrival. Any thread puts, one takes.
class Inbox {
 public:
  void put(Event e) {
    const std::lock_guard lock(mutex_);
    events_.push_back(std::move(e));
    arrived_.notify_one();  // under the lock: the taker may destroy this inbox
  }
  std::optional<Event> take(std::chrono::milliseconds wait) {
    std::unique_lock lock(mutex_);
    if (events_.empty() && wait.count() > 0)
      arrived_.wait_for(lock, wait, [&] { return !events_.empty(); });
    if (events_.empty()) return {};
    std::optional<Event> e(std::move(events_.front()));
    events_.pop_front();
    return e;
  }

 private:
  std::mutex mutex_;
  std::condition_variable arrived_;
  std::deque<Event> events_;
};

/// Puts every callback into an inbox; never calls the RTI.
class Ambassador final : public rti1516e::NullFederateAmbassador {
 public:
  explicit Ambassador(Inbox& inbox) : inbox_(inbox) {}

  void connectionLost(const std::wstring& why) override { put(Event::Kind::lost, why); }
  void reportFederationExecutions(
      const rti1516e::FederationExecutionInformationVector& all) override {
    Event e{Event::Kind::executions};
    for (const auto& one : all) e.names.push_back(one.federationExecutionName);
    inbox_.put(std::move(e));
  }
  void synchronizationPointRegistrationSucceeded(const std::wstring& label) override {
    put(Event::Kind::registered, label);
  }
  void synchronizationPointRegistrationFailed(
      const std::wstring& label, rti1516e::SynchronizationPointFailureReason) override {
    put(Event::Kind::not_registered, label);
  }
  void announceSynchronizationPoint(const std::wstring& label,
                                    const rti1516e::VariableLengthData&) override {
    put(Event::Kind::announced, label);
  }
  void federationSynchronized(const std::wstring& label,
                              const rti1516e::FederateHandleSet&) override {
    put(Event::Kind::synchronized, label);
  }
  void objectInstanceNameReservationSucceeded(const std::wstring& name) override {
    put(Event::Kind::reserved, name);
  }
  void objectInstanceNameReservationFailed(const std::wstring& name) override {
    put(Event::Kind::not_reserved, name);
  }
  void discoverObjectInstance(rti1516e::ObjectInstanceHandle object,
                              rti1516e::ObjectClassHandle object_class,
                              const std::wstring& name) override {
    inbox_.put({.kind = Event::Kind::discovered,
                .text = name,
                .object = object,
                .object_class = object_class});
  }
  void discoverObjectInstance(rti1516e::ObjectInstanceHandle object,
                              rti1516e::ObjectClassHandle object_class, const std::wstring& name,
                              rti1516e::FederateHandle) override {
    discoverObjectInstance(object, object_class, name);
  }
  void reflectAttributeValues(rti1516e::ObjectInstanceHandle object,
                              const rti1516e::AttributeHandleValueMap& values,
                              const rti1516e::VariableLengthData&, rti1516e::OrderType,
                              rti1516e::TransportationType,
                              rti1516e::SupplementalReflectInfo) override {
    inbox_.put({.kind = Event::Kind::reflected, .object = object, .values = taken(values)});
  }
  void reflectAttributeValues(rti1516e::ObjectInstanceHandle object,
                              const rti1516e::AttributeHandleValueMap& values,
                              const rti1516e::VariableLengthData&, rti1516e::OrderType,
                              rti1516e::TransportationType, const rti1516e::LogicalTime& time,
                              rti1516e::OrderType, rti1516e::SupplementalReflectInfo) override {
    inbox_.put({.kind = Event::Kind::reflected,
                .object = object,
                .values = taken(values),
                .time = ticks(time)});
  }
  void reflectAttributeValues(rti1516e::ObjectInstanceHandle object,
                              const rti1516e::AttributeHandleValueMap& values,
                              const rti1516e::VariableLengthData&, rti1516e::OrderType,
                              rti1516e::TransportationType, const rti1516e::LogicalTime& time,
                              rti1516e::OrderType, rti1516e::MessageRetractionHandle,
                              rti1516e::SupplementalReflectInfo) override {
    inbox_.put({.kind = Event::Kind::reflected,
                .object = object,
                .values = taken(values),
                .time = ticks(time)});
  }
  void receiveInteraction(rti1516e::InteractionClassHandle interaction,
                          const rti1516e::ParameterHandleValueMap& parameters,
                          const rti1516e::VariableLengthData&, rti1516e::OrderType,
                          rti1516e::TransportationType,
                          rti1516e::SupplementalReceiveInfo) override {
    received(interaction, parameters);
  }
  void receiveInteraction(rti1516e::InteractionClassHandle interaction,
                          const rti1516e::ParameterHandleValueMap& parameters,
                          const rti1516e::VariableLengthData&, rti1516e::OrderType,
                          rti1516e::TransportationType, const rti1516e::LogicalTime& time,
                          rti1516e::OrderType, rti1516e::SupplementalReceiveInfo) override {
    received(interaction, parameters, ticks(time));
  }
  void receiveInteraction(rti1516e::InteractionClassHandle interaction,
                          const rti1516e::ParameterHandleValueMap& parameters,
                          const rti1516e::VariableLengthData&, rti1516e::OrderType,
                          rti1516e::TransportationType, const rti1516e::LogicalTime& time,
                          rti1516e::OrderType, rti1516e::MessageRetractionHandle,
                          rti1516e::SupplementalReceiveInfo) override {
    received(interaction, parameters, ticks(time));
  }
  void removeObjectInstance(rti1516e::ObjectInstanceHandle object,
                            const rti1516e::VariableLengthData&, rti1516e::OrderType,
                            rti1516e::SupplementalRemoveInfo) override {
    inbox_.put({.kind = Event::Kind::removed, .object = object});
  }
  void removeObjectInstance(rti1516e::ObjectInstanceHandle object,
                            const rti1516e::VariableLengthData&, rti1516e::OrderType,
                            const rti1516e::LogicalTime&, rti1516e::OrderType,
                            rti1516e::SupplementalRemoveInfo) override {
    inbox_.put({.kind = Event::Kind::removed, .object = object});
  }
  void removeObjectInstance(rti1516e::ObjectInstanceHandle object,
                            const rti1516e::VariableLengthData&, rti1516e::OrderType,
                            const rti1516e::LogicalTime&, rti1516e::OrderType,
                            rti1516e::MessageRetractionHandle,
                            rti1516e::SupplementalRemoveInfo) override {
    inbox_.put({.kind = Event::Kind::removed, .object = object});
  }
  void provideAttributeValueUpdate(rti1516e::ObjectInstanceHandle object,
                                   const rti1516e::AttributeHandleSet& wanted,
                                   const rti1516e::VariableLengthData&) override {
    inbox_.put({.kind = Event::Kind::provide, .object = object, .wanted = wanted});
  }
  void informAttributeOwnership(rti1516e::ObjectInstanceHandle object, rti1516e::AttributeHandle,
                                rti1516e::FederateHandle owner) override {
    inbox_.put({.kind = Event::Kind::owned, .object = object, .federate = owner});
  }
  void timeRegulationEnabled(const rti1516e::LogicalTime& t) override {
    inbox_.put({.kind = Event::Kind::regulating, .time = ticks(t)});
  }
  void timeConstrainedEnabled(const rti1516e::LogicalTime& t) override {
    inbox_.put({.kind = Event::Kind::constrained, .time = ticks(t)});
  }
  void timeAdvanceGrant(const rti1516e::LogicalTime& t) override {
    inbox_.put({.kind = Event::Kind::granted, .time = ticks(t)});
  }

  static Ticks ticks(const rti1516e::LogicalTime& t) {
    return static_cast<Ticks>(rti1516e::HLAinteger64Time(t).getTime());
  }

 private:
  void put(Event::Kind kind, const std::wstring& text) { inbox_.put({.kind = kind, .text = text}); }
  void received(rti1516e::InteractionClassHandle interaction,
                const rti1516e::ParameterHandleValueMap& parameters, Ticks time = -1) {
    inbox_.put({.kind = Event::Kind::received,
                .interaction = interaction,
                .parameters = taken(parameters),
                .time = time});
  }
  Inbox& inbox_;
};

}  // namespace vernier::spacefom::detail
