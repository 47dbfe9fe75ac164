#pragma once

#include "vernier/base/fault.hpp"
#include "vernier/base/time.hpp"

namespace vernier {

/// Also implemented by a component that can say why one of its outputs is not-a-number. The
/// executive finds it by dynamic_cast, after the run has failed.
class OutputExplainer {
 public:
  virtual ~OutputExplainer() = default;

  /// Lines that each begin with a line break. False: not known.
  virtual bool explain_output(Time now, Fault&) noexcept = 0;
};

}  // namespace vernier
