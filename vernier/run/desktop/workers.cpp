#include "vernier/run/desktop/workers.hpp"

#include <utility>

namespace vernier::desktop {

Workers::Workers(std::size_t threads) {
  for (std::size_t n = 0; n < threads; ++n) threads_.emplace_back([this] { run(); });
}

Workers::~Workers() {
  {
    const std::lock_guard lock(mutex_);
    over_ = true;
    waiting_.clear();
  }
  more_.notify_all();
  for (std::thread& t : threads_) t.join();
}

void Workers::add(Work work) {
  {
    const std::lock_guard lock(mutex_);
    if (over_) return;
    waiting_.push_back(std::move(work));
  }
  more_.notify_one();
}

void Workers::run() {
  while (true) {
    Work work;
    {
      std::unique_lock lock(mutex_);
      more_.wait(lock, [this] { return over_ || !waiting_.empty(); });
      if (over_) return;
      work = std::move(waiting_.front());
      waiting_.pop_front();
    }
    work();
  }
}

}  // namespace vernier::desktop
