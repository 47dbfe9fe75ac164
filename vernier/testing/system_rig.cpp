#include "vernier/testing/system_rig.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "vernier/base/require.hpp"
#include "vernier/testing/allocations.hpp"

namespace vernier::testing {
namespace {

using hybrid::lanes;
using hybrid::Signal;

// Points near the rig's, a little further away in each lane, and directions of each.
struct Neighbours {
  std::vector<double> t, x, u, p, dt, dx, du, dp;

  Neighbours(const SystemRig& rig, const hybrid::Direction& along) : t(lanes), dt(lanes) {
    const auto spread = [](std::span<const double> at, std::span<const double> by,
                           std::vector<double>& points, std::vector<double>& moves) {
      for (std::size_t i = 0; i < at.size(); ++i)
        for (std::size_t l = 0; l < lanes; ++l) {
          points.push_back(at[i] + 1e-3 * static_cast<double>(l) * by[i]);
          moves.push_back(by[i] * (1.0 - 0.1 * static_cast<double>(l)));
        }
    };
    for (std::size_t l = 0; l < lanes; ++l) {
      t[l] = rig.t + 0.01 * static_cast<double>(l);
      dt[l] = along.t * (1.0 - 0.1 * static_cast<double>(l));
    }
    spread(rig.x, along.x, x, dx);
    spread(rig.u, along.u, u, du);
    spread(rig.p, along.p, p, dp);
  }

