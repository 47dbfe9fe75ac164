#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "vernier/run/executive/observer.hpp"
#include "vernier/run/server/results.hpp"

namespace vernier::server {

/// Puts what the nodes of a run have computed in the order of time, each instant once, and shows it
/// to the observers of the whole run. After a return to an earlier state the nodes compute the same
/// again: what was shown is not shown again.
class Merger {
 public:
  /// What takes part in the order of time besides the observers' rows.
  class Reader {
   public:
    virtual ~Reader() = default;
    /// Everything before `t` was shown. False: nothing more is wanted.
    virtual bool reach(Time t) = 0;
    virtual void note(std::uint32_t part, std::span<const Entry>) = 0;
    /// A scheduled order.
    virtual void executed(const Executed&) = 0;
    /// Whether a node is the one that is believed about a part. Several may run it and say the
    /// same.
    virtual bool speaks(std::uint32_t node, std::uint32_t part) const = 0;
  };

  /// An observer's ports, by node; those of a part that several nodes run come from all of these,
  /// and are compared. What arrives is written where they are read.
  using Ports = std::vector<std::vector<const executive::PortView*>>;
  void watch(std::uint32_t tap, executive::Observer&, Ports);
  void forget(std::uint32_t tap);
  /// A node is lost, and everything that it says is said by others.
  void lose(std::uint32_t node);

  // what arrives from a node; false: it is not what was asked for
  bool take(std::uint32_t node, const Row&);
  void take(const Noted& n) { notes_.push_back(n); }
  void take(Executed e) { orders_.push_back(std::move(e)); }

  /// From now on a row that one node has dropped is left out, and counted.
  void permit_gaps() noexcept { gaps_ = true; }
  std::uint64_t left_out() const noexcept { return left_out_; }

  /// Shows everything before `end`, of which all nodes have sent everything. False: the reader
  /// wants no more, or the nodes disagree.
  bool show(Time end, Reader&);
  /// Two nodes have shown different instants to one observer, which is a mistake of theirs.
  bool disagree() const noexcept { return disagree_; }
  /// The first port of which two nodes have shown different values.
  struct Difference {
    Time at{};
    const executive::PortView* port = nullptr;
    std::uint32_t nodes[2] = {0, 0};
  };
  const std::optional<Difference>& difference() const noexcept { return difference_; }
  /// Everything before it was shown.
  Time shown() const noexcept { return shown_; }

  /// The nodes compute again what is not before `shown()`, or again what was shown.
  void drop() noexcept;
  /// The run returns to `now`, everything due at it done; from there all is shown again.
  void rewind(Time now) noexcept;

 private:
  struct Flow {
    std::vector<const executive::PortView*> ports;
    std::vector<const Flow*> after;  // by port: the flow before this one that has it; null: none
    std::uint32_t node = 0;
    std::size_t bytes = 0;  // of a row
    struct Head {
      Instant at;
      bool last;
    };
    std::deque<Head> heads;
    std::vector<std::byte> rows;
    std::size_t used = 0;  // of `rows`

    Bytes front() const noexcept { return Bytes(rows).subspan(used, bytes); }
    void pop() noexcept;
    void clear() noexcept;
  };
  struct Tap {
    executive::Observer* observer = nullptr;
    std::vector<Flow> flows;  // by node
    std::vector<Flow*> fed;   // those with ports

    Time next() const noexcept;
    void find_fed();
  };

  static bool earlier(const Executed&, const Executed&) noexcept;
  void show_row(Tap&);
  /// Drops a row that not all nodes have shown. False: all have.
  bool leave_out(Tap&);
  void drop_others(Time end, const Reader&);
  void show_notes(Time, Reader&);
  void show_orders(Time, bool settled, Reader&);
  Time next() const noexcept;

  std::map<std::uint32_t, Tap> taps_;
  std::vector<Noted> notes_;  // those to show first are sorted
  std::size_t sorted_ = 0, shown_notes_ = 0;
  std::deque<Executed> orders_;
  std::pair<Time, bool> last_order_{Time::min(), false};
  std::pair<Time, bool> repeated_{Time::min(), false};  // orders up to this one were shown before
  Time shown_ = Time::min();
  bool disagree_ = false, gaps_ = false;
  std::uint64_t left_out_ = 0;
  std::optional<Difference> difference_;
};

}  // namespace vernier::server
