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

/// A connection cut into lines, for one thread that waits. Takes its memory when made.
class LineStream {
 public:
  /// `longest`: bytes of a line with its end. `wake`: a descriptor that ends every wait with
  /// `stopped` when it becomes readable; or -1.
  LineStream(Descriptor, std::size_t longest, int wake = -1);

  /// The next line without its end; the view lasts until the next call. The deadline is that of
  /// the whole line: a peer that sends byte by byte does not extend it.
  Result<std::string_view, Trouble> receive(Clock::time_point deadline) noexcept;
  /// All of the text, or the reason why not.
  std::optional<Trouble> send(std::string_view text, Clock::time_point deadline) noexcept;

 private:
  std::optional<Trouble> wait(std::uint32_t what, Clock::time_point deadline) noexcept;

  Stream stream_;
  int wake_;
  std::vector<char> buffer_;
  std::size_t begin_ = 0, end_ = 0, searched_ = 0;
};

}  // namespace vernier::net
