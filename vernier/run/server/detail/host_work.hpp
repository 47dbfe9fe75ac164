#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "vernier/net/framing.hpp"
#include "vernier/net/loop.hpp"
#include "vernier/net/outbox.hpp"
#include "vernier/net/socket.hpp"
#include "vernier/run/server/detail/scratch.hpp"
#include "vernier/run/server/file_cache.hpp"
#include "vernier/run/server/greeting.hpp"
#include "vernier/run/server/host.hpp"
#include "vernier/run/server/relay.hpp"

namespace vernier::server {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using net::Clock;
using net::Loop;
using State = net::Stream::State;

constexpr Loop::Key listener_key = 0, drain_key = 1;
// the keys of one connection: itself, the channel to its executor, the executor's process, the size
// of what it writes
enum Watched : Loop::Key { wire = 0, channel = 1, process = 2, disk = 3, watched_count = 4 };

constexpr std::size_t most_rounds = 16;      // of one connection before others are served
constexpr std::size_t most_owed = 1u << 20;  // of answers that a client does not take

class Host::Work {
 public:
  explicit Work(HostSettings s);
  std::string address() const { return net::text(settings_.listen); }
  void serve();
  void drain() noexcept {
    asked_to_drain_ = true;
    loop_.wake();
  }
  void stop() noexcept {
    stopping_ = true;
    loop_.wake();
  }

 private:
  // ending: the connection is gone, its executor is not yet
  enum class Stage { tls, greeting, asking, relaying, attached, closing, ending, dead };

  /// An executor and what is under way to and from it.
  struct Run {
    explicit Run(Spawned s) : executor(std::move(s)), stream(executor.take_channel()) {}
    std::string name;
    std::uint64_t composer = 0;
    fs::path folder;
    std::vector<std::size_t> processors;  // which it uses, of all
    Spawned executor;
    net::Stream stream;
    Passage up, down;  // to the composer, to the executor
    FrameEdges edges;  // of what goes up
    std::uint32_t watched = 0;
    bool tell = false;                        // that the server drains
    bool silent = false;                      // the executor sends no more
    bool deaf = false;                        // it takes no more
    bool over = false;                        // its process has ended
    bool left = false;                        // the composer is about to send no more
    bool ended = false;                       // it sends no more
    bool full_up = false, full_down = false;  // the socket takes no more now
  };

  struct Transfer {
    std::vector<FileId> files;
    std::vector<std::uint32_t> missing;
    std::size_t next = 0;  // of the files that are looked at, or of the missing
    std::unique_ptr<FileCache::Check> check;
    std::unique_ptr<FileCache::Arrival> arrival;
  };

  /// A run whose composer answers questions.
  struct OpenRun {
    Attach about;                       // with the name by which clients find it
    std::deque<std::uint64_t> waiting;  // visitors whose questions it was not asked yet
    std::uint32_t number = 0;           // of its last question
    bool asked = false;                 // it has not answered that
    std::uint64_t asker = 0;            // a visitor; 0: it waits no more
  };
  /// What a client waits for.
  struct Question {
    std::uint64_t run;  // the visitor that is to answer
    std::string line;
  };

  struct Visitor {
    Visitor(std::uint64_t number, Descriptor fd, const HostSettings& s, net::Chunks& chunks)
        : id(number),
          stream(std::move(fd)),
          name(net::peer_name(stream.descriptor())),
          from(net::peer_of(stream.descriptor())),
          greeting(s.key, s.about.version),
          out(chunks) {}
    std::uint64_t id;
    net::Stream stream;
    std::string name;
    net::Endpoint from;
    Stage stage = Stage::greeting;
    GreetingFromClient greeting;
    net::Inbox in{0};
    net::Outbox out;
    std::uint32_t watched = 0;
    bool full = false;      // the socket takes no more now
    bool finished = false;  // our sending side is closed
    std::unique_ptr<Transfer> transfer;
    std::unique_ptr<Run> run;
    std::unique_ptr<OpenRun> open;
    std::unique_ptr<Question> question;
  };

  static Loop::Key key(const Visitor& v, Watched w) noexcept { return v.id * watched_count + w; }
  Visitor* find(std::uint64_t id) {
    const auto at = visitors_.find(id);
    return at == visitors_.end() || at->second->stage == Stage::dead ? nullptr : at->second.get();
  }
  void log(const std::string& line) const {
    if (settings_.log) settings_.log(line);
  }
  /// Of strangers, of whom there may be thousands.
  void log_refusal(const Visitor& v, const std::string& why);
  static bool stranger(const Visitor& v) noexcept {
    return v.stage == Stage::tls || v.stage == Stage::greeting;
  }

