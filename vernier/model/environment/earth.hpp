#pragma once

#include <string>
#include <vector>

#include "vernier/component/parameters.hpp"
#include "vernier/kernel/frames/earth_rotation.hpp"

namespace vernier::environment {

/// A parameter that holds real numbers.
ParameterSpec real_parameter(std::string name, std::string unit, std::string initial,
                             std::string description, std::uint32_t count = 1);

/// The date of the start of the run. Without `initial` it is required.
ParameterSpec epoch_parameter(std::optional<std::string> initial = {});
frames::Epoch epoch(const Parameters&);

/// Parameters of the rotation of the Earth: earth (uniform or iau2006), earth_angle and earth_rate
/// for the uniform one, dut1 for the other, whose epoch parameter the caller adds.
std::vector<ParameterSpec> earth_parameters(std::string initial);
frames::EarthRotation earth_rotation(const Parameters&);

}  // namespace vernier::environment
