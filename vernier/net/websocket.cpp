#include "vernier/net/websocket.hpp"

#include <openssl/evp.h>

#include <algorithm>
#include <cstring>

#include "vernier/base/base64.hpp"
#include "vernier/base/require.hpp"

namespace vernier::net::websocket {
namespace {

// the bits of a frame's first two bytes, RFC 6455, section 5.2
constexpr unsigned last_bit = 0x80, reserved_bits = 0x70, operation_bits = 0x0f, mask_bit = 0x80,
                   length_bits = 0x7f, control_bit = 0x08;
constexpr unsigned length_of_16_bits = 126, length_of_64_bits = 127;
constexpr std::size_t longest_control = 125;

/// The length of the sequence of UTF-8 at `at`; 0: it is none. The bounds of the second byte are
/// those of table 3-7 of the Unicode standard.
std::size_t sequence_length(const unsigned char* at, std::size_t left) noexcept {
  const unsigned char first = at[0];
  const std::size_t size = first < 0x80 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
  if (first >= 0x80 && (first < 0xc2 || first > 0xf4)) return 0;
  if (size > left) return 0;
  const unsigned char least = first == 0xe0 ? 0xa0 : first == 0xf0 ? 0x90 : 0x80;
  const unsigned char most = first == 0xed ? 0x9f : first == 0xf4 ? 0x8f : 0xbf;
  if (size > 1 && (at[1] < least || at[1] > most)) return 0;
  for (std::size_t i = 2; i < size; ++i) {
    if (at[i] < 0x80 || at[i] > 0xbf) return 0;
  }
  return size;
}

/// Codes that a peer may send: those of the standard, of libraries, and of applications.
bool may_be_sent(unsigned code) noexcept {
  return (code >= 1000 && code <= 1003) || (code >= 1007 && code <= 1014) ||
         (code >= 3000 && code <= 4999);
}

void append_masked(std::string& to, Bytes from, const std::array<std::byte, 4>& mask,
                   std::uint64_t offset) {
  const std::size_t begin = to.size();
  to.resize(begin + from.size());
  for (std::size_t i = 0; i < from.size(); ++i)
    to[begin + i] = static_cast<char>(from[i] ^ mask[(offset + i) % 4]);
}

}  // namespace

bool valid_key(std::string_view key) noexcept {
  constexpr std::string_view digits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  return key.size() == 24 && key.ends_with("==") &&
         key.substr(0, 22).find_first_not_of(digits) == std::string_view::npos;
}

std::string accept_key(std::string_view client_key) {
  const std::string text = std::string(client_key) + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
  std::array<std::byte, 20> digest{};
  unsigned size = 0;
  require(EVP_Digest(text.data(), text.size(), reinterpret_cast<unsigned char*>(digest.data()),
                     &size, EVP_sha1(), nullptr) == 1 &&
          size == digest.size());
  return base64({reinterpret_cast<const char*>(digest.data()), digest.size()});
}

bool is_utf8(std::string_view text) noexcept {
  const auto* at = reinterpret_cast<const unsigned char*>(text.data());
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t n = sequence_length(at + i, text.size() - i);
    if (n == 0) return false;
    i += n;
  }
  return true;
}

bool Receiver::refuse(Code c) noexcept {
  refusal_ = c;
  return false;
}

/// False: it is not complete.
bool Receiver::take_head(Bytes& bytes) {
  const auto fill = [&](std::size_t size) {
    const std::size_t n = std::min(size - std::min(size, head_size_), bytes.size());
    std::memcpy(head_bytes_.data() + head_size_, bytes.data(), n);
    head_size_ += n;
    bytes = bytes.subspan(n);
    return head_size_ >= size;
  };
  if (!fill(2)) return false;
  const auto first = std::to_integer<unsigned>(head_bytes_[0]),
             second = std::to_integer<unsigned>(head_bytes_[1]);
  const unsigned length = second & length_bits;
  const bool masked = (second & mask_bit) != 0;
  const std::size_t extended = length == length_of_16_bits   ? 2u
                               : length == length_of_64_bits ? 8u
                                                             : 0u;
  if (!fill(2 + extended + (masked ? 4u : 0u))) return false;
  head_ = {.last = (first & last_bit) != 0,
           .masked = masked,
           .operation = static_cast<std::uint8_t>(first & operation_bits),
           .length = length};
  const std::byte* at = head_bytes_.data() + 2;
  if (extended == 2) head_.length = load<std::uint16_t, std::endian::big>(at);
  if (extended == 8) head_.length = load<std::uint64_t, std::endian::big>(at);
  if (masked) std::memcpy(head_.mask.data(), at + extended, 4);
  return true;
}

