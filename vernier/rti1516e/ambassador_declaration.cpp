// Declaration management: IEEE 1516.1-2010, section 5; with regions 9.8 to 9.11.
#include "vernier/rti1516e/ambassador.hpp"
#include "vernier/rti1516e/checks.hpp"
#include "vernier/rti1516e/raise.hpp"
#include "vernier/rti1516e/text.hpp"

namespace vernier::hla {
namespace {

/// Throws InvalidUpdateRateDesignator unless the name is known, or empty for no rate.
std::string known_rate(const JoinedFederate& m, const std::wstring& designator) {
  std::string rate = narrow(designator);
  if (!rate.empty() && !m.fom.rate(rate))
    raise(wire::Failure::InvalidUpdateRateDesignator, "there is no update rate '" + rate + "'");
  return rate;
}

}  // namespace

void VernierAmbassador::publishObjectClassAttributes(ObjectClassHandle object_class,
                                                     const AttributeHandleSet& attributes) {
  Service lock(*this, __func__, {object_class, attributes});
  JoinedFederate& m = active();
  const Handle c = defined(m, object_class);
  const Numbers n = defined(m, c, attributes);
  ask_as(lock, m, wire::PublishAttributes{c, n});
}

void VernierAmbassador::unpublishObjectClass(ObjectClassHandle object_class) {
  Service lock(*this, __func__, {object_class});
  JoinedFederate& m = active();
  const Handle c = defined(m, object_class);
  ask_as(lock, m, wire::UnpublishAttributes{c, {}});
}

void VernierAmbassador::unpublishObjectClassAttributes(ObjectClassHandle object_class,
                                                       const AttributeHandleSet& attributes) {
  Service lock(*this, __func__, {object_class, attributes});
  JoinedFederate& m = active();
  const Handle c = defined(m, object_class);
  const Numbers n = defined(m, c, attributes);
  ask_as(lock, m, wire::UnpublishAttributes{c, n});
}

void VernierAmbassador::publishInteractionClass(InteractionClassHandle interaction) {
  Service lock(*this, __func__, {interaction});
  JoinedFederate& m = active();
  const Handle c = defined(m, interaction);
  ask_as(lock, m, wire::PublishInteraction{c});
}

void VernierAmbassador::unpublishInteractionClass(InteractionClassHandle interaction) {
  Service lock(*this, __func__, {interaction});
  JoinedFederate& m = active();
  const Handle c = defined(m, interaction);
  ask_as(lock, m, wire::UnpublishInteraction{c});
}

void VernierAmbassador::subscribeObjectClassAttributes(ObjectClassHandle object_class,
                                                       const AttributeHandleSet& attributes,
                                                       bool actively,
                                                       const std::wstring& designator) {
  Service lock(*this, __func__, {object_class, attributes, actively, designator});
  JoinedFederate& m = active();
  const Handle c = defined(m, object_class);
  auto parts = parts_of(m, c, attributes);
  ask(lock,
      wire::SubscribeAttributes{c, std::move(parts), actively, known_rate(m, designator), false});
}

void VernierAmbassador::unsubscribeObjectClass(ObjectClassHandle object_class) {
  Service lock(*this, __func__, {object_class});
  JoinedFederate& m = active();
  ask(lock, wire::UnsubscribeAttributes{defined(m, object_class), {}, false});
}

void VernierAmbassador::unsubscribeObjectClassAttributes(ObjectClassHandle object_class,
                                                         const AttributeHandleSet& attributes) {
  Service lock(*this, __func__, {object_class, attributes});
  JoinedFederate& m = active();
  const Handle c = defined(m, object_class);
  ask(lock, wire::UnsubscribeAttributes{c, parts_of(m, c, attributes), false});
}

void VernierAmbassador::subscribeInteractionClass(InteractionClassHandle interaction,
                                                  bool actively) {
  Service lock(*this, __func__, {interaction, actively});
  JoinedFederate& m = active();
  ask(lock, wire::SubscribeInteraction{defined(m, interaction), actively, {}});
}

void VernierAmbassador::unsubscribeInteractionClass(InteractionClassHandle interaction) {
  Service lock(*this, __func__, {interaction});
  JoinedFederate& m = active();
  ask(lock, wire::UnsubscribeInteraction{defined(m, interaction), {}});
}

// ---- with regions (9.8 to 9.11)

void VernierAmbassador::subscribeObjectClassAttributesWithRegions(
    ObjectClassHandle object_class, const AttributeHandleSetRegionHandleSetPairVector& pairs,
    bool actively, const std::wstring& designator) {
  Service lock(*this, __func__, {object_class, pairs, actively, designator});
  JoinedFederate& m = active();
  const Handle c = defined(m, object_class);
  auto parts = parts_of(m, c, pairs);
  ask(lock,
      wire::SubscribeAttributes{c, std::move(parts), actively, known_rate(m, designator), true});
}

void VernierAmbassador::unsubscribeObjectClassAttributesWithRegions(
    ObjectClassHandle object_class, const AttributeHandleSetRegionHandleSetPairVector& pairs) {
  Service lock(*this, __func__, {object_class, pairs});
  JoinedFederate& m = active();
  const Handle c = defined(m, object_class);
  ask(lock, wire::UnsubscribeAttributes{c, parts_of(m, c, pairs, false), true});
}

void VernierAmbassador::subscribeInteractionClassWithRegions(InteractionClassHandle interaction,
                                                             const RegionHandleSet& regions,
                                                             bool actively) {
  Service lock(*this, __func__, {interaction, regions, actively});
  JoinedFederate& m = active();
  const Handle c = defined(m, interaction);
  ask(lock, wire::SubscribeInteraction{
                c, actively, regions_within(m, regions, m.fom.interaction_class(c).dimensions)});
}

void VernierAmbassador::unsubscribeInteractionClassWithRegions(InteractionClassHandle interaction,
                                                               const RegionHandleSet& regions) {
  Service lock(*this, __func__, {interaction, regions});
  JoinedFederate& m = active();
  const Handle c = defined(m, interaction);
  for (const RegionHandle& r : regions) own_region(m, r);
  ask(lock, wire::UnsubscribeInteraction{c, numbers(regions)});
}

}  // namespace vernier::hla
