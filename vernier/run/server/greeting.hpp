#pragma once

#include <array>
#include <string>
#include <vector>

#include "vernier/base/codec.hpp"
#include "vernier/base/digest.hpp"
#include "vernier/run/server/host_messages.hpp"

/// How a composer and a server recognize each other, inside TLS where that is used. No sockets
/// here.
///
///   client                                server
///   hello: versions, random A         →
///                                     ←   welcome: versions, random B, whether it wants a proof
///   proof: code of A and B, by key    →
///                                     ←   accepted: another code of A and B
///
/// Each side proves that it knows the key without revealing it; the client first. A server without
/// a key ends with its welcome: then TLS has shown who the client is.
namespace vernier::server {

enum class Greeting : std::uint8_t { more, done, refused };

class GreetingFromClient {
 public:
  /// `key`: must outlive it; empty: none.
  GreetingFromClient(Bytes key, std::string version);
  /// Appends frames to send to `reply`; if refused, why.
  Greeting take(Bytes frame, std::vector<std::byte>& reply);
  /// The version of the client's program.
  const std::string& program() const noexcept { return program_; }
  const std::string& why() const noexcept { return why_; }

 private:
  Greeting refuse(std::string code, std::string why, std::vector<std::byte>& reply);

  Bytes key_;
  std::string version_, program_, why_;
  std::array<std::byte, 16> ours_{}, theirs_{};
  bool challenged_ = false;
};

class GreetingToServer {
 public:
  /// `key`: must outlive it; empty: none.
  GreetingToServer(Bytes key, std::string version);
  void begin(std::vector<std::byte>& reply) const;
  Greeting take(Bytes frame, std::vector<std::byte>& reply);
  /// The version of the server's program.
  const std::string& program() const noexcept { return program_; }
  const Refusal& why() const noexcept { return why_; }

 private:
  Greeting take_welcome(Bytes frame, std::vector<std::byte>& reply);
  Greeting refuse(std::string code, std::string why, std::string note = {});

  Bytes key_;
  std::string version_, program_;
  std::array<std::byte, 16> ours_{}, theirs_{};
  bool challenged_ = false;
  Refusal why_;
};

/// What a server has refused, as far as it can be believed.
Refusal believed(const Refusal&);

}  // namespace vernier::server
