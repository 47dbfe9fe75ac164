#pragma once

namespace vernier::testing {

/// Allocations by operator new of this thread so far. Every test executable counts.
long allocations() noexcept;

}  // namespace vernier::testing
