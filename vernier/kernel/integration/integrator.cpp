#include "vernier/kernel/integration/integrator.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "vernier/kernel/integration/detail/methods.hpp"

namespace vernier::integration {

namespace {

constexpr std::size_t remembered = 32;  // transitions

}  // namespace

// Knuth's TwoSum: low receives the rounding error of t + (low + s).
void detail::advance_time(double& t, double& low, double s) noexcept {
  const double step = low + s;
  const double sum = t + step;
  const double part = sum - t;
  low = (t - (sum - part)) + (step - part);
  t = sum;
}

using detail::advance_time;

Integrator::Integrator(const hybrid::System& system, const Settings& settings)
    : system_(system),
      stepper_(make_stepper(system.spec(), settings)),
      locator_(system),
      guarded_(system.spec().guards > 0),
      workspace_(system.workspace()),
      parameters_(hybrid::initial_values(system.spec().parameters)) {
  const hybrid::SystemSpec& spec = system.spec();
  const std::size_t n = hybrid::size(spec.states);
  const std::size_t m = hybrid::size(spec.inputs);
  values_.resize(3 * n + m + 2 * spec.guards);
  const std::span<double> all(values_);
  trail_.x = all.subspan(0, n);
  trail_.low = all.subspan(n, n);
  trail_.rate = all.subspan(2 * n, n);
  u_ = all.subspan(3 * n, m);
  z_ = all.subspan(3 * n + m, spec.guards);
  dz_ = all.subspan(3 * n + m + spec.guards, spec.guards);
  mode_.resize(spec.automata.size());
  next_x_.resize(n);
  rate_ahead_.resize(n);
  jump_x_.resize(n);
  next_mode_.resize(mode_.size());
  jump_mode_.resize(mode_.size());
  jump_chosen_.resize(mode_.size());
  chosen_.resize(mode_.size());
  initial_ = hybrid::initial_values(spec.states);
  present_.resize(spec.events.size());
  now_emitted_.resize(spec.events.size());
  recent_.resize(remembered);
  // Locations that only wait for events need no event location.
  for (const hybrid::Automaton& a : spec.automata) {
    std::vector<std::uint8_t>& watched = watched_.emplace_back(a.locations.size(), std::uint8_t{0});
    for (const hybrid::Transition& t : a.transitions) {
      if (!t.on_event) watched[static_cast<std::size_t>(t.from)] = 1;
    }
  }
  reset();
}

void Integrator::reset() noexcept {
  std::fill(values_.begin(), values_.end(), 0.0);
  std::copy(initial_.begin(), initial_.end(), trail_.x.begin());
  for (std::size_t k = 0; k < mode_.size(); ++k) mode_[k] = system_.spec().automata[k].initial;
  memory_ = {};
  fired_ = 0;
  bad_jump_ = false;
  undecided_ = false;
  begin({});
}

void Integrator::set(std::span<const double> x, std::span<const int> mode) noexcept {
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (trail_.x[i] == x[i]) continue;
    trail_.x[i] = x[i];
    trail_.low[i] = 0.0;
  }
  std::copy(mode.begin(), mode.end(), mode_.begin());
  memory_.rate_known = memory_.atoms_known = 0;
}

void Integrator::set_parameters(std::span<const double> p) noexcept {
  std::copy(p.begin(), p.end(), parameters_.begin());
  memory_.rate_known = memory_.atoms_known = 0;
}

void Integrator::begin(const Limits& limits) noexcept {
  limits_ = limits;
  steps_ = 0;
  events_ = 0;
}

bool Integrator::watches() const noexcept {
  if (!guarded_) return false;
  for (std::size_t k = 0; k < mode_.size(); ++k) {
    if (watched_[k][static_cast<std::size_t>(mode_[k])] != 0) return true;
  }
  return false;
}

Equations Integrator::equations(double origin, std::span<const double> u) noexcept {
  return {&system_, origin, mode_, u, workspace_.get(), parameters_};
}

void Integrator::take_inputs(std::span<const double> u) noexcept {
  // Compared as bits, so that NaN equals itself.
  if (u.empty() || std::memcmp(u.data(), u_.data(), u.size_bytes()) == 0) return;
  std::copy(u.begin(), u.end(), u_.begin());
  memory_.rate_known = memory_.atoms_known = 0;
}

