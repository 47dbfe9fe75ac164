// The services that the management object model invokes on behalf of a federate: it knows of them,
// and gets the callbacks that follow.
#include "manager_rig.hpp"

namespace vernier::federation_tests {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// The subject regulates and is constrained; the manager regulates with lookahead 10.
void manage(Managed& t) {
  t.subject()->enableTimeRegulation(HLAinteger64Interval(1));
  t.subject()->enableTimeConstrained();
  t.manager()->enableTimeRegulation(HLAinteger64Interval(10));
  t.settle();
  t.told(t.manager());
  EXPECT_THAT(t.told(t.subject()), ElementsAre("regulating(0)", "constrained(0)"));
}

/// The subject waits for 20, which the manager's time allows later.
void advances(Managed& t, const std::string& how) {
  manage(t);
  t.send("HLAfederate.HLAservice." + how, {{"HLAtimeStamp", time_bytes(20)}});
  EXPECT_THAT(t.told(t.subject()), IsEmpty());
  EXPECT_THROW(t.subject()->timeAdvanceRequest(HLAinteger64Time(30)), InTimeAdvancingState);
  t.manager()->timeAdvanceRequest(HLAinteger64Time(11));
  EXPECT_THAT(t.told(t.subject()), ElementsAre("granted(20)"));
  HLAinteger64Time now;
  t.subject()->queryLogicalTime(now);
  EXPECT_EQ(now.getTime(), 20);
}

/// Both have been told to save.
void begin_save(Managed& t) {
  t.manager()->requestFederationSave(L"saved");
  EXPECT_THAT(t.told(t.subject()), ElementsAre("save(saved)"));
  t.told(t.manager());
  t.manager()->federateSaveBegun();
}

/// An object of the manager that the subject knows.
ObjectInstanceHandle of_manager(Managed& t) {
  t.manager()->publishObjectClassAttributes(t.ball, {t.place, t.color});
  t.subject()->subscribeObjectClassAttributes(t.ball, {t.color});
  const ObjectInstanceHandle other = t.manager()->registerObjectInstance(t.ball);
  t.settle();
  for (int i = 0; i < 2; ++i) t[i].seen.know(other, "other");
  t.forget();
  return other;
}

}  // namespace

