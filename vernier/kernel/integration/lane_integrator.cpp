#include "vernier/kernel/integration/lane_integrator.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include "vernier/kernel/hybrid/lane_vector.hpp"
#include "vernier/kernel/integration/detail/dormand_prince.hpp"
#include "vernier/kernel/integration/detail/lane_steps.hpp"
#include "vernier/kernel/integration/detail/methods.hpp"

namespace vernier::integration {

namespace {

using hybrid::lanes;

/// The number of blocks of lanes that are advanced together; their computations are independent.
constexpr std::size_t most_blocks = 4, width = most_blocks * lanes;

/// Numbers in lanes, block by block.
class LaneArray {
 public:
  explicit LaneArray(std::size_t elements)
      : elements_(elements), memory_(elements * lanes * most_blocks) {}
  LaneArray(const LaneArray&) = delete;
  LaneArray& operator=(const LaneArray&) = delete;

  double* data(std::size_t block = 0) noexcept {
    return memory_.data() + block * elements_ * lanes;
  }
  double& operator()(std::size_t element, std::size_t lane) noexcept {
    return memory_[(lane / lanes * elements_ + element) * lanes + lane % lanes];
  }

 private:
  std::size_t elements_;
  hybrid::LaneVector memory_;
};

void put(std::span<const double> from, std::size_t lane, LaneArray& to) noexcept {
  for (std::size_t i = 0; i < from.size(); ++i) to(i, lane) = from[i];
}
void take(LaneArray& from, std::size_t lane, std::span<double> to) noexcept {
  for (std::size_t i = 0; i < to.size(); ++i) to[i] = from(i, lane);
}
void copy(LaneArray& from, std::size_t lane, std::size_t elements, LaneArray& to) noexcept {
  for (std::size_t i = 0; i < elements; ++i) to(i, lane) = from(i, lane);
}
/// Copies from one lane to another.
void shift(LaneArray& of, std::size_t elements, std::size_t from, std::size_t to) noexcept {
  for (std::size_t i = 0; i < elements; ++i) of(i, to) = of(i, from);
}

}  // namespace

struct LaneIntegrator::Data final : Listener {
  using Clock = Integrator::Clock;

  /// A state while it is in no lane.
  struct Resting {
    std::span<double> x, low, rate, z, dz, u, p;
    std::span<int> mode;
    Integrator::Memory memory;
    Clock now;
    long steps = 0;
    int events = 0;
    bool done = false;
    Arrival arrival;
  };
  /// A state in a lane.
  struct Busy {
    std::size_t state = 0;
    bool active = false;    // otherwise its numbers are a copy of another lane
    bool stepping = false;  // h is chosen and will be tried
    bool whole = true, rejected = false;
    int attempts = 0;
    double left = 0.0;
    Trail trail;  // only step and error are used
  };

  Data(const hybrid::System& s, const Settings& settings, std::size_t states)
      : system(s),
        n(hybrid::size(s.spec().states)),
        m(hybrid::size(s.spec().inputs)),
        q(hybrid::size(s.spec().parameters)),
        guards(s.spec().guards),
        one(s, settings),
        workspace(s.lane_workspace()),
        steps(detail::lane_steps()),
        control(s.spec(), settings, 5.0),
        in_lanes(settings.method == "dopri5" && n > 0),
        numbers(states * (3 * n + 2 * guards + m + q)),
        modes(states * s.spec().automata.size()),
        resting(states),
        x(n),
        low(n),
        rate(n),
        x1(n),
        low1(n),
        k2(n),
        k3(n),
        k4(n),
        k5(n),
        k6(n),
        k7(n),
        dx(n),
        work(n),
        z(guards),
        dz(guards),
        z1(guards),
        dz1(guards),
        z_middle(guards),
        u(m),
        p(q),
        t(1),
        h(1),
        when(1),
        error(1),
        chosen(1),
        ones(1),
        emitted(s.spec().events.size()),
        present(emitted.size()),
        now_emitted(emitted.size()),
        mode(s.spec().automata.size()) {
    std::span<double> free(numbers);
    const auto piece_of = [&free](std::size_t count) {
      const std::span<double> piece = free.first(count);
      free = free.subspan(count);
      return piece;
    };
    const auto x0 = hybrid::initial_values(s.spec().states);
    const auto u0 = hybrid::initial_values(s.spec().inputs);
    const auto p0 = hybrid::initial_values(s.spec().parameters);
    for (std::size_t k = 0; k < states; ++k) {
      Resting& r = resting[k];
      for (auto* v : {&r.x, &r.low, &r.rate}) *v = piece_of(n);
      for (auto* v : {&r.z, &r.dz}) *v = piece_of(guards);
      r.u = piece_of(m);
      r.p = piece_of(q);
      r.mode = std::span(modes).subspan(k * mode.size(), mode.size());
      std::copy(x0.begin(), x0.end(), r.x.begin());
      std::copy(u0.begin(), u0.end(), r.u.begin());
      std::copy(p0.begin(), p0.end(), r.p.begin());
      for (std::size_t a = 0; a < mode.size(); ++a) r.mode[a] = s.spec().automata[a].initial;
    }
    for (std::size_t l = 0; l < width; ++l) ones(0, l) = 1.0;
  }