/// Whether such a frame may come now.
bool Receiver::accept_head() {
  const auto first = std::to_integer<unsigned>(head_bytes_[0]);
  const unsigned short_length = std::to_integer<unsigned>(head_bytes_[1]) & length_bits;
  if ((first & reserved_bits) != 0) return refuse(Code::protocol_error);
  if (head_.masked != (self_ == Side::server)) return refuse(Code::protocol_error);
  // the shortest form of a length is the only one
  if (short_length == length_of_16_bits && head_.length < length_of_16_bits)
    return refuse(Code::protocol_error);
  if (short_length == length_of_64_bits && (head_.length >> 16 == 0 || head_.length >> 63 != 0))
    return refuse(Code::protocol_error);
  if ((head_.operation & control_bit) != 0) {
    const bool known = head_.operation <= static_cast<unsigned>(Kind::pong);
    if (!known || !head_.last || head_.length > longest_control)
      return refuse(Code::protocol_error);
    control_.clear();
    return true;
  }
  const bool continues = head_.operation == 0;
  if (head_.operation > static_cast<unsigned>(Kind::binary) || continues != (operation_ != 0))
    return refuse(Code::protocol_error);
  if (head_.length > longest_ - content_.size()) return refuse(Code::too_big);
  if (!continues) operation_ = head_.operation;
  return true;
}

bool Receiver::closed(Message& m) {
  m = {.kind = Kind::close, .content = {}, .code = Code::no_code};
  if (control_.empty()) return true;
  if (control_.size() == 1) return refuse(Code::protocol_error);
  const unsigned code =
      load<std::uint16_t, std::endian::big>(std::as_bytes(std::span(control_)).data());
  if (!may_be_sent(code)) return refuse(Code::protocol_error);
  m.code = static_cast<Code>(code);
  m.content = control_.substr(2);
  return is_utf8(m.content) || refuse(Code::not_utf8);
}

/// A frame is complete. True: so is a message.
bool Receiver::finished(Message& m) {
  if (head_.operation == static_cast<unsigned>(Kind::close)) return closed(m);
  if ((head_.operation & control_bit) != 0) {
    m = {.kind = static_cast<Kind>(head_.operation), .content = std::move(control_)};
    control_ = {};
    return true;
  }
  if (!head_.last) return false;
  m = {.kind = static_cast<Kind>(operation_), .content = std::move(content_)};
  operation_ = 0;
  content_ = {};
  return m.kind != Kind::text || is_utf8(m.content) || refuse(Code::not_utf8);
}

Receiver::Got Receiver::take(Bytes& bytes, Message& m) {
  while (refusal_ == Code::no_code) {
    if (!in_payload_) {
      if (!take_head(bytes)) return Got::more;
      if (!accept_head()) break;
      in_payload_ = true;
      payload_taken_ = 0;
      head_size_ = 0;
    }
    const auto n = static_cast<std::size_t>(
        std::min<std::uint64_t>(head_.length - payload_taken_, bytes.size()));
    std::string& to = (head_.operation & control_bit) != 0 ? control_ : content_;
    append_masked(to, bytes.first(n), head_.mask, payload_taken_);
    payload_taken_ += n;
    bytes = bytes.subspan(n);
    if (payload_taken_ < head_.length) return Got::more;
    in_payload_ = false;
    if (finished(m)) return Got::message;
  }
  return Got::refused;
}

FrameHead frame_head(Kind kind, std::size_t length) noexcept {
  FrameHead head;
  head.bytes[0] = static_cast<std::byte>(last_bit | static_cast<unsigned>(kind));
  if (length < length_of_16_bits) {
    head.bytes[1] = static_cast<std::byte>(length);
    head.size = 2;
  } else if (length >> 16 == 0) {
    head.bytes[1] = static_cast<std::byte>(length_of_16_bits);
    store<std::endian::big>(head.bytes.data() + 2, static_cast<std::uint16_t>(length));
    head.size = 4;
  } else {
    head.bytes[1] = static_cast<std::byte>(length_of_64_bits);
    store<std::endian::big>(head.bytes.data() + 2, static_cast<std::uint64_t>(length));
    head.size = 10;
  }
  return head;
}

std::string close_content(Code code, std::string_view reason) {
  std::string content(2, '\0');
  store<std::endian::big>(std::as_writable_bytes(std::span(content)).data(),
                          static_cast<std::uint16_t>(code));
  std::size_t size = std::min(reason.size(), longest_control - content.size());
  // not in the middle of a character
  while (size < reason.size() && size > 0 &&
         (static_cast<unsigned char>(reason[size]) & 0xc0) == 0x80)
    --size;
  content += reason.substr(0, size);
  return content;
}

void append_client_frame(std::vector<std::byte>& to, Kind kind, Bytes content,
                         const std::array<std::byte, 4>& mask, bool first, bool last) {
  FrameHead head = frame_head(kind, content.size());
  head.bytes[0] =
      static_cast<std::byte>((last ? last_bit : 0u) | (first ? static_cast<unsigned>(kind) : 0u));
  head.bytes[1] |= static_cast<std::byte>(mask_bit);
  const Bytes h = head;
  to.insert(to.end(), h.begin(), h.end());
  to.insert(to.end(), mask.begin(), mask.end());
  for (std::size_t i = 0; i < content.size(); ++i) to.push_back(content[i] ^ mask[i % 4]);
}

}  // namespace vernier::net::websocket
