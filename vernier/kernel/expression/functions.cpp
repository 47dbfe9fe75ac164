#include "vernier/kernel/expression/detail/functions.hpp"

#include <algorithm>

namespace vernier::expression {
namespace detail {
namespace {

constexpr int many = 64;

constexpr Function table[] = {
    {"sin", Operation::sin, 1, 1, UnitRule::none_to_none},
    {"cos", Operation::cos, 1, 1, UnitRule::none_to_none},
    {"tan", Operation::tan, 1, 1, UnitRule::none_to_none},
    {"asin", Operation::asin, 1, 1, UnitRule::none_to_none},
    {"acos", Operation::acos, 1, 1, UnitRule::none_to_none},
    {"atan", Operation::atan, 1, 1, UnitRule::none_to_none},
    {"atan2", Operation::atan2, 2, 2, UnitRule::same_to_none},
    {"sinh", Operation::sinh, 1, 1, UnitRule::none_to_none},
    {"cosh", Operation::cosh, 1, 1, UnitRule::none_to_none},
    {"tanh", Operation::tanh, 1, 1, UnitRule::none_to_none},
    {"exp", Operation::exp, 1, 1, UnitRule::none_to_none},
    {"log", Operation::log, 1, 1, UnitRule::none_to_none},
    {"log10", Operation::log10, 1, 1, UnitRule::none_to_none},
    {"sqrt", Operation::sqrt, 1, 1, UnitRule::root},
    {"abs", Operation::abs, 1, 1, UnitRule::same_to_same},
    {"sign", Operation::sign, 1, 1, UnitRule::any_to_none},
    {"floor", Operation::floor, 1, 1, UnitRule::same_to_same},
    {"ceil", Operation::ceil, 1, 1, UnitRule::same_to_same},
    {"min", Operation::minimum, 2, many, UnitRule::same_to_same},
    {"max", Operation::maximum, 2, many, UnitRule::same_to_same},
    {"pow", Operation::power, 2, 2, UnitRule::raised},
    {"hypot", Operation::hypot, 2, 2, UnitRule::same_to_same},
    {"clamp", Operation::maximum, 3, 3, UnitRule::same_to_same},
    {"if", Operation::select, 3, 3, UnitRule::same_to_same},
};

}  // namespace

std::span<const Function> functions() noexcept { return table; }

const Function* find_function(std::string_view name) noexcept {
  const auto* found = std::find_if(std::begin(table), std::end(table),
                                   [&](const Function& f) { return f.name == name; });
  return found == std::end(table) ? nullptr : found;
}

}  // namespace detail

std::vector<std::string> function_names() {
  std::vector<std::string> names;
  for (const auto& f : detail::functions()) names.emplace_back(f.name);
  return names;
}

}  // namespace vernier::expression
