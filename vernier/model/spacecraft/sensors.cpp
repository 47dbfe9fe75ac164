#include "vernier/model/spacecraft/sensors.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <type_traits>

#include "vernier/base/require.hpp"
#include "vernier/kernel/elementary/elementary.hpp"

namespace vernier::spacecraft {
namespace {

template <class State>
void store(const State& s, std::span<std::byte> to) noexcept {
  static_assert(std::is_trivially_copyable_v<State>);
  require(to.size() == sizeof s);
  std::memcpy(to.data(), &s, sizeof s);
}

template <class State>
void restore(State& s, std::span<const std::byte> from) noexcept {
  require(from.size() == sizeof s);
  std::memcpy(static_cast<void*>(&s), from.data(), sizeof s);
}

// A rate that is a whole number of hertz, or of seconds.
Rate rate(const Parameters& p) {
  const double hertz = p.real("rate");
  if (hertz >= 1.0 && hertz <= 1e6 && hertz == std::floor(hertz)) {
    return {static_cast<std::int64_t>(hertz), 1};
  }
  const double period = std::round(1.0 / hertz);
  if (hertz > 0.0 && hertz < 1.0 && period <= 1e6 && std::fabs(hertz * period - 1.0) < 1e-12) {
    return {1, static_cast<std::int64_t>(period)};
  }
  p.reject("rate",
           "must be a whole number of hertz or one over whole seconds; for others write rate=\"…\" "
           "on the component");
}

std::array<double, 3> three(const std::vector<double>& v) { return {v[0], v[1], v[2]}; }

/// The noise of the three elements of a reading.
std::vector<double> known_noise(double deviation) {
  return deviation > 0.0 ? std::vector<double>(3, deviation) : std::vector<double>();
}

ParameterSpec rate_parameter() {
  return {.name = "rate", .unit = "1/s", .initial = "10", .description = "samples per second"};
}

Type vector_sensor_type(std::string name, std::string summary, const std::string& unit,
                        const std::string& truth) {
  Type type{std::move(name), std::move(summary), {}, {}, {}};
  type.parameters = {
      rate_parameter(),
      {.name = "bias", .unit = unit, .count = 3, .initial = "0 0 0", .description = "constant"},
      {.name = "scale",
       .count = 3,
       .initial = "0 0 0",
       .description = "relative error of the gain: 0.01 reads 1 % too much"},
      {.name = "noise",
       .unit = unit,
       .initial = "0",
       .description = "standard deviation of one sample, per axis"},
      {.name = "bias_drift",
       .unit = unit,
       .initial = "0",
       .description = "standard deviation of the bias's change in one second (random walk)"},
      {.name = "resolution",
       .unit = unit,
       .initial = "0",
       .description = "step of the quantiser; 0: none"},
      {.name = "range",
       .unit = unit,
       .initial = "0",
       .description = "readings are limited to ± this; 0: no limit"}};
  type.component = [unit, truth](const Parameters& p) {
    VectorSensor::Parameters k;
    k.unit = unit;
    k.description = truth;
    for (const char* field : {"noise", "bias_drift", "resolution", "range"}) {
      if (!(p.real(field) >= 0.0)) p.reject(field, "must not be negative");
    }
    k.errors = {three(p.reals("bias")), three(p.reals("scale")), p.real("noise"),
                p.real("bias_drift"),   p.real("resolution"),    p.real("range")};
    k.rate = rate(p);
    k.seed = p.seed();
    return std::make_unique<VectorSensor>(k);
  };
  return type;
}

}  // namespace

VectorSensor::VectorSensor(const Parameters& p)
    : errors_(p.errors), seed_(p.seed), state_{Random(p.seed)} {
  description_.inputs = {
      {.name = "truth", .unit = p.unit, .frame = "B", .count = 3, .description = p.description}};
  description_.outputs = {{.name = "reading",
                           .unit = p.unit,
                           .frame = "B",
                           .count = 3,
                           .description = "the measured value",
                           .noise = known_noise(p.errors.noise)}};
  description_.feedthrough = {{"reading", "truth"}};
  description_.rate = p.rate;
  description_.state_bytes = sizeof state_;
}

void VectorSensor::bind(const Bindings& b) {
  truth_ = b.real_input("truth");
  reading_ = b.real_output("reading");
}

bool VectorSensor::initialize(Time, int) {
  state_ = {Random(seed_)};
  draw();
  return true;
}

void VectorSensor::draw() noexcept {
  for (double& n : state_.noise) n = errors_.noise * state_.random.normal();
}

Outcome VectorSensor::output(Instant) noexcept {
  for (std::size_t i = 0; i < 3; ++i) {
    double v =
        (1.0 + errors_.scale[i]) * truth_[i] + errors_.bias[i] + state_.walk[i] + state_.noise[i];
    if (errors_.resolution > 0.0) v = errors_.resolution * std::nearbyint(v / errors_.resolution);
    if (errors_.range > 0.0) v = std::clamp(v, -errors_.range, errors_.range);
    reading_[i] = v;
  }
  return Outcome::ok;
}

Advance VectorSensor::advance(Time from, Time to) noexcept {
  const double step = errors_.bias_drift * std::sqrt(seconds(to - from));
  for (double& w : state_.walk) w += step * state_.random.normal();
  draw();
  return {to};
}

void VectorSensor::save(std::span<std::byte> to) const noexcept { store(state_, to); }
void VectorSensor::load(std::span<const std::byte> from) noexcept { restore(state_, from); }

SunSensor::SunSensor(const Parameters& p)
    : parameters_(p), cosine_(elementary::cos(p.half_angle)), state_{Random(p.seed)} {
  description_.inputs = {{.name = "truth",
                          .frame = "B",
                          .count = 3,
                          .description = "direction from the spacecraft to the Sun, a unit vector"},
                         {.name = "illumination",
                          .initial = std::vector<double>{1.0},
                          .description = "share of the Sun's disc that is seen"}};
  description_.outputs = {{.name = "reading",
                           .frame = "B",
                           .count = 3,
                           .description = "direction to the Sun; zero when it is not seen",
                           .noise = known_noise(p.noise)},  // across the direction
                          {.name = "seen", .description = "1 when the Sun is seen, else 0"}};
  description_.feedthrough = {{"reading", "truth"},
                              {"reading", "illumination"},
                              {"seen", "truth"},
                              {"seen", "illumination"}};
  description_.rate = p.rate;
  description_.state_bytes = sizeof state_;
}

void SunSensor::bind(const Bindings& b) {
  truth_ = b.real_input("truth");
  illumination_ = b.real_input("illumination");
  reading_ = b.real_output("reading");
  seen_ = b.real_output("seen");
}

bool SunSensor::initialize(Time, int) {
  state_ = {Random(parameters_.seed)};
  draw();
  return true;
}

void SunSensor::draw() noexcept {
  for (double& n : state_.noise) n = parameters_.noise * state_.random.normal();
}

Outcome SunSensor::output(Instant) noexcept {
  const auto dot = [](auto& a, auto& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; };
  const double length = std::sqrt(dot(truth_, truth_));
  const bool seen = illumination_[0] > 0.5 && length > 0.0 &&
                    dot(truth_, parameters_.boresight) >= cosine_ * length;
  seen_[0] = seen ? 1.0 : 0.0;
  if (!seen) {
    std::fill(reading_.begin(), reading_.end(), 0.0);
    return Outcome::ok;
  }
  // The part of the noise perpendicular to the direction: each of the two angles has the given
  // standard deviation.
  const double along = dot(truth_, state_.noise) / length;
  std::array<double, 3> v{};
  for (std::size_t i = 0; i < 3; ++i) {
    v[i] = truth_[i] / length * (1.0 - along) + state_.noise[i];
  }
  const double size = std::sqrt(dot(v, v));
  for (std::size_t i = 0; i < 3; ++i) reading_[i] = v[i] / size;
  return Outcome::ok;
}

Advance SunSensor::advance(Time, Time to) noexcept {
  draw();
  return {to};
}

void SunSensor::save(std::span<std::byte> to) const noexcept { store(state_, to); }
void SunSensor::load(std::span<const std::byte> from) noexcept { restore(state_, from); }

Type rate_sensor_type() {
  return vector_sensor_type("rate_sensor", "three-axis rate sensor (gyro)", "rad/s",
                            "angular velocity of the body");
}

Type magnetometer_type() {
  return vector_sensor_type("magnetometer", "three-axis magnetometer", "T", "magnetic field");
}

Type sun_sensor_type() {
  Type type{"sun_sensor", "direction of the Sun within a field of view", {}, {}, {}};
  type.parameters = {
      rate_parameter(),
      {.name = "boresight", .count = 3, .initial = "1 0 0", .description = "in B; normalised"},
      {.name = "half_angle",
       .unit = "rad",
       .initial = "180 deg",
       .description = "of the field of view, from the boresight"},
      {.name = "noise",
       .unit = "rad",
       .initial = "0",
       .description = "standard deviation of each of the two angles"}};
  type.component = [](const Parameters& p) {
    SunSensor::Parameters k;
    const auto& b = p.reals("boresight");
    const double length = std::sqrt(b[0] * b[0] + b[1] * b[1] + b[2] * b[2]);
    if (!(length > 0.0) || !std::isfinite(length)) p.reject("boresight", "must not be zero");
    k.boresight = {b[0] / length, b[1] / length, b[2] / length};
    k.half_angle = p.real("half_angle");
    k.noise = p.real("noise");
    if (!(k.half_angle > 0.0 && k.half_angle <= 3.1415927)) {
      p.reject("half_angle", "must be more than 0 and at most 180 deg");
    }
    if (!(k.noise >= 0.0)) p.reject("noise", "must not be negative");
    k.rate = rate(p);
    k.seed = p.seed();
    return std::make_unique<SunSensor>(k);
  };
  return type;
}

}  // namespace vernier::spacecraft
