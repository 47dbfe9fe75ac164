#include "vernier/model/environment/reference_frame.hpp"

#include <algorithm>
#include <limits>

#include "vernier/kernel/spatial/spans.hpp"
#include "vernier/model/environment/earth.hpp"

namespace vernier::environment {

ReferenceFrame::ReferenceFrame(Parameters p)
    : frame_(p.frame),
      relative_to_(p.relative_to),
      epoch_(p.epoch),
      frames_(std::move(p.settings), p.epoch, p.days) {
  // The axes of an inertial frame are those of N.
  const std::string_view other = frames::standard_frames()[relative_to_].name;
  const std::string axes = other.ends_with("Inertial") || other == "EarthICRF" ? "N" : "";
  spec_.outputs = {{"position", "m", axes, 3, {}, "of its origin, in the other's axes"},
                   {"velocity", "m/s", axes, 3, {}, "as seen from the other"},
                   {"acceleration", "m/s^2", axes, 3, {}, "as seen from the other"},
                   {"attitude", "1", "", 4, {}, "from the other's axes to its own, scalar last"},
                   {"rate", "rad/s", "", 3, {}, "angular, relative to the other, in its own axes"},
                   {"angular_acceleration", "rad/s^2", "", 3, {}, "the derivative of the rate"}};
}

void ReferenceFrame::output(const hybrid::Point& p, std::span<double> y,
                            hybrid::Workspace&) const noexcept {
  frames::FrameState s;
  if (!frames_.relative(frame_, relative_to_, frames::shifted(epoch_, p.t), s)) {
    std::fill(y.begin(), y.end(), std::numeric_limits<double>::quiet_NaN());
    return;
  }
  spatial::vector3(y) = s.position;
  spatial::vector3(y, 3) = s.velocity;
  spatial::vector3(y, 6) = s.acceleration;
  for (std::size_t i = 0; i < 4; ++i) y[9 + i] = s.attitude[static_cast<int>(i)];
  spatial::vector3(y, 13) = s.rate;
  spatial::vector3(y, 16) = s.angular_acceleration;
}

Type reference_frame_type() {
  ParameterSpec frame;
  frame.name = "frame";
  frame.kind = ParameterKind::choice;
  for (const auto& f : frames::standard_frames()) frame.choices.emplace_back(f.name);
  ParameterSpec other = frame;
  frame.description = "the frame";
  other.name = "relative_to";
  other.initial = "EarthICRF";
  other.description = "the frame it is relative to";
  ParameterSpec ephemeris;
  ephemeris.name = "ephemeris";
  ephemeris.kind = ParameterKind::file;
  ephemeris.initial = "";
  ephemeris.description = "a binary ephemeris of JPL; without it the series of ERFA";
  ParameterSpec days;
  days.name = "days";
  days.kind = ParameterKind::integer;
  days.initial = "40";
  days.description = "of the run that are prepared; later ones are computed in full, which is slow";
  Type type{"reference_frame", "a standard reference frame relative to another", {}, {}, {}};
  type.parameters = {frame,
                     other,
                     epoch_parameter(),
                     ephemeris,
                     days,
                     real_parameter("dut1", "s", "0", "UT1 - UTC, from the IERS bulletins"),
                     real_parameter("polar_motion", "rad", "0 0",
                                    "x and y of the pole, from the IERS bulletins", 2)};
  type.system = [](const vernier::Parameters& p) {
    ReferenceFrame::Parameters of{*frames::standard_frame(p.text("frame")),
                                  *frames::standard_frame(p.text("relative_to")), epoch(p)};
    if (p.integer("days") < 0 || p.integer("days") > 4000)
      p.reject("days", "must be between 0 and 4000");
    of.days = static_cast<int>(p.integer("days"));
    const double dut1 = p.real("dut1");
    if (!(dut1 > -1.0 && dut1 < 1.0)) p.reject("dut1", "must be between -1 s and 1 s");
    const auto& pole = p.reals("polar_motion");
    if (!(std::abs(pole[0]) < 1e-5 && std::abs(pole[1]) < 1e-5))
      p.reject("polar_motion", "must be below 1e-5 rad, which is 2 arc seconds");
    of.settings.dut1 = dut1;
    of.settings.polar_x = pole[0];
    of.settings.polar_y = pole[1];
    if (!p.text("ephemeris").empty())
      of.settings.ephemeris = frames::Ephemeris::load(p.file("ephemeris"));
    frames::FrameState s;
    if (!frames::StandardFrames(of.settings).relative(of.frame, of.relative_to, of.epoch, s))
      p.reject("epoch", of.settings.ephemeris ? "must be in the years of the ephemeris"
                                              : "must be between 1900 and 2100");
    return std::make_unique<ReferenceFrame>(std::move(of));
  };
  return type;
}

}  // namespace vernier::environment
