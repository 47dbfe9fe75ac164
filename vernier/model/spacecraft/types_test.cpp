#include "vernier/model/spacecraft/types.hpp"

#include <gtest/gtest.h>

#include "vernier/testing/types.hpp"

namespace vernier::spacecraft {
namespace {

TEST(SpacecraftTypes, AreDescribedForPeople) {
  Catalogue catalogue;
  register_types(catalogue);
  EXPECT_EQ(catalogue.types().size(), 8u);
  testing::expect_described(catalogue);
}

}  // namespace
}  // namespace vernier::spacecraft
