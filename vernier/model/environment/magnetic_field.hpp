#pragma once

#include "vernier/component/catalogue.hpp"
#include "vernier/kernel/frames/earth_rotation.hpp"
#include "vernier/kernel/hybrid/lane_system.hpp"
#include "vernier/model/environment/igrf.hpp"
#include "vernier/model/environment/models.hpp"

namespace vernier::environment {

/// The magnetic field of the Earth as a dipole that rotates with the Earth.
///
///   B = strength (radius/r)³ (3 (m·r̂) r̂ - m),  m the unit vector towards the southern pole
///
/// in   position  m  N
/// out  field     T  N
class DipoleField final : public hybrid::LaneSystem<detail::DipoleModel> {
 public:
  struct Parameters {
    double strength = 3.001e-5;              // T, at the magnetic equator of the sphere
    double radius = 6371.2e3;                // m, of that sphere
    double colatitude = 0.1790707812546182;  // rad, of the northern pole
    double longitude = 5.030038904247657;    // rad, of the northern pole
    frames::EarthRotation earth;
  };

  explicit DipoleField(const Parameters&);
};

/// The Earth's main field by the IGRF; see igrf.hpp.
///
/// in   position  m  N
/// out  field     T  N
class IgrfField final : public hybrid::System {
 public:
  struct Parameters {
    frames::Epoch epoch;
    frames::EarthRotation earth;
    int degree = 13;
  };

  /// Throws std::out_of_range if the epoch is outside the years of the model.
  explicit IgrfField(const Parameters&);

  const hybrid::SystemSpec& spec() const noexcept override { return spec_; }
  void flow(const hybrid::Point&, std::span<double>, hybrid::Workspace&) const noexcept override {}
  void output(const hybrid::Point&, std::span<double>, hybrid::Workspace&) const noexcept override;

 private:
  frames::EarthRotation earth_;
  Igrf igrf_;
  hybrid::SystemSpec spec_;
};

Type dipole_field_type();
Type igrf_field_type();

}  // namespace vernier::environment
