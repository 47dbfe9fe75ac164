#define VERNIER_INSTRUCTIONS avx512_fused
#define VERNIER_LANES 8
#include "vernier/kernel/multibody/detail/node_kernels.hpp"
