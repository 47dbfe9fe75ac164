#pragma once

#include <cstddef>
#include <string_view>

#include "vernier/document/document.hpp"

namespace vernier::document::detail {

/// Builds the tree of a document that is known to be well-formed and to declare no entities of its
/// own. Every place is exact. False when the text is not as promised; never reads outside it.
bool build_tree(const Document&, Element& root);

/// Where the first start tag begins (at its <), or npos. Needs no more than the prolog to be right.
std::size_t find_root(std::string_view content) noexcept;

/// The byte after what is not an element and has no text: a comment, a processing instruction, a
/// DOCTYPE. `at` itself when none starts there, npos when it does not end.
std::size_t after_silent(std::string_view content, std::size_t at) noexcept;

/// The name that starts at `offset`, up to a blank, =, / or >.
std::string_view name_at(std::string_view content, std::size_t offset) noexcept;

constexpr bool blank(char c) noexcept { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

}  // namespace vernier::document::detail
