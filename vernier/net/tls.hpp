#pragma once

#include <memory>
#include <string>

namespace vernier::net {

/// The certificates of one side of a TLS connection.
class Tls {
 public:
  /// For a server: its certificate chain and private key, PEM files. Null and `why` when they
  /// cannot be used.
  static std::shared_ptr<Tls> of_server(const std::string& certificate, const std::string& key,
                                        std::string& why);
  /// For a client: the authorities that must have issued the server's certificate; empty: the
  /// system's.
  static std::shared_ptr<Tls> of_client(const std::string& authorities, std::string& why);

  /// The files of one side of mutual TLS 1.3: both sides have a certificate, and each must have
  /// been issued by one of the authorities.
  struct Mutual {
    std::string certificate, key, authorities;
  };
  static std::shared_ptr<Tls> of_server(const Mutual&, std::string& why);
  static std::shared_ptr<Tls> of_client(const Mutual&, std::string& why);

  struct Context;
  explicit Tls(std::unique_ptr<Context>);
  ~Tls();

 private:
  friend class Stream;
  std::unique_ptr<Context> context_;
};

}  // namespace vernier::net
