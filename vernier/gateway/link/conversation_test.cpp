#include "vernier/gateway/link/conversation.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <map>
#include <vector>

#include "vernier/base/random.hpp"
#include "vernier/gateway/link/network_model.hpp"
#include "vernier/testing/allocations.hpp"

namespace vernier::link {
namespace {

constexpr std::int64_t ms = 1'000'000, one_s = 1'000'000'000;

/// Two ends and the network between them in virtual time; the test sets the delays.
class World {
 public:
  class End final : public Outlet {
   public:
    End(World& w, double skew, std::int64_t offset) : world_(w), skew_(skew), offset_(offset) {}
    std::int64_t now() noexcept override { return local(world_.now); }
    std::int64_t local(std::int64_t t) const {
      return offset_ + t + std::llround(skew_ * static_cast<double>(t));
    }
    bool put(Connection c, const Header& h, std::span<const std::byte> payload) noexcept override {
      if (cut) return true;  // lost in transit
      std::int64_t& last = c == Connection::control ? last_control_ : last_data_;
      // a stream preserves order
      last = std::max(last + 1, world_.now + world_.delay());
      world_.on_the_way.emplace(last, Packet{other, c, h, {payload.begin(), payload.end()}});
      return true;
    }

    End* other = nullptr;
    Conversation conversation{{}};
    std::vector<Header> vectors;
    Header newest{};
    bool fresh = false, cut = false;

   private:
    World& world_;
    double skew_;
    std::int64_t offset_;
    std::int64_t last_control_ = 0, last_data_ = 0;
  };
  struct Packet {
    End* to;
    Connection connection;
    Header header;
    std::vector<std::byte> payload;
  };

  World(Period client_period, Period server_period, double skew = 0.0, std::int64_t offset = 0)
      : client(*this, 0.0, 0), server(*this, skew, offset) {
    client.other = &server;
    server.other = &client;
    Hello c, v;
    c.period = client_period;
    v.period = server_period;
    v.role = Role::server;
    c.tx_count = c.rx_count = v.tx_count = v.rx_count = 1;
    Terms terms;
    terms.session = 9;
    terms.home_to_target = *ratio(client_period, server_period);
    terms.peer = v;
    client.conversation.begin(terms, c, client.now());
    terms.home_to_target = *ratio(server_period, client_period);
    terms.peer = c;
    server.conversation.begin(terms, v, server.now());
  }

  /// Runs until `end`; false when a side broke the link.
  bool run(std::int64_t end, const std::function<void(std::int64_t)>& at = {},
           std::int64_t grain = ms / 4) {
    while (now < end) {
      now += grain;
      while (!on_the_way.empty() && on_the_way.begin()->first <= now) {
        const std::int64_t then = now;
        now = on_the_way.begin()->first;
        const Packet p = std::move(on_the_way.begin()->second);
        on_the_way.erase(on_the_way.begin());
        const auto v =
            p.to->conversation.take(p.connection, p.header, p.payload, p.to->now(), *p.to);
        if (v == Conversation::Verdict::broken) return false;
        if (v == Conversation::Verdict::vector) {
          p.to->vectors.push_back(p.header);
          p.to->newest = p.header;
          p.to->fresh = true;
        }
        now = then;
      }
      for (End* e : {&client, &server}) {
        if (e->conversation.tick(e->now(), *e) == Conversation::Verdict::broken) return false;
      }
      if (at) at(now);
    }
    return true;
  }
  /// A step of a side: takes a new vector, sends its step number and a vector.
  void step(End& e, std::int64_t n) {
    e.conversation.step({n, e.now()}, e);
    std::int64_t echo = 0;
    if (e.fresh) {
      e.conversation.output(e.newest.t_acq, e.conversation.answers(), e.now());
      echo = e.newest.t_acq;
      e.fresh = false;
    }
    const std::array<std::byte, 8> x{};
    e.conversation.send(x, e.now(), echo, 0, e);
  }

