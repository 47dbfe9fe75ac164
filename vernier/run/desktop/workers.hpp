#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace vernier::desktop {

/// Threads for work that may wait: files, documents, other processes. With one thread, work is done
/// in the order in which it was added.
class Workers {
 public:
  using Work = std::function<void()>;

  explicit Workers(std::size_t threads);
  /// Waits for the work in progress; the rest is dropped.
  ~Workers();
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  /// From any thread. The work must not throw.
  void add(Work);

 private:
  void run();

  std::mutex mutex_;
  std::condition_variable more_;
  std::deque<Work> waiting_;
  bool over_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace vernier::desktop
