#include "vernier/testing/system_rig.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "vernier/base/require.hpp"
#include "vernier/testing/allocations.hpp"

namespace vernier::testing {
namespace {

using hybrid::Signal;

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
                 const std::vector<double>& differences, double tolerance, const char* what) {
  std::size_t first = 0;
  for (const Signal& s : signals) {
    double size = 0.0, worst = 0.0;
    for (std::size_t i = first; i < first + s.count; ++i) {
      size = std::max(size, std::fabs(differences[i]));
      worst = std::max(worst, std::fabs(differences[i] - exact[i]));
    }
    EXPECT_LE(worst, tolerance * size + 1e-300) << "derivative of the " << what << " " << s.name;
    first += s.count;
  }
}

Parameters parameters(const Type& type, const std::map<std::string, std::string>& texts,
                      std::uint64_t seed) {
  ParameterValues values;
  for (const auto& [name, text] : texts) values[name].text = text;
  Diagnostics problems;
  Parameters p("it", type.parameters, values, seed, {}, problems);
  problems.throw_if_errors();
  return p;
}

}  // namespace

SystemRig::SystemRig(const hybrid::System& system)
    : x(initial(system.spec().states)),
      u(initial(system.spec().inputs)),
      system_(system),
      work_(system.spec().work) {
  for (const auto& a : system.spec().automata) mode.push_back(a.initial);
}

std::span<double> SystemRig::in(std::string_view name) {
  return part(system_.spec().inputs, name, u);
}
std::span<double> SystemRig::state(std::string_view name) {
  return part(system_.spec().states, name, x);
}

std::vector<double> SystemRig::out(std::string_view name) {
  std::vector<double> y(hybrid::size(system_.spec().outputs));
  system_.output(point(), y, work_);
  const auto p = part(system_.spec().outputs, name, y);
  return {p.begin(), p.end()};
}

std::vector<double> SystemRig::rate(std::string_view name) {
  std::vector<double> xdot(x.size());
  system_.flow(point(), xdot, work_);
  const auto p = part(system_.spec().states, name, xdot);
  return {p.begin(), p.end()};
}

std::vector<double> SystemRig::guards() {
  std::vector<double> z(system_.spec().guards);
  system_.guards(point(), z, work_);
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
  for (int round = 0; round < 100 && system_.select(point(), present, chosen, work_); ++round) {
    std::vector<double> next = x;
    std::vector<int> next_mode = mode;
    std::vector<std::uint8_t> emitted(present.size());
    hybrid::Jump jump{next, next_mode, emitted};
    system_.jump(point(), chosen, jump, work_);
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
    system_.flow(point(), k, work_);
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

void expect_conforming(SystemRig& rig, double tolerance) {
  const hybrid::System& system = rig.system();
  const hybrid::SystemSpec& spec = system.spec();
  ASSERT_EQ(rig.x.size(), hybrid::size(spec.states));
  ASSERT_EQ(rig.u.size(), hybrid::size(spec.inputs));
  const std::size_t outputs = hybrid::size(spec.outputs);
  std::vector<double> y(outputs), y2(outputs), xdot(rig.x.size()), z(spec.guards);

  const long before = allocations();
  system.output(rig.point(), y, rig.scratch());
  system.flow(rig.point(), xdot, rig.scratch());
  system.guards(rig.point(), z, rig.scratch());
  system.output(rig.point(), y2, rig.scratch());
  EXPECT_EQ(allocations(), before) << "a system allocates";
  EXPECT_EQ(y, y2) << "the same point gives other outputs";
  for (const double v : y) EXPECT_TRUE(std::isfinite(v)) << "an output is not a number";
  for (const double v : xdot) EXPECT_TRUE(std::isfinite(v)) << "a derivative is not a number";

  // an output that follows an input it does not declare would break the order of evaluation
  std::size_t element = 0;
  for (std::size_t i = 0; i < spec.inputs.size(); ++i) {
    for (std::uint32_t e = 0; e < spec.inputs[i].count; ++e, ++element) {
      const double value = rig.u[element];
      rig.u[element] = value + 1e-3 * (std::fabs(value) + 1e-3);
      system.output(rig.point(), y2, rig.scratch());
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

  // tangent() against the default, which differences flow and output; directions one at a time
  // would hide errors of mixed terms, so one direction moves everything by its own size
  class Differences final : public hybrid::System {
   public:
    explicit Differences(const hybrid::System& s) : system_(s), spec_(s.spec()) {
      spec_.work += extra_work(spec_);
    }
    const hybrid::SystemSpec& spec() const noexcept override { return spec_; }
    void flow(const hybrid::Point& p, std::span<double> r,
              hybrid::Scratch w) const noexcept override {
      system_.flow(p, r, w);
    }
    void output(const hybrid::Point& p, std::span<double> r,
                hybrid::Scratch w) const noexcept override {
      system_.output(p, r, w);
    }
    void guards(const hybrid::Point& p, std::span<double> r,
                hybrid::Scratch w) const noexcept override {
      system_.guards(p, r, w);
    }

   private:
    const hybrid::System& system_;
    hybrid::SystemSpec spec_;
  };
  const Differences differences(system);
  std::vector<double> work(differences.spec().work), dx(rig.x.size()), du(rig.u.size());
  for (std::size_t i = 0; i < dx.size(); ++i) {
    dx[i] = (std::fabs(rig.x[i]) + 1e-3) * std::sin(1.0 + 3.0 * static_cast<double>(i));
  }
  for (std::size_t i = 0; i < du.size(); ++i) {
    du[i] = (std::fabs(rig.u[i]) + 1e-9) * std::cos(2.0 + 5.0 * static_cast<double>(i));
  }
  const hybrid::Direction along{0.7 * (std::fabs(rig.t) + 1.0), dx, du};
  std::vector<double> xd1(xdot), xd2(xdot), t1(outputs), t2(outputs), z1(z), z2(z);
  const long count = allocations();
  system.tangent(rig.point(), along, {xd1, t1, z1}, rig.scratch());
  EXPECT_EQ(allocations(), count) << "tangent() allocates";
  differences.tangent(rig.point(), along, {xd2, t2, z2}, work);
  expect_near(spec.states, xd1, xd2, tolerance, "state");
  expect_near(spec.outputs, t1, t2, tolerance, "output");
  for (std::size_t i = 0; i < z.size(); ++i) {
    EXPECT_NEAR(z1[i], z2[i], tolerance * std::max(1e-9, std::fabs(z2[i]))) << "guard " << i;
  }
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
