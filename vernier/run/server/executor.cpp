#include "vernier/run/server/executor.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <deque>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include "vernier/net/wait.hpp"
#include "vernier/run/exchange/meeting.hpp"
#include "vernier/run/exchange/plugin_exchange.hpp"
#include "vernier/run/exchange/shared_exchange.hpp"
#include "vernier/run/executive/executive.hpp"
#include "vernier/run/realtime/privileges.hpp"
#include "vernier/run/server/channel.hpp"
#include "vernier/run/server/common_clock.hpp"
#include "vernier/run/server/messages.hpp"
#include "vernier/run/server/mirror.hpp"
#include "vernier/run/server/shipper.hpp"
#include "vernier/run/session/pace.hpp"
#include "vernier/run/session/prepare.hpp"
#include "vernier/run/session/timing.hpp"

namespace vernier::server {
namespace {

using namespace std::chrono_literals;
using executive::Ending;
using executive::Executive;

/// What a peer must have taken before this node rests.
constexpr auto flush_within = 10s;
constexpr auto meet_within = 10s;
/// Without a sign of life the composer is lost.
constexpr auto composer_silence = 30s;
/// Within which the composer's clock must be known.
constexpr auto learn_within = 20s;

struct Command {
  Word word{};
  std::vector<std::byte> content;
};

/// Commands on their way from the thread that receives to the one that runs.
class Commands {
 public:
  void put(Command c) {
    const std::lock_guard lock(mutex_);
    waiting_.push_back(std::move(c));
    news_.notify_one();
  }
  Command take() {
    std::unique_lock lock(mutex_);
    news_.wait(lock, [this] { return !waiting_.empty(); });
    Command c = std::move(waiting_.front());
    waiting_.pop_front();
    return c;
  }

 private:
  std::mutex mutex_;
  std::condition_variable news_;
  std::deque<Command> waiting_;
};

[[noreturn]] void reject(std::string why) { throw ConfigurationError("V5604", std::move(why)); }

session::Changes changes_of(const Begin& b) {
  session::Changes c{.set = b.set, .adjustable = b.adjustable};
  if (b.until) c.until = Duration(*b.until);
  c.seed = b.seed;
  for (std::size_t i = 0; i + 1 < b.moved.size(); i += 2) c.moved[b.moved[i]] = b.moved[i + 1];
  for (std::size_t i = 0; i + 1 < b.texts.size(); i += 2) c.texts[b.texts[i]] = b.texts[i + 1];
  c.frames = b.pace && b.pace->real_time;
  return c;
}

std::optional<session::RealTime> privileges_of(const Pace& p) {
  if (!p.real_time) return {};
  return session::RealTime{
      .wanted = {.priority = std::clamp(p.priority, 0, 99), .cpu = p.cpu, .lock = p.lock},
      .spin = Duration(std::max<std::int64_t>(0, p.spin)),
      .require = p.require};
}

CommonClock::Kind clock_of(const Pace& p) {
  // then the composer says everything in times of day, to nodes of its own computer too
  if (p.synchronised) return CommonClock::Kind::synchronised;
  return !p.machine.empty() && p.machine == machine_id() ? CommonClock::Kind::same
                                                         : CommonClock::Kind::estimated;
}

/// Whether these can be the nodes of a part.
bool are_nodes(const composition::Division::Nodes& nodes, std::uint32_t count) {
  for (std::size_t i = 0; i < nodes.size(); ++i)
    if (nodes[i] >= count ||
        std::find(nodes.begin(), nodes.begin() + static_cast<std::ptrdiff_t>(i), nodes[i]) !=
            nodes.begin() + static_cast<std::ptrdiff_t>(i))
      return false;
  return !nodes.empty() && nodes.size() <= composition::most_replicas;
}

template <class T>
T read(const Command& c) {
  auto message = decode<T>(c.content);
  if (!message) reject("a message of the composer cannot be read");
  return std::move(*message);
}

/// Holds time back at the parts of this node that must not lose data, and for the composer, which
/// in a run by the clock does not.
struct Brake final : Pacer {
  std::vector<std::pair<std::uint32_t, Pacer*>> of_parts;
  const Executive* run = nullptr;
  Shipper* shipper = nullptr;
  const Pacer* failed = nullptr;

