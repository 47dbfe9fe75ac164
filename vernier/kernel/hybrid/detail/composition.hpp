#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "vernier/kernel/hybrid/system.hpp"

namespace vernier::hybrid::detail {

/// `count` elements of a vector of inputs, taken from the outputs of parts or from the inputs of
/// the composition.
struct Gather {
  /// What is done: vectors and quaternions are most of it, and have a case of their own.
  enum class Kind : std::uint8_t {
    copy_1,
    copy_3,
    copy_4,
    copy,
    add_1,
    add_3,
    add,
    scale,
    add_scaled
  };

  std::uint32_t to = 0;
  std::uint32_t from = 0;
  std::uint32_t count = 0;
  Kind kind = Kind::copy;
  bool outside = false;  // from the inputs of the composition
  double gain = 1.0;

  /// `add`: to what is there.
  static Kind kind_of(std::size_t count, double gain, bool add) noexcept;
};

/// Where a part lives in the vectors of the composition.
struct Place {
  std::unique_ptr<System> system;
  std::size_t x = 0, n = 0;  // states
  std::size_t u = 0, m = 0;  // inputs, in the vector of all inputs of parts
  std::size_t y = 0, p = 0;  // outputs
  std::size_t automaton = 0, automata = 0;
  std::size_t z = 0, guards = 0;
  std::size_t work = 0;
  std::vector<std::size_t> labels;  // its events in those of the composition
  struct Heard {
    std::size_t event, label;  // of its own, of the composition
  };
  std::vector<Heard> heard;  // as another event of its own
  std::vector<Gather> gathers;
  std::vector<std::pair<std::size_t, double>> fixed;  // inputs that keep a value
};

/// What must be called, in order, so that certain parts have their inputs.
struct Schedule {
  struct Call {
    std::size_t part;
    bool gather;  // the inputs; not where no output that is needed depends on them
    bool output;  // then compute the outputs
  };
  std::vector<Call> calls;
  bool clear = false;  // a part is called before it has all its inputs
};

class Composer;  // makes compositions; in compose.cpp

class Composition final : public System {
 public:
  const SystemSpec& spec() const noexcept override { return spec_; }
  void flow(const Point&, std::span<double> xdot, Scratch) const noexcept override;
  void output(const Point&, std::span<double> y, Scratch) const noexcept override;
  void guards(const Point&, std::span<double> z, Scratch) const noexcept override;
  bool select(const Point&, std::span<const std::uint8_t> present, std::span<int> chosen,
              Scratch) const noexcept override;
  void jump(const Point&, std::span<const int> chosen, Jump&, Scratch) const noexcept override;
  void witness(const Point&, int automaton, int transition, std::span<double, 2> sides,
               Scratch) const noexcept override;
  bool explain(const Point&, Complaint&, Scratch) const noexcept override;
  void tangent(const Point&, const Direction&, const Tangent&, Scratch) const noexcept override;

 private:
  friend class Composer;

  // filled by the composer
  SystemSpec spec_;
  std::vector<Place> parts_;
  std::vector<Gather> exports_;  // to: from the first output of `outside`
  Schedule for_flow_, for_guards_, for_jump_, for_output_, for_everything_;
  std::size_t m_ = 0, p_ = 0;  // inputs and outputs of all parts together
  std::size_t most_labels_ = 0;

  struct Memory {
    std::span<double> u, y, du, dy;
    Scratch inner;
    std::span<std::uint8_t> labels;
  };
  Memory divide(Scratch) const noexcept;
  Point at(const Point&, const Place&, const Memory&) const noexcept;
  void propagate(const Schedule&, const Point&, const Memory&) const noexcept;
  void propagate_tangent(const Schedule&, const Point&, const Direction&,
                         const Memory&) const noexcept;
};

}  // namespace vernier::hybrid::detail
