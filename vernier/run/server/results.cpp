#include "vernier/run/server/results.hpp"

namespace vernier::server {
namespace {

/// An entry's fields, for writing and reading.
template <class Visitor, class E>
void fields(Visitor& v, std::int64_t& time, E& e) {
  v(time, e.at.microstep, e.remainder, e.kind, e.from, e.to, e.item, e.values[0], e.values[1]);
}

}  // namespace

void ResultWriter::note(const Noted& n) {
  std::int64_t time = n.entry.at.time.time_since_epoch().count();
  w_(Record::note, n.time.time_since_epoch().count(), n.round, n.part);
  fields(w_, time, n.entry);
}

void ResultWriter::order(Time at, bool settled, bool scheduled, std::uint8_t kind,
                         std::uint32_t view, std::span<const double> values) {
  w_(Record::order, at.time_since_epoch().count(), settled, scheduled, kind, view,
     static_cast<std::uint32_t>(values.size()));
  w_.numbers(values);
}

bool read(ByteReader& r, Time& t) {
  t = Time(Duration(r.number<std::int64_t>()));
  return r.ok();
}

bool read(ByteReader& r, Row& row) {
  r(row.tap);
  if (!read(r, row.at.time)) return false;
  r(row.at.microstep, row.last, row.content);
  return r.ok();
}

bool read(ByteReader& r, Noted& n) {
  std::int64_t time = 0;
  if (!read(r, n.time)) return false;
  r(n.round, n.part);
  fields(r, time, n.entry);
  n.entry.at.time = Time(Duration(time));
  return r.ok();
}

bool read(ByteReader& r, Executed& e) {
  if (!read(r, e.at)) return false;
  r(e.settled, e.scheduled, e.kind, e.view, e.values);
  return r.ok();
}

bool read(ByteReader& r, MeasuredFrame& f) {
  r(f);
  return r.ok();
}

bool read(ByteReader& r, Share& s) {
  if (!read(r, s.at)) return false;
  r(s.content);
  return r.ok();
}

}  // namespace vernier::server
