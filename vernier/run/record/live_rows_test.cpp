#include "vernier/run/record/live_rows.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <fstream>
#include <optional>
#include <thread>

#include "vernier/base/diagnostic.hpp"
#include "vernier/base/temporary_folder.hpp"
#include "vernier/run/record/recorder.hpp"
#include "vernier/run/record/result_reader.hpp"
#include "vernier/run/record/run_folder.hpp"
#include "vernier/testing/files.hpp"

namespace vernier::record {
namespace {

ResultLayout live_layout() {
  ResultLayout layout{"1.2", "tumble", "now", {}};
  layout.groups.push_back({{10, 1},
                           {{.path = "plant.omega", .unit = "rad/s", .frame = "B", .count = 3},
                            {.path = "plant.mode", .scalar = Scalar::integer, .held = true}}});
  layout.groups.push_back(
      {{}, {{.path = "bus.on", .description = "ü", .scalar = Scalar::boolean}}});
  return layout;
}

/// A row of which every word says its number.
std::vector<std::byte> numbered(std::size_t bytes, std::uint64_t number) {
  std::vector<std::byte> row(bytes);
  const auto value = static_cast<double>(number);
  for (std::size_t i = 0; i < bytes; i += 8) store(row.data() + i, value);
  return row;
}

bool is_numbered(const LiveRowReader::Row& r) {
  const std::vector<std::byte> expected = numbered(r.bytes.size(), r.number);
  return r.time == static_cast<double>(r.number) &&
         std::equal(r.bytes.begin(), r.bytes.end(), expected.begin());
}

/// What a reader found out about a group of numbered rows.
struct Seen {
  std::uint64_t rows = 0, lost = 0, wrong = 0;
  std::optional<std::uint64_t> first, last;

