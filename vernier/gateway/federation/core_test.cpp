#include "vernier/gateway/federation/core.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "vernier/gateway/federation/core_rig_test.hpp"

namespace vernier::federation {
namespace {

using rig::Player;
using rig::Stage;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::UnorderedElementsAre;

std::vector<std::string> names(const Federations& all) {
  std::vector<std::string> names;
  for (const FederationName& f : all.all) names.push_back(f.name);
  return names;
}

// ---- federations

TEST(Core, MakesListsAndEndsFederations) {
  Core core;
  Player p(core);
  p.create("One");
  p.must(CreateFederation{"Two", {}, {}, TimeKind::float64});
  EXPECT_EQ(p.ask(CreateFederation{"One", {}, {}, {}}), Failure::FederationExecutionAlreadyExists);
  p.must(ListFederations{});
  const auto all = p.next<Federations>();
  EXPECT_THAT(names(all), ElementsAre("One", "Two"));
  EXPECT_EQ(all.all[1].time, TimeKind::float64);
  p.must(DestroyFederation{"One"});
  EXPECT_EQ(p.ask(DestroyFederation{"One"}), Failure::FederationExecutionDoesNotExist);
  p.join("x", "Two");
  EXPECT_EQ(p.ask(DestroyFederation{"Two"}), Failure::FederatesCurrentlyJoined);
  EXPECT_THAT(p.answer.text, HasSubstr("x"));
}

TEST(Core, RefusesNamesThatAreNotUtf8) {
  Core core;
  Player p(core);
  p.create("Größe €");
  for (const char* bad : {"\xff", "a\xc3", "\xc0\x80", "\xed\xa0\x80", "\xf4\x90\x80\x80"}) {
    EXPECT_EQ(p.ask(CreateFederation{bad, {}, {}, {}}), Failure::RTIinternalError);
    EXPECT_THAT(p.answer.text, HasSubstr("not UTF-8"));
    EXPECT_EQ(p.ask(Join{bad, "t", "Größe €", {}}), Failure::RTIinternalError);
    EXPECT_EQ(p.ask(Join{"a", bad, "Größe €", {}}), Failure::RTIinternalError);
  }
  p.join("\xef\xbf\xbd", "Größe €");  // U+FFFD is a character
  EXPECT_EQ(p.ask(ReserveNames{{"good", "\xff"}}), Failure::RTIinternalError);
}

TEST(Core, SaysWhereAModuleIsWrong) {
  Core core;
  Player p(core);
  EXPECT_EQ(p.ask(CreateFederation{"F", {{"bad.xml", "<objectModel>\n <x/>"}}, {}, {}}),
            Failure::ErrorReadingFDD);
  EXPECT_THAT(p.answer.text, HasSubstr("bad.xml, line 2: "));
  EXPECT_EQ(p.ask(CreateFederation{"F", {}, Document{"m.xml", "<a/>"}, {}}),
            Failure::ErrorReadingMIM);
  EXPECT_EQ(p.ask(CreateFederation{"F", {}, Document{"HLAstandardMIM", ""}, {}}),
            Failure::DesignatorIsHLAstandardMIM);
  std::string other = rig::small_fom;
  other.replace(other.find("<order>Receive"), 14, "<order>TimeStamp");
  EXPECT_EQ(
      p.ask(CreateFederation{"F", {{"small.xml", rig::small_fom}, {"other.xml", other}}, {}, {}}),
      Failure::InconsistentFDD);
  EXPECT_THAT(p.answer.text, HasSubstr("other.xml, line 4: attribute \"a\""));
  p.must(ListFederations{});
  EXPECT_TRUE(p.next<Federations>().all.empty());
}

TEST(Core, JoinsByNameAndMakesNames) {
  Stage s(2);
  EXPECT_NE(s[0].joined.federate, s[1].joined.federate);
  Player c(s.core);
  EXPECT_EQ(c.ask(Join{"A", "t", "F", {}}), Failure::FederateNameAlreadyInUse);
  EXPECT_EQ(c.ask(Join{"c", "t", "G", {}}), Failure::FederationExecutionDoesNotExist);
  EXPECT_EQ(c.ask(QueryTime{}), Failure::FederateNotExecutionMember);
  c.must(Join{"", "t", "F", {}});
  const auto joined = c.body<Joined>();
  EXPECT_FALSE(joined.name.empty());
  EXPECT_TRUE(joined.convey_producer);
  EXPECT_EQ(c.ask(Join{"d", "t", "F", {}}), Failure::FederateAlreadyExecutionMember);
  s[0].must(FindFederate{joined.name});
  EXPECT_EQ(s[0].body<Found>().federate, joined.federate);
  s[0].must(NameFederate{joined.federate});
  EXPECT_EQ(s[0].body<Named>().name, joined.name);
  c.must(Resign{ResignAction::none});
  EXPECT_EQ(s[0].ask(NameFederate{joined.federate}), Failure::FederateHandleNotKnown);
  EXPECT_EQ(s[0].ask(NameFederate{99}), Failure::InvalidFederateHandle);
  EXPECT_EQ(s[0].ask(FindFederate{"nobody"}), Failure::NameNotFound);
}

const std::string more_fom =
    R"(<objectModel xmlns="http://standards.ieee.org/IEEE1516-2010"><objects><objectClass>
<name>HLAobjectRoot</name><objectClass><name>Base</name><objectClass><name>More</name>
<attribute><name>m</name><dataType>HLAopaqueData</dataType><transportation>HLAreliable</transportation><order>Receive</order></attribute>
</objectClass></objectClass></objectClass></objects></objectModel>)";

TEST(Core, AJoinWithAModuleMakesTheFomGrowForAll) {
  Stage s(1);
  const std::size_t before = s[0].tables.object_classes.size();
  Player b(s.core);
  b.join("B", "F", {{"more.xml", more_fom}});
  const auto grown = s[0].next<Tables>();
  Reader r(grown.tables);
  FomTables tables;
  r(tables);
  ASSERT_TRUE(r.complete());
  EXPECT_EQ(tables.object_classes.size(), before + 1);
  EXPECT_EQ(tables.object_classes.back().path, "HLAobjectRoot.Base.More");
  // earlier handles are unchanged
  for (std::size_t i = 0; i < before; ++i)
    EXPECT_EQ(tables.object_classes[i].path, s[0].tables.object_classes[i].path);
  // an instance of the new class is discovered as the class known before
  s[0].subscribe("Base", {s[0].attribute("a")});
  b.publish("More", {b.attribute("a"), b.attribute("m")});
  const Handle o = b.register_object("More");
  EXPECT_EQ(s[0].next<Discover>().object_class, s[0].object_class("Base"));
  EXPECT_NE(o, 0u);
  // the same module again changes nothing
  Player c(s.core);
  c.join("C", "F", {{"more.xml", more_fom}});
  EXPECT_TRUE(s[0].quiet());
  EXPECT_EQ(c.ask(Join{"D", "t", "F", {{"x.xml", "<nothing/>"}}}),
            Failure::FederateAlreadyExecutionMember);
  Player d(s.core);
  EXPECT_EQ(d.ask(Join{"D", "t", "F", {{"x.xml", "<nothing/>"}}}), Failure::ErrorReadingFDD);
}

TEST(Core, RefusesFramesThatAreNone) {
  Stage s(1);
  EXPECT_FALSE(s.core.take(s[0].connection, {}));
  EXPECT_FALSE(s.core.take(99, *frame(QueryTime{}, 1)));
  auto cut = *frame(Join{"a", "b", "c", {}}, 1);
  cut.pop_back();
  EXPECT_FALSE(s.core.take(s[0].connection, cut));
  const auto length = static_cast<std::uint32_t>(cut.size());
  std::memcpy(cut.data(), &length, 4);
  EXPECT_FALSE(s.core.take(s[0].connection, cut));
  EXPECT_FALSE(s.core.take(s[0].connection, *frame(Granted{}, 1)));  // only the RTI sends this
  EXPECT_TRUE(s[0].quiet());
  s[0].must(QueryTime{});  // it continues
}

TEST(Core, BoundsWhatItKeepsForAFederate) {
  Stage s(1);
  const std::string longest(5000, 'x');
  Player p(s.core);
  EXPECT_EQ(p.ask(CreateFederation{longest, {}, {}, {}}), Failure::RTIinternalError);
  EXPECT_EQ(p.ask(CreateFederation{"", {}, {}, {}}), Failure::RTIinternalError);
  EXPECT_EQ(p.ask(CreateFederation{"x", {}, {}, static_cast<TimeKind>(7)}),
            Failure::CouldNotCreateLogicalTimeFactory);
  EXPECT_EQ(p.ask(Join{longest, "t", "F", {}}), Failure::RTIinternalError);
  EXPECT_THAT(p.answer.text, HasSubstr("too long"));
  EXPECT_EQ(s[0].ask(RegisterSynchronization{longest, {}, {}}), Failure::RTIinternalError);
  EXPECT_EQ(s[0].ask(RegisterSynchronization{"x", Blob(1u << 17), {}}), Failure::RTIinternalError);
  EXPECT_EQ(s[0].ask(RequestSave{longest, {}}), Failure::UnableToPerformSave);
  for (int i = 0; i < 4096; ++i) {
    s[0].must(RegisterSynchronization{std::to_string(i), {}, {}});
    s[0].peer.frames.clear();
  }
  EXPECT_EQ(s[0].ask(RegisterSynchronization{"one more", {}, {}}), Failure::RTIinternalError);
}

// ---- resigning

TEST(Core, ResigningDeletesDivestsOrIsRefused) {
  Stage s(2);
  Player &a = s[0], &b = s[1];
  const Numbers ab{a.attribute("a"), a.attribute("b")};
  a.publish("Base", ab);
  b.publish("Base", ab);
  b.subscribe("Base", ab);
  const Handle o = a.register_object("Base");
  b.next<Discover>();
  EXPECT_EQ(a.ask(Resign{ResignAction::none}), Failure::FederateOwnsAttributes);
  EXPECT_EQ(a.ask(Resign{ResignAction::cancel_acquisitions}), Failure::FederateOwnsAttributes);
  EXPECT_EQ(a.ask(Resign{static_cast<ResignAction>(77)}), Failure::InvalidResignAction);
  a.must(Resign{ResignAction::divest});
  EXPECT_EQ(b.next<Assume>().object, o);
  b.must(Acquire{o, ab, {}});
  EXPECT_EQ(b.next<Acquired>().attributes, ab);
  a.join("A");
  a.subscribe("Base", ab);
  EXPECT_EQ(a.next<Discover>().object, o);
  // nobody owns the privilege to delete any more
  EXPECT_EQ(b.ask(DeleteObject{o, {}, {}, 0}), Failure::DeletePrivilegeNotHeld);
  b.must(Acquire{o, {b.attribute("HLAprivilegeToDeleteObject")}, {}});
  b.must(Resign{ResignAction::delete_objects});
  EXPECT_EQ(a.next<Remove>().object, o);
  a.must(Resign{ResignAction::none});
  a.must(DestroyFederation{"F"});
}

// a name that begins with hla, and no data type
TEST(Core, LogsWhatItOnlyWarnsOf) {
  std::vector<std::string> log;
  CoreSettings settings;
  settings.log = [&](std::string_view what) { log.emplace_back(what); };
  Core core(settings);
  Player p(core);
  const Document module{
      "client.xml",
      "<objectModel xmlns=\"http://standards.ieee.org/IEEE1516-2010\">\n<objects><objectClass>"
      "<name>HLAobjectRoot</name><objectClass><name>hlaShip</name><attribute><name>a</name>"
      "<transportation>HLAreliable</transportation><order>Receive</order></attribute>"
      "</objectClass></objectClass></objects><switches><autoProvide isEnabled=\"true\"/></switches>"
      "</objectModel>"};
  const std::string no_type =
      "federation 'F': warning: client.xml, line 2: <attribute> \"a\" has no <dataType>; its "
      "values "
      "can only be shown as bytes (V1804)";
  const std::string reserved =
      "federation 'F': warning: client.xml, line 2: object class \"hlaShip\" begins with HLA; such "
      "names are the standard's; give it another one (V1826)";
  p.must(CreateFederation{"F", {module}, {}, {}});
  EXPECT_THAT(log, ElementsAre("federation 'F' is created", no_type, reserved));
}

TEST(Core, AFederateThatIsLostIsResignedByItsDirective) {
  std::vector<std::string> log;
  CoreSettings settings;
  settings.log = [&](std::string_view what) { log.emplace_back(what); };
  Stage s(3, settings);
  Player &a = s[0], &b = s[1], &c = s[2];
  const Numbers just_a{a.attribute("a")};
  a.publish("Base", just_a);
  c.publish("Base", just_a);
  b.subscribe("Base", just_a);
  const Handle of_a = a.register_object("Base"), of_c = c.register_object("Base");
  b.next<Discover>();
  b.next<Discover>();
  c.must(SetResignAction{ResignAction::divest});
  EXPECT_EQ(c.ask(SetResignAction{static_cast<ResignAction>(9)}), Failure::InvalidResignAction);
  a.must(RegisterSynchronization{"go", {}, {}});
  b.must(AchieveSynchronization{"go", true});
  c.must(AchieveSynchronization{"go", true});
  b.next<AnnounceSynchronization>();
  s.core.close(a.connection, "the peer went away");  // deletes, which is the FOM's default
  EXPECT_EQ(b.next<Remove>().object, of_a);
  EXPECT_EQ(b.next<Synchronized>().label, "go");
  s.core.close(c.connection, "");
  EXPECT_TRUE(b.quiet());  // of_c still exists
  b.must(QueryOwnership{of_c, just_a[0]});
  EXPECT_EQ(b.next<Owner>().federate, 0u);
  EXPECT_THAT(log, ::testing::Contains(HasSubstr("'A' of 'F' is lost: the peer went away")));
}

TEST(Core, LeavingIsResigningToo) {
  Stage s(2);
  s[0].say(Leave{});
  Player again(s.core);
  again.join("A");
}

TEST(Core, IsPressedByWhoeverIsBehind) {
  Stage s(3);
  const auto pressing = [&](int whom) {
    return s.core.pressing(s[static_cast<std::size_t>(whom)].connection, Kind::advance, 100, false);
  };
  EXPECT_EQ(pressing(0), 0u);
  s[1].peer.behind = 101;
  EXPECT_EQ(pressing(0), s[1].connection);
  EXPECT_EQ(pressing(1), 0u);  // not because of itself
}

// ---- synchronization points

TEST(Synchronization, EndsWhenAllHaveAchieved) {
  Stage s(3);
  s[0].must(RegisterSynchronization{"go", rig::blob_of("tag"), {}});
  EXPECT_EQ(s[0].next<SynchronizationRegistered>().failure, SynchronizationFailure::none);
  for (int i = 0; i < 3; ++i) {
    const auto m = s[i].next<AnnounceSynchronization>();
    EXPECT_EQ(m.label, "go");
    EXPECT_EQ(rig::text_of(m.tag), "tag");
  }
  s[1].must(RegisterSynchronization{"go", {}, {}});
  EXPECT_EQ(s[1].next<SynchronizationRegistered>().failure, SynchronizationFailure::label_in_use);
  Player late(s.core);
  late.join("late");
  EXPECT_EQ(late.next<AnnounceSynchronization>().label, "go");
  for (int i = 0; i < 3; ++i) s[i].must(AchieveSynchronization{"go", i != 1});
  EXPECT_EQ(s[0].ask(AchieveSynchronization{"go", true}),
            Failure::SynchronizationPointLabelNotAnnounced);
  EXPECT_TRUE(s[0].quiet());
  late.must(AchieveSynchronization{"go", true});
  for (int i = 0; i < 3; ++i)
    EXPECT_THAT(s[i].next<Synchronized>().failed, ElementsAre(s[1].joined.federate));
  EXPECT_EQ(late.next<Synchronized>().label, "go");
  EXPECT_EQ(s[0].ask(AchieveSynchronization{"go", true}),
            Failure::SynchronizationPointLabelNotAnnounced);
  s[0].must(RegisterSynchronization{"go", {}, {}});  // the label is unused again
  EXPECT_EQ(s[0].next<SynchronizationRegistered>().failure, SynchronizationFailure::none);
}

TEST(Synchronization, OfASetConcernsOnlyItsMembers) {
  Stage s(3);
  s[0].must(RegisterSynchronization{"x", {}, Numbers{s[1].joined.federate, s[2].joined.federate}});
  s[0].next<SynchronizationRegistered>();
  EXPECT_TRUE(s[0].quiet());
  s[1].next<AnnounceSynchronization>();
  s[2].next<AnnounceSynchronization>();
  Player late(s.core);
  late.join("late");
  EXPECT_TRUE(late.quiet());
  EXPECT_EQ(s[0].ask(AchieveSynchronization{"x", true}),
            Failure::SynchronizationPointLabelNotAnnounced);
  s[1].must(AchieveSynchronization{"x", true});
  s[2].must(Resign{ResignAction::none});  // a resigned federate no longer counts
  EXPECT_TRUE(s[1].next<Synchronized>().failed.empty());
  s[0].must(RegisterSynchronization{"y", {}, Numbers{77}});
  EXPECT_EQ(s[0].next<SynchronizationRegistered>().failure, SynchronizationFailure::member_unknown);
}

}  // namespace
}  // namespace vernier::federation
