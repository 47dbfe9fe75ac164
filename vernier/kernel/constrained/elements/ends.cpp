#include "vernier/kernel/constrained/elements/ends.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace vernier::constrained::parts {

void demand(bool holds, const char* what) {
  if (!holds) throw std::invalid_argument(what);
}

void check_finite(std::initializer_list<double> values, const char* what) {
  for (double v : values) demand(std::isfinite(v), what);
}

void check(const Attachment& t) {
  check_finite({t.offset.x, t.offset.y, t.offset.z}, "an offset is not a finite number");
  const Matrix3 one = times_transposed(t.axes, t.axes);
  const Matrix3 identity = spatial::identity3<double>();
  for (int i = 0; i < 9; ++i) {
    demand(std::abs(one.a[i] - identity.a[i]) < 1e-9,
           "the axes of an attachment are not three unit vectors normal to each other");
  }
  demand(dot(cross(column(t.axes, 0), column(t.axes, 1)), column(t.axes, 2)) > 0.0,
         "the axes of an attachment are left-handed");
  demand(t.node >= ground, "an attachment names no node");
}

int place(Shape& s, int node) {
  if (node == ground) return -1;
  const auto found = std::find(s.nodes.begin(), s.nodes.end(), node);
  if (found != s.nodes.end()) return static_cast<int>(found - s.nodes.begin());
  s.nodes.push_back(node);
  return static_cast<int>(s.nodes.size()) - 1;
}

Ends joined(Shape& s, const Attachment& a, const Attachment& b) {
  check(a);
  check(b);
  demand(a.node != b.node,
         a.node == ground ? "both ends are on the ground" : "both ends are on the same node");
  const int first = place(s, a.node);
  return {first, place(s, b.node), a, b};
}

int place_drive(Shape& s, int drive) {
  if (drive == no_drive) return -1;
  demand(drive >= 0, "a drive has no such number");
  const auto found = std::find(s.drives.begin(), s.drives.end(), drive);
  if (found != s.drives.end()) return static_cast<int>(found - s.drives.begin());
  s.drives.push_back(drive);
  return static_cast<int>(s.drives.size()) - 1;
}

void mark(Shape& s, int row, int rows, int column, int columns) {
  if (s.pattern.empty()) return;  // anywhere already
  for (int i = row; i < row + rows; ++i) {
    for (int j = column; j < column + columns; ++j) s.pattern[i * s.size() + j] = 1;
  }
}

}  // namespace vernier::constrained::parts
