#include "vernier/gateway/shared/segment.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <ctime>
#include <fstream>
#include <system_error>
#include <thread>

#include "vernier/base/codec.hpp"
#include "vernier/base/descriptor.hpp"
#include "vernier/base/diagnostic.hpp"

namespace vernier::shared {
namespace {

using namespace std::chrono_literals;

constexpr std::array<char, 8> magic{'V', 'R', 'N', 'S', 'H', 'M', '\r', '\n'};
constexpr std::uint32_t version = 1;
constexpr std::uint32_t most_numbers = 1u << 17, most_capacity = 1u << 16;

/// Around each vector: a writer killed in the middle leaves two different numbers.
struct Before {
  std::uint64_t number;
  std::int64_t step, acquired;
};
constexpr std::size_t message_bytes(std::uint32_t numbers) noexcept {
  return sizeof(Before) + numbers * sizeof(double) + sizeof(std::uint64_t);
}

/// The start time of a process, in clock ticks since boot: it distinguishes processes with a reused
/// process id.
std::uint64_t began(pid_t pid) {
  std::ifstream in("/proc/" + std::to_string(pid) + "/stat");
  std::string text((std::istreambuf_iterator<char>(in)), {});
  const std::size_t end = text.rfind(')');  // the process name before it may contain anything
  if (end == std::string::npos) return 0;
  std::size_t at = end + 1;
  for (int field = 2; field < 21 && at != std::string::npos; ++field) at = text.find(' ', at + 1);
  return at == std::string::npos ? 0 : std::strtoull(text.c_str() + at, nullptr, 10);
}

bool lives(pid_t pid, std::uint64_t since) {
  return pid > 0 && (kill(pid, 0) == 0 || errno == EPERM) && began(pid) == since;
}

std::string words(int error) { return std::generic_category().message(error); }

[[noreturn]] void refuse(const Settings& s, const char* code, const std::string& what,
                         const std::string& note) {
  Diagnostics problems;
  auto& d = problems.error(
      code, "the shared memory \"" + s.name + "\" of \"" + s.component + "\": " + what, {});
  if (!note.empty()) d.notes.push_back(note);
  throw ConfigurationError(std::move(problems));
}

}  // namespace

const char* name(Side s) noexcept { return s == Side::left ? "left" : "right"; }

std::int64_t monotonic() noexcept {
  timespec t{};
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * std::int64_t{1'000'000'000} + t.tv_nsec;
}

/// The beginning of the memory; members that are not atomic are written once, under the lock.
struct Segment::Header {
  std::array<char, 8> magic;
  std::uint32_t version, keep;
  std::uint64_t bytes, interface_hash;
  std::uint32_t numbers[2];  // that each side sends
  std::uint32_t capacity, ready;
  struct alignas(mailbox_line) Seat {
    std::atomic<std::int32_t> pid;
    std::atomic<std::uint32_t> present;
    std::atomic<std::uint64_t> since, lives;
    std::atomic<std::int64_t> written, period;
  } seats[2];
  Seat& seat(Side s) noexcept { return seats[static_cast<std::size_t>(s)]; }
};

/// The descriptor and the mapped memory.
struct Segment::Mapping {
  Descriptor descriptor;
  std::byte* memory = nullptr;
  std::size_t bytes = 0;
  std::string path;

  ~Mapping() {
    if (memory) munmap(memory, bytes);
  }

  /// Opens the memory that has the name now, and locks it.
  void open(const Settings& s) {
    path = "/vernier-" + s.name;
    const auto end = std::chrono::steady_clock::now() + 2s;
    while (true) {
      descriptor = Descriptor(shm_open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
      if (!descriptor) refuse(s, "V5183", "it cannot be opened: " + words(errno), "");
      while (flock(descriptor.get(), LOCK_EX | LOCK_NB) != 0) {
        if (std::chrono::steady_clock::now() > end)
          refuse(s, "V5183", "another process holds its lock", "");
        std::this_thread::sleep_for(1ms);
      }
      // another process may have removed it meanwhile
      struct stat mine {
      }, named{};
      const Descriptor again(shm_open(path.c_str(), O_RDWR | O_CLOEXEC, 0600));
      const bool same = again && fstat(again.get(), &named) == 0 &&
                        fstat(descriptor.get(), &mine) == 0 && mine.st_ino == named.st_ino &&
                        mine.st_dev == named.st_dev;
      if (same) return;
      descriptor.reset();
      if (std::chrono::steady_clock::now() > end)
        refuse(s, "V5183", "it comes and goes", "is another program using the name?");
    }
  }
  std::size_t size(const Settings& s) const {
    struct stat now {};
    if (fstat(descriptor.get(), &now) != 0)
      refuse(s, "V5183", "it cannot be read: " + words(errno), "");
    if (now.st_uid != geteuid())
      refuse(s, "V5186", "it belongs to another user", "choose another name");
    return static_cast<std::size_t>(now.st_size);
  }
  void map(const Settings& s, std::size_t wanted) {
    void* at = mmap(nullptr, wanted, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE,
                    descriptor.get(), 0);
    if (at == MAP_FAILED) refuse(s, "V5183", "it cannot be mapped: " + words(errno), "");
    memory = static_cast<std::byte*>(at);
    bytes = wanted;
  }
  void unlock() const { flock(descriptor.get(), LOCK_UN); }
};

namespace {

/// The header as plain bytes: the same layout without atomics.
struct Found {
  std::array<char, 8> magic;
  std::uint32_t version, keep;
  std::uint64_t bytes, interface_hash;
  std::uint32_t numbers[2];
  std::uint32_t capacity, ready;
  struct alignas(mailbox_line) Seat {
    std::int32_t pid;
    std::uint32_t present;
    std::uint64_t since, lives;
    std::int64_t written, period;
  } seats[2];
};

struct SegmentLayout {
  std::size_t header, box[2], total;
  std::uint32_t numbers[2];
};

std::size_t box_bytes(const Settings& s, std::uint32_t numbers) {
  const std::size_t n = s.keep == Keep::latest ? Latest::bytes(message_bytes(numbers))
                                               : Queue::bytes(message_bytes(numbers), s.capacity);
  return (n + mailbox_line - 1) / mailbox_line * mailbox_line;
}

SegmentLayout planned(const Settings& s, std::size_t header) {
  SegmentLayout p{};
  p.header = (header + mailbox_line - 1) / mailbox_line * mailbox_line;
  p.numbers[static_cast<std::size_t>(s.side)] = s.send;
  p.numbers[static_cast<std::size_t>(other(s.side))] = s.receive;
  p.box[0] = p.header;
  p.box[1] = p.header + box_bytes(s, p.numbers[0]);
  p.total = p.box[1] + box_bytes(s, p.numbers[1]);
  return p;
}

}  // namespace

Segment::Segment(const Settings& s)
    : settings_(s), mapping_(std::make_unique<Mapping>()), values_(s.receive) {
  if (s.name.empty() || s.name.size() > 100 ||
      s.name.find_first_not_of(
          "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-") !=
          std::string::npos) {
    refuse(s, "V5183", "its name must be letters, digits, _ . and -", "");
  }
  if (s.send > most_numbers || s.receive > most_numbers || s.capacity < 1 ||
      s.capacity > most_capacity)
    refuse(s, "V5183", "a vector has at most 131072 numbers, a queue 65536 vectors", "");
  static_assert(sizeof(Header) == sizeof(Found) && std::atomic<std::int64_t>::is_always_lock_free);
  const SegmentLayout plan = planned(s, sizeof(Header));
  Mapping& m = *mapping_;
  m.open(s);
  std::size_t size = m.size(s);
  if (size > 0) {
    // validate the contents before use
    Found found{};
    const ssize_t n = pread(m.descriptor.get(), &found, sizeof found, 0);
    const bool whole = n == static_cast<ssize_t>(sizeof found);
    // a process killed while creating the memory left zeros
    const auto* first = reinterpret_cast<const char*>(&found);
    const bool unfinished =
        std::all_of(first, first + std::min<ssize_t>(std::max<ssize_t>(n, 0), 8),
                    [](char c) { return c == 0; });
    if (unfinished) found = Found{};
    if (!unfinished && (!whole || found.magic != magic || found.version != version)) {
      refuse(s, "V5186",
             found.magic == magic ? "it has version " + std::to_string(found.version) + ", not 1"
                                  : "what lies there was not made by Vernier, or is damaged",
             "when nothing uses it any more: rm /dev/shm" + m.path);
    }
    const auto alive = [&](Side side) {
      const auto& seat = found.seats[static_cast<std::size_t>(side)];
      return seat.present == 1 && shared::lives(seat.pid, seat.since);
    };
    if (alive(s.side)) {
      refuse(s, "V5184",
             std::string("its ") + name(s.side) + " side is taken by process " +
                 std::to_string(found.seats[static_cast<std::size_t>(s.side)].pid),
             "the other side is the one with side=\"" + std::string(name(other(s.side))) + "\"");
    }
    const bool fits = found.ready == 1 && found.bytes == plan.total && size == plan.total &&
                      found.keep == static_cast<std::uint32_t>(s.keep) &&
                      found.numbers[0] == plan.numbers[0] && found.numbers[1] == plan.numbers[1] &&
                      (s.keep == Keep::latest || found.capacity == s.capacity);
    const bool same_meaning = found.interface_hash == 0 || s.interface_hash == 0 ||
                              found.interface_hash == s.interface_hash;
    if (alive(other(s.side)) && !(fits && same_meaning)) {
      const auto side = static_cast<std::size_t>(s.side);
      const auto text = [](std::uint32_t out, std::uint32_t in, std::uint32_t keep) {
        return "takes " + std::to_string(out) + " numbers and sends " + std::to_string(in) +
               (keep ? " by queue" : " by latest");
      };
      refuse(s, "V5185",
             !fits ? "the other side " +
                         text(found.numbers[side], found.numbers[1 - side], found.keep) +
                         "; here it should be: " +
                         text(s.send, s.receive, static_cast<std::uint32_t>(s.keep))
                   : std::string("the two sides do not mean the same by their numbers (interface)"),
             "");
    }
    if (!alive(other(s.side))) size = 0;  // left by a dead process: create anew
  }
  if (size == 0) {
    if (ftruncate(m.descriptor.get(), 0) != 0 ||
        ftruncate(m.descriptor.get(), static_cast<off_t>(plan.total)) != 0)
      refuse(s, "V5183", "it cannot be made: " + words(errno), "");
    // allocate now, so that a lack of memory does not cause SIGBUS in the loop
    if (const int error = posix_fallocate(m.descriptor.get(), 0, static_cast<off_t>(plan.total)))
      refuse(s, "V5183", "it cannot be made: " + words(error), "");
  }
  m.map(s, plan.total);
  header_ = reinterpret_cast<Header*>(m.memory);
  const auto box = [&](std::size_t i) {
    return std::span(m.memory + plan.box[i], box_bytes(s, plan.numbers[i]));
  };
  const auto out = static_cast<std::size_t>(s.side), in = 1 - out;
  if (s.keep == Keep::latest) {
    latest_out_ = Latest(box(out), message_bytes(s.send));
    latest_in_ = Latest(box(in), message_bytes(s.receive));
  } else {
    queue_out_ = Queue(box(out), message_bytes(s.send), s.capacity);
    queue_in_ = Queue(box(in), message_bytes(s.receive), s.capacity);
  }
  if (size == 0) {
    // new memory is zero: no side is present
    if (s.keep == Keep::latest) {
      latest_out_.clear();
      latest_in_.clear();
    } else {
      queue_out_.clear();
      queue_in_.clear();
    }
    header_->magic = magic;
    header_->version = version;
    header_->keep = static_cast<std::uint32_t>(s.keep);
    header_->bytes = plan.total;
    header_->numbers[0] = plan.numbers[0];
    header_->numbers[1] = plan.numbers[1];
    header_->capacity = s.capacity;
    header_->ready = 1;
  } else if (s.keep == Keep::latest) {
    if (!latest_out_.resume_writer() || !latest_in_.resume_reader())
      refuse(s, "V5186", "its mailboxes are damaged", "end the other side as well");
  } else {
    while (queue_in_.front()) queue_in_.pop();  // meant for the previous process
  }
  if (header_->interface_hash == 0) header_->interface_hash = s.interface_hash;
  Header::Seat& seat = header_->seat(s.side);
  seat.pid = getpid();
  seat.since = began(getpid());
  seat.written = 0;
  seat.period = s.period;
  seat.lives.fetch_add(1);
  seat.present = 1;
  m.unlock();
  received_.values = values_;
}

Segment::~Segment() {
  Mapping& m = *mapping_;
  if (!header_ || flock(m.descriptor.get(), LOCK_EX) != 0) return;
  header_->seat(settings_.side).present = 0;
  const Header::Seat& there = header_->seat(other(settings_.side));
  struct stat mine {
  }, named{};
  const Descriptor again(shm_open(m.path.c_str(), O_RDWR | O_CLOEXEC, 0600));
  const bool same = again && fstat(again.get(), &named) == 0 &&
                    fstat(m.descriptor.get(), &mine) == 0 && mine.st_ino == named.st_ino;
  if (same && !(there.present == 1 && shared::lives(there.pid, there.since)))
    shm_unlink(m.path.c_str());
  m.unlock();
}

bool Segment::write(std::span<const double> v, std::int64_t step, std::int64_t acquired) noexcept {
  ++written_;
  const bool latest = settings_.keep == Keep::latest;
  std::byte* to = latest ? latest_out_.next() : queue_out_.next();
  header_->seat(settings_.side).written.store(monotonic(), std::memory_order_relaxed);
  if (!to) return false;
  SpanWriter w({to, message_bytes(settings_.send)});
  w(written_, step, acquired);
  w.numbers(v);
  w(written_);
  if (latest) {
    latest_out_.write();
  } else {
    queue_out_.push();
  }
  return true;
}

const Received& Segment::read() noexcept {
  const bool latest = settings_.keep == Keep::latest;
  const std::byte* from =
      latest ? (latest_in_.read() ? latest_in_.front() : nullptr) : queue_in_.front();
  received_.fresh = false;
  if (!from) return received_;
  ByteReader r({from, message_bytes(settings_.receive)});
  Before head{};
  r(head.number, head.step, head.acquired);
  const Bytes vector = r.raw(values_.size() * sizeof(double));
  if (head.number == r.number<std::uint64_t>() && head.number != 0) {
    ByteReader{vector}.numbers(std::span(values_));
    const std::uint64_t life = lives();
    const std::uint64_t last = life == known_life_ ? received_.number : 0;
    known_life_ = life;
    // a number from a previous life, or damage, is not a gap
    if (head.number > last + 1 && head.number - last < 1'000'000'000)
      received_.missed += head.number - last - 1;
    received_.number = head.number;
    received_.step = head.step;
    received_.acquired = head.acquired;
    received_.fresh = true;
  } else {
    ++received_.torn;
  }
  if (!latest) queue_in_.pop();
  return received_;
}

bool Segment::present() const noexcept {
  return header_->seat(other(settings_.side)).present.load(std::memory_order_relaxed) == 1;
}
std::int64_t Segment::last_written() const noexcept {
  return header_->seat(other(settings_.side)).written.load(std::memory_order_relaxed);
}
std::int64_t Segment::period() const noexcept {
  const std::int64_t p =
      header_->seat(other(settings_.side)).period.load(std::memory_order_relaxed);
  return p >= 1'000 && p <= 1'000'000'000'000 ? p : settings_.period;
}
std::uint64_t Segment::lives() const noexcept {
  return header_->seat(other(settings_.side)).lives.load(std::memory_order_relaxed);
}
bool Segment::alive() const {
  const Header::Seat& there = header_->seat(other(settings_.side));
  return there.present == 1 && shared::lives(there.pid, there.since);
}

}  // namespace vernier::shared
