// Joining and initialization: SISO-STD-018-2020, 7.2 (early joiners) and 7.3 (late joiners).
#include <algorithm>

#include "vernier/base/text.hpp"
#include "vernier/gateway/spacefom/detail/waiting.hpp"
#include "vernier/kernel/frames/scales.hpp"

namespace vernier::spacefom {

using detail::Class;
using detail::Role;
using detail::Stage;
using detail::TimeManagement;

void Federate::Work::check_steps() {
  if (settings.steps.step == 0) settings.steps.step = configuration().least_common;
  Steps s = settings.steps;
  s.least_common = configuration().least_common;
  if (const std::string rule = broken_rule(s); !rule.empty())
    throw ConfigurationError("V5326", settings.name + ": " + rule);
}

void Federate::Work::join() {
  if (settings.master) prepare_master();
  connect();
  create_and_join();
  role_ = find_role();
  if (early()) {
    initialize_early();
  } else {
    initialize_late();
  }
}

void Federate::Work::prepare_master() {
  Configuration& c = configuration();
  c.has_epoch = true;
  const Ticks common = std::max<Ticks>(1, c.least_common);
  if (settings.freeze_padding == 0) settings.freeze_padding = usual_padding(common);
  if (const std::string why = broken_padding(settings.freeze_padding, common); !why.empty())
    throw ConfigurationError("V5326", settings.name + ": " + why);
  if (c.least_common <= 0)
    throw ConfigurationError("V5326", settings.name +
                                          ": the Master must give the least common time step "
                                          "(rule 4-17)");
  check_steps();
}

// -- roles ---------------------------------------------------------------------------------------

Role Federate::Work::find_role() {
  requests_.request.resolve(rti());
  if (settings.use_mom) {
    try {
      peers_.watch(rti());
    } catch (const rti1516e::NameNotFound&) {  // an RTI without MOM
    }
  }
  if (settings.master) {
    switch_auto_provide_off();
    rti().subscribeInteractionClass(requests_.request.handle);
    gather_federates();
    return Role::early;
  }
  const auto begins = [&] {
    return points_.announced(label::initialization_started) && !settings.late_only;
  };
  wait([&] { return begins() || points_.announced(label::initialization_completed); },
       [] { return "the Master to begin"; });
  return begins() ? Role::early : Role::late;
}

void Federate::Work::gather_federates() {
  const auto handle_of = [&](const std::string& name) -> std::optional<rti1516e::FederateHandle> {
    try {
      return rti().getFederateHandle(wide(name));
    } catch (const rti1516e::NameNotFound&) {
      return {};
    }
  };
  std::vector<std::string> missing;
  wait(
      [&] {
        const std::vector<std::string> here = peers_.members();
        missing = settings.federates;  // one that had joined may have resigned again
        std::erase_if(missing, [&](const std::string& name) {
          if (peers_.has_mom()) return std::find(here.begin(), here.end(), name) != here.end();
          return handle_of(name).has_value();
        });
        return missing.empty();
      },
      [&] { return vernier::joined(missing, ", "); });
  std::vector<std::string> names = peers_.members();
  names.push_back(settings.name);
  names.insert(names.end(), settings.federates.begin(), settings.federates.end());
  rti1516e::FederateHandleSet set;
  for (const std::string& name : names)
    if (const auto handle = handle_of(name)) set.insert(*handle);
  register_points(set);
}

void Federate::Work::register_points(const rti1516e::FederateHandleSet& set) {
  const auto another = [&] {
    return ConfigurationError("V5323", "there is a Master in " + settings.federation + " already");
  };
  if (points_.announced(label::initialization_completed)) throw another();
  register_point(label::initialization_started, &set);
  if (points_.refused(label::initialization_started)) throw another();
  std::vector<std::string> points{label::objects_discovered, label::root_frame_discovered};
  points.insert(points.end(), settings.phases.begin(), settings.phases.end());
  for (const std::string& p : points) {
    register_point(p, &set);
    if (points_.refused(p))
      throw ConfigurationError("V5323", "the synchronization point " + p + " is there already");
  }
}

// -- auto-provide (rule 7-5) ---------------------------------------------------------------------

const Octets* Federate::Work::execution_value(std::chrono::seconds most) {
  const Octets* value = nullptr;
  const auto came = [&] {
    for (const detail::Mirror::Object& o : mirror.objects())
      if (o.of == &federation_ && o.remote.values[0].updates > 0) value = &o.remote.values[0].bytes;
    return value != nullptr;
  };
  wait_for(
      came, [] { return std::string(); }, most);
  return value;
}

void Federate::Work::switch_auto_provide_off() {
  if (!peers_.has_mom()) return;
  try {
    federation_.subscribe(rti());
  } catch (const rti1516e::NameNotFound&) {
    return;
  }
  const Octets* value = execution_value(std::chrono::seconds(2));
  if (!value || value->size() != 4) return;
  auto_provide_ = value->back() != std::byte{0};  // HLAswitch: 32 bits, big endian
  if (*auto_provide_) set_auto_provide(false);
}

void Federate::Work::set_auto_provide(bool on) {
  const auto set = rti().getInteractionClassHandle(
      L"HLAinteractionRoot.HLAmanager.HLAfederation.HLAadjust.HLAsetSwitches");
  rti().publishInteractionClass(set);
  rti1516e::ParameterHandleValueMap values;
  const std::byte word[4]{std::byte{0}, std::byte{0}, std::byte{0},
                          std::byte{on ? std::uint8_t{1} : std::uint8_t{0}}};
  values[rti().getParameterHandle(set, L"HLAautoProvide")].setData(word, sizeof word);
  rti().sendInteraction(set, values, {});
}

// -- early ---------------------------------------------------------------------------------------

void Federate::Work::initialize_early() {
  for (const char* l :
       {label::initialization_started, label::objects_discovered, label::root_frame_discovered})
    wait([&] { return points_.announced(l); }, [&] { return std::string(l); });
  for (const std::string& p : settings.phases)
    wait([&] { return points_.announced(p); },
         [&] { return "the multiphase point " + p + ", which the Master must know too"; });
  mode = Mode::initializing;
  declare_early();
  std::vector<std::string> needed = settings.instances;
  if (!settings.master) needed.emplace_back(detail::exco_name);
  await_instances(std::move(needed));
  synchronize(label::objects_discovered);
  // no update of the ExCO before all objects are discovered (rule 7-16)
  if (settings.master) {
    configuration().current = configuration().next = Mode::initializing;
    configuration().has_modes = true;
    send_configuration();
  } else {
    wait([&] { return configuration().has_epoch && configuration().least_common > 0; },
         [] { return "the epoch"; });
    check_steps();
  }
  agree_on_root();
  synchronize(label::root_frame_discovered);
}

void Federate::Work::declare_early() {
  if (settings.master) {
    Class& exco = *execution_.exco;
    exco.resolve(rti());
    rti().publishObjectClassAttributes(exco.handle, exco.all());
    if (!mirror.has(detail::frame_class, Class::Concern::listeners) && !settings.root_publisher)
      mirror.add(detail::frame_class, {"name", "parent_name"}, Class::Concern::root_frame);
  } else {
    execution_.exco->subscribe(rti());
    requests_.publish(rti());
  }
  subscribe_classes();
  register_own();
}

// The root reference frame publisher sends its frame first; the Master announces its name.
void Federate::Work::agree_on_root() {
  std::string& root = configuration().root_frame;
  if (settings.root_publisher) send(std::nullopt, true);
  if (!settings.master) {
    wait([&] { return !root.empty(); }, [] { return "the name of the root frame"; });
    return;
  }
  if (settings.root_publisher) {
    for (const detail::Outgoing::Instance& o : own.instances())
      if (o.root) root = o.name;
  } else {
    const Remote* found = nullptr;
    wait([&] { return (found = mirror.root_frame()) != nullptr; }, [] { return "the root frame"; });
    root = found->name;
  }
  send_configuration();
}

void Federate::Work::phase(std::size_t k) {
  if (!early()) return;
  send(std::nullopt);
  synchronize(settings.phases.at(k));
}

// -- late ----------------------------------------------------------------------------------------

void Federate::Work::initialize_late() {
  Class& exco = *execution_.exco;
  exco.subscribe(rti());
  requests_.publish(rti());
  const auto what = [] { return "the Master's configuration"; };
  wait([&] { return execution_.known(); }, what);
  rti().requestAttributeValueUpdate(execution_.object, exco.all(), {});
  wait([&] { return execution_.complete(); }, what);
  check_steps();
  subscribe_classes();
  register_own();
  await_instances(settings.instances);
  for (const Class& c : mirror.classes())
    if (c.concern == Class::Concern::listeners)
      rti().requestAttributeValueUpdate(c.handle, c.all(), {});
}

void Federate::Work::subscribe_classes() {
  for (Class& c : mirror.classes())
    if (c.concern == Class::Concern::listeners || c.concern == Class::Concern::root_frame)
      c.subscribe(rti());
}

// -- time ----------------------------------------------------------------------------------------

void Federate::Work::manage_time() {
  rti().enableTimeConstrained();
  wait([&] { return time.state == TimeManagement::constrained; }, [] { return "time constraint"; });
  rti().enableTimeRegulation(rti1516e::HLAinteger64Interval(settings.steps.step));
  wait([&] { return time.state == TimeManagement::managed; }, [] { return "time regulation"; });
}

void Federate::Work::begin() {
  if (early()) {
    begin_early();
  } else {
    begin_late();
  }
}

void Federate::Work::begin_early() {
  if (settings.phases.empty()) send(std::nullopt);
  manage_time();
  synchronize(label::initialization_started);
  execution_.run_confirmed = false;
  Configuration& c = configuration();
  if (settings.master) {
    if (auto_provide_) set_auto_provide(*auto_provide_);
    register_point(label::initialization_completed, nullptr);
    c.next = execution_.first;
    if (c.next == Mode::freeze) c.next_mode_time = scenario_time(time.granted);
    send_configuration();
  } else {
    wait([&] { return c.next != Mode::initializing; }, [] { return "the first mode"; });
  }
  enter(Stage::taking_part);
  if (c.next == Mode::freeze) {
    freeze();
  } else {
    enter_run();
  }
}

void Federate::Work::begin_late() {
  manage_time();
  const Configuration& c = configuration();
  rti1516e::HLAinteger64Time galt(time.granted);
  if (!rti().queryGALT(galt)) galt = rti1516e::HLAinteger64Time(time.granted);
  time.started = boundary_after(std::max<Ticks>(time.granted, static_cast<Ticks>(galt.getTime())),
                                c.least_common);
  if (time.started > latest_start)
    throw ConfigurationError("V5326", settings.name + " cannot begin at " + text_of(time.started) +
                                          ", which is as far as others of " + settings.federation +
                                          " look ahead");
  advance_to(time.started);
  enter(Stage::taking_part);
  mode = c.current;
  const bool freezing = c.next == Mode::freeze && mode != Mode::freeze;
  if (freezing)
    execution_.freeze_at = frames::logical_time(c.epoch, c.next_mode_time).value_or(time.granted);
  // transitions of the others during our initialization do not concern us
  if (points_.synchronized(label::mtr_run)) points_.pass(label::mtr_run);
  if (points_.synchronized(label::mtr_freeze) && !freezing) points_.pass(label::mtr_freeze);
  send(std::nullopt);
  if (mode == Mode::freeze) {
    freeze();
  } else {
    mode = Mode::running;
    freeze_if_due();
  }
}

}  // namespace vernier::spacefom
