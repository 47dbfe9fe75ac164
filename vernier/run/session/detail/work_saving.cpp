#include "vernier/run/session/detail/work.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace vernier::session {

record::Checkpoint Session::Work::state() const {
  if (ended_ == executive::Ending::failed) refuse_request("a run that failed has no state to save");
  return {.version = options_.version,
          .composition = composition_.name,
          .documents = archive_->documents(),
          .snapshot = executive_->save(),
          .computing = computing(composition_)};
}

void Session::Work::restore(const record::Checkpoint& c, Diagnostics& problems) {
  if (archive_->keeps())
    refuse_request("a run that is recorded cannot go back",
                   "begin a new one from the state, or keep no results");
  if (finished_) refuse_request("the run was finished");
  // a failed run is between two instants
  if (ended_ != executive::Ending::failed) check_fit(c, executive_->save(), "the state", problems);
  executive_->restore(c.snapshot);
  watch_->leave(*executive_);
  watch_ = std::make_unique<Watch>(composition_, *executive_);
  watch_->attach(*executive_);
  begins_ = executive_->now();
  ended_.reset();
  fault_.reset();
}

const std::filesystem::path& Session::Work::save_state() {
  const std::filesystem::path& file = saved_->save();
  if (companion_) companion_->saved(file, executive_->now());
  return file;
}

void Session::Work::check_fit(const record::Checkpoint& c, const executive::Snapshot& here,
                              const std::filesystem::path& name, Diagnostics& problems) const {
  Diagnostics fit;
  record::compare_shape(c, here, archive_->documents(), name, fit);
  record::compare_arithmetic(c, computing(composition_), name, fit);
  fit.throw_if_errors();
  problems.append(fit);
}

void Session::Work::take_up(Continuation& c, Diagnostics& problems) {
  continued_ = c.progress;
  // those that it executes again or has not executed yet
  executive_->schedule(c.pending);
  options_.orders = c.executed;
  options_.orders.insert(options_.orders.end(), c.pending.begin(), c.pending.end());
  if (!c.checkpoint.empty()) {
    checkpoint_file_ = c.checkpoint;
  } else {
    checkpoint_file_ = options_.from;
  }
  if (!checkpoint_file_.empty()) checkpoint_ = record::read_checkpoint(checkpoint_file_);
  archive_.emplace(c, options_, problems, checkpoint_ ? checkpoint_->snapshot.time : Time{});
}

bool Session::Work::keeps_state() const {
  const auto can_return = [](const composition::Part& p) {
    return p.component->description().abilities.rewinds;
  };
  return archive_->keeps() && options_.keep_state_after.count() > 0 && !timing_ &&
         !options_.checkpoint_every && writers_.empty() &&
         std::all_of(executive_->parts().begin(), executive_->parts().end(), can_return);
}

void Session::Work::keep_state() {
  keeper_ = std::make_unique<Regularly>(options_.keep_state_after, [this] {
    try {
      in_between([this] {
        const auto file = saved_->keep();
        if (companion_ && file) companion_->saved(*file, executive_->now());
        return std::string();
      });
    } catch (const ConfigurationError& e) {
      if (!requests_.closed()) archive_->log(rendered(e.diagnostics().list().front()));
    }
  });
}

record::Progress Session::Work::progress() {
  orders_->drain();
  record::PassedOn passed = recorder_.passed_on();
  const executive::Statistics counted = statistics();
  return {.begin = begins_.time_since_epoch().count(),
          .notes = passed.notes,
          .orders = orders_->passed(),
          .frames = timing_ ? timing_->logged() : 0,
          .dropped = recorder_.statistics().dropped,
          .ticks = counted.ticks,
          .instants = counted.instants,
          .microsteps = counted.microsteps,
          .late = counted.late,
          .wall = wall(),
          .rows = std::move(passed.rows),
          .watch = watch_->save()};
}

executive::Statistics Session::Work::statistics() const {
  executive::Statistics s = executive_->statistics();
  if (!continued_) return s;
  s.ticks += continued_->ticks - counted_before_.ticks;
  s.instants += continued_->instants - counted_before_.instants;
  s.microsteps += continued_->microsteps - counted_before_.microsteps;
  s.late += continued_->late - counted_before_.late;
  return s;
}

double Session::Work::wall() const {
  const auto running =
      began_ ? std::chrono::steady_clock::now() - *began_ : std::chrono::steady_clock::duration{};
  return (continued_ ? continued_->wall : 0.0) +
         std::chrono::duration<double>(wall_ + running).count();
}

Duration Session::Work::every() const {
  return archive_->keeps() ? options_.checkpoint_every.value_or(Duration{}) : Duration{};
}

}  // namespace vernier::session
