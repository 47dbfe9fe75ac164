#pragma once

#include "vernier/run/plot/detail/axis.hpp"
#include "vernier/run/plot/detail/canvas.hpp"
#include "vernier/run/plot/plot.hpp"

namespace vernier::plot {

/// The size a plot takes, in px. Needs the canvas for the widths of texts only.
struct Size {
  int width, height;
};
Size size_of(const Plot&, const Canvas&);

void draw(const Plot&, Canvas&);

/// The common time axis: from the first to the last point of any curve, unless the plot says more.
Range time_range(const Plot&);
/// The values of a panel within a time range, with some room.
Range value_range(const Panel&, const Range& time);

/// The line of a curve in a box: runs of connected points, at most four per px column: where it
/// enters, its lowest, its highest and where it leaves.
std::vector<std::vector<Point>> line_of(const Curve&, const Range& time, const Range& values,
                                        const Box&);

}  // namespace vernier::plot
