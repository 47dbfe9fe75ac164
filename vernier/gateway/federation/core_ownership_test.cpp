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

/// A owns an instance of Base (a, b); the others publish and subscribe to the same.
struct Owned : Stage {
  explicit Owned(int federates) : Stage(federates) {
    ab = {(*this)[0].attribute("a"), (*this)[0].attribute("b")};
    for (auto& p : players) {
      p->publish("Base", ab);
      p->subscribe("Base", ab);
    }
    o = players[0]->register_object("Base");
    for (std::size_t i = 1; i < players.size(); ++i) players[i]->next<Discover>();
  }
  Handle owner(Handle attribute) {
    players[0]->must(QueryOwnership{o, attribute});
    return players[0]->next<Owner>().federate;
  }

  Numbers ab;
  Handle o = 0;
};

TEST(Ownership, GivenAwayIsOfferedToPublishers) {
  Owned s(3);
  Player stranger(s.core);  // subscribes only
  stranger.join("X");
  stranger.subscribe("Base", s.ab);
  stranger.next<Discover>();
  s[0].must(DivestUnconditionally{s.o, {s.ab[0]}});
  EXPECT_EQ(s.owner(s.ab[0]), 0u);
  EXPECT_EQ(s.owner(s.ab[1]), s[0].joined.federate);
  EXPECT_EQ(s[1].next<Assume>().attributes, Numbers{s.ab[0]});
  EXPECT_EQ(s[2].next<Assume>().attributes, Numbers{s.ab[0]});
  EXPECT_TRUE(s[0].quiet());
  EXPECT_TRUE(stranger.quiet());
  EXPECT_EQ(s[0].ask(DivestUnconditionally{s.o, {s.ab[0]}}), Failure::AttributeNotOwned);
  s[1].must(AcquireIfAvailable{s.o, s.ab});
  EXPECT_EQ(s[1].next<Acquired>().attributes, Numbers{s.ab[0]});
  EXPECT_EQ(s[1].next<Unavailable>().attributes, Numbers{s.ab[1]});
  s[2].must(AcquireIfAvailable{s.o, {s.ab[0]}});
  EXPECT_EQ(s[2].next<Unavailable>().attributes, Numbers{s.ab[0]});
  s[1].must(IsOwned{s.o, s.ab[0]});
  EXPECT_TRUE(s[1].body<Truth>().is);
  s[2].must(IsOwned{s.o, s.ab[0]});
  EXPECT_FALSE(s[2].body<Truth>().is);
  // updates follow
  s[1].update(s.o, Packed().add(s.ab[0], "new"));
  EXPECT_EQ(shown(s[0].next<Reflect>().values), std::to_string(s.ab[0]) + ":new");
  s[0].update(s.o, Packed().add(s.ab[0], "old"));
  EXPECT_TRUE(s[1].quiet());
}

TEST(Ownership, IsAskedForAndReleased) {
  Owned s(3);
  s[1].must(Acquire{s.o, s.ab, blob_of("please")});
  const auto m = s[0].next<Release>();
  EXPECT_EQ(m.attributes, s.ab);
  EXPECT_EQ(text_of(m.tag), "please");
  s[0].must(DenyRelease{s.o, {s.ab[1]}});
  EXPECT_EQ(s[1].next<Unavailable>().attributes, Numbers{s.ab[1]});
  EXPECT_EQ(s[1].ask(CancelAcquisition{s.o, {s.ab[1]}}),
            Failure::AttributeAcquisitionWasNotRequested);
  s[1].must(Acquire{s.o, {s.ab[1]}, {}});
  s[0].next<Release>();
  s[2].must(Acquire{s.o, {s.ab[0]}, {}});  // after the other in the queue
  EXPECT_TRUE(s[0].quiet());
  s[0].must(DivestIfWanted{s.o, {s.ab[0]}});
  EXPECT_EQ(s[0].body<Divested>().attributes, Numbers{s.ab[0]});
  EXPECT_EQ(s[1].next<Acquired>().attributes, Numbers{s.ab[0]});
  EXPECT_EQ(s[1].next<Release>().attributes, Numbers{s.ab[0]});  // the next one in the queue
  EXPECT_EQ(s[1].ask(Acquire{s.o, {s.ab[0]}, {}}), Failure::FederateOwnsAttributes);
  EXPECT_EQ(s[1].ask(AcquireIfAvailable{s.o, {s.ab[1]}}), Failure::AttributeAlreadyBeingAcquired);
  s[1].must(CancelAcquisition{s.o, {s.ab[1]}});
  EXPECT_EQ(s[1].next<AcquisitionCancelled>().attributes, Numbers{s.ab[1]});
  EXPECT_EQ(s[1].ask(CancelAcquisition{s.o, {s.ab[1]}}),
            Failure::AttributeAcquisitionWasNotRequested);
  EXPECT_EQ(s[1].ask(CancelAcquisition{s.o, {s.ab[0]}}), Failure::AttributeAlreadyOwned);
  s[0].must(DivestIfWanted{s.o, {s.ab[1]}});
  EXPECT_TRUE(s[0].body<Divested>().attributes.empty());
  EXPECT_EQ(s[0].ask(DivestIfWanted{s.o, {s.ab[0]}}), Failure::AttributeNotOwned);
}

