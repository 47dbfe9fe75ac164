#include "vernier/run/viewers/plotjuggler.hpp"

#include <gmock/gmock.h>

#include <limits>
#include <nlohmann/json.hpp>

#include "vernier/base/diagnostic.hpp"
#include "vernier/base/temporary_folder.hpp"

namespace vernier::viewers {
namespace {

using nlohmann::json;

/// A live run with a vector, an integer, a flag and as many further scalars.
struct JuggledRun {
  TemporaryFolder folder;
  record::LiveRowWriter writer;
  record::LiveRowReader reader{folder.path()};

  explicit JuggledRun(std::size_t more = 0) : writer(folder.path(), layout(more)) {}

  static record::ResultLayout layout(std::size_t more) {
    record::ResultLayout l{"1",
                           "x",
                           "now",
                           {{{},
                             {{.path = "plant.omega", .count = 3},
                              {.path = "plant.mode", .scalar = Scalar::integer},
                              {.path = "plant.on", .scalar = Scalar::boolean}}}}};
    for (std::size_t i = 0; i < more; ++i)
      l.groups[0].signals.push_back({.path = "more.s" + std::to_string(i)});
    return l;
  }
  void add(double time, double last) {
    std::vector<std::byte> row(reader.row(0).bytes);
    const auto& c = reader.row(0).columns;
    store(row.data(), time);
    store(row.data() + c[0].offset, 0.1);
    store(row.data() + c[0].offset + 16, last);
    store(row.data() + c[1].offset, std::int64_t{-5});
    store(row.data() + c[2].offset, std::uint8_t{1});
    writer.append(0, row);
    writer.publish({});
  }
  std::vector<json> sent(PlotJuggler& p) {
    std::vector<json> all;
    reader.poll([&](const record::LiveRowReader::Row& row) {
      p.take(row, [&](std::string_view text) {
        EXPECT_LT(text.size(), 65'000u);
        all.push_back(json::parse(text));
      });
    });
    return all;
  }
};

TEST(PlotJuggler, GetsARowAsAnObject) {
  JuggledRun run;
  PlotJuggler p(run.reader, {"*"});
  run.add(12.5, std::numeric_limits<double>::infinity());
  const auto all = run.sent(p);
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0], json::parse(R"({"timestamp":12.5,"plant/omega":[0.1,0,null],"plant/mode":-5,
                                   "plant/on":1})"));
}

TEST(PlotJuggler, GetsOnlyWhatMatches) {
  JuggledRun run;
  PlotJuggler p(run.reader, {"plant.o*"});
  run.add(1.0, 2.0);
  EXPECT_EQ(run.sent(p)[0], json::parse(R"({"timestamp":1,"plant/omega":[0.1,0,2],"plant/on":1})"));
  try {
    PlotJuggler other(run.reader, {"plant.*", "plant.omgea"});
    FAIL();
  } catch (const ConfigurationError& e) {
    EXPECT_EQ(e.diagnostics().list()[0].code, "V7102");
    EXPECT_THAT(e.diagnostics().list()[0].notes,
                ::testing::ElementsAre("did you mean plant.omega?"));
  }
}

TEST(PlotJuggler, GetsALongRowInSeveralDatagrams) {
  JuggledRun run(3000);
  PlotJuggler p(run.reader, {"*"});
  run.add(3.0, 0.0);
  const auto all = run.sent(p);
  EXPECT_GT(all.size(), 3u);
  std::size_t keys = 0;
  for (const json& j : all) {
    EXPECT_EQ(j["timestamp"], 3.0);
    keys += j.size() - 1;
  }
  EXPECT_EQ(keys, 3003u);
}

TEST(PlotJuggler, GetsFewerRowsWhenAsked) {
  JuggledRun run;
  PlotJuggler p(run.reader, {"plant.mode"});
  p.thin_out(0.5);
  for (int k = 0; k <= 20; ++k) run.add(0.125 * k, 0.0);
  std::vector<double> times;
  for (const json& j : run.sent(p)) times.push_back(j["timestamp"]);
  EXPECT_EQ(times, (std::vector<double>{0.0, 0.5, 1.0, 1.5, 2.0, 2.5}));
}

}  // namespace
}  // namespace vernier::viewers
