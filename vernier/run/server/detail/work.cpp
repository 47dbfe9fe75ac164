#include "vernier/run/server/detail/work.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "vernier/base/text.hpp"
#include "vernier/net/secret.hpp"
#include "vernier/run/exchange/shared_memory.hpp"
#include "vernier/run/server/common_clock.hpp"

namespace vernier::server {
namespace {

realtime::NodeFrames::Share share_of(const MeasuredFrame& m) {
  realtime::NodeFrames::Share s;
  s.frame = {.number = m.number,
             .time = Time(Duration(m.time)),
             .wake_up = m.wake_up,
             .cost = m.cost,
             .margin = m.margin,
             .held = m.held,
             .late = m.late,
             .slept = m.slept,
             .behind = m.behind};
  s.waits = m.waits;
  for (const MeasuredFrame::Cost& c : m.costs) s.costs.emplace_back(c.part, c.ns);
  return s;
}

TimedOrder timed(const executive::ScheduledOrder& s) {
  return {s.at.time_since_epoch().count(), s.settled, static_cast<std::uint8_t>(s.order.kind),
          s.order.path, s.order.values};
}

}  // namespace

Composer::Work::Work(Composer& c, Team t)
    : run_(c),
      team_(std::move(t)),
      fleet_(team_.seats, *this,
             team_.begin.pace && team_.begin.pace->synchronised ? &time_of_day : &monotonic),
      home_(team_.division.all()),
      current_(home_),
      attempts_(team_.seats.size()) {
  team_.begin.plan = digest_of(run_.plan());
  team_.begin.key.resize(32);
  net::fill_random(team_.begin.key);
  for (const composition::Part& p : run_.parts()) {
    const char* why = why_it_stays(*p.component);
    if (why && stays_.empty()) stays_ = p.name + " " + why;
  }
  if (!stays_.empty()) team_.begin.keep_every = 0;
  if (by_the_clock()) {
    frames_ = team_.timing->follow_nodes(run_.parts());
    merger_.permit_gaps();
  }
  for (std::uint32_t s = 0; s < seats(); ++s) fleet_.start(s, team_.begin);
  fleet_.settle(Clock::now() + prepare_within);
  for (std::uint32_t s = 0; s < seats(); ++s) refuse_unready(s);
  arrange({});
  require_all();
}

Composer::Work::~Work() {
  if (privileged_) realtime::prioritize(pthread_self(), 0);
}

bool Composer::Work::results(Peer& e, Bytes content) {
  struct Taker {
    Work& work;
    Peer& from;
    std::uint32_t node;
    bool take(const Row& r) { return work.merger_.take(node, r); }
    bool take(Noted& n) {
      if (n.part >= work.run_.parts().size()) return false;
      n.node = node;
      work.merger_.take(n);
      return true;
    }
    bool take(Executed& o) { return work.take_order(node, o); }
    bool take(const Share& s) {
      work.past_.take(node, s);
      return true;
    }
    bool take(const MeasuredFrame& f) {
      if (work.frames_) work.frames_->take(node, share_of(f));
      return true;
    }
    bool take(Time t) {
      from.progress = std::max(from.progress, t);
      return true;
    }
  };
  const auto node = node_of(e);
  if (!node) return true;  // of a past that is over
  Taker taker{*this, e, *node};
  return read_results(content, taker);
}

void Composer::Work::answered(Peer& e, const Answered& a) {
  const auto node = node_of(e);
  if (!asked_ || asked_->number != a.number || !node) return;
  std::erase(asked_->awaited, *node);
  asked_->answer = a;
  if (asked_->awaited.empty()) finish_order(a);
}

bool Composer::Work::reach(Time t) {
  if (by_the_clock() || t <= run_.now()) return true;  // paced already
  paced_out_ = !run_.pace(t);
  return !paced_out_;
}

void Composer::Work::note(std::uint32_t part, std::span<const Entry> entries) {
  for (const auto& w : watches_) w->observer->note(part, entries);
}

void Composer::Work::executed(const Executed& e) {
  mirror(e);
  journal(e);
}

void Composer::Work::news(Peer& e, const Problems& problems) {
  for (const Problem& p : problems) {
    Diagnostic d = decoded(p);
    d.notes.push_back("on node " + name_of(e));
    news_.add(std::move(d));
  }
}

void Composer::Work::halted(Peer& e) {
  if (!frames_ || !e.halted.keeping) return;
  const Keeping& k = *e.halted.keeping;
  realtime::NodeHealth& h = frames_->node(name_of(e));
  h.prioritized = k.prioritized;
  h.clock = k.clock;
  h.minor_faults = k.minor_faults;
  h.major_faults = k.major_faults;
  h.waits = k.waits;
  h.dropped = k.dropped;
}

Diagnostics Composer::Work::take_privileges() {
  news_ = {};
  ask_all(Word::privileges);
  require_all();
  privileged_ = true;
  // what nodes wait for this process, when parts are moved, is part of a frame
  if (team_.begin.pace->priority > 0) realtime::prioritize(pthread_self(), realtime::link_priority);
  return std::exchange(news_, {});
}

void Composer::Work::initialize() {
  if (!fault_.code.empty()) fault_ = {};
  merger_.rewind(start() - Duration(2));
  ask_all(Word::initialize);
  require_all();
  show_all();
  run_.reached(time_of_nodes());
  if (!stays_.empty()) return;
  auto whole = whole_state();
  require_all();
  if (!whole) throw ConfigurationError("V5604", "a node does not show its state");
  past_.remember(std::move(*whole), time_of_nodes());
}

void Composer::Work::restore(const executive::Snapshot& s) {
  fault_ = {};
  asked_.reset();
  past_.forget_orders();
  arrange(encoded(s));
  require_all();
  merger_.rewind(s.time);
  run_.reached(s.time);
  if (stays_.empty()) past_.remember(encoded(s), time_of_nodes());
  send_schedule(past_.scheduled());
}

executive::Snapshot Composer::Work::save() {
  for (int attempt = 0; attempt < most_failures; ++attempt) {
    catch_up();
    if (!fault_.code.empty()) break;
    if (const auto whole = whole_state())
      if (auto s = decoded_snapshot(*whole)) return std::move(*s);
  }
  throw ConfigurationError("V5604", "the state of the nodes cannot be saved: one was lost");
}

void Composer::Work::observe(executive::Observer& o, const executive::Sampling& s) {
  watches_.push_back(std::make_unique<Watch>(Watch{next_tap_++, &o, s}));
  watch(*watches_.back());
}

void Composer::Work::remove(executive::Observer& o) noexcept {
  std::erase_if(watches_, [&](const auto& w) {
    if (w->observer != &o) return false;
    merger_.forget(w->tap);
    for (Peer* e : active_) fleet_.send(*e, Word::forget, w->tap);
    return true;
  });
}

void Composer::Work::replace(std::size_t view, std::span<const double> values) {
  NumberedOrder o{0,
                  static_cast<std::uint8_t>(executive::OrderKind::replace),
                  static_cast<std::uint32_t>(view),
                  {values.begin(), values.end()}};
  for (Peer* e : active_) fleet_.send(*e, Word::order, o);
  run_.mirror(executive::OrderKind::replace, view, values);
}

void Composer::Work::schedule(const std::vector<executive::ScheduledOrder>& orders) {
  std::vector<TimedOrder> all;
  for (const executive::ScheduledOrder& s : orders) {
    static_cast<void>(run_.checked_view(s.order));
    all.push_back(timed(s));
  }
  past_.schedule(std::move(all));
  send_schedule(past_.scheduled());
}

void Composer::Work::write_below(const std::filesystem::path& folder) {
  outputs_ = folder;
  for (Peer* e : active_) fleet_.send(*e, Word::write_below, folder.string());
}

void Composer::Work::move(std::uint32_t part, std::uint32_t seat) {
  home_[part].front() = seat;
  rearrange();
}

void Composer::Work::carry_out() noexcept {
  try {
    do {
      fleet_.listen(Clock::now());
      catch_up();
      do_orders(true);
    } while (lost() && fault_.code.empty());
  } catch (const std::exception&) {  // run_until() reports it
  }
}

Ending Composer::Work::run_until(Time until) noexcept {
  try {
    return run(until);
  } catch (const ConfigurationError& e) {
    fault_ = e.diagnostics().list().front();
  } catch (const std::exception& e) {
    Diagnostics d;
    fault_ = d.error("V5604", fmt::format("the run cannot be continued: {}", e.what()), {});
  }
  return Ending::failed;
}

void Composer::Work::count() {
  const std::uint64_t late = run_.Executive::statistics().late;
  statistics = {};
  statistics.parts.resize(run_.parts().size());
  for (const Peer* e : active_) {
    Halted h = e->halted;
    for (std::uint32_t p = 0; p < h.parts.size() && p < run_.parts().size(); ++p)
      if (run_.cut().replicated(p) && !speaks(*node_of(*e), p)) h.parts[p] = {};
    add(h, statistics);
  }
  statistics.late += late;
}

void Composer::Work::refuse_unready(std::uint32_t seat) {
  const Peer& e = *fleet_.at(seat);
  if (e.refused) throw ConfigurationError(refusal(e));
  if (e.lost || !e.ready) throw ConfigurationError("V5603", "node " + name_of(e) + ": " + e.why);
}

Diagnostics Composer::Work::refusal(const Peer& e) const {
  const Diagnostics told = decoded(*e.refused);
  Diagnostics d;
  for (Diagnostic x : told.list()) {
    x.notes.push_back("on node " + name_of(e));
    d.add(std::move(x));
  }
  return d;
}

void Composer::Work::refuse_refused() {
  for (Peer* e : active_)
    if (e->refused) {
      const Diagnostics d = refusal(*e);
      e->refused.reset();
      throw ConfigurationError(d);
    }
}

void Composer::Work::require_all() {
  fleet_.settle(Clock::now() + prepare_within);
  refuse_refused();
  for (Peer* e : active_) {
    if (e->lost) throw ConfigurationError("V5603", fmt::format("node {}: {}", name_of(*e), e->why));
    if (ending(*e) == Ending::cut_off)
      throw ConfigurationError(
          "V5603", fmt::format("node {}: {}", name_of(*e),
                               e->halted.fault ? decoded(*e->halted.fault).message
                                               : std::string("it did not meet the others")));
  }
}

void Composer::Work::arrange(const std::vector<std::byte>& snapshot) {
  constexpr std::uint32_t none = 0xffffffff;
  interrupted_ = false;
  active_.clear();
  std::vector<std::uint32_t> node(seats(), none);
  for (std::uint32_t s = 0; s < seats(); ++s) {
    Peer* e = fleet_.at(s);
    if (!e || e->lost || !e->ready) continue;
    node[s] = static_cast<std::uint32_t>(active_.size());
    active_.push_back(e);
    e->refused.reset();
    e->progress = Time::min();
  }
  members_ = active_;
  Arrange a{.names = {}, .nodes = {}, .snapshot = snapshot};
  for (const Peer* e : active_) a.names.push_back(name_of(*e));
  for (const Seats& all : current_) {
    composition::Division::Nodes& nodes = a.nodes.emplace_back();
    for (const std::uint32_t s : all)
      if (node[s] != none) nodes.push_back(node[s]);
    if (nodes.empty()) nodes.push_back(0);
  }
  Meet m{.epoch = epoch_ += 2, .self = 0, .memory = {}, .address = {}, .again = still_joined()};
  const bool here = active_.front()->address.empty();
  if (here && !m.again) m.memory = new_memory();
  for (const Peer* e : active_) m.address.push_back(e->address);
  for (Peer* e : active_) {
    fleet_.send(*e, Word::meet, m);
    fleet_.ask(*e, Word::arrange, a);
    ++m.self;
  }
  run_.nobody_->set_nodes(active_.size());
  run_.divide(*run_.nobody_, composition::Division(a.nodes), a.names);
  merger_.drop();
  past_.begin_epoch(active_.size());
  fleet_.settle(Clock::now() + prepare_within);
  joined_ = lost() || any(Ending::cut_off) ? std::vector<std::uint64_t>() : numbers();
  if (frames_) frames_->divide(a.names);
  for (Peer* e : active_)
    if (privileged_ && !e->privileged && !e->lost && !e->refused && ending(*e) != Ending::cut_off)
      fleet_.ask(*e, Word::privileges);
  if (privileged_) fleet_.settle(Clock::now() + prepare_within);
  for (const auto& w : watches_) watch(*w);
  if (!outputs_.empty())
    for (Peer* e : active_) fleet_.send(*e, Word::write_below, outputs_.string());
}

std::vector<std::uint64_t> Composer::Work::numbers() const {
  std::vector<std::uint64_t> all;
  for (const Peer* e : active_) all.push_back(e->number);
  return all;
}

std::string Composer::Work::new_memory() {
  auto made = exchange::made_memory(static_cast<std::uint32_t>(active_.size()));
  if (!made) throw ConfigurationError("V5603", "no memory for the nodes to share: " + made.error());
  memory_ = std::move(*made);
  return fmt::format("/proc/{}/fd/{}", ::getpid(), memory_.get());
}

std::vector<std::uint32_t> Composer::Work::nodes_of(std::uint32_t part) const {
  std::vector<std::uint32_t> all;
  if (run_.cut().everywhere(part)) {
    for (std::uint32_t n = 0; n < members_.size(); ++n)
      if (members_[n]) all.push_back(n);
    return all;
  }
  for (const std::uint32_t n : run_.cut().runs[part])
    if (members_[n]) all.push_back(n);
  return all;
}

bool Composer::Work::speaks(std::uint32_t node, std::uint32_t part) const {
  const auto there = [this](std::uint32_t n) { return members_[n] != nullptr; };
  const composition::Division::Nodes& runs = run_.cut().runs[part];
  if (!runs.empty()) {
    const auto first = std::find_if(runs.begin(), runs.end(), there);
    return first != runs.end() && *first == node;
  }
  return there(node) && std::all_of(members_.begin(), members_.begin() + node,
                                    [](const Peer* e) { return e == nullptr; });
}

bool Composer::Work::any_replicas() const {
  return std::any_of(home_.begin(), home_.end(), [](const Seats& s) { return s.size() > 1; });
}

void Composer::Work::watch(const Watch& w) {
  const std::vector<const executive::PortView*>* reads = w.observer->reads();
  if (reads && reads->empty()) return;
  const std::span<const executive::PortView> ports = run_.ports();
  std::vector<std::uint32_t> views;
  if (reads)
    for (const executive::PortView* p : *reads)
      views.push_back(static_cast<std::uint32_t>(p - ports.data()));
  else
    for (std::uint32_t v = 0; v < ports.size(); ++v)
      if (!w.sampling.cluster || ports[v].cluster == *w.sampling.cluster) views.push_back(v);
  std::erase_if(views, [&](std::uint32_t v) { return ports[v].data == nullptr; });
  if (views.empty()) return;
  const std::uint32_t cluster = w.sampling.cluster.value_or(ports[views.front()].cluster);
  const std::vector<std::uint32_t>& nodes = run_.cut().clusters[cluster].nodes;
  // what is the same everywhere is shown by one that observes, or by all that may have to
  std::vector<std::uint32_t> watching;
  for (std::uint32_t n = 0; n < members_.size(); ++n)
    if (members_[n] && (nodes.empty() || run_.cut().has(n, cluster))) watching.push_back(n);
  if (!any_replicas() && nodes.empty()) watching.resize(1);
  Merger::Ports shown(members_.size());
  std::vector<Tap> taps(members_.size(), Tap{.number = w.tap,
                                             .times = w.sampling.rate.times,
                                             .seconds = w.sampling.rate.seconds,
                                             .events = w.sampling.events,
                                             .exactly = w.sampling.exactly,
                                             .cluster = cluster});
  for (const std::uint32_t v : views) {
    if (ports[v].cluster != cluster) continue;
    const bool everywhere = run_.cut().everywhere(ports[v].part);
    for (const std::uint32_t n : watching) {
      if (!everywhere && !run_.cut().runs_on(n, ports[v].part)) continue;
      taps[n].views.push_back(v);
      shown[n].push_back(&ports[v]);
      if (everywhere && !any_replicas()) break;
    }
  }
  merger_.watch(w.tap, *w.observer, std::move(shown));
  for (const std::uint32_t n : watching) fleet_.send(*members_[n], Word::observe, taps[n]);
}

void Composer::Work::send_schedule(const std::vector<TimedOrder>& orders) {
  for (Peer* e : active_) fleet_.send(*e, Word::schedule, orders);
}

bool Composer::Work::take_order(std::uint32_t node, Executed& o) {
  if (o.view >= run_.ports().size()) return false;
  const auto kind = static_cast<executive::OrderKind>(o.kind);
  const bool replaces = kind == executive::OrderKind::replace;
  if (kind > executive::OrderKind::move ||
      (replaces && o.values.size() != run_.ports()[o.view].port->count))
    return false;
  o.node = node;
  o.part = static_cast<std::uint32_t>(run_.ports()[o.view].part);
  if (o.scheduled) {
    merger_.take(std::move(o));
    return true;
  }
  // all nodes of the part execute it at the same time
  if (asked_ ? std::exchange(asked_->executed, true) : !speaks(node, o.part)) return true;
  past_.executed(
      nodes_of(o.part).size() > 1 ? Past::anyone : node,
      {o.at.time_since_epoch().count(), o.settled, o.kind, run_.ports()[o.view].path, o.values});
  executed(o);
  return true;
}

void Composer::Work::mirror(const Executed& e) {
  run_.mirror(static_cast<executive::OrderKind>(e.kind), e.view, e.values);
}

void Composer::Work::journal(const Executed& e) {
  if (executive::OrderJournal* j = run_.order_journal())
    j->carried_out({e.at, e.settled, static_cast<executive::OrderKind>(e.kind), e.view, e.values,
                    e.scheduled});
}

Past::Merge Composer::Work::merge() const {
  return [this](const auto& by_node) { return run_.merged(by_node); };
}

std::optional<std::vector<std::byte>> Composer::Work::whole_state() {
  for (Peer* e : active_) e->saved.reset();
  ask_all(Word::save);
  fleet_.settle(Clock::now() + prepare_within);
  refuse_refused();
  std::vector<std::vector<std::byte>> shares;
  for (Peer* e : members_) {
    shares.emplace_back();
    if (!e) continue;
    if (e->lost || !e->saved) return {};
    shares.back() = std::move(*e->saved);
  }
  return put_together(shares, merge());
}

Time Composer::Work::progress() const noexcept {
  Time t = Time::max();
  for (const Peer* e : active_) t = std::min(t, e->progress);
  return active_.empty() ? Time::min() : t;
}

Time Composer::Work::time_of_nodes() const noexcept {
  Time t = Time::max();
  for (const Peer* e : active_) t = std::min(t, Time(Duration(e->halted.now)));
  return t;
}

bool Composer::Work::show_all() {
  const bool shown = merger_.show(progress(), *this);
  if (const auto& d = merger_.difference()) {
    const auto name = [this](std::uint32_t n) {
      return members_[n] ? name_of(*members_[n]) : std::string("a node that is lost");
    };
    throw ConfigurationError(
        "V5608",
        fmt::format("the replicas of {} differ at t = {} s: {} is not the same on {} and {}",
                    run_.parts()[d->port->part].name, exact(seconds(d->at)), d->port->path,
                    name(d->nodes[0]), name(d->nodes[1])));
  }
  if (merger_.disagree())
    throw ConfigurationError(
        "V5604", fmt::format("the nodes disagree after t = {} s", exact(seconds(merger_.shown()))));
  if (shown && progress() > Time::min()) reached(std::max(run_.now(), progress() - Duration(1)));
  return shown;
}

void Composer::Work::reached(Time t) {
  run_.reached(t);
  // observers that read no values follow the time; nodes send them nothing
  for (const auto& w : watches_) {
    const auto* reads = w->observer->reads();
    if (reads && reads->empty() && !w->sampling.cluster) w->observer->sample({run_.now()}, true);
  }
}

void Composer::Work::do_orders(bool halted) {
  while (true) {
    const auto until = Clock::now() + answer_within;
    while (halted && asked_ && !lost() && Clock::now() < until) fleet_.listen(until);
    if (asked_ || lost() || behind()) return;
    const auto next = run_.next_order();
    if (!next) return;
    std::vector<std::uint32_t> nodes =
        nodes_of(static_cast<std::uint32_t>(run_.ports()[next->view].part));
    const bool read = next->kind == executive::OrderKind::read;
    if (read) nodes.resize(1);
    if (nodes.size() > 1 && !halted) {
      halting_ = true;
      return;
    }
    const NumberedOrder o{++orders_, static_cast<std::uint8_t>(next->kind), next->view,
                          read ? std::vector<double>()
                               : std::vector<double>(next->values.begin(), next->values.end())};
    asked_ = Asked{o.number, nodes};
    for (const std::uint32_t n : nodes) fleet_.send(*members_[n], Word::order, o);
  }
}

void Composer::Work::finish_order(const Answered& a) {
  asked_.reset();
  const auto next = run_.next_order();
  if (!next) return;
  if (next->kind == executive::OrderKind::read)
    std::copy_n(a.values.begin(), std::min(a.values.size(), next->values.size()),
                next->values.begin());
  run_.finish_order(Time(Duration(a.at)));
}

}  // namespace vernier::server