TEST(Ownership, IsNegotiated) {
  Owned s(2);
  s[0].must(DivestNegotiated{s.o, s.ab, blob_of("who?")});
  const auto m = s[1].next<Assume>();
  EXPECT_EQ(m.attributes, s.ab);
  EXPECT_EQ(text_of(m.tag), "who?");
  EXPECT_EQ(s[0].ask(DivestNegotiated{s.o, s.ab, {}}), Failure::AttributeAlreadyBeingDivested);
  EXPECT_EQ(s[0].ask(ConfirmDivestiture{s.o, s.ab, {}}), Failure::NoAcquisitionPending);
  EXPECT_EQ(s.owner(s.ab[0]), s[0].joined.federate);  // until it is confirmed
  s[1].must(Acquire{s.o, {s.ab[0]}, {}});
  s[1].must(AcquireIfAvailable{s.o, {s.ab[1]}});
  EXPECT_EQ(s[0].next<ConfirmDivest>().attributes, Numbers{s.ab[0]});
  EXPECT_EQ(s[0].next<ConfirmDivest>().attributes, Numbers{s.ab[1]});
  s[0].must(ConfirmDivestiture{s.o, {s.ab[0]}, blob_of("yours")});
  const auto got = s[1].next<Acquired>();
  EXPECT_EQ(got.attributes, Numbers{s.ab[0]});
  EXPECT_EQ(text_of(got.tag), "yours");
  // the owner cancels the divestiture of the other attribute
  s[0].must(CancelDivestiture{s.o, {s.ab[1]}});
  EXPECT_EQ(s[1].next<Unavailable>().attributes, Numbers{s.ab[1]});
  EXPECT_EQ(s[0].ask(CancelDivestiture{s.o, {s.ab[1]}}),
            Failure::AttributeDivestitureWasNotRequested);
  EXPECT_EQ(s[0].ask(ConfirmDivestiture{s.o, {s.ab[1]}, {}}),
            Failure::AttributeDivestitureWasNotRequested);
  EXPECT_EQ(s.owner(s.ab[1]), s[0].joined.federate);
}

TEST(Ownership, NegotiatedWithSomebodyWhoWaitsIsConfirmedAtOnce) {
  Owned s(2);
  s[1].must(Acquire{s.o, {s.ab[0]}, {}});
  s[0].next<Release>();
  s[0].must(DivestNegotiated{s.o, s.ab, {}});
  EXPECT_EQ(s[0].next<ConfirmDivest>().attributes, Numbers{s.ab[0]});
  EXPECT_EQ(s[1].next<Assume>().attributes, Numbers{s.ab[1]});
  s[1].must(CancelAcquisition{s.o, {s.ab[0]}});
  s[1].next<AcquisitionCancelled>();
  EXPECT_EQ(s[0].ask(ConfirmDivestiture{s.o, {s.ab[0]}, {}}), Failure::NoAcquisitionPending);
}

