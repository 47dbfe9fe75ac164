#include "vernier/net/stream.hpp"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include <algorithm>
#include <cerrno>
#include <mutex>
#include <system_error>

namespace vernier::net {

struct Tls::Context {
  SSL_CTX* all = nullptr;
  ~Context() { SSL_CTX_free(all); }
};

namespace {

std::string tls_words() {
  const unsigned long error = ERR_get_error();
  ERR_clear_error();
  if (ERR_SYSTEM_ERROR(error)) return std::generic_category().message(ERR_GET_REASON(error));
  const char* reason = error == 0 ? nullptr : ERR_reason_error_string(error);
  return reason ? reason : "the connection was closed";
}

/// The socket for OpenSSL; its own BIO would raise SIGPIPE.
int write_socket(BIO* b, const char* from, int size) {
  int fd = -1;
  BIO_get_fd(b, &fd);
  const auto n = static_cast<int>(::send(fd, from, static_cast<std::size_t>(size), MSG_NOSIGNAL));
  BIO_clear_retry_flags(b);
  if (n < 0 && BIO_sock_should_retry(n)) BIO_set_retry_write(b);
  return n;
}

BIO_METHOD* socket_method() {
  static BIO_METHOD* const ours = [] {
    BIO_METHOD* m = BIO_meth_new(BIO_TYPE_SOCKET, "socket without signals");
    const BIO_METHOD* theirs = BIO_s_socket();
    BIO_meth_set_write(m, write_socket);
    BIO_meth_set_read(m, BIO_meth_get_read(theirs));
    BIO_meth_set_ctrl(m, BIO_meth_get_ctrl(theirs));
    BIO_meth_set_create(m, BIO_meth_get_create(theirs));
    BIO_meth_set_destroy(m, BIO_meth_get_destroy(theirs));
    return m;
  }();
  return ours;
}

std::unique_ptr<Tls::Context> tls_context(const SSL_METHOD* side) {
  auto c = std::make_unique<Tls::Context>();
  c->all = SSL_CTX_new(side);
  if (c->all) {
    SSL_CTX_set_min_proto_version(c->all, TLS1_2_VERSION);
    SSL_CTX_set_mode(c->all, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER |
                                 SSL_MODE_RELEASE_BUFFERS);
    SSL_CTX_set_options(c->all, SSL_OP_NO_RENEGOTIATION | SSL_OP_IGNORE_UNEXPECTED_EOF);
  }
  return c;
}

bool would_block() noexcept { return errno == EAGAIN || errno == EWOULDBLOCK; }

/// Repeats a system call that a signal interrupted.
template <class Call>
long uninterrupted(Call call) noexcept {
  long n = 0;
  do n = call();
  while (n < 0 && errno == EINTR);
  return n;
}

}  // namespace

Tls::Tls(std::unique_ptr<Context> c) : context_(std::move(c)) {}
Tls::~Tls() = default;

namespace {

/// Uses a certificate chain and its private key.
bool identify(SSL_CTX* c, const std::string& certificate, const std::string& key,
              std::string& why) {
  if (!c || SSL_CTX_use_certificate_chain_file(c, certificate.c_str()) != 1) {
    why = certificate + ": " + tls_words();
  } else if (SSL_CTX_use_PrivateKey_file(c, key.c_str(), SSL_FILETYPE_PEM) != 1 ||
             SSL_CTX_check_private_key(c) != 1) {
    why = key + ": " + tls_words();
  } else {
    return true;
  }
  return false;
}

/// The authorities that must have issued the certificate of the other side; empty: the system's.
bool believe(SSL_CTX* c, const std::string& authorities, std::string& why) {
  if (!c || (authorities.empty() ? SSL_CTX_set_default_verify_paths(c)
                                 : SSL_CTX_load_verify_file(c, authorities.c_str())) != 1) {
    why = authorities + ": " + tls_words();
    return false;
  }
  SSL_CTX_set_verify(c, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nullptr);
  return true;
}

std::unique_ptr<Tls::Context> mutual_context(const SSL_METHOD* side, const Tls::Mutual& files,
                                             std::string& why) {
  if (files.authorities.empty()) {  // not everybody with a certificate of the system's
    why = "there are no authorities";
    return nullptr;
  }
  auto c = tls_context(side);
  if (!identify(c->all, files.certificate, files.key, why) ||
      !believe(c->all, files.authorities, why))
    return nullptr;
  SSL_CTX_set_min_proto_version(c->all, TLS1_3_VERSION);
  // a resumed session would not show the certificate again
  SSL_CTX_set_session_cache_mode(c->all, SSL_SESS_CACHE_OFF);
  SSL_CTX_set_num_tickets(c->all, 0);
  return c;
}

}  // namespace

std::shared_ptr<Tls> Tls::of_server(const std::string& certificate, const std::string& key,
                                    std::string& why) {
  auto c = tls_context(TLS_server_method());
  if (!identify(c->all, certificate, key, why)) return nullptr;
  return std::make_shared<Tls>(std::move(c));
}

std::shared_ptr<Tls> Tls::of_client(const std::string& authorities, std::string& why) {
  auto c = tls_context(TLS_client_method());
  if (!believe(c->all, authorities, why)) return nullptr;
  return std::make_shared<Tls>(std::move(c));
}

std::shared_ptr<Tls> Tls::of_server(const Mutual& files, std::string& why) {
  auto c = mutual_context(TLS_server_method(), files, why);
  return c ? std::make_shared<Tls>(std::move(c)) : nullptr;
}

std::shared_ptr<Tls> Tls::of_client(const Mutual& files, std::string& why) {
  auto c = mutual_context(TLS_client_method(), files, why);
  return c ? std::make_shared<Tls>(std::move(c)) : nullptr;
}

struct Stream::Session {
  SSL* one = nullptr;
  mutable std::mutex lock;  // two threads must not use a TLS session at once
  std::string error;

