#include "vernier/run/server/attached.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <condition_variable>
#include <map>
#include <mutex>
#include <optional>
#include <thread>

#include "vernier/base/temporary_folder.hpp"
#include "vernier/net/socket.hpp"
#include "vernier/run/server/host.hpp"
#include "vernier/run/server/hosts.hpp"

namespace vernier::server {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

const std::vector<std::byte> the_key(32, std::byte{7}), another_key(32, std::byte{8});

class Server {
 public:
  explicit Server(const std::function<void(HostSettings&)>& change = [](HostSettings&) {}) {
    HostSettings s;
    s.listen.port = "0";
    s.key = the_key;
    s.folder = folder_ / "server";
    s.about = {.version = "0.1.0", .host = "here", .most_runs = 4};
    s.most_strangers = s.most_strangers_of_one = 200;  // many connect at once
    change(s);
    host = std::make_unique<Host>(std::move(s));
    address = *net::parsed_address(host->address());
    thread_ = std::thread([this] { host->serve(); });
  }
  ~Server() {
    host->stop();
    thread_.join();
  }
  Attached::Server with(const std::vector<std::byte>& key = the_key) const {
    return {address, {key, nullptr}};
  }
  Connection connected() const {
    auto c = Connection::to(address, {the_key, nullptr}, "0.1.0", net::forever);
    EXPECT_TRUE(c) << c.error().message;
    return std::move(*c);
  }
  Connection composer(const std::string& run, std::uint64_t number) const {
    Connection c = connected();
    EXPECT_TRUE(c.attach({.run = run, .host = "desk", .since = 5, .composer = number}));
    return c;
  }
  /// Until there are as many.
  std::vector<HostedRun> runs(std::size_t count) const {
    Connection c = connected();
    while (true) {
      auto all = c.runs();
      EXPECT_TRUE(all) << all.error().message;
      if (!all || all->size() == count) return all.value_or(std::vector<HostedRun>());
      std::this_thread::yield();
    }
  }
  /// The answer, or the first line of the refusal without the name of the server.
  std::string ask(const std::string& run, const std::string& line) const {
    const auto said = connected().control(run, line);
    if (said) return *said;
    std::string text = rendered(said.error());
    text.resize(text.find('\n'));
    const std::string name = net::text(address) + ": ";
    const std::size_t at = text.find(name);
    return at == text.npos ? text : text.erase(at, name.size());
  }

  std::unique_ptr<Host> host;
  net::Address address;

