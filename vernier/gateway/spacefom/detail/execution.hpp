#pragma once

#include <optional>
#include <vector>

#include "vernier/gateway/spacefom/detail/classes.hpp"
#include "vernier/gateway/spacefom/detail/events.hpp"
#include "vernier/gateway/spacefom/federate.hpp"

namespace vernier::spacefom::detail {

inline constexpr const char* exco_class = "HLAobjectRoot.ExecutionConfiguration";
inline constexpr const char* exco_name = "ExCO";

/// The execution configuration (object ExCO of SISO-STD-018-2020), and the federation's progress in
/// following it. The Master writes it, the others read it; both use the same table of attributes.
struct Execution {
  /// Names of all attributes.
  static std::vector<std::string> attributes();

  Configuration configuration;
  Class* exco = nullptr;                       // of the mirror
  rti1516e::ObjectInstanceHandle object = {};  // ours if we are the Master
  bool wanted = false;                         // its values were requested of the Master
  bool run_confirmed = false;  // confirmed by the Master since all are to run (7-1..7-4)
  Mode first = Mode::running;  // the Master's mode after the initialization
  std::optional<Ticks> freeze_at;

  bool known() const { return object.isValid(); }
  /// Everything that a member must know before it takes part (rules 4-5, 4-6, 4-17).
  bool complete() const {
    return configuration.has_epoch && configuration.has_modes && configuration.least_common > 0 &&
           !configuration.root_frame.empty();
  }
  bool settled() const { return configuration.current == configuration.next; }

  /// Sent without a time: receive order (rule 4-27).
  void send(rti1516e::RTIambassador&) const;
  /// Returns whether the update included modes. Attributes that cannot be decoded are ignored.
  bool take(const Updates&, bool tolerate_swapped_lcts);
};

/// Mode transition requests of federates other than the Master (rules 7-21, 7-22).
struct ModeRequests {
  Interaction request{"HLAinteractionRoot.ModeTransitionRequest", {"execution_mode"}};
  bool published = false;
  std::vector<Mode> waiting = {};  // until they may be sent

  void publish(rti1516e::RTIambassador&);
  void send(rti1516e::RTIambassador&, Mode);
};

}  // namespace vernier::spacefom::detail
