#define VERNIER_INSTRUCTIONS avx2_fused
#define VERNIER_LANES 4
#include "vernier/kernel/multibody/detail/node_kernels.hpp"
