// Object management: IEEE 1516.1-2010, section 6.
#include <algorithm>
#include <cstring>

#include "vernier/rti1516e/ambassador.hpp"
#include "vernier/rti1516e/checks.hpp"
#include "vernier/rti1516e/raise.hpp"
#include "vernier/rti1516e/text.hpp"

namespace vernier::hla {
namespace {

using wire::Failure;

std::string legal_name(const std::wstring& name) {
  std::string n = narrow(name);
  if (n.empty() || n.starts_with("HLA"))
    raise(Failure::IllegalName, "'" + n +
                                    "' is no name for an object instance: names must not "
                                    "be empty nor begin with HLA");
  return n;
}

template <class Map>
Numbers keys(const Map& values) {
  Numbers n;
  for (const auto& [h, v] : values) n.push_back(number(h));
  return n;
}

/// Throws AttributeNotDefined, AttributeNotOwned. True when one of them is sent in time stamp
/// order.
bool require_owned(const JoinedFederate& m, const Instance& i,
                   const AttributeHandleValueMap& values) {
  bool stamped = false;
  auto o = i.owned.begin();
  for (const auto& [h, v] : values) {
    const Handle a = number(h);
    while (o != i.owned.end() && o->attribute < a) ++o;
    if (o == i.owned.end() || o->attribute != a) {
      for (const auto& [each, unused] : values) defined(m, i.object_class, each);
      hla::require_owned(m, i, keys(values));
    }
    stamped = stamped || o->time_stamped;
  }
  return stamped;
}

/// The time of a message. If it is sent in time stamp order, it must not lie below the bound that
/// the federate has promised (InvalidLogicalTime), and it gets a number by which it can be
/// retracted (8.21).
struct When {
  std::optional<Stamp> stamp;
  std::uint32_t retraction = 0;

