#pragma once

#include <cstddef>
#include <vector>

#include "vernier/gateway/federation/messages.hpp"

namespace vernier::federation {

/// The regions of one federation (IEEE 1516.1-2010, section 9): ranges [lower, upper) in some
/// dimensions, which only their creator may change. A service that fails throws Refusal with the
/// failure of the standard and has changed nothing.
class Regions {
 public:
  static constexpr std::size_t most = 1u << 20;
  static constexpr std::size_t most_dimensions = 256;  // of one region
  static constexpr std::size_t most_together = 4096;   // for one attribute, class or message

  /// The full range of each dimension until other ranges are committed.
  Handle create(Handle federate, const Numbers& dimensions, const FomTables&);
  /// Sets new ranges; dimensions that are not named keep theirs. All or nothing.
  void commit(Handle federate, const std::vector<RegionBounds>&);
  /// Refused while the region is in use.
  void erase(Handle federate, Handle region);
  /// Removes all regions of a federate that has resigned.
  void remove(Handle federate);

  /// Throws if there are too many.
  static void check_count(const Numbers& regions);
  /// Also throws if a region is not this federate's.
  void check(Handle federate, const Numbers& regions) const;
  /// Also throws if a region has dimensions that are not `available`.
  void check(Handle federate, const Numbers& regions, const Numbers& available) const;
  bool fits(const Numbers& regions, const Numbers& available) const noexcept;
  /// One use for update or subscription more (1) or less (-1).
  void use(Handle region, int by) noexcept;

  /// Whether a region of one set overlaps one of the other. Two regions overlap if they have a
  /// dimension in common and their ranges intersect in every common dimension. An empty set is the
  /// default region, which overlaps all.
  bool overlap(const Numbers& a, const Numbers& b) const noexcept;
  /// The region as conveyed with a message; without bounds when it has been deleted.
  RegionOf described(Handle region) const;

  /// The memory they use.
  std::size_t bytes() const noexcept;
  static std::size_t bytes_of(std::size_t dimensions) noexcept;
  /// All regions that a federate has created.
  std::vector<RegionBounds> of(Handle federate) const;

  void save(std::vector<std::byte>&) const;
  /// False, with nothing changed, when the bytes are not saved regions.
  bool load(Bytes);

 private:
  struct Region {
    Handle federate = 0;         // 0: unused
    std::vector<Bounds> bounds;  // by dimension, ascending
    Numbers limits;              // upper bounds of the dimensions
    std::uint32_t uses = 0;
    VERNIER_FIELDS(federate, bounds, limits, uses)
  };
  const Region* find(Handle) const noexcept;
  const Region& owned(Handle federate, Handle region) const;
  static bool meet(const Region&, const Region&) noexcept;

  std::vector<Region> regions_;  // by handle; index 0 is unused
  Numbers free_;
};

}  // namespace vernier::federation
