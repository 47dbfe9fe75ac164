#include "vernier/gateway/federation/detail/mom.hpp"

#include <algorithm>

#include "vernier/gateway/federation/detail/checks.hpp"
#include "vernier/gateway/federation/detail/octets.hpp"
#include "vernier/gateway/federation/regions.hpp"

namespace vernier::federation {

using detail::Octets;

Mom::Mom(Federation& f) : federation_(f) {
  bind();
  federation_.time().watch([this](Handle h) { time_changed(h); });
  if (federation_class_ != 0)
    federation_watched_.object =
        federation_.register_own(federation_class_, "HLAfederation." + f.name()).handle;
  for (Federate* one : federation_.federates()) add_federate(*one);
}

Mom::~Mom() { federation_.time().watch({}); }

/// Looks up the handles of what the MIM declares; they remain valid when the FOM grows.
void Mom::bind() {
  const fom::Fom& fom = federation_.fom();
  const auto handle = [](std::optional<int> i) { return i ? static_cast<Handle>(*i + 1) : 0; };
  const auto attributes = [&](Handle c, const std::vector<Entry>& entries) {
    std::vector<Attribute> all;
    for (const Entry& e : entries) {
      if (const auto a = fom.attribute(static_cast<int>(c) - 1, e.name))
        all.push_back({handle(a), e.encode, e.update});
    }
    std::sort(all.begin(), all.end(),
              [](const Attribute& a, const Attribute& b) { return a.handle < b.handle; });
    return all;
  };
  federate_class_ = handle(fom.object_class("HLAobjectRoot.HLAmanager.HLAfederate"));
  federation_class_ = handle(fom.object_class("HLAobjectRoot.HLAmanager.HLAfederation"));
  if (federate_class_ != 0) federate_attributes_ = attributes(federate_class_, federate_entries());
  if (federation_class_ != 0)
    federation_attributes_ = attributes(federation_class_, federation_entries());
  federate_dimension_ = handle(fom.dimension("HLAfederate"));
  group_dimension_ = handle(fom.dimension("HLAserviceGroup"));
  privilege_ = handle(fom.attribute(0, "HLAprivilegeToDeleteObject"));
  for (const auto* acts : {&adjustments(), &requests(), &services()}) {
    for (const auto& [path, act] : *acts) {
      const Handle c =
          handle(fom.interaction_class("HLAinteractionRoot.HLAmanager." + std::string(path)));
      if (c != 0) acts_[c] = act;
    }
  }
}

Mom::Watched* Mom::watched(Handle federate) noexcept {
  const auto at = watched_.find(federate);
  return at == watched_.end() ? nullptr : &at->second;
}

// ---- joining and resigning

void Mom::add_federate(Federate& f) {
  if (federate_class_ == 0) return;
  Watched& w = watched_[f.handle];
  w.since = Clock::now();
  Numbers regions;
  if (federate_dimension_ != 0) {
    w.region = federation_.regions().create(rti_owner, {federate_dimension_}, federation_.tables());
    federation_.regions().commit(rti_owner,
                                 {{w.region, {{federate_dimension_, f.handle, f.handle + 1}}}});
    regions = {w.region};
  }
  const Instance& i = federation_.register_own(federate_class_, "HLAfederate." + f.name, regions);
  w.object = i.handle;
  if (time_places_.empty()) find_places(i);
}

void Mom::joined(Federate& f) {
  add_federate(f);
  if (Watched* w = watched(f.handle)) {
    Numbers all;
    for (const Attribute& a : federate_attributes_) {
      if (a.update != Update::periodic) all.push_back(a.handle);
    }
    if (Instance* i = federation_.instance(w->object)) update(*i, &f, all, false);
  }
  update_changed(federation_watched_.object, nullptr);
}

void Mom::resigning(Federate& f, std::string_view lost) {
  lost_.reset();
  if (!lost.empty())
    lost_ = Lost{f.handle, f.name, std::string(lost), federation_.time().time(f.handle)};
}

void Mom::resigned(Handle h) {
  Watched* const w = watched(h);
  if (Instance* i = w ? federation_.instance(w->object) : nullptr) federation_.delete_own(*i);
  update_changed(federation_watched_.object, nullptr);
  if (lost_ && lost_->federate == h) {
    const Lost gone = *std::exchange(lost_, std::nullopt);
    report("HLAfederate.HLAreport.HLAreportFederateLost",
           {{"HLAfederate", Octets{}.handle(h).take()},
            {"HLAfederateName", Octets{}.text(gone.name).take()},
            {"HLAtimeStamp", Octets{}.time(gone.time).take()},
            {"HLAfaultDescription", Octets{}.text(gone.why).take()}},
           w && w->region != 0 ? Numbers{w->region} : Numbers{});
  }
  if (!w) return;
  for (const Handle r : {w->region, w->service_region}) {
    if (r != 0) federation_.regions().erase(rti_owner, r);
  }
  watched_.erase(h);
}

void Mom::restored() {
  const auto old = std::exchange(watched_, {});
  federation_watched_ = {};
  federation_.instances().each([&](Instance& i) {
    if (i.producer != rti_owner) return;
    if (i.object_class == federation_class_) federation_watched_.object = i.handle;
    if (i.object_class != federate_class_) return;
    const Federate* f = federation_.federate(std::string_view(i.name).substr(12));
    if (!f) return;
    Watched& w = watched_[f->handle];
    const auto was = old.find(f->handle);
    if (was != old.end()) w.period = was->second.period;
    w.object = i.handle;
    for (const Slot& s : i.slots) {
      if (!s.regions.empty()) w.region = s.regions.front();
    }
    w.since = Clock::now();
    w.advancing = federation_.time().advancing(f->handle);
  });
  changed();
}

// ---- values

const Mom::Attribute* Mom::attribute(const Federate* of, Handle h) const noexcept {
  const auto& all = of ? federate_attributes_ : federation_attributes_;
  const auto at = std::lower_bound(all.begin(), all.end(), h,
                                   [](const Attribute& a, Handle n) { return a.handle < n; });
  return at != all.end() && at->handle == h ? &*at : nullptr;
}

const Federate* Mom::federate_of(const Instance& i) const noexcept {
  for (const auto& [handle, w] : watched_)
    if (w.object == i.handle) return federation_.federate(handle);
  return nullptr;
}

void Mom::update(Instance& i, const Federate* f, const Numbers& attributes, bool only_changed) {
  if (i.known.empty()) return;
  Watched* w = f ? watched(f->handle) : &federation_watched_;
  if (!w) return;
  Subject subject{*this, f, w, {}};
  if (f) subject.time = federation_.time().report(f->handle);
  Values values;
  Blob raw;
  Writer write(raw);
  for (const Handle h : attributes) {
    const Attribute* a = attribute(f, h);
    if (!a || !wanted(i, h)) continue;
    Octets o;
    a->encode(subject, o);
    if (a->update == Update::conditional) {
      Blob& last = w->last[h];
      if (only_changed && last == o.bytes()) continue;
      last = o.bytes();
    }
    write(h, o.bytes());
    ++values.count;
  }
  values.raw = raw;
  if (values.count > 0) federation_.update_own(i, values);
}

/// Sends conditional values that have changed.
void Mom::update_changed(Handle object, const Federate* f) {
  Instance* i = federation_.instance(object);
  if (!i) return;
  Numbers some;
  for (const Attribute& a : f ? federate_attributes_ : federation_attributes_) {
    if (a.update == Update::conditional) some.push_back(a.handle);
  }
  update(*i, f, some, true);
}

/// Whether the attribute is in scope for any federate.
bool Mom::wanted(const Instance& i, Handle attribute) const noexcept {
  const Slot* s = const_cast<Instance&>(i).slot(attribute);
  if (!s) return false;
  const std::size_t place = i.place(*s);
  return std::any_of(i.known.begin(), i.known.end(),
                     [&](const Known& k) { return k.scope.has(place); });
}

void Mom::provide(Instance& i, const Numbers& attributes) {
  if (i.object_class == federation_class_)
    update(i, nullptr, attributes, false);
  else if (const Federate* f = federate_of(i))
    update(i, f, attributes, false);
}

void Mom::changed() {
  for (auto& [h, w] : watched_) w.dirty = true;
  federation_watched_.dirty = true;
  due = true;
}

/// Finds the attributes that change with time; they are the same for all instances.
void Mom::find_places(const Instance& i) {
  for (const std::string_view name : {"HLAtimeConstrained", "HLAtimeRegulating",
                                      "HLAasynchronousDelivery", "HLAtimeManagerState"}) {
    const auto a = federation_.fom().attribute(static_cast<int>(federate_class_) - 1, name);
    const Slot* s = a ? const_cast<Instance&>(i).slot(static_cast<Handle>(*a + 1)) : nullptr;
    if (s) time_places_.push_back(i.place(*s));
  }
}

/// During time management: only marks the federate as changed.
void Mom::time_changed(Handle h) {
  Watched* w = watched(h);
  if (!w) return;
  if (const bool advancing = federation_.time().advancing(h); advancing != w->advancing) {
    const auto now = Clock::now();
    (w->advancing ? w->advanced : w->granted) += now - std::exchange(w->since, now);
    w->advancing = advancing;
  }
  const Instance* i = federation_.instance(w->object);
  if (!i || i->known.empty()) return;
  const bool looked_at = std::any_of(i->known.begin(), i->known.end(), [&](const Known& k) {
    return std::any_of(time_places_.begin(), time_places_.end(),
                       [&](std::size_t p) { return k.scope.has(p); });
  });
  if (looked_at) w->dirty = due = true;
}

void Mom::catch_up() {
  due = false;
  for (const auto& [h, frame] : std::exchange(calls_, {})) {
    const Federate* f = federation_.federate(h);
    if (!f || !f->service_reporting) continue;
    report_invocation(*f, described(header(*frame)->kind, *frame), Failure::none, {});
  }
  if (std::exchange(federation_watched_.dirty, false))
    update_changed(federation_watched_.object, nullptr);
  for (auto& [h, w] : watched_) {
    if (!std::exchange(w.dirty, false)) continue;
    if (const Federate* f = federation_.federate(h)) update_changed(w.object, f);
  }
}

void Mom::pulse(Clock::time_point now) {
  if (due) catch_up();
  if (!periodic) return;
  for (auto& [h, w] : watched_) {
    if (w.period == Clock::duration{} || now < w.next) continue;
    w.next = now + w.period;
    Numbers some;
    for (const Attribute& a : federate_attributes_) {
      if (a.update == Update::periodic) some.push_back(a.handle);
    }
    Instance* i = federation_.instance(w.object);
    const Federate* f = federation_.federate(h);
    if (i && f) update(*i, f, some, false);
  }
}

// ---- interactions

void Mom::report(std::string_view path, const Named& parameters, const Numbers& regions) {
  const fom::Fom& fom = federation_.fom();
  const auto c = fom.interaction_class("HLAinteractionRoot.HLAmanager." + std::string(path));
  if (!c) return;
  std::map<Handle, const Blob*> sorted;
  for (const auto& [name, value] : parameters) {
    if (const auto p = fom.parameter(*c, name)) sorted[static_cast<Handle>(*p + 1)] = &value;
  }
  Blob raw;
  Writer write(raw);
  for (const auto& [handle, value] : sorted) write(handle, *value);
  federation_.send_own(static_cast<Handle>(*c + 1),
                       {static_cast<std::uint32_t>(sorted.size()), raw}, nullptr, regions);
}

void Mom::report_federate(std::string_view name, const Federate& f, Named parameters) {
  parameters.emplace_back("HLAfederate", Octets{}.handle(f.handle).take());
  const Watched* w = watched(f.handle);
  Numbers regions;
  if (w && w->region != 0) regions = {w->region};
  report("HLAfederate.HLAreport." + std::string(name), parameters, regions);
}

void Mom::report_mom_exception(const Federate& from, std::string_view service,
                               const std::string& what, bool parameter) {
  report_federate("HLAreportMOMexception", from,
                  {{"HLAservice", Octets{}.text(service).take()},
                   {"HLAexception", Octets{}.text(what).take()},
                   {"HLAparameterError", Octets{}.truth(parameter).take()}});
}

Bytes Mom::Call::value(std::string_view name) const {
  const auto p = mom.federation_.fom().parameter(static_cast<int>(interaction_class) - 1, name);
  const auto at = p ? parameters.find(static_cast<Handle>(*p + 1)) : parameters.end();
  if (at == parameters.end()) throw WrongParameter{std::string(name) + " is missing"};
  return at->second;
}

bool Mom::Call::has(std::string_view name) const {
  const auto p = mom.federation_.fom().parameter(static_cast<int>(interaction_class) - 1, name);
  return p && parameters.contains(static_cast<Handle>(*p + 1));
}

void Mom::Call::wrong(std::string_view name) const {
  throw WrongParameter{std::string(name) + " is not a value of its type"};
}

void Mom::received(Federate& from, Handle interaction_class, const Values& values) {
  const auto act = acts_.find(interaction_class);
  if (act == acts_.end()) return;
  Call call{*this, from, interaction_class, {}, nullptr};
  for_each(values, [&](Handle h, Bytes b) { call.parameters[h] = b; });
  // serving the interaction may resign the sender
  const Handle sender = from.handle;
  const std::string path = federation_.tables().interaction_classes[interaction_class - 1].path;
  const auto failed = [&](const std::string& what, bool parameter) {
    if (const Federate* f = federation_.federate(sender))
      report_mom_exception(*f, path, what, parameter);
  };
  try {
    if (path.find(".HLAmanager.HLAfederate.") != std::string::npos) {
      detail::OctetReader r(call.value("HLAfederate"));
      const Handle h = r.handle();
      if (!r.complete()) call.wrong("HLAfederate");
      call.target = federation_.federate(h);
      if (!call.target) throw WrongParameter{"HLAfederate is not a joined federate"};
    }
    act->second(call);
  } catch (const WrongParameter& w) {
    failed(w.text, true);
  } catch (const detail::Malformed&) {
    failed("a handle is not of the FOM", true);
  } catch (const Refusal& r) {
    failed(std::string(name_of(r.failure)) + ": " + r.text, false);
  }
}

void Mom::invoked(Federate& f, Kind kind, Bytes bytes, Bytes answer, const Refusal* refused) {
  report_invocation(f, described(kind, bytes, answer), refused ? refused->failure : Failure::none,
                    refused ? refused->text : "");
}

void Mom::invoked(Federate& f, const ReportInvocation& m) {
  report_invocation(f, {m.service, m.arguments, m.returned}, m.failure, m.text);
}

void Mom::called(const Federate& f, const Frame& frame) {
  calls_.emplace_back(f.handle, frame);
  due = true;
}

void Mom::report_invocation(const Federate& f, const Invocation& what, Failure failure,
                            const std::string& text) {
  if (what.service.empty()) return;
  const bool good = failure == Failure::none;
  const std::string exception = good ? std::string() : std::string(name_of(failure)) + ": " + text;
  if (!good && f.exception_reporting)
    report_federate("HLAreportException", f,
                    {{"HLAservice", Octets{}.text(what.service).take()},
                     {"HLAexception", Octets{}.text(exception).take()}});
  Watched* w = watched(f.handle);
  if (!f.service_reporting || !w) return;
  Regions& all = federation_.regions();
  Numbers regions;
  if (federate_dimension_ != 0 && group_dimension_ != 0) {
    if (w->service_region == 0)
      w->service_region =
          all.create(rti_owner, {federate_dimension_, group_dimension_}, federation_.tables());
    const std::uint32_t group = service_group(what.service);
    all.commit(
        rti_owner,
        {{w->service_region,
          {{federate_dimension_, f.handle, f.handle + 1}, {group_dimension_, group, group + 1}}}});
    regions = {w->service_region};
  }
  report("HLAfederate.HLAreport.HLAreportServiceInvocation",
         {{"HLAfederate", Octets{}.handle(f.handle).take()},
          {"HLAservice", Octets{}.text(what.service).take()},
          {"HLAsuccessIndicator", Octets{}.truth(good).take()},
          {"HLAsuppliedArguments", Octets{}.texts(what.arguments).take()},
          {"HLAreturnedArguments", Octets{}.texts(what.returned).take()},
          {"HLAexception", Octets{}.text(exception).take()},
          {"HLAserialNumber", Octets{}.number(w->invocations++).take()}},
         regions);
}

}  // namespace vernier::federation
