#include "vernier/gateway/link/partner.hpp"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <limits>
#include <thread>

#include "vernier/base/diagnostic.hpp"
#include "vernier/base/text.hpp"

namespace vernier::link {
namespace {

enum Note : std::int32_t { state_changed = 1, trouble_came = 2 };

constexpr const char* real_names[9] = {
    "link.age",       "link.send_to_receive", "link.acquisition_to_output",
    "link.dead_time", "link.offset",          "link.offset_deviation",
    "link.skew",      "link.skew_deviation",  "link.mean_offset"};
constexpr const char* integer_names[9] = {"link.state",      "link.target_step", "link.sent",
                                          "link.received",   "link.replaced",    "link.missed",
                                          "link.not_finite", "link.losses",      "link.rejected"};

PartnerSettings completed(PartnerSettings s, const channel::Channels& c) {
  const auto count = [&](const std::vector<channel::Channel>& side) {
    const std::size_t n = channel::size(side);
    if (n > most_payload)
      throw ConfigurationError(
          "V5122", "the link \"" + s.link.name + "\": a vector has at most 1048576 bytes");
    return static_cast<std::uint32_t>(n);
  };
  s.link.send = count(c.inputs);
  s.link.receive = count(c.outputs);
  s.link.period = period_of(s.rate);
  return s;
}

template <class T>
void narrow(std::span<const double> from, std::span<T> to) noexcept {
  constexpr double low = std::numeric_limits<T>::min(), high = std::numeric_limits<T>::max();
  for (std::size_t i = 0; i < to.size(); ++i) {
    // not a number becomes 0
    to[i] = from[i] == from[i] ? static_cast<T>(std::lround(std::clamp(from[i], low, high))) : T{};
  }
}

}  // namespace

Partner::Partner(channel::Channels channels, PartnerSettings settings)
    : channels_(std::move(channels)),
      settings_(completed(std::move(settings), channels_)),
      link_(settings_.link),
      description_(channel::described(channels_)) {
  description_.rate = settings_.rate;
  description_.abilities.rewinds = false;
  description_.abilities.faces_world = true;
  for (const char* name : real_names) {
    const bool ratio = std::string_view(name).starts_with("link.skew");
    description_.outputs.push_back({.name = name, .unit = ratio ? "1" : "s"});
  }
  for (const char* name : integer_names) {
    description_.outputs.push_back({.name = name});
    description_.outputs.back().scalar = Scalar::integer;
  }
  description_.outputs.push_back({.name = "link.stale"});
  description_.outputs.back().scalar = Scalar::boolean;
  out_.resize(settings_.link.send);
  in_ = channel::initial_values(channels_.outputs);
  if (settings_.link.send_element == Element::int8) signed_out_.resize(out_.size());
  if (settings_.link.send_element == Element::uint8) unsigned_out_.resize(out_.size());
  if (settings_.link.receive_element == Element::int8) signed_in_.resize(in_.size());
  if (settings_.link.receive_element == Element::uint8) unsigned_in_.resize(in_.size());
}

Partner::~Partner() = default;

void Partner::bind(const Bindings& b) {
  ports_.bind(channels_, b);
  journal_ = &b.journal();
  for (std::size_t i = 0; i < std::size(real_names); ++i) reals_[i] = b.real_output(real_names[i]);
  for (std::size_t i = 0; i < std::size(integer_names); ++i)
    integers_[i] = b.integer_output(integer_names[i]);
  stale_ = b.byte_output("link.stale");
}

bool Partner::initialize(Time start, int phase) {
  if (phase > 0) return true;
  began_ = false;
  now_ = start;
  step_ = 0;
  is_stale_ = true;
  fault_ = {};
  in_ = channel::initial_values(channels_.outputs);
  losses_before_ = link_.quality().counters.losses;
  link_.start();
  if (settings_.patience.count() <= 0) return true;
  const bool server = settings_.link.role == Role::server;
  const std::string where = text(server ? link_.control_address() : settings_.link.control);
  const std::string span = exact(std::chrono::duration<double>(settings_.patience).count()) + " s";
  if (settings_.notice) {
    settings_.notice("waiting for \"" + settings_.link.name + "\" at " + where + " (" + span + ")");
  }
  const auto end = channel::Clock::now() + settings_.patience;
  while (link_.state() != LinkState::up) {
    if (channel::Clock::now() >= end) {
      Diagnostics problems;
      auto& d = problems.error("V5142",
                               "the link \"" + settings_.link.name + "\" did not come up at " +
                                   where + " within " + span,
                               {});
      if (const std::string why = link_.status().last_error; !why.empty()) d.notes.push_back(why);
      throw ConfigurationError(std::move(problems));
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  troubles_ = link_.quality().troubles;  // on the way to it they were nobody's business
  return true;
}

void Partner::begin_step(Time t) noexcept {
  const Period& period = settings_.link.period;
  const std::int64_t now = link_.now();
  if (!began_) {
    origin_ = now;
    origin_step_ = step_;
  } else {
    ++step_;
  }
  std::int64_t planned = instant(origin_, period, step_ - origin_step_);
  const auto length = static_cast<std::int64_t>(seconds(period) * 1e9);
  const bool overran = now - planned > length;
  if (std::abs(now - planned) > 10 * length) {
    // the run was stopped, or does not keep to the wall clock: the plan begins anew
    origin_ = planned = now;
    origin_step_ = step_;
  }
  began_ = true;
  now_ = t;
  link_.begin_step(step_, planned, overran);
}

void Partner::take(const Received& r) noexcept {
  is_stale_ = r.stale;
  if (!r.fresh) return;
  switch (settings_.link.receive_element) {
    case Element::real:
      unpack(r.bytes, std::span(in_));
      break;
    case Element::int8:
      unpack(r.bytes, std::span(signed_in_));
      std::copy(signed_in_.begin(), signed_in_.end(), in_.begin());
      break;
    case Element::uint8:
      unpack(r.bytes, std::span(unsigned_in_));
      std::copy(unsigned_in_.begin(), unsigned_in_.end(), in_.begin());
      break;
    case Element::none:
      break;
  }
}

Outcome Partner::output(Instant at) noexcept {
  // the world is looked at once in every step: the outputs do not change between its microsteps
  if (!began_ || at.time != now_) {
    begin_step(at.time);
    take(link_.receive());
    show();
  }
  ports_.give_outputs(in_);
  return Outcome::ok;
}

void Partner::show() noexcept {
  const Quality& q = link_.quality();
  const Received& r = link_.received();
  const std::int64_t now = link_.now();
  const double age = r.number > 0 ? static_cast<double>(now - r.received) * 1e-9 : 0.0;
  const double reals[9] = {age,
                           q.send_to_receive.recent_mean,
                           q.acquisition_to_output.recent_mean,
                           q.dead_time.recent_mean,
                           static_cast<double>(q.offset) * 1e-9,
                           q.clock.offset_deviation,
                           q.clock.skew,
                           q.clock.skew_deviation,
                           static_cast<double>(q.mean_offset) * 1e-9};
  const Counters& c = q.counters;
  const std::uint64_t counts[7] = {c.sent,
                                   c.received,
                                   c.replaced,
                                   c.missed,
                                   c.not_finite,
                                   c.losses,
                                   c.misplaced + c.unknown + c.unasked + c.bad_frames + c.refused};
  for (std::size_t i = 0; i < std::size(reals); ++i) reals_[i][0] = reals[i];
  const LinkState state = link_.state();
  integers_[0][0] = static_cast<std::int64_t>(state);
  integers_[1][0] = q.steps_known ? q.steps.target(step_).rounded() : 0;
  for (std::size_t i = 0; i < std::size(counts); ++i)
    integers_[2 + i][0] = static_cast<std::int64_t>(counts[i]);
  stale_[0] = is_stale_ ? 1 : 0;
  if (journal_ && state != state_) {
    Entry e;
    e.at = {now_};
    e.kind = state_changed;
    e.from = static_cast<std::int32_t>(state_);
    e.to = static_cast<std::int32_t>(state);
    journal_->note(e);
  }
  state_ = state;
  if (journal_ && q.troubles != troubles_) {
    Entry e;
    e.at = {now_};
    e.kind = trouble_came;
    e.item = static_cast<std::int32_t>(q.last_trouble);
    e.from = q.last_trouble_theirs ? 1 : 0;
    journal_->note(e);
  }
  troubles_ = q.troubles;
}

Advance Partner::advance(Time, Time to) noexcept {
  if (settings_.stop_when_lost && link_.quality().counters.losses > losses_before_) {
    const Quality& q = link_.quality();
    std::snprintf(fault_.code, sizeof fault_.code, "%s",
                  message_code(q.last_trouble, q.last_trouble_theirs));
    std::snprintf(fault_.text, sizeof fault_.text, "the link \"%s\" was lost at t = %.9g s: %s",
                  settings_.link.name.c_str(), vernier::seconds(now_),
                  words(q.last_trouble).data());
    return {to, Outcome::failed};
  }
  ports_.take_inputs(out_);
  switch (settings_.link.send_element) {
    case Element::real:
      link_.send(out_);
      break;
    case Element::int8:
      narrow(out_, std::span(signed_out_));
      link_.send(signed_out_);
      break;
    case Element::uint8:
      narrow(out_, std::span(unsigned_out_));
      link_.send(unsigned_out_);
      break;
    case Element::none:
      break;
  }
  return {to, is_stale_ ? Outcome::held : Outcome::ok};
}

Telling Partner::tell(const Entry& e) const {
  Telling t;
  t.kind = "link";
  if (e.kind == state_changed) {
    t.from = name(static_cast<LinkState>(e.from));
    t.to = name(static_cast<LinkState>(e.to));
    t.warning = e.to == static_cast<std::int32_t>(LinkState::broken);
    return t;
  }
  const auto reason = static_cast<Reason>(e.item);
  t.reason = std::string(message_code(reason, e.from != 0)) + ": " +
             (e.from != 0 ? "the other side says: " : "") + std::string(words(reason));
  t.warning = reason != Reason::closing;
  return t;
}

GridPacer::GridPacer(Link& l, Rate r) : link_(l), period_(period_of(r)) {}

void GridPacer::start(Time t) noexcept {
  origin_ = t;
  grid_.begin(period_, 0, link_.now());
}

Outcome GridPacer::wait_for(Time t) noexcept {
  // instants between two steps are not waited for: they belong to the step before
  const Duration into = t - origin_;
  while (instant(0, period_, grid_.step() + 1) <= into.count()) {
    grid_.next(link_.quality().clock, link_.now());
  }
  const std::int64_t left = grid_.due() - link_.now();
  if (left > 0) {
    timespec until{};
    clock_gettime(CLOCK_MONOTONIC, &until);
    const std::int64_t ns = until.tv_nsec + left;
    until.tv_sec += static_cast<time_t>(ns / 1'000'000'000);
    until.tv_nsec = static_cast<long>(ns % 1'000'000'000);
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, nullptr) == EINTR) {
    }
    return Outcome::ok;
  }
  return -left > 1'000'000 ? Outcome::held : Outcome::ok;
}

}  // namespace vernier::link
