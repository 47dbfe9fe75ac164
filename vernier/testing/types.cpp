#include "vernier/testing/types.hpp"

#include <gtest/gtest.h>

#include "vernier/base/units.hpp"

namespace vernier::testing {

void expect_described(const Catalogue& catalogue) {
  for (const auto& [name, type] : catalogue.types()) {
    EXPECT_FALSE(type.summary.empty()) << name;
    EXPECT_NE(static_cast<bool>(type.system), static_cast<bool>(type.component)) << name;
    for (const auto& p : type.parameters) {
      EXPECT_FALSE(p.description.empty()) << name << "." << p.name;
      EXPECT_TRUE(parsed_unit(p.unit)) << name << "." << p.name << ": " << p.unit;
    }
  }
}

}  // namespace vernier::testing
