#include "apps/vernier/federation.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <numbers>
#include <thread>

#include "apps/vernier/console.hpp"
#include "apps/vernier/interrupt.hpp"
#include "apps/vernier/run_view.hpp"
#include "apps/vernier/table.hpp"
#include "vernier/base/temporary_folder.hpp"
#include "vernier/base/text.hpp"
#include "vernier/document/document.hpp"
#include "vernier/gateway/fom/decode.hpp"
#include "vernier/gateway/fom/merge.hpp"
#include "vernier/gateway/fom/reader.hpp"
#include "vernier/gateway/fom/writer.hpp"
#include "vernier/gateway/spacefom/document.hpp"
#include "vernier/gateway/spacefom/federate_component.hpp"
#include "vernier/gateway/spacefom/recording.hpp"
#include "vernier/kernel/frames/dates.hpp"
#include "vernier/run/composition/composition.hpp"
#include "vernier/run/composition/sources.hpp"

namespace vernier::app {
namespace {

using spacefom::Federate;
using spacefom::Mode;
using spacefom::Objects;
using spacefom::Ticks;

[[noreturn]] void refuse_federation(const std::string& what) {
  throw ConfigurationError("V1838", what);
}

/// The default address of `vernier rti`.
std::string address(const FederationRequest& a) {
  return a.rti.empty() ? "tcp://127.0.0.1:14321" : a.rti;
}

std::optional<Ticks> end_of(const FederationRequest& a) {
  if (a.until.empty()) return {};
  const auto t = composition::parsed_time(a.until);
  if (!t)
    refuse_federation(
        fmt::format("--until must be a time such as 300s or 5min, not \"{}\"", a.until));
  return t->count() / 1000;
}

[[noreturn]] void refuse_federation(const std::string& what, std::string_view word,
                                    const std::vector<std::string>& known,
                                    const std::string& note = {}) {
  Diagnostics d;
  Diagnostic& e = d.error("V1838", what, {});
  if (const auto near = closest(word, known)) e.notes.push_back("did you mean " + *near + "?");
  if (!note.empty()) e.notes.push_back(note);
  throw ConfigurationError(d);
}

std::chrono::milliseconds waiting(const FederationRequest& a, double otherwise) {
  return std::chrono::milliseconds(std::llround(1e3 * a.wait.value_or(otherwise)));
}

void tell(const std::string& what) { fmt::print(stderr, "{}\n", what); }

/// A request to a federation that does not exist would create it and wait in it. Instead waits for
/// it (and the RTI) as long as requested.
void expect_running(const FederationRequest& a, double otherwise) {
  using Clock = std::chrono::steady_clock;
  const auto most = waiting(a, otherwise);
  const auto end = Clock::now() + most;
  auto told = Clock::now() + std::chrono::seconds(1);
  while (true) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now());
    const std::vector<std::string> all =
        spacefom::federations(address(a), std::max(left, std::chrono::milliseconds(0)), tell);
    if (std::find(all.begin(), all.end(), a.what) != all.end()) return;
    if (Clock::now() >= end || Interruptible::interrupted())
      refuse_federation(
          fmt::format("there is no federation {} at {}", a.what, address(a)), a.what, all,
          all.empty() ? "there are none; a federate that joins makes one: vernier federate join"
                      : "there is " + joined(all, ", "));
    if (Clock::now() >= told) {
      told = Clock::now() + std::chrono::seconds(3);
      tell(fmt::format("waiting for the federation {}, at most {:g} s", a.what,
                       static_cast<double>(most.count()) * 1e-3));
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
  }
}

/// A federate that observes or acts for the user: joins late, steps with the whole federation.
spacefom::Settings visitor(const FederationRequest& a, const char* role) {
  spacefom::Settings s;
  s.federation = a.what;
  s.designator = address(a);
  s.name = fmt::format("vernier-{}-{}", role, getpid());
  s.type = role;
  s.steps.step = 0;  // the least common time step
  s.late_only = true;
  s.patience = std::chrono::seconds(30);
  s.wait = waiting(a, 0.0);
  s.notice = tell;
  return s;
}

Interruptible::Stop stopper() {
  return [](void* f) noexcept { static_cast<Federate*>(f)->interrupt(); };
}

struct Found {
  std::string instance;  // in a composition
  spacefom::FederateDocument document;
};

/// The federate documents of a file: itself, or the connectors of a composition.
std::vector<Found> documents_in(const std::string& file) {
  Diagnostics problems;
  std::vector<Found> found;
  const composition::Composition c = composition::read_composition(file, catalogue(), problems);
  for (const composition::Instance& i : c.instances) {
    const std::string* content = i.file.empty() ? nullptr : c.sources->content(i.file, problems);
    if (!content || document::root_element(*content) != spacefom::grammar().root) continue;
    if (auto d = spacefom::parse_federate(*content, i.file, problems))
      found.push_back({i.file == c.file ? "" : i.name, std::move(*d)});
  }
  problems.throw_if_errors();
  if (found.empty()) refuse_federation(file + " has no federate");
  return found;
}

// -- showing -------------------------------------------------------------------------------------

/// Position relative to the parent, velocity and rate; empty at rest.
std::string motion_text(const frames::FrameState& s) {
  const double far = s.position.norm(), fast = s.velocity.norm();
  const double turn = s.rate.norm() * 180.0 / std::numbers::pi;
  std::vector<std::string> parts;
  if (far > 0.0)
    parts.push_back(far < 1e4 ? fmt::format("{:.3f} m away", far)
                              : fmt::format("{:.3f} km away", far * 1e-3));
  if (fast > 0.0)
    parts.push_back(fast < 1e3 ? fmt::format("{:.3f} m/s", fast)
                               : fmt::format("{:.3f} km/s", fast * 1e-3));
  if (turn > 0.0)
    parts.push_back(turn < 0.1 ? fmt::format("turns {:.4f} °/h", turn * 3600.0)
                               : fmt::format("turns {:.3f} °/s", turn));
  return joined(parts, ", ");
}

void show_federation_line(int depth, const std::string& name, const frames::FrameState* state,
                          std::string& text) {
  const std::string label = std::string(static_cast<std::size_t>(2 * depth), ' ') + name;
  const std::string motion = state ? motion_text(*state) : "";
  text += (motion.empty() ? label : padded(label, 42) + "  " + motion) + "\n";
}

void show_below(const frames::FrameTree& tree, const Objects& objects, const std::string& parent,
                int depth, std::string& text) {
  for (frames::FrameTree::Index i = 0; i < tree.size(); ++i) {
    if (tree.name(i).empty() || tree.parent_name(i) != parent || depth > 50) continue;
    show_federation_line(depth, tree.name(i), depth > 1 ? &tree.state(i) : nullptr, text);
    for (const auto& [name, e] : objects.known_entities())
      if (e.entity.parent == tree.name(i))
        show_federation_line(depth + 1, "* " + name, &e.entity.state, text);
    show_below(tree, objects, tree.name(i), depth + 1, text);
  }
}

/// "running", "frozen"; before its own mode is known, the Master's.
std::string_view mode_text(const Federate& f) {
  const Mode own = f.mode(), m = own == Mode::uninitialized ? f.configuration().current : own;
  return m == Mode::freeze ? "frozen" : m == Mode::shutdown ? "shut down" : spacefom::word(m);
}

std::string seconds_text(Ticks t) {
  return t < 0 ? "?" : fmt::format("{:.3f} s", static_cast<double>(t) * 1e-6);
}

/// The federate that others wait for: the one that could send earliest and has not requested an
/// advance.
std::string holding_back(const std::vector<spacefom::Peer>& peers) {
  const spacefom::Peer* first = nullptr;
  bool waited_for = false;
  for (const spacefom::Peer& p : peers) {
    waited_for |= p.advancing;
    if (p.regulating && (!first || p.time + p.lookahead < first->time + first->lookahead))
      first = &p;
  }
  return first && waited_for && !first->advancing ? first->name : "";
}

std::string view(const Federate& f, const Objects& objects, double rate) {
  const spacefom::Configuration& c = f.configuration();
  std::string text =
      fmt::format("{} · {}{} · logical time {}", f.settings().federation, mode_text(f),
                  c.next != c.current ? fmt::format(", going to {}", spacefom::word(c.next)) : "",
                  seconds_text(f.granted()));
  text += fmt::format(
      " · {} TT",
      frames::date_text(frames::reading(frames::scenario_instant(f.scenario_time(f.granted())),
                                        frames::Scale::tt),
                        3));
  if (rate > 0.0) text += fmt::format(" · {:.3g} s per s", rate);
  text += "\n\n";
  Table t;
  t.row({"federate", "type", "role", "time", "lookahead", ""});
  const std::vector<spacefom::Peer> peers = f.peers();
  const std::string slow = holding_back(peers);
  for (const spacefom::Peer& p : peers) {
    if (p.name == f.settings().name) continue;
    std::vector<std::string> roles;
    if (p.master) roles.emplace_back("Master");
    if (p.root_publisher) roles.emplace_back("root frame");
    t.row({p.name, p.type, joined(roles, ", "),
           !p.known                        ? "not known yet"
           : p.regulating || p.constrained ? seconds_text(p.time)
                                           : "not managed",
           p.regulating ? seconds_text(p.lookahead) : "",
           p.name == slow ? "others wait for it"
           : p.advancing  ? "waits"
                          : ""});
  }
  text += t.text("  ") + "\n";
  show_below(objects.tree(), objects, "", 1, text);
  for (const spacefom::Keeper& k : f.keepers())
    if (!k.name.empty())
      text += fmt::format("  held by {} in {} step{}, at most {:.3f} s\n", k.name, k.steps,
                          k.steps == 1 ? "" : "s", static_cast<double>(k.longest) * 1e-9);
  for (const std::string& p : objects.problems()) text += "  problem: " + p + "\n";
  if (objects.malformed() > 0)
    text += fmt::format("  {} values could not be read, the last was {}\n", objects.malformed(),
                        objects.last_malformed());
  return harmless(std::move(text), true);
}

// -- actions -------------------------------------------------------------------------------------

int watch_federation(const FederationRequest& a) {
  const auto end = end_of(a);
  expect_running(a, 5.0);
  spacefom::Settings s = visitor(a, "watcher");
  s.observes = true;
  Federate f(s);
  f.name_keepers(true);
  Objects objects(f);
  objects.subscribe_frames();
  objects.subscribe_entities();
  objects.subscribe_interfaces();
  const Interruptible stop(stopper(), &f);
  bool on = f.join() && f.begin();
  // once per second, in place on a terminal; MOM values are requested before
  using Clock = std::chrono::steady_clock;
  const bool terminal = isatty(STDOUT_FILENO) == 1;
  auto shown = Clock::now() - std::chrono::seconds(1);
  Ticks at = -1;
  bool asked = false;
  while (on) {
    if (end || Clock::now() - shown >= std::chrono::milliseconds(800)) {
      f.look_around();
      asked = true;
    }
    on = f.step();
    if (!on || (end && f.granted() - f.started() >= *end)) break;
    const double wall = std::chrono::duration<double>(Clock::now() - shown).count();
    if (end || !asked || wall < 1.0) continue;
    const double rate = at < 0 ? 0.0 : static_cast<double>(f.granted() - at) * 1e-6 / wall;
    fmt::print("{}{}\n", terminal ? "\x1b[H\x1b[2J" : "", view(f, objects, rate));
    std::fflush(stdout);
    shown = Clock::now();
    at = f.granted();
    asked = false;
  }
  if (end) fmt::print("{}", view(f, objects, 0.0));
  if (!f.farewell().empty()) fmt::print("{}\n", harmless(f.farewell()));
  return Interruptible::interrupted() ? status::interrupted : status::good;
}

int ask(const FederationRequest& a) {
  const Mode wanted = a.whom == "run"        ? Mode::running
                      : a.whom == "freeze"   ? Mode::freeze
                      : a.whom == "shutdown" ? Mode::shutdown
                                             : Mode::uninitialized;
  if (wanted == Mode::uninitialized)
    refuse_federation(a.whom.empty()
                          ? "say what it shall do: run, freeze or shutdown"
                          : fmt::format("a federation can be asked to run, freeze or shutdown, not "
                                        "\"{}\"",
                                        a.whom),
                      a.whom, {"run", "freeze", "shutdown"});
  expect_running(a, 0.0);
  Federate f(visitor(a, "operator"));
  const Interruptible stop(stopper(), &f);
  if (!f.join()) return status::good;
  f.send_request(wanted);
  fmt::print("{} was asked to {}; it is {}\n", a.what, a.whom, mode_text(f));
  return status::good;
}

int record(const FederationRequest& a) {
  const auto end = end_of(a);
  expect_running(a, 5.0);
  const std::string file = a.output.empty() ? a.what + ".federation" : a.output;
  std::ofstream out(file, std::ios::binary);
  if (!out) cannot_write(file);
  // all classes of the federation's FOM; those of the SpaceFOM if the RTI does not provide it
  const std::string document = spacefom::current_fom(visitor(a, "reader"));
  Diagnostics problems;
  std::optional<fom::Fom> fom;
  if (const auto module = fom::parse_module(document, "FOM of " + a.what, problems))
    fom = fom::merge({&*module, 1}, fom::standard_mim(), problems);
  Federate f(visitor(a, "recorder"));
  spacefom::Objects classes(f);  // for its subscriptions
  spacefom::FederationRecorder recorder(f, out);
  if (fom) {
    recorder.keep_all(*fom, fom::written(*fom, a.what));
  } else {
    tell("the RTI does not give the FOM of " + a.what + ": only classes of the SpaceFOM are kept");
    classes.subscribe_frames();
    classes.subscribe_entities();
    classes.subscribe_interfaces();
  }
  const Interruptible stop(stopper(), &f);
  bool on = f.join() && f.begin();
  while (on && !(end && f.granted() - f.started() >= *end)) on = f.step();
  out.close();
  if (!out) cannot_write(file);
  fmt::print("{}: {} updates of {} objects, {} interactions\n", file, recorder.updates(),
             recorder.objects(), recorder.interactions());
  return status::good;
}

spacefom::Recording recorded(const FederationRequest& a) {
  std::ifstream in(a.what, std::ios::binary);
  if (!in) {
    std::vector<std::string> files;
    std::error_code none;
    const std::filesystem::path folder = std::filesystem::path(a.what).parent_path();
    for (const auto& f : std::filesystem::directory_iterator(folder.empty() ? "." : folder, none))
      if (f.path().extension() == ".federation")
        files.push_back((folder / f.path().filename()).string());
    std::sort(files.begin(), files.end());
    refuse_federation("cannot read the recording " + a.what, a.what, files,
                      files.empty() ? "make one with: vernier federate record FEDERATION"
                                    : "there is " + joined(files, ", "));
  }
  auto recording = spacefom::read_recording(in);
  if (!recording) refuse_federation(a.what + ", " + recording.error());
  return std::move(*recording);
}

/// One line for each value: time, what, value; an interaction in one.
int values(const FederationRequest& a) {
  const spacefom::Recording r = recorded(a);
  Diagnostics problems;
  std::vector<fom::Module> modules;
  if (r.fom.empty()) {
    for (const std::string& name : fom::spacefom_modules()) modules.push_back(*fom::built_in(name));
  } else if (auto module = fom::parse_module(r.fom, a.what, problems)) {
    modules.push_back(std::move(*module));
  }
  const auto f = fom::merge(modules, fom::standard_mim(), problems);
  if (!f) throw ConfigurationError(problems);
  const auto text = [&](std::optional<int> at, const auto& all, const spacefom::Octets& bytes) {
    if (at)
      if (auto shown = fom::decoded(*f, all[static_cast<std::size_t>(*at)].data_type.name, bytes))
        return *shown;
    return fmt::format("{} bytes", bytes.size());
  };
  const auto wanted = [&](const std::string& name) { return a.whom.empty() || a.whom == name; };
  std::vector<std::string> known;
  for (const auto& o : r.objects) known.push_back(o.name);
  for (const auto& i : r.interactions) known.push_back(i.interaction_class);
  if (std::none_of(known.begin(), known.end(), wanted))
    refuse_federation("there is no " + a.whom + " in the recording", a.whom, known);
  std::size_t next = 0;
  const auto interactions_to = [&](spacefom::Ticks end) {
    for (; next < r.sent.size() && r.sent[next].stamp < end; ++next) {
      const auto& i = r.interactions[r.sent[next].interaction];
      if (!wanted(i.interaction_class)) continue;
      const auto of = f->interaction_class(i.interaction_class);
      std::string line;
      for (const auto& [p, bytes] : r.sent[next].values) {
        const std::string& name = i.parameters[p];
        line +=
            fmt::format("{}{}: {}", line.empty() ? "" : ", ", name,
                        text(of ? f->parameter(*of, name) : std::nullopt, f->parameters, bytes));
      }
      fmt::print("{:.6f}  {}  {{{}}}\n", static_cast<double>(r.sent[next].stamp) * 1e-6,
                 harmless(i.interaction_class), line);
    }
  };
  for (const auto& u : r.updates) {
    const auto& o = r.objects[u.object];
    if (!wanted(o.name)) continue;
    interactions_to(u.stamp);
    const std::string& name = o.attributes[u.attribute];
    const auto of = f->object_class(o.object_class);
    fmt::print("{:.6f}  {}.{}  {}\n", static_cast<double>(u.stamp) * 1e-6, harmless(o.name),
               harmless(name),
               text(of ? f->attribute(*of, name) : std::nullopt, f->attributes, u.bytes));
  }
  interactions_to(std::numeric_limits<spacefom::Ticks>::max());
  return status::good;
}

int replay(const FederationRequest& a) {
  const spacefom::Recording recording = recorded(a);
  spacefom::Settings s;
  s.federation = a.whom.empty() ? recording.federation : a.whom;
  s.designator = address(a);
  s.name = s.type = "Replay";
  s.master = s.pacing = s.root_publisher = true;
  s.steps.step = s.steps.least_common = recording.least_common;
  s.epoch = recording.epoch;
  s.wait = waiting(a, 5.0);
  s.notice = tell;
  const TemporaryFolder folder;
  if (!recording.fom.empty()) {
    s.modules.push_back((folder.path() / "recorded.xml").string());
    if (!(std::ofstream(s.modules.back(), std::ios::binary) << recording.fom))
      cannot_write(s.modules.back());
  }
  Federate f(s);
  spacefom::Replayer replayer(f, recording);
  const Interruptible stop(stopper(), &f);
  bool on = f.join() && f.begin();
  const auto began = std::chrono::steady_clock::now();
  while (on && !replayer.finished()) {
    on = f.step();
    if (a.rate > 0.0)
      std::this_thread::sleep_until(began + std::chrono::microseconds(static_cast<std::int64_t>(
                                                static_cast<double>(f.granted()) / a.rate)));
  }
  fmt::print("{}: replayed {:.3f} s\n", s.federation, static_cast<double>(f.granted()) * 1e-6);
  return Interruptible::interrupted() ? status::interrupted : status::good;
}

/// What would join, and how.
int show_members(const FederationRequest& a) {
  bool first = true;
  for (Found& f : documents_in(a.document)) {
    if (!a.rti.empty()) f.document.settings.designator = a.rti;
    fmt::print("{}{}", first ? "" : "\n", spacefom::summary(f.document));
    first = false;
  }
  return status::good;
}

int join(const FederationRequest& a, const Invocation& invocation) {
  session::Options o;
  for (const Found& f : documents_in(a.document)) {
    if (f.instance.empty()) continue;
    if (!a.rti.empty()) o.changes.set.push_back(f.instance + ".rti=" + a.rti);
    o.changes.set.push_back(fmt::format("{}.wait={}", f.instance, a.wait.value_or(5.0)));
  }
  o.changes.set.insert(o.changes.set.end(), a.set.begin(), a.set.end());
  if (!a.until.empty()) o.changes.until = std::chrono::microseconds(*end_of(a));
  o.runs = a.out;
  o.version = version();
  o.command = {"vernier"};
  o.command.insert(o.command.end(), invocation.words.begin(), invocation.words.end());
  return run_and_show(a.document, std::move(o), running_catalogue(a.permissions),
                      a.json ? Show::json : Show::everything)
      .status;
}

}  // namespace

