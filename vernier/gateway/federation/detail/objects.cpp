// Object management: IEEE 1516.1-2010, section 6; updates and interactions are in relay.cpp.
#include <algorithm>
#include <utility>

#include "vernier/gateway/federation/detail/checks.hpp"
#include "vernier/gateway/federation/federation.hpp"
#include "vernier/gateway/federation/regions.hpp"

namespace vernier::federation {

using detail::refuse;

// ---- names (6.2 to 6.7)

void Federation::check_name(const std::string& name) const {
  if (name.empty()) refuse(Failure::IllegalName, "An instance name is empty");
  if (name.starts_with("HLA"))
    refuse(Failure::IllegalName, "'" + name + "' begins with HLA, as only names of the RTI do");
  if (name.size() > limits.name_bytes)
    refuse(Failure::IllegalName,
           "An instance name is longer than " + std::to_string(limits.name_bytes) + " bytes");
}

/// Checks the size of a tag that is stored.
void Federation::check_tag(const Blob& tag) const {
  if (tag.size() > limits.tag_bytes)
    refuse(Failure::RTIinternalError,
           "The tag is longer than " + std::to_string(limits.tag_bytes) + " bytes");
}

// reserveObjectInstanceName (6.2, 6.5)
void Federation::take(Federate& f, const ReserveNames& m) {
  if (m.names.empty()) refuse(Failure::NameSetWasEmpty, "There is no name to reserve");
  for (const std::string& n : m.names) check_name(n);
  if (names_.size() + m.names.size() > limits.names)
    refuse(Failure::RTIinternalError, "The federation takes no more names");
  const bool free = std::none_of(m.names.begin(), m.names.end(),
                                 [&](const std::string& n) { return names_.contains(n); });
  if (free) {
    std::size_t bytes = 0;
    for (const std::string& n : m.names) bytes += n.size();
    keep_entries(m.names.size(), bytes);
    for (const std::string& n : m.names) names_[n].reserved_by = f.handle;
  }
  tell(f, NamesReserved{m.names, free, m.multiple});
}

// releaseObjectInstanceName (6.4, 6.7)
void Federation::take(Federate& f, const ReleaseNames& m) {
  if (m.names.empty()) refuse(Failure::NameSetWasEmpty, "There is no name to release");
  for (const std::string& n : m.names) {
    const auto at = names_.find(n);
    if (at == names_.end() || at->second.reserved_by != f.handle || at->second.object != 0)
      refuse(Failure::ObjectInstanceNameNotReserved,
             "The federate has not reserved the name '" + n + "', or has used it");
  }
  for (const std::string& n : m.names) {
    kept_gone_ += n.size();
    names_.erase(n);
  }
}

// ---- registration and deletion (6.8, 6.14, 6.16)

Instance& Federation::create(Handle of_class, std::string name, Handle producer) {
  if (instances_.size() >= limits.instances || next_instance_ == rti_owner)
    refuse(Failure::RTIinternalError, "The federation takes no more object instances");
  auto fresh = std::make_unique<Instance>();
  fresh->handle = next_instance_;
  fresh->object_class = of_class;
  fresh->name = name.empty() ? "HLAobject." + std::to_string(next_instance_) : std::move(name);
  fresh->producer = producer;
  for (const Handle a : tables_.object_classes[of_class - 1].members)
    fresh->slots.push_back(fresh_slot(a));
  names_[fresh->name].object = next_instance_;
  return instances_.put(next_instance_++, std::move(fresh));
}

// registerObjectInstance (6.8, 9.5)
Registered Federation::take(Federate& f, const RegisterObject& m) {
  object_class(m.object_class);
  const ObjectDeclaration& d = f.objects[m.object_class];
  if (d.published.empty())
    refuse(Failure::ObjectClassNotPublished,
           "The federate does not publish " + tables_.object_classes[m.object_class - 1].path);
  if (m.name) {
    const auto at = names_.find(*m.name);
    if (at == names_.end() || (at->second.reserved_by != f.handle && at->second.object == 0))
      refuse(Failure::ObjectInstanceNameNotReserved,
             "The federate has not reserved the name '" + *m.name + "'");
    if (at->second.object != 0)
      refuse(Failure::ObjectInstanceNameInUse, "There is an instance named '" + *m.name + "'");
  }
  std::vector<Numbers> attributes;
  for (const InRegions& part : m.parts) {
    attributes.push_back(checked_attributes(m.object_class, part.attributes));
    for (const Handle a : attributes.back()) {
      if (!publishes(f, m.object_class, a))
        refuse(Failure::AttributeNotPublished,
               "The federate does not publish '" + tables_.attributes[a - 1].name + "'");
    }
    check_regions(f, part.regions, attributes.back());
  }
  keep_for(m.parts);
  keep_entries(1, sizeof(Instance) + joined_.size() * sizeof(Known) +
                      tables_.object_classes[m.object_class - 1].members.size() * sizeof(Slot));
  Instance& i = create(m.object_class, m.name.value_or(""), f.handle);
  for (Slot& s : i.slots) {
    if (publishes(f, m.object_class, s.attribute)) s.owner = f.handle;
  }
  for (std::size_t p = 0; p < m.parts.size(); ++p) {
    for (const Handle a : attributes[p]) associate(*i.slot(a), m.parts[p].regions);
  }
  remember(i, f.handle, m.object_class);
  ++f.counters.registered;
  Registered answer{i.handle, i.name};
  review(i);
  return answer;
}

Known& Federation::remember(Instance& i, Handle federate, Handle as) {
  const auto at = std::lower_bound(i.known.begin(), i.known.end(), federate,
                                   [](const Known& k, Handle h) { return k.federate < h; });
  i.routes.clear();
  return *i.known.insert(at, Known{.federate = federate, .object_class = as, .scope = {}});
}

void Federation::forget(Instance& i, Handle federate) {
  i.routes.clear();
  std::erase_if(i.known, [&](const Known& k) { return k.federate == federate; });
}

void Federation::erase(Instance& i) {
  gone(i);
  for (Slot& s : i.slots) associate(s, {});
  names_.erase(i.name);
  std::erase(deleting_, i.handle);
  instances_.erase(i.handle);
}

void Federation::remove(Instance& i, Handle by, Bytes tag, std::optional<Stamp> time,
                        std::uint32_t retraction) {
  const Handle handle = i.handle;
  const bool ordered = time && by != rti_owner &&
                       time_.order_for_sending(by, time, retraction != 0) == Order::time_stamp &&
                       i.slot(privilege_)->order == Order::time_stamp;
  Remove r{.object = handle, .tag = tag, .sent = ordered ? Order::time_stamp : Order::receive};
  r.time = time;
  if (ordered) r.retraction = Retraction{by, retraction};
  if (const Known* k = i.known_by(by)) i.deleted_class = k->object_class;
  i.deleted_by = by;
  i.deleted_retraction = retraction;
  forget(i, by);
  if (ordered) {
    time_.sent(by, *time, retraction);
    deleting_.push_back(handle);
  }
  std::vector<Handle> to;
  for (const Known& k : i.known) to.push_back(k.federate);
  const Handle outer = std::exchange(removing_, handle);
  for (const Handle h : to) {
    const Federate& f = *federate(h);
    r.producer = f.convey_producer && by != rti_owner ? by : 0;
    if (ordered && time_.constrained(h)) {
      r.received = Order::time_stamp;
      time_.hold(h, *time, frame(r), *r.retraction);
    } else {
      r.received = Order::receive;
      time_.pass(h, frame(r), ordered ? *r.retraction : Retraction{});
    }
  }
  removing_ = outer;
  if (i.known.empty()) erase(i);
}

/// The last step of sending a message to a federate. From here on, the receiver of a removal no
/// longer knows the instance.
void Federation::deliver(Handle to, const Frame& message) {
  Federate* f = federate(to);
  if (!f) return;
  if (saving_ || restoring_) {
    f->waiting.push_back(message);
    f->waiting_bytes += message->size();
    time_.count(to, message->size(), 0);
    return;
  }
  if (front(*message).kind == Kind::remove) {
    Remove r;
    if (read(*message, r)) {
      ++f->counters.removed;
      if (Instance* i = instances_.find(r.object)) {
        forget(*i, to);
        if (i->known.empty() && i->deleted_by != 0 && removing_ != r.object) erase(*i);
      }
    }
  }
  send(*f, message);
}

/// Delivers what arrived while the federation was being saved or restored.
void Federation::deliver_waiting() {
  for (Federate* f : joined_) {
    time_.count(f->handle, 0, std::exchange(f->waiting_bytes, 0));
    for (const Frame& message : std::exchange(f->waiting, {})) deliver(f->handle, message);
  }
}

// deleteObjectInstance (6.14)
void Federation::take(Federate& f, const DeleteObject& m) {
  Instance& i = known_instance(f, m.object);
  if (i.slot(privilege_)->owner != f.handle || i.deleted_by != 0)
    refuse(Failure::DeletePrivilegeNotHeld,
           "The federate does not hold the privilege to delete '" + i.name + "'");
  remove(i, f.handle, m.tag, m.time, m.retraction);
  ++f.counters.deleted;
}

// localDeleteObjectInstance (6.16)
void Federation::take(Federate& f, const LocalDelete& m) {
  Instance& i = known_instance(f, m.object);
  for (const Slot& s : i.slots) {
    if (s.owner == f.handle)
      refuse(Failure::FederateOwnsAttributes, "The federate owns attributes of '" + i.name + "'");
    for (const Acquisition& a : s.wanted_by) {
      if (a.federate == f.handle)
        refuse(Failure::OwnershipAcquisitionPending,
               "The federate waits for attributes of '" + i.name + "'");
    }
  }
  forget(i, f.handle);
  review_wanted(i);
  if (i.deleted_by != 0 && i.known.empty()) erase(i);
}

// retract (8.21)
void Federation::take(Federate& f, const Retract& m) {
  time_.retract(f.handle, m.retraction);
  for (const Handle h : deleting_) {
    Instance& i = *instances_.find(h);
    if (i.deleted_by != f.handle || i.deleted_retraction != m.retraction) continue;
    // undo the deletion
    i.deleted_by = 0;
    remember(i, f.handle, i.deleted_class);
    std::erase(deleting_, h);
    review(i);
    return;
  }
}

// ---- instances and interactions of the RTI itself

Instance& Federation::register_own(Handle of_class, const std::string& name,
                                   const Numbers& regions) {
  Instance& i = create(of_class, name, rti_owner);
  for (Slot& s : i.slots) {
    s.owner = rti_owner;
    if (regions_->fits(regions, tables_.attributes[s.attribute - 1].dimensions))
      associate(s, regions);
  }
  review(i);
  return i;
}

void Federation::delete_own(Instance& i) { remove(i, rti_owner, {}, {}, 0); }

// ---- values on request, order, transportation (6.19, 6.23 to 6.30, 8.23, 8.24)

// requestAttributeValueUpdate (6.19)
void Federation::take(Federate& f, const RequestUpdate& m) {
  Instance& i = known_instance(f, m.object);
  slots(f, i, m.attributes);
  provide(i, m.attributes, m.tag, f);
}

// requestAttributeValueUpdate (6.19, 9.13)
void Federation::take(Federate& f, const RequestClassUpdate& m) {
  object_class(m.object_class);
  std::vector<Numbers> attributes;
  for (const InRegions& part : m.parts) {
    attributes.push_back(checked_attributes(m.object_class, part.attributes));
    if (m.with_regions) check_regions(f, part.regions, attributes.back());
  }
  instances_.each([&](Instance& i) {
    if (!is_a(i.object_class, m.object_class) || i.deleted_by != 0) return;
    Numbers wanted;
    for (std::size_t p = 0; p < m.parts.size(); ++p) {
      for (const Handle a : attributes[p]) {
        const Slot& s = *i.slot(a);
        if (!m.with_regions || s.regions.empty() ||
            regions_->overlap(s.regions, m.parts[p].regions))
          wanted.push_back(a);
      }
    }
    std::sort(wanted.begin(), wanted.end());
    wanted.erase(std::unique(wanted.begin(), wanted.end()), wanted.end());
    provide(i, wanted, m.tag, f);
  });
}

// requestAttributeTransportationTypeChange (6.23)
void Federation::take(Federate& f, const ChangeAttributeTransportation& m) {
  Instance& i = known_instance(f, m.object);
  check_transportation(m.transportation);
  const std::vector<Slot*> changed = owned_slots(f, i, m.attributes);
  for (Slot* s : changed) s->transportation = m.transportation;
  i.routes.clear();
  tell(f, AttributeTransportation{i.handle, m.attributes, m.transportation, true});
}

// queryAttributeTransportationType (6.25)
void Federation::take(Federate& f, const QueryAttributeTransportation& m) {
  Instance& i = known_instance(f, m.object);
  const Slot& s = *slots(f, i, {m.attribute}).front();
  tell(f, AttributeTransportation{i.handle, {m.attribute}, s.transportation, false});
}

// requestInteractionTransportationTypeChange (6.27)
void Federation::take(Federate& f, const ChangeInteractionTransportation& m) {
  const FomTables::Class& c = interaction_class(m.interaction_class);
  check_transportation(m.transportation);
  InteractionDeclaration& d = f.interactions[m.interaction_class];
  if (!d.published)
    refuse(Failure::InteractionClassNotPublished, "The federate does not publish " + c.path);
  d.transportation = m.transportation;
  tell(f, InteractionTransportation{f.handle, m.interaction_class, m.transportation, true});
}

// queryInteractionTransportationType (6.29)
void Federation::take(Federate& f, const QueryInteractionTransportation& m) {
  interaction_class(m.interaction_class);
  const Federate* of = federate(m.federate);
  if (!of) refuse(Failure::RTIinternalError, "No federate of this handle has joined");
  tell(f, InteractionTransportation{of->handle, m.interaction_class,
                                    of->interactions[m.interaction_class].transportation, false});
}

// changeAttributeOrderType (8.23)
void Federation::take(Federate& f, const ChangeAttributeOrder& m) {
  Instance& i = known_instance(f, m.object);
  if (m.order > Order::time_stamp) refuse(Failure::InvalidOrderType, "No such order type");
  for (Slot* s : owned_slots(f, i, m.attributes)) s->order = m.order;
  i.routes.clear();
}

// changeInteractionOrderType (8.24)
void Federation::take(Federate& f, const ChangeInteractionOrder& m) {
  const FomTables::Class& c = interaction_class(m.interaction_class);
  if (m.order > Order::time_stamp) refuse(Failure::InvalidOrderType, "No such order type");
  InteractionDeclaration& d = f.interactions[m.interaction_class];
  if (!d.published)
    refuse(Failure::InteractionClassNotPublished, "The federate does not publish " + c.path);
  d.order = m.order;
}

}  // namespace vernier::federation
