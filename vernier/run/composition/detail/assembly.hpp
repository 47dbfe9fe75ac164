#pragma once

#include <vector>

#include "vernier/run/composition/detail/events.hpp"
#include "vernier/run/composition/detail/joints.hpp"
#include "vernier/run/composition/detail/members.hpp"
#include "vernier/run/composition/plan.hpp"

namespace vernier::composition::detail {

/// Which island each member belongs to: members with equal numbers share one. Reports islands that
/// cannot be.
std::vector<std::size_t> islands(const Composition&, const Members&, Diagnostics&);

/// Turns members into the parts of a plan, and joints into wires: inside an island they become
/// entries of its matrix. Takes the systems and components out of the members.
class Assembly {
 public:
  Assembly(const Composition&, const Catalogue&, Members&, const Joints&,
           const std::vector<EventLink>&, const std::vector<std::size_t>& island_of, Plan&,
           Diagnostics&);

 private:
  void make_part(std::size_t first);
  void take_component(std::size_t member);
  void take_system(std::size_t member);
  void compose(const std::vector<std::size_t>& members, const std::string& island);
  const IslandSettings& settings(const std::string& island) const;
  /// Where they were given.
  Place settings_place(const std::string& island, const Place& otherwise) const;
  bool inside(const Joint&) const;
  void name_events(Part&, const std::vector<std::size_t>& members);
  void wire();
  void wire_events();
  std::uint32_t port(std::size_t member, const Port&, bool output) const;

  const Composition& composition_;
  const Catalogue& catalogue_;
  Members& members_;
  const Joints& joints_;
  const std::vector<EventLink>& links_;
  const std::vector<std::size_t>& island_of_;
  Plan& plan_;
  Diagnostics& problems_;
  std::vector<std::map<std::string, std::string>> labels_;
  std::vector<std::uint32_t> part_of_;  // by member
  std::vector<bool> qualified_;         // by member: its part's ports carry its name
  std::vector<std::unordered_map<std::string, std::uint32_t>> outputs_,
      inputs_;  // by part, of name
};

}  // namespace vernier::composition::detail
