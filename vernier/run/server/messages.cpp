#include "vernier/run/server/messages.hpp"

#include <algorithm>
#include <bit>

#include "vernier/base/digest.hpp"

namespace vernier::server {

Problem encoded(const Diagnostic& d) {
  return {.severity = static_cast<std::uint8_t>(d.severity),
          .category = static_cast<std::uint8_t>(d.category),
          .code = d.code,
          .message = d.message,
          .file = d.place.file,
          .mark = d.mark,
          .line = d.place.line,
          .column = d.place.column,
          .length = d.place.length,
          .body = d.body,
          .notes = d.notes};
}

Diagnostic decoded(const Problem& p) {
  Diagnostic d;
  // what is not known counts as the worst
  d.severity = p.severity == static_cast<std::uint8_t>(Severity::warning) ? Severity::warning
                                                                          : Severity::error;
  d.category = std::min(static_cast<Category>(p.category), Category::machine);
  d.code = p.code;
  d.message = p.message;
  d.place = {p.file, p.line, p.column, p.length};
  d.mark = p.mark;
  d.body = p.body;
  d.notes = p.notes;
  return d;
}

Problems encoded(const Diagnostics& all) {
  Problems p;
  for (const Diagnostic& d : all.list()) p.push_back(encoded(d));
  return p;
}

Diagnostics decoded(const Problems& all) {
  Diagnostics d;
  for (const Problem& p : all) d.add(decoded(p));
  return d;
}

void put(const executive::Statistics& s, Halted& h) {
  h.counts = {s.ticks, s.instants,     s.microsteps,    s.early_returns, s.repeated,
              s.late,  s.journal_lost, s.messages_lost, s.delays_merged};
  h.parts.clear();
  for (const executive::PartStatistics& p : s.parts)
    h.parts.push_back({p.calls, p.held, p.measured, p.cost_total, p.cost_worst});
}

void add(const Halted& h, executive::Statistics& s) {
  constexpr std::size_t counts = 9;
  if (h.counts.size() != counts) return;
  // all nodes have the ticks of the step in common
  s.ticks = std::max(s.ticks, h.counts[0]);
  s.instants = std::max(s.instants, h.counts[1]);
  s.microsteps = std::max(s.microsteps, h.counts[2]);
  s.early_returns = std::max(s.early_returns, h.counts[3]);
  s.repeated += h.counts[4];
  s.late = std::max(s.late, h.counts[5]);
  s.journal_lost += h.counts[6];
  s.messages_lost += h.counts[7];
  s.delays_merged += h.counts[8];
  for (std::size_t i = 0; i < std::min(s.parts.size(), h.parts.size()); ++i) {
    s.parts[i].calls += h.parts[i].calls;
    s.parts[i].held += h.parts[i].held;
    s.parts[i].measured += h.parts[i].measured;
    s.parts[i].cost_total += h.parts[i].cost_total;
    s.parts[i].cost_worst = std::max(s.parts[i].cost_worst, h.parts[i].cost_worst);
  }
}

std::vector<std::byte> encoded(const executive::Snapshot& s) {
  std::vector<std::byte> bytes;
  encode_into(bytes, s);
  return bytes;
}

void encode_into(std::vector<std::byte>& bytes, const executive::Snapshot& s) {
  bytes.clear();
  ByteWriter w(bytes);
  w(s.time.time_since_epoch().count(), static_cast<std::uint32_t>(s.sections.size()));
  for (const executive::Section& section : s.sections) w(section.path, section.bytes);
}

std::optional<executive::Snapshot> decoded_snapshot(Bytes bytes) {
  ByteReader r(bytes);
  executive::Snapshot s;
  s.time = Time(Duration(r.number<std::int64_t>()));
  const auto count = r.number<std::uint32_t>();
  for (std::uint32_t i = 0; i < count && r.ok(); ++i) {
    executive::Section& section = s.sections.emplace_back();
    r(section.path, section.bytes);
  }
  if (!r.complete()) return {};
  return s;
}

std::string digest_of(const composition::Plan& plan) {
  std::vector<std::byte> all;
  ByteWriter w(all);
  const auto port = [&w](const Port& p) {
    w(p.name, p.count, p.scalar, p.flow, p.capacity, p.message_bytes);
  };
  for (const composition::Part& p : plan.parts) {
    const Description& d = p.component->description();
    w(p.name, p.prefix, p.cluster, p.rate.times, p.rate.seconds, p.offset.count(),
      static_cast<std::uint64_t>(d.state_bytes));
    for (const Port& o : d.outputs) port(o);
    for (const Port& i : d.inputs) port(i);
  }
  for (const composition::Wire& x : plan.wires)
    w(x.from_part, x.from, x.to_part, x.to, x.from_first, x.to_first, x.count,
      std::bit_cast<std::uint64_t>(x.gain), x.delay.count());
  for (const composition::Plan::Call& c : plan.order) w(c.part, c.level);
  w(plan.step.count(), plan.step_rate.times, plan.step_rate.seconds, plan.stop.count(), plan.seed);
  return text(sha256(all));
}

}  // namespace vernier::server
