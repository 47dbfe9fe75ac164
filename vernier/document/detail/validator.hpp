#pragma once

#include "vernier/document/detail/grammar.hpp"
#include "vernier/document/document.hpp"

namespace vernier::document::detail {

/// Compares the tree with the rules and adds the attributes that the DTD gives by default. Reports
/// each mistake once, where it was made; stops after a hundred.
void validate(const Document&, Element& root, const Rules&, Diagnostics&);

}  // namespace vernier::document::detail