  // One state at a time, by the Integrator

  void to_one(const Resting& r) noexcept {
    std::copy(r.x.begin(), r.x.end(), one.trail_.x.begin());
    std::copy(r.low.begin(), r.low.end(), one.trail_.low.begin());
    std::copy(r.rate.begin(), r.rate.end(), one.trail_.rate.begin());
    std::copy(r.z.begin(), r.z.end(), one.z_.begin());
    std::copy(r.dz.begin(), r.dz.end(), one.dz_.begin());
    std::copy(r.u.begin(), r.u.end(), one.u_.begin());
    std::copy(r.p.begin(), r.p.end(), one.parameters_.begin());
    std::copy(r.mode.begin(), r.mode.end(), one.mode_.begin());
    one.memory_ = r.memory;
    one.limits_ = limits;
    one.steps_ = r.steps;
    one.events_ = r.events;
  }
  void from_one(Resting& r) const noexcept {
    std::copy(one.trail_.x.begin(), one.trail_.x.end(), r.x.begin());
    std::copy(one.trail_.low.begin(), one.trail_.low.end(), r.low.begin());
    std::copy(one.trail_.rate.begin(), one.trail_.rate.end(), r.rate.begin());
    std::copy(one.z_.begin(), one.z_.end(), r.z.begin());
    std::copy(one.dz_.begin(), one.dz_.end(), r.dz.begin());
    std::copy(one.mode_.begin(), one.mode_.end(), r.mode.begin());
    r.memory = one.memory_;
    r.steps = one.steps_;
    r.events = one.events_;
  }
  void arrive(Resting& r, const Arrival& a) noexcept {
    r.arrival = a;
    r.done = true;
  }
  /// One step of a resting state, with its events.
  void step_alone(std::size_t state) noexcept {
    Resting& r = resting[state];
    to_one(r);
    told = state;
    const Equations f = one.equations(seconds(origin), one.u_);
    const auto arrival = one.step_towards(f, origin, r.now, end, emitted, false, true, *this);
    from_one(r);
    if (arrival) arrive(r, *arrival);
  }

  // Lanes

  void seat(std::size_t lane, std::size_t state) noexcept {
    const Resting& r = resting[state];
    put(r.x, lane, x);
    put(r.low, lane, low);
    put(r.rate, lane, rate);
    put(r.z, lane, z);
    put(r.dz, lane, dz);
    put(r.u, lane, u);
    put(r.p, lane, p);
    busy[lane] = {};
    busy[lane].state = state;
    busy[lane].active = true;
  }
  void rest(std::size_t lane) noexcept {
    Resting& r = resting[busy[lane].state];
    take(x, lane, r.x);
    take(low, lane, r.low);
    take(rate, lane, r.rate);
    take(z, lane, r.z);
    take(dz, lane, r.dz);
    busy[lane].active = false;
  }
  /// The points of one block.
  hybrid::Points points(LaneArray& at, std::size_t b) noexcept {
    return {when.data(b), at.data(b), mode, u.data(b), p.data(b)};
  }
  void flow(LaneArray& at, LaneArray& to) noexcept {
    hybrid::Points all = points(at, 0);
    all.blocks = {used, 1, n, m, q, n};
    system.flow_lanes(all, to.data(), *workspace);
  }
  /// The times c h after the start of each lane's step.
  void set_when(double c) noexcept {
    for (std::size_t b = 0; b < used; ++b)
      steps.when(seconds(origin), c, t.data(b), h.data(b), when.data(b));
  }
  void atoms(LaneArray& at, LaneArray& rate_at, LaneArray& values, LaneArray& rates) noexcept {
    for (std::size_t b = 0; b < used; ++b) {
      system.guards_lanes(points(at, b), values.data(b), *workspace);
      system.tangent_lanes(points(at, b), {ones.data(b), rate_at.data(b), nullptr, nullptr},
                           {nullptr, nullptr, rates.data(b), true}, *workspace);
    }
  }

