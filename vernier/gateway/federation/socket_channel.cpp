#include "vernier/gateway/federation/socket_channel.hpp"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <mutex>
#include <system_error>
#include <thread>

#include "vernier/base/diagnostic.hpp"
#include "vernier/gateway/channel/key.hpp"
#include "vernier/gateway/federation/callbacks.hpp"
#include "vernier/gateway/federation/hello.hpp"
#include "vernier/gateway/federation/here.hpp"
#include "vernier/gateway/federation/inbox.hpp"
#include "vernier/gateway/federation/wire.hpp"

namespace vernier::federation {
namespace {

using Clock = Channel::Clock;
using namespace std::chrono_literals;

constexpr std::size_t channel_read_size = 128u << 10;
constexpr std::size_t write_size = 32u << 10;  // this much leaves without flush()

timespec time_left(Clock::time_point until) noexcept {
  const auto left = std::clamp<Clock::duration>(until - Clock::now(), 0s, 1s);
  return {left / 1s, std::chrono::nanoseconds(left % 1s).count()};
}

class SocketChannel final : public Channel {
 public:
  SocketChannel(std::unique_ptr<Wire> wire, Bytes early, const SocketSettings& s)
      : settings_(s), wire_(std::move(wire)), wake_(eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)) {
    inbox_.keep(early);
    out_.reserve(2 * write_size);
    flusher_ = std::thread([this] { keep_flushed(); });
  }

