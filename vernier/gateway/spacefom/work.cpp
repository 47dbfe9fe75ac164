#include <algorithm>
#include <cmath>
#include <fstream>
#include <thread>

#include "vernier/base/text.hpp"
#include "vernier/document/document.hpp"
#include "vernier/gateway/fom/reader.hpp"
#include "vernier/gateway/spacefom/detail/waiting.hpp"
#include "vernier/kernel/frames/scales.hpp"

namespace vernier::spacefom {

using detail::Event;

Federate::Work::Work(Settings s) : settings(std::move(s)) {
  exco_ = {
      exco_class,
      {"root_frame_name", "scenario_time_epoch", "current_execution_mode", "next_execution_mode",
       "next_mode_scenario_time", "next_mode_cte_time", "least_common_time_step"},
      true};
  federates_ = {"HLAobjectRoot.HLAmanager.HLAfederate",
                {"HLAfederateName", "HLAtimeManagerState", "HLAlogicalTime", "HLAlookahead"},
                true};
  if (settings.pacing) settings.pacer = settings.name;
  if (settings.observes)
    for (const char* a : {"HLAfederateType", "HLAtimeRegulating", "HLAtimeConstrained"})
      federates_.attributes.emplace_back(a);
  execution_ = {"HLAobjectRoot.HLAmanager.HLAfederation", {"HLAautoProvide"}, true};
  configuration.epoch = settings.epoch;
  configuration.least_common = settings.steps.least_common;
}

Federate::Work::~Work() { resign(); }

double Federate::Work::scenario_time(Ticks t) const noexcept {
  return frames::scenario_time(configuration.epoch, t).value_or(configuration.epoch);
}

std::unique_ptr<rti1516e::RTIambassador> standard_ambassador() {
  // an auto_ptr in some installations
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
  rti_ = new_ambassador();
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
  auto told = began - std::chrono::seconds(1);  // after one second, then every three
  while (true) {
    try {
      attempt();
      break;
    } catch (const rti1516e::ConnectionFailed& e) {
      if (Clock::now() - began >= settings.wait || interrupted.load()) throw failed(e);
    } catch (const rti1516e::Exception& e) {
      throw failed(e);
    }
    if (settings.notice && Clock::now() - told >= std::chrono::seconds(2)) {
      told = Clock::now() + std::chrono::seconds(1);
      settings.notice(settings.name + " waits for the RTI at " + settings.designator +
                      ", at most " + std::to_string((settings.wait.count() + 999) / 1000) + " s");
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  connected_ = true;
}

// the modules of the SpaceFOM travel inside the program; every RTI reads files
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
  try {  // what is left of a federation whose members are gone
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
      // another federate destroyed it in between
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
  joined_ = true;
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
  if (joined_ && !lost_) {
    if (settings.master && role_known_ && !shutdown_) quietly([&] { shut_down(); });
    quietly([&] { rti().resignFederationExecution(rti1516e::CANCEL_THEN_DELETE_THEN_DIVEST); });
    quietly([&] { rti().destroyFederationExecution(wide(settings.federation)); });
  }
  joined_ = false;
  if (connected_) quietly([&] { rti().disconnect(); });
  connected_ = false;
  rti_.reset();
}

// -- what comes ----------------------------------------------------------------------------------

std::optional<Event> Federate::Work::next_event(std::chrono::milliseconds nap) {
  constexpr std::chrono::milliseconds at_once{0};
  if (auto event = inbox.take(at_once)) return event;
  answer();
  if (!evoked) return inbox.take(nap);
  rti().evokeCallback(std::chrono::duration<double>(nap).count());
  return inbox.take(at_once);
}

void Federate::Work::handle(Event& e) {
  const std::string text = narrow(e.text);
  switch (e.kind) {
    case Event::Kind::lost:
      lost_ = text;
      break;
    case Event::Kind::registered:
      points_[text].registered = true;
      break;
    case Event::Kind::not_registered:
      points_[text].refused = true;
      break;
    case Event::Kind::announced:
      announced(text);
      break;
    case Event::Kind::synchronized:
      points_[text].synchronized = true;
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
    case Event::Kind::regulating:
      regulating_ = true;
      granted = e.time;
      break;
    case Event::Kind::constrained:
      constrained_ = true;
      granted = e.time;
      break;
    case Event::Kind::granted:
      advanced_ = true;
      granted = e.time;
      break;
    case Event::Kind::owned:
      try {
        owners_[e.object] = narrow(rti().getFederateName(e.federate));
      } catch (const rti1516e::Exception&) {  // it left meanwhile
      }
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
  Point& p = points_[name];
  p.announced = true;
  p.achieved = p.synchronized = false;
  if (name == label::mtr_shutdown) {
    shutdown_ = true;
    farewell = "the Master shut the federation down";
    return;
  }
  if (name == label::initialization_completed) return;
  const bool transition = name == label::mtr_run || name == label::mtr_freeze;
  const bool initial =
      name == label::initialization_started || name == label::objects_discovered ||
      name == label::root_frame_discovered ||
      std::find(settings.phases.begin(), settings.phases.end(), name) != settings.phases.end();
  // whoever is not in yet must not hold the others up; unknown points are achieved at once (8-1)
  const bool ours =
      transition ? (early || entered_) : initial && !settings.late_only && !(role_known_ && !early);
  if (!ours) achieve(name);
}

void Federate::Work::discovered(const Event& e) {
  const auto find = [&]() -> const Class* {
    for (const Class* c : {&exco_, &federates_, &execution_})
      if (c->handle == e.object_class) return c;
    for (const Class& c : classes)
      if (c.handle == e.object_class) return &c;
    return nullptr;
  };
  const Class* c = find();
  if (!c || remote_of_.contains(e.object)) return;
  if (c == &exco_) {
    if (narrow(e.text) == exco_name) exco_object_ = e.object;
    return;
  }
  Remote r;
  r.name = narrow(e.text);
  r.object_class = c->name;
  for (const std::string& a : c->attributes) r.values.push_back({a, {}});
  remote_of_[e.object] = remotes.size();
  remotes.push_back(std::move(r));
  if (c->internal) {
    // of federates their names; when time is held back, more is asked
    const auto end = c == &federates_ ? c->handles.begin() + 1 : c->handles.end();
    try {
      rti().requestAttributeValueUpdate(e.object,
                                        rti1516e::AttributeHandleSet(c->handles.begin(), end), {});
    } catch (const rti1516e::ObjectInstanceNotKnown&) {  // gone again meanwhile
    }
  } else if (listener) {
    listener->discovered(remotes.back());
  }
}

void Federate::Work::reflected(const Event& e) {
  if (exco_object_.isValid() && e.object == exco_object_ && !settings.master) {
    take_configuration(e);
    return;
  }
  const auto known = remote_of_.find(e.object);
  if (known == remote_of_.end()) return;
  Remote& r = remotes[known->second];
  const Class* c = nullptr;
  for (const Class* i : {&federates_, &execution_})
    if (i->name == r.object_class) c = i;
  for (const Class& i : classes)
    if (i.name == r.object_class) c = &i;
  if (!c) return;
  std::vector<std::size_t> changed;
  for (const auto& [attribute, value] : e.values) {
    const auto at = std::find(c->handles.begin(), c->handles.end(), attribute);
    if (at == c->handles.end()) continue;
    const auto i = static_cast<std::size_t>(at - c->handles.begin());
    const auto* bytes = static_cast<const std::byte*>(value.data());
    r.values[i].bytes.assign(bytes, bytes + value.size());
    ++r.values[i].updates;
    r.values[i].stamp = e.time;
    changed.push_back(i);
  }
  if (c == &federates_ && looking_) note_keeper();
  if (!c->internal && listener && !changed.empty()) listener->reflected(r, changed);
}

void Federate::Work::received(const Event& e) {
  if (lost_report_.isValid() && e.interaction == lost_report_) {
    peer_lost(e);
    return;
  }
  if (settings.master && e.interaction == mtr_) {
    const auto p = e.parameters.find(mtr_mode_);
    if (p == e.parameters.end()) return;
    const auto wanted =
        read_mode({static_cast<const std::byte*>(p->second.data()), p->second.size()});
    if (wanted) command(*wanted);
    return;
  }
  for (std::size_t k = 0; k < heard.size(); ++k) {
    if (heard[k].handle != e.interaction || !listener) continue;
    std::vector<Octets> values(heard[k].handles.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
      const auto p = e.parameters.find(heard[k].handles[i]);
      if (p == e.parameters.end()) continue;
      const auto* bytes = static_cast<const std::byte*>(p->second.data());
      values[i].assign(bytes, bytes + p->second.size());
    }
    listener->received(k, values, e.time);
  }
}

void Federate::Work::removed(const Event& e) {
  if (exco_object_.isValid() && e.object == exco_object_) {
    if (configuration.next == Mode::shutdown) {
      shutdown_ = true;
    } else {
      master_lost_ = true;
      master_lost_at_ = std::chrono::steady_clock::now();
    }
    return;
  }
  const auto known = remote_of_.find(e.object);
  if (known == remote_of_.end()) return;
  const std::size_t gone = known->second;
  if (remotes[gone].object_class == federates_.name)
    peer_gone(read_string(remotes[gone].values[0].bytes).value_or(""), "", false);
  if (listener && remotes[gone].object_class.find(".HLAmanager.") == std::string::npos)
    listener->removed(remotes[gone]);
  remotes.erase(remotes.begin() + static_cast<std::ptrdiff_t>(gone));
  remote_of_.erase(known);
  for (auto& [object, index] : remote_of_)
    if (index > gone) --index;
}

void Federate::Work::provide(const Event& e) {
  if (settings.master && e.object == exco_object_) {
    configuration_wanted_ = true;
    return;
  }
  for (Own& o : own) {
    if (o.handle != e.object) continue;
    for (std::size_t i = 0; i < o.handles.size(); ++i)
      if (e.wanted.contains(o.handles[i])) o.asked[i] = true;
  }
}

// -- points --------------------------------------------------------------------------------------

void Federate::Work::register_point(const std::string& name,
                                    const rti1516e::FederateHandleSet* set) {
  points_[name].registered = points_[name].refused = false;
  if (set) {
    rti().registerFederationSynchronizationPoint(wide(name), {}, *set);
  } else {
    rti().registerFederationSynchronizationPoint(wide(name), {});
  }
  wait([&] { return points_[name].registered || points_[name].refused; },
       [&] { return "the RTI to register " + name; });
}

void Federate::Work::achieve(const std::string& name) {
  Point& p = points_[name];
  if (!p.announced || p.achieved) return;
  p.achieved = true;
  rti().synchronizationPointAchieved(wide(name));
}

void Federate::Work::synchronize(const std::string& name) {
  const auto what = [&] { return "all to reach " + name; };
  wait([&] { return points_[name].announced; }, what);
  achieve(name);
  wait([&] { return points_[name].synchronized; }, what);
  points_[name].announced = false;
}

// -- objects -------------------------------------------------------------------------------------

void Federate::Work::declare(Class& c) {
  c.handle = rti().getObjectClassHandle(wide(c.name));
  c.handles.clear();
  for (const std::string& a : c.attributes)
    c.handles.push_back(rti().getAttributeHandle(c.handle, wide(a)));
}

void Federate::Work::subscribe(Class& c) {
  declare(c);
  rti().subscribeObjectClassAttributes(
      c.handle, rti1516e::AttributeHandleSet(c.handles.begin(), c.handles.end()));
}

void Federate::Work::declare_interactions() {
  const auto declare = [&](Interaction& i) {
    i.handle = rti().getInteractionClassHandle(wide(i.name));
    i.handles.clear();
    for (const std::string& p : i.parameters)
      i.handles.push_back(rti().getParameterHandle(i.handle, wide(p)));
  };
  for (Interaction& i : said) {
    declare(i);
    rti().publishInteractionClass(i.handle);
  }
  for (Interaction& i : heard) {
    declare(i);
    rti().subscribeInteractionClass(i.handle);
  }
}

void Federate::Work::register_own() {
  declare_interactions();
  std::map<std::string, rti1516e::AttributeHandleSet> published;
  for (Own& o : own) {
    Class c{o.object_class, o.attributes};
    declare(c);
    o.handles = c.handles;
    published[o.object_class].insert(c.handles.begin(), c.handles.end());
  }
  for (const auto& [name, attributes] : published)
    rti().publishObjectClassAttributes(rti().getObjectClassHandle(wide(name)), attributes);
  std::set<std::string> names;
  if (settings.master) names.insert(exco_name);
  for (const Own& o : own)
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
  for (Own& o : own)
    o.handle = rti().registerObjectInstance(rti().getObjectClassHandle(wide(o.object_class)),
                                            wide(o.name));
  if (settings.master) exco_object_ = rti().registerObjectInstance(exco_.handle, wide(exco_name));
}

void Federate::Work::send(std::optional<Ticks> stamp, bool root_only) {
  if (listener) listener->sending(stamp.value_or(granted));
  for (Own& o : own) {
    if (root_only && !o.root) continue;
    rti1516e::AttributeHandleValueMap values;
    for (std::size_t i = 0; i < o.values.size(); ++i) {
      if (!(o.dirty[i] || o.asked[i]) || o.values[i].empty()) continue;
      values[o.handles[i]].setData(o.values[i].data(), o.values[i].size());
      o.dirty[i] = o.asked[i] = false;
    }
    if (values.empty()) continue;
    if (stamp) {
      rti().updateAttributeValues(o.handle, values, {}, rti1516e::HLAinteger64Time(*stamp));
    } else {
      rti().updateAttributeValues(o.handle, values, {});
    }
  }
  if (!stamp) return;
  for (const auto& [number, values] : std::exchange(posted, {})) {
    const Interaction& i = said[number];
    rti1516e::ParameterHandleValueMap parameters;
    for (std::size_t k = 0; k < values.size(); ++k)
      if (!values[k].empty()) parameters[i.handles[k]].setData(values[k].data(), values[k].size());
    rti().sendInteraction(i.handle, parameters, {}, rti1516e::HLAinteger64Time(*stamp));
  }
}

// While time advances what was asked for goes with the next step, so that nobody sees a value
// before its time; while it stands still, at once.
void Federate::Work::answer() {
  if (configuration_wanted_ && configuration.has_modes) {
    configuration_wanted_ = false;
    send_configuration();
  }
  if (entered_ && mode == Mode::running) return;
  for (Own& o : own) {
    rti1516e::AttributeHandleValueMap values;
    for (std::size_t i = 0; i < o.asked.size(); ++i) {
      if (!o.asked[i] || o.values[i].empty()) continue;
      o.asked[i] = false;
      values[o.handles[i]].setData(o.values[i].data(), o.values[i].size());
    }
    if (!values.empty()) rti().updateAttributeValues(o.handle, values, {});
  }
}

void Federate::Work::request_values() {
  for (const Class& c : classes)
    rti().requestAttributeValueUpdate(
        c.handle, rti1516e::AttributeHandleSet(c.handles.begin(), c.handles.end()), {});
}

bool Federate::Work::has_instance(const std::string& name) const {
  return std::any_of(remotes.begin(), remotes.end(),
                     [&](const Remote& r) { return r.name == name; }) ||
         std::any_of(own.begin(), own.end(), [&](const Own& o) { return o.name == name; });
}

const Remote* Federate::Work::root_frame() const {
  for (const Remote& r : remotes) {
    if (!r.object_class.starts_with(frame_class)) continue;
    for (const Remote::Value& v : r.values)
      if (v.attribute == "parent_name" && v.updates > 0 && read_string(v.bytes) == "") return &r;
  }
  return nullptr;
}

}  // namespace vernier::spacefom
