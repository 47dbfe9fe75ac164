#pragma once

#include <vector>

#include "vernier/kernel/hybrid/compose.hpp"
#include "vernier/run/composition/detail/events.hpp"
#include "vernier/run/composition/detail/joints.hpp"
#include "vernier/run/composition/detail/members.hpp"
#include "vernier/run/composition/plan.hpp"

namespace vernier::composition::detail {

/// The island of each member: members with equal numbers share one. Systems that connections
/// without delay join share one unless the document says otherwise. Reports impossible islands.
std::vector<std::size_t> islands(const Composition&, const Members&, const Joints&, Diagnostics&);

/// Turns members into the parts of a plan, and joints into wires; inside an island joints become
/// entries of its matrix. Moves the systems and components out of the members.
class Assembly {
 public:
  Assembly(const Composition&, const Catalogue&, Members&, Joints&, const std::vector<EventLink>&,
           const std::vector<std::size_t>& island_of, Plan&, Diagnostics&);

 private:
  void make_part(std::size_t first);
  void take_component(std::size_t member);
  void take_system(std::size_t member);
  void compose(const std::vector<std::size_t>& members);
  const IslandSettings& settings(const std::string& island) const;
  /// Where the settings were given.
  Place settings_place(const std::string& island, const Place& otherwise) const;
  bool inside(const Joint&) const;
  /// Inputs fed only by other systems of their island, which are observed.
  void show_inputs(const std::vector<std::size_t>& members, std::vector<hybrid::MatrixBlock>&,
                   hybrid::Outside&) const;
  /// The external part of the composition: one part for each of its inputs and events.
  void take_outside(std::size_t member);
  void wire();
  void wire_events();
  std::uint32_t part_of(std::size_t member, std::size_t output) const;
  std::uint32_t port(std::size_t member, const Port&, std::uint32_t part, bool output) const;

  const Composition& composition_;
  const Catalogue& catalogue_;
  Members& members_;
  Joints& joints_;
  const std::vector<EventLink>& links_;
  const std::vector<std::size_t>& island_of_;
  Plan& plan_;
  Diagnostics& problems_;
  std::vector<std::map<std::string, std::vector<std::string>>> heard_;
  std::vector<std::uint32_t> part_of_;  // by member; of the outside: the first
  std::vector<bool> qualified_;         // by member: its part's ports carry its name
  std::vector<std::unordered_map<std::string, std::uint32_t>> outputs_,
      inputs_;  // by part, of name
};

}  // namespace vernier::composition::detail