  void start(Time t) noexcept override {
    each([t](Pacer& p) { p.start(t); });
  }
  Outcome wait_for(Time t) noexcept override {
    Outcome worst = Outcome::ok;
    each([&](Pacer& p) {
      const Outcome o = p.wait_for(t);
      if (o == Outcome::failed) failed = &p;
      if (o != Outcome::ok && worst != Outcome::failed) worst = o;
    });
    if (worst == Outcome::failed) return worst;
    const Outcome shipped = shipper->wait_for(t);
    if (shipped == Outcome::failed) failed = shipper;
    return shipped == Outcome::ok ? worst : shipped;
  }
  bool over() const noexcept override { return failed && failed->over(); }
  void interrupt() noexcept override {
    for (const auto& [part, pacer] : of_parts) pacer->interrupt();
  }
  Fault fault() const noexcept override { return failed ? failed->fault() : Fault{}; }

  template <class F>
  void each(const F& f) noexcept {
    for (const auto& [part, pacer] : of_parts)
      if (run->here(part)) f(*pacer);
  }
};

class Executor {
 public:
  Executor(net::Stream composer, const Catalogue& catalogue, std::string version,
           const MeshTls& tls, std::shared_ptr<NativeCode> code)
      : channel_(std::move(composer)),
        catalogue_(catalogue),
        code_(std::move(code)),
        tls_(tls),
        version_(std::move(version)),
        receiver_([this] { receive(); }) {}

  ~Executor() {
    end_.ring();
    receiver_.join();
    if (timing_) timing_->end();
  }

  int run() {
    while (true) {
      const Command c = commands_.take();
      if (c.word == Word::quit) return c.content.empty() ? 0 : 1;
      Diagnostics problems;
      try {
        obey(c);
        continue;
      } catch (const ConfigurationError& e) {
        problems = e.diagnostics();
      } catch (const std::exception& e) {
        problems.error("V5604", fmt::format("the executor of this node has failed: {}", e.what()),
                       {});
      }
      if (!channel_.send(Word::refused, encoded(mirror_.as_composer_knows(problems)))) return 1;
    }
  }

 private:
  // -- the thread that receives -------------------------------------------------------------------

  void receive() {
    auto heard = net::Clock::now();
    while (true) {
      const auto probe = probe_if_due();
      const auto until = std::min(heard + composer_silence, probe);
      const net::Waited w =
          net::wait_for(channel_.stream().descriptor(), net::readable, until, end_.descriptor());
      if (w.woken) return;
      if (w.ready == 0 && net::Clock::now() < heard + composer_silence) continue;
      const bool open = w.ready != 0 && channel_.take([this](Word word, Bytes b) {
        if (word == Word::clock) return take_clock(b);
        if (word == Word::ping) {
          static_cast<void>(channel_.send(Word::pong));
          return;
        }
        at_once(word, b);
        commands_.put({word, {b.begin(), b.end()}});
      });
      heard = net::Clock::now();
      if (open) continue;
      at_once(Word::interrupt, {});
      commands_.put({Word::quit, {std::byte{1}}});
      return;
    }
  }

  /// Asks for the composer's time, when it is estimated. Returns when it does so again.
  net::Clock::time_point probe_if_due() {
    const CommonClock* c = nullptr;
    {
      const std::lock_guard lock(mutex_);
      c = clock_.get();
    }
    if (!c || c->kind() == CommonClock::Kind::same) return net::Clock::time_point::max();
    const auto now = net::Clock::now();
    if (now >= next_probe_) {
      static_cast<void>(channel_.send(Word::probe, Probe{.sent = c->now()}));
      next_probe_ =
          now + std::chrono::nanoseconds(c->learning() ? CommonClock::often : CommonClock::usual);
    }
    return next_probe_;
  }
  void take_clock(Bytes content) {
    const auto p = decode<Probe>(content);
    const std::lock_guard lock(mutex_);
    if (p && clock_) clock_->add({p->sent, p->taken, p->answered, clock_->now()});
  }

