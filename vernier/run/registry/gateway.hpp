#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "vernier/base/codec.hpp"
#include "vernier/base/result.hpp"

/// What is said to the JSON gateway of etcd (API v3, etcd 3.4 and later), without the connection.
namespace vernier::registry::gateway {

/// The longest answer that is read.
inline constexpr std::size_t longest_answer = 8u << 20;

/// A request: what to post, and where.
struct Question {
  std::string target;
  std::string body;
};

Question grant(std::chrono::seconds);
Question keep_alive(std::int64_t lease);
Question revoke(std::int64_t lease);
/// Creates a key that goes with a lease; if it is there, the answer has it and has not `succeeded`.
Question create(std::string_view key, std::string_view value, std::int64_t lease);
/// Succeeds while `guard` is the key that was created at this revision.
Question hold(std::string_view guard, std::uint64_t revision);
/// The same, and writes or removes another key.
Question put(std::string_view guard, std::uint64_t revision, std::string_view key,
             std::string_view value);
Question remove(std::string_view guard, std::uint64_t revision, std::string_view key);
/// Removes a key while `guard` does not exist.
Question remove_unless(std::string_view guard, std::string_view key);
/// All keys that begin with a text.
Question all(std::string_view prefix);

struct KeyValue {
  std::string key, value;
  std::uint64_t created = 0;  // revision
  std::int64_t lease = 0;
};

/// An answer; what it does not have is zero or empty.
struct Reply {
  int status = 0;  // of HTTP
  // of a refusal
  std::int64_t code = 0;  // of gRPC
  std::string error;

  std::uint64_t revision = 0;
  std::int64_t lease = 0;  // that was granted or kept alive
  std::int64_t life = 0;   // s; 0: there is no such lease
  bool succeeded = false;  // the condition of a transaction held
  std::vector<KeyValue> found = {};

  bool good() const noexcept { return status == 200; }
  /// Another member, or the same a little later, may do what this one did not.
  bool elsewhere() const noexcept;
};

/// The answer in everything that was received until the connection ended, or what is wrong with it.
Result<Reply, std::string> reply_of(Bytes);

}  // namespace vernier::registry::gateway
