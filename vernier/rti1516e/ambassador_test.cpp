#include "vernier/rti1516e/ambassador.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <functional>

#include "vernier/base/temporary_folder.hpp"
#include "vernier/gateway/fom/reader.hpp"
#include "vernier/rti1516e/documents.hpp"
#include "vernier/rti1516e/fake_rti_test.hpp"
#include "vernier/rti1516e/raise.hpp"
#include "vernier/rti1516e/text.hpp"

namespace vernier::hla {
namespace {

using A = RTIambassador;

const ObjectClassHandle a_class = handle<ObjectClassHandle>(class_a);
const ObjectClassHandle no_class = handle<ObjectClassHandle>(99);
const InteractionClassHandle an_i = handle<InteractionClassHandle>(interaction_i);
const InteractionClassHandle no_interaction = handle<InteractionClassHandle>(99);
const ObjectInstanceHandle no_object = handle<ObjectInstanceHandle>(99);
const AttributeHandle an_x = handle<AttributeHandle>(attribute_x);
const HLAinteger64Time at_5(5);

struct Service {
  const char* name;
  std::function<void(A&)> call;
};

/// Services that a joined federate must not call during a save or restore.
const std::vector<Service>& active_services() {
  static const AttributeHandleSet set{an_x};
  static const AttributeHandleValueMap values;
  static const ParameterHandleValueMap parameters;
  static const VariableLengthData tag;
  static const AttributeHandleSetRegionHandleSetPairVector pairs;
  static const RegionHandleSet regions;
  static const HLAinteger64Interval span(1);
  static HLAinteger64Time time;
  static HLAinteger64Interval interval;
  static AttributeHandleSet out;
#define S(...)                                 \
  {                                            \
#__VA_ARGS__, [](A & a) { a.__VA_ARGS__; } \
  }
  static const std::vector<Service> all{
      S(registerFederationSynchronizationPoint(L"l", tag)),
      S(registerFederationSynchronizationPoint(L"l", tag, FederateHandleSet())),
      S(synchronizationPointAchieved(L"l")),
      S(requestFederationSave(L"l")),
      S(requestFederationSave(L"l", at_5)),
      S(requestFederationRestore(L"l")),
      S(publishObjectClassAttributes(a_class, set)),
      S(unpublishObjectClass(a_class)),
      S(unpublishObjectClassAttributes(a_class, set)),
      S(publishInteractionClass(an_i)),
      S(unpublishInteractionClass(an_i)),
      S(subscribeObjectClassAttributes(a_class, set)),
      S(unsubscribeObjectClass(a_class)),
      S(unsubscribeObjectClassAttributes(a_class, set)),
      S(subscribeInteractionClass(an_i)),
      S(unsubscribeInteractionClass(an_i)),
      S(reserveObjectInstanceName(L"n")),
      S(releaseObjectInstanceName(L"n")),
      S(reserveMultipleObjectInstanceName({L"n"})),
      S(releaseMultipleObjectInstanceName({L"n"})),
      S(registerObjectInstance(a_class)),
      S(registerObjectInstance(a_class, L"n")),
      S(updateAttributeValues(no_object, values, tag)),
      S(updateAttributeValues(no_object, values, tag, at_5)),
      S(sendInteraction(an_i, parameters, tag)),
      S(sendInteraction(an_i, parameters, tag, at_5)),
      S(deleteObjectInstance(no_object, tag)),
      S(deleteObjectInstance(no_object, tag, at_5)),
      S(localDeleteObjectInstance(no_object)),
      S(requestAttributeValueUpdate(no_object, set, tag)),
      S(requestAttributeValueUpdate(a_class, set, tag)),
      S(requestAttributeTransportationTypeChange(no_object, set, RELIABLE)),
      S(queryAttributeTransportationType(no_object, an_x)),
      S(requestInteractionTransportationTypeChange(an_i, RELIABLE)),
      S(queryInteractionTransportationType(handle<FederateHandle>(1), an_i)),
      S(unconditionalAttributeOwnershipDivestiture(no_object, set)),
      S(negotiatedAttributeOwnershipDivestiture(no_object, set, tag)),
      S(confirmDivestiture(no_object, set, tag)),
      S(attributeOwnershipAcquisition(no_object, set, tag)),
      S(attributeOwnershipAcquisitionIfAvailable(no_object, set)),
      S(attributeOwnershipReleaseDenied(no_object, set)),
      S(attributeOwnershipDivestitureIfWanted(no_object, set, out)),
      S(cancelNegotiatedAttributeOwnershipDivestiture(no_object, set)),
      S(cancelAttributeOwnershipAcquisition(no_object, set)),
      S(queryAttributeOwnership(no_object, an_x)),
      S(isAttributeOwnedByFederate(no_object, an_x)),
      S(enableTimeRegulation(span)),
      S(disableTimeRegulation()),
      S(enableTimeConstrained()),
      S(disableTimeConstrained()),
      S(timeAdvanceRequest(at_5)),
      S(timeAdvanceRequestAvailable(at_5)),
      S(nextMessageRequest(at_5)),
      S(nextMessageRequestAvailable(at_5)),
      S(flushQueueRequest(at_5)),
      S(enableAsynchronousDelivery()),
      S(disableAsynchronousDelivery()),
      S(queryGALT(time)),
      S(queryLogicalTime(time)),
      S(queryLITS(time)),
      S(modifyLookahead(span)),
      S(queryLookahead(interval)),
      S(retract(MessageRetractionHandle())),
      S(changeAttributeOrderType(no_object, set, RECEIVE)),
      S(changeInteractionOrderType(an_i, RECEIVE)),
      S(createRegion(DimensionHandleSet())),
      S(commitRegionModifications(regions)),
      S(deleteRegion(RegionHandle())),
      S(registerObjectInstanceWithRegions(a_class, pairs)),
      S(registerObjectInstanceWithRegions(a_class, pairs, L"n")),
      S(associateRegionsForUpdates(no_object, pairs)),
      S(unassociateRegionsForUpdates(no_object, pairs)),
      S(subscribeObjectClassAttributesWithRegions(a_class, pairs)),
      S(unsubscribeObjectClassAttributesWithRegions(a_class, pairs)),
      S(subscribeInteractionClassWithRegions(an_i, regions)),
      S(unsubscribeInteractionClassWithRegions(an_i, regions)),
      S(sendInteractionWithRegions(an_i, parameters, regions, tag)),
      S(sendInteractionWithRegions(an_i, parameters, regions, tag, at_5)),
      S(requestAttributeValueUpdateWithRegions(a_class, pairs, tag)),
      S(getDimensionHandleSet(RegionHandle())),
      S(getRangeBounds(RegionHandle(), DimensionHandle())),
      S(setRangeBounds(RegionHandle(), DimensionHandle(), RangeBounds(0, 1))),
      S(enableObjectClassRelevanceAdvisorySwitch()),
      S(disableObjectClassRelevanceAdvisorySwitch()),
      S(enableAttributeRelevanceAdvisorySwitch()),
      S(disableAttributeRelevanceAdvisorySwitch()),
      S(enableAttributeScopeAdvisorySwitch()),
      S(disableAttributeScopeAdvisorySwitch()),
      S(enableInteractionRelevanceAdvisorySwitch()),
      S(disableInteractionRelevanceAdvisorySwitch())};
  return all;
}

/// The other services of joined federates.
const std::vector<Service>& member_services() {
  static const VariableLengthData data;
  static const std::vector<Service> all{S(resignFederationExecution(NO_ACTION)),
                                        S(federateSaveBegun()),
                                        S(federateSaveComplete()),
                                        S(federateSaveNotComplete()),
                                        S(abortFederationSave()),
                                        S(queryFederationSaveStatus()),
                                        S(federateRestoreComplete()),
                                        S(federateRestoreNotComplete()),
                                        S(abortFederationRestore()),
                                        S(queryFederationRestoreStatus()),
                                        S(getAutomaticResignDirective()),
                                        S(setAutomaticResignDirective(NO_ACTION)),
                                        S(getFederateHandle(L"f")),
                                        S(getFederateName(FederateHandle())),
                                        S(getObjectClassHandle(L"A")),
                                        S(getObjectClassName(a_class)),
                                        S(getKnownObjectClassHandle(no_object)),
                                        S(getObjectInstanceHandle(L"n")),
                                        S(getObjectInstanceName(no_object)),
                                        S(getAttributeHandle(a_class, L"x")),
                                        S(getAttributeName(a_class, an_x)),
                                        S(getUpdateRateValue(L"slow")),
                                        S(getUpdateRateValueForAttribute(no_object, an_x)),
                                        S(getInteractionClassHandle(L"I")),
                                        S(getInteractionClassName(an_i)),
                                        S(getParameterHandle(an_i, L"p")),
                                        S(getParameterName(an_i, ParameterHandle())),
                                        S(getOrderType(L"Receive")),
                                        S(getOrderName(RECEIVE)),
                                        S(getTransportationType(L"HLAreliable")),
                                        S(getTransportationName(RELIABLE)),
                                        S(getAvailableDimensionsForClassAttribute(a_class, an_x)),
                                        S(getAvailableDimensionsForInteractionClass(an_i)),
                                        S(getDimensionHandle(L"D")),
                                        S(getDimensionName(DimensionHandle())),
                                        S(getDimensionUpperBound(DimensionHandle())),
                                        S(normalizeFederateHandle(FederateHandle())),
                                        S(normalizeServiceGroup(TIME_MANAGEMENT)),
                                        S(getTimeFactory()),
                                        S(decodeFederateHandle(data)),
                                        S(decodeObjectClassHandle(data)),
                                        S(decodeInteractionClassHandle(data)),
                                        S(decodeObjectInstanceHandle(data)),
                                        S(decodeAttributeHandle(data)),
                                        S(decodeParameterHandle(data)),
                                        S(decodeDimensionHandle(data)),
                                        S(decodeMessageRetractionHandle(data)),
                                        S(decodeRegionHandle(data))};
  return all;
}
const std::vector<Service>& connected_services() {
  static const std::vector<std::wstring> none;
  static const std::vector<Service> all{S(createFederationExecution(L"f", L"m")),
                                        S(createFederationExecution(L"f", none)),
                                        S(createFederationExecutionWithMIM(L"f", none, L"m")),
                                        S(destroyFederationExecution(L"f")),
                                        S(listFederationExecutions()),
                                        S(joinFederationExecution(L"t", L"f")),
                                        S(joinFederationExecution(L"n", L"t", L"f"))};
#undef S
  return all;
}

template <class Expected>
void expect_all(A& a, const std::vector<Service>& services) {
  for (const Service& s : services) EXPECT_THROW(s.call(a), Expected) << s.name;
}

TEST(Ambassador, NeedsAConnectionForEveryService) {
  FakeRti rti;
  VernierAmbassador a(rti.connector());
  expect_all<NotConnected>(a, connected_services());
  expect_all<NotConnected>(a, member_services());
  expect_all<NotConnected>(a, active_services());
  EXPECT_THROW(a.evokeCallback(0.0), RTIinternalError);
  EXPECT_THROW(a.evokeMultipleCallbacks(0.0, 1.0), RTIinternalError);
  EXPECT_NO_THROW(a.disconnect());
}

TEST(Ambassador, NeedsAFederationForEveryServiceOfAMember) {
  FakeRti rti;
  VernierAmbassador a(rti.connector());
  NullFederateAmbassador f;
  a.connect(f, HLA_EVOKED, L"");
  expect_all<FederateNotExecutionMember>(a, member_services());
  expect_all<FederateNotExecutionMember>(a, active_services());
  EXPECT_TRUE(rti.heard<wire::Resign>().empty());
}

TEST(Ambassador, DoesNothingElseWhileAFederationSavesOrRestores) {
  NullFederateAmbassador f;
  Rig r(f);
  A& a = r.ambassador;
  r.rti.say(wire::InitiateSave{"label", {}});
  r.evoke_all();
  expect_all<SaveInProgress>(a, active_services());
  EXPECT_THROW(a.enableCallbacks(), SaveInProgress);
  EXPECT_THROW(a.disableCallbacks(), SaveInProgress);
  EXPECT_THROW(a.federateRestoreComplete(), SaveInProgress);
  EXPECT_THROW(a.queryFederationRestoreStatus(), SaveInProgress);
  EXPECT_THROW(a.federateSaveComplete(), FederateHasNotBegunSave);
  a.federateSaveBegun();
  EXPECT_THROW(a.federateSaveBegun(), SaveNotInitiated);
  a.federateSaveComplete();
  EXPECT_TRUE(r.rti.last<wire::SaveDone>().success);
  expect_all<SaveInProgress>(a, active_services());  // until all federates have saved
  r.rti.say(wire::Saved{true, {}});
  r.evoke_all();
  EXPECT_NO_THROW(a.enableCallbacks());
  EXPECT_THROW(a.federateSaveBegun(), SaveNotInitiated);

  EXPECT_THROW(a.federateRestoreComplete(), RestoreNotRequested);
  r.rti.say(wire::RestoreBegun{});
  r.evoke_all();
  expect_all<RestoreInProgress>(a, active_services());
  EXPECT_THROW(a.enableCallbacks(), RestoreInProgress);
  EXPECT_THROW(a.federateSaveBegun(), RestoreInProgress);
  EXPECT_THROW(a.federateSaveComplete(), RestoreInProgress);
  EXPECT_THROW(a.queryFederationSaveStatus(), RestoreInProgress);
  EXPECT_THROW(a.federateRestoreComplete(), RestoreNotRequested);
  r.rti.say(wire::InitiateRestore{"label", "me again", 8});
  r.evoke_all();
  EXPECT_EQ(a.getFederateHandle(L"me again"), handle<FederateHandle>(8));
  a.federateRestoreNotComplete();
  EXPECT_FALSE(r.rti.last<wire::RestoreDone>().success);
  r.rti.say(wire::Restored{true, {}});
  r.evoke_all();
  EXPECT_NO_THROW(a.enableCallbacks());
}

TEST(Ambassador, IsAfterARestoreWhatTheRtiSays) {
  NullFederateAmbassador f;
  Rig r(f);
  A& a = r.ambassador;
  const ObjectInstanceHandle old = r.object();
  r.rti.say(wire::MemberState{.federate = 8,
                              .name = "me again",
                              .objects = {{500, class_a, "ship", {1, 2, 3}, {3}}},
                              .published = {{class_a, {1, 2, 3}}},
                              .published_interactions = {interaction_i},
                              .regions = {{300, {{dimension_d, 2, 3}}}},
                              .regulating = true,
                              .time = {20},
                              .lookahead = {5},
                              .switches = {true}});
  r.evoke_all();
  const auto ship = a.getObjectInstanceHandle(L"ship");
  const AttributeHandleValueMap x{{an_x, {}}}, y{{handle<AttributeHandle>(attribute_y), {}}};
  EXPECT_THROW(a.updateAttributeValues(old, x, r.tag), ObjectInstanceNotKnown);
  a.updateAttributeValues(ship, x, r.tag, at_5);  // in receive order now: any time is accepted
  EXPECT_THROW(a.updateAttributeValues(ship, y, r.tag, HLAinteger64Time(24)), InvalidLogicalTime);
  EXPECT_TRUE(a.updateAttributeValues(ship, y, r.tag, HLAinteger64Time(25)).isValid());
  EXPECT_NO_THROW(a.sendInteraction(an_i, {}, r.tag, at_5));
  EXPECT_EQ(a.getRangeBounds(handle<RegionHandle>(300), handle<DimensionHandle>(1)).getLowerBound(),
            2u);
  EXPECT_THROW(a.enableObjectClassRelevanceAdvisorySwitch(),
               ObjectClassRelevanceAdvisorySwitchIsOn);
  EXPECT_EQ(a.getFederateName(handle<FederateHandle>(8)), L"me again");
}

TEST(Ambassador, ThrowsWhatTheRtiSaysByItsName) {
  NullFederateAmbassador f;
  Rig r(f);
  const auto publish = [&] { r.ambassador.publishInteractionClass(an_i); };
  const auto join = [&] { r.ambassador.joinFederationExecution(L"t", L"f", {}); };
#define CHECK(name)                                               \
  r.rti.refused[Kind::publish_interaction] = wire::Failure::name; \
  EXPECT_TRUE(throws<::rti1516e::name>(publish)) << #name;        \
  if (wire::Failure::name == wire::Failure::FederateNotExecutionMember) join();
  VERNIER_FEDERATION_FAILURES(CHECK)
#undef CHECK
  try {
    r.ambassador.publishInteractionClass(an_i);
  } catch (const Exception& e) {
    EXPECT_EQ(e.what(), L"no: \u00e4");
  }
  EXPECT_THROW(r.ambassador.sendInteraction(an_i, {}, {}), InteractionClassNotPublished);
}

// ---- connecting, joining

TEST(Ambassador, ConnectsOnceAndByADesignator) {
  FakeRti rti;
  NullFederateAmbassador f;
  VernierAmbassador a(rti.connector());
  EXPECT_THROW(a.connect(f, HLA_EVOKED, L"gopher://x"), InvalidLocalSettingsDesignator);
  a.connect(f, HLA_EVOKED, L"");
  EXPECT_THROW(a.connect(f, HLA_EVOKED, L""), AlreadyConnected);
  a.joinFederationExecution(L"t", L"f", {});
  EXPECT_THROW(a.joinFederationExecution(L"t", L"f", {}), FederateAlreadyExecutionMember);
  EXPECT_THROW(a.disconnect(), FederateIsExecutionMember);
  EXPECT_THROW(a.resignFederationExecution(static_cast<ResignAction>(7)), InvalidResignAction);
  a.resignFederationExecution(DELETE_OBJECTS);
  EXPECT_EQ(rti.last<wire::Resign>().action, wire::ResignAction::delete_objects);
  a.disconnect();
  EXPECT_EQ(rti.heard<wire::Leave>().size(), 1u);
  EXPECT_THROW(a.listFederationExecutions(), NotConnected);
  EXPECT_NO_THROW(a.connect(f, HLA_EVOKED, L""));

  VernierAmbassador never([](const auto&, std::string& why) {
    why = "nobody is there";
    return nullptr;
  });
  try {
    never.connect(f, HLA_EVOKED, L"");
    FAIL();
  } catch (const ConnectionFailed& e) {
    EXPECT_EQ(e.what(), L"nobody is there");
  }
}

TEST(Ambassador, SendsTheTextsOfFomModules) {
  TemporaryFolder folder;
  const auto path = folder.path() / "a b.xml";
  std::ofstream(path) << "<objectModel/>";
  FakeRti rti;
  NullFederateAmbassador f;
  VernierAmbassador made(rti.connector());
  A& a = made;
  a.connect(f, HLA_EVOKED, L"");
  a.createFederationExecution(L"f", path.wstring(), L"HLAinteger64Time");
  auto m = rti.last<wire::CreateFederation>();
  ASSERT_EQ(m.modules.size(), 1u);
  EXPECT_EQ(m.modules[0].text, "<objectModel/>");
  EXPECT_EQ(m.time, TimeKind::integer64);
  EXPECT_FALSE(m.mim);
  const std::wstring url = L"file://" + folder.path().wstring() + L"/a%20b.xml";
  a.createFederationExecutionWithMIM(L"f", {url, L"SISO_SpaceFOM_entity.xml"}, path.wstring());
  m = rti.last<wire::CreateFederation>();
  ASSERT_EQ(m.modules.size(), 2u);
  EXPECT_EQ(m.modules[0].text, "<objectModel/>");
  EXPECT_EQ(m.modules[1].text, fom::built_in_text("SISO_SpaceFOM_entity"));
  EXPECT_EQ(m.mim->text, "<objectModel/>");
  EXPECT_EQ(m.time, TimeKind::float64);  // the standard's default

  EXPECT_THROW(a.createFederationExecution(L"f", L"nowhere.xml"), CouldNotOpenFDD);
  EXPECT_THROW(a.createFederationExecution(L"f", folder.path().wstring()), CouldNotOpenFDD);
  EXPECT_THROW(a.createFederationExecution(L"f", path.wstring(), L"MyTime"),
               CouldNotCreateLogicalTimeFactory);
  EXPECT_THROW(a.createFederationExecutionWithMIM(L"f", {}, L"nowhere.xml"), CouldNotOpenMIM);
  EXPECT_THROW(a.createFederationExecutionWithMIM(L"f", {}, L"HLAstandardMIM"),
               DesignatorIsHLAstandardMIM);
  EXPECT_THROW(a.joinFederationExecution(L"n", L"t", L"f", {L"nowhere.xml"}), CouldNotOpenFDD);
  const auto large = folder.path() / "large.xml";
  std::ofstream(large).close();
  std::filesystem::resize_file(large, 17u << 20);
  EXPECT_THROW(a.createFederationExecution(L"f", large.wstring()), ErrorReadingFDD);
  EXPECT_THROW(a.createFederationExecutionWithMIM(L"f", {}, large.wstring()), ErrorReadingMIM);
  EXPECT_TRUE(rti.heard<wire::CreateFederation>().empty());
}

}  // namespace
}  // namespace vernier::hla