  /// What must not wait until the run halts.
  void at_once(Word word, Bytes content) {
    const std::lock_guard lock(mutex_);
    if (word == Word::interrupt) {
      interrupted_.ring();
      brake_.interrupt();
      if (timing_) timing_->pacer().interrupt();
      if (exchange_) exchange_->interrupt();
    } else if (word == Word::meet) {
      static_cast<void>(interrupted_.clear());
    }
    if (!executive_) return;
    if (word == Word::go) {
      if (const auto go = decode<Go>(content))
        executive_->request_freeze(Time(Duration(go->freeze)));
    } else if (word == Word::freeze) {
      if (const auto t = decode<std::int64_t>(content))
        executive_->request_freeze(Time(Duration(*t)));
    } else if (word == Word::order) {
      if (const auto o = decode<NumberedOrder>(content)) ask(*o);
    } else if (word == Word::interrupt) {
      executive_->request_stop();
    }
  }

  /// An order of the composer on its way.
  struct Asked {
    std::uint32_t number = 0;  // the composer's
    std::uint64_t order = 0;   // the executive's
    executive::OrderAnswer said;
  };

  void ask(const NumberedOrder& o) {
    if (o.number == 0 || o.view >= executive_->ports().size()) return;
    try {
      any_asked_.store(true);
      asked_.push_back({o.number,
                        executive_->ask({static_cast<executive::OrderKind>(o.kind),
                                         executive_->ports()[o.view].path, o.values}),
                        {}});
    } catch (const ConfigurationError&) {  // the composer has checked it
    }
  }

  // -- the thread that runs -----------------------------------------------------------------------

  void obey(const Command& c) {
    switch (c.word) {
      case Word::begin:
        return begin(read<Begin>(c));
      case Word::meet:
        return meet(read<Meet>(c));
      case Word::arrange:
        return arrange(read<Arrange>(c));
      default:
        break;
    }
    if (!executive_) {
      if (!prepared_) reject("the composer has not begun a run");
      return;  // the nodes did not meet, and will be told how to again
    }
    switch (c.word) {
      case Word::observe:
        return shipper_->observe(read<Tap>(c));
      case Word::forget:
        return shipper_->forget(read<std::uint32_t>(c));
      case Word::write_below:
        return executive_->write_below(read<std::string>(c));
      case Word::schedule:
        return schedule(read<std::vector<TimedOrder>>(c));
      case Word::initialize:
        return initialize();
      case Word::privileges:
        return take_privileges();
      case Word::go:
        return go(read<Go>(c));
      case Word::order:
        return order(read<NumberedOrder>(c));
      case Word::save:
        if (!executive_->gather()) return halted(Ending::cut_off);
        static_cast<void>(channel_.send(Word::saved, Bytes(encoded(executive_->save()))));
        return;
      default:
        return;  // what was done at once
    }
  }

  void begin(Begin b) {
    if (b.version != version_)
      reject(fmt::format("the composer is Vernier {}, the executor {}", b.version, version_));
    if (!b.folder.empty()) std::filesystem::current_path(b.folder);
    mirror_ = Mirror(b);
    Diagnostics problems;
    prepared_ = session::prepare(b.document, changes_of(b), catalogue_, problems);
    if (digest_of(prepared_->plan) != b.plan)
      reject(
          "the document is another one here than at the composer: it has changed, or it refers to "
          "something that is not the same here");
    std::string address;
    if (!b.network.empty()) {
      if (!code_) reject("this executor loads no network plug-in");
      network_ =
          std::make_unique<exchange::NetworkPlugin>(b.network, b.network_config, b.listen, *code_);
      address = network_->address();
    } else if (!b.listen.empty()) {
      auto meeting = exchange::Meeting::at(b.listen);
      if (!meeting) reject(meeting.error());
      meeting_ = std::move(*meeting);
      address = meeting_->address();
    }
    if (b.pace) follow_clock(*b.pace);
    begin_ = std::move(b);
    static_cast<void>(channel_.send(Word::ready, address));
  }

