#include "vernier/run/desktop/starter.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <nlohmann/json.hpp>
#include <system_error>

#include "vernier/base/descriptor.hpp"
#include "vernier/base/text.hpp"
#include "vernier/run/desktop/problems.hpp"

extern char** environ;

namespace vernier::desktop {

using nlohmann::ordered_json;

namespace {

constexpr std::size_t most_output = 4u << 20;

[[noreturn]] void refuse_start(const std::string& why) {
  refuse("V8108", "the run did not begin: " + why,
         "vernier run DOCUMENT   in a terminal shows more");
}

/// A process that writes its output and errors into `output`.
pid_t spawned(const std::filesystem::path& program, std::vector<std::string> words,
              const Descriptor& output) {
  std::vector<char*> arguments;
  for (std::string& w : words) arguments.push_back(w.data());
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&files, output.get(), STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&files, output.get(), STDERR_FILENO);
  posix_spawn_file_actions_addclosefrom_np(&files, STDERR_FILENO + 1);
  pid_t process = 0;
  const int error =
      posix_spawn(&process, program.c_str(), &files, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&files);
  if (error != 0) refuse_start(std::generic_category().message(error));
  return process;
}

/// Everything that is written until the other end is closed, at most so much.
std::string read_all(const Descriptor& from, const net::Wake& stop) {
  std::string all;
  char buffer[4096];
  while (true) {
    const net::Waited w = net::wait_for(from.get(), net::readable, net::forever, stop.descriptor());
    if (w.woken) refuse_start("the desktop has ended");
    const ssize_t n = ::read(from.get(), buffer, sizeof buffer);
    if (n < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (n <= 0) return all;
    if (all.size() < most_output) all.append(buffer, static_cast<std::size_t>(n));
  }
}

/// The JSON object that the program prints, after warnings that it may print before.
ordered_json object_in(const std::string& output) {
  std::size_t begin = output.starts_with("{\n") ? 0 : output.rfind("\n{\n");
  if (begin == std::string::npos) return {};
  return ordered_json::parse(output.begin() + static_cast<std::ptrdiff_t>(begin), output.end(),
                             nullptr, false);
}

std::string last_line(std::string_view output) {
  output = trimmed(output);
  return std::string(output.substr(output.rfind('\n') + 1).substr(0, 400));
}

}  // namespace

std::vector<std::string> command_of(const Start& s) {
  // each value is in one word with its option, and no file name begins like an option
  const auto safe = [](const std::filesystem::path& p) {
    return p.string().starts_with('-') ? "./" + p.string() : p.string();
  };
  std::vector<std::string> words = {"vernier", "run",      safe(s.what),
                                    "--json",  "--detach", "--out=" + s.runs.string()};
  if (s.repeats) words.emplace_back("--no-orders");
  for (const std::string& assignment : s.set) words.push_back("--set=" + assignment);
  if (s.until) words.push_back("--until=" + exact(*s.until) + "s");
  if (s.rate) words.push_back("--rate=" + exact(*s.rate));
  if (s.real_time) words.emplace_back("--rt");
  if (s.seed) words.push_back("--seed=" + std::to_string(*s.seed));
  if (!s.from.empty()) words.push_back("--from=" + s.from.string());
  return words;
}

std::filesystem::path started(const Start& s, const std::filesystem::path& program,
                              const net::Wake& stop) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) refuse_start(std::generic_category().message(errno));
  const Descriptor output(ends[0]);
  Descriptor written(ends[1]);
  const pid_t process = spawned(program, command_of(s), written);
  written.reset();
  const std::string said = read_all(output, stop);
  int status = 0;
  while (::waitpid(process, &status, 0) < 0 && errno == EINTR) {
  }
  const ordered_json j = object_in(said);
  if (j.is_object() && j.contains("folder") && j["folder"].is_string() && j.contains("process"))
    return j["folder"].get<std::string>();
  if (j.is_object() && j.contains("problems")) {
    Diagnostics problems = problems_in(j["problems"]);
    if (problems.errors() > 0) throw ConfigurationError(std::move(problems));
  }
  refuse_start(last_line(said).empty() ? "it has said nothing" : last_line(said));
}

}  // namespace vernier::desktop
