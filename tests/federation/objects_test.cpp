// Declaration, object and ownership management, through the standard interface.
#include "rig.hpp"

namespace vernier::federation_tests {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

class Objects : public Federation {
 protected:
  void SetUp() override {
    Federation::SetUp();
    join_all();
  }
  /// Everybody but the first has these lines, the first none.
  void expect_others(const Lines& lines) {
    EXPECT_THAT(took(0), IsEmpty());
    for (int i = 1; i < size(); ++i) EXPECT_EQ(took(i), lines) << i;
  }
};

TEST_P(Objects, AreDiscoveredAsTheClassThatIsSubscribed) {
  first_publishes();
  last()->subscribeObjectClassAttributes(heavy, {mass});
  (*this)[0]->registerObjectInstance(ball);
  const ObjectInstanceHandle stone = (*this)[0]->registerObjectInstance(heavy);
  const std::string first = narrow((*this)[0]->getObjectInstanceName(
      (*this)[0]->getObjectInstanceHandle((*this)[0]->getObjectInstanceName(stone))));
  for (int i = 1; i < size(); ++i) {
    const Lines lines = took(i);
    ASSERT_EQ(lines.size(), 2u) << i;
    EXPECT_THAT(lines[0], ::testing::EndsWith(", Ball)"));
    EXPECT_EQ(lines[1], "discover(" + first + (&(*this)[i] == &last() ? ", Heavy)" : ", Ball)"));
    EXPECT_EQ((*this)[i]->getKnownObjectClassHandle(stone), &(*this)[i] == &last() ? heavy : ball);
  }
  EXPECT_EQ((*this)[0]->getKnownObjectClassHandle(stone), heavy);
  EXPECT_THROW((*this)[0]->getKnownObjectClassHandle(ObjectInstanceHandle()),
               ObjectInstanceNotKnown);
}

TEST_P(Objects, AreDiscoveredWhenTheSubscriptionComesLater) {
  (*this)[0]->publishObjectClassAttributes(ball, {place, color});
  registered(ball, "one");
  for (int i = 1; i < size(); ++i) (*this)[i]->subscribeObjectClassAttributes(ball, {color});
  expect_others({"discover(one, Ball)"});
  (*this)[0]->updateAttributeValues((*this)[0]->getObjectInstanceHandle(L"one"),
                                    {{place, value("here")}, {color, value("red")}}, tag);
  expect_others({"reflect(one, Color=red, tag, R)"});
  for (int i = 1; i < size(); ++i) (*this)[i]->unsubscribeObjectClass(ball);
  (*this)[0]->updateAttributeValues((*this)[0]->getObjectInstanceHandle(L"one"),
                                    {{color, value("blue")}}, tag);
  expect_others({});
}

TEST_P(Objects, DeclarationsAreChecked) {
  Member& m = (*this)[0];
  EXPECT_THROW(m->publishObjectClassAttributes(ObjectClassHandle(), {place}),
               ObjectClassNotDefined);
  EXPECT_THROW(m->publishObjectClassAttributes(ball, {mass}), AttributeNotDefined);
  EXPECT_THROW(m->subscribeObjectClassAttributes(ball, {mass}), AttributeNotDefined);
  EXPECT_THROW(m->subscribeObjectClassAttributes(ball, {place}, true, L"Lowest"),
               InvalidUpdateRateDesignator);
  EXPECT_THROW(m->unsubscribeObjectClassAttributes(ball, {mass}), AttributeNotDefined);
  EXPECT_THROW(m->unpublishObjectClass(ObjectClassHandle()), ObjectClassNotDefined);
  EXPECT_THROW(m->publishInteractionClass(InteractionClassHandle()), InteractionClassNotDefined);
  EXPECT_THROW(m->subscribeInteractionClass(InteractionClassHandle()), InteractionClassNotDefined);
  EXPECT_THROW(m->registerObjectInstance(ball), ObjectClassNotPublished);
  EXPECT_THROW(m->registerObjectInstance(ObjectClassHandle()), ObjectClassNotDefined);
  EXPECT_THROW(m->sendInteraction(kick, {}, tag), InteractionClassNotPublished);
}

TEST_P(Objects, HaveReservedNames) {
  Member &a = (*this)[0], &b = (*this)[1];
  a->publishObjectClassAttributes(ball, {place});
  b->publishObjectClassAttributes(ball, {place});
  EXPECT_THROW(a->reserveObjectInstanceName(L"HLAball"), IllegalName);
  EXPECT_THROW(a->registerObjectInstance(ball, L"one"), ObjectInstanceNameNotReserved);
  a->reserveObjectInstanceName(L"one");
  EXPECT_THAT(took(0), ElementsAre("reserved(one)"));
  b->reserveObjectInstanceName(L"one");
  EXPECT_THAT(took(1), ElementsAre("not reserved(one)"));
  EXPECT_THROW(b->registerObjectInstance(ball, L"one"), ObjectInstanceNameNotReserved);
  EXPECT_THROW(b->releaseObjectInstanceName(L"one"), ObjectInstanceNameNotReserved);
  a->releaseObjectInstanceName(L"one");
  EXPECT_THROW(a->reserveMultipleObjectInstanceName({}), NameSetWasEmpty);
  b->reserveMultipleObjectInstanceName({L"one", L"two"});
  EXPECT_THAT(took(1), ElementsAre("all reserved(one, two)"));
  a->reserveMultipleObjectInstanceName({L"two", L"three"});
  EXPECT_THAT(took(0), ElementsAre("not all reserved(three, two)"));
  const ObjectInstanceHandle object = b->registerObjectInstance(ball, L"two");
  EXPECT_THROW(b->registerObjectInstance(ball, L"two"), ObjectInstanceNameInUse);
  EXPECT_EQ(b->getObjectInstanceName(object), L"two");
  b->releaseMultipleObjectInstanceName({L"one"});
}

TEST_P(Objects, UpdatesReachThoseWhoWantThemInOrder) {
  first_publishes();
  const ObjectInstanceHandle object = registered(heavy, "one");
  Lines expected;
  for (int i = 0; i < 20; ++i) {
    const std::string v = std::to_string(i);
    (*this)[0]->updateAttributeValues(object, {{color, value(v)}, {mass, value("9")}},
                                      value("t" + v));
    expected.push_back("reflect(one, Color=" + v + ", t" + v + ", R)");
  }
  expect_others(expected);
  (*this)[0]->updateAttributeValues(object, {{place, value("there")}}, VariableLengthData());
  expect_others({"reflect(one, Place=there, , R)"});  // no time given: receive order
  (*this)[0]->updateAttributeValues(object, {{mass, value("9")}}, tag);
  expect_others({});
  EXPECT_THROW((*this)[0]->updateAttributeValues(ObjectInstanceHandle(), {}, tag),
               ObjectInstanceNotKnown);
  EXPECT_THROW((*this)[1]->updateAttributeValues(object, {{color, value("x")}}, tag),
               AttributeNotOwned);
  const ObjectInstanceHandle light = registered(ball, "light");
  EXPECT_THROW((*this)[0]->updateAttributeValues(light, {{mass, value("x")}}, tag),
               AttributeNotDefined);
}

TEST_P(Objects, LargeValuesArriveWhole) {
  first_publishes();
  const ObjectInstanceHandle object = registered(ball, "one");
  const std::string large(300000, 'x');
  (*this)[0]->updateAttributeValues(object, {{color, value(large)}}, tag);
  expect_others({"reflect(one, Color=" + large + ", tag, R)"});
}

TEST_P(Objects, InteractionsAreReceivedAsTheClassThatIsSubscribed) {
  first_publishes();
  last()->subscribeInteractionClass(hard);
  (*this)[0]->sendInteraction(hard, {{force, value("5")}, {sound, value("boom")}}, tag);
  (*this)[0]->sendInteraction(shout, {}, VariableLengthData());
  for (int i = 1; i < size(); ++i)
    EXPECT_THAT(took(i), ElementsAre(i == size() - 1 ? "receive(Hard, Force=5 Sound=boom, tag, R)"
                                                     : "receive(Kick, Force=5, tag, R)",
                                     "receive(Shout, , , R)"));
  EXPECT_THAT(took(0), IsEmpty());
  EXPECT_THROW((*this)[0]->sendInteraction(kick, {{sound, value("x")}}, tag),
               InteractionParameterNotDefined);
  EXPECT_THROW((*this)[0]->sendInteraction(InteractionClassHandle(), {}, tag),
               InteractionClassNotDefined);
  (*this)[0]->unpublishInteractionClass(shout);
  EXPECT_THROW((*this)[0]->sendInteraction(shout, {}, tag), InteractionClassNotPublished);
  for (int i = 1; i < size(); ++i) (*this)[i]->unsubscribeInteractionClass(kick);
  (*this)[0]->sendInteraction(kick, {}, tag);
  expect_others({});
}

TEST_P(Objects, AreRemovedOnceAndForAll) {
  first_publishes();
  const ObjectInstanceHandle object = registered(ball, "one");
  EXPECT_THROW((*this)[1]->deleteObjectInstance(object, tag), DeletePrivilegeNotHeld);
  EXPECT_THROW((*this)[0]->localDeleteObjectInstance(object), FederateOwnsAttributes);
  (*this)[1]->localDeleteObjectInstance(object);
  EXPECT_THROW((*this)[1]->localDeleteObjectInstance(object), ObjectInstanceNotKnown);
  (*this)[0]->updateAttributeValues(object, {{color, value("red")}}, tag);
  EXPECT_THAT(took(1), ElementsAre("discover(one, Ball)", "reflect(one, Color=red, tag, R)"));
  forget();
  (*this)[0]->deleteObjectInstance(object, value("bye"));
  expect_others({"remove(one, bye, R)"});
  for (int i = 0; i < size(); ++i)
    EXPECT_THROW((*this)[i]->getObjectInstanceName(object), ObjectInstanceNotKnown) << i;
  EXPECT_THROW((*this)[0]->deleteObjectInstance(object, tag), ObjectInstanceNotKnown);
}

TEST_P(Objects, GoWithTheirFederateOrStay) {
  first_publishes();
  registered(ball, "one");
  EXPECT_THROW((*this)[0]->resignFederationExecution(NO_ACTION), FederateOwnsAttributes);
  (*this)[0]->resignFederationExecution(UNCONDITIONALLY_DIVEST_ATTRIBUTES);
  (*this)[0].joined = false;
  settle();
  (*this)[1].seen.take();
  const ObjectInstanceHandle object = (*this)[1]->getObjectInstanceHandle(L"one");
  (*this)[1]->queryAttributeOwnership(object, place);
  EXPECT_THAT(took(1), ElementsAre("owner(one, Place, nobody)"));
  (*this)[1]->publishObjectClassAttributes(ball, {place});
  forget();
  (*this)[1]->attributeOwnershipAcquisitionIfAvailable(object, {place, privilege});
  EXPECT_THAT(took(1), ElementsAre("acquired(one, {Privilege Place}, )"));
  (*this)[1]->resignFederationExecution(DELETE_OBJECTS_THEN_DIVEST);
  (*this)[1].joined = false;
  for (int i = 2; i < size(); ++i) EXPECT_THAT(took(i), ::testing::Contains("remove(one, , R)"));
}

TEST_P(Objects, ValuesAreProvidedOnRequest) {
  first_publishes();
  const ObjectInstanceHandle one = registered(ball, "one");
  registered(heavy, "two");
  (*this)[1]->requestAttributeValueUpdate(one, {place, color}, value("please"));
  EXPECT_THAT(took(0), ElementsAre("provide(one, {Place Color}, please)"));
  (*this)[1]->requestAttributeValueUpdate(ball, {color}, tag);
  EXPECT_THAT(took(0),
              UnorderedElementsAre("provide(one, {Color}, tag)", "provide(two, {Color}, tag)"));
  EXPECT_THROW((*this)[1]->requestAttributeValueUpdate(one, {mass}, tag), AttributeNotDefined);
  EXPECT_THROW((*this)[1]->requestAttributeValueUpdate(ObjectInstanceHandle(), {place}, tag),
               ObjectInstanceNotKnown);
  EXPECT_THROW((*this)[1]->requestAttributeValueUpdate(ObjectClassHandle(), {place}, tag),
               ObjectClassNotDefined);
}

TEST_P(Objects, TransportationsChange) {
  first_publishes();
  const ObjectInstanceHandle one = registered(ball, "one");
  (*this)[0]->requestAttributeTransportationTypeChange(one, {place}, BEST_EFFORT);
  EXPECT_THAT(took(0), ElementsAre("transportation changed(one, {Place}, best effort)"));
  (*this)[1]->queryAttributeTransportationType(one, place);
  (*this)[1]->queryAttributeTransportationType(one, color);
  EXPECT_THAT(took(1), ElementsAre("transportation(one, Place, best effort)",
                                   "transportation(one, Color, reliable)"));
  (*this)[0]->requestInteractionTransportationTypeChange(kick, BEST_EFFORT);
  EXPECT_THAT(took(0), ElementsAre("transportation changed(Kick, best effort)"));
  (*this)[1]->queryInteractionTransportationType((*this)[0].handle, kick);
  EXPECT_THAT(took(1), ElementsAre("transportation(f0, Kick, best effort)"));
  EXPECT_THROW((*this)[1]->requestAttributeTransportationTypeChange(one, {place}, RELIABLE),
               AttributeNotOwned);
  EXPECT_THROW((*this)[1]->requestInteractionTransportationTypeChange(kick, RELIABLE),
               InteractionClassNotPublished);
}

TEST_P(Objects, AdvisoriesTellWhetherAnybodyListens) {
  Member &a = (*this)[0], &b = (*this)[1];
  a->enableObjectClassRelevanceAdvisorySwitch();
  a->enableInteractionRelevanceAdvisorySwitch();
  a->enableAttributeRelevanceAdvisorySwitch();
  b->enableAttributeScopeAdvisorySwitch();
  a->publishObjectClassAttributes(ball, {place, color});
  a->publishInteractionClass(kick);
  const ObjectInstanceHandle one = registered(ball, "one");
  b->subscribeInteractionClass(kick);
  EXPECT_THAT(took(0), ElementsAre("interactions on(Kick)"));
  b->unsubscribeInteractionClass(kick);
  EXPECT_THAT(took(0), ElementsAre("interactions off(Kick)"));
  b->subscribeObjectClassAttributes(ball, {place});
  EXPECT_THAT(took(0),
              UnorderedElementsAre("start registration(Ball)", "updates on(one, {Place})"));
  EXPECT_THAT(took(1), ElementsAre("discover(one, Ball)", "in scope(one, {Place})"));
  b->unsubscribeObjectClass(ball);
  EXPECT_THAT(took(0),
              UnorderedElementsAre("stop registration(Ball)", "updates off(one, {Place})"));
  EXPECT_THAT(took(1), ElementsAre("out of scope(one, {Place})"));
  EXPECT_EQ(b->getObjectInstanceHandle(L"one"), one);
}

// ---- ownership

class Ownership : public Objects {
 protected:
  void SetUp() override {
    Objects::SetUp();
    for (int i = 0; i < 2; ++i) {
      (*this)[i]->publishObjectClassAttributes(ball, {place, color});
      (*this)[i]->subscribeObjectClassAttributes(ball, {place, color});
    }
    object = registered(ball, "one");
  }
  ObjectInstanceHandle object;
};

TEST_P(Ownership, IsKnown) {
  EXPECT_TRUE((*this)[0]->isAttributeOwnedByFederate(object, place));
  EXPECT_FALSE((*this)[1]->isAttributeOwnedByFederate(object, place));
  (*this)[1]->queryAttributeOwnership(object, place);
  EXPECT_THAT(took(1), ElementsAre("owner(one, Place, f0)"));
  EXPECT_THROW((*this)[1]->queryAttributeOwnership(object, mass), AttributeNotDefined);
  EXPECT_THROW((*this)[1]->isAttributeOwnedByFederate(ObjectInstanceHandle(), place),
               ObjectInstanceNotKnown);
}

TEST_P(Ownership, IsGivenAwayUnconditionally) {
  EXPECT_THROW((*this)[1]->unconditionalAttributeOwnershipDivestiture(object, {place}),
               AttributeNotOwned);
  (*this)[0]->unconditionalAttributeOwnershipDivestiture(object, {place});
  EXPECT_FALSE((*this)[0]->isAttributeOwnedByFederate(object, place));
  EXPECT_THAT(took(1), ElementsAre("assume(one, {Place}, )"));
  (*this)[1]->attributeOwnershipAcquisition(object, {place}, tag);
  EXPECT_THAT(took(1), ElementsAre("acquired(one, {Place}, tag)"));
  (*this)[1]->updateAttributeValues(object, {{place, value("mine")}}, tag);
  EXPECT_THAT(took(0), ElementsAre("reflect(one, Place=mine, tag, R)"));
  EXPECT_THROW((*this)[0]->updateAttributeValues(object, {{place, value("x")}}, tag),
               AttributeNotOwned);
}

TEST_P(Ownership, IsNegotiated) {
  (*this)[0]->negotiatedAttributeOwnershipDivestiture(object, {place}, value("take it"));
  EXPECT_THROW((*this)[0]->negotiatedAttributeOwnershipDivestiture(object, {place}, tag),
               AttributeAlreadyBeingDivested);
  EXPECT_THAT(took(1), ElementsAre("assume(one, {Place}, take it)"));
  EXPECT_TRUE((*this)[0]->isAttributeOwnedByFederate(object, place));
  EXPECT_THROW((*this)[0]->confirmDivestiture(object, {color}, tag),
               AttributeDivestitureWasNotRequested);
  EXPECT_THROW((*this)[0]->confirmDivestiture(object, {place}, tag), NoAcquisitionPending);
  (*this)[1]->attributeOwnershipAcquisition(object, {place}, value("please"));
  EXPECT_THAT(took(0), ElementsAre("confirm divestiture(one, {Place})"));
  (*this)[0]->confirmDivestiture(object, {place}, value("done"));
  EXPECT_THAT(took(1), ElementsAre("acquired(one, {Place}, done)"));
  EXPECT_TRUE((*this)[1]->isAttributeOwnedByFederate(object, place));
  EXPECT_THROW((*this)[0]->cancelNegotiatedAttributeOwnershipDivestiture(object, {place}),
               AttributeNotOwned);
}

TEST_P(Ownership, NegotiationsAreCancelled) {
  EXPECT_THROW((*this)[0]->cancelNegotiatedAttributeOwnershipDivestiture(object, {place}),
               AttributeDivestitureWasNotRequested);
  (*this)[0]->negotiatedAttributeOwnershipDivestiture(object, {place}, tag);
  (*this)[0]->cancelNegotiatedAttributeOwnershipDivestiture(object, {place});
  EXPECT_TRUE((*this)[0]->isAttributeOwnedByFederate(object, place));
  forget();
  (*this)[1]->attributeOwnershipAcquisition(object, {place}, tag);
  EXPECT_THAT(took(0), ElementsAre("release(one, {Place}, tag)"));
  EXPECT_THROW((*this)[1]->resignFederationExecution(NO_ACTION), OwnershipAcquisitionPending);
  (*this)[1]->cancelAttributeOwnershipAcquisition(object, {place});
  EXPECT_THAT(took(1), ElementsAre("acquisition cancelled(one, {Place})"));
  EXPECT_THROW((*this)[1]->cancelAttributeOwnershipAcquisition(object, {place}),
               AttributeAcquisitionWasNotRequested);
  EXPECT_THROW((*this)[0]->cancelAttributeOwnershipAcquisition(object, {place}),
               AttributeAlreadyOwned);
}

TEST_P(Ownership, IsAskedForAndGivenOrDenied) {
  (*this)[1]->attributeOwnershipAcquisitionIfAvailable(object, {place});
  EXPECT_THAT(took(1), ElementsAre("unavailable(one, {Place})"));
  EXPECT_THAT(took(0), IsEmpty());
  (*this)[1]->attributeOwnershipAcquisition(object, {place, color}, value("please"));
  EXPECT_THAT(took(0), ElementsAre("release(one, {Place Color}, please)"));
  EXPECT_THROW((*this)[1]->attributeOwnershipAcquisitionIfAvailable(object, {place}),
               AttributeAlreadyBeingAcquired);
  (*this)[0]->attributeOwnershipReleaseDenied(object, {color});
  EXPECT_THAT(took(1), ElementsAre("unavailable(one, {Color})"));
  AttributeHandleSet divested;
  (*this)[0]->attributeOwnershipDivestitureIfWanted(object, {place, color}, divested);
  EXPECT_EQ(divested, AttributeHandleSet{place});  // nobody waits for the other
  EXPECT_THAT(took(1), ElementsAre("acquired(one, {Place}, )"));
  EXPECT_THROW((*this)[0]->attributeOwnershipReleaseDenied(object, {place}), AttributeNotOwned);
  EXPECT_THROW((*this)[1]->attributeOwnershipAcquisition(object, {place}, tag),
               FederateOwnsAttributes);
  if (size() > 2) {
    last()->subscribeObjectClassAttributes(ball, {place});
    settle();
    EXPECT_THROW(last()->attributeOwnershipAcquisition(object, {place}, tag),
                 ObjectClassNotPublished);
    last()->publishObjectClassAttributes(ball, {place});
    EXPECT_THROW(last()->attributeOwnershipAcquisition(object, {color}, tag),
                 AttributeNotPublished);
  }
}

TEST_P(Ownership, OfTheRtiIsNotToBeHad) {
  Member& m = (*this)[1];
  const ObjectClassHandle federate =
      m->getObjectClassHandle(L"HLAobjectRoot.HLAmanager.HLAfederate");
  const AttributeHandle called = m->getAttributeHandle(federate, L"HLAfederateName");
  names_.attributes[called] = "Name";
  m->publishObjectClassAttributes(federate, {called});
  m->subscribeObjectClassAttributes(federate, {called});
  forget();
  const ObjectInstanceHandle own = m->getObjectInstanceHandle(L"HLAfederate.f0");
  m.seen.know(own, "first");
  m->queryAttributeOwnership(own, called);
  m->attributeOwnershipAcquisition(own, {called}, tag);
  m->attributeOwnershipAcquisitionIfAvailable(own, {called});
  EXPECT_THAT(took(1), ElementsAre("owner(first, Name, RTI)", "unavailable(first, {Name})",
                                   "unavailable(first, {Name})"));
}

TEST_P(Objects, NamesAreFreeAgainWhenTheirInstanceIsDeleted) {
  first_publishes();
  const ObjectInstanceHandle one = registered(ball, "one");
  (*this)[1]->reserveObjectInstanceName(L"one");
  EXPECT_THAT(took(1), ElementsAre("not reserved(one)"));
  (*this)[0]->deleteObjectInstance(one, tag);
  forget();
  (*this)[1]->reserveObjectInstanceName(L"one");
  EXPECT_THAT(took(1), ElementsAre("reserved(one)"));
}

INSTANTIATE_TEST_SUITE_P(Services, Objects, ::testing::ValuesIn(all_setups()), name_of);
INSTANTIATE_TEST_SUITE_P(Services, Ownership, ::testing::ValuesIn(all_setups()), name_of);

}  // namespace
}  // namespace vernier::federation_tests