  /// Puts the next unfinished resting state in the current mode into a lane, searching from `next`
  /// on.
  bool refill(std::size_t lane) noexcept {
    for (; next < resting.size(); ++next) {
      const Resting& r = resting[next];
      if (r.done || !std::equal(r.mode.begin(), r.mode.end(), mode.begin())) continue;
      seat(lane, next++);
      return true;
    }
    return false;
  }

  /// The state of a lane is at the start of a step: it has arrived, or chooses the next step.
  void begin_step(std::size_t l) noexcept {
    Busy& b = busy[l];
    Resting& r = resting[b.state];
    b.left = (end - r.now.t) - r.now.low;
    if (!(b.left > 0.0)) {
      rest(l);
      return arrive(r, {end});
    }
    if (r.steps + 1 > limits.steps) {
      ++r.steps;
      rest(l);
      return arrive(r, {r.now.t, Status::too_many_steps});
    }
    t(0, l) = r.now.t;
  }

  void choose_step(std::size_t l) noexcept {
    Busy& b = busy[l];
    Resting& r = resting[b.state];
    ++r.steps;
    b.trail.step = r.memory.step;
    b.trail.error = r.memory.error;
    if (!(b.trail.step > 0.0)) {
      // Once in the life of a state, done alone.
      take(x, l, r.x);
      take(rate, l, r.rate);
      to_one(r);
      Trail trail = one.trail_;
      trail.step = 0.0;
      b.trail.step = control.first(one.equations(seconds(origin), one.u_), r.now.t, b.left, trail,
                                   one.next_x_, one.rate_ahead_);
    }
    h(0, l) = control.trial(b.trail, b.left, b.whole);
    b.rejected = false;
    b.attempts = 0;
    b.stepping = true;
  }

  /// Steps all lanes by their h: k2 to k7, dx, x1, low1, and the error.
  void attempt() noexcept {
    using namespace detail::dormand_prince;
    const auto stage = [&](double c, std::initializer_list<double> a,
                           std::initializer_list<LaneArray*> k, LaneArray& to) {
      for (std::size_t b = 0; b < used; ++b) {
        std::array<const double*, 5> ks{};
        std::transform(k.begin(), k.end(), ks.begin(), [b](LaneArray* v) { return v->data(b); });
        steps.stage(n, a.size(), a.begin(), ks.data(), h.data(b), x.data(b), low.data(b),
                    work.data(b));
      }
      set_when(c);
      flow(work, to);
    };
    LaneArray* k1 = &rate;
    stage(c2, {a21}, {k1}, k2);
    stage(c3, {a31, a32}, {k1, &k2}, k3);
    stage(c4, {a41, a42, a43}, {k1, &k2, &k3}, k4);
    stage(c5, {a51, a52, a53, a54}, {k1, &k2, &k3, &k4}, k5);
    stage(1.0, {a61, a62, a63, a64, a65}, {k1, &k2, &k3, &k4, &k5}, k6);
    const double weights[] = {b1, b3, b4, b5, b6}, e[] = {e1, e3, e4, e5, e6, e7};
    for (std::size_t b = 0; b < used; ++b) {
      steps.increment(n, 5, weights, rates_of(b).data(), h.data(b), dx.data(b));
      steps.land(n, x.data(b), low.data(b), dx.data(b), x1.data(b), low1.data(b));
      for (const hybrid::UnitVector& v : system.spec().unit_vectors)
        steps.normalise(v.count, x1.data(b) + v.first * lanes, low1.data(b) + v.first * lanes,
                        dx.data(b) + v.first * lanes);
    }
    set_when(1.0);
    flow(x1, k7);
    for (std::size_t b = 0; b < used; ++b) {
      steps.increment(n, 6, e, rates_of(b).data(), h.data(b), work.data(b));
      steps.norm(n, work.data(b), x.data(b), x1.data(b), control.rtol(), control.atol(),
                 error.data(b));
    }
  }
  /// k1 and k3 to k7 of a block.
  std::array<const double*, 6> rates_of(std::size_t b) noexcept {
    return {rate.data(b), k3.data(b), k4.data(b), k5.data(b), k6.data(b), k7.data(b)};
  }

