#include <algorithm>

#include "vernier/base/text.hpp"
#include "vernier/gateway/spacefom/detail/waiting.hpp"
#include "vernier/kernel/frames/scales.hpp"

namespace vernier::spacefom {

void Federate::Work::check_steps() {
  if (settings.steps.step == 0) settings.steps.step = configuration.least_common;
  Steps s = settings.steps;
  s.least_common = configuration.least_common;
  if (const std::string rule = broken_rule(s); !rule.empty())
    throw ConfigurationError("V5326", settings.name + ": " + rule);
}

void Federate::Work::join() {
  if (settings.master) {
    configuration.has_epoch = true;
    if (settings.freeze_padding == 0)
      settings.freeze_padding = usual_padding(std::max<Ticks>(1, configuration.least_common));
    if (const std::string why =
            broken_padding(settings.freeze_padding, std::max<Ticks>(1, configuration.least_common));
        !why.empty())
      throw ConfigurationError("V5326", settings.name + ": " + why);
    if (configuration.least_common <= 0)
      throw ConfigurationError("V5326", settings.name +
                                            ": the Master must give the least common time step "
                                            "(rule 4-17)");
    check_steps();
  }
  connect();
  create_and_join();
  determine_role();
  role_known_ = true;
  if (early) {
    initialize_early();
  } else {
    initialize_late();
  }
}

// -- roles ---------------------------------------------------------------------------------------

void Federate::Work::determine_role() {
  mtr_ = rti().getInteractionClassHandle(L"HLAinteractionRoot.ModeTransitionRequest");
  mtr_mode_ = rti().getParameterHandle(mtr_, L"execution_mode");
  if (settings.use_mom) {
    try {
      watch_peers();
    } catch (const rti1516e::NameNotFound&) {  // an RTI without MOM
    }
  }
  if (!settings.master) {
    const auto seen = [&](const char* l) { return points_[l].announced; };
    wait(
        [&] {
          early = seen(label::initialization_started) && !settings.late_only;
          return early || seen(label::initialization_completed);
        },
        [] { return "the Master to begin"; });
    return;
  }
  early = true;
  switch_auto_provide_off();
  rti().subscribeInteractionClass(mtr_);
  gather_federates();
}

void Federate::Work::gather_federates() {
  const auto handle_of = [&](const std::string& name) -> std::optional<rti1516e::FederateHandle> {
    try {
      return rti().getFederateHandle(wide(name));
    } catch (const rti1516e::NameNotFound&) {
      return {};
    }
  };
  std::vector<std::string> missing = settings.federates;
  wait(
      [&] {
        const std::vector<std::string> here = members();
        missing = settings.federates;  // one that came may have gone again
        std::erase_if(missing, [&](const std::string& name) {
          if (has_mom_) return std::find(here.begin(), here.end(), name) != here.end();
          return handle_of(name).has_value();
        });
        return missing.empty();
      },
      [&] { return joined(missing, ", "); });
  std::vector<std::string> names = has_mom_ ? members() : settings.federates;
  names.push_back(settings.name);
  names.insert(names.end(), settings.federates.begin(), settings.federates.end());
  const auto another = [&] {
    return ConfigurationError("V5323", "there is a Master in " + settings.federation + " already");
  };
  if (points_[label::initialization_completed].announced) throw another();
  rti1516e::FederateHandleSet set;
  for (const std::string& name : names)
    if (const auto handle = handle_of(name)) set.insert(*handle);
  register_point(label::initialization_started, &set);
  if (points_[label::initialization_started].refused) throw another();
  std::vector<std::string> points{label::objects_discovered, label::root_frame_discovered};
  points.insert(points.end(), settings.phases.begin(), settings.phases.end());
  for (const std::string& p : points) {
    register_point(p, &set);
    if (points_[p].refused)
      throw ConfigurationError("V5323", "the synchronization point " + p + " is there already");
  }
}

// -- auto-provide (rule 7-5) ---------------------------------------------------------------------

const Octets* Federate::Work::execution_value(std::chrono::seconds most) {
  const Octets* value = nullptr;
  const auto came = [&] {
    for (const Remote& r : remotes)
      if (r.object_class == execution_.name && r.values[0].updates > 0) value = &r.values[0].bytes;
    return value != nullptr;
  };
  wait_for(
      came, [] { return std::string(); }, most);
  return value;
}

void Federate::Work::switch_auto_provide_off() {
  if (!has_mom_) return;
  try {
    subscribe(execution_);
  } catch (const rti1516e::NameNotFound&) {
    return;
  }
  const Octets* value = execution_value(std::chrono::seconds(2));
  if (value && value->size() == 4)
    auto_provide_ = value->back() != std::byte{0};  // HLAswitch: 32 bits, big endian
  if (auto_provide_.value_or(false)) {
    auto_provide_ = false;
    restore_auto_provide();
    auto_provide_ = true;
  }
}

void Federate::Work::restore_auto_provide() {
  if (!auto_provide_) return;
  const auto set = rti().getInteractionClassHandle(
      L"HLAinteractionRoot.HLAmanager.HLAfederation.HLAadjust.HLAsetSwitches");
  rti().publishInteractionClass(set);
  rti1516e::ParameterHandleValueMap values;
  const std::byte word[4]{std::byte{0}, std::byte{0}, std::byte{0},
                          std::byte{*auto_provide_ ? std::uint8_t{1} : std::uint8_t{0}}};
  values[rti().getParameterHandle(set, L"HLAautoProvide")].setData(word, sizeof word);
  rti().sendInteraction(set, values, {});
}

// -- early ---------------------------------------------------------------------------------------

void Federate::Work::initialize_early() {
  for (const char* l :
       {label::initialization_started, label::objects_discovered, label::root_frame_discovered})
    wait([&] { return points_[l].announced; }, [&] { return std::string(l); });
  for (const std::string& p : settings.phases)
    wait([&] { return points_[p].announced; },
         [&] { return "the multiphase point " + p + ", which the Master must know too"; });
  mode = Mode::initializing;

  if (settings.master) {
    declare(exco_);
    rti().publishObjectClassAttributes(
        exco_.handle, rti1516e::AttributeHandleSet(exco_.handles.begin(), exco_.handles.end()));
    const bool has_frames = std::any_of(classes.begin(), classes.end(),
                                        [](const Class& c) { return c.name == frame_class; });
    if (!has_frames && !settings.root_publisher)
      classes.push_back({frame_class, {"name", "parent_name"}, true});
  } else {
    subscribe(exco_);
    publish_requests();
  }
  for (Class& c : classes) subscribe(c);
  register_own();

  std::vector<std::string> missing = settings.instances;
  if (!settings.master) missing.emplace_back(exco_name);
  wait(
      [&] {
        std::erase_if(missing, [&](const std::string& n) {
          return n == exco_name ? exco_object_.isValid() : has_instance(n);
        });
        return missing.empty();
      },
      [&] { return joined(missing, ", "); });
  synchronize(label::objects_discovered);

  if (settings.master) {
    configuration.current = configuration.next = Mode::initializing;
    configuration.has_modes = true;
    send_configuration();
  } else {
    wait([&] { return configuration.has_epoch && configuration.least_common > 0; },
         [] { return "the epoch"; });
    check_steps();
  }

  if (settings.root_publisher) {
    send(std::nullopt, true);
    for (const Own& o : own)
      if (o.root) configuration.root_frame = settings.master ? o.name : configuration.root_frame;
  }
  if (settings.master) {
    if (!settings.root_publisher) {
      const Remote* root = nullptr;
      wait([&] { return (root = root_frame()) != nullptr; }, [] { return "the root frame"; });
      configuration.root_frame = root->name;
    }
    send_configuration();
  } else {
    wait([&] { return !configuration.root_frame.empty(); },
         [] { return "the name of the root frame"; });
  }
  synchronize(label::root_frame_discovered);
}

void Federate::Work::phase(std::size_t k) {
  if (!early) return;
  send(std::nullopt);
  synchronize(settings.phases.at(k));
}

// -- late ----------------------------------------------------------------------------------------

void Federate::Work::initialize_late() {
  subscribe(exco_);
  publish_requests();
  wait([&] { return exco_object_.isValid(); }, [] { return "the Master's configuration"; });
  rti().requestAttributeValueUpdate(
      exco_object_, rti1516e::AttributeHandleSet(exco_.handles.begin(), exco_.handles.end()), {});
  wait(
      [&] {
        return configuration.has_epoch && configuration.has_modes &&
               configuration.least_common > 0 && !configuration.root_frame.empty();
      },
      [] { return "the Master's configuration"; });
  check_steps();
  for (Class& c : classes) subscribe(c);
  register_own();
  std::vector<std::string> missing = settings.instances;
  wait(
      [&] {
        std::erase_if(missing, [&](const std::string& n) { return has_instance(n); });
        return missing.empty();
      },
      [&] { return joined(missing, ", "); });
  request_values();
}

// -- time ----------------------------------------------------------------------------------------

void Federate::Work::manage_time() {
  rti().enableTimeConstrained();
  wait([&] { return constrained_; }, [] { return "time constraint"; });
  rti().enableTimeRegulation(rti1516e::HLAinteger64Interval(settings.steps.step));
  wait([&] { return regulating_; }, [] { return "time regulation"; });
}

void Federate::Work::begin() {
  if (early) {
    if (settings.phases.empty()) send(std::nullopt);
    manage_time();
    synchronize(label::initialization_started);
    run_confirmed_ = false;
    if (settings.master) {
      restore_auto_provide();
      register_point(label::initialization_completed, nullptr);
      configuration.next = freeze_first_ ? Mode::freeze : Mode::running;
      if (freeze_first_) configuration.next_mode_time = scenario_time(granted);
      send_configuration();
    } else {
      wait([&] { return configuration.next != Mode::initializing; },
           [] { return "the first mode"; });
    }
    entered_ = true;
    if (configuration.next == Mode::freeze) {
      freeze();
    } else {
      enter_run();
    }
    return;
  }
  manage_time();
  rti1516e::HLAinteger64Time galt(granted);
  if (!rti().queryGALT(galt)) galt = rti1516e::HLAinteger64Time(granted);
  started = boundary_after(std::max<Ticks>(granted, static_cast<Ticks>(galt.getTime())),
                           configuration.least_common);
  if (started > latest_start)
    throw ConfigurationError("V5326", settings.name + " cannot begin at " + text_of(started) +
                                          ", which is as far as others of " + settings.federation +
                                          " look ahead");
  advance_to(started);
  entered_ = true;
  mode = configuration.current;
  const bool freezing = configuration.next == Mode::freeze && mode != Mode::freeze;
  if (freezing)
    freeze_at_ =
        frames::logical_time(configuration.epoch, configuration.next_mode_time).value_or(granted);
  // what others went through while we came in is no concern of ours
  if (points_[label::mtr_run].synchronized) points_[label::mtr_run] = {};
  if (points_[label::mtr_freeze].synchronized && !freezing) points_[label::mtr_freeze] = {};
  send(std::nullopt);
  if (mode == Mode::freeze) {
    freeze();
  } else {
    mode = Mode::running;
    freeze_if_due();
  }
}

}  // namespace vernier::spacefom
