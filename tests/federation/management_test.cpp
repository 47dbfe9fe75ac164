// Federation management and support services, through the standard interface. Numbers in names of
// failures are those of the enumerations of IEEE 1516.1-2010.
#include <RTI/encoding/BasicDataElements.h>

#include "rig.hpp"

namespace vernier::federation_tests {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class Management : public Federation {
 protected:
  void all_save() {
    for (int i = 0; i < size(); ++i) {
      (*this)[i]->federateSaveBegun();
      (*this)[i]->federateSaveComplete();
    }
  }
  void expect_all(const Lines& lines) {
    for (int i = 0; i < size(); ++i) EXPECT_EQ(took(i), lines) << i;
  }
};

const std::wstring source = L"" VERNIER_SOURCE_DIR;

TEST_P(Management, ConnectsOnceAndOnlyToWhatIsThere) {
  Member& first = (*this)[0];
  EXPECT_THROW(first->connect(first.seen, HLA_EVOKED), AlreadyConnected);
  const std::unique_ptr<RTIambassador> other(
      RTIambassadorFactory().createRTIambassador().release());
  EXPECT_THROW(other->listFederationExecutions(), NotConnected);
  EXPECT_THROW(other->createFederationExecution(name, module), NotConnected);
  EXPECT_THROW(other->joinFederationExecution(L"type", name), NotConnected);
  EXPECT_THROW(other->publishInteractionClass(InteractionClassHandle()), NotConnected);
  EXPECT_THROW(other->connect(first.seen, HLA_EVOKED, L"tcp://127.0.0.1:1"), ConnectionFailed);
  EXPECT_THROW(other->connect(first.seen, HLA_EVOKED, L"carrier-pigeon://loft"),
               InvalidLocalSettingsDesignator);
}

TEST_P(Management, CreatesDestroysAndListsFederations) {
  Member& first = (*this)[0];
  create();
  EXPECT_THROW(create(), FederationExecutionAlreadyExists);
  const std::wstring other = name + L"A", time = L"HLAinteger64Time";
  EXPECT_THROW(first->createFederationExecution(other, L"/nowhere/none.xml", time),
               CouldNotOpenFDD);
  EXPECT_THROW(
      first->createFederationExecution(other, source + L"/formats/spacefom/bad/words.xml", time),
      ErrorReadingFDD);
  EXPECT_THROW(
      first->createFederationExecution(other, source + L"/formats/spacefom/good/lander.xml", time),
      InconsistentFDD);
  EXPECT_THROW(first->createFederationExecution(other, module, L"Sundial"),
               CouldNotCreateLogicalTimeFactory);
  const std::vector<std::wstring> modules{module};
  EXPECT_THROW(first->createFederationExecutionWithMIM(other, modules, L"HLAstandardMIM", time),
               DesignatorIsHLAstandardMIM);
  EXPECT_THROW(first->createFederationExecutionWithMIM(other, modules, L"/nowhere/mim.xml", time),
               CouldNotOpenMIM);
  first->createFederationExecutionWithMIM(other, modules,
                                          source + L"/formats/hla/HLAstandardMIM.xml");
  first->listFederationExecutions();
  ASSERT_TRUE(wait(0, "federations("));
  EXPECT_THAT(first.seen.take(), ElementsAre("federations(" + narrow(name) + ":HLAinteger64Time, " +
                                             narrow(other) + ":HLAfloat64Time)"));
  first->destroyFederationExecution(other);
  EXPECT_THROW(first->destroyFederationExecution(other), FederationExecutionDoesNotExist);
  join(0);
  EXPECT_THROW((*this)[1]->destroyFederationExecution(name), FederatesCurrentlyJoined);
  EXPECT_THROW(first->disconnect(), FederateIsExecutionMember);
}

TEST_P(Management, JoinsUnderAName) {
  EXPECT_THROW((*this)[0]->joinFederationExecution(L"type", name), FederationExecutionDoesNotExist);
  EXPECT_THROW((*this)[0]->resignFederationExecution(NO_ACTION), FederateNotExecutionMember);
  join_all();
  for (int i = 0; i < size(); ++i) {
    const std::wstring called = L"f" + std::to_wstring(i);
    EXPECT_EQ((*this)[0]->getFederateName((*this)[i].handle), called);
    EXPECT_EQ(last()->getFederateHandle(called), (*this)[i].handle);
  }
  EXPECT_THROW((*this)[0]->joinFederationExecution(L"type", name), FederateAlreadyExecutionMember);
  EXPECT_THROW((*this)[0]->getFederateHandle(L"nobody"), NameNotFound);
  EXPECT_THROW((*this)[0]->getFederateName(FederateHandle()), InvalidFederateHandle);

  Member& late = add();
  EXPECT_THROW(late->joinFederationExecution(L"f0", L"type", name), FederateNameAlreadyInUse);
  const FederateHandle nameless = late->joinFederationExecution(L"type", name);
  EXPECT_FALSE(late->getFederateName(nameless).empty());
  EXPECT_EQ((*this)[0]->getFederateHandle(late->getFederateName(nameless)), nameless);
  late->resignFederationExecution(NO_ACTION);
  EXPECT_THROW(late->publishInteractionClass(kick), FederateNotExecutionMember);
  EXPECT_THROW((*this)[0]->getFederateName(nameless), FederateHandleNotKnown);
  // again, by the same ambassador
  EXPECT_NE(late->joinFederationExecution(L"late", L"type", name), nameless);
  late->resignFederationExecution(NO_ACTION);
}

TEST_P(Management, TakesModulesOfLaterFederates) {
  join_all();
  Member& late = add();
  using Modules = std::vector<std::wstring>;
  EXPECT_THROW(late->joinFederationExecution(L"type", name, Modules{L"/nowhere/none.xml"}),
               CouldNotOpenFDD);
  EXPECT_THROW(late->joinFederationExecution(
                   L"type", name, Modules{source + L"/formats/spacefom/good/lander.xml"}),
               InconsistentFDD);
  EXPECT_THROW((*this)[0]->getObjectClassHandle(L"HLAobjectRoot.Goal"), NameNotFound);
  late->joinFederationExecution(L"type", name, Modules{source + L"/tests/federation/more.xml"});
  const ObjectClassHandle goal = late->getObjectClassHandle(L"HLAobjectRoot.Goal");
  EXPECT_EQ(late->getObjectClassHandle(L"Ball"), ball);  // what was there keeps its handle
  settle();
  EXPECT_EQ((*this)[0]->getObjectClassHandle(L"HLAobjectRoot.Goal"), goal);
  (*this)[0]->publishObjectClassAttributes(goal, {(*this)[0]->getAttributeHandle(goal, L"Score")});
  late->resignFederationExecution(NO_ACTION);
}

TEST_P(Management, SynchronizesWhenAllHaveAchieved) {
  join_all();
  (*this)[0]->registerFederationSynchronizationPoint(L"start", tag);
  EXPECT_THAT(took(0), ElementsAre("registered(start)", "announce(start, tag)"));
  for (int i = 1; i < size(); ++i) EXPECT_THAT(took(i), ElementsAre("announce(start, tag)"));
  (*this)[1]->registerFederationSynchronizationPoint(L"start", tag);
  EXPECT_THAT(took(1), ElementsAre("not registered(start, not unique)"));
  EXPECT_THROW((*this)[0]->synchronizationPointAchieved(L"finish"),
               SynchronizationPointLabelNotAnnounced);
  for (int i = 1; i < size(); ++i) (*this)[i]->synchronizationPointAchieved(L"start");
  expect_all({});
  (*this)[0]->synchronizationPointAchieved(L"start", false);
  expect_all({"synchronized(start, f0)"});
  EXPECT_THROW((*this)[0]->synchronizationPointAchieved(L"start"),
               SynchronizationPointLabelNotAnnounced);
  // the label is free again
  (*this)[1]->registerFederationSynchronizationPoint(L"start", VariableLengthData());
  EXPECT_THAT(took(0), ElementsAre("announce(start, )"));
}

TEST_P(Management, SynchronizesOnlyThoseOfTheSet) {
  join_all();
  const FederateHandleSet two{(*this)[0].handle, (*this)[1].handle};
  last()->registerFederationSynchronizationPoint(L"pair", tag, two);
  for (int i = 0; i < 2; ++i) {
    const Lines told = took(i);
    EXPECT_EQ(std::count(told.begin(), told.end(), "announce(pair, tag)"), 1);
  }
  for (int i = 2; i < size(); ++i)
    EXPECT_EQ(took(i), i == size() - 1 ? Lines{"registered(pair)"} : Lines{});
  (*this)[0]->synchronizationPointAchieved(L"pair");
  (*this)[1]->synchronizationPointAchieved(L"pair");
  for (int i = 0; i < size(); ++i)
    EXPECT_EQ(took(i), i < 2 ? Lines{"synchronized(pair)"} : Lines{}) << i;
  if (size() > 2) {
    EXPECT_THROW((*this)[2]->synchronizationPointAchieved(L"pair"),
                 SynchronizationPointLabelNotAnnounced);
  }
  // a handle that is none, and one of somebody who is gone
  EXPECT_THROW((*this)[0]->registerFederationSynchronizationPoint(L"x", tag, {FederateHandle()}),
               InvalidFederateHandle);
  last()->resignFederationExecution(NO_ACTION);
  last().joined = false;
  (*this)[0]->registerFederationSynchronizationPoint(L"x", tag, {last().handle});
  EXPECT_THAT(took(0), ElementsAre("not registered(x, not joined)"));
}

TEST_P(Management, TellsLateFederatesOfOpenPointsAndForgetsThoseWhoResign) {
  join_all();
  (*this)[0]->registerFederationSynchronizationPoint(L"open", tag);
  forget();
  for (int i = 0; i < size(); ++i) (*this)[i]->synchronizationPointAchieved(L"open");
  expect_all({"synchronized(open)"});
  (*this)[0]->registerFederationSynchronizationPoint(L"open", tag);
  for (int i = 0; i < size(); ++i) {
    settle();
    if (i) (*this)[i]->synchronizationPointAchieved(L"open");
  }
  add();
  join(size());
  EXPECT_THAT(took(size()), ElementsAre("announce(open, tag)"));
  forget();
  (*this)[0]->synchronizationPointAchieved(L"open");
  expect_all({});  // the late one has not
  last()->resignFederationExecution(NO_ACTION);
  last().joined = false;
  expect_all({"synchronized(open)"});
}

TEST_P(Management, SavesAndRestores) {
  join_all();
  first_publishes();
  const ObjectInstanceHandle before = registered(ball, "before");
  EXPECT_THROW((*this)[0]->federateSaveBegun(), SaveNotInitiated);
  EXPECT_THROW((*this)[0]->federateSaveComplete(), FederateHasNotBegunSave);
  EXPECT_THROW((*this)[0]->abortFederationSave(), SaveNotInProgress);
  (*this)[1]->requestFederationSave(L"one");
  expect_all({"save(one)"});
  EXPECT_THROW((*this)[0]->registerObjectInstance(ball), SaveInProgress);
  EXPECT_THROW((*this)[0]->requestFederationSave(L"two"), SaveInProgress);
  EXPECT_THROW((*this)[0]->federateSaveComplete(), FederateHasNotBegunSave);
  (*this)[0]->federateSaveBegun();
  (*this)[0]->queryFederationSaveStatus();
  ASSERT_TRUE(wait(0, "save status("));
  std::string status = "save status(f0:2";  // saving; the others are instructed to
  for (int i = 1; i < size(); ++i) status += ", f" + std::to_string(i) + ":1";
  EXPECT_THAT(took(0), ElementsAre(status + ")"));
  (*this)[0]->federateSaveComplete();
  expect_all({});
  for (int i = 1; i < size(); ++i) {
    (*this)[i]->federateSaveBegun();
    (*this)[i]->federateSaveComplete();
  }
  expect_all({"saved()"});

  const ObjectInstanceHandle after = registered(ball, "after");
  (*this)[0]->deleteObjectInstance(before, tag);
  forget();
  EXPECT_THROW((*this)[0]->federateRestoreComplete(), RestoreNotRequested);
  (*this)[0]->requestFederationRestore(L"none");
  EXPECT_THAT(took(0), ElementsAre("restore refused(none)"));
  last()->requestFederationRestore(L"one");
  for (int i = 0; i < size(); ++i) {
    Lines expected{"restore begun()",
                   "restore(one, f" + std::to_string(i) + ", f" + std::to_string(i) + ")"};
    if (i == size() - 1) expected.insert(expected.begin(), "restore accepted(one)");
    EXPECT_EQ(took(i), expected);
  }
  EXPECT_THROW((*this)[0]->updateAttributeValues(after, {}, tag), RestoreInProgress);
  for (int i = 0; i < size(); ++i) (*this)[i]->federateRestoreComplete();
  expect_all({"restored()"});
  // as it was when it was saved
  EXPECT_EQ((*this)[0]->getObjectInstanceHandle(L"before"), before);
  EXPECT_THROW((*this)[0]->getObjectInstanceHandle(L"after"), ObjectInstanceNotKnown);
  (*this)[0]->updateAttributeValues(before, {{color, value("red")}}, tag);
  EXPECT_THAT(took(1), ElementsAre("reflect(before, Color=red, tag, R)"));
}

TEST_P(Management, SavesAndRestoresCanFail) {
  join_all();
  (*this)[0]->requestFederationSave(L"one");
  forget();
  for (int i = 0; i < size(); ++i) (*this)[i]->federateSaveBegun();
  for (int i = 1; i < size(); ++i) (*this)[i]->federateSaveComplete();
  (*this)[0]->federateSaveNotComplete();
  expect_all({"not saved(1)"});
  (*this)[0]->requestFederationSave(L"one");
  forget();
  (*this)[1]->abortFederationSave();
  expect_all({"not saved(5)"});
  (*this)[0]->requestFederationSave(L"one");
  forget();
  all_save();
  forget();
  (*this)[0]->requestFederationRestore(L"one");
  forget();
  EXPECT_THROW((*this)[0]->requestFederationRestore(L"one"), RestoreInProgress);
  for (int i = 1; i < size(); ++i) (*this)[i]->federateRestoreComplete();
  (*this)[0]->federateRestoreNotComplete();
  expect_all({"not restored(1)"});
  (*this)[0]->requestFederationRestore(L"one");
  forget();
  (*this)[1]->abortFederationRestore();
  expect_all({"not restored(4)"});
  EXPECT_THROW((*this)[0]->abortFederationRestore(), RestoreNotInProgress);
}

TEST_P(Management, RestoresFederatesByTheirTypes) {
  join_all();
  (*this)[0]->requestFederationSave(L"one");
  forget();
  all_save();
  forget();
  Member& gone = last();
  const FederateHandle handle = gone.handle;
  const std::wstring called = gone->getFederateName(handle);
  gone->resignFederationExecution(NO_ACTION);
  gone.joined = false;
  (*this)[0]->requestFederationRestore(L"one");  // one is missing
  EXPECT_THAT(took(0), ElementsAre("restore refused(one)"));
  Member& other = add();
  other->joinFederationExecution(L"other", L"player", name);
  other.joined = true;
  (*this)[0]->requestFederationRestore(L"one");
  EXPECT_THAT(took(size()), ElementsAre("restore begun()", "restore(one, " + narrow(called) + ", " +
                                                               narrow(called) + ")"));
  for (const auto& member : members_)
    if (member->joined) member->rti->federateRestoreComplete();
  EXPECT_THAT(took(size()), ElementsAre("restored()"));
  EXPECT_EQ((*this)[0]->getFederateName(handle), called);  // it has become the other
  EXPECT_THROW((*this)[0]->getFederateHandle(L"other"), NameNotFound);
}

TEST_P(Management, GoesOnWithoutAFederateThatIsLost) {
  join_all();
  for (int i = 0; i < size(); ++i) {
    (*this)[i]->publishObjectClassAttributes(ball, {place});
    (*this)[i]->subscribeObjectClassAttributes(ball, {place});
  }
  registered(ball, "orphan", size() - 1);
  (*this)[0]->registerFederationSynchronizationPoint(L"point", tag);
  forget();
  for (int i = 0; i + 1 < size(); ++i) (*this)[i]->synchronizationPointAchieved(L"point");
  last().rti.reset();  // without a word
  last().joined = false;
  const std::unique_ptr<Member> gone = std::move(members_.back());
  members_.pop_back();
  for (int i = 0; i + 1 < size(); ++i) {
    ASSERT_TRUE(wait(i, "remove(orphan")) << i;  // the automatic resign directive deletes
    ASSERT_TRUE(wait(i, "synchronized(point")) << i;
  }
}

TEST_P(Management, AllowsSomeServicesOnlyOutsideCallbacks) {
  join_all();
  Member& first = (*this)[0];
  int thrown = 0;
  first.seen.within = [&] {
    const auto expect = [&](auto act) {
      try {
        act();
      } catch (const CallNotAllowedFromWithinCallback&) {
        ++thrown;
      }
    };
    expect([&] { first->evokeCallback(0.0); });
    expect([&] { first->evokeMultipleCallbacks(0.0, 0.0); });
    expect([&] { first->resignFederationExecution(NO_ACTION); });
    expect([&] { first->joinFederationExecution(L"type", name); });
    expect([&] { first->disconnect(); });
    first->getFederateName(first.handle);  // most are allowed
    first->registerFederationSynchronizationPoint(L"within", tag);
  };
  first->registerFederationSynchronizationPoint(L"other", tag);
  ASSERT_TRUE(wait(0, "announce(other"));
  EXPECT_EQ(thrown, 5);
  ASSERT_TRUE(wait(0, "announce(within"));
}

TEST_P(Management, HoldsCallbacksBackWhileTheyAreDisabled) {
  join_all();
  forget();
  Member& first = (*this)[0];
  first->disableCallbacks();
  first->registerFederationSynchronizationPoint(L"point", tag);
  ask(first);
  if (!GetParam().immediate) first->evokeCallback(0.0);
  EXPECT_THAT(first.seen.take(), IsEmpty());
  first->enableCallbacks();
  ASSERT_TRUE(wait(0, "announce(point"));
  EXPECT_THAT(first.seen.take(), ElementsAre("registered(point)", "announce(point, tag)"));
}

TEST_P(Management, AnswersQuestionsAboutNames) {
  join_all();
  Member& m = last();
  EXPECT_EQ(m->getObjectClassName(heavy), L"HLAobjectRoot.Ball.Heavy");
  EXPECT_EQ(m->getAttributeName(heavy, place), L"Place");
  EXPECT_EQ(m->getAttributeHandle(ball, L"Place"), place);
  EXPECT_THROW(m->getAttributeHandle(ball, L"Mass"), NameNotFound);
  EXPECT_THROW(m->getAttributeName(ball, mass), AttributeNotDefined);
  EXPECT_THROW(m->getAttributeName(ObjectClassHandle(), mass), InvalidObjectClassHandle);
  EXPECT_THROW(m->getAttributeName(ball, AttributeHandle()), InvalidAttributeHandle);
  EXPECT_THROW(m->getObjectClassName(ObjectClassHandle()), InvalidObjectClassHandle);
  EXPECT_EQ(m->getInteractionClassName(hard), L"HLAinteractionRoot.Kick.Hard");
  EXPECT_EQ(m->getParameterName(hard, force), L"Force");
  EXPECT_THROW(m->getParameterName(kick, sound), InteractionParameterNotDefined);
  EXPECT_THROW(m->getParameterHandle(kick, L"Sound"), NameNotFound);
  EXPECT_THROW(m->getInteractionClassHandle(L"HLAinteractionRoot.Pass"), NameNotFound);
  EXPECT_EQ(m->getOrderType(L"TimeStamp"), TIMESTAMP);
  EXPECT_EQ(m->getOrderName(RECEIVE), L"Receive");
  EXPECT_THROW(m->getOrderType(L"Alphabetical"), InvalidOrderName);
  EXPECT_EQ(m->getTransportationType(L"HLAbestEffort"), BEST_EFFORT);
  EXPECT_EQ(m->getTransportationName(RELIABLE), L"HLAreliable");
  EXPECT_THROW(m->getTransportationType(L"Pigeon"), InvalidTransportationName);
  EXPECT_EQ(m->getDimensionName(ground), L"Ground");
  EXPECT_EQ(m->getDimensionUpperBound(ground), 100u);
  EXPECT_EQ(m->getAvailableDimensionsForClassAttribute(ball, place), DimensionHandleSet{ground});
  EXPECT_THAT(m->getAvailableDimensionsForClassAttribute(ball, color), IsEmpty());
  EXPECT_EQ(m->getAvailableDimensionsForInteractionClass(kick), DimensionHandleSet{ground});
  EXPECT_EQ(m->getUpdateRateValue(L"Low"), 10.0);
  EXPECT_THROW(m->getUpdateRateValue(L"Lowest"), InvalidUpdateRateDesignator);
  EXPECT_EQ(m->getAutomaticResignDirective(), CANCEL_THEN_DELETE_THEN_DIVEST);
  m->setAutomaticResignDirective(NO_ACTION);
  EXPECT_EQ(m->getAutomaticResignDirective(), NO_ACTION);
  EXPECT_EQ(m->getTimeFactory()->getName(), L"HLAinteger64Time");
  EXPECT_EQ(m->decodeFederateHandle(m.handle.encode()), m.handle);
  EXPECT_EQ(m->decodeAttributeHandle(place.encode()), place);
  EXPECT_THROW(m->decodeObjectClassHandle(value("no handle")), CouldNotDecode);
  EXPECT_NE(m->normalizeFederateHandle(m.handle), m->normalizeFederateHandle((*this)[0].handle));
  EXPECT_NE(m->normalizeServiceGroup(TIME_MANAGEMENT), m->normalizeServiceGroup(SUPPORT_SERVICES));
  m->enableObjectClassRelevanceAdvisorySwitch();
  EXPECT_THROW(m->enableObjectClassRelevanceAdvisorySwitch(),
               ObjectClassRelevanceAdvisorySwitchIsOn);
  EXPECT_THROW(m->disableAttributeScopeAdvisorySwitch(), AttributeScopeAdvisorySwitchIsOff);
}

INSTANTIATE_TEST_SUITE_P(Services, Management, ::testing::ValuesIn(all_setups()), name_of);

}  // namespace
}  // namespace vernier::federation_tests
