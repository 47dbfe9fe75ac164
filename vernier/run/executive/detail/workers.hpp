#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <thread>
#include <vector>

namespace vernier::executive::detail {

/// Threads that execute one job together, up to some hundred thousand times a second: they spin
/// briefly before they sleep.
class Workers {
 public:
  using Job = void (*)(void* context, int worker) noexcept;

  /// `count` workers, the calling thread being number 0.
  explicit Workers(int count);
  ~Workers();
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  int count() const noexcept { return static_cast<int>(threads_.size()) + 1; }

  /// Calls job(context, w) for every worker w and returns when all are done. Earlier writes of the
  /// caller are visible to the workers, and theirs to the caller afterwards.
  void run(Job, void* context) noexcept;

 private:
  void serve(int worker) noexcept;

  alignas(64) std::atomic<std::uint32_t> round_{0};
  alignas(64) std::atomic<int> running_{0};
  std::atomic<bool> quit_{false};
  int spins_;  // iterations of the spin loop before a thread sleeps
  Job job_ = nullptr;
  void* context_ = nullptr;
  std::vector<std::thread> threads_;
};

/// The part of `n` items that belongs to one worker.
struct Slice {
  std::size_t begin, end;
};
constexpr Slice slice(std::size_t n, int worker, int workers) noexcept {
  const auto w = static_cast<std::size_t>(worker);
  const auto of = static_cast<std::size_t>(workers);
  return {n * w / of, n * (w + 1) / of};
}

}  // namespace vernier::executive::detail
