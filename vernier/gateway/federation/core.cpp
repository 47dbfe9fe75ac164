#include "vernier/gateway/federation/core.hpp"

#include <algorithm>
#include <chrono>
#include <exception>
#include <map>
#include <utility>
#include <vector>

#include "vernier/gateway/federation/detail/checks.hpp"
#include "vernier/gateway/federation/detail/fom_store.hpp"
#include "vernier/gateway/federation/detail/mom.hpp"
#include "vernier/gateway/federation/detail/octets.hpp"
#include "vernier/gateway/federation/detail/saved.hpp"
#include "vernier/gateway/federation/federation.hpp"

namespace vernier::federation {

using detail::Malformed;
using detail::refuse;

namespace {

constexpr std::size_t most_federations = 4096;
constexpr std::size_t most_module_bytes = 256u << 20;  // of all federations together
constexpr std::size_t longest_name = 4096;

/// The peer of a federate whose connection is lost and which could not be resigned.
class Nobody final : public Peer {
 public:
  void put(const Frame&) override {}
  std::size_t backlog() const noexcept override { return 0; }
};
Nobody nobody;

/// Finds names and other short texts of a message that are not UTF-8. Documents are not looked at:
/// their reader does so.
struct TextCheck {
  bool good = true;
  template <class... T>
  void operator()(const T&... all) {
    (look(all), ...);
  }
  void look(const std::string& s) { good = good && detail::well_formed(s); }
  void look(const std::vector<std::string>& all) {
    for (const std::string& s : all) look(s);
  }
  template <class T>
  void look(const T&) {}
};

}  // namespace

struct Core::State {
  struct Line {
    Peer* peer = nullptr;  // null: unused
    Federation* federation = nullptr;
    Federate* federate = nullptr;
    Blob answered{};  // the body of the last answer, if the federate's services are reported
  };

  explicit State(CoreSettings s) : settings(std::move(s)), saves(settings.save_folder) {
    if (!settings.foms) settings.foms = std::make_shared<FomStore>();
  }

  CoreSettings settings;
  SaveStore saves;
  std::vector<Line> lines;  // by connection; index 0 is unused
  std::vector<Connection> unused;
  std::map<std::string, std::unique_ptr<Federation>> federations;
  bool pulsing = false;
  bool crowds = false;  // too much waits for a federate, or did at the last pulse

  void log(const std::string& what) const {
    if (settings.log) settings.log(what);
  }

  // ---- services without a federation

  void create(const CreateFederation& m) {
    if (m.time > TimeKind::float64)
      refuse(Failure::CouldNotCreateLogicalTimeFactory, "No such logical time");
    if (!m.own_time.empty() && (m.time != TimeKind::integer64 || m.own_time.size() > longest_name))
      refuse(Failure::CouldNotCreateLogicalTimeFactory, "No such logical time");
    if (m.federation.empty()) refuse(Failure::RTIinternalError, "The federation has no name");
    if (m.federation.size() > longest_name)
      refuse(Failure::RTIinternalError, "The name of the federation is too long");
    if (federations.contains(m.federation))
      refuse(Failure::FederationExecutionAlreadyExists,
             "There is a federation named '" + m.federation + "' already");
    if (federations.size() >= most_federations)
      refuse(Failure::RTIinternalError, "The RTI takes no more federations");
    require_room_for(m.modules);
    auto fresh = std::make_unique<Federation>(m.federation, m.time, m.modules, m.mim, saves,
                                              *settings.foms, m.own_time);
    fresh->limit_waiting(settings.most_waiting, settings.patience);
    fresh->observe(std::make_unique<Mom>(*fresh));
    const auto at = federations.emplace(m.federation, std::move(fresh)).first;
    log("federation '" + m.federation + "' is created");
    warn_of(*at->second);
  }

  void warn_of(const Federation& f) const {
    for (const std::string& line : f.fom_warnings())
      log("federation '" + f.name() + "': warning: " + line);
  }

  void require_room_for(const std::vector<Document>& modules) const {
    std::size_t bytes = 0;
    for (const Document& d : modules) bytes += d.text.size();
    if (bytes == 0) return;
    for (const auto& [name, f] : federations)
      for (const Document& d : f->documents()) bytes += d.text.size();
    if (bytes > most_module_bytes)
      refuse(Failure::RTIinternalError,
             "The FOM modules of all federations of the RTI are longer than " +
                 std::to_string(most_module_bytes >> 20) + " MiB");
  }

  void destroy(const DestroyFederation& m) {
    const auto at = federations.find(m.federation);
    if (at == federations.end())
      refuse(Failure::FederationExecutionDoesNotExist,
             "There is no federation named '" + m.federation + "'");
    if (!at->second->federates().empty())
      refuse(Failure::FederatesCurrentlyJoined,
             "'" + m.federation + "' has " + std::to_string(at->second->federates().size()) +
                 " federates, " + at->second->federates().front()->name + " among them");
    federations.erase(at);
    log("federation '" + m.federation + "' is destroyed");
  }

