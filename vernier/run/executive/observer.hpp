#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "vernier/base/time.hpp"
#include "vernier/component/description.hpp"
#include "vernier/component/journal.hpp"
#include "vernier/component/stream.hpp"

namespace vernier::executive {

/// A port of the run and its current value. The view never moves during the life of the executive;
/// `data` changes when the port is overridden or released, so read it again at each sample.
struct PortView {
  std::string path;            // "plant.omega"
  const Port* port = nullptr;  // unit, frame, count, scalar, flow, description
  std::uint32_t part = 0;      // index into Executive::parts()
  std::uint32_t cluster = 0;   // index into Plan::clusters
  bool output = false;
  bool overridden = false;
  bool held = false;  // comes from a part that is sampled: the value stays until its next tick
  const void* data = nullptr;      // count elements of the kind `port->scalar`; null for streams
  const Stream* stream = nullptr;  // of stream outputs

  /// The elements; empty when the port is of another kind. Events are integers.
  std::span<const double> reals() const noexcept;
  std::span<const std::int64_t> integers() const noexcept;
  std::span<const std::uint8_t> bytes() const noexcept;  // booleans and bytes
  /// Element `i` as a number, whatever its kind.
  double element(std::size_t i) const noexcept;
};

/// When an observer is called. The run takes the same steps in any case.
struct Sampling {
  Rate rate = {};       // none: at every instant
  bool events = true;   // also at instants where something changed, before and after
  bool exactly = true;  // at the ticks of `rate`, by dense output where parts have it; else, and
                        // where they do not, at the first instant that is not before the tick
  std::optional<std::uint32_t> cluster = {};  // instants of this one count; none: those of all

  bool operator==(const Sampling&) const = default;
};

/// Observes a run from inside the loop, as a recorder does. Called in the exchange phase by the
/// thread that runs the executive; must not allocate, wait or throw.
class Observer {
 public:
  virtual ~Observer() = default;

  /// The ports are as of `at`. An instant where something changed is shown twice: with the values
  /// before (microstep 0, last = false) and after everything settled (last = true); others once,
  /// with last = true.
  virtual void sample(Instant at, bool last) noexcept = 0;

  /// The ports that it reads, for a run in other processes: only their values are current when
  /// sample() is called. Null: all.
  virtual const std::vector<const PortView*>* reads() const noexcept { return nullptr; }

  /// Journal entries of part `part`, in order; copy them. Called before the sample of their instant
  /// with last = true, for every observer regardless of its sampling.
  virtual void note(std::size_t /*part*/, std::span<const Entry>) noexcept {}
};

}  // namespace vernier::executive
