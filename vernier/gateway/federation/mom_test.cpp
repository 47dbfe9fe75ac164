#include <gtest/gtest.h>

#include <map>

#include "vernier/gateway/federation/core_rig_test.hpp"
#include "vernier/gateway/federation/detail/mom.hpp"
#include "vernier/gateway/federation/detail/octets.hpp"

namespace vernier::federation {
namespace {

using detail::OctetReader;
using detail::Octets;
using rig::Player;
using rig::Stage;

/// Bytes as text, "00 00 00 04".
std::string hex(Bytes b) {
  std::string s;
  for (const std::byte x : b) {
    constexpr std::string_view digits = "0123456789abcdef";
    const auto n = static_cast<unsigned>(x);
    s += (s.empty() ? "" : " ") + std::string{digits[n >> 4], digits[n & 15]};
  }
  return s;
}

/// A federate that monitors the Management Object Model.
struct Viewer {
  explicit Viewer(Player& player) : p(player) {}

  Handle find_class(const std::string& path, bool interaction) const {
    const auto& all = interaction ? p.tables.interaction_classes : p.tables.object_classes;
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (all[i].path.ends_with(".HLAmanager." + path)) return static_cast<Handle>(i + 1);
    }
    ADD_FAILURE() << "no class " << path;
    return 0;
  }
  Handle member(const std::string& path, bool interaction, const std::string& name) const {
    const auto& c = (interaction ? p.tables.interaction_classes
                                 : p.tables.object_classes)[find_class(path, interaction) - 1];
    for (const Handle h : c.members) {
      if ((interaction ? p.tables.parameters : p.tables.attributes)[h - 1].name == name) return h;
    }
    ADD_FAILURE() << "no member " << name << " of " << path;
    return 0;
  }
  void subscribe(const std::string& path, const std::vector<std::string>& attributes) {
    Numbers handles;
    for (const std::string& a : attributes) handles.push_back(member(path, false, a));
    p.must(SubscribeAttributes{find_class(path, false), {{handles, {}}}, true, "", false});
  }
  void listen(const std::string& path) {
    p.must(SubscribeInteraction{.interaction_class = find_class(path, true), .active = true});
  }
  void send(const std::string& path, const std::map<std::string, Blob>& parameters) {
    p.must(PublishInteraction{find_class(path, true)});
    std::map<Handle, const Blob*> sorted;
    for (const auto& [name, value] : parameters) sorted[member(path, true, name)] = &value;
    rig::Packed packed;
    for (const auto& [h, value] : sorted) packed.add(h, rig::text_of(*value));
    SendInteraction m;
    m.interaction_class = find_class(path, true);
    m.values = packed;
    p.say(m);
  }
  /// The next frame must reflect values of this class; returns them by name.
  std::map<std::string, std::string> reflected() {
    const auto m = p.next<Reflect>();
    std::map<std::string, std::string> all;
    EXPECT_TRUE(for_each(
        m.values, [&](Handle h, Bytes b) { all[p.tables.attributes[h - 1].name] = hex(b); }));
    object = m.object;
    return all;
  }
  /// The next frame must be this report; returns its parameters by name.
  std::map<std::string, Blob> heard(const std::string& path) {
    const auto m = p.next<Receive>();
    EXPECT_EQ(m.interaction_class, find_class(path, true)) << path;
    std::map<std::string, Blob> all;
    EXPECT_TRUE(for_each(m.values, [&](Handle h, Bytes b) {
      all[p.tables.parameters[h - 1].name] = Blob(b.begin(), b.end());
    }));
    return all;
  }
  std::string text(const Blob& b) {
    OctetReader r(b);
    std::string s = r.text();
    EXPECT_TRUE(r.complete());
    return s;
  }

