#include "vernier/run/record/live_rows.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <system_error>
#include <thread>
#include <utility>

#include "vernier/base/diagnostic.hpp"
#include "vernier/base/require.hpp"

namespace vernier::record {

namespace fs = std::filesystem;

namespace {

constexpr std::array<char, 8> live_magic{'V', 'R', 'N', 'L', 'I', 'V', 'E', '\n'};
constexpr std::uint32_t live_version = 1;
constexpr std::size_t live_head = 64;
constexpr std::uint64_t alignment = 64;

constexpr std::uint64_t least_live_rows = 8, most_live_rows = 1u << 16;
constexpr std::uint64_t most_file = std::uint64_t{1} << 30;
constexpr std::uint64_t most_description = std::uint64_t{1} << 26;
constexpr std::uint64_t most_written = std::uint64_t{1} << 62;
constexpr std::size_t most_at_once = 1u << 20;  // bytes that a reader reads of one ring

constexpr std::uint32_t live_running = 1, live_ended = 2;

/// Where a group's rows are.
struct Place {
  std::uint64_t offset = 0, capacity = 0, reserve = 0;
};

constexpr std::uint64_t rounded_up(std::uint64_t n, std::uint64_t to) noexcept {
  return (n + to - 1) / to * to;
}

/// FNV-1a over words: finds counts of which a reader saw one half old and one half new.
std::uint64_t sum_of(Bytes words) noexcept {
  std::uint64_t h = 0xcbf29ce484222325u;
  for (std::size_t i = 0; i + 8 <= words.size(); i += 8)
    h = (h ^ load<std::uint64_t>(words.data() + i)) * 0x100000001b3u;
  return h;
}

/// sum, state, recording, events, dropped, then the rows written of each group
constexpr std::size_t counts_head = 32;
constexpr std::size_t counts_bytes(std::size_t groups) noexcept { return counts_head + 8 * groups; }

template <class Visitor, class Spec>
void fields(Visitor& v, Spec& s) {
  v(s.path, s.unit, s.frame, s.description, s.count, s.scalar, s.held);
}

std::vector<std::byte> described(const ResultLayout& layout, const std::vector<Place>& places) {
  std::vector<std::byte> bytes;
  ByteWriter w(bytes);
  w(layout.version, layout.composition, layout.start);
  for (std::size_t g = 0; g < layout.groups.size(); ++g) {
    const GroupSpec& spec = layout.groups[g];
    const Place& p = places[g];
    w(spec.rate.times, spec.rate.seconds, p.offset, p.capacity, p.reserve,
      static_cast<std::uint32_t>(spec.signals.size()));
    for (const SignalSpec& s : spec.signals) fields(w, s);
  }
  return bytes;
}

/// False when the bytes are not a description.
bool parse(Bytes bytes, std::uint32_t groups, ResultLayout& layout, std::vector<Place>& places) {
  ByteReader r(bytes);
  r(layout.version, layout.composition, layout.start);
  for (std::uint32_t g = 0; g < groups && r.ok(); ++g) {
    GroupSpec& spec = layout.groups.emplace_back();
    Place& p = places.emplace_back();
    r(spec.rate.times, spec.rate.seconds, p.offset, p.capacity, p.reserve);
    if (spec.rate.times < 0 || spec.rate.seconds < 1) return false;
    const auto signals = r.number<std::uint32_t>();
    if (signals > r.rest().size()) return false;
    for (std::uint32_t i = 0; i < signals && r.ok(); ++i) {
      SignalSpec& s = spec.signals.emplace_back();
      fields(r, s);
      if (s.path.empty() || s.count == 0 || s.scalar > Scalar::byte) return false;
    }
  }
  return r.complete();
}

/// How much the file may take: at most a sixteenth of what is free, so that results come first.
std::uint64_t affordable(const fs::path& folder, std::uint64_t wanted) noexcept {
  struct statvfs disk {};
  if (::statvfs(folder.c_str(), &disk) == 0) {
    const std::uint64_t blocks = disk.f_bavail;
    wanted = std::min(wanted, blocks / 16 * disk.f_frsize);
  }
  return wanted;
}

[[noreturn]] void refuse_live(const fs::path& path, const std::string& why) {
  throw ConfigurationError("V7104", "cannot write " + path.string() + ": " + why);
}

std::string live_reason(int error) { return std::generic_category().message(error); }

}  // namespace

fs::path live_file(const fs::path& run_folder) { return run_folder / "live"; }

bool remove_dead_live_file(const fs::path& run_folder) noexcept {
  const fs::path path = live_file(run_folder);
  const Descriptor d(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  return d && ::flock(d.get(), LOCK_EX | LOCK_NB) == 0 && ::unlink(path.c_str()) == 0;
}

// -- writer --

LiveRowWriter::LiveRowWriter(const fs::path& folder, const ResultLayout& layout, std::size_t bytes,
                             const std::optional<EarlierRows>& earlier)
    : path_(live_file(folder)) {
  std::uint64_t row_bytes = 0;
  for (const GroupSpec& g : layout.groups) row_bytes += RowLayout(g).bytes;
  const std::uint64_t budget = affordable(folder, bytes);
  const std::uint64_t capacity =
      std::clamp(budget / std::max<std::uint64_t>(row_bytes, 8), least_live_rows, most_live_rows);

  std::vector<Place> places(layout.groups.size());
  const std::uint64_t description_bytes = described(layout, places).size();
  counts_at_ = rounded_up(live_head + description_bytes, alignment);
  std::uint64_t end = rounded_up(counts_at_ + counts_bytes(layout.groups.size()), alignment);
  for (std::size_t g = 0; g < layout.groups.size(); ++g) {
    const std::size_t row = RowLayout(layout.groups[g]).bytes;
    places[g] = {end, capacity, capacity / 8};
    rings_.push_back({row, end, capacity, capacity / 8});
    end += capacity * row;
  }
  if (description_bytes > most_description || end > most_file)
    refuse_live(path_, "the rows are too large");

  rlimit limit{};
  if (::getrlimit(RLIMIT_FSIZE, &limit) == 0 && end > limit.rlim_cur)
    refuse_live(path_, live_reason(EFBIG));
  // the file gets its final name only when it is locked and readable
  const std::string draft = path_.string() + ".new";
  ::unlink(draft.c_str());
  file_ = Descriptor(::open(draft.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (!file_) refuse_live(path_, live_reason(errno));
  const auto give_up = [&](int error) {
    ::unlink(draft.c_str());
    refuse_live(path_, live_reason(error));
  };
  // without locks, readers take the writer for alive until it ends
  if (::flock(file_.get(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) give_up(errno);
  // reserved now, so that a disk that fills up later does not end it
  const auto length = static_cast<off_t>(end);
  if (::fallocate(file_.get(), 0, 0, length) != 0 &&
      (errno == ENOSPC || errno == EDQUOT || ::ftruncate(file_.get(), length) != 0))
    give_up(errno);

  std::vector<std::byte> head;
  ByteWriter w(head);
  w(live_magic, live_version, Reserved<4>{}, description_bytes, end, counts_at_,
    static_cast<std::uint32_t>(rings_.size()));
  head.resize(live_head);
  w.raw(described(layout, places));
  write(head, 0);
  shown_.resize(counts_bytes(rings_.size()));
  for (Ring& r : rings_) r.rows.reserve(r.reserve * r.row_bytes);
  if (earlier) show_earlier(*earlier);
  store_counts(live_running);
  if (!good_) give_up(errno);
  if (::rename(draft.c_str(), path_.c_str()) != 0) give_up(errno);
}

void LiveRowWriter::show_earlier(const EarlierRows& earlier) {
  for (std::size_t g = 0; g < rings_.size(); ++g) {
    Ring& r = rings_[g];
    const std::uint64_t there = earlier.rows[g], shown = std::min(there, r.capacity);
    r.written = there - shown;
    for (std::uint64_t n = shown; n > 0; n = there - r.written) {
      r.rows = earlier.read(g, r.written, std::min(n, r.reserve));
      if (r.rows.empty()) break;
      store(r);
    }
    r.written = there;
    r.rows.reserve(r.reserve * r.row_bytes);
  }
}

LiveRowWriter::~LiveRowWriter() {
  publish(counts_);
  if (!good_) return;
  store_counts(live_ended);
  ::unlink(path_.c_str());
}

void LiveRowWriter::append(std::size_t group, Bytes row) noexcept {
  Ring& r = rings_[group];
  require(row.size() == r.row_bytes);
  if (r.rows.size() == r.reserve * r.row_bytes) publish(counts_);
  if (!good_) return;
  r.rows.insert(r.rows.end(), row.begin(), row.end());
}

void LiveRowWriter::publish(const LiveCounts& counts) noexcept {
  bool changed = !(counts == counts_);
  counts_ = counts;
  for (Ring& r : rings_) {
    if (r.rows.empty()) continue;
    changed = true;
    store(r);
  }
  if (changed) store_counts(live_running);
  if (good_) return;
  // gives up the lock: readers take this for the end
  ::unlink(path_.c_str());
  file_.reset();
}

/// Overwrites only rows that the counts in the file already call lost.
void LiveRowWriter::store(Ring& r) noexcept {
  Bytes rest = r.rows;
  while (!rest.empty()) {
    const std::uint64_t slot = r.written % r.capacity;
    const std::size_t bytes = std::min<std::size_t>(rest.size(), (r.capacity - slot) * r.row_bytes);
    write(rest.first(bytes), r.offset + slot * r.row_bytes);
    r.written += bytes / r.row_bytes;
    rest = rest.subspan(bytes);
  }
  r.rows.clear();
}

void LiveRowWriter::store_counts(std::uint32_t state) noexcept {
  SpanWriter w{std::span(shown_)};
  w(std::uint64_t{0}, state, static_cast<std::uint32_t>(counts_.recording), counts_.events,
    counts_.dropped);
  for (const Ring& r : rings_) w(r.written);
  vernier::store(shown_.data(), sum_of(Bytes(shown_).subspan(8)));
  write(shown_, counts_at_);
}

void LiveRowWriter::write(Bytes bytes, std::uint64_t offset) noexcept {
  while (good_ && !bytes.empty()) {
    const ssize_t n = ::pwrite(file_.get(), bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (n < 0 && errno == EINTR) continue;
    good_ = n > 0;
    if (!good_) return;
    bytes = bytes.subspan(static_cast<std::size_t>(n));
    offset += static_cast<std::uint64_t>(n);
  }
}

// -- reader --

namespace {

[[noreturn]] void refuse_run(const fs::path& path, const std::string& why) {
  throw ConfigurationError("V7101", "cannot read the live rows in " + path.string() + ": " + why);
}

/// False when there are fewer.
bool read_all(int file, std::span<std::byte> to, std::uint64_t offset) noexcept {
  while (!to.empty()) {
    const ssize_t n = ::pread(file, to.data(), to.size(), static_cast<off_t>(offset));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    to = to.subspan(static_cast<std::size_t>(n));
    offset += static_cast<std::uint64_t>(n);
  }
  return true;
}

}  // namespace

LiveRowReader::LiveRowReader(const fs::path& run_folder) : path_(live_file(run_folder)) {
  // not waiting, in case that somebody has put a pipe there
  file_ = Descriptor(::open(path_.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!file_) refuse_run(path_, errno == ENOENT ? "the run is not running" : live_reason(errno));
  struct stat status {};
  if (::fstat(file_.get(), &status) != 0) refuse_run(path_, live_reason(errno));
  const char* damaged = "it is damaged";
  if (!S_ISREG(status.st_mode)) refuse_run(path_, damaged);
  const auto size = static_cast<std::uint64_t>(status.st_size);

  std::array<std::byte, live_head> head{};
  if (!read_all(file_.get(), head, 0)) refuse_run(path_, damaged);
  ByteReader r(head);
  std::array<char, 8> found{};
  Reserved<4> reserved;
  std::uint32_t made_by = 0, groups = 0;
  std::uint64_t description = 0, end = 0;
  r(found, made_by, reserved, description, end, counts_at_, groups);
  if (found != live_magic) refuse_run(path_, "Vernier did not write it");
  if (made_by != live_version)
    refuse_run(path_, "its format is version " + std::to_string(made_by) +
                          "; this program reads version " + std::to_string(live_version));
  if (end != size || size > most_file || description > std::min(size, most_description))
    refuse_run(path_, damaged);

  std::vector<std::byte> bytes(description);
  std::vector<Place> places;
  if (!read_all(file_.get(), bytes, live_head) || !parse(bytes, groups, layout_, places))
    refuse_run(path_, damaged);
  // all places are inside the file: sums of these do not overflow
  const auto within = [size](std::uint64_t at, std::uint64_t room) {
    return at <= size && room <= size - at;
  };
  bool good = within(counts_at_, counts_bytes(places.size()));
  for (std::size_t g = 0; g < places.size() && good; ++g) {
    const Place& p = places[g];
    const RowLayout row(layout_.groups[g]);
    good = p.reserve > 0 && p.reserve < p.capacity && p.capacity <= size && row.bytes <= size &&
           within(p.offset, p.capacity * row.bytes);
    rings_.push_back({row, p.offset, p.capacity, p.reserve});
  }
  if (!good) refuse_run(path_, damaged);
  counts_bytes_.resize(counts_bytes(rings_.size()));
  for (int tries = 100; !read_counts(); --tries) {
    if (tries == 0) refuse_run(path_, damaged);
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  for (Ring& ring : rings_) ring.next = ring.oldest();
}

bool LiveRowReader::read_counts() {
  // the writer may be writing them; the kernel may even interrupt it just there
  for (int tries = 0; tries < 8; ++tries) {
    if (!read_all(file_.get(), counts_bytes_, counts_at_)) return false;
    ByteReader r(counts_bytes_);
    if (r.number<std::uint64_t>() != sum_of(Bytes(counts_bytes_).subspan(8))) continue;
    const auto state = r.number<std::uint32_t>();
    const bool recording = r.number<std::uint32_t>() != 0;
    const auto events = r.number<std::uint64_t>(), dropped = r.number<std::uint64_t>();
    ended_ = ended_ || state == live_ended;
    counts_ = {events, dropped, recording};
    for (Ring& ring : rings_) {
      const auto written = r.number<std::uint64_t>();
      if (written >= ring.written && written < most_written) ring.written = written;
    }
    return true;
  }
  return false;
}

std::uint64_t LiveRowReader::poll(const std::function<void(const Row&)>& take) {
  if (!read_counts()) return 0;
  std::uint64_t lost = 0;
  for (std::size_t g = 0; g < rings_.size(); ++g) {
    Ring& r = rings_[g];
    const auto skip = [&](std::uint64_t to) {
      if (to > r.next) lost += to - std::exchange(r.next, to);
    };
    const std::uint64_t end = r.written;
    while (r.next < end) {
      skip(r.oldest());
      if (r.next >= end) break;
      const std::uint64_t slot = r.next % r.capacity;
      const std::uint64_t at_once = std::max<std::uint64_t>(1, most_at_once / r.row.bytes);
      const std::uint64_t count = std::min({end - r.next, r.capacity - slot, at_once});
      rows_.resize(count * r.row.bytes);
      if (!read_all(file_.get(), rows_, r.offset + slot * r.row.bytes)) return lost;
      // what the writer may have overwritten meanwhile is not used
      if (!read_counts()) return lost;
      const std::uint64_t first = r.next;
      skip(std::min(r.oldest(), first + count));
      for (; r.next < first + count; ++r.next) {
        const Bytes row = Bytes(rows_).subspan((r.next - first) * r.row.bytes, r.row.bytes);
        take({g, r.next, load<double>(row.data()), row});
      }
    }
  }
  return lost;
}

bool LiveRowReader::over() {
  if (read_counts() && ended_) return true;
  if (::flock(file_.get(), LOCK_SH | LOCK_NB) != 0) return false;
  ::flock(file_.get(), LOCK_UN);
  return true;
}

}  // namespace vernier::record