  ~Session() { SSL_free(one); }
  Moved outcome(int moved) noexcept {
    if (moved > 0) return {State::done, static_cast<std::size_t>(moved)};
    const int code = SSL_get_error(one, moved);
    if (code == SSL_ERROR_WANT_READ) return {State::wait, 0};
    if (code == SSL_ERROR_WANT_WRITE) return {State::wait_to_write, 0};
    const long checked = SSL_get_verify_result(one);
    if (error.empty())
      error = checked == X509_V_OK ? tls_words() : X509_verify_cert_error_string(checked);
    ERR_clear_error();
    return {State::closed, 0};
  }
};

Stream::Stream() noexcept = default;
Stream::Stream(Descriptor fd) noexcept : fd_(std::move(fd)) {}
Stream::~Stream() = default;
Stream::Stream(Stream&& o) noexcept
    : fd_(std::move(o.fd_)), error_(o.error_.load()), tls_(std::move(o.tls_)) {}
Stream& Stream::operator=(Stream&& o) noexcept {
  tls_ = std::move(o.tls_);
  fd_ = std::move(o.fd_);
  error_ = o.error_.load();
  return *this;
}

void Stream::tolerate(std::chrono::milliseconds span) noexcept {
  const int all = static_cast<int>(std::clamp<long long>(span.count(), 1, 3'600'000));
  const int idle = std::max(all / 4000, 1), count = 3;
  setsockopt(fd_.get(), IPPROTO_TCP, TCP_USER_TIMEOUT, &all, sizeof all);
  setsockopt(fd_.get(), IPPROTO_TCP, TCP_KEEPIDLE, &idle, sizeof idle);
  setsockopt(fd_.get(), IPPROTO_TCP, TCP_KEEPINTVL, &idle, sizeof idle);
  setsockopt(fd_.get(), IPPROTO_TCP, TCP_KEEPCNT, &count, sizeof count);
}

void Stream::secure(const Tls& tls, const std::string& server_name) {
  tls_ = std::make_unique<Session>();
  tls_->one = SSL_new(tls.context_->all);
  BIO* socket = BIO_new(socket_method());
  if (!tls_->one || !socket) {
    BIO_free(socket);
    tls_->error = tls_words();
    return;
  }
  BIO_set_fd(socket, fd_.get(), BIO_NOCLOSE);
  SSL_set_bio(tls_->one, socket, socket);
  if (server_name.empty()) {
    SSL_set_accept_state(tls_->one);
    return;
  }
  SSL_set_connect_state(tls_->one);
  X509_VERIFY_PARAM* wanted = SSL_get0_param(tls_->one);
  if (X509_VERIFY_PARAM_set1_ip_asc(wanted, server_name.c_str()) != 1) {
    ERR_clear_error();
    SSL_set_tlsext_host_name(tls_->one, server_name.c_str());
    X509_VERIFY_PARAM_set1_host(wanted, server_name.c_str(), 0);
  }
}

void Stream::secure(const Tls& server) { secure(server, {}); }

Stream::State Stream::shake() noexcept {
  if (!tls_->error.empty()) return State::closed;
  const int done = SSL_do_handshake(tls_->one);
  return done == 1 ? State::done : tls_->outcome(done).state;
}

Stream::Moved Stream::outcome(long moved) noexcept {
  if (moved > 0) return {State::done, static_cast<std::size_t>(moved)};
  if (moved < 0 && would_block()) return {State::wait, 0};
  if (moved < 0) error_ = errno;
  return {State::closed, 0};
}

Stream::Moved Stream::read(std::span<std::byte> to) noexcept {
  if (!tls_) {
    return outcome(uninterrupted([&] { return recv(fd_.get(), to.data(), to.size(), 0); }));
  }
  const std::lock_guard lock(tls_->lock);
  std::size_t all = 0;
  // A TLS record holds at most 16 KiB, and poll() does not see data that the session has already
  // decrypted.
  while (all < to.size()) {
    const auto most = static_cast<int>(std::min<std::size_t>(to.size() - all, 1u << 30));
    const int n = SSL_read(tls_->one, to.data() + all, most);
    if (n <= 0) {
      const Moved m = tls_->outcome(n);
      return all > 0 ? Moved{State::done, all} : m;
    }
    all += static_cast<std::size_t>(n);
  }
  return {State::done, all};
}

Stream::Moved Stream::write(Bytes from) noexcept {
  if (!tls_) {
    return outcome(
        uninterrupted([&] { return ::send(fd_.get(), from.data(), from.size(), MSG_NOSIGNAL); }));
  }
  const std::lock_guard lock(tls_->lock);
  const auto most = static_cast<int>(std::min<std::size_t>(from.size(), 1u << 30));
  Moved m = tls_->outcome(SSL_write(tls_->one, from.data(), most));
  if (m.state == State::wait_to_write) m.state = State::wait;
  return m;
}

Stream::Moved Stream::write(std::span<const iovec> parts) noexcept {
  if (!tls_) {
    msghdr message{};
    message.msg_iov = const_cast<iovec*>(parts.data());
    message.msg_iovlen = parts.size();
    return outcome(uninterrupted([&] { return sendmsg(fd_.get(), &message, MSG_NOSIGNAL); }));
  }
  std::size_t all = 0;
  for (const iovec& part : parts) {
    const Moved m = write(Bytes(static_cast<const std::byte*>(part.iov_base), part.iov_len));
    all += m.bytes;
    if (m.state == State::closed) return m;
    if (m.state != State::done) return all > 0 ? Moved{State::done, all} : m;
    if (m.bytes < part.iov_len) break;
  }
  return {State::done, all};
}

void Stream::finish() noexcept {
  if (tls_) {
    const std::lock_guard lock(tls_->lock);
    if (tls_->error.empty()) SSL_shutdown(tls_->one);
    ERR_clear_error();
  }
  shutdown(fd_.get(), SHUT_WR);
}

void Stream::close(bool reset) noexcept {
  if (reset) {
    const linger at_once{1, 0};
    setsockopt(fd_.get(), SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
  }
  tls_.reset();
  fd_.reset();
}

std::string Stream::why() const {
  if (tls_) {
    const std::lock_guard lock(tls_->lock);
    if (!tls_->error.empty()) return tls_->error;
  }
  return error_ == 0 ? "the other side has closed the connection"
                     : std::generic_category().message(error_);
}

bool wait_for(const Stream& s, Stream::State state, Clock::time_point deadline) noexcept {
  const std::uint32_t what = state == Stream::State::wait_to_write ? writable : readable;
  return wait_for(s.descriptor(), what, deadline).ready != 0 && Clock::now() < deadline;
}

bool wait_for_room(const Stream& s, Clock::time_point deadline) noexcept {
  return wait_for(s.descriptor(), writable, deadline).ready != 0;
}

}  // namespace vernier::net