const std::map<std::string, Case>& service_cases() {
  static const auto serve = [](Managed& t, const std::string& what, Bytes given = {}) {
    t.send("HLAfederate.HLAservice." + what, std::move(given));
    EXPECT_FALSE(t.reported("HLAreportMOMexception"));
  };
  static const auto declare = [](Managed& t, const std::string& what, const auto& of_class,
                                 const AttributeHandle& attribute) {
    serve(t, what, {{"HLAobjectClass", of(of_class)}, {"HLAattributeList", list({attribute})}});
  };
  static const std::map<std::string, Case> all{
      {"HLAresignFederationExecution",
       [](Managed& t) {
         t.subject().joined = false;  // it is not asked to settle
         serve(t, "HLAresignFederationExecution", {{"HLAresignAction", number(4)}});
         EXPECT_THAT(t.told(t.manager()), ElementsAre("remove(one, , R)"));
         EXPECT_THROW(t.subject()->registerObjectInstance(t.ball), FederateNotExecutionMember);
         EXPECT_THROW(t.subject()->getObjectClassName(t.ball), FederateNotExecutionMember);
         t.join(1);
         t.settle();
       }},
      {"HLAsynchronizationPointAchieved",
       [](Managed& t) {
         t.manager()->registerFederationSynchronizationPoint(L"point", t.tag);
         t.settle();
         t.manager()->synchronizationPointAchieved(L"point");
         serve(t, "HLAsynchronizationPointAchieved", {{"HLAlabel", unicode("point")}});
         EXPECT_THAT(t.told(t.subject()),
                     ElementsAre("announce(point, tag)", "synchronized(point)"));
       }},
      {"HLAfederateSaveBegun",
       [](Managed& t) {
         begin_save(t);
         serve(t, "HLAfederateSaveBegun");
         EXPECT_THROW(t.subject()->federateSaveBegun(), SaveNotInitiated);
         t.subject()->federateSaveComplete();
         t.manager()->federateSaveComplete();
         EXPECT_THAT(t.told(t.subject()), ElementsAre("saved()"));
       }},
      {"HLAfederateSaveComplete",
       [](Managed& t) {
         begin_save(t);
         t.subject()->federateSaveBegun();
         serve(t, "HLAfederateSaveComplete", {{"HLAsuccessIndicator", on}});
         EXPECT_THROW(t.subject()->federateSaveComplete(), FederateHasNotBegunSave);
         t.manager()->federateSaveComplete();
         EXPECT_THAT(t.told(t.subject()), ElementsAre("saved()"));
         t.subject()->publishInteractionClass(t.shout);  // all goes on
       }},
      {"HLAfederateRestoreComplete",
       [](Managed& t) {
         begin_save(t);
         t.subject()->federateSaveBegun();
         for (int i = 0; i < 2; ++i) t[i]->federateSaveComplete();
         t.forget();
         t.manager()->requestFederationRestore(L"saved");
         t.forget();
         serve(t, "HLAfederateRestoreComplete", {{"HLAsuccessIndicator", on}});
         EXPECT_THROW(t.subject()->federateRestoreComplete(), RestoreNotRequested);
         t.manager()->federateRestoreComplete();
         EXPECT_THAT(t.told(t.subject()), ElementsAre("restored()"));
       }},
      {"HLApublishObjectClassAttributes",
       [](Managed& t) {
         EXPECT_THROW(t.subject()->registerObjectInstance(t.heavy), ObjectClassNotPublished);
         declare(t, "HLApublishObjectClassAttributes", t.heavy, t.mass);
         const ObjectInstanceHandle h = t.subject()->registerObjectInstance(t.heavy);
         EXPECT_TRUE(t.subject()->isAttributeOwnedByFederate(h, t.mass));
       }},
      {"HLAunpublishObjectClassAttributes",
       [](Managed& t) {
         declare(t, "HLAunpublishObjectClassAttributes", t.ball, t.color);
         EXPECT_THROW(t.subject()->updateAttributeValues(t.object, {{t.color, value("x")}}, t.tag),
                      AttributeNotOwned);
         t.subject()->updateAttributeValues(t.object, {{t.place, value("x")}}, t.tag);
         declare(t, "HLAunpublishObjectClassAttributes", t.ball, t.place);
         EXPECT_THROW(t.subject()->registerObjectInstance(t.ball), ObjectClassNotPublished);
       }},
      {"HLApublishInteractionClass",
       [](Managed& t) {
         t.manager()->subscribeInteractionClass(t.shout);
         serve(t, "HLApublishInteractionClass", {{"HLAinteractionClass", of(t.shout)}});
         t.told(t.manager());
         t.subject()->sendInteraction(t.shout, {}, t.tag);
         EXPECT_THAT(t.told(t.manager()), ElementsAre("receive(Shout, , tag, R)"));
       }},
      {"HLAunpublishInteractionClass",
       [](Managed& t) {
         serve(t, "HLAunpublishInteractionClass", {{"HLAinteractionClass", of(t.kick)}});
         EXPECT_THROW(t.subject()->sendInteraction(t.kick, {}, t.tag),
                      InteractionClassNotPublished);
       }},
      {"HLAsubscribeObjectClassAttributes",
       [](Managed& t) {
         const ObjectInstanceHandle o = of_manager(t);
         t.subject()->unsubscribeObjectClass(t.ball);
         serve(t, "HLAsubscribeObjectClassAttributes",
               {{"HLAobjectClass", of(t.ball)},
                {"HLAattributeList", list({t.color})},
                {"HLAactive", on}});
         t.manager()->updateAttributeValues(o, {{t.color, value("x")}}, t.tag);
         EXPECT_THAT(t.told(t.subject()), ElementsAre("reflect(other, Color=x, tag, R)"));
       }},
      {"HLAunsubscribeObjectClassAttributes",
       [](Managed& t) {
         const ObjectInstanceHandle o = of_manager(t);
         declare(t, "HLAunsubscribeObjectClassAttributes", t.ball, t.color);
         t.manager()->updateAttributeValues(o, {{t.color, value("x")}}, t.tag);
         EXPECT_THAT(t.told(t.subject()), IsEmpty());
       }},
      {"HLAsubscribeInteractionClass",
       [](Managed& t) {
         t.manager()->publishInteractionClass(t.shout);
         serve(t, "HLAsubscribeInteractionClass",
               {{"HLAinteractionClass", of(t.shout)}, {"HLAactive", on}});
         t.manager()->sendInteraction(t.shout, {}, t.tag);
         EXPECT_THAT(t.told(t.subject()), ElementsAre("receive(Shout, , tag, R)"));
       }},
      {"HLAunsubscribeInteractionClass",
       [](Managed& t) {
         t.manager()->publishInteractionClass(t.shout);
         t.subject()->subscribeInteractionClass(t.shout);
         serve(t, "HLAunsubscribeInteractionClass", {{"HLAinteractionClass", of(t.shout)}});
         t.manager()->sendInteraction(t.shout, {}, t.tag);
         EXPECT_THAT(t.told(t.subject()), IsEmpty());
       }},
      {"HLAdeleteObjectInstance",
       [](Managed& t) {
         serve(t, "HLAdeleteObjectInstance",
               {{"HLAobjectInstance", of(t.object)}, {"HLAtag", number(3) + "why"}});
         EXPECT_THAT(t.told(t.manager()), ElementsAre("remove(one, why, R)"));
         EXPECT_THROW(t.subject()->getObjectInstanceName(t.object), ObjectInstanceNotKnown);
       }},
      {"HLAlocalDeleteObjectInstance",
       [](Managed& t) {
         const ObjectInstanceHandle o = of_manager(t);
         serve(t, "HLAlocalDeleteObjectInstance", {{"HLAobjectInstance", of(o)}});
         EXPECT_THROW(t.subject()->getObjectInstanceName(o), ObjectInstanceNotKnown);
         t.manager()->updateAttributeValues(o, {{t.color, value("x")}}, t.tag);
         EXPECT_EQ(t.told(t.subject()).size(), 2u);  // it is discovered again, and reflected
       }},
      {"HLArequestAttributeTransportationTypeChange",
       [](Managed& t) {
         serve(t, "HLArequestAttributeTransportationTypeChange",
               {{"HLAobjectInstance", of(t.object)},
                {"HLAattributeList", list({t.color})},
                {"HLAtransportation", unicode("HLAbestEffort")}});
         EXPECT_THAT(t.told(t.subject()),
                     ElementsAre("transportation changed(one, {Color}, best effort)"));
       }},
      {"HLArequestInteractionTransportationTypeChange",
       [](Managed& t) {
         serve(t, "HLArequestInteractionTransportationTypeChange",
               {{"HLAinteractionClass", of(t.kick)},
                {"HLAtransportation", unicode("HLAbestEffort")}});
         EXPECT_THAT(t.told(t.subject()), ElementsAre("transportation changed(Kick, best effort)"));
       }},
      {"HLAunconditionalAttributeOwnershipDivestiture",
       [](Managed& t) {
         serve(t, "HLAunconditionalAttributeOwnershipDivestiture",
               {{"HLAobjectInstance", of(t.object)}, {"HLAattributeList", list({t.color})}});
         EXPECT_FALSE(t.subject()->isAttributeOwnedByFederate(t.object, t.color));
         EXPECT_THAT(t.told(t.subject()), IsEmpty());
       }},
      {"HLAenableTimeRegulation",
       [](Managed& t) {
         serve(t, "HLAenableTimeRegulation", {{"HLAlookahead", time_bytes(3)}});
         EXPECT_THAT(t.told(t.subject()), ElementsAre("regulating(0)"));
         EXPECT_THROW(t.subject()->enableTimeRegulation(HLAinteger64Interval(1)),
                      TimeRegulationAlreadyEnabled);
         HLAinteger64Interval lookahead;
         t.subject()->queryLookahead(lookahead);
         EXPECT_EQ(lookahead.getInterval(), 3);
         EXPECT_THROW(t.subject()->sendInteraction(t.kick, {}, t.tag, HLAinteger64Time(2)),
                      InvalidLogicalTime);
       }},
      {"HLAdisableTimeRegulation",
       [](Managed& t) {
         manage(t);
         serve(t, "HLAdisableTimeRegulation");
         EXPECT_THROW(t.subject()->disableTimeRegulation(), TimeRegulationIsNotEnabled);
       }},
      {"HLAenableTimeConstrained",
       [](Managed& t) {
         serve(t, "HLAenableTimeConstrained");
         EXPECT_THAT(t.told(t.subject()), ElementsAre("constrained(0)"));
         EXPECT_THROW(t.subject()->enableTimeConstrained(), TimeConstrainedAlreadyEnabled);
       }},
      {"HLAdisableTimeConstrained",
       [](Managed& t) {
         manage(t);
         serve(t, "HLAdisableTimeConstrained");
         EXPECT_THROW(t.subject()->disableTimeConstrained(), TimeConstrainedIsNotEnabled);
       }},
      {"HLAtimeAdvanceRequest", [](Managed& t) { advances(t, "HLAtimeAdvanceRequest"); }},
      {"HLAtimeAdvanceRequestAvailable",
       [](Managed& t) { advances(t, "HLAtimeAdvanceRequestAvailable"); }},
      {"HLAnextMessageRequest", [](Managed& t) { advances(t, "HLAnextMessageRequest"); }},
      {"HLAnextMessageRequestAvailable",
       [](Managed& t) { advances(t, "HLAnextMessageRequestAvailable"); }},
      {"HLAflushQueueRequest",
       [](Managed& t) {
         manage(t);
         serve(t, "HLAflushQueueRequest", {{"HLAtimeStamp", time_bytes(20)}});
         EXPECT_THAT(t.told(t.subject()), ElementsAre("granted(10)"));
       }},
      {"HLAenableAsynchronousDelivery",
       [](Managed& t) {
         serve(t, "HLAenableAsynchronousDelivery");
         EXPECT_THROW(t.subject()->enableAsynchronousDelivery(),
                      AsynchronousDeliveryAlreadyEnabled);
       }},
      {"HLAdisableAsynchronousDelivery",
       [](Managed& t) {
         t.subject()->enableAsynchronousDelivery();
         serve(t, "HLAdisableAsynchronousDelivery");
         EXPECT_THROW(t.subject()->disableAsynchronousDelivery(),
                      AsynchronousDeliveryAlreadyDisabled);
       }},
      {"HLAmodifyLookahead",
       [](Managed& t) {
         manage(t);
         serve(t, "HLAmodifyLookahead", {{"HLAlookahead", time_bytes(7)}});
         HLAinteger64Interval lookahead;
         t.subject()->queryLookahead(lookahead);
         EXPECT_EQ(lookahead.getInterval(), 7);
         EXPECT_THROW(t.subject()->sendInteraction(t.kick, {}, t.tag, HLAinteger64Time(6)),
                      InvalidLogicalTime);
       }},
      {"HLAchangeAttributeOrderType",
       [](Managed& t) {
         manage(t);
         const auto stamped = [&] {
           return t.subject()
               ->updateAttributeValues(t.object, {{t.color, value("x")}}, t.tag,
                                       HLAinteger64Time(50))
               .isValid();
         };
         EXPECT_FALSE(stamped());
         serve(t, "HLAchangeAttributeOrderType",
               {{"HLAobjectInstance", of(t.object)},
                {"HLAattributeList", list({t.color})},
                {"HLAsendOrder", number(1)}});
         EXPECT_TRUE(stamped());
       }},
      {"HLAchangeInteractionOrderType",
       [](Managed& t) {
         manage(t);
         serve(t, "HLAchangeInteractionOrderType",
               {{"HLAinteractionClass", of(t.kick)}, {"HLAsendOrder", number(0)}});
         EXPECT_FALSE(
             t.subject()->sendInteraction(t.kick, {}, t.tag, HLAinteger64Time(50)).isValid());
       }},
  };
  return all;
}

}  // namespace vernier::federation_tests
