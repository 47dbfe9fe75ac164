#include "vernier/run/record/event_list.hpp"

#include <gtest/gtest.h>

#include <fstream>

#include "vernier/base/temporary_folder.hpp"
#include "vernier/run/record/detail/event_file.hpp"

namespace vernier::record {
namespace {

// EventFile writes what EventList reads
TEST(EventList, ReadsWhatWasWrittenWhileItGrows) {
  const TemporaryFolder folder;
  EventList list(folder.path());
  list.refresh();
  EXPECT_EQ(list.total(), 0u) << "no file yet";
  EventFile file(folder.path() / "events.csv");
  list.refresh();
  EXPECT_EQ(list.total(), 0u);
  Event e{.time = Time(Duration(1'500'000'000)),
          .component = "a",
          .kind = "transition",
          .from = "x, y",
          .to = "say \"no\"",
          .reason = "two\nlines",
          .transition = "t"};
  file.write(e);
  file.flush();
  list.refresh();
  ASSERT_EQ(list.total(), 1u);
  e.component = "b";
  file.write(e);
  file.write(e);
  file.flush();
  list.refresh();
  ASSERT_EQ(list.total(), 3u);
  const auto lines = list.lines(0, 2);
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(lines[0].time, 1.5);
  EXPECT_EQ(lines[0].cells, (std::vector<std::string>{"1.500000000", "a", "transition", "x, y",
                                                      "say \"no\"", "two\nlines", "t"}));
  EXPECT_EQ(lines[1].cells[1], "b");
  EXPECT_EQ(list.lines(2, 100).size(), 1u);
  EXPECT_TRUE(list.lines(3, 100).empty());
}

TEST(EventList, WaitsForTheEndOfALine) {
  const TemporaryFolder folder;
  std::ofstream file(folder.path() / "events.csv");
  file << "time,component,kind,from,to,reason,transition\n1,a,b" << std::flush;
  EventList list(folder.path());
  list.refresh();
  EXPECT_EQ(list.total(), 0u);
  file << ",\"c\nd" << std::flush;
  list.refresh();
  EXPECT_EQ(list.total(), 0u);
  file << "\"\n" << std::flush;
  list.refresh();
  ASSERT_EQ(list.total(), 1u);
  EXPECT_EQ(list.lines(0, 1)[0].cells[3], "c\nd");
  EXPECT_EQ(list.lines(0, 1)[0].cells.size(), 7u) << "missing cells are empty";
}

}  // namespace
}  // namespace vernier::record