  void follow_clock(const Pace& p) {
    const auto late = realtime::parsed_policy(p.late);
    if (!late) reject("the composer names a policy for late frames that is not known: " + p.late);
    auto clock = std::make_unique<CommonClock>(clock_of(p));
    auto timing = std::make_unique<session::Timing>(prepared_->plan, p.rate, *late,
                                                    privileges_of(p), clock.get());
    const std::lock_guard lock(mutex_);
    clock_ = std::move(clock);
    timing_ = std::move(timing);
  }

  /// Right before the loop.
  void take_privileges() {
    if (!timing_) reject("the run does not keep to a clock");
    const auto until = net::Clock::now() + learn_within;
    while (clock_->learning() && net::Clock::now() < until)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    if (clock_->learning()) reject("the composer does not say what time it is");
    clock_->check();
    const Diagnostics missing = timing_->begin(*executive_);
    if (begin_.pace->real_time && begin_.pace->priority > 0) {
      realtime::prioritize(receiver_.native_handle(), realtime::link_priority);
      shipper_->prioritize(realtime::link_priority);
    }
    if (!missing.list().empty()) static_cast<void>(channel_.send(Word::news, encoded(missing)));
    halted(Ending::reached);
  }

  /// The executive still uses the exchange before.
  void meet(Meet m) {
    next_exchange_.reset();
    if (m.again) {
      if (!exchange_ || exchange_->self() != m.self || m.epoch <= exchange_->epoch())
        reject("the composer wants an epoch that cannot be");
      const std::lock_guard lock(mutex_);
      exchange_->begin(m.epoch);
      next_exchange_ = std::move(exchange_);  // its owner until arrange()
      return;
    }
    if (network_ || meeting_) return meet_others(std::move(m));
    const auto memory = exchange::opened_memory(m.memory);
    if (!memory) reject("the memory between the nodes cannot be used: " + memory.error());
    auto made = exchange::SharedExchange::of(m.self, *memory);
    if (!made) reject("the memory between the nodes cannot be used: " + made.error());
    (*made)->begin(m.epoch);
    next_exchange_ = std::move(*made);
  }

  void meet_others(Meet m) {
    exchange::Meeting::With with{
        .epoch = m.epoch, .self = m.self, .addresses = std::move(m.address), .key = begin_.key};
    const auto until = net::Clock::now() + meet_within;
    if (network_) return take(network_->meet(with, until, interrupted_.descriptor()));
    with.client = tls_.client;
    with.server = tls_.server;
    take(meeting_->meet(with, until, interrupted_.descriptor()));
  }

  template <class E>
  void take(Result<std::unique_ptr<E>, exchange::Meeting::Trouble> made) {
    if (made) {
      next_exchange_ = std::move(*made);
      return;
    }
    // the composer divides the run anew
    Halted h{.ending = static_cast<std::uint8_t>(Ending::cut_off)};
    Diagnostics why;
    h.fault = encoded(
        why.error("V5602",
                  made.error().node == exchange::Meeting::Trouble::nobody
                      ? "the nodes did not meet"
                      : fmt::format("node {} was not met: {}", made.error().node, made.error().why),
                  {}));
    static_cast<void>(channel_.send(Word::halted, h));
  }

