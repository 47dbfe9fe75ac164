#include <algorithm>
#include <thread>

#include "vernier/gateway/spacefom/detail/waiting.hpp"
#include "vernier/kernel/frames/scales.hpp"

namespace vernier::spacefom {

// -- the configuration ---------------------------------------------------------------------------

void Federate::Work::take_configuration(const detail::Event& e) {
  Configuration& c = configuration;
  bool modes = false;
  for (std::size_t i = 0; i < exco_.handles.size(); ++i) {
    const auto found = e.values.find(exco_.handles[i]);
    if (found == e.values.end()) continue;
    const std::span<const std::byte> bytes(static_cast<const std::byte*>(found->second.data()),
                                           found->second.size());
    const std::string& name = exco_.attributes[i];
    if (name == "root_frame_name") {
      if (const auto s = read_string(bytes)) c.root_frame = *s;
    } else if (name == "scenario_time_epoch") {
      c.has_epoch |= read_reals(bytes, {&c.epoch, 1});
    } else if (name == "current_execution_mode") {
      if (const auto m = read_mode(bytes)) c.current = *m, modes = true;
    } else if (name == "next_execution_mode") {
      if (const auto m = read_mode(bytes)) c.next = *m, modes = true;
    } else if (name == "next_mode_scenario_time") {
      static_cast<void>(read_reals(bytes, {&c.next_mode_time, 1}));
    } else if (name == "next_mode_cte_time") {
      if (!read_reals(bytes, {&c.next_mode_central_time, 1})) c.next_mode_central_time = 0.0;
    } else if (name == "least_common_time_step") {
      if (auto t = read_ticks(bytes)) {
        if (settings.tolerate_swapped_lcts) t = straightened(*t);
        if (*t > 0 && *t <= longest_step) c.least_common = *t;
      }
    }
  }
  c.has_modes |= modes;
  if (modes) run_confirmed_ = c.current == Mode::running && c.next == Mode::running;
  if (!modes || c.current == c.next) return;
  if (c.next == Mode::shutdown) {
    shutdown_ = true;
    farewell = "the Master shut the federation down";
  } else if (c.next == Mode::freeze && mode == Mode::running) {
    freeze_at_ = frames::logical_time(c.epoch, c.next_mode_time).value_or(granted);
  }
}

void Federate::Work::send_configuration() {
  const Configuration& c = configuration;
  rti1516e::AttributeHandleValueMap values;
  const auto put = [&](std::size_t i, auto write) {
    Octets bytes;
    write(bytes);
    values[exco_.handles[i]].setData(bytes.data(), bytes.size());
  };
  if (!c.root_frame.empty()) put(0, [&](Octets& o) { put_string(c.root_frame, o); });
  put(1, [&](Octets& o) { put_reals({&c.epoch, 1}, o); });
  put(2, [&](Octets& o) { put_mode(c.current, o); });
  put(3, [&](Octets& o) { put_mode(c.next, o); });
  put(4, [&](Octets& o) { put_reals({&c.next_mode_time, 1}, o); });
  put(5, [&](Octets& o) { put_reals({&c.next_mode_central_time, 1}, o); });
  put(6, [&](Octets& o) { put_ticks(c.least_common, o); });
  rti().updateAttributeValues(exco_object_, values, {});  // without a time: receive order (4-27)
}

// -- requests ------------------------------------------------------------------------------------

void Federate::Work::ask(Mode wanted) {
  if (settings.master) {
    command(wanted);
    return;
  }
  if (!may_ask_) {  // as soon as it may
    waiting_.push_back(wanted);
    return;
  }
  Octets bytes;
  put_mode(wanted, bytes);
  rti1516e::ParameterHandleValueMap values;
  values[mtr_mode_].setData(bytes.data(), bytes.size());
  rti().sendInteraction(mtr_, values, {});
}

void Federate::Work::publish_requests() {
  rti().publishInteractionClass(mtr_);
  may_ask_ = true;
  for (const Mode m : std::exchange(waiting_, {})) ask(m);
}

// what is valid in which mode; shutdown wins over all, and duplicates are dropped
void Federate::Work::command(Mode wanted) {
  Configuration& c = configuration;
  if (shutdown_) return;
  switch (wanted) {
    case Mode::shutdown:
      shut_down();
      throw Over{};
    case Mode::freeze:
      if (mode == Mode::initializing) freeze_first_ = true;
      if (mode != Mode::running || c.current != c.next) return;
      // others may be as far as our next step and its lookahead let them
      freeze_at_ =
          freeze_time(std::max(granted, requested_), settings.freeze_padding, c.least_common);
      c.next = Mode::freeze;
      c.next_mode_time = scenario_time(freeze_at_);
      send_configuration();
      return;
    case Mode::running:
      if (mode != Mode::freeze || c.current != c.next) return;
      c.next = Mode::running;
      c.next_mode_central_time = 0.0;
      send_configuration();
      return;
    default:
      return;
  }
}

void Federate::Work::shut_down() {
  configuration.next = Mode::shutdown;
  shutdown_ = true;
  farewell = settings.name + " shut the federation down";
  if (exco_object_.isValid() && configuration.has_modes) send_configuration();
  rti().registerFederationSynchronizationPoint(wide(label::mtr_shutdown), {});
}

// -- transitions ---------------------------------------------------------------------------------

void Federate::Work::enter_run() {
  if (settings.master) register_point(label::mtr_run, nullptr);
  synchronize(label::mtr_run);
  mode = Mode::running;
  freeze_at_ = -1;
  configuration.current = Mode::running;
  if (settings.master) {
    if (settings.central_clock) {
      configuration.next_mode_time = scenario_time(granted);
      configuration.next_mode_central_time =
          static_cast<double>(settings.central_clock()) * 1e-9 +
          std::chrono::duration<double>(settings.central_lead).count();
    }
    send_configuration();
  }
  if (settings.central_clock) await_central_time();
}

// All begin to run when the central timing equipment shows what the Master said.
void Federate::Work::await_central_time() {
  const auto wrong = [&](const std::string& what, const char* note) {
    Diagnostics d;
    d.error("V5337", what, {}).notes.push_back(note);
    return ConfigurationError(d);
  };
  if (!settings.master)
    wait([&] { return run_confirmed_; }, [] { return "the Master's word when to run"; });
  const double at = configuration.next_mode_central_time;
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
  // the rest at once; a clock that is set or fails meanwhile holds nobody up
  const auto most = std::chrono::steady_clock::now() + std::chrono::nanoseconds(2 * near);
  for (std::int64_t l = left(); l > 0 && std::chrono::steady_clock::now() < most; l = left())
    std::this_thread::sleep_for(std::chrono::nanoseconds(std::min(l, near)));
}

void Federate::Work::freeze() {
  if (mode != Mode::freeze) {  // not one that came into a frozen federation
    if (settings.master) register_point(label::mtr_freeze, nullptr);
    synchronize(label::mtr_freeze);
  }
  mode = Mode::freeze;
  run_confirmed_ = false;
  configuration.current = Mode::freeze;
  if (settings.master) send_configuration();
  stood_still = true;
  if (settings.notice) settings.notice(settings.federation + " is frozen at " + text_of(granted));
  wait([&] { return configuration.next == Mode::running; }, [] { return std::string(); }, false);
  enter_run();
}

void Federate::Work::freeze_if_due() {
  if (freeze_at_ >= 0 && granted >= freeze_at_) freeze();
}

void Federate::Work::advance_to(Ticks t) {
  advanced_ = false;
  requested_ = t;
  keeper.clear();
  const auto began = std::chrono::steady_clock::now();
  rti().timeAdvanceRequest(rti1516e::HLAinteger64Time(t));
  const auto what = [&] { return "time " + text_of(t); };
  // who holds time back is asked only when somebody does
  constexpr std::chrono::milliseconds moment{1};
  if (!wait_for([&] { return advanced_; }, what, moment)) {
    look_for_keeper();
    wait([&] { return advanced_; }, what, false);
    end_looking();
  }
  waited = std::chrono::nanoseconds(std::chrono::steady_clock::now() - began).count();
  auto known = std::find_if(keepers.begin(), keepers.end(),
                            [&](const Keeper& k) { return k.name == keeper; });
  if (known == keepers.end()) known = keepers.insert(known, {keeper});
  ++known->steps;
  known->longest = std::max(known->longest, waited);
}

void Federate::Work::step() {
  const Ticks next = granted + settings.steps.step;
  send(next);
  advance_to(next);
  freeze_if_due();
}

}  // namespace vernier::spacefom
