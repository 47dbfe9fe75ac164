#include "vernier/run/record/run_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
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
  m.checks = {{"momentum", "plant.h", true, 3e-12, std::nan(""), "ΔH/H = 3e-12"}};
  m.machine = {{"real-time priority", "no: refused"}};
  m.warnings = {"wheel 2 \"saturated\"\n"};
  return m;
}

TEST(Manifest, ReadsBackWhatWasWritten) {
  const TemporaryFolder folder;
  const RunFolder run(folder / "runs", "x");
  const Manifest m = full_manifest();
  run.write(m);
  const Manifest r = read_manifest(run.path());
  EXPECT_EQ(r.status, "killed");  // it says running, and no process holds the lock
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
  EXPECT_EQ(r.warnings, m.warnings);
  EXPECT_EQ(r.machine, m.machine);
  EXPECT_EQ(r.statistics[0].second, 9001.0);
  const WriterLock writing(run.path() / "results.h5");
  EXPECT_EQ(read_manifest(run.path()).status, "running");
}

TEST(Manifest, RefusesWhatIsNone) {
  for (const char* text : {"", "{", "[]", "{\"manifest\": 0}", "{\"manifest\": 99}", "null",
                           "{\"manifest\": \"1\"}"}) {
    EXPECT_THROW(manifest_from_json(text, "manifest.json"), ConfigurationError) << text;
  }
  // members of the wrong type count as absent
  const Manifest m = manifest_from_json(
      R"({"manifest":1,"seed":"x","inputs":{"a":1},"reports":[1,"x",{"value":null}],"command":[1]})",
      "manifest.json");
  EXPECT_EQ(m.seed, 1u);
  EXPECT_TRUE(m.inputs.empty());
  ASSERT_EQ(m.reports.size(), 1u);
  EXPECT_TRUE(m.command.empty());
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
