// Limits on the messages that wait for a federate inside the RTI, and what happens to its senders.
#include <algorithm>
#include <string>

#include "vernier/gateway/federation/federation.hpp"

namespace vernier::federation {

// ---- messages that wait in the TimeManager

void TimeManager::count(Federate& f, std::size_t come, std::size_t go) {
  const bool was = f.held > crowd_;
  f.held += come;
  f.held -= std::min(go, f.held);
  f.moves += go > 0 ? 1 : 0;
  const bool is = f.held > crowd_;
  if (is && !was) crowded_.push_back(f.handle);
  if (was && !is) std::erase(crowded_, f.handle);
}

void TimeManager::count(Handle federate, std::size_t come, std::size_t go) {
  if (member(federate)) count(of(federate), come, go);
}

std::size_t TimeManager::held(Handle federate) const noexcept {
  return member(federate) ? federates_[slots_[federate] - 1].held : 0;
}

std::uint64_t TimeManager::moves(Handle federate) const noexcept {
  return member(federate) ? federates_[slots_[federate] - 1].moves : 0;
}

bool TimeManager::waits(Handle federate) const noexcept {
  return member(federate) && federates_[slots_[federate] - 1].state != State::granted;
}

/// A federate that prevents `receiver` from advancing, directly or through others, has an output
/// bound not above the time that the receiver requests. A sender that is itself advancing cannot
/// change its bound by sending.
bool TimeManager::needs(Handle receiver, Handle sender) const noexcept {
  if (!waits(receiver) || !member(sender)) return false;
  const Federate& r = federates_[slots_[receiver] - 1];
  const std::size_t slot = slots_[sender] - 1;
  const Federate& s = federates_[slot];
  if (s.state != State::granted) return false;
  if (stop_ != never && s.constrained) return true;  // all must reach the stop
  return s.regulating && bounds_[slot] <= (asks_next(r) ? least_target(r) : r.target);
}

// ---- what the federation does about it

namespace {

bool brings_messages(Kind k) noexcept {
  return k == Kind::update_attributes || k == Kind::send_interaction || k == Kind::delete_object;
}

std::string megabytes(std::size_t bytes) {
  return std::to_string((bytes + 500000) / 1000000) + " MB";
}

}  // namespace

void Federation::limit_waiting(std::size_t bytes, std::chrono::milliseconds patience) noexcept {
  limits.waiting_bytes = bytes;
  limits.patience = patience;
  time_.set_crowd(bytes / 2);
}

const Federate* Federation::pressing(const Federate& sender, Kind next, bool waits) const noexcept {
  // a save completes only when all federates can send what they have to
  if (!crowded() || !brings_messages(next) || saving_ || restoring_) return nullptr;
  const std::size_t most = waits ? limits.waiting_bytes / 2 : limits.waiting_bytes;
  for (const Handle h : time_.crowded()) {
    if (h != sender.handle && time_.held(h) > most && !time_.needs(h, sender.handle))
      return federate(h);
  }
  return nullptr;
}

Federation::Stuck Federation::overflowing(Federate& sender, Kind kind) {
  for (const Handle h : time_.crowded()) {
    const std::size_t held = time_.held(h);
    if (held <= 2 * limits.waiting_bytes) continue;
    Federate& f = *federate(h);
    const bool kept = saving_ || restoring_;
    if (brings_messages(kind) && (kept || time_.needs(h, sender.handle)))
      return {&sender, "it keeps sending while " + megabytes(held) + " of messages wait for '" +
                           f.name + "' until " +
                           (kept ? "the federation is saved or restored" : "it advances itself") +
                           ": it should advance more often, or the RTI allow more (--max-waiting)"};
    if (!kept && !time_.waits(h))
      return {&f, megabytes(held) +
                      " of messages wait for it until it asks to advance: it should " +
                      "advance or enable asynchronous delivery, or the RTI allow more " +
                      "(--max-waiting)"};
  }
  return {};
}

Federation::Stuck Federation::stuck(std::chrono::steady_clock::time_point now) {
  for (Federate* f : joined_) {
    const std::uint64_t moves = time_.moves(f->handle);
    const std::size_t held = time_.held(f->handle);
    const bool turn = held > limits.waiting_bytes && !time_.waits(f->handle) && !saving_;
    if (!turn || restoring_) {
      f->moved = {};
    } else if (f->moved == std::chrono::steady_clock::time_point{} || moves != f->moves_seen) {
      f->moves_seen = moves;
      f->moved = now;
    } else if (now - f->moved >= limits.patience) {
      return {f, megabytes(held) + " of messages wait for it and it has not asked to advance for " +
                     std::to_string(limits.patience.count() / 1000) +
                     " s: it should advance or enable asynchronous delivery, or the RTI allow " +
                     "more (--max-waiting, --patience)"};
    }
  }
  return {};
}

}  // namespace vernier::federation
