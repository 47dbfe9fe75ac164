#include "manager_rig.hpp"

#include <algorithm>

#include "vernier/gateway/fom/reader.hpp"

namespace vernier::federation_tests {

std::string texts(const std::vector<std::string>& all) {
  std::string s = number(static_cast<std::uint32_t>(all.size()));
  for (const std::string& one : all) {
    while (s.size() % 4 != 0) s.push_back('\0');
    s += unicode(one);
  }
  return s;
}

void Managed::begin() {
  create();
  join(0);
  join(1);
  listen();
  subject()->publishObjectClassAttributes(ball, {place, color});
  subject()->publishInteractionClass(kick);
  manager()->subscribeObjectClassAttributes(ball, {place, color});
  manager()->subscribeInteractionClass(kick);
  object = subject()->registerObjectInstance(ball);
  settle();
  for (Member* m : {&manager(), &subject()}) m->seen.know(object, "one");
  forget();
  forget_reports();
}

void Managed::end() {
  for (const auto& member : members_) {
    if (!std::exchange(member->joined, false)) continue;
    member->rti->resignFederationExecution(CANCEL_THEN_DELETE_THEN_DIVEST);
  }
  manager()->destroyFederationExecution(name);
  for (const auto& member : members_) member->seen.take();
}

void Managed::listen() {
  for (const fom::InteractionClass& c : fom::standard_mim().interaction_classes) {
    const InteractionClassHandle h = manager()->getInteractionClassHandle(wide(c.path));
    if (c.path.find(".HLAreport.") == std::string::npos) {
      manager()->publishInteractionClass(h);
      continue;
    }
    manager()->subscribeInteractionClass(h);
    report_names_[h] = c.path.substr(c.path.find("HLAmanager.") + 11);
    for (const int p : c.parameters) {
      const std::string& called = fom::standard_mim().parameters[static_cast<std::size_t>(p)].name;
      parameter_names_[manager()->getParameterHandle(h, wide(called))] = called;
    }
    parameter_names_[report_names_[h].starts_with("HLAfederate.")
                         ? manager()->getParameterHandle(h, L"HLAfederate")
                         : ParameterHandle()] = "HLAfederate";
  }
  manager().seen.on_receive = [this](InteractionClassHandle c,
                                     const ParameterHandleValueMap& values,
                                     const SupplementalReceiveInfo& info) {
    const auto named = report_names_.find(c);
    if (named == report_names_.end()) return;
    EXPECT_FALSE(info.hasProducingFederate);  // the RTI is none
    Bytes all;
    for (const auto& [p, v] : values)
      all[parameter_names_[p]] = std::string(static_cast<const char*>(v.data()), v.size());
    const std::lock_guard lock(mutex_);
    reports_.emplace_back(named->second, std::move(all));
    ++heard_[named->second];
  };
}

void Managed::send_about(Member& whom, const std::string& path, Bytes parameters) {
  if (path.starts_with("HLAfederate.")) parameters["HLAfederate"] = of(whom.handle);
  const InteractionClassHandle c =
      manager()->getInteractionClassHandle(wide("HLAinteractionRoot.HLAmanager." + path));
  ParameterHandleValueMap values;
  for (const auto& [called, bytes] : parameters)
    values[manager()->getParameterHandle(c, wide(called))] = value(bytes);
  manager()->sendInteraction(c, values, tag);
  settle();
}

bool Managed::reported(const std::string& called) {
  const std::lock_guard lock(mutex_);
  return std::any_of(reports_.begin(), reports_.end(),
                     [&](const auto& r) { return r.first.ends_with("." + called); });
}

std::map<std::string, int> Managed::heard() {
  const std::lock_guard lock(mutex_);
  return heard_;
}

void Managed::forget_reports() {
  const std::lock_guard lock(mutex_);
  reports_.clear();
}

Bytes Managed::report(const std::string& called) {
  const std::lock_guard lock(mutex_);
  const auto at = std::find_if(reports_.begin(), reports_.end(),
                               [&](const auto& r) { return r.first.ends_with("." + called); });
  if (at == reports_.end()) {
    ADD_FAILURE() << "no " << called;
    return {};
  }
  Bytes found = std::move(at->second);
  reports_.erase(at);
  return found;
}

Lines Managed::told(Member& m) {
  settle();
  return m.seen.take();
}

}  // namespace vernier::federation_tests