  ~SocketChannel() override {
    over_ = true;
    if (bell_.announce()) bell_.ring();
    flusher_.join();
    if (flush()) wire_->finish();
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
    Inbox batch(0);
    Bytes frames;
    // poll() first, unless there was so much that more is likely
    for (bool read = busy_;; read = true) {
      {
        const std::lock_guard lock(receive_lock_);
        // what a blocked send() has read comes first
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
      const timespec left = time_left(until);
      const bool past = left.tv_sec == 0 && left.tv_nsec == 0;
      if (past && read) return true;
      wait_to_read(left);
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
    ring_poll();
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

  void ring_poll() noexcept {
    const std::uint64_t one = 1;
    [[maybe_unused]] const auto n = ::write(wake_.get(), &one, sizeof one);
  }

  /// All of the buffer; under the send lock. What comes meanwhile is read, since the RTI takes
  /// nothing from one who does not take what it has for it.
  bool write_out() {
    ++writes_;
    Bytes rest(out_);
    while (!rest.empty() && !lost_) {
      const Wire::Moved m = wire_->write(rest);
      rest = rest.subspan(m.bytes);
      if (m.state == Wire::State::closed) lose(wire_->why());
      if (m.state == Wire::State::wait) {
        pollfd p{wire_->descriptor(), POLLOUT | POLLIN, 0};
        const timespec most = time_left(Clock::now() + settings_.tolerate);
        if (ppoll(&p, 1, &most, nullptr) == 0) lose_if_silent();
        if ((p.revents & (POLLIN | POLLHUP | POLLERR)) != 0) {
          const std::lock_guard lock(receive_lock_);
          read_some();
          if (polling_) ring_poll();
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

  /// Under the receive lock.
  void read_some() {
    const std::span<std::byte> room = inbox_.room();
    const Wire::Moved m = wire_->read(room);
    inbox_.add(m.bytes);
    busy_ = m.bytes > 4096;
    if (m.bytes > 0) heard_ = Clock::now();
    if (m.state == Wire::State::closed) lose("the RTI has gone: " + wire_->why());
  }

  /// What is whole in the inbox.
  bool whole_frames(Bytes& frames) {
    const Bytes all = inbox_.content();
    Bytes rest = all, one;
    Cut cut = Cut::frame;
    while (cut == Cut::frame) cut = next_frame(rest, one);
    if (cut == Cut::malformed) lose("what the RTI sent is malformed");
    frames = all.first(all.size() - rest.size());
    return !frames.empty();
  }

  bool hand_over(Bytes frames, const std::function<void(Bytes)>& take) {
    Bytes one;
    while (next_frame(frames, one) == Cut::frame) {
      const Kind kind = header(one)->kind;
      if (kind == Kind::alive) continue;
      if (Lost lost; kind == Kind::lost) {
        lose(read(one, lost) ? lost.why : "the RTI does not want to go on");
        wire_->finish();
        return false;
      }
      take(one);
    }
    return true;
  }

  void wait_to_read(const timespec& left) {
    polling_ = true;
    pollfd p[2] = {{wire_->descriptor(), POLLIN, 0}, {wake_.get(), POLLIN, 0}};
    const int ready = ppoll(p, 2, &left, nullptr);
    polling_ = false;
    if (p[1].revents != 0) {
      std::uint64_t count = 0;
      [[maybe_unused]] const auto n = ::read(wake_.get(), &count, sizeof count);
    }
    if (ready == 0) lose_if_silent();
  }

  void lose_if_silent() {
    if (Clock::now() - heard_.load() > settings_.tolerate) lose("the RTI is silent");
  }

  /// The second thread: nothing stays unflushed for longer than two milliseconds, and the RTI
  /// hears something each second. It looks by itself while there is a lot to do, so that nobody
  /// has to wake it, and is woken when there is little.
  void keep_flushed() {
    Clock::time_point said = Clock::now();
    std::uint64_t seen = 0;
    while (!over_) {
      bell_.listen();
      std::uint64_t news = 0;
      {
        const std::lock_guard lock(send_lock_);
        if (!out_.empty()) write_out();
        const Clock::time_point now = Clock::now();
        news = writes_ - seen;
        if (news > 0) said = now;
        if (now - said >= 1s) {
          if (!lost_) write(out_, Alive{});
          write_out();
          said = now;
        }
        seen = writes_;
      }
      if (over_) break;
      if (news < 4) bell_.sleep(said + 1s);
      if (!over_) std::this_thread::sleep_for(news < 4 ? 1ms : 2ms);
    }
  }

  const SocketSettings settings_;
  const std::unique_ptr<Wire> wire_;
  const channel::Descriptor wake_;
  std::atomic<bool> lost_{false}, woken_{false}, polling_{false}, over_{false}, busy_{false};
  std::atomic<Clock::time_point> heard_{Clock::now()};

  std::mutex send_lock_;  // for the next two; before the receive lock
  std::vector<std::byte> out_;
  std::uint64_t writes_ = 0;

  std::mutex receive_lock_;  // for the next
  Inbox inbox_{channel_read_size}, spare_{channel_read_size};

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

channel::Descriptor connected_to_path(const std::string& path, std::string& why) {
  sockaddr_un a{};
  if (path.size() >= sizeof a.sun_path) {
    why = "a path of at most 107 characters is needed";
    return {};
  }
  a.sun_family = AF_UNIX;
  std::memcpy(a.sun_path, path.data(), path.size());
  channel::Descriptor fd(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (!fd || ::connect(fd.get(), reinterpret_cast<const sockaddr*>(&a), sizeof a) != 0) {
    why = std::generic_category().message(errno);
    return {};
  }
  channel::prepare(fd.get());
  return fd;
}

bool wait_for(const Wire& wire, Wire::State state, Clock::time_point deadline) {
  const short events = state == Wire::State::wait_to_write ? POLLOUT : POLLIN;
  pollfd p{wire.descriptor(), events, 0};
  poll(&p, 1, channel::milliseconds_until(deadline));
  return Clock::now() < deadline;
}

/// Says hello; what came behind the last answer is left in the inbox.
bool greeted(Wire& wire, Bytes key, Clock::time_point deadline, Inbox& inbox, std::string& why) {
  HelloToRti hello(program_name(), key);
  std::vector<std::byte> reply;
  hello.begin(reply);
  while (true) {
    // a few hundred bytes always find room
    if (!reply.empty() && wire.write(reply).bytes != reply.size()) break;
    reply.clear();
    Bytes content = inbox.content(), frame;
    const Cut cut = next_frame(content, frame, longest_welcome);
    if (cut == Cut::malformed) {
      why = "what answers is not an RTI";
      return false;
    }
    if (cut == Cut::frame) {
      const Greeting g = hello.take(frame, reply);
      inbox.keep(content);
      why = hello.why();
      if (g != Greeting::more) return g == Greeting::done;
      continue;
    }
    const Wire::Moved m = wire.read(inbox.room());
    inbox.add(m.bytes);
    if (m.state == Wire::State::closed) break;
    if (m.state != Wire::State::done && !wait_for(wire, m.state, deadline)) {
      why = "nobody answers";
      return false;
    }
  }
  why = wire.why();
  return false;
}

}  // namespace

std::unique_ptr<Channel> connect_socket(const Designator& d, const SocketSettings& s,
                                        std::string& why) {
  const Clock::time_point deadline = Clock::now() + s.connect_within;
  const std::string where = "the RTI at " + d.address + ": ";
  std::vector<std::byte> key;
  try {
    if (!d.key_file.empty()) key = channel::key_in(d.key_file, "V5302", "the federate");
  } catch (const ConfigurationError& e) {
    why = e.diagnostics().list().front().message;
    return nullptr;
  }
  channel::Descriptor fd;
  std::string host;
  if (d.where == Designator::Where::unix_socket) {
    fd = connected_to_path(d.address, why);
  } else if (const auto a = channel::parsed_address(d.address)) {
    host = a->host;
    auto connected = channel::connected(*a, deadline);
    if (connected) {
      fd = std::move(*connected);
    } else {
      why = connected.error();
    }
  }
  if (!fd) {
    why = where + why;
    return nullptr;
  }
  auto wire = std::make_unique<Wire>(std::move(fd));
  wire->tolerate(s.tolerate);
  if (d.tls) {
    const auto tls = Tls::of_client(d.tls_ca, why);
    if (!tls) return nullptr;
    wire->secure(*tls, host);
    for (Wire::State state = wire->shake(); state != Wire::State::done; state = wire->shake()) {
      const bool closed = state == Wire::State::closed;
      if (closed || !wait_for(*wire, state, deadline)) {
        why = where + "TLS: " + (closed ? wire->why() : "nobody answers");
        return nullptr;
      }
    }
  }
  Inbox inbox(4096);
  if (!greeted(*wire, key, deadline, inbox, why)) {
    why = where + why;
    return nullptr;
  }
  return std::make_unique<SocketChannel>(std::move(wire), inbox.content(), s);
}

}  // namespace vernier::federation
