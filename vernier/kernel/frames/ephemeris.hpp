#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "vernier/base/result.hpp"
#include "vernier/kernel/frames/epoch.hpp"
#include "vernier/kernel/spatial/motion.hpp"

namespace vernier::frames {

/// A binary ephemeris of JPL (DE405 and related, in the Unix format): Chebyshev polynomials of the
/// positions of the large bodies, in ICRF axes, of either byte order. The file is read completely,
/// checked and kept in memory.
class Ephemeris {
 public:
  enum class Body {
    mercury,
    venus,
    earth_moon,
    mars,
    jupiter,
    saturn,
    uranus,
    neptune,
    pluto,
    moon,
    sun
  };

  struct PositionVelocity {
    spatial::Vector3 position, velocity;  // m, m/s of TDB
  };

  /// The error is a sentence that says what is wrong.
  static Result<Ephemeris, std::string> read(std::span<const std::byte>);
  /// @throws ConfigurationError V1840 if the file cannot be read or is not an ephemeris.
  static Ephemeris load(const std::filesystem::path&);

  /// The ephemeris that the environment variable VERNIER_EPHEMERIS names; nothing if it is not set.
  /// @throws like load().
  static std::optional<Ephemeris> installed();

  int number() const noexcept { return number_; }              // 405
  double astronomical_unit() const noexcept { return unit_; }  // m
  double mass_ratio() const noexcept { return ratio_; }        // of Earth and Moon
  /// Julian dates of TDB.
  double begin() const noexcept { return begin_; }
  double end() const noexcept { return begin_ + step_ * static_cast<double>(count_); }

  /// Relative to the barycentre of the solar system, the Moon relative to the Earth. False outside
  /// begin() to end(), and for a body that the file does not contain.
  bool state(Body, const JulianDate& tdb, PositionVelocity&) const noexcept;
  /// The orientation of the principal axes of the Moon in the ICRF: R3(angles[2]) R1(angles[1])
  /// R3(angles[0]), rad. False as for state().
  bool librations(const JulianDate& tdb, spatial::Vector3& angles) const noexcept;
  bool has_librations() const noexcept { return layout_[moon_axes].terms > 0; }
  /// Nutation by the IAU 1980 theory, in longitude and obliquity, rad. False as above; newer
  /// ephemerides have none.
  bool nutations(const JulianDate& tdb, double& longitude, double& obliquity) const noexcept;
  /// TT - TDB at the geocentre, s. False as above; only ephemerides with a t in their name have it.
  bool tt_minus_tdb(const JulianDate& tdb, double& seconds) const noexcept;

 private:
  // After the bodies, as in the file.
  static constexpr std::size_t pole = 11, moon_axes = 12, mantle = 13, clock = 14, items = 15;
  struct Layout {
    std::size_t first = 0;      // coefficient, from 0
    int terms = 0, pieces = 0;  // coefficients of a component, and polynomials in a record
  };

  Ephemeris() = default;
  static constexpr int components(std::size_t item) noexcept {
    return item == pole ? 2 : item == clock ? 1 : 3;
  }
  /// In units of the file, per day; missing components are zero.
  bool evaluate(std::size_t item, const JulianDate&, spatial::Vector3& value,
                spatial::Vector3& rate) const noexcept;

  int number_ = 0;
  double unit_ = 0.0, ratio_ = 0.0, begin_ = 0.0, step_ = 0.0;
  std::size_t width_ = 0, count_ = 0;  // numbers in a record, records
  Layout layout_[items];
  std::vector<double> numbers_;
};

}  // namespace vernier::frames
