#include "vernier/run/session/saved_states.hpp"

#include <algorithm>

#include "vernier/run/session/archive.hpp"

namespace vernier::session {

Regularly::Regularly(std::chrono::milliseconds first, std::function<void()> f)
    : thread_([this, first, f = std::move(f)] {
        std::unique_lock lock(mutex_);
        for (auto pause = first; !wake_.wait_for(lock, pause, [this] { return ending_; });
             pause = 10 * first) {
          lock.unlock();
          f();
          lock.lock();
        }
      }) {}

Regularly::~Regularly() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  wake_.notify_one();
  thread_.join();
}

const std::filesystem::path& SavedStates::save() {
  auto [checkpoint, progress] = take_();
  saved_.push_back(archive_.save(checkpoint, std::move(progress)));
  std::erase(kept_, saved_.back());
  return saved_.back();
}

std::optional<std::filesystem::path> SavedStates::keep() {
  constexpr std::size_t most = 2;
  auto [checkpoint, progress] = take_();
  progress.automatic = true;
  const std::filesystem::path file = archive_.place_of(checkpoint);
  const auto known = [&file](const auto& list) {
    return std::find(list.begin(), list.end(), file) != list.end();
  };
  if (known(saved_) || known(kept_)) return {};  // the run stands still
  kept_.push_back(archive_.save(checkpoint, std::move(progress)));
  for (; kept_.size() > most; kept_.pop_front()) archive_.remove(kept_.front());
  return file;
}

void SavedStates::adopt(const std::vector<std::filesystem::path>& kept) {
  kept_.assign(kept.begin(), kept.end());
}

void SavedStates::remove_kept() const {
  for (const std::filesystem::path& file : kept_) archive_.remove(file);
}

}  // namespace vernier::session
