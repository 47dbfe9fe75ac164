// Random schedules of federates that manage their time, each in a thread of its own: nobody ever
// sees a message of its past, and everybody gets every message, once, in the order of times. The
// oracle is what the senders wrote down.
#include <atomic>
#include <barrier>
#include <cstdint>
#include <map>
#include <set>
#include <thread>

#include "rig.hpp"

namespace vernier::federation_tests {
namespace {

constexpr Integer64 end = 60;

/// A message by sender and number; its time is known to the sender.
using Message = std::pair<int, int>;

class Walker : public NullFederateAmbassador {
 public:
  using NullFederateAmbassador::receiveInteraction;
  void receiveInteraction(InteractionClassHandle, const ParameterHandleValueMap& values,
                          const VariableLengthData&, OrderType, TransportationType,
                          const LogicalTime& time, OrderType received,
                          MessageRetractionHandle handle, SupplementalReceiveInfo) override {
    const Integer64 t = HLAinteger64Time(time).getTime();
    const std::lock_guard lock(mutex);
    const auto* bytes = static_cast<const std::uint8_t*>(values.begin()->second.data());
    const Message message{bytes[0], bytes[1] + 256 * bytes[2]};
    if (received != TIMESTAMP) complain("not in time-stamp order");
    if (t < now || (t == now && !more_at_now)) complain("a message of the past");
    if (t < latest) complain("messages out of order");
    latest = t;
    if (!got.emplace(message, t).second) complain("a message twice");
    handles[handle] = message;
  }
  void requestRetraction(MessageRetractionHandle handle) override {
    const std::lock_guard lock(mutex);
    got.erase(handles[handle]);
  }
  void timeRegulationEnabled(const LogicalTime&) override { arrived(); }
  void timeConstrainedEnabled(const LogicalTime&) override { arrived(); }
  void timeAdvanceGrant(const LogicalTime& time) override {
    const std::lock_guard lock(mutex);
    const Integer64 t = HLAinteger64Time(time).getTime();
    if (t < now || t > asked) complain("a grant that was not asked for");
    if (!flushing && latest > t) complain("a message of the future");
    now = t;
    more_at_now = available;
    latest = std::min(latest, t);
    granted = true;
    changed.notify_all();
  }

  void complain(const std::string& what) {
    if (complaint.empty()) complaint = what + " at " + std::to_string(now);
  }
  /// Answers callbacks until `flag`; false after a long time.
  bool until(RTIambassador& rti, bool immediate, const bool& flag) {
    const auto limit = std::chrono::steady_clock::now() + patience;
    if (immediate) {
      std::unique_lock lock(mutex);
      return changed.wait_until(lock, limit, [&] { return flag; });
    }
    while (!flag && std::chrono::steady_clock::now() < limit) rti.evokeCallback(0.05);
    return flag;
  }

  std::mutex mutex;
  std::condition_variable changed;
  Integer64 now = 0, asked = 0, latest = 0;
  bool granted = false, enabled = false, available = false, flushing = false, more_at_now = true;
  std::map<Message, Integer64> got;
  std::map<MessageRetractionHandle, Message> handles;
  std::map<Message, Integer64> sent;
  std::string complaint;

 private:
  void arrived() {
    const std::lock_guard lock(mutex);
    enabled = true;
    changed.notify_all();
  }
};

class Schedules : public Federation {
 protected:
  std::uint32_t random(std::uint64_t& state, std::uint32_t below) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return static_cast<std::uint32_t>(state >> 33) % below;
  }

