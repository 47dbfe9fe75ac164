#pragma once

#include <array>

#include "vernier/base/random.hpp"
#include "vernier/component/catalogue.hpp"
#include "vernier/component/component.hpp"

namespace vernier::spacecraft {

/// The errors of a sensor, in the unit of the measured quantity; axes are independent with equal
/// statistics.
struct SensorErrors {
  std::array<double, 3> bias{};   // constant
  std::array<double, 3> scale{};  // relative error of the gain: 0.01 reads 1 % too much
  double noise = 0.0;             // standard deviation of one sample
  double bias_drift = 0.0;  // standard deviation of the bias's change in one second (random walk)
  double resolution = 0.0;  // step of the quantiser; 0: none
  double range = 0.0;       // readings are limited to ± this; 0: no limit
};

/// Three axes, sampled at a rate:
///
///   reading = limited(rounded((1 + scale) truth + bias + walk + noise))
///
/// The random numbers of a sample are drawn while time passes, from a generator that is part of the
/// state: equal seeds give equal readings, and a saved sensor goes on as if nothing had been.
///
/// in   truth    unit  B
/// out  reading  unit  B
class VectorSensor final : public Component {
 public:
  struct Parameters {
    std::string unit = "1";
    std::string description;  // of the truth
    SensorErrors errors;
    Rate rate{10, 1};
    std::uint64_t seed = 1;
  };

  explicit VectorSensor(const Parameters&);

  const Description& description() const noexcept override { return description_; }
  void bind(const Bindings&) override;
  bool initialize(Time, int phase) override;
  Outcome output(Instant) noexcept override;
  Advance advance(Time from, Time to) noexcept override;
  void save(std::span<std::byte>) const noexcept override;
  void load(std::span<const std::byte>) noexcept override;

 private:
  struct State {
    Random random;
    std::array<double, 3> walk{}, noise{};
  };
  void draw() noexcept;

  SensorErrors errors_;
  std::uint64_t seed_;
  Description description_;
  State state_;
  std::span<const double> truth_;
  std::span<double> reading_;
};

/// A Sun sensor: the direction of the Sun, when it is seen.
///
///   seen: illumination > 1/2 and the angle to the boresight within the field of view
///   reading = unit(truth + noise across it), angle by angle; zero when not seen
///
/// in   truth         1  B  unit vector to the Sun
/// in   illumination  1     share of the Sun's disc; 1 when not connected
/// out  reading       1  B  unit vector, or zero
/// out  seen          1     1 or 0
class SunSensor final : public Component {
 public:
  struct Parameters {
    std::array<double, 3> boresight{1.0, 0.0, 0.0};  // unit vector
    double half_angle = 3.141592653589793;           // rad, of the field of view
    double noise = 0.0;                              // rad, standard deviation per axis across
    Rate rate{10, 1};
    std::uint64_t seed = 1;
  };

  explicit SunSensor(const Parameters&);

  const Description& description() const noexcept override { return description_; }
  void bind(const Bindings&) override;
  bool initialize(Time, int phase) override;
  Outcome output(Instant) noexcept override;
  Advance advance(Time from, Time to) noexcept override;
  void save(std::span<std::byte>) const noexcept override;
  void load(std::span<const std::byte>) noexcept override;

 private:
  struct State {
    Random random;
    std::array<double, 3> noise{};
  };
  void draw() noexcept;

  Parameters parameters_;
  double cosine_;  // of half_angle
  Description description_;
  State state_;
  std::span<const double> truth_, illumination_;
  std::span<double> reading_, seen_;
};

Type rate_sensor_type();
Type magnetometer_type();
Type sun_sensor_type();

}  // namespace vernier::spacecraft