  Player& p;
  Handle object = 0;
};

Blob handle(Handle h) { return Octets{}.handle(h).take(); }

TEST(Octets, AreThoseOfTheStandard) {
  EXPECT_EQ(hex(Octets{}.number(0x01020304).bytes()), "01 02 03 04");
  EXPECT_EQ(hex(Octets{}.handle(7).bytes()), "00 00 00 04 00 00 00 07");
  EXPECT_EQ(hex(Octets{}.text("aé").bytes()), "00 00 00 02 00 61 00 e9");
  EXPECT_EQ(hex(Octets{}.text("\U0001F680").bytes()), "00 00 00 02 d8 3d de 80");
  EXPECT_EQ(hex(Octets{}.text("\xff").bytes()), "00 00 00 01 ff fd");
  // the second string begins at a multiple of four
  EXPECT_EQ(hex(Octets{}.texts({"a", "b"}).bytes()),
            "00 00 00 02 00 00 00 01 00 61 00 00 00 00 00 01 00 62");
  EXPECT_EQ(hex(Octets{}.time(Stamp{258}).bytes()), "00 00 00 08 00 00 00 00 00 00 01 02");
  EXPECT_EQ(hex(Octets{}.time({}).bytes()), "00 00 00 00");
  for (const std::string s : {"", "plain", "aé€\U0001F680"}) {
    const Blob b = Octets{}.text(s).take();
    OctetReader r(b);
    EXPECT_EQ(r.text(), s);
    EXPECT_TRUE(r.complete());
    for (std::size_t n = 0; n < b.size(); ++n) {
      OctetReader cut(Bytes(b).first(n));
      cut.text();
      EXPECT_FALSE(cut.complete());
    }
  }
  const Blob absurd = Octets{}.number(0xffffffff).take();
  for (const auto read : {&OctetReader::text, &OctetReader::text}) {
    OctetReader r(absurd);
    (r.*read)();
    EXPECT_FALSE(r.ok());
  }
  OctetReader r(absurd);
  EXPECT_TRUE(r.handles().empty());
  EXPECT_FALSE(r.ok());
}

TEST(Mom, ShowsFederatesAsTheyComeAndGo) {
  Stage s(2);
  Viewer v(s[0]);
  v.subscribe("HLAfederate", {"HLAfederateHandle", "HLAfederateName", "HLAfederateType"});
  EXPECT_EQ(s[0].next<Discover>().name, "HLAfederate.A");
  const auto b = s[0].next<Discover>();
  EXPECT_EQ(b.name, "HLAfederate.B");
  EXPECT_TRUE(s[0].quiet());
  s[0].must(RequestUpdate{.object = b.object,
                          .attributes = {v.member("HLAfederate", false, "HLAfederateHandle"),
                                         v.member("HLAfederate", false, "HLAfederateName")}});
  auto values = v.reflected();
  EXPECT_EQ(values["HLAfederateHandle"], "00 00 00 04 00 00 00 02");
  EXPECT_EQ(values["HLAfederateName"], "00 00 00 01 00 42");
  EXPECT_EQ(values.size(), 2u);

  Player c(s.core);
  c.join("C");
  EXPECT_EQ(s[0].next<Discover>().name, "HLAfederate.C");
  values = v.reflected();
  EXPECT_EQ(values["HLAfederateName"], "00 00 00 01 00 43");
  EXPECT_EQ(values["HLAfederateType"], hex(Octets{}.text("type").bytes()));
  c.must(Resign{ResignAction::none});
  EXPECT_EQ(s[0].next<Remove>().object, v.object);
  EXPECT_TRUE(s[0].quiet());
}

TEST(Mom, ShowsTheFederationAndSetsAutoProvide) {
  Stage s(2);
  Viewer v(s[0]);
  v.subscribe("HLAfederation", {"HLAfederatesInFederation", "HLAautoProvide", "HLAfederationName",
                                "HLAtimeImplementationName", "HLAFOMmoduleDesignatorList"});
  const auto found = s[0].next<Discover>();
  s[0].must(
      RequestClassUpdate{.object_class = v.find_class("HLAfederation", false),
                         .parts = {{{v.member("HLAfederation", false, "HLAautoProvide"),
                                     v.member("HLAfederation", false, "HLAfederatesInFederation"),
                                     v.member("HLAfederation", false, "HLAFOMmoduleDesignatorList"),
                                     v.member("HLAfederation", false, "HLAtimeImplementationName")},
                                    {}}}});
  auto values = v.reflected();
  EXPECT_EQ(v.object, found.object);
  EXPECT_EQ(values["HLAautoProvide"], "00 00 00 00");
  EXPECT_EQ(values["HLAfederatesInFederation"],
            "00 00 00 02 00 00 00 04 00 00 00 01 00 00 00 04 00 00 00 02");
  EXPECT_EQ(values["HLAtimeImplementationName"], hex(Octets{}.text("HLAinteger64Time").bytes()));
  EXPECT_EQ(values["HLAFOMmoduleDesignatorList"], hex(Octets{}.texts({"small.xml"}).bytes()));
  v.send("HLAfederation.HLAadjust.HLAsetSwitches",
         {{"HLAautoProvide", Octets{}.truth(true).take()}});
  values = v.reflected();
  EXPECT_EQ(values.size(), 1u);
  EXPECT_EQ(values["HLAautoProvide"], "00 00 00 01");
  s[1].must(Resign{ResignAction::none});
  values = v.reflected();
  EXPECT_EQ(values.size(), 1u);
  EXPECT_EQ(values["HLAfederatesInFederation"], "00 00 00 01 00 00 00 04 00 00 00 01");
  // with auto-provide, values arrive with the discovery
  Player c(s.core);
  c.join("C");
  values = v.reflected();
  Viewer w(c);
  w.subscribe("HLAfederation", {"HLAautoProvide"});
  c.next<Discover>();
  EXPECT_EQ(w.reflected()["HLAautoProvide"], "00 00 00 01");
}

TEST(Mom, TellsHowTimeGoes) {
  Stage s(2);
  Viewer v(s[0]);
  v.subscribe("HLAfederate",
              {"HLAtimeRegulating", "HLAtimeConstrained", "HLAtimeManagerState", "HLAlogicalTime",
               "HLAlookahead", "HLAGALT", "HLATSOlength", "HLAasynchronousDelivery"});
  s[0].next<Discover>();
  const Handle b = s[0].next<Discover>().object;
  s[1].must(EnableRegulation{{5}});
  auto values = v.reflected();
  EXPECT_EQ(values["HLAtimeRegulating"], "00 00 00 01");
  s[1].must(EnableConstrained{});
  values = v.reflected();
  EXPECT_EQ(values.size(), 1u);
  EXPECT_EQ(values["HLAtimeConstrained"], "00 00 00 01");
  s[1].must(EnableAsynchronous{});
  EXPECT_EQ(v.reflected()["HLAasynchronousDelivery"], "00 00 00 01");
  s[0].must(EnableRegulation{{3}});
  s[0].next<RegulationEnabled>();
  v.reflected();
  s[1].say(Advance{AdvanceKind::to, {7}});
  EXPECT_EQ(v.reflected()["HLAtimeManagerState"], "00 00 00 01");
  s[0].must(RequestUpdate{.object = b,
                          .attributes = {v.member("HLAfederate", false, "HLAlogicalTime"),
                                         v.member("HLAfederate", false, "HLAlookahead"),
                                         v.member("HLAfederate", false, "HLAGALT")}});
  values = v.reflected();
  EXPECT_EQ(values["HLAlogicalTime"], hex(Octets{}.time(Stamp{0}).bytes()));
  EXPECT_EQ(values["HLAlookahead"], hex(Octets{}.time(Stamp{5}).bytes()));
  EXPECT_EQ(values["HLAGALT"], hex(Octets{}.time(Stamp{3}).bytes()));
  s[0].must(DisableRegulation{});
  v.reflected();
  EXPECT_EQ(v.reflected()["HLAtimeManagerState"], "00 00 00 00");
  EXPECT_TRUE(s[0].quiet());
}

TEST(Mom, ReportsEverySoOften) {
  Stage s(2);
  Viewer v(s[0]);
  v.subscribe("HLAfederate", {"HLAlogicalTime", "HLAtimeGrantedTime"});
  s[0].next<Discover>();
  s[0].next<Discover>();
  s.core.pulse();
  EXPECT_TRUE(s[0].quiet());
  v.send("HLAfederate.HLAadjust.HLAsetTiming",
         {{"HLAfederate", handle(2)}, {"HLAreportPeriod", Octets{}.number(1).take()}});
  s.core.pulse();
  EXPECT_TRUE(s[0].quiet());  // less than a second has passed
  const auto begin = std::chrono::steady_clock::now();
  while (s[0].quiet() && std::chrono::steady_clock::now() - begin < std::chrono::seconds(100))
    s.core.pulse();
  EXPECT_GE(std::chrono::steady_clock::now() - begin, std::chrono::milliseconds(900));
  EXPECT_EQ(v.reflected().size(), 2u);
}

TEST(Mom, ReportsDeclarationsOnRequest) {
  Stage s(2);
  Viewer v(s[0]);
  const std::string reports = "HLAfederate.HLAreport.";
  v.listen("HLAfederate.HLAreport.HLAreportObjectClassPublication");
  v.listen("HLAfederate.HLAreport.HLAreportInteractionPublication");
  v.listen("HLAfederate.HLAreport.HLAreportObjectClassSubscription");
  v.listen("HLAfederate.HLAreport.HLAreportInteractionSubscription");
  s[1].publish("Base", {s[1].attribute("a"), s[1].attribute("b")});
  s[1].must(PublishInteraction{s[1].interaction_class("Ping")});
  s[1].subscribe("Timed", {s[1].attribute("t")}, false, "Slow");
  s[1].must(
      SubscribeInteraction{.interaction_class = s[1].interaction_class("Pong"), .active = true});
  v.send("HLAfederate.HLArequest.HLArequestPublications", {{"HLAfederate", handle(2)}});
  auto r = v.heard(reports + "HLAreportObjectClassPublication");
  EXPECT_EQ(r["HLAfederate"], handle(2));
  EXPECT_EQ(r["HLAnumberOfClasses"], Octets{}.number(1).take());
  EXPECT_EQ(r["HLAobjectClass"], handle(s[1].object_class("Base")));
  OctetReader list(r["HLAattributeList"]);
  const Numbers published = list.handles();
  EXPECT_TRUE(std::find(published.begin(), published.end(), s[1].attribute("b")) !=
              published.end());
  EXPECT_EQ(v.heard(reports + "HLAreportInteractionPublication")["HLAinteractionClassList"],
            Octets{}.handles({s[1].interaction_class("Ping")}).take());
  v.send("HLAfederate.HLArequest.HLArequestSubscriptions", {{"HLAfederate", handle(2)}});
  r = v.heard(reports + "HLAreportObjectClassSubscription");
  EXPECT_EQ(r["HLAactive"], Octets{}.truth(false).take());
  EXPECT_EQ(v.text(r["HLAmaxUpdateRate"]), "Slow");
  EXPECT_EQ(r["HLAattributeList"], Octets{}.handles({s[1].attribute("t")}).take());
  EXPECT_EQ(v.heard(reports + "HLAreportInteractionSubscription")["HLAinteractionClassList"],
            Octets{}.number(1).handle(s[1].interaction_class("Pong")).truth(true).take());
  EXPECT_TRUE(s[0].quiet());
}

TEST(Mom, CountsObjectsUpdatesAndInteractions) {
  Stage s(3);
  Viewer v(s[0]);
  const Handle base = s[1].object_class("Base"), ping = s[1].interaction_class("Ping");
  s[1].publish("Base", {s[1].attribute("a")});
  s[1].must(PublishInteraction{ping});
  s[2].subscribe("Base", {s[2].attribute("a")});
  s[2].must(SubscribeInteraction{.interaction_class = ping, .active = true});
  const Handle object = s[1].register_object("Base");
  for (int k = 0; k < 3; ++k) s[1].update(object, rig::Packed().add(s[1].attribute("a"), "x"));
  SendInteraction one;
  one.interaction_class = ping;
  s[1].say(one);
  const auto request = [&](const std::string& name, Handle federate, const std::string& counts) {
    v.listen("HLAfederate.HLAreport.HLAreport" + name);
    v.send("HLAfederate.HLArequest.HLArequest" + name, {{"HLAfederate", handle(federate)}});
    return v.heard("HLAfederate.HLAreport.HLAreport" + name)[counts];
  };
  const Blob one_base = Octets{}.number(1).handle(base).number(1).take();
  EXPECT_EQ(request("ObjectInstancesThatCanBeDeleted", 2, "HLAobjectInstanceCounts"), one_base);
  EXPECT_EQ(request("ObjectInstancesUpdated", 2, "HLAobjectInstanceCounts"), one_base);
  EXPECT_EQ(request("ObjectInstancesReflected", 3, "HLAobjectInstanceCounts"), one_base);
  EXPECT_EQ(request("ObjectInstancesReflected", 2, "HLAobjectInstanceCounts"),
            Octets{}.number(0).take());
  // one for each transportation; reliable is the first
  EXPECT_EQ(request("UpdatesSent", 2, "HLAupdateCounts"),
            Octets{}.number(1).handle(base).number(3).take());
  v.heard("HLAfederate.HLAreport.HLAreportUpdatesSent");
  EXPECT_EQ(request("ReflectionsReceived", 3, "HLAreflectCounts"),
            Octets{}.number(1).handle(base).number(3).take());
  v.heard("HLAfederate.HLAreport.HLAreportReflectionsReceived");
  EXPECT_EQ(request("InteractionsSent", 2, "HLAinteractionCounts"),
            Octets{}.number(1).handle(ping).number(1).take());
  v.heard("HLAfederate.HLAreport.HLAreportInteractionsSent");
  EXPECT_EQ(request("InteractionsReceived", 3, "HLAinteractionCounts"),
            Octets{}.number(1).handle(ping).number(1).take());
  v.heard("HLAfederate.HLAreport.HLAreportInteractionsReceived");

  v.listen("HLAfederate.HLAreport.HLAreportObjectInstanceInformation");
  v.send("HLAfederate.HLArequest.HLArequestObjectInstanceInformation",
         {{"HLAfederate", handle(3)}, {"HLAobjectInstance", handle(object)}});
  auto r = v.heard("HLAfederate.HLAreport.HLAreportObjectInstanceInformation");
  EXPECT_EQ(r["HLAownedInstanceAttributeList"], Octets{}.handles({}).take());
  EXPECT_EQ(r["HLAregisteredClass"], handle(base));
  EXPECT_EQ(r["HLAknownClass"], handle(base));
}

TEST(Mom, ServesOnBehalfOfAFederateAndTellsWhatWasWrong) {
  Stage s(2);
  Viewer v(s[0]);
  const std::string services = "HLAfederate.HLAservice.";
  const std::string exception = "HLAfederate.HLAreport.HLAreportMOMexception";
  v.listen(exception);
  v.send(services + "HLAenableTimeRegulation",
         {{"HLAfederate", handle(2)}, {"HLAlookahead", Octets{}.time(Stamp{4}).take()}});
  const auto served = [&] { return header(s[1].next<Served>().request)->kind; };
  EXPECT_EQ(served(), Kind::enable_regulation);  // before its consequences
  EXPECT_EQ(s[1].next<RegulationEnabled>().time, Stamp{0});
  v.send(services + "HLAtimeAdvanceRequest",
         {{"HLAfederate", handle(2)}, {"HLAtimeStamp", Octets{}.time(Stamp{9}).take()}});
  EXPECT_EQ(served(), Kind::advance);
  EXPECT_EQ(s[1].next<Granted>().time, Stamp{9});
  EXPECT_TRUE(s[0].quiet());

  v.send(services + "HLAtimeAdvanceRequest",
         {{"HLAfederate", handle(2)}, {"HLAtimeStamp", Octets{}.time(Stamp{8}).take()}});
  auto r = v.heard(exception);
  EXPECT_EQ(r["HLAparameterError"], Octets{}.truth(false).take());
  EXPECT_EQ(v.text(r["HLAservice"]),
            "HLAinteractionRoot.HLAmanager.HLAfederate.HLAservice.HLAtimeAdvanceRequest");
  EXPECT_EQ(v.text(r["HLAexception"]).find("LogicalTimeAlreadyPassed"), 0u);
  v.send(services + "HLAtimeAdvanceRequest", {{"HLAfederate", handle(2)}});
  r = v.heard(exception);
  EXPECT_EQ(r["HLAparameterError"], Octets{}.truth(true).take());
  EXPECT_EQ(v.text(r["HLAexception"]), "HLAtimeStamp is missing");
  v.send(services + "HLAenableTimeConstrained", {{"HLAfederate", handle(77)}});
  EXPECT_EQ(v.text(v.heard(exception)["HLAexception"]), "HLAfederate is not a joined federate");
  v.send(services + "HLAenableTimeConstrained", {{"HLAfederate", Octets{}.number(9).take()}});
  EXPECT_EQ(v.heard(exception)["HLAparameterError"], Octets{}.truth(true).take());
  v.send(services + "HLApublishInteractionClass",
         {{"HLAfederate", handle(2)}, {"HLAinteractionClass", handle(99999)}});
  v.heard(exception);
  EXPECT_TRUE(s[0].quiet());
  EXPECT_TRUE(s[1].quiet());  // a refused service is not reported to the federate

  v.send(services + "HLApublishObjectClassAttributes",
         {{"HLAfederate", handle(2)},
          {"HLAobjectClass", handle(s[1].object_class("Base"))},
          {"HLAattributeList", Octets{}.handles({s[1].attribute("a")}).take()}});
  EXPECT_NE(s[1].register_object("Base"), 0u);
}

TEST(Mom, ResignsAFederateAlsoTheOneWhoAsks) {
  Stage s(2);
  Viewer v(s[0]);
  for (const Handle who : {2, 1}) {
    v.send("HLAfederate.HLAservice.HLAresignFederationExecution",
           {{"HLAfederate", handle(who)}, {"HLAresignAction", Octets{}.number(6).take()}});
    EXPECT_EQ(s[who - 1].ask(QueryTime{}), Failure::FederateNotExecutionMember);
  }
  s[0].must(DestroyFederation{"F"});
}

TEST(Mom, ReportsServicesAndExceptions) {
  Stage s(2);
  Viewer v(s[0]);
  const std::string invocation = "HLAfederate.HLAreport.HLAreportServiceInvocation";
  v.listen(invocation);
  v.listen("HLAfederate.HLAreport.HLAreportException");
  v.send("HLAfederate.HLAadjust.HLAsetServiceReporting",
         {{"HLAfederate", handle(2)}, {"HLAreportingState", Octets{}.truth(true).take()}});
  const auto reporting = [&] { return s[1].next<Reporting>(); };
  EXPECT_TRUE(reporting().services);
  s[1].say(Advance{AdvanceKind::to, {5}});
  auto r = v.heard(invocation);
  EXPECT_EQ(v.text(r["HLAservice"]), "timeAdvanceRequest");
  EXPECT_EQ(r["HLAsuccessIndicator"], Octets{}.truth(true).take());
  EXPECT_EQ(r["HLAsuppliedArguments"], Octets{}.texts({"0", "5"}).take());
  EXPECT_EQ(r["HLAserialNumber"], Octets{}.number(0).take());
  // callbacks are counted too
  r = v.heard(invocation);
  EXPECT_EQ(v.text(r["HLAservice"]), "timeAdvanceGrant");
  EXPECT_EQ(r["HLAsuppliedArguments"], Octets{}.texts({"5"}).take());
  s[1].next<Granted>();
  s[1].must(CreateRegion{{}});
  EXPECT_EQ(v.heard(invocation)["HLAreturnedArguments"], Octets{}.texts({"4"}).take());
  EXPECT_EQ(s[1].ask(DisableRegulation{}), Failure::TimeRegulationIsNotEnabled);
  r = v.heard(invocation);
  EXPECT_EQ(v.text(r["HLAexception"]).find("TimeRegulationIsNotEnabled: "), 0u);
  EXPECT_EQ(r["HLAserialNumber"], Octets{}.number(3).take());
  // what the federate's side reports
  s[1].say(ReportInvocation{"getObjectClassName", {"3"}, {"A"}, {}, ""});
  r = v.heard(invocation);
  EXPECT_EQ(v.text(r["HLAservice"]), "getObjectClassName");
  EXPECT_EQ(r["HLAreturnedArguments"], Octets{}.texts({"A"}).take());
  EXPECT_TRUE(s[0].quiet());
  // a federate whose services are reported must not subscribe to such reports (5.8)
  EXPECT_EQ(s[1].ask(SubscribeInteraction{
                .interaction_class = Viewer(s[1]).find_class(invocation, true), .active = true}),
            Failure::FederateServiceInvocationsAreBeingReportedViaMOM);
  v.heard(invocation);
  v.send("HLAfederate.HLAadjust.HLAsetServiceReporting",
         {{"HLAfederate", handle(2)}, {"HLAreportingState", Octets{}.truth(false).take()}});
  EXPECT_FALSE(reporting().services);
  v.send("HLAfederate.HLAadjust.HLAsetExceptionReporting",
         {{"HLAfederate", handle(2)}, {"HLAreportingState", Octets{}.truth(true).take()}});
  EXPECT_TRUE(reporting().exceptions);
  s[1].must(QueryTime{});
  EXPECT_EQ(s[1].ask(DisableRegulation{}), Failure::TimeRegulationIsNotEnabled);
  r = v.heard("HLAfederate.HLAreport.HLAreportException");
  EXPECT_EQ(v.text(r["HLAservice"]), "disableTimeRegulation");
  EXPECT_TRUE(s[0].quiet());
}

TEST(Mom, KnowsTheGroupOfEveryService) {
  const std::map<std::string_view, std::uint32_t> groups{{"resignFederationExecution", 0},
                                                         {"synchronizationPointAchieved", 0},
                                                         {"federateSaveComplete", 0},
                                                         {"initiateFederateRestore", 0},
                                                         {"unsubscribeInteractionClass", 1},
                                                         {"startRegistrationForObjectClass", 1},
                                                         {"turnInteractionsOff", 1},
                                                         {"reserveObjectInstanceName", 2},
                                                         {"receiveInteraction", 2},
                                                         {"turnUpdatesOnForObjectInstance", 2},
                                                         {"attributesInScope", 2},
                                                         {"provideAttributeValueUpdate", 2},
                                                         {"confirmDivestiture", 3},
                                                         {"attributeIsNotOwned", 3},
                                                         {"queryAttributeOwnership", 3},
                                                         {"nextMessageRequestAvailable", 4},
                                                         {"timeAdvanceGrant", 4},
                                                         {"changeInteractionOrderType", 4},
                                                         {"requestRetraction", 4},
                                                         {"modifyLookahead", 4},
                                                         {"sendInteractionWithRegions", 5},
                                                         {"commitRegionModifications", 5},
                                                         {"getDimensionHandleSet", 6},
                                                         {"setRangeBounds", 6},
                                                         {"enableAttributeScopeAdvisorySwitch", 6}};
  for (const auto& [service, group] : groups) EXPECT_EQ(service_group(service), group) << service;
}

TEST(Mom, GivesAttributesToAFederateWithoutAsking) {
  Stage s(3);
  Viewer v(s[0]);
  const Handle a = s[1].attribute("a");
  s[1].publish("Base", {a});
  s[2].subscribe("Base", {a});
  const Handle object = s[1].register_object("Base");
  s[2].next<Discover>();
  const std::string exception = "HLAfederate.HLAreport.HLAreportMOMexception";
  v.listen(exception);
  const auto modify = [&](Handle federate, bool owned) {
    v.send("HLAfederate.HLAadjust.HLAmodifyAttributeState",
           {{"HLAfederate", handle(federate)},
            {"HLAobjectInstance", handle(object)},
            {"HLAattribute", handle(a)},
            {"HLAattributeState", Octets{}.truth(owned).take()}});
  };
  modify(1, true);  // does not know the instance
  EXPECT_EQ(v.text(v.heard(exception)["HLAexception"]).find("ObjectInstanceNotKnown"), 0u);
  modify(3, true);  // does not publish the attribute
  EXPECT_EQ(v.text(v.heard(exception)["HLAexception"]).find("AttributeNotPublished"), 0u);
  s[2].publish("Base", {a});
  modify(3, true);
  EXPECT_FALSE(s[1].next<OwnershipSet>().owned);
  EXPECT_TRUE(s[2].next<OwnershipSet>().owned);
  EXPECT_TRUE(s[1].quiet() && s[2].quiet());  // no callback
  s[2].must(IsOwned{object, a});
  EXPECT_TRUE(s[2].body<Truth>().is);
  modify(3, false);
  EXPECT_EQ(s[1].next<Assume>().attributes, Numbers{a});  // it is unowned
  EXPECT_FALSE(s[2].next<OwnershipSet>().owned);
}

TEST(Mom, CanBeSeenThroughRegions) {
  Stage s(3);
  Player& a = s[0];
  Viewer v(a);
  const auto dimension = [&](std::string_view name) {
    const auto& all = a.tables.dimensions;
    for (std::size_t i = 0; i < all.size(); ++i)
      if (all[i].name == name) return static_cast<Handle>(i + 1);
    return Handle{0};
  };
  const Handle federate = dimension("HLAfederate"), group = dimension("HLAserviceGroup");
  a.must(CreateRegion{{federate}});
  const Handle only_b = a.body<Created>().region;
  a.must(CommitRegions{{{only_b, {{federate, 2, 3}}}}});
  a.must(SubscribeAttributes{v.find_class("HLAfederate", false),
                             {{{v.member("HLAfederate", false, "HLAtimeRegulating")}, {only_b}}},
                             true,
                             "",
                             true});
  EXPECT_EQ(a.next<Discover>().name, "HLAfederate.B");
  EXPECT_TRUE(a.quiet());
  s[2].must(EnableRegulation{{1}});
  EXPECT_TRUE(a.quiet());
  s[1].must(EnableRegulation{{1}});
  EXPECT_EQ(v.reflected()["HLAtimeRegulating"], "00 00 00 01");
  // time-management services of B
  const std::string invocation = "HLAfederate.HLAreport.HLAreportServiceInvocation";
  a.must(CreateRegion{{federate, group}});
  const Handle times_of_b = a.body<Created>().region;
  a.must(CommitRegions{{{times_of_b, {{federate, 2, 3}, {group, 4, 5}}}}});
  a.must(SubscribeInteraction{v.find_class(invocation, true), true, Numbers{times_of_b}});
  for (const Handle h : {2, 3})
    v.send("HLAfederate.HLAadjust.HLAsetServiceReporting",
           {{"HLAfederate", handle(h)}, {"HLAreportingState", Octets{}.truth(true).take()}});
  for (const std::size_t i : {2, 1}) {
    s[i].must(SetResignAction{ResignAction::divest});
    s[i].must(QueryTime{});
  }
  EXPECT_EQ(v.text(v.heard(invocation)["HLAservice"]), "queryLogicalTime");
  EXPECT_TRUE(a.quiet());
}

TEST(Mom, ComesBackFromARestore) {
  Stage s(2);
  Viewer v(s[0]);
  v.subscribe("HLAfederate", {"HLAfederateHandle"});
  s[0].next<Discover>();
  const Handle b = s[0].next<Discover>().object;
  s[0].must(RequestSave{"x", {}});
  for (int i = 0; i < 2; ++i) {
    s[i].next<InitiateSave>();
    s[i].must(SaveBegun{});
  }
  for (int i = 0; i < 2; ++i) s[i].must(SaveDone{true});
  for (int i = 0; i < 2; ++i) EXPECT_TRUE(s[i].next<Saved>().success);
  s[0].must(RequestRestore{"x"});
  s[0].next<RestoreRequested>();
  for (int i = 0; i < 2; ++i) {
    s[i].next<RestoreBegun>();
    s[i].next<InitiateRestore>();
  }
  for (int i = 0; i < 2; ++i) s[i].must(RestoreDone{true});
  s[0].next<MemberState>();
  EXPECT_TRUE(s[0].next<Restored>().success);
  while (!s[0].quiet()) v.reflected();
  s[0].must(RequestUpdate{.object = b,
                          .attributes = {v.member("HLAfederate", false, "HLAfederateHandle")}});
  EXPECT_EQ(v.reflected()["HLAfederateHandle"], "00 00 00 04 00 00 00 02");
  v.subscribe("HLAfederate", {"HLAtimeConstrained"});
  s[1].must(EnableConstrained{});
  EXPECT_EQ(v.reflected()["HLAtimeConstrained"], "00 00 00 01");
  s[1].must(Resign{ResignAction::none});
  EXPECT_EQ(s[0].next<Remove>().object, b);
}

TEST(Mom, ReportsALostFederateAndChangesOfSwitches) {
  Stage s(2);
  Viewer v(s[0]);
  v.listen("HLAfederate.HLAreport.HLAreportFederateLost");
  v.subscribe("HLAfederate", {"HLAconveyProducingFederate", "HLAfederateState"});
  s[0].next<Discover>();
  s[0].next<Discover>();
  v.send(
      "HLAfederate.HLAadjust.HLAsetSwitches",
      {{"HLAfederate", handle(2)}, {"HLAconveyProducingFederate", Octets{}.truth(false).take()}});
  while (!s[0].quiet()) v.reflected();
  s.core.close(s[1].connection, "the line is cut");
  s[0].next<Remove>();
  const auto r = v.heard("HLAfederate.HLAreport.HLAreportFederateLost");
  EXPECT_EQ(v.text(r.at("HLAfederateName")), "B");
  EXPECT_EQ(v.text(r.at("HLAfaultDescription")), "the line is cut");
}

}  // namespace
}  // namespace vernier::federation
