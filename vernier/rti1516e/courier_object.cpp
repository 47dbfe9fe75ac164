#include <set>

#include "vernier/rti1516e/checks.hpp"
#include "vernier/rti1516e/courier.hpp"

namespace vernier::hla {

using namespace ::rti1516e;

namespace {

/// Only federates are told of as producers, not the RTI.
bool conveyed(Handle producer) noexcept {
  return producer != 0 && producer != federation::rti_owner;
}

/// What comes with a message besides its values; the RTI sends it where the switches say so.
template <class Info, class M>
Info supplement(Member& member, const M& m) {
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

/// `time` and `retraction` are there or not; the standard has an overload for each.
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

bool Courier::deliver_reflect(Lock& lock, Bytes frame, Member& member) {
  federation::Reflect m;
  if (!federation::read(frame, m) || !attributes_.fill(m.values)) return false;
  if (!member.instance(m.object)) return true;
  const LogicalTime* t = m.time ? &time(member.time_class(), *m.time) : nullptr;
  if (t && m.received == federation::Order::time_stamp) member.time.got(*m.time);
  auto info = supplement<SupplementalReflectInfo>(member, m);
  const TransportationType transportation = transportation_of(member, m.transportation);
  call(lock, [&](FederateAmbassador& f) {
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

bool Courier::deliver_receive(Lock& lock, Bytes frame, Member& member) {
  federation::Receive m;
  if (!federation::read(frame, m) || !parameters_.fill(m.values)) return false;
  const LogicalTime* t = m.time ? &time(member.time_class(), *m.time) : nullptr;
  if (t && m.received == federation::Order::time_stamp) member.time.got(*m.time);
  auto info = supplement<SupplementalReceiveInfo>(member, m);
  const TransportationType transportation = transportation_of(member, m.transportation);
  call(lock, [&](FederateAmbassador& f) {
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

bool Courier::deliver_remove(Lock& lock, Bytes frame, std::unique_ptr<Member>& member) {
  federation::Remove m;
  if (!federation::read(frame, m)) return false;
  if (!member->instance(m.object)) return true;
  const LogicalTime* t = m.time ? &time(member->time_class(), *m.time) : nullptr;
  if (t && m.received == federation::Order::time_stamp) member->time.got(*m.time);
  const auto info = supplement<SupplementalRemoveInfo>(*member, m);
  call(lock, [&](FederateAmbassador& f) {
    with_time(
        [&](auto&&... rest) {
          f.removeObjectInstance(handle<ObjectInstanceHandle>(m.object), tag(m.tag),
                                 order_of(m.sent), std::forward<decltype(rest)>(rest)...);
        },
        m, t, info);
  });
  // in its callback the federate still may ask for the name
  if (member) member->forget(m.object);
  return true;
}

bool Courier::deliver_object(Lock& lock, Bytes frame, std::unique_ptr<Member>& holder,
                             federation::Kind kind) {
  using federation::Kind;
  using federation::read;
  Member& member = *holder;
  const auto attributes = [](const Numbers& n) { return handles<AttributeHandle>(n); };
  const auto object = [](const auto& m) { return handle<ObjectInstanceHandle>(m.object); };
  switch (kind) {
    case Kind::registration_wanted: {
      federation::RegistrationWanted m;
      if (!read(frame, m)) return false;
      const auto c = handle<ObjectClassHandle>(m.object_class);
      call(lock, [&](FederateAmbassador& f) {
        m.on ? f.startRegistrationForObjectClass(c) : f.stopRegistrationForObjectClass(c);
      });
      return true;
    }
    case Kind::interactions_wanted: {
      federation::InteractionsWanted m;
      if (!read(frame, m)) return false;
      const auto c = handle<InteractionClassHandle>(m.interaction_class);
      call(lock, [&](FederateAmbassador& f) {
        m.on ? f.turnInteractionsOn(c) : f.turnInteractionsOff(c);
      });
      return true;
    }
    case Kind::names_reserved: {
      federation::NamesReserved m;
      if (!read(frame, m)) return false;
      std::set<std::wstring> names;
      for (const std::string& n : m.names) names.insert(wide(n));
      call(lock, [&](FederateAmbassador& f) {
        if (m.multiple)
          m.success ? f.multipleObjectInstanceNameReservationSucceeded(names)
                    : f.multipleObjectInstanceNameReservationFailed(names);
        else if (!names.empty())
          m.success ? f.objectInstanceNameReservationSucceeded(*names.begin())
                    : f.objectInstanceNameReservationFailed(*names.begin());
      });
      return true;
    }
    case Kind::discover: {
      federation::Discover m;
      if (!read(frame, m) || !member.fom.is_object_class(m.object_class)) return false;
      const std::wstring name = wide(m.name);
      const bool with_producer = conveyed(m.producer);
      member.discover(m.object, m.object_class, std::move(m.name));
      const auto c = handle<ObjectClassHandle>(m.object_class);
      call(lock, [&](FederateAmbassador& f) {
        if (with_producer)
          f.discoverObjectInstance(object(m), c, name, handle<FederateHandle>(m.producer));
        else
          f.discoverObjectInstance(object(m), c, name);
      });
      return true;
    }
    case Kind::remove:
      return deliver_remove(lock, frame, holder);
    case Kind::scope: {
      federation::Scope m;
      if (!read(frame, m)) return false;
      if (!member.instance(m.object)) return true;
      const AttributeHandleSet all = attributes(m.attributes);
      call(lock, [&](FederateAmbassador& f) {
        m.in ? f.attributesInScope(object(m), all) : f.attributesOutOfScope(object(m), all);
      });
      return true;
    }
    case Kind::provide: {
      federation::Provide m;
      if (!read(frame, m)) return false;
      if (!member.instance(m.object)) return true;
      call(lock, [&](FederateAmbassador& f) {
        f.provideAttributeValueUpdate(object(m), attributes(m.attributes), tag(m.tag));
      });
      return true;
    }
    case Kind::updates_wanted: {
      federation::UpdatesWanted m;
      if (!read(frame, m)) return false;
      if (!member.instance(m.object)) return true;
      const AttributeHandleSet all = attributes(m.attributes);
      call(lock, [&](FederateAmbassador& f) {
        if (!m.on)
          f.turnUpdatesOffForObjectInstance(object(m), all);
        else if (m.rate.empty())
          f.turnUpdatesOnForObjectInstance(object(m), all);
        else
          f.turnUpdatesOnForObjectInstance(object(m), all, wide(m.rate));
      });
      return true;
    }
    case Kind::attribute_transportation: {
      federation::AttributeTransportation m;
      if (!read(frame, m)) return false;
      if (!member.instance(m.object)) return true;
      const TransportationType t = transportation_of(member, m.transportation);
      call(lock, [&](FederateAmbassador& f) {
        if (m.confirmed)
          f.confirmAttributeTransportationTypeChange(object(m), attributes(m.attributes), t);
        else if (!m.attributes.empty())
          f.reportAttributeTransportationType(object(m), handle<AttributeHandle>(m.attributes[0]),
                                              t);
      });
      return true;
    }
    case Kind::interaction_transportation: {
      federation::InteractionTransportation m;
      if (!read(frame, m)) return false;
      const TransportationType t = transportation_of(member, m.transportation);
      const auto c = handle<InteractionClassHandle>(m.interaction_class);
      call(lock, [&](FederateAmbassador& f) {
        m.confirmed
            ? f.confirmInteractionTransportationTypeChange(c, t)
            : f.reportInteractionTransportationType(handle<FederateHandle>(m.federate), c, t);
      });
      return true;
    }
    default:
      return false;
  }
}

}  // namespace vernier::hla
