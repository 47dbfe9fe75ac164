// Ownership management: IEEE 1516.1-2010, section 7.
#include <algorithm>
#include <map>
#include <utility>

#include "vernier/gateway/federation/detail/checks.hpp"
#include "vernier/gateway/federation/federation.hpp"

namespace vernier::federation {

using detail::refuse;

namespace {

std::vector<Acquisition>::iterator wish(Slot& s, Handle federate) {
  return std::find_if(s.wanted_by.begin(), s.wanted_by.end(),
                      [&](const Acquisition& a) { return a.federate == federate; });
}

Numbers attributes_of(const std::vector<Slot*>& all) {
  Numbers attributes;
  for (const Slot* s : all) attributes.push_back(s->attribute);
  return attributes;
}

/// Collects attributes by receiver, so that each federate gets one message.
using Messages = std::map<Handle, Numbers>;

}  // namespace

// ---- how ownership is transferred

/// Makes `to` the owner without telling anyone.
void Federation::hand_over(Instance& i, Slot& s, Handle to) {
  const FomTables::Field& m = tables_.attributes[s.attribute - 1];
  s.owner = to;
  s.order = m.order;
  s.transportation = m.transportation;
  associate(s, {});
  s.divesting = s.asked_confirm = s.updates_told = false;
  kept_gone_ += s.divesting_tag.size();
  s.divesting_tag.clear();
  std::erase_if(s.wanted_by, [&](const Acquisition& a) { return a.federate == to; });
  i.routes.clear();
}

void Federation::make_unowned(Instance& i, const std::vector<Slot*>& all, Bytes tag) {
  std::map<std::pair<Handle, Blob>, Numbers> acquired;
  std::vector<Slot*> left, passed_on;
  const Handle before = all.empty() ? 0 : all.front()->owner;  // all have the same owner
  for (Slot* s : all) {
    if (s->wanted_by.empty()) {
      hand_over(i, *s, 0);
      left.push_back(s);
    } else {
      const Acquisition first = s->wanted_by.front();
      hand_over(i, *s, first.federate);
      acquired[{first.federate, Blob(tag.begin(), tag.end())}].push_back(s->attribute);
      passed_on.push_back(s);
    }
  }
  for (const auto& [to, attributes] : acquired)
    tell(*federate(to.first), Acquired{i.handle, attributes, to.second});
  ask_release(i, passed_on);
  offer(i, left, tag, before);
}

void Federation::offer(Instance& i, const std::vector<Slot*>& all, Bytes tag, Handle except) {
  if (all.empty()) return;
  for (const Known& k : i.known) {
    const Federate* f = federate(k.federate);
    if (!f || k.federate == except) continue;
    Numbers eligible;
    for (const Slot* s : all) {
      if (s->owner != k.federate && publishes(*f, k.object_class, s->attribute))
        eligible.push_back(s->attribute);
    }
    if (!eligible.empty()) tell(*f, Assume{i.handle, eligible, tag});
  }
}

void Federation::offer_unowned(Instance& i, Federate& f) {
  const Known* k = i.known_by(f.handle);
  if (!k || i.deleted_by != 0) return;
  Numbers open;
  for (Slot& s : i.slots) {
    const bool free = s.owner == 0 || (s.divesting && s.owner != f.handle);
    if (free && publishes(f, k->object_class, s.attribute) &&
        wish(s, f.handle) == s.wanted_by.end())
      open.push_back(s.attribute);
  }
  if (!open.empty()) tell(f, Assume{i.handle, open, {}});
}

/// Asks the owners to release these attributes, on behalf of the first federate that waits for
/// each.
void Federation::ask_release(Instance& i, const std::vector<Slot*>& all) {
  std::map<std::pair<Handle, Blob>, Numbers> release;
  for (const Slot* s : all) {
    const auto first = std::find_if(s->wanted_by.begin(), s->wanted_by.end(),
                                    [](const Acquisition& a) { return !a.if_available; });
    if (first != s->wanted_by.end() && federate(s->owner))
      release[{s->owner, first->tag}].push_back(s->attribute);
  }
  for (const auto& [to, attributes] : release)
    tell(*federate(to.first), Release{i.handle, attributes, to.second});
}

void Federation::cancel_acquisitions(Federate& f) {
  instances_.each([&](Instance& i) {
    for (Slot& s : i.slots)
      std::erase_if(s.wanted_by, [&](const Acquisition& a) { return a.federate == f.handle; });
  });
}

void Federation::set_ownership(Federate& f, Handle object, Handle attribute, bool owned) {
  Instance& i = known_instance(f, object);
  Slot& s = *slots(f, i, {attribute}).front();
  if (s.owner == rti_owner) refuse(Failure::AttributeNotOwned, "The attribute is the RTI's own");
  if ((s.owner == f.handle) == owned) return;
  if (!owned) {
    make_unowned(i, {&s}, {});
  } else {
    if (!publishes(f, i.known_by(f.handle)->object_class, attribute))
      refuse(Failure::AttributeNotPublished, "The federate does not publish the attribute");
    if (const Federate* before = federate(s.owner))
      tell(*before, OwnershipSet{object, {attribute}, false});
    hand_over(i, s, f.handle);
    ask_release(i, {&s});
  }
  tell(f, OwnershipSet{object, {attribute}, owned});
  review(i);
}

// ---- services of owners

// unconditionalAttributeOwnershipDivestiture (7.2)
void Federation::take(Federate& f, const DivestUnconditionally& m) {
  Instance& i = known_instance(f, m.object);
  make_unowned(i, owned_slots(f, i, m.attributes), {});
  review(i);
}

// negotiatedAttributeOwnershipDivestiture (7.3)
void Federation::take(Federate& f, const DivestNegotiated& m) {
  check_tag(m.tag);
  Instance& i = known_instance(f, m.object);
  const std::vector<Slot*> all = owned_slots(f, i, m.attributes);
  for (const Slot* s : all) {
    if (s->divesting)
      refuse(Failure::AttributeAlreadyBeingDivested, "The federate divests itself of '" +
                                                         tables_.attributes[s->attribute - 1].name +
                                                         "' of '" + i.name + "' already");
  }
  keep(all.size() * m.tag.size());
  Numbers wanted;
  std::vector<Slot*> open;
  for (Slot* s : all) {
    s->divesting = true;
    s->divesting_tag = m.tag;
    s->asked_confirm = !s->wanted_by.empty();
    if (s->asked_confirm)
      wanted.push_back(s->attribute);
    else
      open.push_back(s);
  }
  if (!wanted.empty()) tell(f, ConfirmDivest{i.handle, wanted});
  offer(i, open, m.tag, f.handle);
}

std::vector<Slot*> Federation::divesting_slots(const Federate& f, Instance& i,
                                               const Numbers& attributes) const {
  std::vector<Slot*> all = owned_slots(f, i, attributes);
  for (const Slot* s : all) {
    if (!s->divesting)
      refuse(Failure::AttributeDivestitureWasNotRequested,
             "The federate has not asked to divest itself of '" +
                 tables_.attributes[s->attribute - 1].name + "'");
  }
  return all;
}

// confirmDivestiture (7.6)
void Federation::take(Federate& f, const ConfirmDivestiture& m) {
  Instance& i = known_instance(f, m.object);
  const std::vector<Slot*> all = divesting_slots(f, i, m.attributes);
  for (const Slot* s : all) {
    if (s->wanted_by.empty())
      refuse(Failure::NoAcquisitionPending,
             "Nobody wants '" + tables_.attributes[s->attribute - 1].name + "' any more");
  }
  make_unowned(i, all, m.tag);
  review(i);
}

// attributeOwnershipDivestitureIfWanted (7.13)
Divested Federation::take(Federate& f, const DivestIfWanted& m) {
  Instance& i = known_instance(f, m.object);
  std::vector<Slot*> all = owned_slots(f, i, m.attributes);
  std::erase_if(all, [](const Slot* s) { return s->wanted_by.empty(); });
  make_unowned(i, all, {});
  review(i);
  return {attributes_of(all)};
}

// attributeOwnershipReleaseDenied (7.12)
void Federation::take(Federate& f, const DenyRelease& m) {
  Instance& i = known_instance(f, m.object);
  // The denied federate stops waiting, and the next in the queue asks. The standard introduced this
  // service so that the requesting federate gets an answer; before 1516-2010 it kept waiting.
  Messages unavailable;
  std::vector<Slot*> next;
  for (Slot* s : owned_slots(f, i, m.attributes)) {
    const auto first = std::find_if(s->wanted_by.begin(), s->wanted_by.end(),
                                    [](const Acquisition& a) { return !a.if_available; });
    if (first == s->wanted_by.end() || s->divesting) continue;
    unavailable[first->federate].push_back(s->attribute);
    s->wanted_by.erase(first);
    next.push_back(s);
  }
  for (const auto& [to, attributes] : unavailable)
    tell(*federate(to), Unavailable{i.handle, attributes});
  ask_release(i, next);
}

// cancelNegotiatedAttributeOwnershipDivestiture (7.14)
void Federation::take(Federate& f, const CancelDivestiture& m) {
  Instance& i = known_instance(f, m.object);
  const std::vector<Slot*> all = divesting_slots(f, i, m.attributes);
  Messages unavailable;
  std::vector<Slot*> still_wanted;
  for (Slot* s : all) {
    s->divesting = s->asked_confirm = false;
    s->divesting_tag.clear();
    for (const Acquisition& a : s->wanted_by) {
      if (a.if_available) unavailable[a.federate].push_back(s->attribute);
    }
    std::erase_if(s->wanted_by, [](const Acquisition& a) { return a.if_available; });
    if (!s->wanted_by.empty()) still_wanted.push_back(s);
  }
  for (const auto& [to, attributes] : unavailable)
    tell(*federate(to), Unavailable{i.handle, attributes});
  ask_release(i, still_wanted);
}

// ---- services of federates that want to own

std::vector<Slot*> Federation::wanted_slots(const Federate& f, Instance& i,
                                            const Numbers& attributes) const {
  std::vector<Slot*> all = slots(f, i, attributes);
  const Handle as = i.known_by(f.handle)->object_class;
  if (f.objects[as].published.empty())
    refuse(Failure::ObjectClassNotPublished,
           "The federate does not publish " + tables_.object_classes[as - 1].path);
  for (const Slot* s : all) {
    const std::string& name = tables_.attributes[s->attribute - 1].name;
    if (!publishes(f, as, s->attribute))
      refuse(Failure::AttributeNotPublished, "The federate does not publish '" + name + "'");
    if (s->owner == f.handle)
      refuse(Failure::FederateOwnsAttributes,
             "The federate owns '" + name + "' of '" + i.name + "' already");
  }
  return all;
}

// attributeOwnershipAcquisition (7.8)
void Federation::take(Federate& f, const Acquire& m) {
  check_tag(m.tag);
  Instance& i = known_instance(f, m.object);
  Numbers got, unavailable;
  Messages confirm;
  std::vector<Slot*> asked;
  const std::vector<Slot*> all = wanted_slots(f, i, m.attributes);
  keep(all.size() * (m.tag.size() + sizeof(Acquisition)));
  for (Slot* s : all) {
    if (s->owner == rti_owner) {
      unavailable.push_back(s->attribute);
      continue;
    }
    if (s->owner == 0) {
      hand_over(i, *s, f.handle);
      got.push_back(s->attribute);
      continue;
    }
    // replaces an earlier request of the same federate
    if (const auto before = wish(*s, f.handle); before != s->wanted_by.end()) {
      const bool had_asked = !before->if_available;
      *before = {f.handle, false, m.tag};
      if (had_asked) continue;
    } else {
      s->wanted_by.push_back({f.handle, false, m.tag});
    }
    if (s->divesting) {
      if (!std::exchange(s->asked_confirm, true)) confirm[s->owner].push_back(s->attribute);
    } else if (s->wanted_by.front().federate == f.handle) {
      asked.push_back(s);
    }
  }
  if (!got.empty()) tell(f, Acquired{i.handle, got, m.tag});
  if (!unavailable.empty()) tell(f, Unavailable{i.handle, unavailable});
  for (const auto& [to, attributes] : confirm)
    tell(*federate(to), ConfirmDivest{i.handle, attributes});
  ask_release(i, asked);
  if (!got.empty()) review(i);
}

// attributeOwnershipAcquisitionIfAvailable (7.9)
void Federation::take(Federate& f, const AcquireIfAvailable& m) {
  Instance& i = known_instance(f, m.object);
  const std::vector<Slot*> all = wanted_slots(f, i, m.attributes);
  for (Slot* s : all) {
    const auto before = wish(*s, f.handle);
    if (before != s->wanted_by.end() && !before->if_available)
      refuse(Failure::AttributeAlreadyBeingAcquired,
             "The federate waits for '" + tables_.attributes[s->attribute - 1].name + "' already");
  }
  Numbers got, unavailable;
  Messages confirm;
  for (Slot* s : all) {
    if (s->owner == 0) {
      hand_over(i, *s, f.handle);
      got.push_back(s->attribute);
    } else if (s->divesting) {
      if (wish(*s, f.handle) == s->wanted_by.end()) s->wanted_by.push_back({f.handle, true, {}});
      if (!std::exchange(s->asked_confirm, true)) confirm[s->owner].push_back(s->attribute);
    } else {
      unavailable.push_back(s->attribute);
    }
  }
  if (!got.empty()) tell(f, Acquired{i.handle, got, {}});
  if (!unavailable.empty()) tell(f, Unavailable{i.handle, unavailable});
  for (const auto& [to, attributes] : confirm)
    tell(*federate(to), ConfirmDivest{i.handle, attributes});
  if (!got.empty()) review(i);
}

// cancelAttributeOwnershipAcquisition (7.15)
void Federation::take(Federate& f, const CancelAcquisition& m) {
  Instance& i = known_instance(f, m.object);
  const std::vector<Slot*> all = slots(f, i, m.attributes);
  for (Slot* s : all) {
    const std::string& name = tables_.attributes[s->attribute - 1].name;
    if (s->owner == f.handle)
      refuse(Failure::AttributeAlreadyOwned,
             "The federate owns '" + name + "' of '" + i.name + "' already");
    const auto at = wish(*s, f.handle);
    if (at == s->wanted_by.end() || at->if_available)
      refuse(Failure::AttributeAcquisitionWasNotRequested,
             "The federate has not asked for '" + name + "' of '" + i.name + "'");
  }
  std::vector<Slot*> next;
  for (Slot* s : all) {
    const auto at = wish(*s, f.handle);
    const bool first = at == s->wanted_by.begin();
    s->wanted_by.erase(at);
    if (s->wanted_by.empty())
      s->asked_confirm = false;
    else if (first && !s->divesting)
      next.push_back(s);
  }
  tell(f, AcquisitionCancelled{i.handle, attributes_of(all)});
  ask_release(i, next);
}

// ---- queries

// queryAttributeOwnership (7.17)
void Federation::take(Federate& f, const QueryOwnership& m) {
  Instance& i = known_instance(f, m.object);
  const Slot& s = *slots(f, i, {m.attribute}).front();
  tell(f, Owner{i.handle, m.attribute, s.owner});
}

// isAttributeOwnedByFederate (7.19)
Truth Federation::take(Federate& f, const IsOwned& m) {
  Instance& i = known_instance(f, m.object);
  return {slots(f, i, {m.attribute}).front()->owner == f.handle};
}

}  // namespace vernier::federation
