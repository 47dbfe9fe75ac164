// Which federate knows which instance as which class, and which of its attributes are in scope:
// discovery (6.9), scope (6.17, 6.18) and relevance advisories (5.10 to 5.13, 6.21, 6.22) of IEEE
// 1516.1-2010.
#include <algorithm>
#include <map>
#include <utility>

#include "vernier/gateway/federation/detail/checks.hpp"
#include "vernier/gateway/federation/federation.hpp"
#include "vernier/gateway/federation/regions.hpp"

namespace vernier::federation {

using detail::refuse;

Instance& Federation::known_instance(const Federate& f, Handle h) const {
  Instance* i = instances_.find(h);
  if (!i || !i->known_by(f.handle))
    refuse(Failure::ObjectInstanceNotKnown,
           "The federate knows no object instance of handle " + std::to_string(h));
  return *i;
}

std::vector<Slot*> Federation::slots(const Federate& f, Instance& i,
                                     const Numbers& attributes) const {
  const Handle as = i.known_by(f.handle)->object_class;
  std::vector<Slot*> all;
  for (const Handle a : checked_attributes(as, attributes)) all.push_back(i.slot(a));
  return all;
}

std::vector<Slot*> Federation::owned_slots(const Federate& f, Instance& i,
                                           const Numbers& attributes) const {
  std::vector<Slot*> all = slots(f, i, attributes);
  for (const Slot* s : all) {
    if (s->owner != f.handle)
      refuse(Failure::AttributeNotOwned, "The federate does not own attribute '" +
                                             tables_.attributes[s->attribute - 1].name + "' of '" +
                                             i.name + "'");
  }
  return all;
}

Handle Federation::candidate(const Federate& f, const Instance& i) const noexcept {
  for (Handle c = i.object_class; c != 0; c = tables_.object_classes[c - 1].parent) {
    if (!f.objects[c].subscribed.empty()) return c;
  }
  return 0;
}

bool Federation::sees(Federate& f, const Slot& s, Handle at_class) const {
  if (s.owner == 0 || s.owner == f.handle) return false;
  const AttributeSubscription* by = f.objects[at_class].subscription(s.attribute);
  return by && (by->plain || s.regions.empty() || regions_->overlap(s.regions, by->regions));
}

void Federation::review(Instance& i, Federate& f) {
  Known* k = i.known_by(f.handle);
  const bool fresh = !k;
  if (fresh) {
    const Handle c = i.deleted_by == 0 ? candidate(f, i) : 0;
    if (c == 0) return;
    const bool any =
        std::any_of(i.slots.begin(), i.slots.end(), [&](const Slot& s) { return sees(f, s, c); });
    if (!any) return;
    k = &remember(i, f.handle, c);
    ++f.counters.discovered;
    tell(f, Discover{.object = i.handle,
                     .object_class = c,
                     .name = i.name,
                     .producer = f.convey_producer ? i.producer : 0});
  }
  Numbers entered, left;
  for (std::size_t n = 0; n < i.slots.size(); ++n) {
    const bool sees_it = i.deleted_by == 0 && sees(f, i.slots[n], k->object_class);
    if (sees_it == k->scope.has(n)) continue;
    k->scope.set(n, sees_it);
    (sees_it ? entered : left).push_back(i.slots[n].attribute);
  }
  if (!entered.empty() || !left.empty()) i.routes.clear();
  if (f.is_on(Switch::attribute_scope)) {
    if (!entered.empty()) tell(f, Scope{i.handle, entered, true});
    if (!left.empty()) tell(f, Scope{i.handle, left, false});
  }
  if (!fresh) return;
  offer_unowned(i, f);
  if (auto_provide_) provide(i, entered, {}, f);
}

void Federation::review(Instance& i) {
  for (Federate* f : joined_) review(i, *f);
  review_wanted(i);
}

void Federation::review_below(Federate& f, Handle c) {
  instances_.each([&](Instance& i) {
    if (!is_a(i.object_class, c)) return;
    review(i, f);
    review_wanted(i);
  });
}

void Federation::review_wanted(Instance& i) {
  if (i.deleted_by != 0) return;
  // attributes by owner and rate; rate 0 stands for all updates
  std::map<std::pair<Handle, Handle>, Numbers> on;
  std::map<Handle, Numbers> off;
  for (std::size_t n = 0; n < i.slots.size(); ++n) {
    Slot& s = i.slots[n];
    const Federate* owner = federate(s.owner);
    if (!owner || !owner->is_on(Switch::attribute_relevance)) continue;
    bool wanted = false;
    Handle rate = 0;
    for (const Known& k : i.known) {
      if (!k.scope.has(n)) continue;
      const AttributeSubscription* by =
          federate(k.federate)->objects[k.object_class].subscription(s.attribute);
      if (!by || !by->active) continue;
      // the fastest subscription determines the rate
      const auto hertz = [&](Handle r) { return tables_.rates[r - 1].hertz; };
      if (!wanted || by->rate == 0 || (rate != 0 && hertz(by->rate) > hertz(rate))) rate = by->rate;
      wanted = true;
      if (rate == 0) break;
    }
    if (wanted == s.updates_told && (!wanted || rate == s.rate_told)) continue;
    s.updates_told = wanted;
    s.rate_told = rate;
    (wanted ? on[{s.owner, rate}] : off[s.owner]).push_back(s.attribute);
  }
  for (const auto& [to, attributes] : off)
    tell(*federate(to), UpdatesWanted{i.handle, attributes, false, {}});
  for (const auto& [to, attributes] : on)
    tell(*federate(to.first),
         UpdatesWanted{i.handle, attributes, true,
                       to.second == 0 ? std::string() : tables_.rates[to.second - 1].name});
}

// ---- relevance advisories of classes (5.10 to 5.13)

bool Federation::registration_wanted(const Federate& f, Handle of_class) const noexcept {
  const Numbers& published = f.objects[of_class].published;
  for (const Federate* other : joined_) {
    if (other == &f) continue;
    for (Handle c = of_class; c != 0; c = tables_.object_classes[c - 1].parent) {
      for (const AttributeSubscription& s : other->objects[c].subscribed) {
        if (s.active && std::binary_search(published.begin(), published.end(), s.attribute))
          return true;
      }
    }
  }
  return false;
}

bool Federation::interactions_wanted(const Federate& f, Handle of_class) const noexcept {
  for (const Federate* other : joined_) {
    if (other == &f) continue;
    for (Handle c = of_class; c != 0; c = tables_.interaction_classes[c - 1].parent) {
      const InteractionDeclaration& d = other->interactions[c];
      if (d.subscribed() && d.active) return true;
    }
  }
  return false;
}

void Federation::review_registration(Handle top) {
  for (Federate* f : joined_) {
    if (!f->is_on(Switch::object_class_relevance)) continue;
    for (Handle c = std::max(top, Handle{1}); c < f->objects.size(); ++c) {
      ObjectDeclaration& d = f->objects[c];
      if (d.published.empty()) {
        d.wanted = false;
        continue;
      }
      if (top != 0 && !is_a(c, top)) continue;
      const bool wanted = registration_wanted(*f, c);
      if (std::exchange(d.wanted, wanted) != wanted) tell(*f, RegistrationWanted{c, wanted});
    }
  }
}

void Federation::review_interactions(Handle top) {
  for (Federate* f : joined_) {
    if (!f->is_on(Switch::interaction_relevance)) continue;
    for (Handle c = std::max(top, Handle{1}); c < f->interactions.size(); ++c) {
      InteractionDeclaration& d = f->interactions[c];
      if (!d.published) {
        d.wanted = false;
        continue;
      }
      if (top != 0 && !interaction_is_a(c, top)) continue;
      const bool wanted = interactions_wanted(*f, c);
      if (std::exchange(d.wanted, wanted) != wanted) tell(*f, InteractionsWanted{c, wanted});
    }
  }
}

void Federation::review_advisories() {
  review_registration(0);
  review_interactions(0);
}

// ---- values on request (6.19, 6.20)

void Federation::provide(Instance& i, const Numbers& attributes, Bytes tag, const Federate& by) {
  std::map<Handle, Numbers> from;
  for (const Handle a : attributes) {
    const Slot* s = i.slot(a);
    if (s && s->owner != 0 && s->owner != by.handle) from[s->owner].push_back(a);
  }
  for (const auto& [owner, wanted] : from) {
    if (owner == rti_owner) {
      if (observer_) observer_->provide(i, wanted);
    } else if (i.known_by(owner)) {
      tell(*federate(owner), Provide{i.handle, wanted, tag});
    }
  }
}

}  // namespace vernier::federation
