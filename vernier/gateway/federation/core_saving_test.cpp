#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "vernier/base/temporary_folder.hpp"
#include "vernier/gateway/federation/core_rig_test.hpp"

namespace vernier::federation {
namespace {

using rig::Packed;
using rig::Player;
using rig::shown;
using rig::Stage;

void save_all(Stage& s, const std::string& label) {
  for (auto& p : s.players) {
    EXPECT_EQ(p->next<InitiateSave>().label, label);
    p->must(SaveBegun{});
    p->must(SaveDone{true});
  }
  for (auto& p : s.players) EXPECT_TRUE(p->next<Saved>().success);
}

TEST(Saving, AsksEverybodyAndSaysHowItWent) {
  Stage s(2);
  EXPECT_EQ(s[0].ask(SaveBegun{}), Failure::SaveNotInitiated);
  EXPECT_EQ(s[0].ask(SaveDone{true}), Failure::FederateHasNotBegunSave);
  EXPECT_EQ(s[0].ask(AbortSave{}), Failure::SaveNotInProgress);
  s[0].must(RequestSave{"one", {}});
  EXPECT_EQ(s[1].next<InitiateSave>().label, "one");
  s[0].next<InitiateSave>();
  EXPECT_EQ(s[0].ask(RequestSave{"two", {}}), Failure::SaveInProgress);
  EXPECT_EQ(s[0].ask(ReserveNames{{"x"}, false}), Failure::SaveInProgress);
  Player late(s.core);
  EXPECT_EQ(late.ask(Join{"C", "t", "F", {}}), Failure::SaveInProgress);
  s[0].must(SaveBegun{});
  s[0].must(QuerySaveStatus{});
  auto status = s[0].next<SaveStatusReport>();
  ASSERT_EQ(status.all.size(), 2u);
  EXPECT_EQ(status.all[0].status, SaveStatus::saving);
  EXPECT_EQ(status.all[1].status, SaveStatus::instructed);
  s[0].must(SaveDone{true});
  EXPECT_TRUE(s[0].quiet());
  s[1].must(SaveBegun{});
  s[1].must(SaveDone{false});
  for (int i = 0; i < 2; ++i) {
    const auto m = s[i].next<Saved>();
    EXPECT_FALSE(m.success);
    EXPECT_EQ(m.reason, SaveFailure::federate_failed);
  }
  s[0].must(RequestSave{"three", {}});
  s[0].must(AbortSave{});
  s[0].next<InitiateSave>();
  EXPECT_EQ(s[0].next<Saved>().reason, SaveFailure::aborted);
  s[0].must(RequestSave{"four", {}});
  s[0].next<InitiateSave>();
  s.core.close(s[1].connection, "gone");
  EXPECT_EQ(s[0].next<Saved>().reason, SaveFailure::crashed);
}

TEST(Saving, AtATimeComesWhenAllHaveGotThere) {
  Stage s(2);
  EXPECT_EQ(s[0].ask(RequestSave{"x", Stamp{5}}), Failure::FederateUnableToUseTime);
  for (int i = 0; i < 2; ++i) {
    s[i].must(EnableRegulation{Stamp{1}});
    s[i].next<RegulationEnabled>();
    s[i].must(EnableConstrained{});
    s[i].next<ConstrainedEnabled>();
  }
  for (int i = 0; i < 2; ++i) s[i].say(Advance{AdvanceKind::to, Stamp{3}});
  for (int i = 0; i < 2; ++i) s[i].next<Granted>();
  EXPECT_EQ(s[0].ask(RequestSave{"x", Stamp{2}}), Failure::LogicalTimeAlreadyPassed);
  s[0].must(RequestSave{"x", Stamp{5}});
  for (int i = 0; i < 2; ++i) s[i].say(Advance{AdvanceKind::to, Stamp{4}});
  for (int i = 0; i < 2; ++i) s[i].next<Granted>();
  EXPECT_TRUE(s[0].quiet() && s[1].quiet());
  for (int i = 0; i < 2; ++i) s[i].say(Advance{AdvanceKind::to, Stamp{6}});
  for (int i = 0; i < 2; ++i) {
    const auto m = s[i].next<InitiateSave>();
    EXPECT_EQ(m.time, Stamp{5});
    s[i].must(SaveBegun{});
  }
  s[0].must(SaveDone{true});
  EXPECT_TRUE(s[0].quiet());
  s[1].must(SaveDone{true});
  for (int i = 0; i < 2; ++i) {
    EXPECT_TRUE(s[i].next<Saved>().success);
    EXPECT_EQ(s[i].next<Granted>().time, Stamp{6});
  }
}

TEST(Saving, KeepsWhatWasUnderWayForAfterwards) {
  Stage s(2);
  Player &a = s[0], &b = s[1];
  const Handle at = a.attribute("a");
  a.publish("Base", {at});
  b.subscribe("Base", {at});
  const Handle o = a.register_object("Base");
  b.next<Discover>();
  b.must(RequestSave{"x", {}});
  b.next<InitiateSave>();
  a.update(o, Packed().add(at, "late"));  // sent before the federate was told about the save
  EXPECT_TRUE(b.quiet());
  a.next<InitiateSave>();
  for (Player* p : {&a, &b}) {
    p->must(SaveBegun{});
    p->must(SaveDone{true});
  }
  EXPECT_TRUE(b.next<Saved>().success);
  EXPECT_EQ(shown(b.next<Reflect>().values), std::to_string(at) + ":late");
  a.next<Saved>();
  // the message is part of the saved state; messages in transit at the restore are not
  a.must(RequestRestore{"x"});
  b.next<RestoreBegun>();
  b.next<InitiateRestore>();
  a.update(o, Packed().add(at, "lost"));
  for (Player* p : {&a, &b}) p->must(RestoreDone{true});
  b.next<MemberState>();
  EXPECT_TRUE(b.next<Restored>().success);
  EXPECT_EQ(shown(b.next<Reflect>().values), std::to_string(at) + ":late");
  EXPECT_TRUE(b.quiet());
}

/// Saves a federation, changes it and restores it; the same in memory and in a file.
void expect_restored(CoreSettings settings, bool anew) {
  auto s = std::make_unique<Stage>(2, settings);
  Player* a = &(*s)[0];
  Player* b = &(*s)[1];
  const Handle at_t = a->attribute("t"), at_r = a->attribute("r");
  a->publish("Timed", {at_t, at_r});
  b->subscribe("Timed", {at_t, at_r});
  a->must(ReserveNames{{"it", "spare"}, true});
  a->next<NamesReserved>();
  const Handle o = a->register_object("Timed", "it");
  b->next<Discover>();
  a->must(RegisterSynchronization{"point", {}, {}});
  a->next<SynchronizationRegistered>();
  for (Player* p : {a, b}) p->next<AnnounceSynchronization>();
  a->must(EnableRegulation{Stamp{1}});
  a->next<RegulationEnabled>();
  b->must(EnableConstrained{});
  b->next<ConstrainedEnabled>();
  a->update(o, Packed().add(at_t, "waits"), 7, 1);
  b->must(RequestSave{"mark", {}});
  save_all(*s, "mark");
  const Handle b_before = b->joined.federate;

  if (anew) {
    // another RTI: the first to join gets the first handle, but is restored to its former one
    s = std::make_unique<Stage>(0, settings);
    s->players.push_back(std::make_unique<Player>(s->core));
    s->players.push_back(std::make_unique<Player>(s->core));
    b = &(*s)[0];
    a = &(*s)[1];
    b->create();
    b->join("B");
    a->join("A");
    EXPECT_NE(b->joined.federate, b_before);
  } else {
    a->must(DeleteObject{o, {}, {}, 0});
    a->must(UnpublishAttributes{a->object_class("Timed"), {}});
    b->say(Advance{AdvanceKind::to, Stamp{100}});
    a->say(Advance{AdvanceKind::to, Stamp{200}});
    a->next<Granted>();
    b->next<Remove>();
    b->next<Reflect>();  // a message in transit is kept, although its instance is gone
    b->next<Granted>();
  }
  b->must(RequestRestore{"nothing"});
  EXPECT_FALSE(b->next<RestoreRequested>().success);
  b->must(RequestRestore{"mark"});
  EXPECT_TRUE(b->next<RestoreRequested>().success);
  for (Player* p : {a, b}) {
    p->next<RestoreBegun>();
    const auto m = p->next<InitiateRestore>();
    EXPECT_EQ(m.label, "mark");
    EXPECT_EQ(m.federate_name, p == a ? "A" : "B");
    EXPECT_EQ(m.federate == b_before, p == b);
  }
  EXPECT_EQ(a->ask(ReserveNames{{"x"}, false}), Failure::RestoreInProgress);
  a->must(RestoreDone{true});
  EXPECT_EQ(a->ask(RestoreDone{true}), Failure::RestoreNotRequested);
  b->must(QueryRestoreStatus{});
  EXPECT_EQ(b->next<RestoreStatusReport>().all.size(), 2u);
  b->must(RestoreDone{true});
  const auto state = a->next<MemberState>();
  ASSERT_EQ(state.objects.size(), 1u);
  EXPECT_EQ(state.objects[0].name, "it");
  EXPECT_EQ(state.objects[0].owned.size(), 3u);  // including the privilege to delete
  EXPECT_TRUE(state.regulating);
  EXPECT_EQ(state.published.size(), 1u);
  EXPECT_TRUE(a->next<Restored>().success);
  EXPECT_EQ(b->next<MemberState>().federate, b_before);
  EXPECT_TRUE(b->next<Restored>().success);
  // everything continues from there
  b->must(QueryTime{});
  EXPECT_EQ(b->body<MaybeTime>().time, Stamp{0});
  a->update(o, Packed().add(at_t, "later"), 8, 2);
  b->say(Advance{AdvanceKind::to, Stamp{10}});
  a->say(Advance{AdvanceKind::to, Stamp{20}});
  EXPECT_EQ(shown(b->next<Reflect>().values), std::to_string(at_t) + ":waits");
  EXPECT_EQ(shown(b->next<Reflect>().values), std::to_string(at_t) + ":later");
  EXPECT_EQ(b->next<Granted>().time, Stamp{10});
  a->next<Granted>();
  b->must(ReserveNames{{"spare"}, false});
  EXPECT_FALSE(b->next<NamesReserved>().success);
  a->must(AchieveSynchronization{"point", true});
  b->must(AchieveSynchronization{"point", true});
  EXPECT_EQ(a->next<Synchronized>().label, "point");
}

TEST(Restoring, BringsBackWhatTheRtiHeld) { expect_restored({}, false); }

TEST(Restoring, WorksFromAFileInAnotherRti) {
  const TemporaryFolder folder;
  CoreSettings settings;
  settings.save_folder = folder.path().string();
  expect_restored(settings, true);
}

TEST(Restoring, NeedsTheSameFederates) {
  Stage s(2);
  s[0].must(RequestSave{"x", {}});
  save_all(s, "x");
  Player c(s.core);
  c.join("C");
  s[0].must(RequestRestore{"x"});
  EXPECT_FALSE(s[0].next<RestoreRequested>().success);
  c.must(Resign{ResignAction::none});
  s[1].must(Resign{ResignAction::none});
  Player other(s.core);
  other.must(Join{"B", "another type", "F", {}});
  s[0].must(RequestRestore{"x"});
  EXPECT_FALSE(s[0].next<RestoreRequested>().success);
}

TEST(Restoring, FailsWhenAFederateDoesOrGivesUp) {
  Stage s(2);
  s[0].must(RequestSave{"x", {}});
  save_all(s, "x");
  EXPECT_EQ(s[0].ask(AbortRestore{}), Failure::RestoreNotInProgress);
  const auto begin = [&] {
    s[0].must(RequestRestore{"x"});
    s[0].next<RestoreRequested>();
    for (int i = 0; i < 2; ++i) {
      s[i].next<RestoreBegun>();
      s[i].next<InitiateRestore>();
    }
  };
  begin();
  s[0].must(RestoreDone{false});
  s[1].must(RestoreDone{true});
  for (int i = 0; i < 2; ++i)
    EXPECT_EQ(s[i].next<Restored>().reason, RestoreFailure::federate_failed);
  begin();
  s[1].must(AbortRestore{});
  for (int i = 0; i < 2; ++i) EXPECT_EQ(s[i].next<Restored>().reason, RestoreFailure::aborted);
  begin();
  s[1].must(Resign{ResignAction::none});
  EXPECT_EQ(s[0].next<Restored>().reason, RestoreFailure::resigned);
}

TEST(Restoring, RefusesAFileThatIsDamaged) {
  const TemporaryFolder folder;
  CoreSettings settings;
  settings.save_folder = folder.path().string();
  Stage s(1, settings);
  s[0].publish("Base", {s[0].attribute("a")});
  s[0].register_object("Base");
  s[0].must(RequestSave{"x/../y", {}});
  save_all(s, "x/../y");
  std::filesystem::path file;
  for (const auto& entry : std::filesystem::directory_iterator(folder.path())) file = entry.path();
  ASSERT_FALSE(file.empty());
  std::string whole;
  {
    std::ifstream in(file, std::ios::binary);
    whole.assign(std::istreambuf_iterator<char>(in), {});
  }
  for (std::size_t at = 0; at < whole.size(); at += 97) {
    std::string bad = whole;
    bad[at] = static_cast<char>(bad[at] ^ 0x40);
    std::ofstream(file, std::ios::binary | std::ios::trunc) << bad;
    s[0].must(RequestRestore{"x/../y"});
    EXPECT_FALSE(s[0].next<RestoreRequested>().success) << at;
  }
  std::ofstream(file, std::ios::binary | std::ios::trunc) << whole.substr(0, whole.size() / 2);
  s[0].must(RequestRestore{"x/../y"});
  EXPECT_FALSE(s[0].next<RestoreRequested>().success);
}

}  // namespace
}  // namespace vernier::federation