  std::function<std::int64_t()> delay = [] { return 2 * ms; };
  std::int64_t now = one_s;
  std::multimap<std::int64_t, Packet> on_the_way;
  End client, server;
};

Quality quality(World::End& e) {
  Quality q;
  e.conversation.report(e.now(), q);
  return q;
}

// A client that waits before its first step must not count what arrives meanwhile as part of that
// step: at 1 Hz the mapping would be off by a second.
TEST(Conversation, AReferenceBeforeTheFirstStepBelongsToItsBeginning) {
  World w({1000 * ms, 1}, {4 * ms, 1});
  std::int64_t server_step = 0;
  const auto server = [&](std::int64_t t) {
    if (t % (4 * ms) == 0) w.step(w.server, ++server_step);
  };
  ASSERT_TRUE(w.run(w.now + 300 * ms, server));
  w.step(w.client, 0);
  const Quality q = quality(w.client);
  ASSERT_TRUE(q.steps_known);
  EXPECT_EQ(q.steps.home_reference, 0);
  EXPECT_EQ(q.steps.target(0).rounded(), q.steps.target_reference);
  // then as usual: what arrives in step 0 belongs to the beginning of step 1
  ASSERT_TRUE(w.run(w.now + 300 * ms, server));
  EXPECT_EQ(quality(w.client).steps.home_reference, 1);
}

TEST(Conversation, MeasuresInjectedDelaysExactly) {
  // 10 Hz and 250 Hz, 2 ms each way, the server's clock 1000 s ahead: the filter sees a perfect
  // network, and only rounding remains
  World w({100 * ms, 1}, {4 * ms, 1}, 0.0, 1000 * one_s);
  std::int64_t client_step = 0, server_step = 0;
  ASSERT_TRUE(w.run(31 * one_s, [&](std::int64_t t) {
    if (t % (100 * ms) == 0) w.step(w.client, ++client_step);
    if (t % (4 * ms) == 0) w.step(w.server, ++server_step);
  }));
  const Quality c = quality(w.client), v = quality(w.server);
  EXPECT_NEAR(static_cast<double>(c.offset), -1000.0 * one_s, 1.0);
  EXPECT_NEAR(c.send_to_receive.mean, 2e-3, 1e-8);
  EXPECT_NEAR(v.send_to_receive.most, 2e-3, 1e-8);
  // the client's vector is sent at a server step, takes 2 ms, and is output at the next: 4 ms
  EXPECT_NEAR(v.acquisition_to_output.mean, 4e-3, 1e-8);
  // the server's answer to a client step is sent at its next step (4 ms), arrives at 6 ms and is
  // output at 100 ms
  EXPECT_NEAR(c.dead_time.mean, 0.1, 1e-9);
  // a server step is answered by the client step that outputs it: the newest before it is 4 ms old,
  // the answer arrives after 2 ms and is output at the next server step
  EXPECT_NEAR(v.dead_time.mean, 8e-3, 1e-9);
  EXPECT_FALSE(c.clock_refuted);
  EXPECT_EQ(c.counters.misplaced + c.counters.gaps + c.counters.unasked, 0u);
  EXPECT_TRUE(c.peer_reported);
  EXPECT_NEAR(c.peer_clock.offset, 1000.0, 1e-6);
}

TEST(Conversation, DeadTimeIsTwiceTheWayForEqualRates) {
  World w({10 * ms, 1}, {10 * ms, 1});
  Random random(4);
  w.delay = [&] { return static_cast<std::int64_t>(1e9 * drawn_delay(Network::app, random)); };
  std::int64_t n = 0;
  ASSERT_TRUE(w.run(120 * one_s, [&](std::int64_t t) {
    if (t % (10 * ms) == 0) w.step(w.client, ++n);
    if ((t + 5 * ms) % (10 * ms) == 0) w.step(w.server, n);
  }));
  const Quality c = quality(w.client);
  EXPECT_NEAR(c.dead_time.mean, 2.0 * c.acquisition_to_output.mean,
              0.1 * c.acquisition_to_output.mean);
  EXPECT_NEAR(c.send_to_receive.mean, 0.27e-3, 0.05e-3);  // from the network model
}

TEST(Conversation, RelatesSteps) {
  World w({100 * ms, 3}, {4 * ms, 1}, 20e-6, -5 * one_s);
  std::int64_t client_step = 0, server_step = 1000;
  ASSERT_TRUE(w.run(21 * one_s, [&](std::int64_t t) {
    if (t >= instant(one_s, {100 * ms, 3}, client_step + 1)) w.step(w.client, ++client_step);
    if (t % (4 * ms) == 0) w.step(w.server, ++server_step);
  }));
  const Quality q = quality(w.client);
  ASSERT_TRUE(q.steps_known);
  EXPECT_FALSE(q.steps_stale);
  EXPECT_EQ(q.steps.home_to_target, (Ratio{25, 3}));
  const auto truth = static_cast<double>(server_step);
  // equation (1) neglects the travel time and rounds up to a step: half a step to two steps early
  EXPECT_NEAR(q.steps.target(client_step).value(), truth, 12.0);
  // with the clock estimate this error vanishes
  EXPECT_NEAR(q.target_step_at(w.client.now()), truth, 1.01);
}

TEST(Conversation, FindsASilentPeerWithinTimeoutAndInterval) {
  World w({4 * ms, 1}, {4 * ms, 1});
  ASSERT_TRUE(w.run(3 * one_s));
  EXPECT_EQ(quality(w.client).state, LinkState::up);
  w.server.cut = true;
  const std::int64_t cut = w.now;
  ASSERT_TRUE(w.run(cut + 700 * ms));
  EXPECT_EQ(quality(w.client).state, LinkState::degraded);
  EXPECT_FALSE(w.run(cut + 2 * one_s));
  EXPECT_LE(w.now, cut + 1100 * ms + 4 * ms);
  EXPECT_EQ(w.client.conversation.trouble().reason, Reason::timeout);
  EXPECT_EQ(w.client.conversation.counters().timeouts, 1u);
}

TEST(Conversation, DropsAndCountsWhatIsOnTheWrongConnection) {
  World w({4 * ms, 1}, {4 * ms, 1});
  Header h;
  h.session = 9;
  h.sequence = 1;
  h.type = Type::ping;
  EXPECT_EQ(w.client.conversation.take(Connection::data, h, {}, w.now, w.client),
            Conversation::Verdict::done);
  h.type = Type::data;
  EXPECT_EQ(w.client.conversation.take(Connection::control, h, {}, w.now, w.client),
            Conversation::Verdict::done);
  h.type = Type::hello;
  w.client.conversation.take(Connection::control, h, {}, w.now, w.client);
  EXPECT_EQ(w.client.conversation.counters().misplaced, 3u);
  EXPECT_TRUE(w.on_the_way.empty());
  h.type = Type::delay_return;
  h.echo = 1234;
  w.client.conversation.take(Connection::control, h, {}, w.now, w.client);
  EXPECT_EQ(w.client.conversation.counters().unasked, 1u);
  EXPECT_GE(w.client.conversation.counters().gaps, 1u);
  h.session = 8;
  EXPECT_EQ(w.client.conversation.take(Connection::control, h, {}, w.now, w.client),
            Conversation::Verdict::broken);
}

TEST(Conversation, CountsVectorsThatAreNotFiniteAndDropsThemWhenAsked) {
  for (const bool drop : {false, true}) {
    World w({4 * ms, 1}, {4 * ms, 1});
    Terms terms = w.client.conversation.terms();
    Hello mine;
    mine.rx_count = 2;
    Conversation c({.check_payload = true, .drop_not_finite = drop});
    c.begin(terms, mine, w.now);
    std::array<double, 2> x{1.0, NAN};
    std::array<std::byte, 16> b;
    pack(std::span<const double>(x), b);
    Header h;
    h.type = Type::data;
    h.session = terms.session;
    h.element = Element::real;
    EXPECT_EQ(c.take(Connection::data, h, b, w.now, w.client),
              drop ? Conversation::Verdict::done : Conversation::Verdict::vector);
    EXPECT_EQ(c.counters().not_finite, 1u);
    x[1] = 2.0;
    pack(std::span<const double>(x), b);
    EXPECT_EQ(c.take(Connection::data, h, b, w.now, w.client), Conversation::Verdict::vector);
    // another length or type than agreed
    EXPECT_EQ(c.take(Connection::data, h, std::span(b).first(8), w.now, w.client),
              Conversation::Verdict::broken);
    EXPECT_EQ(c.trouble().reason, Reason::dimensions);
    h.element = Element::int8;
    EXPECT_EQ(c.take(Connection::data, h, b, w.now, w.client), Conversation::Verdict::broken);
  }
}

TEST(Conversation, DoesNotAllocate) {
  World w({4 * ms, 1}, {4 * ms, 1});
  ASSERT_TRUE(w.run(2 * one_s));
  struct Nowhere final : Outlet {
    std::int64_t now() noexcept override { return t; }
    bool put(Connection, const Header&, std::span<const std::byte>) noexcept override {
      return true;
    }
    std::int64_t t = 0;
  } nowhere;
  nowhere.t = w.now;
  const std::array<std::byte, 8> x{};
  Header h;
  h.type = Type::ping;
  h.session = 9;
  Quality q;
  const long before = testing::allocations();
  for (int k = 0; k < 500; ++k) {
    nowhere.t += ms;
    w.client.conversation.step({k, nowhere.t}, nowhere);
    w.client.conversation.send(x, nowhere.t, 0, 0, nowhere);
    w.client.conversation.take(Connection::control, h, {}, nowhere.t, nowhere);
    w.client.conversation.tick(nowhere.t, nowhere);
    w.client.conversation.output(nowhere.t, nowhere.t - ms, nowhere.t);
    w.client.conversation.report(nowhere.t, q);
  }
  EXPECT_EQ(testing::allocations(), before);
}

}  // namespace
}  // namespace vernier::link
