#pragma once

#include "vernier/component/catalogue.hpp"
#include "vernier/kernel/frames/sun.hpp"
#include "vernier/kernel/hybrid/system.hpp"

namespace vernier::environment {

/// Where the Sun is; see frames/sun.hpp for how well.
///
/// in   position   m  N  of the spacecraft; the Earth's centre when not connected
/// out  sun        m  N  of the Sun, from the Earth's centre
/// out  direction  1  N  from the spacecraft to the Sun
class Sun final : public hybrid::System {
 public:
  explicit Sun(const frames::Epoch&);

  const hybrid::SystemSpec& spec() const noexcept override { return spec_; }
  void flow(const hybrid::Point&, std::span<double>, hybrid::Workspace&) const noexcept override {}
  void output(const hybrid::Point&, std::span<double>, hybrid::Workspace&) const noexcept override;

 private:
  frames::SunPath path_;
  hybrid::SystemSpec spec_;
};

/// How much of the Sun a spacecraft sees past a spherical Earth. Locations Sunlight, Penumbra,
/// Umbra; their changes are noted. `conical` has a Sun of its true size; `cylindrical` a point at
/// infinity and no Penumbra. An annular eclipse, seen from beyond 1.4 million km, stays Penumbra.
///
/// in   position      m  N
/// in   sun           m  N  of the Sun, from the Earth's centre
/// out  illumination  1     0 in the umbra to 1 in sunlight: the share of the disc
class Eclipse final : public hybrid::System {
 public:
  enum class Shadow { cylindrical, conical };
  struct Parameters {
    Shadow shadow = Shadow::conical;
    double earth_radius = 6378137.0;         // m
    double sun_radius = frames::sun_radius;  // m
  };
  enum Location { sunlight, penumbra, umbra };

  explicit Eclipse(const Parameters&);

  const hybrid::SystemSpec& spec() const noexcept override { return spec_; }
  void flow(const hybrid::Point&, std::span<double>, hybrid::Workspace&) const noexcept override {}
  void output(const hybrid::Point&, std::span<double>, hybrid::Workspace&) const noexcept override;
  void guards(const hybrid::Point&, std::span<double>, hybrid::Workspace&) const noexcept override;
  bool select(const hybrid::Point&, std::span<const std::uint8_t>, std::span<int>,
              hybrid::Workspace&) const noexcept override;
  void jump(const hybrid::Point&, std::span<const int>, hybrid::Jump&,
            hybrid::Workspace&) const noexcept override;
  void witness(const hybrid::Point&, int, int, std::span<double, 2>,
               hybrid::Workspace&) const noexcept override;

 private:
  /// conical: half-widths of Sun and Earth and the angle between their centres (rad);
  /// cylindrical: 0, earth radius, distance from the shadow's axis (m), infinite on the day side.
  struct Discs {
    double sun, earth, apart;
  };
  Discs discs(const hybrid::Point&) const noexcept;

  Parameters parameters_;
  hybrid::SystemSpec spec_;
};

/// The visible fraction of a disc of half-width `sun`, partly covered by one of half-width `earth`
/// at the angle `apart`.
double visible_share(double sun, double earth, double apart) noexcept;

Type sun_type();
Type eclipse_type();

}  // namespace vernier::environment
