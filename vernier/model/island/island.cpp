#include "vernier/model/island/island.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <utility>

#include "vernier/base/diagnostic.hpp"
#include "vernier/base/require.hpp"
#include "vernier/component/system_ports.hpp"
#include "vernier/model/island/detail/island.hpp"

namespace vernier::island::detail {

namespace {

integration::Settings of(const IslandSettings& s) {
  return {.method = s.integrator, .rtol = s.rtol, .atol = s.atol, .step = s.step};
}

std::unique_ptr<hybrid::System> wrapped(std::unique_ptr<hybrid::System> system, bool linear) {
  require(system != nullptr);
  if (!linear) return system;
  return std::make_unique<LinearInputs>(std::move(system));
}

bool wants_lines(const IslandSettings& s, const hybrid::System& system) {
  if (s.inputs != "hold" && s.inputs != "linear") {
    throw ConfigurationError("V3131", "inputs must be hold or linear, not \"" + s.inputs + "\"");
  }
  return s.inputs == "linear" && !system.spec().inputs.empty();
}

// An automaton and one of its transitions are encoded in one number of a journal entry.
constexpr std::int32_t transitions_most = 1 << 15;

template <class T>
void put(std::byte*& to, const std::vector<T>& from) noexcept {
  if (!from.empty()) std::memcpy(to, from.data(), from.size() * sizeof(T));
  to += from.size() * sizeof(T);
}

template <class T>
void get(const std::byte*& from, std::vector<T>& to) noexcept {
  if (!to.empty()) std::memcpy(to.data(), from, to.size() * sizeof(T));
  from += to.size() * sizeof(T);
}

}  // namespace

Island::Island(std::unique_ptr<hybrid::System> system, const IslandSettings& settings)
    : port_inputs_(system->spec().inputs.size()),
      linear_(wants_lines(settings, *system)),
      system_(wrapped(std::move(system), linear_)),
      integrator_(*system_, of(settings)),
      lines_(linear_ ? hybrid::size(std::span(system_->spec().inputs).first(port_inputs_)) : 0),
      stops_early_(settings.stops_early),
      stops_at_accumulation_(settings.zeno != "warn") {
  if (settings.zeno != "warn" && settings.zeno != "stop") {
    throw ConfigurationError("V3131", "zeno must be stop or warn, not \"" + settings.zeno + "\"");
  }
  describe();
  const hybrid::SystemSpec& spec = system_->spec();
  seen_.resize(event_inputs_.size());
  emitted_.resize(spec.events.size());
  pending_.resize(spec.events.size());
  present_.resize(spec.events.size());
  now_emitted_.resize(spec.events.size());
  u_.resize(hybrid::size(spec.inputs));
  u_of_y_.resize(u_.size());
  workspace_ = system_->workspace();
  parameters_ = hybrid::initial_values(spec.parameters);
  y_.resize(hybrid::size(spec.outputs));
  samples_.x_before.resize(integrator_.x().size());
  samples_.mode_before.resize(integrator_.mode().size());
  description_.state_bytes = integrator_.state_bytes() + seen_.size() * sizeof(std::int64_t) +
                             emitted_.size() * sizeof(std::int64_t) + pending_.size() +
                             (linear_ ? lines_.state_bytes() : 0);
}

Inside Island::inside(Time now) const noexcept {
  // With extrapolation, the inputs are followed by their slopes, which the inner system does not
  // see.
  const hybrid::System* system =
      linear_ ? &static_cast<const LinearInputs&>(*system_).within() : system_.get();
  const std::size_t m = hybrid::size(system->spec().inputs);
  return {system,
          {seconds(now), integrator_.x(), integrator_.mode(), std::span(u_).first(m), parameters_}};
}

void Island::describe() {
  const hybrid::SystemSpec& spec = system_->spec();
  for (const hybrid::Signal& s : std::span(spec.inputs).first(port_inputs_)) {
    description_.inputs.push_back(input_port(s));
  }
  std::size_t first = 0;
  for (const hybrid::Signal& s : spec.outputs) {
    Port& p = description_.outputs.emplace_back(output_port(s));
    if (const auto& noise = spec.noise.measurement; !noise.empty()) {
      const auto own = noise.begin() + static_cast<std::ptrdiff_t>(first);
      if (std::any_of(own, own + s.count, [](double x) { return x != 0.0; }))
        p.noise.assign(own, own + s.count);
    }
    first += s.count;
  }
  for (const hybrid::Dependence& d : spec.feedthrough) {
    description_.feedthrough.push_back({spec.outputs[d.output].name, spec.inputs[d.input].name});
  }
  for (const hybrid::Automaton& a : spec.automata) {
    require(a.transitions.size() < transitions_most);
  }
  for (Port& p : mode_ports(spec)) {
    mode_names_.push_back(p.name);
    description_.outputs.push_back(std::move(p));
  }
  for (std::size_t k = 0; k < spec.events.size(); ++k) {
    if (spec.events[k].in) {
      event_inputs_.push_back({k, {}, {}});
      description_.inputs.push_back(input_port(spec.events[k]));
    }
    if (spec.events[k].out) {
      event_outputs_.push_back({k, {}, {}});
      description_.outputs.push_back(output_port(spec.events[k]));
    }
  }
  for (StatePort& p : state_ports(spec)) {
    state_views_.push_back({p.port.name, p.first, {}});
    description_.outputs.push_back(std::move(p.port));
  }
  description_.abilities.reacts = !spec.automata.empty();
  description_.abilities.stops_early = stops_early_ && spec.guards > 0;
  description_.abilities.dense = true;
}

void Island::bind(const Bindings& b) {
  const hybrid::SystemSpec& spec = system_->spec();
  inputs_.clear();
  outputs_.clear();
  mode_ports_.clear();
  for (const hybrid::Signal& s : std::span(spec.inputs).first(port_inputs_)) {
    inputs_.push_back(b.real_input(s.name));
  }
  for (const hybrid::Signal& s : spec.outputs) outputs_.push_back(b.real_output(s.name));
  for (const std::string& name : mode_names_) mode_ports_.push_back(b.integer_output(name));
  for (StateView& v : state_views_) v.to = b.real_output(v.name);
  for (EventPort& e : event_inputs_) e.in = b.integer_input(spec.events[e.label].name);
  for (EventPort& e : event_outputs_) e.out = b.integer_output(spec.events[e.label].name);
  journal_ = &b.journal();
}

bool Island::initialize(Time start, int) {
  integrator_.reset();
  lines_.reset();
  from_ = start;
  for (std::size_t k = 0; k < seen_.size(); ++k) seen_[k] = event_inputs_[k].in[0];
  std::fill(emitted_.begin(), emitted_.end(), 0);
  std::fill(pending_.begin(), pending_.end(), std::uint8_t{0});
  y_known_ = false;
  rounds_at_ = Time::min();
  return true;
}

void Island::take_inputs(Time t) noexcept {
  double* to = u_.data();
  for (const std::span<const double> from : inputs_) {
    for (const double v : from) *to++ = v;
  }
  if (!linear_) return;
  for (const double v : lines_.slopes()) *to++ = v;
  *to = seconds(t);
}

Outcome Island::output(Instant now) noexcept {
  take_inputs(now.time);
  if (!y_known_ ||
      (!u_.empty() && std::memcmp(u_.data(), u_of_y_.data(), u_.size() * sizeof(double)) != 0)) {
    system_->output({seconds(now.time), integrator_.x(), integrator_.mode(), u_, parameters_}, y_,
                    *workspace_);
    std::copy(u_.begin(), u_.end(), u_of_y_.begin());
    y_known_ = true;
  }
  write(integrator_.x(), integrator_.mode());
  for (const EventPort& e : event_outputs_) e.out[0] = emitted_[e.label];
  return Outcome::ok;
}

void Island::write(std::span<const double> x, std::span<const int> mode) noexcept {
  const double* from = y_.data();
  for (const std::span<double> to : outputs_) {
    for (double& v : to) v = *from++;
  }
  for (const StateView& v : state_views_) {
    for (std::size_t i = 0; i < v.to.size(); ++i) v.to[i] = x[v.first + i];
  }
  for (std::size_t k = 0; k < mode_ports_.size(); ++k) mode_ports_[k][0] = mode[k];
}

void Island::reserve_samples(std::size_t most) {
  samples_.local.resize(most);
  samples_.x.resize(most * integrator_.x().size());
  samples_.mode.resize(most * integrator_.mode().size());
}

void Island::expect(std::span<const Time> times) noexcept {
  samples_.expected = times.first(std::min(times.size(), samples_.local.size()));
}

void Island::expect_from(Time from) noexcept {
  // A step that was stopped early may be continued: keep the samples before it.
  const auto& all = samples_.expected;
  samples_.passed =
      static_cast<std::size_t>(std::upper_bound(all.begin(), all.end(), from) - all.begin());
  samples_.first = samples_.passed;
  samples_.crossed = false;
  const std::span<double> local =
      std::span(samples_.local).first(all.size()).subspan(samples_.first);
  for (std::size_t k = 0; k < local.size(); ++k) local[k] = seconds(all[samples_.first + k] - from);
  integrator_.expect(local);
}

void Island::passed(std::size_t k, std::span<const double> x, std::span<const int> mode) noexcept {
  k += samples_.first;
  std::copy(x.begin(), x.end(), samples_.x.data() + k * x.size());
  std::copy(mode.begin(), mode.end(), samples_.mode.data() + k * mode.size());
  samples_.passed = k + 1;
}

void Island::crossing(std::span<const double> x, std::span<const int> mode) noexcept {
  if (std::exchange(samples_.crossed, true)) return;
  std::copy(x.begin(), x.end(), samples_.x_before.begin());
  std::copy(mode.begin(), mode.end(), samples_.mode_before.begin());
}

Outcome Island::sample(Time at) noexcept {
  std::span<const double> x = integrator_.x();
  std::span<const int> mode = integrator_.mode();
  if (at == samples_.reached) {
    if (samples_.crossed) {
      x = samples_.x_before;
      mode = samples_.mode_before;
    }
  } else {
    const auto known = samples_.expected.first(samples_.passed);
    const auto found = std::lower_bound(known.begin(), known.end(), at);
    // Without states there are no samples, and nothing can have changed.
    if (found != known.end()) {
      const auto k = static_cast<std::size_t>(found - known.begin());
      x = std::span<const double>(samples_.x).subspan(k * x.size(), x.size());
      mode = std::span<const int>(samples_.mode).subspan(k * mode.size(), mode.size());
    }
  }
  take_inputs(at);
  system_->output({seconds(at), x, mode, u_, parameters_}, y_, *workspace_);
  y_known_ = false;
  write(x, mode);
  return Outcome::ok;
}

Outcome Island::react(Instant now) noexcept {
  if (mode_ports_.empty()) return Outcome::ok;
  take_inputs(now.time);
  std::copy(pending_.begin(), pending_.end(), present_.begin());
  std::fill(pending_.begin(), pending_.end(), std::uint8_t{0});
  for (std::size_t k = 0; k < seen_.size(); ++k) {
    const std::int64_t count = event_inputs_[k].in[0];
    if (count != seen_[k]) present_[event_inputs_[k].label] = 1;
    seen_[k] = count;
  }
  std::fill(now_emitted_.begin(), now_emitted_.end(), std::uint8_t{0});
  from_ = now.time;
  instant_ = now;
  reacting_ = true;
  const bool changed =
      integrator_.react(now.time, u_, present_, now_emitted_, now.microstep + 1, *this);
  reacting_ = false;
  if (!changed) return Outcome::ok;
  for (std::size_t k = 0; k < emitted_.size(); ++k) {
    emitted_[k] += now_emitted_[k];
    pending_[k] = now_emitted_[k];
  }
  y_known_ = false;
  rounds_ = rounds_at_ == now.time ? rounds_ + 1 : 1;
  rounds_at_ = now.time;
  if (rounds_ >= integration::Limits{}.microsteps) {
    fail({0.0, integration::Status::instantaneous_loop}, now.time);
    return Outcome::failed;
  }
  return Outcome::changed;
}

std::int64_t Island::ticks(double t) const noexcept {
  // The product is rounded, so the result may be off by one; correct it.
  auto n = static_cast<std::int64_t>(std::ceil(t * 1e9));
  if (n > 0 && seconds(Duration(n - 1)) >= t) --n;
  if (seconds(Duration(n)) < t) ++n;
  return n;
}

Advance Island::advance(Time from, Time to) noexcept {
  using integration::Status;
  take_inputs(from);
  if (linear_) {
    lines_.draw(from, std::span(u_).first(lines_.slopes().size()));
    take_inputs(from);
  }
  from_ = from;
  y_known_ = false;
  integrator_.begin({});
  expect_from(from);
  const double length = seconds(to - from);
  integration::Arrival a = integrator_.advance(from, 0.0, length, u_, emitted_, stops_early_,
                                               stops_at_accumulation_, *this);
  const bool stopped = a.status == Status::event;
  if (stopped) {
    const Time next = std::min(from + Duration(std::max<std::int64_t>(ticks(a.t), 1)), to);
    a = integrator_.advance(from, a.t, seconds(next - from), u_, emitted_, false,
                            stops_at_accumulation_, *this);
    to = next;
  }
  samples_.reached = to;
  samples_.crossed &= stopped;
  if (a.status == Status::arrived) return {to};
  fail(a, from);
  return {from, Outcome::failed};
}

void Island::fail(const integration::Arrival& a, Time from) noexcept {
  const double time = seconds(from) + a.t;
  describe_failure(fault_, a, time, integrator_, system_->spec());
  using integration::Status;
  if (a.status != Status::not_finite && a.status != Status::undecided &&
      a.status != Status::step_too_small && a.status != Status::too_many_steps)
    return;
  Fault why;
  if (!integrator_.explain(from, a.t, why)) return;
  if (why.text[0] != '\n') {
    fault_.set(why.category, why.code, "%s at t = %.9g s", why.text, time);
    return;
  }
  // more about the same: lines that follow ours
  const std::size_t said = std::strlen(fault_.text);
  std::snprintf(fault_.text + said, sizeof fault_.text - said, "%s", why.text);
}

bool Island::explain_output(Time now, Fault& why) noexcept {
  take_inputs(now);
  return system_->explain({seconds(now), integrator_.x(), integrator_.mode(), u_, parameters_}, why,
                          *workspace_) &&
         why.text[0] == '\n';
}

void Island::fired(const integration::Firing& f) noexcept {
  Entry e;
  if (reacting_) {
    e.at = {instant_.time, f.microstep};
  } else {
    const std::int64_t n = ticks(f.t);
    e.at = {from_ + Duration(n), f.microstep};
    e.remainder = std::min(f.t - seconds(Duration(n)), 0.0);
  }
  e.kind = transition;
  e.from = f.from;
  e.to = f.to;
  e.item = f.automaton * transitions_most + f.transition;
  e.values[0] = f.sides[0];
  e.values[1] = f.sides[1];
  journal_->note(e);
}

void Island::accumulating(double t) noexcept {
  Entry e;
  const std::int64_t n = ticks(t);
  e.at = {from_ + Duration(n), 0};
  e.remainder = std::min(t - seconds(Duration(n)), 0.0);
  e.kind = accumulation;
  integration::Firing last;
  if (integrator_.recent({&last, 1}) == 1)
    e.item = last.automaton * transitions_most + last.transition;
  e.values[0] = seconds(from_) + t + integrator_.zeno().ahead();
  journal_->note(e);
}

Telling Island::tell(const Entry& e) const {
  const hybrid::SystemSpec& spec = system_->spec();
  const auto k = static_cast<std::size_t>(e.item / transitions_most);
  const auto index = static_cast<std::size_t>(e.item % transitions_most);
  if (e.item < 0 || k >= spec.automata.size() || index >= spec.automata[k].transitions.size()) {
    return {};
  }
  const hybrid::Automaton& a = spec.automata[k];
  const hybrid::Transition& t = a.transitions[index];
  Telling telling;
  telling.subject = a.name;
  char text[96];
  if (e.kind == accumulation) {
    telling.kind = "limit";
    std::snprintf(text, sizeof text, "events accumulate towards t = %.12g s", e.values[0]);
    telling.reason = std::string(text) + " (" + t.name + ": " + t.condition + ")";
    telling.warning = true;
    return telling;
  }
  const auto location = [&](std::int32_t l) {
    return l >= 0 && static_cast<std::size_t>(l) < a.locations.size()
               ? a.locations[static_cast<std::size_t>(l)]
               : std::string();
  };
  telling.kind = "transition";
  telling.transition = t.name;
  telling.from = location(e.from);
  telling.to = location(e.to);
  telling.reason = t.condition.empty() ? t.name : t.condition;
  if (std::isfinite(e.values[0]) && std::isfinite(e.values[1])) {
    char left[24], right[24];
    std::snprintf(left, sizeof left, "%.6g", e.values[0]);
    std::snprintf(right, sizeof right, "%.6g", e.values[1]);
    const bool met = std::strcmp(left, right) == 0;  // on the threshold, as usual for events
    const char* relation = e.values[0] < e.values[1] ? "<" : ">";
    if (met) {
      std::snprintf(text, sizeof text, " at %s", left);
    } else {
      std::snprintf(text, sizeof text, ": %s %s %s", left, relation, right);
    }
    telling.reason += text;
  }
  return telling;
}

void Island::save(std::span<std::byte> into) const noexcept {
  integrator_.save(into);
  std::byte* to = into.data() + integrator_.state_bytes();
  put(to, seen_);
  put(to, emitted_);
  put(to, pending_);
  if (linear_) lines_.save(to);
}

void Island::load(std::span<const std::byte> image) noexcept {
  integrator_.load(image);
  const std::byte* from = image.data() + integrator_.state_bytes();
  get(from, seen_);
  get(from, emitted_);
  get(from, pending_);
  if (linear_) lines_.load(from);
  y_known_ = false;
  rounds_at_ = Time::min();
}

}  // namespace vernier::island::detail

namespace vernier::island {

Inside inside(const Component& component, Time now) noexcept {
  const auto* island = dynamic_cast<const detail::Island*>(&component);
  return island != nullptr ? island->inside(now) : Inside{};
}

std::unique_ptr<Component> make_island(std::unique_ptr<hybrid::System> system,
                                       const IslandSettings& settings) {
  return std::make_unique<detail::Island>(std::move(system), settings);
}

}  // namespace vernier::island