  static std::vector<double> lane(const std::vector<double>& all, std::size_t l) {
    std::vector<double> one;
    for (std::size_t i = l; i < all.size(); i += lanes) one.push_back(all[i]);
    return one;
  }
};

bool same_bits(const std::vector<double>& a, const std::vector<double>& b) {
  return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin(), [](double p, double q) {
           return std::bit_cast<std::uint64_t>(p) == std::bit_cast<std::uint64_t>(q) ||
                  (std::isnan(p) && std::isnan(q));
         });
}

/// Compares calls in lanes with the same calls for single points, to the bit.
void expect_lanes(SystemRig& rig, const hybrid::Direction& along) {
  const hybrid::System& system = rig.system();
  const hybrid::SystemSpec& spec = system.spec();
  const std::size_t n = rig.x.size(), p = hybrid::size(spec.outputs), g = spec.guards;
  const Neighbours at(rig, along);
  const hybrid::Points points{at.t.data(), at.x.data(), rig.mode, at.u.data(), at.p.data()};
  const hybrid::Directions moves{at.dt.data(), at.dx.data(), at.du.data(), at.dp.data()};
  std::vector<double> xdot(n * lanes), y(p * lanes), z(g * lanes), xd(n * lanes), yd(p * lanes),
      zd(g * lanes), xs(n * lanes), ys(p * lanes), zs(g * lanes);
  const long before = allocations();
  system.flow_lanes(points, xdot.data(), rig.workspace());
  system.output_lanes(points, y.data(), rig.workspace());
  system.guards_lanes(points, z.data(), rig.workspace());
  system.tangent_lanes(points, moves, {xd.data(), yd.data(), zd.data()}, rig.workspace());
  system.tangents(rig.point(), moves, {xs.data(), ys.data(), zs.data()}, rig.workspace());
  EXPECT_EQ(allocations(), before) << "a call in lanes allocates";
  std::vector<double> one_x(n), one_y(p), one_z(g), t_x(n), t_y(p), t_z(g);
  for (std::size_t l = 0; l < lanes; ++l) {
    const auto x = at.lane(at.x, l), u = at.lane(at.u, l), q = at.lane(at.p, l);
    const auto dx = at.lane(at.dx, l), du = at.lane(at.du, l), dp = at.lane(at.dp, l);
    const hybrid::Point one{at.t[l], x, rig.mode, u, q};
    const hybrid::Direction move{at.dt[l], dx, du, dp};
    system.flow(one, one_x, rig.workspace());
    system.output(one, one_y, rig.workspace());
    system.guards(one, one_z, rig.workspace());
    EXPECT_TRUE(same_bits(at.lane(xdot, l), one_x)) << "flow in lane " << l;
    EXPECT_TRUE(same_bits(at.lane(y, l), one_y)) << "output in lane " << l;
    EXPECT_TRUE(same_bits(at.lane(z, l), one_z)) << "guards in lane " << l;
    system.tangent(one, move, {t_x, t_y, t_z}, rig.workspace());
    EXPECT_TRUE(same_bits(at.lane(xd, l), t_x)) << "tangent of flow in lane " << l;
    EXPECT_TRUE(same_bits(at.lane(yd, l), t_y)) << "tangent of output in lane " << l;
    EXPECT_TRUE(same_bits(at.lane(zd, l), t_z)) << "tangent of guards in lane " << l;
    system.tangent(rig.point(), move, {t_x, t_y, t_z}, rig.workspace());
    EXPECT_TRUE(same_bits(at.lane(xs, l), t_x)) << "flow along direction " << l;
    EXPECT_TRUE(same_bits(at.lane(ys, l), t_y)) << "output along direction " << l;
    EXPECT_TRUE(same_bits(at.lane(zs, l), t_z)) << "guards along direction " << l;
  }
}

/// Compares several blocks in one call, with contiguous and separate inputs, with calls for one
/// block.
void expect_blocks(SystemRig& rig, const hybrid::Direction& along) {
  constexpr std::size_t blocks = 5;
  const hybrid::System& system = rig.system();
  const std::size_t n = rig.x.size(), m = rig.u.size(), q = rig.p.size();
  const std::size_t outputs = hybrid::size(system.spec().outputs);
  const Neighbours at(rig, along);
  const auto repeated = [](const std::vector<double>& points, const std::vector<double>& moves) {
    std::vector<double> all;
    for (std::size_t b = 0; b < blocks; ++b)
      for (std::size_t i = 0; i < points.size(); ++i)
        all.push_back(points[i] + 1e-4 * static_cast<double>(b) * moves[i]);
    return all;
  };
  const auto t = repeated(at.t, at.dt), x = repeated(at.x, at.dx), u = repeated(at.u, at.du),
             p = repeated(at.p, at.dp);
  std::vector<const double*> u_at;
  for (std::size_t i = 0; i < m * blocks; ++i) u_at.push_back(&u[i * lanes]);
  hybrid::Points together{t.data(), x.data(), rig.mode, u.data(), p.data()};
  together.blocks = {blocks, 1, n, m, q, n};
  hybrid::Points scattered = together;
  scattered.u = nullptr;
  scattered.u_at = u_at.data();
  const auto flow = [&](const hybrid::Points& points, double* to) {
    system.flow_lanes(points, to, rig.workspace());
  };
  const auto output = [&](hybrid::Points points, double* to) {
    points.blocks.result = outputs;
    system.output_lanes(points, to, rig.workspace());
  };
  const auto check = [&](const auto& call, std::size_t results, const char* what) {
    std::vector<double> found(results * lanes * blocks), expected(found.size());
    for (std::size_t b = 0; b < blocks; ++b)
      call(together.some_blocks(b), expected.data() + b * results * lanes);
    call(together, found.data());
    EXPECT_TRUE(same_bits(found, expected)) << what << " of several blocks";
    std::fill(found.begin(), found.end(), 0.0);
    call(scattered, found.data());
    EXPECT_TRUE(same_bits(found, expected)) << what << " of blocks with scattered inputs";
  };
  check(flow, n, "flow");
  check(output, outputs, "output");
}

/// Compares single requested output signals with all of them, to the bit.
void expect_some_outputs(SystemRig& rig, const hybrid::Direction& along) {
  const hybrid::System& system = rig.system();
  const std::vector<Signal>& signals = system.spec().outputs;
  const std::size_t p = hybrid::size(signals);
  const Neighbours at(rig, along);
  hybrid::Points points{at.t.data(), at.x.data(), rig.mode, at.u.data(), at.p.data()};
  const hybrid::Directions moves{at.dt.data(), at.dx.data(), at.du.data(), at.dp.data()};
  hybrid::Point one = rig.point();
  struct Outputs {
    std::vector<double> y, d, lane_y, lane_d, along_d;
  };
  const auto evaluated = [&](hybrid::OutputSet wanted) {
    Outputs o{std::vector<double>(p), std::vector<double>(p), std::vector<double>(p * lanes),
              std::vector<double>(p * lanes), std::vector<double>(p * lanes)};
    one.outputs = points.outputs = wanted;
    system.output(one, o.y, rig.workspace());
    system.tangent(one, along, {{}, o.d, {}}, rig.workspace());
    system.output_lanes(points, o.lane_y.data(), rig.workspace());
    system.tangent_lanes(points, moves, {nullptr, o.lane_d.data(), nullptr}, rig.workspace());
    system.tangents(one, moves, {nullptr, o.along_d.data(), nullptr}, rig.workspace());
    return o;
  };
  const Outputs all = evaluated(hybrid::all_outputs);
  std::size_t first = 0;
  for (std::size_t k = 0; k < signals.size(); first += signals[k++].count) {
    const Outputs some = evaluated(hybrid::output_bit(k));
    const auto same = [&](const std::vector<double>& a, const std::vector<double>& b,
                          std::size_t width) {
      const auto piece = [&](const std::vector<double>& v) {
        const double* begin = v.data() + first * width;
        return std::vector<double>(begin, begin + signals[k].count * width);
      };
      return same_bits(piece(a), piece(b));
    };
    EXPECT_TRUE(same(some.y, all.y, 1)) << signals[k].name << " wanted alone";
    EXPECT_TRUE(same(some.d, all.d, 1)) << "tangent of " << signals[k].name;
    EXPECT_TRUE(same(some.lane_y, all.lane_y, lanes)) << signals[k].name << " in lanes";
    EXPECT_TRUE(same(some.lane_d, all.lane_d, lanes)) << "tangent in lanes of " << signals[k].name;
    EXPECT_TRUE(same(some.along_d, all.along_d, lanes)) << "tangents of " << signals[k].name;
  }
}

/// Compares jacobian() with tangent() along each axis, and checks that nothing is outside
/// pattern().
void expect_jacobian(SystemRig& rig) {
  const hybrid::System& system = rig.system();
  const hybrid::SystemSpec& spec = system.spec();
  const std::size_t n = rig.x.size(), m = rig.u.size(), q = rig.p.size();
  const std::size_t p = hybrid::size(spec.outputs), rows = n + p + spec.guards;
  const hybrid::Pattern pattern = system.pattern();
  ASSERT_EQ(pattern.rows, rows);
  ASSERT_EQ(pattern.columns(), n + m + q);
  std::vector<double> values(pattern.row.size());
  const long before = allocations();
  system.jacobian(rig.point(), pattern, values, rig.workspace());
  EXPECT_EQ(allocations(), before) << "jacobian() allocates";
  std::vector<double> d(n + m + q), column(rows), found(rows);
  const std::span<double> r(column);
  for (std::size_t c = 0; c < n + m + q; ++c) {
    d[c] = 1.0;
    const std::span<const double> all(d);
    system.tangent(rig.point(), {0.0, all.first(n), all.subspan(n, m), all.last(q)},
                   {r.first(n), r.subspan(n, p), r.last(spec.guards)}, rig.workspace());
    d[c] = 0.0;
    std::fill(found.begin(), found.end(), 0.0);
    for (std::size_t i = pattern.start[c]; i < pattern.start[c + 1]; ++i)
      found[pattern.row[i]] = values[i];
    double largest = 0.0;
    for (const double v : column) largest = std::max(largest, std::fabs(v));
    for (std::size_t i = 0; i < rows; ++i)
      EXPECT_NEAR(found[i], column[i], 1e-11 * largest) << "row " << i << ", column " << c;
  }
}

std::vector<double> initial(const std::vector<Signal>& signals) {
  std::vector<double> values;
  for (const Signal& s : signals) {
    std::vector<double> v = s.initial.value_or(std::vector<double>(s.count, 0.0));
    v.resize(s.count, v.size() == 1 ? v[0] : 0.0);
    values.insert(values.end(), v.begin(), v.end());
  }
  return values;
}

std::span<double> part(const std::vector<Signal>& signals, std::string_view name,
                       std::vector<double>& all) {
  std::size_t first = 0;
  for (const Signal& s : signals) {
    if (s.name == name) return std::span(all).subspan(first, s.count);
    first += s.count;
  }
  ADD_FAILURE() << "no signal " << name;
  require(false);
  return {};
}

// |a - b| within tolerance of the largest element of the same signal
void expect_near(const std::vector<Signal>& signals, const std::vector<double>& exact,
                 const std::vector<double>& differences, double tolerance, double rounding,
                 const char* what) {
  std::size_t first = 0;
  for (const Signal& s : signals) {
    double size = 0.0, worst = 0.0;
    for (std::size_t i = first; i < first + s.count; ++i) {
      size = std::max(size, std::fabs(differences[i]));
      worst = std::max(worst, std::fabs(differences[i] - exact[i]));
    }
    EXPECT_LE(worst, tolerance * size + rounding + 1e-300)
        << "derivative of the " << what << " " << s.name;
    first += s.count;
  }
}

Parameters parameters(const Type& type, const std::map<std::string, std::string>& texts,
                      std::uint64_t seed, const std::vector<std::string>& adjustable = {}) {
  ParameterValues values;
  for (const auto& [name, text] : texts) values[name].text = text;
  for (const std::string& name : adjustable) values[name].adjustable = true;
  Diagnostics problems;
  Parameters p("it", type.parameters, values, seed, {}, problems);
  problems.throw_if_errors();
  return p;
}

}  // namespace

