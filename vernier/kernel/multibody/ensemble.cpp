#include "vernier/kernel/multibody/ensemble.hpp"

#include <algorithm>

#include "vernier/base/require.hpp"
#include "vernier/kernel/multibody/detail/data.hpp"

namespace vernier::multibody {

/// A star has its own code; other trees run the sweeps of one state with vectors instead of
/// numbers.
struct Ensemble::Data {
  explicit Data(const Tree& t) : tree(t.data()), code(tree.code) {
    if (tree.star) {
      star = std::make_unique<detail::Star>(tree.model, tree.instructions, tree.arithmetic,
                                            detail::Star::In::states);
      memory = star->memory(star->code().scratch(star->plan(), t.coordinates(), t.speeds()));
    } else {
      scratch = detail::AlignedNumbers(code->scratch_bytes(tree.view) / sizeof(double));
      regular.resize(t.speeds());
    }
  }
  const Tree::Data& tree;
  const detail::TreeCode* code;
  std::unique_ptr<detail::Star> star;
  detail::StarMemory memory;
  detail::AlignedNumbers scratch;
  std::vector<double> regular;
};

Ensemble::Ensemble(const Tree& tree) : data_(std::make_unique<Data>(tree)) {}
Ensemble::~Ensemble() = default;
Ensemble::Ensemble(Ensemble&&) noexcept = default;
Ensemble& Ensemble::operator=(Ensemble&&) noexcept = default;

std::size_t Ensemble::lanes() const noexcept {
  return static_cast<std::size_t>(data_->code->lanes);
}
const char* Ensemble::instructions() const noexcept {
  return vernier::name(data_->tree.instructions);
}

std::size_t Ensemble::accelerate(std::size_t count, std::span<const double> q,
                                 std::span<const double> u, std::span<const double> force,
                                 std::span<const double> acceleration,
                                 std::span<const std::uint8_t> prescribed,
                                 std::span<double> udot) noexcept {
  Data& d = *data_;
  const auto coordinates = static_cast<std::size_t>(d.tree.view.coordinates),
             speeds = static_cast<std::size_t>(d.tree.view.speeds);
  const auto fits = [&](auto span) { return span.empty() || span.size() == speeds * count; };
  require(q.size() == coordinates * count && u.size() == speeds * count &&
          udot.size() == speeds * count && fits(force) && fits(acceleration) &&
          (prescribed.empty() || prescribed.size() == speeds));
  const auto pointer = [](auto span) { return span.empty() ? nullptr : span.data(); };
  if (d.star) {
    return d.star->code().states(d.star->plan(), d.memory.numbers.get(),
                                 {count, q.data(), u.data(), pointer(force), pointer(acceleration),
                                  pointer(prescribed), udot.data(), coordinates, speeds});
  }
  bool any = false;
  for (std::size_t k = 0; k < prescribed.size(); ++k) {
    d.regular[k] = prescribed[k] != 0 ? 0.0 : 1.0;
    any = any || prescribed[k] != 0;
  }
  const Vector3& g = d.tree.model.gravity;
  return d.code->states(d.tree.view, d.tree.layout.masses.data(), d.scratch.get(),
                        {count,
                         q.data(),
                         u.data(),
                         pointer(force),
                         pointer(acceleration),
                         any ? d.regular.data() : nullptr,
                         {g[0], g[1], g[2]},
                         udot.data()});
}

}  // namespace vernier::multibody
