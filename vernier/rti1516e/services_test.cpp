#include <gtest/gtest.h>

#include "vernier/rti1516e/fake_rti_test.hpp"
#include "vernier/rti1516e/text.hpp"
#include "vernier/testing/allocations.hpp"

namespace vernier::hla {
namespace {

class Services : public ::testing::Test {
 protected:
  NullFederateAmbassador federate;
  Rig r{federate};
  RTIambassador& a = r.ambassador;
  const VariableLengthData value{"value", 5};
  const ObjectClassHandle class_of_a = handle<ObjectClassHandle>(class_a);
  const ObjectClassHandle undefined_class = handle<ObjectClassHandle>(99);
  const InteractionClassHandle class_of_i = handle<InteractionClassHandle>(interaction_i);
  const InteractionClassHandle undefined_interaction = handle<InteractionClassHandle>(99);
  const ObjectInstanceHandle unknown_object = handle<ObjectInstanceHandle>(99);
  const AttributeHandle x = handle<AttributeHandle>(attribute_x);
  const AttributeHandle y = handle<AttributeHandle>(attribute_y);
  const AttributeHandle z = handle<AttributeHandle>(attribute_z);
  const ParameterHandle p = handle<ParameterHandle>(parameter_p);
  const ParameterHandle q = handle<ParameterHandle>(parameter_q);

