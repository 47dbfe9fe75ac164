#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "vernier/base/result.hpp"
#include "vernier/net/stream.hpp"

namespace vernier::net {

/// Why a line could not be sent or received.
enum class Trouble : std::uint8_t { timed_out, closed, too_long, stopped };

/// A connection split into lines, for one thread that blocks. Allocates only at construction.
class LineStream {
 public:
  /// `longest`: bytes of a line with its line end. `wake`: a descriptor that ends every wait with
  /// `stopped` when it becomes readable; or -1.
  LineStream(Descriptor, std::size_t longest, int wake = -1);

  /// The next line without its line end; the view is valid until the next call. The deadline
  /// applies to the whole line: a peer that sends byte by byte does not extend it.
  Result<std::string_view, Trouble> receive(Clock::time_point deadline) noexcept;
  /// Sends the whole text, or returns why not.
  std::optional<Trouble> send(std::string_view text, Clock::time_point deadline) noexcept;
  /// `closed`: the peer sends no more, or the connection is lost. `stopped`: `wake` is readable.
  /// Does not wait.
  std::optional<Trouble> ended() const noexcept;

 private:
  std::optional<Trouble> wait(std::uint32_t what, Clock::time_point deadline) noexcept;

  Stream stream_;
  int wake_;
  std::vector<char> buffer_;
  std::size_t begin_ = 0, end_ = 0, searched_ = 0;
};

}  // namespace vernier::net
