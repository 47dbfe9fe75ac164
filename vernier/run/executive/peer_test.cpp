// What another node says is not believed: whatever does not fit ends the run, names the node, and
// leaves a run that can begin again.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <set>

#include "vernier/run/executive/test_peer.hpp"

namespace vernier::executive {
namespace {

using exchange::Received;
using test::Lone;
using ::testing::HasSubstr;
using Frame = std::vector<std::byte>;

constexpr Time until{Duration(500'000'000)};

class ANode : public ::testing::Test {
 protected:
  /// The run when `change` is applied to frame `i`; nothing more is said after the recorded frames.
  std::string changed(std::size_t i, const std::function<void(std::vector<Frame>&)>& change) {
    std::vector<Frame> all = lone.frames();
    change(all);
    std::size_t next = 0;
    const std::string fault = lone.outcome([&](Bytes& b) {
      if (next == all.size()) return Received::lost;
      b = all[next++];
      return Received::frame;
    });
    if (!fault.empty()) {
      EXPECT_THAT(fault, HasSubstr("error[V5601]")) << i;
      EXPECT_THAT(fault, HasSubstr("node 1")) << i;
    }
    return fault;
  }
  Lone lone{until};
};

TEST_F(ANode, HearsEveryKindOfFrame) {
  std::set<std::uint32_t> kinds;
  for (const Frame& f : lone.frames()) kinds.insert(load<std::uint32_t>(f.data()));
  EXPECT_EQ(kinds.size(), 7u);
  EXPECT_FALSE(lone.undisturbed().empty());
}

TEST_F(ANode, RefusesFramesThatAreTruncatedOrTooLong) {
  const Frame good = lone.undisturbed();
  for (std::size_t i = 0; i < lone.frames().size(); ++i) {
    const std::size_t size = lone.frames()[i].size();
    std::set<std::size_t> sizes{0, 1, 15, size / 2, size - 1, size + 1, size + 1000};
    for (const std::size_t n : sizes)
      EXPECT_THAT(changed(i, [&](auto& all) { all[i].resize(n); }),
                  HasSubstr("it is at another instant, or runs another document"))
          << i << " of " << size << " bytes cut to " << n;
  }
  EXPECT_EQ(lone.undisturbed(), good);
}

TEST_F(ANode, RefusesFramesThatAreMissingOrTwice) {
  const Frame good = lone.undisturbed();
  for (std::size_t i = 0; i < lone.frames().size(); ++i) {
    // of delayed values the numbers of the frames decide
    if (load<std::uint32_t>(lone.frames()[i].data()) <= 2) continue;
    const auto place = static_cast<long>(i);
    EXPECT_NE(changed(i, [&](auto& all) { all.erase(all.begin() + place); }), "") << i;
    // nobody reads on after the end
    if (i + 1 < lone.frames().size())
      EXPECT_NE(changed(i, [&](auto& all) { all.insert(all.begin() + place, all[i]); }), "") << i;
  }
  EXPECT_EQ(lone.undisturbed(), good);
}

TEST_F(ANode, RefusesTimesThatCannotBe) {
  const Frame good = lone.undisturbed();
  for (std::size_t i = 0; i < lone.frames().size(); ++i)
    for (const std::int64_t t : {std::int64_t{-1}, std::numeric_limits<std::int64_t>::min(),
                                 std::numeric_limits<std::int64_t>::max()}) {
      // that of the frame
      if (load<std::uint32_t>(lone.frames()[i].data()) != 2)
        EXPECT_NE(changed(i, [&](auto& all) { store(all[i].data() + 8, t); }), "") << i << " " << t;
      // and those in it: the last number of reactions, limits and promises
      const auto kind = load<std::uint32_t>(lone.frames()[i].data());
      if (t < 0 && (kind == 2 || kind == 5 || kind == 6))
        EXPECT_NE(changed(i, [&](auto& all) { store(all[i].data() + all[i].size() - 8, t); }), "")
            << i << " " << kind;
    }
  EXPECT_EQ(lone.undisturbed(), good);
}

TEST_F(ANode, SurvivesAnyByte) {
  const Frame good = lone.undisturbed();
  for (std::size_t i = 0; i < lone.frames().size(); i += 3)
    for (std::size_t k = 0; k < lone.frames()[i].size(); k += 5)
      changed(i, [&](auto& all) { all[i][k] ^= std::byte{0x80}; });
  EXPECT_EQ(lone.undisturbed(), good);
}

TEST_F(ANode, IsCutOffWhenTheOtherIsLost) {
  for (std::size_t i = 0; i < lone.frames().size(); ++i)
    EXPECT_THAT(changed(i, [&](auto& all) { all.resize(i); }), HasSubstr("it said no more"));
  EXPECT_FALSE(lone.undisturbed().empty());
}

}  // namespace
}  // namespace vernier::executive