  void arrange(const Arrange& a) {
    if (!prepared_) reject("the composer has not begun a run");
    if (!next_exchange_) return;  // the nodes did not meet
    const std::uint32_t count = next_exchange_->nodes();
    if (a.names.size() != count ||
        !std::all_of(a.nodes.begin(), a.nodes.end(),
                     [count](const auto& nodes) { return are_nodes(nodes, count); }))
      reject("the composer divides the run among nodes that are not there");
    std::optional<executive::Snapshot> snapshot;
    if (!a.snapshot.empty()) {
      snapshot = decoded_snapshot(a.snapshot);
      if (!snapshot) reject("a snapshot of the composer cannot be read");
    }
    const bool first = !executive_;
    const std::size_t parts =
        first ? prepared_->plan.parts.size() : executive_->plan().parts.size();
    if (a.nodes.size() != parts) reject("the composer has another number of parts");
    if (first)
      make_executive(a);
    else
      executive_->divide(*next_exchange_, composition::Division(a.nodes), a.names);
    if (timing_) timing_->know_nodes(a.names);
    {
      const std::lock_guard lock(mutex_);
      std::swap(exchange_, next_exchange_);
      executive_->resume();
      asked_.clear();
      any_asked_.store(false);
    }
    next_exchange_.reset();
    executive_->drop_orders();
    shipper_->forget_all();
    if (snapshot) {
      executive_->restore(*snapshot);
      shipper_->restart(snapshot->time);
    }
    halted(Ending::reached);
  }

  void make_executive(const Arrange& a) {
    std::vector<std::pair<std::uint32_t, Pacer*>> pacers;
    for (std::uint32_t i = 0; i < a.nodes.size(); ++i)
      if (auto* s = dynamic_cast<PacerSource*>(prepared_->plan.parts[i].component.get()))
        for (Pacer* p : s->pacers()) pacers.emplace_back(i, p);
    std::vector<Pacer*> all{&brake_};
    if (timing_) all.push_back(&timing_->pacer());
    auto made = std::make_unique<Executive>(
        std::move(prepared_->plan), std::move(all),
        executive::Options{.threads = static_cast<int>(begin_.threads),
                           .real_time = begin_.pace && begin_.pace->real_time,
                           .meter = timing_ ? timing_->meter() : nullptr,
                           .exchange = next_exchange_.get(),
                           .nodes = composition::Division(a.nodes),
                           .node_names = a.names});
    shipper_ = std::make_unique<Shipper>(channel_, *made);
    shipper_->on_tick = [this](Time t) { answer(t); };
    if (begin_.keep_every > 0) made->keep_every(begin_.keep_every, shipper_.get());
    if (timing_) {
      timing_->attach(*made);
      timing_->pass_on(shipper_.get());
      shipper_->keep_time(&timing_->frames());
      pacers.clear();  // they never hold back a run by the clock
    }
    brake_.of_parts = std::move(pacers);
    brake_.run = made.get();
    brake_.shipper = shipper_.get();
    const std::lock_guard lock(mutex_);
    executive_ = std::move(made);
  }

  void schedule(const std::vector<TimedOrder>& orders) {
    std::vector<executive::ScheduledOrder> all;
    for (const TimedOrder& o : orders) {
      const auto kind = static_cast<executive::OrderKind>(o.kind);
      const executive::PortView* port = executive_->find(o.path);
      if (port && executive_->here(port->part))
        all.push_back({Time(Duration(o.at)), {kind, o.path, o.values}, o.settled});
    }
    executive_->schedule(all);
  }

  void initialize() {
    executive_->initialize();
    halted(Ending::reached);
  }

  /// at_once() has set the time to freeze.
  void go(const Go& g) {
    const Time until{Duration(g.until)};
    if (!exchange_) reject("the composer has not said how the nodes reach each other");
    if (timing_) {
      if (!(g.rate > 0.0)) reject("the composer wants a rate that is not positive");
      clock_->begin(Time(Duration(g.origin)), g.due, g.rate);
      timing_->set_rate(g.rate);
      shipper_->reserve(begin_.keep_every > 0);
      timing_->enter();
    }
    const Ending ending = executive_->run_until(until);
    if (timing_) timing_->leave();
    // everything leaves this node before it rests
    const auto deadline = exchange::Exchange::Clock::now() + flush_within;
    static_cast<void>(exchange_->flush(deadline));
    const bool last = ending == Ending::failed || ending == Ending::cut_off ||
                      (ending == Ending::reached && executive_->now() < until);
    if (last) exchange_->leave();
    halted(ending);
  }

