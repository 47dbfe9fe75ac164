#include "vernier/run/session/control.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <optional>
#include <thread>
#include <utility>

#include "vernier/base/diagnostic.hpp"
#include "vernier/net/line_stream.hpp"
#include "vernier/net/socket.hpp"

namespace vernier::session {
namespace {

using net::Clock;
using namespace std::chrono_literals;

constexpr const char* socket_name = "control";
constexpr std::size_t longest_request = 64, longest_answer = 4096;
constexpr auto patience = 1s, answer_patience = 5s;

/// The path of the socket in a folder. Paths may be longer than an address: they are reached
/// through the folder's descriptor.
std::string path_in(const Descriptor& folder) {
  return "/proc/self/fd/" + std::to_string(folder.get()) + "/" + socket_name;
}

Descriptor opened(const std::filesystem::path& folder) noexcept {
  return Descriptor(open(folder.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
}

std::optional<Request> parsed(std::string_view line) noexcept {
  for (const Request r : {Request::status, Request::freeze, Request::resume, Request::stop})
    if (line == word(r)) return r;
  return {};
}

/// Who does not read gets what fits.
void send_line(net::LineStream& to, const std::string& line) {
  static_cast<void>(to.send(line + '\n', Clock::now()));
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
      : answer_(std::move(answer)), folder_(opened(folder)) {
    if (!folder_ || !stop_) return;
    auto made = net::listening_at(path_in(folder_));
    if (!made) return;
    listener_ = std::move(*made);
    thread_ = std::thread([this] { serve(); });
  }

  ~Work() {
    if (!thread_.joinable()) return;
    stop_.ring();
    thread_.join();
    unlinkat(folder_.get(), socket_name, 0);
  }

 private:
  void serve() {
    while (auto visitor = net::accepted(listener_, net::forever, stop_.descriptor())) {
      if (!net::from_this_user(visitor->get())) continue;
      net::LineStream line(std::move(*visitor), longest_request + 1, stop_.descriptor());
      const auto asked = line.receive(Clock::now() + patience);
      const auto request = asked ? parsed(*asked) : std::nullopt;
      send_line(line,
                request ? answer_(*request) : "not understood: status, freeze, resume or stop");
    }
  }

  Answer answer_;
  Descriptor folder_, listener_;
  net::Wake stop_;
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
  const Descriptor folder = opened(run_folder);
  if (!folder) throw nobody();
  auto connected = net::connected_to(path_in(folder));
  if (!connected) throw nobody();
  net::LineStream line(std::move(*connected), longest_answer + 1);
  send_line(line, std::string(word(r)));
  const auto answer = line.receive(Clock::now() + answer_patience);
  if (!answer) throw nobody();
  return std::string(*answer);
}

}  // namespace vernier::session
