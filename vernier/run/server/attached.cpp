#include "vernier/run/server/attached.hpp"

#include <fmt/format.h>

#include <atomic>
#include <chrono>
#include <thread>
#include <utility>

#include "vernier/net/secret.hpp"
#include "vernier/net/wait.hpp"
#include "vernier/run/record/manifest.hpp"
#include "vernier/run/server/hosts.hpp"

namespace vernier::server {
namespace {

using namespace std::chrono_literals;
using net::Clock;

constexpr auto attach_within = 5s, send_within = 10s;

static_assert(longest_line == session::longest_request &&
              longest_answer == session::longest_answer);

std::string too_long() {
  Diagnostic d;
  d.code = "V5663";
  d.message = "the answer is longer than 1 MiB";
  d.notes.push_back("ask for fewer signals at a time");
  return session::refusal(d);
}

}  // namespace

/// The connection to one server, and its thread.
class Attached::Line {
 public:
  Line(Server s, std::string version, std::function<void(const Diagnostics&)> trouble)
      : server_(std::move(s)), version_(std::move(version)), trouble_(std::move(trouble)) {}
  ~Line() { close(); }
  Line(const Line&) = delete;
  Line& operator=(const Line&) = delete;

  const net::Address& address() const noexcept { return server_.address; }

  void open(Attach about, session::Control::Answer answer) {
    about_ = std::move(about);
    answer_ = std::move(answer);
    if (wake_) thread_ = std::thread([this] { serve(); });
  }
  void close() {
    if (!thread_.joinable()) return;
    closed_ = true;
    wake_.ring();
    thread_.join();
  }
  void executor_started() noexcept {
    started_ = true;
    wake_.ring();
  }

 private:
  void serve() {
    while (true) {
      static_cast<void>(net::wait_for(wake_.descriptor(), net::readable, net::forever));
      static_cast<void>(wake_.clear());
      if (closed_) return;
      if (!started_.exchange(false)) continue;
      const auto refused = attend();
      if (!refused || closed_ || started_ || !trouble_) continue;
      Diagnostics problems;
      Diagnostic& d = problems.warning("V5664", refused->message, {});
      d.notes.push_back("the run continues; ask it on this computer, or through another server");
      trouble_(problems);
    }
  }

  /// Until the connection is lost, or wake_ is rung. The server was not to be had: why.
  std::optional<Diagnostic> attend() {
    auto connection = Connection::to(server_.address, server_.with, version_,
                                     Clock::now() + attach_within, wake_.descriptor());
    if (!connection) return connection.error();
    if (const auto name = connection->attach(about_); !name) return name.error();
    while (true) {
      connection->set_deadline(net::forever);
      const auto question = connection->receive_question();
      if (!question) return {};
      std::string said = answer_(question->line);
      if (said.size() > longest_answer) said = too_long();
      connection->set_deadline(Clock::now() + send_within);
      if (!connection->say({question->number, std::move(said)})) return {};
    }
  }

  Server server_;
  std::string version_;
  std::function<void(const Diagnostics&)> trouble_;
  Attach about_;
  session::Control::Answer answer_;
  net::Wake wake_;
  std::atomic<bool> started_{false}, closed_{false};
  std::thread thread_;
};

Attached::Attached(const std::vector<Server>& servers, const std::string& version,
                   const std::function<void(const Diagnostics&)>& trouble) {
  net::fill_random(std::as_writable_bytes(std::span(&composer_, 1)));
  for (const Server& s : servers) lines_.push_back(std::make_unique<Line>(s, version, trouble));
}

Attached::~Attached() = default;

void Attached::open(const std::string& run, const session::Control::Answer& answer) {
  const auto since = std::chrono::system_clock::now().time_since_epoch();
  const Attach about{.run = run.substr(0, longest_run_name),
                     .host = record::host_name().substr(0, longest_run_name),
                     .since = std::chrono::duration_cast<std::chrono::seconds>(since).count(),
                     .composer = composer_};
  for (const auto& l : lines_) l->open(about, answer);
}

void Attached::close() {
  for (const auto& l : lines_) l->close();
}

void Attached::executor_started(const net::Address& where) noexcept {
  for (const auto& l : lines_)
    if (l->address().host == where.host && l->address().port == where.port) l->executor_started();
}

}  // namespace vernier::server
