#include "vernier/gateway/heartbeat/heartbeat.hpp"

#include <sys/socket.h>

#include <cstring>
#include <utility>

#include "vernier/base/diagnostic.hpp"
#include "vernier/base/require.hpp"
#include "vernier/net/socket.hpp"

namespace vernier::heartbeat {
namespace {

constexpr int repeats = 3;  // of the last datagram before silence, in case one is lost

}  // namespace

std::size_t encoded(RestPhase phase, std::uint64_t number, Time at, std::span<const double> values,
                    std::span<std::byte> to) noexcept {
  const std::size_t bytes = header_bytes + values.size_bytes();
  require(to.size() >= bytes);
  std::byte* next = to.data();
  // as this machine stores numbers: all machines that Vernier runs on are little-endian
  const auto put = [&next](const auto& value) {
    std::memcpy(next, &value, sizeof value);
    next += sizeof value;
  };
  std::memcpy(next, "VHB1", 4);
  next += 4;
  put(static_cast<std::uint32_t>(phase));
  put(number);
  put(static_cast<std::int64_t>(at.time_since_epoch().count()));
  put(static_cast<std::uint32_t>(values.size()));
  put(std::uint32_t{0});
  if (!values.empty()) std::memcpy(next, values.data(), values.size_bytes());
  return bytes;
}

Heartbeat::Heartbeat(channel::Channels channels, Settings settings)
    : channels_(std::move(channels)),
      settings_(std::move(settings)),
      description_(channel::described(channels_)),
      values_(channel::size(channels_.inputs)),
      datagram_(header_bytes + values_.size() * sizeof(double)) {
  description_.rate = settings_.rate;
  description_.state_bytes = sizeof state_;
  // datagrams cannot be taken back, but nothing depends on them
  description_.abilities.faces_world = true;
  for (const auto& [name, what] :
       {std::pair{"heartbeat.sent", "datagrams sent"},
        std::pair{"heartbeat.unsent", "datagrams that the system did not take"}}) {
    description_.outputs.push_back({.name = name, .scalar = Scalar::integer, .description = what});
  }
}

void Heartbeat::bind(const Bindings& b) {
  ports_.bind(channels_, b);
  sent_out_ = b.integer_output("heartbeat.sent");
  unsent_out_ = b.integer_output("heartbeat.unsent");
}

bool Heartbeat::initialize(Time start, int phase) {
  if (phase > 0) return true;
  phase_ = RestPhase::running;
  now_ = start;
  state_ = {};
  auto made = net::datagrams_to(settings_.to);
  if (!made) {
    Diagnostics problems;
    problems
        .error("V5160",
               "\"" + settings_.name + "\" cannot send heartbeats to " + net::text(settings_.to) +
                   ": " + made.error(),
               {})
        .notes.push_back("the supervisor's address is the parameter \"to\"");
    throw ConfigurationError(std::move(problems));
  }
  socket_ = std::move(*made);
  return true;
}

Outcome Heartbeat::output(Instant) noexcept {
  sent_out_[0] = state_.sent;
  unsent_out_[0] = state_.unsent;
  return Outcome::ok;
}

Advance Heartbeat::advance(Time from, Time to) noexcept {
  now_ = from;
  ports_.take_inputs(values_);
  send();
  return {to};
}

void Heartbeat::save(std::span<std::byte> to) const noexcept {
  std::memcpy(to.data(), &state_, sizeof state_);
}

void Heartbeat::load(std::span<const std::byte> from) noexcept {
  std::memcpy(&state_, from.data(), sizeof state_);
}

void Heartbeat::rest(RestPhase p) noexcept {
  const bool again = p == phase_;
  phase_ = p;
  if (again || (p != RestPhase::at_rest && p != RestPhase::still_moving)) return;
  for (int i = 0; i < repeats; ++i) send();
}

void Heartbeat::send() noexcept {
  if (!socket_) return;
  const std::size_t bytes = encoded(phase_, ++number_, now_, values_, datagram_);
  const ssize_t n = ::send(socket_.get(), datagram_.data(), bytes, MSG_DONTWAIT | MSG_NOSIGNAL);
  // an error may be that of an earlier datagram: nobody listened when it arrived
  ++(n == static_cast<ssize_t>(bytes) ? state_.sent : state_.unsent);
}

}  // namespace vernier::heartbeat
