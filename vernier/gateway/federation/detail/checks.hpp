#pragma once

#include <string>
#include <utility>

#include "vernier/gateway/federation/failure.hpp"

namespace vernier::federation::detail {

/// A message that no correct federate sends: its connection is closed.
struct Malformed {};

[[noreturn]] inline void refuse(Failure f, std::string text) { throw Refusal{f, std::move(text)}; }

}  // namespace vernier::federation::detail
