#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "vernier/base/diagnostic.hpp"
#include "vernier/base/time.hpp"
#include "vernier/net/wait.hpp"
#include "vernier/run/server/channel.hpp"
#include "vernier/run/server/launch.hpp"
#include "vernier/run/server/messages.hpp"

namespace vernier::server {

/// Where an executor can run.
struct Seat {
  std::string name;
  /// Starts an executor there; throws ConfigurationError.
  std::function<Started()> start;
  /// The address at which it waits for those of other machines; empty: all are on this one.
  std::string listen = {};
};

/// The executors of a run, one for each seat that has one, and what they say.
class Fleet {
 public:
  struct Executor {
    std::uint32_t seat = 0;
    std::uint64_t number = 0;  // in the order of starting: no other ever has the same
    std::unique_ptr<Started::Process> process;
    Channel channel;
    std::string address = {};  // where it waits for other nodes
    bool ready = false;        // it has prepared the run
    bool lost = false;
    std::string why = {};  // it is lost
    bool busy = false;     // it was asked for something and has not answered
    bool draining = false;
    bool privileged = false;  // of a run in real time
    Halted halted = {};       // its last answer
    bool rests = true;        // that was not to `go`
    std::optional<Problems> refused = {};
    std::optional<std::vector<std::byte>> saved = {};
    Time progress = Time::min();  // everything before was received
    net::Clock::time_point heard = {};

    Executor(std::uint32_t s, Started started)
        : seat(s), process(std::move(started.process)), channel(std::move(started.stream)) {}
  };

  /// What arrives, as it arrives. False: it is damaged.
  class Listener {
   public:
    virtual ~Listener() = default;
    virtual bool results(Executor&, Bytes) = 0;
    virtual void answered(Executor&, const Answered&) = 0;
    virtual void news(Executor&, const Problems&) = 0;
    /// The executor has halted; e.halted says how.
    virtual void halted(Executor&) = 0;
  };

  /// `clock`: what executors are told when they ask for the time, ns.
  Fleet(std::vector<Seat> seats, Listener&, std::int64_t (*clock)() noexcept);
  ~Fleet();

  const std::vector<Seat>& seats() const noexcept { return seats_; }
  /// That of a seat; null: none.
  Executor* at(std::uint32_t seat) noexcept { return executors_[seat].get(); }
  /// Starts one for a seat that has none, and tells it what is run. Throws ConfigurationError.
  void start(std::uint32_t seat, const Begin&);
  /// Ends one.
  void end(std::uint32_t seat) noexcept;
  /// It is of no use any more.
  void lose(Executor&, std::string why) noexcept;

  /// False: it is lost.
  template <class... T>
  bool send(Executor& e, Word w, const T&... content) {
    if (!e.lost && !e.channel.send(w, content...)) lose(e, "the connection was closed");
    return !e.lost;
  }
  /// The same, when an answer is expected: e.busy until then.
  template <class... T>
  bool ask(Executor& e, Word w, const T&... content) {
    e.busy = true;
    e.rests = w != Word::go;
    e.privileged |= w == Word::privileges;
    return send(e, w, content...);
  }

  /// Takes in what arrives until something did, the deadline has passed, or wake() was called.
  void listen(net::Clock::time_point until);
  /// Until no executor is busy but lost ones, or the deadline: then those that still are, are lost.
  void settle(net::Clock::time_point until);
  /// From any thread or signal handler.
  void wake() const noexcept { wake_.ring(); }

 private:
  bool take(Executor&);
  bool take(Executor&, Word, Bytes);
  void check_life(net::Clock::time_point now);

  std::vector<Seat> seats_;
  Listener& listener_;
  std::int64_t (*clock_)() noexcept;
  std::vector<std::unique_ptr<Executor>> executors_;  // by seat
  net::Wake wake_;
  std::uint64_t started_ = 0;
  net::Clock::time_point pinged_{}, listened_{};
};

}  // namespace vernier::server
