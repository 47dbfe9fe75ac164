#include "vernier/run/session/control.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <thread>
#include <utility>
#include <vector>

#include "vernier/base/diagnostic.hpp"
#include "vernier/net/line_stream.hpp"
#include "vernier/net/socket.hpp"

namespace vernier::session {
namespace {

using net::Clock;
using namespace std::chrono_literals;

constexpr const char* socket_name = "control";
constexpr auto patience = 5s, answer_patience = 60s;
// a refusal: this word, then code, sentence and notes
constexpr std::string_view refused = "refused";
constexpr char separator = '\t';

/// The path of the socket in a directory. A path may be too long for a socket address: it is
/// reached through the directory's descriptor.
std::string path_in(const Descriptor& folder) {
  return "/proc/self/fd/" + std::to_string(folder.get()) + "/" + socket_name;
}

Descriptor opened(const std::filesystem::path& folder) noexcept {
  return Descriptor(open(folder.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
}

Diagnostic not_a_line() {
  Diagnostic d;
  d.code = "V4121";
  d.message = "a request is one line of at most 4096 bytes, sent within five seconds";
  return d;
}

/// A client that does not read gets only what fits into the buffer.
void send_line(net::LineStream& to, const std::string& line) {
  static_cast<void>(to.send(line + '\n', Clock::now()));
}

}  // namespace

std::string refusal(const Diagnostic& d) {
  std::string line = std::string(refused) + d.code;
  const auto add = [&line](const std::string& text) {
    line += separator;
    // a message may quote the request, which may contain any character
    for (const char c : text) line += static_cast<unsigned char>(c) < ' ' ? '?' : c;
  };
  add(d.message);
  if (!d.mark.empty()) add(d.mark);
  for (const std::string& n : d.notes) add(n);
  return line;
}

std::string granted(std::string answer) {
  if (!answer.starts_with(refused)) return answer;
  Diagnostics problems;
  std::vector<std::string> words;
  for (std::size_t at = refused.size(); at <= answer.size();) {
    const std::size_t end = std::min(answer.find(separator, at), answer.size());
    words.push_back(answer.substr(at, end - at));
    at = end + 1;
  }
  Diagnostic& d = problems.error(words[0], words.size() > 1 ? words[1] : "the run refuses", {});
  for (std::size_t i = 2; i < words.size(); ++i) d.notes.push_back(words[i]);
  throw ConfigurationError(problems);
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
      send_line(line, asked ? answer_(*asked) : refusal(not_a_line()));
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

std::string ask(const std::filesystem::path& run_folder, const std::string& request, int wake) {
  const auto nobody = [&] {
    Diagnostics problems;
    problems.error("V4120", "there is no active run in " + run_folder.string(), {})
        .notes.push_back("vernier runs   lists the runs and what became of them");
    return ConfigurationError(problems);
  };
  const Descriptor folder = opened(run_folder);
  if (!folder) throw nobody();
  auto connected = net::connected_to(path_in(folder));
  if (!connected) throw nobody();
  net::LineStream line(std::move(*connected), longest_answer + 1, wake);
  send_line(line, request);
  const auto received = line.receive(Clock::now() + answer_patience);
  if (!received) throw nobody();
  return granted(std::string(*received));
}

}  // namespace vernier::session
