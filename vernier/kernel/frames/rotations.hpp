#pragma once

#include "vernier/kernel/frames/state.hpp"

namespace vernier::frames {

/// A number that changes with time, with its first and second derivative.
struct Changing {
  double value = 0.0, rate = 0.0, second = 0.0;
};

/// Body-fixed axes relative to ICRF from the right ascension and declination of the north pole and
/// the angle of the prime meridian, as given by the IAU working group (WGCCRE); rad and s.
FrameState pole_and_meridian(const Changing& right_ascension, const Changing& declination,
                             const Changing& meridian) noexcept;

/// Axes fixed in Mars, and in the Moon (mean Earth and polar axis), relative to ICRF, `t` seconds
/// of TDB after J2000 (Archinal et al. 2011, report of the working group of 2009). Those of the
/// Moon are accurate to 150 m on its surface.
FrameState mars_axes(double t) noexcept;
FrameState moon_axes(double t) noexcept;

/// The mean Earth and polar axes of the Moon relative to the principal axes of a JPL ephemeris.
/// They depend on its number (Seidelmann et al. 2007 for DE403, Williams et al. 2008 for DE421,
/// Folkner et al. 2014 for DE430, Park et al. 2021 for DE440; others as the one before).
FrameState mean_axes(int ephemeris) noexcept;

}  // namespace vernier::frames