void Integrator::remember(const Firing& f) noexcept { recent_[fired_++ % remembered] = f; }

std::size_t Integrator::recent(std::span<Firing> into) const noexcept {
  const std::size_t count = std::min({into.size(), fired_, remembered});
  for (std::size_t k = 0; k < count; ++k) into[k] = recent_[(fired_ - count + k) % remembered];
  return count;
}

// One microstep (docs/mathematics/hybrid.md, section 2): all automata select on the same snapshot,
// then all chosen transitions are committed at once.
bool Integrator::round(const Equations& f, double t, std::span<const std::uint8_t> present,
                       std::span<std::uint8_t> emitted, std::uint32_t microstep,
                       Listener& listener) noexcept {
  const hybrid::Point p = f.at(t, trail_.x);
  if (!system_.select(p, present, chosen_, *workspace_)) {
    const auto is_present = [](std::uint8_t e) { return e != 0; };
    if (std::any_of(present.begin(), present.end(), is_present))
      undecided_ |= system_.undecided(p, present, *workspace_);
    return false;
  }
  for (std::size_t k = 0; k < chosen_.size(); ++k) {
    if (chosen_[k] < 0) continue;
    Firing firing;
    firing.automaton = static_cast<int>(k);
    firing.transition = chosen_[k];
    firing.from = mode_[k];
    const auto& spec = system_.spec().automata[k].transitions[static_cast<std::size_t>(chosen_[k])];
    firing.to = spec.to;
    firing.t = t;
    firing.microstep = microstep;
    system_.witness(p, firing.automaton, firing.transition, firing.sides, *workspace_);
    remember(firing);
    listener.fired(firing);
  }
  std::copy(trail_.x.begin(), trail_.x.end(), next_x_.begin());
  std::copy(mode_.begin(), mode_.end(), next_mode_.begin());
  hybrid::Jump jump{next_x_, next_mode_, emitted};
  system_.jump(p, chosen_, jump, *workspace_);
  if (!std::all_of(next_x_.begin(), next_x_.end(), [](double e) { return std::isfinite(e); })) {
    bad_jump_ = true;
    jump_t_ = p.t;
    std::copy(trail_.x.begin(), trail_.x.end(), jump_x_.begin());
    std::copy(mode_.begin(), mode_.end(), jump_mode_.begin());
    std::copy(chosen_.begin(), chosen_.end(), jump_chosen_.begin());
  }
  set(next_x_, next_mode_);
  return true;
}

bool Integrator::react(Time now, std::span<const double> u, std::span<const std::uint8_t> present,
                       std::span<std::uint8_t> emitted, std::uint32_t microstep,
                       Listener& listener) noexcept {
  if (mode_.empty()) return false;
  take_inputs(u);
  return round(equations(seconds(now), u_), 0.0, present, emitted, microstep, listener);
}

// All rounds of the instant t, at which a transition is enabled.
Status Integrator::transitions(const Equations& f, Time origin, double t,
                               std::span<std::int64_t> emitted, bool stop_at_accumulation,
                               Listener& listener) noexcept {
  std::fill(present_.begin(), present_.end(), std::uint8_t{0});
  for (std::uint32_t microstep = 1;; ++microstep) {
    if (microstep > static_cast<std::uint32_t>(limits_.microsteps)) {
      return Status::instantaneous_loop;
    }
    std::fill(now_emitted_.begin(), now_emitted_.end(), std::uint8_t{0});
    if (!round(f, t, present_, now_emitted_, microstep, listener)) break;
    for (std::size_t i = 0; i < now_emitted_.size(); ++i) emitted[i] += now_emitted_[i];
    // Emitted labels are present in the next microstep.
    std::swap(present_, now_emitted_);
  }
  const bool accumulates =
      memory_.zeno.note(origin, t) || (stop_at_accumulation && ++events_ > limits_.events);
  if (accumulates && stop_at_accumulation) return Status::accumulation;
  if (accumulates && memory_.told == 0) listener.accumulating(t);
  if (accumulates) memory_.told = 1;
  if (memory_.zeno.interval[0] > 1e-6) memory_.told = 0;  // that accumulation is over
  if (!stop_at_accumulation && ++events_ > limits_.events_most) return Status::accumulation;
  return Status::event;
}