  bool end_is_finite(std::size_t l) noexcept {
    for (std::size_t i = 0; i < n; ++i)
      if (!std::isfinite(x1(i, l))) return false;
    return true;
  }

  /// The state leaves its lane and repeats its step alone.
  void leave(std::size_t l) noexcept {
    Busy& b = busy[l];
    Resting& r = resting[b.state];
    rest(l);
    --r.steps;  // it is counted again
    step_alone(b.state);
    if (r.done || !std::equal(r.mode.begin(), r.mode.end(), mode.begin())) return;
    seat(l, b.state);
  }

  /// After attempt(): accepted lanes advance, rejected ones get a shorter step.
  void judge(bool watching) noexcept {
    std::array<bool, width> good{};
    bool any = false;
    for (std::size_t l = 0; l < used * lanes; ++l) {
      Busy& b = busy[l];
      if (!b.active) continue;
      good[l] = error(0, l) <= 1.0 && end_is_finite(l);
      any |= good[l];
      if (good[l]) continue;
      b.rejected = b.whole = true;
      h(0, l) = control.after_rejection(h(0, l), error(0, l));
      b.trail.step = h(0, l);
      // The Integrator reports the reason.
      if (!(h(0, l) > detail::StepControl::smallest(t(0, l), b.left)) || ++b.attempts >= 200)
        leave(l);
    }
    if (!any) return;
    if (watching) {
      // Rejected lanes have a new h already: the following results are meaningless for them.
      set_when(1.0);
      atoms(x1, k7, z1, dz1);
      for (std::size_t b = 0; b < used; ++b)
        steps.middle(n, rates_of(b).data(), h.data(b), x.data(b), low.data(b), dx.data(b),
                     work.data(b));
      set_when(0.5);
    }
    std::array<double, width> before{}, by{};
    for (std::size_t l = 0; l < used * lanes; ++l) before[l] = busy[l].trail.error;
    for (std::size_t b = 0; b < used; ++b) {
      unsigned restless = 0;  // lanes in whose step a transition may become enabled
      if (watching) {
        system.guards_lanes(points(work, b), z_middle.data(b), *workspace);
        restless = steps.restless(guards, h.data(b), z.data(b), dz.data(b), z1.data(b), dz1.data(b),
                                  z_middle.data(b));
      }
      for (std::size_t l = 0; l < lanes; ++l)
        chosen(0, b * lanes + l) = good[b * lanes + l] && (restless >> l & 1u) == 0 ? 1.0 : 0.0;
      const auto move_on = [&](std::size_t elements, LaneArray& from, LaneArray& to) {
        steps.choose(elements, chosen.data(b), from.data(b), to.data(b));
      };
      move_on(n, x1, x);
      move_on(n, low1, low);
      move_on(n, k7, rate);
      if (watching) {
        move_on(guards, z1, z);
        move_on(guards, dz1, dz);
      }
      control.factors(error.data(b), &before[b * lanes], &by[b * lanes]);
    }
    for (std::size_t l = 0; l < used * lanes; ++l) {
      if (!good[l]) continue;
      if (chosen(0, l) > 0.0) {
        accept(l, by[l]);
      } else {
        leave(l);
      }
    }
  }

  /// The lane has moved to the end of its step.
  void accept(std::size_t l, double by) noexcept {
    Busy& b = busy[l];
    Resting& r = resting[b.state];
    control.accept(b.trail, h(0, l), error(0, l), by, b.whole, b.rejected);
    r.memory.step = b.trail.step;
    r.memory.error = b.trail.error;
    b.stepping = false;
    if (h(0, l) == b.left) {
      rest(l);
      return arrive(r, {end});
    }
    detail::advance_time(r.now.t, r.now.low, h(0, l));
  }

