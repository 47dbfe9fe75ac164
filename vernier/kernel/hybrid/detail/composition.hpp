#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "vernier/kernel/hybrid/detail/gather.hpp"
#include "vernier/kernel/hybrid/lane_vector.hpp"
#include "vernier/kernel/hybrid/system.hpp"

namespace vernier::hybrid::detail {

/// The offsets of a part in the vectors of the composition.
struct Place {
  std::unique_ptr<System> system;
  std::size_t x = 0, n = 0;  // states
  std::size_t u = 0, m = 0;  // inputs, in the vector of all inputs of parts
  std::size_t y = 0, p = 0;  // outputs
  std::size_t parameter = 0, parameters = 0;
  std::size_t automaton = 0, automata = 0;
  std::size_t z = 0, guards = 0;
  std::vector<std::size_t> labels;  // its events in those of the composition
  struct Heard {
    std::size_t event, label;  // of its own, of the composition
  };
  std::vector<Heard> heard;  // as another event of its own
  std::vector<Gather> gathers;
  std::vector<std::pair<std::size_t, double>> fixed;  // inputs that keep a value
  /// By input: the output of a part that it equals, or `computed`.
  static constexpr std::size_t computed = static_cast<std::size_t>(-1);
  std::vector<std::size_t> source;
};

/// The calls, in order, that compute the inputs of certain parts.
struct Schedule {
  struct Call {
    std::size_t part;
    std::vector<Gather> gathers;       // the inputs that are needed
    std::vector<Gather> lane_gathers;  // the same, less what is read where it is
    OutputSet outputs;                 // then compute these; empty: none
  };
  /// Parts whose outputs depend on time alone come first; they are not called again at the same
  /// time.
  std::vector<Call> timed, calls;
};

class Composer;  // makes compositions; in compose.cpp

/// The number of blocks of lanes that pass through all parts together. Their computations are
/// independent, and their data still fit in the first-level cache.
inline constexpr std::size_t most_blocks = 4;

/// Inputs and outputs of all parts with their rates, for one point or for lanes, and the memory of
/// each part. A part may be called before all its inputs are known, for outputs that do not depend
/// on the others; zeros or earlier values in their place have no effect. Rates of unconnected
/// inputs are never written and stay zero.
struct CompositionWorkspace final : Workspace {
  CompositionWorkspace(const SystemSpec& spec) : Workspace(spec) {}

  std::vector<double> u, y, du, dy;
  LaneVector lane_u, lane_y, lane_du, lane_dy, lane_outside;
  std::vector<const double*> inputs;  // where the lanes of each input of a part are
  /// The last schedule whose time-dependent parts were called, and the time of that call.
  const Schedule *timed = nullptr, *lane_timed = nullptr;
  double t = 0.0;
  std::size_t lane_blocks = 0;
  LaneVector lane_t;
  std::vector<std::uint8_t> labels;
  std::vector<std::unique_ptr<Workspace>> parts;
  const LaneMoves& moves = lane_moves();

  void gather(const std::vector<Gather>& gathers, const double* from, const double* outside,
              double* to) const noexcept {
    moves.gather(gathers.data(), gathers.size(), from, outside, to);
  }
};

class Composition final : public System {
 public:
  const SystemSpec& spec() const noexcept override { return spec_; }
  std::unique_ptr<Workspace> workspace() const override { return make_workspace(false); }
  std::unique_ptr<Workspace> lane_workspace() const override { return make_workspace(true); }
  void flow(const Point&, std::span<double> xdot, Workspace&) const noexcept override;
  void output(const Point&, std::span<double> y, Workspace&) const noexcept override;
  void guards(const Point&, std::span<double> z, Workspace&) const noexcept override;
  bool select(const Point&, std::span<const std::uint8_t> present, std::span<int> chosen,
              Workspace&) const noexcept override;
  void jump(const Point&, std::span<const int> chosen, Jump&, Workspace&) const noexcept override;
  void witness(const Point&, int automaton, int transition, std::span<double, 2> sides,
               Workspace&) const noexcept override;
  bool undecided(const Point&, std::span<const std::uint8_t> present,
                 Workspace&) const noexcept override;
  bool explain(const Point&, Fault&, Workspace&) const noexcept override;
  bool explain_jump(const Point&, std::span<const int> chosen, Fault&,
                    Workspace&) const noexcept override;
  void tangent(const Point&, const Direction&, const Tangent&, Workspace&) const noexcept override;
  void tangents(const Point&, const Directions&, const Tangents&,
                Workspace&) const noexcept override;
  void flow_lanes(const Points&, double* xdot, Workspace&) const noexcept override;
  void output_lanes(const Points&, double* y, Workspace&) const noexcept override;
  void guards_lanes(const Points&, double* z, Workspace&) const noexcept override;
  void tangent_lanes(const Points&, const Directions&, const Tangents&,
                     Workspace&) const noexcept override;
  Pattern pattern() const override;

 private:
  friend class Composer;

  // filled by the composer
  SystemSpec spec_;
  std::vector<Place> parts_;
  std::vector<Gather> exports_;  // to: from the first output of `outside`
  Schedule for_flow_, for_guards_, for_jump_, for_output_, for_everything_;
  std::size_t m_ = 0, p_ = 0;  // inputs and outputs of all parts together
  std::size_t most_labels_ = 0;

  std::unique_ptr<Workspace> make_workspace(bool for_lanes) const;
  void call(const Schedule::Call&, const Point&, CompositionWorkspace&) const noexcept;
  void call(const Schedule::Call&, const Points&, CompositionWorkspace&) const noexcept;
  const Schedule& needed(bool xdot, bool y, bool z) const noexcept;
  Point at(const Point&, const Place&, const CompositionWorkspace&,
           OutputSet = all_outputs) const noexcept;
  /// `results`: elements from the results of one block to those of the next.
  Points at(const Points&, const Place&, const CompositionWorkspace&, OutputSet = all_outputs,
            std::size_t results = 0) const noexcept;
  /// The labels that a part hears, as its own events.
  static std::span<const std::uint8_t> labels_of(const Place&,
                                                 std::span<const std::uint8_t> present,
                                                 CompositionWorkspace&) noexcept;
  void propagate(const Schedule&, const Point&, CompositionWorkspace&) const noexcept;
  void propagate(const Schedule&, const Points&, CompositionWorkspace&) const noexcept;
  void propagate_tangent(const Schedule&, const Point&, const Direction&, bool approximate,
                         CompositionWorkspace&) const noexcept;
  /// Derivatives in lanes, by the chain rule; `at` is a Point or Points.
  template <class At, class Call>
  void chain(const At&, const Directions&, const Tangents&, CompositionWorkspace&,
             const Call& of_part) const noexcept;
};

}  // namespace vernier::hybrid::detail
