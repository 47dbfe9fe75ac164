#define VERNIER_INSTRUCTIONS sse2
#define VERNIER_LANES 2
#include "vernier/kernel/multibody/detail/node_kernels.hpp"
