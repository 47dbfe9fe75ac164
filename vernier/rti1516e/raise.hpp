#pragma once

#include <string_view>

#include "vernier/gateway/federation/failure.hpp"

namespace vernier::hla {

/// Throws the exception of the standard with the failure's name.
[[noreturn]] void raise(federation::Failure, std::string_view text);
/// The same for a refusal by the RTI, which reports it itself where that is requested.
[[noreturn]] void raise_answer(federation::Failure, std::string_view text);

}  // namespace vernier::hla
