// What a federation stores for its federates besides messages, and the limit on it.
#include "vernier/gateway/federation/detail/checks.hpp"
#include "vernier/gateway/federation/federation.hpp"
#include "vernier/gateway/federation/regions.hpp"

namespace vernier::federation {

namespace {

constexpr std::size_t for_entry = 96;  // approximate cost of one entry in a map or vector

std::size_t bytes_of(const Instance& i) noexcept {
  std::size_t sum = sizeof i + i.name.size() + i.known.size() * sizeof(Known);
  for (const Slot& s : i.slots) {
    sum += sizeof s + s.regions.size() * sizeof(Handle) + s.divesting_tag.size();
    for (const Acquisition& a : s.wanted_by) sum += sizeof a + a.tag.size();
  }
  return sum;
}

}  // namespace

std::size_t Federation::kept() const {
  std::size_t sum = regions_->bytes();
  instances_.each([&](const Instance& i) { sum += bytes_of(i); });
  for (const auto& [name, n] : names_) sum += name.size() + for_entry;
  for (const auto& [label, p] : points_)
    sum += label.size() + p.tag.size() + p.members.size() * sizeof(Point::Participant) + for_entry;
  for (const Federate* f : joined_) {
    for (const ObjectDeclaration& d : f->objects) {
      for (const AttributeSubscription& s : d.subscribed) sum += s.regions.size() * sizeof(Handle);
    }
    for (const InteractionDeclaration& d : f->interactions)
      sum += d.regions.size() * sizeof(Handle);
  }
  return sum;
}

/// Additions are summed up; removals are accounted for by recounting everything, once enough may
/// have been removed.
void Federation::keep(std::size_t bytes) {
  const std::size_t most = limits.kept_bytes;
  if (kept_ + bytes > most && kept_since_ + kept_gone_ >= most / 16) {
    kept_ = kept();
    kept_since_ = kept_gone_ = 0;
  }
  if (kept_ + bytes > most)
    detail::refuse(Failure::RTIinternalError,
                   "The federation keeps " + std::to_string(most >> 20) +
                       " MiB of names, instances, regions and tags for its federates, and takes no "
                       "more until some are given back");
  kept_ += bytes;
  kept_since_ += bytes;
}

void Federation::keep_for(const std::vector<InRegions>& parts) {
  std::size_t bytes = 0;
  for (const InRegions& p : parts) bytes += p.attributes.size() * p.regions.size() * sizeof(Handle);
  keep(bytes);
}

void Federation::keep_entries(std::size_t count, std::size_t bytes) {
  keep(bytes + count * for_entry);
}

void Federation::gone(const Instance& i) noexcept { kept_gone_ += bytes_of(i); }

}  // namespace vernier::federation