  void list(Line& line) const {
    Federations all;
    for (const auto& [name, f] : federations)
      all.all.push_back({name, f->time_kind(), f->own_time()});
    line.peer->put(frame(all));
  }

  void join(Line& line, Connection c, const Join& m, std::uint32_t sequence) {
    if (line.federate)
      refuse(Failure::FederateAlreadyExecutionMember,
             "The federate has joined '" + line.federation->name() + "' already");
    const auto at = federations.find(m.federation);
    if (at == federations.end())
      refuse(Failure::FederationExecutionDoesNotExist,
             "There is no federation named '" + m.federation + "'");
    require_room_for(m.modules);
    Joined joined;
    const std::size_t modules = at->second->documents().size();
    Federate& f = at->second->join(m, *line.peer, c, joined);
    line.federation = at->second.get();
    line.federate = &f;
    answer(line, sequence, {}, joined);
    line.federation->sent_joined(f);
    log("federate '" + f.name + "' has joined '" + line.federation->name() + "'");
    if (line.federation->documents().size() > modules) warn_of(*line.federation);
  }

  void resign(Line& line, ResignAction action, std::string_view lost) {
    Federation& of = *line.federation;
    const std::string name = line.federate->name;
    of.resign(*line.federate, action, lost);
    line.federation = nullptr;
    line.federate = nullptr;
    log(lost.empty()
            ? "federate '" + name + "' has resigned from '" + of.name() + "'"
            : "federate '" + name + "' of '" + of.name() + "' is lost: " + std::string(lost));
  }

  // ---- answers

  static void answer(Line& line, std::uint32_t sequence, const Refusal& r) {
    if (sequence != 0) line.peer->put(frame(Answer{r.failure, r.text, {}}, sequence));
  }
  template <class Body>
  static void answer(Line& line, std::uint32_t sequence, const Refusal& r, const Body& body) {
    if (sequence == 0) return;
    Answer a{r.failure, r.text, {}};
    Writer w(a.body);
    w(body);
    line.peer->put(frame(a, sequence));
    if (line.federate && line.federate->service_reporting) line.answered = std::move(a.body);
  }

  template <class M>
  static M read_as(Bytes bytes) {
    M m;
    if (!read(bytes, m)) throw Malformed{};
    return m;
  }

  // ---- requests: those below; Federation::take() serves all others

  void serve(Connection c, std::uint32_t sequence, const CreateFederation& m) {
    create(m);
    answer(lines[c], sequence, {});
  }
  void serve(Connection c, std::uint32_t sequence, const DestroyFederation& m) {
    destroy(m);
    answer(lines[c], sequence, {});
  }
  void serve(Connection c, std::uint32_t sequence, const ListFederations&) {
    answer(lines[c], sequence, {});
    list(lines[c]);
  }
  void serve(Connection c, std::uint32_t sequence, const Join& m) {
    join(lines[c], c, m, sequence);
  }
  void serve(Connection c, std::uint32_t sequence, const Resign& m) {
    require_joined(lines[c]);
    resign(lines[c], m.action, {});
    answer(lines[c], sequence, {});
  }
  void serve(Connection c, std::uint32_t, const Leave&) {
    Line& line = lines[c];
    if (line.federate) resign(line, line.federate->resign, "it has disconnected");
  }
  template <class M>
  void serve(Connection c, std::uint32_t sequence, const M& m) {
    Line& line = lines[c];
    require_joined(line);
    Federation& in = *line.federation;
    in.require_running(M::kind);
    if constexpr (std::is_void_v<AnswerTo<M>>) {
      in.take(*line.federate, m);
      answer(line, sequence, {});
    } else {
      answer(line, sequence, {}, in.take(*line.federate, m));
    }
  }
  static void require_joined(const Line& line) {
    if (!line.federate)
      refuse(Failure::FederateNotExecutionMember, "The federate has not joined a federation");
  }

  /// Sends what the Management Object Model has deferred until after the service.
  void catch_up(Federation& f) {
    Observer* const o = f.observer();
    if (!o->due) return;
    o->catch_up();
    pulsing = std::any_of(federations.begin(), federations.end(),
                          [](const auto& one) { return one.second->observer()->periodic; });
    for (const auto& [c, action] : std::exchange(o->evictions, {})) {
      Line& line = lines[c];
      if (!line.federate || line.federation != &f) continue;
      const Frame request = frame(Resign{action});
      try {
        resign(line, action, {});
        line.peer->put(frame(Served{*request}));
      } catch (const Refusal& r) {
        o->invoked(*line.federate, Kind::resign, *request, {}, &r);
      }
    }
  }

