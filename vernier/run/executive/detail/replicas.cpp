// Parts that run on several nodes: what these say about them is taken once and compared; and a node
// whose parts all run elsewhere too can be lost.
//
// That needs no agreement between those that are left, although some may have received more from
// the lost node than others, because everything that a node says follows from the state of its
// parts, and the nodes that run them too are in the same state and say the same:
//
//   values, streams   of an output, by every node that runs its part, in the same round
//   reactions         whether a part reacts: the same. The earliest next event is a minimum over
//                     parts, and over delayed events on their way to parts: both are known to the
//                     other nodes of these parts
//   limits            a minimum over parts too, and in the same attempt: nodes agree after each
//   one,
//                     so the limit from which all parts start is the same with and without the node
//   delayed           of every source by every node that runs it; instants are numbered, and what
//                     came first counts
//   promises          follow from what all nodes of the cluster have agreed on
//   start             the outputs of parts that stay on their node, and so have no replicas;
//   whether
//                     all others have settled is the same on every node, as all initialize them
#include <algorithm>
#include <cstring>

#include "vernier/run/executive/detail/switchboard.hpp"

namespace vernier::executive::detail {

bool Switchboard::spare(const Link& l) const noexcept {
  for (std::uint32_t p = 0; p < cut_.runs.size(); ++p) {
    const composition::Division::Nodes& nodes = cut_.runs[p];
    if (cut_.runs_on(l.peer, p) && std::none_of(nodes.begin(), nodes.end(), [&](std::uint32_t n) {
          return n != l.peer && !dropped_[n];
        }))
      return false;
  }
  return true;
}

bool Switchboard::lose(Link& l, const char* why) noexcept {
  if (!spare(l)) return fail(l, why);
  l.dropped = true;
  dropped_[l.peer] = 1;
  return false;
}

bool Switchboard::differ(const Trouble& t) noexcept {
  if (!trouble_) trouble_ = t;
  return false;
}

bool Switchboard::first(const Link& l, std::uint32_t part, std::uint32_t& from) noexcept {
  from = self_;
  if (here(part)) return false;
  Said& s = said_[part];
  if (s.exchange != exchange_number_) s = {exchange_number_, l.peer};
  from = s.by;
  return from == l.peer;
}

bool Switchboard::compare(const Link& l, const Piece& p, Bytes theirs, Bytes others,
                          std::uint32_t other) noexcept {
  if (std::memcmp(theirs.data(), others.data(), p.bytes) == 0) return true;
  Trouble t{.kind = Trouble::Kind::value, .peer = l.peer, .other = other, .part = p.part};
  t.view = p.view;
  const auto [a, b] = std::mismatch(theirs.begin(), theirs.end(), others.begin());
  t.element = static_cast<std::uint64_t>(a - theirs.begin());
  const std::size_t from = t.element & ~std::size_t{7};
  const std::size_t count = std::min<std::size_t>(t.theirs.size(), p.bytes - from);
  std::copy_n(theirs.begin() + static_cast<std::ptrdiff_t>(from), count, t.theirs.begin());
  std::copy_n(others.begin() + static_cast<std::ptrdiff_t>(from), count, t.others.begin());
  return differ(t);
}

bool Switchboard::take_value(const Link& l, const Piece& p, ByteReader& r) noexcept {
  const Bytes b = r.raw(p.bytes);
  if (b.size() != p.bytes) return false;
  std::uint32_t from = 0;
  if (!first(l, p.part, from))
    return !p.valid || p.bytes == 0 || compare(l, p, b, {p.at, p.bytes}, from);
  if (p.bytes > 0) std::memcpy(p.at, b.data(), p.bytes);
  return true;
}

bool Switchboard::take_messages(const Link& l, Messages& m, ByteReader& r) noexcept {
  std::uint64_t begin = 0, end = 0;
  r(begin, end);
  if (begin != m.known || end < begin) return false;
  std::uint32_t from = 0;
  const bool takes = first(l, m.part, from);
  Stream& s = *m.stream;
  const Trouble differs{.kind = Trouble::Kind::message,
                        .peer = l.peer,
                        .other = from,
                        .part = m.part,
                        .view = m.view,
                        .element = std::min(end, s.pushed())};
  if (!takes && end != s.pushed()) return differ(differs);
  for (; m.known < end; ++m.known) {
    Message theirs;
    std::int64_t stamp = 0;
    r(stamp, theirs.content);
    theirs.stamp = Time(Duration(stamp));
    if (!r.ok()) return false;
    // another node may have said it, and be lost
    if (m.known >= s.pushed()) {
      if (!s.push(theirs.stamp, theirs.content)) return false;
    } else if (m.known >= s.oldest()) {
      const Message ours = s.at(m.known);
      if (ours.stamp == theirs.stamp && std::ranges::equal(ours.content, theirs.content)) continue;
      Trouble t = differs;
      t.element = m.known;
      return differ(t);
    }
  }
  return r.ok();
}

bool Switchboard::take_reaction(const Link& l, std::uint32_t part, bool theirs,
                                std::uint8_t& changed) noexcept {
  std::uint32_t from = 0;
  if (first(l, part, from)) {
    changed = theirs;
    return true;
  }
  if (theirs == (changed != 0)) return true;
  Trouble t{.kind = Trouble::Kind::reaction, .peer = l.peer, .other = from, .part = part};
  t.theirs[0] = std::byte{theirs};
  t.others[0] = std::byte{changed};
  return differ(t);
}

bool Switchboard::take_source(const Link& l, Source& s, Instant at, ByteReader& r) noexcept {
  const bool news = at > s.taken;
  Source::Copy* copy = nullptr;
  if (news && !s.copies.empty()) {
    copy = &s.copies[s.next];
    s.next = (s.next + 1) % s.copies.size();
    *copy = {at, l.peer};
  } else if (!news) {
    const auto same = std::find_if(s.copies.begin(), s.copies.end(),
                                   [at](const Source::Copy& c) { return c.at == at; });
    if (same != s.copies.end()) copy = &*same;
  }
  const std::size_t size = s.copies.empty() ? 0 : s.content.size() / s.copies.size();
  std::byte* kept =
      copy ? s.content.data() + static_cast<std::size_t>(copy - s.copies.data()) * size : nullptr;
  for (const Piece& p : s.pieces) {
    const Bytes b = r.raw(p.bytes);
    if (b.size() != p.bytes) return false;
    if (p.bytes == 0) continue;
    if (news) std::memcpy(p.at, b.data(), p.bytes);
    if (!kept) continue;
    if (news)
      std::memcpy(kept, b.data(), p.bytes);
    else if (!compare(l, p, b, {kept, p.bytes}, copy->from))
      return false;
    kept += p.bytes;
  }
  if (!news) return true;
  for (const std::size_t i : s.lines) memory_.delays()[i].push(at.time);
  s.taken = at;
  return true;
}

}  // namespace vernier::executive::detail
