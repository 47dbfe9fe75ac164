#include <algorithm>
#include <fstream>
#include <thread>

#include "vernier/base/require.hpp"
#include "vernier/base/text.hpp"
#include "vernier/document/document.hpp"
#include "vernier/gateway/fom/reader.hpp"
#include "vernier/gateway/spacefom/detail/waiting.hpp"
#include "vernier/kernel/frames/scales.hpp"

namespace vernier::spacefom {

using detail::Class;
using detail::Event;
using detail::exco_name;
using detail::Role;
using detail::Stage;
using detail::TimeManagement;

namespace {

Settings completed(Settings s) {
  if (s.pacing) s.pacer = s.name;
  return s;
}

}  // namespace

Federate::Work::Work(Settings s, AmbassadorMaker maker)
    : settings(completed(std::move(s))),
      make_ambassador_(maker ? std::move(maker) : AmbassadorMaker(standard_ambassador)),
      peers_(mirror, settings),
      federation_(mirror.add("HLAobjectRoot.HLAmanager.HLAfederation", {"HLAautoProvide"},
                             detail::Class::Concern::federation)) {
  execution_.exco = &mirror.add(detail::exco_class, detail::Execution::attributes(),
                                detail::Class::Concern::configuration);
  configuration().epoch = settings.epoch;
  configuration().least_common = settings.steps.least_common;
}

Federate::Work::~Work() { resign(); }

double Federate::Work::scenario_time(Ticks t) const noexcept {
  return frames::scenario_time(configuration().epoch, t).value_or(configuration().epoch);
}

void Federate::Work::enter(Stage next) {
  require(static_cast<int>(next) == static_cast<int>(stage_) + 1);
  stage_ = next;
}

std::unique_ptr<rti1516e::RTIambassador> standard_ambassador() {
  // some installations return an auto_ptr
  return std::unique_ptr<rti1516e::RTIambassador>(
      rti1516e::RTIambassadorFactory().createRTIambassador().release());
}

// -- connection ----------------------------------------------------------------------------------

void Federate::Work::connect() {
  const auto failed = [&](const rti1516e::Exception& e) {
    Diagnostics d;
    d.error("V5320",
            settings.name + " does not reach the RTI" +
                (settings.designator.empty() ? "" : " at " + settings.designator) + ": " +
                narrow(e.what()),
            {})
        .notes.push_back("start one with: vernier rti");
    return ConfigurationError(d);
  };
  rti_ = make_ambassador_();
  const std::wstring where = wide(settings.designator);
  evoked = settings.evoked;
  const auto attempt = [&] {
    if (!evoked) {
      try {
        rti().connect(ambassador_, rti1516e::HLA_IMMEDIATE, where);
      } catch (const rti1516e::UnsupportedCallbackModel&) {
        evoked = true;
      }
    }
    if (evoked) rti().connect(ambassador_, rti1516e::HLA_EVOKED, where);
  };
  using Clock = std::chrono::steady_clock;
  const auto began = Clock::now();
  Clock::duration silent = std::chrono::seconds(1);  // until the next notice
  while (true) {
    try {
      attempt();
      break;
    } catch (const rti1516e::ConnectionFailed& e) {
      if (Clock::now() - began >= settings.wait || interrupted.load()) throw failed(e);
    } catch (const rti1516e::Exception& e) {
      throw failed(e);
    }
    if (settings.notice && Clock::now() - began >= silent) {
      silent += std::chrono::seconds(3);
      settings.notice(settings.name + " waits for the RTI at " + settings.designator +
                      ", at most " + std::to_string((settings.wait.count() + 999) / 1000) + " s");
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  enter(Stage::connected);
}

// the SpaceFOM modules are embedded in the program, but other RTIs read files
std::vector<std::wstring> Federate::Work::module_files() {
  if (!modules_) modules_.emplace();
  std::vector<std::wstring> files;
  for (const std::string& name : fom::spacefom_modules()) {
    const std::filesystem::path file = *modules_ / (name + ".xml");
    std::ofstream out(file, std::ios::binary);
    out << fom::built_in(name)->source->content();
    out.close();
    if (!out) throw ConfigurationError("V5322", "cannot write " + file.string());
    files.push_back(wide(file.string()));
  }
  for (const std::string& file : settings.modules)
    files.push_back(wide(std::filesystem::absolute(file).string()));
  return files;
}

void Federate::Work::create_and_join() {
  const std::wstring federation = wide(settings.federation);
  const std::vector<std::wstring> files = module_files();
  try {  // remains of a federation without members
    rti().destroyFederationExecution(federation);
  } catch (const rti1516e::FederatesCurrentlyJoined&) {
  } catch (const rti1516e::FederationExecutionDoesNotExist&) {
  }
  for (int attempt = 0;; ++attempt) {
    try {
      rti().createFederationExecution(federation, files, L"HLAinteger64Time");
    } catch (const rti1516e::FederationExecutionAlreadyExists&) {
    } catch (const rti1516e::Exception& e) {
      throw ConfigurationError("V5322", "the federation " + settings.federation +
                                            " cannot be created: " + narrow(e.what()));
    }
    try {
      rti().joinFederationExecution(wide(settings.name), wide(settings.type), federation, files);
      break;
    } catch (const rti1516e::FederationExecutionDoesNotExist& e) {
      // another federate destroyed it meanwhile
      if (attempt == 20)
        throw ConfigurationError("V5322", settings.name + " cannot join " + settings.federation +
                                              ": " + narrow(e.what()));
    } catch (const rti1516e::FederateNameAlreadyInUse&) {
      throw ConfigurationError("V5322", "there is a federate " + settings.name + " in " +
                                            settings.federation + " already");
    } catch (const rti1516e::Exception& e) {
      throw ConfigurationError(
          "V5322", settings.name + " cannot join " + settings.federation + ": " + narrow(e.what()));
    }
  }
  enter(Stage::joined);
  require_integer_time();
  rti().enableAsynchronousDelivery();
}

void Federate::Work::require_integer_time() {
  const std::string kind = narrow(rti().getTimeFactory()->getName());
  if (kind == "HLAinteger64Time") return;
  throw ConfigurationError("V5322", "the federation " + settings.federation + " counts time as " +
                                        kind + ", a SpaceFOM federation as HLAinteger64Time");
}

void Federate::Work::resign() noexcept {
  if (!rti_) return;
  const auto quietly = [](auto f) {
    try {
      f();
    } catch (const rti1516e::Exception&) {
    } catch (const std::exception&) {
    }
  };
  if (joined() && !ending.connection_lost) {
    if (settings.master && role_ != Role::unknown && !ending.shutdown)
      quietly([&] { shut_down(); });
    quietly([&] { rti().resignFederationExecution(rti1516e::CANCEL_THEN_DELETE_THEN_DIVEST); });
    quietly([&] { rti().destroyFederationExecution(wide(settings.federation)); });
  }
  if (stage_ >= Stage::connected) quietly([&] { rti().disconnect(); });
  stage_ = Stage::apart;
  rti_.reset();
}

// -- callbacks -----------------------------------------------------------------------------------

std::optional<Event> Federate::Work::next_event(std::chrono::milliseconds nap) {
  constexpr std::chrono::milliseconds at_once{0};
  if (auto event = inbox.take(at_once)) return event;
  answer();
  if (!evoked) return inbox.take(nap);
  rti().evokeCallback(std::chrono::duration<double>(nap).count());
  return inbox.take(at_once);
}

// While time advances, requested values are sent with the next step, so that no value is received
// before its time; while it is frozen, at once.
void Federate::Work::answer() {
  if (execution_.wanted && configuration().has_modes) {
    execution_.wanted = false;
    send_configuration();
  }
  if (stage_ == Stage::taking_part && mode == Mode::running) return;
  own.answer(rti());
}

void Federate::Work::handle(Event& e) {
  const std::string text = narrow(e.text);
  switch (e.kind) {
    case Event::Kind::lost:
      ending.connection_lost = text;
      break;
    case Event::Kind::registered:
    case Event::Kind::not_registered:
      points_.end_registration(text, e.kind == Event::Kind::registered);
      break;
    case Event::Kind::announced:
      announced(text);
      break;
    case Event::Kind::synchronized:
      points_.synchronize(text);
      break;
    case Event::Kind::reserved:
    case Event::Kind::not_reserved:
      reservations_[text] = e.kind == Event::Kind::reserved;
      break;
    case Event::Kind::discovered:
      discovered(e);
      break;
    case Event::Kind::reflected:
      reflected(e);
      break;
    case Event::Kind::removed:
      removed(e);
      break;
    case Event::Kind::provide:
      provide(e);
      break;
    case Event::Kind::constrained:
      time.enter(TimeManagement::constrained, e.time);
      break;
    case Event::Kind::regulating:
    case Event::Kind::granted:
      time.enter(TimeManagement::managed, e.time);
      break;
    case Event::Kind::owned:
      peers_.owned(rti(), e);
      break;
    case Event::Kind::asked:
      ask(e.mode);
      break;
    case Event::Kind::received:
      received(e);
      break;
    case Event::Kind::executions:
      executions_ = std::move(e.names);
      break;
  }
}

void Federate::Work::announced(const std::string& name) {
  points_.announce(name);
  if (name == label::mtr_shutdown) {
    ending.shut_down("the Master shut the federation down");
    return;
  }
  if (name == label::initialization_completed) return;
  const bool transition = name == label::mtr_run || name == label::mtr_freeze;
  const bool initial =
      name == label::initialization_started || name == label::objects_discovered ||
      name == label::root_frame_discovered ||
      std::find(settings.phases.begin(), settings.phases.end(), name) != settings.phases.end();
  // A federate that is not initialized yet must not block the others; unknown points are achieved
  // at once (rule 8-1).
  const bool ours = transition ? early() || stage_ == Stage::taking_part
                               : initial && !settings.late_only && role_ != Role::late;
  if (!ours) achieve(name);
}

void Federate::Work::discovered(const Event& e) {
  const Class* c = mirror.class_of(e.object_class);
  if (!c) return;
  if (c == execution_.exco) {
    if (narrow(e.text) == exco_name) execution_.object = e.object;
    return;
  }
  const detail::Mirror::Object* o = mirror.discover(e.object, *c, narrow(e.text));
  if (!o) return;
  if (c->concern == Class::Concern::listeners) {
    for (Listener* l : listeners) l->discovered(o->remote);
    return;
  }
  // of federates only the names; more is requested when time is held back
  const auto end =
      c->concern == Class::Concern::federates ? c->handles.begin() + 1 : c->handles.end();
  try {
    rti().requestAttributeValueUpdate(e.object,
                                      rti1516e::AttributeHandleSet(c->handles.begin(), end), {});
  } catch (const rti1516e::ObjectInstanceNotKnown&) {  // removed meanwhile
  }
}

void Federate::Work::reflected(Event& e) {
  if (execution_.known() && e.object == execution_.object && !settings.master) {
    take_configuration(e);
    return;
  }
  detail::Mirror::Object* o = mirror.find(e.object);
  if (!o) return;
  const std::span<const std::size_t> changed = mirror.reflect(*o, e.values, e.time);
  if (o->of->concern == Class::Concern::federates && peers_.looking()) peers_.note_keeper();
  if (o->of->concern != Class::Concern::listeners || changed.empty()) return;
  for (Listener* l : listeners) l->reflected(o->remote, changed);
}

void Federate::Work::received(Event& e) {
  if (const auto lost = peers_.lost(e)) {
    peer_gone(lost->name, lost->why, true);
    return;
  }
  const detail::Interaction& request = requests_.request;
  if (settings.master && e.interaction == request.handle) {
    const Octets* bytes = detail::bytes_of(e.parameters, request.handles[0]);
    const auto wanted = bytes ? read_mode(*bytes) : std::nullopt;
    if (wanted) command(*wanted);
    return;
  }
  for (std::size_t k = 0; k < heard.size(); ++k) {
    if (heard[k].handle != e.interaction) continue;
    std::vector<Octets> values(heard[k].handles.size());
    for (std::size_t i = 0; i < values.size(); ++i)
      if (const Octets* bytes = detail::bytes_of(e.parameters, heard[k].handles[i]))
        values[i] = *bytes;
    for (Listener* l : listeners) l->received(k, values, e.time);
  }
}

void Federate::Work::removed(const Event& e) {
  if (execution_.known() && e.object == execution_.object) {
    if (configuration().next == Mode::shutdown) {
      ending.shutdown = true;
    } else {
      ending.master_gone = detail::Ending::Clock::now();
    }
    return;
  }
  const detail::Mirror::Object* o = mirror.find(e.object);
  if (!o) return;
  if (o->of->concern == Class::Concern::federates)
    peer_gone(read_string(o->remote.values[0].bytes).value_or(""), "", false);
  if (o->of->concern == Class::Concern::listeners)
    for (Listener* l : listeners) l->removed(o->remote);
  mirror.remove(*o);
}

void Federate::Work::provide(const Event& e) {
  if (settings.master && e.object == execution_.object) {
    execution_.wanted = true;
  } else {
    own.want(e.object, e.wanted);
  }
}

// -- points --------------------------------------------------------------------------------------

void Federate::Work::register_point(const std::string& name,
                                    const rti1516e::FederateHandleSet* set) {
  points_.begin_registration(name);
  if (set) {
    rti().registerFederationSynchronizationPoint(wide(name), {}, *set);
  } else {
    rti().registerFederationSynchronizationPoint(wide(name), {});
  }
  wait([&] { return points_.decided(name); }, [&] { return "the RTI to register " + name; });
}

void Federate::Work::achieve(const std::string& name) {
  if (points_.achieve(name)) rti().synchronizationPointAchieved(wide(name));
}

void Federate::Work::synchronize(const std::string& name) {
  const auto what = [&] { return "all to reach " + name; };
  wait([&] { return points_.announced(name); }, what);
  achieve(name);
  wait([&] { return points_.synchronized(name); }, what);
  points_.pass(name);
}

// -- objects -------------------------------------------------------------------------------------

void Federate::Work::register_own() {
  for (detail::Interaction& i : heard) {
    i.resolve(rti());
    rti().subscribeInteractionClass(i.handle);
  }
  own.publish(rti());
  reserve_names();
  own.register_instances(rti());
  if (settings.master)
    execution_.object = rti().registerObjectInstance(execution_.exco->handle, wide(exco_name));
}

// Names are unique in the federation (rules 5-1, 6-1, 6-12), and so is the ExCO: one Master (3-10).
void Federate::Work::reserve_names() {
  std::set<std::string> names;
  if (settings.master) names.insert(exco_name);
  for (const detail::Outgoing::Instance& o : own.instances())
    if (!names.insert(o.name).second)
      throw ConfigurationError("V5325", settings.name + " has two objects of the name " + o.name);
  for (const std::string& n : names) rti().reserveObjectInstanceName(wide(n));
  wait([&] { return reservations_.size() == names.size(); },
       [] { return "the RTI to reserve names"; });
  for (const auto& [name, good] : reservations_) {
    if (good) continue;
    if (name == exco_name)
      throw ConfigurationError("V5323", "there is a Master in " + settings.federation + " already");
    throw ConfigurationError("V5325", "the name " + name + " is taken in " + settings.federation);
  }
}

void Federate::Work::send(std::optional<Ticks> stamp, bool root_only) {
  for (Listener* l : listeners) l->sending(stamp.value_or(time.granted));
  own.send(rti(), stamp, root_only);
}

bool Federate::Work::has_instance(const std::string& name) const {
  if (name == exco_name) return execution_.known();
  return mirror.has_instance(name) || own.has_instance(name);
}

void Federate::Work::await_instances(std::vector<std::string> missing) {
  wait(
      [&] {
        std::erase_if(missing, [&](const std::string& n) { return has_instance(n); });
        return missing.empty();
      },
      [&] { return vernier::joined(missing, ", "); });
}

}  // namespace vernier::spacefom
