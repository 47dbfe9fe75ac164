#pragma once

#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "vernier/gateway/link/conversation.hpp"
#include "vernier/gateway/link/detail/framed_stream.hpp"
#include "vernier/gateway/link/detail/shared.hpp"
#include "vernier/gateway/link/handshake.hpp"

namespace vernier::link {

inline constexpr std::int64_t millisecond = 1'000'000, second = 1'000'000'000;  // ns

/// The communication thread of a link: the only one that uses sockets.
class Link::Communication final : public Outlet {
 public:
  Communication(const Settings&, Shared&);
  ~Communication() override { stop(); }

  void open();
  void start();
  void stop();
  net::Address address(Connection) const;

  // Outlet
  std::int64_t now() noexcept override { return clock_(); }
  bool put(Connection, const Header&, std::span<const std::byte> payload) noexcept override;

 private:
  /// A connection during its handshake, or while it is being refused.
  struct Guest {
    Guest(Connection, net::Stream, std::int64_t deadline);
    Connection connection;
    FramedStream wire;
    std::int64_t deadline;
    net::Loop::Key number = 0;
    std::unique_ptr<Handshake> handshake;  // on control connections
    bool leaving = false;                  // was told why; its data is discarded
  };
  /// What the loop monitors; guests have the numbers after these.
  enum Watched : net::Loop::Key {
    stopped,
    stepped,
    on_control,
    on_data,
    control_listens,
    data_listens,
    first_guest
  };

  void run();
  void wait(std::int64_t until);
  void housekeeping();
  Hello mine() const;
  Handshake::Random random() const;

  // a client
  void attempt();
  bool greet(Handshake&);
  bool answered(Handshake&, Connection, Handshake::Act& act, std::int64_t deadline);
  bool unreachable(const net::Address&, const std::string& why);

  // a server
  void accept(Connection);
  void listen_to(Guest&);
  void meet(Guest&, const FrameReader::Next&);
  void pair(Guest& data, const FrameReader::Next&);
  void turn_away(Guest&, Reason, const char* text);

  // both
  FramedStream& wire(Connection c) noexcept { return c == Connection::control ? control_ : data_; }
  void come_up(const Terms&);
  void take_wake();
  void pump();
  void serve(Connection);
  void deliver(const Header&, std::span<const std::byte>, std::int64_t received) noexcept;
  void lose(Reason, bool theirs, const char* text);
  void note(Reason, bool theirs, const std::string& text);
  /// Counts an attempt to connect that is not accepted.
  void note_refusal(Guest&, Reason) noexcept;
  /// Makes it the last error.
  void tell(Reason, bool theirs, const std::string& text);
  void publish(LinkState);
  void send_bye(FramedStream&, std::uint32_t session, std::uint64_t sequence, Reason,
                const char* text);

  const Settings& settings_;
  Shared& shared_;
  std::function<std::int64_t()> clock_;
  net::Wake stop_;
  Descriptor control_listener_, data_listener_;
  net::Loop loop_;
  std::thread thread_;
  bool stopping_ = false;

  FramedStream control_, data_;
  bool live_ = false;
  Conversation conversation_;
  std::vector<std::unique_ptr<Guest>> guests_;
  net::Loop::Key last_guest_ = first_guest;
  std::int64_t next_attempt_ = 0, backoff_ = 0;

  bool vector_waits_ = false;        // a vector is in the mailbox, and the network is not ready
  std::uint64_t last_outgoing_ = 0;  // numbers of vectors
  std::uint64_t incoming_ = 0, last_output_ = 0;
  std::int64_t last_published_ = 0;
  Quality quality_;
};

}  // namespace vernier::link
