#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "vernier/rti1516e/fake_rti_test.hpp"
#include "vernier/rti1516e/recorder_test.hpp"
#include "vernier/testing/allocations.hpp"

namespace vernier::hla {
namespace {

using namespace std::chrono_literals;

/// Encoded values as sent: x is "1".
struct OneValue {
  wire::Blob raw;
  explicit OneValue(Handle h) {
    wire::Writer w(raw);
    w(h, std::string_view("1"));
  }
  operator wire::Values() const { return {1, raw}; }
};
const OneValue x_is_1(attribute_x), p_is_1(parameter_p);
const std::string_view tag_text = "t";
const Bytes a_tag = std::as_bytes(std::span(tag_text));

struct Case {
  std::function<void(FakeRti&)> say;
  std::string heard;
};

/// One case for each callback of the standard; all concern instance 50 of class A.
std::vector<Case> all_callbacks() {
  using wire::Order;
  const std::optional<Stamp> t = Stamp{5};
  const std::optional<wire::Retraction> undo = wire::Retraction{8, 3};
  const std::vector<wire::RegionOf> in{{900, {{dimension_d, 1, 2}}}};
#define SAY(...) [=](FakeRti& r) { r.say(__VA_ARGS__); }
  return {
      {SAY(wire::Federations{{{"f", TimeKind::float64}, {"g", TimeKind::integer64}}}),
       "federations f:HLAfloat64Time g:HLAinteger64Time"},
      {SAY(wire::SynchronizationRegistered{"s", wire::SynchronizationFailure::none}),
       "registered s"},
      {SAY(wire::SynchronizationRegistered{"s", wire::SynchronizationFailure::label_in_use}),
       "not registered s 0"},
      {SAY(wire::SynchronizationRegistered{"s", wire::SynchronizationFailure::member_unknown}),
       "not registered s 1"},
      {SAY(wire::AnnounceSynchronization{"s", a_tag}), "announce s t"},
      {SAY(wire::Synchronized{"s", {7, 9}}), "synchronized s 7 9"},
      {SAY(wire::InitiateSave{"s", {}}), "save s"},
      {SAY(wire::Saved{true, {}}), "saved"},
      {SAY(wire::InitiateSave{"s", t}), "save s at 5"},
      {SAY(wire::Saved{false, wire::SaveFailure::aborted}), "not saved 5"},
      {SAY(wire::Saved{false, wire::SaveFailure::stamp_passed}), "not saved 4"},
      {SAY(wire::SaveStatusReport{{{7, wire::SaveStatus::saving}}}), "save status 7:2"},
      {SAY(wire::RestoreRequested{"s", true}), "restore s granted"},
      {SAY(wire::RestoreRequested{"s", false}), "restore s refused"},
      {SAY(wire::RestoreBegun{}), "restore begun"},
      {SAY(wire::InitiateRestore{"s", "n", 7}), "restore s as n 7"},
      {SAY(wire::Restored{true, {}}), "restored"},
      {SAY(wire::Restored{false, wire::RestoreFailure::crashed}), "not restored 3"},
      {SAY(wire::RestoreStatusReport{{{7, 8, wire::RestoreStatus::restoring}}}),
       "restore status 7>8:4"},
      {SAY(wire::RegistrationWanted{class_a, true}), "start registration 2"},
      {SAY(wire::RegistrationWanted{class_a, false}), "stop registration 2"},
      {SAY(wire::InteractionsWanted{interaction_i, true}), "interactions on 2"},
      {SAY(wire::InteractionsWanted{interaction_i, false}), "interactions off 2"},
      {SAY(wire::NamesReserved{{"n"}, true, false}), "reserved n"},
      {SAY(wire::NamesReserved{{"n"}, false, false}), "not reserved n"},
      {SAY(wire::NamesReserved{{"n", "m"}, true, true}), "all reserved m n"},
      {SAY(wire::NamesReserved{{"n", "m"}, false, true}), "none reserved m n"},
      {SAY(wire::Discover{51, class_b, "ship", 8}), "discover 51 3 ship by 8"},
      {SAY(wire::Discover{52, class_b, "other", 0}), "discover 52 3 other"},
      {SAY(wire::Reflect{50, x_is_1, a_tag, Order::receive, Order::receive, 2, {}, {}, 0, {}}),
       "reflect 50 2=1 t order 1 by 2"},
      {SAY(wire::Reflect{50, x_is_1, a_tag, Order::time_stamp, Order::receive, 1, t, {}, 8, in}),
       "reflect 50 2=1 t order 2 by 1 at 5 order 1 from 8 in 900"},
      {SAY(wire::Reflect{50, x_is_1, {}, Order::time_stamp, Order::time_stamp, 1, t, undo, 0, {}}),
       "reflect 50 2=1  order 2 by 1 at 5 order 2 undo 8/3"},
      {SAY(wire::Receive{2, p_is_1, a_tag, Order::receive, Order::receive, 1, {}, {}, 8, {}}),
       "receive 2 1=1 t order 1 by 1 from 8"},
      {SAY(wire::Receive{2, p_is_1, {}, Order::time_stamp, Order::receive, 1, t, {}, 0, in}),
       "receive 2 1=1  order 2 by 1 at 5 order 1 in 900"},
      {SAY(wire::Receive{2, p_is_1, {}, Order::time_stamp, Order::time_stamp, 1, t, undo, 0, {}}),
       "receive 2 1=1  order 2 by 1 at 5 order 2 undo 8/3"},
      {SAY(wire::Remove{51, a_tag, Order::receive, Order::receive, {}, {}, 8}),
       "remove 51 t order 1 from 8"},
      {SAY(wire::Remove{52, {}, Order::time_stamp, Order::time_stamp, t, undo, 0}),
       "remove 52  order 2 at 5 order 2 undo 8/3"},
      {SAY(wire::Scope{50, {2, 3}, true}), "in scope 50 2 3"},
      {SAY(wire::Scope{50, {2}, false}), "out of scope 50 2"},
      {SAY(wire::Provide{50, {2}, a_tag}), "provide 50 2 t"},
      {SAY(wire::UpdatesWanted{50, {2}, true, ""}), "updates on 50 2"},
      {SAY(wire::UpdatesWanted{50, {2}, true, "slow"}), "updates on 50 2 slow"},
      {SAY(wire::UpdatesWanted{50, {2}, false, ""}), "updates off 50 2"},
      {SAY(wire::AttributeTransportation{50, {2}, 2, true}), "transportation changed 50 2 2"},
      {SAY(wire::AttributeTransportation{50, {2}, 1, false}), "transportation 50 2 1"},
      {SAY(wire::InteractionTransportation{7, 2, 2, true}),
       "interaction transportation changed 2 2"},
      {SAY(wire::InteractionTransportation{7, 2, 1, false}), "interaction transportation 7 2 1"},
      {SAY(wire::Assume{50, {2}, a_tag}), "assume 50 2 t"},
      {SAY(wire::ConfirmDivest{50, {2}}), "confirm divestiture 50 2"},
      {SAY(wire::Acquired{50, {2}, a_tag}), "acquired 50 2 t"},
      {SAY(wire::Unavailable{50, {2}}), "unavailable 50 2"},
      {SAY(wire::Release{50, {2}, a_tag}), "release 50 2 t"},
      {SAY(wire::AcquisitionCancelled{50, {2}}), "cancelled 50 2"},
      {SAY(wire::Owner{50, 2, 8}), "owner 50 2 8"},
      {SAY(wire::Owner{50, 2, 0}), "owner 50 2 nobody"},
      {SAY(wire::Owner{50, 2, wire::rti_owner}), "owner 50 2 RTI"},
      {SAY(wire::RegulationEnabled{Stamp{1}}), "regulating 1"},
      {SAY(wire::ConstrainedEnabled{Stamp{2}}), "constrained 2"},
      {SAY(wire::Granted{Stamp{3}}), "granted 3"},
      {SAY(wire::RetractionRequested{{8, 3}}), "retract 8/3"},
  };
#undef SAY
}

struct Joined {
  explicit Joined(FederateAmbassador& f, CallbackModel model = HLA_EVOKED) {
    rti.joined.convey_producer = rti.joined.convey_regions = true;
    ambassador.connect(f, model, L"");
    ambassador.joinFederationExecution(L"me", L"type", L"federation", {});
    rti.say(wire::Discover{50, class_a, "mine", 0});
  }
  FakeRti rti;
  VernierAmbassador ambassador{rti.connector()};
};

TEST(Callbacks, OfEveryKindAreDeliveredWhenEvoked) {
  Recorder f;
  Joined j(f);
  j.ambassador.evokeCallback(0.0);
  f.take();
  for (const Case& c : all_callbacks()) {
    c.say(j.rti);
    EXPECT_FALSE(j.ambassador.evokeCallback(1.0));
    EXPECT_EQ(f.take(), std::vector{c.heard});
  }
}

TEST(Callbacks, OfEveryKindAreDeliveredAtOnceInImmediateMode) {
  Recorder f;
  Joined j(f, HLA_IMMEDIATE);
  std::vector<std::string> expected{"discover 50 2 mine"};
  for (const Case& c : all_callbacks()) {
    c.say(j.rti);
    expected.push_back(c.heard);
  }
  EXPECT_EQ(f.wait_for(expected.size()), expected);
  EXPECT_FALSE(j.ambassador.evokeCallback(1.0));
  EXPECT_FALSE(j.ambassador.evokeMultipleCallbacks(1.0, 2.0));
}

TEST(Callbacks, AreEvokedOneByOneOrManyAtATime) {
  Recorder f;
  Joined j(f);
  RTIambassador& a = j.ambassador;
  for (int i = 0; i < 3; ++i) j.rti.say(wire::Granted{Stamp{i}});
  EXPECT_TRUE(a.evokeCallback(0.0));
  EXPECT_TRUE(a.evokeCallback(0.0));
  EXPECT_EQ(f.take(), (std::vector<std::string>{"discover 50 2 mine", "granted 0"}));
  EXPECT_FALSE(a.evokeMultipleCallbacks(0.0, 1.0));
  EXPECT_EQ(f.take(), (std::vector<std::string>{"granted 1", "granted 2"}));
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_FALSE(a.evokeCallback(0.02));
  EXPECT_FALSE(a.evokeMultipleCallbacks(0.02, 0.5));
  EXPECT_GE(std::chrono::steady_clock::now() - begin, 40ms);
  EXPECT_TRUE(f.take().empty());
  for (int i = 0; i < 3; ++i) j.rti.say(wire::Granted{Stamp{i}});
  EXPECT_TRUE(a.evokeMultipleCallbacks(0.0, 0.0));  // at least one
  EXPECT_EQ(f.take().size(), 1u);
}

TEST(Callbacks, WaitWhileTheyAreDisabled) {
  for (const CallbackModel model : {HLA_EVOKED, HLA_IMMEDIATE}) {
    Recorder f;
    Joined j(f, model);
    RTIambassador& a = j.ambassador;
    if (model == HLA_EVOKED) a.evokeCallback(0.0);
    f.wait_for(1);
    a.disableCallbacks();
    j.rti.say(wire::Granted{Stamp{1}});
    EXPECT_FALSE(a.evokeCallback(0.01));
    a.publishInteractionClass(handle<InteractionClassHandle>(interaction_i));  // still answered
    std::this_thread::sleep_for(5ms);
    EXPECT_TRUE(f.take().empty());
    a.enableCallbacks();
    a.evokeCallback(0.0);
    EXPECT_EQ(f.wait_for(1), std::vector<std::string>{"granted 1"});
  }
}

TEST(Callbacks, MayCallServicesButNotEvoke) {
  for (const CallbackModel model : {HLA_EVOKED, HLA_IMMEDIATE}) {
    Recorder f;
    std::atomic<RTIambassador*> joined{nullptr};
    f.during = [&](const std::string& what) {  // from another thread, as soon as it has joined
      if (what != "granted 1") return;
      RTIambassador& a = *joined;
      EXPECT_THROW(a.evokeCallback(0.0), CallNotAllowedFromWithinCallback);
      EXPECT_THROW(a.evokeMultipleCallbacks(0.0, 0.0), CallNotAllowedFromWithinCallback);
      EXPECT_THROW(a.disconnect(), CallNotAllowedFromWithinCallback);
      EXPECT_THROW(a.connect(f, model, L""), CallNotAllowedFromWithinCallback);
      EXPECT_THROW(a.resignFederationExecution(NO_ACTION), CallNotAllowedFromWithinCallback);
      EXPECT_THROW(a.joinFederationExecution(L"t", L"f"), CallNotAllowedFromWithinCallback);
      // is answered, and callbacks that arrive meanwhile wait
      a.publishInteractionClass(handle<InteractionClassHandle>(interaction_i));
      a.sendInteraction(handle<InteractionClassHandle>(interaction_i), {}, {});
    };
    Joined j(f, model);
    joined = &j.ambassador;
    j.rti.say(wire::Granted{Stamp{1}});
    j.rti.say(wire::Granted{Stamp{2}});
    if (model == HLA_EVOKED) j.ambassador.evokeMultipleCallbacks(0.0, 1.0);
    EXPECT_EQ(f.wait_for(3),
              (std::vector<std::string>{"discover 50 2 mine", "granted 1", "granted 2"}));
    EXPECT_EQ(j.rti.heard<wire::SendInteraction>().size(), 1u);
  }
}

TEST(Callbacks, OfWhatARequestChangesComeAfterItsAnswer) {
  const auto frame = [](const auto& m) { return *wire::frame(m); };
  for (const CallbackModel model : {HLA_EVOKED, HLA_IMMEDIATE}) {
    Recorder f;
    FakeRti rti;
    VernierAmbassador made(rti.connector());
    RTIambassador& a = made;
    const auto heard = [&](const std::string& line) {
      std::vector<std::string> lines;
      while (lines.empty()) {
        a.evokeCallback(0.01);
        lines = f.take();
      }
      EXPECT_EQ(lines, std::vector{line});
    };
    rti.first[Kind::join] = {frame(wire::AnnounceSynchronization{"s", {}})};
    rti.first[Kind::enable_regulation] = {frame(wire::RegulationEnabled{})};
    rti.first[Kind::enable_constrained] = {frame(wire::ConstrainedEnabled{})};
    rti.first[Kind::register_object] = {frame(wire::Provide{101, {attribute_x}, {}})};
    rti.first[Kind::save_done] = {frame(wire::Saved{true, {}})};
    rti.first[Kind::restore_done] = {frame(wire::Restored{true, {}})};
    a.connect(f, model, L"");
    a.joinFederationExecution(L"me", L"type", L"federation");
    heard("announce s ");
    a.enableTimeRegulation(HLAinteger64Interval(1));
    heard("regulating 0");
    EXPECT_THROW(a.enableTimeRegulation(HLAinteger64Interval(1)), TimeRegulationAlreadyEnabled);
    a.enableTimeConstrained();
    heard("constrained 0");
    EXPECT_NO_THROW(a.timeAdvanceRequest(HLAinteger64Time(1)));
    const auto c = handle<ObjectClassHandle>(class_a);
    a.publishObjectClassAttributes(c, {handle<AttributeHandle>(attribute_x)});
    a.registerObjectInstance(c);
    heard("provide 101 2 ");
    rti.say(wire::InitiateSave{"s", {}});
    heard("save s");
    a.federateSaveBegun();
    a.federateSaveComplete();
    heard("saved");
    EXPECT_NO_THROW(a.enableCallbacks());  // the save has ended
    rti.say(wire::InitiateRestore{"s", "me", 7});
    heard("restore s as me 7");
    a.federateRestoreComplete();
    heard("restored");
    EXPECT_NO_THROW(a.enableCallbacks());
  }
}

TEST(Callbacks, ThatThrowAreReportedOnceAndDoNoHarm) {
  Recorder f;
  Joined j(f);
  int calls = 0;
  f.during = [&](const std::string&) {
    if (++calls == 1) throw FederateInternalError(L"no more");
    if (calls == 2) throw std::runtime_error("not again");
    if (calls == 3) throw 3;
  };
  for (int i = 0; i < 3; ++i) j.rti.say(wire::Granted{Stamp{i}});
  ::testing::internal::CaptureStderr();
  j.ambassador.evokeMultipleCallbacks(0.0, 1.0);
  const std::string said = ::testing::internal::GetCapturedStderr();
  EXPECT_EQ(calls, 4);
  EXPECT_NE(said.find("no more"), said.npos);
  EXPECT_EQ(said.find("again"), said.npos);
}

TEST(Callbacks, OfAFederationThatWasLeftAreDropped) {
  Recorder f;
  Joined j(f);
  RTIambassador& a = j.ambassador;
  a.evokeCallback(0.0);
  j.rti.say(wire::Granted{Stamp{1}});
  j.rti.say(wire::Federations{});
  j.rti.say(wire::Granted{Stamp{2}});
  a.evokeCallback(0.0);  // the other callbacks have been received by now
  j.rti.say(wire::Granted{Stamp{3}});
  a.resignFederationExecution(NO_ACTION);
  a.joinFederationExecution(L"t", L"f");
  f.take();
  a.evokeMultipleCallbacks(0.0, 1.0);
  EXPECT_EQ(f.take(), std::vector<std::string>{"federations"});
}

TEST(Callbacks, TellThatTheConnectionIsLost) {
  for (const CallbackModel model : {HLA_EVOKED, HLA_IMMEDIATE}) {
    Recorder f;
    Joined j(f, model);
    RTIambassador& a = j.ambassador;
    j.rti.say(wire::Granted{Stamp{1}});
    j.rti.vanish("the cable");
    if (model == HLA_EVOKED) {
      EXPECT_FALSE(a.evokeMultipleCallbacks(0.01, 1.0));
    }
    // after the callbacks that came before
    EXPECT_EQ(f.wait_for(3),
              (std::vector<std::string>{"discover 50 2 mine", "granted 1", "lost the cable"}));
    EXPECT_THROW(a.publishInteractionClass({}), NotConnected);
    EXPECT_THROW(a.resignFederationExecution(NO_ACTION), NotConnected);
    EXPECT_NO_THROW(a.connect(f, model, L""));  // a new connection can be made
    EXPECT_THROW(a.publishInteractionClass({}), FederateNotExecutionMember);
    a.joinFederationExecution(L"t", L"f");
    j.rti.say(wire::Lost{"thrown out"});
    if (model == HLA_EVOKED) a.evokeCallback(1.0);
    EXPECT_EQ(f.wait_for(1), std::vector<std::string>{"lost thrown out"});
    a.disconnect();
  }
}

TEST(Callbacks, TellThatTheRtiCannotBeUnderstood) {
  const std::vector<std::byte> nonsense(20, std::byte{0xff});
  std::vector<std::byte> cut;  // a valid header, and a body that is too short
  wire::write(cut, wire::Granted{});
  cut.pop_back();
  cut[0] = static_cast<std::byte>(cut.size());
  std::vector<std::byte> misplaced;  // a request
  wire::write(misplaced, wire::Leave{});
  FomTables less = some_fom();  // the old handles would refer to nothing
  less.object_classes.pop_back();
  std::vector<std::byte> shrunk, stranger, status;
  wire::write(shrunk, wire::Tables{encoded(less)});
  wire::write(stranger, wire::MemberState{.objects = {{50, 99, "of no class", {}, {}}}});
  wire::write(status, wire::SaveStatusReport{{{7, static_cast<wire::SaveStatus>(9)}}});
  for (const auto& frame : {nonsense, cut, misplaced, shrunk, stranger, status}) {
    Recorder f;
    Joined j(f);
    j.ambassador.evokeCallback(0.0);
    f.take();
    j.rti.say_bytes(frame);
    j.ambassador.evokeMultipleCallbacks(0.0, 1.0);
    EXPECT_EQ(f.take(),
              std::vector<std::string>{"lost the RTI said something that cannot be read"});
  }
}

TEST(Callbacks, ReflectionsAllocateNothingOnceTheirAttributesWereSeen) {
  class Sink : public NullFederateAmbassador {
   public:
    using NullFederateAmbassador::reflectAttributeValues;
    void reflectAttributeValues(ObjectInstanceHandle, const AttributeHandleValueMap& v,
                                const VariableLengthData&, OrderType, TransportationType,
                                SupplementalReflectInfo) override {
      values += v.size();
    }
    std::size_t values = 0;
  } f;
  Joined j(f);
  const OneValue y_is_1(attribute_y);
  const auto say = [&] {
    for (int i = 0; i < 100; ++i) j.rti.say(wire::Reflect{.object = 50, .values = x_is_1});
    for (int i = 0; i < 100; ++i) j.rti.say(wire::Reflect{.object = 50, .values = y_is_1});
  };
  for (int i = 0; i < 3; ++i) {  // one for each buffer that frames pass through
    say();
    j.ambassador.evokeMultipleCallbacks(0.0, 1.0);
  }
  say();
  const long before = testing::allocations();
  while (j.ambassador.evokeCallback(0.0)) {
  }
  EXPECT_EQ(testing::allocations(), before);
  EXPECT_EQ(f.values, 800u);
}

TEST(Callbacks, AndServicesOfManyThreadsDoNotDisturbEachOther) {
  for (const CallbackModel model : {HLA_EVOKED, HLA_IMMEDIATE}) {
    Recorder f;
    Rig r(f, model);
    RTIambassador& a = r.ambassador;
    const ObjectInstanceHandle ship = r.object();
    f.during = [&](const std::string&) { a.getObjectInstanceName(ship); };
    constexpr int rounds = 200;
    std::atomic<int> busy{3};
    const auto work = [&](auto call) {
      return std::thread([&busy, call] {
        for (int i = 0; i < rounds; ++i) call(i);
        --busy;
      });
    };
    std::thread say = work([&](int i) { r.rti.say(wire::Granted{Stamp{i}}); });
    std::thread ask = work(
        [&](int) { a.publishInteractionClass(handle<InteractionClassHandle>(interaction_i)); });
    std::thread update = work([&](int) {
      a.updateAttributeValues(ship, {{handle<AttributeHandle>(attribute_x), {}}}, {});
    });
    std::thread evoke;
    if (model == HLA_EVOKED)
      evoke = std::thread([&] {
        while (busy > 0) a.evokeCallback(0.001);
      });
    while (busy > 0) a.evokeMultipleCallbacks(0.001, 0.002);
    for (std::thread* t : {&say, &ask, &update, &evoke})
      if (t->joinable()) t->join();
    a.evokeMultipleCallbacks(0.0, 1.0);
    EXPECT_EQ(f.wait_for(rounds).size(), static_cast<std::size_t>(rounds));
    EXPECT_EQ(r.rti.heard<wire::UpdateAttributes>().size(), static_cast<std::size_t>(rounds));
    a.resignFederationExecution(NO_ACTION);
    a.disconnect();
  }
}

}  // namespace
}  // namespace vernier::hla
