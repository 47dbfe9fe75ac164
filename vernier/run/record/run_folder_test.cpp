#include "vernier/run/record/run_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <memory>
#include <set>
#include <sstream>
#include <thread>

#include "vernier/base/diagnostic.hpp"
#include "vernier/base/temporary_folder.hpp"
#include "vernier/run/record/detail/writer_lock.hpp"
#include "vernier/testing/files.hpp"

namespace vernier::record {
namespace {

namespace fs = std::filesystem;

void put(const fs::path& file, const std::string& text) {
  fs::create_directories(file.parent_path());
  std::ofstream(file, std::ios::binary) << text;
}

TEST(RunFolder, CountsUpAndPointsLatestToTheNewest) {
  const TemporaryFolder folder;
  const fs::path runs = folder / "runs";
  EXPECT_EQ(RunFolder(runs, "detumble").name(), "detumble-0001");
  EXPECT_EQ(RunFolder(runs, "detumble").name(), "detumble-0002");
  EXPECT_EQ(RunFolder(runs, "detumble-0002").name(), "detumble-0002-0001");
  fs::create_directory(runs / "detumble-0041");
  EXPECT_EQ(RunFolder(runs, "detumble").name(), "detumble-0042");
  EXPECT_EQ(fs::read_symlink(runs / "latest"), "detumble-0042");
  EXPECT_EQ(RunFolder(runs, "../../etc/x y").name(), "-..-etc-x-y-0001");
}

TEST(RunFolder, GivesEveryOneOfManyAtOnceAFolderOfItsOwn) {
  const TemporaryFolder folder;
  std::vector<std::thread> threads;
  std::mutex mutex;
  std::set<std::string> names;
  for (int i = 0; i < 16; ++i) {
    threads.emplace_back([&] {
      const std::string name = RunFolder(folder.path(), "x").name();
      const std::lock_guard lock(mutex);
      names.insert(name);
    });
  }
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(names.size(), 16u);
}

TEST(RunFolder, CopiesInputsInTheirPlacesToEachOther) {
  const TemporaryFolder folder;
  put(folder / "m/sat/main.xml", "<composition/>");
  put(folder / "m/common/plant.xml", "<hybridsystem/>");
  put(folder / "m/sat/data/field.csv", "1,2\r\n");
  RunFolder run(folder / "runs", "main");
  const auto inputs =
      run.copy_inputs({folder / "m/sat/main.xml", folder / "m/sat/../common/plant.xml",
                       folder / "m/sat/data/field.csv"});
  ASSERT_EQ(inputs.size(), 3u);
  EXPECT_EQ(inputs[0].file, "sat/main.xml");
  EXPECT_EQ(inputs[1].file, "common/plant.xml");
  EXPECT_EQ(testing::content(run.path() / "inputs/sat/data/field.csv"), "1,2\r\n");
  EXPECT_EQ(inputs[2].bytes, 5u);
  EXPECT_EQ(inputs[0].sha256, text(sha256_of_file(folder / "m/sat/main.xml")));
  EXPECT_THROW(run.copy_inputs({folder / "m/absent.xml"}), ConfigurationError);
}

Manifest full_manifest() {
  Manifest m;
  m.name = "x-0001";
  m.composition = "x";
  m.version = "0.1.0";
  m.command = {"vernier", "run", "a b.xml"};
  m.host = "rt-01";
  m.seed = 18446744073709551615u;
  m.arithmetic = "fastest";
  m.instructions = "avx2";
  m.started = "2030-01-01T00:00:00.000Z";
  m.document = "a b.xml";
  m.set = {"plant.mass=4.1kg"};
  m.options = {{"until", "300 s"}};
  m.statistics = {{"rows", 9001.0}};
  m.reports = {{"pointing error", "plant.error", 0.21, "deg"}};
  m.checks = {{"momentum", "plant.h", true, false, 3e-12, std::nan(""), "ΔH/H = 3e-12"}};
  m.machine = {{"real-time priority", "no: refused"}};
  m.rewound = true;
  m.warnings = {"wheel 2 \"saturated\"\n"};
  return m;
}

TEST(Manifest, OfARunThatEndsIsNeverThatOfAKilledOne) {
  const TemporaryFolder folder;
  Manifest m = full_manifest();
  for (int i = 0; i < 100; ++i) {
    auto run = std::make_unique<RunFolder>(folder / "runs", "x");
    const std::filesystem::path path = run->path();
    m.status = "running";
    run->write(m);
    std::thread end([&] {
      m.status = "finished";
      run->write(m);
      run.reset();
    });
    std::string status = "running";
    while (status == "running") status = read_manifest(path).status;
    EXPECT_EQ(status, "finished");
    end.join();
  }
}

TEST(Manifest, ReadsBackWhatWasWritten) {
  const TemporaryFolder folder;
  auto run = std::make_unique<RunFolder>(folder / "runs", "x");
  const std::filesystem::path path = run->path();
  const Manifest m = full_manifest();
  run->write(m);
  EXPECT_EQ(read_manifest(path).status, "running");
  run.reset();
  const Manifest r = read_manifest(path);
  EXPECT_EQ(r.status, "killed");  // it says running, and no process holds a lock
  Manifest same = r;
  same.status = m.status;
  EXPECT_EQ(to_json(same), to_json(m));
  EXPECT_EQ(r.command, m.command);
  EXPECT_EQ(r.seed, m.seed);
  EXPECT_EQ(r.arithmetic, m.arithmetic);
  EXPECT_EQ(r.instructions, m.instructions);
  EXPECT_EQ(r.set, m.set);
  EXPECT_EQ(r.option("until"), "300 s");
  EXPECT_EQ(r.option("rate"), "");
  EXPECT_EQ(r.reports[0].value, 0.21);
  EXPECT_TRUE(std::isnan(r.checks[0].limit));
  EXPECT_EQ(r.checks[0].words, m.checks[0].words);
  EXPECT_FALSE(r.checks[0].seen);
  EXPECT_TRUE(r.rewound);
  EXPECT_EQ(r.warnings, m.warnings);
  EXPECT_EQ(r.machine, m.machine);
  EXPECT_EQ(r.statistics[0].second, 9001.0);
  const WriterLock writing(path / "results.h5");
  EXPECT_EQ(read_manifest(path).status, "running");
}

TEST(Manifest, RefusesWhatIsNone) {
  for (const char* text : {"", "{", "[]", "{\"manifest\": 0}", "{\"manifest\": 99}", "null",
                           "{\"manifest\": \"1\"}"}) {
    EXPECT_THROW(manifest_from_json(text, "manifest.json"), ConfigurationError) << text;
  }
  EXPECT_EQ(manifest_from_json(R"({"manifest":1,"later":[]})", "manifest.json").seed, 1u);
}

TEST(Manifest, RefusesMembersOfTheWrongType) {
  const auto said = [](const std::string& members) -> std::string {
    try {
      manifest_from_json("{\"manifest\":1," + members + "}", "manifest.json");
    } catch (const ConfigurationError& e) {
      return e.diagnostics().list().front().message;
    }
    return "accepted";
  };
  EXPECT_EQ(said(R"("seed":"x")"),
            "manifest.json: \"seed\" must be a whole number that is not negative, not \"x\"");
  EXPECT_EQ(said(R"("seed":-1)"),
            "manifest.json: \"seed\" must be a whole number that is not negative, not -1");
  EXPECT_EQ(said(R"("exit_status":256)"),
            "manifest.json: \"exit_status\" must be a number from 0 to 255, not 256");
  EXPECT_EQ(said(R"("set":"plant.mass=4")"),
            "manifest.json: \"set\" must be a list, not \"plant.mass=4\"");
  EXPECT_EQ(said(R"("set":["a=1",2])"), "manifest.json: \"set[1]\" must be a text, not 2");
  EXPECT_EQ(said(R"("options":{"until":300})"),
            "manifest.json: \"options.until\" must be a text, not 300");
  EXPECT_EQ(said(R"("options":{"override":["a=1",null]})"),
            "manifest.json: \"options.override[1]\" must be a text, not null");
  EXPECT_EQ(said(R"("options":[])"), "manifest.json: \"options\" must be an object, not []");
  EXPECT_EQ(said(R"("inputs":[{"bytes":1.5}])"),
            "manifest.json: \"inputs[0].bytes\" must be a whole number that is not negative, "
            "not 1.5");
  EXPECT_EQ(said(R"("checks":[{"holds":"yes"}])"),
            "manifest.json: \"checks[0].holds\" must be true or false, not \"yes\"");
  EXPECT_EQ(said(R"("statistics":{"rows":"many"})"),
            "manifest.json: \"statistics.rows\" must be a number, not \"many\"");
  EXPECT_EQ(said(R"("reports":[{"value":null}])"), "accepted");  // not finite
}

TEST(Manifest, KeepsAnOptionThatWasGivenSeveralTimes) {
  Manifest m = full_manifest();
  m.options = {{"override", "a.u=1"}, {"override", "b.u=2"}, {"override", "c.u=3"}, {"rate", "1"}};
  EXPECT_EQ(manifest_from_json(to_json(m), "manifest.json").options, m.options);
}

TEST(Repetition, StartsFromTheCopiesAndNoticesChangedOnes) {
  const TemporaryFolder folder;
  put(folder / "sat/main.xml", "<composition/>");
  put(folder / "sat/plant.xml", "<hybridsystem/>");
  RunFolder run(folder / "runs", "main");
  Manifest m = full_manifest();
  m.inputs = run.copy_inputs({folder / "sat/main.xml", folder / "sat/plant.xml"});
  m.document = m.inputs[0].file;
  run.write(m);
  fs::remove_all(folder / "sat");
  // the whole directory may be moved
  fs::rename(run.path(), folder / "elsewhere");
  const Repetition r = repetition(folder / "elsewhere");
  EXPECT_EQ(testing::content(r.document), "<composition/>");
  EXPECT_EQ(r.manifest.set, m.set);
  put(folder / "elsewhere/inputs/plant.xml", "<hybridsystem />");
  EXPECT_THROW(repetition(folder / "elsewhere"), ConfigurationError);
}

TEST(Repetition, FindsDataInTheCopyAndLargeDataWhereItWas) {
  const TemporaryFolder folder;
  put(folder / "sat/main.xml", "<composition/>");
  put(folder / "data/small.csv", "t,x");
  const fs::path large = folder / "data/large.csv";
  put(large, "t,y");
  fs::resize_file(large, (64u << 20) + 1);
  RunFolder run(folder / "runs", "main");
  Manifest m = full_manifest();
  m.inputs = run.copy_inputs({folder / "sat/main.xml"}, {folder / "data/small.csv", large, large});
  ASSERT_EQ(m.inputs.size(), 3u);
  m.document = m.inputs[0].file;
  run.write(m);
  EXPECT_FALSE(fs::exists(run.path() / "inputs/data/large.csv"));
  const Repetition r = repetition(run.path());
  EXPECT_EQ(r.moved.at(folder / "data/small.csv"), run.path() / "inputs/data/small.csv");
  EXPECT_EQ(r.moved.at(run.path() / "inputs/data/large.csv"), large);
  put(large, "t,z");  // another one
  EXPECT_THROW(repetition(run.path()), ConfigurationError);
  fs::remove(large);
  EXPECT_THROW(repetition(run.path()), ConfigurationError);
}

TEST(Repetition, DoesNotLeaveTheFolder) {
  const TemporaryFolder folder;
  const RunFolder run(folder / "runs", "x");
  Manifest m = full_manifest();
  for (const char* bad : {"../../secret.xml", "/etc/passwd", "", "a/../../b"}) {
    m.document = bad;
    run.write(m);
    EXPECT_THROW(repetition(run.path()), ConfigurationError) << bad;
  }
}

TEST(RunFolder, CanBeDiscarded) {
  const TemporaryFolder folder;
  const fs::path runs = folder / "runs";
  RunFolder(runs, "x").discard();
  EXPECT_FALSE(fs::exists(runs));
  const RunFolder first(runs, "x");
  RunFolder(runs, "x").discard();
  EXPECT_EQ(fs::read_symlink(runs / "latest"), "x-0001");
  RunFolder second(runs, "x");
  const RunFolder third(runs, "x");
  second.discard();
  EXPECT_EQ(fs::read_symlink(runs / "latest"), "x-0003");
  EXPECT_FALSE(fs::exists(second.path()));
}

TEST(Runs, AreListedAndPruned) {
  const TemporaryFolder folder;
  const fs::path runs = folder / "runs";
  EXPECT_TRUE(list_runs(runs).empty());
  for (int i = 0; i < 5; ++i) {
    RunFolder run(runs, "x");
    Manifest m = full_manifest();
    m.name = run.name();
    m.started = "2030-01-01T00:00:0" + std::to_string(i) + ".000Z";
    m.status = "finished";
    run.write(m);
  }
  put(runs / "mine/notes.txt", "not a run");
  put(runs / "x-0001/results.h5", "1234567890");
  const auto list = list_runs(runs);
  ASSERT_EQ(list.size(), 5u);
  EXPECT_EQ(list[0].manifest.name, "x-0001");
  EXPECT_GT(list[0].bytes, list[1].bytes);
  EXPECT_THAT(prune(runs, 2, false),
              ::testing::ElementsAre(runs / "x-0001", runs / "x-0002", runs / "x-0003"));
  EXPECT_EQ(list_runs(runs).size(), 5u);
  prune(runs, 2, true);
  EXPECT_EQ(list_runs(runs).size(), 2u);
  EXPECT_TRUE(fs::exists(runs / "mine/notes.txt"));
  EXPECT_TRUE(fs::exists(runs / "latest"));
  prune(runs, 0, true);
  EXPECT_FALSE(fs::is_symlink(runs / "latest"));
}

TEST(RunLog, StampsItsLines) {
  const TemporaryFolder folder;
  RunFolder run(folder / "runs", "x");
  run.log().line("ready");
  const std::string text = testing::content(run.path() / "log.txt");
  EXPECT_TRUE(text.ends_with("Z  ready\n")) << text;
}

}  // namespace
}  // namespace vernier::record
