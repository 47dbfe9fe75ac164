#pragma once

#include "vernier/run/plot/detail/axis.hpp"
#include "vernier/run/plot/detail/canvas.hpp"
#include "vernier/run/plot/plot.hpp"

namespace vernier::plot {

/// The size of a plot, in px. The canvas is needed only to measure texts.
struct Size {
  int width, height;
};
Size size_of(const Plot&, const Canvas&);

void draw(const Plot&, Canvas&);

/// The common time axis: from the first to the last point of any curve, unless the plot sets
/// limits.
Range time_range(const Plot&);
/// The range of a panel's values within a time range, with some room.
Range value_range(const Panel&, const Range& time);

/// The polyline of a curve in a box. Of the points in one px column it keeps at most four, the
/// first, lowest, highest and last: the picture is the same, and its size does not grow with the
/// curve.
std::vector<std::vector<Point>> line_of(const Curve&, const Range& time, const Range& values,
                                        const Box&);

}  // namespace vernier::plot