  void walk(int i, Walker& me, RTIambassador& rti, std::barrier<>& all, std::uint64_t state) {
    const bool immediate = GetParam().immediate;
    const Integer64 lookahead = random(state, 4);
    rti.enableTimeRegulation(HLAinteger64Interval(lookahead));
    if (!me.until(rti, immediate, me.enabled)) return me.complain("no regulation");
    me.enabled = false;
    rti.enableTimeConstrained();
    if (!me.until(rti, immediate, me.enabled)) return me.complain("no constraint");
    all.arrive_and_wait();
    int number = 0;
    while (me.now < end) {
      // what a federate without lookahead sends after a plain grant is later than it
      const Integer64 first = me.now + std::max<Integer64>(lookahead, me.more_at_now ? 0 : 1);
      for (std::uint32_t k = random(state, 4); k > 0 && first <= end; --k) {
        const Integer64 t =
            first +
            random(state, static_cast<std::uint32_t>(std::min<Integer64>(end - first + 1, 12)));
        const unsigned char bytes[]{static_cast<unsigned char>(i),
                                    static_cast<unsigned char>(number % 256),
                                    static_cast<unsigned char>(number / 256)};
        const auto handle = rti.sendInteraction(
            kick, {{force, VariableLengthData(bytes, sizeof bytes)}}, tag, HLAinteger64Time(t));
        if (random(state, 8) == 0)
          rti.retract(handle);
        else
          me.sent[{i, number}] = t;
        ++number;
      }
      const Integer64 step = me.now + 1 + random(state, 7);
      const std::uint32_t how = step >= end ? 0 : random(state, 5);
      {
        const std::lock_guard lock(me.mutex);
        me.asked = std::min(step, end);
        me.granted = false;
        me.available = how == 1 || how == 3 || how == 4;
        me.flushing = how == 4;
      }
      const HLAinteger64Time time(me.asked);
      if (how == 0) rti.timeAdvanceRequest(time);
      if (how == 1) rti.timeAdvanceRequestAvailable(time);
      if (how == 2) rti.nextMessageRequest(time);
      if (how == 3) rti.nextMessageRequestAvailable(time);
      if (how == 4) rti.flushQueueRequest(time);
      if (!me.until(rti, immediate, me.granted)) return me.complain("a standstill");
    }
  }
};

TEST_P(Schedules, NeverBreakTheOrderOfTime) {
  static std::uint64_t schedule = 0;  // another one each time
  ++schedule;
  join_all();
  for (int i = 0; i < size(); ++i) {
    (*this)[i]->resignFederationExecution(NO_ACTION);
    (*this)[i].joined = false;
  }
  const std::size_t n = static_cast<std::size_t>(size());
  std::vector<Walker> walkers(n);
  std::vector<std::unique_ptr<RTIambassador>> rtis;
  for (Walker& walker : walkers) {
    rtis.emplace_back(RTIambassadorFactory().createRTIambassador().release());
    rtis.back()->connect(walker, GetParam().immediate ? HLA_IMMEDIATE : HLA_EVOKED,
                         wide(designator_));
    rtis.back()->joinFederationExecution(L"walker", name);
    rtis.back()->publishInteractionClass(kick);
    rtis.back()->subscribeInteractionClass(kick);
  }
  std::barrier<> all(size());
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < n; ++i)
    threads.emplace_back([&, i] {
      try {
        walk(static_cast<int>(i), walkers[i], *rtis[i], all, 1000 * schedule + i);
      } catch (const Exception& e) {
        walkers[i].complain(narrow(e.what()));
        (void)all.arrive();
      }
    });
  for (std::thread& thread : threads) thread.join();
  for (std::size_t i = 0; i < n; ++i) {
    EXPECT_EQ(walkers[i].complaint, "") << i;
    std::map<Message, Integer64> expected;
    for (std::size_t j = 0; j < n; ++j) {
      if (j != i) expected.insert(walkers[j].sent.begin(), walkers[j].sent.end());
    }
    EXPECT_GT(expected.size(), 5u);
    EXPECT_EQ(walkers[i].got, expected) << i;
  }
  for (const auto& rti : rtis) {
    rti->resignFederationExecution(NO_ACTION);
    rti->disconnect();
  }
}

INSTANTIATE_TEST_SUITE_P(Services, Schedules, ::testing::ValuesIn(all_setups()), name_of);

}  // namespace
}  // namespace vernier::federation_tests
