#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "vernier/base/result.hpp"
#include "vernier/base/time.hpp"
#include "vernier/gateway/channel/channel.hpp"

/// The messages of the line protocol, as specified in formats/lines/README.md. All input is
/// untrusted; only the handshake functions allocate.
namespace vernier::lines {

inline constexpr int protocol_version = 1;
inline constexpr std::size_t longest_line = std::size_t{1} << 20;  // bytes, including the line end
inline constexpr std::size_t most_elements = 40'000;               // of one direction
inline constexpr int kept_saves = 64;  // a peer with SAVE must keep at least this many

enum class Verb : std::uint8_t {
  hello,
  channels,
  init,
  step,
  output,
  react,
  done,
  changed,
  event,
  save,
  restore,
  ok,
  error,
  bye
};

std::string_view name(Verb) noexcept;

/// A line split into its verb and the rest.
struct Line {
  Verb verb = Verb::bye;
  std::string_view rest;
};

/// The verb of a line without its line end; nothing for an unknown one.
std::optional<Line> opened(std::string_view line) noexcept;

/// Removes words, separated by blanks or tabs, from the front of a text.
class Words {
 public:
  explicit Words(std::string_view text) noexcept : rest_(text) {}
  /// Empty when there is none left.
  std::string_view next() noexcept;
  std::string_view rest() const noexcept { return rest_; }

 private:
  std::string_view rest_;
};

/// Seconds, rounded to the nearest nanosecond; a decimal with up to nine places is exact. Nothing
/// when it is not a number or out of range.
std::optional<Time> parsed_time(std::string_view) noexcept;

/// What is wrong with "t v… [EVENT label…]".
enum class Flaw : std::uint8_t {
  none,
  time,        // missing or invalid
  too_few,     // values
  too_many,    // values, or what follows them is not EVENT
  number,      // a value is not a number
  not_finite,  // a value is infinite or NaN
  label        // an unknown label, or EVENT without one
};

struct Moment {
  Flaw flaw = Flaw::none;
  Time time{};
  std::size_t found = 0;     // valid values
  std::string_view at = {};  // the invalid word
};

/// Decodes "t v… [EVENT label…]". `happened[i]` is incremented for each label i; both spans are
/// undefined when there is a flaw.
Moment read_moment(std::string_view rest, std::span<double> values,
                   std::span<const std::string> labels, std::span<std::int64_t> happened) noexcept;

/// The index of a label, or labels.size().
std::size_t find(std::span<const std::string> labels, std::string_view label) noexcept;

/// Composes lines in preallocated memory.
class Composer {
 public:
  explicit Composer(std::size_t capacity = longest_line) : text_(capacity) {}

  Composer& clear() noexcept;
  Composer& verb(Verb) noexcept;
  Composer& word(std::string_view) noexcept;
  Composer& time(Time) noexcept;
  Composer& real(double) noexcept;  // 17 significant digits
  Composer& number(std::uint64_t) noexcept;
  /// Ends the line; more may follow.
  Composer& end() noexcept;

  /// The lines so far; empty when they do not fit.
  std::string_view text() const noexcept;

 private:
  void put(std::string_view) noexcept;
  void separate() noexcept;

  std::vector<char> text_;
  std::size_t used_ = 0;
  bool fits_ = true;
};

/// The content of CHANNELS. Units are optional; empty: not given.
struct Offer {
  struct Signal {
    std::string name;
    std::uint32_t count = 1;
    std::string unit = {};
  };
  std::vector<Signal> inputs, outputs;
  std::vector<std::string> events_in, events_out;
};

/// "in: voltage[3](V) out: omega[3](rad/s) events-in: start events-out: low".
std::string channels_text(const channel::Channels&);
Result<Offer, std::string> parsed_channels(std::string_view rest);

/// How an offer differs from the agreed channels, as a message ("output 2 is \"q\", not
/// \"attitude\""); empty when it does not.
std::string difference(const Offer&, const channel::Channels& agreed);

/// External text made safe to display: control characters replaced, truncated to `most` bytes.
/// Writes to `out` and returns what it wrote.
std::string_view shown(std::string_view text, std::span<char> out) noexcept;

}  // namespace vernier::lines
