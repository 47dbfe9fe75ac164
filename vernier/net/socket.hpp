#pragma once

#include <optional>
#include <string>

#include "vernier/base/result.hpp"
#include "vernier/net/address.hpp"
#include "vernier/net/wait.hpp"

/// TCP and Unix sockets. What is made here does not block, is closed on exec, and sends small
/// packets at once. Errors are in the system's words.
namespace vernier::net {

/// The words of errno.
std::string system_error();

/// Listens; port 0 takes a free one.
Result<Descriptor, std::string> listening(const Address&, int backlog = 4);
/// The same on a Unix socket, for this user only. One that a killed process left is replaced; the
/// caller removes the file at the end.
Result<Descriptor, std::string> listening_at(const std::string& path, int backlog = 4);
/// The port a listening socket has.
int port_of(const Descriptor&) noexcept;

/// Whoever waits to be accepted; errno says why there is none.
Descriptor accepted(const Descriptor& listener) noexcept;
/// Waits for one connection; nothing when none came before the deadline or `wake` became readable.
std::optional<Descriptor> accepted(const Descriptor& listener, Clock::time_point deadline,
                                   int wake = -1) noexcept;

/// One attempt to connect, given up when `wake` becomes readable.
Result<Descriptor, std::string> connected(const Address&, Clock::time_point deadline,
                                          int wake = -1);
Result<Descriptor, std::string> connected_to(const std::string& path);

/// Who is at the other end: "127.0.0.1:4711", or "process 4711" of a Unix socket.
std::string peer_name(int fd);
/// A Unix socket whose other end is of this user or of root.
bool from_this_user(int fd) noexcept;

/// The longest path of a Unix socket.
inline constexpr std::size_t longest_path = 107;

}  // namespace vernier::net
