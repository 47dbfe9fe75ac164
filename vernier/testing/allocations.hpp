#pragma once

namespace vernier::testing {

/// The number of allocations by operator new of this thread so far. Every test executable counts.
long allocations() noexcept;

}  // namespace vernier::testing
