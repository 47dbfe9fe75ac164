#pragma once

#include <vector>

#include "vernier/kernel/multibody/detail/data.hpp"
#include "vernier/kernel/multibody/detail/spacecraft_data.hpp"
#include "vernier/kernel/multibody/detail/tangent_plan.hpp"
#include "vernier/kernel/multibody/tangent.hpp"

namespace vernier::multibody::detail {

/// A sweep that owns its lists.
struct OwnedSweep {
  Sweep sweep;
  std::vector<int> moved, involved;
  std::vector<unsigned char> is_moved, bent, deformed;
};

}  // namespace vernier::multibody::detail

namespace vernier::multibody {

struct SpacecraftTangent::Data {
  explicit Data(const Spacecraft&);

  void describe_craft();
  void plan_sweeps();
  void add_sweep(std::span<const int> directions);
  void describe_sensors();
  void take_parameters() noexcept;
  bool factor() noexcept;
  void add_laws(std::span<double> block, const detail::Sweep&) const noexcept;
  void add_parameters() noexcept;
  void observe() noexcept;
  void see(std::span<const int> directions) noexcept;
  void see_laws() noexcept;
  void see_parameters() noexcept;
  /// The column of a direction among those of states, commands and inertia: of rates, or of
  /// observations.
  double* column(int direction) noexcept;
  double* seen(int direction) noexcept;
  Solution evaluate(const Spacecraft::State&, const Spacecraft::Commands&, bool) noexcept;

  const Spacecraft* craft;
  const Tree::Data* tree;
  const detail::TangentCode* code;
  SpacecraftEvaluation evaluation;
  std::vector<detail::PlainActuator> actuators;
  std::vector<detail::PlainFeed> feeds;
  std::vector<detail::PlainTank> tanks;
  std::vector<detail::PlainRotor> rotors;
  std::vector<detail::PlainSensor> sensors;
  std::vector<std::vector<double>> shapes;  // of sensors
  std::vector<unsigned char> posed;
  detail::TangentPoint point{};
  std::vector<detail::OwnedSweep> sweeps;  // for states, then for commands and parameters
  detail::OwnedSweep everything;           // moves all links
  std::size_t state_sweeps = 0;

  int n = 0;                          // speeds
  std::vector<int> ways, way_begins;  // the speeds between each speed and the ground
  std::vector<int> order,
      above;  // speeds outward; the one before it on the way to the ground, or -1
  std::vector<double> rotor_speed, M, pivots, regular, given, commands, torque, udot, wrench, modal,
      R, p;
  // Results of sweeps, eight columns per block: forces, later accelerations; rates of the other
  // states.
  detail::AlignedNumbers force, momentum, fuel, qdot, slopes;
  std::vector<double> rates, by_state, by_command, by_inertia, by_parameter;
  // Observations: number of rows, and where each kind begins.
  std::size_t observations = 0, efforts = 0, readings = 0, totals = 0, reactions = 0;
  std::vector<double> seen_by_state, seen_by_command, seen_by_inertia, seen_by_parameter;
  detail::AlignedNumbers udot_slopes, view;
};

}  // namespace vernier::multibody
