#pragma once

#include <memory>
#include <vector>

#include "vernier/kernel/multibody/detail/lanes_plan.hpp"
#include "vernier/kernel/multibody/detail/star.hpp"
#include "vernier/kernel/multibody/spacecraft.hpp"

namespace vernier::multibody::detail {

/// Owns the memory behind the LaneCraft of a spacecraft, which must outlive it.
class OwnedLaneCraft {
 public:
  explicit OwnedLaneCraft(const Spacecraft&);
  OwnedLaneCraft(const OwnedLaneCraft&) = delete;
  OwnedLaneCraft& operator=(const OwnedLaneCraft&) = delete;

  const LaneCraft& view() const noexcept { return view_; }
  const Star* star() const noexcept { return star_.get(); }

 private:
  void add_actuators(const Spacecraft&);
  void add_bodies(const Spacecraft&);
  void choose_links(const Spacecraft&);

  LaneCraft view_{};
  std::vector<LawPlan> laws_;
  std::vector<ActuatorPlan> actuators_;
  std::vector<FeedPlan> feeds_;
  std::vector<TankPlan> tanks_;
  std::vector<RotorPlan> rotors_;
  std::vector<LoadPlan> loads_;
  std::vector<VaryingPlan> varying_;
  std::vector<SensorPlan> sensors_;
  std::vector<std::vector<int>> tanks_of_;  // by varying body
  std::vector<int> softer_, posed_, described_, links_, groups_;
  std::vector<unsigned char> forced_;
  std::unique_ptr<Star> star_;
};

}  // namespace vernier::multibody::detail