  void grant(std::int64_t t) {
    r.rti.say(wire::Granted{Stamp{t}});
    r.evoke_all();
  }
  AttributeHandleValueMap values(std::initializer_list<AttributeHandle> attributes) {
    AttributeHandleValueMap m;
    for (const AttributeHandle& h : attributes) m[h] = value;
    return m;
  }
  bool accepts(ObjectInstanceHandle object, std::int64_t time) {
    try {
      a.updateAttributeValues(object, values({x}), r.tag, HLAinteger64Time(time));
      return true;
    } catch (const InvalidLogicalTime&) {
      return false;
    }
  }
};

// ---- declarations

TEST_F(Services, RefuseClassesAndAttributesThatAreNotDefined) {
  EXPECT_THROW(a.publishObjectClassAttributes(undefined_class, r.x), ObjectClassNotDefined);
  EXPECT_THROW(a.publishObjectClassAttributes({}, r.x), ObjectClassNotDefined);
  EXPECT_THROW(a.publishObjectClassAttributes(class_of_a, r.z), AttributeNotDefined);  // of B
  EXPECT_THROW(a.unpublishObjectClass(undefined_class), ObjectClassNotDefined);
  EXPECT_THROW(a.unpublishObjectClassAttributes(class_of_a, r.z), AttributeNotDefined);
  EXPECT_THROW(a.publishInteractionClass(undefined_interaction), InteractionClassNotDefined);
  EXPECT_THROW(a.unpublishInteractionClass(undefined_interaction), InteractionClassNotDefined);
  EXPECT_THROW(a.subscribeObjectClassAttributes(undefined_class, r.x), ObjectClassNotDefined);
  EXPECT_THROW(a.subscribeObjectClassAttributes(class_of_a, r.z), AttributeNotDefined);
  EXPECT_THROW(a.subscribeObjectClassAttributes(class_of_a, r.x, true, L"fast"),
               InvalidUpdateRateDesignator);
  EXPECT_THROW(a.unsubscribeObjectClass(undefined_class), ObjectClassNotDefined);
  EXPECT_THROW(a.unsubscribeObjectClassAttributes(class_of_a, r.z), AttributeNotDefined);
  EXPECT_THROW(a.subscribeInteractionClass(undefined_interaction), InteractionClassNotDefined);
  EXPECT_THROW(a.unsubscribeInteractionClass(undefined_interaction), InteractionClassNotDefined);
  a.subscribeObjectClassAttributes(class_of_a, r.both, false, L"slow");
  const auto m = r.rti.last<wire::SubscribeAttributes>();
  EXPECT_EQ(m.rate, "slow");
  EXPECT_FALSE(m.active);
  EXPECT_EQ(m.parts.at(0).attributes, (Numbers{attribute_x, attribute_y}));
  a.unpublishObjectClass(class_of_a);
  EXPECT_FALSE(r.rti.last<wire::UnpublishAttributes>().attributes);
}

// ---- objects

TEST_F(Services, RegisterAndUpdateWhatIsPublished) {
  EXPECT_THROW(a.registerObjectInstance(undefined_class), ObjectClassNotDefined);
  EXPECT_THROW(a.registerObjectInstance(class_of_a), ObjectClassNotPublished);
  a.publishObjectClassAttributes(class_of_a, r.x);
  const auto ship = a.registerObjectInstance(class_of_a, L"sh\u00efp");
  EXPECT_EQ(*r.rti.last<wire::RegisterObject>().name, "sh\xc3\xafp");
  EXPECT_EQ(a.getObjectInstanceName(ship), L"sh\u00efp");
  EXPECT_EQ(a.getObjectInstanceHandle(L"sh\u00efp"), ship);
  EXPECT_EQ(a.getKnownObjectClassHandle(ship), class_of_a);

  EXPECT_THROW(a.updateAttributeValues(unknown_object, values({x}), r.tag), ObjectInstanceNotKnown);
  EXPECT_THROW(a.updateAttributeValues(ship, values({x, z}), r.tag), AttributeNotDefined);
  EXPECT_THROW(a.updateAttributeValues(ship, values({x, y}), r.tag), AttributeNotOwned);
  EXPECT_TRUE(r.rti.heard<wire::UpdateAttributes>().empty());
  a.updateAttributeValues(ship, values({x}), r.tag);

  // the frame written directly equals the one written from the message's fields
  wire::Blob raw;
  wire::Writer w(raw);
  w(Handle{attribute_x}, std::string_view("value"));
  const auto frames = r.rti.heard<wire::UpdateAttributes>();
  ASSERT_EQ(frames.size(), 1u);
  std::vector<std::byte> expected;
  const std::string_view tag = "tag";
  wire::write(expected, wire::UpdateAttributes{.object = number(ship),
                                               .values = {1, raw},
                                               .tag = std::as_bytes(std::span(tag))});
  EXPECT_EQ(frames[0], expected);

  a.unpublishObjectClass(class_of_a);
  EXPECT_THROW(a.updateAttributeValues(ship, values({x}), r.tag), AttributeNotOwned);
  EXPECT_THROW(a.deleteObjectInstance(ship, r.tag), DeletePrivilegeNotHeld);
}

TEST_F(Services, AnUpdateAllocatesNothing) {
  const auto ship = r.object();
  const AttributeHandleValueMap m = values({x, y});
  r.rti.deaf = true;  // what it keeps is not memory of the ambassador
  a.updateAttributeValues(ship, m, r.tag);
  const long before = testing::allocations();
  for (int i = 0; i < 100; ++i) a.updateAttributeValues(ship, m, r.tag);
  EXPECT_EQ(testing::allocations(), before);
}

TEST_F(Services, SendInteractionsThatArePublished) {
  const ParameterHandleValueMap good{{p, value}}, bad{{q, value}};
  EXPECT_THROW(a.sendInteraction(undefined_interaction, good, r.tag), InteractionClassNotDefined);
  EXPECT_THROW(a.sendInteraction(class_of_i, bad, r.tag), InteractionParameterNotDefined);
  EXPECT_THROW(a.sendInteraction(class_of_i, good, r.tag), InteractionClassNotPublished);
  a.publishInteractionClass(class_of_i);
  a.sendInteraction(class_of_i, good, r.tag);
  wire::Blob raw;
  wire::Writer w(raw);
  w(Handle{parameter_p}, std::string_view("value"));
  std::vector<std::byte> expected;
  const std::string_view tag = "tag";
  wire::write(expected, wire::SendInteraction{.interaction_class = interaction_i,
                                              .values = {1, raw},
                                              .tag = std::as_bytes(std::span(tag))});
  EXPECT_EQ(r.rti.heard<wire::SendInteraction>().at(0), expected);
  a.unpublishInteractionClass(class_of_i);
  EXPECT_THROW(a.sendInteraction(class_of_i, good, r.tag), InteractionClassNotPublished);
}

TEST_F(Services, KnowNamesThatAreLegal) {
  EXPECT_THROW(a.reserveObjectInstanceName(L""), IllegalName);
  EXPECT_THROW(a.reserveObjectInstanceName(L"HLAship"), IllegalName);
  EXPECT_THROW(a.reserveMultipleObjectInstanceName({}), NameSetWasEmpty);
  EXPECT_THROW(a.reserveMultipleObjectInstanceName({L"a", L"HLAb"}), IllegalName);
  EXPECT_TRUE(r.rti.heard<wire::ReserveNames>().empty());
  a.reserveMultipleObjectInstanceName({L"a", L"b"});
  EXPECT_EQ(r.rti.last<wire::ReserveNames>().names, (std::vector<std::string>{"a", "b"}));
}

TEST_F(Services, ForgetWhatIsDeleted) {
  const auto mine = r.object();
  r.rti.say(wire::Discover{50, class_a, "theirs", 8});
  r.evoke_all();
  const auto theirs = a.getObjectInstanceHandle(L"theirs");
  EXPECT_THROW(a.deleteObjectInstance(unknown_object, r.tag), ObjectInstanceNotKnown);
  EXPECT_THROW(a.deleteObjectInstance(theirs, r.tag), DeletePrivilegeNotHeld);
  EXPECT_THROW(a.localDeleteObjectInstance(mine), FederateOwnsAttributes);
  EXPECT_THROW(a.localDeleteObjectInstance(unknown_object), ObjectInstanceNotKnown);
  a.localDeleteObjectInstance(theirs);
  a.deleteObjectInstance(mine, r.tag);
  EXPECT_THROW(a.getObjectInstanceName(theirs), ObjectInstanceNotKnown);
  EXPECT_THROW(a.getObjectInstanceHandle(L"theirs"), ObjectInstanceNotKnown);
  EXPECT_THROW(a.updateAttributeValues(mine, values({x}), r.tag), ObjectInstanceNotKnown);
}

TEST_F(Services, ReviveWhatWasDeletedByAMessageThatIsRetracted) {
  const auto ship = r.object();
  r.regulate(1);
  const auto message = a.deleteObjectInstance(ship, r.tag, HLAinteger64Time(10));
  EXPECT_TRUE(message.isValid());
  EXPECT_THROW(a.getObjectInstanceName(ship), ObjectInstanceNotKnown);
  a.retract(message);
  EXPECT_NO_THROW(a.updateAttributeValues(ship, values({x, y}), r.tag));
  EXPECT_EQ(a.getObjectInstanceHandle(a.getObjectInstanceName(ship)), ship);
}

TEST_F(Services, RefuseTransportationAndOrderOfWhatIsNotOwned) {
  const auto ship = r.object();
  r.rti.say(wire::Discover{50, class_a, "theirs", 8});
  r.evoke_all();
  const auto theirs = a.getObjectInstanceHandle(L"theirs");
  const auto none = static_cast<TransportationType>(3);
  EXPECT_THROW(a.requestAttributeTransportationTypeChange(ship, r.x, none),
               InvalidTransportationType);
  EXPECT_THROW(a.requestAttributeTransportationTypeChange(theirs, r.x, RELIABLE),
               AttributeNotOwned);
  EXPECT_THROW(a.requestAttributeTransportationTypeChange(ship, r.z, RELIABLE),
               AttributeNotDefined);
  a.requestAttributeTransportationTypeChange(ship, r.x, BEST_EFFORT);
  EXPECT_EQ(r.rti.last<wire::ChangeAttributeTransportation>().transportation, 2u);
  EXPECT_THROW(a.queryAttributeTransportationType(ship, z), AttributeNotDefined);
  EXPECT_THROW(a.requestInteractionTransportationTypeChange(class_of_i, none),
               InvalidTransportationType);
  EXPECT_THROW(a.requestInteractionTransportationTypeChange(undefined_interaction, RELIABLE),
               InteractionClassNotDefined);
  EXPECT_THROW(a.requestInteractionTransportationTypeChange(class_of_i, RELIABLE),
               InteractionClassNotPublished);
  EXPECT_THROW(a.queryInteractionTransportationType({}, undefined_interaction),
               InteractionClassNotDefined);
  EXPECT_THROW(a.changeAttributeOrderType(theirs, r.x, RECEIVE), AttributeNotOwned);
  EXPECT_THROW(a.changeInteractionOrderType(class_of_i, RECEIVE), InteractionClassNotPublished);
  EXPECT_THROW(a.changeInteractionOrderType(undefined_interaction, RECEIVE),
               InteractionClassNotDefined);
  EXPECT_THROW(a.requestAttributeValueUpdate(ship, r.z, r.tag), AttributeNotDefined);
  EXPECT_THROW(a.requestAttributeValueUpdate(undefined_class, r.x, r.tag), ObjectClassNotDefined);
  EXPECT_THROW(a.requestAttributeValueUpdate(class_of_a, r.z, r.tag), AttributeNotDefined);
}

// ---- ownership

TEST_F(Services, FollowOwnership) {
  const auto ship = r.object();
  EXPECT_TRUE(a.isAttributeOwnedByFederate(ship, x));
  EXPECT_THROW(a.isAttributeOwnedByFederate(ship, z), AttributeNotDefined);
  EXPECT_THROW(a.attributeOwnershipAcquisition(ship, r.x, r.tag), FederateOwnsAttributes);
  EXPECT_THROW(a.attributeOwnershipAcquisitionIfAvailable(ship, r.x), FederateOwnsAttributes);
  EXPECT_THROW(a.cancelAttributeOwnershipAcquisition(ship, r.x), AttributeAlreadyOwned);
  a.unconditionalAttributeOwnershipDivestiture(ship, r.x);
  EXPECT_FALSE(a.isAttributeOwnedByFederate(ship, x));
  EXPECT_THROW(a.unconditionalAttributeOwnershipDivestiture(ship, r.x), AttributeNotOwned);
  EXPECT_THROW(a.negotiatedAttributeOwnershipDivestiture(ship, r.x, r.tag), AttributeNotOwned);
  EXPECT_THROW(a.confirmDivestiture(ship, r.x, r.tag), AttributeNotOwned);
  EXPECT_THROW(a.attributeOwnershipReleaseDenied(ship, r.x), AttributeNotOwned);
  AttributeHandleSet given;
  EXPECT_THROW(a.attributeOwnershipDivestitureIfWanted(ship, r.x, given), AttributeNotOwned);
  EXPECT_THROW(a.cancelNegotiatedAttributeOwnershipDivestiture(ship, r.x), AttributeNotOwned);
  EXPECT_THROW(a.updateAttributeValues(ship, values({x}), r.tag), AttributeNotOwned);
  a.attributeOwnershipAcquisition(ship, r.x, r.tag);
  EXPECT_FALSE(a.isAttributeOwnedByFederate(ship, x));
  r.rti.say(wire::Acquired{number(ship), {attribute_x}, {}});
  EXPECT_THROW(a.updateAttributeValues(ship, values({x}), r.tag), AttributeNotOwned);
  r.evoke_all();  // owned from the callback on
  a.updateAttributeValues(ship, values({x}), r.tag);
  a.confirmDivestiture(ship, r.y, r.tag);
  EXPECT_FALSE(a.isAttributeOwnedByFederate(ship, y));
  a.attributeOwnershipDivestitureIfWanted(ship, r.x, given);
  EXPECT_EQ(given, r.x);
  EXPECT_FALSE(a.isAttributeOwnedByFederate(ship, x));

  a.unpublishObjectClassAttributes(class_of_a, r.y);
  EXPECT_THROW(a.attributeOwnershipAcquisition(ship, r.y, r.tag), AttributeNotPublished);
  a.unpublishObjectClassAttributes(class_of_a, r.x);
  EXPECT_THROW(a.attributeOwnershipAcquisition(ship, r.y, r.tag), ObjectClassNotPublished);
  EXPECT_THROW(a.attributeOwnershipAcquisitionIfAvailable(ship, r.y), ObjectClassNotPublished);
  EXPECT_THROW(a.queryAttributeOwnership(unknown_object, x), ObjectInstanceNotKnown);
  EXPECT_THROW(a.queryAttributeOwnership(ship, z), AttributeNotDefined);
}

// ---- time

TEST_F(Services, KnowWhetherTheFederateRegulatesAndIsConstrained) {
  const HLAinteger64Interval one(1);
  HLAinteger64Interval span;
  EXPECT_THROW(a.disableTimeRegulation(), TimeRegulationIsNotEnabled);
  EXPECT_THROW(a.modifyLookahead(one), TimeRegulationIsNotEnabled);
  EXPECT_THROW(a.queryLookahead(span), TimeRegulationIsNotEnabled);
  EXPECT_THROW(a.retract({}), TimeRegulationIsNotEnabled);
  EXPECT_THROW(a.enableTimeRegulation(HLAinteger64Interval(-1)), InvalidLookahead);
  a.enableTimeRegulation(one);
  EXPECT_THROW(a.enableTimeRegulation(one), RequestForTimeRegulationPending);
  EXPECT_THROW(a.timeAdvanceRequest(HLAinteger64Time(1)), RequestForTimeRegulationPending);
  r.rti.say(wire::RegulationEnabled{Stamp{3}});
  r.evoke_all();
  EXPECT_THROW(a.enableTimeRegulation(one), TimeRegulationAlreadyEnabled);
  HLAinteger64Time now;
  a.queryLogicalTime(now);
  EXPECT_EQ(now.getTime(), 3);
  a.queryLookahead(span);
  EXPECT_EQ(span.getInterval(), 42);  // as the RTI answers
  EXPECT_THROW(a.disableTimeConstrained(), TimeConstrainedIsNotEnabled);
  a.enableTimeConstrained();
  EXPECT_THROW(a.enableTimeConstrained(), RequestForTimeConstrainedPending);
  EXPECT_THROW(a.timeAdvanceRequest(HLAinteger64Time(5)), RequestForTimeConstrainedPending);
  r.rti.say(wire::ConstrainedEnabled{Stamp{4}});
  r.evoke_all();
  EXPECT_THROW(a.enableTimeConstrained(), TimeConstrainedAlreadyEnabled);
  EXPECT_THROW(a.timeAdvanceRequest(HLAinteger64Time(3)), LogicalTimeAlreadyPassed);
  EXPECT_THROW(a.timeAdvanceRequest(HLAfloat64Time(9.0)), InvalidLogicalTime);
  EXPECT_THROW(a.requestFederationSave(L"l", HLAinteger64Time(3)), LogicalTimeAlreadyPassed);
  a.nextMessageRequest(HLAinteger64Time(9));
  EXPECT_THROW(a.timeAdvanceRequest(HLAinteger64Time(9)), InTimeAdvancingState);
  EXPECT_THROW(a.flushQueueRequest(HLAinteger64Time(9)), InTimeAdvancingState);
  EXPECT_THROW(a.modifyLookahead(one), InTimeAdvancingState);
  grant(7);
  a.queryLogicalTime(now);
  EXPECT_EQ(now.getTime(), 7);
  a.disableTimeConstrained();
  a.disableTimeRegulation();
  a.timeAdvanceRequest(HLAinteger64Time(8));
  EXPECT_THROW(a.enableTimeRegulation(one), InTimeAdvancingState);
  EXPECT_THROW(a.enableTimeConstrained(), InTimeAdvancingState);
  EXPECT_EQ(r.rti.last<wire::Advance>().time, Stamp{8});

  EXPECT_THROW(a.disableAsynchronousDelivery(), AsynchronousDeliveryAlreadyDisabled);
  a.enableAsynchronousDelivery();
  EXPECT_THROW(a.enableAsynchronousDelivery(), AsynchronousDeliveryAlreadyEnabled);
  EXPECT_TRUE(a.queryGALT(now));
  EXPECT_EQ(now.getTime(), 42);
  r.rti.time.reset();
  EXPECT_FALSE(a.queryLITS(now));
  HLAfloat64Time other;
  EXPECT_THROW(a.queryLogicalTime(other), RTIinternalError);
}

TEST_F(Services, NoMessageLiesBeforeTimePlusLookahead) {
  const auto ship = r.object();
  EXPECT_TRUE(accepts(ship, 0));  // not regulating: the time has no meaning
  r.regulate(2);
  EXPECT_FALSE(accepts(ship, 1));
  EXPECT_TRUE(accepts(ship, 2));
  // y is sent in receive order, so its time is not bound by lookahead
  EXPECT_NO_THROW(a.updateAttributeValues(ship, values({y}), r.tag, HLAinteger64Time(0)));
  a.timeAdvanceRequest(HLAinteger64Time(10));
  EXPECT_FALSE(accepts(ship, 11));  // the requested time counts
  EXPECT_TRUE(accepts(ship, 12));
  grant(10);
  EXPECT_FALSE(accepts(ship, 11));
  EXPECT_TRUE(accepts(ship, 12));
  // a shorter lookahead takes effect as time advances, a longer one at once (8.19)
  a.modifyLookahead(HLAinteger64Interval(1));
  EXPECT_FALSE(accepts(ship, 11));
  a.modifyLookahead(HLAinteger64Interval(5));
  EXPECT_FALSE(accepts(ship, 14));
  EXPECT_TRUE(accepts(ship, 15));
  // a next-message request ends at the first message that arrives
  a.nextMessageRequest(HLAinteger64Time(30));
  EXPECT_FALSE(accepts(ship, 34));
  r.rti.say(wire::Reflect{.object = number(ship),
                          .sent = wire::Order::time_stamp,
                          .received = wire::Order::time_stamp,
                          .time = Stamp{20}});
  r.evoke_all();
  EXPECT_FALSE(accepts(ship, 24));
  EXPECT_TRUE(accepts(ship, 25));
  grant(20);
  EXPECT_TRUE(accepts(ship, 25));
}

TEST_F(Services, WithoutLookaheadMessagesComeAfterTheTimeGranted) {
  const auto ship = r.object();
  r.regulate(0);
  EXPECT_TRUE(accepts(ship, 0));
  a.timeAdvanceRequestAvailable(HLAinteger64Time(5));
  grant(5);
  EXPECT_TRUE(accepts(ship, 5));
  a.timeAdvanceRequest(HLAinteger64Time(6));
  grant(6);
  EXPECT_FALSE(accepts(ship, 6));
  EXPECT_TRUE(accepts(ship, 7));
}

TEST_F(Services, RetractWhatWasSentInTimeStampOrder) {
  const auto ship = r.object();
  const HLAinteger64Time ten(10);
  EXPECT_FALSE(a.updateAttributeValues(ship, values({x}), r.tag, ten).isValid());
  r.regulate(1);
  EXPECT_FALSE(a.updateAttributeValues(ship, values({y}), r.tag, ten).isValid());
  const auto first = a.updateAttributeValues(ship, values({x, y}), r.tag, ten);
  a.publishInteractionClass(class_of_i);
  const auto second = a.sendInteraction(class_of_i, {}, r.tag, ten);
  EXPECT_TRUE(first.isValid() && second.isValid() && first != second);
  a.retract(first);
  EXPECT_EQ(r.rti.last<wire::Retract>().retraction, number(first));
  EXPECT_THROW(a.retract({}), InvalidMessageRetractionHandle);
  EXPECT_THROW(a.retract(retraction(8, 1)), InvalidMessageRetractionHandle);  // another federate's
  EXPECT_THROW(a.retract(retraction(7, 3)), InvalidMessageRetractionHandle);  // not sent yet
  a.changeInteractionOrderType(class_of_i, RECEIVE);
  EXPECT_FALSE(a.sendInteraction(class_of_i, {}, r.tag, ten).isValid());
  a.changeAttributeOrderType(ship, r.y, TIMESTAMP);
  EXPECT_TRUE(a.updateAttributeValues(ship, values({y}), r.tag, ten).isValid());
}

}  // namespace
}  // namespace vernier::hla