  /// Computes rates and atoms of lanes whose state was set or jumped.
  void complete(bool watching) noexcept {
    bool rates = false, known = true;
    for (std::size_t l = 0; l < used * lanes; ++l) {
      if (!busy[l].active) continue;
      Integrator::Memory& memory = resting[busy[l].state].memory;
      rates |= memory.rate_known == 0;
      if (!watching) memory.atoms_known = 0;
      known &= !watching || memory.atoms_known != 0;
    }
    if (!rates && known) return;
    for (std::size_t l = 0; l < used * lanes; ++l) when(0, l) = seconds(origin) + t(0, l);
    if (rates) flow(x, k7);
    for (std::size_t l = 0; l < used * lanes; ++l) {
      if (!busy[l].active || resting[busy[l].state].memory.rate_known != 0) continue;
      copy(k7, l, n, rate);
      resting[busy[l].state].memory.rate_known = 1;
    }
    if (known) return;
    atoms(x, rate, z1, dz1);
    for (std::size_t l = 0; l < used * lanes; ++l) {
      if (!busy[l].active || resting[busy[l].state].memory.atoms_known != 0) continue;
      copy(z1, l, guards, z);
      copy(dz1, l, guards, dz);
      resting[busy[l].state].memory.atoms_known = 1;
    }
  }

  /// Idle lanes compute a copy of another lane, so that they cause no exceptional values.
  void fill_idle() noexcept {
    const auto some =
        std::find_if(busy.begin(), busy.end(), [](const Busy& b) { return b.active; });
    const auto from = static_cast<std::size_t>(some - busy.begin());
    for (std::size_t l = 0; l < used * lanes; ++l) {
      if (busy[l].active) continue;
      for (LaneArray* a : {&x, &low, &rate}) shift(*a, n, from, l);
      for (LaneArray* a : {&t, &h}) shift(*a, 1, from, l);
      shift(u, m, from, l);
      shift(p, q, from, l);
    }
  }

  /// When no states are waiting, those in the last lanes move to idle lanes before them, so that
  /// fewer blocks are in use.
  void close_ranks() noexcept {
    std::size_t last = used * lanes - 1;
    for (std::size_t l = 0; l < last; ++l) {
      if (busy[l].active) continue;
      while (!busy[last].active) --last;
      if (last <= l) break;
      for (LaneArray* a : {&x, &low, &rate}) shift(*a, n, last, l);
      for (LaneArray* a : {&z, &dz}) shift(*a, guards, last, l);
      for (LaneArray* a : {&t, &h}) shift(*a, 1, last, l);
      shift(u, m, last, l);
      shift(p, q, last, l);
      busy[l] = busy[last];
      busy[last].active = false;
    }
    while (!busy[last].active) --last;
    used = last / lanes + 1;
  }

  /// Advances all states that are in `mode`, as long as they are.
  void advance_mode() noexcept {
    next = 0;
    for (Busy& b : busy) b.active = false;
    std::copy(mode.begin(), mode.end(), one.mode_.begin());
    const bool watching = one.watches();
    for (;;) {
      used = 0;
      for (std::size_t l = 0; l < width; ++l) {
        // A state that has arrived already leaves its lane to the next one.
        while (busy[l].active || refill(l)) {
          if (!busy[l].stepping) begin_step(l);
          if (busy[l].active) break;
        }
        if (busy[l].active) used = l / lanes + 1;
      }
      if (used == 0) return;
      close_ranks();
      fill_idle();
      complete(watching);
      for (std::size_t l = 0; l < used * lanes; ++l)
        if (busy[l].active && !busy[l].stepping) choose_step(l);
      fill_idle();
      attempt();
      judge(watching);
    }
  }

  void passed(std::size_t, std::span<const double>, std::span<const int>) noexcept override {}
  void crossing(std::span<const double>, std::span<const int>) noexcept override {}
  void fired(const Firing& f) noexcept override {
    if (listener != nullptr) listener->fired(told, f);
  }
  void accumulating(double) noexcept override {}

