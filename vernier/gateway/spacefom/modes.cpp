// Execution modes: requests, commands and transitions (rules 7-1 to 7-4, 7-18 and 7-21 to 7-24 of
// SISO-STD-018-2020).
#include <algorithm>
#include <thread>

#include "vernier/gateway/spacefom/detail/waiting.hpp"
#include "vernier/kernel/frames/scales.hpp"

namespace vernier::spacefom {

using detail::TimeManagement;

// -- the configuration ---------------------------------------------------------------------------

void Federate::Work::take_configuration(const detail::Event& e) {
  const bool modes = execution_.take(e.values, settings.tolerate_swapped_lcts);
  if (!modes) return;
  const Configuration& c = configuration();
  execution_.run_confirmed = c.current == Mode::running && c.next == Mode::running;
  if (execution_.settled()) return;
  if (c.next == Mode::shutdown) {
    ending.shut_down("the Master shut the federation down");
  } else if (c.next == Mode::freeze && mode == Mode::running) {
    execution_.freeze_at = frames::logical_time(c.epoch, c.next_mode_time).value_or(time.granted);
  }
}

// -- requests ------------------------------------------------------------------------------------

void Federate::Work::ask(Mode wanted) {
  if (settings.master) {
    command(wanted);
  } else {
    requests_.send(rti(), wanted);
  }
}

// which request is valid in which mode; shutdown takes precedence, and duplicates are dropped
void Federate::Work::command(Mode wanted) {
  Configuration& c = configuration();
  if (ending.shutdown) return;
  switch (wanted) {
    case Mode::shutdown:
      shut_down();
      throw detail::Over{};
    case Mode::freeze:
      if (mode == Mode::initializing) execution_.first = Mode::freeze;
      if (mode != Mode::running || !execution_.settled()) return;
      // others may have advanced as far as our next step and its lookahead permit
      execution_.freeze_at = freeze_time(std::max(time.granted, time.requested),
                                         settings.freeze_padding, c.least_common);
      c.next = Mode::freeze;
      c.next_mode_time = scenario_time(*execution_.freeze_at);
      send_configuration();
      return;
    case Mode::running:
      if (mode != Mode::freeze || !execution_.settled()) return;
      c.next = Mode::running;
      c.next_mode_central_time = 0.0;
      send_configuration();
      return;
    default:
      return;
  }
}

void Federate::Work::shut_down() {
  configuration().next = Mode::shutdown;
  ending.shut_down(settings.name + " shut the federation down");
  if (execution_.known() && configuration().has_modes) send_configuration();
  rti().registerFederationSynchronizationPoint(wide(label::mtr_shutdown), {});
}

// -- transitions ---------------------------------------------------------------------------------

void Federate::Work::enter_run() {
  if (settings.master) register_point(label::mtr_run, nullptr);
  synchronize(label::mtr_run);
  mode = Mode::running;
  execution_.freeze_at.reset();
  configuration().current = Mode::running;
  if (settings.master) {
    if (settings.central_clock) {
      configuration().next_mode_time = scenario_time(time.granted);
      configuration().next_mode_central_time =
          static_cast<double>(settings.central_clock()) * 1e-9 +
          std::chrono::duration<double>(settings.central_lead).count();
    }
    send_configuration();
  }
  if (settings.central_clock) await_central_time();
}

// All federates begin to run when the central timing equipment reaches the Master's time
// (7-1..7-4).
void Federate::Work::await_central_time() {
  const auto wrong = [&](const std::string& what, const char* note) {
    Diagnostics d;
    d.error("V5337", what, {}).notes.push_back(note);
    return ConfigurationError(d);
  };
  if (!settings.master)
    wait([&] { return execution_.run_confirmed; }, [] { return "the Master's word when to run"; });
  const double at = configuration().next_mode_central_time;
  if (!(at > 0.0 && at < 9e9))
    throw wrong("the Master of " + settings.federation +
                    " does not use central timing equipment, which " + settings.name + " needs",
                "rule 7-4: give the Master and the Pacing federate the same cte in <time>");
  ran_at = static_cast<std::int64_t>(at * 1e9);
  const auto left = [&] { return ran_at - settings.central_clock(); };
  constexpr std::int64_t second = 1'000'000'000, near = 25'000'000;
  if (const std::int64_t off = left(); off > 60 * second || off < -60 * second)
    throw wrong("the federation runs in " + std::to_string(off / second) +
                    " s by the central clock of " + settings.name,
                "all members need the same clock as cte in <time>, set alike: NTP or PTP");
  wait([&] { return left() < near; }, [] { return std::string(); }, false);
  // busy-wait for the rest; a clock that is reset or fails meanwhile must not block the federate
  const auto most = std::chrono::steady_clock::now() + std::chrono::nanoseconds(2 * near);
  for (std::int64_t l = left(); l > 0 && std::chrono::steady_clock::now() < most; l = left())
    std::this_thread::sleep_for(std::chrono::nanoseconds(std::min(l, near)));
}

void Federate::Work::freeze() {
  if (mode != Mode::freeze) {  // unless it joined a frozen federation
    if (settings.master) register_point(label::mtr_freeze, nullptr);
    synchronize(label::mtr_freeze);
  }
  mode = Mode::freeze;
  execution_.run_confirmed = false;
  configuration().current = Mode::freeze;
  if (settings.master) send_configuration();
  stood_still = true;
  if (settings.notice)
    settings.notice(settings.federation + " is frozen at " + text_of(time.granted));
  wait([&] { return configuration().next == Mode::running; }, [] { return std::string(); }, false);
  enter_run();
}

void Federate::Work::freeze_if_due() {
  const auto& at = execution_.freeze_at;
  if (at && *at >= 0 && time.granted >= *at) freeze();
}

void Federate::Work::advance_to(Ticks t) {
  time.state = TimeManagement::advancing;
  time.requested = t;
  peers_.keeper.clear();
  const auto began = std::chrono::steady_clock::now();
  rti().timeAdvanceRequest(rti1516e::HLAinteger64Time(t));
  const auto done = [&] { return time.state == TimeManagement::managed; };
  const auto what = [&] { return "time " + text_of(t); };
  // only if time is held back, ask which federate does so
  constexpr std::chrono::milliseconds moment{1};
  if (!wait_for(done, what, moment)) {
    peers_.look_for_keeper(rti());
    wait(done, what, false);
    peers_.end_looking(rti());
  }
  peers_.count_wait(std::chrono::nanoseconds(std::chrono::steady_clock::now() - began).count());
}

void Federate::Work::step() {
  const Ticks next = time.granted + settings.steps.step;
  send(next);
  advance_to(next);
  freeze_if_due();
}

}  // namespace vernier::spacefom