std::span<const FederateAction> federate_actions() {
  static constexpr FederateAction all[]{
      {"list", "", "the federations at the RTI"},
      {"watch", "FEDERATION", "its federates, their times, who holds the others up, its frames"},
      {"join", "--as DOCUMENT", "be a member, in the run of a composition"},
      {"create", "--as DOCUMENT", "make the federation without joining it"},
      {"ask", "FEDERATION run|freeze|shutdown", "ask its Master for a mode"},
      {"resign", "FEDERATION FEDERATE", "make a federate leave"},
      {"record", "FEDERATION", "write all its updates and interactions into a file"},
      {"replay", "RECORDING [FEDERATION]", "be Master, and send what was recorded"},
      {"values", "RECORDING [NAME]", "show what was recorded, of all or of one object"},
      {"fom check", "MODULE…", "say what is wrong with FOM modules"},
      {"fom show", "MODULE…", "show classes and data types; spacefom: those of the SpaceFOM"},
      {"fom merge", "MODULE…", "make one of several"}};
  return all;
}

int federation_work(const FederationRequest& a, const Invocation& invocation) {
  const bool takes_document = a.action == "create" || a.action == "join";
  if (takes_document && a.document.empty())
    refuse_federation("give the federate document: --as DOCUMENT");
  if (!takes_document && a.action != "list" && a.what.empty())
    refuse_federation(a.action == "replay" || a.action == "values"
                          ? "name the recording"
                          : "name the federation; vernier federate list shows them");
  if (a.action == "join" && a.dry_run) return show_members(a);
  if (a.action == "join") return run_or_explain(a.json, [&] { return join(a, invocation); });
  if (a.action == "create") {
    spacefom::Settings s = documents_in(a.document).front().document.settings;
    if (!a.rti.empty()) s.designator = a.rti;
    if (s.designator.empty()) s.designator = address(a);
    s.wait = waiting(a, 5.0);
    s.notice = tell;
    spacefom::create_federation(s);
    fmt::print("{} is there, at {}, without members; it ends when the last that joined leaves\n",
               s.federation, s.designator);
    return status::good;
  }
  if (a.action == "list") {
    const std::vector<std::string> all = spacefom::federations(address(a), waiting(a, 0.0), tell);
    for (const std::string& name : all) fmt::print("{}\n", harmless(name));
    if (all.empty()) fmt::print(stderr, "there are no federations at {}\n", address(a));
    return status::good;
  }
  if (a.action == "watch") return watch_federation(a);
  if (a.action == "ask") return ask(a);
  if (a.action == "record") return record(a);
  if (a.action == "replay") return replay(a);
  if (a.action == "values") return values(a);
  if (a.whom.empty()) refuse_federation("name the federate that shall leave");
  expect_running(a, 0.0);
  spacefom::expel(visitor(a, "operator"), a.whom);
  fmt::print("{} has left {}\n", a.whom, a.what);
  return status::good;
}

}  // namespace vernier::app
