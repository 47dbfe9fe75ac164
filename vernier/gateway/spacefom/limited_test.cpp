// An RTI with fewer features than ours: only evoked callbacks, no Management Object Model.
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "vernier/base/diagnostic.hpp"
#include "vernier/gateway/spacefom/detail/work.hpp"
#include "vernier/gateway/spacefom/objects.hpp"
#include "vernier/rti1516e/ambassador.hpp"

namespace vernier::spacefom {
namespace {

std::atomic<int> refused_models, refused_names;

/// Our RTI behind an ambassador that refuses what the standard permits an RTI to refuse.
class LimitedAmbassador final : public hla::VernierAmbassador {
 public:
  LimitedAmbassador()
      : VernierAmbassador([](const federation::Designator& where, std::string& why) {
          return federation::connect(where, why);
        }) {}

  void connect(rti1516e::FederateAmbassador& f, rti1516e::CallbackModel model,
               const std::wstring& where) override {
    if (model == rti1516e::HLA_IMMEDIATE) {
      ++refused_models;
      throw rti1516e::UnsupportedCallbackModel(L"only evoked callbacks");
    }
    VernierAmbassador::connect(f, model, where);
  }
  rti1516e::ObjectClassHandle getObjectClassHandle(const std::wstring& name) override {
    refuse_short(name, L"HLAobjectRoot");
    return VernierAmbassador::getObjectClassHandle(name);
  }
  rti1516e::InteractionClassHandle getInteractionClassHandle(const std::wstring& name) override {
    refuse_short(name, L"HLAinteractionRoot");
    return VernierAmbassador::getInteractionClassHandle(name);
  }

 private:
  /// Neither the MOM nor names without their root class.
  static void refuse_short(const std::wstring& name, const std::wstring& top) {
    if (name.starts_with(top) && name.find(L"HLAmanager") == std::wstring::npos) return;
    ++refused_names;
    throw rti1516e::NameNotFound(name);
  }
};

TEST(LimitedRti, IsServedWithEvokedCallbacksFullNamesAndWithoutMom) {
  refused_models = refused_names = 0;
  const AmbassadorMaker limited = [] { return std::make_unique<LimitedAmbassador>(); };
  Settings leader, other;
  leader.federation = other.federation = "limited";
  leader.name = "Leader";
  other.name = "Other";
  leader.master = leader.pacing = leader.root_publisher = true;
  leader.federates = {"Other"};
  leader.steps = {.step = 500'000, .least_common = 1'000'000};
  other.steps.step = 500'000;
  leader.epoch = 1000.0;
  for (Settings* s : {&leader, &other}) s->patience = std::chrono::seconds(100);
  std::string said;
  bool early = false, evoked = false;
  Ticks reached = 0;
  double seen = 0.0;
  std::thread follower([&] {
    try {
      Federate f(other, limited);
      Objects o(f);
      o.subscribe_frames();
      bool on = f.join() && f.begin();
      early = f.early();
      evoked = f.evoked();
      while (on) {
        on = f.step();
        frames::FrameState s;
        if (o.resolve("A", "Root", s)) seen = s.position[0];
        reached = f.granted();
      }
      f.resign();
    } catch (const ConfigurationError& e) {
      said = rendered(e.diagnostics().list().front());
    }
  });
  {
    Federate f(leader, limited);
    Objects o(f);
    o.publish_frame("Root", "");
    const std::size_t a = o.publish_frame("A", "Root");
    bool on = f.join() && f.begin();
    EXPECT_TRUE(on);
    // required federates are found by name
    while (on && f.granted() < 3'000'000) {
      o.frame(a).position[0] = static_cast<double>(f.granted()) * 1e-6 + 0.5;
      on = f.step();
    }
    f.resign();
  }
  follower.join();
  EXPECT_EQ(said, "");
  EXPECT_TRUE(early);
  EXPECT_TRUE(evoked);
  EXPECT_GE(reached, 2'500'000);
  EXPECT_GE(seen, 2.5);
  EXPECT_EQ(refused_models.load(), 2);
  EXPECT_EQ(refused_names.load(), 2);  // each asked once for the MOM's federates
}

/// Our RTI, which delivers something at every query.
class TalkativeAmbassador final : public hla::VernierAmbassador {
 public:
  TalkativeAmbassador()
      : VernierAmbassador([](const federation::Designator& where, std::string& why) {
          return federation::connect(where, why);
        }) {}

  void connect(rti1516e::FederateAmbassador& f, rti1516e::CallbackModel model,
               const std::wstring& where) override {
    VernierAmbassador::connect(f, model, where);
    told_ = &f;
  }
  bool evokeCallback(double) override {
    VernierAmbassador::evokeCallback(0.0);
    told_->reportFederationExecutions({});
    return true;
  }

 private:
  rti1516e::FederateAmbassador* told_ = nullptr;
};

TEST(TalkativeRti, DoesNotMakePatienceEndless) {
  Settings s;
  s.federation = "talkative";
  s.evoked = true;
  s.use_mom = false;
  s.patience = std::chrono::milliseconds(50);
  Federate f(s, [] { return std::make_unique<TalkativeAmbassador>(); });
  std::string said;
  try {
    f.join();  // no Master ever joins
  } catch (const ConfigurationError& e) {
    said = e.diagnostics().list().front().code;
  }
  EXPECT_EQ(said, "V5324");
}

TEST(OtherTime, IsRefusedByName) {
  const auto ambassador = standard_ambassador();
  rti1516e::NullFederateAmbassador nobody;
  ambassador->connect(nobody, rti1516e::HLA_EVOKED);
  Settings s;
  s.federation = "floating";
  const std::wstring name = wide(s.federation);
  const std::wstring module = L"SISO_SpaceFOM_datatypes";
  ambassador->createFederationExecution(name, module, L"HLAfloat64Time");
  ambassador->joinFederationExecution(L"holder", name);  // so that it is not destroyed
  Federate f(s);
  std::string said;
  try {
    f.join();
  } catch (const ConfigurationError& e) {
    said = rendered(e.diagnostics().list().front());
  }
  EXPECT_NE(said.find("V5322"), said.npos) << said;
  EXPECT_NE(said.find("HLAfloat64Time"), said.npos) << said;
  f.resign();
  ambassador->resignFederationExecution(rti1516e::NO_ACTION);
  ambassador->destroyFederationExecution(name);
  ambassador->disconnect();
}

}  // namespace
}  // namespace vernier::spacefom