SystemRig::SystemRig(const hybrid::System& system)
    : x(initial(system.spec().states)),
      u(initial(system.spec().inputs)),
      p(initial(system.spec().parameters)),
      system_(system),
      work_(system.lane_workspace()) {
  for (const auto& a : system.spec().automata) mode.push_back(a.initial);
}

SystemRig::SystemRig(const SystemRig& other)
    : t(other.t),
      x(other.x),
      u(other.u),
      p(other.p),
      mode(other.mode),
      system_(other.system_),
      work_(other.system_.lane_workspace()) {}

std::span<double> SystemRig::in(std::string_view name) {
  return part(system_.spec().inputs, name, u);
}
std::span<double> SystemRig::state(std::string_view name) {
  return part(system_.spec().states, name, x);
}

std::vector<double> SystemRig::out(std::string_view name) {
  std::vector<double> y(hybrid::size(system_.spec().outputs));
  system_.output(point(), y, *work_);
  const auto found = part(system_.spec().outputs, name, y);
  return {found.begin(), found.end()};
}

std::vector<double> SystemRig::rate(std::string_view name) {
  std::vector<double> xdot(x.size());
  system_.flow(point(), xdot, *work_);
  const auto found = part(system_.spec().states, name, xdot);
  return {found.begin(), found.end()};
}

