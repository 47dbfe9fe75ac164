#include "vernier/gateway/federation/regions.hpp"

#include <algorithm>
#include <limits>
#include <string>

namespace vernier::federation {

const Regions::Region* Regions::find(Handle h) const noexcept {
  return h < regions_.size() && regions_[h].federate != 0 ? &regions_[h] : nullptr;
}

const Regions::Region& Regions::owned(Handle federate, Handle h) const {
  const Region* r = find(h);
  if (!r) throw Refusal{Failure::InvalidRegion, "There is no region " + std::to_string(h)};
  if (r->federate != federate)
    throw Refusal{Failure::RegionNotCreatedByThisFederate,
                  "Region " + std::to_string(h) + " is of another federate"};
  return *r;
}

Handle Regions::create(Handle federate, const Numbers& dimensions, const FomTables& tables) {
  Numbers sorted = dimensions;
  std::sort(sorted.begin(), sorted.end());
  sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
  if (sorted.size() > most_dimensions)
    throw Refusal{Failure::RTIinternalError,
                  "A region has " + std::to_string(most_dimensions) + " dimensions at most"};
  Region fresh{.federate = federate, .bounds = {}, .limits = {}};
  for (const Handle d : sorted) {
    if (d == 0 || d > tables.dimensions.size())
      throw Refusal{Failure::InvalidDimensionHandle,
                    "The FOM has no dimension " + std::to_string(d)};
    constexpr std::uint64_t most_bound = std::numeric_limits<std::uint32_t>::max();
    const std::uint64_t said = tables.dimensions[d - 1].upper_bound;
    const auto limit =
        static_cast<std::uint32_t>(said == 0 ? most_bound : std::min(said, most_bound));
    fresh.bounds.push_back({d, 0, limit});
    fresh.limits.push_back(limit);
  }
  if (regions_.empty()) regions_.emplace_back();
  if (free_.empty()) {
    if (regions_.size() > most)
      throw Refusal{Failure::RTIinternalError, "There are too many regions"};
    regions_.push_back(std::move(fresh));
    return static_cast<Handle>(regions_.size() - 1);
  }
  const Handle h = free_.back();
  free_.pop_back();
  regions_[h] = std::move(fresh);
  return h;
}

void Regions::commit(Handle federate, const std::vector<RegionBounds>& all) {
  const auto place = [](const Region& r, Handle dimension) {
    return static_cast<std::size_t>(
        std::find_if(r.bounds.begin(), r.bounds.end(),
                     [&](const Bounds& b) { return b.dimension == dimension; }) -
        r.bounds.begin());
  };
  for (const RegionBounds& m : all) {
    const Region& r = owned(federate, m.region);
    for (const Bounds& b : m.bounds) {
      const std::size_t at = place(r, b.dimension);
      if (at == r.bounds.size())
        throw Refusal{Failure::RegionDoesNotContainSpecifiedDimension,
                      "Region " + std::to_string(m.region) + " does not have dimension " +
                          std::to_string(b.dimension)};
      if (b.lower >= b.upper || b.upper > r.limits[at])
        throw Refusal{Failure::InvalidRangeBound,
                      "The range [" + std::to_string(b.lower) + ", " + std::to_string(b.upper) +
                          ") is empty or reaches beyond " + std::to_string(r.limits[at])};
    }
  }
  for (const RegionBounds& m : all) {
    Region& r = regions_[m.region];
    for (const Bounds& b : m.bounds) r.bounds[place(r, b.dimension)] = b;
  }
}

void Regions::erase(Handle federate, Handle h) {
  if (owned(federate, h).uses > 0)
    throw Refusal{Failure::RegionInUseForUpdateOrSubscription,
                  "Region " + std::to_string(h) + " is used for updates or subscriptions"};
  regions_[h] = {};
  free_.push_back(h);
}

void Regions::remove(Handle federate) {
  for (Handle h = 1; h < regions_.size(); ++h) {
    if (regions_[h].federate != federate) continue;
    regions_[h] = {};
    free_.push_back(h);
  }
}

void Regions::check_count(const Numbers& regions) {
  if (regions.size() > most_together)
    throw Refusal{Failure::RTIinternalError,
                  "At most " + std::to_string(most_together) + " regions are taken together"};
}

void Regions::check(Handle federate, const Numbers& regions) const {
  check_count(regions);
  for (const Handle h : regions) owned(federate, h);
}

void Regions::check(Handle federate, const Numbers& regions, const Numbers& available) const {
  check_count(regions);
  for (const Handle h : regions) {
    for (const Bounds& b : owned(federate, h).bounds) {
      if (std::find(available.begin(), available.end(), b.dimension) == available.end())
        throw Refusal{Failure::InvalidRegionContext, "Dimension " + std::to_string(b.dimension) +
                                                         " of region " + std::to_string(h) +
                                                         " is not available there"};
    }
  }
}

bool Regions::fits(const Numbers& regions, const Numbers& available) const noexcept {
  return std::all_of(regions.begin(), regions.end(), [&](Handle h) {
    const Region* r = find(h);
    return r && std::all_of(r->bounds.begin(), r->bounds.end(), [&](const Bounds& b) {
             return std::find(available.begin(), available.end(), b.dimension) != available.end();
           });
  });
}

void Regions::use(Handle h, int by) noexcept {
  if (!find(h)) return;
  std::uint32_t& uses = regions_[h].uses;
  if (by > 0)
    ++uses;
  else if (uses > 0)
    --uses;
}

bool Regions::meet(const Region& a, const Region& b) noexcept {
  // both lists ascend by dimension: a merge visits the common dimensions
  auto x = a.bounds.begin();
  auto y = b.bounds.begin();
  bool common = false;
  while (x != a.bounds.end() && y != b.bounds.end()) {
    if (x->dimension < y->dimension) {
      ++x;
    } else if (y->dimension < x->dimension) {
      ++y;
    } else {
      if (x->lower >= y->upper || y->lower >= x->upper) return false;
      common = true;
      ++x, ++y;
    }
  }
  return common;
}

bool Regions::overlap(const Numbers& a, const Numbers& b) const noexcept {
  if (a.empty() || b.empty()) return true;
  for (const Handle g : a) {
    const Region* x = find(g);
    if (!x) continue;
    for (const Handle h : b) {
      const Region* y = find(h);
      if (y && meet(*x, *y)) return true;
    }
  }
  return false;
}

RegionOf Regions::described(Handle h) const {
  const Region* r = find(h);
  return {h, r ? r->bounds : std::vector<Bounds>{}};
}

std::size_t Regions::bytes_of(std::size_t dimensions) noexcept {
  return sizeof(Region) + dimensions * (sizeof(Bounds) + sizeof(Handle));
}

std::size_t Regions::bytes() const noexcept {
  std::size_t sum = 0;
  for (const Region& r : regions_) sum += bytes_of(r.bounds.size());
  return sum;
}

std::vector<RegionBounds> Regions::of(Handle federate) const {
  std::vector<RegionBounds> all;
  for (Handle h = 1; h < regions_.size(); ++h) {
    if (regions_[h].federate == federate) all.push_back({h, regions_[h].bounds});
  }
  return all;
}

void Regions::save(std::vector<std::byte>& to) const { Writer{to}(regions_, free_); }

bool Regions::load(Bytes from) {
  std::vector<Region> regions;
  Numbers free;
  Reader r(from);
  r(regions, free);
  if (!r.complete() || regions.size() > most + 1) return false;
  for (const Region& one : regions) {
    if (one.bounds.size() != one.limits.size() || one.bounds.size() > most_dimensions) return false;
    for (std::size_t i = 0; i < one.bounds.size(); ++i) {
      const Bounds& b = one.bounds[i];
      if (b.lower >= b.upper || b.upper > one.limits[i] ||
          (i > 0 && b.dimension <= one.bounds[i - 1].dimension))
        return false;
    }
  }
  for (const Handle h : free) {
    if (h == 0 || h >= regions.size() || regions[h].federate != 0) return false;
  }
  std::sort(free.begin(), free.end());
  if (std::adjacent_find(free.begin(), free.end()) != free.end()) return false;
  regions_ = std::move(regions);
  free_ = std::move(free);
  return true;
}

}  // namespace vernier::federation
