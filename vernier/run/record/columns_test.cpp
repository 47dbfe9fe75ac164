#include "vernier/run/record/columns.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "vernier/base/random.hpp"
#include "vernier/base/temporary_folder.hpp"
#include "vernier/base/time.hpp"
#include "vernier/run/record/detail/blocks.hpp"
#include "vernier/run/record/result_writer.hpp"

namespace vernier::record {
namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();
constexpr double missing = std::numeric_limits<double>::quiet_NaN();

std::uint64_t below(Random& random, std::uint64_t n) { return random.bits() % n; }

bool same(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

/// Rows in memory, as the oracle has them, and a file that gets the same.
struct KnownRows {
  static constexpr std::uint32_t elements = 3;

  TemporaryFolder folder;
  std::vector<double> time;
  std::vector<double> values;  // of "plant.x", row by row
  ResultWriter writer{folder / "results.h5",
                      {"1",
                       "test",
                       "now",
                       {{{},
                         {{.path = "plant.mode", .scalar = Scalar::integer},
                          {.path = "plant.x", .count = elements}}}}}};

  void add(double t, double a, double b, double c) {
    time.push_back(t);
    values.insert(values.end(), {a, b, c});
    std::vector<std::byte> row(writer.row(0).bytes);
    const auto mode = static_cast<std::int64_t>(time.size());
    std::memcpy(row.data(), &t, 8);
    std::memcpy(row.data() + writer.row(0).columns[0].offset, &mode, 8);
    std::memcpy(row.data() + writer.row(0).columns[1].offset, &values[values.size() - 3], 24);
    writer.append(0, row);
  }
  double value(std::size_t row, std::uint32_t element) const {
    return values[row * elements + element];
  }
};

/// A random series: bursts of dense rows, pauses, equal times, spikes, NaN and infinite values.
void add_random(KnownRows& r, Random& random, std::size_t rows) {
  double t = r.time.empty() ? 0.0 : r.time.back();
  double step = 0.01;
  for (std::size_t k = 0; k < rows; ++k) {
    if (below(random, 500) == 0) step = std::pow(10.0, -4.0 + 4.0 * random.uniform());
    if (below(random, 50) != 0) t += step;
    const double x = std::sin(t);
    const auto odd = below(random, 400);
    const double y = odd == 0   ? missing
                     : odd == 1 ? 1e3 * random.uniform()
                     : odd == 2 ? -1e3
                     : odd == 3 ? infinite
                                : x;
    r.add(t, x, y, below(random, 2) == 0 ? missing : 1.0);
  }
}

/// Compares with the rows themselves: what is not reduced is equal; what is, consists of rows in
/// their order, and near each row there is a point that is at least as extreme.
void expect_true(Columns& columns, const KnownRows& r, std::uint32_t element, double from,
                 double to, std::size_t points) {
  SCOPED_TRACE(testing::Message() << r.time.size() << " rows, element " << element << ", " << from
                                  << " to " << to << ", " << points << " points");
  const Signal& s = *columns.reader().find("plant.x");
  ASSERT_EQ(s.rows, r.time.size());
  bool whole = false;
  const Trace t = columns.read(s, element, from, to, points, whole);
  ASSERT_EQ(t.time.size(), t.values.size());

  auto first = static_cast<std::size_t>(std::lower_bound(r.time.begin(), r.time.end(), from) -
                                        r.time.begin());
  auto last =
      static_cast<std::size_t>(std::upper_bound(r.time.begin(), r.time.end(), to) - r.time.begin());
  EXPECT_EQ(whole, last - first <= points);
  if (first > 0) --first;
  if (last < r.time.size()) ++last;
  std::vector<std::size_t> rows;  // of the points
  for (std::size_t k = first, p = 0; k < last && p < t.time.size(); ++k) {
    if (t.time[p] != r.time[k] || !same(t.values[p], r.value(k, element))) continue;
    rows.push_back(k);
    ++p;
  }
  ASSERT_EQ(rows.size(), t.time.size()) << "a point is not a row, or not in order";
  if (whole) {
    EXPECT_EQ(t.time.size(), last - first);
    return;
  }
  EXPECT_LE(t.time.size(), std::max<std::size_t>(points / 2, 1) * 3 + 2);
  for (const auto& [row, k] : {std::pair(rows.front(), first), std::pair(rows.back(), last - 1)}) {
    EXPECT_EQ(r.time[row], r.time[k]);  // there may be several that are equal
    EXPECT_TRUE(same(r.value(row, element), r.value(k, element)));
  }
  // an interval begins and ends with a block of rows that is no longer than itself
  const double width = (std::min(to, r.time[last - 1]) - std::max(from, r.time[first])) /
                       static_cast<double>(std::max<std::size_t>(points / 2, 1));
  std::size_t wrong = 0;
  for (std::size_t k = first; k < last; ++k) {
    const double v = r.value(k, element);
    bool low = false, high = false, gap = false;
    const double near = 2.0 * width * (1.0 + 1e-9);
    auto p = std::lower_bound(t.time.begin(), t.time.end(), r.time[k] - near) - t.time.begin();
    for (; p < std::ssize(t.time) && t.time[p] <= r.time[k] + near; ++p) {
      low |= t.values[p] <= v;
      high |= t.values[p] >= v;
      gap |= std::isnan(t.values[p]);
    }
    wrong += std::isnan(v) ? !gap : !(low && high);
  }
  EXPECT_EQ(wrong, 0u);
}

TEST(Columns, AgreeWithTheRowsThemselves) {
  Random random(1);
  for (const std::size_t rows : {0u, 1u, 2u, 255u, 256u, 257u, 5000u, 40'000u}) {
    KnownRows r;
    add_random(r, random, rows);
    r.writer.close();
    Columns columns(r.folder.path());
    const double end = r.time.empty() ? 1.0 : r.time.back();
    for (std::uint32_t e = 0; e < KnownRows::elements; ++e) {
      for (const std::size_t points : {0u, 1u, 2u, 7u, 100u, 1000u}) {
        expect_true(columns, r, e, -infinite, infinite, std::max<std::size_t>(points, 1));
        expect_true(columns, r, e, 0.0, end, std::max<std::size_t>(points, 1));
      }
      for (int k = 0; k < 30; ++k) {
        const double length = end * std::pow(10.0, -5.0 * random.uniform());
        const double from = (end - length) * random.uniform();
        expect_true(columns, r, e, from, from + length, 2 + below(random, 300));
      }
      if (r.time.empty()) continue;
      const double at = r.time[r.time.size() / 2];  // at and between rows, and outside
      expect_true(columns, r, e, at, at, 10);
      expect_true(columns, r, e, end + 1.0, end + 2.0, 10);
      expect_true(columns, r, e, -2.0, -1.0, 10);
    }
  }
}

TEST(Columns, KeepASpikeOfOneSampleAtEveryZoom) {
  KnownRows r;
  constexpr std::size_t rows = 100'000, spike = 61'234;
  for (std::size_t k = 0; k < rows; ++k)
    r.add(seconds(tick({1000, 1}, static_cast<std::int64_t>(k))), k == spike ? 5.0 : 0.0,
          k == spike ? missing : 0.0, k == spike ? -infinite : 0.0);
  r.writer.close();
  Columns columns(r.folder.path());
  const Signal& s = *columns.reader().find("plant.x");
  for (double half = 50.0; half > 1e-3; half /= 1.7) {
    for (std::uint32_t e = 0; e < KnownRows::elements; ++e) {
      bool whole = false;
      const double at = r.time[spike];
      const Trace t = columns.read(s, e, at - half, at + 0.7 * half, 500, whole);
      const auto found = std::find_if(t.values.begin(), t.values.end(),
                                      [&](double v) { return same(v, r.value(spike, e)); });
      ASSERT_NE(found, t.values.end()) << half;
      EXPECT_EQ(t.time[static_cast<std::size_t>(found - t.values.begin())], at);
    }
  }
}

TEST(Columns, FollowARunThatGoesOn) {
  Random random(2);
  KnownRows r;
  r.writer.flush();
  Columns columns(r.folder.path());
  for (const std::size_t more : {100u, 1u, 155u, 1u, 3000u, 513u, 0u, 20'000u}) {
    add_random(r, random, more);
    r.writer.flush();
    columns.refresh();
    const double end = r.time.back();
    for (std::uint32_t e = 0; e < KnownRows::elements; ++e) {
      expect_true(columns, r, e, 0.0, end, 50);
      expect_true(columns, r, e, 0.9 * end, end, 200);
    }
  }
  r.writer.close();
  columns.refresh();
  expect_true(columns, r, 0, 0.0, r.time.back(), 300);
}

TEST(Columns, BeginAgainWhenTheFileIsAnotherOne) {
  Random random(3);
  KnownRows a, b;
  add_random(a, random, 3000);
  add_random(b, random, 5000);
  a.writer.close();
  b.writer.close();
  Columns columns(a.folder.path());
  expect_true(columns, a, 1, 0.0, a.time.back(), 20);
  std::filesystem::rename(b.folder / "results.h5", a.folder / "results.h5");
  columns.refresh();
  expect_true(columns, b, 1, 0.0, b.time.back(), 20);
}

TEST(Columns, GiveTheSameWithHardlyAnyMemory) {
  Random random(4);
  KnownRows r;
  add_random(r, random, 20'000);
  r.writer.close();
  Columns columns(r.folder.path(), 1);
  for (int k = 0; k < 20; ++k) {
    expect_true(columns, r, static_cast<std::uint32_t>(below(random, 3)), 0.0,
                r.time.back() * random.uniform(), 60);
    bool whole = false;
    const Trace mode =
        columns.read(*columns.reader().find("plant.mode"), 0, 0.0, r.time.back(), 60, whole);
    EXPECT_EQ(mode.values.front(), 1.0);
    EXPECT_EQ(mode.values.back(), static_cast<double>(r.time.size()));
  }
}

TEST(Columns, GiveTheLastRowAtOrBeforeATime) {
  KnownRows r;
  r.add(1.0, 1.0, 2.0, 3.0);
  r.add(2.0, 4.0, 5.0, 6.0);
  r.add(2.0, 7.0, 8.0, 9.0);  // after an event
  r.writer.close();
  Columns columns(r.folder.path());
  const Signal& s = *columns.reader().find("plant.x");
  const auto row = [&](double at) { return columns.row(s, at); };
  EXPECT_FALSE(row(0.999));
  EXPECT_FALSE(row(missing));
  EXPECT_EQ(row(1.0), (std::vector<double>{1.0, 2.0, 3.0}));
  EXPECT_EQ(row(1.999), (std::vector<double>{1.0, 2.0, 3.0}));
  EXPECT_EQ(row(2.0), (std::vector<double>{7.0, 8.0, 9.0}));
  EXPECT_EQ(row(infinite), (std::vector<double>{7.0, 8.0, 9.0}));
}

TEST(Columns, ReadAnyElementOfAWideSignal) {
  const TemporaryFolder folder;
  constexpr std::uint32_t wide = 40;
  constexpr std::size_t rows = 3000;
  {
    ResultWriter w(folder / "results.h5",
                   {"1", "wide", "now", {{{}, {{.path = "a.b", .count = wide}}}}});
    std::vector<double> row(1 + wide);
    for (std::size_t k = 0; k < rows; ++k) {
      row[0] = static_cast<double>(k);
      for (std::uint32_t e = 0; e < wide; ++e) row[1 + e] = e == 37 && k == 1234 ? 99.0 : e;
      w.append(0, std::as_bytes(std::span(row)));
    }
  }
  Columns columns(folder.path());
  for (const std::uint32_t e : {0u, 15u, 16u, 37u, 39u}) {
    bool whole = true;
    const Trace t = columns.read(*columns.reader().find("a.b"), e, 0.0, rows, 20, whole);
    EXPECT_FALSE(whole);
    EXPECT_EQ(t.values.front(), e);
    EXPECT_EQ(*std::max_element(t.values.begin(), t.values.end()), e == 37 ? 99.0 : e);
  }
}

TEST(Columns, SurviveTimesThatGoBackwards) {
  Random random(5);
  const TemporaryFolder folder;
  {
    ResultWriter w(folder / "results.h5", {"1", "wild", "now", {{{}, {{.path = "a.b"}}}}});
    for (std::size_t k = 0; k < 10'000; ++k) {
      const auto odd = below(random, 100);
      const double row[2] = {odd == 0   ? missing
                             : odd == 1 ? -infinite
                             : odd == 2 ? 1e300
                                        : 1e3 * random.uniform(),
                             random.uniform()};
      w.append(0, std::as_bytes(std::span(row)));
    }
  }
  Columns columns(folder.path());
  const Signal& s = *columns.reader().find("a.b");
  for (const auto& [from, to] : std::vector<std::pair<double, double>>{
           {-infinite, infinite}, {0.0, 1e3}, {900.0, 100.0}, {missing, 1.0}, {0.0, missing}}) {
    bool whole = false;
    const Trace t = columns.read(s, 0, from, to, 100, whole);
    EXPECT_LE(t.time.size(), 50u * 3 + 2);
    for (const double v : t.values) EXPECT_LT(v, 1.0);
    columns.row(s, from);
  }
}

TEST(TimeColumn, GivesTimesBackToTheBit) {
  for (const Rate rate : {Rate{10, 1}, Rate{1000, 1}, Rate{3, 1}, Rate{1, 7}, Rate{48'000, 1}}) {
    TimeColumn column;
    std::vector<double> times;
    for (std::int64_t k = -300; k < 10'000; ++k) times.push_back(seconds(tick(rate, k + 12'345)));
    column.append(std::span(times).first(100));
    column.append(std::span(times).subspan(100, 5000));
    column.append(std::span(times).subspan(5100));
    ASSERT_EQ(column.size(), times.size());
    std::size_t wrong = 0;
    for (std::size_t k = 0; k < times.size(); ++k) {
      wrong += column[k] != times[k];
      wrong += column.first_at(times[k]) != k || column.first_after(times[k]) != k + 1;
    }
    EXPECT_EQ(wrong, 0u);
    // steps of whole nanoseconds need almost no memory
    const bool regular = 1'000'000'000 * rate.seconds % rate.times == 0;
    EXPECT_EQ(column.bytes() < times.size(), regular) << rate.times;
  }
}

TEST(TimeColumn, KeepsTimesThatAreNotNumbers) {
  TimeColumn column;
  std::vector<double> times(1024, 5.0);
  times[3] = missing, times[256] = infinite, times[700] = -1e300, times[1023] = missing;
  column.append(times);
  for (std::size_t k = 0; k < times.size(); ++k) EXPECT_TRUE(same(column[k], times[k])) << k;
}

}  // namespace
}  // namespace vernier::record
