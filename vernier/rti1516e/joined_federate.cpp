#include "vernier/rti1516e/joined_federate.hpp"

#include <algorithm>
#include <utility>

namespace vernier::hla {
namespace {

bool contains(const Numbers& sorted, Handle h) noexcept {
  return std::binary_search(sorted.begin(), sorted.end(), h);
}

void insert(Numbers& sorted, Handle h) {
  const auto at = std::lower_bound(sorted.begin(), sorted.end(), h);
  if (at == sorted.end() || *at != h) sorted.insert(at, h);
}

}  // namespace

const Owned* Instance::owns(Handle attribute) const noexcept {
  const auto at = std::lower_bound(owned.begin(), owned.end(), attribute,
                                   [](const Owned& o, Handle h) { return o.attribute < h; });
  return at != owned.end() && at->attribute == attribute ? &*at : nullptr;
}

federation::Bounds* Region::in(Handle dimension) noexcept {
  for (federation::Bounds& b : bounds)
    if (b.dimension == dimension) return &b;
  return nullptr;
}

Instance* JoinedFederate::instance(Handle object) noexcept {
  const auto at = instances.find(object);
  return at == instances.end() ? nullptr : &at->second;
}

void JoinedFederate::discover(Handle object, Handle object_class, std::string instance_name) {
  Instance& i = instances[object];
  i.object_class = object_class;
  if (i.name != instance_name) instance_names.erase(i.name);
  i.name = std::move(instance_name);
  instance_names[i.name] = object;
}

void JoinedFederate::registered(Handle object, Handle object_class, std::string instance_name) {
  discover(object, object_class, std::move(instance_name));
  if (const auto at = published.find(object_class); at != published.end())
    acquire(object, at->second.attributes);
}

void JoinedFederate::forget(Handle object) {
  const auto at = instances.find(object);
  if (at == instances.end()) return;
  instance_names.erase(at->second.name);
  instances.erase(at);
}

void JoinedFederate::forget_until(Handle object, Stamp stamp, std::uint32_t number) {
  std::erase_if(deleted, [&](const auto& d) { return d.second.stamp <= time.time; });
  if (const Instance* i = instance(object)) deleted[number] = {object, *i, stamp};
  forget(object);
}

void JoinedFederate::revive(std::uint32_t number) {
  const auto at = deleted.find(number);
  if (at == deleted.end()) return;
  instance_names[at->second.instance.name] = at->second.object;
  instances.insert_or_assign(at->second.object, std::move(at->second.instance));
  deleted.erase(at);
}

bool JoinedFederate::publishes(Handle object_class, Handle attribute) const noexcept {
  const auto at = published.find(object_class);
  return at != published.end() && contains(at->second.attributes, attribute);
}

void JoinedFederate::publish(Handle object_class, const Numbers& attributes) {
  if (attributes.empty()) return;
  Publication& p = published[object_class];
  for (const Handle h : attributes) {
    insert(p.attributes, h);
    if (h == fom.privilege()) p.explicit_privilege = true;
  }
  insert(p.attributes, fom.privilege());
}

void JoinedFederate::unpublish(Handle object_class, const std::optional<Numbers>& attributes) {
  const auto at = published.find(object_class);
  if (at == published.end()) return;
  Publication& p = at->second;
  Numbers gone = attributes ? *attributes : p.attributes;
  std::erase_if(p.attributes,
                [&](Handle h) { return std::find(gone.begin(), gone.end(), h) != gone.end(); });
  if (p.attributes == Numbers{fom.privilege()} && !p.explicit_privilege) {
    gone.push_back(fom.privilege());
    p.attributes.clear();
  }
  if (p.attributes.empty())
    published.erase(at);
  else if (!contains(p.attributes, fom.privilege()))
    p.explicit_privilege = false;
  for (auto& [object, i] : instances)
    if (i.object_class == object_class) divest(object, gone);
}

void JoinedFederate::acquire(Handle object, const Numbers& attributes) {
  Instance* i = instance(object);
  if (!i) return;
  for (const Handle h : attributes) {
    if (!fom.is_attribute(h)) continue;
    const auto at = std::lower_bound(i->owned.begin(), i->owned.end(), h,
                                     [](const Owned& o, Handle x) { return o.attribute < x; });
    if (at == i->owned.end() || at->attribute != h)
      i->owned.insert(at, {h, fom.attribute(h).order == federation::Order::time_stamp});
  }
}

void JoinedFederate::divest(Handle object, const Numbers& attributes) {
  if (Instance* i = instance(object))
    std::erase_if(i->owned, [&](const Owned& o) {
      return std::find(attributes.begin(), attributes.end(), o.attribute) != attributes.end();
    });
}

void JoinedFederate::reorder(Handle object, const Numbers& attributes, bool time_stamped) {
  if (Instance* i = instance(object))
    for (Owned& o : i->owned)
      if (std::find(attributes.begin(), attributes.end(), o.attribute) != attributes.end())
        o.time_stamped = time_stamped;
}

bool JoinedFederate::can_be(const federation::MemberState& s) const noexcept {
  const auto is_class = [&](const auto& of) { return fom.is_object_class(of.object_class); };
  return std::all_of(s.objects.begin(), s.objects.end(), is_class) &&
         std::all_of(s.published.begin(), s.published.end(), is_class) &&
         s.resign <= federation::ResignAction::none;
}

void JoinedFederate::done(const federation::PublishInteraction& m) {
  const bool stamped =
      fom.interaction_class(m.interaction_class).order == federation::Order::time_stamp;
  published_interactions.emplace(m.interaction_class, stamped);
}

void JoinedFederate::done(const federation::DeleteObject& m) {
  if (m.retraction != 0 && m.time)
    forget_until(m.object, *m.time, m.retraction);
  else
    forget(m.object);
}

void JoinedFederate::done(const federation::EnableRegulation& m) {
  time.regulation_pending = true;
  time.lookahead = m.lookahead;
}

void JoinedFederate::done(const federation::ChangeAttributeOrder& m) {
  reorder(m.object, m.attributes, m.order == federation::Order::time_stamp);
}

void JoinedFederate::done(const federation::ChangeInteractionOrder& m) {
  if (const auto at = published_interactions.find(m.interaction_class);
      at != published_interactions.end())
    at->second = m.order == federation::Order::time_stamp;
}

bool JoinedFederate::done(federation::Bytes request) {
  const auto header = federation::header(request);
  if (!header) return false;
  bool good = true;
  federation::with_request(header->kind, [&]<class M>() {
    if constexpr (federation::mom_invokes<M>) {
      M m;
      good = federation::read(request, m);
      if constexpr (requires { m.object_class; })
        good = good && fom.is_object_class(m.object_class);
      if constexpr (requires { m.interaction_class; })
        good = good && fom.is_interaction_class(m.interaction_class);
      if constexpr (requires { m.how; }) good = good && m.how <= AdvanceKind::flush;
      if (good) done(m);
    }
  });
  return good;
}

void JoinedFederate::restore(federation::MemberState&& s) {
  federate = s.federate;
  name = std::move(s.name);
  instances.clear();
  instance_names.clear();
  deleted.clear();
  for (federation::KnownObject& o : s.objects) {
    discover(o.object, o.object_class, std::move(o.name));
    acquire(o.object, o.owned);
    reorder(o.object, o.owned, false);
    reorder(o.object, o.time_stamped, true);
  }
  published.clear();
  for (federation::Published& p : s.published) {
    if (p.attributes.empty()) continue;
    publish(p.object_class, p.attributes);
    published[p.object_class].explicit_privilege = false;
  }
  published_interactions.clear();
  for (const Handle h : s.published_interactions) published_interactions[h] = false;
  for (const Handle h : s.time_stamped_interactions)
    if (const auto at = published_interactions.find(h); at != published_interactions.end())
      at->second = true;
  regions.clear();
  for (federation::RegionBounds& r : s.regions)
    regions[r.region] = {.bounds = std::move(r.bounds), .mine = true};
  time = {.kind = time.kind,
          .regulating = s.regulating,
          .constrained = s.constrained,
          .asynchronous = s.asynchronous,
          .how = AdvanceKind::to_available,
          .time = s.time,
          .target = s.time,
          .lookahead = s.lookahead};
  time.promised = time.output(s.time);
  switches = s.switches;
  resign = s.resign;
  reports_services = s.service_reporting;
  reports_exceptions = s.exception_reporting;
}

}  // namespace vernier::hla
