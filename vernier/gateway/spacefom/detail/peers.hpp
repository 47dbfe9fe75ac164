#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "vernier/gateway/spacefom/detail/execution.hpp"
#include "vernier/gateway/spacefom/detail/mirror.hpp"

namespace vernier::spacefom::detail {

/// The other federates, as far as the RTI's management objects (MOM) tell: who is there, who holds
/// time back, who is lost.
class Peers {
 public:
  /// What is subscribed of federates. The state of time management changes with every step of
  /// everybody: it is subscribed only while time is held back.
  enum class Watch { nothing, names, time };

  explicit Peers(Mirror&, const Settings&);

  /// Subscribes the others. Throws NameNotFound by an RTI without MOM.
  void watch(rti1516e::RTIambassador&);
  bool has_mom() const noexcept { return watch_ != Watch::nothing; }
  bool looking() const noexcept { return watch_ == Watch::time; }

  std::vector<std::string> members() const;
  std::vector<Peer> all(const Execution&) const;
  /// Asks the RTI for all it tells, and once who is Master and root publisher.
  void look_around(rti1516e::RTIambassador&, const Execution&);
  void owned(rti1516e::RTIambassador&, const Event&);

  // -- who holds time back --

  void look_for_keeper(rti1516e::RTIambassador&);
  void note_keeper();
  void end_looking(rti1516e::RTIambassador&);
  /// A step ended after a wait of this many ns.
  void count_wait(std::int64_t ns);

  bool names_keepers = false;
  std::string keeper;  // of the last step
  std::int64_t waited = 0;
  std::vector<Keeper> keepers;

  // -- who is lost --

  struct Lost {
    std::string name, why;
  };
  /// If the interaction is the RTI's report of a federate that was lost.
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
};

}  // namespace vernier::spacefom::detail
