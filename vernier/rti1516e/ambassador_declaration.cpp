#include "vernier/rti1516e/ambassador.hpp"
#include "vernier/rti1516e/checks.hpp"
#include "vernier/rti1516e/raise.hpp"
#include "vernier/rti1516e/text.hpp"

namespace vernier::hla {
namespace {

/// InvalidUpdateRateDesignator, unless it is empty: no rate.
std::string known_rate(const Member& m, const std::wstring& designator) {
  std::string rate = narrow(designator);
  if (!rate.empty() && !m.fom.rate(rate))
    raise(wire::Failure::InvalidUpdateRateDesignator, "there is no update rate '" + rate + "'");
  return rate;
}

}  // namespace

void VernierAmbassador::publishObjectClassAttributes(ObjectClassHandle object_class,
                                                     const AttributeHandleSet& attributes) {
  Lock lock(mutex_);
  Member& m = active();
  const Handle c = defined(m, object_class);
  const Numbers n = defined(m, c, attributes);
  ask(lock, wire::PublishAttributes{c, n}, [&] { m.publish(c, n); });
}

void VernierAmbassador::unpublishObjectClass(ObjectClassHandle object_class) {
  Lock lock(mutex_);
  Member& m = active();
  const Handle c = defined(m, object_class);
  ask(lock, wire::UnpublishAttributes{c, {}}, [&] { m.unpublish(c, {}); });
}

void VernierAmbassador::unpublishObjectClassAttributes(ObjectClassHandle object_class,
                                                       const AttributeHandleSet& attributes) {
  Lock lock(mutex_);
  Member& m = active();
  const Handle c = defined(m, object_class);
  const Numbers n = defined(m, c, attributes);
  ask(lock, wire::UnpublishAttributes{c, n}, [&] { m.unpublish(c, n); });
}

void VernierAmbassador::publishInteractionClass(InteractionClassHandle interaction) {
  Lock lock(mutex_);
  Member& m = active();
  const Handle c = defined(m, interaction);
  ask(lock, wire::PublishInteraction{c}, [&] {
    m.published_interactions.emplace(c,
                                     m.fom.interaction_class(c).order == wire::Order::time_stamp);
  });
}

void VernierAmbassador::unpublishInteractionClass(InteractionClassHandle interaction) {
  Lock lock(mutex_);
  Member& m = active();
  const Handle c = defined(m, interaction);
  ask(lock, wire::UnpublishInteraction{c}, [&] { m.published_interactions.erase(c); });
}

void VernierAmbassador::subscribeObjectClassAttributes(ObjectClassHandle object_class,
                                                       const AttributeHandleSet& attributes,
                                                       bool actively,
                                                       const std::wstring& designator) {
  Lock lock(mutex_);
  Member& m = active();
  const Handle c = defined(m, object_class);
  auto parts = parts_of(m, c, attributes);
  ask(lock,
      wire::SubscribeAttributes{c, std::move(parts), actively, known_rate(m, designator), false});
}

void VernierAmbassador::unsubscribeObjectClass(ObjectClassHandle object_class) {
  Lock lock(mutex_);
  Member& m = active();
  ask(lock, wire::UnsubscribeAttributes{defined(m, object_class), {}, false});
}

void VernierAmbassador::unsubscribeObjectClassAttributes(ObjectClassHandle object_class,
                                                         const AttributeHandleSet& attributes) {
  Lock lock(mutex_);
  Member& m = active();
  const Handle c = defined(m, object_class);
  ask(lock, wire::UnsubscribeAttributes{c, parts_of(m, c, attributes), false});
}

void VernierAmbassador::subscribeInteractionClass(InteractionClassHandle interaction,
                                                  bool actively) {
  Lock lock(mutex_);
  Member& m = active();
  ask(lock, wire::SubscribeInteraction{defined(m, interaction), actively, {}});
}

void VernierAmbassador::unsubscribeInteractionClass(InteractionClassHandle interaction) {
  Lock lock(mutex_);
  Member& m = active();
  ask(lock, wire::UnsubscribeInteraction{defined(m, interaction), {}});
}

// ---- with regions

void VernierAmbassador::subscribeObjectClassAttributesWithRegions(
    ObjectClassHandle object_class, const AttributeHandleSetRegionHandleSetPairVector& pairs,
    bool actively, const std::wstring& designator) {
  Lock lock(mutex_);
  Member& m = active();
  const Handle c = defined(m, object_class);
  auto parts = parts_of(m, c, pairs);
  ask(lock,
      wire::SubscribeAttributes{c, std::move(parts), actively, known_rate(m, designator), true});
}

void VernierAmbassador::unsubscribeObjectClassAttributesWithRegions(
    ObjectClassHandle object_class, const AttributeHandleSetRegionHandleSetPairVector& pairs) {
  Lock lock(mutex_);
  Member& m = active();
  const Handle c = defined(m, object_class);
  ask(lock, wire::UnsubscribeAttributes{c, parts_of(m, c, pairs, false), true});
}

void VernierAmbassador::subscribeInteractionClassWithRegions(InteractionClassHandle interaction,
                                                             const RegionHandleSet& regions,
                                                             bool actively) {
  Lock lock(mutex_);
  Member& m = active();
  const Handle c = defined(m, interaction);
  ask(lock, wire::SubscribeInteraction{
                c, actively, regions_within(m, regions, m.fom.interaction_class(c).dimensions)});
}

void VernierAmbassador::unsubscribeInteractionClassWithRegions(InteractionClassHandle interaction,
                                                               const RegionHandleSet& regions) {
  Lock lock(mutex_);
  Member& m = active();
  const Handle c = defined(m, interaction);
  for (const RegionHandle& r : regions) own_region(m, r);
  ask(lock, wire::UnsubscribeInteraction{c, numbers(regions)});
}

}  // namespace vernier::hla
