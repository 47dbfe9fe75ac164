#include "vernier/run/session/continuation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <system_error>
#include <thread>
#include <utility>

#include "vernier/component/file_writer.hpp"
#include "vernier/run/composition/time_text.hpp"
#include "vernier/run/record/checkpoint.hpp"
#include "vernier/run/record/event_list.hpp"
#include "vernier/run/record/result_writer.hpp"
#include "vernier/run/record/run_folder.hpp"
#include "vernier/run/session/order_log.hpp"

namespace vernier::session {

namespace fs = std::filesystem;
using executive::ScheduledOrder;
using record::Progress;

namespace {

[[noreturn]] void refuse_continuation(const char* code, const fs::path& folder,
                                      const std::string& why) {
  Diagnostics problems;
  problems.error(code, folder.string() + " cannot be continued: " + why, {})
      .notes.push_back(
          fmt::format("vernier run {}   repeats the run in a new folder", folder.string()));
  throw ConfigurationError(problems);
}

bool same_order(const ScheduledOrder& a, const ScheduledOrder& b) {
  return a.at == b.at && a.settled == b.settled && a.order.kind == b.order.kind &&
         a.order.path == b.order.path && a.order.values == b.order.values;
}

bool earlier_order(const ScheduledOrder& a, const ScheduledOrder& b) {
  return std::pair(a.at, a.settled) < std::pair(b.at, b.settled);
}

/// What the list of events has of components, and of others.
struct Told {
  explicit Told(const fs::path& folder) : list(folder) {
    constexpr std::size_t at_once = 1024;
    list.refresh();
    while (lines.size() < list.total())
      for (const record::EventList::Line& l : list.lines(lines.size(), at_once)) {
        const bool mark = l.cells[1] == "user" && l.cells[2] == "mark";
        const bool gap = l.cells[1] == "recorder" && l.cells[2] == "dropped";
        const auto t = composition::parsed_time(l.cells[0] + " s");
        lines.push_back({Time(t.value_or(Duration{})), !mark && !gap});
        notes += !mark && !gap;
        if (mark)
          marks.push_back({lines.size() - 1,
                           text(folder, lines.size() - 1),
                           {.time = lines.back().time,
                            .component = l.cells[1],
                            .kind = l.cells[2],
                            .from = l.cells[3],
                            .to = l.cells[4],
                            .reason = l.cells[5]}});
      }
  }

  /// The lines before the instant that follows `t`, of which so many are notes.
  std::uint64_t until(Time t, std::uint64_t noted) const {
    std::uint64_t n = 0;
    while (n < lines.size() && (noted > 0 || (!lines[n].note && lines[n].time <= t)))
      noted -= lines[n++].note;
    return n;
  }

  struct Line {
    Time time;
    bool note;
  };
  struct Mark {
    std::uint64_t line;
    std::string text;  // of the line
    record::Event event;
  };

  /// A line as it is in the file, or (-1) the head.
  std::string text(const fs::path& folder, std::int64_t line) const {
    const std::uint64_t from = line < 0 ? 0 : list.bytes(static_cast<std::uint64_t>(line));
    std::string s(list.bytes(static_cast<std::uint64_t>(line + 1)) - from, '\0');
    std::ifstream in(folder / "events.csv", std::ios::binary);
    in.seekg(static_cast<std::streamoff>(from));
    in.read(s.data(), static_cast<std::streamsize>(s.size()));
    return s;
  }
  record::EventList list;
  std::vector<Line> lines;
  std::vector<Mark> marks;
  std::uint64_t notes = 0;
};

/// What is left of a run that was killed.
struct Remains {
  explicit Remains(const fs::path& folder)
      : told(folder), orders(read_whole_orders(folder / orders_file)) {
    if (fs::exists(folder / "results.h5")) rows = record::recorded_rows(folder / "results.h5");
    if (fs::exists(folder / "frames.h5")) frames = record::recorded_rows(folder / "frames.h5");
  }

