#include "vernier/run/server/host.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>

#include <cstdlib>
#include <fstream>
#include <mutex>
#include <thread>

#include "vernier/base/temporary_folder.hpp"
#include "vernier/base/text.hpp"
#include "vernier/net/socket.hpp"
#include "vernier/run/server/greeting.hpp"
#include "vernier/run/server/hosts.hpp"

namespace vernier::server {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using net::Clock;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::Each;
using ::testing::HasSubstr;
using Flow = net::Stream::State;

const std::vector<std::byte> the_key(32, std::byte{7}), another_key(32, std::byte{8});

// what every executor of these tests begins with
const std::string python = R"(
import os, sys, struct
os.set_blocking(3, True)
def say(data):
    while data: data = data[os.write(3, data):]
def frame(content, word=64): say(struct.pack('<II', 8 + len(content), word) + content)
def read(n):
    data = b''
    while len(data) < n:
        part = os.read(3, n - len(data))
        if not part: sys.exit(0)
        data += part
    return data
)";
const std::string echo = "while True: say(read(1))\n";
const std::string fast_echo = R"(
while True:
    part = os.read(3, 65536)
    if not part: break
    say(part)
)";

class Server {
 public:
  explicit Server(
      const std::string& executor = fast_echo,
      const std::function<void(HostSettings&)>& change = [](HostSettings&) {}) {
    HostSettings s;
    s.listen.port = "0";
    s.key = the_key;
    s.folder = folder / "server";
    fs::create_directories(s.folder);
    std::ofstream(folder / "executor.py") << python << executor;
    s.launch = {"/usr/bin/env", {"python3", (folder / "executor.py").string()}};
    s.about = {.version = "0.1.0", .host = "here", .processors = 2, .most_runs = 4, .types = {"a"}};
    s.log = [this](std::string_view line) {
      const std::lock_guard lock(mutex_);
      log_.emplace_back(line);
    };
    change(s);
    host = std::make_unique<Host>(std::move(s));
    address = *net::parsed_address(host->address());
    thread_ = std::thread([this] { host->serve(); });
  }
  ~Server() {
    host->stop();
    if (thread_.joinable()) thread_.join();
  }
  /// serve() has returned.
  void join() { thread_.join(); }
  std::vector<std::string> log() {
    const std::lock_guard lock(mutex_);
    return log_;
  }
  void wait_for_log(const std::string& part) {
    while (joined(log(), "\n").find(part) == std::string::npos) std::this_thread::yield();
  }

  Result<Connection, Diagnostic> connect(const std::vector<std::byte>& key = the_key,
                                         const std::string& version = "0.1.0") {
    return Connection::to(address, {key, nullptr}, version, net::forever);
  }
  Connection connected() {
    auto c = connect();
    EXPECT_TRUE(c) << c.error().message;
    return std::move(*c);
  }
  net::Stream executing() {
    Connection c = connected();
    auto s = c.execute({"run", "node"});
    EXPECT_TRUE(s) << s.error().message;
    return s ? std::move(*s) : net::Stream();
  }
  net::Stream stranger() {
    auto fd = net::connected(address, net::forever);
    EXPECT_TRUE(fd) << fd.error();
    return net::Stream(std::move(*fd));
  }

  TemporaryFolder folder;
  std::unique_ptr<Host> host;
  net::Address address;

 private:
  std::mutex mutex_;
  std::vector<std::string> log_;
  std::thread thread_;
};

