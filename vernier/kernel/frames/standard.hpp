#pragma once

#include <array>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "vernier/kernel/frames/ephemeris.hpp"
#include "vernier/kernel/frames/tree.hpp"

namespace vernier::frames {

/// A well-known frame of SpaceFOM, and the parent suggested for it.
struct StandardFrame {
  std::string_view name, parent, about;
};

constexpr std::size_t standard_frame_count = 17;

/// The well-known frames, parents first; the first is the root. Inertial frames have the axes of
/// the ICRF.
std::span<const StandardFrame, standard_frame_count> standard_frames() noexcept;

/// Its index in the list; nothing if there is none of this name.
std::optional<std::size_t> standard_frame(std::string_view name) noexcept;

/// The states of the well-known frames.
///
/// Positions of bodies come from ERFA (eraEpv00: Earth 5 km from the Sun, 13 km from the
/// barycentre; eraMoon98: Moon 10 arc seconds; eraPlan94: Mars 30 arc seconds), 1900 to 2100, or
/// from a JPL ephemeris where it is valid. The Earth rotates by IAU 2006/2000A with the given polar
/// motion; the Moon (mean Earth and polar axes) by the librations of the ephemeris or the IAU
/// elements of 2009, Mars by the latter. Geometric, without light time.
///
/// Values are those at quarter days of TT, interpolated by polynomials of degree nine whose
/// derivatives are the velocities and accelerations (Moon: better than 1 mm, 1e-8 m/s). They depend
/// on the time alone, not on the days prepared.
class StandardFrames {
 public:
  struct Settings {
    double dut1 = 0.0;                    // s, UT1 - UTC
    double polar_x = 0.0, polar_y = 0.0;  // rad, of the pole in ITRF (IERS)
    std::optional<Ephemeris> ephemeris = {};
  };

  /// Prepares some days, for which evaluation is fast (microseconds). Others take a millisecond,
  /// with the same bits.
  explicit StandardFrames(Settings, const Epoch& from = {}, int days = 0);

  /// States of all frames relative to their parents, in the order of standard_frames(). False
  /// outside the years of the source; then nothing is written.
  bool states(const Epoch&, std::span<FrameState, standard_frame_count>) const noexcept;

  /// One frame relative to another, by their indices in the list. Returns like states().
  bool relative(std::size_t subject, std::size_t observer, const Epoch&,
                FrameState&) const noexcept;

  /// A tree of these frames, without states.
  static FrameTree tree();
  /// Sets the states of all frames of a tree that have the name of a standard frame and whose
  /// parent is any standard frame. Returns like states().
  bool update(FrameTree&, const Epoch&) const noexcept;

  const Settings& settings() const noexcept { return settings_; }

 private:
  // One sample: Earth, Sun and Mars from the barycentre, Moon from the Earth (m), intermediate axes
  // relative to ICRF as a quaternion, TDB - TT (s), the Moon's librations (rad; zero if not known).
  static constexpr std::size_t width = 20;
  using Node = std::array<double, width>;
  using Derivatives = std::array<Node, 4>;

  bool sample(std::int64_t quarter, Node&) const noexcept;
  bool evaluate(const Epoch&, Derivatives&) const noexcept;

  Settings settings_;
  double moon_share_, beyond_moon_;  // mass fraction of the Moon; relative distance of L2
  // MJ2000Eq in ICRF; ITRF in the turning Earth; mean axes of the Moon in its principal ones
  FrameState bias_, pole_, mean_axes_;
  bool librations_;
  std::int64_t first_ = 0;
  std::vector<Node> nodes_;
};

}  // namespace vernier::frames
