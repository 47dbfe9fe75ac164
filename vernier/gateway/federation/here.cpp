#include "vernier/gateway/federation/here.hpp"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <ctime>
#include <thread>
#include <utility>

namespace vernier::federation {

void Bell::ring() noexcept {
  syscall(SYS_futex, &state_, FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0);
}

void Bell::sleep(RtiTransport::Clock::time_point until) noexcept {
  std::uint32_t expected = awake;
  if (!state_.compare_exchange_strong(expected, asleep)) return;
  timespec at{};
  timespec* deadline = nullptr;
  if (until != RtiTransport::Clock::time_point::max()) {
    const auto since = until.time_since_epoch();
    const auto s = std::chrono::floor<std::chrono::seconds>(since);
    at = {s.count(), std::chrono::nanoseconds(since - s).count()};
    deadline = &at;
  }
  // FUTEX_WAIT_BITSET takes an absolute deadline on the monotonic clock
  syscall(SYS_futex, &state_, FUTEX_WAIT_BITSET_PRIVATE, asleep, deadline, nullptr,
          FUTEX_BITSET_MATCH_ANY);
}

/// Sending a frame calls the RTI directly; frames from the RTI are queued.
class HereTransport final : public RtiTransport, public Peer {
 public:
  explicit HereTransport(std::shared_ptr<Hub> hub) : hub_(std::move(hub)) {
    const std::lock_guard lock(hub_->lock_);
    hub_->channels_.push_back(this);
    connection_ = hub_->exchange_->open(*this);
  }
  ~HereTransport() override { close("the federate has gone"); }

  bool send(Bytes frame) override {
    std::unique_lock lock(hub_->lock_);
    sender_.store(std::this_thread::get_id(), std::memory_order_relaxed);
    if (hub_->backlog_.load(std::memory_order_relaxed) > hub_->limit_ || hub_->exchange_->crowded())
      wait_for_room(lock, frame);
    if (!open_) return false;
    const bool good = hub_->exchange_->take(connection_, frame);
    hub_->pulses_.store(hub_->exchange_->pulses(), std::memory_order_relaxed);
    if (hub_->waiting_.load(std::memory_order_relaxed) > 0) hub_->room_.notify_all();
    end_given_up();
    ring(lock);
    if (!good) close("the RTI does not understand what the federate said");
    return good;
  }
  bool flush() override { return open_; }

  bool receive(Clock::time_point until, const std::function<void(Bytes)>& take) override {
    receiver_.store(std::this_thread::get_id(), std::memory_order_relaxed);
    std::vector<Frame> batch;
    while (true) {
      bell_.listen();
      {
        const std::lock_guard lock(queue_lock_);
        if (!queue_.empty()) {
          batch.swap(spare_);
          batch.swap(queue_);
        }
      }
      if (!batch.empty()) break;
      if (woken_.exchange(false)) return true;
      if (!open_) return false;
      const auto now = Clock::now();
      if (now >= until) return true;
      if (!hub_->pulses_.load(std::memory_order_relaxed)) {
        bell_.sleep(until);
        continue;
      }
      bell_.sleep(std::min(until, now + std::chrono::milliseconds(200)));
      std::unique_lock lock(hub_->lock_);
      hub_->exchange_->pulse();
      end_given_up();
      ring(lock);
    }
    const std::size_t bytes = backlog_.exchange(0);
    hub_->backlog_.fetch_sub(bytes);
    if (hub_->waiting_.load() > 0) {
      const std::lock_guard lock(hub_->lock_);
      hub_->room_.notify_all();
    }
    for (const Frame& f : batch) take(*f);
    batch.clear();
    const std::lock_guard lock(queue_lock_);
    if (spare_.capacity() < batch.capacity()) spare_.swap(batch);
    return true;
  }

  void wake() override {
    woken_ = true;
    if (bell_.announce()) bell_.ring();
  }
  std::string why_lost() const override {
    const std::lock_guard lock(queue_lock_);
    return why_;
  }

