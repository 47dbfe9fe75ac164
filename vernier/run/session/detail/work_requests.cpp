#include "vernier/run/session/detail/work.hpp"

#include <fmt/format.h>

#include <utility>

#include "vernier/base/text.hpp"

namespace vernier::session {

std::string Session::Work::in_between(const Requests::What& what) {
  return requests_.have_done(what, [this] { executive_->request_freeze(Time::min()); });
}

RunState Session::Work::run_state() const {
  const record::RecorderStatistics recorded = recorder_.statistics();
  return {.name = archive_->name(),
          .time = now(),
          .begin = begins_,
          .end = stop_,
          .resting = resting_.load(),
          .stopping = stopping_.load(),
          .frozen = frozen(),
          .rate = timing_ ? std::optional(rate_.load()) : std::nullopt,
          .events = recorded.events,
          .dropped = recorded.dropped,
          .overrides = overridden_ports(options_, now(), *live_),
          .pulse = pulse(),
          .nodes = executive_->placement()};
}

std::string Session::Work::status() {
  return status_line(run_state(), composition_.run.step, options_.real_time.has_value());
}

std::string Session::Work::freeze() {
  request_freeze();
  return status();
}

std::string Session::Work::resume() {
  request_resume();
  return status();
}

std::string Session::Work::stop() {
  request_stop();
  return status();
}

std::string Session::Work::step(int ticks) {
  return in_between([this, ticks] {
    request_freeze();
    if (!come_to_rest()) ended_ = executive::Ending::failed;
    for (int k = 0; k < ticks && !ended_; ++k) {
      executive_->resume();
      executive_->request_freeze(executive_->now() + Duration(1));
      if (timing_) timing_->enter();
      const executive::Ending ending = executive_->run_until(stop_);
      if (timing_) timing_->leave();
      if (ending != executive::Ending::frozen) ended_ = ending;
    }
    return fmt::format("t = {} s", exact(seconds(executive_->now())));
  });
}

std::string Session::Work::set_rate(double rate) {
  if (!timing_ || options_.real_time)
    refuse_request(
        timing_ ? "a run in real time keeps its rate" : "the run does not keep to a clock",
        "vernier run FILE --rate 1   runs by the clock, at a rate that can be changed");
  return in_between([this, rate] {
    timing_->set_rate(rate);
    rate_.store(rate);
    executive_->resume();  // the clock restarts from here
    if (frozen_.load() != 0) executive_->request_freeze(Time::min());
    return fmt::format("{} × real time from t = {} s", exact(rate),
                       exact(seconds(executive_->now())));
  });
}

std::string Session::Work::mark(std::string_view text) {
  const Time t = now();
  recorder_.add({.time = t,
                 .component = "user",
                 .kind = "mark",
                 .from = {},
                 .to = {},
                 .reason = std::string(text)});
  return fmt::format("marked at t = {} s", exact(seconds(t)));
}

std::string Session::Work::real_time() {
  if (!timing_)
    refuse_request("the run does not keep to a clock", "vernier run FILE --rt   runs in real time");
  return timing_->about();
}

std::string Session::Work::checkpoint() {
  return in_between([this] { return save_state().string(); });
}

std::string Session::Work::move(std::string_view part, std::string_view node) {
  return in_between([this, part = std::string(part), node = std::string(node)] {
    executive_->move(part, node);
    return fmt::format("{} continues on {} at t = {} s", part, node,
                       exact(seconds(executive_->now())));
  });
}

std::string Session::Work::rewind(Time t) {
  return in_between([this, t] {
    rewind_ = last_checkpoint(t);
    request_stop();
    return fmt::format("continues from {} in a new run",
                       rewind_->empty() ? std::string("the start") : rewind_->string());
  });
}

std::filesystem::path Session::Work::last_checkpoint(Time t) const {
  if (t < begins_)
    refuse_request(fmt::format("the run began at {} s", exact(seconds(begins_))),
                   "vernier run FILE --from CHECKPOINT   begins earlier");
  const std::filesystem::path best = archive_->last_checkpoint(t, begins_);
  // a run that began at a checkpoint begins there again
  return best.empty() ? options_.from : best;
}

}  // namespace vernier::session
