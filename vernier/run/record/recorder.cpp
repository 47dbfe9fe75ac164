#include "vernier/run/record/recorder.hpp"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <limits>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

#include "vernier/base/mailbox.hpp"
#include "vernier/base/require.hpp"
#include "vernier/run/record/detail/event_file.hpp"
#include "vernier/run/record/live_rows.hpp"
#include "vernier/run/record/result_writer.hpp"

namespace vernier::record {

namespace fs = std::filesystem;
using executive::PortView;

namespace {

constexpr std::size_t most_queued = 8192, least_queued = 128;  // rows
constexpr std::size_t queued_notes = 8192;
constexpr std::size_t margin = 32;  // rows that one step of the executive may need
constexpr auto shortest_sleep = std::chrono::microseconds(500);
constexpr auto longest_sleep = std::chrono::milliseconds(20);

struct Note {
  std::size_t part;
  Entry entry;
};

/// A port has few elements: copying word by word is faster than a call of memcpy().
inline void copy(std::byte* to, const void* from, std::size_t bytes) noexcept {
  const auto* source = static_cast<const std::byte*>(from);
  for (; bytes >= 8; bytes -= 8, to += 8, source += 8) std::memcpy(to, source, 8);
  for (; bytes > 0; --bytes) *to++ = *source++;
}

SignalSpec spec_of(const PortView& v) {
  return {v.path,        v.port->unit,   v.port->frame, v.port->description,
          v.port->count, v.port->scalar, v.held};
}

std::string message_of(const ConfigurationError& e) {
  return e.diagnostics().list().front().message;
}

}  // namespace

/// Everything between begin() and finish(); before that, only a pacer that never waits.
class Recorder::Work final : public Pacer {
  static constexpr std::int64_t never = std::numeric_limits<std::int64_t>::min();

 public:
  ~Work() override { finish(); }

  const std::vector<Attachment>& begin(const fs::path&, const std::vector<RecordGroup>&,
                                       const RecorderOptions&, Tell);
  void finish() noexcept;
  void add(Event);
  PassedOn passed_on();
  RecorderStatistics statistics() const;
  Time told() const noexcept { return Time(Duration(told_.load(std::memory_order_acquire))); }
  Outcome wait_for(Time) noexcept override;
  Fault fault() const noexcept override;

 private:
  /// Samples of a group that found no room: the loop counts, the recorder's thread reports.
  struct Gap {
    std::atomic<std::uint64_t> count{0};
    std::atomic<std::int64_t> first{never}, last{never};  // ns; `first` since the last report

    void add(Time t) noexcept {
      const std::int64_t now = t.time_since_epoch().count();
      std::int64_t none = never;
      first.compare_exchange_strong(none, now, std::memory_order_relaxed);
      last.store(now, std::memory_order_relaxed);
      count.fetch_add(1, std::memory_order_release);
    }
  };

  /// The loop's side of one group.
  struct Tap final : executive::Observer {
    Tap(Work& w, std::size_t n, RowLayout l, std::size_t rows)
        : work(w), number(n), layout(std::move(l)), queue(layout.bytes, rows) {}

    Work& work;
    std::size_t number;
    RowLayout layout;
    std::vector<const PortView*> ports;
    OwnedQueue queue;
    std::uint64_t passed = 0;  // rows
    Gap gap;
    std::uint64_t reported = 0;  // of gap.count; the recorder's thread

    void sample(Instant at, bool) noexcept override {
      if (number == 0) work.passed(at.time);
      if (ports.empty()) return;
      std::byte* row = queue.next();
      if (row == nullptr) {
        gap.add(at.time);
        work.dropped_.fetch_add(1, std::memory_order_relaxed);
        return;
      }
      const double t = seconds(at.time);
      std::memcpy(row, &t, sizeof t);
      for (std::size_t i = 0; i < ports.size(); ++i) {
        copy(row + layout.columns[i].offset, ports[i]->data, layout.columns[i].bytes);
      }
      queue.push();
      ++passed;
    }
    const std::vector<const PortView*>* reads() const noexcept override { return &ports; }
    // every observer receives every entry: only one records them
    void note(std::size_t part, std::span<const Entry> entries) noexcept override {
      if (number == 0) work.take(part, entries);
    }
  };

  /// The loop is at `t`: what was noted before the last sample of an earlier time is in the queue.
  void passed(Time t) noexcept {
    if (t <= sampled_) return;
    complete_.store(sampled_.time_since_epoch().count(), std::memory_order_release);
    sampled_ = t;
  }

  void take(std::size_t part, std::span<const Entry> entries) noexcept {
    for (const Entry& e : entries) {
      if (std::byte* to = notes_.next()) {
        const Note n{part, e};
        std::memcpy(to, &n, sizeof n);
        notes_.push();
        ++noted_;
      } else {
        events_lost_.fetch_add(1, std::memory_order_relaxed);
      }
    }
  }

