#include "vernier/gateway/federation/socket_transport.hpp"

#include <unistd.h>

#include <atomic>
#include <mutex>
#include <thread>

#include "vernier/base/diagnostic.hpp"
#include "vernier/gateway/federation/callbacks.hpp"
#include "vernier/gateway/federation/hello.hpp"
#include "vernier/gateway/federation/here.hpp"
#include "vernier/net/liveness.hpp"
#include "vernier/net/secret.hpp"
#include "vernier/net/socket.hpp"
#include "vernier/net/stream.hpp"

namespace vernier::federation {
namespace {

using Clock = RtiTransport::Clock;
using namespace std::chrono_literals;

constexpr std::size_t channel_read_size = 128u << 10;
constexpr std::size_t write_size = 32u << 10;  // this much is sent without flush()

class SocketTransport final : public RtiTransport {
 public:
  SocketTransport(net::Stream wire, Bytes early, const SocketSettings& s)
      : settings_(s), wire_(std::move(wire)) {
    inbox_.keep(early);
    out_.reserve(2 * write_size);
    flusher_ = std::thread([this] { keep_flushed(); });
  }

  ~SocketTransport() override {
    over_ = true;
    if (bell_.announce()) bell_.ring();
    flusher_.join();
    if (flush()) wire_.finish();
  }

  bool send(Bytes frame) override {
    const std::lock_guard lock(send_lock_);
    if (lost_) return false;
    const bool first = out_.empty();
    out_.insert(out_.end(), frame.begin(), frame.end());
    if (out_.size() >= write_size) return write_out();
    if (first && bell_.announce()) bell_.ring();
    return true;
  }

  bool flush() override {
    const std::lock_guard lock(send_lock_);
    return write_out();
  }

  bool receive(Clock::time_point until, const std::function<void(Bytes)>& take) override {
    net::Inbox batch(0);
    Bytes frames;
    // poll() first, unless the last read was so large that more is likely
    for (bool read = busy_;; read = true) {
      {
        const std::lock_guard lock(receive_lock_);
        // first what a blocked send() has read
        bool some = !inbox_.content().empty() && whole_frames(frames);
        if (!some && read) {
          read_some();
          some = whole_frames(frames);
        }
        if (some) {
          batch = std::move(spare_);
          std::swap(batch, inbox_);
          inbox_.keep(batch.content().subspan(frames.size()));
          frames = batch.content().first(frames.size());
        }
      }
      if (!frames.empty()) break;
      if (lost_) return false;
      if (woken_.exchange(false)) return true;
      if (read && Clock::now() >= until) return true;
      wait_to_read(std::min(until, Clock::now() + 1s));
    }
    const bool good = hand_over(frames, take);
    const std::lock_guard lock(receive_lock_);
    batch.keep({});
    batch.shrink(channel_read_size);
    spare_ = std::move(batch);
    return good;
  }

  void wake() override {
    woken_ = true;
    wake_.ring();
  }

  std::string why_lost() const override {
    const std::lock_guard lock(why_lock_);
    return why_;
  }

 private:
  void lose(std::string why) {
    const std::lock_guard lock(why_lock_);
    if (!lost_) why_ = std::move(why);
    lost_ = true;
  }

  /// Writes the whole buffer; under the send lock. Reads meanwhile, since the RTI accepts nothing
  /// from a federate that does not take its messages.
  bool write_out() {
    ++writes_;
    Bytes rest(out_);
    while (!rest.empty() && !lost_) {
      const net::Stream::Moved m = wire_.write(rest);
      rest = rest.subspan(m.bytes);
      if (m.state == net::Stream::State::closed) lose(wire_.why());
      if (m.state == net::Stream::State::wait) {
        const auto ready =
            net::wait_for(wire_.descriptor(), net::readable | net::writable,
                          Clock::now() + std::min<Clock::duration>(settings_.tolerate, 1s))
                .ready;
        if (ready == 0) lose_if_silent();
        if ((ready & net::readable) != 0) {
          const std::lock_guard lock(receive_lock_);
          read_some();
          if (polling_) wake_.ring();
        }
      }
    }
    out_.clear();
    if (out_.capacity() > 8 * write_size) {
      out_.shrink_to_fit();
      out_.reserve(2 * write_size);
    }
    return !lost_;
  }

  /// Called under the receive lock.
  void read_some() {
    const std::span<std::byte> room = inbox_.room();
    const net::Stream::Moved m = wire_.read(room);
    inbox_.add(m.bytes);
    busy_ = m.bytes > 4096;
    if (m.bytes > 0) life_.hear(Clock::now());
    if (m.state == net::Stream::State::closed) lose("the RTI has gone: " + wire_.why());
  }

  /// The complete frames in the inbox.
  bool whole_frames(Bytes& frames) {
    const Bytes all = inbox_.content();
    Bytes rest = all, one;
    net::Cut cut = net::Cut::frame;
    while (cut == net::Cut::frame) cut = next_frame(rest, one);
    if (cut == net::Cut::malformed) lose("malformed message from the RTI");
    frames = all.first(all.size() - rest.size());
    return !frames.empty();
  }

  bool hand_over(Bytes frames, const std::function<void(Bytes)>& take) {
    Bytes one;
    while (next_frame(frames, one) == net::Cut::frame) {
      const Kind kind = header(one)->kind;
      if (kind == Kind::alive) continue;
      if (Lost lost; kind == Kind::lost) {
        lose(read(one, lost) ? lost.why : "the RTI closed the connection");
        wire_.finish();
        return false;
      }
      take(one);
    }
    return true;
  }

