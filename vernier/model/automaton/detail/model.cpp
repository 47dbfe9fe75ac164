#include "vernier/model/automaton/detail/model.hpp"

#include <algorithm>
#include <utility>

#include "vernier/base/text.hpp"

namespace vernier::automaton::detail {

const std::vector<Variable>& Model::variables(Role r) const noexcept {
  switch (r) {
    case Role::constant:
      return constants;
    case Role::input:
      return inputs;
    case Role::state:
      return states;
    default:
      return outputs;
  }
}

const Variable& Model::variable(Role role, std::size_t index) const noexcept {
  const std::vector<Variable>& all = variables(role);
  // The last variable that begins at or before the index.
  return *(std::upper_bound(all.begin(), all.end(), index,
                            [](std::size_t i, const Variable& x) { return i < x.first; }) -
           1);
}

std::string Model::element_name(Role role, std::size_t index) const {
  const Variable& v = variable(role, index);
  return detail::element_name(v, index - v.first);
}

std::string element_name(const Variable& v, std::size_t k) {
  if (v.shape.scalar()) return v.name;
  if (v.shape.vector()) return v.name + "[" + std::to_string(k) + "]";
  return v.name + "[" + std::to_string(k / v.shape.columns) + "," +
         std::to_string(k % v.shape.columns) + "]";
}

std::string_view Model::role_name(Role r) noexcept {
  constexpr std::string_view names[] = {"constant", "input", "state", "output"};
  return names[static_cast<int>(r)];
}

}  // namespace vernier::automaton::detail
