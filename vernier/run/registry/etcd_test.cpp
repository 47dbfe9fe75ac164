#include "vernier/run/registry/etcd.hpp"

#include <gtest/gtest.h>

#include "vernier/run/registry/fake_etcd_test.hpp"

namespace vernier::registry {
namespace {

using namespace std::chrono_literals;
using Kind = Trouble::Kind;
using Fault = FakeEtcd::Fault;
const Leader desk{"desk", 4711, 0}, lab{"lab", 12, 0};

/// Long enough for a busy machine.
Clock::time_point patience() { return Clock::now() + 300s; }
Clock::time_point soon() { return Clock::now() + 600ms; }

EtcdRegistry registry(std::initializer_list<const FakeEtcd*> members) {
  Location l;
  for (const FakeEtcd* m : members) l.members.push_back(m->address());
  return EtcdRegistry(l);
}

Term term_of(Answer<Term> t) {
  EXPECT_TRUE(t) << t.error().why;
  return t ? *t : Term{};
}

TEST(EtcdRegistry, HasOneLeaderAtATimeWithAGrowingEpoch) {
  FakeEtcd etcd;
  EtcdRegistry one = registry({&etcd}), two = registry({&etcd});
  std::uint64_t epoch = 0;
  for (int k = 0; k < 3; ++k) {
    const auto before = Clock::now();
    const Term t = term_of(one.lead("a", desk, patience()));
    EXPECT_GT(t.epoch, epoch);
    epoch = t.epoch;
    EXPECT_EQ(t.life, 10s);
    EXPECT_GE(t.ends, before + 8s);
    EXPECT_LE(t.ends, Clock::now() + 8s);
    const auto refused = two.lead("a", lab, patience());
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().kind, Kind::taken);
    EXPECT_EQ(refused.error().leader, (Leader{"desk", 4711, epoch}));
    EXPECT_TRUE(two.lead("b" + std::to_string(k), lab, patience()));  // another run
    const auto asked = Clock::now();
    const auto renewed = one.renew(t, patience());
    ASSERT_TRUE(renewed) << renewed.error().why;
    EXPECT_GE(*renewed, asked + 8s);
    EXPECT_FALSE(two.wait_until_free("a", soon()));
    EXPECT_TRUE(one.resign(t, false, patience()));
    EXPECT_TRUE(two.wait_until_free("a", patience()));
  }
}

TEST(EtcdRegistry, WritesTheRecordOnlyForTheLeader) {
  FakeEtcd etcd;
  EtcdRegistry one = registry({&etcd}), two = registry({&etcd});
  const Term first = term_of(one.lead("a", desk, patience()));
  Record r{.run = "a", .leader = {"desk", 4711, first.epoch}, .folder = "mine"};
  ASSERT_TRUE(one.publish(first, r, patience()));
  auto seen = two.look("a", patience());
  ASSERT_TRUE(seen) << seen.error().why;
  EXPECT_EQ(seen->record, r);
  EXPECT_EQ(seen->leader, r.leader);
  etcd.expire();
  EXPECT_FALSE(two.look("a", patience())->leader);
  const Term second = term_of(two.lead("a", lab, patience()));
  EXPECT_GT(second.epoch, first.epoch);
  Record other{.run = "a", .leader = {"lab", 12, second.epoch}};
  ASSERT_TRUE(two.publish(second, other, patience()));
  for (const auto& done :
       {one.publish(first, r, patience()), one.resign(first, true, patience())}) {
    ASSERT_FALSE(done);
    EXPECT_EQ(done.error().kind, Kind::lost);
  }
  const auto renewed = one.renew(first, patience());
  ASSERT_FALSE(renewed);
  EXPECT_EQ(renewed.error().kind, Kind::lost);
  seen = one.look("a", patience());
  EXPECT_EQ(seen->record, other);
  EXPECT_EQ(seen->leader, other.leader);
  EXPECT_TRUE(two.resign(second, true, patience()));
  seen = one.look("a", patience());
  EXPECT_FALSE(seen->record || seen->leader);
}

TEST(EtcdRegistry, IsLostWhenSomebodyRemovesTheKeyOfTheLeader) {
  FakeEtcd etcd;
  EtcdRegistry one = registry({&etcd});
  const Term t = term_of(one.lead("a", desk, patience()));
  etcd.erase("vernier/runs/a/leader");  // the lease lives
  const auto renewed = one.renew(t, patience());
  ASSERT_FALSE(renewed);
  EXPECT_EQ(renewed.error().kind, Kind::lost);
}

TEST(EtcdRegistry, KnowsItsOwnKeyWhenTheAnswerWasLost) {
  FakeEtcd etcd;
  EtcdRegistry one = registry({&etcd});
  std::uint64_t epoch = 0;
  for (const char* lost : {"/v3/lease/grant", "/v3/kv/txn"}) {
    etcd.lose_answer(lost);
    const Term t = term_of(one.lead("a", desk, patience()));
    EXPECT_GT(t.epoch, epoch);
    epoch = t.epoch;
    EXPECT_TRUE(one.renew(t, patience()));
    EXPECT_TRUE(one.resign(t, false, patience()));
  }
}

TEST(EtcdRegistry, AsksAnotherMemberWhenOneDoesNotAnswer) {
  FakeEtcd good;
  for (const Fault f : {Fault::no_leader, Fault::garbage, Fault::endless, Fault::trickle,
                        Fault::silent, Fault::closes, Fault::deaf}) {
    FakeEtcd bad;
    bad.set(f);
    EtcdRegistry r = registry({&bad, &good});
    const Term t = term_of(r.lead("a", desk, patience()));
    EXPECT_TRUE(r.renew(t, patience()));
    EXPECT_TRUE(r.resign(t, true, patience()));
  }
}

TEST(EtcdRegistry, ReturnsInTimeWhateverAMemberAnswers) {
  for (const auto& [fault, why] : {std::pair(Fault::no_leader, ""),
                                   {Fault::closes, ""},
                                   {Fault::trickle, "does not answer in time"},
                                   {Fault::silent, "does not answer in time"},
                                   {Fault::deaf, "does not answer in time"}}) {
    FakeEtcd bad;
    bad.set(fault);
    EtcdRegistry r = registry({&bad});
    const auto t = r.lead("a", desk, soon());
    ASSERT_FALSE(t);
    EXPECT_EQ(t.error().kind, Kind::unreachable) << t.error().why;
    EXPECT_NE(t.error().why.find(why), std::string::npos) << t.error().why;
    EXPECT_NE(t.error().why.find(net::text(bad.address())), std::string::npos);
  }
}

TEST(EtcdRegistry, SaysThatAMemberIsNotOfEtcd) {
  FakeEtcd garbage;
  garbage.set(Fault::garbage);
  const auto none = registry({&garbage}).lead("a", desk, patience());
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().kind, Kind::damaged);
  EXPECT_NE(none.error().why.find("does not answer as HTTP does"), std::string::npos);
  FakeEtcd endless;
  endless.set(Fault::endless);
  const auto t = registry({&endless}).lead("a", desk, patience());
  ASSERT_FALSE(t);
  EXPECT_NE(t.error().why.find("it answers with more than 8 MiB"), std::string::npos);
}

