#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "vernier/base/codec.hpp"
#include "vernier/base/diagnostic.hpp"
#include "vernier/run/composition/cut.hpp"
#include "vernier/run/composition/plan.hpp"
#include "vernier/run/executive/executive.hpp"
#include "vernier/run/session/prepare.hpp"

/// What a composer and its executors say to each other, over one connection each. Every message is
/// a frame of net/framing.hpp that begins with its word. Both sides are of one version: the first
/// message is refused otherwise.
namespace vernier::server {

enum class Word : std::uint32_t {
  // from the composer
  begin = 1,
  meet,         // Meet
  arrange,      // Arrange
  observe,      // Tap
  forget,       // std::uint32_t: the number of a tap
  write_below,  // std::string: a folder
  schedule,     // std::vector<TimedOrder>: instead of those before
  initialize,   // nothing
  go,           // Go
  freeze,       // std::int64_t: a time
  order,        // NumberedOrder
  save,         // nothing
  interrupt,    // nothing
  ping,         // nothing
  quit,         // nothing
  privileges,   // nothing: a run in real time is about to begin
  clock,        // Probe: the answer to that of an executor
  // from an executor
  ready = 64,  // std::string: where it listens for other nodes; empty: nowhere
  results,     // see results.hpp
  halted,      // Halted
  answered,    // Answered
  saved,       // a snapshot
  refused,     // Problems
  pong,        // nothing
  news,        // Problems: warnings
  probe,       // Probe: what does the composer's clock say?
  // from the server of an executor
  draining = 128  // nothing: its parts should move elsewhere
};

struct TimedOrder {
  static constexpr bool visited = true;
  std::int64_t at = 0;
  bool settled = false;
  std::uint8_t kind = 0;
  std::string path;
  std::vector<double> values;

  template <class Visitor>
  void fields(Visitor& v) {
    v(at, settled, kind, path, values);
  }
};

/// How a run follows the clock.
struct Pace {
  static constexpr bool visited = true;
  double rate = 1.0;       // simulated seconds per second
  std::string late;        // realtime::parsed_policy()
  bool real_time = false;  // and if so:
  std::int32_t priority = 0, cpu = -1;
  bool lock = true, require = false;
  std::int64_t spin = 0;      // ns
  std::string machine;        // whose clock it is: machine_id() of the composer
  bool synchronised = false;  // others (PTP) keep clocks together: the time of day is common

  template <class Visitor>
  void fields(Visitor& v) {
    v(rate, late, real_time, priority, cpu, lock, require, spin, machine, synchronised);
  }
};

/// The first message: what is to be run.
struct Begin {
  static constexpr bool visited = true;
  std::string version;  // of the program
  std::string document;
  std::vector<std::string> set, adjustable;
  std::optional<std::int64_t> until;  // ns
  std::optional<std::uint64_t> seed;
  std::string folder;              // to which relative names refer; empty: there are none
  std::vector<std::string> moved;  // pairs: a file that documents name, and where it is
  std::vector<std::string> texts;  // pairs: a file, and its content
  std::vector<std::string> files;  // pairs: a file of the composer's machine, and where it is here
  std::string plan;                // digest_of() the composer's
  std::uint32_t threads = 1;
  std::int64_t keep_every = 0;          // ticks between two copies of the state; 0: none
  std::string listen;                   // the host on which to listen for other nodes; empty: not
  std::string network, network_config;  // a network plug-in; empty: none
  std::vector<std::byte> key;           // that all nodes of the run know
  std::optional<Pace> pace;             // none: as fast as possible

  template <class Visitor>
  void fields(Visitor& v) {
    v(version, document, set, adjustable, until, seed, folder, moved, texts, files, plan, threads,
      keep_every, listen, network, network_config, key, pace);
  }
};

/// How the nodes reach each other from an epoch on, and which one this is.
struct Meet {
  static constexpr bool visited = true;
  std::uint32_t epoch = 0, self = 0;
  std::string memory;                // the path of the memory that all share; or else
  std::vector<std::string> address;  // where each node listens
  bool again = false;                // the same nodes in the same order: over what joins them now

  template <class Visitor>
  void fields(Visitor& v) {
    v(epoch, self, memory, address, again);
  }
};

/// Which node runs which part from an epoch on, and from what state. Observers are forgotten.
struct Arrange {
  static constexpr bool visited = true;
  std::vector<std::string> names;                   // of the nodes
  std::vector<composition::Division::Nodes> nodes;  // by part
  std::vector<std::byte> snapshot;                  // of the whole run; empty: it has not begun