TEST(Ownership, NeedsPublicationAndEndsWithIt) {
  Owned s(2);
  Player x(s.core);
  x.join("X");
  x.subscribe("Base", s.ab);
  x.next<Discover>();
  EXPECT_EQ(x.ask(Acquire{s.o, s.ab, {}}), Failure::ObjectClassNotPublished);
  x.publish("Base", {s.ab[0]});
  EXPECT_EQ(x.ask(Acquire{s.o, s.ab, {}}), Failure::AttributeNotPublished);
  EXPECT_EQ(x.ask(Acquire{s.o, {x.attribute("t")}, {}}), Failure::AttributeNotDefined);
  x.must(Acquire{s.o, {s.ab[0]}, {}});
  s[0].next<Release>();
  EXPECT_EQ(x.ask(UnpublishAttributes{x.object_class("Base"), {}}),
            Failure::OwnershipAcquisitionPending);
  EXPECT_EQ(x.ask(Resign{ResignAction::divest}), Failure::OwnershipAcquisitionPending);
  EXPECT_EQ(x.ask(LocalDelete{s.o}), Failure::OwnershipAcquisitionPending);
  // a federate that stops publishing loses ownership; the one that waits acquires it
  s[0].must(UnpublishAttributes{s[0].object_class("Base"), {}});
  EXPECT_EQ(x.next<Acquired>().attributes, Numbers{s.ab[0]});
  EXPECT_EQ(s.owner(s.ab[1]), 0u);
  EXPECT_EQ(s[0].ask(RegisterObject{s[0].object_class("Base"), {}, {}, false}),
            Failure::ObjectClassNotPublished);
  s[1].next<Assume>();
  // a federate that begins to publish is offered unowned attributes
  s[0].publish("Base", {s.ab[1]});
  const auto m = s[0].next<Assume>();
  EXPECT_TRUE(std::find(m.attributes.begin(), m.attributes.end(), s.ab[1]) != m.attributes.end());
  x.must(Resign{ResignAction::cancel_then_delete_then_divest});
  EXPECT_EQ(s.owner(s.ab[0]), 0u);
}

TEST(Ownership, UnwantedUpdatesOfAnObjectAreOfferedToThoseWhoDiscoverIt) {
  Owned s(1);
  s[0].must(DivestUnconditionally{s.o, {s.ab[0]}});
  Player late(s.core);
  late.join("late");
  late.publish("Base", s.ab);
  late.subscribe("Base", {s.ab[1]});
  late.next<Discover>();
  EXPECT_EQ(late.next<Assume>().attributes, Numbers{s.ab[0]});
}

// ---- advisories

TEST(Advisories, TellWhetherInstancesAndInteractionsAreWanted) {
  Stage s(2);
  Player &a = s[0], &b = s[1];
  const Handle base = a.object_class("Base"), derived = a.object_class("Derived");
  const Handle ping = a.interaction_class("Ping"), pong = a.interaction_class("Pong");
  a.must(SetSwitch{Switch::object_class_relevance, true});
  EXPECT_EQ(a.ask(SetSwitch{Switch::object_class_relevance, true}),
            Failure::ObjectClassRelevanceAdvisorySwitchIsOn);
  EXPECT_EQ(a.ask(SetSwitch{Switch::attribute_scope, false}),
            Failure::AttributeScopeAdvisorySwitchIsOff);
  EXPECT_EQ(a.ask(SetSwitch{static_cast<Switch>(9), false}), Failure::RTIinternalError);
  a.must(SetSwitch{Switch::interaction_relevance, true});
  a.publish("Derived", {a.attribute("a")});
  a.must(PublishInteraction{pong});
  b.subscribe("Base", {a.attribute("b")});         // not published
  b.subscribe("Base", {a.attribute("a")}, false);  // passively
  b.must(SubscribeInteraction{ping, false, {}});   // passively
  EXPECT_TRUE(a.quiet());
  b.subscribe("Base", {a.attribute("a")}, true);
  auto r = a.next<RegistrationWanted>();
  EXPECT_EQ(r.object_class, derived);
  EXPECT_TRUE(r.on);
  b.must(SubscribeInteraction{ping, true, {}});
  auto i = a.next<InteractionsWanted>();
  EXPECT_EQ(i.interaction_class, pong);
  EXPECT_TRUE(i.on);
  b.must(UnsubscribeAttributes{base, {}, false});
  EXPECT_FALSE(a.next<RegistrationWanted>().on);
  b.must(Resign{ResignAction::none});
  EXPECT_FALSE(a.next<InteractionsWanted>().on);
}

TEST(Advisories, TellOwnersWhetherUpdatesAreWantedAndHowOften) {
  Stage s(3);
  Player &a = s[0], &b = s[1], &c = s[2];
  const Handle at = a.attribute("c");
  a.must(SetSwitch{Switch::attribute_relevance, true});
  a.publish("Derived", {at});
  const Handle o = a.register_object("Derived");
  b.subscribe("Derived", {at}, true, "Slow");
  auto m = a.next<UpdatesWanted>();
  EXPECT_EQ(m.object, o);
  EXPECT_EQ(m.attributes, Numbers{at});
  EXPECT_TRUE(m.on);
  EXPECT_EQ(m.rate, "Slow");
  c.subscribe("Derived", {at}, true, "Fast");
  EXPECT_EQ(a.next<UpdatesWanted>().rate, "Fast");
  c.must(UnsubscribeAttributes{a.object_class("Derived"), {}, false});
  EXPECT_EQ(a.next<UpdatesWanted>().rate, "Slow");
  b.subscribe("Derived", {at}, false);
  EXPECT_FALSE(a.next<UpdatesWanted>().on);
  b.subscribe("Derived", {at}, true);
  EXPECT_EQ(a.next<UpdatesWanted>().rate, "");
  s.core.close(b.connection, "gone");
  EXPECT_FALSE(a.next<UpdatesWanted>().on);
  EXPECT_TRUE(a.quiet());
}

