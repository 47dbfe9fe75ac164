// What a federation stores besides messages is limited, whatever it is.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "vernier/base/temporary_folder.hpp"
#include "vernier/gateway/federation/core_rig_test.hpp"
#include "vernier/gateway/federation/detail/fom_store.hpp"
#include "vernier/gateway/federation/detail/saved.hpp"
#include "vernier/gateway/federation/federation.hpp"

namespace vernier::federation {
namespace {

using ::testing::HasSubstr;

struct Kept : ::testing::Test {
  Kept() { federation.limits.kept_bytes = 200000; }

  /// How often `grow` succeeds before it is refused.
  template <class Grow>
  int times(Grow grow) {
    for (int n = 0; n < 10000; ++n) {
      try {
        grow(n);
      } catch (const Refusal& r) {
        EXPECT_EQ(name_of(r.failure), "RTIinternalError");
        EXPECT_THAT(r.text, HasSubstr("takes no more until some are given back"));
        return n;
      }
    }
    ADD_FAILURE() << "never refused";
    return 0;
  }
  Handle object_class(std::string_view name) const {
    Handle found = 0;
    for (Handle h = 1; h <= federation.tables().object_classes.size(); ++h)
      if (federation.tables().object_classes[h - 1].path.ends_with(name)) found = h;
    return found;
  }
  Handle base() {
    const Handle h = object_class(".Base");
    attributes = federation.tables().object_classes[h - 1].members;
    federation.take(a, PublishAttributes{h, attributes});
    return h;
  }

