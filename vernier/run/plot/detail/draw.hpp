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

/// The common x axis: from the first to the last point of any curve, unless the plot says more.
Range x_range(const Plot&);
/// The values of a panel within a range of x, with some room, unless the panel says more.
Range value_range(const Panel&, const Range& x);

/// The line of a curve in a box: runs of connected points, at most four per px column: where it
/// enters, its lowest, its highest and where it leaves. Far outside of the box it is cut off.
std::vector<std::vector<Point>> line_of(const Curve&, const Range& x, const Range& y, const Box&);

}  // namespace vernier::plot