  void wait_to_read(Clock::time_point until) {
    polling_ = true;
    const net::Waited w =
        net::wait_for(wire_.descriptor(), net::readable, until, wake_.descriptor());
    polling_ = false;
    if (w.woken) wake_.clear();
    if (!w.woken && w.ready == 0) lose_if_silent();
  }

  void lose_if_silent() {
    if (life_.silent(Clock::now(), settings_.tolerate)) lose("the RTI is silent");
  }

  /// The second thread: nothing stays unflushed for longer than two milliseconds, and the RTI
  /// receives something every second. Under load it polls, so that no sender has to wake it;
  /// otherwise senders wake it.
  void keep_flushed() {
    std::uint64_t seen = 0;
    while (!over_) {
      bell_.listen();
      std::uint64_t news = 0;
      {
        const std::lock_guard lock(send_lock_);
        if (!out_.empty()) write_out();
        const Clock::time_point now = Clock::now();
        news = writes_ - seen;
        if (news > 0) life_.say(now);
        if (now >= life_.beat()) {
          if (!lost_) write(out_, Alive{});
          write_out();
          life_.say(now);
        }
        seen = writes_;
      }
      if (over_) break;
      if (news < 4) bell_.sleep(life_.beat());
      if (!over_) std::this_thread::sleep_for(news < 4 ? 1ms : 2ms);
    }
  }

  const SocketSettings settings_;
  net::Stream wire_;
  const net::Wake wake_;
  std::atomic<bool> lost_{false}, woken_{false}, polling_{false}, over_{false}, busy_{false};
  net::Liveness life_{Clock::now()};

  std::mutex send_lock_;  // protects the next two; taken before the receive lock
  std::vector<std::byte> out_;
  std::uint64_t writes_ = 0;

  std::mutex receive_lock_;  // protects the next
  net::Inbox inbox_{channel_read_size}, spare_{channel_read_size};

  mutable std::mutex why_lock_;
  std::string why_;

  Bell bell_;
  std::thread flusher_;
};

std::string program_name() {
  std::string name(256, '\0');
  const ssize_t n = readlink("/proc/self/exe", name.data(), name.size());
  name.resize(n > 0 ? static_cast<std::size_t>(n) : 0);
  return name.substr(name.rfind('/') + 1) + " " + std::to_string(getpid());
}

/// Performs the handshake; bytes after the last answer stay in the inbox.
bool greeted(net::Stream& wire, Bytes key, Clock::time_point deadline, net::Inbox& inbox,
             std::string& why) {
  HelloToRti hello(program_name(), key);
  std::vector<std::byte> reply;
  hello.begin(reply);
  while (true) {
    // a few hundred bytes always fit into the socket's buffer
    if (!reply.empty() && wire.write(reply).bytes != reply.size()) break;
    reply.clear();
    Bytes content = inbox.content(), frame;
    const net::Cut cut = next_frame(content, frame, longest_welcome);
    if (cut == net::Cut::malformed) {
      why = "the peer is not an RTI";
      return false;
    }
    if (cut == net::Cut::frame) {
      const Greeting g = hello.take(frame, reply);
      inbox.keep(content);
      why = hello.why();
      if (g != Greeting::more) return g == Greeting::done;
      continue;
    }
    const net::Stream::Moved m = wire.read(inbox.room());
    inbox.add(m.bytes);
    if (m.state == net::Stream::State::closed) break;
    if (m.state != net::Stream::State::done && !net::wait_for(wire, m.state, deadline)) {
      why = "no answer";
      return false;
    }
  }
  why = wire.why();
  return false;
}

}  // namespace

std::unique_ptr<RtiTransport> connect_socket(const Designator& d, const SocketSettings& s,
                                             std::string& why) {
  const Clock::time_point deadline = Clock::now() + s.connect_within;
  const std::string where = "the RTI at " + d.address + ": ";
  std::vector<std::byte> key;
  try {
    if (!d.key_file.empty()) key = net::key_in(d.key_file, "V5302", "the federate");
  } catch (const ConfigurationError& e) {
    why = e.diagnostics().list().front().message;
    return nullptr;
  }
  const bool at_path = d.where == Designator::Where::unix_socket;
  const auto a = at_path ? net::Address{} : net::parsed_address(d.address).value_or(net::Address{});
  auto connected = at_path ? net::connected_to(d.address) : net::connected(a, deadline);
  if (!connected) {
    why = where + connected.error();
    return nullptr;
  }
  net::Stream wire(std::move(*connected));
  wire.tolerate(std::max<std::chrono::milliseconds>(s.tolerate, 1s));
  if (d.tls) {
    using State = net::Stream::State;
    const auto tls = net::Tls::of_client(d.tls_ca, why);
    if (!tls) return nullptr;
    wire.secure(*tls, a.host);
    for (State state = wire.shake(); state != State::done; state = wire.shake()) {
      const bool closed = state == State::closed;
      if (closed || !net::wait_for(wire, state, deadline)) {
        why = where + "TLS: " + (closed ? wire.why() : "no answer");
        return nullptr;
      }
    }
  }
  net::Inbox inbox(4096);
  if (!greeted(wire, key, deadline, inbox, why)) {
    why = where + why;
    return nullptr;
  }
  return std::make_unique<SocketTransport>(std::move(wire), inbox.content(), s);
}

}  // namespace vernier::federation