  template <class Visitor>
  void fields(Visitor& v) {
    v(names, nodes, snapshot);
  }
};

/// An observer of the composer, as an executor serves it.
struct Tap {
  static constexpr bool visited = true;
  std::uint32_t number = 0;
  std::int64_t times = 0, seconds = 0;  // its rate
  bool events = true, exactly = true;
  std::uint32_t cluster = 0;
  std::vector<std::uint32_t> views;  // the ports that it reads from this node

  template <class Visitor>
  void fields(Visitor& v) {
    v(number, times, seconds, events, exactly, cluster, views);
  }
};

struct NumberedOrder {
  static constexpr bool visited = true;
  std::uint32_t number = 0;
  std::uint8_t kind = 0;
  std::uint32_t view = 0;
  std::vector<double> values;

  template <class Visitor>
  void fields(Visitor& v) {
    v(number, kind, view, values);
  }
};

struct Answered {
  static constexpr bool visited = true;
  std::uint32_t number = 0;
  std::int64_t at = 0;
  std::vector<double> values;

  template <class Visitor>
  void fields(Visitor& v) {
    v(number, at, values);
  }
};

struct Go {
  static constexpr bool visited = true;
  std::int64_t until = 0, freeze = 0;
  // of a run by the clock: the simulated time `origin` is due when the composer's clock reads
  // `due` (ns), and others `rate` as fast
  std::int64_t origin = 0, due = 0;
  double rate = 1.0;

  template <class Visitor>
  void fields(Visitor& v) {
    v(until, freeze, origin, due, rate);
  }
};

/// Compares the clock of an executor with that of its composer, ns.
struct Probe {
  static constexpr bool visited = true;
  std::int64_t sent = 0;                 // by the executor's clock
  std::int64_t taken = 0, answered = 0;  // by the composer's

  template <class Visitor>
  void fields(Visitor& v) {
    v(sent, taken, answered);
  }
};

/// A Diagnostic without its source lines and changes.
struct Problem {
  static constexpr bool visited = true;
  std::uint8_t severity = 0, category = 0;
  std::string code, message, file, mark;
  std::int32_t line = 0, column = 0, length = 1;
  std::vector<std::string> body, notes;

  template <class Visitor>
  void fields(Visitor& v) {
    v(severity, category, code, message, file, mark, line, column, length, body, notes);
  }
};
using Problems = std::vector<Problem>;

Problem encoded(const Diagnostic&);
Diagnostic decoded(const Problem&);
Problems encoded(const Diagnostics&);
Diagnostics decoded(const Problems&);

struct PartCount {
  static constexpr bool visited = true;
  std::uint64_t calls = 0, held = 0, measured = 0;
  std::int64_t cost_total = 0, cost_worst = 0;

  template <class Visitor>
  void fields(Visitor& v) {
    v(calls, held, measured, cost_total, cost_worst);
  }
};

/// How a node keeps time.
struct Keeping {
  static constexpr bool visited = true;
  bool prioritized = false;
  std::string clock;  // whose time it keeps, and how well it knows it
  std::int64_t minor_faults = 0, major_faults = 0, waits = 0;
  std::uint64_t dropped = 0;  // rows and frames that found no room

  template <class Visitor>
  void fields(Visitor& v) {
    v(prioritized, clock, minor_faults, major_faults, waits, dropped);
  }
};

/// The executive of a node has returned, or is ready to begin.
struct Halted {
  static constexpr bool visited = true;
  std::uint8_t ending = 0;  // executive::Ending
  std::int64_t now = 0;
  std::optional<Problem> fault;
  std::vector<std::uint64_t> counts;  // of Statistics, in its order
  std::vector<PartCount> parts;
  std::optional<Keeping> keeping;

  template <class Visitor>
  void fields(Visitor& v) {
    v(ending, now, fault, counts, parts, keeping);
  }
};
void put(const executive::Statistics&, Halted&);
/// Adds what one node has counted to the statistics of the run, which has a place for each part.
void add(const Halted&, executive::Statistics&);

std::vector<std::byte> encoded(const executive::Snapshot&);
/// The same in memory that was used before.
void encode_into(std::vector<std::byte>&, const executive::Snapshot&);
/// Nothing: it is damaged.
std::optional<executive::Snapshot> decoded_snapshot(Bytes);

/// Of everything that must agree between the plans of all nodes.
std::string digest_of(const composition::Plan&);

template <class T>
std::vector<std::byte> encode(const T& message) {
  std::vector<std::byte> bytes;
  ByteWriter w(bytes);
  w(message);
  return bytes;
}
template <class T>
std::optional<T> decode(Bytes bytes) {
  ByteReader r(bytes);
  T message{};
  r(message);
  if (!r.complete()) return {};
  return message;
}

}  // namespace vernier::server
