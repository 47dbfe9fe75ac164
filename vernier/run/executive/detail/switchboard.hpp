#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "vernier/base/codec.hpp"
#include "vernier/run/composition/cut.hpp"
#include "vernier/run/exchange/exchange.hpp"
#include "vernier/run/executive/detail/memory.hpp"
#include "vernier/run/executive/meter.hpp"

namespace vernier::executive::detail {

/// Relays outputs to inputs between the nodes of a run.
///
/// All nodes with a part of a cluster call the same members in the same order for it, with the same
/// times: each of these calls follows from what all of them know. A pair of nodes exchanges one
/// frame for all clusters that it shares and that are due. Frames of delayed connections may
/// precede any other.
///
/// A part may run on several nodes. Each of them says everything about it; who needs it takes what
/// arrives first and compares the rest with it, and nodes that run a part compare each other's
/// outputs. So a peer whose parts all run elsewhere too can be lost at any moment (replicas.cpp):
/// nothing more is sent to it or expected from it, and nobody notices but for that.
///
/// Members return false when a peer is lost that others need, when it has sent something else than
/// this order demands, or when replicas differ: see trouble(). Those marked noexcept are for the
/// loop: they do not allocate, lock or throw.
class Switchboard {
 public:
  /// `early`: parts may stop at each other's events.
  Switchboard(const composition::Plan&, composition::Cut, Memory&, exchange::Exchange&, bool early);

  const composition::Cut& cut() const noexcept { return cut_; }
  /// Whether a part runs on this node.
  bool here(std::uint32_t part) const noexcept {
    return cut_.everywhere(part) || cut_.runs_on(self_, part);
  }
  /// Whether this node takes part in the instants of a cluster.
  bool attends(std::uint32_t cluster) const noexcept { return attended_[cluster] != 0; }
  /// The same, and another node does too.
  bool shares(std::uint32_t cluster) const noexcept { return shared_[cluster] != 0; }
  /// The most rounds of outputs of the clusters that it shares.
  std::uint32_t rounds() const noexcept { return rounds_; }

  using Due = std::span<const std::uint8_t>;  // by cluster

  /// Takes what delayed connections bring to the clusters that are due, and waits until everything
  /// is known that matters at `now` and before `next_base`.
  bool await_delayed(Time now, Due, Time next_base) noexcept;
  /// Waits until this node has everything that delayed connections took to it up to `now`, which
  /// all nodes have settled or are about to: what belongs to its state.
  bool complete(Time now) noexcept;
  /// Sends what delayed connections take to nodes without a part of the source's cluster; and by
  /// cluster the time `until` which nothing will change.
  bool send_delayed(Time now, Due, std::span<const Time> until) noexcept;
  /// The same when only `until` is news.
  bool send_promises(Time now, Due, std::span<const Time> until) noexcept;

  /// Messages that were published before the outputs.
  bool streams(Time now, Due) noexcept;
  /// What was computed in one round of outputs.
  bool values(Time now, std::uint32_t round, Due) noexcept;
  /// Which parts have changed (by part), and the earliest next event of each cluster.
  bool reactions(Time now, std::uint32_t round, Due, std::span<std::uint8_t> changed,
                 std::span<Time> horizons) noexcept;
  /// The earliest time that each cluster can be advanced to.
  bool limits(Time now, Due, std::span<Time> limits) noexcept;

  /// Whether a part is initialized on its own node only, because it cannot rewind or has effects
  /// outside; all others are initialized on every node, with the same result.
  bool unique(std::uint32_t part) const noexcept { return unique_[part] != 0; }
  /// Whether a part of any node is.
  bool any_unique() const noexcept { return any_unique_; }
  /// How often all outputs must be computed and exchanged until every node has all of them; 1 when
  /// no part is unique.
  std::uint32_t births() const noexcept { return births_; }
  /// Exchanges the outputs of the unique parts of all nodes; `settled` becomes false if it is false
  /// on one of them.
  bool start(Time now, std::uint32_t round, bool& settled) noexcept;

  /// From now on `m` (null: nobody) learns how long this node waits for others.
  void measure(Meter* m) noexcept { meter_ = m; }

  /// Why the run cannot continue; none: it can.
  struct Trouble {
    enum class Kind : std::uint8_t {
      lost,         // `peer`, and why
      interrupted,  // nobody is lost: somebody wants the run to stop waiting
      value,        // `peer` and `other` differ in an element of a value of an output
      message,      // or in a message; `element` is its number
      reaction      // or in whether a part reacts
    };
    Kind kind = Kind::lost;
    std::uint32_t peer = 0;
    const char* why = "";
    // of replicas that differ; `part` is not a port of it
    std::uint32_t other = 0, part = 0;
    std::size_t view = 0;  // of the output
    std::uint64_t element = 0;
    std::array<std::byte, 8> theirs{}, others{};  // the bytes of the element

    bool differs() const noexcept { return kind >= Kind::value; }
  };
  const std::optional<Trouble>& trouble() const noexcept { return trouble_; }
  /// The peers that are lost, and not needed: by node.
  std::span<const std::uint8_t> dropped() const noexcept { return dropped_; }
  /// As before the first instant, `now`, or after a return to a settled one: then the messages of
  /// unique parts are known everywhere.
  void restart(Time now, bool returned) noexcept;

