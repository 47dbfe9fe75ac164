#include "vernier/run/server/shipper.hpp"

#include <algorithm>
#include <atomic>
#include <thread>

#include "vernier/run/realtime/privileges.hpp"
#include "vernier/run/server/byte_ring.hpp"

namespace vernier::server {
namespace {

constexpr std::size_t much = std::size_t{64} << 10;
constexpr std::size_t most_waiting = std::size_t{1} << 20;
constexpr std::size_t progress_bytes = 16, record_bytes = 128;  // at most
constexpr auto often = std::chrono::milliseconds(2);

}  // namespace

/// Takes what the loop has written to the composer, on a thread of its own.
class Shipper::Courier {
 public:
  explicit Courier(Shipper& s) : shipper_(s), ring_(on_the_way), thread_([this] { run(); }) {}
  ~Courier() {
    over_.store(true);
    thread_.join();
  }

  /// By the loop: everything before `t`. False: there is no room.
  bool take(Bytes b, Time t) noexcept {
    if (!ring_.write(b)) return false;
    until_.store(t.time_since_epoch().count(), std::memory_order_release);
    return true;
  }
  /// By the thread of the loop, when it rests: waits until all is sent.
  bool finish(Bytes b, Time t) {
    while (!take(b, t) && !gone_.load()) std::this_thread::sleep_for(pause);
    // what is written now is sent before the courier has looked twice
    for (const std::uint64_t seen = turns_.load() + 2; turns_.load() < seen && !gone_.load();)
      std::this_thread::sleep_for(pause);
    return !gone_.load();
  }
  void prioritize(int priority) noexcept {
    realtime::prioritize(thread_.native_handle(), priority);
  }
  bool gone() const noexcept { return gone_.load(std::memory_order_relaxed); }

 private:
  static constexpr std::size_t on_the_way = std::size_t{8} << 20;
  static constexpr auto pause = std::chrono::milliseconds(1);

  void run() {
    std::vector<std::byte> batch;
    while (!gone_.load()) {
      const bool over = over_.load();
      const Time until(Duration(until_.load(std::memory_order_acquire)));
      batch.clear();
      if (ring_.take(batch) && !shipper_.channel_.send(Word::results, Bytes(batch)))
        gone_.store(true);
      if (shipper_.on_tick) shipper_.on_tick(until);
      turns_.fetch_add(1);
      if (over) return;
      if (batch.empty()) std::this_thread::sleep_for(pause);
    }
  }

