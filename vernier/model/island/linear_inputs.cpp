#include "vernier/model/island/detail/linear_inputs.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace vernier::island::detail {

LinearInputs::LinearInputs(std::unique_ptr<hybrid::System> system)
    : system_(std::move(system)), m_(hybrid::size(system_->spec().inputs)), spec_(system_->spec()) {
  hybrid::Signal lines;
  lines.name = "(slopes and start of the lines)";
  lines.count = static_cast<std::uint32_t>(m_ + 1);
  spec_.inputs.push_back(lines);
  spec_.work = 2 * m_;
}

namespace {

/// The inputs of the inner system and their rates, and its memory.
struct Space final : hybrid::Workspace {
  Space(const hybrid::SystemSpec& spec, std::unique_ptr<hybrid::Workspace> w)
      : Workspace(spec), inner(std::move(w)) {}
  std::unique_ptr<hybrid::Workspace> inner;
};

hybrid::Workspace& inner(hybrid::Workspace& w) noexcept { return *static_cast<Space&>(w).inner; }

}  // namespace

std::unique_ptr<hybrid::Workspace> LinearInputs::workspace() const {
  return std::make_unique<Space>(spec_, system_->workspace());
}

hybrid::Point LinearInputs::inside(const hybrid::Point& p, hybrid::Workspace& w) const noexcept {
  const double past = p.t - p.u[2 * m_];
  const std::span<double> u = w.doubles().first(m_);
  for (std::size_t i = 0; i < m_; ++i) u[i] = p.u[i] + p.u[m_ + i] * past;
  return {p.t, p.x, p.mode, u, p.p, p.outputs};
}

void LinearInputs::flow(const hybrid::Point& p, std::span<double> xdot,
                        hybrid::Workspace& w) const noexcept {
  const hybrid::Point q = inside(p, w);
  system_->flow(q, xdot, inner(w));
}

void LinearInputs::output(const hybrid::Point& p, std::span<double> y,
                          hybrid::Workspace& w) const noexcept {
  const hybrid::Point q = inside(p, w);
  system_->output(q, y, inner(w));
}

void LinearInputs::guards(const hybrid::Point& p, std::span<double> z,
                          hybrid::Workspace& w) const noexcept {
  const hybrid::Point q = inside(p, w);
  system_->guards(q, z, inner(w));
}

bool LinearInputs::select(const hybrid::Point& p, std::span<const std::uint8_t> present,
                          std::span<int> chosen, hybrid::Workspace& w) const noexcept {
  const hybrid::Point q = inside(p, w);
  return system_->select(q, present, chosen, inner(w));
}

bool LinearInputs::undecided(const hybrid::Point& p, std::span<const std::uint8_t> present,
                             hybrid::Workspace& w) const noexcept {
  const hybrid::Point q = inside(p, w);
  return system_->undecided(q, present, inner(w));
}

void LinearInputs::jump(const hybrid::Point& p, std::span<const int> chosen, hybrid::Jump& j,
                        hybrid::Workspace& w) const noexcept {
  const hybrid::Point q = inside(p, w);
  system_->jump(q, chosen, j, inner(w));
}

void LinearInputs::witness(const hybrid::Point& p, int automaton, int transition,
                           std::span<double, 2> sides, hybrid::Workspace& w) const noexcept {
  const hybrid::Point q = inside(p, w);
  system_->witness(q, automaton, transition, sides, inner(w));
}

bool LinearInputs::explain(const hybrid::Point& p, Fault& c, hybrid::Workspace& w) const noexcept {
  const hybrid::Point q = inside(p, w);
  return system_->explain(q, c, inner(w));
}

bool LinearInputs::explain_jump(const hybrid::Point& p, std::span<const int> chosen, Fault& c,
                                hybrid::Workspace& w) const noexcept {
  const hybrid::Point q = inside(p, w);
  return system_->explain_jump(q, chosen, c, inner(w));
}

void LinearInputs::tangent(const hybrid::Point& p, const hybrid::Direction& d,
                           const hybrid::Tangent& out, hybrid::Workspace& w) const noexcept {
  const hybrid::Point q = inside(p, w);
  // The derivative of u = u_k + slope (t - t0) by u_k, slope, t and t0.
  const double past = p.t - p.u[2 * m_];
  const std::span<double> du = w.doubles().subspan(m_, m_);
  for (std::size_t i = 0; i < m_; ++i) {
    du[i] = d.u.empty() ? p.u[m_ + i] * d.t
                        : d.u[i] + d.u[m_ + i] * past + p.u[m_ + i] * (d.t - d.u[2 * m_]);
  }
  system_->tangent(q, {d.t, d.x, du, d.p}, out, inner(w));
}

void Lines::reset() noexcept {
  std::fill(trend_.begin(), trend_.end(), 0.0);
  std::fill(slope_.begin(), slope_.end(), 0.0);
  std::fill(earlier_.begin(), earlier_.end(), 0.0);
  past_ = {};
}

void Lines::draw(Time now, std::span<const double> u) noexcept {
  const std::int64_t at = now.time_since_epoch().count();
  const std::int64_t since = at - past_.at;
  // A very short step after an event: the slope would be a quotient of rounding errors.
  if (past_.known != 0 && since <= past_.interval / 1000) return;
  const double dt = seconds(Duration(since));
  for (std::size_t i = 0; i < u.size(); ++i) {
    const double change = u[i] - earlier_[i];
    const bool foretold = past_.interval > 0 &&
                          std::abs(u[i] - (earlier_[i] + trend_[i] * dt)) <= 0.5 * std::abs(change);
    trend_[i] = past_.known != 0 && dt > 0.0 ? change / dt : 0.0;
    slope_[i] = foretold && std::isfinite(trend_[i]) ? trend_[i] : 0.0;
    earlier_[i] = u[i];
  }
  past_.interval = past_.known != 0 ? since : 0;
  past_.at = at;
  past_.known = 1;
}

std::size_t Lines::state_bytes() const noexcept {
  return 3 * earlier_.size() * sizeof(double) + sizeof past_;
}

std::byte* Lines::save(std::byte* to) const noexcept {
  for (const auto* v : {&earlier_, &trend_, &slope_}) {
    if (!v->empty()) std::memcpy(to, v->data(), v->size() * sizeof(double));
    to += v->size() * sizeof(double);
  }
  std::memcpy(to, &past_, sizeof past_);
  return to + sizeof past_;
}

const std::byte* Lines::load(const std::byte* from) noexcept {
  for (auto* v : {&earlier_, &trend_, &slope_}) {
    if (!v->empty()) std::memcpy(v->data(), from, v->size() * sizeof(double));
    from += v->size() * sizeof(double);
  }
  std::memcpy(&past_, from, sizeof past_);
  return from + sizeof past_;
}

}  // namespace vernier::island::detail
