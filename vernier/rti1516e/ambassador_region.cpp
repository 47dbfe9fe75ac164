// Data distribution management: IEEE 1516.1-2010, section 9.
#include "vernier/rti1516e/ambassador.hpp"
#include "vernier/rti1516e/checks.hpp"
#include "vernier/rti1516e/raise.hpp"

namespace vernier::hla {
namespace {

using wire::Failure;

wire::Bounds& bounds_of(Region& r, const DimensionHandle& d) {
  wire::Bounds* b = r.in(number(d));
  if (!b)
    raise(Failure::RegionDoesNotContainSpecifiedDimension,
          "the region does not extend in this dimension");
  return *b;
}

}  // namespace

RegionHandle VernierAmbassador::createRegion(const DimensionHandleSet& dimensions) {
  Service lock(*this, __func__, {dimensions});
  JoinedFederate& m = active();
  Region made{.bounds = {}, .mine = true};
  for (const DimensionHandle& d : dimensions) {
    const Handle h = number(d);
    if (!m.fom.is_dimension(h))
      raise(Failure::InvalidDimensionHandle, "no dimension has this handle");
    made.bounds.push_back({h, 0, static_cast<std::uint32_t>(m.fom.upper_bound(h))});
  }
  const auto created =
      ask_for<wire::Created>(lock, wire::CreateRegion{numbers(dimensions)}, [&](wire::Created& c) {
        m.regions[c.region] = made;
        return true;
      });
  return handle<RegionHandle>(created.region);
}

void VernierAmbassador::commitRegionModifications(const RegionHandleSet& regions) {
  Service lock(*this, __func__, {regions});
  JoinedFederate& m = active();
  wire::CommitRegions wish;
  const RegionHandle* unknown = nullptr;
  for (const RegionHandle& r : regions) {
    const bool known = m.regions.contains(number(r));
    wish.regions.push_back(
        {number(r), known ? own_region(m, r).bounds : std::vector<wire::Bounds>()});
    if (!known) unknown = &r;
  }
  ask(lock, wish);  // only the RTI can tell another federate's region from no region
  if (unknown) known_region(m, *unknown);
}

void VernierAmbassador::deleteRegion(const RegionHandle& region) {
  Service lock(*this, __func__, {region});
  JoinedFederate& m = active();
  const Handle r = number(region);
  const bool known = m.regions.contains(r);
  if (known) own_region(m, region);
  ask(lock, wire::DeleteRegion{r}, [&] { m.regions.erase(r); });
  if (!known) known_region(m, region);
}

void VernierAmbassador::associateRegionsForUpdates(
    ObjectInstanceHandle object, const AttributeHandleSetRegionHandleSetPairVector& pairs) {
  Service lock(*this, __func__, {object, pairs});
  JoinedFederate& m = active();
  const Handle c = known(m, object).object_class;
  ask(lock, wire::AssociateRegions{number(object), parts_of(m, c, pairs)});
}

void VernierAmbassador::unassociateRegionsForUpdates(
    ObjectInstanceHandle object, const AttributeHandleSetRegionHandleSetPairVector& pairs) {
  Service lock(*this, __func__, {object, pairs});
  JoinedFederate& m = active();
  const Handle c = known(m, object).object_class;
  ask(lock, wire::UnassociateRegions{number(object), parts_of(m, c, pairs, false)});
}

DimensionHandleSet VernierAmbassador::getDimensionHandleSet(RegionHandle region) {
  Service lock(*this, __func__, {region});
  JoinedFederate& m = active();
  DimensionHandleSet all;
  for (const wire::Bounds& b : known_region(m, region).bounds)
    all.insert(handle<DimensionHandle>(b.dimension));
  return lock.gives(all);
}

RangeBounds VernierAmbassador::getRangeBounds(RegionHandle region, DimensionHandle dimension) {
  Service lock(*this, __func__, {region, dimension});
  JoinedFederate& m = active();
  const wire::Bounds& b = bounds_of(known_region(m, region), dimension);
  return lock.gives(RangeBounds{b.lower, b.upper});
}

void VernierAmbassador::setRangeBounds(RegionHandle region, DimensionHandle dimension,
                                       const RangeBounds& range) {
  Service lock(*this, __func__, {region, dimension, range});
  JoinedFederate& m = active();
  wire::Bounds& b = bounds_of(own_region(m, region), dimension);
  const unsigned long lower = range.getLowerBound(), upper = range.getUpperBound();
  if (lower >= upper || upper > m.fom.upper_bound(b.dimension))
    raise(Failure::InvalidRangeBound,
          "the lower bound must be less than the upper one, and that at most the dimension's");
  b.lower = static_cast<std::uint32_t>(lower);
  b.upper = static_cast<std::uint32_t>(upper);
}

}  // namespace vernier::hla
