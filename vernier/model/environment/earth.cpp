#include "vernier/model/environment/earth.hpp"

#include "vernier/kernel/frames/dates.hpp"

namespace vernier::environment {

ParameterSpec real_parameter(std::string name, std::string unit, std::string initial,
                             std::string description, std::uint32_t count) {
  ParameterSpec s;
  s.name = std::move(name);
  s.unit = std::move(unit);
  s.count = count;
  s.initial = std::move(initial);
  s.description = std::move(description);
  return s;
}

ParameterSpec epoch_parameter(std::optional<std::string> initial) {
  ParameterSpec s;
  s.name = "epoch";
  s.kind = ParameterKind::text;
  s.initial = std::move(initial);
  s.description = "date and time of UTC at the start of the run, as in 2026-06-01T12:00:00";
  return s;
}

frames::Epoch epoch(const Parameters& p) {
  const auto e = frames::parsed_epoch(p.text("epoch"));
  if (!e) p.reject("epoch", "is not a date of UTC from 1972 to 2199, as in 2026-06-01T12:00:00");
  return *e;
}

std::vector<ParameterSpec> earth_parameters(std::string initial) {
  ParameterSpec earth;
  earth.name = "earth";
  earth.kind = ParameterKind::choice;
  earth.choices = {"uniform", "iau2006"};
  earth.initial = std::move(initial);
  earth.description =
      "how the Earth turns: uniform about z of N, or by IAU 2006 from the epoch with N as ICRS";
  return {
      earth,
      real_parameter("earth_angle", "rad", "0", "uniform: from x of N to longitude 0, at t = 0"),
      real_parameter("earth_rate", "rad/s", "7.2921159e-5", "uniform: of the Earth's rotation"),
      real_parameter("dut1", "s", "0", "iau2006: UT1 - UTC, from the IERS bulletins")};
}

frames::EarthRotation earth_rotation(const Parameters& p) {
  const bool computed = p.text("earth") == "iau2006";
  for (const char* name : {"earth_angle", "earth_rate"})
    if (computed && p.given(name)) p.reject(name, "is for earth = uniform; iau2006 computes it");
  if (!computed && p.given("dut1")) p.reject("dut1", "is for earth = iau2006");
  if (computed) {
    const double dut1 = p.real("dut1");
    if (!(dut1 > -1.0 && dut1 < 1.0)) p.reject("dut1", "must be between -1 s and 1 s");
    return frames::iau2006_rotation(epoch(p), dut1);
  }
  frames::EarthRotation r;
  r.angle = p.real("earth_angle");
  r.rate = p.real("earth_rate");
  return r;
}

}  // namespace vernier::environment