  Shipper& shipper_;
  ByteRing ring_;
  std::atomic<std::int64_t> until_{Time::min().time_since_epoch().count()};
  std::atomic<bool> over_{false}, gone_{false};
  std::atomic<std::uint64_t> turns_{0};
  std::thread thread_;
};

Shipper::Shipper(Channel& to, executive::Executive& e) : channel_(to), executive_(e) {
  executive_.observe(ear_, {.events = false});
  executive_.keep_journal(this);
}

Shipper::~Shipper() {
  courier_.reset();
  executive_.keep_journal(nullptr);
  executive_.remove(ear_);
  forget_all();
}

void Shipper::keep_time(const realtime::FramePacer* pacer) {
  pacer_ = pacer;
  batch_.reserve(most_waiting);
  courier_ = std::make_unique<Courier>(*this);
}

void Shipper::prioritize(int priority) noexcept { courier_->prioritize(priority); }

void Shipper::reserve(bool copies) {
  std::size_t rows = 0;
  for (const auto& e : eyes_) rows += e->total + 64;
  if (copies && executive_.settled()) {
    executive_.save_into(kept_);
    encode_into(share_, kept_);
  }
  share_.reserve(2 * share_.size());
  batch_.reserve(std::max(most_waiting, 64 * rows + 4 * share_.capacity()));
  frame_.costs.reserve(executive_.parts().size());
  if (pacer_) frame_.waits.reserve(pacer_->nodes().size());
}

bool Shipper::has_room(std::size_t bytes) const noexcept {
  return batch_.size() + bytes <= batch_.capacity();
}

void Shipper::observe(const Tap& t) {
  auto eye = std::make_unique<Eye>(*this, t.number);
  for (const std::uint32_t v : t.views) {
    if (v >= executive_.ports().size()) continue;
    const executive::PortView& port = executive_.ports()[v];
    if (port.data == nullptr) continue;
    eye->ports.push_back(&port);
    eye->bytes.push_back(bytes_of(*port.port));
    eye->total += static_cast<std::uint32_t>(eye->bytes.back());
  }
  if (t.cluster >= executive_.plan().clusters.size()) return;
  // observed even if no port is here: what other nodes sample may need the outputs of this one
  executive_.observe(*eye, {.rate = {t.times, t.seconds},
                            .events = t.events,
                            .exactly = t.exactly,
                            .cluster = t.cluster});
  eyes_.push_back(std::move(eye));
}

void Shipper::forget(std::uint32_t tap) {
  std::erase_if(eyes_, [&](const auto& e) {
    if (e->number != tap) return false;
    executive_.remove(*e);
    return true;
  });
}

void Shipper::forget_all() {
  for (const auto& e : eyes_) executive_.remove(*e);
  eyes_.clear();
}

void Shipper::restart(Time now) noexcept {
  batch_.clear();
  now_ = now;
}

bool Shipper::ship(Time t) {
  writer_.progress(t);
  const bool sent =
      courier_ ? courier_->finish(batch_, t) : channel_.send(Word::results, Bytes(batch_));
  batch_.clear();
  shipped_ = std::chrono::steady_clock::now();
  return sent;
}

Outcome Shipper::wait_for(Time t) noexcept {
  now_ = t;
  if (courier_) {
    if (has_room(progress_bytes)) writer_.progress(t);
    if (courier_->take(batch_, t)) batch_.clear();
    return courier_->gone() ? Outcome::failed : Outcome::ok;
  }
  if (on_tick) on_tick(t);
  if (batch_.size() < much && std::chrono::steady_clock::now() - shipped_ < often)
    return Outcome::ok;
  return ship(t) ? Outcome::ok : Outcome::failed;
}

Fault Shipper::fault() const noexcept {
  Fault f;
  f.set(Category::peer, "V5601", "the composer is gone");
  return f;
}

void Shipper::carried_out(const executive::CarriedOut& o) noexcept {
  if (courier_ && !has_room(record_bytes + 8 * o.values.size())) {
    ++dropped_;
    return;
  }
  writer_.order(o.at, o.settled, o.scheduled, static_cast<std::uint8_t>(o.kind), o.view, o.values);
}

void Shipper::keep(Time now) noexcept {
  executive_.save_into(kept_);
  encode_into(share_, kept_);
  if (courier_ && !has_room(share_.size() + record_bytes)) {
    ++dropped_;
    return;
  }
  writer_.share(now, share_);
}

void Shipper::take(const realtime::Frame& f, std::span<const std::int64_t> costs) noexcept {
  frame_.number = f.number;
  frame_.time = f.time.time_since_epoch().count();
  frame_.wake_up = f.wake_up;
  frame_.cost = f.cost;
  frame_.margin = f.margin;
  frame_.held = f.held;
  frame_.late = f.late;
  frame_.slept = f.slept;
  frame_.behind = f.behind;
  const std::span<const std::int64_t> waits = pacer_->last_waits();
  frame_.waits.assign(waits.begin(), waits.end());
  frame_.costs.clear();
  for (std::uint32_t p = 0; p < costs.size(); ++p)
    if (executive_.here(p)) frame_.costs.push_back({p, costs[p]});
  if (has_room(record_bytes + 8 * frame_.waits.size() + 12 * frame_.costs.size()))
    writer_.frame(frame_);
  else
    ++dropped_;
}

void Shipper::Eye::sample(Instant at, bool last) noexcept {
  if (ports.empty()) return;
  if (shipper.courier_ && !shipper.has_room(shipper.batch_.capacity() / 2 + total)) {
    ++shipper.dropped_;
    return;
  }
  shipper.writer_.row(number, at, last, total);
  for (std::size_t i = 0; i < ports.size(); ++i)
    shipper.writer_.raw({static_cast<const std::byte*>(ports[i]->data), bytes[i]});
}

void Shipper::Ear::note(std::size_t part, std::span<const Entry> entries) noexcept {
  for (const Entry& e : entries) {
    if (shipper.courier_ && !shipper.has_room(record_bytes)) {
      ++shipper.dropped_;
      continue;
    }
    shipper.writer_.note(
        {shipper.now_, shipper.executive_.emptied(), static_cast<std::uint32_t>(part), e});
  }
}

}  // namespace vernier::server
