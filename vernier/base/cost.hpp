#pragma once

#include <span>
#include <vector>

/// What a computation costs on this machine, however busy that is: processor time of the calling
/// thread, and of several short measurements one that nothing disturbed.
namespace vernier {

/// Processor time that this thread has used, in µs.
double processor_us() noexcept;

/// The tenth percentile: interruptions and cold caches only ever add. Reorders the samples; 0
/// without any.
double undisturbed(std::span<double> samples) noexcept;

/// The cost of one call, in µs, from `batches` measurements of `calls` each.
template <class F>
double cost_us(F call, int calls = 100, std::size_t batches = 25) {
  std::vector<double> samples(batches);
  for (double& s : samples) {
    const double start = processor_us();
    for (int k = 0; k < calls; ++k) call();
    s = (processor_us() - start) / calls;
  }
  return undisturbed(samples);
}

}  // namespace vernier
