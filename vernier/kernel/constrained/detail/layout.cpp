#include <algorithm>
#include <cmath>
#include <utility>

#include "vernier/base/require.hpp"
#include "vernier/kernel/constrained/detail/scratch.hpp"

namespace vernier::constrained::detail {

namespace {

/// Steiner's theorem: the inertia about the node, J - m skew(b)².
spatial::Sym3<double> about_node(const Body& body) {
  const Vector3& b = body.centre;
  const double m = body.mass, bb = dot(b, b);
  const auto& J = body.inertia;
  return {J.xx + m * (bb - b.x * b.x), J.yy + m * (bb - b.y * b.y), J.zz + m * (bb - b.z * b.z),
          J.xy - m * b.x * b.y,        J.xz - m * b.x * b.z,        J.yz - m * b.y * b.z};
}

}  // namespace

MechanismLayout::MechanismLayout(Model m, const Settings& s) : model(std::move(m)), settings(s) {
  node_count = static_cast<int>(model.nodes.size());
  scalar_count = static_cast<int>(model.scalars.size());
  number();
  no_turns.assign(node_count + 1, spatial::identity3<double>());
  scales.row.assign(size, 1.0);
  scales.column.assign(size, 1.0);
  find_entries();
}

void MechanismLayout::number() {
  nodes.resize(node_count);
  for (const Body& b : model.bodies) {
    NodePlan& n = nodes[b.node];
    n.mass += b.mass;
    n.moment += b.centre * b.mass;
    n.inertia += about_node(b);
    n.dynamic = true;
  }
  for (NodePlan& n : nodes) n.coupled = dot(n.moment, n.moment) > 0.0;

  size = 6 * node_count + scalar_count;
  for (int i = 0; i < scalar_count; ++i) value_columns.push_back(6 * node_count + i);
  kinds.assign(size, RowKind::other);
  for (int i = 0; i < 6 * node_count; ++i) {
    kinds[i] = i % 6 < 3 ? RowKind::force : RowKind::moment;
  }
  for (const NamedElement& named : model.elements) {
    elements.push_back(plan_of(*named.element));
    elements.back().memory = memory_count;
    memory_count += named.element->shape().memory;
  }
  // Map local to global rows; rows of the ground go to an extra row that is never read.
  for (ElementPlan& plan : elements) {
    plan.rows = static_cast<int>(rows.size());
    const Shape& shape = plan.element->shape();
    for (int node : shape.nodes) {
      for (int i = 0; i < 6; ++i) rows.push_back(node == ground ? size : 6 * node + i);
    }
    for (int s : shape.scalars) rows.push_back(6 * node_count + s);
    for (int i = 0; i < plan.own_count + plan.algebraic_count; ++i)
      rows.push_back(plan.own_row + i);
  }
  value_of.assign(size, -1);
  algebraic_of.assign(size, -1);
  for (std::size_t i = 0; i < value_columns.size(); ++i) {
    value_of[value_columns[i]] = static_cast<int>(i);
  }
  for (std::size_t i = 0; i < algebraic_columns.size(); ++i) {
    algebraic_of[algebraic_columns[i]] = static_cast<int>(i);
  }
  int inputs = 0;
  for (const DriveSlot& d : model.drives) {
    input_of_drive.push_back(d.function ? -1 : inputs++);
    if (d.function) {
      const std::vector<double> at = d.function->corners();
      corners.insert(corners.end(), at.begin(), at.end());
    }
  }
  std::sort(corners.begin(), corners.end());
}

/// Plans the next element: its unknowns follow those so far.
ElementPlan MechanismLayout::plan_of(const Element& element) {
  const Shape& shape = element.shape();
  ElementPlan plan;
  plan.element = &element;
  plan.size = shape.size();
  plan.node_count = static_cast<int>(shape.nodes.size());
  plan.coordinates = shape.coordinates;
  plan.differential = shape.differential;
  plan.algebraic_count = shape.algebraic;
  plan.holonomic = shape.holonomic;
  plan.own_count = shape.coordinates + shape.differential;
  plan.inertial = shape.inertial;
  plan.held = shape.held;
  plan.own_row = size;
  plan.first_coordinate = coordinate_count;
  plan.values = static_cast<int>(value_columns.size());
  plan.algebraic = static_cast<int>(algebraic_columns.size());
  const auto place = [&](const std::vector<int>& from) {
    const int at = static_cast<int>(indices.size());
    indices.insert(indices.end(), from.begin(), from.end());
    return at;
  };
  plan.nodes = place(shape.nodes);
  for (int i = 0; i < plan.node_count; ++i) {
    int& node = indices[plan.nodes + i];
    if (node == ground) node = node_count;
    if (plan.inertial && node < node_count) nodes[node].coupled = true;
  }
  plan.scalars = place(shape.scalars);
  plan.drives = place(shape.drives);
  for (int i = 0; i < plan.own_count; ++i) {
    if (i < shape.coordinates) {
      coordinate_values.push_back(plan.values + i);
      ++coordinate_count;
    }
    value_columns.push_back(size++);
    kinds.push_back(i < shape.coordinates ? RowKind::coordinate : RowKind::other);
  }
  for (int i = 0; i < shape.algebraic; ++i) {
    algebraic_columns.push_back(size++);
    kinds.push_back(i < shape.holonomic ? RowKind::constraint : RowKind::other);
  }
  const int number_of = static_cast<int>(elements.size());
  if (plan.inertial) inertial.push_back(number_of);
  if (plan.held) held.push_back(number_of);
  return plan;
}

Level MechanismLayout::level() const {
  const std::size_t momenta = 6 * node_count + coordinate_count;
  Level l;
  l.nodes.assign(node_count + 1, {Vector3{}, spatial::identity3<double>(), Vector3{}, Vector3{}});
  l.momenta.assign(momenta, 0.0);
  l.momentum_rates.assign(momenta, 0.0);
  l.values.assign(value_columns.size(), 0.0);
  l.rates.assign(value_columns.size(), 0.0);
  l.algebraic.assign(algebraic_columns.size(), 0.0);
  return l;
}

State MechanismLayout::blank() const {
  std::vector<double> inputs;
  for (const DriveSlot& d : model.drives) {
    if (!d.function) inputs.push_back(d.initial);
  }
  return {level(), std::move(inputs), model.drives.size(), static_cast<std::size_t>(memory_count)};
}

Scratch::Scratch(const MechanismLayout& plan)
    : of(&plan),
      next(plan.level()),
      stages{next, next},
      before(plan.blank()),
      nodes(plan.node_count),
      turns(plan.no_turns),
      momentum_history(next.momenta.size(), 0.0),
      value_history(next.values.size(), 0.0),
      drives(plan.model.drives.size()),
      drive_values(drives.size(), 0.0),
      rhs(plan.size + 1, 0.0),
      residual(rhs),
      accelerations(plan.node_count) {
  int largest = 0, most_nodes = 0;
  for (const ElementPlan& p : plan.elements) {
    largest = std::max(largest, p.size);
    most_nodes = std::max(most_nodes, p.node_count);
  }
  local_residual.assign(largest, 0.0);
  local_jacobian.assign(static_cast<std::size_t>(largest) * largest, 0.0);
  held.middle = next.nodes;
  held.middle_values.assign(next.values.size(), 0.0);
  held.rates.assign(next.momenta.size(), 0.0);
  held.reactions.assign(next.algebraic.size(), 0.0);
  held.wrenches.resize(most_nodes);
  held.answer.assign(plan.size + 1, 0.0);
  held.algebraic.assign(largest, 0.0);
  scales.row.assign(plan.size + 1, 0.0);
  scales.column.assign(plan.size + 1, 0.0);
  scales.factor.assign(plan.tables.factor_row.size(), 0.0);
  if (plan.elimination) linear.emplace(*plan.elimination);
}

namespace {

/// An entry of the matrix and the element or node that adds to it.
struct Use {
  int row, column, element, local;  // element -1 - i: block of node i, `local` indexes its slots
};

void add_uses_of_nodes(const std::vector<NodePlan>& nodes, std::vector<Use>& uses) {
  for (int i = 0; i < static_cast<int>(nodes.size()); ++i) {
    const int r = 6 * i;
    for (int k = 0; k < 3; ++k) uses.push_back({r + k, r + k, -1 - i, k});
    for (int k = 0; k < 9; ++k) uses.push_back({r + 3 + k / 3, r + 3 + k % 3, -1 - i, 3 + k});
    if (!nodes[i].coupled) continue;
    for (int k = 0; k < 9; ++k) uses.push_back({r + k / 3, r + 3 + k % 3, -1 - i, 12 + k});
    for (int k = 0; k < 9; ++k) {
      if (k % 4 != 0) uses.push_back({r + 3 + k / 3, r + k % 3, -1 - i, 21 + k});
    }
  }
}

/// `rows` maps local to global; rows from `size` on are unused.
void add_uses_of_element(int e, const ElementPlan& plan, const int* rows, int size,
                         std::vector<Use>& uses) {
  std::vector<unsigned char> there = plan.element->shape().pattern;
  const int n = plan.size;
  if (there.empty()) there.assign(static_cast<std::size_t>(n) * n, 1);
  require(static_cast<int>(there.size()) == n * n);
  // γ' + v × β: entries in the rows of β also appear in those of γ.
  for (int i = 0; plan.inertial && i < plan.node_count; ++i) {
    for (int j = 0; j < n; ++j) {
      const int r = 6 * i;
      const bool any = there[r * n + j] || there[(r + 1) * n + j] || there[(r + 2) * n + j];
      for (int k = 3; any && k < 6; ++k) there[(r + k) * n + j] = 1;
    }
  }
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      if (there[i * n + j] && rows[i] < size && rows[j] < size) {
        uses.push_back({rows[i], rows[j], e, i * n + j});
      }
    }
  }
}

}  // namespace

