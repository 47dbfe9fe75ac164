// The hot path: relays updates (6.10) and interactions (6.12) from one federate to many.
#include <algorithm>
#include <chrono>
#include <utility>

#include "vernier/base/require.hpp"
#include "vernier/gateway/federation/detail/checks.hpp"
#include "vernier/gateway/federation/detail/routes.hpp"
#include "vernier/gateway/federation/federation.hpp"
#include "vernier/gateway/federation/regions.hpp"

namespace vernier::federation {

using detail::Malformed;

namespace {

constexpr std::size_t most_routes = 4;  // sets of attributes in use for one instance

/// The handles of the values, which must ascend.
void read_numbers(const Values& values, Numbers& into) {
  into.clear();
  bool ascending = true;
  const bool whole = for_each(values, [&](Handle n, Bytes) {
    ascending = ascending && (into.empty() || into.back() < n);
    into.push_back(n);
  });
  if (!whole || !ascending) throw Malformed{};
}

/// The values at the `picked` positions, copied into `room`; all when it is empty.
Values picked_values(const Values& all, const Numbers& picked, std::vector<std::byte>& room) {
  if (picked.empty()) return all;
  room.clear();
  Writer w(room);
  std::uint32_t at = 0;
  std::size_t next = 0;
  for_each(all, [&](Handle n, Bytes value) {
    if (next < picked.size() && picked[next] == at++) {
      w(n, value);
      ++next;
    }
  });
  return {static_cast<std::uint32_t>(picked.size()), room};
}

/// The frame of a Reflect or Receive. Without regions it has less than 96 bytes besides values and
/// tag, so that one allocation suffices.
template <class M>
Frame framed(const M& m) {
  if (!m.regions.empty()) return frame(m);
  auto bytes = std::make_shared<std::vector<std::byte>>(96 + m.values.raw.size() + m.tag.size());
  SpanWriter w(*bytes);
  w(Header{}, m);
  require(w.ok());
  bytes->resize(w.used());
  set_header(*bytes, {static_cast<std::uint32_t>(w.used()), M::kind, 0, 0});
  return bytes;
}

/// The interval of a rate; at most a day.
std::int64_t interval_ns(double hertz) noexcept {
  constexpr double day = 86400e9;
  return hertz > 0.0 ? static_cast<std::int64_t>(std::min(1e9 / hertz, day)) : 0;
}

std::int64_t now_ns() noexcept {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

}  // namespace

// ---- updates

// updateAttributeValues (6.10)
void Federation::take(Federate& f, const UpdateAttributes& u) {
  read_numbers(u.values, scratch_);
  Instance* i = instances_.find(u.object);
  if (!i || i->deleted_by != 0) return;  // deleted while this update was in transit
  const bool ordered =
      u.time && time_.order_for_sending(f.handle, u.time, u.retraction != 0) == Order::time_stamp;
  if (Route* r = route(*i, f.handle, scratch_, ordered)) relay(*i, *r, f.handle, u);
}

void Federation::update_own(Instance& i, const Values& values) {
  read_numbers(values, scratch_);
  UpdateAttributes u;
  u.object = i.handle;
  u.values = values;
  if (Route* r = route(i, rti_owner, scratch_, false)) relay(i, *r, rti_owner, u);
}

Route* Federation::route(Instance& i, Handle sender, const Numbers& given, bool ordered) {
  for (auto r = i.routes.rbegin(); r != i.routes.rend(); ++r) {
    if (r->declarations == declarations_ && r->sender == sender && r->ordered == ordered &&
        r->attributes == given)
      return &*r;
  }
  // a copy: a discovery below may overwrite the scratch list
  const Numbers attributes(given.begin(), given.end());
  for (const Handle a : attributes) {
    const Slot* s = i.slot(a);
    if (!s || s->owner != sender) return nullptr;
  }
  // a federate that has locally deleted the instance discovers it again (6.16)
  for (Federate* f : joined_) {
    if (!i.known_by(f->handle)) review(i, *f);
  }
  if (i.routes.size() >= most_routes) i.routes.erase(i.routes.begin());
  Route& made = i.routes.emplace_back();
  made.attributes = attributes;
  made.sender = sender;
  made.ordered = ordered;
  made.declarations = declarations_;
  if (Federate* from = federate(sender)) {
    if (Known* k = i.known_by(sender)) k->updated = true;
    Numbers counted;
    for (const Handle a : attributes) {
      const Handle t = i.slot(a)->transportation;
      if (std::find(counted.begin(), counted.end(), t) != counted.end()) continue;
      counted.push_back(t);
      made.sent.push_back(&from->counters.updates_sent.of(i.object_class, t));
    }
  }
  for (Known& k : i.known) add_target(made, i, k);
  return &made;
}

void Federation::add_target(Route& r, Instance& i, Known& k) {
  if (k.federate == r.sender) return;
  Federate& f = *federate(k.federate);
  struct Share {
    Order sent;
    Handle transportation, rate;
    Numbers picked, regions;
  };
  std::vector<Share> shares;
  for (std::size_t n = 0; n < r.attributes.size(); ++n) {
    const Slot& s = *i.slot(r.attributes[n]);
    if (!k.scope.has(i.place(s))) continue;
    const Order sent = r.ordered ? s.order : Order::receive;
    const bool may_drop = sent == Order::receive && !reliable(s.transportation);
    const AttributeSubscription* by = f.objects[k.object_class].subscription(s.attribute);
    const Handle rate = may_drop && by ? by->rate : 0;
    const Numbers regions = f.convey_regions ? s.regions : Numbers{};
    auto share = std::find_if(shares.begin(), shares.end(), [&](const Share& x) {
      return x.sent == sent && x.transportation == s.transportation && x.rate == rate &&
             x.regions == regions;
    });
    if (share == shares.end())
      share = shares.insert(shares.end(), {sent, s.transportation, rate, {}, regions});
    share->picked.push_back(static_cast<std::uint32_t>(n));
  }
  for (Share& share : shares) {
    if (share.picked.size() == r.attributes.size()) share.picked.clear();
    auto part = std::find_if(r.parts.begin(), r.parts.end(), [&](const Route::Part& p) {
      return p.sent == share.sent && p.transportation == share.transportation &&
             p.convey_producer == f.convey_producer && p.picked == share.picked &&
             p.region_handles == share.regions;
    });
    if (part == r.parts.end()) {
      part = r.parts.emplace(r.parts.end());
      part->sent = share.sent;
      part->transportation = share.transportation;
      part->convey_producer = f.convey_producer;
      part->picked = share.picked;
      part->region_handles = share.regions;
      for (const Handle h : share.regions) part->regions.push_back(regions_->described(h));
    }
    Route::Target t;
    t.federate = &f;
    t.known = &k;
    t.received = &f.counters.reflections_received.of(i.object_class, share.transportation);
    if (share.rate != 0) t.interval_ns = interval_ns(tables_.rates[share.rate - 1].hertz);
    part->targets.push_back(t);
  }
}

void Federation::relay(Instance& i, Route& r, Handle producer, const UpdateAttributes& u) {
  for (std::uint64_t* count : r.sent) ++*count;
  bool told = false;
  for (Route::Part& part : r.parts) {
    const bool ordered = part.sent == Order::time_stamp;
    Reflect m;
    m.object = i.handle;
    m.values = picked_values(u.values, part.picked, room_);
    m.tag = u.tag;
    m.sent = part.sent;
    m.transportation = part.transportation;
    m.time = u.time;
    Retraction retraction{};
    if (ordered) {
      retraction = {producer, u.retraction};
      m.retraction = retraction;
      if (!std::exchange(told, true)) time_.sent(producer, *u.time, u.retraction);
    }
    m.producer = part.convey_producer ? producer : 0;
    m.regions.swap(part.regions);  // returned below
    Frame by_time, as_received;
    for (Route::Target& t : part.targets) {
      if (t.interval_ns != 0) {
        const std::int64_t now = now_ns();
        if (now < t.next_ns) continue;
        t.next_ns = now + t.interval_ns;
      }
      ++*t.received;
      t.known->reflected = true;
      if (ordered && time_.constrained(t.federate->handle)) {
        m.received = Order::time_stamp;
        if (!by_time) by_time = framed(m);
        time_.hold(t.federate->handle, *u.time, by_time, retraction);
      } else {
        m.received = Order::receive;
        if (!as_received) as_received = framed(m);
        time_.pass(t.federate->handle, as_received, retraction);
      }
    }
    m.regions.swap(part.regions);
  }
}

// ---- interactions

// sendInteraction (6.12, 9.12)
void Federation::take(Federate& f, const SendInteraction& m) {
  read_numbers(m.values, scratch_);
  if (m.interaction_class == 0 || m.interaction_class > tables_.interaction_classes.size())
    throw Malformed{};
  InteractionDeclaration& d = f.interactions[m.interaction_class];
  if (!d.published) return;
  const bool ordered =
      m.time && time_.order_for_sending(f.handle, m.time, m.retraction != 0) == Order::time_stamp;
  if (m.regions && !m.regions->empty())
    check_regions(f, *m.regions, tables_.interaction_classes[m.interaction_class - 1]);
  ++f.counters.interactions_sent.of(m.interaction_class, d.transportation);
  relay(&f, m, ordered ? d.order : Order::receive, d.transportation, nullptr);
  if (observer_ && interaction_is_a(m.interaction_class, mom_))
    observer_->received(f, m.interaction_class, m.values);
}

void Federation::send_own(Handle of_class, const Values& values, const Federate* only,
                          const Numbers& regions) {
  read_numbers(values, scratch_);
  SendInteraction m;
  m.interaction_class = of_class;
  m.values = values;
  const FomTables::Class& c = tables_.interaction_classes[of_class - 1];
  if (!regions.empty() && regions_->fits(regions, c.dimensions)) m.regions = regions;
  relay(nullptr, m, Order::receive, c.transportation, only);
}

Federation::InteractionRoute* Federation::route(Handle of_class, const Numbers& parameters) {
  std::vector<InteractionRoute>& known = interaction_routes_[of_class];
  for (auto r = known.rbegin(); r != known.rend(); ++r) {
    if (r->declarations == declarations_ && r->parameters == parameters) return &*r;
  }
  const Numbers& members = tables_.interaction_classes[of_class - 1].members;
  if (!std::includes(members.begin(), members.end(), parameters.begin(), parameters.end()))
    return nullptr;
  std::erase_if(known, [&](const InteractionRoute& r) { return r.declarations != declarations_; });
  if (known.size() >= most_routes) known.erase(known.begin());
  InteractionRoute& made = known.emplace_back();
  made.parameters = parameters;
  made.declarations = declarations_;
  for (Federate* f : joined_) {
    Handle as = of_class;
    while (as != 0 && !f->interactions[as].subscribed())
      as = tables_.interaction_classes[as - 1].parent;
    if (as == 0) continue;
    const Numbers& taken = tables_.interaction_classes[as - 1].members;
    Numbers picked;
    for (std::size_t n = 0; n < parameters.size(); ++n) {
      if (std::binary_search(taken.begin(), taken.end(), parameters[n]))
        picked.push_back(static_cast<std::uint32_t>(n));
    }
    const bool none = picked.empty() && !parameters.empty();
    if (picked.size() == parameters.size()) picked.clear();
    auto part =
        std::find_if(made.parts.begin(), made.parts.end(), [&](const InteractionRoute::Part& p) {
          return p.received_as == as && p.convey_producer == f->convey_producer &&
                 p.convey_regions == f->convey_regions;
        });
    if (part == made.parts.end()) {
      part = made.parts.emplace(made.parts.end());
      part->received_as = as;
      part->picked = picked;
      part->none = none;
      part->convey_producer = f->convey_producer;
      part->convey_regions = f->convey_regions;
    }
    const InteractionDeclaration& d = f->interactions[as];
    part->targets.push_back({f, d.plain ? nullptr : &d});
  }
  return &made;
}

void Federation::relay(const Federate* from, const SendInteraction& s, Order sent,
                       Handle transportation, const Federate* only) {
  InteractionRoute* r = route(s.interaction_class, scratch_);
  if (!r) return;
  const Handle producer = from ? from->handle : rti_owner;
  const bool ordered = sent == Order::time_stamp;
  const bool in_regions = s.regions && !s.regions->empty();
  if (ordered) time_.sent(producer, *s.time, s.retraction);
  Receive m;
  m.tag = s.tag;
  m.sent = sent;
  m.transportation = transportation;
  m.time = s.time;
  Retraction retraction{};
  if (ordered) {
    retraction = {producer, s.retraction};
    m.retraction = retraction;
  }
  for (const InteractionRoute::Part& part : r->parts) {
    m.interaction_class = part.received_as;
    m.values = part.none ? Values{} : picked_values(s.values, part.picked, room_);
    m.producer = part.convey_producer ? producer : 0;
    m.regions.clear();
    if (in_regions && part.convey_regions) {
      for (const Handle h : *s.regions) m.regions.push_back(regions_->described(h));
    }
    Frame by_time, as_received;
    for (const InteractionRoute::Target& t : part.targets) {
      if (t.federate == from || (only && t.federate != only)) continue;
      if (in_regions && t.by_regions && !regions_->overlap(*s.regions, t.by_regions->regions))
        continue;
      ++t.federate->counters.interactions_received.of(s.interaction_class, transportation);
      if (ordered && time_.constrained(t.federate->handle)) {
        m.received = Order::time_stamp;
        if (!by_time) by_time = framed(m);
        time_.hold(t.federate->handle, *s.time, by_time, retraction);
      } else {
        m.received = Order::receive;
        if (!as_received) as_received = framed(m);
        time_.pass(t.federate->handle, as_received, retraction);
      }
    }
  }
}

}  // namespace vernier::federation
