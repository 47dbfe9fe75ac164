#pragma once

#include <span>

#include "vernier/document/document.hpp"

namespace vernier::document::detail {

/// Whether the content is UTF-8 without control characters that XML forbids. Reports where not.
bool check_encoding(const Document&, Diagnostics&);

/// Whether no tag has so many attributes that looking at them would take long. Reports where not.
bool check_tags(const Document&, Diagnostics&);

/// Whether the document is well-formed, within the limits, and declares and cites nothing of its
/// own: no entities, no DTD but the one of its grammar. Reports the first problem; costs time and
/// memory in proportion to the part read.
bool check_form(const Document&, std::span<const Grammar>, const Limits&, Diagnostics&);

}  // namespace vernier::document::detail
