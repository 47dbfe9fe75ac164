#pragma once

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "vernier/kernel/hybrid/lane_code.hpp"
#include "vernier/kernel/hybrid/system.hpp"

namespace vernier::hybrid {

/// A system whose equations are those of a model M (lane_code.hpp): one source for single points,
/// lanes and exact derivatives.
template <class M>
class LaneSystem : public System {
 public:
  const SystemSpec& spec() const noexcept override { return spec_; }

  /// Makes a parameter adjustable, before the system is used; false if there is none of this name.
  bool adjust(std::string_view name) {
    const auto found = std::find_if(offers_.begin(), offers_.end(),
                                    [&](const Offer& o) { return o.name == name; });
    if (found == offers_.end()) return false;
    auto& given = data_.given;
    const double* first = given.value + found->first;
    spec_.parameters.push_back({std::string(name),
                                found->unit,
                                {},
                                found->count,
                                std::vector<double>(first, first + found->count)});
    for (std::uint32_t i = 0; i < found->count; ++i)
      given.symbol[found->first + i] = ++given.adjustable;
    return true;
  }

  void flow(const Point& p, std::span<double> xdot, Workspace&) const noexcept override {
    with_numbers(p, [&](const auto& n) {
      M{data_}.flow(n, p.t, p.x.data(), p.mode.data(), p.u.data(), xdot.data());
    });
  }
  void output(const Point& p, std::span<double> y, Workspace&) const noexcept override {
    with_numbers(p, [&](const auto& n) {
      M{data_}.output(n, p.t, p.x.data(), p.mode.data(), p.u.data(), p.outputs, y.data());
    });
  }
  void guards(const Point& p, std::span<double> z, Workspace&) const noexcept override {
    with_numbers(p, [&](const auto& n) {
      M{data_}.guards(n, p.t, p.x.data(), p.mode.data(), p.u.data(), z.data());
    });
  }
  void tangent(const Point& p, const Direction& d, const Tangent& wanted,
               Workspace&) const noexcept override {
    using Out = Results<double, 1>;
    const M m{data_};
    const Moving<double> t(p.t, d.t);
    const auto moving = [](std::span<const double> from, std::span<const double> along) {
      return MovingElements<double>{{from.data(), nullptr, 0, true},
                                    {along.empty() ? nullptr : along.data(), nullptr, 0, true}};
    };
    const auto x = moving(p.x, d.x), u = moving(p.u, d.u), parameters = moving(p.p, d.p);
    const int* mode = p.mode.data();
    const auto follow = [&](const auto& n) {
      if (!wanted.xdot.empty()) m.flow(n, t, x, mode, u, Out{wanted.xdot.data()});
      if (!wanted.y.empty()) m.output(n, t, x, mode, u, p.outputs, Out{wanted.y.data()});
      if (!wanted.z.empty()) m.guards(n, t, x, mode, u, Out{wanted.z.data()});
    };
    if (data_.given.adjustable == 0) return follow(data_.numbers);
    std::array<Moving<double>, M::parameters + 1> ps;
    given([&](int i) { return parameters[i]; }, ps);
    follow(M::numbers(data_, ps.data()));
  }

  void tangents(const Point& p, const Directions& d, const Tangents& w,
                Workspace&) const noexcept override {
    table_.tangent(data_, true, {&p.t, p.x.data(), p.mode.data(), p.u.data(), nullptr, p.p.data()},
                   {d.t, d.x, d.u, d.p}, {w.xdot, w.y, w.z, p.outputs});
  }
  void flow_lanes(const Points& p, double* xdot, Workspace&) const noexcept override {
    table_.flow(data_, place(p), p.blocks, xdot);
  }
  void output_lanes(const Points& p, double* y, Workspace&) const noexcept override {
    table_.output(data_, place(p), p.blocks, p.outputs, y);
  }
  void guards_lanes(const Points& p, double* z, Workspace&) const noexcept override {
    table_.guards(data_, place(p), p.blocks, z);
  }
  void tangent_lanes(const Points& p, const Directions& d, const Tangents& w,
                     Workspace&) const noexcept override {
    table_.tangent(data_, false, place(p), {d.t, d.x, d.u, d.p}, {w.xdot, w.y, w.z, p.outputs});
  }

 protected:
  using Table = LaneTable<typename M::Data>;
  explicit LaneSystem(const Table& table) : table_(table) {}

  /// Elements of data_.given that adjust() may make adjustable under a name.
  struct Offer {
    std::string name, unit;
    std::uint32_t first = 0, count = 1;
  };
  /// Call this when data_.given is complete.
  void finish(std::vector<Offer> offers) {
    offers_ = std::move(offers);
    data_.numbers = M::numbers(data_, data_.given.value);
  }
  /// Calls `use` with the numbers of the model at a point.
  template <class Use>
  auto with_numbers(const Point& p, const Use& use) const noexcept {
    if (data_.given.adjustable == 0) return use(data_.numbers);
    std::array<double, M::parameters + 1> ps;
    given([&](int i) { return p.p[static_cast<std::size_t>(i)]; }, ps);
    return use(M::numbers(data_, ps.data()));
  }

  typename M::Data data_;
  SystemSpec spec_;

 private:
  static LanePlace place(const Points& p) noexcept {
    return {p.t, p.x, p.mode.data(), p.u, p.u_at, p.p};
  }
  template <class N, std::size_t size, class At>
  void given(const At& element, std::array<N, size>& to) const noexcept {
    for (int i = 0; i < M::parameters; ++i)
      to[static_cast<std::size_t>(i)] =
          data_.given.kept(i) ? element(data_.given.symbol[i] - 1) : N(data_.given.value[i]);
  }

  const Table& table_;
  std::vector<Offer> offers_;
};

}  // namespace vernier::hybrid
