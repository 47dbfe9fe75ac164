#pragma once

#include <initializer_list>

#include "vernier/kernel/constrained/elements/primitives.hpp"

/// Helpers for elements between attachments: their nodes, each once and without the ground, and
/// errors in the user's terms.
namespace vernier::constrained::parts {

/// Throws std::invalid_argument(what) unless it holds.
void demand(bool holds, const char* what);
/// Finite numbers, axes orthonormal and right-handed.
void check(const Attachment&);
void check_finite(std::initializer_list<double>, const char* what);

/// The index of a node in shape.nodes, where it is added if necessary; -1 for the ground.
int place(Shape&, int node);
/// Checks both, refuses two attachments of one node, and adds their nodes to the shape.
Ends joined(Shape&, const Attachment& a, const Attachment& b);
/// The index of a drive in shape.drives, where it is added; -1 for none.
int place_drive(Shape&, int drive);

/// Marks all entries of the pattern between these local rows and columns.
void mark(Shape&, int row, int rows, int column, int columns);

}  // namespace vernier::constrained::parts
