#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "vernier/base/result.hpp"
#include "vernier/gateway/channel/socket.hpp"
#include "vernier/gateway/lines/protocol.hpp"

namespace vernier::lines {

using channel::accepted;
using channel::Address;
using channel::Clock;
using channel::connected;
using channel::Descriptor;
using channel::listening;
using channel::parsed_address;
using channel::port_of;
using channel::text;

/// Why a line could not be sent or received.
enum class Trouble : std::uint8_t { timed_out, closed, too_long, stopped };

/// A TCP connection cut into lines. Takes its memory when made.
class Connection {
 public:
  /// `wake`: a descriptor that ends every wait with `stopped` when it becomes readable; or -1.
  explicit Connection(Descriptor, int wake = -1);

  /// The next line without its end; the view lasts until the next call.
  Result<std::string_view, Trouble> receive(Clock::time_point deadline) noexcept;
  /// All of the text, or the reason why not.
  std::optional<Trouble> send(std::string_view text, Clock::time_point deadline) noexcept;

 private:
  std::optional<Trouble> wait(short events, Clock::time_point deadline) noexcept;

  Descriptor socket_;
  int wake_;
  std::vector<char> buffer_;
  std::size_t begin_ = 0, end_ = 0, searched_ = 0;
};

}  // namespace vernier::lines
