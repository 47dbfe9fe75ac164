#include "vernier/run/executive/detail/workers.hpp"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace vernier::executive::detail {

namespace {

void relax() noexcept {
#if defined(__x86_64__)
  _mm_pause();
#else
  std::this_thread::yield();
#endif
}

}  // namespace

Workers::Workers(int count)
    // about as long as waking a thread takes; no spinning where threads share cores
    : spins_(count <= static_cast<int>(std::thread::hardware_concurrency()) ? 2000 : 0) {
  for (int w = 1; w < count; ++w) threads_.emplace_back([this, w] { serve(w); });
}

Workers::~Workers() {
  quit_.store(true);
  round_.fetch_add(1);
  round_.notify_all();
  for (std::thread& t : threads_) t.join();
}

void Workers::run(Job job, void* context) noexcept {
  job_ = job;
  context_ = context;
  running_.store(static_cast<int>(threads_.size()), std::memory_order_relaxed);
  round_.fetch_add(1, std::memory_order_release);
  round_.notify_all();
  job(context, 0);
  for (int spin = 0; spin < spins_; ++spin) {
    if (running_.load(std::memory_order_acquire) == 0) return;
    relax();
  }
  for (int left = running_.load(std::memory_order_acquire); left != 0;
       left = running_.load(std::memory_order_acquire))
    running_.wait(left, std::memory_order_acquire);
}

void Workers::serve(int worker) noexcept {
  std::uint32_t seen = 0;
  while (true) {
    for (int spin = 0; spin < spins_ && round_.load(std::memory_order_acquire) == seen; ++spin)
      relax();
    round_.wait(seen, std::memory_order_acquire);
    ++seen;
    if (quit_.load()) return;
    job_(context_, worker);
    if (running_.fetch_sub(1, std::memory_order_acq_rel) == 1) running_.notify_one();
  }
}

}  // namespace vernier::executive::detail
