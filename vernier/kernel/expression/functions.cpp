#include "vernier/kernel/expression/detail/functions.hpp"

#include <algorithm>

namespace vernier::expression {
namespace detail {
namespace {

constexpr int many = 64;

// Name, operation, least and most arguments, rule for units.
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

constexpr VectorFunction vector_table[] = {
    {"cross", VectorKind::cross, 2, 2},     {"dot", VectorKind::dot, 2, 2},
    {"norm", VectorKind::norm, 1, 1},       {"unit", VectorKind::unit, 1, 1},
    {"sum", VectorKind::sum, 1, 1},         {"transpose", VectorKind::transpose, 1, 1},
    {"inverse", VectorKind::inverse, 1, 1}, {"diag", VectorKind::diag, 1, 1},
    {"skew", VectorKind::skew, 1, 1},       {"identity", VectorKind::identity, 1, 1},
    {"zeros", VectorKind::zeros, 1, 2},     {"ones", VectorKind::ones, 1, 2},
    {"rotate", VectorKind::rotate, 2, 2},   {"dcm", VectorKind::dcm, 1, 1},
    {"qmul", VectorKind::qmul, 2, 2},       {"qinv", VectorKind::qinv, 1, 1},
    {"qrate", VectorKind::qrate, 2, 2},     {"table", VectorKind::table, 3, 3},
};

template <class F, std::size_t n>
const F* found(const F (&list)[n], std::string_view name) noexcept {
  const auto* f = std::find_if(std::begin(list), std::end(list),
                               [&](const F& one) { return one.name == name; });
  return f == std::end(list) ? nullptr : f;
}

}  // namespace

std::span<const Function> functions() noexcept { return table; }
std::span<const VectorFunction> vector_functions() noexcept { return vector_table; }

const Function* find_function(std::string_view name) noexcept { return found(table, name); }
const VectorFunction* find_vector_function(std::string_view name) noexcept {
  return found(vector_table, name);
}

}  // namespace detail

// Names of vector functions are not reserved, so documents may use them for variables.
std::vector<std::string> reserved_names() {
  std::vector<std::string> names;
  for (const auto& f : detail::functions()) names.emplace_back(f.name);
  return names;
}

std::vector<std::string> function_names() {
  std::vector<std::string> names = reserved_names();
  for (const auto& f : detail::vector_functions()) names.emplace_back(f.name);
  return names;
}

}  // namespace vernier::expression
