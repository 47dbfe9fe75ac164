#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>

#include "vernier/kernel/expression/expression.hpp"

namespace vernier::expression {

/// The name of a symbol.
using SymbolName = std::function<std::string(std::uint32_t)>;

/// Why a term is not finite where its symbols are: the operation that gives no finite number though
/// its operands are finite, in words: "division by zero: w - 100 is 0". Branches of a choice that
/// are not taken count for nothing. Nothing where the term is finite.
std::optional<std::string> failure(const Graph&, Term, std::span<const double> symbols,
                                   const SymbolName&);

/// A term as a person would write it; parts that go too deep become "…".
std::string written(const Graph&, Term, const SymbolName&);

}  // namespace vernier::expression
