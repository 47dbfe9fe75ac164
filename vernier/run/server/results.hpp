#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "vernier/base/codec.hpp"
#include "vernier/base/time.hpp"
#include "vernier/component/description.hpp"
#include "vernier/component/journal.hpp"

/// What a node has computed, as a sequence of records: rows of observers, notes of components,
/// orders that were executed, and how far it is.
namespace vernier::server {

enum class Record : std::uint8_t { row = 1, note, order, share, progress, frame };

/// The bytes of a port's value in a row.
inline std::size_t bytes_of(const Port& p) noexcept {
  const bool wide =
      p.flow == Flow::event || p.scalar == Scalar::real || p.scalar == Scalar::integer;
  return p.flow == Flow::stream ? 0 : p.count * (wide ? 8 : 1);
}

/// A row of an observer. `content`: the values of the ports of this node, in the order of the tap.
struct Row {
  std::uint32_t tap = 0;
  Instant at{};
  bool last = true;
  Bytes content;
};

/// A journal entry that was emptied at `time`, the `round`th time there.
struct Noted {
  Time time{};
  std::uint32_t round = 0, part = 0;
  Entry entry;
  std::uint32_t node = 0;  // that says it, as its receiver knows
};

/// An order that was executed; `scheduled`: one that a repeated run was given.
struct Executed {
  Time at{};
  bool settled = false, scheduled = false;
  std::uint8_t kind = 0;
  std::uint32_t view = 0;
  std::vector<double> values;
  std::uint32_t node = 0, part = 0;  // that says it, and of the view, as its receiver knows
};

/// The state of this node's part of the run.
struct Share {
  Time at{};
  Bytes content;
};

/// A frame of a run in real time, as a node has measured it.
struct MeasuredFrame {
  static constexpr bool visited = true;
  std::int64_t number = 0, time = 0, wake_up = 0, cost = 0, margin = 0, held = 0;
  bool late = false, slept = false, behind = false;
  std::vector<std::int64_t> waits;  // by node
  struct Cost {
    static constexpr bool visited = true;
    std::uint32_t part = 0;
    std::int64_t ns = 0;

    template <class Visitor>
    void fields(Visitor& v) {
      v(part, ns);
    }
  };
  std::vector<Cost> costs;  // of the parts of this node

  template <class Visitor>
  void fields(Visitor& v) {
    v(number, time, wake_up, cost, margin, held, late, slept, behind, waits, costs);
  }
};

/// Appends records to bytes.
class ResultWriter {
 public:
  explicit ResultWriter(std::vector<std::byte>& to) : w_(to) {}
  /// The bytes of the row's content follow: see raw().
  void row(std::uint32_t tap, Instant at, bool last, std::uint32_t bytes) {
    w_(Record::row, tap, at.time.time_since_epoch().count(), at.microstep, last, bytes);
  }
  void raw(Bytes b) { w_.raw(b); }
  void note(const Noted&);
  /// Allocates nothing but room in the bytes, as the others.
  void order(Time at, bool settled, bool scheduled, std::uint8_t kind, std::uint32_t view,
             std::span<const double> values);
  void frame(const MeasuredFrame& f) { w_(Record::frame, f); }
  void share(Time t, Bytes content) { w_(Record::share, t.time_since_epoch().count(), content); }
  /// Everything up to `t` was written.
  void progress(Time t) { w_(Record::progress, t.time_since_epoch().count()); }

 private:
  ByteWriter w_;
};

/// Calls `to.take()` with each record (Row, Noted, Executed, Share, MeasuredFrame, or Time: the
/// progress). False: they are damaged.
template <class To>
bool read_results(Bytes bytes, To& to);

bool read(ByteReader&, Row&);
bool read(ByteReader&, Noted&);
bool read(ByteReader&, Executed&);
bool read(ByteReader&, Share&);
bool read(ByteReader&, Time&);
bool read(ByteReader&, MeasuredFrame&);

template <class To>
bool read_results(Bytes bytes, To& to) {
  ByteReader r(bytes);
  const auto one = [&](auto record) { return read(r, record) && to.take(record); };
  while (!r.rest().empty()) {
    bool good = false;
    switch (r.number<Record>()) {
      case Record::row:
        good = one(Row{});
        break;
      case Record::note:
        good = one(Noted{});
        break;
      case Record::order:
        good = one(Executed{});
        break;
      case Record::share:
        good = one(Share{});
        break;
      case Record::progress:
        good = one(Time{});
        break;
      case Record::frame:
        good = one(MeasuredFrame{});
        break;
    }
    if (!good) return false;
  }
  return true;
}

}  // namespace vernier::server
