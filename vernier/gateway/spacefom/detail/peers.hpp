#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "vernier/gateway/spacefom/detail/execution.hpp"
#include "vernier/gateway/spacefom/detail/mirror.hpp"

namespace vernier::spacefom::detail {

/// The other federates, as far as the RTI's Management Object Model (MOM) describes them: which are
/// joined, which one holds time back, which are lost.
class Peers {
 public:
  /// What is subscribed of federates. The state of time management changes with every step of every
  /// federate, so it is subscribed only while time is held back.
  enum class Watch { nothing, names, time };

  explicit Peers(Mirror&, const Settings&);

  /// Subscribes to the other federates. Throws NameNotFound if the RTI has no MOM.
  void watch(rti1516e::RTIambassador&);
  bool has_mom() const noexcept { return watch_ != Watch::nothing; }
  bool looking() const noexcept { return watch_ == Watch::time; }

  std::vector<std::string> members() const;
  std::vector<Peer> all(const Execution&) const;
  /// Requests all MOM values from the RTI, and once the Master and the root publisher.
  void look_around(rti1516e::RTIambassador&, const Execution&);
  void owned(rti1516e::RTIambassador&, const Event&);

  // -- which federate holds time back --

  void look_for_keeper(rti1516e::RTIambassador&);
  void note_keeper();
  void end_looking(rti1516e::RTIambassador&);
  /// A step ended after waiting this many ns.
  void count_wait(std::int64_t ns);

  bool names_keepers = false;
  std::string keeper;  // of the last step
  std::int64_t waited = 0;
  std::vector<Keeper> keepers;

  // -- lost federates --

  struct Lost {
    std::string name, why;
  };
  /// The lost federate, if the interaction is the RTI's report of one.
  std::optional<Lost> lost(const Event&) const;
  Class& federates() noexcept { return federates_; }

 private:
  rti1516e::AttributeHandleSet time_attributes() const;

  Mirror& mirror_;
  const Settings& settings_;
  Class& federates_;  // of the mirror; the first attribute is the name
  Watch watch_ = Watch::nothing;
  Interaction lost_report_{
      "HLAinteractionRoot.HLAmanager.HLAfederate.HLAreport.HLAreportFederateLost",
      {"HLAfederateName", "HLAfaultDescription"}};
  std::map<rti1516e::ObjectInstanceHandle, std::string> owners_;
  /// Updates of state, time and lookahead when look_for_keeper() last asked.
  std::map<rti1516e::ObjectInstanceHandle, std::array<std::uint64_t, 3>> asked_;
};

}  // namespace vernier::spacefom::detail
