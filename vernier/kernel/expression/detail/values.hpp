#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "vernier/kernel/expression/detail/operations.hpp"

namespace vernier::expression::detail {

/// The terms of a program, renumbered without gaps, operands first. Tables indexed by value have
/// the size of the program instead of that of the graph. Refers to the graph and the terms, which
/// must outlive it.
class Values {
 public:
  Values(const Graph& graph, std::span<const Term> terms) : graph_(graph), terms_(terms) {
    operands_.resize(terms.size());
    for (std::uint32_t v = 0; v < size(); ++v) {
      const Node& n = node(v);
      const Term of[3] = {n.a, n.b, n.c};
      for (int i = 0; i < arity(n.operation); ++i) operands_[v][i] = number(of[i]);
    }
  }

  std::uint32_t size() const noexcept { return static_cast<std::uint32_t>(terms_.size()); }
  const Node& node(std::uint32_t value) const { return graph_[terms_[value]]; }
  const std::array<std::uint32_t, 3>& operands(std::uint32_t value) const {
    return operands_[value];
  }
  std::uint32_t number(Term t) const {
    const auto at = std::lower_bound(terms_.begin(), terms_.end(), t);
    return static_cast<std::uint32_t>(at - terms_.begin());
  }

 private:
  const Graph& graph_;
  std::span<const Term> terms_;
  std::vector<std::array<std::uint32_t, 3>> operands_;
};

}  // namespace vernier::expression::detail
