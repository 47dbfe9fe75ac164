#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "vernier/gateway/federation/core_rig_test.hpp"

namespace vernier::federation {
namespace {

using rig::blob_of;
using rig::Packed;
using rig::Player;
using rig::shown;
using rig::Stage;
using rig::text_of;
using ::testing::ElementsAre;

// ---- names

TEST(Names, AreReservedOnceAllOrNone) {
  Stage s(2);
  s[0].must(ReserveNames{{"x"}, false});
  EXPECT_TRUE(s[0].next<NamesReserved>().success);
  s[1].must(ReserveNames{{"y", "x"}, true});
  const auto m = s[1].next<NamesReserved>();
  EXPECT_FALSE(m.success);
  EXPECT_TRUE(m.multiple);
  s[0].must(ReserveNames{{"y"}, false});  // the failed attempt did not reserve it
  EXPECT_TRUE(s[0].next<NamesReserved>().success);
  EXPECT_EQ(s[0].ask(ReserveNames{{"HLAx"}, false}), Failure::IllegalName);
  EXPECT_EQ(s[0].ask(ReserveNames{{""}, false}), Failure::IllegalName);
  EXPECT_EQ(s[0].ask(ReserveNames{{std::string(5000, 'x')}, false}), Failure::IllegalName);
  EXPECT_EQ(s[0].ask(ReserveNames{{}, true}), Failure::NameSetWasEmpty);
  EXPECT_EQ(s[1].ask(ReleaseNames{{"x"}, false}), Failure::ObjectInstanceNameNotReserved);
  s[0].must(ReleaseNames{{"x", "y"}, true});
  s[1].must(ReserveNames{{"x"}, false});
  EXPECT_TRUE(s[1].next<NamesReserved>().success);
}

TEST(Names, OfInstancesMustBeReserved) {
  Stage s(2);
  for (int i = 0; i < 2; ++i) s[i].publish("Base", {s[i].attribute("a")});
  const Handle c = s[0].object_class("Base");
  EXPECT_EQ(s[0].ask(RegisterObject{c, "x", {}, false}), Failure::ObjectInstanceNameNotReserved);
  s[0].must(ReserveNames{{"x"}, false});
  s[0].next<NamesReserved>();
  EXPECT_EQ(s[1].ask(RegisterObject{c, "x", {}, false}), Failure::ObjectInstanceNameNotReserved);
  const Handle o = s[0].register_object("Base", "x");
  EXPECT_EQ(s[0].ask(RegisterObject{c, "x", {}, false}), Failure::ObjectInstanceNameInUse);
  EXPECT_EQ(s[0].ask(ReleaseNames{{"x"}, false}), Failure::ObjectInstanceNameNotReserved);
  s[0].must(DeleteObject{o, {}, {}, 0});
  s[1].must(ReserveNames{{"x"}, false});
  EXPECT_TRUE(s[1].next<NamesReserved>().success);
}

// ---- discovery

TEST(Discovery, IsAtTheNearestSubscribedClass) {
  Stage s(4);
  Player& a = s[0];
  const Handle at_a = a.attribute("a"), at_c = a.attribute("c");
  a.publish("Derived", {at_a, at_c});
  s[1].subscribe("Base", {at_a});
  s[2].subscribe("Base", {at_a});
  s[2].subscribe("Derived", {at_c});
  s[3].subscribe("Base", {a.attribute("b")});  // which is unowned
  const Handle o = a.register_object("Derived");
  const auto m = s[1].next<Discover>();
  EXPECT_EQ(m.object, o);
  EXPECT_EQ(m.object_class, a.object_class("Base"));
  EXPECT_EQ(m.producer, a.joined.federate);
  EXPECT_FALSE(m.name.empty());
  EXPECT_EQ(s[2].next<Discover>().object_class, a.object_class("Derived"));
  EXPECT_TRUE(s[3].quiet());
  // each federate receives the attributes that it subscribes to at its class
  a.update(o, Packed().add(at_a, "1").add(at_c, "2"));
  auto r = s[1].next<Reflect>();
  EXPECT_EQ(shown(r.values), std::to_string(at_a) + ":1");
  r = s[2].next<Reflect>();
  EXPECT_EQ(shown(r.values), std::to_string(at_c) + ":2");
  EXPECT_TRUE(s[3].quiet());
  EXPECT_TRUE(a.quiet());
}

TEST(Discovery, ComesWithALateSubscription) {
  Stage s(2);
  Player &a = s[0], &b = s[1];
  a.publish("Base", {a.attribute("a")});
  const Handle o = a.register_object("Base");
  EXPECT_EQ(b.ask(RequestUpdate{o, {a.attribute("a")}, {}}), Failure::ObjectInstanceNotKnown);
  b.subscribe("Base", {a.attribute("a")});
  EXPECT_EQ(b.next<Discover>().object, o);
  b.subscribe("Base", {a.attribute("a")});
  EXPECT_TRUE(b.quiet());
  // after unsubscribing, the instance stays known, without reflections
  b.must(UnsubscribeAttributes{b.object_class("Base"), {}, false});
  a.update(o, Packed().add(a.attribute("a"), "1"));
  EXPECT_TRUE(b.quiet());
  b.must(RequestUpdate{o, {a.attribute("a")}, blob_of("?")});
  const auto m = a.next<Provide>();
  EXPECT_EQ(m.attributes, Numbers{a.attribute("a")});
  EXPECT_EQ(text_of(m.tag), "?");
}

TEST(Discovery, OfWhatWasDeletedLocallyComesAgain) {
  Stage s(2);
  Player &a = s[0], &b = s[1];
  a.publish("Base", {a.attribute("a")});
  b.subscribe("Base", {a.attribute("a")});
  const Handle o = a.register_object("Base");
  b.next<Discover>();
  EXPECT_EQ(a.ask(LocalDelete{o}), Failure::FederateOwnsAttributes);
  b.must(LocalDelete{o});
  EXPECT_EQ(b.ask(LocalDelete{o}), Failure::ObjectInstanceNotKnown);
  a.update(o, Packed().add(a.attribute("a"), "1"));
  EXPECT_EQ(b.next<Discover>().object, o);
  EXPECT_EQ(shown(b.next<Reflect>().values), std::to_string(a.attribute("a")) + ":1");
}

// ---- updates

TEST(Updates, AreEncodedOnceForAll) {
  Stage s(4);
  Player& a = s[0];
  const Numbers ab{a.attribute("a"), a.attribute("b")};
  a.publish("Base", ab);
  for (int i = 1; i < 4; ++i) s[i].subscribe("Base", ab);
  const Handle o = a.register_object("Base");
  for (int i = 1; i < 4; ++i) s[i].next<Discover>();
  UpdateAttributes u;
  const Packed values = Packed().add(ab[0], "hello").add(ab[1], "");
  u.object = o;
  u.values = values;
  u.tag = rig::bytes_of("tag");
  a.say(u);
  for (int i = 1; i < 4; ++i) {
    const auto r = s[i].next<Reflect>();
    EXPECT_EQ(r.object, o);
    EXPECT_EQ(shown(r.values), std::to_string(ab[0]) + ":hello " + std::to_string(ab[1]) + ":");
    EXPECT_EQ(text_of(r.tag), "tag");
    EXPECT_EQ(r.sent, Order::receive);
    EXPECT_EQ(r.producer, a.joined.federate);
    EXPECT_EQ(a.tables.transportations[r.transportation - 1], "HLAreliable");
    EXPECT_FALSE(r.time || r.retraction);
    EXPECT_EQ(s[i].last.get(), s[1].last.get());
  }
}

TEST(Updates, OfAttributesThatAreNotOwnedGoNowhere) {
  Stage s(2);
  Player &a = s[0], &b = s[1];
  a.publish("Base", {a.attribute("a")});
  b.subscribe("Base", {a.attribute("a"), a.attribute("b")});
  const Handle o = a.register_object("Base");
  b.next<Discover>();
  a.update(o, Packed().add(a.attribute("b"), "1"));
  b.update(o, Packed().add(a.attribute("a"), "1"));
  a.update(77, Packed().add(a.attribute("a"), "1"));
  EXPECT_TRUE(a.quiet() && b.quiet());
  // values that do not ascend make the message malformed
  UpdateAttributes u;
  const Packed twice = Packed().add(2, "").add(2, "");
  u.object = o;
  u.values = twice;
  EXPECT_FALSE(s.core.take(a.connection, *frame(u)));
}

TEST(Updates, AreSplitByOrderAndTransportation) {
  Stage s(2);
  Player &a = s[0], &b = s[1];
  const Numbers rt{a.attribute("t"), a.attribute("r")};
  a.publish("Timed", rt);
  b.subscribe("Timed", rt);
  const Handle o = a.register_object("Timed");
  b.next<Discover>();
  a.must(EnableRegulation{Stamp{1}});
  a.next<RegulationEnabled>();
  b.must(EnableConstrained{});
  b.next<ConstrainedEnabled>();
  b.must(EnableAsynchronous{});
  a.update(o, Packed().add(rt[0], "T").add(rt[1], "R"), 5, 1);
  auto r = b.next<Reflect>();  // the part in receive order, at once
  EXPECT_EQ(shown(r.values), std::to_string(rt[1]) + ":R");
  EXPECT_EQ(r.sent, Order::receive);
  EXPECT_EQ(r.time, Stamp{5});
  EXPECT_TRUE(b.quiet());
  b.say(Advance{AdvanceKind::to, Stamp{10}});
  a.say(Advance{AdvanceKind::to, Stamp{20}});
  a.next<Granted>();
  r = b.next<Reflect>();
  EXPECT_EQ(shown(r.values), std::to_string(rt[0]) + ":T");
  EXPECT_EQ(r.sent, Order::time_stamp);
  EXPECT_EQ(r.received, Order::time_stamp);
  EXPECT_EQ(r.time, Stamp{5});
  EXPECT_EQ(r.retraction->number, 1u);
  EXPECT_EQ(b.next<Granted>().time, Stamp{10});
  // a federate that is not constrained receives it in receive order
  b.must(DisableConstrained{});
  a.update(o, Packed().add(rt[0], "T"), 30, 2);
  r = b.next<Reflect>();
  EXPECT_EQ(r.sent, Order::time_stamp);
  EXPECT_EQ(r.received, Order::receive);
  // after the change of order type it is sent in receive order
  a.must(ChangeAttributeOrder{o, {rt[0]}, Order::receive});
  a.update(o, Packed().add(rt[0], "T"), 31, 3);
  EXPECT_EQ(b.next<Reflect>().sent, Order::receive);
  EXPECT_EQ(b.ask(ChangeAttributeOrder{o, {rt[0]}, Order::receive}), Failure::AttributeNotOwned);
  EXPECT_EQ(a.ask(ChangeAttributeOrder{o, {a.attribute("a")}, Order::receive}),
            Failure::AttributeNotDefined);
}

TEST(Updates, ChangeTransportation) {
  Stage s(2);
  Player &a = s[0], &b = s[1];
  const Handle at = a.attribute("a");
  a.publish("Base", {at});
  b.subscribe("Base", {at});
  const Handle o = a.register_object("Base");
  b.next<Discover>();
  Handle best = 0;
  for (std::size_t i = 0; i < a.tables.transportations.size(); ++i)
    if (a.tables.transportations[i] == "HLAbestEffort") best = static_cast<Handle>(i + 1);
  a.must(ChangeAttributeTransportation{o, {at}, best});
  EXPECT_TRUE(a.next<AttributeTransportation>().confirmed);
  a.update(o, Packed().add(at, "1"));
  EXPECT_EQ(b.next<Reflect>().transportation, best);
  b.must(QueryAttributeTransportation{o, at});
  EXPECT_EQ(b.next<AttributeTransportation>().transportation, best);
  EXPECT_EQ(a.ask(ChangeAttributeTransportation{o, {at}, 99}), Failure::InvalidTransportationType);
  EXPECT_EQ(b.ask(ChangeAttributeTransportation{o, {at}, best}), Failure::AttributeNotOwned);
}

TEST(Updates, AreThinnedToTheRateAskedFor) {
  Stage s(3);
  Player& a = s[0];
  const Handle at_c = a.attribute("c");  // best effort, receive order
  a.publish("Derived", {at_c, a.attribute("a")});
  EXPECT_EQ(s[1].ask(SubscribeAttributes{
                a.object_class("Derived"), {{{at_c}, {}}}, true, "Often", false}),
            Failure::InvalidUpdateRateDesignator);
  s[1].subscribe("Derived", {at_c}, true, "Slow");
  s[2].subscribe("Derived", {at_c, a.attribute("a")}, true, "Slow");
  const Handle o = a.register_object("Derived");
  s[1].must(QueryRate{s[1].next<Discover>().object, at_c});
  EXPECT_EQ(s[1].body<Rate>().hertz, 1.0);
  s[2].next<Discover>();
  for (int i = 0; i < 20; ++i) {
    a.update(o, Packed().add(at_c, "1"));
    a.update(o, Packed().add(a.attribute("a"), "1"));
  }
  // one within the second (two if a second ends meanwhile); reliable attributes are not reduced
  EXPECT_LE(s[1].peer.frames.size(), 2u);
  EXPECT_GE(s[1].peer.frames.size(), 1u);
  EXPECT_GE(s[2].peer.frames.size(), 21u);
  EXPECT_LE(s[2].peer.frames.size(), 22u);
}

TEST(Updates, AreAskedForByClass) {
  Stage s(3);
  Player &a = s[0], &b = s[1], &c = s[2];
  a.publish("Base", {a.attribute("a")});
  b.publish("Derived", {a.attribute("a"), a.attribute("c")});
  const Handle of_a = a.register_object("Base"), of_b = b.register_object("Derived");
  c.must(RequestClassUpdate{
      c.object_class("Base"), {{{c.attribute("a"), c.attribute("b")}, {}}}, false, blob_of("now")});
  auto m = a.next<Provide>();
  EXPECT_EQ(m.object, of_a);
  EXPECT_EQ(m.attributes, Numbers{c.attribute("a")});
  m = b.next<Provide>();
  EXPECT_EQ(m.object, of_b);
  EXPECT_EQ(text_of(m.tag), "now");
  a.must(RequestClassUpdate{c.object_class("Base"), {{{c.attribute("a")}, {}}}, false, {}});
  EXPECT_TRUE(a.quiet());  // a federate does not ask itself
}

// ---- deletion

TEST(Deletion, NeedsThePrivilege) {
  Stage s(3);
  Player &a = s[0], &b = s[1];
  a.publish("Base", {a.attribute("a")});
  b.subscribe("Base", {a.attribute("a")});
  const Handle o = a.register_object("Base");
  b.next<Discover>();
  EXPECT_EQ(b.ask(DeleteObject{o, {}, {}, 0}), Failure::DeletePrivilegeNotHeld);
  EXPECT_EQ(s[2].ask(DeleteObject{o, {}, {}, 0}), Failure::ObjectInstanceNotKnown);
  a.must(DeleteObject{o, blob_of("bye"), {}, 0});
  const auto m = b.next<Remove>();
  EXPECT_EQ(m.object, o);
  EXPECT_EQ(text_of(m.tag), "bye");
  EXPECT_EQ(m.producer, a.joined.federate);
  EXPECT_EQ(a.ask(DeleteObject{o, {}, {}, 0}), Failure::ObjectInstanceNotKnown);
  EXPECT_EQ(b.ask(LocalDelete{o}), Failure::ObjectInstanceNotKnown);
}

TEST(Deletion, InTimeStampOrderComesAtItsTimeAndMayBeTakenBack) {
  Stage s(2);
  Player &a = s[0], &b = s[1];
  const Handle at = a.attribute("t");
  a.publish("Timed", {at});
  b.subscribe("Timed", {at});
  a.must(EnableRegulation{Stamp{1}});
  b.must(EnableConstrained{});
  a.next<RegulationEnabled>();
  b.next<ConstrainedEnabled>();
  const Handle kept = a.register_object("Timed"), gone = a.register_object("Timed");
  b.next<Discover>();
  b.next<Discover>();
  a.must(DeleteObject{kept, {}, Stamp{5}, 1});
  a.must(DeleteObject{gone, {}, Stamp{6}, 2});
  b.must(QueryOwnership{kept, at});  // still known here
  b.next<Owner>();
  EXPECT_EQ(a.ask(RequestUpdate{kept, {at}, {}}), Failure::ObjectInstanceNotKnown);
  a.must(Retract{1});
  a.update(kept, Packed().add(at, "back"), 7, 3);
  b.say(Advance{AdvanceKind::to, Stamp{10}});
  a.say(Advance{AdvanceKind::to, Stamp{20}});
  const auto m = b.next<Remove>();
  EXPECT_EQ(m.object, gone);
  EXPECT_EQ(m.time, Stamp{6});
  EXPECT_EQ(m.received, Order::time_stamp);
  EXPECT_EQ(shown(b.next<Reflect>().values), std::to_string(at) + ":back");
  b.next<Granted>();
  EXPECT_EQ(b.ask(QueryOwnership{gone, at}), Failure::ObjectInstanceNotKnown);
}

// ---- interactions

TEST(Interactions, ComeAsTheClassSubscribedToWithItsParameters) {
  Stage s(4);
  Player& a = s[0];
  const Handle ping = a.interaction_class("Ping"), pong = a.interaction_class("Pong");
  a.must(PublishInteraction{pong});
  s[1].must(SubscribeInteraction{ping, true, {}});
  s[2].must(SubscribeInteraction{pong, true, {}});
  s[2].must(SubscribeInteraction{ping, true, {}});
  a.must(SubscribeInteraction{pong, true, {}});  // a federate does not receive its own interactions
  SendInteraction m;
  const Packed values = Packed().add(a.parameter("x"), "X").add(a.parameter("y"), "Y");
  m.interaction_class = pong;
  m.values = values;
  m.tag = rig::bytes_of("!");
  a.say(m);
  auto r = s[1].next<Receive>();
  EXPECT_EQ(r.interaction_class, ping);
  EXPECT_EQ(shown(r.values), std::to_string(a.parameter("x")) + ":X");
  EXPECT_EQ(text_of(r.tag), "!");
  EXPECT_EQ(r.producer, a.joined.federate);
  r = s[2].next<Receive>();
  EXPECT_EQ(r.interaction_class, pong);
  EXPECT_EQ(shown(r.values),
            std::to_string(a.parameter("x")) + ":X " + std::to_string(a.parameter("y")) + ":Y");
  EXPECT_TRUE(a.quiet() && s[2].quiet() && s[3].quiet());
  m.interaction_class = ping;  // not published
  a.say(m);
  s[1].must(UnsubscribeInteraction{ping, {}});
  m.interaction_class = pong;
  a.say(m);
  EXPECT_TRUE(s[1].quiet());
  s[2].next<Receive>();
  m.interaction_class = 9999;
  EXPECT_FALSE(s.core.take(a.connection, *frame(m)));
}

TEST(Interactions, GoInTheOrderOfTheirClassOrTheOneSet) {
  Stage s(2);
  Player &a = s[0], &b = s[1];
  const Handle ping = a.interaction_class("Ping");
  EXPECT_EQ(a.ask(ChangeInteractionOrder{ping, Order::receive}),
            Failure::InteractionClassNotPublished);
  a.must(PublishInteraction{ping});
  b.must(SubscribeInteraction{ping, true, {}});
  a.must(EnableRegulation{Stamp{1}});
  b.must(EnableConstrained{});
  b.must(EnableAsynchronous{});
  a.next<RegulationEnabled>();
  b.next<ConstrainedEnabled>();
  SendInteraction m;
  m.interaction_class = ping;
  m.time = Stamp{3};
  m.retraction = 1;
  a.say(m);
  EXPECT_TRUE(b.quiet());
  a.must(Retract{1});
  a.must(ChangeInteractionOrder{ping, Order::receive});
  a.say(m);
  EXPECT_EQ(b.next<Receive>().sent, Order::receive);
  b.must(QueryInteractionTransportation{a.joined.federate, ping});
  const Handle t = b.next<InteractionTransportation>().transportation;
  EXPECT_EQ(a.tables.transportations[t - 1], "HLAreliable");
  a.must(ChangeInteractionTransportation{ping, t == 1 ? 2u : 1u});
  EXPECT_TRUE(a.next<InteractionTransportation>().confirmed);
  a.say(m);
  EXPECT_NE(b.next<Receive>().transportation, t);
  EXPECT_TRUE(b.quiet());
}

}  // namespace
}  // namespace vernier::federation
