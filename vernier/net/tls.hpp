#pragma once

#include <memory>
#include <string>

namespace vernier::net {

/// Certificates, for one side.
class Tls {
 public:
  /// Of a server: its certificate chain and private key, PEM files. Null and `why` when they cannot
  /// be used.
  static std::shared_ptr<Tls> of_server(const std::string& certificate, const std::string& key,
                                        std::string& why);
  /// Of a client: what the server's certificate must come from; empty: the system's authorities.
  static std::shared_ptr<Tls> of_client(const std::string& authorities, std::string& why);

  struct Context;
  explicit Tls(std::unique_ptr<Context>);
  ~Tls();

 private:
  friend class Stream;
  std::unique_ptr<Context> context_;
};

}  // namespace vernier::net
