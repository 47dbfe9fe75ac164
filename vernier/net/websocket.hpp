#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "vernier/base/codec.hpp"

/// The WebSocket protocol (RFC 6455) without sockets: keys, frames and messages of both sides. No
/// extensions.
namespace vernier::net::websocket {

/// Whether a client's Sec-WebSocket-Key is one: 16 bytes in base64.
bool valid_key(std::string_view) noexcept;
/// The answer to it, Sec-WebSocket-Accept.
std::string accept_key(std::string_view client_key);

/// Whether the bytes are UTF-8 as RFC 3629 has it: shortest forms, no surrogates.
bool is_utf8(std::string_view) noexcept;

/// Why a connection closes (RFC 6455, section 7.4).
enum class Code : std::uint16_t {
  normal = 1000,
  going_away = 1001,
  protocol_error = 1002,
  not_supported = 1003,
  no_code = 1005,  // never sent: a close frame without a code
  not_utf8 = 1007,
  policy = 1008,
  too_big = 1009,
  internal_error = 1011,
  try_later = 1013,
};

enum class Kind : std::uint8_t { text = 1, binary = 2, close = 8, ping = 9, pong = 10 };

/// A message, or a control frame.
struct Message {
  Kind kind = Kind::text;
  std::string content;        // of a close: the reason
  Code code = Code::no_code;  // of a close
};

enum class Side { server, client };

/// The messages in a stream of bytes from the peer. Memory grows with the bytes received, not with
/// an announced length.
class Receiver {
 public:
  enum class Got { message, more, refused };

  /// `self`: which side this is. A server accepts only masked frames, a client only others.
  Receiver(Side self, std::size_t longest) noexcept : self_(self), longest_(longest) {}

  /// Takes bytes from the beginning up to the end of a message. `refused`: the connection must be
  /// closed with refusal(); nothing more is taken.
  Got take(Bytes& bytes, Message&);
  Code refusal() const noexcept { return refusal_; }
  /// Bytes of the message that has not ended yet.
  std::size_t pending() const noexcept { return content_.size(); }

 private:
  struct Head {
    bool last = false, masked = false;
    std::uint8_t operation = 0;
    std::uint64_t length = 0;
    std::array<std::byte, 4> mask{};
  };
  bool take_head(Bytes& bytes);
  bool accept_head();
  bool refuse(Code) noexcept;
  bool finished(Message&);
  bool closed(Message&);

  Side self_;
  std::size_t longest_;
  std::array<std::byte, 14> head_bytes_{};
  std::size_t head_size_ = 0;  // bytes of it so far
  Head head_;
  bool in_payload_ = false;
  std::uint64_t payload_taken_ = 0;
  std::uint8_t operation_ = 0;  // of the message that has begun; 0: none has
  std::string content_;         // of it so far
  std::string control_;         // the payload of a control frame so far
  Code refusal_ = Code::no_code;
};

/// The beginning of a frame that holds a whole message of a server.
struct FrameHead {
  std::array<std::byte, 10> bytes{};
  std::size_t size = 0;
  operator Bytes() const noexcept { return Bytes(bytes).first(size); }
};
FrameHead frame_head(Kind, std::size_t length) noexcept;

/// The content of a close frame; the reason is cut to what fits.
std::string close_content(Code, std::string_view reason);

/// A whole frame of a client, or part of a message: `first` frames name the kind. `mask`: random.
void append_client_frame(std::vector<std::byte>& to, Kind, Bytes content,
                         const std::array<std::byte, 4>& mask, bool first = true, bool last = true);

}  // namespace vernier::net::websocket
