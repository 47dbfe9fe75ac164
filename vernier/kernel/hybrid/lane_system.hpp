#pragma once

#include <algorithm>
#include <array>

#include "vernier/kernel/hybrid/lane_code.hpp"
#include "vernier/kernel/hybrid/system.hpp"

namespace vernier::hybrid {

/// A system whose equations are those of a model M (lane_code.hpp): one source for single points,
/// lanes and exact derivatives.
template <class M>
class LaneSystem : public System {
 public:
  const SystemSpec& spec() const noexcept override { return spec_; }

  void flow(const Point& p, std::span<double> xdot, Workspace&) const noexcept override {
    M{data_}.flow(p.t, p.x.data(), p.mode.data(), p.u.data(), xdot.data());
  }
  void output(const Point& p, std::span<double> y, Workspace&) const noexcept override {
    M{data_}.output(p.t, p.x.data(), p.mode.data(), p.u.data(), y.data());
  }
  void guards(const Point& p, std::span<double> z, Workspace&) const noexcept override {
    M{data_}.guards(p.t, p.x.data(), p.mode.data(), p.u.data(), z.data());
  }
  void tangent(const Point& p, const Direction& d, const Tangent& wanted,
               Workspace&) const noexcept override {
    using S = Moving<double>;
    std::array<S, M::states + 1> x;
    std::array<S, M::inputs + 1> u;
    std::array<S, std::max({M::states, M::outputs, M::atoms}) + 1> r;
    for (std::size_t i = 0; i < p.x.size(); ++i) x[i] = {p.x[i], d.x.empty() ? 0.0 : d.x[i]};
    for (std::size_t i = 0; i < p.u.size(); ++i) u[i] = {p.u[i], d.u.empty() ? 0.0 : d.u[i]};
    const S t(p.t, d.t);
    const auto put = [&](std::span<double> to) {
      for (std::size_t i = 0; i < to.size(); ++i) to[i] = r[i].d;
    };
    if (!wanted.xdot.empty()) M{data_}.flow(t, x.data(), p.mode.data(), u.data(), r.data());
    put(wanted.xdot);
    if (!wanted.y.empty()) M{data_}.output(t, x.data(), p.mode.data(), u.data(), r.data());
    put(wanted.y);
    if (!wanted.z.empty()) M{data_}.guards(t, x.data(), p.mode.data(), u.data(), r.data());
    put(wanted.z);
  }

  void tangents(const Point& p, const Directions& d, const Tangents& w,
                Workspace&) const noexcept override {
    table_.tangent(data_, true, &p.t, p.x.data(), p.mode.data(), p.u.data(), {d.t, d.x, d.u},
                   {w.xdot, w.y, w.z});
  }
  void flow_lanes(const Points& p, double* xdot, Workspace&) const noexcept override {
    table_.flow(data_, p.t, p.x, p.mode.data(), p.u, xdot);
  }
  void output_lanes(const Points& p, double* y, Workspace&) const noexcept override {
    table_.output(data_, p.t, p.x, p.mode.data(), p.u, y);
  }
  void guards_lanes(const Points& p, double* z, Workspace&) const noexcept override {
    table_.guards(data_, p.t, p.x, p.mode.data(), p.u, z);
  }
  void tangent_lanes(const Points& p, const Directions& d, const Tangents& w,
                     Workspace&) const noexcept override {
    table_.tangent(data_, false, p.t, p.x, p.mode.data(), p.u, {d.t, d.x, d.u}, {w.xdot, w.y, w.z});
  }

 protected:
  explicit LaneSystem(const LaneTable<typename M::Data>& table) : table_(table) {}

  typename M::Data data_;
  SystemSpec spec_;

 private:
  const LaneTable<typename M::Data>& table_;
};

}  // namespace vernier::hybrid