void write_all(net::Stream& to, Bytes bytes) {
  while (!bytes.empty()) {
    const net::Stream::Moved m = to.write(bytes);
    ASSERT_NE(m.state, Flow::closed);
    bytes = bytes.subspan(m.bytes);
    if (m.state != Flow::done) net::wait_for_room(to, net::forever);
  }
}
void write_all(net::Stream& to, std::string_view text) {
  write_all(to, std::as_bytes(std::span(text)));
}
/// So many bytes, or all until the end.
std::string read_some(net::Stream& from, std::size_t most = ~std::size_t{0}) {
  std::string all;
  std::array<char, 65536> room;
  while (all.size() < most) {
    const auto m = from.read(
        std::as_writable_bytes(std::span(room).first(std::min(room.size(), most - all.size()))));
    all.append(room.data(), m.bytes);
    if (m.state == Flow::closed) break;
    if (m.state != Flow::done) net::wait_for(from, m.state, net::forever);
  }
  return all;
}
std::string frame(std::size_t content, std::uint32_t word = 64) {
  std::vector<std::byte> bytes;
  ByteWriter w(bytes);
  w(static_cast<std::uint32_t>(8 + content), word);
  return std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()) +
         std::string(content, 'x');
}
std::string read_frame(net::Stream& from) {
  std::string head = read_some(from, 8);
  if (head.size() < 8) return head;
  return head + read_some(from, load<std::uint32_t>(reinterpret_cast<std::byte*>(head.data())) - 8);
}
/// Its first line without the name of the server.
std::string told(const Server& s, const Diagnostic& d) {
  std::string text = rendered(d);
  text.resize(text.find('\n'));
  const std::string name = net::text(s.address) + ": ";
  const std::size_t at = text.find(name);
  return at == text.npos ? text : text.erase(at, name.size());
}
bool runs(int process) { return ::kill(process, 0) == 0; }
void wait_for_end(int process) {
  while (runs(process)) std::this_thread::yield();
}

TEST(Host, SaysWhatItIs) {
  Server server;
  Connection c = server.connected();
  EXPECT_EQ(c.version(), "0.1.0");
  EXPECT_EQ(c.host(), "127.0.0.1");
  const auto about = c.info();
  ASSERT_TRUE(about);
  EXPECT_EQ(about->version, "0.1.0");
  EXPECT_EQ(about->processors, 2u);
  EXPECT_EQ(about->types, std::vector<std::string>{"a"});
  EXPECT_EQ(about->runs, 0u);
  EXPECT_FALSE(about->draining);
  const auto clock = c.ping(20);
  ASSERT_TRUE(clock);
  // on one machine there is one clock
  EXPECT_GT(clock->round_trip, 0);
  EXPECT_LE(std::abs(clock->steady_offset), clock->round_trip / 2 + 1);
}

TEST(Host, RelaysWhatComposerAndExecutorSay) {
  Server server;
  net::Stream s = server.executing();
  std::string sent;
  for (int i = 0; i < 300'000; ++i) sent += std::to_string(i) + ",";
  std::thread writer([&] { write_all(s, sent); });
  EXPECT_EQ(read_some(s, sent.size()), sent);
  writer.join();
  s.finish();
  EXPECT_EQ(read_some(s), "");
}

TEST(Host, MakesAWriterWaitForItsReader) {
  Server server("import signal\nwhile True: signal.pause()\n");
  net::Stream s = server.executing();
  // nobody reads: what is under way is bounded
  const std::vector<std::byte> part(1 << 20, std::byte{5});
  std::size_t sent = 0;
  while (net::wait_for(s.descriptor(), net::writable, Clock::now() + 200ms).ready != 0) {
    const auto m = s.write(part);
    ASSERT_NE(m.state, Flow::closed);
    sent += m.bytes;
    ASSERT_LT(sent, 64u << 20);
  }
  EXPECT_GT(sent, 0u);
}

TEST(Host, DeliversWhatAnExecutorHasSaidBeforeItsEnd) {
  Server server("read(1); say(b'y' * (8 << 20)); sys.exit(3)\n");
  net::Stream s = server.executing();
  write_all(s, "x");
  EXPECT_EQ(read_some(s).size(), std::size_t{8} << 20);
  server.wait_for_log("has ended: exit status 3");
}

TEST(Host, KillsAnExecutorWhoseComposerIsGone) {
  Server server(R"(
import signal, subprocess
child = subprocess.Popen(['sleep', '100000'])
say(b'%9d %9d' % (os.getpid(), child.pid))
while True: signal.pause()
)");
  for (const bool reset : {true, false}) {
    net::Stream s = server.executing();
    const std::string processes = read_some(s, 19);
    const int executor = std::stoi(processes), child = std::stoi(processes.substr(9));
    EXPECT_TRUE(runs(executor));
    s.close(reset);
    wait_for_end(executor);
    // the child may stay a zombie where nobody reaps orphans; it is dead all the same
    std::string state = "R";
    while (runs(child) && state != "Z") {
      std::ifstream stat("/proc/" + std::to_string(child) + "/stat");
      std::string skipped;
      stat >> skipped >> skipped >> state;
    }
  }
}

TEST(Host, LetsAnExecutorTakeTheLastWordsOfItsComposer) {
  Server server(R"(
n = len(read(1000000))
open(os.environ['HOME'] + '/took', 'w').write(str(n))
)",
                [](HostSettings& s) {
                  ::setenv("HOME", s.folder.c_str(), 1);
                  s.end_within = 1h;
                });
  const fs::path took = server.folder / "server/took";
  net::Stream s = server.executing();
  write_all(s, std::string(1'000'000, 'x'));
  s.close();
  server.wait_for_log("has ended");
  std::string n;
  std::ifstream(took) >> n;
  EXPECT_EQ(n, "1000000");
}

