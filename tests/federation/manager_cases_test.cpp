// What every interaction of the management object model is for, seen by the federate it is about
// and by the one who sends it. Numbers of enumerations are those of the MIM.
#include <algorithm>
#include <fstream>
#include <sstream>

#include "manager_rig.hpp"
#include "vernier/document/document.hpp"
#include "vernier/gateway/fom/reader.hpp"

namespace vernier::federation_tests {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::string content(const std::string& file) {
  std::ifstream in(VERNIER_SOURCE_DIR "/" + file);
  std::stringstream all;
  all << in.rdbuf();
  return all.str();
}

}  // namespace

const std::map<std::string, Case>& adjustment_cases() {
  static const std::map<std::string, Case> all{
      {"HLAfederate.HLAadjust.HLAsetTiming",
       [](Managed& t) {
         const ObjectClassHandle c =
             t.manager()->getObjectClassHandle(L"HLAobjectRoot.HLAmanager.HLAfederate");
         const AttributeHandle a = t.manager()->getAttributeHandle(c, L"HLAlogicalTime");
         t.manager()->subscribeObjectClassAttributes(c, {a});
         t.forget();
         t.send("HLAfederate.HLAadjust.HLAsetTiming", {{"HLAreportPeriod", number(1)}});
         EXPECT_TRUE(t.wait(0, "reflect("));  // of the subject, after a second
         t.send("HLAfederate.HLAadjust.HLAsetTiming", {{"HLAreportPeriod", number(0)}});
       }},
      {"HLAfederate.HLAadjust.HLAmodifyAttributeState",
       [](Managed& t) {
         t.manager()->publishObjectClassAttributes(t.ball, {t.place, t.color});
         t.forget();
         const auto owns = [&](Member& m) {
           return m->isAttributeOwnedByFederate(t.object, t.color);
         };
         const auto modify = [&](Member& m, const std::string& owned) {
           t.send_about(m, "HLAfederate.HLAadjust.HLAmodifyAttributeState",
                        {{"HLAobjectInstance", of(t.object)},
                         {"HLAattribute", of(t.color)},
                         {"HLAattributeState", owned}});
         };
         modify(t.manager(), on);
         EXPECT_TRUE(owns(t.manager()) && !owns(t.subject()));
         EXPECT_THAT(t.told(t.manager()), IsEmpty());  // nobody is called back
         EXPECT_THAT(t.told(t.subject()), IsEmpty());
         EXPECT_THROW(t.subject()->updateAttributeValues(t.object, {{t.color, value("x")}}, t.tag),
                      AttributeNotOwned);
         t.manager()->updateAttributeValues(t.object, {{t.color, value("x")}}, t.tag);
         modify(t.manager(), off);
         EXPECT_FALSE(owns(t.manager()));
         EXPECT_THAT(t.told(t.subject()), ElementsAre("assume(one, {Color}, )"));
       }},
      {"HLAfederate.HLAadjust.HLAsetServiceReporting",
       [](Managed& t) {
         t.send("HLAfederate.HLAadjust.HLAsetServiceReporting", {{"HLAreportingState", on}});
         t.told(t.subject());
         t.forget_reports();
         Member& s = t.subject();
         const std::string called = "HLAreportServiceInvocation";
         const auto next = [&](const std::string& service) {
           t.settle();
           for (Bytes r = t.report(called); !r.empty(); r = t.report(called))
             if (r["HLAservice"] == unicode(service)) return r;
           return Bytes{};
         };
         s->publishInteractionClass(t.shout);  // served by the RTI
         Bytes r = next("publishInteractionClass");
         EXPECT_EQ(r["HLAsuccessIndicator"], on);
         EXPECT_EQ(r["HLAfederate"], of(s.handle));
         s->getObjectClassName(t.ball);  // served without it
         r = next("getObjectClassName");
         EXPECT_EQ(r["HLAreturnedArguments"], texts({"HLAobjectRoot.Ball"}));
         EXPECT_EQ(r["HLAsuppliedArguments"], texts({narrow(t.ball.toString())}));
         EXPECT_THROW(s->sendInteraction(t.hard, {}, t.tag), InteractionClassNotPublished);
         r = next("sendInteraction");
         EXPECT_EQ(r["HLAsuccessIndicator"], off);
         EXPECT_THAT(r["HLAexception"],
                     HasSubstr(unicode("InteractionClassNotPublished").substr(4)));
         s->registerFederationSynchronizationPoint(L"point", t.tag);  // and callbacks
         r = next("announceSynchronizationPoint");
         EXPECT_EQ(r["HLAsuppliedArguments"], texts({"point", "3 bytes"}));
         t.send("HLAfederate.HLAadjust.HLAsetServiceReporting", {{"HLAreportingState", off}});
         t.forget_reports();
         s->getObjectClassName(t.ball);
         t.settle();
         EXPECT_FALSE(t.reported(called));
         t.told(t.manager());
       }},
      {"HLAfederate.HLAadjust.HLAsetExceptionReporting",
       [](Managed& t) {
         const std::string called = "HLAreportException";
         const auto fail = [&] {
           EXPECT_THROW(t.subject()->publishInteractionClass(InteractionClassHandle()),
                        InteractionClassNotDefined);  // the federate's side knows
           EXPECT_THROW(t.subject()->synchronizationPointAchieved(L"none"),
                        SynchronizationPointLabelNotAnnounced);  // the RTI does
           t.subject()->getObjectClassName(t.ball);
           t.settle();
         };
         t.send("HLAfederate.HLAadjust.HLAsetExceptionReporting", {{"HLAreportingState", on}});
         fail();
         Bytes r = t.report(called);
         EXPECT_EQ(r["HLAservice"], unicode("publishInteractionClass"));
         EXPECT_THAT(r["HLAexception"],
                     HasSubstr(unicode("InteractionClassNotDefined: ").substr(4)));
         EXPECT_EQ(t.report(called)["HLAservice"], unicode("synchronizationPointAchieved"));
         EXPECT_FALSE(t.reported(called));
         t.send("HLAfederate.HLAadjust.HLAsetExceptionReporting", {{"HLAreportingState", off}});
         fail();
         EXPECT_FALSE(t.reported(called));
       }},
      {"HLAfederate.HLAadjust.HLAsetSwitches",
       [](Managed& t) {
         t.send_about(t.manager(), "HLAfederate.HLAadjust.HLAsetSwitches",
                      {{"HLAconveyProducingFederate", on}, {"HLAconveyRegionDesignatorSets", on}});
         const RegionHandle r = t.subject()->createRegion({t.ground});
         t.subject()->commitRegionModifications({r});
         t.subject()->associateRegionsForUpdates(t.object, {{{t.place}, {r}}});
         t.subject()->updateAttributeValues(t.object, {{t.place, value("here")}}, t.tag);
         EXPECT_THAT(t.told(t.manager()),
                     ElementsAre("reflect(one, Place=here, tag, R, f1, 1 regions)"));
         t.subject()->unassociateRegionsForUpdates(t.object, {{{t.place}, {r}}});
         // the RTI is no producing federate
         t.send("HLAfederate.HLArequest.HLArequestPublications");
         t.report("HLAreportInteractionPublication");
         t.told(t.manager());
         t.manager()->subscribeObjectClassAttributes(
             t.manager()->getObjectClassHandle(L"HLAobjectRoot.HLAmanager.HLAfederation"),
             {t.privilege});
         const Lines found = t.told(t.manager());  // name and class
         ASSERT_EQ(found.size(), 1u);
         EXPECT_EQ(std::count(found[0].begin(), found[0].end(), ','), 1) << found[0];
       }},
      {"HLAfederation.HLAadjust.HLAsetSwitches",
       [](Managed& t) {
         t.manager()->unsubscribeObjectClass(t.ball);
         t.manager()->localDeleteObjectInstance(t.object);
         t.send("HLAfederation.HLAadjust.HLAsetSwitches", {{"HLAautoProvide", on}});
         t.manager()->subscribeObjectClassAttributes(t.ball, {t.color});
         EXPECT_THAT(t.told(t.subject()), ElementsAre("provide(one, {Color}, )"));
       }},
  };
  return all;
}