std::vector<double> SystemRig::guards() {
  std::vector<double> z(system_.spec().guards);
  system_.guards(point(), z, *work_);
  return z;
}

std::vector<std::string> SystemRig::react(const std::vector<std::string>& names) {
  const auto& spec = system_.spec();
  std::vector<std::string> taken;
  std::vector<std::uint8_t> present(spec.events.size());
  for (std::size_t i = 0; i < present.size(); ++i) {
    present[i] = std::find(names.begin(), names.end(), spec.events[i].name) != names.end();
  }
  std::vector<int> chosen(spec.automata.size());
  for (int round = 0; round < 100 && system_.select(point(), present, chosen, *work_); ++round) {
    std::vector<double> next = x;
    std::vector<int> next_mode = mode;
    std::vector<std::uint8_t> emitted(present.size());
    hybrid::Jump jump{next, next_mode, emitted};
    system_.jump(point(), chosen, jump, *work_);
    for (std::size_t a = 0; a < chosen.size(); ++a) {
      if (chosen[a] >= 0) taken.push_back(spec.automata[a].transitions[chosen[a]].name);
    }
    x = next;
    mode = next_mode;
    present = emitted;
  }
  return taken;
}

void SystemRig::step(double h) {
  const std::size_t n = x.size();
  const std::vector<double> start = x;
  const double begin = t;
  std::vector<double> k(n), sum(n);
  const double at[4] = {0.0, 0.5, 0.5, 1.0}, weight[4] = {1.0, 2.0, 2.0, 1.0};
  for (int stage = 0; stage < 4; ++stage) {
    t = begin + at[stage] * h;
    for (std::size_t i = 0; i < n; ++i) x[i] = start[i] + at[stage] * h * k[i];
    system_.flow(point(), k, *work_);
    for (std::size_t i = 0; i < n; ++i) sum[i] += weight[stage] * k[i];
  }
  t = begin + h;
  for (std::size_t i = 0; i < n; ++i) x[i] = start[i] + h / 6.0 * sum[i];
  for (const auto& unit : system_.spec().unit_vectors) {
    const auto v = std::span(x).subspan(unit.first, unit.count);
    double square = 0.0;
    for (const double e : v) square += e * e;
    for (double& e : v) e /= std::sqrt(square);
  }
}

