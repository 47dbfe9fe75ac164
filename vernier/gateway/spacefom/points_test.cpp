#include "vernier/gateway/spacefom/detail/points.hpp"

#include <gtest/gtest.h>

namespace vernier::spacefom::detail {
namespace {

TEST(Points, AreAchievedOnceAfterTheyWereAnnounced) {
  Points p;
  EXPECT_FALSE(p.achieve(label::mtr_run));
  p.announce(label::mtr_run);
  EXPECT_TRUE(p.announced(label::mtr_run));
  EXPECT_TRUE(p.achieve(label::mtr_run));
  EXPECT_FALSE(p.achieve(label::mtr_run));
  EXPECT_TRUE(p.announced(label::mtr_run));
  EXPECT_FALSE(p.synchronized(label::mtr_run));
  EXPECT_FALSE(p.announced(label::mtr_freeze));
}

TEST(Points, AreAnnouncedAgainAfterTheyWerePassed) {
  Points p;
  p.announce(label::mtr_freeze);
  EXPECT_TRUE(p.achieve(label::mtr_freeze));
  p.synchronize(label::mtr_freeze);
  EXPECT_TRUE(p.synchronized(label::mtr_freeze));
  p.pass(label::mtr_freeze);
  EXPECT_FALSE(p.announced(label::mtr_freeze));
  EXPECT_FALSE(p.synchronized(label::mtr_freeze));
  p.announce(label::mtr_freeze);
  EXPECT_TRUE(p.achieve(label::mtr_freeze));
}

TEST(Points, KeepTheAnswerToARegistrationUntilTheNext) {
  Points p;
  EXPECT_FALSE(p.decided(label::mtr_run));
  p.begin_registration(label::mtr_run);
  p.end_registration(label::mtr_run, false);
  EXPECT_TRUE(p.decided(label::mtr_run));
  EXPECT_TRUE(p.refused(label::mtr_run));
  p.begin_registration(label::mtr_run);
  EXPECT_FALSE(p.decided(label::mtr_run));
  p.end_registration(label::mtr_run, true);
  EXPECT_TRUE(p.decided(label::mtr_run));
  EXPECT_FALSE(p.refused(label::mtr_run));
}

}  // namespace
}  // namespace vernier::spacefom::detail
