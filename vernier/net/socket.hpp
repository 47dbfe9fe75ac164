#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "vernier/base/result.hpp"
#include "vernier/net/address.hpp"
#include "vernier/net/wait.hpp"

/// TCP, UDP and Unix sockets. All are non-blocking, closed on exec, and send small packets at once
/// (TCP_NODELAY). Errors are the system's texts.
namespace vernier::net {

/// The text for errno.
std::string system_error();

/// Listens; port 0 takes a free one.
Result<Descriptor, std::string> listening(const Address&, int backlog = 4);
/// The same on a Unix socket, for this user only. One left by a killed process is replaced; the
/// caller removes the file at the end.
Result<Descriptor, std::string> listening_at(const std::string& path, int backlog = 4);
/// The port a listening socket has.
int port_of(const Descriptor&) noexcept;

/// The next pending connection; errno says why there is none.
Descriptor accepted(const Descriptor& listener) noexcept;
/// Connections that a loop accepts before it does its other work: strangers that connect without a
/// pause must not keep it from that.
inline constexpr int accepted_at_once = 16;
/// Waits for one connection; nothing when none arrived before the deadline or `wake` became
/// readable.
std::optional<Descriptor> accepted(const Descriptor& listener, Clock::time_point deadline,
                                   int wake = -1) noexcept;

/// One attempt to connect, abandoned when `wake` becomes readable.
Result<Descriptor, std::string> connected(const Address&, Clock::time_point deadline,
                                          int wake = -1);
Result<Descriptor, std::string> connected_to(const std::string& path);
/// Begins to connect to an address in numbers, without waiting: the socket is writable when the
/// attempt is over; connect_failure() says whether it failed.
Result<Descriptor, std::string> connecting(const Address&);
/// Empty: connected.
std::string connect_failure(int fd);
/// A socket that sends datagrams (UDP) to an address; nobody needs to listen there.
Result<Descriptor, std::string> datagrams_to(const Address&);

/// An address of TCP as numbers: IPv6, or IPv4 mapped into it. Port 0: not known.
struct Endpoint {
  std::array<std::uint8_t, 16> ip{};
  std::uint16_t port = 0;
};
Endpoint peer_of(int fd) noexcept;
/// The address of this side.
Endpoint own_end_of(int fd) noexcept;
/// "127.0.0.1:4711"; empty: not known.
std::string text(const Endpoint&);

/// The peer: "127.0.0.1:4711", or "process 4711" for a Unix socket.
std::string peer_name(int fd);
/// Whether it is a Unix socket whose peer runs as this user or root.
bool from_this_user(int fd) noexcept;

/// The longest path of a Unix socket.
inline constexpr std::size_t longest_path = 107;

}  // namespace vernier::net
