#pragma once

#include <condition_variable>
#include <deque>
#include <mutex>
#include <vector>

#include "vernier/run/exchange/exchange.hpp"

namespace vernier::exchange::test {

/// Frames between the threads of one process, through queues. A node can be lost: what it had sent
/// until then arrives, except for its last frames to some of the others.
class Hub {
 public:
  explicit Hub(std::uint32_t nodes)
      : nodes(nodes),
        lost(nodes),
        left(nodes),
        lose_after(nodes, ~std::uint64_t{0}),
        sent(nodes),
        queues(std::size_t{nodes} * nodes) {}
  std::uint32_t nodes;
  std::mutex mutex;
  std::condition_variable news;
  bool interrupted = false;
  std::vector<std::uint8_t> lost, left;   // by node
  std::vector<std::uint64_t> lose_after;  // by node: it is lost with the frame of this number
  std::vector<std::uint64_t> sent;        // by node
  std::vector<std::deque<std::vector<std::byte>>> queues;  // from * nodes + to
  std::uint64_t frames = 0;

  /// A node says nothing more, and nobody waits for it.
  void leave(std::uint32_t node) {
    const std::lock_guard lock(mutex);
    left[node] = 1;
    news.notify_all();
  }
};

class QueueExchange final : public Exchange {
 public:
  QueueExchange(Hub& hub, std::uint32_t self) : hub_(hub), self_(self), last_(hub.nodes) {}
  std::uint32_t nodes() const noexcept override { return hub_.nodes; }
  std::uint32_t self() const noexcept override { return self_; }
  void reserve(std::size_t) override {}
  bool send(std::uint32_t peer, Bytes frame) noexcept override {
    const std::lock_guard lock(hub_.mutex);
    if (hub_.sent[self_]++ == hub_.lose_after[self_]) {
      hub_.lost[self_] = 1;
      hub_.news.notify_all();
    }
    if (hub_.lost[self_]) return false;
    why_ = hub_.lost[peer] ? "it was killed" : "";
    if (hub_.lost[peer]) return false;
    hub_.queues[self_ * hub_.nodes + peer].emplace_back(frame.begin(), frame.end());
    ++hub_.frames;
    hub_.news.notify_all();
    return !hub_.interrupted;
  }
  Received receive(std::uint32_t peer, Bytes& frame, Clock::time_point) noexcept override {
    std::unique_lock lock(hub_.mutex);
    auto& queue = hub_.queues[peer * hub_.nodes + self_];
    hub_.news.wait(lock, [&] {
      return hub_.interrupted || !queue.empty() || hub_.lost[peer] || hub_.left[peer] ||
             hub_.lost[self_];
    });
    why_ = hub_.lost[peer] ? "it was killed" : "";
    if (hub_.lost[self_]) return Received::interrupted;
    if (queue.empty()) return hub_.lost[peer] ? Received::lost : Received::interrupted;
    last_[peer] = std::move(queue.front());
    queue.pop_front();
    frame = last_[peer];
    return Received::frame;
  }
  void interrupt() noexcept override {
    const std::lock_guard lock(hub_.mutex);
    hub_.interrupted = true;
    hub_.news.notify_all();
  }
  void begin(std::uint32_t) override {}
  std::uint32_t epoch() const noexcept override { return 0; }
  const char* why(std::uint32_t) const noexcept override { return why_; }

 private:
  Hub& hub_;
  std::uint32_t self_;
  const char* why_ = "";
  std::vector<std::vector<std::byte>> last_;
};

}  // namespace vernier::exchange::test