TEST(Host, GivesAnExecutorNothingButItsChannelAndAFolder) {
  ::setenv("SECRET_OF_THE_OWNER", "x", 1);
  Server server(R"(
fds = sorted(int(x) for x in os.listdir('/proc/self/fd'))
text = '|'.join([os.getcwd(), ','.join(os.environ), str(os.getpgid(0) == os.getpid()), ','.join(map(str, fds[:5])),
    ','.join(os.listdir('.')), os.environ['TMPDIR'], oct(os.stat('.').st_mode & 0o777), repr(sys.stdin.read())])
frame(text.encode())
open('left', 'w').write('x')
)");
  net::Stream s = server.executing();
  const std::string said = read_frame(s).substr(8);
  const std::vector<std::string_view> parts = split(said, '|');
  ASSERT_EQ(parts.size(), 8u) << said;
  EXPECT_TRUE(parts[0].starts_with((server.folder / "server/scratch/server-").string()))
      << parts[0];
  EXPECT_THAT(std::string(parts[1]), ::testing::Not(HasSubstr("SECRET")));
  EXPECT_EQ(parts[2], "True");
  // the fifth is that of the listing
  EXPECT_EQ(parts[3].substr(0, 8), "0,1,2,3,");
  EXPECT_EQ(std::ranges::count(parts[3], ','), 4);
  EXPECT_EQ(parts[4], "output.txt");
  EXPECT_EQ(parts[5], parts[0]);
  EXPECT_EQ(parts[6], "0o700");
  EXPECT_EQ(parts[7], "''");
  EXPECT_EQ(read_some(s), "");
  EXPECT_FALSE(fs::exists(parts[0]));
}

TEST(Host, LimitsWhatAnExecutorTakes) {
  Server server(
      R"(
try: x = bytearray(2 << 30)
except MemoryError: say(b'm')
import signal
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
try: open('large', 'wb').write(bytes(3 << 20))
except OSError: say(b'd')
say(b'%d' % len(os.sched_getaffinity(0)))
)",
      [](HostSettings& s) { s.limits = {.memory = 1u << 30, .disk = 1 << 20, .processors = 1}; });
  net::Stream s = server.executing();
  EXPECT_EQ(read_some(s), "md1");
}

TEST(Host, GivesAComposerNoMoreThanItAsksFor) {
  const std::string executor = R"(
import resource
say(b'%d %d' % (resource.getrlimit(resource.RLIMIT_AS)[0], len(os.sched_getaffinity(0))))
)";
  const auto given = [&](Limits allowed, std::uint64_t memory, std::uint32_t processors) {
    Server server(executor, [&](HostSettings& s) { s.limits = allowed; });
    auto s = server.connected().execute({"run", "node", memory, processors});
    EXPECT_TRUE(s);
    return s ? read_some(*s) : std::string();
  };
  const std::uint64_t little = 1u << 30, much = 2u << 30;
  EXPECT_EQ(given({}, much, 1), std::to_string(much) + " 1");
  EXPECT_EQ(given({.memory = little, .processors = 1}, much, 1000), std::to_string(little) + " 1");
  EXPECT_EQ(given({.memory = much, .processors = 1}, little, 0), std::to_string(little) + " 1");
}

