#pragma once

#include <array>
#include <string>

#include "vernier/gateway/federation/messages.hpp"
#include "vernier/gateway/federation/requests.hpp"

/// The handshake between a federate and an RTI, inside TLS where that is used. No sockets here.
///
///   federate                              RTI
///   Hello: version, random A         →
///                                    ←    Answer: Welcome, or a refusal; with a key: random B
///   Hello: code of A and B, by key   →
///                                    ←    Answer: Welcome with another code of A and B
///
/// Each side thereby proves that it knows the key without revealing it: mutual challenge and
/// response with a message authentication code.
namespace vernier::federation {

using Random = std::array<std::byte, 16>;

/// Body of the answer to Hello.
struct Welcome {
  Blob challenge, proof;  // at most one of them
  VERNIER_FIELDS(challenge, proof)
};

/// The longest frame accepted before authentication.
constexpr std::size_t longest_hello = 512;
/// The longest answer accepted from an RTI that has not authenticated itself.
constexpr std::size_t longest_welcome = 4096;

enum class Greeting { more, done, refused };

/// The RTI's side.
class HelloFromFederate {
 public:
  explicit HelloFromFederate(Bytes key) noexcept : key_(key) {}
  /// Appends frames to send to `reply`. If refused, also a Lost frame with why().
  Greeting take(Bytes frame, std::vector<std::byte>& reply);
  const std::string& program() const noexcept { return program_; }
  const std::string& why() const noexcept { return why_; }

 private:
  Greeting refuse(std::uint32_t sequence, std::string why, std::vector<std::byte>& reply);

  Bytes key_;
  Blob theirs_;
  Random ours_{};
  bool challenged_ = false;
  std::string program_, why_;
};

/// The federate's side.
class HelloToRti {
 public:
  HelloToRti(std::string program, Bytes key);
  /// The first frame.
  void begin(std::vector<std::byte>& reply) const;
  Greeting take(Bytes frame, std::vector<std::byte>& reply);
  const std::string& why() const noexcept { return why_; }

 private:
  std::string program_;
  Bytes key_;
  Random ours_;
  Blob theirs_;
  std::string why_;
};

}  // namespace vernier::federation
