#include "vernier/run/exchange/meeting.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <list>
#include <utility>

#include "vernier/base/require.hpp"
#include "vernier/net/loop.hpp"
#include "vernier/net/socket.hpp"
#include "vernier/run/exchange/handshake.hpp"

namespace vernier::exchange {
namespace {

using namespace std::chrono_literals;
using net::Clock;
using net::Loop;
using Flow = net::Stream::State;

constexpr std::size_t most_strangers = 64;  // then the one that has been silent longest leaves
constexpr auto stranger_within = 2s;        // to prove who it is
constexpr auto first_pause = 1ms, longest_pause = 10ms;  // between two attempts to connect
// an attempt may take; the system repeats one that found no room less and less often
constexpr auto first_patience = 500ms, longest_patience = 8000ms;
constexpr auto accept_pause = 50ms;
constexpr int backlog = 256;
constexpr Loop::Key listener_key = 0, wake_key = 1, first_key = 2;

/// One meeting of all nodes.
class Gathering {
 public:
  Gathering(const Descriptor& listener, const Meeting::With& with)
      : listener_(listener),
        with_(with),
        run_{with.epoch, with.self, static_cast<std::uint32_t>(with.addresses.size()), with.key},
        streams_(with.addresses.size()),
        reasons_(with.addresses.size(), "it did not connect in time") {
    for (std::uint32_t i = 0; i < run_.self; ++i) {
      Link& l = links_.emplace_back(Handshake(run_));
      l.key = next_key_++;
      l.connects = true;
      l.peer = i;
    }
  }

  Result<std::unique_ptr<SocketExchange>, Meeting::Trouble> wait(Clock::time_point deadline,
                                                                 int wake) {
    if (!loop_) return Failure{Meeting::Trouble{Meeting::Trouble::nobody, net::system_error()}};
    loop_.watch(listener_.get(), net::readable, listener_key);
    if (wake >= 0) loop_.watch(wake, net::readable, wake_key);
    for (Link& l : links_) begin(l);
    while (trouble_.why.empty()) {
      std::erase_if(links_, [](const Link& l) { return l.over; });
      if (met_ + 1 == streams_.size()) return met();
      const auto events = loop_.wait(deadline);
      for (const Loop::Event& e : events) take(e);
      if (trouble_.why.empty() && loop_.now() >= deadline) miss();
    }
    return Failure{std::move(trouble_)};
  }

 private:
  struct Link {
    explicit Link(const Handshake& h) : handshake(h) {}
    net::Stream stream;
    Handshake handshake;
    std::vector<std::byte> to_send;
    std::array<std::byte, 64> message;
    std::size_t got = 0;
    Loop::Key key = 0;
    std::uint32_t peer = 0;  // to which it connects
    Clock::duration pause = first_pause, patience = first_patience;
    bool connects = false, connected = false, shaken = false, ending = false, over = false;
  };

  Result<std::unique_ptr<SocketExchange>, Meeting::Trouble> met() {
    auto e = std::make_unique<SocketExchange>(run_.self, std::move(streams_));
    if (run_.epoch > 0) e->begin(run_.epoch);
    return e;
  }

  void miss() {
    for (std::uint32_t i = 0; i < streams_.size(); ++i)
      if (i != run_.self && !streams_[i]) return fail(i, reasons_[i]);
  }
  void fail(std::uint32_t node, std::string why) { trouble_ = {node, std::move(why)}; }

  void take(const Loop::Event& e) {
    if (e.key == wake_key) return fail(Meeting::Trouble::nobody, "interrupted");
    if (e.key == listener_key) {
      if (e.what == Loop::due) loop_.watch(listener_.get(), net::readable, listener_key);
      return accept_some();
    }
    const auto l = std::ranges::find_if(links_, [&](const Link& x) { return x.key == e.key; });
    if (l == links_.end() || l->over) return;
    if (e.what != Loop::due) return advance(*l);
    if (!l->connects) return drop(*l);
    if (!l->stream) return begin(*l);
    if (l->connected) return;  // just now
    l->patience = std::min<Clock::duration>(2 * l->patience, longest_patience);
    again(*l, "it does not answer");
  }

  // ---- whom this node connects to

  void begin(Link& l) {
    const auto to = net::parsed_address(with_.addresses[l.peer]);
    auto fd = to ? net::connecting(*to) : Failure{std::string("its address cannot be read")};
    if (!fd) return again(l, fd.error());
    l.stream = net::Stream(std::move(*fd));
    l.connected = l.shaken = l.ending = false;
    l.got = 0;
    l.to_send.clear();
    l.handshake = Handshake(run_, l.peer, l.to_send);
    if (with_.client) l.stream.secure(*with_.client, to->host);
    loop_.watch(l.stream.descriptor(), net::writable, l.key);
    loop_.timers().set(l.key, Clock::now() + l.patience);
  }

  /// It may not be there yet, or be in an earlier epoch.
  void again(Link& l, std::string why) {
    reasons_[l.peer] = std::move(why);
    if (l.stream) loop_.forget(l.stream.descriptor());
    l.stream.close();
    loop_.timers().set(l.key, Clock::now() + l.pause);
    l.pause = std::min<Clock::duration>(2 * l.pause, longest_pause);
  }

  // ---- who connects to this node

