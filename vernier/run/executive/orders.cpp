#include <algorithm>
#include <cmath>
#include <utility>

#include "vernier/base/require.hpp"
#include "vernier/base/text.hpp"
#include "vernier/run/executive/detail/cycle.hpp"
#include "vernier/run/executive/detail/memory.hpp"
#include "vernier/run/executive/detail/order_queue.hpp"
#include "vernier/run/executive/executive.hpp"

namespace vernier::executive {

namespace {

/// Checks values for a port; throws ConfigurationError.
void check_values(const std::string& name, const Port& p, std::span<const double> values) {
  if (p.flow == Flow::stream)
    throw ConfigurationError("V2124", name + " is a stream; only values can be overridden");
  if (values.size() != p.count)
    throw ConfigurationError("V2121", name + " has " + std::to_string(p.count) + " elements, not " +
                                          std::to_string(values.size()));
  if (p.scalar == Scalar::real && p.flow != Flow::event) return;
  const double most = p.scalar == Scalar::byte ? 255.0 : p.scalar == Scalar::boolean ? 1.0 : 9e18;
  const double least = p.scalar == Scalar::byte || p.scalar == Scalar::boolean ? 0.0 : -9e18;
  for (const double v : values) {
    if (v >= least && v <= most && v == std::floor(v)) continue;
    throw ConfigurationError("V2124",
                             exact(v) + " is not a value that " + name + " can have: it takes " +
                                 (p.scalar == Scalar::boolean ? "0 or 1"
                                  : p.scalar == Scalar::byte  ? "whole numbers from 0 to 255"
                                                              : "whole numbers"));
  }
}

}  // namespace

std::size_t Executive::checked(const Order& o) const {
  if (o.kind == OrderKind::rest || o.kind == OrderKind::move) return 0;
  std::size_t view = known(o.path);
  switch (o.kind) {
    case OrderKind::replace:
      if (views_[view].port->state)
        throw ConfigurationError("V2124",
                                 o.path + " is a state; while it runs it can only be read");
      refuse_inside(o.path);
      check_values(o.path, *views_[view].port, o.values);
      break;
    case OrderKind::send:
      // an event may be both an input and an output of the same name: the input is meant
      for (std::size_t i = view; i < views_.size() && views_[view].output; ++i)
        if (!views_[i].output && views_[i].path == o.path) view = i;
      if (views_[view].output || views_[view].port->flow != Flow::event)
        throw ConfigurationError("V2124", o.path + " is not an event that can be sent");
      break;
    case OrderKind::read:
      if (views_[view].port->flow == Flow::stream)
        throw ConfigurationError("V2124", o.path + " is a stream; only values can be read");
      break;
    case OrderKind::release:
    case OrderKind::rest:
    case OrderKind::move:
      break;
  }
  return view;
}

std::uint64_t Executive::ask(const Order& o) {
  require(o.kind != OrderKind::rest && o.kind != OrderKind::move);
  const auto number = orders_->post(o.kind, static_cast<std::uint32_t>(checked(o)), o.values);
  if (number) return *number;
  Diagnostics problems;
  problems.error("V2144", "too many pending orders", {})
      .notes.push_back("wait until some are answered");
  throw ConfigurationError(problems);
}

OrderAnswer Executive::answer(std::uint64_t number) { return orders_->answer(number); }

void Executive::forget(std::uint64_t number) { orders_->forget(number); }

void Executive::schedule(const std::vector<ScheduledOrder>& orders) {
  scheduled_.clear();
  for (const ScheduledOrder& s : orders)
    scheduled_.push_back({s.at, s.settled, s.order.kind, checked(s.order), s.order.values});
  std::stable_sort(scheduled_.begin(), scheduled_.end(),
                   [](const Scheduled& a, const Scheduled& b) {
                     return std::pair(a.at, a.settled) < std::pair(b.at, b.settled);
                   });
  next_scheduled_ = 0;
}

std::optional<Executive::WaitingOrder> Executive::next_order() noexcept {
  auto* const s = orders_->next();
  if (!s) return {};
  s->count = s->kind == OrderKind::read ? views_[s->view].port->count : s->count;
  return WaitingOrder{s->kind, s->view, {s->values, s->count}};
}

void Executive::finish_order(Time t) noexcept { orders_->finish(t); }

void Executive::carry_out() noexcept {
  while (orders_->next()) {
    carry_out_changes(true);
    carry_out_reads();
  }
}

void Executive::drop_orders() noexcept {
  while (orders_->next()) orders_->finish(now_);
}

void Executive::carry_out_scheduled(bool settled) noexcept {
  for (; next_scheduled_ < scheduled_.size(); ++next_scheduled_) {
    const Scheduled& s = scheduled_[next_scheduled_];
    if (s.at > now_ || (s.at == now_ && s.settled && !settled)) return;
    change(settled, s.kind, s.view, s.values, true);
  }
}

void Executive::carry_out_changes(bool settled) noexcept {
  carry_out_scheduled(settled);
  for (auto* s = orders_->next(); s && s->kind != OrderKind::read; s = orders_->next()) {
    change(settled, s->kind, s->view, {s->values, s->count}, false);
    orders_->finish(now_);
  }
}

void Executive::carry_out_reads() noexcept {
  for (auto* s = orders_->next(); s && s->kind == OrderKind::read; s = orders_->next()) {
    s->count = views_[s->view].port->count;
    for (std::size_t i = 0; i < s->count; ++i) s->values[i] = views_[s->view].element(i);
    orders_->finish(now_);
  }
}

void Executive::change(bool settled, OrderKind kind, std::size_t view,
                       std::span<const double> values, bool scheduled) noexcept {
  if (kind == OrderKind::rest) {
    cycle_->begin_rest();
  } else if (kind == OrderKind::move) {
    cycle_->end_rest();
  } else if (kind == OrderKind::send) {
    memory_->send(view);
  } else {
    if (kind == OrderKind::replace)
      memory_->override_port(view, values);
    else
      memory_->release(view);
    memory_->bind(views_[view].part);
  }
  if (order_journal_)
    order_journal_->carried_out(
        {now_, settled, kind, static_cast<std::uint32_t>(view), values, scheduled});
}

}  // namespace vernier::executive
