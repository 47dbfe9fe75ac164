#include "vernier/gateway/rsp/timing.hpp"

#include <gtest/gtest.h>

namespace vernier::rsp {
namespace {

using namespace std::chrono_literals;

constexpr Period ms(std::uint64_t n) { return {n * 1'000'000, 1}; }

/// A map with the client as home.
StepMap map_of(const Period& client, const Period& server, std::int64_t client_ref,
               std::int64_t server_ref) {
  return {*link::ratio(client, server), client_ref, server_ref};
}

TEST(Timing, TheWorkedExampleOfThePaperIsReproduced) {
  // Δt_c/Δt_s = 4, ν = 0.5; n_init,c = 5 and n_init,s = 47 require these pairs
  for (const auto& [c, s] : {std::pair{0, 21}, {1, 25}, {2, 29}}) {
    const auto start = start_of_run(5s, {1'000'000'000, 1}, *forerun(0.5),
                                    map_of({4'000'000, 1}, {1'000'000, 1}, c, s), 0);
    ASSERT_TRUE(start);
    EXPECT_EQ(start->client_step, 5);
    EXPECT_EQ(start->mapped, (ExactStep{41, 0, 1}));
    EXPECT_EQ(start->server_step, 47);
  }
  const DueTimes due({4, 1}, 5, 47);
  const StepMap map = map_of({4'000'000, 1}, {1'000'000, 1}, 0, 21);
  // server steps, the client's step that is needed, when it is sent, slack
  const struct {
    std::int64_t from, to, needs, sent;
  } table[] = {{47, 51, 6, 45}, {51, 55, 7, 49}, {55, 59, 8, 53}};
  for (const auto& row : table) {
    EXPECT_EQ(due.of(row.needs - 1), (ExactStep{row.from, 0, 1}));
    EXPECT_EQ(due.of(row.needs), (ExactStep{row.to, 0, 1}));
    EXPECT_EQ(map.target(row.needs), (ExactStep{row.sent, 0, 1}));
    EXPECT_EQ(row.from - map.target(row.needs).whole, 2);
    EXPECT_EQ(due.last(row.to), row.needs);
    EXPECT_EQ(due.last(row.to - 1), row.needs - 1);
  }
}

TEST(Timing, CeilingsAreNotAtTheMercyOfDoubles) {
  // in doubles (1 + 0.1) (0.2/0.004) = 55.00000000000001, and the ceiling 56
  EXPECT_EQ(std::ceil((1.0 + 0.1) * (0.2 / 0.004)), 56.0);
  const auto a = start_of_run(2s, ms(200), *forerun(0.1), map_of(ms(200), ms(4), 0, 0), 0);
  ASSERT_TRUE(a);
  EXPECT_EQ(a->server_step - a->mapped.whole, 55);
  // 4.001/0.001 = 4001.0000000000005
  EXPECT_EQ(std::ceil(4.001 / 0.001), 4002.0);
  const auto b = start_of_run(4001ms, ms(1), *forerun(0.5), map_of(ms(1), ms(1), 0, 0), 7);
  ASSERT_TRUE(b);
  EXPECT_EQ(b->client_step, 4008);
}

TEST(Timing, ARatioThatIsNotWholeStaysExact) {
  // 30 Hz and 250 Hz: 25/3
  const Period client{1'000'000'000, 30}, server = ms(4);
  const StepMap map = map_of(client, server, 10, 100);
  EXPECT_EQ(map.home_to_target, (Ratio{25, 3}));
  const auto start = start_of_run(1s, client, *forerun(0.5), map, 11);
  ASSERT_TRUE(start);
  EXPECT_EQ(start->client_step, 41);
  EXPECT_EQ(start->mapped, (ExactStep{358, 1, 3}));  // 100 + 31 * 25/3
  EXPECT_EQ(start->server_step, 371);                // 358 1/3 + 12 1/2 = 370 5/6
  const DueTimes due(map.home_to_target, start->client_step, start->server_step);
  for (std::int64_t k = 0; k < 3'000'000; k += 99'999) {
    const ExactStep t = due.of(start->client_step + k);
    EXPECT_EQ(t.whole * 3 + t.rest, start->server_step * 3 + 25 * k);
    EXPECT_EQ(due.last(t.ceil()), start->client_step + k);
  }
}

TEST(Timing, ForerunsFromNothingToAPeriod) {
  const StepMap map = map_of(ms(100), ms(4), 0, 0);
  EXPECT_EQ(start_of_run(1s, ms(100), *forerun(0.0), map, 0)->server_step, 250 + 25);
  EXPECT_EQ(start_of_run(1s, ms(100), *forerun(1.0), map, 0)->server_step, 250 + 50);
  EXPECT_EQ(start_of_run(1s, ms(100), *forerun(0.01), map, 0)->server_step, 250 + 26);
  EXPECT_EQ(*forerun(0.3), (Ratio{3, 10}));
  EXPECT_EQ(*forerun(0.0), (Ratio{0, 1}));
  EXPECT_FALSE(forerun(-0.1));
  EXPECT_FALSE(forerun(1.1));
  EXPECT_FALSE(forerun(0.12345678901));
  EXPECT_FALSE(forerun(std::nan("")));
}

TEST(Timing, WhatIsBeyondAllReasonIsNoStart) {
  const StepMap map = map_of(ms(100), ms(4), 0, 0);
  EXPECT_FALSE(start_of_run(-1s, ms(100), {1, 2}, map, 0));
  EXPECT_FALSE(start_of_run(1s, {0, 1}, {1, 2}, map, 0));
  EXPECT_FALSE(start_of_run(1s, ms(100), {1, 2}, map, std::int64_t{1} << 60));
  StepMap far = map;
  far.target_reference = link::largest_step;
  EXPECT_FALSE(start_of_run(1s, ms(100), {1, 2}, far, 0));
}

}  // namespace
}  // namespace vernier::rsp
