#pragma once

#include <span>

#include "vernier/document/document.hpp"

namespace vernier::document::detail {

/// Whether the content is UTF-8 without control characters that XML forbids. If not, reports where.
bool check_encoding(const Document&, Diagnostics&);

/// Whether no tag has so many attributes that checking them would take long. If not, reports where.
bool check_tags(const Document&, Diagnostics&);

/// Whether the document is well-formed, within the limits, and declares and refers to nothing of
/// its own: no entities, no DTD except that of its grammar. Reports the first problem; time and
/// memory are proportional to the part read.
bool check_form(const Document&, std::span<const Grammar>, const Limits&, Diagnostics&);

}  // namespace vernier::document::detail
