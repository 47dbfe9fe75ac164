#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "vernier/net/http.hpp"
#include "vernier/net/outbox.hpp"
#include "vernier/net/tls.hpp"
#include "vernier/net/wait.hpp"
#include "vernier/net/web_access.hpp"
#include "vernier/net/websocket.hpp"

namespace vernier::net {

/// The answer to a request for a file.
struct WebAnswer {
  int status = 200;
  std::string type = "text/html; charset=utf-8";
  std::vector<http::Field> fields = {};  // further ones: Cache-Control, Content-Encoding
  std::string tag = {};                  // the entity tag, with its quotes; empty: none
  SharedBytes body = {};                 // null: empty
};

/// What a web server serves. All functions are called by the thread of WebServer::serve(), and must
/// not block.
class WebSite {
 public:
  using Client = std::uint64_t;  // a connection; never used for another one
  virtual ~WebSite() = default;

  /// A request for a file. Nothing: WebServer::answer() follows.
  virtual std::optional<WebAnswer> file(Client, const http::Request&, Role) = 0;
  /// A WebSocket was opened, has sent a message, was closed.
  virtual void opened(Client, Role) = 0;
  virtual void received(Client, std::string text) = 0;
  virtual void closed(Client) = 0;
  /// Called after each wait; returns when it must be called again at the latest.
  virtual Clock::time_point serve(Clock::time_point now) = 0;
};

/// Serves files and WebSockets over HTTP/1.1 to visitors that WebAccess admits, in one thread.
class WebServer {
 public:
  using Client = WebSite::Client;

  struct Settings {
    WebAccess::Settings access;
    std::shared_ptr<Tls> tls = {};          // null: not encrypted
    std::string socket_path = "/ws";        // of WebSockets
    std::string subprotocol = {};           // that they must offer; words: one of them
    std::size_t most_connections = 64;      // then the longest idle one makes room
    std::size_t longest_message = 4 << 20;  // from a client
    std::size_t most_waiting = 1 << 20;  // for a client; beyond it, live messages are dropped and
                                         // nothing more is read from it
    std::chrono::milliseconds head_within{10'000};  // of a request
    std::chrono::milliseconds idle{60'000};         // between two requests
    std::chrono::milliseconds stalled{60'000};      // that a client may read nothing, or be silent
  };

  /// `listener` is a listening socket. Throws ConfigurationError (V8101) when the system refuses
  /// what it needs.
  WebServer(Descriptor listener, Settings, WebSite&);
  ~WebServer();
  WebServer(const WebServer&) = delete;
  WebServer& operator=(const WebServer&) = delete;

  /// Until stop().
  void serve();
  /// From any thread or signal handler.
  void stop() noexcept;
  /// From any thread: has WebSite::serve() called soon.
  void wake() noexcept;

  // -- from WebSite's functions; nothing happens for a client that is gone
  // -------------------------

  /// The answer to a request that file() left open.
  void answer(Client, WebAnswer);
  /// A message to a WebSocket.
  void send(Client, std::string_view text);
  void send(Client, Bytes binary);
  /// The same for a message that may be missed. False: too much is waiting, and it was dropped.
  bool send_live(Client, Bytes binary);
  /// While held, nothing is read from the client.
  void hold(Client, bool);
  /// Closes a WebSocket.
  void close(Client, websocket::Code, std::string_view reason);

 private:
  class Work;
  std::unique_ptr<Work> work_;
};

}  // namespace vernier::net
