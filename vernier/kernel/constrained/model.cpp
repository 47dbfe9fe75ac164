#include "vernier/kernel/constrained/model.hpp"

#include <utility>

namespace vernier::constrained {
namespace {

template <class T>
int appended(std::vector<T>& to, T what) {
  to.push_back(std::move(what));
  return static_cast<int>(to.size()) - 1;
}

class Constant final : public Drive {
 public:
  explicit Constant(double value) : value_(value) {}
  DriveState at(double) const noexcept override { return {value_, 0.0, 0.0}; }

 private:
  double value_;
};

}  // namespace

int Model::add(Node n) { return appended(nodes, std::move(n)); }
int Model::add(Body b) { return appended(bodies, std::move(b)); }
int Model::add(ScalarNode s) { return appended(scalars, std::move(s)); }
int Model::add(DriveSlot d) { return appended(drives, std::move(d)); }
int Model::add(std::string element_name, std::string kind, std::shared_ptr<const Element> e) {
  return appended(elements, NamedElement{std::move(element_name), std::move(e), std::move(kind)});
}
int Model::constant(double value) { return add(DriveSlot{{}, std::make_shared<Constant>(value)}); }

int equations(const Model& model) {
  int n = static_cast<int>(model.scalars.size());
  for (const Node& node : model.nodes) n += node.dynamic ? 12 : 6;
  for (const NamedElement& e : model.elements) {
    const Shape& s = e.element->shape();
    n += 2 * s.coordinates + s.differential + s.algebraic;
  }
  return n;
}

}  // namespace vernier::constrained
