#include "vernier/kernel/expression/detail/code_schedule.hpp"

namespace vernier::expression::detail {
namespace {

// A counting sort of pairs (key, item): the items of key k are items[first[k]] up to items[first[k
// + 1]], in the order given.
void tabulate(std::span<const std::pair<std::uint32_t, std::uint32_t>> pairs, std::uint32_t keys,
              std::vector<std::uint32_t>& items, std::vector<std::uint32_t>& first) {
  first.assign(keys + 1, 0);
  for (const auto& [key, item] : pairs) ++first[key + 1];
  for (std::uint32_t k = 0; k < keys; ++k) first[k + 1] += first[k];
  items.resize(pairs.size() + 1);  // one extra, so that &items[first[keys]] is valid
  std::vector<std::uint32_t> next(first);
  for (const auto& [key, item] : pairs) items[next[key]++] = item;
}

}  // namespace

CodeSchedule::CodeSchedule(const Values& values, std::span<const Term> outputs) {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs;
  std::vector<bool> wanted(values.size());  // needed as a value in a register
  for (std::uint32_t i = 0; i < outputs.size(); ++i) {
    if (outputs[i] == no_term) continue;
    const std::uint32_t v = values.number(outputs[i]);
    pairs.emplace_back(v, i);
    wanted[v] = true;
  }
  tabulate(pairs, values.size(), outputs_, first_output_);

  // A select whose condition is a comparison compares by itself. The comparison gets its own step
  // only if something else needs its truth value.
  const auto chosen_by_comparison = [&](std::uint32_t v) {
    return values.node(v).operation == Operation::select &&
           comparison(values.node(values.operands(v)[0]).operation);
  };
  for (std::uint32_t v = 0; v < values.size(); ++v) {
    const int operands = arity(values.node(v).operation);
    for (int i = chosen_by_comparison(v) ? 1 : 0; i < operands; ++i) {
      wanted[values.operands(v)[i]] = true;
    }
  }

  pairs.clear();
  for (std::uint32_t v = 0; v < values.size(); ++v) {
    const Operation o = values.node(v).operation;
    if (arity(o) == 0 || !wanted[v]) continue;
    const auto& in = values.operands(v);
    Step s{o, v, {in[0], in[1], in[2], 0}, arity(o)};
    if (chosen_by_comparison(v)) {
      const auto& compared = values.operands(in[0]);
      s = {o, v, {compared[0], compared[1], in[1], in[2]}, 4, true, values.node(in[0]).operation};
    }
    if (unary_function(o) != nullptr || binary_function(o) != nullptr) calls_ = true;
    for (int i = 0; i < s.operands; ++i) {
      pairs.emplace_back(s.operand[i], static_cast<std::uint32_t>(steps_.size()));
    }
    steps_.push_back(s);
  }
  tabulate(pairs, values.size(), uses_, first_use_);
}

}  // namespace vernier::expression::detail
