#include "vernier/gateway/link/link.hpp"

#include <cstring>
#include <ctime>

#include "vernier/base/codec.hpp"
#include "vernier/base/diagnostic.hpp"
#include "vernier/base/require.hpp"
#include "vernier/gateway/link/detail/communication.hpp"
#include "vernier/gateway/link/detail/shared.hpp"

namespace vernier::link {
namespace {

std::int64_t monotonic() noexcept {
  timespec t{};
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * std::int64_t{1'000'000'000} + t.tv_nsec;
}

[[noreturn]] void refuse(const Settings& s, const std::string& what) {
  throw ConfigurationError("V5122", "the link \"" + s.name + "\": " + what);
}

void check(const Settings& s) {
  if (!plausible(s.period)) refuse(s, "the sample time must be from 1 µs to 1000 s");
  const auto fits = [](std::uint32_t count, Element e) {
    return e != Element::none ? count <= most_payload / size_of(e) : count == 0;
  };
  if (!fits(s.send, s.send_element) || !fits(s.receive, s.receive_element))
    refuse(s, "a vector has at most 1048576 bytes");
  const auto sound = [](std::chrono::milliseconds t) {
    return t.count() >= 1 && t.count() <= 3'600'000;
  };
  if (!sound(s.ping_interval) || !sound(s.ping_timeout) || !sound(s.delay_interval))
    refuse(s, "intervals must be from 1 ms to an hour");
  if (s.queue > 65536) refuse(s, "a queue has at most 65536 vectors");
  if (s.ping_timeout < 2 * s.ping_interval)
    refuse(s, "the time-out must be at least twice the interval of the pings");
}

}  // namespace

std::string build_text(const Computing& c) {
  if (c.arithmetic == Arithmetic::reproducible) return "vernier";
  return std::string("vernier ") + vernier::name(c.arithmetic) + " " +
         vernier::name(c.instructions);
}

std::optional<Computing> computing_of(std::string_view build) noexcept {
  using enum Instructions;
  if (build != "vernier" && !build.starts_with("vernier ")) return {};
  for (const Instructions i : {sse2, avx2, avx512}) {
    const std::string_view set = vernier::name(i);
    if (build.ends_with(set) && build.find(" fastest ") != build.npos)
      return Computing{Arithmetic::fastest, i};
  }
  return Computing{};
}

std::uint64_t interface_hash(std::string_view text) noexcept {
  if (text.empty()) return 0;
  const Digest d = sha256(std::as_bytes(std::span(text)));
  const auto h = load<std::uint64_t>(d.data());
  return h != 0 ? h : 1;
}

const char* message_code(Reason r, bool theirs) noexcept {
  switch (r) {
    case Reason::closing:
      return "V5131";
    case Reason::busy:
      return "V5132";
    case Reason::version:
      return "V5133";
    case Reason::dimensions:
      return "V5134";
    case Reason::interface:
      return "V5135";
    case Reason::key:
      return "V5136";
    case Reason::framing:
    case Reason::token:
      return theirs ? "V5139" : "V5137";
    case Reason::timeout:
      return "V5138";
    case Reason::lost:
      return "V5140";
    case Reason::unreachable:
      return "V5141";
  }
  return "V5137";
}

Link::Link(Settings s) : settings_(std::move(s)) {
  check(settings_);
  if (!settings_.clock) settings_.clock = monotonic;
  shared_ = std::make_unique<Shared>(settings_);
  static_assert(std::is_trivially_copyable_v<Quality>);
  const Quality nothing;
  std::memcpy(shared_->quality.next(), &nothing, sizeof nothing);
  shared_->quality.write();
  communication_ = std::make_unique<Communication>(settings_, *shared_);
  if (settings_.queue > 0) {
    held_.resize(shared_->receive_bytes);
    received_.bytes = held_;
  } else {
    received_.bytes = {
        reinterpret_cast<const std::byte*>(shared_->incoming.front()) + sizeof(IncomingHead),
        shared_->receive_bytes};
  }
}

Link::~Link() = default;

void Link::set_priority(int p) noexcept {
  if (settings_.priority == 0) settings_.priority = p;
}
void Link::open() { communication_->open(); }
void Link::start() { communication_->start(); }
void Link::stop() { communication_->stop(); }
net::Address Link::control_address() const { return communication_->address(Connection::control); }
net::Address Link::data_address() const { return communication_->address(Connection::data); }

std::int64_t Link::now() const noexcept { return settings_.clock(); }

LinkState Link::state() const noexcept {
  return static_cast<LinkState>(shared_->state.load(std::memory_order_acquire));
}

void Link::wake() noexcept { shared_->wake.ring(); }

void Link::begin_step(std::int64_t n, std::int64_t planned, bool overran) noexcept {
  echo_ = 0;
  const StepNote note{n, planned, overran ? 1u : 0u};
  std::memcpy(shared_->steps.next(), &note, sizeof note);
  shared_->steps.write();
  wake();
}

template <class T>
void Link::send_vector(std::span<const T> v, std::int64_t acquired) noexcept {
  require(v.size_bytes() == shared_->send_bytes);
  const OutgoingHead head{++sent_, acquired != 0 ? acquired : now(), echo_};
  std::byte* to = shared_->outgoing.next();
  std::memcpy(to, &head, sizeof head);
  pack(v, {to + sizeof head, shared_->send_bytes});
  shared_->outgoing.write();
  wake();
}

void Link::send(std::span<const double> v, std::int64_t acquired) noexcept {
  require(settings_.send_element == Element::real);
  send_vector(v, acquired);
}
void Link::send(std::span<const std::int8_t> v, std::int64_t acquired) noexcept {
  require(settings_.send_element == Element::int8);
  send_vector(v, acquired);
}
void Link::send(std::span<const std::uint8_t> v, std::int64_t acquired) noexcept {
  require(settings_.send_element == Element::uint8);
  send_vector(v, acquired);
}

const Received& Link::receive() noexcept {
  const bool queued = settings_.queue > 0;
  const std::byte* from = queued                     ? shared_->queue.front()
                          : shared_->incoming.read() ? shared_->incoming.front()
                                                     : nullptr;
  received_.fresh = from != nullptr;
  const std::int64_t t = now();
  if (received_.fresh) {
    IncomingHead head;
    std::memcpy(&head, from, sizeof head);
    received_.number = head.number;
    received_.session = head.session;
    if (queued) {
      if (!held_.empty()) std::memcpy(held_.data(), from + sizeof head, held_.size());
      shared_->queue.pop();
    } else {
      received_.bytes = {from + sizeof head, shared_->receive_bytes};
    }
    received_.step = head.step;
    received_.acquired = head.acquired;
    received_.sent = head.sent;
    received_.received = head.received;
    received_.output = t;
    received_.answers = head.answers;
    received_.flags = static_cast<std::uint8_t>(head.flags);
    peer_period_ = head.peer_period;
    echo_ = head.acquired;
    // of several vectors taken in one step, the newest is output
    if (queued && shared_->queue.front()) {
      ++passed_;
    } else if (std::byte* to = shared_->outputs.next()) {
      const OutputNote note{head.number, passed_, head.acquired, head.answers, t};
      std::memcpy(to, &note, sizeof note);
      shared_->outputs.push();
      passed_ = 0;
    }
  }
  const LinkState s = state();
  const bool up = s == LinkState::up || s == LinkState::degraded;
  const auto age = static_cast<double>(t - received_.received);
  received_.stale = !up || received_.number == 0 ||
                    age > settings_.stale_periods * static_cast<double>(peer_period_);
  return received_;
}

const Quality& Link::quality() noexcept {
  shared_->quality.read();
  return *reinterpret_cast<const Quality*>(shared_->quality.front());
}

Status Link::status() const {
  const std::lock_guard hold(shared_->status_guard);
  return shared_->status;
}

}  // namespace vernier::link