  void accept_some() {
    for (int k = 0; k < net::accepted_at_once; ++k) {
      Descriptor fd = net::accepted(listener_);
      if (!fd && errno != EAGAIN && errno != EWOULDBLOCK) {
        loop_.forget(listener_.get());  // there are no descriptors left
        loop_.timers().set(listener_key, loop_.now() + accept_pause);
      }
      if (!fd) return;
      make_room();
      Link& l = links_.emplace_back(Handshake(run_));
      l.key = next_key_++;
      l.stream = net::Stream(std::move(fd));
      l.connected = true;
      if (with_.server) l.stream.secure(*with_.server);
      loop_.watch(l.stream.descriptor(), net::readable, l.key);
      loop_.timers().set(l.key, loop_.now() + stranger_within);
    }
  }

  void make_room() {
    const auto stranger = [](const Link& l) { return !l.connects && !l.over; };
    if (static_cast<std::size_t>(std::ranges::count_if(links_, stranger)) < most_strangers) return;
    // the oldest, and rather one that has not even said who it is
    auto one = std::ranges::find_if(
        links_, [&](const Link& l) { return stranger(l) && !l.handshake.greeted(); });
    if (one == links_.end()) one = std::ranges::find_if(links_, stranger);
    drop(*one);
  }

  void drop(Link& l) {
    l.over = true;
    loop_.timers().cancel(l.key);
    loop_.forget(l.stream.descriptor());
    l.stream.close();
  }

  // ---- both

  void lose(Link& l, std::string why) {
    if (l.connects) return again(l, std::move(why));
    drop(l);
  }

  /// As far as it goes without waiting.
  void advance(Link& l) {
    if (!l.connected) {
      if (std::string why = net::connect_failure(l.stream.descriptor()); !why.empty())
        return again(l, std::move(why));
      l.connected = true;
      loop_.timers().cancel(l.key);
    }
    if (l.stream.secured() && !l.shaken) {
      const Flow s = l.stream.shake();
      if (s == Flow::closed) return lose(l, l.stream.why());
      if (s != Flow::done) return expect(l, s == Flow::wait_to_write);
      l.shaken = true;
    }
    while (true) {
      if (!send(l)) return;
      if (l.ending) return drop(l);
      const std::size_t wanted = l.handshake.wanted();
      const net::Stream::Moved m =
          l.stream.read(std::span(l.message).subspan(l.got, wanted - l.got));
      if (m.state == Flow::closed) return lose(l, l.stream.why());
      if (m.state != Flow::done) return expect(l, m.state == Flow::wait_to_write);
      l.got += m.bytes;
      if (l.got < wanted) continue;
      l.got = 0;
      const Handshake::State s = l.handshake.take(std::span(l.message).first(wanted), l.to_send);
      if (s == Handshake::State::more) continue;
      if (s == Handshake::State::done) return arrive(l);
      if (l.connects) return refuse(l, s);
      if (s == Handshake::State::wrong_key)
        reasons_[l.handshake.peer()] = "one that says it is it has another key";
      l.ending = true;  // with what it is told
    }
  }

  /// False: it could not send all, or is lost.
  bool send(Link& l) {
    while (!l.to_send.empty()) {
      const net::Stream::Moved m = l.stream.write(Bytes(l.to_send));
      if (m.state == Flow::closed) {
        lose(l, l.stream.why());
        return false;
      }
      if (m.state != Flow::done) {
        expect(l, true);
        return false;
      }
      l.to_send.erase(l.to_send.begin(), l.to_send.begin() + static_cast<std::ptrdiff_t>(m.bytes));
    }
    return true;
  }

  void expect(Link& l, bool to_write) noexcept {
    loop_.change(l.stream.descriptor(), to_write ? net::writable : net::readable, l.key);
  }

  void refuse(Link& l, Handshake::State s) {
    switch (s) {
      case Handshake::State::wrong_key:
        return fail(l.peer, "it has another key");
      case Handshake::State::later:
        return fail(l.peer, "it is in a later epoch");
      case Handshake::State::earlier:
        return again(l, "it is in an earlier epoch");
      default:
        return again(l, "who answers there is no node");
    }
  }

  void arrive(Link& l) {
    // a socket that has just been empty takes the last message; if not, the peer tries again
    if (!send(l)) return drop(l);
    const std::uint32_t peer = l.handshake.peer();
    loop_.timers().cancel(l.key);
    loop_.forget(l.stream.descriptor());
    // one that connects again has lost its first connection
    if (!streams_[peer]) ++met_;
    streams_[peer] = std::move(l.stream);
    l.over = true;
  }

  const Descriptor& listener_;
  const Meeting::With& with_;
  const Handshake::Run run_;
  Loop loop_;
  std::list<Link> links_;
  Loop::Key next_key_ = first_key;
  std::vector<net::Stream> streams_;
  std::vector<std::string> reasons_;  // why a node is not there yet
  std::size_t met_ = 0;
  Meeting::Trouble trouble_;
};

}  // namespace

Meeting::Meeting(Descriptor listener, net::Address a)
    : listener_(std::move(listener)), address_(std::move(a)) {}

Result<std::unique_ptr<Meeting>, std::string> Meeting::at(const std::string& host) {
  auto listener = net::listening({host, "0"}, backlog);
  if (!listener) return Failure{"cannot listen at " + host + ": " + listener.error()};
  net::Address a{host, std::to_string(net::port_of(*listener))};
  return std::unique_ptr<Meeting>(new Meeting(std::move(*listener), std::move(a)));
}

std::string Meeting::address() const { return text(address_); }

Result<std::unique_ptr<SocketExchange>, Meeting::Trouble> Meeting::meet(
    const With& with, net::Clock::time_point deadline, int wake) {
  require(with.self < with.addresses.size() && !with.client == !with.server);
  return Gathering(listener_, with).wait(deadline, wake);
}

}  // namespace vernier::exchange
