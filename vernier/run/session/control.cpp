#include "vernier/run/session/control.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <optional>
#include <thread>
#include <utility>

#include "vernier/base/diagnostic.hpp"
#include "vernier/base/text.hpp"

namespace vernier::session {
namespace {

constexpr const char* socket_name = "control";
constexpr std::size_t longest_request = 64, longest_answer = 4096;
constexpr int patience_ms = 1000, answer_patience_ms = 5000;

/// A descriptor that closes itself.
class Handle {
 public:
  explicit Handle(int fd = -1) noexcept : fd_(fd) {}
  Handle(Handle&& o) noexcept : fd_(std::exchange(o.fd_, -1)) {}
  Handle& operator=(Handle&& o) noexcept {
    std::swap(fd_, o.fd_);
    return *this;
  }
  ~Handle() {
    if (fd_ >= 0) close(fd_);
  }
  int get() const noexcept { return fd_; }
  explicit operator bool() const noexcept { return fd_ >= 0; }

 private:
  int fd_;
};

/// The address of the socket in a folder. Paths may be longer than an address: they are reached
/// through the folder's descriptor.
sockaddr_un address_in(const Handle& folder) noexcept {
  sockaddr_un a{};
  a.sun_family = AF_UNIX;
  std::snprintf(a.sun_path, sizeof a.sun_path, "/proc/self/fd/%d/%s", folder.get(), socket_name);
  return a;
}

Handle opened(const std::filesystem::path& folder) noexcept {
  return Handle(open(folder.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
}

bool ready(int fd, short what, int timeout_ms) noexcept {
  pollfd p{fd, what, 0};
  return poll(&p, 1, timeout_ms) == 1 && (p.revents & what) != 0;
}

std::optional<Request> parsed(std::string_view line) noexcept {
  for (const Request r : {Request::status, Request::freeze, Request::resume, Request::stop})
    if (line == word(r)) return r;
  return {};
}

/// A line of at most `most` characters, without its end; nothing when it does not come in time.
std::optional<std::string> line_from(int fd, std::size_t most, int timeout_ms) {
  std::string line;
  char c = 0;
  while (line.size() <= most && ready(fd, POLLIN, timeout_ms)) {
    if (recv(fd, &c, 1, MSG_DONTWAIT) != 1) return {};
    if (c == '\n') return line;
    line += c;
    timeout_ms = std::min(timeout_ms, patience_ms / 10);  // the rest of a line follows at once
  }
  return {};
}

void send_line(int fd, std::string line) noexcept {
  line += '\n';
  // who does not read gets what fits
  static_cast<void>(!send(fd, line.data(), line.size(), MSG_DONTWAIT | MSG_NOSIGNAL));
}

}  // namespace

std::string_view word(Request r) noexcept {
  switch (r) {
    case Request::status:
      return "status";
    case Request::freeze:
      return "freeze";
    case Request::resume:
      return "resume";
    case Request::stop:
      return "stop";
  }
  return {};
}

class Control::Work {
 public:
  Work(const std::filesystem::path& folder, Answer answer)
      : answer_(std::move(answer)),
        folder_(opened(folder)),
        listener_(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)),
        stop_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
    if (!folder_ || !listener_ || !stop_) return;
    const sockaddr_un a = address_in(folder_);
    // nobody else gets in between: the socket has its rights from the beginning
    fchmod(listener_.get(), S_IRUSR | S_IWUSR);
    if (bind(listener_.get(), reinterpret_cast<const sockaddr*>(&a), sizeof a) != 0) return;
    bound_ = true;
    if (listen(listener_.get(), 4) != 0) return;
    thread_ = std::thread([this] { serve(); });
  }

  ~Work() {
    if (thread_.joinable()) {
      const std::uint64_t one = 1;
      static_cast<void>(!write(stop_.get(), &one, sizeof one));
      thread_.join();
    }
    if (bound_) unlinkat(folder_.get(), socket_name, 0);
  }

 private:
  void serve() {
    while (true) {
      pollfd all[2] = {{listener_.get(), POLLIN, 0}, {stop_.get(), POLLIN, 0}};
      if (poll(all, 2, -1) < 0 && errno != EINTR) return;
      if (all[1].revents != 0) return;
      if (all[0].revents == 0) continue;
      const Handle visitor(
          accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
      if (!visitor || !welcome(visitor.get())) continue;
      const auto line = line_from(visitor.get(), longest_request, patience_ms);
      const auto request = line ? parsed(*line) : std::nullopt;
      send_line(visitor.get(),
                request ? answer_(*request) : "not understood: status, freeze, resume or stop");
    }
  }

  static bool welcome(int fd) noexcept {
    ucred who{};
    socklen_t bytes = sizeof who;
    if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &who, &bytes) != 0) return false;
    return who.uid == geteuid() || who.uid == 0;
  }

  Answer answer_;
  Handle folder_, listener_, stop_;
  bool bound_ = false;
  std::thread thread_;
};

Control::Control(const std::filesystem::path& run_folder, Answer answer)
    : work_(std::make_unique<Work>(run_folder, std::move(answer))) {}
Control::~Control() = default;

std::string ask(const std::filesystem::path& run_folder, Request r) {
  const auto nobody = [&] {
    Diagnostics problems;
    problems.error("V4120", "no run is going on in " + run_folder.string(), {})
        .notes.push_back("vernier runs   lists the runs and what became of them");
    return ConfigurationError(problems);
  };
  const Handle folder = opened(run_folder);
  const Handle line(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (!folder || !line) throw nobody();
  const sockaddr_un a = address_in(folder);
  if (connect(line.get(), reinterpret_cast<const sockaddr*>(&a), sizeof a) != 0) throw nobody();
  send_line(line.get(), std::string(word(r)));
  const auto answer = line_from(line.get(), longest_answer, answer_patience_ms);
  if (!answer) throw nobody();
  return *answer;
}

}  // namespace vernier::session
