#pragma once

#include <memory>
#include <span>
#include <vector>

#include "vernier/base/time.hpp"
#include "vernier/kernel/hybrid/system.hpp"

namespace vernier::island::detail {

/// A system whose inputs are extrapolated linearly between two exchanges: u(t) = u + slope (t -
/// t0). Its inputs are those of the inner system, then one more signal with all slopes and t0.
class LinearInputs final : public hybrid::System {
 public:
  explicit LinearInputs(std::unique_ptr<hybrid::System>);
  const hybrid::System& within() const noexcept { return *system_; }

  const hybrid::SystemSpec& spec() const noexcept override { return spec_; }
  std::unique_ptr<hybrid::Workspace> workspace() const override;
  void flow(const hybrid::Point&, std::span<double> xdot,
            hybrid::Workspace&) const noexcept override;
  void output(const hybrid::Point&, std::span<double> y,
              hybrid::Workspace&) const noexcept override;
  void guards(const hybrid::Point&, std::span<double> z,
              hybrid::Workspace&) const noexcept override;
  bool select(const hybrid::Point&, std::span<const std::uint8_t> present, std::span<int> chosen,
              hybrid::Workspace&) const noexcept override;
  void jump(const hybrid::Point&, std::span<const int> chosen, hybrid::Jump&,
            hybrid::Workspace&) const noexcept override;
  void witness(const hybrid::Point&, int automaton, int transition, std::span<double, 2> sides,
               hybrid::Workspace&) const noexcept override;
  bool undecided(const hybrid::Point&, std::span<const std::uint8_t> present,
                 hybrid::Workspace&) const noexcept override;
  bool explain(const hybrid::Point&, Fault&, hybrid::Workspace&) const noexcept override;
  bool explain_jump(const hybrid::Point&, std::span<const int> chosen, Fault&,
                    hybrid::Workspace&) const noexcept override;
  void tangent(const hybrid::Point&, const hybrid::Direction&, const hybrid::Tangent&,
               hybrid::Workspace&) const noexcept override;

 private:
  /// The point of the inner system; its inputs are at the front of the working memory.
  hybrid::Point inside(const hybrid::Point&, hybrid::Workspace&) const noexcept;

  std::unique_ptr<hybrid::System> system_;
  std::size_t m_;  // elements of the inputs
  hybrid::SystemSpec spec_;
};

/// Finds the slopes from the inputs at the last exchanges. An input that jumps, or that has too few
/// samples, is held: extrapolation is used only if it predicted the last value at least twice as
/// well as holding.
class Lines {
 public:
  explicit Lines(std::size_t m) : earlier_(m), trend_(m), slope_(m) {}

  void reset() noexcept;
  /// Takes the inputs `u` that apply from `now` on.
  void draw(Time now, std::span<const double> u) noexcept;
  std::span<const double> slopes() const noexcept { return slope_; }

  std::size_t state_bytes() const noexcept;
  std::byte* save(std::byte* to) const noexcept;
  const std::byte* load(const std::byte* from) noexcept;

 private:
  std::vector<double> earlier_, trend_, slope_;
  struct Past {
    std::int64_t at = 0;        // ns, of `earlier_`
    std::int64_t interval = 0;  // ns, before it; 0: none
    std::int64_t known = 0;     // whether earlier_ is known
  } past_;
};

}  // namespace vernier::island::detail
