#include "vernier/gateway/link/signals.hpp"

#include <algorithm>
#include <cstring>
#include <thread>

#include "vernier/base/diagnostic.hpp"
#include "vernier/base/text.hpp"

namespace vernier::link {
namespace {

enum Note : std::int32_t { state_changed = 1, trouble_came = 2, attempt_refused = 3 };

// An entry has room for an address in its two values, and for a port in 16 bits. The bits above the
// port say how both sides compute, if that differs.
void put(const net::Endpoint& from, Entry& e, std::int32_t& port) noexcept {
  std::memcpy(e.values, from.ip.data(), from.ip.size());
  port |= from.port;
}
net::Endpoint endpoint(const Entry& e, std::int32_t port) noexcept {
  net::Endpoint to;
  std::memcpy(to.ip.data(), e.values, to.ip.size());
  to.port = static_cast<std::uint16_t>(port & 0xffff);
  return to;
}
std::int32_t bits(const Computing& c) noexcept {
  return static_cast<std::int32_t>(c.arithmetic) | static_cast<std::int32_t>(c.instructions) << 1;
}
std::string computing_text(std::int32_t bits) {
  const auto a = static_cast<Arithmetic>(bits & 1);
  std::string text = std::string("arithmetic \"") + vernier::name(a) + "\"";
  if (a == Arithmetic::fastest)
    text += std::string(" on ") + vernier::name(static_cast<Instructions>(bits >> 1 & 3));
  return text;
}
constexpr std::int32_t differs = 1 << 16, theirs_at = 17, ours_at = 20;

constexpr const char* real_names[12] = {"link.age",
                                        "link.send_to_receive",
                                        "link.acquisition_to_output",
                                        "link.dead_time",
                                        "link.offset",
                                        "link.offset_deviation",
                                        "link.skew",
                                        "link.skew_deviation",
                                        "link.mean_offset",
                                        "link.last.send_to_receive",
                                        "link.last.acquisition_to_output",
                                        "link.last.dead_time"};
constexpr const char* integer_names[9] = {"link.state",      "link.target_step", "link.sent",
                                          "link.received",   "link.replaced",    "link.missed",
                                          "link.not_finite", "link.losses",      "link.rejected"};

}  // namespace

void Signals::describe(Description& d) {
  for (const char* name : real_names) {
    const bool ratio = std::string_view(name).starts_with("link.skew");
    d.outputs.push_back({.name = name, .unit = ratio ? "1" : "s"});
  }
  for (const char* name : integer_names) {
    d.outputs.push_back({.name = name});
    d.outputs.back().scalar = Scalar::integer;
  }
  d.outputs.push_back({.name = "link.stale"});
  d.outputs.back().scalar = Scalar::boolean;
}

void Signals::bind(const Bindings& b) {
  journal_ = &b.journal();
  for (std::size_t i = 0; i < std::size(real_names); ++i) reals_[i] = b.real_output(real_names[i]);
  for (std::size_t i = 0; i < std::size(integer_names); ++i)
    integers_[i] = b.integer_output(integer_names[i]);
  stale_ = b.byte_output("link.stale");
}

void Signals::show(Link& link, std::int64_t step, bool stale, Time at) noexcept {
  const Quality& q = link.quality();
  const Received& r = link.received();
  const double age = r.number > 0 ? static_cast<double>(link.now() - r.received) * 1e-9 : 0.0;
  const double reals[12] = {age,
                            q.send_to_receive.recent_mean,
                            q.acquisition_to_output.recent_mean,
                            q.dead_time.recent_mean,
                            static_cast<double>(q.offset) * 1e-9,
                            q.clock.offset_deviation,
                            q.clock.skew,
                            q.clock.skew_deviation,
                            static_cast<double>(q.mean_offset) * 1e-9,
                            q.send_to_receive.last,
                            q.acquisition_to_output.last,
                            q.dead_time.last};
  const Counters& c = q.counters;
  const std::uint64_t counts[7] = {c.sent,
                                   c.received,
                                   c.replaced,
                                   c.missed,
                                   c.not_finite,
                                   c.losses,
                                   c.misplaced + c.unknown + c.unasked + c.bad_frames + c.refused};
  for (std::size_t i = 0; i < std::size(reals); ++i) reals_[i][0] = reals[i];
  const LinkState state = link.state();
  integers_[0][0] = static_cast<std::int64_t>(state);
  integers_[1][0] = q.steps_known ? q.steps.target(step).rounded() : 0;
  for (std::size_t i = 0; i < std::size(counts); ++i)
    integers_[2 + i][0] = static_cast<std::int64_t>(counts[i]);
  stale_[0] = stale ? 1 : 0;
  if (journal_ && state != state_) {
    Entry e;
    e.at = {at};
    e.kind = state_changed;
    e.from = static_cast<std::int32_t>(state_);
    e.to = static_cast<std::int32_t>(state);
    put(q.peer, e, e.item);
    const Computing& own = link.settings().computing;
    if (state == LinkState::up && q.computing_known && !alike(own, q.peer_computing))
      e.item |= differs | bits(q.peer_computing) << theirs_at | bits(own) << ours_at;
    journal_->note(e);
  }
  state_ = state;
  if (journal_ && q.troubles != troubles_) {
    Entry e;
    e.at = {at};
    e.kind = trouble_came;
    e.item = static_cast<std::int32_t>(q.last_trouble);
    e.from = q.last_trouble_theirs ? 1 : 0;
    if (q.last_trouble != Reason::unreachable) put(q.peer, e, e.to);
    journal_->note(e);
  }
  troubles_ = q.troubles;
  if (journal_ && q.refusals != refusals_) {
    Entry e;
    e.at = {at};
    e.kind = attempt_refused;
    e.item = static_cast<std::int32_t>(q.last_refusal);
    e.from = static_cast<std::int32_t>(std::min<std::uint64_t>(q.refusals - refusals_, 1u << 30));
    put(q.last_refused, e, e.to);
    journal_->note(e);
  }
  refusals_ = q.refusals;
}

void Signals::forget(Link& link) noexcept { troubles_ = link.quality().troubles; }

Telling Signals::tell(const Entry& e) {
  Telling t;
  t.kind = "link";
  if (e.kind == state_changed) {
    t.from = name(static_cast<LinkState>(e.from));
    t.to = name(static_cast<LinkState>(e.to));
    t.warning = e.to == static_cast<std::int32_t>(LinkState::broken);
    const std::string peer = text(endpoint(e, e.item));
    if (!peer.empty()) t.reason = "with " + peer;
    if ((e.item & differs) != 0) {
      t.reason += ", which computes with " + computing_text(e.item >> theirs_at) +
                  ", this side with " + computing_text(e.item >> ours_at) +
                  ": the bits of a repeated run may differ";
      t.warning = true;
    }
    return t;
  }
  const auto reason = static_cast<Reason>(e.item);
  if (e.kind == attempt_refused) {
    const std::string peer = text(endpoint(e, e.to));
    t.reason = std::string(message_code(reason, false)) + ": refused " +
               (e.from == 1 ? "an attempt to connect"
                            : std::to_string(e.from) + " attempts to connect, the last") +
               (peer.empty() ? "" : " from " + peer) + ": " + std::string(words(reason));
    t.warning = true;
    return t;
  }
  t.reason = std::string(message_code(reason, e.from != 0)) + ": " +
             (e.from != 0 ? "the peer reports: " : "") + std::string(words(reason));
  if (const std::string peer = text(endpoint(e, e.to)); !peer.empty()) t.reason += ", with " + peer;
  t.warning = reason != Reason::closing;
  return t;
}

void meet(Link& link, std::chrono::milliseconds patience,
          const std::function<void(const std::string&)>& notice) {
  link.start();
  const Settings& s = link.settings();
  const std::string where = text(s.role == Role::server ? link.control_address() : s.control);
  if (patience.count() <= 0) {
    if (notice && s.role == Role::server) notice("\"" + s.name + "\" listens at " + where);
    return;
  }
  const std::string span = exact(std::chrono::duration<double>(patience).count()) + " s";
  if (notice) notice("waiting for \"" + s.name + "\" at " + where + " (" + span + ")");
  const auto end = net::Clock::now() + patience;
  while (link.state() != LinkState::up) {
    if (net::Clock::now() >= end) {
      Diagnostics problems;
      auto& d = problems.error(
          "V5142", "the link \"" + s.name + "\" did not come up at " + where + " within " + span,
          {});
      d.category = Category::peer;
      if (const std::string why = link.status().last_error; !why.empty()) d.notes.push_back(why);
      throw ConfigurationError(std::move(problems));
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

}  // namespace vernier::link
