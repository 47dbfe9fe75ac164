#pragma once

#include <string>
#include <vector>

#include "vernier/component/pacer.hpp"
#include "vernier/run/composition/plan.hpp"
#include "vernier/run/session/session.hpp"

namespace vernier::session {

/// Components that must not lose data hold time back, unless the wall clock does; those that share
/// time with others always do.
std::vector<Pacer*> pacers_of(const composition::Plan&, bool by_the_clock);
/// The same without a clock, while what moves comes to rest: nobody outside may hold that up.
std::vector<Pacer*> pacers_at_rest(const composition::Plan&);

/// A component may request a clock, unless the user chose one.
void adopt_pace(const composition::Plan&, Options&);

/// "1.24 s".
std::string rest_text(Duration);
/// V4123: something still moves after the longest time that it may take.
Diagnostic not_at_rest(Duration longest, const std::string& motion);

}  // namespace vernier::session
