// Data distribution management: IEEE 1516.1-2010, section 9.
#include <algorithm>
#include <iterator>

#include "vernier/gateway/federation/federation.hpp"
#include "vernier/gateway/federation/regions.hpp"

namespace vernier::federation {

void Federation::check_regions(const Federate& f, const Numbers& regions,
                               const Numbers& attributes) const {
  regions_->check(f.handle, regions);
  for (const Handle a : attributes)
    regions_->check(f.handle, regions, tables_.attributes[a - 1].dimensions);
}

void Federation::check_regions(const Federate& f, const Numbers& regions,
                               const FomTables::Class& c) const {
  regions_->check(f.handle, regions, c.dimensions);
}

/// Replaces the regions associated with an attribute.
void Federation::associate(Slot& s, Numbers regions) {
  std::sort(regions.begin(), regions.end());
  regions.erase(std::unique(regions.begin(), regions.end()), regions.end());
  Regions::check_count(regions);
  for (const Handle r : regions) regions_->use(r, 1);
  for (const Handle r : s.regions) regions_->use(r, -1);
  s.regions = std::move(regions);
}

void Federation::regions_changed() {
  routes_changed();
  instances_.each([&](Instance& i) {
    if (std::any_of(i.slots.begin(), i.slots.end(),
                    [](const Slot& s) { return !s.regions.empty(); }))
      review(i);
  });
}

// createRegion (9.2)
Created Federation::take(Federate& f, const CreateRegion& m) {
  keep(Regions::bytes_of(m.dimensions.size()));
  return {regions_->create(f.handle, m.dimensions, tables_)};
}

// commitRegionModifications (9.3)
void Federation::take(Federate& f, const CommitRegions& m) {
  regions_->commit(f.handle, m.regions);
  regions_changed();
}

// deleteRegion (9.4)
void Federation::take(Federate& f, const DeleteRegion& m) {
  regions_->erase(f.handle, m.region);
  kept_gone_ += Regions::bytes_of(0);
}

// associateRegionsForUpdates (9.6)
void Federation::take(Federate& f, const AssociateRegions& m) {
  Instance& i = known_instance(f, m.object);
  for (const InRegions& part : m.parts) {
    slots(f, i, part.attributes);
    check_regions(f, part.regions, part.attributes);
  }
  keep_for(m.parts);
  for (const InRegions& part : m.parts) {
    for (Slot* s : slots(f, i, part.attributes)) {
      if (s->owner != f.handle) continue;
      Numbers all = s->regions;
      all.insert(all.end(), part.regions.begin(), part.regions.end());
      associate(*s, std::move(all));
    }
  }
  routes_changed();
  review(i);
}

// unassociateRegionsForUpdates (9.7)
void Federation::take(Federate& f, const UnassociateRegions& m) {
  Instance& i = known_instance(f, m.object);
  for (const InRegions& part : m.parts) {
    slots(f, i, part.attributes);
    check_regions(f, part.regions, Numbers{});
  }
  for (const InRegions& part : m.parts) {
    for (Slot* s : slots(f, i, part.attributes)) {
      if (s->owner != f.handle) continue;
      Numbers left;
      std::copy_if(s->regions.begin(), s->regions.end(), std::back_inserter(left), [&](Handle r) {
        return std::find(part.regions.begin(), part.regions.end(), r) == part.regions.end();
      });
      associate(*s, std::move(left));
    }
  }
  routes_changed();
  review(i);
}

}  // namespace vernier::federation
