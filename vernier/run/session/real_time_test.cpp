#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstring>
#include <fstream>
#include <sstream>
#include <thread>

#include "vernier/base/temporary_folder.hpp"
#include "vernier/run/realtime/ports.hpp"
#include "vernier/run/record/result_reader.hpp"
#include "vernier/run/record/run_folder.hpp"
#include "vernier/run/session/control.hpp"
#include "vernier/run/session/session.hpp"
#include "vernier/testing/allocations.hpp"
#include "vernier/testing/sanitized.hpp"

namespace vernier::session {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

/// Observes its own thread in every frame: allocations since the first.
struct Seen {
  long first = -1, last = -1;
};
Seen seen;

/// out wide: many elements, so that a few rows fill a recorder. Writes a journal entry in its first
/// step.
class Probe final : public Component {
 public:
  explicit Probe(bool outside) {
    description_.outputs = {{.name = "wide", .count = 5000}};
    description_.abilities.faces_world = outside;
  }
  const Description& description() const noexcept override { return description_; }
  void bind(const Bindings& b) override {
    wide_ = b.real_output("wide");
    journal_ = &b.journal();
  }
  Outcome output(Instant) noexcept override {
    wide_[0] += 1.0;
    return Outcome::ok;
  }
  Advance advance(Time from, Time to) noexcept override {
    if (from == Time{}) journal_->note({.at = {to}, .kind = 1});
    if (from > Time{}) {
      seen.last = testing::allocations();
      if (seen.first < 0) seen.first = seen.last;
    }
    return {to};
  }
  void save(std::span<std::byte>) const noexcept override {}
  void load(std::span<const std::byte>) noexcept override {}

 private:
  Description description_;
  std::span<double> wide_;
  Journal* journal_ = nullptr;
};

class RealTimeRun : public ::testing::Test {
 protected:
  RealTimeRun() {
    for (const bool outside : {false, true}) {
      Type t;
      t.name = outside ? "outside" : "probe";
      t.component = [outside](const Parameters&) { return std::make_unique<Probe>(outside); };
      catalogue_.add(std::move(t));
    }
    realtime::add_to(catalogue_);
    options_.runs = folder_.path() / "runs";
    options_.real_time.emplace();
    options_.changes.frames = true;
    seen = {};
  }

  std::filesystem::path write(const std::string& body) {
    const auto file = folder_.path() / "top.xml";
    std::ofstream(file) << "<interconnection name='top' version='1'>" << body
                        << "</interconnection>";
    return file;
  }
  std::unique_ptr<Session> session(const std::string& body) {
    Diagnostics problems;
    return std::make_unique<Session>(prepare(write(body), options_.changes, catalogue_, problems),
                                     options_, problems);
  }
  static std::string read(const std::filesystem::path& file) {
    std::ostringstream text;
    text << std::ifstream(file).rdbuf();
    return text.str();
  }

