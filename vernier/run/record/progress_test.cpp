#include "vernier/run/record/progress.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>

#include "vernier/base/diagnostic.hpp"
#include "vernier/base/temporary_folder.hpp"

namespace vernier::record {
namespace {

Progress some_progress() {
  Progress p;
  p.checkpoint = sha256(std::as_bytes(std::span("checkpoint")));
  p.begin = 300'000'000'000;
  p.automatic = true;
  p.notes = 7;
  p.orders = 2;
  p.ticks = 1000;
  p.wall = 12.5;
  p.rows = {100, 0, 17};
  p.watch = {std::byte{1}, std::byte{2}};
  return p;
}

TEST(Progress, ComesBackFromItsFile) {
  const TemporaryFolder folder;
  const auto file = progress_file(folder.path() / "t=0300.000.vchk");
  EXPECT_EQ(file.filename(), "t=0300.000.progress");
  EXPECT_EQ(checkpoint_of(file).filename(), "t=0300.000.vchk");
  write_progress(file, some_progress());
  EXPECT_EQ(encoded(read_progress(file)), encoded(some_progress()));
}

TEST(Progress, IsRefusedWhenItsFileWasCutAnywhere) {
  const auto whole = encoded(some_progress());
  for (std::size_t n = 0; n < whole.size(); ++n)
    EXPECT_THROW(decoded_progress(std::span(whole).first(n), "cut"), ConfigurationError) << n;
}

TEST(Progress, IsRefusedWhenAnyByteHasChanged) {
  const auto whole = encoded(some_progress());
  for (std::size_t n = 0; n < whole.size(); ++n) {
    auto other = whole;
    other[n] ^= std::byte{0x10};
    EXPECT_THROW(decoded_progress(other, "changed"), ConfigurationError) << n;
  }
}

}  // namespace
}  // namespace vernier::record