void expect_conforming(SystemRig& rig, double tolerance, double rounding) {
  const hybrid::System& system = rig.system();
  const hybrid::SystemSpec& spec = system.spec();
  ASSERT_EQ(rig.x.size(), hybrid::size(spec.states));
  ASSERT_EQ(rig.u.size(), hybrid::size(spec.inputs));
  const std::size_t outputs = hybrid::size(spec.outputs);
  std::vector<double> y(outputs), y2(outputs), xdot(rig.x.size()), z(spec.guards);

  const long before = allocations();
  system.output(rig.point(), y, rig.workspace());
  system.flow(rig.point(), xdot, rig.workspace());
  system.guards(rig.point(), z, rig.workspace());
  system.output(rig.point(), y2, rig.workspace());
  EXPECT_EQ(allocations(), before) << "a system allocates";
  EXPECT_EQ(y, y2) << "the same point gives other outputs";
  for (const double v : y) EXPECT_TRUE(std::isfinite(v)) << "an output is not a number";
  for (const double v : xdot) EXPECT_TRUE(std::isfinite(v)) << "a derivative is not a number";

  // an output that follows an undeclared input would violate the order of evaluation
  std::size_t element = 0;
  for (std::size_t i = 0; i < spec.inputs.size(); ++i) {
    for (std::uint32_t e = 0; e < spec.inputs[i].count; ++e, ++element) {
      const double value = rig.u[element];
      rig.u[element] = value + 1e-3 * (std::fabs(value) + 1e-3);
      system.output(rig.point(), y2, rig.workspace());
      rig.u[element] = value;
      std::size_t first = 0;
      for (std::size_t o = 0; o < spec.outputs.size(); ++o) {
        const bool declared =
            std::any_of(spec.feedthrough.begin(), spec.feedthrough.end(),
                        [&](const auto& d) { return d.output == o && d.input == i; });
        for (std::uint32_t k = 0; k < spec.outputs[o].count; ++k) {
          if (!declared) {
            EXPECT_EQ(y2[first + k], y[first + k])
                << spec.outputs[o].name << " follows " << spec.inputs[i].name << ", undeclared";
          }
        }
        first += spec.outputs[o].count;
      }
    }
  }

  // Compares tangent() with the default, which uses differences of flow and output. Single
  // directions would hide errors of mixed terms, so one direction changes everything by its own
  // size.
  class Differences final : public hybrid::System {
   public:
    explicit Differences(const hybrid::System& s) : system_(s) {}
    const hybrid::SystemSpec& spec() const noexcept override { return system_.spec(); }
    void flow(const hybrid::Point& p, std::span<double> r,
              hybrid::Workspace& w) const noexcept override {
      system_.flow(p, r, w);
    }
    void output(const hybrid::Point& p, std::span<double> r,
                hybrid::Workspace& w) const noexcept override {
      system_.output(p, r, w);
    }
    void guards(const hybrid::Point& p, std::span<double> r,
                hybrid::Workspace& w) const noexcept override {
      system_.guards(p, r, w);
    }

   private:
    const hybrid::System& system_;
  };
  const Differences differences(system);
  std::vector<double> dx(rig.x.size()), du(rig.u.size()), dp(rig.p.size());
  for (std::size_t i = 0; i < dx.size(); ++i) {
    dx[i] = (std::fabs(rig.x[i]) + 1e-3) * std::sin(1.0 + 3.0 * static_cast<double>(i));
  }
  for (std::size_t i = 0; i < du.size(); ++i) {
    du[i] = (std::fabs(rig.u[i]) + 1e-9) * std::cos(2.0 + 5.0 * static_cast<double>(i));
  }
  for (std::size_t i = 0; i < dp.size(); ++i) {
    dp[i] = (std::fabs(rig.p[i]) + 1e-9) * std::cos(1.0 + 2.0 * static_cast<double>(i));
  }
  const hybrid::Direction along{0.7 * (std::fabs(rig.t) + 1.0), dx, du, dp};
  std::vector<double> xd1(xdot), xd2(xdot), t1(outputs), t2(outputs), z1(z), z2(z);
  const long count = allocations();
  system.tangent(rig.point(), along, {xd1, t1, z1}, rig.workspace());
  EXPECT_EQ(allocations(), count) << "tangent() allocates";
  differences.tangent(rig.point(), along, {xd2, t2, z2}, rig.workspace());
  expect_near(spec.states, xd1, xd2, tolerance, rounding, "state");
  expect_near(spec.outputs, t1, t2, tolerance, rounding, "output");
  for (std::size_t i = 0; i < z.size(); ++i) {
    EXPECT_NEAR(z1[i], z2[i], tolerance * std::max(1e-9, std::fabs(z2[i]))) << "guard " << i;
  }
  expect_lanes(rig, along);
  expect_some_outputs(rig, along);
  expect_blocks(rig, along);
  expect_jacobian(rig);
}

