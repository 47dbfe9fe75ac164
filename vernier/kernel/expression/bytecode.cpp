#include "vernier/kernel/expression/detail/bytecode.hpp"

#include <algorithm>
#include <limits>

#include "vernier/base/require.hpp"
#include "vernier/kernel/expression/detail/operations.hpp"

namespace vernier::expression::detail {
namespace {

constexpr std::uint32_t nowhere = std::numeric_limits<std::uint32_t>::max();

class Compiler {
 public:
  Compiler(const Graph& graph, std::span<const Term> terms, std::span<const Term> outputs)
      : graph_(graph), terms_(terms), outputs_(outputs) {}

  Bytecode result() {
    number_values();
    place_inputs_and_constants();
    count_uses();
    choose_fused();
    write_instructions();
    assign_registers();
    return std::move(out_);
  }

 private:
  // An instruction on values, not yet on registers.
  struct Step {
    Code code;
    std::uint32_t value;
    std::uint32_t operand[4];
    int operands;
  };

  const Node& node(std::uint32_t value) const { return graph_[terms_[value]]; }

  // Values are places in terms_, so that all tables have the size of the program, not of the graph.
  void number_values() {
    operand_.resize(terms_.size());
    for (std::uint32_t v = 0; v < terms_.size(); ++v) {
      const Node& n = node(v);
      const Term of[3] = {n.a, n.b, n.c};
      for (int i = 0; i < arity(n.operation); ++i) operand_[v][i] = value(of[i]);
    }
  }
  std::uint32_t value(Term t) const {
    const auto at = std::lower_bound(terms_.begin(), terms_.end(), t);
    return static_cast<std::uint32_t>(at - terms_.begin());
  }

  void place_inputs_and_constants() {
    register_.assign(terms_.size(), nowhere);
    std::vector<std::pair<std::uint32_t, std::uint32_t>> inputs;  // symbol, value
    for (std::uint32_t v = 0; v < terms_.size(); ++v) {
      if (node(v).operation == Operation::symbol) inputs.emplace_back(node(v).symbol, v);
    }
    std::sort(inputs.begin(), inputs.end());
    for (const auto& [symbol, v] : inputs) {
      register_[v] = out_.registers++;
      if (!out_.copies.empty() && out_.copies.back().input + out_.copies.back().count == symbol) {
        ++out_.copies.back().count;
      } else {
        out_.copies.push_back({symbol, register_[v], 1});
      }
    }
    out_.first_constant = out_.registers;
    for (std::uint32_t v = 0; v < terms_.size(); ++v) {
      if (node(v).operation != Operation::constant) continue;
      register_[v] = out_.registers++;
      out_.constants.push_back(node(v).value);
    }
  }

  void count_uses() {
    uses_.assign(terms_.size(), 0);
    for (std::uint32_t v = 0; v < terms_.size(); ++v) {
      for (int i = 0; i < arity(node(v).operation); ++i) ++uses_[operand_[v][i]];
    }
    for (const Term t : outputs_) ++uses_[value(t)];
  }

  // Products that only one sum needs are computed with it.
  void choose_fused() {
    fused_.assign(terms_.size(), false);
    for (std::uint32_t v = 0; v < terms_.size(); ++v) {
      const Operation o = node(v).operation;
      if (o != Operation::add && o != Operation::subtract) continue;
      for (int i = 0; i < 2; ++i) {
        const std::uint32_t p = operand_[v][i];
        if (node(p).operation == Operation::multiply && uses_[p] == 1) fused_[p] = true;
      }
    }
  }

  void write_instructions() {
    for (std::uint32_t v = 0; v < terms_.size(); ++v) {
      if (register_[v] != nowhere || fused_[v]) continue;
      const Operation o = node(v).operation;
      const auto& in = operand_[v];
      if (o == Operation::add || o == Operation::subtract) {
        const bool sum = o == Operation::add;
        const bool left = fused_[in[0]], right = fused_[in[1]];
        if (left && right) {
          const auto &l = operand_[in[0]], &r = operand_[in[1]];
          steps_.push_back({sum ? Code::products_sum : Code::products_difference,
                            v,
                            {l[0], l[1], r[0], r[1]},
                            4});
          continue;
        }
        if (left) {
          const auto& l = operand_[in[0]];
          steps_.push_back(
              {sum ? Code::multiply_add : Code::multiply_subtract, v, {l[0], l[1], in[1], 0}, 3});
          continue;
        }
        if (right) {
          const auto& r = operand_[in[1]];
          steps_.push_back(
              {sum ? Code::multiply_add : Code::subtract_product, v, {r[0], r[1], in[0], 0}, 3});
          continue;
        }
      }
      steps_.push_back({code(o), v, {in[0], in[1], in[2], 0}, arity(o)});
    }
  }

  void assign_registers() {
    constexpr std::uint32_t forever = nowhere;
    const std::uint32_t first_reused = out_.registers;
    std::vector<std::uint32_t> last(terms_.size(), 0);
    for (std::uint32_t k = 0; k < steps_.size(); ++k) {
      for (int i = 0; i < steps_[k].operands; ++i) last[steps_[k].operand[i]] = k;
    }
    for (const Term t : outputs_) last[value(t)] = forever;

    std::vector<std::uint32_t> free;
    out_.instructions.reserve(steps_.size() + 1);
    for (std::uint32_t k = 0; k < steps_.size(); ++k) {
      const Step& s = steps_[k];
      std::uint32_t at[4] = {};
      for (int i = 0; i < s.operands; ++i) {
        at[i] = register_[s.operand[i]];
        require(at[i] != nowhere);
      }
      for (int i = 0; i < s.operands; ++i) {
        if (last[s.operand[i]] != k || at[i] < first_reused) continue;
        last[s.operand[i]] = forever;  // once, also where it is used twice here
        free.push_back(at[i]);
      }
      if (free.empty()) free.push_back(out_.registers++);
      register_[s.value] = free.back();
      free.pop_back();
      out_.instructions.push_back({s.code, bytes(register_[s.value]), bytes(at[0]), bytes(at[1]),
                                   bytes(at[2]), bytes(at[3])});
    }
    out_.instructions.push_back({});
    for (const Term t : outputs_) out_.outputs.push_back(bytes(register_[value(t)]));
  }

  static std::uint32_t bytes(std::uint32_t index) {
    require(index < nowhere / sizeof(double));
    return index * static_cast<std::uint32_t>(sizeof(double));
  }

  const Graph& graph_;
  std::span<const Term> terms_, outputs_;
  Bytecode out_;
  std::vector<std::array<std::uint32_t, 3>> operand_;
  std::vector<std::uint32_t> register_, uses_;
  std::vector<bool> fused_;
  std::vector<Step> steps_;
};

}  // namespace

Bytecode compiled(const Graph& graph, std::span<const Term> terms, std::span<const Term> outputs) {
  return Compiler(graph, terms, outputs).result();
}

}  // namespace vernier::expression::detail
