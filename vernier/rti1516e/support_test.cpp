#include <gtest/gtest.h>

#include <thread>

#include "vernier/rti1516e/fake_rti_test.hpp"
#include "vernier/rti1516e/text.hpp"

namespace vernier::hla {
namespace {

class Support : public ::testing::Test {
 protected:
  NullFederateAmbassador federate;
  Rig r{federate};
  RTIambassador& a = r.ambassador;
  const DimensionHandle d = handle<DimensionHandle>(dimension_d);
  const DimensionHandle e = handle<DimensionHandle>(dimension_e);
};

TEST_F(Support, FindsClassesAttributesAndParametersByName) {
  const auto class_of_a = a.getObjectClassHandle(L"HLAobjectRoot.A");
  EXPECT_EQ(a.getObjectClassHandle(L"A"), class_of_a);
  EXPECT_THROW(a.getObjectClassHandle(L"B"), NameNotFound);
  const auto class_of_b = a.getObjectClassHandle(L"A.B");
  EXPECT_EQ(a.getObjectClassName(class_of_b), L"HLAobjectRoot.A.B");
  EXPECT_THROW(a.getObjectClassName({}), InvalidObjectClassHandle);
  const auto x = a.getAttributeHandle(class_of_a, L"x");
  EXPECT_EQ(a.getAttributeHandle(class_of_b, L"x"), x);  // inherited
  const auto class_of_c = a.getObjectClassHandle(L"C");
  const auto other_x = a.getAttributeHandle(class_of_c, L"x");
  EXPECT_NE(other_x, x);
  EXPECT_EQ(a.getAttributeName(class_of_b, x), L"x");
  EXPECT_THROW(a.getAttributeHandle({}, L"x"), InvalidObjectClassHandle);
  EXPECT_THROW(a.getAttributeHandle(class_of_a, L"z"), NameNotFound);
  EXPECT_THROW(a.getAttributeHandle(class_of_a, L"nothing"), NameNotFound);
  EXPECT_THROW(a.getAttributeName({}, x), InvalidObjectClassHandle);
  EXPECT_THROW(a.getAttributeName(class_of_a, {}), InvalidAttributeHandle);
  EXPECT_THROW(a.getAttributeName(class_of_a, other_x), AttributeNotDefined);

  const auto i = a.getInteractionClassHandle(L"I");
  const auto j = a.getInteractionClassHandle(L"HLAinteractionRoot.I.J");
  EXPECT_THROW(a.getInteractionClassHandle(L"J"), NameNotFound);
  EXPECT_EQ(a.getInteractionClassName(j), L"HLAinteractionRoot.I.J");
  EXPECT_THROW(a.getInteractionClassName({}), InvalidInteractionClassHandle);
  const auto q = a.getParameterHandle(j, L"q");
  EXPECT_EQ(a.getParameterName(j, q), L"q");
  EXPECT_THROW(a.getParameterHandle(i, L"q"), NameNotFound);
  EXPECT_THROW(a.getParameterHandle({}, L"q"), InvalidInteractionClassHandle);
  EXPECT_THROW(a.getParameterName({}, q), InvalidInteractionClassHandle);
  EXPECT_THROW(a.getParameterName(i, {}), InvalidParameterHandle);
  EXPECT_THROW(a.getParameterName(i, q), InteractionParameterNotDefined);
}

TEST_F(Support, TablesGrowWhenSomebodyJoinsWithMore) {
  EXPECT_THROW(a.getObjectClassHandle(L"New"), NameNotFound);
  FomTables t = some_fom();
  t.object_classes.push_back({"HLAobjectRoot.New", 1, {1}, {}, 0, {}});
  r.rti.say(wire::Tables{encoded(t)});
  r.evoke_all();
  EXPECT_EQ(a.getObjectClassHandle(L"New"), handle<ObjectClassHandle>(5));
}

TEST_F(Support, KnowsOrdersTransportationsAndRates) {
  EXPECT_EQ(a.getOrderType(L"Receive"), RECEIVE);
  EXPECT_EQ(a.getOrderType(a.getOrderName(TIMESTAMP)), TIMESTAMP);
  EXPECT_THROW(a.getOrderType(L"receive"), InvalidOrderName);
  EXPECT_THROW(a.getOrderName(static_cast<OrderType>(3)), InvalidOrderType);
  EXPECT_EQ(a.getTransportationType(L"HLAbestEffort"), BEST_EFFORT);
  EXPECT_EQ(a.getTransportationName(RELIABLE), L"HLAreliable");
  EXPECT_THROW(a.getTransportationType(L"pigeon"), InvalidTransportationName);
  EXPECT_THROW(a.getTransportationName(static_cast<TransportationType>(3)),
               InvalidTransportationType);
  EXPECT_EQ(a.getUpdateRateValue(L"slow"), 2.5);
  EXPECT_THROW(a.getUpdateRateValue(L"fast"), InvalidUpdateRateDesignator);
  const auto ship = r.object();
  EXPECT_EQ(a.getUpdateRateValueForAttribute(ship, handle<AttributeHandle>(attribute_x)), 12.5);
  EXPECT_THROW(a.getUpdateRateValueForAttribute(ship, {}), AttributeNotDefined);
  EXPECT_THROW(a.getUpdateRateValueForAttribute({}, {}), ObjectInstanceNotKnown);
}

TEST_F(Support, KnowsItselfAndAsksForOthers) {
  EXPECT_EQ(a.getFederateHandle(L"me"), handle<FederateHandle>(7));
  EXPECT_EQ(a.getFederateName(handle<FederateHandle>(7)), L"me");
  EXPECT_TRUE(r.rti.heard<wire::FindFederate>().empty());
  EXPECT_EQ(a.getFederateHandle(L"other"), handle<FederateHandle>(9));
  EXPECT_EQ(a.getFederateName(handle<FederateHandle>(9)), L"other");
  EXPECT_THROW(a.getFederateName({}), InvalidFederateHandle);
  EXPECT_EQ(a.normalizeFederateHandle(handle<FederateHandle>(7)), 7u);
  EXPECT_THROW(a.normalizeFederateHandle({}), InvalidFederateHandle);
  EXPECT_EQ(a.normalizeServiceGroup(SUPPORT_SERVICES), 6u);
  EXPECT_THROW(a.normalizeServiceGroup(static_cast<ServiceGroup>(7)), InvalidServiceGroup);
  EXPECT_EQ(a.getAutomaticResignDirective(), CANCEL_THEN_DELETE_THEN_DIVEST);
  a.setAutomaticResignDirective(DELETE_OBJECTS);
  EXPECT_EQ(a.getAutomaticResignDirective(), DELETE_OBJECTS);
  EXPECT_THROW(a.setAutomaticResignDirective(static_cast<ResignAction>(7)), InvalidResignAction);
  EXPECT_EQ(a.getTimeFactory()->getName(), L"HLAinteger64Time");
  EXPECT_EQ(a.decodeFederateHandle(handle<FederateHandle>(7).encode()), handle<FederateHandle>(7));
  EXPECT_EQ(a.decodeRegionHandle(handle<RegionHandle>(3).encode()), handle<RegionHandle>(3));
  EXPECT_THROW(a.decodeAttributeHandle({}), CouldNotDecode);
}

TEST_F(Support, SwitchesAreOnOrOff){
#define CHECK(name)                                                                   \
  {                                                                                   \
    const auto on = [&] { a.enable##name##Switch(); };                                \
    const auto off = [&] { a.disable##name##Switch(); };                              \
    EXPECT_TRUE(throws<name##SwitchIsOff>(off)) << #name;                             \
    on();                                                                             \
    EXPECT_TRUE(r.rti.last<wire::SetSwitch>().on&& throws<name##SwitchIsOn>(on));     \
    off();                                                                            \
    EXPECT_TRUE(!r.rti.last<wire::SetSwitch>().on && throws<name##SwitchIsOff>(off)); \
  }
    CHECK(ObjectClassRelevanceAdvisory) CHECK(AttributeRelevanceAdvisory)
        CHECK(AttributeScopeAdvisory) CHECK(InteractionRelevanceAdvisory)
#undef CHECK
}

// ---- regions

TEST_F(Support, RegionsHaveBoundsWithinTheirDimensions) {
  EXPECT_EQ(a.getDimensionHandle(L"D"), d);
  EXPECT_EQ(a.getDimensionName(d), L"D");
  EXPECT_EQ(a.getDimensionUpperBound(d), 10u);
  EXPECT_EQ(a.getDimensionUpperBound(e), 0xffffffffu);  // the FOM gives none
  EXPECT_THROW(a.getDimensionHandle(L"F"), NameNotFound);
  EXPECT_THROW(a.getDimensionName({}), InvalidDimensionHandle);
  EXPECT_THROW(a.getDimensionUpperBound({}), InvalidDimensionHandle);
  EXPECT_THROW(a.createRegion({handle<DimensionHandle>(9)}), InvalidDimensionHandle);
  const RegionHandle region = a.createRegion({d});
  EXPECT_EQ(a.getDimensionHandleSet(region), DimensionHandleSet{d});
  EXPECT_EQ(a.getRangeBounds(region, d).getUpperBound(), 10u);  // the full range
  a.setRangeBounds(region, d, {3, 10});
  EXPECT_EQ(a.getRangeBounds(region, d).getLowerBound(), 3u);
  EXPECT_THROW(a.setRangeBounds(region, d, {3, 11}), InvalidRangeBound);
  EXPECT_THROW(a.setRangeBounds(region, d, {4, 4}), InvalidRangeBound);
  EXPECT_THROW(a.setRangeBounds(region, e, {3, 4}), RegionDoesNotContainSpecifiedDimension);
  EXPECT_THROW(a.getRangeBounds(region, e), RegionDoesNotContainSpecifiedDimension);
  EXPECT_THROW(a.setRangeBounds({}, d, {3, 4}), InvalidRegion);
  EXPECT_THROW(a.getRangeBounds({}, d), InvalidRegion);
  EXPECT_THROW(a.getDimensionHandleSet({}), InvalidRegion);
  EXPECT_THROW(a.commitRegionModifications({RegionHandle()}), InvalidRegion);
  a.commitRegionModifications({region});
  const auto m = r.rti.last<wire::CommitRegions>();
  ASSERT_EQ(m.regions.size(), 1u);
  EXPECT_EQ(m.regions[0].region, number(region));
  EXPECT_EQ(m.regions[0].bounds.at(0).lower, 3u);
  a.deleteRegion(region);
  EXPECT_THROW(a.deleteRegion(region), InvalidRegion);
}

TEST_F(Support, RegionsAreUsedWhereTheirDimensionsAreAvailable) {
  const auto class_of_a = handle<ObjectClassHandle>(class_a);
  const auto i = handle<InteractionClassHandle>(interaction_i);
  EXPECT_EQ(a.getAvailableDimensionsForClassAttribute(class_of_a, *r.x.begin()),
            DimensionHandleSet{d});
  EXPECT_TRUE(a.getAvailableDimensionsForClassAttribute(class_of_a, *r.y.begin()).empty());
  EXPECT_EQ(a.getAvailableDimensionsForInteractionClass(i), DimensionHandleSet{d});
  EXPECT_THROW(a.getAvailableDimensionsForInteractionClass({}), InvalidInteractionClassHandle);
  EXPECT_THROW(a.getAvailableDimensionsForClassAttribute(class_of_a, {}), InvalidAttributeHandle);

  const RegionHandleSet good{a.createRegion({d})}, bad{a.createRegion({e})};
  // another federate's region becomes known with a message sent to it
  const auto ship = r.object();
  r.rti.joined.convey_regions = true;
  a.resignFederationExecution(NO_ACTION);
  a.joinFederationExecution(L"me", L"type", L"federation", {});
  const RegionHandleSet own{a.createRegion({d})}, wrong{a.createRegion({e})};
  const auto mine = r.object();
  r.rti.say(wire::Reflect{.object = number(mine), .regions = {{900, {{dimension_d, 1, 2}}}}});
  r.evoke_all();
  const auto foreign = handle<RegionHandle>(900);
  EXPECT_EQ(a.getRangeBounds(foreign, d).getLowerBound(), 1u);
  EXPECT_THROW(a.setRangeBounds(foreign, d, {0, 1}), RegionNotCreatedByThisFederate);
  EXPECT_THROW(a.deleteRegion(foreign), RegionNotCreatedByThisFederate);
  EXPECT_THROW(a.commitRegionModifications({foreign}), RegionNotCreatedByThisFederate);

  using Pairs = AttributeHandleSetRegionHandleSetPairVector;
  const auto each = [&](const Pairs& pairs, auto expect) {
    expect([&] { a.subscribeObjectClassAttributesWithRegions(class_of_a, pairs); });
    expect([&] { a.associateRegionsForUpdates(mine, pairs); });
    expect([&] { a.registerObjectInstanceWithRegions(class_of_a, pairs); });
    expect([&] { a.requestAttributeValueUpdateWithRegions(class_of_a, pairs, r.tag); });
  };
  each(Pairs{{r.x, own}}, [](auto call) { EXPECT_NO_THROW(call()); });
  each(Pairs{{r.x, wrong}}, [](auto call) { EXPECT_THROW(call(), InvalidRegionContext); });
  each(Pairs{{r.y, own}}, [](auto call) { EXPECT_THROW(call(), InvalidRegionContext); });
  each(Pairs{{r.z, own}}, [](auto call) { EXPECT_THROW(call(), AttributeNotDefined); });
  each(Pairs{{r.x, {foreign}}},
       [](auto call) { EXPECT_THROW(call(), RegionNotCreatedByThisFederate); });
  each(Pairs{{r.x, good}},
       [](auto call) { EXPECT_THROW(call(), InvalidRegion); });  // of the earlier membership
  EXPECT_NO_THROW(a.unassociateRegionsForUpdates(mine, {{r.x, own}}));
  EXPECT_NO_THROW(a.unsubscribeObjectClassAttributesWithRegions(class_of_a, {{r.x, own}}));
  EXPECT_THROW(a.unassociateRegionsForUpdates(ship, {{r.x, own}}), ObjectInstanceNotKnown);

  EXPECT_NO_THROW(a.subscribeInteractionClassWithRegions(i, own));
  EXPECT_THROW(a.subscribeInteractionClassWithRegions(i, wrong), InvalidRegionContext);
  EXPECT_THROW(a.unsubscribeInteractionClassWithRegions(i, {foreign}),
               RegionNotCreatedByThisFederate);
  EXPECT_THROW(a.sendInteractionWithRegions(i, {}, own, r.tag), InteractionClassNotPublished);
  a.publishInteractionClass(i);
  a.sendInteractionWithRegions(i, {}, own, r.tag);
  EXPECT_EQ(r.rti.last<wire::SendInteraction>().regions, Numbers{number(*own.begin())});
  EXPECT_THROW(a.sendInteractionWithRegions(i, {}, wrong, r.tag), InvalidRegionContext);
  EXPECT_THROW(a.sendInteractionWithRegions(i, {}, bad, r.tag), InvalidRegion);
}

// ---- text

TEST(Text, IsUtf8OnTheWayAndWideAtTheInterface) {
  const std::wstring all = L"a\u00e4\u20ac\U0001f680";
  EXPECT_EQ(narrow(all), "a\xc3\xa4\xe2\x82\xac\xf0\x9f\x9a\x80");
  EXPECT_EQ(wide(narrow(all)), all);
  for (const char* bad : {"\x80", "\xc3", "\xc0\x80", "\xed\xa0\x80", "\xf5\x80\x80\x80", "\xff"})
    EXPECT_EQ(wide(bad)[0], L'\ufffd') << bad;
  EXPECT_EQ(narrow(std::wstring(1, wchar_t(0xd800))), "\xef\xbf\xbd");
}

}  // namespace
}  // namespace vernier::hla
