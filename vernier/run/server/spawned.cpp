#include "vernier/run/server/spawned.hpp"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <string_view>

#include "vernier/net/socket.hpp"

namespace vernier::server {
namespace {

constexpr int channel_descriptor = 3;
constexpr std::array passed_on{
    "PATH", "HOME", "LANG", "LC_ALL", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "VERNIER_INSTRUCTIONS"};

std::vector<std::string> environment_of(const std::filesystem::path& folder) {
  std::vector<std::string> all{"TMPDIR=" + folder.string()};
  for (const char* name : passed_on)
    if (const char* value = std::getenv(name)) all.push_back(std::string(name) + "=" + value);
  return all;
}

std::vector<char*> pointers(std::vector<std::string>& all) {
  std::vector<char*> p;
  for (std::string& s : all) p.push_back(s.data());
  p.push_back(nullptr);
  return p;
}

/// High enough not to be overwritten by those that the process gets.
Descriptor high(int fd) noexcept { return Descriptor(fcntl(fd, F_DUPFD_CLOEXEC, 16)); }

void limit(int what, std::uint64_t to) noexcept {
  rlimit now{};
  if (to == 0 || getrlimit(static_cast<__rlimit_resource>(what), &now) != 0) return;
  now.rlim_max = now.rlim_max < to ? now.rlim_max : to;
  now.rlim_cur = now.rlim_max;
  setrlimit(static_cast<__rlimit_resource>(what), &now);
}

/// What the new process calls between fork() and exec(): only functions that are safe in signal
/// handlers, since other threads may have held any lock.
struct NewProcess {
  const char* program = nullptr;
  const char* folder = nullptr;
  char* const* words = nullptr;
  char* const* environment = nullptr;
  int input = -1, output = -1, channel = -1, failure = -1;
  pid_t parent = -1;
  cpu_set_t cpus{};
  bool placed = false;
  Limits limits;

  [[noreturn]] void become() const noexcept {
    if (prepare()) execve(program, words, environment);
    const int error = errno;
    static_cast<void>(!write(failure, &error, sizeof error));
    _exit(127);
  }

 private:
  bool prepare() const noexcept {
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(127);  // it has ended before
    sigset_t none;
    sigemptyset(&none);
    pthread_sigmask(SIG_SETMASK, &none, nullptr);
    if (dup2(input, STDIN_FILENO) < 0 || dup2(output, STDOUT_FILENO) < 0 ||
        dup2(output, STDERR_FILENO) < 0 || dup2(channel, channel_descriptor) < 0)
      return false;
    // whatever was opened without care, too; the one for failures closes at exec()
    syscall(SYS_close_range, channel_descriptor + 1, static_cast<unsigned>(failure) - 1, 0);
    syscall(SYS_close_range, static_cast<unsigned>(failure) + 1, ~0u, 0);
    if (chdir(folder) != 0) return false;
    limit(RLIMIT_AS, limits.memory);
    limit(RLIMIT_FSIZE, limits.disk);
    const rlimit no_core{};
    setrlimit(RLIMIT_CORE, &no_core);
    if (limits.nice != 0) setpriority(PRIO_PROCESS, 0, getpriority(PRIO_PROCESS, 0) + limits.nice);
    return !placed || sched_setaffinity(0, sizeof cpus, &cpus) == 0;
  }
};

}  // namespace

Result<Spawned, std::string> Spawned::of(const Launch& launch, const Limits& limits,
                                         const std::filesystem::path& folder,
                                         const std::vector<int>& cpus) {
  const auto failed = [](const std::string& what) {
    return Failure{what + ": " + net::system_error()};
  };
  int ends[2], pipe[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends) != 0)
    return failed("no socket");
  Spawned s;
  s.channel_ = Descriptor(ends[0]);
  const Descriptor end(ends[1]);
  if (pipe2(pipe, O_CLOEXEC) != 0) return failed("no pipe");
  const Descriptor failure(pipe[0]);
  Descriptor failure_end(pipe[1]);
  const std::string path = (folder / "output.txt").string();
  const Descriptor nothing(open("/dev/null", O_RDONLY | O_CLOEXEC));
  const Descriptor output(open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600));
  if (!nothing || !output) return failed(path);

  NewProcess c;
  std::vector<std::string> words{launch.program.string()};
  words.insert(words.end(), launch.words.begin(), launch.words.end());
  std::vector<std::string> environment = environment_of(folder);
  const std::vector<char*> word_pointers = pointers(words);
  const std::vector<char*> environment_pointers = pointers(environment);
  const Descriptor high_input = high(nothing.get()), high_output = high(output.get()),
                   high_channel = high(end.get());
  Descriptor high_failure = high(failure_end.get());
  if (!high_input || !high_output || !high_channel || !high_failure) return failed("no descriptor");
  c.program = launch.program.c_str();
  c.folder = folder.c_str();
  c.words = word_pointers.data();
  c.environment = environment_pointers.data();
  c.input = high_input.get();
  c.output = high_output.get();
  c.channel = high_channel.get();
  c.failure = high_failure.get();
  c.parent = getpid();
  c.limits = limits;
  c.placed = !cpus.empty();
  for (const int cpu : cpus) CPU_SET(static_cast<std::size_t>(cpu), &c.cpus);

  const pid_t id = fork();
  if (id < 0) return failed("no process");
  if (id == 0) c.become();
  s.id_ = id;
  failure_end.reset();
  high_failure.reset();
  int error = 0;
  ssize_t n = 0;
  do n = ::read(failure.get(), &error, sizeof error);
  while (n < 0 && errno == EINTR);
  if (n == sizeof error) {
    errno = error;
    return failed(launch.program.string());
  }
  s.watch_ = Descriptor(static_cast<int>(syscall(SYS_pidfd_open, id, 0)));
  if (!s.watch_) return failed("no descriptor of the process");
  return s;
}

Spawned::Spawned(Spawned&& o) noexcept
    : id_(std::exchange(o.id_, -1)), channel_(std::move(o.channel_)), watch_(std::move(o.watch_)) {}

Spawned::~Spawned() {
  kill();
  ended();
}

void Spawned::kill() noexcept {
  if (id_ <= 0) return;
  ::kill(-id_, SIGKILL);
  ::kill(id_, SIGKILL);  // it may not have its group yet
}

std::string Spawned::ended() noexcept {
  if (id_ <= 0) return {};
  siginfo_t about{};
  // not reaped yet, so that its group's number is still its own
  while (waitid(P_PID, static_cast<id_t>(id_), &about, WEXITED | WNOWAIT) != 0 && errno == EINTR) {
  }
  ::kill(-id_, SIGKILL);
  int status = 0;
  while (waitpid(id_, &status, 0) < 0 && errno == EINTR) {
  }
  id_ = -1;
  if (WIFSIGNALED(status)) return "signal " + std::to_string(WTERMSIG(status));
  const int left = WEXITSTATUS(status);
  return left == 0 ? std::string() : "exit status " + std::to_string(left);
}

}  // namespace vernier::server
