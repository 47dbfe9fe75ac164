// Time management, through the standard interface.
#include "rig.hpp"

namespace vernier::federation_tests {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class TimeServices : public Federation {
 protected:
  void SetUp() override {
    Federation::SetUp();
    join_all();
    first_publishes();
    object = registered(ball, "one");
  }
  MessageRetractionHandle send(Integer64 time, const std::string& text = "x") {
    return (*this)[0]->updateAttributeValues(object, {{place, value(text)}}, tag,
                                             HLAinteger64Time(time));
  }
  void advance(int i, Integer64 time) { (*this)[i]->timeAdvanceRequest(HLAinteger64Time(time)); }
  static std::string seen(Integer64 time, const std::string& text = "x",
                          const std::string& orders = "T>T") {
    return "reflect(one, Place=" + text + ", tag, " + orders + ", " + std::to_string(time) + ")";
  }
  ObjectInstanceHandle object;
};

TEST_P(TimeServices, RegulationAndConstraintAreSwitched) {
  Member &a = (*this)[0], &b = (*this)[1];
  EXPECT_THROW(a->enableTimeRegulation(HLAinteger64Interval(-1)), InvalidLookahead);
  EXPECT_THROW(a->disableTimeRegulation(), TimeRegulationIsNotEnabled);
  EXPECT_THROW(a->disableTimeConstrained(), TimeConstrainedIsNotEnabled);
  HLAinteger64Interval lookahead;
  EXPECT_THROW(a->queryLookahead(lookahead), TimeRegulationIsNotEnabled);
  EXPECT_THROW(a->modifyLookahead(HLAinteger64Interval(1)), TimeRegulationIsNotEnabled);
  HLAinteger64Time t;
  EXPECT_FALSE(b->queryGALT(t));
  EXPECT_FALSE(b->queryLITS(t));
  a->enableTimeRegulation(HLAinteger64Interval(2));
  ASSERT_TRUE(wait(0, "regulating(0)"));
  EXPECT_THROW(a->enableTimeRegulation(HLAinteger64Interval(2)), TimeRegulationAlreadyEnabled);
  a->queryLookahead(lookahead);
  EXPECT_EQ(lookahead.getInterval(), 2);
  b->enableTimeConstrained();
  ASSERT_TRUE(wait(1, "constrained(0)"));
  EXPECT_THROW(b->enableTimeConstrained(), TimeConstrainedAlreadyEnabled);
  EXPECT_TRUE(b->queryGALT(t));
  EXPECT_EQ(t.getTime(), 2);
  EXPECT_FALSE(a->queryGALT(t));  // nobody else regulates
  a->modifyLookahead(HLAinteger64Interval(5));
  a->queryLookahead(lookahead);
  EXPECT_EQ(lookahead.getInterval(), 5);
  EXPECT_TRUE(b->queryGALT(t));
  EXPECT_EQ(t.getTime(), 5);
  a->disableTimeRegulation();
  EXPECT_FALSE(b->queryGALT(t));
  b->disableTimeConstrained();
  // who comes later begins where the constrained ones are
  forget();
  b->enableTimeConstrained();
  ASSERT_TRUE(wait(1, "constrained("));
  advance(1, 10);
  ASSERT_TRUE(wait(1, "granted(10)"));
  forget();
  a->enableTimeRegulation(HLAinteger64Interval(3));
  ASSERT_TRUE(wait(0, "regulating("));
  EXPECT_GE(a.seen.time.getTime() + 3, 10);
}

TEST_P(TimeServices, GrantsComeWhenNobodyCanSendEarlier) {
  manage_time(1);
  advance(0, 10);
  EXPECT_THAT(took(0), IsEmpty());
  EXPECT_THROW(advance(0, 12), InTimeAdvancingState);
  EXPECT_THROW((*this)[0]->modifyLookahead(HLAinteger64Interval(2)), InTimeAdvancingState);
  HLAinteger64Time t;
  EXPECT_TRUE((*this)[0]->queryGALT(t));
  EXPECT_EQ(t.getTime(), 1);
  for (int i = 1; i < size(); ++i) advance(i, 10);
  for (int i = 0; i < size(); ++i) EXPECT_THAT(took(i), ElementsAre("granted(10)"));
  (*this)[0]->queryLogicalTime(t);
  EXPECT_EQ(t.getTime(), 10);
  EXPECT_THROW(advance(0, 9), LogicalTimeAlreadyPassed);
  EXPECT_THROW(send(10), InvalidLogicalTime);  // before the time plus the lookahead
  send(11);
  advance(0, 10);  // the same time again; nobody has moved
  EXPECT_THAT(took(0), ElementsAre("granted(10)"));
}

TEST_P(TimeServices, MessagesComeInTheOrderOfTheirTimesAndBeforeTheGrant) {
  manage_time(1);
  send(7);
  send(3);
  send(12);
  send(5);
  (*this)[0]->sendInteraction(kick, {{force, value("2")}}, tag, HLAinteger64Time(4));
  HLAinteger64Time t;
  EXPECT_TRUE((*this)[1]->queryLITS(t));
  EXPECT_EQ(t.getTime(), 1);  // more may come from 1 on
  for (int i = 0; i < size(); ++i) advance(i, 5);
  for (int i = 1; i < size(); ++i)
    EXPECT_THAT(took(i),
                ElementsAre(seen(3), "receive(Kick, Force=2, tag, T>T, 4)", seen(5), "granted(5)"));
  for (int i = 0; i < size(); ++i) advance(i, 11);
  for (int i = 1; i < size(); ++i) EXPECT_THAT(took(i), ElementsAre(seen(7), "granted(11)"));
  (*this)[0]->deleteObjectInstance(object, value("bye"), HLAinteger64Time(13));
  for (int i = 0; i < size(); ++i) advance(i, 20);
  for (int i = 1; i < size(); ++i)
    EXPECT_THAT(took(i), ElementsAre(seen(12), "remove(one, bye, T>T, 13)", "granted(20)"));
}

TEST_P(TimeServices, WhoIsNotManagedSendsAndReceivesAtOnce) {
  // neither regulates nor is constrained
  send(7);
  EXPECT_THAT(took(1), ElementsAre(seen(7, "x", "R>R")));
  (*this)[0]->enableTimeRegulation(HLAinteger64Interval(1));
  ASSERT_TRUE(wait(0, "regulating("));
  send(8);
  EXPECT_THAT(took(1), ElementsAre(seen(8, "x", "T>R")));
  // attributes of receive order go that way, in a message of their own
  (*this)[1]->enableTimeConstrained();
  ASSERT_TRUE(wait(1, "constrained("));
  forget();
  (*this)[1]->enableAsynchronousDelivery();
  EXPECT_THROW((*this)[1]->enableAsynchronousDelivery(), AsynchronousDeliveryAlreadyEnabled);
  (*this)[0]->updateAttributeValues(object, {{place, value("a")}, {color, value("red")}}, tag,
                                    HLAinteger64Time(9));
  EXPECT_THAT(took(1), ElementsAre("reflect(one, Color=red, tag, R>R, 9)"));
  // the order may be changed
  (*this)[0]->changeAttributeOrderType(object, {place}, RECEIVE);
  EXPECT_THROW((*this)[1]->changeAttributeOrderType(object, {place}, RECEIVE), AttributeNotOwned);
  send(10, "b");
  EXPECT_THAT(took(1), ElementsAre(seen(10, "b", "R>R")));
  (*this)[0]->changeInteractionOrderType(kick, RECEIVE);
  (*this)[0]->sendInteraction(kick, {}, tag, HLAinteger64Time(11));
  EXPECT_THAT(took(1), ElementsAre("receive(Kick, , tag, R>R, 11)"));
  (*this)[1]->disableAsynchronousDelivery();
  EXPECT_THROW((*this)[1]->disableAsynchronousDelivery(), AsynchronousDeliveryAlreadyDisabled);
  // a constrained federate that does not advance gets nothing any more
  send(12, "c");
  EXPECT_THAT(took(1), IsEmpty());
  advance(1, 1);
  ASSERT_TRUE(wait(1, "reflect("));
}

TEST_P(TimeServices, NextMessageRequestsStopAtTheNextMessage) {
  manage_time(1);
  send(4, "a");
  send(4, "b");
  send(6, "c");
  for (int i = 0; i < size(); ++i) {
    if (i != 1) advance(i, 20);
  }
  (*this)[1]->nextMessageRequest(HLAinteger64Time(10));
  EXPECT_THAT(took(1), ElementsAre(seen(4, "a"), seen(4, "b"), "granted(4)"));
  (*this)[1]->nextMessageRequestAvailable(HLAinteger64Time(10));
  EXPECT_THAT(took(1), ElementsAre(seen(6, "c"), "granted(6)"));
  (*this)[1]->nextMessageRequest(HLAinteger64Time(10));
  EXPECT_THAT(took(1), ElementsAre("granted(10)"));
}

TEST_P(TimeServices, AvailableRequestsAllowMoreAtTheSameTime) {
  (*this)[0]->enableTimeRegulation(HLAinteger64Interval(0));
  ASSERT_TRUE(wait(0, "regulating("));
  (*this)[1]->enableTimeConstrained();
  ASSERT_TRUE(wait(1, "constrained("));
  forget();
  (*this)[0]->timeAdvanceRequestAvailable(HLAinteger64Time(5));
  ASSERT_TRUE(wait(0, "granted(5)"));
  (*this)[1]->timeAdvanceRequestAvailable(HLAinteger64Time(5));
  ASSERT_TRUE(wait(1, "granted(5)"));
  forget();
  send(5);  // no lookahead
  settle();
  (*this)[1]->timeAdvanceRequestAvailable(HLAinteger64Time(5));
  EXPECT_THAT(took(1), ElementsAre(seen(5), "granted(5)"));
  advance(1, 5);
  EXPECT_THAT(took(1), IsEmpty());  // more may still come
  advance(0, 6);
  EXPECT_THAT(took(1), ElementsAre("granted(5)"));
  forget();
  EXPECT_THROW(send(6), InvalidLogicalTime);  // after a plain advance, even without lookahead
  send(7);
}

TEST_P(TimeServices, FlushedQueuesGiveEverythingAndALowGrant) {
  manage_time(1);
  send(20, "b");
  send(3, "a");
  settle();
  (*this)[1]->flushQueueRequest(HLAinteger64Time(10));
  EXPECT_THAT(took(1),
              ElementsAre(seen(3, "a"), seen(20, "b"), "granted(1)"));  // others may send from 1 on
}

TEST_P(TimeServices, MessagesAreRetracted) {
  EXPECT_THROW((*this)[0]->retract(MessageRetractionHandle()), TimeRegulationIsNotEnabled);
  manage_time(1);
  EXPECT_THROW((*this)[0]->retract(MessageRetractionHandle()), InvalidMessageRetractionHandle);
  const MessageRetractionHandle gone = send(3, "gone"), stays = send(4, "stays"),
                                late = send(9, "late");
  EXPECT_NE(gone, stays);
  (*this)[0]->retract(gone);
  EXPECT_THROW((*this)[0]->retract(gone), MessageCanNoLongerBeRetracted);
  for (int i = 0; i < size(); ++i) {
    if (i != 1) advance(i, 5);
  }
  (*this)[1]->flushQueueRequest(HLAinteger64Time(5));
  EXPECT_THAT(took(1), ElementsAre(seen(4, "stays"), seen(9, "late"), "granted(4)"));
  ASSERT_TRUE((*this)[1].seen.retraction.isValid());
  advance(1, 5);
  forget();
  EXPECT_THROW((*this)[0]->retract(stays), MessageCanNoLongerBeRetracted);  // its time has passed
  (*this)[0]->retract(late);
  EXPECT_THAT(took(1), ElementsAre("retract(last)"));  // had been delivered
  for (int i = 0; i < size(); ++i) advance(i, 20);
  for (int i = 2; i < size(); ++i) EXPECT_THAT(took(i), ElementsAre("granted(20)"));  // had not
}

TEST_P(TimeServices, AFederateThatResignsHoldsNobodyBack) {
  manage_time(1);
  for (int i = 1; i < size(); ++i) advance(i, 100);
  EXPECT_THAT(took(1), IsEmpty());
  (*this)[0]->resignFederationExecution(CANCEL_THEN_DELETE_THEN_DIVEST);
  (*this)[0].joined = false;
  for (int i = 1; i < size(); ++i) {
    ASSERT_TRUE(wait(i, "granted(100)")) << i;
    EXPECT_TRUE((*this)[i].seen.has("remove(one"));
  }
}

TEST_P(TimeServices, SavesHappenAtATime) {
  manage_time(1);
  EXPECT_THROW((*this)[0]->requestFederationSave(L"never", HLAinteger64Time(-1)), Exception);
  (*this)[0]->requestFederationSave(L"later", HLAinteger64Time(5));
  for (int i = 0; i < size(); ++i) EXPECT_THAT(took(i), IsEmpty());
  for (int i = 0; i < size(); ++i) advance(i, 10);
  for (int i = 0; i < size(); ++i) ASSERT_TRUE(wait(i, "save(later, 5)")) << i;
  for (int i = 0; i < size(); ++i) {
    EXPECT_FALSE((*this)[i].seen.has("granted("));
    (*this)[i]->federateSaveBegun();
    (*this)[i]->federateSaveComplete();
  }
  for (int i = 0; i < size(); ++i) ASSERT_TRUE(wait(i, "saved(")) << i;
  for (int i = 0; i < size(); ++i) ASSERT_TRUE(wait(i, "granted(10)")) << i;
}

// ---- regions

class Regions : public Federation {
 protected:
  void SetUp() override {
    Federation::SetUp();
    join_all();
  }
  RegionHandle region(int i, unsigned long from, unsigned long to) {
    const RegionHandle made = (*this)[i]->createRegion({ground});
    (*this)[i]->setRangeBounds(made, ground, RangeBounds(from, to));
    (*this)[i]->commitRegionModifications({made});
    return made;
  }
};

TEST_P(Regions, AreChecked) {
  Member &a = (*this)[0], &b = (*this)[1];
  EXPECT_THROW(a->createRegion({DimensionHandle()}), InvalidDimensionHandle);
  const RegionHandle mine = region(0, 10, 20);
  EXPECT_EQ(a->getRangeBounds(mine, ground).getLowerBound(), 10u);
  EXPECT_EQ(a->getDimensionHandleSet(mine), DimensionHandleSet{ground});
  EXPECT_THROW(a->setRangeBounds(mine, ground, RangeBounds(20, 10)), InvalidRangeBound);
  EXPECT_THROW(a->setRangeBounds(mine, ground, RangeBounds(0, 101)), InvalidRangeBound);
  EXPECT_THROW(a->setRangeBounds(mine, DimensionHandle(), RangeBounds(0, 1)),
               RegionDoesNotContainSpecifiedDimension);
  EXPECT_THROW(a->commitRegionModifications({RegionHandle()}), InvalidRegion);
  EXPECT_THROW(b->deleteRegion(mine), RegionNotCreatedByThisFederate);
  EXPECT_THROW(a->subscribeObjectClassAttributesWithRegions(ball, {{{color}, {mine}}}),
               InvalidRegionContext);
  a->subscribeObjectClassAttributesWithRegions(ball, {{{place}, {mine}}});
  EXPECT_THROW(a->deleteRegion(mine), RegionInUseForUpdateOrSubscription);
  a->unsubscribeObjectClassAttributesWithRegions(ball, {{{place}, {mine}}});
  a->deleteRegion(mine);
  EXPECT_THROW(a->getDimensionHandleSet(mine), InvalidRegion);
}

TEST_P(Regions, DecideWhoSeesAnObject) {
  Member& a = (*this)[0];
  a->publishObjectClassAttributes(ball, {place, color});
  for (int i = 1; i < size(); ++i)
    (*this)[i]->subscribeObjectClassAttributesWithRegions(ball, {{{place}, {region(i, 0, 10)}}});
  const RegionHandle far = region(0, 20, 30);
  a->reserveObjectInstanceName(L"one");
  ASSERT_TRUE(wait(0, "reserved("));
  const ObjectInstanceHandle one =
      a->registerObjectInstanceWithRegions(ball, {{{place}, {far}}}, L"one");
  for (int i = 1; i < size(); ++i) EXPECT_THAT(took(i), IsEmpty());
  a->setRangeBounds(far, ground, RangeBounds(5, 30));
  for (int i = 1; i < size(); ++i) EXPECT_THAT(took(i), IsEmpty());  // not committed
  a->commitRegionModifications({far});
  for (int i = 1; i < size(); ++i) EXPECT_THAT(took(i), ElementsAre("discover(one, Ball)"));
  a->updateAttributeValues(one, {{place, value("x")}}, tag);
  for (int i = 1; i < size(); ++i)
    EXPECT_THAT(took(i), ElementsAre("reflect(one, Place=x, tag, R)"));
  a->unassociateRegionsForUpdates(one, {{{place}, {far}}});  // everywhere
  a->associateRegionsForUpdates(one, {{{place}, {region(0, 50, 60)}}});
  a->updateAttributeValues(one, {{place, value("y")}}, tag);
  for (int i = 1; i < size(); ++i) EXPECT_THAT(took(i), IsEmpty());
}

TEST_P(Regions, DecideWhoHearsAnInteraction) {
  Member& a = (*this)[0];
  a->publishInteractionClass(kick);
  for (int i = 1; i < size(); ++i)
    (*this)[i]->subscribeInteractionClassWithRegions(kick, {region(i, 0, 10)});
  const RegionHandle here = region(0, 9, 12),
                     there = region(0, 10, 12);  // upper bounds are outside
  a->sendInteractionWithRegions(kick, {{force, value("1")}}, {there}, tag);
  a->sendInteractionWithRegions(kick, {{force, value("2")}}, {here}, tag);
  a->sendInteraction(kick, {{force, value("3")}},
                     tag);  // in the default region, which is everywhere
  for (int i = 1; i < size(); ++i)
    EXPECT_THAT(took(i),
                ElementsAre("receive(Kick, Force=2, tag, R)", "receive(Kick, Force=3, tag, R)"));
}

TEST_P(Regions, DecideWhoIsAskedForValues) {
  Member &a = (*this)[0], &b = (*this)[1];
  a->publishObjectClassAttributes(ball, {place});
  for (const auto& [called, from] :
       {std::pair<std::string, unsigned long>{"near", 0}, {"far", 50}}) {
    a->reserveObjectInstanceName(wide(called));
    ASSERT_TRUE(wait(0, "reserved(" + called));
    const ObjectInstanceHandle made = a->registerObjectInstanceWithRegions(
        ball, {{{place}, {region(0, from, from + 10)}}}, wide(called));
    a.seen.know(made, called);
  }
  forget();
  b->requestAttributeValueUpdateWithRegions(ball, {{{place}, {region(1, 5, 8)}}}, tag);
  EXPECT_THAT(took(0), ElementsAre("provide(near, {Place}, tag)"));
}

INSTANTIATE_TEST_SUITE_P(Services, TimeServices, ::testing::ValuesIn(all_setups()), name_of);
INSTANTIATE_TEST_SUITE_P(Services, Regions, ::testing::ValuesIn(all_setups()), name_of);

}  // namespace
}  // namespace vernier::federation_tests
