#include "vernier/run/registry/leadership.hpp"

#include <algorithm>
#include <utility>

namespace vernier::registry {
namespace {

using namespace std::chrono_literals;
using Kind = Trouble::Kind;

constexpr auto look_every = 1s, publish_within = 2s, resign_within = 2s;

/// Of a term: when to renew it after it was renewed, and again when that failed.
Clock::duration renewal(const Term& t) noexcept { return t.life / 3; }
Clock::duration pause(const Term& t) noexcept {
  return std::clamp<Clock::duration>(t.life / 20, 20ms, 500ms);
}

}  // namespace

Leadership::Leadership(std::unique_ptr<Registry> r, Term t, Leader who, MakeRecord make, Lost lost)
    : registry_(std::move(r)),
      term_(std::move(t)),
      who_(std::move(who)),
      make_record_(std::move(make)),
      tell_(std::move(lost)),
      ends_(term_.ends.time_since_epoch().count()) {
  who_.epoch = term_.epoch;
  watches_ = std::thread([this] { watch(); });
  asks_ = std::thread([this] { work(); });
}

Leadership::~Leadership() { resign(false); }

Clock::time_point Leadership::ends() const noexcept {
  return Clock::time_point(Clock::duration(ends_.load()));
}
void Leadership::set_end(Clock::time_point t) noexcept { ends_ = t.time_since_epoch().count(); }

bool Leadership::held() const noexcept { return !lost_ && Clock::now() < ends(); }

void Leadership::lose(const Trouble& t) {
  if (over_ || lost_.exchange(true)) return;
  wake_.ring();
  watch_wake_.ring();
  tell_(t);
}

void Leadership::watch() {
  while (!over_ && !lost_) {
    if (Clock::now() >= ends()) {
      const std::lock_guard lock(why_mutex_);
      lose({Kind::lost, "it could not be renewed in time" + (why_.empty() ? "" : ": " + why_), {}});
    }
    net::wait_for(watch_wake_.descriptor(), net::readable, ends());
  }
}

Clock::time_point Leadership::show(Clock::time_point deadline) {
  Record now = make_record_();
  now.run = term_.run;
  now.leader = who_;
  if (shown_ != now && held()) {
    const auto done = registry_->publish(term_, now, std::min(deadline, ends()));
    if (done) shown_ = std::move(now);
    if (!done && done.error().kind == Kind::lost) lose(done.error());
  }
  return Clock::now() + look_every;
}

void Leadership::work() {
  const bool renews = term_.life > Clock::duration{};
  // from the beginning of the term
  Clock::time_point renew_at =
      renews ? ends() - (term_.life / 5 * 4 - renewal(term_)) : net::forever;
  Clock::time_point look_at = Clock::now();
  while (!over_ && !lost_) {
    net::wait_for(wake_.descriptor(), net::readable, std::min(renew_at, look_at));
    if (wake_.clear()) look_at = Clock::now();
    if (over_ || lost_) return;
    if (Clock::now() >= renew_at) {
      const auto asked = Clock::now();
      const auto now_ends = registry_->renew(term_, std::min(ends(), asked + renewal(term_)));
      {
        const std::lock_guard lock(why_mutex_);
        why_ = now_ends ? "" : now_ends.error().why;
      }
      if (now_ends) {
        set_end(std::max(*now_ends, ends()));
        renew_at = asked + renewal(term_);
      } else if (now_ends.error().kind == Kind::lost) {
        return lose(now_ends.error());
      } else {
        renew_at = Clock::now() + pause(term_);
      }
    }
    // a record that cannot be written must not keep the term from being renewed
    if (Clock::now() >= look_at) look_at = show(std::min(renew_at, Clock::now() + publish_within));
  }
}

void Leadership::resign(bool forget) {
  if (over_.exchange(true)) return;
  wake_.ring();
  watch_wake_.ring();
  asks_.join();
  watches_.join();
  if (!held()) return;
  const auto deadline = Clock::now() + resign_within;
  if (!forget) static_cast<void>(show(deadline));
  if (held()) static_cast<void>(registry_->resign(term_, forget, std::min(deadline, ends())));
}

}  // namespace vernier::registry