  TemporaryFolder folder_;
  Catalogue catalogue_;
  Options options_;
};

constexpr const char* half_a_second =
    "<component id='p' type='probe'/><record signals='frame.*'/><run step='4 ms' stop='0.5 s'/>";

TEST_F(RealTimeRun, MeasuresEveryFrameAndTouchesNoMemoryItHasNot) {
  Diagnostics told;
  options_.on_warnings = [&](const Diagnostics& d) { told = d; };
  const auto s = session(half_a_second);
  const Summary summary = s->run();
  EXPECT_EQ(summary.result, Result::finished);
  ASSERT_TRUE(summary.real_time);
  const realtime::Health& h = *summary.real_time;
  EXPECT_EQ(h.frames.frames, 125u);
  EXPECT_EQ(h.parts, (std::vector<std::string>{"p", "frame"}));
  EXPECT_GE(summary.wall, 0.5);
  // every missing privilege was reported, and nothing else
  std::size_t missing = 0;
  for (const realtime::Privilege& p : h.privileges) missing += !p.granted;
  EXPECT_EQ(told.warnings(), missing);
  // nothing was allocated, and all memory was resident
  EXPECT_GE(seen.first, 0);
  EXPECT_EQ(seen.first, seen.last);
  if (missing == 0 && !testing::sanitized) {  // sanitizers cause page faults themselves
    EXPECT_EQ(h.minor_faults, 0);
    EXPECT_EQ(h.major_faults, 0);
    EXPECT_EQ(h.waits, 0);
  }

  // frames.h5 contains every frame, and the signals show the same numbers one frame later
  const record::ResultReader frames(s->folder() / "frames.h5");
  const auto all = [](const record::ResultReader& r, const char* path) {
    return r.read(*r.find(path)).values;
  };
  const std::vector<double> margin = all(frames, "frame.margin");
  ASSERT_EQ(margin.size(), 125u);
  EXPECT_EQ(all(frames, "frame.number").back(), 124.0);
  ASSERT_TRUE(frames.find("frame.cost_of.p"));
  const record::ResultReader results(s->folder());
  const std::vector<double> live = all(results, "frame.margin");
  ASSERT_EQ(live.size(), 126u);
  for (std::size_t k = 0; k < margin.size(); ++k) ASSERT_EQ(live[k + 1], margin[k]) << k;

  const std::string page = read(s->folder() / "report.html");
  EXPECT_THAT(page, HasSubstr("250 Hz"));
  EXPECT_THAT(page, HasSubstr("<svg"));
  const record::Manifest m = record::read_manifest(s->folder());
  EXPECT_EQ(m.option("rt"), "yes");
  EXPECT_FALSE(m.machine.empty());
  const Again again = repeated(s->folder());
  ASSERT_TRUE(again.options.real_time);
  EXPECT_EQ(again.options.real_time->wanted.priority, 80);
}

TEST_F(RealTimeRun, FreezesGoesOnAndStopsWhenAskedFromOutside) {
  const auto s = session("<component id='p' type='probe'/><run step='4 ms' stop='60 s'/>");
  const auto folder = s->folder();
  Summary summary;
  std::thread runner([&] { summary = s->run(); });
  const auto wait = [](auto condition) {
    for (int i = 0; i < 20'000 && !condition(); ++i) std::this_thread::sleep_for(5ms);
    EXPECT_TRUE(condition());
  };
  wait([&] { return s->pulse().frames > 5; });
  EXPECT_THAT(ask(folder, "status"), HasSubstr("running"));
  const std::string about = ask(folder, "real-time");
  EXPECT_THAT(about, HasSubstr("{\"policy\":\"catch-up\",\"parts\":["));
  EXPECT_THAT(about, HasSubstr("[\"kernel\",\""));
  EXPECT_THAT(ask(folder, "freeze"), HasSubstr("frozen"));
  std::this_thread::sleep_for(50ms);
  const Time stands = s->now();
  std::this_thread::sleep_for(100ms);
  EXPECT_EQ(s->now(), stands);
  EXPECT_THAT(ask(folder, "resume"), HasSubstr("running"));
  wait([&] { return s->now() > stands + 20ms; });
  EXPECT_THAT(ask(folder, "freeze"), HasSubstr("frozen"));
  EXPECT_THAT(ask(folder, "stop"), HasSubstr("stopping"));  // also what is frozen
  runner.join();
  EXPECT_EQ(summary.result, Result::interrupted);
  EXPECT_FALSE(std::filesystem::exists(folder / "control"));
  EXPECT_THROW(ask(folder, "status"), ConfigurationError);
}

TEST_F(RealTimeRun, LetsNobodySayAnythingElse) {
  const auto s = session("<component id='p' type='probe'/><run step='4 ms' stop='60 s'/>");
  std::thread runner([&] { static_cast<void>(s->run()); });
  const auto visit = [&](const std::string& said) {
    const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_un a{};
    a.sun_family = AF_UNIX;
    // a relative path, as the directory may be deep
    std::filesystem::current_path(s->folder());
    std::strcpy(a.sun_path, "control");
    EXPECT_EQ(connect(fd, reinterpret_cast<const sockaddr*>(&a), sizeof a), 0);
    if (!said.empty()) {
      EXPECT_GE(send(fd, said.data(), said.size(), MSG_NOSIGNAL), 0);
    }
    return fd;
  };
  const auto answer = [&](const std::string& said) {
    const int fd = visit(said);
    char text[256] = "";
    static_cast<void>(!recv(fd, text, sizeof text - 1, 0));
    close(fd);
    return std::string(text);
  };
  EXPECT_THAT(answer("stop it\n"), HasSubstr("V4121"));
  EXPECT_THAT(answer(std::string("stop\0\n", 6)), HasSubstr("V4121"));
  EXPECT_THAT(answer(std::string(5000, 's')), HasSubstr("V4121"));
  close(visit("st"));  // disconnects in the middle
  const int silent = visit("");
  // served nevertheless, as soon as the silent client has had its five seconds
  EXPECT_THAT(ask(s->folder(), "status"), HasSubstr("running"));
  close(silent);
  s->request_stop();
  runner.join();
}

TEST_F(RealTimeRun, DoesNotWaitForARecorderThatHangs) {
  std::atomic<Session*> running{nullptr};
  // the recorder's thread arrives here with the first event, and stays until the run is over
  options_.on_event = [&](const record::Event&) {
    while (!running.load() || running.load()->now() < Time(290ms)) std::this_thread::sleep_for(1ms);
  };
  const auto s = session(
      "<component id='p' type='probe'/><record signals='p.*'/><run step='1 ms' stop='0.3 s'/>");
  running = s.get();
  const Summary summary = s->run();
  EXPECT_EQ(summary.result, Result::finished);
  EXPECT_EQ(summary.real_time->frames.frames, 300u);
  EXPECT_GT(summary.recorded.dropped, 50u);  // 128 rows had room
  EXPECT_EQ(summary.real_time->dropped, summary.recorded.dropped);
  EXPECT_EQ(seen.first, seen.last);
}

TEST_F(RealTimeRun, GoesOnWhenTheDiskIsFull) {
  // in a separate process: HDF5 keeps data of a file that it could not close
  const pid_t child = fork();
  if (child == 0) {
    std::signal(SIGXFSZ, SIG_IGN);
    const auto s = session(
        "<component id='p' type='probe'/><record signals='p.*'/><run step='4 ms' stop='1 s'/>");
    // from now on no file can exceed 2 MB: 50 rows
    const rlimit small{2u << 20, 2u << 20};
    setrlimit(RLIMIT_FSIZE, &small);
    const Summary summary = s->run();
    const bool went_on = summary.reached == Time(1s) && summary.real_time->frames.frames == 250;
    const bool told = summary.recorded.dropped > 0 && summary.fault &&
                      summary.fault->code == "V7104" && summary.result == Result::failed;
    _exit(went_on ? (told ? 0 : 2) : 1);
  }
  int status = -1;
  waitpid(child, &status, 0);
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

std::string code_of(const std::function<void()>& act) {
  try {
    act();
  } catch (const ConfigurationError& e) {
    return e.diagnostics().list().front().code;
  }
  return "nothing";
}

TEST_F(RealTimeRun, RefusesWhatItCannotKeep) {
  options_.real_time->require = true;
  options_.real_time->wanted.priority = 0;
  EXPECT_EQ(code_of([&] { session(half_a_second)->run(); }), "V4103");
  options_.real_time.emplace();
  options_.real_time->wanted.cpu = 1023;
  EXPECT_EQ(code_of([&] { session(half_a_second)->run(); }), "V4104");
  EXPECT_FALSE(std::filesystem::exists(options_.runs));  // nothing was run
  options_.real_time.emplace();
  options_.late = {.kind = realtime::Late::slip};
  EXPECT_EQ(code_of([&] { session("<component id='p' type='outside'/><run stop='1 s'/>"); }),
            "V4106");
  options_.rate = 0.0;
  EXPECT_EQ(code_of([&] { session(half_a_second); }), "V4110");
}

TEST_F(RealTimeRun, ChecksMayBeAboutFrames) {
  // 0.1 s of work in a frame never happens; a margin above a frame is impossible
  const auto s = session(
      "<component id='p' type='probe'/><component id='timing' type='frames'/>"
      "<check name='cost' kind='below' signal='timing.cost_of.p' limit='0.1'/>"
      "<check name='margin' kind='above' signal='timing.margin' limit='1'/>"
      "<run step='4 ms' stop='0.1 s'/>");
  const Summary summary = s->run();
  ASSERT_EQ(summary.checks.size(), 2u);
  EXPECT_TRUE(summary.checks[0].kept);
  EXPECT_FALSE(summary.checks[1].kept);
  EXPECT_EQ(exit_status(summary), 3);
}

}  // namespace
}  // namespace vernier::session
