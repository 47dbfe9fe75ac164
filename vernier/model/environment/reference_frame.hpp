#pragma once

#include "vernier/component/catalogue.hpp"
#include "vernier/kernel/frames/standard.hpp"
#include "vernier/kernel/hybrid/system.hpp"

namespace vernier::environment {

/// A well-known reference frame relative to another; see frames/standard.hpp for how well.
///
/// out  position              m       of its origin, in the other's axes
/// out  velocity              m/s     as seen from the other, in its axes
/// out  acceleration          m/s²    the same
/// out  attitude              1       q from the other's axes to the frame's, scalar last
/// out  rate                  rad/s   relative to the other, in the frame's axes
/// out  angular_acceleration  rad/s²  its derivative
class ReferenceFrame final : public hybrid::System {
 public:
  struct Parameters {
    std::size_t frame = 0, relative_to = 0;  // of frames::standard_frames()
    frames::Epoch epoch;                     // t counts from here
    int days = 40;                           // prepared; later ones are slower
    frames::StandardFrames::Settings settings = {};
  };
  /// The epoch must be in the years that the source covers.
  explicit ReferenceFrame(Parameters);

  const hybrid::SystemSpec& spec() const noexcept override { return spec_; }
  void flow(const hybrid::Point&, std::span<double>, hybrid::Workspace&) const noexcept override {}
  /// Outside the years of the source all outputs are NaN.
  void output(const hybrid::Point&, std::span<double>, hybrid::Workspace&) const noexcept override;

 private:
  std::size_t frame_, relative_to_;
  frames::Epoch epoch_;
  frames::StandardFrames frames_;
  hybrid::SystemSpec spec_;
};

Type reference_frame_type();

}  // namespace vernier::environment
