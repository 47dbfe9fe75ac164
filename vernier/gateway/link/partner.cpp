#include "vernier/gateway/link/partner.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "vernier/base/diagnostic.hpp"

namespace vernier::link {
namespace {

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
    // NaN becomes 0
    to[i] = from[i] == from[i] ? static_cast<T>(std::lround(std::clamp(from[i], low, high))) : T{};
  }
}

}  // namespace

Partner::Partner(channel::Channels channels, PartnerSettings settings)
    : channels_(std::move(channels)),
      settings_(completed(std::move(settings), channels_)),
      link_(settings_.link),
      plan_(settings_.link.period),
      server_time_(link_, settings_.link.period),
      description_(channel::described(channels_)) {
  description_.rate = settings_.rate;
  description_.abilities.rewinds = false;
  description_.abilities.faces_world = true;
  Signals::describe(description_);
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
  signals_.bind(b);
}

bool Partner::initialize(Time start, int phase) {
  if (phase > 0) return true;
  plan_.restart();
  now_ = start;
  is_stale_ = true;
  fault_ = {};
  in_ = channel::initial_values(channels_.outputs);
  losses_before_ = link_.quality().counters.losses;
  meet(link_, settings_.patience, settings_.notice);
  if (settings_.patience.count() > 0) signals_.forget(link_);
  return true;
}

void Partner::begin_step(Time t) noexcept {
  const std::int64_t now = link_.now();
  plan_.begin(now, server_time_.planned(now));
  now_ = t;
  link_.begin_step(plan_.step(), plan_.planned(), plan_.overran());
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
  // the link is read once per step: outputs do not change between its microsteps
  if (!plan_.began() || at.time != now_) {
    begin_step(at.time);
    take(link_.receive());
    signals_.show(link_, plan_.step(), is_stale_, now_);
  }
  ports_.give_outputs(in_);
  return Outcome::ok;
}

Advance Partner::advance(Time, Time to) noexcept {
  if (settings_.stop_when_lost && link_.quality().counters.losses > losses_before_) {
    const Quality& q = link_.quality();
    fault_.set(Category::peer, message_code(q.last_trouble, q.last_trouble_theirs),
               "the link \"%s\" was lost at t = %.9g s: %s", settings_.link.name.c_str(),
               vernier::seconds(now_), words(q.last_trouble).data());
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

Telling Partner::tell(const Entry& e) const { return Signals::tell(e); }

TimeBase* Partner::time_base() {
  return settings_.follow && settings_.link.role == Role::client ? &server_time_ : nullptr;
}

}  // namespace vernier::link