void Integrator::pass(const Equations& f, double t, double low, double length,
                      Listener& listener) noexcept {
  for (; passed_ < expected_.size(); ++passed_) {
    const double s = (expected_[passed_] - t) - low;
    if (s > length) return;
    stepper_->prepare_dense(f);
    stepper_->interpolate(std::clamp(s, 0.0, length), next_x_);
    listener.passed(passed_, next_x_, mode_);
  }
}

void Integrator::seek_fastest(const Equations& f, double t) noexcept {
  fastest_ = 0.0;
  culprit_ = 0;
  f.rate(t, trail_.x, trail_.rate);
  std::copy(trail_.x.begin(), trail_.x.end(), next_x_.begin());
  for (std::size_t i = 0; i < next_x_.size(); ++i) {
    const double change = 1e-7 * std::max(std::abs(trail_.x[i]), 1e-6);
    next_x_[i] = trail_.x[i] + change;
    f.rate(t, next_x_, rate_ahead_);
    next_x_[i] = trail_.x[i];
    const double slope = std::abs(rate_ahead_[i] - trail_.rate[i]) / change;
    if (!(slope > fastest_)) continue;
    fastest_ = slope;
    culprit_ = i;
  }
}

// An atom that is not a number may be one that does not matter, as in `x > 0 and sqrt(x) > 2`.
bool Integrator::undecided(const Equations& f, double t) noexcept {
  const auto bad = [](double z) { return std::isnan(z); };
  if (!std::any_of(z_.begin(), z_.end(), bad)) return false;
  std::fill(present_.begin(), present_.end(), std::uint8_t{0});
  return system_.undecided(f.at(t, trail_.x), present_, *workspace_);
}

Status Integrator::failed(const Equations& f, StepOutcome outcome, double t, double left) noexcept {
  bad_ahead_ = false;
  if (outcome == StepOutcome::too_small) {
    seek_fastest(f, t);
    return Status::step_too_small;
  }
  const auto seek = [this](std::span<const double> v) {
    const auto bad = [](double e) { return !std::isfinite(e); };
    const auto found = std::find_if(v.begin(), v.end(), bad);
    if (found == v.end()) return false;
    culprit_ = static_cast<std::size_t>(found - v.begin());
    infinite_ = !std::isnan(*found);
    return true;
  };
  // Search here, then slightly ahead along the tangent: in the results of a method, NaN may have
  // spread to all states.
  if (seek(trail_.x) || seek(trail_.rate)) return Status::not_finite;
  const auto shows = [&](double ahead) {
    for (std::size_t i = 0; i < next_x_.size(); ++i) {
      next_x_[i] = trail_.x[i] + ahead * trail_.rate[i];
    }
    if (seek(next_x_)) return true;
    f.rate(t + ahead, next_x_, rate_ahead_);
    bad_t_ = t + ahead;
    bad_ahead_ = seek(rate_ahead_);
    return bad_ahead_;
  };
  // The distance doubles from rounding level up to the remaining time.
  double ahead = 1e-15 * left;
  for (int k = 0; k < 52; ++k, ahead *= 2.0) {
    if (shows(ahead)) return Status::not_finite;
  }
  // A fixed step may evaluate points that other methods miss.
  if (shows(0.5 * stepper_->length()) || shows(stepper_->length())) return Status::not_finite;
  seek(stepper_->x());
  return Status::not_finite;
}

bool Integrator::explain(Time origin, double t, Fault& fault) noexcept {
  const Equations f = equations(seconds(origin), u_);
  if (bad_jump_ && system_.explain_jump({jump_t_, jump_x_, jump_mode_, u_, parameters_},
                                        jump_chosen_, fault, *workspace_))
    return true;
  if (bad_ahead_ && system_.explain(f.at(bad_t_, next_x_), fault, *workspace_)) return true;
  return system_.explain(f.at(t, trail_.x), fault, *workspace_);
}

