#pragma once

namespace vernier::bench {

/// Multiplications and additions per nanosecond that one core of this machine reaches: the best
/// instructions it has, twelve independent chains of fused operations. Zero where there are none.
double peak_gigaflops();

}  // namespace vernier::bench
