#include "vernier/gateway/federation/regions.hpp"

#include <gtest/gtest.h>

namespace vernier::federation {
namespace {

/// The failure of a call; none when it succeeds.
template <class F>
Failure refusal(F&& call) {
  try {
    call();
  } catch (const Refusal& r) {
    return r.failure;
  }
  return Failure::none;
}

FomTables three_dimensions() {
  FomTables t;
  t.dimensions = {{"X", 100}, {"Y", 10}, {"Free", 0}};
  return t;
}

TEST(Regions, OverlapInAllDimensionsThatBothHave) {
  const FomTables t = three_dimensions();
  Regions r;
  const Handle a = r.create(1, {1, 2}, t), b = r.create(2, {2, 1}, t), c = r.create(2, {1}, t);
  EXPECT_TRUE(r.overlap({a}, {b}));  // the full range of all dimensions
  r.commit(1, {{a, {{1, 10, 20}, {2, 0, 5}}}});
  r.commit(2, {{b, {{1, 19, 30}, {2, 5, 6}}}, {c, {{1, 19, 20}}}});
  EXPECT_FALSE(r.overlap({a}, {b}));  // disjoint in the second dimension
  EXPECT_TRUE(r.overlap({a}, {c}));
  EXPECT_TRUE(r.overlap({b, c}, {a}));
  EXPECT_TRUE(r.overlap({}, {a}));
  r.commit(2, {{c, {{1, 20, 21}}}});  // ranges are half open
  EXPECT_FALSE(r.overlap({a}, {c}));
  r.commit(2, {{b, {{2, 4, 5}}}});  // the first dimension keeps its range
  EXPECT_TRUE(r.overlap({a}, {b}));
  EXPECT_FALSE(r.overlap({r.create(1, {3}, t)}, {c}));  // no common dimension
  const RegionOf told = r.described(b);
  ASSERT_EQ(told.bounds.size(), 2u);
  EXPECT_EQ(told.bounds[0].lower, 19u);
  EXPECT_EQ(told.bounds[1].upper, 5u);
}

TEST(Regions, RefuseByTheNamesOfTheStandard) {
  const FomTables t = three_dimensions();
  Regions r;
  const Handle a = r.create(1, {1}, t), b = r.create(2, {1, 2}, t);
  EXPECT_EQ(refusal([&] { r.create(1, {4}, t); }), Failure::InvalidDimensionHandle);
  EXPECT_EQ(refusal([&] { r.create(1, {0}, t); }), Failure::InvalidDimensionHandle);
  EXPECT_EQ(refusal([&] { r.commit(1, {{9, {}}}); }), Failure::InvalidRegion);
  EXPECT_EQ(refusal([&] { r.commit(1, {{b, {}}}); }), Failure::RegionNotCreatedByThisFederate);
  EXPECT_EQ(refusal([&] {
              r.commit(1, {{a, {{2, 0, 1}}}});
            }),
            Failure::RegionDoesNotContainSpecifiedDimension);
  EXPECT_EQ(refusal([&] { r.commit(1, {{a, {{1, 5, 5}}}}); }), Failure::InvalidRangeBound);
  EXPECT_EQ(refusal([&] { r.commit(1, {{a, {{1, 5, 4}}}}); }), Failure::InvalidRangeBound);
  EXPECT_EQ(refusal([&] {
              r.commit(2, {{b, {{1, 1, 2}, {2, 0, 11}}}});
            }),
            Failure::InvalidRangeBound);
  EXPECT_EQ(r.described(b).bounds[0].lower, 0u);  // nothing was changed
  EXPECT_EQ(refusal([&] { r.check(1, {a, b}); }), Failure::RegionNotCreatedByThisFederate);
  EXPECT_EQ(refusal([&] { r.check(1, {a}, {2, 3}); }), Failure::InvalidRegionContext);
  EXPECT_EQ(refusal([&] { r.check(2, {b}, {2, 1, 3}); }), Failure::none);
  r.use(a, 1);
  EXPECT_EQ(refusal([&] { r.erase(1, a); }), Failure::RegionInUseForUpdateOrSubscription);
  r.use(a, -1);
  EXPECT_EQ(refusal([&] { r.erase(2, a); }), Failure::RegionNotCreatedByThisFederate);
  r.erase(1, a);
  EXPECT_EQ(refusal([&] { r.check(1, {a}); }), Failure::InvalidRegion);
  r.remove(2);
  EXPECT_EQ(refusal([&] { r.check(2, {b}); }), Failure::InvalidRegion);
}

TEST(Regions, ComeBackFromASaveAndFromNothingElse) {
  const FomTables t = three_dimensions();
  Regions r;
  const Handle a = r.create(1, {1}, t), b = r.create(2, {1, 2}, t), c = r.create(3, {2}, t);
  r.commit(1, {{a, {{1, 3, 5}}}});
  r.commit(2, {{b, {{1, 5, 6}}}});
  r.use(b, 1);
  r.erase(3, c);
  std::vector<std::byte> saved;
  r.save(saved);
  Regions s;
  for (std::size_t n = 0; n < saved.size(); ++n) EXPECT_FALSE(s.load(Bytes(saved).first(n))) << n;
  ASSERT_TRUE(s.load(saved));
  EXPECT_FALSE(s.overlap({a}, {b}));
  EXPECT_EQ(refusal([&] { s.erase(2, b); }), Failure::RegionInUseForUpdateOrSubscription);
  EXPECT_EQ(s.create(4, {}, t), c);
}

}  // namespace
}  // namespace vernier::federation
