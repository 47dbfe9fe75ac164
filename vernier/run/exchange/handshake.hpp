#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "vernier/base/codec.hpp"

namespace vernier::exchange {

/// How two nodes of a run recognize each other on a new connection. No sockets here.
///
///   the node that connects                 the node that accepts
///   hello: epoch, both numbers, random A →
///                                        ← answer: random B, or why not
///   code of all of these, by the key     →
///                                        ← another code of the same, or why not
///
/// Each side thereby proves that it knows the key of the run without revealing it. The codes are
/// HMAC-SHA-256. Little endian; all messages have a fixed size, so that nothing of what follows is
/// read.
class Handshake {
 public:
  /// `earlier`, `later`: the other node is in another epoch.
  enum class State : std::uint8_t { more, done, earlier, later, stranger, wrong_key };
  struct Run {
    std::uint32_t epoch = 0, self = 0, nodes = 0;
    Bytes key;  // must outlive the handshake
  };

  /// Connects to `peer`; the hello is appended to `to_send`.
  Handshake(const Run&, std::uint32_t peer, std::vector<std::byte>& to_send);
  /// Accepts one of the nodes after this one.
  explicit Handshake(const Run&);

  /// The size of the next message of the other side.
  std::size_t wanted() const noexcept;
  /// Takes exactly wanted() bytes and appends what is to be sent. After another state than `more`
  /// the handshake is over; what was appended is still to be sent.
  State take(Bytes message, std::vector<std::byte>& to_send);

  /// The other node; only claimed until `done`.
  std::uint32_t peer() const noexcept { return peer_; }
  /// Whether the first message was taken.
  bool greeted() const noexcept { return second_; }

 private:
  using Random = std::array<std::byte, 16>;

  State take_hello(Bytes, std::vector<std::byte>&);
  State take_answer(Bytes, std::vector<std::byte>&);
  State take_code(Bytes, std::vector<std::byte>&);
  State take_last(Bytes);
  std::array<std::byte, 32> code(bool connects) const noexcept;

  Run run_;
  bool connects_;
  bool second_ = false;  // the first message was taken
  std::uint32_t peer_ = 0;
  Random ours_{}, theirs_{};
};

}  // namespace vernier::exchange
