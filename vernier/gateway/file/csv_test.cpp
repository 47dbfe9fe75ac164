#include "vernier/gateway/file/csv.hpp"

#include <gtest/gtest.h>

#include <array>
#include <fstream>
#include <random>

#include "vernier/base/temporary_folder.hpp"

namespace vernier::file {
namespace {

std::vector<std::string> fields(std::string_view record, char separator = ',') {
  Fields f(record, separator);
  std::vector<std::string> all;
  std::string_view field;
  while (f.next(field)) all.emplace_back(field);
  return all;
}

using Strings = std::vector<std::string>;

TEST(CsvFields, AreSeparatedTrimmedAndUnquoted) {
  EXPECT_EQ(fields("1,2,3"), (Strings{"1", "2", "3"}));
  EXPECT_EQ(fields(" 1 ,\t2, 3 \r"), (Strings{"1", "2", "3"}));
  EXPECT_EQ(fields("\"1\", \"a,b\" ,3"), (Strings{"1", "a,b", "3"}));
  EXPECT_EQ(fields("1;2,5", ';'), (Strings{"1", "2,5"}));
  EXPECT_EQ(fields("1\t\t2", '\t'), (Strings{"1", "", "2"}));
  EXPECT_EQ(fields(""), (Strings{""}));
  EXPECT_EQ(fields(",,"), (Strings{"", "", ""}));
  EXPECT_EQ(fields("\"open,1"), (Strings{"\"open,1"}))
      << "a quote that does not close will not read";
  EXPECT_EQ(fields("\"1\"2,3"), (Strings{"\"1\"2", "3"}));
}

TEST(CsvHeader, KnowsNamesAndUnits) {
  const auto header =
      parsed_header("\xEF\xBB\xBFt [s],omega[0],omega[1] (rad/s),\"odd, \"\"name\"\"\"\r", ',');
  ASSERT_TRUE(header);
  ASSERT_EQ(header->size(), 4u);
  EXPECT_EQ((*header)[0].name, "t");
  EXPECT_EQ((*header)[0].unit, "s");
  EXPECT_EQ((*header)[1].name, "omega[0]");
  EXPECT_EQ((*header)[1].unit, "");
  EXPECT_EQ((*header)[2].name, "omega[1]");
  EXPECT_EQ((*header)[2].unit, "rad/s");
  EXPECT_EQ((*header)[3].name, "odd, \"name\"");
  EXPECT_FALSE(parsed_header(std::string(most_columns, ','), ','));
}

TEST(CsvRow, ReadsOnlyTheFieldsThatAreNeeded) {
  const std::array<std::int32_t, 3> slots{1, -1, 0};
  std::array<double, 2> values{};
  EXPECT_EQ(read_row("1.5,text,+2e3", ',', slots, values).flaw, RowFlaw::none);
  EXPECT_EQ(values, (std::array{2000.0, 1.5}));
}

TEST(CsvRow, SaysWhatIsWrong) {
  const std::array<std::int32_t, 2> slots{0, 1};
  std::array<double, 2> values{};
  const auto flaw = [&](std::string_view record) {
    return read_row(record, ',', slots, values).flaw;
  };
  EXPECT_EQ(flaw("1,2"), RowFlaw::none);
  EXPECT_EQ(flaw("1"), RowFlaw::fields);
  EXPECT_EQ(flaw("1,2,3"), RowFlaw::fields);
  EXPECT_EQ(flaw("1,"), RowFlaw::empty);
  EXPECT_EQ(flaw("1,x"), RowFlaw::number);
  EXPECT_EQ(flaw("1,2 3"), RowFlaw::number);
  EXPECT_EQ(flaw("1,nan"), RowFlaw::not_finite);
  EXPECT_EQ(flaw("1,-inf"), RowFlaw::not_finite);
  EXPECT_EQ(flaw("1,1e999"), RowFlaw::not_finite);
  EXPECT_EQ(flaw("1,1e-999"), RowFlaw::none);
}

TEST(CsvNumbers, ComeBackToTheBit) {
  std::mt19937_64 random(11);
  const std::array<std::int32_t, 1> slots{0};
  for (int i = 0; i < 10'000; ++i) {
    const double x = std::bit_cast<double>(random());
    if (!std::isfinite(x)) continue;
    char text[32];
    std::array<double, 1> y{};
    const std::string_view written(text, write_real(text, x));
    ASSERT_EQ(read_row(written, ',', slots, y).flaw, RowFlaw::none) << written;
    EXPECT_EQ(std::bit_cast<std::uint64_t>(y[0]), std::bit_cast<std::uint64_t>(x));
  }
  for (int i = 0; i < 10'000; ++i) {
    // a double represents nanoseconds exactly up to 48 days
    const Time t{Duration{static_cast<std::int64_t>(random() >> 13)}};
    char text[32];
    std::array<double, 1> y{};
    const std::string_view written(text, write_time(text, t));
    ASSERT_EQ(read_row(written, ',', slots, y).flaw, RowFlaw::none);
    EXPECT_EQ(to_time(y[0]), t) << written;
  }
}

TEST(CsvLines, AreReadFromAnyPlace) {
  const TemporaryFolder folder;
  const auto path = folder / "lines.csv";
  std::ofstream(path) << "one\ntwo\r\n\nlast";
  LineFile file;
  ASSERT_FALSE(file.open(path));
  std::string_view line;
  std::vector<std::string> all;
  std::uint64_t second = 0;
  while (file.next(line) == LineFile::Step::line) {
    all.emplace_back(line);
    if (all.size() == 2) second = file.line_offset();
  }
  EXPECT_EQ(all, (Strings{"one", "two\r", "", "last"}));
  EXPECT_EQ(file.line_number(), 4u);
  file.seek(second, 2);
  ASSERT_EQ(file.next(line), LineFile::Step::line);
  EXPECT_EQ(line, "two\r");
  EXPECT_EQ(file.line_number(), 2u);
}

TEST(CsvLines, ThatAreTooLongAreRefusedInBoundedMemory) {
  const TemporaryFolder folder;
  const auto path = folder / "long.csv";
  std::ofstream(path) << "t\n" << std::string(3 * longest_csv_line, 'x');
  LineFile file;
  ASSERT_FALSE(file.open(path));
  std::string_view line;
  EXPECT_EQ(file.next(line), LineFile::Step::line);
  EXPECT_EQ(file.next(line), LineFile::Step::too_long);
  EXPECT_EQ(file.line_number(), 2u);
}

TEST(CsvLines, AreNotReadFromPipesAndFolders) {
  LineFile file;
  EXPECT_TRUE(file.open("/dev/null"));
  LineFile folder;
  EXPECT_TRUE(folder.open(::testing::TempDir()));
  LineFile nothing;
  EXPECT_EQ(nothing.open("/nowhere/at all"), "No such file or directory");
}

}  // namespace
}  // namespace vernier::file