  void halted(Ending ending) {
    Halted h{.ending = static_cast<std::uint8_t>(ending),
             .now = executive_->now().time_since_epoch().count()};
    if (ending == Ending::failed || ending == Ending::cut_off)
      h.fault = encoded(executive_->fault());
    put(executive_->statistics(), h);
    if (timing_) {
      const auto health = timing_->health(shipper_->dropped());
      Keeping& k = h.keeping.emplace();
      k.clock = clock_->text();
      k.dropped = shipper_->dropped();
      if (health) {
        k.prioritized = health->prioritized;
        k.minor_faults = health->minor_faults;
        k.major_faults = health->major_faults;
        k.waits = health->waits;
      }
    }
    {
      const std::lock_guard lock(mutex_);
      executive_->resume();
    }
    static_cast<void>(shipper_->ship(executive_->now() + Duration(executive_->settled() ? 1 : 0)));
    static_cast<void>(channel_.send(Word::halted, h));
  }

  void order(const NumberedOrder& o) {
    if (o.number == 0) {
      if (o.view < executive_->ports().size())
        executive_->override_port(executive_->ports()[o.view].path, o.values);
      return;
    }
    executive_->carry_out();
    const Time after = executive_->now() + Duration(1);
    if (begin_.pace) static_cast<void>(shipper_->ship(after));
    answer(after);
  }

  /// Everything before `until` was sent. In a run by the clock by the thread that sends.
  void answer(Time until) {
    if (!any_asked_.load(std::memory_order_relaxed)) return;
    const std::lock_guard lock(mutex_);
    for (Asked& a : asked_)
      if (!a.said.done) a.said = executive_->answer(a.order);  // which forgets one that is done
    std::erase_if(asked_, [this, until](const Asked& a) {
      const executive::OrderAnswer& said = a.said;
      if (!said.done) return false;
      // the composer learns of a change before it hears that it was made
      if (begin_.pace && said.at >= until) return false;
      if (!begin_.pace) static_cast<void>(shipper_->ship(said.at));
      static_cast<void>(channel_.send(
          Word::answered, Answered{a.number, said.at.time_since_epoch().count(), said.values}));
      return true;
    });
    any_asked_.store(!asked_.empty());
  }

  Channel channel_;
  const Catalogue& catalogue_;
  std::shared_ptr<NativeCode> code_;  // null: none is loaded but for documents
  MeshTls tls_;
  std::string version_;
  Commands commands_;
  Mirror mirror_;
  Begin begin_;
  std::unique_ptr<CommonClock> clock_;       // null: as fast as possible
  std::unique_ptr<session::Timing> timing_;  // the same
  net::Clock::time_point next_probe_{};      // of the receiving thread
  std::optional<session::Prepared> prepared_;
  std::mutex mutex_;  // what the receiving thread uses: the pointers, asked_
  std::unique_ptr<exchange::Exchange> exchange_, next_exchange_;
  Brake brake_;
  std::unique_ptr<Executive> executive_;
  std::unique_ptr<Shipper> shipper_;
  std::vector<Asked> asked_;
  std::atomic<bool> any_asked_{false};
  std::unique_ptr<exchange::Meeting> meeting_;
  std::unique_ptr<exchange::NetworkPlugin> network_;  // instead of meeting_
  net::Wake end_, interrupted_;
  std::thread receiver_;
};

}  // namespace

int execute(net::Stream composer, const Catalogue& catalogue, const std::string& version,
            const MeshTls& tls, std::shared_ptr<NativeCode> code) {
  realtime::shorten_time_slices();  // other nodes wait for what this one computes
  return Executor(std::move(composer), catalogue, version, tls, std::move(code)).run();
}

}  // namespace vernier::server
