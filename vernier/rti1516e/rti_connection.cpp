#include "vernier/rti1516e/rti_connection.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "vernier/rti1516e/raise.hpp"

namespace vernier::hla {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t much = 4u << 20;  // larger buffers are freed after a burst
constexpr const char* unreadable = "the RTI said something that cannot be read";

}  // namespace

Bytes Frames::front() const noexcept {
  const Bytes rest = Bytes(bytes_).subspan(at_);
  return rest.first(federation::front(rest).length);  // validated when the frame arrived
}

void Frames::pop() noexcept {
  at_ += front().size();
  if (empty()) clear();
}

void Frames::clear() noexcept {
  at_ = 0;
  if (bytes_.capacity() > much)
    bytes_ = {};
  else
    bytes_.clear();
}

void Frames::keep(Kind kind) {
  Frames kept;
  for (; !empty(); pop())
    if (federation::header(front())->kind == kind) kept.append(front());
  *this = std::move(kept);
}

RtiConnection::RtiConnection() : take_([this](Bytes frame) { take(frame); }) {}

void RtiConnection::open(std::unique_ptr<RtiTransport> channel) {
  channel_ = std::move(channel);
  lost_ = closing_ = unflushed_ = in_hand_ = stale_ = false;
  why_.clear();
  ended_.clear();
  for (Frames* f : {&incoming_, &answers_, &arrived_, &front_}) f->clear();
}

void RtiConnection::close(Lock& lock) {
  if (!channel_) return;
  closing_ = true;
  while (receiving_ || waiting_ > 0) {
    wake();
    ++waiting_;
    changed_.wait_for(lock, 1ms);
    --waiting_;
  }
  if (!lost_) {
    federation::write(empty_frame(), federation::Leave{});
    if (channel_->send(out_)) channel_->flush();
  }
  channel_.reset();
}

void RtiConnection::lose(std::string why) {
  if (!lost_) why_ = std::move(why);
  lost_ = true;
  if (waiting_ > 0) changed_.notify_all();
}

void RtiConnection::post(bool now) {
  if (out_.size() > federation::longest_request)
    raise(Failure::RTIinternalError, "the message is larger than 48 MB");
  if (!lost_ && (!channel_->send(out_) || (now && !channel_->flush()))) lose(channel_->why_lost());
  if (lost_) raise(Failure::NotConnected, why_);
  unflushed_ = !now;
}

std::uint32_t RtiConnection::next_sequence() noexcept {
  if (++sequence_ == 0) ++sequence_;
  return sequence_;
}

void RtiConnection::await(Lock& lock, std::uint32_t sequence,
                          const std::function<bool(Bytes)>& read, bool holds) {
  Pending p{.sequence = sequence, .read = &read, .holds = holds};
  const auto forget = [&] {
    std::erase(pending_, &p);
    if (p.holds) release(p);
  };
  pending_.push_back(&p);
  if (holds) ++holding_;
  try {
    post(true);
    while (!p.arrived && !lost_ && !closing_) receive(lock, Clock::now() + 10s);
  } catch (...) {
    forget();
    throw;
  }
  forget();
  if (!p.arrived) raise(Failure::NotConnected, lost_ ? why_ : "disconnected meanwhile");
  if (p.failure != Failure::none) raise_answer(p.failure, p.text);
}

void RtiConnection::release(Pending& p) {
  p.holds = false;
  --holding_;
  if (has_next()) wake();
}

void RtiConnection::receive(Lock& lock, Clock::time_point until) {
  if (!channel_ || lost_ || closing_) return;
  if (receiving_) return idle(lock, until);
  if (unflushed_) {
    unflushed_ = false;
    if (!channel_->flush()) return lose(channel_->why_lost());
  }
  receiving_ = true;
  lock.unlock();
  const bool good = channel_->receive(until, take_);
  lock.lock();
  receiving_ = false;
  absorb();
  if (!good) lose(channel_->why_lost());
  if (!ended_.empty()) lose(ended_);
  if (waiting_ > 0) changed_.notify_all();
}

void RtiConnection::idle(Lock& lock, Clock::time_point until) {
  ++waiting_;
  changed_.wait_until(lock, until);
  --waiting_;
}

void RtiConnection::wake() {
  if (receiving_) channel_->wake();
  if (waiting_ > 0) changed_.notify_all();
}

Bytes RtiConnection::next() {
  if (front_.empty()) std::swap(front_, arrived_);
  in_hand_ = true;
  return front_.front();
}

void RtiConnection::pop() {
  front_.pop();
  in_hand_ = false;
  if (!stale_) return;
  stale_ = false;
  front_.keep(Kind::federations);
}

void RtiConnection::forget_callbacks() {
  arrived_.keep(Kind::federations);
  if (in_hand_)
    stale_ = true;
  else
    front_.keep(Kind::federations);
}

void RtiConnection::take(Bytes frame) {
  const auto h = federation::header(frame);
  if (!h) {
    ended_ = unreadable;
  } else if (h->kind == Kind::lost) {
    federation::Lost l;
    ended_ = federation::read(frame, l) && !l.why.empty() ? l.why : unreadable;
  } else if (h->kind == Kind::answer || h->kind == Kind::joined_tables ||
             h->kind == Kind::reporting) {
    answers_.append(frame);
  } else if (h->kind != Kind::alive) {
    incoming_.append(frame);
  }
}

void RtiConnection::absorb() {
  if (!incoming_.empty()) {
    if (arrived_.empty())
      std::swap(arrived_, incoming_);
    else
      arrived_.append(incoming_);
    incoming_.clear();
  }
  for (; !answers_.empty(); answers_.pop()) {
    const Bytes frame = answers_.front();
    const Kind kind = federation::header(frame)->kind;
    if (kind == Kind::answer)
      answered(frame);
    else if (!on_news(kind, frame))
      ended_ = unreadable;
  }
}

void RtiConnection::answered(Bytes frame) {
  const std::uint32_t sequence = federation::header(frame)->sequence;
  const auto at = std::find_if(pending_.begin(), pending_.end(),
                               [&](const Pending* p) { return p->sequence == sequence; });
  if (at == pending_.end()) return;  // its caller has given up
  federation::Answer a;
  if (!federation::read(frame, a)) {
    ended_ = unreadable;
    return;
  }
  Pending& p = **at;
  p.arrived = true;
  p.failure = a.failure;
  p.text = std::move(a.text);
  if (p.failure == Failure::none && *p.read && !(*p.read)(a.body)) ended_ = unreadable;
  if (p.holds) release(p);
}

}  // namespace vernier::hla