TEST(Advisories, TellWhatComesIntoScope) {
  Stage s(2);
  Player &a = s[0], &b = s[1];
  const Handle at_a = a.attribute("a"), at_b = a.attribute("b");
  b.must(SetSwitch{Switch::attribute_scope, true});
  a.publish("Base", {at_a, at_b});
  b.subscribe("Base", {at_a});
  const Handle o = a.register_object("Base");
  b.next<Discover>();
  auto m = b.next<Scope>();
  EXPECT_TRUE(m.in);
  EXPECT_EQ(m.attributes, Numbers{at_a});
  b.subscribe("Base", {at_b});
  EXPECT_EQ(b.next<Scope>().attributes, Numbers{at_b});
  a.must(DivestUnconditionally{o, {at_a}});
  m = b.next<Scope>();
  EXPECT_FALSE(m.in);
  EXPECT_EQ(m.attributes, Numbers{at_a});
  b.must(UnsubscribeAttributes{b.object_class("Base"), {{{{at_b}, {}}}}, false});
  m = b.next<Scope>();
  EXPECT_FALSE(m.in);
  EXPECT_EQ(m.attributes, Numbers{at_b});
}

// ---- regions

TEST(Distribution, LetsThroughWhatOverlaps) {
  Stage s(2);
  Player &a = s[0], &b = s[1];
  Handle d = 0;
  for (std::size_t i = 0; i < a.tables.dimensions.size(); ++i)
    if (a.tables.dimensions[i].name == "D") d = static_cast<Handle>(i + 1);
  const auto region = [&](Player& p, std::uint32_t lower, std::uint32_t upper) {
    p.must(CreateRegion{{d}});
    const Handle r = p.body<Created>().region;
    p.must(CommitRegions{{{r, {{d, lower, upper}}}}});
    return r;
  };
  const Handle at = a.attribute("a"), base = a.object_class("Base");
  const Handle of_a = region(a, 0, 10), of_b = region(b, 5, 20);
  a.publish("Base", {at});
  b.must(SetSwitch{Switch::attribute_scope, true});
  b.must(SubscribeAttributes{base, {{{at}, {of_b}}}, true, "", true});
  EXPECT_EQ(b.ask(SubscribeAttributes{base, {{{at}, {of_a}}}, true, "", true}),
            Failure::RegionNotCreatedByThisFederate);
  EXPECT_EQ(b.ask(DeleteRegion{of_b}), Failure::RegionInUseForUpdateOrSubscription);
  a.must(RegisterObject{base, {}, {{{at}, {of_a}}}, true});
  const Handle o = a.body<Registered>().object;
  EXPECT_EQ(b.next<Discover>().object, o);
  EXPECT_TRUE(b.next<Scope>().in);
  a.update(o, Packed().add(at, "in"));
  b.next<Reflect>();
  a.must(CommitRegions{{{of_a, {{d, 30, 40}}}}});
  EXPECT_FALSE(b.next<Scope>().in);
  a.update(o, Packed().add(at, "out"));
  EXPECT_TRUE(b.quiet());
  a.must(UnassociateRegions{o, {{{at}, {of_a}}}});  // the default region overlaps all
  EXPECT_TRUE(b.next<Scope>().in);
  a.must(AssociateRegions{o, {{{at}, {of_a}}}});
  EXPECT_FALSE(b.next<Scope>().in);
  b.must(UnsubscribeAttributes{base, {{{{at}, {of_b}}}}, true});
  b.must(DeleteRegion{of_b});
  // interactions
  const Handle ping = a.interaction_class("Ping"), again = region(b, 0, 10);
  a.must(PublishInteraction{ping});
  b.must(SubscribeInteraction{ping, true, Numbers{again}});
  SendInteraction m;
  m.interaction_class = ping;
  m.regions = Numbers{of_a};
  a.say(m);
  EXPECT_TRUE(b.quiet());
  a.must(CommitRegions{{{of_a, {{d, 9, 11}}}}});
  a.say(m);
  b.next<Receive>();
  b.must(UnsubscribeInteraction{ping, Numbers{again}});
  a.say(m);
  EXPECT_TRUE(b.quiet());
}

}  // namespace
}  // namespace vernier::federation