  bool roomy() noexcept;
  void work();
  bool drain();
  void drain_notes();
  void add_remarks(Time before);
  void write(const Event&);
  void show_live();
  void report_gaps();
  void flush_if_due(bool now);
  void fail(const std::string& why);
  void fail_writing(const ConfigurationError&);

  RecorderOptions options_;
  Tell tell_;
  std::vector<std::unique_ptr<Tap>> taps_;
  std::vector<Attachment> attachments_;
  OwnedQueue notes_{sizeof(Note), queued_notes};

  std::unique_ptr<ResultWriter> writer_;
  std::unique_ptr<EventFile> events_file_;
  std::unique_ptr<LiveRowWriter> live_;
  fs::path events_path_;
  std::chrono::steady_clock::time_point flushed_;
  bool unflushed_ = false;
  bool broken_ = false;

  std::thread thread_;
  std::mutex mutex_;
  std::condition_variable wake_;
  bool stopping_ = false;     // guarded by mutex_
  bool flushing_ = false;     // guarded by mutex_: everything is to be in the files
  bool hurry_ = false;        // guarded by mutex_: somebody is waiting
  std::vector<Event> added_;  // guarded by mutex_: not from components
  bool adding_ = false;       // guarded by mutex_: some of these are being written
  std::condition_variable added_written_;
  std::atomic<std::uint32_t> drained_{0};  // the loop waits on it

