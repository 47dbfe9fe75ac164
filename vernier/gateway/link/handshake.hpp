#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "vernier/gateway/link/messages.hpp"

/// The handshake: each side describes itself, both check that the descriptions match and, with a
/// shared key, that the other knows it. No sockets and no clock here; all input is untrusted.
///
///   client                            server
///   HELLO (control, session 0)   →
///                                ←    HELLO_ACK (control): session, token, agreed limits
///   HELLO (data, session, token) →
///                                ←    HELLO_ACK (data); the link is up
namespace vernier::link {

/// What both agreed upon.
struct Terms {
  std::uint32_t session = 0;
  std::uint32_t max_payload = most_payload;
  std::uint32_t ping_interval_ms = 100, ping_timeout_ms = 1000, delay_interval_ms = 100;
  Ratio home_to_target;  // own period over the peer's
  Hello peer;
};

/// Why a link was refused or lost.
struct Trouble {
  Reason reason = Reason::framing;
  Flaw flaw = Flaw::none;  // of the frame that broke it
  bool theirs = false;     // reported by the peer
  std::array<char, 121> text{};
};

class Handshake {
 public:
  /// What to do next.
  enum class Act : std::uint8_t {
    wait,       // nothing
    send,       // hello() on the connection of the frame
    open_data,  // connect, and send hello() there (client)
    up,         // the link is up; the server sends hello() on the data connection first
    refuse      // see refusal(); tell the peer unless it refused, and close
  };
  struct Random {
    std::uint32_t session = 0;  // server; not 0
    std::uint64_t token = 0;    // server
    Nonce nonce{};
  };

  /// `mine` describes this side. An empty key: no authentication.
  Handshake(const Hello& mine, std::span<const std::byte> key, const Random&);

  /// Processes a frame. A client begins by sending hello() on its control connection.
  Act take(Connection, const Header&, std::span<const std::byte> payload) noexcept;

  /// The next message of this side: type, session and payload.
  struct Saying {
    Type type = Type::hello;
    std::uint32_t session = 0;
    std::size_t bytes = 0;
    std::array<std::byte, signed_hello_bytes> payload{};
  };
  Saying hello() const noexcept;

  std::uint32_t session() const noexcept { return terms_.session; }
  const Terms& terms() const noexcept { return terms_; }
  const Trouble& refusal() const noexcept { return refusal_; }

 private:
  enum class State : std::uint8_t { greeting, pairing, done, refused };

  Act refuse(Reason, const char* text) noexcept;
  Act take_request(Connection, const Header&, const Hello&) noexcept;
  Act take_answer(Connection, const Header&, const Hello&) noexcept;
  /// Whether the peer's description matches; refuses otherwise.
  bool fits(const Hello&) noexcept;
  Digest proof(const char* who, const Hello&) const noexcept;

  Hello mine_;
  std::vector<std::byte> key_;
  Random random_;
  State state_ = State::greeting;
  Connection speaking_ = Connection::control;  // the connection for hello()
  Nonce client_nonce_{}, server_nonce_{};
  Terms terms_;
  Trouble refusal_;
};

}  // namespace vernier::link