TEST(EtcdRegistry, WaitsForAMemberThatHasNoLeaderYet) {
  FakeEtcd etcd;
  etcd.set(Fault::no_leader, 3);
  EtcdRegistry r = registry({&etcd});
  term_of(r.lead("a", desk, patience()));
}

TEST(EtcdRegistry, DoesNotWaitWhenNobodyIsThere) {
  Location l;
  {
    const FakeEtcd gone;
    l.members.push_back(gone.address());
  }
  EtcdRegistry r(l);
  const auto t = r.lead("a", desk, patience());
  ASSERT_FALSE(t);
  EXPECT_EQ(t.error().kind, Kind::unreachable);
  EXPECT_NE(t.error().why.find("Connection refused"), std::string::npos);
}

TEST(EtcdRegistry, ListsRunsAndSaysWhichRecordsAreDamaged) {
  FakeEtcd etcd;
  EtcdRegistry r = registry({&etcd});
  EXPECT_TRUE(r.list(patience())->empty());
  const Term t = term_of(r.lead("b", desk, patience()));
  const Record record{.run = "b", .leader = {"desk", 4711, t.epoch}};
  ASSERT_TRUE(r.publish(t, record, patience()));
  etcd.write("vernier/runs/a/record", "{}");
  etcd.write("vernier/runs/c/record", to_json(record));
  etcd.write("vernier/runs/d/leader", "nonsense");
  etcd.write("vernier/runs/d e/leader", "nonsense");
  etcd.write("vernier/other", "something");
  const auto all = r.list(patience());
  ASSERT_TRUE(all) << all.error().why;
  ASSERT_EQ(all->size(), 4u);
  EXPECT_EQ((*all)[0].damage, "\"record\" is missing");
  EXPECT_EQ((*all)[1].record, record);
  EXPECT_EQ((*all)[1].leader, record.leader);
  EXPECT_EQ((*all)[2].damage, "it is the record of another run");
  ASSERT_TRUE((*all)[3].leader);
  EXPECT_EQ((*all)[3].leader->host, "");
  const auto refused = r.forget("b", patience());
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, Kind::taken);
  EXPECT_TRUE(r.forget("a", patience()));
  EXPECT_EQ(r.list(patience())->size(), 3u);
}

TEST(EtcdRegistry, RefusesARecordThatIsTooLong) {
  FakeEtcd etcd;
  EtcdRegistry r = registry({&etcd});
  const Term t = term_of(r.lead("b", desk, patience()));
  const auto done =
      r.publish(t, {.run = "b", .folder = std::string(longest_record, 'x')}, patience());
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().kind, Kind::damaged);
}

}  // namespace
}  // namespace vernier::registry