  const hybrid::System& system;
  std::size_t n, m, q, guards;
  Integrator one;
  std::unique_ptr<hybrid::Workspace> workspace;
  const detail::LaneSteps& steps;
  detail::StepControl control;
  bool in_lanes;
  std::vector<double> numbers;
  std::vector<int> modes;
  std::vector<Resting> resting;
  std::array<Busy, width> busy;
  std::size_t used = 0;  // blocks
  LaneArray x, low, rate, x1, low1, k2, k3, k4, k5, k6, k7, dx, work;
  LaneArray z, dz, z1, dz1, z_middle, u, p;
  LaneArray t, h, when, error, chosen, ones;
  std::vector<std::int64_t> emitted;
  std::vector<std::uint8_t> present, now_emitted;
  std::vector<int> mode;  // of all lanes
  std::size_t next = 0;   // first state not yet considered
  std::size_t told = 0;   // state whose transitions are reported
  Time origin{};
  double end = 0.0;
  Limits limits;
  LaneListener* listener = nullptr;
};

LaneIntegrator::LaneIntegrator(const hybrid::System& s, const Settings& settings,
                               std::size_t states)
    : data_(std::make_unique<Data>(s, settings, states)) {}
LaneIntegrator::~LaneIntegrator() = default;

std::size_t LaneIntegrator::states() const noexcept { return data_->resting.size(); }

void LaneIntegrator::set(std::size_t state, std::span<const double> x,
                         std::span<const int> mode) noexcept {
  Data::Resting& r = data_->resting[state];
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (r.x[i] == x[i]) continue;
    r.x[i] = x[i];
    r.low[i] = 0.0;
  }
  std::copy(mode.begin(), mode.end(), r.mode.begin());
  r.memory.rate_known = r.memory.atoms_known = 0;
}

void LaneIntegrator::set_inputs(std::size_t state, std::span<const double> u) noexcept {
  Data::Resting& r = data_->resting[state];
  std::copy(u.begin(), u.end(), r.u.begin());
  r.memory.rate_known = r.memory.atoms_known = 0;
}

void LaneIntegrator::set_parameters(std::size_t state, std::span<const double> p) noexcept {
  Data::Resting& r = data_->resting[state];
  std::copy(p.begin(), p.end(), r.p.begin());
  r.memory.rate_known = r.memory.atoms_known = 0;
}

std::span<const double> LaneIntegrator::x(std::size_t state) const noexcept {
  return data_->resting[state].x;
}
std::span<const int> LaneIntegrator::mode(std::size_t state) const noexcept {
  return data_->resting[state].mode;
}
const Arrival& LaneIntegrator::arrival(std::size_t state) const noexcept {
  return data_->resting[state].arrival;
}

bool LaneIntegrator::settle(Time now, LaneListener* listener) noexcept {
  Data& d = *data_;
  d.listener = listener;
  if (d.mode.empty()) return true;
  bool settled = true;
  for (std::size_t k = 0; k < d.resting.size(); ++k) {
    d.to_one(d.resting[k]);
    d.told = k;
    std::fill(d.present.begin(), d.present.end(), std::uint8_t{0});
    bool more = true;
    for (int round = 1; more && round <= Limits{}.microsteps; ++round) {
      std::fill(d.now_emitted.begin(), d.now_emitted.end(), std::uint8_t{0});
      more = d.one.react(now, d.resting[k].u, d.present, d.now_emitted,
                         static_cast<std::uint32_t>(round), d);
      std::swap(d.present, d.now_emitted);
    }
    settled &= !more;
    d.from_one(d.resting[k]);
  }
  return settled;
}

std::size_t LaneIntegrator::advance(Time origin, double t, double end, const Limits& limits,
                                    LaneListener* listener) noexcept {
  Data& d = *data_;
  d.origin = origin;
  d.end = end;
  d.limits = limits;
  d.listener = listener;
  for (Data::Resting& r : d.resting) {
    r.now = {t, 0.0};
    r.steps = 0;
    r.events = 0;
    r.done = false;
  }
  // Repeat with the mode of the first unfinished state until all are finished.
  for (std::size_t k = 0; k < d.resting.size();) {
    if (d.resting[k].done) {
      ++k;
    } else if (d.in_lanes) {
      std::copy(d.resting[k].mode.begin(), d.resting[k].mode.end(), d.mode.begin());
      d.advance_mode();
    } else {
      d.step_alone(k);
    }
  }
  return static_cast<std::size_t>(
      std::count_if(d.resting.begin(), d.resting.end(),
                    [](const Data::Resting& r) { return r.arrival.status == Status::arrived; }));
}

}  // namespace vernier::integration
