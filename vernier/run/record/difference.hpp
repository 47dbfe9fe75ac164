#pragma once

#include <cstdint>
#include <optional>

#include "vernier/run/record/result_reader.hpp"

/// Curves that two runs are compared by, with the same rules as compare().
namespace vernier::record {

/// The first run minus the second, of one element, over the times of the first: at all instants of
/// either run that lie within both. Where only one run has a row, the value of the other is held or
/// interpolated, as the signal says. With `most_points` > 0 reduced as ResultReader::trace().
/// Requires that the element exists in both.
Trace difference(const ResultReader& a, const Signal&, const ResultReader& b, const Signal&,
                 std::uint32_t element, double shift = 0.0, std::size_t most_points = 0);

/// How a value is passed.
enum class Crossing : std::uint8_t { rising, falling, either };

/// When an element passes `level` for the n-th time, n from 1: comes to it or beyond from the other
/// side. Held signals do so at a row, others between rows. Nothing: it never does.
std::optional<double> crossing(const ResultReader&, const Signal&, std::uint32_t element,
                               double level, Crossing = Crossing::either, std::uint64_t n = 1);

}  // namespace vernier::record