 private:
  TemporaryFolder folder_;
  std::thread thread_;
};

std::string echo(std::string_view line) { return "answer to " + std::string(line); }
void say_nothing(const Diagnostics&) {}

TEST(Attached, AnswersAtEachServerAsLongAsTheRunIsOpen) {
  const Server first, second;
  Attached run({first.with(), second.with()}, "0.1.0", say_nothing);
  run.executor_started(first.address);
  EXPECT_TRUE(first.runs(0).empty());
  run.open("parts-0001", echo);
  const HostedRun one = first.runs(1).at(0);
  EXPECT_EQ(one.name, "parts-0001");
  EXPECT_FALSE(one.host.empty());
  EXPECT_GT(one.since, 1'000'000'000);
  EXPECT_EQ(one.executors, 0u);
  EXPECT_TRUE(second.runs(0).empty());
  run.executor_started(second.address);
  EXPECT_EQ(second.runs(1).at(0).name, "parts-0001");
  for (const Server* s : {&first, &second}) {
    Connection c = s->connected();
    for (const std::string line : {"status", "get a.y", ""})
      EXPECT_EQ(c.control("parts-0001", line).value_or(""), "answer to " + line);
  }
  run.close();
  EXPECT_TRUE(first.runs(0).empty());
  EXPECT_EQ(first.ask("parts-0001", "status"), "error[V5661]: there is no run \"parts-0001\"");
}

TEST(Attached, ComesBackWhenAnExecutorHasStartedAtANewServer) {
  Attached::Server where;
  std::optional<Attached> run;
  {
    const Server first;
    where = first.with();
    run.emplace(std::vector{where}, "0.1.0", say_nothing);
    run->executor_started(where.address);
    run->open("run", echo);
    EXPECT_EQ(first.runs(1).at(0).name, "run");
  }
  const Server second([&](HostSettings& s) { s.listen = where.address; });
  EXPECT_TRUE(second.runs(0).empty());
  run->executor_started(where.address);
  EXPECT_EQ(second.runs(1).at(0).name, "run");
  // an executor that is started there once more changes nothing, not even the name
  run->executor_started(where.address);
  for (int i = 0; i < 20; ++i) EXPECT_EQ(second.runs(1).at(0).name, "run");
}

TEST(Attached, WarnsOfAServerThatDoesNotWantIt) {
  const Server server;
  std::mutex mutex;
  std::condition_variable news;
  std::string said;
  Attached run({server.with(another_key)}, "0.1.0", [&](const Diagnostics& d) {
    const std::lock_guard lock(mutex);
    said = rendered(d);
    news.notify_all();
  });
  run.executor_started(server.address);
  run.open("run", echo);
  std::unique_lock lock(mutex);
  news.wait(lock, [&] { return !said.empty(); });
  EXPECT_THAT(said, HasSubstr("warning[V5664]: " + net::text(server.address)));
  EXPECT_THAT(said, HasSubstr("the key of the server is another one"));
}

TEST(Attached, RefusesAnAnswerThatIsTooLong) {
  const Server server;
  Attached run({server.with()}, "0.1.0", say_nothing);
  run.executor_started(server.address);
  run.open("run", [](std::string_view line) {
    return std::string(longest_answer + (line == "more" ? 1 : 0), 'x');
  });
  static_cast<void>(server.runs(1));
  EXPECT_EQ(server.ask("run", "all").size(), longest_answer);
  const std::string more = server.ask("run", "more");
  try {
    static_cast<void>(session::granted(more));
    FAIL() << more.substr(0, 100);
  } catch (const ConfigurationError& e) {
    EXPECT_THAT(rendered(e.diagnostics()),
                HasSubstr("error[V5663]: the answer is longer than 1 MiB"));
  }
}

TEST(AttachedRuns, OfOneNameGetDifferentOnes) {
  const Server server;
  Connection a = server.composer("run", 1), b = server.composer("run", 2);
  Connection c = server.composer("run", 3);
  std::vector<std::string> names;
  for (const HostedRun& r : server.runs(3)) names.push_back(r.name);
  EXPECT_EQ(names, (std::vector<std::string>{"run", "run.2", "run.3"}));
  // the same run with another connection
  const Connection again = server.composer("run", 2);
  EXPECT_FALSE(b.receive_question());
  EXPECT_EQ(server.runs(3).back().name, "run.2");
}

TEST(AttachedRuns, AreAskedOneQuestionAtATime) {
  const Server server;
  Connection composer = server.composer("run", 1);
  // more than may wait
  std::vector<std::thread> clients;
  std::mutex mutex;
  std::map<std::string, int> said;
  std::optional<Result<NumberedLine, Diagnostic>> first;
  std::thread begin([&] { first = composer.receive_question(); });
  std::atomic<int> refused{0};
  const std::string busy = "error[V5662]: 64 requests wait for run already";
  for (std::size_t i = 0; i < most_questions + 11; ++i)
    clients.emplace_back([&, i] {
      const std::string answer = server.ask("run", std::to_string(i));
      if (answer == busy) ++refused;
      const std::lock_guard lock(mutex);
      ++said[answer == "answer to " + std::to_string(i) ? "answered" : answer];
    });
  begin.join();
  while (refused < 10) std::this_thread::yield();
  ASSERT_TRUE(first && *first);
  NumberedLine question = **first;
  for (std::size_t i = 0; i <= most_questions; ++i) {
    EXPECT_TRUE(composer.say({question.number, "answer to " + question.line}));
    if (i == most_questions) break;
    const auto next = composer.receive_question();
    ASSERT_TRUE(next) << next.error().message;
    EXPECT_EQ(next->number, question.number + 1);
    question = *next;
  }
  for (std::thread& t : clients) t.join();
  EXPECT_EQ(said, (std::map<std::string, int>{{"answered", most_questions + 1}, {busy, 10}}));
}

TEST(AttachedRuns, AreNotDisturbedByClientsThatLeaveOrDoNotRead) {
  const Server server;
  Attached run({server.with()}, "0.1.0", say_nothing);
  run.executor_started(server.address);
  run.open("run", [](std::string_view line) {
    return line == "much" ? std::string(longest_answer, 'x') : echo(line);
  });
  static_cast<void>(server.runs(1));
  std::vector<std::byte> much;
  for (int i = 0; i < 100; ++i) put_frame(much, HostWord::control, ControlLine{"run", "much"});
  std::vector<net::Stream> idle;
  for (int i = 0; i < 20; ++i) {
    auto greedy = server.connected().take_stream();
    ASSERT_EQ(greedy.write(much).bytes, much.size());
    if (i % 2 == 0) idle.push_back(std::move(greedy));
  }
  std::vector<std::thread> clients;
  for (int k = 0; k < 8; ++k)
    clients.emplace_back([&, k] {
      Connection c = server.connected();
      for (int i = 0; i < 50; ++i) {
        const std::string line = std::to_string(k * 1000 + i);
        EXPECT_EQ(c.control("run", line).value_or(""), "answer to " + line);
      }
    });
  for (std::thread& t : clients) t.join();
}

TEST(AttachedRuns, ThatDoNotAnswerInTimeMayAnswerTheNextQuestion) {
  std::optional<Server> server(std::in_place, [](HostSettings& s) { s.answer_within = 50ms; });
  Connection composer = server->composer("run", 1);
  const std::string late = "error[V5662]: the run has not answered for 50 ms";
  EXPECT_EQ(server->ask("run", "first"), late);
  const auto first = composer.receive_question();
  ASSERT_TRUE(first);
  EXPECT_TRUE(composer.say({first->number, "too late"}));
  std::thread answering([&] {
    while (const auto q = composer.receive_question())
      static_cast<void>(composer.say({q->number, echo(q->line)}));
  });
  // asked until the answer is in time, whatever the machine does meanwhile
  std::string said = late;
  while (said == late) said = server->ask("run", "next");
  EXPECT_EQ(said, "answer to next");
  server.reset();
  answering.join();
}

TEST(AttachedRuns, AreGoneWithTheirComposers) {
  const Server server;
  std::optional<Connection> composer = server.composer("run", 1);
  std::vector<std::string> said(5);
  std::vector<std::thread> clients;
  for (std::string& s : said) clients.emplace_back([&] { s = server.ask("run", "status"); });
  EXPECT_TRUE(composer->receive_question());
  composer.reset();
  for (std::thread& t : clients) t.join();
  // others may have come too late
  EXPECT_THAT(said, ::testing::Each(::testing::StartsWith("error[V5661]: ")));
  EXPECT_THAT(said,
              ::testing::Contains("error[V5661]: run has ended, or the connection to it was lost"));
  EXPECT_TRUE(server.runs(0).empty());
}

TEST(AttachedRuns, AreGoneWithComposersThatSayWhatTheyMayNot) {
  const Server server;
  const auto frame = [](HostWord word, const auto& content) {
    std::vector<std::byte> bytes;
    put_frame(bytes, word, content);
    return bytes;
  };
  const std::vector<std::vector<std::byte>> all{
      frame(HostWord::said, NumberedLine{0, "nobody asked"}),
      frame(HostWord::said, NumberedLine{1, "another number"}),
      frame(HostWord::said, std::uint32_t{1}),
      frame(HostWord::info, Reserved<0>()),
      frame(HostWord::attach, Attach{.run = "again", .host = "", .since = 0, .composer = 9}),
      frame(HostWord::said, NumberedLine{1, std::string(longest_answer + 1, 'x')}),
      std::vector<std::byte>(100, std::byte{0xff})};
  for (const auto& bytes : all) {
    net::Stream composer = server.composer("run", 1).take_stream();
    std::size_t sent = 0;
    while (sent < bytes.size()) {
      const auto m = composer.write(Bytes(bytes).subspan(sent));
      ASSERT_NE(m.state, net::Stream::State::closed);
      sent += m.bytes;
      if (m.state != net::Stream::State::done) net::wait_for_room(composer, net::forever);
    }
    EXPECT_TRUE(server.runs(0).empty());
  }
  EXPECT_EQ(
      server.connected().attach({.run = "", .host = "", .since = 0, .composer = 1}).error().code,
      "V5637");
  EXPECT_EQ(server.connected()
                .attach({.run = std::string(101, 'x'), .host = "", .since = 0, .composer = 1})
                .error()
                .code,
            "V5637");
}

TEST(AttachedRuns, AreNotForStrangers) {
  const Server server;
  const Connection composer = server.composer("run", 1);
  EXPECT_EQ(
      Connection::to(server.address, {another_key, nullptr}, "0.1.0", net::forever).error().code,
      "V5632");
  for (const HostWord word : {HostWord::runs, HostWord::control, HostWord::attach}) {
    auto fd = net::connected(server.address, net::forever);
    ASSERT_TRUE(fd);
    net::Stream s(std::move(*fd));
    std::vector<std::byte> bytes;
    put_frame(bytes, word, ControlLine{"run", "stop"});
    ASSERT_EQ(s.write(bytes).bytes, bytes.size());
    std::array<std::byte, 100> room;
    auto m = s.read(room);
    for (; m.state == net::Stream::State::wait; m = s.read(room))
      net::wait_for(s, m.state, net::forever);
    EXPECT_EQ(m.state, net::Stream::State::closed);
  }
}

TEST(AttachedRuns, TakeOneLineOfAFewKilobytes) {
  const Server server;
  const Connection composer = server.composer("run", 1);
  const std::string wrong = "error[V5637]: a request to a run is one line of at most 4096 bytes";
  EXPECT_EQ(server.ask("run", std::string(longest_line + 1, 'x')), wrong);
  EXPECT_EQ(server.ask("run", "status\nstop"), wrong);
  EXPECT_EQ(server.ask("another", "status"), "error[V5661]: there is no run \"another\"");
  EXPECT_EQ(server.runs(1).at(0).name, "run");
}

}  // namespace
}  // namespace vernier::server
