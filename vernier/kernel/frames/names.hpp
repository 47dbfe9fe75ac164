#pragma once

#include <string>
#include <string_view>

#include "vernier/base/result.hpp"

namespace vernier::frames {

/// The parts of a frame's name by the rules of SpaceFOM (appendix on frames):
///
///   Name        = FrameOrigin Orientation
///   FrameOrigin = Origin ["Centric" | "Centered"] | "SolarSystemBarycentric"
///               | Body {Body} ["Barycentric"]
///   Orientation = [Origin] ("Fixed" | "Inertial" | "Rotational" | "Rotating") [Axes] | Axes
///   Origin      = celestial body | "L1" … "L5" | a name of the user's
///   Axes        = MJ2000Eq, MJ2000Ec, ICRF, ITRF, …, or a name of the user's
///
/// A name of the user's begins with a letter, $ or _ and goes on with these, digits or characters
/// above U+00C0. As both ends may be names of the user's, some names can be divided in more than
/// one way, or in none that shows: then all of it is the origin. "ITRF" alone is among the
/// well-known frames, though no name by these rules: it is taken as that of the Earth.
struct FrameName {
  std::string origin;  // "Earth", "EarthMoon", "SolarSystem", "Station1"
  std::string point;   // "Centric", "Centered", "Barycentric", "L1" … "L5", or nothing
  std::string about;   // what the orientation refers to, if not the origin
  std::string motion;  // "Fixed", "Inertial", "Rotational", "Rotating", or nothing
  std::string axes;    // "MJ2000Eq", …, or nothing

  bool operator==(const FrameName&) const = default;
};

/// What is wrong with a name, and where.
struct NameProblem {
  std::size_t position = 0;  // in characters, from 0
  std::string message;       // a sentence without full stop
};

/// At most 255 bytes of UTF-8.
Result<FrameName, NameProblem> parsed_frame_name(std::string_view name);

}  // namespace vernier::frames
