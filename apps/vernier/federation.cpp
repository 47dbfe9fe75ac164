#include "apps/vernier/federation.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <thread>

#include "apps/vernier/console.hpp"
#include "apps/vernier/interrupt.hpp"
#include "apps/vernier/run_view.hpp"
#include "vernier/base/text.hpp"
#include "vernier/document/document.hpp"
#include "vernier/gateway/spacefom/document.hpp"
#include "vernier/gateway/spacefom/member.hpp"
#include "vernier/gateway/spacefom/recording.hpp"
#include "vernier/run/composition/composition.hpp"

namespace vernier::app {
namespace {

using spacefom::Federate;
using spacefom::Mode;
using spacefom::Objects;
using spacefom::Ticks;

[[noreturn]] void refuse(const std::string& what) { throw ConfigurationError("V1838", what); }

/// Where `vernier rti` listens unless told otherwise.
std::string address(const FederationRequest& a) {
  return a.rti.empty() ? "tcp://127.0.0.1:14321" : a.rti;
}

std::optional<Ticks> end_of(const FederationRequest& a) {
  if (a.until.empty()) return {};
  const auto t = composition::parsed_time(a.until);
  if (!t) refuse(fmt::format("--until must be a time such as 300s or 5min, not \"{}\"", a.until));
  return t->count() / 1000;
}

/// To ask something of a federation that is not there would make one and wait in it.
void expect_running(const FederationRequest& a) {
  const std::vector<std::string> all = spacefom::federations(address(a));
  if (std::find(all.begin(), all.end(), a.what) != all.end()) return;
  refuse(fmt::format("there is no federation {} at {}; there {}", a.what, address(a),
                     all.empty() ? "are none" : "is " + joined(all, ", ")));
}

/// A member that looks, or speaks for us: comes late, steps with the whole federation.
spacefom::Settings visitor(const FederationRequest& a, const char* role) {
  spacefom::Settings s;
  s.federation = a.what;
  s.designator = address(a);
  s.name = fmt::format("vernier-{}-{}", role, getpid());
  s.type = role;
  s.steps.step = 0;  // the least common one
  s.late_only = true;
  s.patience = std::chrono::seconds(30);
  s.notice = [](const std::string& what) { fmt::print(stderr, "{}\n", what); };
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
  const auto take = [&](const std::filesystem::path& path, const std::string& instance) {
    if (auto d = spacefom::read_federate(path, problems)) {
      found.push_back({instance, std::move(*d)});
    }
  };
  if (document::root_element(file) == "federate") {
    take(file, "");
  } else {
    const composition::Composition c = composition::read_composition(file, problems);
    for (const composition::Instance& i : c.instances)
      if (!i.file.empty() && document::root_element(i.file) == "federate") take(i.file, i.name);
  }
  problems.throw_if_errors();
  if (found.empty()) refuse(file + " has no federate");
  return found;
}

// -- showing -------------------------------------------------------------------------------------

std::string vector_text(const frames::Vector3& v, double scale) {
  return fmt::format("{:.3f} {:.3f} {:.3f}", v[0] * scale, v[1] * scale, v[2] * scale);
}

void show_below(const frames::FrameTree& tree, const Objects& objects, const std::string& parent,
                int depth, std::string& text) {
  for (frames::FrameTree::Index i = 0; i < tree.size(); ++i) {
    if (tree.name(i).empty() || tree.parent_name(i) != parent || depth > 50) continue;
    text +=
        fmt::format("{}{}", std::string(static_cast<std::size_t>(2 * depth), ' '), tree.name(i));
    if (depth > 1)
      text += fmt::format("   {} km, {} m/s", vector_text(tree.state(i).position, 1e-3),
                          vector_text(tree.state(i).velocity, 1.0));
    text += "\n";
    for (const auto& [name, e] : objects.known_entities())
      if (e.entity.parent == tree.name(i))
        text += fmt::format("{}* {}   {} km, {} m/s\n",
                            std::string(static_cast<std::size_t>(2 * depth + 2), ' '), name,
                            vector_text(e.entity.state.position, 1e-3),
                            vector_text(e.entity.state.velocity, 1.0));
    show_below(tree, objects, tree.name(i), depth + 1, text);
  }
}

std::string view(const Federate& f, const Objects& objects) {
  std::string text = fmt::format(
      "{} · {} · logical time {:.3f} s · federates {}\n", f.settings().federation,
      spacefom::word(f.mode()), static_cast<double>(f.granted()) * 1e-6, joined(f.members(), ", "));
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

int watch(const FederationRequest& a) {
  const auto end = end_of(a);
  Federate f(visitor(a, "watcher"));
  f.name_keepers(true);
  Objects objects(f);
  objects.subscribe_frames();
  objects.subscribe_entities();
  objects.subscribe_interfaces();
  const Interruptible stop(stopper(), &f);
  bool on = f.join() && f.begin();
  while (on) {
    on = f.step();
    if (!on || (end && f.granted() - f.started() >= *end)) break;
    if (!end) fmt::print("{}\n", view(f, objects));
    std::fflush(stdout);
  }
  if (end) fmt::print("{}", view(f, objects));
  if (!f.farewell().empty()) fmt::print("{}\n", harmless(f.farewell()));
  return Interruptible::interrupted() ? status::interrupted : status::good;
}

int ask(const FederationRequest& a) {
  const Mode wanted = a.whom == "run"        ? Mode::running
                      : a.whom == "freeze"   ? Mode::freeze
                      : a.whom == "shutdown" ? Mode::shutdown
                                             : Mode::uninitialized;
  if (wanted == Mode::uninitialized)
    refuse(fmt::format("a federation can be asked to run, freeze or shutdown, not \"{}\"", a.whom));
  Federate f(visitor(a, "operator"));
  const Interruptible stop(stopper(), &f);
  if (!f.join()) return status::good;
  f.send_request(wanted);
  return status::good;
}

int record(const FederationRequest& a) {
  const auto end = end_of(a);
  const std::string file = a.output.empty() ? a.what + ".federation" : a.output;
  std::ofstream out(file, std::ios::binary);
  if (!out) cannot_write(file);
  Federate f(visitor(a, "recorder"));
  spacefom::Objects classes(f);  // for what it subscribes
  classes.subscribe_frames();
  classes.subscribe_entities();
  classes.subscribe_interfaces();
  spacefom::Recorder recorder(f, out);
  const Interruptible stop(stopper(), &f);
  bool on = f.join() && f.begin();
  while (on && !(end && f.granted() - f.started() >= *end)) on = f.step();
  out.close();
  if (!out) cannot_write(file);
  fmt::print("{}: {} updates of {} objects\n", file, recorder.updates(), recorder.objects());
  return status::good;
}

int replay(const FederationRequest& a) {
  std::ifstream in(a.what, std::ios::binary);
  if (!in) refuse("cannot read " + a.what);
  const auto recording = spacefom::read_recording(in);
  if (!recording) refuse(a.what + ", " + recording.error());
  spacefom::Settings s;
  s.federation = a.whom.empty() ? recording->federation : a.whom;
  s.designator = address(a);
  s.name = s.type = "Replay";
  s.master = s.pacing = s.root_publisher = true;
  s.steps.step = s.steps.least_common = recording->least_common;
  s.epoch = recording->epoch;
  Federate f(s);
  spacefom::Replayer replayer(f, *recording);
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

int join(const FederationRequest& a, const Invocation& invocation) {
  if (a.dry_run) {
    bool first = true;
    for (Found& f : documents_in(a.document)) {
      if (!a.rti.empty()) f.document.settings.designator = a.rti;
      fmt::print("{}{}", first ? "" : "\n", spacefom::summary(f.document));
      first = false;
    }
    return status::good;
  }
  session::Options o;
  if (!a.rti.empty()) {
    for (const Found& f : documents_in(a.document)) {
      if (!f.instance.empty()) o.changes.set.push_back(f.instance + ".rti=" + a.rti);
    }
  }
  o.changes.set.insert(o.changes.set.end(), a.set.begin(), a.set.end());
  if (!a.until.empty()) o.changes.until = std::chrono::microseconds(*end_of(a));
  o.runs = a.out;
  o.version = version();
  o.command = {"vernier"};
  o.command.insert(o.command.end(), invocation.words.begin(), invocation.words.end());
  return run_and_show(a.document, std::move(o), a.json ? Show::json : Show::everything).status;
}

}  // namespace

int federation_work(const FederationRequest& a, const Invocation& invocation) {
  const bool takes_document = a.action == "create" || a.action == "join";
  if (takes_document && a.document.empty()) refuse("say as whom: --as DOCUMENT");
  if (!takes_document && a.action != "list" && a.what.empty())
    refuse(a.action == "replay" ? "name the recording" : "name the federation");
  if (a.action == "join") return join(a, invocation);
  if (a.action == "create") {
    spacefom::Settings s = documents_in(a.document).front().document.settings;
    if (!a.rti.empty()) s.designator = a.rti;
    spacefom::create_federation(s);
    fmt::print("{}\n", s.federation);
    return status::good;
  }
  if (a.action == "list") {
    const std::vector<std::string> all = spacefom::federations(address(a));
    for (const std::string& name : all) fmt::print("{}\n", harmless(name));
    if (all.empty()) fmt::print(stderr, "there are no federations at {}\n", address(a));
    return status::good;
  }
  if (a.action == "ask" || a.action == "resign") expect_running(a);
  if (a.action == "watch") return watch(a);
  if (a.action == "ask") return ask(a);
  if (a.action == "record") return record(a);
  if (a.action == "replay") return replay(a);
  if (a.whom.empty()) refuse("name the federate that shall leave");
  spacefom::expel(visitor(a, "operator"), a.whom);
  return status::good;
}

}  // namespace vernier::app
