#include <set>

#include "vernier/rti1516e/checks.hpp"
#include "vernier/rti1516e/courier.hpp"

namespace vernier::hla {

using namespace ::rti1516e;
using Federate = FederateAmbassador;

namespace {

/// Only federates are reported as producers, not the RTI.
bool conveyed(Handle producer) noexcept {
  return producer != 0 && producer != federation::rti_owner;
}

/// What accompanies the values of a message; the RTI sends it if the switches ask for it.
template <class Info, class M>
Info supplement(JoinedFederate& member, const M& m) {
  Info info;
  if (conveyed(m.producer)) {
    info.hasProducingFederate = true;
    info.producingFederate = handle<FederateHandle>(m.producer);
  }
  if constexpr (requires { m.regions; }) {
    if (!m.regions.empty()) {
      info.hasSentRegions = true;
      for (const federation::RegionOf& r : m.regions) {
        info.sentRegions.insert(handle<RegionHandle>(r.region));
        Region& known = member.regions[r.region];
        if (!known.mine) known.bounds = r.bounds;
      }
    }
  }
  return info;
}

/// The standard has an overload for each combination of `time` and `retraction`.
template <class Call, class M, class Info>
void with_time(const Call& call, const M& m, const LogicalTime* time, Info info) {
  if (!time)
    call(std::move(info));
  else if (m.retraction)
    call(*time, order_of(m.received), retraction(m.retraction->federate, m.retraction->number),
         std::move(info));
  else
    call(*time, order_of(m.received), std::move(info));
}

}  // namespace

bool Courier::take(Lock& lock, Holder& member, federation::Reflect& m) {
  if (!attributes_.fill(m.values)) return false;
  if (!member->instance(m.object)) return true;
  const LogicalTime* t = m.time ? &time(member->time_class(), *m.time) : nullptr;
  if (t && m.received == federation::Order::time_stamp) member->time.got(*m.time);
  auto info = supplement<SupplementalReflectInfo>(*member, m);
  const TransportationType transportation = transportation_of(*member, m.transportation);
  call(lock, [&](Federate& f) {
    with_time(
        [&](auto&&... rest) {
          f.reflectAttributeValues(handle<ObjectInstanceHandle>(m.object), attributes_.map(),
                                   tag(m.tag), order_of(m.sent), transportation,
                                   std::forward<decltype(rest)>(rest)...);
        },
        m, t, std::move(info));
  });
  return true;
}

bool Courier::take(Lock& lock, Holder& member, federation::Receive& m) {
  if (!parameters_.fill(m.values)) return false;
  const LogicalTime* t = m.time ? &time(member->time_class(), *m.time) : nullptr;
  if (t && m.received == federation::Order::time_stamp) member->time.got(*m.time);
  auto info = supplement<SupplementalReceiveInfo>(*member, m);
  const TransportationType transportation = transportation_of(*member, m.transportation);
  call(lock, [&](Federate& f) {
    with_time(
        [&](auto&&... rest) {
          f.receiveInteraction(handle<InteractionClassHandle>(m.interaction_class),
                               parameters_.map(), tag(m.tag), order_of(m.sent), transportation,
                               std::forward<decltype(rest)>(rest)...);
        },
        m, t, std::move(info));
  });
  return true;
}

bool Courier::take(Lock& lock, Holder& member, federation::Remove& m) {
  if (!member->instance(m.object)) return true;
  const LogicalTime* t = m.time ? &time(member->time_class(), *m.time) : nullptr;
  if (t && m.received == federation::Order::time_stamp) member->time.got(*m.time);
  const auto info = supplement<SupplementalRemoveInfo>(*member, m);
  call(lock, [&](Federate& f) {
    with_time(
        [&](auto&&... rest) {
          f.removeObjectInstance(handle<ObjectInstanceHandle>(m.object), tag(m.tag),
                                 order_of(m.sent), std::forward<decltype(rest)>(rest)...);
        },
        m, t, info);
  });
  // during its callback the federate may still query the name
  if (member) member->forget(m.object);
  return true;
}

bool Courier::take(Lock& lock, Holder&, federation::RegistrationWanted& m) {
  const auto c = handle<ObjectClassHandle>(m.object_class);
  call(lock, [&](Federate& f) {
    m.on ? f.startRegistrationForObjectClass(c) : f.stopRegistrationForObjectClass(c);
  });
  return true;
}

bool Courier::take(Lock& lock, Holder&, federation::InteractionsWanted& m) {
  const auto c = handle<InteractionClassHandle>(m.interaction_class);
  call(lock, [&](Federate& f) { m.on ? f.turnInteractionsOn(c) : f.turnInteractionsOff(c); });
  return true;
}

bool Courier::take(Lock& lock, Holder&, federation::NamesReserved& m) {
  std::set<std::wstring> names;
  for (const std::string& n : m.names) names.insert(wide(n));
  call(lock, [&](Federate& f) {
    if (m.multiple)
      m.success ? f.multipleObjectInstanceNameReservationSucceeded(names)
                : f.multipleObjectInstanceNameReservationFailed(names);
    else if (!names.empty())
      m.success ? f.objectInstanceNameReservationSucceeded(*names.begin())
                : f.objectInstanceNameReservationFailed(*names.begin());
  });
  return true;
}

bool Courier::take(Lock& lock, Holder& member, federation::Discover& m) {
  if (!member->fom.is_object_class(m.object_class)) return false;
  const std::wstring name = wide(m.name);
  const bool with_producer = conveyed(m.producer);
  member->discover(m.object, m.object_class, std::move(m.name));
  const auto c = handle<ObjectClassHandle>(m.object_class);
  call(lock, [&](Federate& f) {
    if (with_producer)
      f.discoverObjectInstance(handle<ObjectInstanceHandle>(m.object), c, name,
                               handle<FederateHandle>(m.producer));
    else
      f.discoverObjectInstance(handle<ObjectInstanceHandle>(m.object), c, name);
  });
  return true;
}

bool Courier::take(Lock& lock, Holder& member, federation::Scope& m) {
  if (!member->instance(m.object)) return true;
  const AttributeHandleSet all = handles<AttributeHandle>(m.attributes);
  call(lock, [&](Federate& f) {
    m.in ? f.attributesInScope(handle<ObjectInstanceHandle>(m.object), all)
         : f.attributesOutOfScope(handle<ObjectInstanceHandle>(m.object), all);
  });
  return true;
}

bool Courier::take(Lock& lock, Holder& member, federation::Provide& m) {
  if (!member->instance(m.object)) return true;
  call(lock, [&](Federate& f) {
    f.provideAttributeValueUpdate(handle<ObjectInstanceHandle>(m.object),
                                  handles<AttributeHandle>(m.attributes), tag(m.tag));
  });
  return true;
}

bool Courier::take(Lock& lock, Holder& member, federation::UpdatesWanted& m) {
  if (!member->instance(m.object)) return true;
  const AttributeHandleSet all = handles<AttributeHandle>(m.attributes);
  call(lock, [&](Federate& f) {
    if (!m.on)
      f.turnUpdatesOffForObjectInstance(handle<ObjectInstanceHandle>(m.object), all);
    else if (m.rate.empty())
      f.turnUpdatesOnForObjectInstance(handle<ObjectInstanceHandle>(m.object), all);
    else
      f.turnUpdatesOnForObjectInstance(handle<ObjectInstanceHandle>(m.object), all, wide(m.rate));
  });
  return true;
}

bool Courier::take(Lock& lock, Holder& member, federation::AttributeTransportation& m) {
  if (!member->instance(m.object)) return true;
  const TransportationType t = transportation_of(*member, m.transportation);
  call(lock, [&](Federate& f) {
    if (m.confirmed)
      f.confirmAttributeTransportationTypeChange(handle<ObjectInstanceHandle>(m.object),
                                                 handles<AttributeHandle>(m.attributes), t);
    else if (!m.attributes.empty())
      f.reportAttributeTransportationType(handle<ObjectInstanceHandle>(m.object),
                                          handle<AttributeHandle>(m.attributes[0]), t);
  });
  return true;
}

bool Courier::take(Lock& lock, Holder& member, federation::InteractionTransportation& m) {
  const TransportationType t = transportation_of(*member, m.transportation);
  const auto c = handle<InteractionClassHandle>(m.interaction_class);
  call(lock, [&](Federate& f) {
    m.confirmed ? f.confirmInteractionTransportationTypeChange(c, t)
                : f.reportInteractionTransportationType(handle<FederateHandle>(m.federate), c, t);
  });
  return true;
}

}  // namespace vernier::hla
