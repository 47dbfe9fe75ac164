#include "vernier/run/executive/executive.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "vernier/base/require.hpp"
#include "vernier/base/text.hpp"
#include "vernier/component/file_writer.hpp"
#include "vernier/run/executive/detail/cycle.hpp"
#include "vernier/run/executive/detail/fault.hpp"
#include "vernier/run/executive/detail/memory.hpp"
#include "vernier/run/executive/detail/order_queue.hpp"
#include "vernier/run/executive/detail/switchboard.hpp"

namespace vernier::executive {

using detail::Breakdown;

namespace {

constexpr int most_phases = 100;
constexpr std::size_t most_orders = 256;  // waiting, or with an answer not yet taken

}  // namespace

Executive::Executive(composition::Plan plan, std::vector<Pacer*> pacers, const Options& options)
    : plan_(std::move(plan)), pacers_(std::move(pacers)), options_(options), now_(options.start) {
  memory_ = std::make_unique<detail::Memory>(plan_, views_);
  // an output takes precedence over an input of the same name
  for (const bool outputs : {true, false})
    for (std::size_t i = 0; i < views_.size(); ++i)
      if (views_[i].output == outputs) by_path_.emplace(views_[i].path, i);
  arrange_nodes();
  std::uint32_t most = 1;
  for (const PortView& v : views_) most = std::max(most, v.port->count);
  orders_ = std::make_unique<detail::OrderQueue>(most_orders, most);
  for (std::size_t part = 0; part < plan_.parts.size(); ++part)
    if (prepared(part)) memory_->bind(part);
}

void Executive::arrange_nodes() {
  auto before = std::move(cycle_);
  if (options_.exchange) {
    switchboard_ = std::make_unique<detail::Switchboard>(
        plan_, composition::cut(plan_, options_.nodes, options_.exchange->nodes()), *memory_,
        *options_.exchange, !options_.real_time);
    switchboard_->measure(options_.meter);
  }
  cycle_ = std::make_unique<detail::Cycle>(plan_, *memory_, options_, switchboard_.get());
  if (before) cycle_->take_over(*before);
}

void Executive::divide(exchange::Exchange& exchange, composition::Division nodes,
                       std::vector<std::string> names) {
  require(switchboard_ && nodes.size() == plan_.parts.size());
  ready_ = false;
  options_.exchange = &exchange;
  options_.nodes = std::move(nodes);
  options_.node_names = std::move(names);
  arrange_nodes();
}

void Executive::move(std::string_view part, std::string_view) {
  Diagnostics d;
  d.error("V5606", std::string(part) + " cannot be moved: the run has one node", {})
      .notes.push_back("vernier run FILE --on local:2   runs a document on two nodes");
  throw ConfigurationError(d);
}

bool Executive::stays(const Component& c) noexcept {
  const Abilities& can = c.description().abilities;
  return can.faces_world || !can.rewinds || dynamic_cast<const FileWriter*>(&c);
}

std::uint32_t Executive::emptied() const noexcept { return cycle_->emptied(); }

void Executive::mirror(OrderKind kind, std::size_t view, std::span<const double> values) noexcept {
  if (kind == OrderKind::replace) memory_->override_port(view, values);
  if (kind == OrderKind::release) memory_->release(view);
}

const composition::Cut& Executive::cut() const noexcept { return switchboard_->cut(); }

bool Executive::here(std::size_t part) const noexcept {
  return !switchboard_ || switchboard_->here(static_cast<std::uint32_t>(part));
}

bool Executive::prepared(std::size_t part) const noexcept {
  return here(part) || !switchboard_->unique(static_cast<std::uint32_t>(part));
}

Executive::~Executive() = default;

void Executive::initialize() {
  ready_ = paced_ = false;
  rest_began_.reset();
  now_ = options_.start;
  start_components(now_);
  settled_ = cycle_->settle(now_);
  if (!settled_) throw ConfigurationError(detail::as_diagnostics(fault()));
  ready_ = true;
}

void Executive::start_components(Time start) {
  memory_->reset();
  cycle_->restart(start);
  for (int phase = 0;; ++phase) {
    std::string waiting;
    for (std::size_t i = 0; i < plan_.parts.size(); ++i) {
      composition::Part& p = plan_.parts[i];
      if (prepared(i) && !p.component->initialize(start, phase))
        waiting += (waiting.empty() ? "" : ", ") + p.name;
    }
    bool settled = waiting.empty();
    const bool computed = switchboard_ ? cycle_->compute_all_together(
                                             start, static_cast<std::uint32_t>(phase), settled)
                                       : cycle_->compute_all(start);
    if (!computed) throw ConfigurationError(detail::as_diagnostics(fault()));
    if (settled) break;
    if (phase == most_phases)
      throw ConfigurationError(
          "V3120", "no consistent start was found" +
                       (waiting.empty() ? " on another node" : " for " + waiting) + " in " +
                       std::to_string(most_phases) + " phases");
  }
  if (switchboard_) switchboard_->restart(start, false);
  initialized_ = true;
}

void Executive::write_below(const std::filesystem::path& folder) {
  for (std::size_t i = 0; i < plan_.parts.size(); ++i)
    if (auto* w = dynamic_cast<FileWriter*>(plan_.parts[i].component.get()); w && prepared(i))
      w->write_below(folder);
}

std::vector<std::filesystem::path> Executive::files() const {
  std::vector<std::filesystem::path> all;
  for (std::size_t i = 0; i < plan_.parts.size(); ++i) {
    auto* const w = dynamic_cast<FileWriter*>(plan_.parts[i].component.get());
    if (!w || !prepared(i)) continue;
    for (std::filesystem::path& f : w->files()) all.push_back(std::move(f));
  }
  return all;
}

void Executive::rehearse() {
  require(ready_);
  constexpr int ticks = 4;  // enough for a multistep scheme to reach its usual steps
  if (cycle_->breakdown().kind == Breakdown::Kind::none)
    cycle_->rehearse(now_, Time(plan_.stop), ticks);
}

Ending Executive::run_until(Time until) noexcept {
  require(ready_);
  detail::Cycle& cycle = *cycle_;
  const auto broken = [&cycle] { return cycle.breakdown().kind != Breakdown::Kind::none; };
  if (broken()) return failure();
  cycle.bound(until);
  if (std::exchange(returned_, false) && !cycle.promise_again(now_)) return failure();
  start_pacers();
  while (true) {
    if (now_ >= until) return Ending::reached;
    if (cycle.aligned()) {
      if (now_.time_since_epoch().count() >= freeze_at_.load(std::memory_order_relaxed))
        return Ending::frozen;
      if (stop_.load(std::memory_order_relaxed)) return Ending::stopped;
      if (keeper_) keep();
      if (broken()) return failure();
      carry_out_scheduled(true);
    }
    cycle.advance(now_, until);
    if (broken()) return failure();
    const Time next = cycle.next(until);
    if (!pace(next)) {
      if (!over_) return Ending::failed;
      return stop_.load(std::memory_order_relaxed) ? Ending::stopped : Ending::reached;
    }
    if (!enter(next) || broken()) return failure();
  }
}

void Executive::start_pacers() noexcept {
  if (std::exchange(paced_, true)) return;
  for (Pacer* p : pacers_) p->start(now_);
}

Ending Executive::failure() const noexcept {
  return cycle_->breakdown().kind == Breakdown::Kind::peer ? Ending::cut_off : Ending::failed;
}

void Executive::keep() noexcept {
  const std::int64_t number = cycle_->clockwork().base_number(now_);
  if (number >= 0 && number % keep_every_ == 0 && gather()) keeper_->keep(now_);
}

bool Executive::gather() noexcept {
  return !switchboard_ || cycle_->together(switchboard_->complete(now_), now_);
}

bool Executive::enter(Time t) noexcept {
  now_ = t;
  settled_ = false;
  const bool aligned = cycle_->aligned(now_);
  if (aligned) carry_out_changes(false);
  if (!cycle_->settle(now_)) return false;
  settled_ = true;
  if (aligned) carry_out_reads();
  return true;
}

Outcome Executive::wait(Pacer& p, Time t) noexcept {
  Meter* const meter = options_.meter;
  const std::int64_t began = meter ? meter->now() : 0;
  const Outcome o = p.wait_for(t);
  if (meter) meter->waited(p, meter->now() - began);
  return o;
}

bool Executive::pace(Time t) noexcept {
  bool late = false;
  for (std::size_t i = 0; i < pacers_.size(); ++i) {
    const Outcome o = wait(*pacers_[i], t);
    late |= o == Outcome::held;
    if (pacers_[i]->stood_still())
      for (std::size_t k = i + 1; k < pacers_.size(); ++k) pacers_[k]->start(now_);
    if (o == Outcome::failed && pacers_[i]->over()) {
      over_ = true;
      return false;
    }
    if (o == Outcome::failed) {
      cycle_->break_down(Breakdown::Kind::pacer, static_cast<std::uint32_t>(i), {t});
      return false;
    }
  }
  cycle_->statistics().late += late;
  return true;
}

void Executive::resume() noexcept {
  freeze_at_.store(std::numeric_limits<std::int64_t>::max());
  stop_.store(false);
  paced_ = false;
}

Diagnostic Executive::fault() const {
  return detail::described(cycle_->breakdown(), *this, *cycle_, options_);
}

void Executive::on_every_thread(void (*f)(void*) noexcept, void* context) noexcept {
  cycle_->on_every_thread(f, context);
}

const PortView* Executive::find(std::string_view path) const noexcept {
  const auto found = by_path_.find(path);
  return found == by_path_.end() ? nullptr : &views_[found->second];
}

std::size_t Executive::known(std::string_view path) const {
  const auto found = by_path_.find(path);
  if (found != by_path_.end()) return found->second;
  refuse_inside(path);
  Diagnostics problems;
  Diagnostic& d = problems.error("V2112", "there is no port \"" + std::string(path) + "\"", {});
  std::vector<std::string> candidates;
  for (const PortView& v : views_) candidates.push_back(v.path);
  if (const auto near = closest(path, candidates))
    d.notes.push_back("did you mean " + *near + "?");
  else
    d.notes.push_back("vernier info FILE   lists the ports");
  throw ConfigurationError(problems);
}

void Executive::refuse_inside(std::string_view path) const {
  for (const composition::Part& p : plan_.parts) {
    const auto end = p.inside.find(path);
    if (end == p.inside.end()) continue;
    Diagnostics problems;
    Diagnostic& d = problems.error(
        "V2150",
        std::string(path) + " cannot be overridden: it is connected to " + end->second +
            " inside the " + (p.name.starts_with("island") ? "" : "island ") + p.name +
            ", whose equations are solved together",
        {});
    const std::string_view one = path.substr(0, path.rfind('.'));
    d.notes.push_back("write island=\"own\" for " + std::string(one) +
                      ": then its values are exchanged at every step, through ports");
    d.notes.push_back("or connect an <input> of the composition, and override that");
    throw ConfigurationError(problems);
  }
}

Telling Executive::tell(std::size_t part, const Entry& e) const {
  const composition::Part& p = plan_.parts[part];
  Telling t = p.component->tell(e);
  t.subject = t.subject.empty() ? p.name : p.prefix + t.subject;
  return t;
}

void Executive::observe(Observer& o, const Sampling& s) { cycle_->observe(o, s, now_); }

void Executive::remove(Observer& o) noexcept { cycle_->remove(o); }

void Executive::override_port(std::string_view path, std::span<const double> values) {
  const Order order{OrderKind::replace, std::string(path), {values.begin(), values.end()}};
  memory_->override_port(checked(order), values);
  memory_->bind(views_[checked(order)].part);
}

void Executive::release(std::string_view path) {
  const std::size_t view = known(path);
  memory_->release(view);
  memory_->bind(views_[view].part);
}

void Executive::send(std::string_view path) {
  memory_->send(checked({OrderKind::send, std::string(path), {}}));
}

const Statistics& Executive::statistics() const noexcept {
  Statistics& s = cycle_->statistics();
  s.journal_lost = 0;
  for (std::size_t i = 0; i < plan_.parts.size(); ++i) {
    s.journal_lost += memory_->journal(i).lost();
    s.parts[i].calls = cycle_->calls(i);
  }
  s.messages_lost = memory_->messages_lost();
  s.delays_merged = memory_->delays_merged();
  return s;
}

}  // namespace vernier::executive