  Time sampled_ = Time::min();                               // the loop's
  std::uint64_t noted_ = 0;                                  // the loop's
  std::deque<Event> remarks_;                                // to be added again
  std::atomic<std::int64_t> complete_{never}, told_{never};  // ns of simulated time
  std::atomic<std::uint64_t> rows_{0}, dropped_{0}, events_{0}, events_lost_{0}, waits_{0};
  std::atomic<bool> failed_{false};
  mutable std::mutex failure_mutex_;
  std::string failure_;
};

const std::vector<Recorder::Attachment>& Recorder::Work::begin(
    const fs::path& folder, const std::vector<RecordGroup>& groups, const RecorderOptions& o,
    Tell tell) {
  require(!writer_ && !thread_.joinable());
  tell_ = std::move(tell);
  options_ = o;
  ResultLayout layout{o.version, o.composition, o.start, {}};
  for (const RecordGroup& g : groups) {
    GroupSpec& spec = layout.groups.emplace_back();
    spec.rate = g.sampling.rate;
    for (const PortView* v : g.ports) {
      require(v->data != nullptr);
      spec.signals.push_back(spec_of(*v));
    }
  }
  events_path_ = folder / "events.csv";
  remarks_.assign(o.remarks.begin(), o.remarks.end());
  std::optional<EarlierRows> shown;
  if (const auto& e = o.earlier) {
    writer_ = std::make_unique<ResultWriter>(folder / o.file, layout, e->passed.rows);
    if (o.events) events_file_ = std::make_unique<EventFile>(events_path_, e->event_bytes);
    noted_ = e->passed.notes;
    events_ = e->events;
    dropped_ = e->dropped;
    for (const std::uint64_t n : e->passed.rows) rows_ += n;
    shown.emplace(e->passed.rows, [this](std::size_t group, std::uint64_t first, std::uint64_t n) {
      return writer_->read_back(group, first, n);
    });
  } else {
    writer_ = std::make_unique<ResultWriter>(folder / o.file, layout);
    if (o.events) events_file_ = std::make_unique<EventFile>(events_path_);
  }
  if (o.live) {
    try {
      live_ = std::make_unique<LiveRowWriter>(folder, layout, usual_live_bytes, shown);
    } catch (const ConfigurationError&) {
      // a run without viewers is better than no run
    }
  }

  std::size_t row_bytes = 0;
  for (const GroupSpec& g : layout.groups) row_bytes += RowLayout(g).bytes;
  const std::size_t rows =
      std::clamp(o.queue_bytes / std::max<std::size_t>(row_bytes, 8), least_queued, most_queued);
  for (std::size_t n = 0; n < groups.size(); ++n) {
    taps_.push_back(std::make_unique<Tap>(*this, n, RowLayout(layout.groups[n]), rows));
    taps_.back()->ports = groups[n].ports;
    if (o.earlier) taps_.back()->passed = o.earlier->passed.rows[n];
    attachments_.push_back({taps_.back().get(), groups[n].sampling});
  }
  if (taps_.empty()) {  // no signals, but events to record
    taps_.push_back(std::make_unique<Tap>(*this, 0, RowLayout(GroupSpec{}), 1));
    attachments_.push_back({taps_.back().get(), {}});
  }
  flushed_ = std::chrono::steady_clock::now();
  thread_ = std::thread([this] { work(); });
  return attachments_;
}

void Recorder::Work::finish() noexcept {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_one();
  thread_.join();
}

bool Recorder::Work::roomy() noexcept {
  for (const auto& tap : taps_) {
    if (tap->queue.room() < std::min(margin, tap->queue.capacity())) return false;
  }
  return notes_.room() >= queued_notes / 2;
}

Outcome Recorder::Work::wait_for(Time) noexcept {
  // a run that waits for its recorder must not continue without it
  if (failed_.load(std::memory_order_relaxed)) return Outcome::failed;
  if (roomy() || !thread_.joinable()) return Outcome::ok;
  waits_.fetch_add(1, std::memory_order_relaxed);
  while (true) {
    const std::uint32_t seen = drained_.load();
    if (roomy()) return Outcome::ok;
    {
      const std::lock_guard lock(mutex_);
      hurry_ = true;
    }
    wake_.notify_one();
    drained_.wait(seen);
  }
}

void Recorder::Work::work() {
  auto pause = std::chrono::microseconds(shortest_sleep);
  while (true) {
    bool last = false, flush = false;
    {
      std::unique_lock lock(mutex_);
      wake_.wait_for(lock, pause, [this] { return stopping_ || hurry_; });
      hurry_ = false;
      last = stopping_;
      flush = std::exchange(flushing_, false);
    }
    const bool any = drain();
    pause = any ? shortest_sleep : std::min<std::chrono::microseconds>(pause * 2, longest_sleep);
    flush_if_due(flush);
    if (last) break;
  }
  flush_if_due(true);
  add_remarks(Time::max());
  try {
    if (!broken_) writer_->close();
  } catch (const ConfigurationError& e) {
    fail_writing(e);
  }
  writer_.reset();
  events_file_.reset();
  live_.reset();  // after the last row is in the file: viewers continue there
}

bool Recorder::Work::drain() {
  const std::int64_t complete = complete_.load(std::memory_order_acquire);
  bool any = false;
  for (const auto& tap : taps_) {
    std::uint64_t written = 0, refused = 0;
    // at most one pass through the queue, so that no group delays the others
    for (std::size_t k = 0; k < tap->queue.capacity(); ++k) {
      const std::byte* row = tap->queue.front();
      if (row == nullptr) break;
      if (live_) live_->append(tap->number, {row, tap->layout.bytes});
      ++(broken_ ? refused : written);
      if (!broken_) {
        try {
          writer_->append(tap->number, {row, tap->layout.bytes});
        } catch (const ConfigurationError& e) {
          rows_.fetch_add(std::exchange(written, 0), std::memory_order_relaxed);
          fail_writing(e);
        }
      }
      tap->queue.pop();
      any = true;
    }
    rows_.fetch_add(written, std::memory_order_relaxed);
    dropped_.fetch_add(refused, std::memory_order_relaxed);
  }
  drain_notes();
  show_live();
  told_.store(complete, std::memory_order_release);
  unflushed_ |= any;
  drained_.fetch_add(1);
  drained_.notify_one();
  return any;
}

void Recorder::Work::add(Event e) {
  {
    const std::lock_guard lock(mutex_);
    if (stopping_ || !thread_.joinable()) return;
    added_.push_back(std::move(e));
    hurry_ = true;
  }
  wake_.notify_one();
  // who was told that it is done will find it, whatever happens to this process
  std::unique_lock lock(mutex_);
  added_written_.wait(lock, [this] { return added_.empty() && !adding_; });
}

PassedOn Recorder::Work::passed_on() {
  PassedOn p{{}, noted_};
  for (const auto& tap : taps_)
    if (!tap->ports.empty()) p.rows.push_back(tap->passed);
  {
    const std::lock_guard lock(mutex_);
    hurry_ = flushing_ = true;
  }
  wake_.notify_one();
  return p;
}

void Recorder::Work::add_remarks(Time before) {
  while (!remarks_.empty() && remarks_.front().time < before) {
    const Event e = std::move(remarks_.front());
    remarks_.pop_front();
    write(e);
  }
  if (before == Time::max() && events_file_) events_file_->flush();
}

void Recorder::Work::drain_notes() {
  std::vector<Event> added;
  {
    const std::lock_guard lock(mutex_);
    added.swap(added_);
    adding_ = !added.empty();
  }
  bool any = !added.empty();
  for (const Event& e : added) write(e);
  while (const std::byte* from = notes_.front()) {
    Note n;
    std::memcpy(&n, from, sizeof n);
    notes_.pop();
    Telling t = tell_(n.part, n.entry);
    Event e{n.entry.at.time,     n.entry.remainder,       std::move(t.subject),
            std::move(t.kind),   std::move(t.from),       std::move(t.to),
            std::move(t.reason), std::move(t.transition), t.warning};
    if (!remarks_.empty()) add_remarks(e.time);
    write(e);
    any = true;
  }
  if (any && events_file_ && !events_file_->flush())
    fail("cannot write " + events_path_.string() + ": " + std::generic_category().message(errno));
  if (added.empty()) return;
  {
    const std::lock_guard lock(mutex_);
    adding_ = false;
  }
  added_written_.notify_all();
}

void Recorder::Work::write(const Event& e) {
  if (events_file_) events_file_->write(e);
  if (options_.on_event) options_.on_event(e);
  events_.fetch_add(1, std::memory_order_relaxed);
}

void Recorder::Work::show_live() {
  if (!live_) return;
  std::uint64_t dropped = 0;
  for (const auto& tap : taps_) dropped += tap->gap.count.load(std::memory_order_relaxed);
  live_->publish({.events = events_.load(std::memory_order_relaxed),
                  .dropped = dropped,
                  .recording = !broken_});
}

/// Says in events.csv which samples are missing, so that a killed run shows its gaps.
void Recorder::Work::report_gaps() {
  for (const auto& tap : taps_) {
    const std::uint64_t count = tap->gap.count.load(std::memory_order_acquire);
    if (count == tap->reported) continue;
    const std::uint64_t missing = count - std::exchange(tap->reported, count);
    // the loop may be within add(): of a sample that is counted only now, the last report may have
    // taken the beginning, and of a new one the end may not be there yet
    std::int64_t begin = tap->gap.first.exchange(never, std::memory_order_relaxed);
    const std::int64_t end = std::max(tap->gap.last.load(std::memory_order_relaxed), begin);
    if (begin == never) begin = end;
    const Time first{Duration(begin)}, last{Duration(end)};
    const std::size_t others = tap->ports.size() - 1;
    write({.time = last,
           .component = "recorder",
           .kind = "dropped",
           .from = exact_seconds(first, 0.0),
           .to = exact_seconds(last, 0.0),
           .reason = std::to_string(missing) + (missing == 1 ? " sample of " : " samples of ") +
                     tap->ports.front()->path +
                     (others > 0 ? " and " + std::to_string(others) + " more" : "") +
                     " found no room: the disk is too slow",
           .warning = true});
    if (events_file_) events_file_->flush();
  }
}

void Recorder::Work::flush_if_due(bool now) {
  if (!now && std::chrono::steady_clock::now() - flushed_ < options_.flush_every) return;
  report_gaps();
  if (!unflushed_ || broken_) return;
  try {
    writer_->flush();
  } catch (const ConfigurationError& e) {
    fail_writing(e);
  }
  unflushed_ = false;
  flushed_ = std::chrono::steady_clock::now();
}

void Recorder::Work::fail_writing(const ConfigurationError& e) {
  // what was counted as written may have been in memory
  rows_.fetch_sub(writer_->lost(), std::memory_order_relaxed);
  dropped_.fetch_add(writer_->lost(), std::memory_order_relaxed);
  fail(message_of(e));
}

void Recorder::Work::fail(const std::string& why) {
  broken_ = true;
  {
    const std::lock_guard lock(failure_mutex_);
    if (!failure_.empty()) return;
    failure_ = why;
  }
  failed_.store(true, std::memory_order_relaxed);
  if (options_.on_failure) options_.on_failure(why);
}

Fault Recorder::Work::fault() const noexcept {
  Fault f;
  const std::lock_guard lock(failure_mutex_);
  if (failure_.empty()) return f;
  f.set(Category::machine, "V7104", "%s", failure_.c_str());
  return f;
}

RecorderStatistics Recorder::Work::statistics() const {
  const std::lock_guard lock(failure_mutex_);
  return {rows_.load(),        dropped_.load(), events_.load(),
          events_lost_.load(), waits_.load(),   failure_};
}

Recorder::Recorder() : work_(std::make_unique<Work>()) {}
Recorder::~Recorder() { finish(); }
Pacer& Recorder::pacer() noexcept { return *work_; }

const std::vector<Recorder::Attachment>& Recorder::begin(const fs::path& folder,
                                                         const std::vector<RecordGroup>& groups,
                                                         const RecorderOptions& options,
                                                         Tell tell) {
  return work_->begin(folder, groups, options, std::move(tell));
}

void Recorder::finish() noexcept {
  if (leave_) leave_();
  leave_ = {};
  work_->finish();
}

void Recorder::add(Event e) { work_->add(std::move(e)); }
PassedOn Recorder::passed_on() { return work_->passed_on(); }
RecorderStatistics Recorder::statistics() const { return work_->statistics(); }
Time Recorder::told() const noexcept { return work_->told(); }

}  // namespace vernier::record