  /// Whether the files have everything that precedes a checkpoint.
  bool cover(const Progress& p) const {
    return rows && rows->size() == p.rows.size() &&
           std::equal(rows->begin(), rows->end(), p.rows.begin(), std::greater_equal<>()) &&
           told.notes >= p.notes && orders.size() >= p.orders &&
           (p.frames == 0 || (frames && frames->size() == 1 && frames->front() >= p.frames));
  }

  Told told;
  std::vector<ScheduledOrder> orders;
  std::optional<std::vector<std::uint64_t>> rows, frames;
};

void repair(const fs::path& folder) {
  using namespace std::chrono_literals;
  // who reads the results at this moment repairs them too
  for (int tries = 0; !record::repair_run(folder); ++tries) {
    if (tries == 200) refuse_continuation("V7136", folder, "its results cannot be repaired");
    std::this_thread::sleep_for(10ms);
  }
}

/// Chooses the latest checkpoint that is complete, and of which the files have everything. Removes
/// what says so of others: it would be wrong when the run has continued.
void choose(Continuation& c, const Remains& remains) {
  std::vector<fs::path> unusable;
  std::error_code none;
  Time latest = Time::min();
  for (const auto& entry : fs::directory_iterator(c.folder / "checkpoints", none)) {
    if (entry.path().extension() != record::progress_extension) continue;
    const fs::path file = record::checkpoint_of(entry.path());
    try {
      const Progress p = record::read_progress(entry.path());
      const bool complete = fs::exists(file) && p.checkpoint == sha256_of_file(file);
      if (!complete || !remains.cover(p)) {
        unusable.push_back(entry.path());
        if (p.automatic) unusable.push_back(file);
        continue;
      }
      if (p.automatic) c.automatic.push_back(file);
      const Time t = record::read_checkpoint(file).snapshot.time;
      if (t < latest) continue;
      latest = t;
      c.checkpoint = file;
      c.progress = p;
    } catch (const ConfigurationError&) {
      unusable.push_back(entry.path());  // damaged: an earlier one serves
    }
  }
  for (const fs::path& p : unusable) fs::remove(p, none);
}

/// Orders that were executed after the checkpoint, or are to be: of a run that repeats another,
/// or was continued before.
std::vector<ScheduledOrder> pending_orders(const fs::path& folder,
                                           const std::vector<ScheduledOrder>& known,
                                           std::uint64_t executed) {
  std::vector<ScheduledOrder> all = known;
  std::vector<std::uint8_t> taken(known.size());
  for (ScheduledOrder& o : read_whole_orders(folder / pending_orders_file)) {
    std::size_t i = 0;
    while (i < known.size() && (taken[i] || !same_order(known[i], o))) ++i;
    if (i < known.size())
      taken[i] = 1;
    else
      all.push_back(std::move(o));
  }
  all.erase(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(executed));
  std::stable_sort(all.begin(), all.end(), earlier_order);
  return all;
}

void cut_orders(Continuation& c, const std::vector<ScheduledOrder>& known) {
  const std::uint64_t executed = c.progress.orders;
  c.executed.assign(known.begin(), known.begin() + static_cast<std::ptrdiff_t>(executed));
  c.pending = pending_orders(c.folder, known, executed);
  if (known.empty() && c.pending.empty()) return;
  // kept before anything is cut off: the run may be killed again
  std::vector<ScheduledOrder> all = c.executed;
  all.insert(all.end(), c.pending.begin(), c.pending.end());
  write_orders(c.folder / pending_orders_file, all);
  if (executed > 0)
    write_orders(c.folder / orders_file, c.executed);
  else
    fs::remove(c.folder / orders_file);
}

/// Remarks of the user after the checkpoint, and those that a run that was continued before was to
/// add again.
void cut_remarks(Continuation& c, const Told& told, std::uint64_t lines) {
  const fs::path kept = c.folder / pending_remarks_folder;
  std::vector<Told::Mark> all = told.marks;
  for (const Told::Mark& m : Told(kept).marks)
    if (std::none_of(told.marks.begin(), told.marks.end(),
                     [&m](const Told::Mark& x) { return x.text == m.text; }))
      all.push_back({lines, m.text, m.event});
  std::erase_if(all, [lines](const Told::Mark& m) { return m.line < lines; });
  if (all.empty()) return;
  std::stable_sort(all.begin(), all.end(), [](const Told::Mark& a, const Told::Mark& b) {
    return a.event.time < b.event.time;
  });
  std::string text = told.text(c.folder, -1);
  for (const Told::Mark& m : all) {
    c.remarks.push_back(m.event);
    text += m.text;
  }
  record::write_file(kept / "events.csv", text);
}

void begin_anew(const fs::path& folder) {
  std::error_code none;
  for (const char* name :
       {"results.h5", "results.h5.lock", "frames.h5", "frames.h5.lock", "events.csv"})
    fs::remove(folder / name, none);
}

}  // namespace

Again continued(const fs::path& run_folder, const std::string& version) {
  Again again = repeated(run_folder);
  const record::Manifest m = record::read_manifest(run_folder);
  if (m.version != version)
    refuse_continuation(
        "V7133", run_folder,
        fmt::format("it was run by vernier {}, and this is {}", m.version, version));
  again.options.orders.clear();  // those known when it is taken over
  for (const char* name :
       {"on", "keep-every", "key", "certificate", "private-key", "authorities"}) {
    const std::string value = m.option(name);
    if (!value.empty()) again.options.nodes.emplace_back(name, value);
  }
  again.options.runs = run_folder.parent_path();
  again.options.continuation = std::make_shared<Continuation>(Continuation{.folder = run_folder});
  return again;
}

void check_continuable(const Continuation& c, const composition::Plan& plan) {
  for (const composition::Part& p : plan.parts)
    if (dynamic_cast<const FileWriter*>(p.component.get()))
      refuse_continuation("V7134", c.folder,
                          p.name + " writes to files, and what was written cannot be taken back");
}

bool take_over(Continuation& c, bool wait, const composition::Plan& plan) {
  c.lock = record::lock_of_dead_run(c.folder, wait);
  if (wait && c.wait_until_free) c.wait_until_free();
  c.manifest = record::read_manifest(c.folder);
  if (c.manifest.status != "running" && c.manifest.status != "killed") {
    c.lock.reset();
    if (wait) return false;
    refuse_continuation("V7132", c.folder,
                        "it was not killed; its manifest says: " + c.manifest.status);
  }
  repair(c.folder);
  const Remains remains(c.folder);
  choose(c, remains);
  const Told& told = remains.told;
  std::uint64_t lines = 0;
  if (c.checkpoint.empty()) {
    for (const composition::Part& p : plan.parts) {
      const Abilities& can = p.component->description().abilities;
      if (can.faces_world || !can.rewinds)
        refuse_continuation(
            "V7135", c.folder,
            fmt::format("it has no complete checkpoint, and {} cannot begin again, because it is "
                        "connected to something outside of the run",
                        p.name));
    }
  } else {
    const Time t = record::read_checkpoint(c.checkpoint).snapshot.time;
    std::sort(c.automatic.begin(), c.automatic.end());
    lines = told.until(t, c.progress.notes);
    c.results = {.passed = {c.progress.rows, c.progress.notes},
                 .events = lines,
                 .event_bytes = told.list.bytes(lines),
                 .dropped = c.progress.dropped};
    if (remains.frames) c.frames = {.passed = {{c.progress.frames}, 0}};
  }
  cut_remarks(c, told, lines);
  cut_orders(c, remains.orders);
  if (c.checkpoint.empty()) begin_anew(c.folder);
  return true;
}

}  // namespace vernier::session
