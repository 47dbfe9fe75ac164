#include "vernier/gateway/channel/socket.hpp"

#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <system_error>
#include <utility>

#include "vernier/base/text.hpp"

namespace vernier::channel {
namespace {

struct FreeAddresses {
  void operator()(addrinfo* a) const noexcept { freeaddrinfo(a); }
};
using Addresses = std::unique_ptr<addrinfo, FreeAddresses>;

Result<Addresses, std::string> resolved(const Address& a, bool to_listen) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_NUMERICSERV | (to_listen ? AI_PASSIVE : 0);
  addrinfo* found = nullptr;
  const int status = getaddrinfo(a.host.c_str(), a.port.c_str(), &hints, &found);
  if (status != 0) return Failure{std::string(gai_strerror(status))};
  return Addresses(found);
}

std::string system_words(int error) { return std::generic_category().message(error); }

}  // namespace

int milliseconds_until(Clock::time_point deadline) noexcept {
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now()).count();
  return static_cast<int>(std::clamp<decltype(left + 0)>(left, 0, 3'600'000));
}

void prepare(int fd) noexcept {
  const int yes = 1;
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
  setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &yes, sizeof yes);
  fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
}

std::optional<Address> parsed_address(std::string_view s) {
  s = trimmed(s);
  const auto colon = s.rfind(':');
  Address a{"127.0.0.1", std::string(colon == s.npos ? s : s.substr(colon + 1))};
  std::string_view host = colon == s.npos ? std::string_view{} : s.substr(0, colon);
  if (host.starts_with('[') && host.ends_with(']')) {
    host = host.substr(1, host.size() - 2);
    if (host.empty()) return {};
  } else if (host.find(':') != host.npos) {
    return {};  // an IPv6 address without brackets: the port is not clear
  }
  if (!host.empty()) a.host = host;
  const auto port = parsed_integer(a.port);
  if (!port || *port < 0 || *port > 65535 || a.port.size() > 5 || a.port.front() == '+') return {};
  return a;
}

std::string text(const Address& a) {
  return (a.host.find(':') == a.host.npos ? a.host : "[" + a.host + "]") + ":" + a.port;
}

Descriptor& Descriptor::operator=(Descriptor&& other) noexcept {
  if (this != &other) {
    reset();
    fd_ = other.release();
  }
  return *this;
}

int Descriptor::release() noexcept { return std::exchange(fd_, -1); }

void Descriptor::reset() noexcept {
  if (fd_ >= 0) close(fd_);
  fd_ = -1;
}

Result<Descriptor, std::string> listening(const Address& a) {
  auto found = resolved(a, true);
  if (!found) return Failure{found.error()};
  int error = EADDRNOTAVAIL;
  for (const addrinfo* i = found->get(); i; i = i->ai_next) {
    Descriptor fd(socket(i->ai_family, i->ai_socktype | SOCK_CLOEXEC, i->ai_protocol));
    const int yes = 1;
    if (fd) setsockopt(fd.get(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    if (fd && bind(fd.get(), i->ai_addr, i->ai_addrlen) == 0 && listen(fd.get(), 4) == 0) {
      fcntl(fd.get(), F_SETFL, fcntl(fd.get(), F_GETFL) | O_NONBLOCK);
      return fd;
    }
    error = errno;
  }
  return Failure{system_words(error)};
}

int port_of(const Descriptor& fd) noexcept {
  sockaddr_storage storage{};
  socklen_t size = sizeof storage;
  if (getsockname(fd.get(), reinterpret_cast<sockaddr*>(&storage), &size) != 0) return 0;
  if (storage.ss_family == AF_INET6) {
    return ntohs(reinterpret_cast<const sockaddr_in6*>(&storage)->sin6_port);
  }
  return ntohs(reinterpret_cast<const sockaddr_in*>(&storage)->sin_port);
}

std::optional<Descriptor> accepted(const Descriptor& listener, Clock::time_point deadline,
                                   int wake) noexcept {
  while (true) {
    Descriptor fd(accept4(listener.get(), nullptr, nullptr, SOCK_CLOEXEC));
    if (fd) {
      prepare(fd.get());
      return fd;
    }
    if (errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR && errno != ECONNABORTED) {
      return {};
    }
    pollfd waiting[2] = {{listener.get(), POLLIN, 0}, {wake, POLLIN, 0}};
    const int left = milliseconds_until(deadline);
    const int ready = poll(waiting, 2, left);
    if (waiting[1].revents != 0) return {};
    if (ready == 0 && Clock::now() >= deadline) return {};
  }
}

Result<Descriptor, std::string> connected(const Address& a, Clock::time_point deadline, int wake) {
  auto found = resolved(a, false);
  if (!found) return Failure{found.error()};
  int error = EADDRNOTAVAIL;
  for (const addrinfo* i = found->get(); i; i = i->ai_next) {
    Descriptor fd(socket(i->ai_family, i->ai_socktype | SOCK_CLOEXEC, i->ai_protocol));
    if (!fd) {
      error = errno;
      continue;
    }
    prepare(fd.get());
    if (connect(fd.get(), i->ai_addr, i->ai_addrlen) != 0) {
      error = errno;
      if (error != EINPROGRESS) continue;
      pollfd waiting[2] = {{fd.get(), POLLOUT, 0}, {wake, POLLIN, 0}};
      while (poll(waiting, 2, milliseconds_until(deadline)) < 0 && errno == EINTR) {
      }
      if (waiting[1].revents != 0) return Failure{system_words(ECANCELED)};
      socklen_t size = sizeof error;
      error = ETIMEDOUT;
      if (waiting[0].revents != 0) getsockopt(fd.get(), SOL_SOCKET, SO_ERROR, &error, &size);
      if (error != 0) continue;
    }
    return fd;
  }
  return Failure{system_words(error)};
}

}  // namespace vernier::channel
