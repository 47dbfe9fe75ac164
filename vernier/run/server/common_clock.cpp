#include "vernier/run/server/common_clock.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <type_traits>

#include "vernier/base/diagnostic.hpp"
#include "vernier/run/realtime/report.hpp"

namespace vernier::server {
namespace {

std::int64_t read_clock(clockid_t id) noexcept {
  timespec t{};
  clock_gettime(id, &t);
  return std::int64_t{t.tv_sec} * 1'000'000'000 + t.tv_nsec;
}

}  // namespace

std::int64_t monotonic() noexcept { return read_clock(CLOCK_MONOTONIC); }
std::int64_t time_of_day() noexcept { return read_clock(CLOCK_REALTIME); }

std::string machine_id() {
  std::string boot;
  std::getline(std::ifstream("/proc/sys/kernel/random/boot_id"), boot);
  // a container may count from another moment
  std::error_code none;
  const auto offsets = std::filesystem::read_symlink("/proc/self/ns/time", none);
  return boot.empty() ? boot : boot + " " + offsets.string();
}

void CommonClock::begin(Time origin, std::int64_t due, double rate) noexcept {
  origin_ = origin;
  due_ = due;
  rate_ = rate;
}

std::int64_t CommonClock::due(Time t, std::int64_t now) noexcept {
  const std::int64_t simulated = (t - origin_).count();
  const std::int64_t theirs =
      due_ + (rate_ == 1.0
                  ? simulated
                  : static_cast<std::int64_t>(static_cast<long double>(simulated) / rate_));
  switch (kind_) {
    case Kind::same:
      return theirs;
    case Kind::synchronised:
      return theirs + (monotonic() - time_of_day());
    case Kind::estimated:
      break;
  }
  latest_.read();
  static_assert(std::is_trivially_copyable_v<net::ClockEstimate>);
  net::ClockEstimate e;
  std::memcpy(&e, latest_.front(), sizeof e);
  return theirs + slewed_.follow(e, now);
}

std::int64_t CommonClock::now() const noexcept {
  return kind_ == Kind::synchronised ? time_of_day() : monotonic();
}

std::optional<std::int64_t> CommonClock::difference() const {
  constexpr std::int64_t permitted = 20'000;  // ns
  const std::int64_t offset = std::abs(offset_.load());
  const auto uncertain = static_cast<std::int64_t>(least_round_trip_.load() * 0.5e9);
  if (kind_ != Kind::synchronised || offset <= uncertain + permitted) return {};
  return offset - uncertain;
}

void CommonClock::check() const {
  const auto wrong = difference();
  if (!wrong) return;
  Diagnostics d;
  d.error("V5620",
          fmt::format("the clock of this computer is not synchronised with that of the run: it "
                      "differs by {} or more",
                      realtime::time_text(static_cast<double>(*wrong))),
          {})
      .notes.emplace_back(
          "synchronise both (ptp4l, phc2sys), or leave out clock=\"synchronised\" in the nodes "
          "document");
  throw ConfigurationError(d);
}

void CommonClock::add(const net::ClockExchange& e) noexcept {
  filter_.add(e);
  const net::ClockEstimate& estimate = filter_.estimate();
  if (exchanges_ < enough && estimate.ready) ++exchanges_;
  std::memcpy(latest_.next(), &estimate, sizeof estimate);
  latest_.write();
  least_round_trip_.store(estimate.least_round_trip);
  offset_.store(estimate.offset_at(e.t4));
}

std::string CommonClock::text() const {
  if (kind_ == Kind::same) return "the composer's";
  if (kind_ == Kind::synchronised) return "the time of day of this machine, synchronised";
  const double trip = least_round_trip_.load();
  if (trip < 0.0) return "of this machine, not compared with the composer's";
  return "the composer's, within " + realtime::time_text(trip * 0.5e9);
}

}  // namespace vernier::server
