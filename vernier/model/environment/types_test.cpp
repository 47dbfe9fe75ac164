#include "vernier/model/environment/types.hpp"

#include <gtest/gtest.h>

#include "vernier/testing/types.hpp"

namespace vernier::environment {
namespace {

TEST(EnvironmentTypes, AreDescribedForPeople) {
  Catalogue catalogue;
  register_types(catalogue);
  EXPECT_EQ(catalogue.types().size(), 7u);
  testing::expect_described(catalogue);
}

}  // namespace
}  // namespace vernier::environment
