#pragma once

#include <array>

#include "vernier/kernel/spatial/motion.hpp"

namespace vernier::environment {

/// The International Geomagnetic Reference Field, 14th generation: the Earth's main field as
/// spherical harmonics to degree 13, from 2000 to 2030. Coefficients in data/igrf/igrf14.txt;
/// linear between epochs, and by the predicted secular variation after 2025.
class Igrf {
 public:
  static constexpr int most = 13;  // degree
  static constexpr double first_year = 2000.0, last_year = 2030.0;

  /// The field around a time; `degree` (at most 13) truncates the series. Throws std::out_of_range
  /// outside first_year to last_year.
  explicit Igrf(double decimal_year, int degree = most);

  /// B (T) in Earth-fixed axes at an Earth-fixed position (m, not the centre), `years` after the
  /// time of the constructor; the rate is that of the interval between epochs around that time.
  /// Regular at the poles.
  spatial::Vector3 field(const spatial::Vector3& position_E, double years = 0.0) const noexcept;

 private:
  static constexpr int terms = (most + 1) * (most + 2) / 2;
  static constexpr int index(int n, int m) noexcept { return n * (n + 1) / 2 + m; }

  struct Term {
    double g = 0.0, h = 0.0;            // T, for Legendre functions without normalisation
    double g_rate = 0.0, h_rate = 0.0;  // T/year
  };
  int degree_;
  std::array<Term, terms> terms_{};
};

}  // namespace vernier::environment
