// Declaration management: IEEE 1516.1-2010, section 5; with regions 9.8 to 9.11.
#include <algorithm>
#include <iterator>

#include "vernier/gateway/federation/detail/checks.hpp"
#include "vernier/gateway/federation/federation.hpp"
#include "vernier/gateway/federation/regions.hpp"

namespace vernier::federation {

using detail::refuse;

namespace {

/// The union of two ascending lists.
Numbers joined(const Numbers& a, const Numbers& b) {
  Numbers all;
  std::set_union(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(all));
  return all;
}
Numbers without(const Numbers& a, const Numbers& b) {
  Numbers all;
  std::set_difference(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(all));
  return all;
}

AttributeSubscription& entry(ObjectDeclaration& d, Handle attribute) {
  const auto at =
      std::lower_bound(d.subscribed.begin(), d.subscribed.end(), attribute,
                       [](const AttributeSubscription& s, Handle a) { return s.attribute < a; });
  if (at != d.subscribed.end() && at->attribute == attribute) return *at;
  return *d.subscribed.insert(at, AttributeSubscription{.attribute = attribute, .regions = {}});
}

void drop_empty(ObjectDeclaration& d) {
  std::erase_if(d.subscribed,
                [](const AttributeSubscription& s) { return !s.plain && s.regions.empty(); });
}

}  // namespace

// ---- publishing (5.2 to 5.5)

bool Federation::publishes(const Federate& f, Handle c, Handle attribute) const noexcept {
  const Numbers& all = f.objects[c].published;
  return std::binary_search(all.begin(), all.end(), attribute);
}

// publishObjectClassAttributes (5.2)
void Federation::take(Federate& f, const PublishAttributes& m) {
  const Numbers attributes = checked_attributes(m.object_class, m.attributes);
  if (attributes.empty()) return;
  ObjectDeclaration& d = f.objects[m.object_class];
  if (std::binary_search(attributes.begin(), attributes.end(), privilege_))
    d.explicit_privilege = true;
  d.published = joined(joined(d.published, attributes), {privilege_});
  review_registration(m.object_class);
  instances_.each([&](Instance& i) {
    const Known* k = i.known_by(f.handle);
    if (k && k->object_class == m.object_class) offer_unowned(i, f);
  });
}

// unpublishObjectClassAttributes (5.3)
void Federation::take(Federate& f, const UnpublishAttributes& m) {
  object_class(m.object_class);
  ObjectDeclaration& d = f.objects[m.object_class];
  Numbers gone = m.attributes ? checked_attributes(m.object_class, *m.attributes) : d.published;
  const Numbers left = without(d.published, gone);
  const bool privilege_goes = std::binary_search(gone.begin(), gone.end(), privilege_) ||
                              (left == Numbers{privilege_} && !d.explicit_privilege);
  if (privilege_goes) gone = joined(gone, {privilege_});
  // for instances that it knows as this class
  const auto each_slot = [&](auto act) {
    instances_.each([&](Instance& i) {
      const Known* k = i.known_by(f.handle);
      if (!k || k->object_class != m.object_class || i.deleted_by != 0) return;
      act(i);
    });
  };
  each_slot([&](Instance& i) {
    for (const Handle a : gone) {
      for (const Acquisition& w : i.slot(a)->wanted_by) {
        if (w.federate == f.handle && !w.if_available)
          refuse(Failure::OwnershipAcquisitionPending,
                 "The federate waits for attributes of '" + i.name + "'");
      }
    }
  });
  d.published = without(d.published, gone);
  if (privilege_goes) d.explicit_privilege = false;
  each_slot([&](Instance& i) {
    std::vector<Slot*> lost;
    for (const Handle a : gone) {
      Slot& s = *i.slot(a);
      std::erase_if(s.wanted_by, [&](const Acquisition& w) { return w.federate == f.handle; });
      if (s.owner == f.handle) lost.push_back(&s);
    }
    if (lost.empty()) return;
    make_unowned(i, lost, {});
    review(i);
  });
  review_registration(m.object_class);
}

// publishInteractionClass (5.4)
void Federation::take(Federate& f, const PublishInteraction& m) {
  interaction_class(m.interaction_class);
  f.interactions[m.interaction_class].published = true;
  review_interactions(m.interaction_class);
}

// unpublishInteractionClass (5.5)
void Federation::take(Federate& f, const UnpublishInteraction& m) {
  const FomTables::Class& c = interaction_class(m.interaction_class);
  InteractionDeclaration& d = f.interactions[m.interaction_class];
  d.published = false;
  d.order = c.order;
  d.transportation = c.transportation;
  review_interactions(m.interaction_class);
}

// ---- subscribing (5.6 to 5.9)

// subscribeObjectClassAttributes (5.6, 9.8)
void Federation::take(Federate& f, const SubscribeAttributes& m) {
  object_class(m.object_class);
  Handle rate = 0;
  if (!m.rate.empty()) {
    for (std::size_t r = 0; r < tables_.rates.size(); ++r) {
      if (tables_.rates[r].name == m.rate) rate = static_cast<Handle>(r + 1);
    }
    if (rate == 0)
      refuse(Failure::InvalidUpdateRateDesignator, "The FOM has no update rate '" + m.rate + "'");
  }
  std::vector<Numbers> attributes;
  for (const InRegions& part : m.parts) {
    attributes.push_back(checked_attributes(m.object_class, part.attributes));
    if (m.with_regions) check_regions(f, part.regions, attributes.back());
  }
  if (m.with_regions) keep_for(m.parts);
  ObjectDeclaration& d = f.objects[m.object_class];
  for (std::size_t p = 0; p < m.parts.size(); ++p) {
    Numbers regions = m.with_regions ? m.parts[p].regions : Numbers{};
    std::sort(regions.begin(), regions.end());
    regions.erase(std::unique(regions.begin(), regions.end()), regions.end());
    if (m.with_regions && regions.empty()) continue;
    for (const Handle a : attributes[p]) {
      AttributeSubscription& s = entry(d, a);
      s.active = m.active;
      s.rate = rate;
      if (m.with_regions) {
        for (const Handle r : without(regions, s.regions)) regions_->use(r, 1);
        s.regions = joined(s.regions, regions);
      } else {
        s.plain = true;
      }
    }
  }
  routes_changed();
  review_below(f, m.object_class);
  review_registration(m.object_class);
}

// unsubscribeObjectClassAttributes (5.7, 9.9)
void Federation::take(Federate& f, const UnsubscribeAttributes& m) {
  object_class(m.object_class);
  ObjectDeclaration& d = f.objects[m.object_class];
  if (!m.parts) {
    for (AttributeSubscription& s : d.subscribed) s.plain = false;
  } else {
    for (const InRegions& part : *m.parts) {
      const Numbers attributes = checked_attributes(m.object_class, part.attributes);
      if (m.with_regions) check_regions(f, part.regions, Numbers{});
    }
    for (const InRegions& part : *m.parts) {
      Numbers regions = part.regions;
      std::sort(regions.begin(), regions.end());
      for (const Handle a : checked_attributes(m.object_class, part.attributes)) {
        AttributeSubscription* s = d.subscription(a);
        if (!s) continue;
        if (!m.with_regions) {
          s->plain = false;
          continue;
        }
        const Numbers left = without(s->regions, regions);
        for (const Handle r : without(s->regions, left)) regions_->use(r, -1);
        s->regions = left;
      }
    }
  }
  drop_empty(d);
  routes_changed();
  review_below(f, m.object_class);
  review_registration(m.object_class);
}

// subscribeInteractionClass (5.8, 9.10)
void Federation::take(Federate& f, const SubscribeInteraction& m) {
  const FomTables::Class& c = interaction_class(m.interaction_class);
  if (f.service_reporting && c.path.ends_with(".HLAreportServiceInvocation"))
    refuse(Failure::FederateServiceInvocationsAreBeingReportedViaMOM,
           "The services of this federate are being reported");
  InteractionDeclaration& d = f.interactions[m.interaction_class];
  if (m.regions) {
    check_regions(f, *m.regions, c);
    Numbers regions = *m.regions;
    std::sort(regions.begin(), regions.end());
    regions.erase(std::unique(regions.begin(), regions.end()), regions.end());
    if (regions.empty()) return;
    keep(regions.size() * sizeof(Handle));
    for (const Handle r : without(regions, d.regions)) regions_->use(r, 1);
    d.regions = joined(d.regions, regions);
  } else {
    d.plain = true;
  }
  d.active = m.active;
  routes_changed();
  review_interactions(m.interaction_class);
}

// unsubscribeInteractionClass (5.9, 9.11)
void Federation::take(Federate& f, const UnsubscribeInteraction& m) {
  const FomTables::Class& c = interaction_class(m.interaction_class);
  InteractionDeclaration& d = f.interactions[m.interaction_class];
  if (m.regions) {
    check_regions(f, *m.regions, c);
    Numbers regions = *m.regions;
    std::sort(regions.begin(), regions.end());
    const Numbers left = without(d.regions, regions);
    for (const Handle r : without(d.regions, left)) regions_->use(r, -1);
    d.regions = left;
  } else {
    d.plain = false;
  }
  routes_changed();
  review_interactions(m.interaction_class);
}

bool Federation::subscribed(const Federate& f, Handle of_class) const noexcept {
  for (Handle c = of_class; c != 0; c = tables_.interaction_classes[c - 1].parent) {
    if (f.interactions[c].subscribed()) return true;
  }
  return false;
}

}  // namespace vernier::federation