void MechanismLayout::find_entries() {
  std::vector<Use> uses;
  add_uses_of_nodes(nodes, uses);
  for (std::size_t e = 0; e < elements.size(); ++e) {
    add_uses_of_element(static_cast<int>(e), elements[e], rows.data() + elements[e].rows, size,
                        uses);
  }
  // Each position once.
  std::vector<std::pair<int, int>> places;
  places.reserve(uses.size());
  for (const Use& u : uses) places.emplace_back(u.row, u.column);
  std::sort(places.begin(), places.end());
  places.erase(std::unique(places.begin(), places.end()), places.end());
  entries.pattern.size = size;
  for (const auto& [row, column] : places) entries.pattern.entries.push_back({row, column});

  entries.node_places.assign(30 * nodes.size(), -1);
  int element = -1;
  for (const Use& u : uses) {
    const auto at = std::lower_bound(places.begin(), places.end(), std::pair(u.row, u.column));
    const int place = static_cast<int>(at - places.begin());
    if (u.element < 0) {
      entries.node_places[30 * (-1 - u.element) + u.local] = place;
      continue;
    }
    for (; element < u.element;) {
      if (element >= 0) elements[element].last_entry = static_cast<int>(entries.local.size());
      elements[++element].first_entry = static_cast<int>(entries.local.size());
    }
    entries.local.push_back(u.local);
    entries.place.push_back(place);
    entries.row.push_back(u.row);
    entries.column.push_back(u.column);
  }
  for (; element < static_cast<int>(elements.size());) {
    if (element >= 0) elements[element].last_entry = static_cast<int>(entries.local.size());
    if (++element < static_cast<int>(elements.size())) {
      elements[element].first_entry = static_cast<int>(entries.local.size());
    }
  }
}