const std::map<std::string, Case>& request_cases() {
  static const auto counted = [](const auto& handle, std::uint32_t n) {
    return number(1) + of(handle) + number(n);
  };
  static const auto ask = [](Managed& t, Member& whom, const std::string& what, Bytes given = {}) {
    t.send_about(whom, "HLAfederate.HLArequest.HLArequest" + what, std::move(given));
    return t.report("HLAreport" + what);
  };
  static const std::map<std::string, Case> all{
      {"HLAfederate.HLArequest.HLArequestPublications",
       [](Managed& t) {
         t.send("HLAfederate.HLArequest.HLArequestPublications");
         Bytes r = t.report("HLAreportObjectClassPublication");
         EXPECT_EQ(r["HLAfederate"], of(t.subject().handle));
         EXPECT_EQ(r["HLAnumberOfClasses"], number(1));
         EXPECT_EQ(r["HLAobjectClass"], of(t.ball));
         EXPECT_EQ(r["HLAattributeList"], list({t.privilege, t.place, t.color}));
         EXPECT_EQ(t.report("HLAreportInteractionPublication")["HLAinteractionClassList"],
                   list({t.kick}));
         t.subject()->unpublishObjectClass(t.ball);
         t.send("HLAfederate.HLArequest.HLArequestPublications");
         r = t.report("HLAreportObjectClassPublication");  // of nothing: the number alone
         EXPECT_EQ(r, (Bytes{{"HLAfederate", of(t.subject().handle)},
                             {"HLAnumberOfClasses", number(0)}}));
       }},
      {"HLAfederate.HLArequest.HLArequestSubscriptions",
       [](Managed& t) {
         t.send("HLAfederate.HLArequest.HLArequestSubscriptions");
         Bytes r = t.report("HLAreportObjectClassSubscription");
         EXPECT_EQ(r, (Bytes{{"HLAfederate", of(t.subject().handle)},
                             {"HLAnumberOfClasses", number(0)}}));
         EXPECT_EQ(t.report("HLAreportInteractionSubscription")["HLAinteractionClassList"],
                   number(0));
         t.subject()->subscribeObjectClassAttributes(t.heavy, {t.mass}, false, L"Low");
         t.subject()->subscribeInteractionClass(t.shout);
         t.send("HLAfederate.HLArequest.HLArequestSubscriptions");
         r = t.report("HLAreportObjectClassSubscription");
         EXPECT_EQ(r["HLAobjectClass"], of(t.heavy));
         EXPECT_EQ(r["HLAactive"], off);
         EXPECT_EQ(r["HLAmaxUpdateRate"], unicode("Low"));
         EXPECT_EQ(r["HLAattributeList"], list({t.mass}));
         EXPECT_EQ(t.report("HLAreportInteractionSubscription")["HLAinteractionClassList"],
                   number(1) + of(t.shout) + on);
       }},
      {"HLAfederate.HLArequest.HLArequestObjectInstancesThatCanBeDeleted",
       [](Managed& t) {
         EXPECT_EQ(
             ask(t, t.subject(), "ObjectInstancesThatCanBeDeleted")["HLAobjectInstanceCounts"],
             counted(t.ball, 1));
         EXPECT_EQ(
             ask(t, t.manager(), "ObjectInstancesThatCanBeDeleted")["HLAobjectInstanceCounts"],
             number(0));
       }},
      {"HLAfederate.HLArequest.HLArequestObjectInstancesUpdated",
       [](Managed& t) {
         EXPECT_EQ(ask(t, t.subject(), "ObjectInstancesUpdated")["HLAobjectInstanceCounts"],
                   number(0));
         t.subject()->updateAttributeValues(t.object, {{t.color, value("x")}}, t.tag);
         EXPECT_EQ(ask(t, t.subject(), "ObjectInstancesUpdated")["HLAobjectInstanceCounts"],
                   counted(t.ball, 1));
       }},
      {"HLAfederate.HLArequest.HLArequestObjectInstancesReflected",
       [](Managed& t) {
         // known as a Ball, registered as a Heavy one
         t.subject()->publishObjectClassAttributes(t.heavy, {t.color});
         const ObjectInstanceHandle one = t.subject()->registerObjectInstance(t.heavy);
         t.subject()->updateAttributeValues(one, {{t.color, value("x")}}, t.tag);
         t.settle();
         EXPECT_EQ(ask(t, t.manager(), "ObjectInstancesReflected")["HLAobjectInstanceCounts"],
                   counted(t.heavy, 1));
       }},
      {"HLAfederate.HLArequest.HLArequestUpdatesSent",
       [](Managed& t) {
         for (int i = 0; i < 3; ++i)
           t.subject()->updateAttributeValues(t.object, {{t.color, value("x")}}, t.tag);
         t.settle();
         Bytes r = ask(t, t.subject(), "UpdatesSent");  // one for each transportation
         EXPECT_EQ(r["HLAtransportation"], unicode("HLAreliable"));
         EXPECT_EQ(r["HLAupdateCounts"], counted(t.ball, 3));
         r = t.report("HLAreportUpdatesSent");
         EXPECT_EQ(r["HLAtransportation"], unicode("HLAbestEffort"));
         EXPECT_EQ(r["HLAupdateCounts"], number(0));
       }},
      {"HLAfederate.HLArequest.HLArequestReflectionsReceived",
       [](Managed& t) {
         for (int i = 0; i < 3; ++i)
           t.subject()->updateAttributeValues(t.object, {{t.color, value("x")}}, t.tag);
         t.settle();
         EXPECT_EQ(ask(t, t.manager(), "ReflectionsReceived")["HLAreflectCounts"],
                   counted(t.ball, 3));
       }},
      {"HLAfederate.HLArequest.HLArequestInteractionsSent",
       [](Managed& t) {
         t.subject()->sendInteraction(t.kick, {}, t.tag);
         t.settle();
         EXPECT_EQ(ask(t, t.subject(), "InteractionsSent")["HLAinteractionCounts"],
                   counted(t.kick, 1));
       }},
      {"HLAfederate.HLArequest.HLArequestInteractionsReceived",
       [](Managed& t) {
         // received as a Kick, counted as it was sent
         t.subject()->publishInteractionClass(t.hard);
         t.subject()->sendInteraction(t.hard, {}, t.tag);
         t.settle();
         EXPECT_THAT(ask(t, t.manager(), "InteractionsReceived")["HLAinteractionCounts"],
                     HasSubstr(of(t.hard) + number(1)));
       }},
      {"HLAfederate.HLArequest.HLArequestObjectInstanceInformation",
       [](Managed& t) {
         const Bytes which{{"HLAobjectInstance", of(t.object)}};
         Bytes r = ask(t, t.subject(), "ObjectInstanceInformation", which);
         EXPECT_EQ(r["HLAownedInstanceAttributeList"], list({t.privilege, t.place, t.color}));
         EXPECT_EQ(r["HLAregisteredClass"], of(t.ball));
         EXPECT_EQ(r["HLAknownClass"], of(t.ball));
         const ObjectInstanceHandle unknown =
             t.manager()->decodeObjectInstanceHandle(value(number(4) + number(999)));
         r = ask(t, t.subject(), "ObjectInstanceInformation", {{"HLAobjectInstance", of(unknown)}});
         EXPECT_EQ(r, (Bytes{{"HLAfederate", of(t.subject().handle)},
                             {"HLAobjectInstance", of(unknown)},
                             {"HLAownedInstanceAttributeList", number(0)}}));
       }},
      {"HLAfederate.HLArequest.HLArequestFOMmoduleData",
       [](Managed& t) {
         t.subject()->resignFederationExecution(DELETE_OBJECTS);
         const std::wstring more = wide(VERNIER_SOURCE_DIR "/tests/federation/more.xml");
         t.subject().handle =
             t.subject()->joinFederationExecution(L"f1", L"player", t.name, {more, more});
         Bytes r = ask(t, t.subject(), "FOMmoduleData", {{"HLAFOMmoduleIndicator", number(0)}});
         EXPECT_EQ(r["HLAFOMmoduleData"], unicode(content("tests/federation/more.xml")));
         t.send("HLAfederate.HLArequest.HLArequestFOMmoduleData",
                {{"HLAFOMmoduleIndicator", number(1)}});  // the same counts once
         EXPECT_EQ(t.report("HLAreportMOMexception")["HLAparameterError"], on);
       }},
      {"HLAfederation.HLArequest.HLArequestFOMmoduleData",
       [](Managed& t) {
         t.send("HLAfederation.HLArequest.HLArequestFOMmoduleData",
                {{"HLAFOMmoduleIndicator", number(0)}});
         Bytes r = t.report("HLAreportFOMmoduleData");
         EXPECT_EQ(r["HLAFOMmoduleIndicator"], number(0));
         EXPECT_EQ(r["HLAFOMmoduleData"], unicode(content("tests/federation/playground.xml")));
       }},
      {"HLAfederation.HLArequest.HLArequestMIMdata",
       [](Managed& t) {
         t.send("HLAfederation.HLArequest.HLArequestMIMdata");
         EXPECT_EQ(t.report("HLAreportMIMdata")["HLAMIMdata"],
                   unicode(content("formats/hla/HLAstandardMIM.xml")));
       }},
      {"HLAfederation.HLArequest.HLArequestSynchronizationPoints",
       [](Managed& t) {
         for (const wchar_t* label : {L"a", L"b"})
           t.manager()->registerFederationSynchronizationPoint(label, t.tag);
         t.send("HLAfederation.HLArequest.HLArequestSynchronizationPoints");
         EXPECT_EQ(t.report("HLAreportSynchronizationPoints")["HLAsyncPoints"], texts({"a", "b"}));
       }},
      {"HLAfederation.HLArequest.HLArequestSynchronizationPointStatus",
       [](Managed& t) {
         for (const wchar_t* label : {L"a", L"b"})
           t.manager()->registerFederationSynchronizationPoint(label, t.tag);
         t.settle();
         t.subject()->synchronizationPointAchieved(L"b");
         const std::string request =
             "HLAfederation.HLArequest.HLArequestSynchronizationPointStatus";
         t.send(request, {{"HLAsyncPointName", unicode("b")}});
         Bytes r = t.report("HLAreportSynchronizationPointStatus");
         EXPECT_EQ(r["HLAsyncPointName"], unicode("b"));
         EXPECT_EQ(r["HLAsyncPointFederates"], number(2) + of(t.manager().handle) + number(2) +
                                                   of(t.subject().handle) + number(3));
         t.send(request);  // the parameter is not in every MIM: of all
         EXPECT_EQ(t.report("HLAreportSynchronizationPointStatus")["HLAsyncPointName"],
                   unicode("a"));
         EXPECT_EQ(t.report("HLAreportSynchronizationPointStatus")["HLAsyncPointName"],
                   unicode("b"));
       }},
  };
  return all;
}

}  // namespace vernier::federation_tests
