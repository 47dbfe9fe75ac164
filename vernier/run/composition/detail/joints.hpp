#pragma once

#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "vernier/run/composition/detail/external.hpp"
#include "vernier/run/composition/detail/members.hpp"

namespace vernier::composition::detail {

/// A checked connection between members. For streams and events: whole ports.
struct Joint {
  Reach from, to;
  double gain = 1.0;
  Duration delay{};
  Place place;
};

/// The delay of a connection or event map; zero, after a report, for one that is impossible.
Duration checked_delay(const Composition&, const Members&, const Reach& to, const Connection&,
                       Diagnostics& problems);

/// All connections of signals and streams: those of the document and those that stimuli need.
/// Reports mismatches, unconnected inputs, and algebraic loops.
class Joints {
 public:
  /// Adds the outputs that stimuli need to ext, and its actions.
  Joints(const Composition&, Members&, Diagnostics& problems);

  const std::vector<Joint>& list() const noexcept { return list_; }
  std::vector<External::Action>& actions() noexcept { return actions_; }

 private:
  void connect(const Connection&);
  bool fits(const Reach& from, const Reach& to, const Connection&);
  void stimulate(const Stimulus&);
  void check_inputs();
  void check_shared(const Member&, const Port&, const std::vector<const Joint*>&);
  void warn_unconnected(std::size_t member, std::size_t port);
  /// Keeps quiet about inputs that have no value because a connection to them has a mistake.
  void excuse(const Endpoint&, const std::optional<Reach>& found);
  /// Whether an output feeds nothing.
  bool idle(std::size_t member, std::size_t output) const;
  /// Outputs of other members that could feed an input whole; those that feed nothing first.
  std::vector<Reach> fitting(std::size_t member, const Port& input) const;
  /// The same in words.
  std::string candidates(std::size_t member, const Port& input) const;
  void check_loops();

  const Composition& composition_;
  Members& members_;
  Diagnostics& problems_;
  std::vector<Joint> list_;
  std::vector<External::Action> actions_;
  std::set<std::pair<std::size_t, std::size_t>> excused_;  // inputs of connections with a mistake
};

}  // namespace vernier::composition::detail
