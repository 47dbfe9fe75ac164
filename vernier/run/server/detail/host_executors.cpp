#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <numeric>
#include <system_error>

#include "vernier/base/text.hpp"
#include "vernier/run/server/detail/host_work.hpp"

namespace vernier::server {
namespace {

constexpr std::uint32_t draining_word = 128;  // Word::draining
constexpr auto last_words = 10s;  // that a composer may take nothing of an ended executor
constexpr auto disk_look = 2s;    // between two looks at what an executor has written
constexpr std::size_t most_entries = 100'000;  // in the folder of an executor

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

void Host::Work::execute(Visitor& v, const Execute& wanted) {
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

void Host::Work::begin_run(Visitor& v, const Execute& wanted, Spawned spawned,
                           const std::string& folder, const std::vector<std::size_t>& chosen) {
  v.run = std::make_unique<Run>(std::move(spawned));
  Run& r = *v.run;
  r.name = fmt::format("{} ({})", printable(wanted.run, 80), printable(wanted.node, 40));
  r.composer = wanted.composer;
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

Limits Host::Work::limits_for(const Execute& wanted) const noexcept {
  const auto smaller = [](auto a, auto b) { return a == 0 || (b != 0 && b < a) ? b : a; };
  Limits l = settings_.limits;
  l.memory = smaller(l.memory, wanted.memory);
  l.processors = smaller(l.processors, wanted.processors);
  return l;
}

std::vector<std::size_t> Host::Work::free_processors(const Limits& l) const {
  const std::size_t wanted = l.processors;
  if (wanted == 0 || wanted >= processors_.size()) return {};
  std::vector<std::size_t> all(processors_.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  std::ranges::stable_sort(all, {}, [this](std::size_t i) { return taken_[i]; });
  all.resize(wanted);
  return all;
}

void Host::Work::relay(Visitor& v) {
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

bool Host::Work::read_executor(Run& r) {
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

void Host::Work::tell_draining(Run& r) {
  std::array<std::byte, frame_head> frame;
  SpanWriter w(frame);
  w(static_cast<std::uint32_t>(frame.size()), draining_word);
  r.tell = !r.up.add(Bytes(frame));
}

bool Host::Work::send_up(Visitor& v, bool& moved) {
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

bool Host::Work::read_composer(Visitor& v, bool& moved) {
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

bool Host::Work::send_down(Visitor& v) {
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

void Host::Work::leave(Visitor& v) {
  if (std::exchange(v.run->left, true)) return;
  loop_.timers().set(key(v, Watched::wire), now_ + settings_.end_within);
}

bool Host::Work::lose_composer(Visitor& v) {
  lose(v);
  return false;
}

void Host::Work::bury_executor(Visitor& v) {
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

void Host::Work::look_at_disk(Visitor& v) {
  Run& r = *v.run;
  if (size_of(r.folder, settings_.limits.disk) > settings_.limits.disk) {
    log(r.name + " is killed: it has written more than it may");
    return r.executor.kill();
  }
  loop_.timers().set(key(v, Watched::disk), now_ + disk_look);
}

void Host::Work::end(Visitor& v) {
  Run& r = *v.run;
  for (const std::size_t i : r.processors) --taken_[i];
  --runs_;
  const fs::path folder = r.folder;
  v.run.reset();
  std::error_code failed;
  fs::remove_all(folder, failed);
}

void Host::Work::begin_drain() {
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

}  // namespace vernier::server