  void poll(LiveRowReader& r, std::size_t group) {
    lost += r.poll([&](const LiveRowReader::Row& row) {
      if (row.group != group) return;
      wrong += !is_numbered(row) || (last && row.number <= *last);
      if (!first) first = row.number;
      last = row.number;
      ++rows;
    });
  }
};

std::string live_refusal(const std::filesystem::path& folder) {
  try {
    LiveRowReader r(folder);
  } catch (const ConfigurationError& e) {
    EXPECT_EQ(e.diagnostics().list()[0].code, "V7101");
    return e.diagnostics().list()[0].message;
  }
  return "";
}

TEST(LiveRows, ShowTheSameSignalsAndRowsAsTheRecorderHas) {
  const TemporaryFolder folder;
  const ResultLayout layout = live_layout();
  LiveRowWriter w(folder.path(), layout);
  LiveRowReader r(folder.path());
  EXPECT_EQ(r.layout().version, "1.2");
  EXPECT_EQ(r.layout().composition, "tumble");
  EXPECT_EQ(r.layout().start, "now");
  ASSERT_EQ(r.layout().groups.size(), 2u);
  for (std::size_t g = 0; g < 2; ++g) {
    EXPECT_EQ(r.layout().groups[g].rate, layout.groups[g].rate);
    ASSERT_EQ(r.layout().groups[g].signals.size(), layout.groups[g].signals.size());
    for (std::size_t i = 0; i < layout.groups[g].signals.size(); ++i) {
      const SignalSpec &a = r.layout().groups[g].signals[i], &b = layout.groups[g].signals[i];
      EXPECT_EQ(a.path, b.path);
      EXPECT_EQ(a.unit, b.unit);
      EXPECT_EQ(a.frame, b.frame);
      EXPECT_EQ(a.description, b.description);
      EXPECT_EQ(a.count, b.count);
      EXPECT_EQ(a.scalar, b.scalar);
      EXPECT_EQ(a.held, b.held);
    }
  }
  for (std::uint64_t n = 0; n < 5; ++n) w.append(0, numbered(r.row(0).bytes, n));
  w.append(1, numbered(r.row(1).bytes, 0));
  Seen before, first, second, again;
  before.poll(r, 0);
  EXPECT_EQ(before.rows, 0u);  // not published yet
  w.publish({.events = 3, .dropped = 4, .recording = false});
  first.poll(r, 0);
  EXPECT_EQ(first.rows, 5u);
  EXPECT_EQ(first.first, 0u);
  EXPECT_EQ(first.wrong + first.lost, 0u);
  EXPECT_EQ(r.counts(), (LiveCounts{.events = 3, .dropped = 4, .recording = false}));
  EXPECT_EQ(r.written(1), 1u);
  again.poll(r, 0);
  EXPECT_EQ(again.rows + again.lost, 0u);
  LiveRowReader late(folder.path());
  second.poll(late, 1);
  EXPECT_EQ(second.rows, 1u);
  EXPECT_EQ(second.wrong, 0u);
  EXPECT_FALSE(r.over());
}

TEST(LiveRows, OfARunThatContinuesHaveTheirNumbersAndBeginWithEarlierRows) {
  for (const std::uint64_t before : {0, 5, 10'000}) {
    const TemporaryFolder folder;
    const ResultLayout layout = live_layout();
    const std::size_t bytes = RowLayout(layout.groups[0]).bytes;
    const EarlierRows earlier({before, 0},
                              [&](std::size_t group, std::uint64_t first, std::uint64_t count) {
                                EXPECT_EQ(group, 0u);
                                std::vector<std::byte> rows;
                                for (std::uint64_t k = first; k < first + count; ++k)
                                  for (const std::byte b : numbered(bytes, k)) rows.push_back(b);
                                return rows;
                              });
    LiveRowWriter w(folder.path(), layout, 64 << 10, earlier);
    LiveRowReader r(folder.path());
    EXPECT_EQ(r.written(0), before);
    Seen seen;
    seen.poll(r, 0);
    for (std::uint64_t k = before; k < before + 20; ++k) w.append(0, numbered(bytes, k));
    w.publish({});
    seen.poll(r, 0);
    EXPECT_EQ(seen.wrong, 0u);
    EXPECT_EQ(seen.last, before + 19);
    EXPECT_GE(seen.rows, std::min<std::uint64_t>(before, 500) + 20);
  }
}

TEST(LiveRows, AreReadAsTheFormatSaysAlsoFromAnotherWriter) {
  // written by a script from the text of formats/live: row k is at k/2 s, element e of signal i is
  // k + 10 i + e/4
  const TemporaryFolder folder;
  std::filesystem::copy_file(VERNIER_SOURCE_DIR "/formats/live/corpus/two_groups",
                             live_file(folder.path()));
  LiveRowReader r(folder.path());
  EXPECT_TRUE(r.over());  // nobody holds the lock
  EXPECT_EQ(r.layout().composition, "example");
  std::vector<std::uint64_t> rows[2];
  EXPECT_EQ(r.poll([&](const LiveRowReader::Row& row) {
    rows[row.group].push_back(row.number);
    EXPECT_EQ(row.time, 0.5 * static_cast<double>(row.number));
    if (row.group == 1) return;
    const auto n = static_cast<std::int64_t>(row.number);
    const auto& columns = r.row(0).columns;
    EXPECT_EQ(load<double>(row.bytes.data() + columns[0].offset + 16), double(n) + 0.5);
    EXPECT_EQ(load<std::int64_t>(row.bytes.data() + columns[1].offset), n + 10);
    EXPECT_EQ(load<std::uint8_t>(row.bytes.data() + columns[2].offset + 2), n % 2);
  }),
            0u);
  EXPECT_EQ(rows[0], (std::vector<std::uint64_t>{4, 5, 6, 7, 8, 9, 10}));  // of 11: 8, less 1
  EXPECT_EQ(rows[1], (std::vector<std::uint64_t>{0, 1, 2}));
  EXPECT_EQ(r.counts(), (LiveCounts{.events = 7, .dropped = 2, .recording = true}));
}

TEST(LiveRows, CountWhatWasOverwrittenBeforeItWasRead) {
  const TemporaryFolder folder;
  LiveRowWriter w(folder.path(), live_layout(), 1);  // room for eight rows
  LiveRowReader r(folder.path());
  Seen seen;
  for (std::uint64_t n = 0; n < 3; ++n) w.append(0, numbered(r.row(0).bytes, n));
  w.publish({});
  seen.poll(r, 0);
  EXPECT_EQ(seen.rows, 3u);
  for (std::uint64_t n = 3; n < 100; ++n) w.append(0, numbered(r.row(0).bytes, n));
  w.publish({});
  seen.poll(r, 0);
  EXPECT_EQ(seen.wrong, 0u);
  EXPECT_EQ(seen.last, 99u);
  EXPECT_EQ(seen.rows, 3u + 7u);  // the oldest of eight may be overwritten at any time
  EXPECT_EQ(seen.rows + seen.lost, 100u);
}

TEST(LiveRows, AreNeverTornHoweverFastTheWriterIs) {
  const TemporaryFolder folder;
  constexpr std::uint64_t total = 60'000;
  constexpr std::size_t readers = 3;
  std::optional<LiveRowWriter> w;
  w.emplace(folder.path(), live_layout(), 1);  // overwritten all the time
  std::vector<Seen> seen(readers);
  std::vector<std::thread> threads;
  std::atomic<std::size_t> ready{0};
  for (Seen& s : seen) {
    threads.emplace_back([&] {
      LiveRowReader r(folder.path());
      ready.fetch_add(1);
      while (!r.over()) s.poll(r, 0);
      s.poll(r, 0);
    });
  }
  while (ready.load() < readers) std::this_thread::yield();
  const std::size_t bytes = RowLayout(live_layout().groups[0]).bytes;
  for (std::uint64_t n = 0; n < total; ++n) {
    w->append(0, numbered(bytes, n));
    if (n % 3 == 0) w->publish({});
  }
  EXPECT_TRUE(w->good());
  w.reset();
  for (std::thread& t : threads) t.join();
  for (const Seen& s : seen) {
    EXPECT_EQ(s.wrong, 0u);
    EXPECT_EQ(s.rows + s.lost, total);
    EXPECT_EQ(s.last, total - 1);
  }
}

TEST(LiveRows, AreGoneWhenTheRunIsOverExceptForThoseWhoReadThem) {
  const TemporaryFolder folder;
  std::optional<LiveRowWriter> w;
  w.emplace(folder.path(), live_layout());
  struct stat status {};
  ASSERT_EQ(::stat(live_file(folder.path()).c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600u);
  LiveRowReader r(folder.path());
  w->append(0, numbered(r.row(0).bytes, 0));
  EXPECT_FALSE(r.over());
  EXPECT_FALSE(remove_dead_live_file(folder.path()));
  w.reset();
  EXPECT_TRUE(r.over());
  Seen seen;
  seen.poll(r, 0);
  EXPECT_EQ(seen.rows, 1u);
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
  EXPECT_NE(live_refusal(folder.path()).find("the run is not running"), std::string::npos);
}

TEST(LiveRows, OfAKilledRunAreReadableAndRemovedByRepair) {
  const TemporaryFolder folder;
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    LiveRowWriter w(folder.path(), live_layout());
    const std::size_t bytes = RowLayout(live_layout().groups[0]).bytes;
    for (std::uint64_t n = 0; n < 10; ++n) w.append(0, numbered(bytes, n));
    w.publish({});
    if (::write(ends[1], "x", 1) != 1) ::_exit(1);
    ::pause();
  }
  char ready = 0;
  ASSERT_EQ(::read(ends[0], &ready, 1), 1);
  LiveRowReader r(folder.path());
  EXPECT_FALSE(r.over());
  EXPECT_FALSE(remove_dead_live_file(folder.path()));
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  ::close(ends[0]);
  ::close(ends[1]);
  EXPECT_TRUE(r.over());
  Seen seen;
  seen.poll(r, 0);
  EXPECT_EQ(seen.rows, 10u);
  EXPECT_EQ(seen.wrong, 0u);
  EXPECT_EQ(repair_run(folder.path()), 1u);
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST(LiveRows, RefusesFilesThatAreForeignOrDamaged) {
  const TemporaryFolder folder;
  const auto file = live_file(folder.path());
  std::string good;
  {
    LiveRowWriter w(folder.path(), live_layout(), 1);
    w.append(0, numbered(RowLayout(live_layout().groups[0]).bytes, 0));
    w.publish({});
    good = testing::content(file);
  }
  const auto put = [&](const std::string& bytes) {
    std::ofstream(file, std::ios::binary | std::ios::trunc) << bytes;
  };
  put(good);
  EXPECT_EQ(live_refusal(folder.path()), "");
  put("a text\n" + good);
  EXPECT_NE(live_refusal(folder.path()).find("Vernier did not write it"), std::string::npos);
  std::string other = good;
  other[8] = 2;
  put(other);
  EXPECT_NE(live_refusal(folder.path()).find("version 2; this program reads version 1"),
            std::string::npos);
  for (std::size_t length = 0; length < good.size(); length = length * 5 / 4 + 1) {
    put(good.substr(0, length));
    EXPECT_NE(live_refusal(folder.path()), "") << length;
  }
  // whatever a byte becomes, rows come from the file or there are none
  std::size_t refused = 0;
  for (std::size_t at = 0; at < 400; ++at) {
    other = good;
    other[at] = static_cast<char>(other[at] ^ 0x41);
    put(other);
    try {
      LiveRowReader r(folder.path());
      std::uint64_t rows = 0;
      r.poll([&](const auto&) { ++rows; });
      EXPECT_LE(rows, good.size());
    } catch (const ConfigurationError&) {
      ++refused;
    }
  }
  EXPECT_GT(refused, 100u);
  std::filesystem::remove(file);
  std::filesystem::create_directory(file);
  EXPECT_NE(live_refusal(folder.path()), "");
}

TEST(LiveRows, AreNotReadBeyondAFileThatIsCutWhileItIsOpen) {
  const TemporaryFolder folder;
  LiveRowWriter w(folder.path(), live_layout());
  LiveRowReader r(folder.path());
  w.append(0, numbered(r.row(0).bytes, 0));
  std::filesystem::resize_file(live_file(folder.path()), 100);
  Seen seen;
  seen.poll(r, 0);  // a mapping of the file would raise SIGBUS here
  EXPECT_EQ(seen.rows, 0u);
  w.publish({});
  EXPECT_TRUE(w.good());
}

TEST(LiveRows, AreNotWrittenWhereThereIsNoRoom) {
  const TemporaryFolder folder;
  EXPECT_THROW(LiveRowWriter(folder / "nowhere", live_layout()), ConfigurationError);
  const pid_t child = ::fork();
  if (child == 0) {
    const rlimit limit{10'000, 10'000};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    try {
      LiveRowWriter w(folder.path(), live_layout());
      ::_exit(1);
    } catch (const ConfigurationError& e) {
      ::_exit(e.diagnostics().list()[0].code == "V7104" ? 0 : 2);
    }
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

/// A scalar port as an executive provides it, sampled at 10 Hz.
struct LivePort {
  Port port{.name = "y", .unit = "m"};
  double value = 0.0;
  executive::PortView view;
  RecordGroup group;

  LivePort() {
    view.path = "plant.y";
    view.port = &port;
    view.output = true;
    view.data = &value;
    group.sampling.rate = {10, 1};
    group.ports = {&view};
  }
};

TEST(LiveRows, OfARunAreThoseOfItsResults) {
  const TemporaryFolder folder;
  LivePort p;
  Recorder recorder;
  const auto& taps = recorder.begin(folder.path(), {p.group}, {.live = true},
                                    [](std::size_t, const Entry&) { return Telling{}; });
  LiveRowReader r(folder.path());
  std::vector<double> live;
  const auto poll = [&] {
    EXPECT_EQ(r.poll([&](const LiveRowReader::Row& row) {
      EXPECT_EQ(row.number, live.size());
      EXPECT_EQ(row.time, seconds(tick({10, 1}, static_cast<std::int64_t>(live.size()))));
      live.push_back(load<double>(row.bytes.data() + r.row(0).columns[0].offset));
    }),
              0u);
  };
  for (int k = 0; k < 500; ++k) {
    p.value = 0.25 * k;
    taps[0].observer->sample({tick({10, 1}, k)}, true);
    EXPECT_EQ(recorder.pacer().wait_for({}), Outcome::ok);
    if (k % 100 == 99)
      while (live.size() < static_cast<std::size_t>(k) + 1) poll();  // while the run goes on
  }
  EXPECT_FALSE(r.over());
  recorder.finish();
  EXPECT_TRUE(r.over());
  const ResultReader results(folder.path());
  EXPECT_EQ(results.read(*results.find(r.layout().groups[0].signals[0].path)).values, live);
}

TEST(LiveRows, GoOnWhenNothingCanBeRecordedAnyMore) {
  const TemporaryFolder folder;
  LivePort p;
  Recorder recorder;
  std::atomic<bool> failed{false};
  const auto& taps = recorder.begin(folder.path(), {p.group},
                                    {.live = true,
                                     .flush_every = std::chrono::milliseconds(1),
                                     .on_failure = [&](const std::string&) { failed = true; }},
                                    [](std::size_t, const Entry&) { return Telling{}; });
  LiveRowReader r(folder.path());
  // the recorder finds out that its file was removed, as if the disk were full
  std::filesystem::remove(folder / "results.h5");
  std::int64_t k = 0;
  std::uint64_t rows = 0;
  const auto poll = [&] { r.poll([&](const auto&) { ++rows; }); };
  while (!failed) {
    if (k == 0 || rows > 0) taps[0].observer->sample({tick({10, 1}, k++)}, true);
    poll();
  }
  rows = 0;
  taps[0].observer->sample({tick({10, 1}, k)}, true);
  while (rows == 0 || r.counts().recording) poll();
  EXPECT_FALSE(r.over());
  recorder.finish();
}

TEST(LiveRows, AreLeftOutWhenTheirFileCannotBeWritten) {
  const TemporaryFolder folder;
  LivePort p;
  std::filesystem::create_directories(folder / "live/in_the_way");
  Recorder recorder;
  const auto& taps = recorder.begin(folder.path(), {p.group}, {.live = true},
                                    [](std::size_t, const Entry&) { return Telling{}; });
  for (int k = 0; k < 50; ++k) taps[0].observer->sample({tick({10, 1}, k)}, true);
  recorder.finish();
  EXPECT_EQ(recorder.statistics().rows, 50u);
  EXPECT_EQ(recorder.statistics().failure, "");
  EXPECT_FALSE(std::filesystem::exists(folder / "live.new"));
}

}  // namespace
}  // namespace vernier::record
