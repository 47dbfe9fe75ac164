#include "vernier/net/socket.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <memory>
#include <system_error>

namespace vernier::net {
namespace {

struct FreeAddresses {
  void operator()(addrinfo* a) const noexcept { freeaddrinfo(a); }
};
using Addresses = std::unique_ptr<addrinfo, FreeAddresses>;

Result<Addresses, std::string> resolved(const Address& a, bool to_listen, int type = SOCK_STREAM,
                                        int flags = 0) {
  addrinfo hints{};
  hints.ai_socktype = type;
  hints.ai_flags = AI_NUMERICSERV | (to_listen ? AI_PASSIVE : 0) | flags;
  addrinfo* found = nullptr;
  const int status = getaddrinfo(a.host.c_str(), a.port.c_str(), &hints, &found);
  if (status != 0) return Failure{std::string(gai_strerror(status))};
  return Addresses(found);
}

std::string words(int error) { return std::generic_category().message(error); }

Descriptor made(int family) noexcept {
  return Descriptor(socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
}

void prepare(int fd) noexcept {
  const int yes = 1;
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
  setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &yes, sizeof yes);
}

std::optional<sockaddr_un> unix_address(const std::string& path) noexcept {
  static_assert(sizeof(sockaddr_un::sun_path) == longest_path + 1);
  sockaddr_un a{};
  if (path.empty() || path.size() > longest_path) return {};
  a.sun_family = AF_UNIX;
  std::memcpy(a.sun_path, path.data(), path.size());
  return a;
}
constexpr const char* too_long = "a path of at most 107 characters is needed";

/// Removes what a killed process has left.
void remove_unused(const std::string& path, const sockaddr_un& a) noexcept {
  struct stat found {};
  if (stat(path.c_str(), &found) != 0 || !S_ISSOCK(found.st_mode)) return;
  const Descriptor probe = made(AF_UNIX);
  if (connect(probe.get(), reinterpret_cast<const sockaddr*>(&a), sizeof a) != 0 &&
      errno == ECONNREFUSED)
    unlink(path.c_str());
}

}  // namespace

std::string system_error() { return words(errno); }

Result<Descriptor, std::string> listening(const Address& a, int backlog) {
  auto found = resolved(a, true);
  if (!found) return Failure{found.error()};
  int error = EADDRNOTAVAIL;
  for (const addrinfo* i = found->get(); i; i = i->ai_next) {
    Descriptor fd = made(i->ai_family);
    const int yes = 1;
    if (fd) setsockopt(fd.get(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    if (fd && bind(fd.get(), i->ai_addr, i->ai_addrlen) == 0 && listen(fd.get(), backlog) == 0)
      return fd;
    error = errno;
  }
  return Failure{words(error)};
}

Result<Descriptor, std::string> listening_at(const std::string& path, int backlog) {
  const auto a = unix_address(path);
  if (!a) return Failure{std::string(too_long)};
  remove_unused(path, *a);
  // It gets its name when it listens: who finds the name can connect. The folder's descriptor makes
  // the other name short enough.
  const auto folder_name = std::filesystem::absolute(path).parent_path();
  const Descriptor folder(open(folder_name.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!folder) return Failure{system_error()};
  static std::atomic<unsigned> count{0};
  const std::string fresh = "/proc/self/fd/" + std::to_string(folder.get()) + "/.socket-" +
                            std::to_string(getpid()) + "-" + std::to_string(count++);
  const auto b = unix_address(fresh);
  Descriptor fd = made(AF_UNIX);
  // set the permissions before bind(), so that no other user can connect in between
  if (!b || !fd || fchmod(fd.get(), S_IRUSR | S_IWUSR) != 0 ||
      bind(fd.get(), reinterpret_cast<const sockaddr*>(&*b), sizeof *b) != 0)
    return Failure{system_error()};
  std::string why;
  if (chmod(fresh.c_str(), S_IRUSR | S_IWUSR) != 0 || listen(fd.get(), backlog) != 0 ||
      link(fresh.c_str(), path.c_str()) != 0)
    why = errno == EEXIST ? words(EADDRINUSE) : system_error();
  unlink(fresh.c_str());
  if (!why.empty()) return Failure{why};
  return fd;
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

Descriptor accepted(const Descriptor& listener) noexcept {
  Descriptor fd;
  do {
    fd = Descriptor(accept4(listener.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
  } while (!fd && (errno == EINTR || errno == ECONNABORTED));
  if (fd) prepare(fd.get());
  return fd;
}

std::optional<Descriptor> accepted(const Descriptor& listener, Clock::time_point deadline,
                                   int wake) noexcept {
  while (true) {
    Descriptor fd = accepted(listener);
    if (fd) return fd;
    if (errno != EAGAIN && errno != EWOULDBLOCK) return {};
    const Waited w = wait_for(listener.get(), readable, deadline, wake);
    if (w.woken || w.ready == 0) return {};
  }
}

Result<Descriptor, std::string> connected(const Address& a, Clock::time_point deadline, int wake) {
  auto found = resolved(a, false);
  if (!found) return Failure{found.error()};
  int error = EADDRNOTAVAIL;
  for (const addrinfo* i = found->get(); i; i = i->ai_next) {
    Descriptor fd = made(i->ai_family);
    if (!fd) {
      error = errno;
      continue;
    }
    prepare(fd.get());
    if (connect(fd.get(), i->ai_addr, i->ai_addrlen) != 0) {
      error = errno;
      if (error != EINPROGRESS) continue;
      const Waited w = wait_for(fd.get(), writable, deadline, wake);
      if (w.woken) return Failure{words(ECANCELED)};
      socklen_t size = sizeof error;
      error = ETIMEDOUT;
      if (w.ready != 0) getsockopt(fd.get(), SOL_SOCKET, SO_ERROR, &error, &size);
      if (error != 0) continue;
    }
    return fd;
  }
  return Failure{words(error)};
}

Result<Descriptor, std::string> datagrams_to(const Address& a) {
  auto addresses = resolved(a, false, SOCK_DGRAM);
  if (!addresses) return Failure{addresses.error()};
  std::string why = "no address";
  for (const addrinfo* i = addresses->get(); i; i = i->ai_next) {
    Descriptor s(socket(i->ai_family, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    if (s && connect(s.get(), i->ai_addr, i->ai_addrlen) == 0) return s;
    why = words(errno);
  }
  return Failure{why};
}

Result<Descriptor, std::string> connecting(const Address& a) {
  auto found = resolved(a, false, SOCK_STREAM, AI_NUMERICHOST);
  if (!found) return Failure{found.error()};
  Descriptor fd = made((*found)->ai_family);
  if (!fd) return Failure{system_error()};
  prepare(fd.get());
  if (connect(fd.get(), (*found)->ai_addr, (*found)->ai_addrlen) != 0 && errno != EINPROGRESS)
    return Failure{system_error()};
  return fd;
}

std::string connect_failure(int fd) {
  int error = 0;
  socklen_t size = sizeof error;
  if (getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size) != 0) error = errno;
  return error == 0 ? std::string() : words(error);
}

Result<Descriptor, std::string> connected_to(const std::string& path) {
  const auto a = unix_address(path);
  if (!a) return Failure{std::string(too_long)};
  // blocks until there is room in the listen queue; a non-blocking connect would be refused
  Descriptor fd(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (!fd || connect(fd.get(), reinterpret_cast<const sockaddr*>(&*a), sizeof *a) != 0)
    return Failure{system_error()};
  fcntl(fd.get(), F_SETFL, fcntl(fd.get(), F_GETFL) | O_NONBLOCK);
  return fd;
}

namespace {

Endpoint endpoint_of(const sockaddr_storage& a) noexcept {
  Endpoint e;
  if (a.ss_family == AF_INET) {
    const auto& four = reinterpret_cast<const sockaddr_in&>(a);
    e.ip[10] = e.ip[11] = 0xff;
    std::memcpy(e.ip.data() + 12, &four.sin_addr, 4);
    e.port = ntohs(four.sin_port);
  } else if (a.ss_family == AF_INET6) {
    const auto& six = reinterpret_cast<const sockaddr_in6&>(a);
    std::memcpy(e.ip.data(), &six.sin6_addr, 16);
    e.port = ntohs(six.sin6_port);
  }
  return e;
}

template <class Name>
Endpoint endpoint(int fd, const Name& name) noexcept {
  sockaddr_storage a{};
  socklen_t size = sizeof a;
  return name(fd, reinterpret_cast<sockaddr*>(&a), &size) == 0 ? endpoint_of(a) : Endpoint{};
}

}  // namespace

Endpoint peer_of(int fd) noexcept { return endpoint(fd, ::getpeername); }
Endpoint own_end_of(int fd) noexcept { return endpoint(fd, ::getsockname); }

std::string text(const Endpoint& e) {
  if (e.port == 0) return {};
  constexpr std::array<std::uint8_t, 12> mapped{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
  const bool four = std::equal(mapped.begin(), mapped.end(), e.ip.begin());
  std::array<char, INET6_ADDRSTRLEN> host{};
  inet_ntop(four ? AF_INET : AF_INET6, e.ip.data() + (four ? 12 : 0), host.data(), host.size());
  return text(Address{host.data(), std::to_string(e.port)});
}

std::string peer_name(int fd) {
  sockaddr_storage a{};
  socklen_t size = sizeof a;
  if (getpeername(fd, reinterpret_cast<sockaddr*>(&a), &size) != 0) return "somebody";
  if (a.ss_family == AF_UNIX) {
    ucred who{};
    size = sizeof who;
    getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &who, &size);
    return "process " + std::to_string(who.pid);
  }
  std::array<char, 64> host{}, port{};
  getnameinfo(reinterpret_cast<sockaddr*>(&a), size, host.data(), host.size(), port.data(),
              port.size(), NI_NUMERICHOST | NI_NUMERICSERV);
  return text({host.data(), port.data()});
}

bool from_this_user(int fd) noexcept {
  ucred who{};
  socklen_t bytes = sizeof who;
  if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &who, &bytes) != 0) return false;
  return who.uid == geteuid() || who.uid == 0;
}

}  // namespace vernier::net
