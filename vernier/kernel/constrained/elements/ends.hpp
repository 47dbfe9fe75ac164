#pragma once

#include <initializer_list>

#include "vernier/kernel/constrained/elements/primitives.hpp"

/// How elements between attachments are put together: their nodes, each once and without the
/// ground; refusals in the user's terms.
namespace vernier::constrained::parts {

/// Throws std::invalid_argument(what) unless it holds.
void demand(bool holds, const char* what);
/// Finite numbers, axes orthonormal and right-handed.
void check(const Attachment&);
void check_finite(std::initializer_list<double>, const char* what);

/// The node's place in shape.nodes, where it is added if it is not there yet; -1 for the ground.
int place(Shape&, int node);
/// Checks both, refuses two attachments of one node, adds their nodes to the shape.
Ends joined(Shape&, const Attachment& a, const Attachment& b);
/// The drive's place in shape.drives, where it is added; -1 for none.
int place_drive(Shape&, int drive);

/// Marks all entries of the pattern between these local rows and columns.
void mark(Shape&, int row, int rows, int column, int columns);

}  // namespace vernier::constrained::parts
