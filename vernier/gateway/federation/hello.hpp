#pragma once

#include <array>
#include <string>

#include "vernier/gateway/federation/messages.hpp"
#include "vernier/gateway/federation/requests.hpp"

/// How a federate and an RTI come together, after TLS where that is used. No sockets here.
///
///   federate                              RTI
///   Hello: version, random A         →
///                                    ←    Answer: Welcome, or a refusal; with a key: random B
///   Hello: code of A and B, by key   →
///                                    ←    Answer: Welcome with another code of A and B
///
/// Each so proves that it knows the key, and says nothing from which it could be learned.
namespace vernier::federation {

using Random = std::array<std::byte, 16>;

/// Body of the answer to Hello.
struct Welcome {
  Blob challenge, proof;  // one of them, or none
  VERNIER_FIELDS(challenge, proof)
};

/// The longest frame that a stranger may send.
constexpr std::size_t longest_hello = 512;
/// And what answers there, before it has proved what it is.
constexpr std::size_t longest_welcome = 4096;

enum class Greeting { more, done, refused };

/// The RTI's side.
class HelloFromFederate {
 public:
  explicit HelloFromFederate(Bytes key) noexcept : key_(key) {}
  /// Frames to send are appended to `reply`. Refused: also a Lost frame that says why().
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