TEST(Host, KillsAnExecutorThatFillsTheDisk) {
  Server server(R"(
import signal
for i in range(20): open(str(i), 'wb').write(bytes(1 << 19))
say(b'w')
while True: signal.pause()
)",
                [](HostSettings& s) { s.limits.disk = 1 << 20; });
  net::Stream s = server.executing();
  EXPECT_EQ(read_some(s), "w");
  server.wait_for_log("it has written more than it may");
}

TEST(Host, HostsOnlySoManyRuns) {
  Server server(fast_echo, [](HostSettings& s) { s.about.most_runs = 2; });
  net::Stream a = server.executing(), b = server.executing();
  Connection c = server.connected();
  EXPECT_EQ(c.info()->runs, 2u);
  const auto third = c.execute({"run", "node"});
  ASSERT_FALSE(third);
  EXPECT_EQ(told(server, third.error()),
            "error[V5634]: the server already hosts 2 executors, and may host no more");
  a.finish();
  EXPECT_EQ(read_some(a), "");
  server.wait_for_log("has ended");
  net::Stream again = server.executing();
  write_all(again, "x");
  EXPECT_EQ(read_some(again, 1), "x");
}

TEST(Host, SaysWhyAnExecutorDoesNotStart) {
  Server server(fast_echo, [](HostSettings& s) { s.launch = {"/nowhere/vernier", {}}; });
  Connection c = server.connected();
  const auto s = c.execute({"run", "node"});
  ASSERT_FALSE(s);
  EXPECT_EQ(told(server, s.error()),
            "error[V5640]: the server cannot start an executor: /nowhere/vernier: No such file or "
            "directory");
}

TEST(Host, RefusesAnotherKey) {
  Server server;
  const auto wrong = server.connect(another_key);
  ASSERT_FALSE(wrong);
  EXPECT_EQ(wrong.error().code, "V5632");
  EXPECT_THAT(wrong.error().message, HasSubstr("the key of the server is another one"));
  const auto none = server.connect({});
  ASSERT_FALSE(none);
  EXPECT_THAT(none.error().message, HasSubstr("the server wants a key"));
}

TEST(Host, RunsNothingForAnotherVersion) {
  Server server;
  auto c = server.connect(the_key, "0.0.9");
  ASSERT_TRUE(c);
  EXPECT_EQ(c->info()->version, "0.1.0");
  const auto s = c->execute({"run", "node"});
  ASSERT_FALSE(s);
  EXPECT_EQ(told(server, s.error()),
            "error[V5633]: the server is Vernier 0.1.0, this program is 0.0.9");
}

TEST(Host, IsNamedWhenItDoesNotAnswer) {
  net::Address nowhere;
  {
    Server server;
    nowhere = server.address;
  }
  const auto c = Connection::to(nowhere, {the_key, nullptr}, "0.1.0", net::forever);
  ASSERT_FALSE(c);
  EXPECT_EQ(c.error().code, "V5631");
  EXPECT_EQ(c.error().message,
            net::text(nowhere) + ": the server does not answer: Connection refused");
}