  SaveStore saves{""};
  FomStore foms;
  Federation federation{"F", TimeKind::integer64, {{"small.xml", rig::small_fom}}, {}, saves, foms};
  rig::Recorder peer;
  Joined joined;
  Federate& a = federation.join(Join{"A", "type", "F", {}}, peer, 1, joined);
  Numbers attributes;
  const std::string kilobyte = std::string(1000, 'x');
};

TEST_F(Kept, NamesAreRefusedAndTakenAgainWhenSomeAreGone) {
  const auto name = [&](int n) { return kilobyte + std::to_string(n); };
  const auto reserve = [&](int n) { federation.take(a, ReserveNames{{name(n)}, false}); };
  const int first = times(reserve);
  EXPECT_NEAR(first, 200000 / 1100, 10);
  for (int n = 0; n < first; ++n) federation.take(a, ReleaseNames{{name(n)}});
  EXPECT_EQ(times(reserve), first);
}

TEST_F(Kept, InstancesAre) {
  const Handle c = base();
  const int n = times([&](int) { federation.take(a, RegisterObject{c, {}, {}, false}); });
  EXPECT_GT(n, 50);
  federation.instances().each([&](Instance& i) { federation.take(a, DeleteObject{i.handle}); });
  EXPECT_EQ(federation.instances().size(), 0u);
  EXPECT_NO_THROW(federation.take(a, RegisterObject{c, {}, {}, false}));
}

TEST_F(Kept, SynchronizationPointsAre) {
  const Blob tag = rig::blob_of(kilobyte);
  const int n = times([&](int k) {
    federation.take(a, RegisterSynchronization{"point " + std::to_string(k), tag, {}});
  });
  EXPECT_NEAR(n, 200000 / 1100, 10);
}

TEST_F(Kept, RegionsAndTheirUsesAre) {
  const Handle c = base();
  const Handle object = federation.take(a, RegisterObject{c, {}, {}, false}).object;
  const Numbers first{attributes[1]};
  const Numbers dimensions = federation.tables().attributes[first[0] - 1].dimensions;
  Numbers regions;
  for (int i = 0; i < 300; ++i)
    regions.push_back(federation.take(a, CreateRegion{dimensions}).region);
  // repeating a call costs nothing in the end
  for (int i = 0; i < 1000; ++i) federation.take(a, AssociateRegions{object, {{first, regions}}});
  EXPECT_GT(times([&](int) { federation.take(a, CreateRegion{dimensions}); }), 300);
}

TEST_F(Kept, TagsOfThoseWhoWantToOwnAre) {
  const Handle c = base();
  rig::Recorder other;
  Federate& b = federation.join(Join{"B", "type", "F", {}}, other, 2, joined);
  federation.take(b, PublishAttributes{c, attributes});
  federation.take(b, SubscribeAttributes{c, {{attributes, {}}}, true, "", false});
  Numbers objects;
  for (int i = 0; i < 60; ++i)
    objects.push_back(federation.take(a, RegisterObject{c, {}, {}, false}).object);
  const Blob tag = rig::blob_of(std::string(5000, 't'));
  const int n = times([&](int k) {
    federation.take(b, Acquire{objects.at(static_cast<std::size_t>(k)), attributes, tag});
  });
  EXPECT_LT(n, 20);
}

TEST_F(Kept, ModulesThatAreTooLongAreRefused) {
  federation.limits.module_bytes = 10000;
  std::string text = rig::small_fom + std::string(9000, ' ');
  EXPECT_THROW(federation.join(Join{"B", "type", "F", {{"more.xml", text}}}, peer, 2, joined),
               Refusal);
}

TEST_F(Kept, TheSameModulesAreMergedOnce) {
  const Federation same("G", TimeKind::integer64, {{"small.xml", rig::small_fom}}, {}, saves, foms);
  EXPECT_EQ(&same.fom(), &federation.fom());
  Federation more("H", TimeKind::integer64, {{"other.xml", rig::small_fom}}, {}, saves, foms);
  EXPECT_NE(&more.fom(), &federation.fom()) << "messages name the document";
}

TEST_F(Kept, ANumberThatWasTakenOnceIsNotGivenAgain) {
  federation.limits.joins = 3;
  for (const char* name : {"B", "C"})
    federation.resign(federation.join(Join{name, "type", "F", {}}, peer, 2, joined),
                      ResignAction::none, "lost");
  EXPECT_THROW(federation.join(Join{"D", "type", "F", {}}, peer, 2, joined), Refusal);
}

TEST(Saves, AreSoManyInAFolder) {
  const TemporaryFolder folder;
  SaveStore store(folder.path().string());
  ASSERT_TRUE(store.put("F", "mine", Blob(10)));
  for (std::size_t n = 1; n < SaveStore::most_in_folder; ++n)
    std::ofstream(folder.path() / (std::to_string(n) + ".rti"));
  EXPECT_FALSE(store.has_room("F", "other"));
  EXPECT_FALSE(store.put("F", "other", Blob(20)));
  EXPECT_FALSE(store.get("F", "other"));
  // what is stored already stays
  EXPECT_TRUE(store.put("F", "mine", Blob(30)));
  EXPECT_EQ(store.get("F", "mine"), Blob(30));
  std::filesystem::remove(folder.path() / "1.rti");
  EXPECT_TRUE(store.put("F", "other", Blob(20)));
}

TEST(Saves, LeaveNothingWhereTheyCannotBeWritten) {
  const TemporaryFolder folder;
  SaveStore store(folder.path().string());
  ASSERT_TRUE(store.put("F", "s", Blob(10)));
  const auto name = std::filesystem::directory_iterator(folder.path())->path();
  std::filesystem::remove(name);
  std::filesystem::create_directories(name / "in the way");
  EXPECT_FALSE(store.put("F", "s", Blob(10)));
  EXPECT_FALSE(std::filesystem::exists(name.string() + ".new"));
}

TEST(Retraction, IsRememberedForSoManyMessages) {
  TimeManager t(TimeKind::integer64, [](Handle, const Frame&) {});
  t.add(1);
  t.enable_regulation(1, Stamp{1});
  const auto number = static_cast<std::uint32_t>(TimeManager::most_sent + 10);
  for (std::uint32_t n = 1; n <= number; ++n) t.sent(1, Stamp{1000}, n);
  EXPECT_NO_THROW(t.retract(1, number));
  try {
    t.retract(1, 1);
    FAIL();
  } catch (const Refusal& r) {
    EXPECT_EQ(name_of(r.failure), "MessageCanNoLongerBeRetracted");
  }
}

}  // namespace
}  // namespace vernier::federation
