#include "vernier/kernel/frames/ephemeris.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <fstream>

#include "vernier/base/diagnostic.hpp"

namespace vernier::frames {
namespace {

// Offsets in the first record, in bytes: 3 title lines of 84, 400 names of 6, then these; the names
// of further constants follow the table of librations.
constexpr std::size_t at_span = 2652, at_constants = 2676, at_unit = 2680, at_ratio = 2688,
                      at_table = 2696, at_number = 2840, at_librations = 2844, header_end = 2856;
constexpr std::size_t most_bytes = std::size_t{1} << 30;
constexpr int most_terms = 40;

class Bytes {
 public:
  Bytes(std::span<const std::byte> all, bool swap) : all_(all), swap_(swap) {}

  double real(std::size_t at) const noexcept {
    return std::bit_cast<double>(number<std::uint64_t>(at));
  }
  std::int32_t integer(std::size_t at) const noexcept {
    return std::bit_cast<std::int32_t>(number<std::uint32_t>(at));
  }

 private:
  template <class T>
  T number(std::size_t at) const noexcept {
    T n;
    std::memcpy(&n, all_.data() + at, sizeof(T));
    if constexpr (sizeof(T) == 8)
      return swap_ ? __builtin_bswap64(n) : n;
    else
      return swap_ ? __builtin_bswap32(n) : n;
  }

