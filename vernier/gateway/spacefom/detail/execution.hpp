#pragma once

#include <optional>
#include <vector>

#include "vernier/gateway/spacefom/detail/classes.hpp"
#include "vernier/gateway/spacefom/detail/events.hpp"
#include "vernier/gateway/spacefom/federate.hpp"

namespace vernier::spacefom::detail {

inline constexpr const char* exco_class = "HLAobjectRoot.ExecutionConfiguration";
inline constexpr const char* exco_name = "ExCO";

/// The execution configuration (the object ExCO), and how far the federation is in what it says.
/// The Master writes it, the others read it; both by one table of its attributes.
struct Execution {
  /// Names of all attributes.
  static std::vector<std::string> attributes();

  Configuration configuration;
  Class* exco = nullptr;                       // of the mirror
  rti1516e::ObjectInstanceHandle object = {};  // ours if we are the Master
  bool wanted = false;                         // by somebody, of the Master
  bool run_confirmed = false;  // the Master has said so since all were to run (7-1..7-4)
  Mode first = Mode::running;  // the Master: after the initialization
  std::optional<Ticks> freeze_at;

  bool known() const { return object.isValid(); }
  /// Everything that a member has to know before it takes part (4-5, 4-6, 4-17).
  bool complete() const {
    return configuration.has_epoch && configuration.has_modes && configuration.least_common > 0 &&
           !configuration.root_frame.empty();
  }
  bool settled() const { return configuration.current == configuration.next; }

  /// Without a time: receive order (4-27).
  void send(rti1516e::RTIambassador&) const;
  /// Answers whether modes were among it. Attributes that cannot be read change nothing.
  bool take(const Updates&, bool tolerate_swapped_lcts);
};

/// Requests for modes, by federates that are not the Master (7-21, 7-22).
struct ModeRequests {
  Interaction request{"HLAinteractionRoot.ModeTransitionRequest", {"execution_mode"}};
  bool published = false;
  std::vector<Mode> waiting = {};  // until they may be sent

  void publish(rti1516e::RTIambassador&);
  void send(rti1516e::RTIambassador&, Mode);
};

}  // namespace vernier::spacefom::detail
