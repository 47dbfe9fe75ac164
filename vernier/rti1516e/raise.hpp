#pragma once

#include <string_view>

#include "vernier/gateway/federation/failure.hpp"

namespace vernier::hla {

/// Throws the exception of the standard that has the failure's name.
[[noreturn]] void raise(federation::Failure, std::string_view text);
/// The same, of a refusal by the RTI, which has reported it if anybody wants to know.
[[noreturn]] void raise_answer(federation::Failure, std::string_view text);

}  // namespace vernier::hla