std::optional<Arrival> Integrator::step_towards(const Equations& f, Time origin, Clock& now,
                                                double end, std::span<std::int64_t> emitted,
                                                bool stop, bool stop_at_accumulation,
                                                Listener& listener) noexcept {
  double& t = now.t;
  const double left = (end - t) - now.low;
  if (!(left > 0.0)) return Arrival{end};
  if (trail_.x.empty() && !guarded_) return Arrival{end};
  if (++steps_ > limits_.steps) {
    seek_fastest(f, t);
    return Arrival{t, Status::too_many_steps};
  }
  if (memory_.rate_known == 0) {
    f.rate(t, trail_.x, trail_.rate);
    memory_.rate_known = 1;
  }
  const bool watching = watches();
  if (!watching) memory_.atoms_known = 0;
  if (watching && memory_.atoms_known == 0) {
    locator_.atoms(f, t, trail_.x, trail_.rate, z_, dz_);
    memory_.atoms_known = 1;
    undecided_ |= undecided(f, t);
  }
  if (undecided_) return Arrival{t, Status::undecided};
  trail_.step = memory_.step;
  trail_.error = memory_.error;
  const StepOutcome outcome = stepper_->step(f, t, left, trail_);
  memory_.step = trail_.step;
  memory_.error = trail_.error;
  if (outcome != StepOutcome::done) return Arrival{t, failed(f, outcome, t, left)};

  if (watching) {
    // An event inside the step: move to it on the dense output and discard the rest of the step.
    if (const auto s = locator_.locate(f, *stepper_, z_, dz_)) {
      pass(f, t, now.low, *s, listener);
      stepper_->interpolate(*s, trail_.x, trail_.low);
      advance_time(t, now.low, *s);
      memory_.rate_known = memory_.atoms_known = 0;
      listener.crossing(trail_.x, mode_);
      const Status status = transitions(f, origin, t, emitted, stop_at_accumulation, listener);
      if (status != Status::event) return Arrival{t, status};
      if (stop) return Arrival{t, Status::event};
      return std::nullopt;
    }
  }
  pass(f, t, now.low, stepper_->length(), listener);
  stepper_->accept(trail_);
  memory_.rate_known = trail_.rate_known ? 1 : 0;
  if (watching && undecided(f, t + stepper_->length()))
    return Arrival{t + stepper_->length(), Status::undecided};
  if (stepper_->length() == left) return Arrival{end};
  advance_time(t, now.low, stepper_->length());
  return std::nullopt;
}

Arrival Integrator::advance(Time origin, double t, double end, std::span<const double> u,
                            std::span<std::int64_t> emitted, bool stop, bool stop_at_accumulation,
                            Listener& listener) noexcept {
  take_inputs(u);
  const Equations f = equations(seconds(origin), u_);
  // The exact local time is t + low, so short steps and late events lose no precision in a long
  // call.
  Clock now{t, 0.0};
  for (;;) {
    const auto arrival =
        step_towards(f, origin, now, end, emitted, stop, stop_at_accumulation, listener);
    if (arrival) return *arrival;
  }
}

std::size_t Integrator::state_bytes() const noexcept {
  return values_.size() * sizeof(double) + mode_.size() * sizeof(int) + sizeof(Memory);
}

void Integrator::save(std::span<std::byte> into) const noexcept {
  std::byte* to = into.data();
  std::memcpy(to, values_.data(), values_.size() * sizeof(double));
  to += values_.size() * sizeof(double);
  std::memcpy(to, &memory_, sizeof(Memory));
  to += sizeof(Memory);
  if (!mode_.empty()) std::memcpy(to, mode_.data(), mode_.size() * sizeof(int));
}

void Integrator::load(std::span<const std::byte> from) noexcept {
  const std::byte* at = from.data();
  std::memcpy(values_.data(), at, values_.size() * sizeof(double));
  at += values_.size() * sizeof(double);
  std::memcpy(&memory_, at, sizeof(Memory));
  at += sizeof(Memory);
  if (!mode_.empty()) std::memcpy(mode_.data(), at, mode_.size() * sizeof(int));
  // An image may come from a file: an invalid location would be an index out of range.
  for (std::size_t k = 0; k < mode_.size(); ++k) {
    const hybrid::Automaton& a = system_.spec().automata[k];
    if (mode_[k] < 0 || mode_[k] >= static_cast<int>(a.locations.size())) mode_[k] = a.initial;
  }
}

}  // namespace vernier::integration
