#include "vernier/run/session/requests.hpp"

#include <utility>

namespace vernier::session {

void refuse_request(std::string why, const std::string& note) {
  Diagnostics problems;
  Diagnostic& d = problems.error("V4121", std::move(why), {});
  if (!note.empty()) d.notes.push_back(note);
  throw ConfigurationError(problems);
}

std::string Requests::have_done(What what, const std::function<void()>& wake) {
  const std::lock_guard alone(callers_);
  std::unique_lock lock(mutex_);
  if (closed_) refuse_request("the run is over");
  what_ = std::move(what);
  waiting_.store(true);
  wake();
  served_.wait(lock, [this] { return !what_ || closed_; });
  if (what_) {
    what_ = {};
    refuse_request("the run ended before it could be done", "vernier runs   lists the runs");
  }
  if (refusal_) throw *std::exchange(refusal_, std::nullopt);
  return answer_;
}

void Requests::serve() {
  const std::lock_guard lock(mutex_);
  if (!what_) return;
  try {
    answer_ = what_();
  } catch (const ConfigurationError& e) {
    refusal_ = e;
  }
  what_ = {};
  waiting_.store(false);
  served_.notify_all();
}

void Requests::close() {
  const std::lock_guard lock(mutex_);
  closed_ = true;
  served_.notify_all();
}

bool Requests::closed() {
  const std::lock_guard lock(mutex_);
  return closed_;
}

}  // namespace vernier::session