std::string MechanismLayout::row_name(int row) const {
  if (row < 0 || row >= size) return "no row";
  if (row < 6 * node_count) {
    static constexpr const char* axes[] = {"x", "y", "z"};
    const bool force = row % 6 < 3;
    return std::string(force ? "force" : "moment") + " equilibrium of node '" +
           model.nodes[row / 6].name + "' " + (force ? "along " : "about ") + axes[row % 3];
  }
  if (row < 6 * node_count + scalar_count) {
    return "balance of scalar node '" + model.scalars[row - 6 * node_count].name + "'";
  }
  for (std::size_t e = 0; e < elements.size(); ++e) {
    const ElementPlan& plan = elements[e];
    const int i = row - plan.own_row;
    if (i < 0 || i >= plan.own_count + plan.algebraic_count) continue;
    const std::string of = " of " + model.elements[e].kind + " '" + model.elements[e].name + "'";
    if (i < plan.coordinates) return "coordinate " + std::to_string(i + 1) + of;
    if (i < plan.own_count) return "state " + std::to_string(i - plan.coordinates + 1) + of;
    const int k = i - plan.own_count;
    if (k < plan.holonomic) return "constraint " + std::to_string(k + 1) + of;
    return "equation " + std::to_string(k + 1) + of;
  }
  return "no row";
}

}  // namespace vernier::constrained::detail
