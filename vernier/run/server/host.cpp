#include "vernier/run/server/host.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sched.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <map>
#include <numeric>
#include <set>
#include <system_error>
#include <utility>

#include "vernier/base/diagnostic.hpp"
#include "vernier/base/text.hpp"
#include "vernier/net/framing.hpp"
#include "vernier/net/loop.hpp"
#include "vernier/net/outbox.hpp"
#include "vernier/net/socket.hpp"
#include "vernier/run/server/file_cache.hpp"
#include "vernier/run/server/greeting.hpp"
#include "vernier/run/server/relay.hpp"

namespace vernier::server {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using net::Clock;
using net::Loop;
using State = net::Stream::State;

constexpr std::uint32_t draining_word = 128;  // Word::draining
constexpr Loop::Key listener_key = 0, drain_key = 1;
// the keys of one connection: itself, the channel to its executor, the executor's process, the size
// of what it writes
enum Watched : Loop::Key { wire = 0, channel = 1, process = 2, disk = 3, watched_count = 4 };

constexpr int backlog = 128;
constexpr auto accept_pause = 1s;        // when the system has no descriptors left
constexpr auto goodbye_within = 2s;      // for a peer to close its side after a last message
constexpr auto last_words = 10s;         // that a composer may take nothing of an ended executor
constexpr auto disk_look = 2s;           // between two looks at what an executor has written
constexpr auto tolerance = 60s;          // that a network may deliver nothing
constexpr std::size_t most_rounds = 16;  // of one connection before others are served
constexpr std::size_t most_owed = 1u << 20;    // of answers that a client does not take
constexpr std::size_t most_refusals = 10;      // in the log, each second
constexpr std::size_t most_entries = 100'000;  // in the folder of an executor

/// A folder of this process below another one; those of processes that have ended are removed.
class Scratch {
 public:
  explicit Scratch(const fs::path& below) {
    std::error_code failed;
    fs::create_directories(below, failed);
    for (const fs::directory_entry& e : fs::directory_iterator(below, failed))
      remove_left(e.path());
    std::string name = (below / "server-XXXXXX").string();
    if (!mkdtemp(name.data()))
      throw ConfigurationError(
          "V5641", "the server cannot write in " + below.string() + ": " + net::system_error());
    path_ = name;
    lock_ = Descriptor(open(lock_of(path_).c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
    flock(lock_.get(), LOCK_EX | LOCK_NB);
  }
  ~Scratch() {
    std::error_code failed;
    fs::remove_all(path_, failed);
  }
  const fs::path& path() const noexcept { return path_; }

 private:
  static fs::path lock_of(const fs::path& folder) { return folder / "lock"; }
  static void remove_left(const fs::path& folder) {
    const Descriptor lock(open(lock_of(folder).c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW));
    std::error_code failed;
    if (lock && flock(lock.get(), LOCK_EX | LOCK_NB) == 0) fs::remove_all(folder, failed);
  }

  fs::path path_;
  Descriptor lock_;
};

std::string last_line(const fs::path& file) {
  const Descriptor from(open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  struct stat about {};
  if (!from || fstat(from.get(), &about) != 0 || !S_ISREG(about.st_mode)) return {};
  std::array<char, 400> end;
  const auto length = static_cast<off_t>(end.size());
  const ssize_t n = pread(from.get(), end.data(), end.size(),
                          about.st_size > length ? about.st_size - length : 0);
  const std::string_view text =
      trimmed({end.data(), static_cast<std::size_t>(std::max<ssize_t>(n, 0))});
  return printable(text.substr(text.rfind('\n') + 1));
}

std::vector<int> usable_processors() {
  cpu_set_t set;
  std::vector<int> all;
  if (sched_getaffinity(0, sizeof set, &set) != 0) return all;
  for (int i = 0; i < CPU_SETSIZE; ++i)
    if (CPU_ISSET(static_cast<std::size_t>(i), &set)) all.push_back(i);
  return all;
}

/// More than `most`: as soon as that is known.
std::uint64_t size_of(const fs::path& folder, std::uint64_t most) {
  std::uint64_t sum = 0;
  std::size_t entries = 0;
  std::error_code failed;
  for (fs::recursive_directory_iterator at(folder, fs::directory_options::none, failed), end;
       !failed && at != end; at.increment(failed)) {
    struct stat about {};
    if (lstat(at->path().c_str(), &about) == 0)
      sum += static_cast<std::uint64_t>(about.st_blocks) * 512;
    if (sum > most || ++entries > most_entries) return most + 1;
  }
  return sum;
}

}  // namespace

class Host::Work {
 public:
  explicit Work(HostSettings s)
      : settings_(std::move(s)),
        scratch_(settings_.folder / "scratch"),
        cache_(settings_.folder / "files", settings_.most_cached),
        processors_(usable_processors()) {
    auto made = net::listening(settings_.listen, backlog);
    if (!made || !loop_)
      throw ConfigurationError("V5630", "the server cannot listen at " +
                                            net::text(settings_.listen) + ": " +
                                            (made ? net::system_error() : made.error()));
    listener_ = std::move(*made);
    settings_.listen.port = std::to_string(net::port_of(listener_));
    loop_.watch(listener_.get(), net::readable, listener_key);
    taken_.resize(processors_.size());
  }

  std::string address() const { return net::text(settings_.listen); }

  void serve() {
    while (!stopping_) {
      if (asked_to_drain_ && !draining_) begin_drain();
      if (draining_ && runs_ == 0 && !saying_goodbye()) break;
      const bool busy = !unread_.empty() || !checking_.empty();
      const auto events = loop_.wait(busy ? Clock::time_point{} : net::forever);
      now_ = loop_.now();
      for (const Loop::Event& e : events) take(e);
      for (const std::uint64_t id : std::exchange(unread_, {}))
        if (Visitor* v = find(id)) proceed(*v);
      for (const std::uint64_t id : std::exchange(checking_, {}))
        if (Visitor* v = find(id)) check_files(*v);
      bury();
    }
    for (auto& [id, v] : visitors_) lose(*v);
    visitors_.clear();
  }

  bool saying_goodbye() const noexcept {
    return std::ranges::any_of(visitors_,
                               [](const auto& v) { return v.second->stage == Stage::closing; });
  }

  void drain() noexcept {
    asked_to_drain_ = true;
    loop_.wake();
  }
  void stop() noexcept {
    stopping_ = true;
    loop_.wake();
  }

 private:
  // ending: the connection is gone, its executor is not yet
  enum class Stage { tls, greeting, asking, relaying, closing, ending, dead };

  /// An executor and what is under way to and from it.
  struct Run {
    explicit Run(Spawned s) : executor(std::move(s)), stream(executor.take_channel()) {}
    std::string name;
    fs::path folder;
    std::vector<std::size_t> processors;  // which it uses, of all
    Spawned executor;
    net::Stream stream;
    Passage up, down;  // to the composer, to the executor
    FrameEdges edges;  // of what goes up
    std::uint32_t watched = 0;
    bool tell = false;                        // that the server drains
    bool silent = false;                      // the executor sends no more
    bool deaf = false;                        // it takes no more
    bool over = false;                        // its process has ended
    bool left = false;                        // the composer is about to send no more
    bool ended = false;                       // it sends no more
    bool full_up = false, full_down = false;  // the socket takes no more now
  };

  struct Transfer {
    std::vector<FileId> files;
    std::vector<std::uint32_t> missing;
    std::size_t next = 0;  // of the files that are looked at, or of the missing
    std::unique_ptr<FileCache::Check> check;
    std::unique_ptr<FileCache::Arrival> arrival;
  };

  struct Visitor {
    Visitor(std::uint64_t number, Descriptor fd, const HostSettings& s, net::Chunks& chunks)
        : id(number),
          stream(std::move(fd)),
          name(net::peer_name(stream.descriptor())),
          from(net::peer_of(stream.descriptor())),
          greeting(s.key, s.about.version),
          out(chunks) {}
    std::uint64_t id;
    net::Stream stream;
    std::string name;
    net::Endpoint from;
    Stage stage = Stage::greeting;
    GreetingFromClient greeting;
    net::Inbox in{0};
    net::Outbox out;
    std::uint32_t watched = 0;
    bool full = false;      // the socket takes no more now
    bool finished = false;  // our sending side is closed
    std::unique_ptr<Transfer> transfer;
    std::unique_ptr<Run> run;
  };

  static Loop::Key key(const Visitor& v, Watched w) noexcept { return v.id * watched_count + w; }
  Visitor* find(std::uint64_t id) {
    const auto at = visitors_.find(id);
    return at == visitors_.end() || at->second->stage == Stage::dead ? nullptr : at->second.get();
  }
  void log(const std::string& line) const {
    if (settings_.log) settings_.log(line);
  }
  /// Of strangers, of whom there may be thousands.
  void log_refusal(const Visitor& v, const std::string& why) {
    if (now_ - refusals_since_ >= 1s) {
      if (refusals_ > most_refusals)
        log(fmt::format("{} more connections were refused", refusals_ - most_refusals));
      refusals_since_ = now_;
      refusals_ = 0;
    }
    if (++refusals_ <= most_refusals) log(v.name + " is refused: " + why);
  }
  static bool stranger(const Visitor& v) noexcept {
    return v.stage == Stage::tls || v.stage == Stage::greeting;
  }

  void take(const Loop::Event& e) {
    if (e.key == listener_key) {
      if (e.what == Loop::due) loop_.watch(listener_.get(), net::readable, listener_key);
      return accept_all();
    }
    if (e.key == drain_key) {
      log("the time to drain is over: what still runs is killed");
      stopping_ = true;
      return;
    }
    Visitor* v = find(e.key / watched_count);
    const auto what = static_cast<Watched>(e.key % watched_count);
    if (!v || (what != Watched::wire && !v->run) || (gone(*v) && what != Watched::process)) return;
    if (what == Watched::process) return bury_executor(*v);
    if (what == Watched::disk) return look_at_disk(*v);
    if (what == Watched::channel) {
      if ((e.what & net::writable) != 0) v->run->full_down = false;
      return proceed(*v);
    }
    if (e.what == Loop::due) return expire(*v);
    if ((e.what & net::writable) != 0) {
      v->full = false;
      if (v->run) v->run->full_up = false;
    }
    if (v->run && (e.what & net::hung_up) != 0) leave(*v);
    proceed(*v);
  }

  // ---- connections

  void accept_all() {
    while (true) {
      Descriptor fd = net::accepted(listener_);
      if (!fd) {
        if (errno == EAGAIN || errno == EWOULDBLOCK) return;
        loop_.forget(listener_.get());
        loop_.timers().set(listener_key, now_ + accept_pause);
        return;
      }
      const std::uint64_t id = ++last_id_;
      auto v = std::make_unique<Visitor>(id, std::move(fd), settings_, chunks_);
      if (!has_room_for(*v)) continue;
      v->stream.tolerate(tolerance);
      if (settings_.tls) {
        v->stage = Stage::tls;
        v->stream.secure(*settings_.tls);
      }
      loop_.timers().set(key(*v, Watched::wire), now_ + settings_.greet_within);
      watch(*v);
      visitors_.emplace(id, std::move(v));
    }
  }

  /// Of those who have not said who they are, the oldest of an address that has many makes room,
  /// then the oldest of all.
  bool has_room_for(const Visitor& newcomer) {
    Visitor *oldest = nullptr, *oldest_of_it = nullptr;
    std::size_t all = 0, strangers = 0, of_it = 0;
    for (const auto& [id, v] : visitors_) {
      if (gone(*v)) continue;
      ++all;
      if (!stranger(*v)) continue;
      if (strangers++ == 0) oldest = v.get();
      if (v->from.ip == newcomer.from.ip && of_it++ == 0) oldest_of_it = v.get();
    }
    const bool full = all >= settings_.most_connections;
    if (of_it >= settings_.most_strangers_of_one && oldest_of_it)
      lose(*oldest_of_it);
    else if ((full || strangers >= settings_.most_strangers) && oldest)
      lose(*oldest);
    else
      return !full;
    return true;
  }

  void watch(Visitor& v) noexcept {
    std::uint32_t wanted = 0;
    if (v.run && v.stage == Stage::relaying) {
      Run& r = *v.run;
      wanted = (r.left ? 0u : net::hung_up) |
               (r.left || r.down.room().empty() ? 0u : net::readable) |
               (r.full_up ? net::writable : 0u);
      std::uint32_t other = (r.silent || r.up.room().empty() ? 0u : net::readable) |
                            (r.full_down ? net::writable : 0u);
      register_for(r.stream.descriptor(), r.watched, other, key(v, Watched::channel));
    } else if (!gone(v)) {
      wanted = (v.full ? net::writable : 0u) |
               (paused(v) ? 0u : static_cast<std::uint32_t>(net::readable));
    }
    register_for(v.stream.descriptor(), v.watched, wanted, key(v, Watched::wire));
  }
  /// The end of a connection is reported whatever is wanted: so one of which nothing is wanted is
  /// not registered.
  void register_for(int fd, std::uint32_t& watched, std::uint32_t wanted, Loop::Key k) noexcept {
    if (watched == wanted) return;
    if (wanted == 0)
      loop_.forget(fd);
    else if (watched == 0)
      loop_.watch(fd, wanted, k);
    else
      loop_.change(fd, wanted, k);
    watched = wanted;
  }
  /// It is not read: it takes no answers, or the last request is still in work.
  static bool paused(const Visitor& v) noexcept {
    return v.out.size() > most_owed || (v.transfer && v.transfer->check);
  }

  void expire(Visitor& v) {
    switch (v.stage) {
      case Stage::tls:
      case Stage::greeting:
        log_refusal(v, "it did not say in time who it is");
        return lose(v);
      case Stage::relaying:
        if (!v.run->over) return v.run->executor.kill();
        return lose(v);
      default:
        return lose(v);
    }
  }

  static bool gone(const Visitor& v) noexcept {
    return v.stage == Stage::ending || v.stage == Stage::dead;
  }

  void lose(Visitor& v) {
    if (gone(v)) return;
    v.stage = Stage::ending;
    for (const Watched w : {Watched::wire, Watched::channel, Watched::process, Watched::disk})
      loop_.timers().cancel(key(v, w));
    if (v.watched != 0) loop_.forget(v.stream.descriptor());
    v.stream.close();
    if (!v.run) return die(v);
    if (v.run->watched != 0) loop_.forget(v.run->stream.descriptor());
    v.run->stream.close();
    if (v.run->over) {
      end(v);
      return die(v);
    }
    log(v.run->name + " is killed: its composer is gone");
    v.run->executor.kill();
  }
  void die(Visitor& v) {
    v.stage = Stage::dead;
    dead_.push_back(v.id);
  }
  void bury() {
    for (const std::uint64_t id : std::exchange(dead_, {})) visitors_.erase(id);
  }

  /// Says something last.
  void dismiss(Visitor& v) {
    v.stage = Stage::closing;
    v.transfer.reset();
    loop_.timers().set(key(v, Watched::wire), now_ + goodbye_within);
    send(v);
  }
  void refuse(Visitor& v, std::string code, std::string why, std::string note = {}) {
    log_refusal(v, why);
    Refusal r{std::move(code), std::move(why), {}};
    if (!note.empty()) r.notes.push_back(std::move(note));
    say(v, HostWord::refused, r);
    dismiss(v);
  }
  template <class T>
  void say(Visitor& v, HostWord word, const T& message) {
    frame_.clear();
    put_frame(frame_, word, message);
    v.out.put(Bytes(frame_));
  }

  void send(Visitor& v) {
    const State s = v.out.write(v.stream);
    if (s == State::closed) return lose(v);
    v.full = s != State::done;
    if (s == State::done && v.stage == Stage::closing && !std::exchange(v.finished, true))
      v.stream.finish();
    watch(v);
  }

  // ---- what clients say

  /// As far as it goes without waiting.
  void proceed(Visitor& v) {
    if (gone(v)) return;
    if (v.stage == Stage::tls) {
      const State s = v.stream.shake();
      if (s == State::closed) {
        log_refusal(v, "TLS: " + v.stream.why());
        return lose(v);
      }
      v.full = s == State::wait_to_write;
      if (s != State::done) return watch(v);
      v.stage = Stage::greeting;
    }
    if (v.stage == Stage::relaying) return relay(v);
    if (v.out.size() > 0) send(v);
    for (std::size_t round = 0; !gone(v) && !paused(v); ++round) {
      if (v.stage == Stage::relaying) return relay(v);
      if (round == most_rounds) return unread_.push_back(v.id);
      const net::Stream::Moved m = v.stream.read(v.in.room());
      if (m.state == State::closed) return lose(v);
      if (m.state != State::done) break;
      v.in.add(m.bytes);
      take_frames(v);
    }
    if (!gone(v)) watch(v);
  }

  void take_frames(Visitor& v) {
    Bytes rest = v.in.content(), frame;
    while (v.stage == Stage::greeting || (v.stage == Stage::asking && !paused(v))) {
      const std::size_t longest = v.stage == Stage::greeting ? longest_greeting : longest_request;
      const net::Cut cut = net::next_frame(rest, frame, frame_head, longest);
      if (cut == net::Cut::more) break;
      if (cut == net::Cut::malformed) {
        if (v.stage == Stage::greeting) return lose(v);
        return refuse(v, "V5637", "what the client sent is no request");
      }
      if (v.stage == Stage::greeting)
        greet(v, frame);
      else
        answer(v, frame);
    }
    if (gone(v)) return;
    if (v.stage == Stage::closing) rest = {};
    if (v.stage == Stage::relaying) {
      // a client waits before it speaks to its executor
      if (!v.run->down.add(rest)) return lose(v);
      rest = {};
    }
    v.in.keep(rest);
    v.in.shrink(64u << 10);
    if (v.stage != Stage::relaying && v.out.size() > 0) send(v);
  }

  void greet(Visitor& v, Bytes frame) {
    frame_.clear();
    const Greeting g = v.greeting.take(frame, frame_);
    v.out.put(Bytes(frame_));
    if (g == Greeting::refused) {
      log_refusal(v, v.greeting.why());
      return v.out.size() > 0 ? dismiss(v) : lose(v);
    }
    if (g == Greeting::done) {
      v.stage = Stage::asking;
      loop_.timers().set(key(v, Watched::wire), now_ + settings_.idle);
    }
  }

  void answer(Visitor& v, Bytes frame) {
    loop_.timers().set(key(v, Watched::wire), now_ + settings_.idle);
    const HostWord word = word_of(frame);
    if (word == HostWord::info && frame.size() == frame_head)
      return say(v, HostWord::about, about());
    if (word == HostWord::ping) {
      if (const auto token = content_of<std::uint64_t>(frame)) return pong(v, *token);
    } else if (word == HostWord::files) {
      if (auto files = content_of<std::vector<FileId>>(frame))
        return begin_files(v, std::move(*files));
    } else if (word == HostWord::piece) {
      if (const auto piece = content_of<Piece>(frame)) return take_piece(v, *piece);
    } else if (word == HostWord::execute) {
      if (const auto wanted = content_of<Execute>(frame)) return execute(v, *wanted);
    }
    refuse(v, "V5637", "what the client sent is no request");
  }

  void pong(Visitor& v, std::uint64_t token) {
    const auto ns = [](auto since) {
      return std::chrono::duration_cast<std::chrono::nanoseconds>(since).count();
    };
    say(v, HostWord::pong,
        Pong{token, ns(Clock::now().time_since_epoch()),
             ns(std::chrono::system_clock::now().time_since_epoch())});
  }

  About about() const {
    About a = settings_.about;
    double load = 0.0;
    if (getloadavg(&load, 1) == 1) a.load = load;
    a.runs = static_cast<std::uint32_t>(runs_);
    a.draining = draining_;
    return a;
  }

  // ---- files

  void begin_files(Visitor& v, std::vector<FileId> files) {
    if (files.size() > most_files)
      return refuse(
          v, "V5636",
          fmt::format("the server takes {} files at once, not {}", most_files, files.size()));
    for (const FileId& f : files)
      if (f.path.size() > longest_name) return refuse(v, "V5637", "a file has too long a name");
    v.transfer = std::make_unique<Transfer>();
    v.transfer->files = std::move(files);
    next_check(v);
  }

  void next_check(Visitor& v) {
    Transfer& t = *v.transfer;
    if (t.next == t.files.size()) return ask_for_missing(v);
    t.check = std::make_unique<FileCache::Check>(cache_, t.files[t.next]);
    checking_.push_back(v.id);
  }

  void check_files(Visitor& v) {
    if (!v.transfer || !v.transfer->check) return;
    Transfer& t = *v.transfer;
    const std::optional<bool> there = t.check->step();
    if (!there) return checking_.push_back(v.id);
    t.check.reset();
    if (!*there) t.missing.push_back(static_cast<std::uint32_t>(t.next));
    ++t.next;
    next_check(v);
    if (v.stage == Stage::asking && !t.check) {
      send(v);
      // what was received meanwhile is not reported again
      if (v.stage == Stage::asking) take_frames(v);
      if (!gone(v)) unread_.push_back(v.id);
    }
  }

  void ask_for_missing(Visitor& v) {
    Transfer& t = *v.transfer;
    // the same content under several names is sent once
    std::set<fs::path> seen;
    std::erase_if(t.missing,
                  [&](std::uint32_t i) { return !seen.insert(cache_.place(t.files[i])).second; });
    std::set<fs::path> keep;
    for (const auto& [id, other] : visitors_)
      if (other->transfer)
        for (const FileId& f : other->transfer->files) keep.insert(cache_.place(f));
    std::uint64_t sum = 0;
    for (const std::uint32_t i : t.missing) {
      const std::uint64_t size = t.files[i].size;
      sum = size > settings_.most_cached - std::min(sum, settings_.most_cached)
                ? settings_.most_cached + 1
                : sum + size;
    }
    if (!t.missing.empty() && !cache_.make_room(sum, keep))
      return refuse(v, "V5636",
                    fmt::format("the files of the run do not fit: the server keeps {} MB of files",
                                settings_.most_cached >> 20),
                    "its owner can say --files MIB");
    t.next = 0;
    say(v, HostWord::missing, t.missing);
    next_arrival(v);
  }

  void next_arrival(Visitor& v) {
    Transfer& t = *v.transfer;
    t.arrival.reset();
    if (t.next < t.missing.size()) {
      t.arrival =
          std::make_unique<FileCache::Arrival>(cache_, t.files[t.missing[t.next]], scratch_.path());
      return;
    }
    std::vector<std::string> places;
    for (const FileId& f : t.files) places.push_back(cache_.place(f).string());
    say(v, HostWord::places, places);
  }

  void take_piece(Visitor& v, const Piece& p) {
    Transfer* t = v.transfer.get();
    if (!t || !t->arrival || t->missing[t->next] != p.file)
      return refuse(v, "V5637", "the client sent a file that is not missing");
    const auto complete = t->arrival->add(p.content);
    if (!complete) return refuse(v, "V5636", complete.error());
    if (!*complete) return;
    ++t->next;
    next_arrival(v);
  }

  // ---- executors

  void execute(Visitor& v, const Execute& wanted) {
    if (draining_)
      return refuse(v, "V5635", "the server ends soon and takes no new runs",
                    "leave it out, or start it again");
    if (v.greeting.program() != settings_.about.version)
      return refuse(v, "V5633",
                    "the server is Vernier " + settings_.about.version + ", this program is " +
                        v.greeting.program(),
                    "use the same version on all computers");
    if (runs_ >= settings_.about.most_runs)
      return refuse(v, "V5634",
                    fmt::format("the server already hosts {} {}, and may host no more", runs_,
                                runs_ == 1 ? "executor" : "executors"),
                    "wait for the end of one, or its owner can say --runs N");
    std::string folder = (scratch_.path() / "run-XXXXXX").string();
    if (!mkdtemp(folder.data()))
      return refuse(v, "V5640", "the server cannot start an executor: " + net::system_error());
    const Limits limits = limits_for(wanted);
    const std::vector<std::size_t> chosen = free_processors(limits);
    std::vector<int> cpus;
    for (const std::size_t i : chosen) cpus.push_back(processors_[i]);
    auto spawned = Spawned::of(settings_.launch, limits, folder, cpus);
    if (!spawned) {
      std::error_code failed;
      fs::remove_all(folder, failed);
      return refuse(v, "V5640", "the server cannot start an executor: " + spawned.error());
    }
    begin_run(v, wanted, std::move(*spawned), folder, chosen);
  }

  void begin_run(Visitor& v, const Execute& wanted, Spawned spawned, const std::string& folder,
                 const std::vector<std::size_t>& chosen) {
    v.run = std::make_unique<Run>(std::move(spawned));
    Run& r = *v.run;
    r.name = fmt::format("{} ({})", printable(wanted.run, 80), printable(wanted.node, 40));
    r.folder = folder;
    r.processors = chosen;
    for (const std::size_t i : chosen) ++taken_[i];
    ++runs_;
    log(fmt::format("{} of {} runs in process {}", r.name, v.name, r.executor.id()));
    loop_.watch(r.executor.descriptor(), net::readable, key(v, Watched::process));
    loop_.timers().cancel(key(v, Watched::wire));
    if (settings_.limits.disk > 0) loop_.timers().set(key(v, Watched::disk), now_ + disk_look);
    // before anything of the executor
    frame_.clear();
    put_frame(frame_, HostWord::executing);
    r.up.add(Bytes(frame_));
    v.stage = Stage::relaying;
  }

  /// What the owner of the server allows, or less.
  Limits limits_for(const Execute& wanted) const noexcept {
    const auto smaller = [](auto a, auto b) { return a == 0 || (b != 0 && b < a) ? b : a; };
    Limits l = settings_.limits;
    l.memory = smaller(l.memory, wanted.memory);
    l.processors = smaller(l.processors, wanted.processors);
    return l;
  }

  /// Those that the fewest executors use.
  std::vector<std::size_t> free_processors(const Limits& l) const {
    const std::size_t wanted = l.processors;
    if (wanted == 0 || wanted >= processors_.size()) return {};
    std::vector<std::size_t> all(processors_.size());
    std::iota(all.begin(), all.end(), std::size_t{0});
    std::ranges::stable_sort(all, {}, [this](std::size_t i) { return taken_[i]; });
    all.resize(wanted);
    return all;
  }

  void relay(Visitor& v) {
    Run& r = *v.run;
    bool moved = true;
    for (std::size_t round = 0; moved; ++round) {
      if (round == most_rounds) {
        unread_.push_back(v.id);
        break;
      }
      moved = read_executor(r);
      if (!send_up(v, moved)) return;
      if (!read_composer(v, moved)) return;
      moved = send_down(v) || moved;
    }
    if (r.over && r.silent && r.up.empty()) {
      v.stage = Stage::closing;
      if (r.watched != 0) loop_.forget(r.stream.descriptor());
      end(v);
      return dismiss(v);
    }
    watch(v);
  }

  bool read_executor(Run& r) {
    if (r.silent) return false;
    if (r.tell && r.edges.at_edge()) tell_draining(r);
    std::span<std::byte> room = r.up.room();
    if (room.empty()) return false;
    // not past the place where the server says something
    if (r.tell) room = room.first(std::min(room.size(), r.edges.within()));
    const net::Stream::Moved m = r.stream.read(room);
    if (m.state == State::closed) r.silent = true;
    if (m.state != State::done) return false;
    r.edges.pass(Bytes(room).first(m.bytes));
    r.up.add(m.bytes);
    return true;
  }

  static void tell_draining(Run& r) {
    std::array<std::byte, frame_head> frame;
    SpanWriter w(frame);
    w(static_cast<std::uint32_t>(frame.size()), draining_word);
    r.tell = !r.up.add(Bytes(frame));
  }

  /// False: the composer is gone.
  bool send_up(Visitor& v, bool& moved) {
    Run& r = *v.run;
    if (v.out.size() > 0) {  // answers that it has not taken yet
      const State s = v.out.write(v.stream);
      if (s == State::closed) return lose_composer(v);
      r.full_up = s != State::done;
      if (r.full_up) return true;
    }
    if (r.up.empty() || r.full_up) return true;
    const net::Stream::Moved m = v.stream.write(r.up.content());
    if (m.state == State::closed) return lose_composer(v);
    r.full_up = m.state != State::done;
    if (r.full_up) return true;
    r.up.drop(m.bytes);
    if (r.over) loop_.timers().set(key(v, Watched::wire), now_ + last_words);
    return moved = true;
  }

  bool read_composer(Visitor& v, bool& moved) {
    Run& r = *v.run;
    const std::span<std::byte> room = r.down.room();
    if (room.empty() || r.ended) return true;
    const net::Stream::Moved m = v.stream.read(room);
    if (m.state == State::closed) {
      if (v.stream.failed()) return lose_composer(v);
      r.ended = true;
      leave(v);
      moved = true;
    }
    if (m.state != State::done) return true;
    if (r.deaf) return true;
    r.down.add(m.bytes);
    return moved = true;
  }

  bool send_down(Visitor& v) {
    Run& r = *v.run;
    if (r.deaf || r.full_down) return false;
    if (r.down.empty()) {
      if (!r.ended) return false;
      r.stream.finish();
      r.deaf = true;
      return false;
    }
    const net::Stream::Moved m = r.stream.write(r.down.content());
    r.full_down = m.state == State::wait || m.state == State::wait_to_write;
    r.deaf = m.state == State::closed;
    r.down.drop(r.deaf ? r.down.content().size() : m.bytes);
    return m.state == State::done;
  }

  /// The composer sends no more: its executor takes what it has sent, and ends.
  void leave(Visitor& v) {
    if (std::exchange(v.run->left, true)) return;
    loop_.timers().set(key(v, Watched::wire), now_ + settings_.end_within);
  }
  bool lose_composer(Visitor& v) {
    lose(v);
    return false;
  }

  void bury_executor(Visitor& v) {
    Run& r = *v.run;
    loop_.forget(r.executor.descriptor());
    const std::string how = r.executor.ended();
    r.over = true;
    if (v.stage == Stage::ending) {
      log(r.name + " has ended");
      end(v);
      return die(v);
    }
    loop_.timers().cancel(key(v, Watched::disk));
    loop_.timers().set(key(v, Watched::wire), now_ + last_words);
    if (how.empty()) {
      log(r.name + " has ended");
    } else {
      const std::string said = last_line(r.folder / "output.txt");
      log(r.name + " has ended: " + how + (said.empty() ? "" : "; it said: " + said));
    }
    proceed(v);
  }

  void look_at_disk(Visitor& v) {
    Run& r = *v.run;
    if (size_of(r.folder, settings_.limits.disk) > settings_.limits.disk) {
      log(r.name + " is killed: it has written more than it may");
      return r.executor.kill();
    }
    loop_.timers().set(key(v, Watched::disk), now_ + disk_look);
  }

  /// The executor, its folder, its share.
  void end(Visitor& v) {
    Run& r = *v.run;
    for (const std::size_t i : r.processors) --taken_[i];
    --runs_;
    const fs::path folder = r.folder;
    v.run.reset();
    std::error_code failed;
    fs::remove_all(folder, failed);
  }

  void begin_drain() {
    draining_ = true;
    log(runs_ == 0 ? std::string("the server ends")
                   : fmt::format("the server ends when {} {} ended or moved", runs_,
                                 runs_ == 1 ? "executor has" : "executors have"));
    loop_.timers().set(drain_key, Clock::now() + settings_.drain_within);
    for (auto& [id, v] : visitors_) {
      if (v->stage != Stage::relaying) continue;
      v->run->tell = true;
      unread_.push_back(id);
    }
  }

  HostSettings settings_;
  Scratch scratch_;
  FileCache cache_;
  std::vector<int> processors_;
  std::vector<int> taken_;  // by how many executors each processor is used
  Descriptor listener_;
  Loop loop_;
  net::Chunks chunks_;  // must outlive the connections
  std::map<std::uint64_t, std::unique_ptr<Visitor>> visitors_;
  std::vector<std::uint64_t> unread_, checking_, dead_;
  std::vector<std::byte> frame_;
  std::uint64_t last_id_ = 0;
  std::size_t runs_ = 0, refusals_ = 0;
  bool draining_ = false;
  Clock::time_point now_ = Clock::now(), refusals_since_ = now_;
  std::atomic<bool> asked_to_drain_{false}, stopping_{false};
};

Host::Host(HostSettings s) : work_(std::make_unique<Work>(std::move(s))) {}
Host::~Host() = default;
std::string Host::address() const { return work_->address(); }
void Host::serve() { work_->serve(); }
void Host::drain() noexcept { work_->drain(); }
void Host::stop() noexcept { work_->stop(); }

}  // namespace vernier::server
