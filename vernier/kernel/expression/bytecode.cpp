#include "vernier/kernel/expression/detail/bytecode.hpp"

#include <algorithm>
#include <limits>

#include "vernier/base/require.hpp"
#include "vernier/kernel/expression/detail/values.hpp"

namespace vernier::expression::detail {
namespace {

constexpr std::uint32_t nowhere = std::numeric_limits<std::uint32_t>::max();

// From terms to register bytecode, in five passes. Values come with operands first, so one scan in
// order of number sees every operand before its use.
class Compiler {
 public:
  Compiler(const Values& values, std::span<const Term> outputs)
      : values_(values), outputs_(outputs) {}

  Bytecode result() {
    place_inputs_and_constants();
    count_uses();
    choose_fused();
    write_instructions();
    assign_registers();
    return std::move(out_);
  }

 private:
  // An instruction whose operands are still values; registers are assigned last.
  struct Step {
    Code code;
    std::uint32_t value;
    std::uint32_t operand[4];
    int operands;
  };

  const Node& node(std::uint32_t value) const { return values_.node(value); }

  // Inputs get registers in the order of their symbols, so that neighbouring symbols are copied as
  // one block.
  void place_inputs_and_constants() {
    register_.assign(values_.size(), nowhere);
    std::vector<std::pair<std::uint32_t, std::uint32_t>> inputs;  // symbol, value
    for (std::uint32_t v = 0; v < values_.size(); ++v) {
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
    for (std::uint32_t v = 0; v < values_.size(); ++v) {
      if (node(v).operation != Operation::constant) continue;
      register_[v] = out_.registers++;
      out_.constants.push_back(node(v).value);
    }
  }

  void count_uses() {
    uses_.assign(values_.size(), 0);
    for (std::uint32_t v = 0; v < values_.size(); ++v) {
      for (int i = 0; i < arity(node(v).operation); ++i) ++uses_[values_.operands(v)[i]];
    }
    each_output([&](std::uint32_t v, std::uint32_t) { ++uses_[v]; });
  }

  // A product with a single use, in a sum or difference, is computed by the instruction of that
  // sum. Both roundings remain: this saves the dispatch of an instruction, not a rounding.
  void choose_fused() {
    fused_.assign(values_.size(), false);
    for (std::uint32_t v = 0; v < values_.size(); ++v) {
      const Operation o = node(v).operation;
      if (o != Operation::add && o != Operation::subtract) continue;
      for (int i = 0; i < 2; ++i) {
        const std::uint32_t p = values_.operands(v)[i];
        if (node(p).operation == Operation::multiply && uses_[p] == 1) fused_[p] = true;
      }
    }
  }

  void write_instructions() {
    for (std::uint32_t v = 0; v < values_.size(); ++v) {
      if (register_[v] != nowhere || fused_[v]) continue;
      const Operation o = node(v).operation;
      const auto& in = values_.operands(v);
      if (o == Operation::add || o == Operation::subtract) {
        const bool sum = o == Operation::add;
        const bool left = fused_[in[0]], right = fused_[in[1]];
        if (left && right) {
          const auto &l = values_.operands(in[0]), &r = values_.operands(in[1]);
          steps_.push_back({sum ? Code::products_sum : Code::products_difference,
                            v,
                            {l[0], l[1], r[0], r[1]},
                            4});
          continue;
        }
        if (left) {
          const auto& l = values_.operands(in[0]);
          steps_.push_back(
              {sum ? Code::multiply_add : Code::multiply_subtract, v, {l[0], l[1], in[1], 0}, 3});
          continue;
        }
        if (right) {
          const auto& r = values_.operands(in[1]);
          steps_.push_back(
              {sum ? Code::multiply_add : Code::subtract_product, v, {r[0], r[1], in[0], 0}, 3});
          continue;
        }
      }
      steps_.push_back({code(o), v, {in[0], in[1], in[2], 0}, arity(o)});
    }
  }

  // A linear scan: the step that reads a value last returns its register, and the result of the
  // same step may reuse it. Inputs, constants and outputs keep their registers.
  void assign_registers() {
    constexpr std::uint32_t forever = nowhere;
    const std::uint32_t first_reused = out_.registers;
    std::vector<std::uint32_t> last(values_.size(), 0);
    for (std::uint32_t k = 0; k < steps_.size(); ++k) {
      for (int i = 0; i < steps_[k].operands; ++i) last[steps_[k].operand[i]] = k;
    }
    each_output([&](std::uint32_t v, std::uint32_t) { last[v] = forever; });

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
        last[s.operand[i]] = forever;  // freed once, even if the step reads it twice
        free.push_back(at[i]);
      }
      if (free.empty()) free.push_back(out_.registers++);
      register_[s.value] = free.back();
      free.pop_back();
      out_.instructions.push_back({s.code, bytes(register_[s.value]), bytes(at[0]), bytes(at[1]),
                                   bytes(at[2]), bytes(at[3])});
    }
    out_.instructions.push_back({});
    each_output([&](std::uint32_t v, std::uint32_t output) {
      out_.outputs.push_back({output, bytes(register_[v])});
    });
  }

  /// Calls `use(value, index of the output)` for each output that is computed.
  template <class Use>
  void each_output(const Use& use) const {
    for (std::uint32_t i = 0; i < outputs_.size(); ++i)
      if (outputs_[i] != no_term) use(values_.number(outputs_[i]), i);
  }

  // The interpreter adds byte offsets to the start of the working memory, without scaling.
  static std::uint32_t bytes(std::uint32_t index) {
    require(index < nowhere / sizeof(double));
    return index * static_cast<std::uint32_t>(sizeof(double));
  }

  const Values& values_;
  std::span<const Term> outputs_;
  Bytecode out_;
  std::vector<std::uint32_t> register_, uses_;
  std::vector<bool> fused_;
  std::vector<Step> steps_;
};

}  // namespace

Bytecode compiled(const Values& values, std::span<const Term> outputs) {
  return Compiler(values, outputs).result();
}

}  // namespace vernier::expression::detail
