#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <optional>
#include <random>
#include <thread>

#include "vernier/base/diagnostic.hpp"
#include "vernier/base/temporary_folder.hpp"
#include "vernier/run/record/detail/writer_lock.hpp"
#include "vernier/run/record/result_reader.hpp"
#include "vernier/run/record/result_writer.hpp"

namespace vernier::record {
namespace {

using std::filesystem::path;

/// Two rate groups with signals of all kinds. The numbers in row k are functions of k.
ResultLayout small_layout() {
  GroupSpec fast{.rate = {10, 1}, .signals = {}};
  fast.signals.push_back({"plant.omega", "rad/s", "body", "angular velocity", 3, Scalar::real});
  fast.signals.push_back({"supervisor.mode", "1", "", "", 1, Scalar::integer});
  fast.signals.push_back({"supervisor.armed", "1", "", "", 1, Scalar::boolean});
  GroupSpec slow{.rate = {}, .signals = {}};
  slow.signals.push_back({"bus.wheel1.speed", "rad/s", "", "", 1, Scalar::real});
  return {"0.1.0", "test", "2030-01-01T00:00:00Z", {fast, slow}};
}

double omega_of(std::uint64_t row, int element) {
  return std::sin(0.001 * static_cast<double>(row)) + element;
}

void append_fast(ResultWriter& w, std::uint64_t row) {
  std::byte bytes[8 + 24 + 8 + 8]{};
  const double t = 0.1 * static_cast<double>(row);
  std::memcpy(bytes, &t, 8);
  for (int i = 0; i < 3; ++i) {
    const double v = omega_of(row, i);
    std::memcpy(bytes + 8 + 8 * i, &v, 8);
  }
  const auto mode = static_cast<std::int64_t>(row / 7);
  std::memcpy(bytes + 32, &mode, 8);
  bytes[40] = std::byte(row % 2);
  w.append(0, bytes);
}

void append_slow(ResultWriter& w, std::uint64_t row) {
  const double values[2] = {static_cast<double>(row), -static_cast<double>(row)};
  w.append(1, std::as_bytes(std::span(values)));
}

/// Checks every available row; returns their number.
std::uint64_t expect_true_rows(const ResultReader& r, std::string_view signal) {
  const Signal* s = r.find(signal);
  if (s == nullptr) {
    ADD_FAILURE() << "no signal " << signal;
    return 0;
  }
  const Series series = r.read(*s);
  std::uint64_t wrong = 0;
  for (std::uint64_t k = 0; k < s->rows; ++k) {
    if (signal == "plant.omega") {
      wrong += series.time[k] != 0.1 * static_cast<double>(k);
      for (int i = 0; i < 3; ++i) wrong += series.values[3 * k + i] != omega_of(k, i);
    } else if (signal == "supervisor.mode") {
      wrong += series.values[k] != static_cast<double>(k / 7);
    } else if (signal == "supervisor.armed") {
      wrong += series.values[k] != static_cast<double>(k % 2);
    } else {
      wrong += series.values[k] != -static_cast<double>(k) || series.time[k] != double(k);
    }
  }
  EXPECT_EQ(wrong, 0u) << signal << " of " << s->rows << " rows";
  return s->rows;
}

TEST(ResultFile, GivesBackEveryRowWithUnitsFramesAndNames) {
  const TemporaryFolder folder;
  {
    ResultWriter w(folder / "results.h5", small_layout());
    for (std::uint64_t k = 0; k < 2500; ++k) append_fast(w, k);
    for (std::uint64_t k = 0; k < 3; ++k) append_slow(w, k);
    w.close();
  }
  EXPECT_FALSE(std::filesystem::exists(folder / "results.h5.lock"));
  const ResultReader r(folder.path());
  EXPECT_EQ(r.version(), "0.1.0");
  EXPECT_EQ(r.composition(), "test");
  EXPECT_EQ(r.start(), "2030-01-01T00:00:00Z");
  EXPECT_FALSE(r.running());
  ASSERT_EQ(r.signals().size(), 4u);
  EXPECT_EQ(r.signals()[0].spec.path, "bus.wheel1.speed");
  const Signal& omega = *r.find("plant.omega");
  EXPECT_EQ(omega.spec.unit, "rad/s");
  EXPECT_EQ(omega.spec.frame, "body");
  EXPECT_EQ(omega.spec.description, "angular velocity");
  EXPECT_EQ(omega.spec.count, 3u);
  EXPECT_EQ(omega.rate, "10 every 1 s");
  EXPECT_EQ(omega.group, r.find("supervisor.mode")->group);
  EXPECT_NE(omega.group, r.find("bus.wheel1.speed")->group);
  EXPECT_EQ(expect_true_rows(r, "plant.omega"), 2500u);
  EXPECT_EQ(expect_true_rows(r, "supervisor.mode"), 2500u);
  EXPECT_EQ(expect_true_rows(r, "supervisor.armed"), 2500u);
  EXPECT_EQ(expect_true_rows(r, "bus.wheel1.speed"), 3u);
}

TEST(ResultFile, CanBeReadWhileItIsWritten) {
  const TemporaryFolder folder;
  ResultWriter w(folder / "results.h5", small_layout());
  for (std::uint64_t k = 0; k < 100; ++k) append_fast(w, k);
  w.flush();
  ResultReader r(folder.path());
  EXPECT_TRUE(r.running());
  EXPECT_EQ(expect_true_rows(r, "plant.omega"), 100u);
  for (std::uint64_t k = 100; k < 5000; ++k) append_fast(w, k);
  w.flush();
  r.refresh();
  EXPECT_EQ(expect_true_rows(r, "plant.omega"), 5000u);
  w.close();
  r.refresh();
  EXPECT_FALSE(r.running());
  EXPECT_EQ(expect_true_rows(r, "plant.omega"), 5000u);
}

/// Rows are appended, cut back to `kept`, and appended again.
void expect_continued(std::uint64_t written, std::uint64_t kept, bool closed) {
  SCOPED_TRACE(::testing::Message() << kept << " of " << written << (closed ? ", closed" : ""));
  const TemporaryFolder folder;
  const path file = folder / "results.h5";
  constexpr std::uint64_t end = 4000;
  const auto begun = [&] {
    ResultWriter w(file, small_layout());
    for (std::uint64_t k = 0; k < written; ++k) append_fast(w, k);
    append_slow(w, 0);
    w.flush();
    if (!closed) _exit(0);  // as if it was killed
    w.close();
  };
  if (closed) {
    begun();
  } else if (const pid_t child = fork(); child == 0) {
    begun();
  } else {
    ASSERT_EQ(waitpid(child, nullptr, 0), child);
    ASSERT_TRUE(repair(file));
  }
  EXPECT_EQ(recorded_rows(file), (std::vector<std::uint64_t>{written, 1}));
  {
    const std::uint64_t rows[] = {kept, 1};
    ResultWriter w(file, small_layout(), rows);
    EXPECT_EQ(w.rows(0), kept);
    for (std::uint64_t k = kept; k < end; ++k) append_fast(w, k);
    w.flush();
    ResultReader r(folder.path());
    EXPECT_TRUE(r.running());
    EXPECT_EQ(expect_true_rows(r, "plant.omega"), end);
    append_slow(w, 1);
    w.close();
  }
  const ResultReader r(folder.path());
  EXPECT_FALSE(r.running());
  for (const char* signal : {"plant.omega", "supervisor.mode", "supervisor.armed"})
    EXPECT_EQ(expect_true_rows(r, signal), end) << signal;
  EXPECT_EQ(expect_true_rows(r, "bus.wheel1.speed"), 2u);
  EXPECT_FALSE(std::filesystem::exists(folder / "results.h5.lock"));
}

TEST(ResultFile, ContinuesAfterRowsThatWereCutBack) {
  for (const bool closed : {true, false})
    for (const std::uint64_t kept : {0, 1, 100, 1023, 1024, 1025, 2048, 2500})
      expect_continued(2500, kept, closed);
}

TEST(ResultFile, GivesBackRowsAsTheyWereAppended) {
  const TemporaryFolder folder;
  ResultWriter w(folder / "results.h5", small_layout());
  for (std::uint64_t k = 0; k < 5; ++k) append_slow(w, k);
  w.flush();
  const std::vector<std::byte> rows = w.read_back(1, 3, 10);
  ASSERT_EQ(rows.size(), 2 * w.row(1).bytes);
  double values[4];
  std::memcpy(values, rows.data(), sizeof values);
  EXPECT_THAT(values, ::testing::ElementsAre(3.0, -3.0, 4.0, -4.0));
}

TEST(ResultFile, IsNotContinuedWithoutItsRowsOrWithOtherSignals) {
  const TemporaryFolder folder;
  const path file = folder / "results.h5";
  {
    ResultWriter w(file, small_layout());
    for (std::uint64_t k = 0; k < 10; ++k) append_fast(w, k);
    w.close();
  }
  const auto refusal = [&](const ResultLayout& layout, std::vector<std::uint64_t> rows) {
    try {
      ResultWriter w(file, layout, rows);
    } catch (const ConfigurationError& e) {
      EXPECT_EQ(e.diagnostics().list()[0].code, "V7136");
      return e.diagnostics().list()[0].message;
    }
    return std::string();
  };
  EXPECT_THAT(refusal(small_layout(), {11, 0}), ::testing::HasSubstr("it lacks rows"));
  EXPECT_THAT(refusal(small_layout(), {10}), ::testing::HasSubstr("another number of groups"));
  ResultLayout other = small_layout();
  other.groups[1].signals[0].count = 2;
  EXPECT_THAT(refusal(other, {10, 0}), ::testing::HasSubstr("another signal"));
  other.groups[1].signals[0].path = "nothing";
  EXPECT_NE(refusal(other, {10, 0}), "");
  // and it is as it was
  EXPECT_EQ(expect_true_rows(ResultReader(folder.path()), "plant.omega"), 10u);
}

TEST(ResultFile, KeepsExtremesWhenThinned) {
  const TemporaryFolder folder;
  constexpr std::uint64_t rows = 200'000, spike = 123'457;
  {
    ResultLayout layout;
    layout.groups.push_back({{}, {{"a.b"}}});
    ResultWriter w(folder / "results.h5", layout);
    for (std::uint64_t k = 0; k < rows; ++k) {
      const double v[2] = {static_cast<double>(k), k == spike ? 1e6 : std::sin(1e-3 * double(k))};
      w.append(0, std::as_bytes(std::span(v)));
    }
  }
  const ResultReader r(folder.path());
  const Trace thin = r.trace(*r.find("a.b"), 0, 1000);
  EXPECT_LE(thin.time.size(), 1002u);
  EXPECT_EQ(*std::max_element(thin.values.begin(), thin.values.end()), 1e6);
  EXPECT_TRUE(std::is_sorted(thin.time.begin(), thin.time.end()));
  EXPECT_EQ(thin.time.front(), 0.0);
  EXPECT_EQ(thin.time.back(), static_cast<double>(rows - 1));
  EXPECT_EQ(r.trace(*r.find("a.b"), 0).time.size(), rows);
}

TEST(ResultFile, RefusesSignalsThatTakeEachOthersPlace) {
  const TemporaryFolder folder;
  ResultLayout layout;
  layout.groups.push_back({{}, {{"a.b"}, {"a.b.value"}}});
  EXPECT_THROW(ResultWriter(folder / "one.h5", layout), ConfigurationError);
  layout.groups[0].signals[1].path = "a.b";
  EXPECT_THROW(ResultWriter(folder / "two.h5", layout), ConfigurationError);
}

TEST(ResultFile, IsNeverOverwritten) {
  const TemporaryFolder folder;
  { const ResultWriter w(folder / "results.h5", small_layout()); }
  EXPECT_THROW(ResultWriter(folder / "results.h5", small_layout()), ConfigurationError);
}

TEST(ResultReader, SelectsByPatternAndElement) {
  const TemporaryFolder folder;
  { const ResultWriter w(folder / "results.h5", small_layout()); }
  const ResultReader r(folder.path());
  const auto all = r.select({"supervisor.*", "plant.omega[2]", "supervisor.mode"});
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(all[0].name(), "supervisor.armed");
  EXPECT_EQ(all[1].name(), "supervisor.mode");
  EXPECT_EQ(all[2].name(), "plant.omega[2]");
  EXPECT_THROW(r.select({"plant.omega[3]"}), ConfigurationError);
  try {
    r.select({"plant.omgea"});
    FAIL();
  } catch (const ConfigurationError& e) {
    EXPECT_EQ(e.diagnostics().list()[0].notes[0], "did you mean plant.omega?");
  }
}

TEST(ResultReader, SaysWhyAFileIsNotReadable) {
  const TemporaryFolder folder;
  EXPECT_THROW(ResultReader(folder.path()), ConfigurationError);
  std::ofstream(folder / "results.h5") << "not HDF5 at all";
  EXPECT_THROW(ResultReader(folder.path()), ConfigurationError);
}

/// Whether h5py can read the file; the script checks the content. Debian's python3 has h5py
/// (packages.txt), whichever python3 comes first in the path.
bool h5py_reads(const path& file, std::uint64_t rows, const std::string& mode = "") {
  const std::string python =
      std::filesystem::exists("/usr/bin/python3") ? "/usr/bin/python3" : "python3";
  const std::string command = python + " " +
                              VERNIER_SOURCE_DIR "/vernier/run/record/h5py_test.py '" +
                              file.string() + "' " + std::to_string(rows) + " " + mode;
  return std::system(command.c_str()) == 0;
}

TEST(ResultFile, IsReadByOthersWhileItIsWrittenAndAfterwards) {
  const TemporaryFolder folder;
  const path file = folder / "results.h5";
  ResultWriter w(file, small_layout());
  for (std::uint64_t k = 0; k < 3000; ++k) append_fast(w, k);
  w.flush();
  EXPECT_TRUE(h5py_reads(file, 3000, "swmr"));
  w.close();
  EXPECT_TRUE(h5py_reads(file, 3000));
}

/// A child that writes rows endlessly, flushing as the recorder does, and reports through a pipe
/// how many rows the last flush had. Never returns.
[[noreturn]] void write_until_killed(const path& file, int pipe, std::uint64_t rows_per_flush) {
  ResultWriter w(file, small_layout());
  for (std::uint64_t k = 0;; ++k) {
    append_fast(w, k);
    if (k % 10 == 0) append_slow(w, k / 10);
    if ((k + 1) % rows_per_flush == 0) {
      w.flush();
      const std::uint64_t safe = k + 1;
      if (::write(pipe, &safe, sizeof safe) != sizeof safe) ::_exit(1);
    }
  }
}

/// Kills a writer `wait` after it reported its `flushes`-th flush; returns how many rows it had
/// flushed.
std::uint64_t killed_after(const path& file, int flushes, std::chrono::microseconds wait,
                           std::uint64_t rows_per_flush) {
  int ends[2];
  EXPECT_EQ(::pipe(ends), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    ::close(ends[0]);
    write_until_killed(file, ends[1], rows_per_flush);
  }
  ::close(ends[1]);
  std::uint64_t safe = 0, heard = 0;
  const auto hear = [&] {
    if (::read(ends[0], &heard, sizeof heard) != sizeof heard) return false;
    safe = heard;
    return true;
  };
  for (int k = 0; k < flushes; ++k) EXPECT_TRUE(hear());
  std::thread executioner([&] {
    std::this_thread::sleep_for(wait);
    ::kill(child, SIGKILL);
  });
  while (hear()) continue;
  ::close(ends[0]);
  executioner.join();
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
  return safe;
}

/// Checks the results of a killed writer that had flushed `safe` rows: read as if the writer were
/// alive, then as found afterwards. Returns the number of rows.
std::uint64_t expect_left_by_killed(const path& folder, std::uint64_t safe) {
  const auto expect_true = [&](std::uint64_t least) {
    const ResultReader r(folder);
    const std::uint64_t rows = expect_true_rows(r, "plant.omega");
    EXPECT_GE(rows, least);
    EXPECT_EQ(expect_true_rows(r, "supervisor.mode"), rows);
    EXPECT_EQ(expect_true_rows(r, "supervisor.armed"), rows);
    EXPECT_GE(expect_true_rows(r, "bus.wheel1.speed") * 10 + 10, least);
    return rows;
  };
  {
    const WriterLock held(folder / "results.h5");
    EXPECT_TRUE(ResultReader(folder).running());
    expect_true(0);  // a write in progress may hide some for the moment
  }
  EXPECT_FALSE(ResultReader(folder).running());
  return expect_true(safe);
}

TEST(ResultFile, IsReadableUpToTheLastFlushWheneverTheWriterIsKilled) {
  std::mt19937 random(20300101);  // the moments vary anyway; the seed fixes their distribution
  for (int round = 0; round < 30; ++round) {
    const TemporaryFolder folder;
    const path file = folder / "results.h5";
    // from before there is any data, to the middle of its work
    const int flushes = round % 5;
    const auto wait = std::chrono::microseconds(std::uniform_int_distribution(0, 10'000)(random));
    const std::uint64_t safe = killed_after(file, flushes, wait, round % 2 ? 77 : 5000);
    if (!std::filesystem::exists(file)) {
      EXPECT_EQ(flushes, 0);
      EXPECT_EQ(safe, 0u);
      continue;
    }
    EXPECT_GE(expect_left_by_killed(folder.path(), safe), safe);
    EXPECT_GE(safe, flushes * (round % 2 ? 77u : 5000u));
  }
}

/// One call of pwrite, as the kernel saw it.
struct Write {
  bool journal;  // the lock file; otherwise the results
  off_t at;
  std::vector<char> bytes;
  std::uint64_t safe;  // rows flushed before
};
std::vector<Write>* seen = nullptr;  // while recording
std::uint64_t flushed = 0;

TEST(ResultFile, IsReadableUpToTheLastFlushWhereverItsWritesAreCut) {
  // Exhaustive, where the test above is random: repeats the writes of a short run one by one, and
  // also
  // cuts each write that spans pages at every page boundary, as a kill does.
  const TemporaryFolder folder, again;
  const path file = folder / "results.h5", copy = again / "results.h5";
  std::vector<Write> writes;
  {
    ResultWriter w(file, small_layout());
    std::filesystem::copy_file(file, copy);
    seen = &writes;
    flushed = 0;
    // first frequent, then rare flushes: index blocks are rewritten while they fill
    for (std::uint64_t k = 0; k < 40'000; ++k) {
      append_fast(w, k);
      if (k % 10 == 0) append_slow(w, k / 10);
      if ((k + 1) % (k < 3000 ? 77 : 5000) != 0) continue;
      w.flush();
      flushed = k + 1;
    }
    seen = nullptr;
  }
  const auto put = [&](const path& to, const Write& w, std::size_t size) {
    const path target = w.journal ? to.string() + ".lock" : to.string();
    std::fstream f(target, std::ios::binary | std::ios::in | std::ios::out);
    f.seekp(w.at);
    f.write(w.bytes.data(), static_cast<std::streamsize>(size));
    EXPECT_TRUE(f.good());
  };
  std::ofstream(copy.string() + ".lock");
  int cut = 0, of_journal = 0;
  for (std::size_t n = 0; n < writes.size(); ++n) {
    const Write& w = writes[n];
    const auto try_with = [&](std::size_t size) {
      const TemporaryFolder killed;
      for (const char* name : {"results.h5", "results.h5.lock"})
        std::filesystem::copy_file(again / name, killed / name);
      put(killed / "results.h5", w, size);
      expect_left_by_killed(killed.path(), w.safe);
    };
    const auto size = static_cast<off_t>(w.bytes.size());
    const bool rows = !w.journal && size >= 1024;  // chunks: truncated, only old rows show
    if (n % 29 == 0 || (w.journal && size > 100)) try_with(0);
    for (off_t edge = (w.at / 4096 + 1) * 4096; edge < w.at + size; edge += 4096) {
      if (rows && n % 29 != 0) continue;
      try_with(static_cast<std::size_t>(edge - w.at));
      ++cut;
    }
    if (w.journal && size > 100) {  // also cut inside its page, which only a fault can do
      try_with(100);
      ++of_journal;
    }
    put(copy, w, w.bytes.size());
    if (HasFailure()) FAIL() << "write " << n << " of " << writes.size();
  }
  EXPECT_GT(cut, 20);
  EXPECT_GT(of_journal, 3);
}

TEST(ResultFile, CanBeContinuedAgainWhereverItsBeginningIsCut) {
  // who continues a file may be killed while it removes the rows that are not kept
  const TemporaryFolder folder, again;
  const path file = folder / "results.h5", copy = again / "results.h5";
  const std::vector<std::uint64_t> kept{2500, 150};
  {
    ResultWriter w(file, small_layout());
    for (std::uint64_t k = 0; k < 40'000; ++k) {
      append_fast(w, k);
      if (k % 10 == 0) append_slow(w, k / 10);
    }
    w.close();
  }
  std::filesystem::copy_file(file, copy);
  std::ofstream(copy.string() + ".lock");
  std::vector<Write> writes;
  seen = &writes;
  { ResultWriter w(file, small_layout(), kept); }
  seen = nullptr;
  ASSERT_GT(writes.size(), 10u);
  const auto put = [](const path& to, const Write& w, std::size_t size) {
    std::fstream f(w.journal ? to.string() + ".lock" : to.string(),
                   std::ios::binary | std::ios::in | std::ios::out);
    f.seekp(w.at);
    f.write(w.bytes.data(), static_cast<std::streamsize>(size));
    EXPECT_TRUE(f.good());
  };
  for (std::size_t n = 0; n < writes.size() && !HasFailure(); ++n) {
    SCOPED_TRACE(n);
    const auto try_with = [&](std::size_t size) {
      const TemporaryFolder killed;
      for (const char* name : {"results.h5", "results.h5.lock"})
        std::filesystem::copy_file(again / name, killed / name);
      const path left = killed / "results.h5";
      put(left, writes[n], size);
      ASSERT_TRUE(repair(left));
      const std::vector<std::uint64_t> rows = recorded_rows(left);
      ASSERT_EQ(rows.size(), 2u);
      EXPECT_GE(rows[0], kept[0]);
      EXPECT_GE(rows[1], kept[1]);
      { ResultWriter w(left, small_layout(), kept); }
      const ResultReader r(killed.path());
      EXPECT_EQ(expect_true_rows(r, "plant.omega"), kept[0]);
      EXPECT_EQ(expect_true_rows(r, "supervisor.mode"), kept[0]);
      EXPECT_EQ(expect_true_rows(r, "bus.wheel1.speed"), kept[1]);
    };
    const Write& w = writes[n];
    try_with(0);
    const auto end = w.at + static_cast<off_t>(w.bytes.size());
    for (off_t edge = (w.at / 4096 + 1) * 4096; edge < end; edge += 4096)
      try_with(static_cast<std::size_t>(edge - w.at));
    put(copy, w, w.bytes.size());
  }
}

TEST(ResultFile, ContinuesWhileAnotherProgramHasItOpen) {
  const TemporaryFolder folder;
  const path file = folder / "results.h5";
  {
    ResultWriter w(file, small_layout());
    for (std::uint64_t k = 0; k < 100; ++k) append_fast(w, k);
    w.close();
  }
  int ready[2], over[2];
  ASSERT_EQ(::pipe(ready), 0);
  ASSERT_EQ(::pipe(over), 0);
  char word = 0;
  const pid_t viewer = ::fork();
  if (viewer == 0) {
    const ResultReader r(folder.path());
    const bool told = ::write(ready[1], &word, 1) == 1 && ::read(over[0], &word, 1) == 1;
    ::_exit(told ? 0 : 1);
  }
  ASSERT_EQ(::read(ready[0], &word, 1), 1);
  {
    const std::uint64_t rows[] = {50, 0};
    ResultWriter w(file, small_layout(), rows);
    for (std::uint64_t k = 50; k < 200; ++k) append_fast(w, k);
    w.close();
  }
  ASSERT_EQ(::write(over[1], &word, 1), 1);
  int status = 1;
  ::waitpid(viewer, &status, 0);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(expect_true_rows(ResultReader(folder.path()), "plant.omega"), 200u);
}

TEST(ResultFile, IsReadByOthersAfterTheWriterWasKilled) {
  const TemporaryFolder folder;
  const path file = folder / "results.h5";
  const std::uint64_t safe = killed_after(file, 20, std::chrono::milliseconds(1), 500);
  EXPECT_TRUE(h5py_reads(file, safe, "swmr"));  // as it was left
  EXPECT_TRUE(repair(file));
  EXPECT_TRUE(h5py_reads(file, safe));  // as any other file
  EXPECT_FALSE(std::filesystem::exists(file.string() + ".lock"));
}

TEST(ResultFile, KeepsWhatWasFlushedWhenTheDiskIsFull) {
  const TemporaryFolder folder;
  const path file = folder / "results.h5";
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    // a limit on file sizes simulates a full disk: writing fails, nothing else changes
    ::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{400'000, 400'000};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    std::uint64_t safe = 0;
    try {
      ResultWriter w(file, small_layout());
      for (std::uint64_t k = 0; k < 100'000; ++k) {
        append_fast(w, k);
        if (k % 500 != 0) continue;
        w.flush();
        safe = k + 1;
      }
      ::_exit(2);
    } catch (const ConfigurationError& e) {
      const bool named = e.diagnostics().list()[0].code == "V7104";
      const ResultReader here(folder.path());  // also in the process that failed
      if (here.find("plant.omega")->rows < safe) ::_exit(4);
      if (!named || ::write(ends[1], &safe, sizeof safe) != sizeof safe) ::_exit(3);
    }
    ::_exit(0);
  }
  ::close(ends[1]);
  std::uint64_t safe = 0;
  ASSERT_EQ(::read(ends[0], &safe, sizeof safe), static_cast<ssize_t>(sizeof safe));
  ::close(ends[0]);
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  EXPECT_GT(safe, 1000u);
  const ResultReader r(folder.path());
  EXPECT_GE(expect_true_rows(r, "plant.omega"), safe);
}

}  // namespace

/// For the function below.
void note_write(int file, const void* bytes, std::size_t size, off_t at) {
  if (seen == nullptr) return;
  std::error_code ignored;
  const path name = std::filesystem::read_symlink("/proc/self/fd/" + std::to_string(file), ignored);
  if (name.filename().string().rfind("results.h5", 0) != 0) return;
  const auto* first = static_cast<const char*>(bytes);
  seen->push_back({name.extension() == ".lock", at, {first, first + size}, flushed});
}

}  // namespace vernier::record

/// Replaces the C library's function in this program, including HDF5.
extern "C" ssize_t pwrite(int file, const void* bytes, std::size_t size, off_t at) {
  vernier::record::note_write(file, bytes, size, at);
  return ::syscall(SYS_pwrite64, file, bytes, size, at);
}
