#pragma once

#include <cstddef>
#include <string_view>

#include "vernier/document/document.hpp"

namespace vernier::document::detail {

/// Builds the tree of a document that is already known to be well-formed and to declare no entities
/// of its own. All places are exact. False when that does not hold; never reads beyond the text.
bool build_tree(const Document&, Element& root);

/// Where the first start tag begins (at its <), or npos. Only the prolog has to be well-formed.
std::size_t find_root(std::string_view content) noexcept;

/// The byte after a comment, a processing instruction or a DOCTYPE, which have neither elements nor
/// text. `at` itself when none starts there, npos when it is not terminated.
std::size_t after_silent(std::string_view content, std::size_t at) noexcept;

/// The name that starts at `offset`, up to a blank, =, / or >.
std::string_view name_at(std::string_view content, std::size_t offset) noexcept;

constexpr bool blank(char c) noexcept { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

}  // namespace vernier::document::detail
