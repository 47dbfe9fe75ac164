#include "vernier/run/desktop/live_follow.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "vernier/base/codec.hpp"
#include "vernier/base/diagnostic.hpp"
#include "vernier/base/temporary_folder.hpp"

namespace vernier::desktop {
namespace {

using record::LiveRowWriter;

std::vector<std::size_t> kept(const std::vector<double>& values, std::size_t intervals) {
  std::vector<std::size_t> found;
  keep_extremes(values, intervals, found);
  return found;
}

TEST(LiveRows, AreAllKeptIfTheyAreFew) {
  EXPECT_EQ(kept({}, 1), std::vector<std::size_t>{});
  EXPECT_EQ(kept({1.0}, 1), (std::vector<std::size_t>{0}));
  EXPECT_EQ(kept({1.0, 1.0, 1.0}, 1), (std::vector<std::size_t>{0, 1, 2}));
}

TEST(LiveRows, KeepExtremesInOrderAndTheLast) {
  EXPECT_EQ(kept({1.0, 9.0, 2.0, -3.0, 0.0}, 1), (std::vector<std::size_t>{1, 3, 4}));
  EXPECT_EQ(kept({1.0, std::nan(""), 2.0, -3.0, 9.0}, 1), (std::vector<std::size_t>{1, 3, 4}));
  std::vector<double> values(1000, 0.0);
  values[123] = 1.0;
  values[777] = -1.0;
  const auto found = kept(values, 10);
  EXPECT_LE(found.size(), 21u);
  EXPECT_TRUE(std::find(found.begin(), found.end(), 123u) != found.end());
  EXPECT_TRUE(std::find(found.begin(), found.end(), 777u) != found.end());
  EXPECT_TRUE(std::is_sorted(found.begin(), found.end()));
  EXPECT_EQ(found.back(), 999u);
}

using Columns = std::map<std::uint32_t, std::pair<std::vector<double>, std::vector<double>>>;

Columns columns_in(const std::vector<std::byte>& message, std::uint32_t follow) {
  ByteReader r{Bytes(message)};
  EXPECT_EQ(r.number<std::uint32_t>(), 2u);
  EXPECT_EQ(r.number<std::uint32_t>(), follow);
  const auto count = r.number<std::uint32_t>();
  r.number<std::uint32_t>();
  Columns all;
  for (std::uint32_t i = 0; i < count; ++i) {
    const auto position = r.number<std::uint32_t>(), n = r.number<std::uint32_t>();
    auto& [time, values] = all[position];
    time.resize(n);
    values.resize(n);
    r.numbers(std::span(time));
    r.numbers(std::span(values));
  }
  EXPECT_TRUE(r.complete());
  return all;
}

class Followed : public ::testing::Test {
 protected:
  Followed() {
    layout.groups.push_back({.rate = {},
                             .signals = {{.path = "a.x", .count = 2},
                                         {.path = "a.n", .scalar = Scalar::integer},
                                         {.path = "a.on", .scalar = Scalar::boolean}}});
    layout.groups.push_back({.rate = {}, .signals = {{.path = "b.y"}}});
    writer.emplace(folder.path(), layout, 1u << 20);
  }
  void write(double t, double x, std::int64_t n) {
    const record::RowLayout rows(layout.groups[0]);
    std::vector<std::byte> row(rows.bytes);
    store(row.data(), t);
    store(row.data() + rows.columns[0].offset, x);
    store(row.data() + rows.columns[0].offset + 8, -x);
    store(row.data() + rows.columns[1].offset, n);
    row[rows.columns[2].offset] = std::byte{1};
    writer->append(0, row);
    writer->publish({});
  }

  TemporaryFolder folder;
  record::ResultLayout layout;
  std::optional<LiveRowWriter> writer;
};

TEST_F(Followed, GivesNewRowsOfItsColumns) {
  write(0.0, 1.0, 5);
  LiveFollow follow(folder.path(),
                    {{"a.x", 1}, {"a.n", 0}, {"nothing", 0}, {"a.on", 0}, {"b.y", 0}}, 30.0);
  auto message = follow.poll(7, 0);
  auto columns = columns_in(message, 7);
  ASSERT_EQ(columns.size(), 3u) << "b has no rows yet";
  EXPECT_EQ(columns[0].second, std::vector<double>{-1.0});
  EXPECT_EQ(columns[1].second, std::vector<double>{5.0});
  EXPECT_EQ(columns[3].second, std::vector<double>{1.0});
  EXPECT_EQ(follow.samples(), 3u);
  EXPECT_TRUE(follow.poll(7, 0).empty()) << "nothing is new";
  write(0.1, 2.0, 6);
  columns = columns_in(follow.poll(7, 0), 7);
  EXPECT_EQ(columns[0].first, std::vector<double>{0.1});
  EXPECT_EQ(columns[0].second, std::vector<double>{-2.0});
  EXPECT_EQ(follow.lost(), 0u);
  EXPECT_FALSE(follow.over());
}

TEST_F(Followed, GivesAColumnAsOftenAsItIsNamed) {
  LiveFollow follow(folder.path(), {{"a.x", 0}, {"a.x", 2}, {"a.x", 0}}, 30.0);
  write(0.0, 4.0, 0);
  const auto columns = columns_in(follow.poll(1, 0), 1);
  ASSERT_EQ(columns.size(), 2u) << "a.x has two elements";
  EXPECT_EQ(columns.at(0).second, std::vector<double>{4.0});
  EXPECT_EQ(columns.at(2).second, std::vector<double>{4.0});
  EXPECT_EQ(follow.samples(), 2u);
}

TEST_F(Followed, BoundsItsFirstMessageHoweverManyColumns) {
  for (int k = 0; k < 5000; ++k) write(0.001 * k, k, k);
  const std::vector<LiveFollow::Column> many(20'000, {"a.x", 0});
  LiveFollow follow(folder.path(), many, 30.0);
  const std::size_t bytes = follow.poll(1, 0).size();
  EXPECT_LT(bytes, 20u << 20);
  EXPECT_GT(bytes, many.size() * 16) << "each has points";
}

TEST_F(Followed, NeverLosesASpike) {
  LiveFollow follow(folder.path(), {{"a.x", 0}}, 30.0);
  write(0.0, 0.0, 0);
  follow.poll(1, 0);
  for (int k = 1; k <= 1000; ++k) write(0.001 * k, k == 500 ? 1.0 : 0.0, k);
  const auto columns = columns_in(follow.poll(1, 0), 1);
  const auto& [time, values] = columns.at(0);
  EXPECT_LT(values.size(), 20u);
  const auto spike = std::find(values.begin(), values.end(), 1.0);
  ASSERT_NE(spike, values.end());
  EXPECT_EQ(time[static_cast<std::size_t>(spike - values.begin())], 0.5);
  EXPECT_EQ(time.back(), 1.0) << "the last value is there";
}

TEST_F(Followed, GivesTheLastRowsOfARunThatHasEnded) {
  LiveFollow follow(folder.path(), {{"a.x", 0}}, 30.0);
  write(0.0, 3.0, 0);
  writer.reset();
  EXPECT_EQ(columns_in(follow.poll(1, 0), 1).at(0).second, std::vector<double>{3.0});
  EXPECT_TRUE(follow.over());
}

TEST_F(Followed, RefusesARunThatIsOver) {
  writer.reset();
  EXPECT_THROW(LiveFollow(folder.path(), {{"a.x", 0}}, 30.0), ConfigurationError);
}

}  // namespace
}  // namespace vernier::desktop
