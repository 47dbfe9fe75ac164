#pragma once

namespace vernier::bench {

/// Multiplications and additions per nanosecond that one core of this machine reaches: with its
/// best instruction set, twelve independent chains of fused operations. Zero if there are none.
double peak_gigaflops();

}  // namespace vernier::bench