  /// Resigns the federate by its automatic resign directive.
  void evict(const Federation::Stuck& stuck) {
    Line& line = lines[stuck.federate->connection];
    Federation& of = *line.federation;
    resign(line, stuck.federate->resign, stuck.why);
    line.peer->give_up(stuck.why);
    catch_up(of);
  }
  /// After a frame that may have made more messages wait for a federate than is allowed.
  void relieve(Connection c, Federation& f, Kind kind) {
    crowds = crowds || f.crowded();
    while (f.crowded() && lines[c].federate && lines[c].federation == &f) {
      const Federation::Stuck s = f.overflowing(*lines[c].federate, kind);
      if (!s.federate) return;
      evict(s);
    }
  }

  void dispatch(Connection c, const Header& h, Bytes bytes);
  bool take(Connection c, Bytes bytes);
};

void Core::State::dispatch(Connection c, const Header& h, Bytes bytes) {
  const bool known = with_request(h.kind, [&]<class M>() {
    if constexpr (!std::is_same_v<M, Hello> && !std::is_same_v<M, Alive>) {  // the transports'
      M m = read_as<M>(bytes);
      TextCheck check;
      m.fields(check);
      if (!check.good && h.sequence == 0) throw Malformed{};
      if (!check.good) refuse(Failure::RTIinternalError, "a name in the request is not UTF-8");
      serve(c, h.sequence, m);
    }
  });
  if (!known) throw Malformed{};
}

bool Core::State::take(Connection c, Bytes bytes) {
  const auto h = header(bytes);
  if (!h || h->length > longest_request || c >= lines.size() || !lines[c].peer) return false;
  Federation* const in = lines[c].federation;
  try {
    dispatch(c, *h, bytes);
    const Federate* f = lines[c].federate;
    if (f && f->service_reporting && lines[c].federation->observer())
      lines[c].federation->observer()->invoked(*lines[c].federate, h->kind, bytes,
                                               std::exchange(lines[c].answered, {}), nullptr);
    if (Federation* now = in ? in : lines[c].federation) {
      catch_up(*now);
      if (now->crowded()) relieve(c, *now, h->kind);
    }
    return true;
  } catch (const Malformed&) {
    return false;
  } catch (const Refusal& r) {
    answer(lines[c], h->sequence, r);
    const Federate* f = lines[c].federate;
    if (f && (f->service_reporting || f->exception_reporting) && lines[c].federation->observer())
      lines[c].federation->observer()->invoked(*lines[c].federate, h->kind, bytes, {}, &r);
    return true;
  } catch (const std::exception& e) {
    answer(lines[c], h->sequence, {Failure::RTIinternalError, e.what()});
    return true;
  }
}

Core::Core(CoreSettings settings) : state_(std::make_unique<State>(std::move(settings))) {
  state_->lines.resize(1);
}

Core::~Core() = default;

Connection Core::open(Peer& peer) {
  State& s = *state_;
  if (s.unused.empty()) {
    s.lines.push_back({&peer});
    return static_cast<Connection>(s.lines.size() - 1);
  }
  const Connection c = s.unused.back();
  s.unused.pop_back();
  s.lines[c] = {&peer};
  return c;
}

bool Core::take(Connection c, Bytes bytes) noexcept {
  try {
    return state_->take(c, bytes);
  } catch (...) {
    return false;
  }
}

void Core::close(Connection c, std::string_view why) noexcept {
  State& s = *state_;
  if (c == 0 || c >= s.lines.size() || !s.lines[c].peer) return;
  try {
    State::Line& line = s.lines[c];
    if (line.federate)
      s.resign(line, line.federate->resign, why.empty() ? "its connection is closed" : why);
  } catch (...) {
    // out of memory: the others are not told about the resignation
    if (s.lines[c].federate) s.lines[c].federate->peer = &nobody;
  }
  s.lines[c] = {};
  s.unused.push_back(c);
}

Connection Core::pressing(Connection c, Kind next, std::size_t limit, bool waits) const noexcept {
  const State& s = *state_;
  if (c >= s.lines.size() || !s.lines[c].federate) return 0;
  const State::Line& line = s.lines[c];
  for (const Federate* f : line.federation->federates()) {
    if (f->connection != c && f->peer->backlog() > limit) return f->connection;
  }
  const Federate* f = line.federation->pressing(*line.federate, next, waits);
  return f ? f->connection : 0;
}

bool Core::crowded() const noexcept { return state_->crowds; }

bool Core::pulses() const noexcept { return state_->pulsing || state_->crowds; }

void Core::pulse() noexcept {
  try {
    const auto now = std::chrono::steady_clock::now();
    state_->crowds = false;
    for (const auto& [name, f] : state_->federations) {
      f->observer()->pulse(now);
      state_->catch_up(*f);
      for (auto s = f->stuck(now); s.federate; s = f->stuck(now)) state_->evict(s);
      state_->crowds = state_->crowds || f->crowded();
    }
  } catch (...) {
    // a report could not be made
  }
}

}  // namespace vernier::federation