class Files : public ::testing::Test {
 protected:
  fs::path file(const std::string& name, const std::string& content) {
    std::ofstream(mine / name, std::ios::binary) << content;
    return mine / name;
  }
  static std::string content(const fs::path& p) {
    std::ifstream in(p, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  TemporaryFolder mine;
};

TEST_F(Files, AreKeptByTheirContent) {
  Server server;
  const fs::path kept = server.folder / "server/files";
  Connection c = server.connected();
  const std::string large(40'000'000, 'l');
  const std::vector<fs::path> all{file("a.csv", "one"), file("b.xml", large), file("empty", ""),
                                  file("same.csv", "one"), file("odd.$(x)", "two")};
  const auto places = c.files(all);
  ASSERT_TRUE(places) << places.error().message;
  for (const fs::path& p : all) {
    const fs::path there = places->at(p.string());
    EXPECT_EQ(there.parent_path(), kept);
    EXPECT_EQ(sha256_of_file(there), sha256_of_file(p));
    struct stat about {};
    ASSERT_EQ(stat(there.c_str(), &about), 0);
    EXPECT_EQ(about.st_mode & 0777u, 0400u);
  }
  EXPECT_EQ(fs::path(places->at(all[0].string())).extension(), ".csv");
  EXPECT_EQ(fs::path(places->at(all[4].string())).extension(), "");
  EXPECT_EQ(places->at(all[0].string()), places->at(all[3].string()));
  // nothing is sent again, by this client or another one
  EXPECT_EQ(*c.files(all), *places);
  Connection other = server.connected();
  EXPECT_EQ(*other.files(all), *places);
}

TEST_F(Files, AreSentAgainWhenTheyWereDamaged) {
  Server server;
  Connection c = server.connected();
  const std::vector<fs::path> all{file("a", "one"), file("b", "two")};
  const auto places = c.files(all);
  ASSERT_TRUE(places);
  const fs::path there = places->at(all[0].string());
  fs::remove(there);
  std::ofstream(there) << "ONE";
  EXPECT_EQ(*c.files(all), *places);
  EXPECT_EQ(content(there), "one");
}

TEST_F(Files, HaveABoundedSizeAndTheOldestMakeRoom) {
  Server server(fast_echo, [](HostSettings& s) { s.most_cached = 1 << 20; });
  const fs::path kept = server.folder / "server/files";
  for (int i = 0; i < 5; ++i) {
    Connection c = server.connected();
    const auto places =
        c.files({file("f" + std::to_string(i), std::string(400'000, static_cast<char>('a' + i)))});
    ASSERT_TRUE(places);
    std::uintmax_t sum = 0;
    for (const fs::directory_entry& e : fs::directory_iterator(kept)) sum += e.file_size();
    EXPECT_LE(sum, 1u << 20);
    EXPECT_TRUE(fs::exists(places->begin()->second));
  }
  Connection c = server.connected();
  const auto places = c.files({file("large", std::string((1 << 20) + 1, 'x'))});
  ASSERT_FALSE(places);
  EXPECT_EQ(told(server, places.error()),
            "error[V5636]: the files of the run do not fit: the server keeps 1 MB of files");
}

/// A client that says what it likes.
class Raw {
 public:
  explicit Raw(Server& s) : stream_(s.stranger()) {
    GreetingToServer g(the_key, "0.1.0");
    std::vector<std::byte> out;
    g.begin(out);
    Greeting state = Greeting::more;
    while (state == Greeting::more) {
      write_all(stream_, Bytes(out));
      const std::string f = read_frame(stream_);
      out.clear();
      state = g.take(std::as_bytes(std::span(f)), out);
    }
    EXPECT_EQ(state, Greeting::done);
  }
  template <class T>
  std::string ask(HostWord w, const T& message) {
    std::vector<std::byte> out;
    put_frame(out, w, message);
    write_all(stream_, Bytes(out));
    return read_frame(stream_);
  }
  net::Stream& stream() { return stream_; }

 private:
  net::Stream stream_;
};

TEST_F(Files, MustBeWhatWasAnnounced) {
  Server server;
  const auto digest = sha256(std::as_bytes(std::span(std::string_view("one"))));
  const auto told = [&](const FileId& f, std::string_view sent, std::uint32_t index = 0) {
    Raw client(server);
    client.ask(HostWord::files, std::vector<FileId>{f});
    return client.ask(HostWord::piece, Piece{index, std::as_bytes(std::span(sent))});
  };
  EXPECT_THAT(told({"a", 3, digest}, "two"), HasSubstr("does not have the content"));
  EXPECT_THAT(told({"a", 3, digest}, "three"), HasSubstr("more bytes than were announced"));
  EXPECT_THAT(told({"a", 3, digest}, "one", 7), HasSubstr("not missing"));
  EXPECT_TRUE(fs::is_empty(server.folder / "server/files"));
  EXPECT_THAT(told({"../../../a/b.sh", 3, digest}, "one"),
              HasSubstr((server.folder / "server/files").string() + "/" + text(digest) + ".sh"));
  Raw client(server);
  EXPECT_THAT(client.ask(HostWord::files,
                         std::vector<FileId>{{"a", ~std::uint64_t{0}, {}},
                                             {"b", ~std::uint64_t{0}, Digest{std::byte{1}}}}),
              HasSubstr("V5636"));
}

TEST(Host, TellsComposersThatItDrainsBetweenTwoFrames) {
  Server server(R"(
for i in range(100): frame(b'a' * i * 50)
say(struct.pack('<II', 58, 64) + b'b' * 20)
read(1)
say(b'b' * 30)
read(1)
frame(b'end')
)");
  net::Stream s = server.executing();
  // in the middle of a frame
  std::size_t before = 0;
  for (std::size_t i = 0; i < 100; ++i) before += 8 + i * 50;
  EXPECT_EQ(read_some(s, before + 28).size(), before + 28);
  server.host->drain();
  server.wait_for_log("the server ends when 1 executor has ended or moved");
  write_all(s, "x");
  EXPECT_EQ(read_some(s, 30), std::string(30, 'b'));
  EXPECT_EQ(read_some(s, 8), frame(0, 128));
  Connection c = server.connected();
  EXPECT_TRUE(c.info()->draining);
  const auto refused = c.execute({"run", "node"});
  ASSERT_FALSE(refused);
  EXPECT_EQ(told(server, refused.error()),
            "error[V5635]: the server ends soon and takes no new runs");
  write_all(s, "x");
  EXPECT_EQ(read_some(s).substr(8), "end");
  server.join();
}

TEST(Host, TellsComposersOfIdleExecutorsThatItDrains) {
  Server server(echo);
  net::Stream s = server.executing();
  write_all(s, frame(3));
  EXPECT_EQ(read_frame(s), frame(3));
  server.host->drain();
  EXPECT_EQ(read_frame(s), frame(0, 128));
  write_all(s, frame(5));
  EXPECT_EQ(read_frame(s), frame(5));
  s.finish();
  EXPECT_EQ(read_some(s), "");
  server.join();
}

TEST(Host, EndsAtOnceWhenItHostsNothing) {
  Server server;
  Connection c = server.connected();
  server.host->drain();
  server.join();
}

TEST(Host, KillsWhatHasNotEndedWhenTheTimeToDrainIsOver) {
  Server server("import signal\nsay(b'%9d' % os.getpid())\nwhile True: signal.pause()\n",
                [](HostSettings& s) { s.drain_within = 10ms; });
  net::Stream s = server.executing();
  const int executor = std::stoi(read_some(s, 9));
  server.host->drain();
  server.join();
  EXPECT_FALSE(runs(executor));
}

TEST(Host, GoesOnUnderAttack) {
  Server server(fast_echo, [](HostSettings& s) { s.greet_within = 60s; });
  net::Stream run = server.executing();
  std::vector<net::Stream> idle;
  for (int i = 0; i < 500; ++i) idle.push_back(server.stranger());
  std::vector<std::byte> good;
  GreetingToServer(the_key, "0.1.0").begin(good);
  for (const std::string& text :
       {std::string("GET / HTTP/1.1\r\n\r\n"), std::string(100'000, '\xff'), std::string(8, '\0'),
        frame(504), std::string("\xff\xff\xff\x7f\1\0\0\0", 8), frame(8, 7)}) {
    net::Stream s = server.stranger();
    // it may be disconnected within the text
    static_cast<void>(s.write(std::as_bytes(std::span(text))));
    if (text.size() > 8) EXPECT_EQ(read_some(s), "") << text.substr(0, 10);
  }
  // those who have proved who they are send nonsense, too
  for (const std::string& text : {std::string("\xff\xff\xff\x7f\1\0\0\0", 8), frame(3, 99),
                                  frame(100, 5), frame(1, 6), frame(2, 7)}) {
    Raw client(server);
    write_all(client.stream(), text);
    EXPECT_THAT(read_some(client.stream()), HasSubstr("V5637"));
  }
  write_all(run, "still there");
  EXPECT_EQ(read_some(run, 11), "still there");
  EXPECT_EQ(server.connected().info()->runs, 1u);
  // those who said nothing have made room for others
  int closed = 0;
  for (net::Stream& s : idle) {
    std::array<std::byte, 1> room;
    closed += s.read(room).state == Flow::closed ? 1 : 0;
  }
  EXPECT_GE(closed, 400);
}

TEST(Host, DisconnectsWhoSaysNothing) {
  Server server(fast_echo, [](HostSettings& s) {
    s.greet_within = 20ms;
    s.idle = 20ms;
  });
  net::Stream s = server.stranger();
  EXPECT_EQ(read_some(s), "");
  net::Stream half = server.stranger();
  write_all(half, std::string_view("\x40\0\0\0\1\0", 6));
  EXPECT_EQ(read_some(half), "");
}

/// Certificates of an authority.
class Authority {
 public:
  Authority() {
    run("openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout ca.key -out "
        "ca.pem -days 2 -subj /CN=authority");
    run("openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout a.key -out a.csr "
        "-subj /CN=a");
    run("printf subjectAltName=IP:127.0.0.1 > ext && openssl x509 -req -in a.csr -CA ca.pem -CAkey "
        "ca.key -CAcreateserial -days 2 -extfile ext -out a.pem");
  }
  CredentialFiles files() const {
    return {"", folder_ / "a.pem", folder_ / "a.key", folder_ / "ca.pem"};
  }

 private:
  void run(const std::string& command) {
    EXPECT_EQ(std::system(
                  ("cd " + folder_.path().string() + " && (" + command + ") 2>/dev/null").c_str()),
              0);
  }
  TemporaryFolder folder_;
};

TEST(Host, RelaysWithMutualTls) {
  Authority authority, other;
  Server server(fast_echo, [&](HostSettings& s) {
    s.tls = credentials(authority.files(), Side::server).tls;
    s.key.clear();
  });
  const auto with = [&](const CredentialFiles& f) {
    return Connection::to(server.address, credentials(f, Side::client), "0.1.0", net::forever);
  };
  auto c = with(authority.files());
  ASSERT_TRUE(c) << c.error().message;
  EXPECT_EQ(c->info()->runs, 0u);
  auto s = c->execute({"run", "node"});
  ASSERT_TRUE(s) << s.error().message;
  std::string sent;
  for (int i = 0; i < 300'000; ++i) sent += std::to_string(i) + ",";
  std::string got;
  std::thread writer([&] { write_all(*s, sent); });
  got = read_some(*s, sent.size());
  writer.join();
  EXPECT_EQ(got, sent);
  EXPECT_FALSE(with(other.files()));
  CredentialFiles pretends = other.files();
  pretends.authorities = authority.files().authorities;
  const auto stranger = with(pretends);
  ASSERT_FALSE(stranger);
  EXPECT_EQ(stranger.error().code, "V5639");
}

TEST(Host, ListensOnlyWhereItCan) {
  Server server;
  TemporaryFolder folder;
  HostSettings s;
  s.listen = server.address;
  s.folder = folder.path();
  try {
    Host host(std::move(s));
    FAIL();
  } catch (const ConfigurationError& e) {
    EXPECT_EQ(e.diagnostics().list().front().code, "V5630");
  }
}

TEST(Host, RemovesWhatAKilledServerHasLeft) {
  TemporaryFolder folder;
  const fs::path left = folder / "scratch/server-left";
  fs::create_directories(left / "run-x");
  std::ofstream(left / "lock") << "";
  HostSettings s;
  s.listen.port = "0";
  s.folder = folder.path();
  Host host(s);
  EXPECT_FALSE(fs::exists(left));
  // that of a server that lives is left alone
  Host second(s);
  std::size_t folders = 0;
  for ([[maybe_unused]] const auto& e : fs::directory_iterator(folder / "scratch")) ++folders;
  EXPECT_EQ(folders, 2u);
}

TEST(Credentials, MakeTheKeyOfTheUserOnce) {
  TemporaryFolder folder;
  ::setenv("XDG_CONFIG_HOME", folder.path().c_str(), 1);
  EXPECT_TRUE(credentials({}, Side::client).key.empty());
  const auto key = credentials({}, Side::server).key;
  EXPECT_EQ(key.size(), 32u);
  EXPECT_EQ(credentials({}, Side::server).key, key);
  EXPECT_EQ(credentials({}, Side::client).key, key);
  struct stat about {};
  ASSERT_EQ(stat((folder / "vernier/server-key").c_str(), &about), 0);
  EXPECT_EQ(about.st_mode & 0777u, 0600u);
  chmod((folder / "vernier/server-key").c_str(), 0644);
  EXPECT_THROW(credentials({}, Side::client), ConfigurationError);
  EXPECT_THROW(credentials({"", "a.pem", "", ""}, Side::client), ConfigurationError);
  ::unsetenv("XDG_CONFIG_HOME");
}

}  // namespace
}  // namespace vernier::server
