#pragma once

#include <cstddef>
#include <vector>

#include "vernier/gateway/federation/messages.hpp"

namespace vernier::federation {

/// The regions of one federation (IEEE 1516.1-2010, section 9): ranges [lower, upper) over some
/// dimensions each, changed by who created them only. Services throw Refusal with the failure of
/// the standard and have then changed nothing.
class Regions {
 public:
  static constexpr std::size_t most = 1u << 20;
  static constexpr std::size_t most_dimensions = 256;  // of one
  static constexpr std::size_t most_together = 4096;   // of an attribute, class or message

  /// Over the whole of each dimension until other ranges are committed.
  Handle create(Handle federate, const Numbers& dimensions, const FomTables&);
  /// New ranges; dimensions that are not named keep theirs. All of them or none.
  void commit(Handle federate, const std::vector<RegionBounds>&);
  /// Refused while it is used.
  void erase(Handle federate, Handle region);
  /// All of a federate that has gone.
  void remove(Handle federate);

  /// Not too many?
  static void check_count(const Numbers& regions);
  /// And are they this federate's?
  void check(Handle federate, const Numbers& regions) const;
  /// And have they no dimensions but those `available`?
  void check(Handle federate, const Numbers& regions, const Numbers& available) const;
  bool fits(const Numbers& regions, const Numbers& available) const noexcept;
  /// It is used for update or subscription once more (1) or less (-1).
  void use(Handle region, int by) noexcept;

  /// Does a region of one set overlap one of the other? Two do when their ranges meet in every
  /// dimension that both have, and there is such a dimension. An empty set is the default region,
  /// which overlaps all.
  bool overlap(const Numbers& a, const Numbers& b) const noexcept;
  /// As it travels with a message; without bounds when it is gone.
  RegionOf described(Handle region) const;

  /// What they take.
  std::size_t bytes() const noexcept;
  static std::size_t bytes_of(std::size_t dimensions) noexcept;
  /// All that a federate has made.
  std::vector<RegionBounds> of(Handle federate) const;

  void save(std::vector<std::byte>&) const;
  /// False, and nothing changed, when the bytes are no saved regions.
  bool load(Bytes);

 private:
  struct Region {
    Handle federate = 0;         // 0: none
    std::vector<Bounds> bounds;  // by dimension, ascending
    Numbers limits;              // upper bounds of the dimensions
    std::uint32_t uses = 0;
    VERNIER_FIELDS(federate, bounds, limits, uses)
  };
  const Region* find(Handle) const noexcept;
  const Region& owned(Handle federate, Handle region) const;
  static bool meet(const Region&, const Region&) noexcept;

  std::vector<Region> regions_;  // by handle; the first is not used
  Numbers free_;
};

}  // namespace vernier::federation
