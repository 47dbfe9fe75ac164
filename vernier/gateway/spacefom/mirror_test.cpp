#include "vernier/gateway/spacefom/detail/mirror.hpp"

#include <gtest/gtest.h>

#include <map>

#include "vernier/gateway/fom/reader.hpp"
#include "vernier/gateway/spacefom/detail/work.hpp"
#include "vernier/gateway/spacefom/objects.hpp"

namespace vernier::spacefom::detail {
namespace {

/// A federate that uses only the standard interface.
class Bare {
 public:
  explicit Bare(const std::wstring& federation) : federation_(federation) {
    rti->connect(nobody_, rti1516e::HLA_EVOKED);
    try {
      std::vector<std::wstring> modules;  // our RTI has them
      for (const std::string& name : fom::spacefom_modules()) modules.push_back(wide(name));
      rti->createFederationExecution(federation, modules, L"HLAinteger64Time");
    } catch (const rti1516e::FederationExecutionAlreadyExists&) {
    }
    rti->joinFederationExecution(L"bare", federation);
  }
  ~Bare() {
    rti->resignFederationExecution(rti1516e::CANCEL_THEN_DELETE_THEN_DIVEST);
    try {
      rti->destroyFederationExecution(federation_);
    } catch (const rti1516e::FederatesCurrentlyJoined&) {
    } catch (const rti1516e::FederationExecutionDoesNotExist&) {
    }
    rti->disconnect();
  }

  std::unique_ptr<rti1516e::RTIambassador> rti = standard_ambassador();

 private:
  rti1516e::NullFederateAmbassador nobody_;
  std::wstring federation_;
};

const Octets one{std::byte{1}}, two{std::byte{2}};

TEST(Mirror, TakesValuesByHandleIntoThePlacesOfTheirNames) {
  Bare bare(L"mirrored");
  Mirror mirror;
  Class& entities = mirror.add("HLAobjectRoot.PhysicalEntity", {"type"});
  // the same class again: the same entry, with all attributes
  EXPECT_EQ(&mirror.add("HLAobjectRoot.PhysicalEntity", {"status", "type"}), &entities);
  EXPECT_EQ(entities.attributes, (std::vector<std::string>{"type", "status"}));
  entities.resolve(*bare.rti);
  EXPECT_EQ(mirror.class_of(entities.handle), &entities);
  bare.rti->publishObjectClassAttributes(entities.handle, entities.all());
  const auto handle = bare.rti->registerObjectInstance(entities.handle);
  Mirror::Object* o = mirror.discover(handle, entities, "Orion");
  ASSERT_NE(o, nullptr);
  EXPECT_EQ(mirror.discover(handle, entities, "Orion"), nullptr);
  EXPECT_TRUE(mirror.has_instance("Orion"));
  const auto stranger = bare.rti->getAttributeHandle(entities.handle, L"name");
  Updates values{{entities.handles[1], one}, {stranger, two}};
  const auto changed = mirror.reflect(*o, values, 7);
  ASSERT_EQ(changed.size(), 1u);
  EXPECT_EQ(changed[0], 1u);
  EXPECT_EQ(o->remote.values[1].attribute, "status");
  EXPECT_EQ(o->remote.values[1].bytes, one);
  EXPECT_EQ(o->remote.values[1].stamp, 7);
  EXPECT_EQ(o->remote.values[0].updates, 0u);
}

TEST(Mirror, GivesNumbersAgainOfObjectsThatAreGone) {
  Bare bare(L"numbered");
  Mirror mirror;
  Class& c = mirror.add("HLAobjectRoot.PhysicalEntity", {"type"});
  c.resolve(*bare.rti);
  bare.rti->publishObjectClassAttributes(c.handle, c.all());
  const auto discovered = [&](const char* name) {
    return mirror.discover(bare.rti->registerObjectInstance(c.handle), c, name);
  };
  const Mirror::Object *a = discovered("a"), *b = discovered("b"), *d = discovered("d");
  EXPECT_EQ(a->remote.number, 0u);
  EXPECT_EQ(b->remote.number, 1u);
  EXPECT_EQ(d->remote.number, 2u);
  mirror.remove(*b);
  EXPECT_FALSE(mirror.has_instance("b"));
  EXPECT_EQ(discovered("e")->remote.number, 1u);
  EXPECT_EQ(discovered("f")->remote.number, 3u);
  EXPECT_EQ(d->remote.name, "d");  // the reference remains valid
}

/// What peers() says of another federate never falls back to "not managed" while a new answer is
/// on its way: the bytes that the RTI sent (IEEE 1516.1, 11.3: HLAboolean, HLAlogicalTime) remain.
TEST(Peers, KeepWhatTheRtiSaidUntilItSaysMore) {
  Bare bare(L"asked");
  Mirror mirror;
  Settings settings;
  settings.name = "bare";
  settings.observes = true;
  Peers peers(mirror, settings);
  peers.watch(*bare.rti);
  peers.names_keepers = true;
  Class& federates = peers.federates();
  // any instance will do as the federate's object: only its handle is used
  Class& entities = mirror.add("HLAobjectRoot.PhysicalEntity", {"type"});
  entities.resolve(*bare.rti);
  bare.rti->publishObjectClassAttributes(entities.handle, entities.all());
  Mirror::Object* o = mirror.discover(bare.rti->registerObjectInstance(entities.handle), federates,
                                      "HLAfederate.Moon");
  const Execution execution;
  const auto string = [](std::string_view text) {
    Octets b;
    put_string(text, b);
    return b;
  };
  const auto number = [](std::uint8_t n, std::size_t size) {
    Octets b(size, std::byte{0});
    b.back() = std::byte{n};
    return b;
  };
  const auto time = [&](std::uint8_t n) {
    Octets b = number(8, 4), t = number(n, 8);
    b.insert(b.end(), t.begin(), t.end());
    return b;
  };
  const auto report = [&](std::size_t first, std::vector<Octets> bytes) {
    Updates u;
    for (std::size_t i = 0; i < bytes.size(); ++i)
      u.emplace_back(federates.handles[first + i], std::move(bytes[i]));
    mirror.reflect(*o, u, -1);
  };
  report(0, {string("Moon")});
  ASSERT_EQ(peers.all(execution).size(), 1u);
  EXPECT_FALSE(peers.all(execution)[0].known);  // only the name is known
  // granted at 5, lookahead 2, type, regulating and constrained
  report(1, {number(0, 4), time(5), time(2), string("lander"), number(1, 4), number(1, 4)});
  const auto expect_known = [&] {
    const Peer p = peers.all(execution).at(0);
    EXPECT_TRUE(p.known && p.regulating && p.constrained);
    EXPECT_EQ(p.type, "lander");
    EXPECT_EQ(p.time, 5);
    EXPECT_EQ(p.lookahead, 2);
  };
  expect_known();
  peers.look_for_keeper(*bare.rti);
  expect_known();
  // an old answer names no keeper, nor does a part of the new one
  peers.note_keeper();
  EXPECT_EQ(peers.keeper, "");
  report(1, {number(0, 4), time(5)});
  peers.note_keeper();
  EXPECT_EQ(peers.keeper, "");
  report(3, {time(2)});
  peers.note_keeper();
  EXPECT_EQ(peers.keeper, "Moon");
}

/// Records the bytes of every attribute of the ExCO, by name.
class Watcher final : public rti1516e::NullFederateAmbassador {
 public:
  explicit Watcher(rti1516e::RTIambassador& rti) : rti_(rti) {}
  void subscribe() {
    class_ = rti_.getObjectClassHandle(L"HLAobjectRoot.ExecutionConfiguration");
    rti1516e::AttributeHandleSet all;
    for (const std::string& name : Execution::attributes()) {
      const auto handle = rti_.getAttributeHandle(class_, wide(name));
      names_[handle] = name;
      all.insert(handle);
    }
    rti_.subscribeObjectClassAttributes(class_, all);
    rti_.requestAttributeValueUpdate(class_, all, {});
  }
  void reflectAttributeValues(rti1516e::ObjectInstanceHandle,
                              const rti1516e::AttributeHandleValueMap& values,
                              const rti1516e::VariableLengthData&, rti1516e::OrderType,
                              rti1516e::TransportationType,
                              rti1516e::SupplementalReflectInfo) override {
    for (auto& [handle, bytes] : taken(values)) said[names_[handle]] = std::move(bytes);
  }