  MessageRetractionHandle handle(Handle federate) const {
    return retraction ? hla::retraction(federate, retraction) : MessageRetractionHandle();
  }
};
When when(JoinedFederate& m, const LogicalTime* time, bool stamped) {
  When w;
  if (!time) return w;
  w.stamp = stamp_of(m, *time);
  if (!stamped || !m.time.regulating) return w;
  if (*w.stamp < m.time.bound())
    raise(Failure::InvalidLogicalTime,
          "time " + narrow(time->toString()) + " lies before the federate's time plus lookahead");
  if (++m.retraction == 0) ++m.retraction;
  w.retraction = m.retraction;
  return w;
}

/// Writes the format of wire::Values directly from the caller's map, without a copy.
template <class Map>
void write_values(wire::Writer& w, const Map& values) {
  std::size_t size = 0;
  for (const auto& [h, v] : values) size += 2 * sizeof(std::uint32_t) + v.size();
  if (size > wire::longest_frame / 2)
    raise(Failure::RTIinternalError, "the values are larger than 32 MB together");
  w(static_cast<std::uint32_t>(values.size()), static_cast<std::uint32_t>(size));
  for (const auto& [h, v] : values) w(number(h), bytes(v));
}

void finish(std::vector<std::byte>& frame, Kind kind) {
  wire::set_header(frame, {static_cast<std::uint32_t>(frame.size()), kind, 0, 0});
}

}  // namespace

// ---- names (6.2 to 6.7)

void VernierAmbassador::reserveObjectInstanceName(const std::wstring& name) {
  Service lock(*this, __func__, {name});
  active();
  ask(lock, wire::ReserveNames{{legal_name(name)}, false});
}

void VernierAmbassador::releaseObjectInstanceName(const std::wstring& name) {
  Service lock(*this, __func__, {name});
  active();
  ask(lock, wire::ReleaseNames{{narrow(name)}, false});
}

void VernierAmbassador::reserveMultipleObjectInstanceName(const std::set<std::wstring>& names) {
  Service lock(*this, __func__, {names});
  active();
  if (names.empty()) raise(Failure::NameSetWasEmpty, "there is no name to reserve");
  wire::ReserveNames m{.names = {}, .multiple = true};
  for (const std::wstring& n : names) m.names.push_back(legal_name(n));
  ask(lock, m);
}

void VernierAmbassador::releaseMultipleObjectInstanceName(const std::set<std::wstring>& names) {
  Service lock(*this, __func__, {names});
  active();
  wire::ReleaseNames m{.names = {}, .multiple = true};
  for (const std::wstring& n : names) m.names.push_back(narrow(n));
  ask(lock, m);
}

// ---- instances (6.8, 6.14, 6.16)

ObjectInstanceHandle VernierAmbassador::register_object(
    const char* service, ObjectClassHandle object_class, const std::wstring* name,
    const AttributeHandleSetRegionHandleSetPairVector* pairs) {
  Service lock(*this, service, {object_class, name, pairs});
  JoinedFederate& m = active();
  const Handle c = defined(m, object_class);
  wire::RegisterObject wish{.object_class = c};
  if (pairs)
    for (const auto& [attributes, regions] : *pairs) defined(m, c, attributes);
  if (!m.publishes(c))
    raise(Failure::ObjectClassNotPublished,
          "the federate does not publish " + m.fom.object_class(c).path);
  if (pairs) {
    for (const auto& [attributes, regions] : *pairs)
      for (const AttributeHandle& a : attributes)
        if (!m.publishes(c, number(a)))
          raise(Failure::AttributeNotPublished, "the federate does not publish attribute '" +
                                                    m.fom.attribute(number(a)).name + "'");
    wish.parts = parts_of(m, c, *pairs);
    wish.with_regions = true;
  }
  if (name) wish.name = narrow(*name);
  const auto made = ask_for<wire::Registered>(lock, wish, [&](wire::Registered& r) {
    m.registered(r.object, c, r.name);
    return true;
  });
  return handle<ObjectInstanceHandle>(made.object);
}

ObjectInstanceHandle VernierAmbassador::registerObjectInstance(ObjectClassHandle object_class) {
  return register_object(__func__, object_class, nullptr, nullptr);
}

ObjectInstanceHandle VernierAmbassador::registerObjectInstance(ObjectClassHandle object_class,
                                                               const std::wstring& name) {
  return register_object(__func__, object_class, &name, nullptr);
}

ObjectInstanceHandle VernierAmbassador::registerObjectInstanceWithRegions(
    ObjectClassHandle object_class, const AttributeHandleSetRegionHandleSetPairVector& pairs) {
  return register_object(__func__, object_class, nullptr, &pairs);
}

ObjectInstanceHandle VernierAmbassador::registerObjectInstanceWithRegions(
    ObjectClassHandle object_class, const AttributeHandleSetRegionHandleSetPairVector& pairs,
    const std::wstring& name) {
  return register_object(__func__, object_class, &name, &pairs);
}

MessageRetractionHandle VernierAmbassador::remove(ObjectInstanceHandle object,
                                                  const VariableLengthData& tag,
                                                  const LogicalTime* time) {
  Service lock(*this, "deleteObjectInstance", {object, tag, time});
  JoinedFederate& m = active();
  const Instance& i = known(m, object);
  const Owned* privilege = i.owns(m.fom.privilege());
  if (!privilege)
    raise(Failure::DeletePrivilegeNotHeld,
          "the federate does not own the privilege to delete '" + i.name + "'");
  const When w = when(m, time, privilege->time_stamped);
  const MessageRetractionHandle message = w.handle(m.federate);
  const Handle o = number(object);
  ask_as(lock, m, wire::DeleteObject{o, blob(tag), w.stamp, w.retraction});
  return message;
}

void VernierAmbassador::deleteObjectInstance(ObjectInstanceHandle object,
                                             const VariableLengthData& tag) {
  remove(object, tag, nullptr);
}

MessageRetractionHandle VernierAmbassador::deleteObjectInstance(ObjectInstanceHandle object,
                                                                const VariableLengthData& tag,
                                                                const LogicalTime& time) {
  return remove(object, tag, &time);
}

void VernierAmbassador::localDeleteObjectInstance(ObjectInstanceHandle object) {
  Service lock(*this, __func__, {object});
  JoinedFederate& m = active();
  const Instance& i = known(m, object);
  if (!i.owned.empty())
    raise(Failure::FederateOwnsAttributes, "the federate owns attributes of '" + i.name + "'");
  ask_as(lock, m, wire::LocalDelete{number(object)});
}

// ---- values (6.10, 6.12, 6.19)

MessageRetractionHandle VernierAmbassador::update(ObjectInstanceHandle object,
                                                  const AttributeHandleValueMap& values,
                                                  const VariableLengthData& tag,
                                                  const LogicalTime* time) {
  Service lock(*this, "updateAttributeValues", {object, values, tag, time});
  JoinedFederate& m = active();
  const bool stamped = require_owned(m, known(m, object), values);
  const When w = when(m, time, stamped);
  std::vector<std::byte>& frame = link_.empty_frame();
  frame.resize(sizeof(wire::Header));
  wire::Writer write(frame);
  write(number(object));
  write_values(write, values);
  write(bytes(tag), w.stamp, w.retraction);
  finish(frame, Kind::update_attributes);
  lock.asked();
  link_.post(model_ == HLA_IMMEDIATE);
  return w.handle(m.federate);
}

void VernierAmbassador::updateAttributeValues(ObjectInstanceHandle object,
                                              const AttributeHandleValueMap& values,
                                              const VariableLengthData& tag) {
  update(object, values, tag, nullptr);
}

MessageRetractionHandle VernierAmbassador::updateAttributeValues(
    ObjectInstanceHandle object, const AttributeHandleValueMap& values,
    const VariableLengthData& tag, const LogicalTime& time) {
  return update(object, values, tag, &time);
}

MessageRetractionHandle VernierAmbassador::send(
    const char* service, InteractionClassHandle interaction, const ParameterHandleValueMap& values,
    const RegionHandleSet* regions, const VariableLengthData& tag, const LogicalTime* time) {
  Service lock(*this, service, {interaction, values, regions, tag, time});
  JoinedFederate& m = member();
  if (!m.fom.is_for_any_time(number(interaction))) active();
  const Handle c = defined(m, interaction);
  for (const auto& [h, v] : values)
    if (!m.fom.has_parameter(c, number(h)))
      raise(Failure::InteractionParameterNotDefined,
            "a handle is of no parameter of " + m.fom.interaction_class(c).path);
  const auto published = m.published_interactions.find(c);
  if (published == m.published_interactions.end())
    raise(Failure::InteractionClassNotPublished,
          "the federate does not publish " + m.fom.interaction_class(c).path);
  std::optional<Numbers> in;
  if (regions) in = regions_within(m, *regions, m.fom.interaction_class(c).dimensions);
  const When w = when(m, time, published->second);
  std::vector<std::byte>& frame = link_.empty_frame();
  frame.resize(sizeof(wire::Header));
  wire::Writer write(frame);
  write(c);
  write_values(write, values);
  write(bytes(tag), w.stamp, w.retraction, in);
  finish(frame, Kind::send_interaction);
  lock.asked();
  link_.post(model_ == HLA_IMMEDIATE);
  return w.handle(m.federate);
}

void VernierAmbassador::sendInteraction(InteractionClassHandle interaction,
                                        const ParameterHandleValueMap& values,
                                        const VariableLengthData& tag) {
  send(__func__, interaction, values, nullptr, tag, nullptr);
}

MessageRetractionHandle VernierAmbassador::sendInteraction(InteractionClassHandle interaction,
                                                           const ParameterHandleValueMap& values,
                                                           const VariableLengthData& tag,
                                                           const LogicalTime& time) {
  return send(__func__, interaction, values, nullptr, tag, &time);
}

void VernierAmbassador::sendInteractionWithRegions(InteractionClassHandle interaction,
                                                   const ParameterHandleValueMap& values,
                                                   const RegionHandleSet& regions,
                                                   const VariableLengthData& tag) {
  send(__func__, interaction, values, &regions, tag, nullptr);
}

MessageRetractionHandle VernierAmbassador::sendInteractionWithRegions(
    InteractionClassHandle interaction, const ParameterHandleValueMap& values,
    const RegionHandleSet& regions, const VariableLengthData& tag, const LogicalTime& time) {
  return send(__func__, interaction, values, &regions, tag, &time);
}

void VernierAmbassador::requestAttributeValueUpdate(ObjectInstanceHandle object,
                                                    const AttributeHandleSet& attributes,
                                                    const VariableLengthData& tag) {
  Service lock(*this, __func__, {object, attributes, tag});
  JoinedFederate& m = active();
  Numbers n = defined(m, known(m, object).object_class, attributes);
  ask(lock, wire::RequestUpdate{number(object), std::move(n), blob(tag)});
}

void VernierAmbassador::requestAttributeValueUpdate(ObjectClassHandle object_class,
                                                    const AttributeHandleSet& attributes,
                                                    const VariableLengthData& tag) {
  Service lock(*this, __func__, {object_class, attributes, tag});
  JoinedFederate& m = active();
  const Handle c = defined(m, object_class);
  ask(lock, wire::RequestClassUpdate{c, parts_of(m, c, attributes), false, blob(tag)});
}

void VernierAmbassador::requestAttributeValueUpdateWithRegions(
    ObjectClassHandle object_class, const AttributeHandleSetRegionHandleSetPairVector& pairs,
    const VariableLengthData& tag) {
  Service lock(*this, __func__, {object_class, pairs, tag});
  JoinedFederate& m = active();
  const Handle c = defined(m, object_class);
  ask(lock, wire::RequestClassUpdate{c, parts_of(m, c, pairs), true, blob(tag)});
}

// ---- transportation (6.23 to 6.30)

void VernierAmbassador::requestAttributeTransportationTypeChange(
    ObjectInstanceHandle object, const AttributeHandleSet& attributes, TransportationType type) {
  Service lock(*this, __func__, {object, attributes, type});
  JoinedFederate& m = active();
  const Handle t = transportation_of(m, type);
  Numbers n = owned(m, known(m, object), attributes);
  ask(lock, wire::ChangeAttributeTransportation{number(object), std::move(n), t});
}

void VernierAmbassador::queryAttributeTransportationType(ObjectInstanceHandle object,
                                                         AttributeHandle attribute) {
  Service lock(*this, __func__, {object, attribute});
  JoinedFederate& m = active();
  const Handle a = defined(m, known(m, object).object_class, attribute);
  ask(lock, wire::QueryAttributeTransportation{number(object), a});
}

void VernierAmbassador::requestInteractionTransportationTypeChange(
    InteractionClassHandle interaction, TransportationType type) {
  Service lock(*this, __func__, {interaction, type});
  JoinedFederate& m = active();
  const Handle t = transportation_of(m, type);
  const Handle c = defined(m, interaction);
  if (!m.published_interactions.contains(c))
    raise(Failure::InteractionClassNotPublished,
          "the federate does not publish " + m.fom.interaction_class(c).path);
  ask(lock, wire::ChangeInteractionTransportation{c, t});
}

void VernierAmbassador::queryInteractionTransportationType(FederateHandle federate,
                                                           InteractionClassHandle interaction) {
  Service lock(*this, __func__, {federate, interaction});
  JoinedFederate& m = active();
  ask(lock, wire::QueryInteractionTransportation{number(federate), defined(m, interaction)});
}

}  // namespace vernier::hla
