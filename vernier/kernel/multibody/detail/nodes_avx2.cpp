#define VERNIER_INSTRUCTIONS avx2
#define VERNIER_LANES 4
#include "vernier/kernel/multibody/detail/node_kernels.hpp"