 private:
  enum class Kind : std::uint32_t {
    delayed = 1,
    promises,
    streams,
    values,
    reactions,
    limits,
    start
  };
  static constexpr std::size_t head_bytes = 16;
  /// How each frame begins.
  struct Head {
    Kind kind{};
    std::uint32_t round = 0;
    Time time{};
    bool operator==(const Head&) const = default;
  };
  /// The value of an output.
  struct Piece {
    std::byte* at = nullptr;
    std::size_t bytes = 0;
    std::uint32_t part = 0;
    std::size_t view = 0;
    bool valid = true;  // after the last round of its part: then replicas can be compared
  };
  using Pieces = std::vector<Piece>;
  struct Messages {
    Stream* stream = nullptr;
    std::uint64_t known = 0;  // the number of the first that the reader does not have
    std::uint32_t part = 0;
    std::size_t view = 0;
  };
  /// A cluster that this node shares with a peer.
  struct Shared {
    std::uint32_t cluster = 0;
    std::vector<Pieces> out, in;  // by round
    std::vector<Messages> streams_out, streams_in;
    std::vector<std::uint32_t> reactors_out, reactors_in;  // parts
    bool agrees = false, stops = false;
  };
  struct FeedOut {
    std::uint32_t cluster = 0;
    Pieces pieces;
  };
  /// A part whose outputs arrive here delayed, from every node that runs it.
  struct Source {
    std::uint32_t part = 0;
    Pieces pieces;
    std::vector<std::size_t> lines;  // the delays that it fills
    Instant taken{};                 // the last instant whose values have arrived
    // these values of the last few instants, to compare those of other nodes with them
    struct Copy {
      Instant at{Time::min(), 0};
      std::uint32_t from = 0;
    };
    std::vector<Copy> copies;
    std::vector<std::byte> content;
    std::size_t next = 0;
  };
  struct FeedIn {
    std::uint32_t cluster = 0;
    std::vector<std::uint32_t> sources;
    std::vector<std::uint32_t> readers;  // clusters
    Duration lag{};                      // how far it may be behind: at most the shortest delay
    std::optional<Duration> events;      // the shortest delay of an event
    Time known{};                        // everything before has arrived
    Instant taken{};  // the last instant whose values have; its number among those of this time

    Time needed(Time now, Time next_base) const noexcept {
      const Time values = now - lag + Duration(1);
      return events ? std::max(values, next_base - *events) : values;
    }
  };
  struct Link {
    std::uint32_t peer = 0;
    std::vector<Shared> shared;  // by cluster, ascending
    std::vector<FeedOut> feeds_out;
    std::vector<FeedIn> feeds_in;
    std::vector<std::byte> frame;  // room for the largest that is sent
    bool dropped = false;          // lost, and not needed
  };

  // links.cpp
  void find_unique(const composition::Plan&);
  void find_shared(const composition::Plan&, bool early);
  void find_crossings(const composition::Plan&);
  void find_feeds(const composition::Plan&);
  std::uint32_t source(const composition::Plan&, const composition::Cut::Feed&, std::uint32_t part);
  void make_room();
  Piece piece(std::uint32_t part, std::uint32_t output, bool valid = true) noexcept;
  Link& link(std::uint32_t peer);
  Shared& shared(std::uint32_t peer, std::uint32_t cluster);

  // replicas.cpp
  bool spare(const Link&) const noexcept;
  bool lose(Link&, const char* why) noexcept;
  bool differ(const Trouble&) noexcept;
  bool compare(const Link&, const Piece&, Bytes theirs, Bytes others, std::uint32_t other) noexcept;
  bool take_value(const Link&, const Piece&, ByteReader&) noexcept;
  bool take_messages(const Link&, Messages&, ByteReader&) noexcept;
  bool take_reaction(const Link&, std::uint32_t part, bool theirs, std::uint8_t& changed) noexcept;
  bool take_source(const Link&, Source&, Instant, ByteReader&) noexcept;
  /// Whether this node has it from nobody yet in this exchange, and takes it from the link.
  bool first(const Link&, std::uint32_t part, std::uint32_t& from) noexcept;

  bool fail(const Link&, const char* why) noexcept;
  /// The following return false after a failure, and when the peer is dropped.
  bool receive(Link&, Bytes& frame) noexcept;
  /// The next frame, which must be this one; those of delayed connections are taken on the way.
  bool expect(Link&, const Head&, Bytes& content) noexcept;
  bool take_delayed(Link&, const Head&, Bytes content) noexcept;
  /// The next frame, which must be of delayed connections.
  bool take_delayed(Link&) noexcept;
  bool send_feeds(Kind, Time now, Due, std::span<const Time> until) noexcept;
  /// Sends to each peer what `put` writes for the clusters that are `wanted`, if any.
  template <class Wanted, class Put>
  bool send(const Head&, const Wanted&, const Put&) noexcept;
  /// Receives the same.
  template <class Wanted, class Take>
  bool take(const Head&, const Wanted&, const Take&) noexcept;
  bool give(Link&, Bytes frame) noexcept;

  const composition::Cut cut_;
  Memory& memory_;
  exchange::Exchange& exchange_;
  std::uint32_t self_;
  std::uint32_t rounds_ = 0, births_ = 1;
  std::vector<std::uint8_t> attended_, shared_;  // by cluster
  std::vector<std::uint8_t> unique_;             // by part
  bool any_unique_ = false;
  std::vector<Link> links_;  // to all peers
  std::vector<Source> sources_;
  std::vector<Pieces> born_;           // by node: the outputs of its unique parts
  std::vector<std::uint8_t> dropped_;  // by node
  // by part: the exchange in which it was said first what this node does not compute, and by whom
  struct Said {
    std::uint64_t exchange = 0;
    std::uint32_t by = 0;
  };
  std::vector<Said> said_;
  std::uint64_t exchange_number_ = 0;
  std::optional<Trouble> trouble_;
  Meter* meter_ = nullptr;
};

}  // namespace vernier::executive::detail