  std::span<const std::byte> all_;
  bool swap_;
};

bool plausible(const Bytes& b) noexcept {
  const std::int32_t constants = b.integer(at_constants), number = b.integer(at_number);
  return constants > 0 && constants <= 3000 && number > 0 && number < 10000 &&
         b.real(at_unit) > 1e8 && b.real(at_unit) < 2e8;
}

}  // namespace

Result<Ephemeris, std::string> Ephemeris::read(std::span<const std::byte> all) {
  const auto bad = [](std::string text) { return Failure{std::move(text)}; };
  if (all.size() < header_end) return bad("it is too short for an ephemeris of JPL");
  if (all.size() > most_bytes) return bad("it is larger than 1 GiB");
  Bytes b(all, false);
  if (!plausible(b)) {
    b = Bytes(all, true);
    if (!plausible(b)) return bad("it is not a binary ephemeris of JPL");
  }
  Ephemeris e;
  e.number_ = b.integer(at_number);
  e.unit_ = b.real(at_unit) * 1e3;
  e.ratio_ = b.real(at_ratio);
  e.step_ = b.real(at_span + 16);
  const double first = b.real(at_span), last = b.real(at_span + 8);
  if (!(e.ratio_ > 1.0 && e.ratio_ < 1000.0))
    return bad("its mass ratio of Earth and Moon is absurd");
  if (!(e.step_ >= 1.0 && e.step_ <= 1000.0) || !(std::fabs(first) < 1e8) || !(last > first) ||
      !(last < 1e8))
    return bad("its span of time is absurd");

  // Eleven bodies, nutations and librations; from DE430 on also the lunar mantle and TT - TDB,
  // after the names of constants beyond 400. Writers without these leave zeros there.
  const std::int32_t constants = b.integer(at_constants);
  const std::size_t more = header_end + 6 * static_cast<std::size_t>(std::max(0, constants - 400));
  const std::size_t known = e.number_ >= 430 && all.size() >= more + 24 ? items : mantle;
  e.width_ = 2;
  for (std::size_t i = 0; i < known; ++i) {
    const std::size_t at = i < moon_axes    ? at_table + 12 * i
                           : i == moon_axes ? at_librations
                                            : more + 12 * (i - mantle);
    const std::int32_t from = b.integer(at), terms = b.integer(at + 4), pieces = b.integer(at + 8);
    if (terms == 0 || pieces == 0) continue;
    if (from < 3 || from > 100'000 || terms < 2 || terms > most_terms || pieces < 1 || pieces > 64)
      return bad("its table of coefficients is absurd");
    const auto begin = static_cast<std::size_t>(from) - 1;
    e.width_ = std::max(e.width_, begin + static_cast<std::size_t>(terms * pieces * components(i)));
    e.layout_[i] = {begin, terms, pieces};
  }
  if (e.width_ * 8 < header_end) return bad("its records are shorter than its header");
  const std::size_t records = all.size() / (8 * e.width_);
  if (records < 3) return bad("it has no coefficients");
  e.count_ = records - 2;
  e.numbers_.resize(e.count_ * e.width_);
  for (std::size_t i = 0; i < e.numbers_.size(); ++i) {
    e.numbers_[i] = b.real(8 * (2 * e.width_ + i));
    // Pluto is 7e9 km away.
    if (!(std::fabs(e.numbers_[i]) <= 1e12)) return bad("one of its coefficients is absurd");
  }
  e.begin_ = e.numbers_[0];
  if (!(std::fabs(e.begin_) < 1e8)) return bad("its span of time is absurd");
  for (std::size_t r = 0; r < e.count_; ++r) {
    const double start = e.begin_ + e.step_ * static_cast<double>(r);
    const double* record = &e.numbers_[r * e.width_];
    if (record[0] != start || record[1] != start + e.step_)
      return bad("record " + std::to_string(r + 1) + " is not for the days at its place");
  }
  return e;
}

Ephemeris Ephemeris::load(const std::filesystem::path& path) {
  const auto refuse = [&](const std::string& why) {
    throw ConfigurationError("V1840", "this is no ephemeris that can be used: " + why,
                             {.file = path.string()});
  };
  std::error_code error;
  const auto size = std::filesystem::file_size(path, error);
  if (error) refuse("it cannot be read");
  if (size > most_bytes) refuse("it is larger than 1 GiB");
  std::vector<std::byte> bytes(size);
  std::ifstream in(path, std::ios::binary);
  if (!in.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(size)))
    refuse("it cannot be read");
  auto e = read(bytes);
  if (!e) refuse(e.error());
  return std::move(*e);
}

std::optional<Ephemeris> Ephemeris::installed() {
  const char* path = std::getenv("VERNIER_EPHEMERIS");
  if (!path || !*path) return {};
  return load(path);
}

bool Ephemeris::state(Body body, const JulianDate& tdb, PositionVelocity& out) const noexcept {
  spatial::Vector3 value, rate;
  if (!evaluate(static_cast<std::size_t>(body), tdb, value, rate)) return false;
  out = {1e3 * value, (1e3 / 86400.0) * rate};
  return true;
}

bool Ephemeris::librations(const JulianDate& tdb, spatial::Vector3& angles) const noexcept {
  spatial::Vector3 rate;
  return evaluate(moon_axes, tdb, angles, rate);
}

bool Ephemeris::nutations(const JulianDate& tdb, double& longitude,
                          double& obliquity) const noexcept {
  spatial::Vector3 value, rate;
  if (!evaluate(pole, tdb, value, rate)) return false;
  longitude = value[0];
  obliquity = value[1];
  return true;
}

bool Ephemeris::tt_minus_tdb(const JulianDate& tdb, double& seconds) const noexcept {
  spatial::Vector3 value, rate;
  if (!evaluate(clock, tdb, value, rate)) return false;
  seconds = value[0];
  return true;
}

bool Ephemeris::evaluate(std::size_t item, const JulianDate& tdb, spatial::Vector3& value,
                         spatial::Vector3& rate) const noexcept {
  const Layout& l = layout_[item];
  const int parts = components(item);
  const double since = (tdb.whole - begin_) + tdb.part;
  if (l.terms == 0 || !(since >= 0.0 && since <= step_ * static_cast<double>(count_))) return false;
  const std::size_t record = std::min(count_ - 1, static_cast<std::size_t>(since / step_));
  // The two parts of the date are handled separately, so that the fraction keeps its digits.
  const double into = ((tdb.whole - begin_) - step_ * static_cast<double>(record)) + tdb.part;
  const double length = step_ / l.pieces;
  const int piece = std::clamp(static_cast<int>(into / length), 0, l.pieces - 1);
  const double x = 2.0 * (into - piece * length) / length - 1.0;
  const double* c =
      &numbers_[record * width_ + l.first + static_cast<std::size_t>(parts * l.terms * piece)];
  // Chebyshev polynomials T_n and their derivatives by upward recursion.
  double T[most_terms] = {1.0, x}, D[most_terms] = {0.0, 1.0};
  for (int n = 2; n < l.terms; ++n) {
    T[n] = 2.0 * x * T[n - 1] - T[n - 2];
    D[n] = 2.0 * T[n - 1] + 2.0 * x * D[n - 1] - D[n - 2];
  }
  value.setZero();
  rate.setZero();
  for (int i = 0; i < parts; ++i, c += l.terms) {
    double p = 0.0, v = 0.0;
    for (int n = l.terms; n-- > 0;) {
      p += c[n] * T[n];
      v += c[n] * D[n];
    }
    value[i] = p;
    rate[i] = v * (2.0 / length);
  }
  return true;
}

}  // namespace vernier::frames