void expect_adjustable(const Type& type, const std::map<std::string, std::string>& texts,
                       const std::vector<std::string>& names,
                       const std::function<void(SystemRig&)>& drive, double tolerance,
                       double rounding) {
  const auto fixed = type.system(parameters(type, texts, 1));
  const auto tuned = type.system(parameters(type, texts, 1, names));
  ASSERT_TRUE(fixed->spec().parameters.empty());
  ASSERT_EQ(tuned->spec().parameters.size(), names.size());
  SystemRig a(*fixed), b(*tuned);
  drive(a);
  drive(b);
  expect_conforming(b, tolerance, rounding);
  const std::size_t outputs = hybrid::size(fixed->spec().outputs);
  const auto values = [&](SystemRig& rig) {
    std::vector<double> all(rig.x.size() + outputs);
    rig.system().flow(rig.point(), std::span(all).first(rig.x.size()), rig.workspace());
    rig.system().output(rig.point(), std::span(all).last(outputs), rig.workspace());
    const std::vector<double> z = rig.guards();
    all.insert(all.end(), z.begin(), z.end());
    return all;
  };
  EXPECT_TRUE(same_bits(values(a), values(b))) << "adjustable parameters change bits";
}

std::unique_ptr<hybrid::System> made_system(const Type& type,
                                            const std::map<std::string, std::string>& texts) {
  return type.system(parameters(type, texts, 1));
}

std::unique_ptr<Component> made_component(const Type& type,
                                          const std::map<std::string, std::string>& texts,
                                          std::uint64_t seed) {
  return type.component(parameters(type, texts, seed));
}

}  // namespace vernier::testing