  /// Called by the exchange, under the hub's lock.
  void put(const Frame& f) override {
    const std::size_t bytes = f->size();
    backlog_.fetch_add(bytes, std::memory_order_relaxed);
    hub_->backlog_.fetch_add(bytes, std::memory_order_relaxed);
    {
      const std::lock_guard lock(queue_lock_);
      queue_.push_back(f);
    }
    if (bell_.announce()) hub_->to_ring_.push_back(&bell_);
  }
  std::size_t backlog() const noexcept override { return backlog_; }
  void give_up(std::string_view why) override {
    const std::lock_guard lock(queue_lock_);
    why_ = why;
    hub_->given_up_.push_back(this);
  }

 private:
  void close(const char* why) {
    std::unique_lock lock(hub_->lock_);
    if (!open_) return;
    {
      const std::lock_guard queue_lock(queue_lock_);
      why_ = why;
    }
    end(why);
    ring(lock);
  }
  /// Called under the hub's lock.
  void end(const char* why) {
    open_ = false;
    hub_->exchange_->close(connection_, why);
    std::erase(hub_->channels_, this);
    hub_->backlog_.fetch_sub(backlog_.exchange(0));
    hub_->room_.notify_all();
  }
  void end_given_up() {
    while (!hub_->given_up_.empty()) {
      HereTransport* const c = hub_->given_up_.back();
      hub_->given_up_.pop_back();
      if (c->open_) c->end("given up");
      if (c->bell_.announce()) hub_->to_ring_.push_back(&c->bell_);
    }
  }

  /// Wakes sleepers after releasing the lock, which they need next.
  void ring(std::unique_lock<std::mutex>& lock) {
    std::array<Bell*, 64> some;
    std::size_t n = 0;
    for (Bell* b : hub_->to_ring_) {
      if (n < some.size()) {
        some[n++] = b;
      } else {
        b->ring();
      }
    }
    hub_->to_ring_.clear();
    lock.unlock();
    // a channel may be destroyed meanwhile: whoever sleeps at that address then wakes spuriously
    for (std::size_t i = 0; i < n; ++i) some[i]->ring();
  }

  /// Blocks while receivers lag. Two federates that flood each other must not deadlock, nor one
  /// thread that runs several federates.
  void wait_for_room(std::unique_lock<std::mutex>& lock, Bytes frame) {
    const auto next = header(frame);
    const auto of_this_thread = [](const std::atomic<std::thread::id>& t) {
      return t.load(std::memory_order_relaxed) == std::this_thread::get_id();
    };
    for (bool waited = false; next && open_; waited = true) {
      const Connection by =
          hub_->exchange_->pressing(connection_, next->kind, hub_->limit_, waited);
      if (by == 0) return;
      const bool in_vain =
          std::any_of(hub_->channels_.begin(), hub_->channels_.end(), [&](const HereTransport* c) {
            return (c->backlog_ > hub_->limit_ && of_this_thread(c->receiver_)) ||
                   (c->connection_ == by && (of_this_thread(c->receiver_) ||
                                             of_this_thread(c->sender_) || c->cannot_act()));
          });
      if (in_vain) return;
      ++hub_->waiting_;
      waits_ = true;
      hub_->room_.wait_for(lock, std::chrono::milliseconds(100));
      waits_ = false;
      --hub_->waiting_;
      if (hub_->exchange_->pulses()) hub_->exchange_->pulse();
      end_given_up();
      for (Bell* b : std::exchange(hub_->to_ring_, {})) b->ring();
    }
  }

  /// Whether it waits for another federate itself, and none of its other threads can receive.
  bool cannot_act() const noexcept {
    const std::thread::id reader = receiver_.load();
    return waits_ &&
           (backlog_ <= hub_->limit_ || reader == sender_.load() || reader == std::thread::id{});
  }

  const std::shared_ptr<Hub> hub_;
  Connection connection_ = 0;
  bool waits_ = false;  // for room; protected by the hub's lock
  std::atomic<bool> open_{true};
  Bell bell_;
  std::atomic<bool> woken_{false};
  std::atomic<std::size_t> backlog_{0};
  std::atomic<std::thread::id> receiver_{}, sender_{};

  mutable std::mutex queue_lock_;  // protects the members below
  std::vector<Frame> queue_, spare_;
  std::string why_;
};

Hub::Hub(std::unique_ptr<Exchange> e, std::size_t limit) : limit_(limit), exchange_(std::move(e)) {}

std::unique_ptr<RtiTransport> Hub::connect() {
  return std::make_unique<HereTransport>(shared_from_this());
}

}  // namespace vernier::federation