  bool saying_goodbye() const noexcept {
    return std::ranges::any_of(visitors_,
                               [](const auto& v) { return v.second->stage == Stage::closing; });
  }
  void take(const Loop::Event& e);

  // ---- connections

  void accept_some();
  /// Of those who have not said who they are, the oldest of an address that has many makes room,
  /// then the oldest of all.
  bool has_room_for(const Visitor& newcomer);
  void watch(Visitor& v) noexcept;
  /// The end of a connection is reported whatever is wanted: so one of which nothing is wanted is
  /// not registered.
  void register_for(int fd, std::uint32_t& watched, std::uint32_t wanted, Loop::Key k) noexcept;
  /// It is not read: it takes no answers, or the last request is still in work.
  static bool paused(const Visitor& v) noexcept;
  void expire(Visitor& v);
  static bool gone(const Visitor& v) noexcept;
  void lose(Visitor& v);
  void die(Visitor& v);
  void bury();
  /// Says something last.
  void dismiss(Visitor& v);
  void refuse(Visitor& v, std::string code, std::string why, std::string note = {});
  template <class T>
  void say(Visitor& v, HostWord word, const T& message) {
    frame_.clear();
    put_frame(frame_, word, message);
    v.out.put(Bytes(frame_));
  }
  void send(Visitor& v);

  // ---- what clients say

  /// As far as it goes without waiting.
  void proceed(Visitor& v);
  void take_frames(Visitor& v);
  void greet(Visitor& v, Bytes frame);
  void answer(Visitor& v, Bytes frame);
  void pong(Visitor& v, std::uint64_t token);
  About about() const;

  // ---- files

  void begin_files(Visitor& v, std::vector<FileId> files);
  void next_check(Visitor& v);
  void check_files(Visitor& v);
  void ask_for_missing(Visitor& v);
  void next_arrival(Visitor& v);
  void take_piece(Visitor& v, const Piece& p);

  // ---- executors

  void execute(Visitor& v, const Execute& wanted);
  void begin_run(Visitor& v, const Execute& wanted, Spawned spawned, const std::string& folder,
                 const std::vector<std::size_t>& chosen);
  /// What the owner of the server allows, or less.
  Limits limits_for(const Execute& wanted) const noexcept;
  /// Those that the fewest executors use.
  std::vector<std::size_t> free_processors(const Limits& l) const;
  void relay(Visitor& v);
  bool read_executor(Run& r);
  static void tell_draining(Run& r);
  /// False: the composer is gone.
  bool send_up(Visitor& v, bool& moved);
  bool read_composer(Visitor& v, bool& moved);
  bool send_down(Visitor& v);
  /// The composer sends no more: its executor takes what it has sent, and ends.
  void leave(Visitor& v);
  bool lose_composer(Visitor& v);
  void bury_executor(Visitor& v);
  void look_at_disk(Visitor& v);
  /// The executor, its folder, its share.
  void end(Visitor& v);
  void begin_drain();

  // ---- runs that can be asked

  void attach(Visitor& v, Attach a);
  std::string free_name(const std::string& wanted) const;
  std::vector<HostedRun> hosted() const;
  void ask(Visitor& v, ControlLine c);
  /// The next question, if the run has answered the last one.
  void ask_next(Visitor& run);
  void take_answer(Visitor& run, const NumberedLine& said);
  /// It waits for no answer any more.
  void forget_question(Visitor& v);
  void give_up_question(Visitor& v);
  /// The composer is gone.
  void withdraw(Visitor& run);

  HostSettings settings_;
  Scratch scratch_;
  FileCache cache_;
  std::vector<int> processors_;
  std::vector<int> taken_;  // by how many executors each processor is used
  Descriptor listener_;
  Loop loop_;
  net::Chunks chunks_;  // must outlive the connections
  std::map<std::uint64_t, std::unique_ptr<Visitor>> visitors_;
  std::vector<std::uint64_t> unread_, checking_, dead_;
  std::vector<std::byte> frame_;
  std::uint64_t last_id_ = 0;
  std::size_t runs_ = 0, refusals_ = 0;
  bool draining_ = false;
  Clock::time_point now_ = Clock::now(), refusals_since_ = now_;
  std::atomic<bool> asked_to_drain_{false}, stopping_{false};
};

}  // namespace vernier::server