  std::map<std::string, Octets> said;

 private:
  rti1516e::RTIambassador& rti_;
  rti1516e::ObjectClassHandle class_;
  std::map<rti1516e::AttributeHandle, std::string> names_;
};

TEST(Execution, IsSaidUnderTheNamesOfTheStandard) {
  Settings s;
  s.federation = "named";
  s.name = "Master";
  s.master = s.root_publisher = true;
  s.steps = {.step = 500'000, .least_common = 1'000'000};
  s.epoch = 1234.5;
  Federate master(s);
  Objects objects(master);
  objects.publish_frame("Root", "");
  ASSERT_TRUE(master.join() && master.begin());

  const auto rti = standard_ambassador();
  Watcher watcher(*rti);
  rti->connect(watcher, rti1516e::HLA_EVOKED);
  rti->joinFederationExecution(L"watcher", L"named");
  watcher.subscribe();
  const std::size_t all = Execution::attributes().size();
  while (watcher.said.size() < all) {
    ASSERT_TRUE(master.step());  // answers requests meanwhile
    while (rti->evokeCallback(0.0)) {
    }
  }
  double number = 0.0;
  EXPECT_EQ(read_string(watcher.said["root_frame_name"]), "Root");
  EXPECT_TRUE(read_reals(watcher.said["scenario_time_epoch"], {&number, 1}));
  EXPECT_EQ(number, 1234.5);
  EXPECT_EQ(read_mode(watcher.said["current_execution_mode"]), Mode::running);
  EXPECT_EQ(read_mode(watcher.said["next_execution_mode"]), Mode::running);
  EXPECT_TRUE(read_reals(watcher.said["next_mode_scenario_time"], {&number, 1}));
  EXPECT_TRUE(read_reals(watcher.said["next_mode_cte_time"], {&number, 1}));
  EXPECT_EQ(number, 0.0);
  EXPECT_EQ(read_ticks(watcher.said["least_common_time_step"]), 1'000'000);
  rti->resignFederationExecution(rti1516e::NO_ACTION);
  rti->disconnect();
  master.resign();
}

}  // namespace
}  // namespace vernier::spacefom::detail
