// MCAP, https://mcap.dev/spec: a record is an opcode, the length of its content in 64 bits, and the
// content. Everything is little-endian; a map or an array is preceded by its length in bytes.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <ostream>
#include <string>
#include <vector>

#include "vernier/base/codec.hpp"
#include "vernier/base/diagnostic.hpp"
#include "vernier/run/record/detail/row_cursor.hpp"
#include "vernier/run/record/export.hpp"
#include "vernier/run/record/ros_message.hpp"

namespace vernier::record {

namespace {

constexpr std::array<char, 8> mcap_magic{'\x89', 'M', 'C', 'A', 'P', '0', '\r', '\n'};
constexpr std::size_t bytes_of_chunk = 1u << 20;
constexpr std::size_t most_channels = std::numeric_limits<std::uint16_t>::max();
constexpr std::size_t record_head = 9;

enum class Op : std::uint8_t {
  header = 1,
  footer = 2,
  schema = 3,
  channel = 4,
  message = 5,
  chunk = 6,
  message_index = 7,
  chunk_index = 8,
  statistics = 11,
  summary_offset = 14,
  data_end = 15
};

/// The checksum of MCAP: CRC-32 of IEEE 802.3, as in zlib.
class Crc32 {
 public:
  void add(Bytes bytes) noexcept {
    for (const std::byte b : bytes)
      sum_ = table()[(sum_ ^ static_cast<std::uint32_t>(b)) & 255] ^ (sum_ >> 8);
  }
  std::uint32_t sum() const noexcept { return ~sum_; }

 private:
  static const std::array<std::uint32_t, 256>& table() noexcept {
    static const auto made = [] {
      std::array<std::uint32_t, 256> t{};
      for (std::uint32_t i = 0; i < 256; ++i) {
        t[i] = i;
        for (int k = 0; k < 8; ++k) t[i] = t[i] >> 1 ^ (t[i] & 1 ? 0xedb88320u : 0u);
      }
      return t;
    }();
    return made;
  }
  std::uint32_t sum_ = ~0u;
};

/// Appends a record with the content that `fill` writes.
template <class Fill>
void add_record(std::vector<std::byte>& to, Op op, const Fill& fill) {
  ByteWriter w(to);
  w(op, std::uint64_t{0});
  const std::size_t begin = to.size();
  fill(w);
  store(to.data() + begin - 8, static_cast<std::uint64_t>(to.size() - begin));
}

/// A map or an array: its length in bytes, then what `fill` writes.
template <class Fill>
void sequence(ByteWriter& w, std::vector<std::byte>& to, const Fill& fill) {
  w(std::uint32_t{0});
  const std::size_t begin = to.size();
  fill();
  store(to.data() + begin - 4, static_cast<std::uint32_t>(to.size() - begin));
}

/// One signal, or one element of it, as MCAP has it.
struct McapChannel {
  std::uint16_t id;
  std::size_t signal;         // its number in the cursor
  std::uint32_t first, last;  // elements
  Scalar scalar;
  std::string topic, schema, schema_text;
  const SignalSpec* spec;
  std::uint64_t messages = 0;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> index = {};  // of the chunk: time, offset
};

class McapFile {
 public:
  McapFile(std::ostream& out, const std::string& version) : out_(out) {
    std::vector<std::byte> begin;
    ByteWriter w(begin);
    w(mcap_magic);
    add_record(begin, Op::header, [&](auto& r) { r(std::string(), "vernier " + version); });
    put(begin);
  }

  void declare(const std::vector<McapChannel*>& channels) {
    for (const McapChannel* c : channels) {
      add_record(schemas_, Op::schema,
                 [&](auto& r) { r(c->id, c->schema, std::string("ros2msg"), c->schema_text); });
      add_record(channels_, Op::channel, [&](auto& r) {
        r(c->id, c->id, c->topic, std::string("cdr"));
        sequence(r, channels_, [&] {
          r(std::string("path"), c->spec->path, std::string("unit"), c->spec->unit,
            std::string("frame"), c->spec->frame);
        });
      });
    }
    put(schemas_);
    put(channels_);
  }

  void message(McapChannel& c, std::uint64_t time, const double* values) {
    if (records_.empty()) first_ = last_ = time;
    first_ = std::min(first_, time);
    last_ = std::max(last_, time);
    c.index.emplace_back(time, records_.size());
    add_record(records_, Op::message, [&](auto& w) {
      w(c.id, static_cast<std::uint32_t>(c.messages), time, time);
      w(cdr_head);
      for (std::uint32_t e = c.first; e < c.last; ++e) {
        if (c.scalar == Scalar::real) {
          w(values[e]);
          continue;
        }
        // a file of another program may have other integers
        const auto n = static_cast<std::int64_t>(std::clamp(values[e], -0x1p62, 0x1p62));
        if (c.scalar == Scalar::integer) {
          w(n);
        } else {
          w(static_cast<std::uint8_t>(n));
        }
      }
    });
    ++c.messages;
  }

  bool chunk_is_full() const noexcept { return records_.size() >= bytes_of_chunk; }

  void end_chunk(const std::vector<McapChannel*>& channels) {
    if (records_.empty()) return;
    Crc32 crc;
    crc.add(records_);
    std::vector<std::byte> head, index;
    ByteWriter w(head);
    const std::uint64_t size = records_.size();
    const auto fields = [&](auto& r) { r(first_, last_, size, crc.sum(), std::string(), size); };
    fields(w);
    const std::uint64_t chunk_at = at_, chunk_bytes = record_head + head.size() + size;
    head.clear();
    w(Op::chunk, chunk_bytes - record_head);
    fields(w);
    put(head);
    put(records_);

    std::map<std::uint16_t, std::uint64_t> places;
    const std::uint64_t index_at = at_;
    for (McapChannel* c : channels) {
      if (c->index.empty()) continue;
      places[c->id] = index_at + index.size();
      add_record(index, Op::message_index, [&](auto& r) {
        r(c->id);
        sequence(r, index, [&] {
          for (const auto& [time, offset] : c->index) r(time, offset);
        });
      });
      c->index.clear();
    }
    put(index);
    add_record(chunk_indexes_, Op::chunk_index, [&](auto& r) {
      r(first_, last_, chunk_at, chunk_bytes);
      sequence(r, chunk_indexes_, [&] {
        for (const auto& [id, place] : places) r(id, place);
      });
      r(at_ - index_at, std::string(), size, size);
    });
    begins_ = chunks_ == 0 ? first_ : std::min(begins_, first_);
    ends_ = std::max(ends_, last_);
    ++chunks_;
    records_.clear();
  }

  void finish(const std::vector<McapChannel*>& channels) {
    std::vector<std::byte> end;
    const std::uint32_t crc_of_data = data_.sum();
    add_record(end, Op::data_end, [&](auto& r) { r(crc_of_data); });
    put(end);

    const std::uint64_t summary_at = at_;
    std::vector<std::byte> statistics, summary, offsets;
    add_record(statistics, Op::statistics, [&](auto& r) {
      std::uint64_t messages = 0;
      for (const McapChannel* c : channels) messages += c->messages;
      const auto count = static_cast<std::uint32_t>(channels.size());
      r(messages, static_cast<std::uint16_t>(count), count, std::uint32_t{0}, std::uint32_t{0},
        chunks_, begins_, ends_);
      sequence(r, statistics, [&] {
        for (const McapChannel* c : channels) r(c->id, c->messages);
      });
    });
    const std::array<std::pair<Op, const std::vector<std::byte>*>, 4> parts{
        {{Op::schema, &schemas_},
         {Op::channel, &channels_},
         {Op::statistics, &statistics},
         {Op::chunk_index, &chunk_indexes_}}};
    for (const auto& [op, part] : parts) {
      if (part->empty()) continue;
      const std::uint64_t begin = summary_at + summary.size(), size = part->size();
      summary.insert(summary.end(), part->begin(), part->end());
      add_record(offsets, Op::summary_offset, [&, kind = op](auto& r) { r(kind, begin, size); });
    }
    const std::uint64_t offsets_at = summary_at + summary.size();
    summary.insert(summary.end(), offsets.begin(), offsets.end());
    // the checksum of the summary includes the beginning of the footer
    ByteWriter w(summary);
    w(Op::footer, std::uint64_t{20}, summary_at, offsets_at);
    Crc32 crc;
    crc.add(summary);
    w(crc.sum(), mcap_magic);
    put(summary);
  }

 private:
  void put(Bytes bytes) {
    out_.write(reinterpret_cast<const char*>(bytes.data()),
               static_cast<std::streamsize>(bytes.size()));
    at_ += bytes.size();
    data_.add(bytes);
  }

  std::ostream& out_;
  std::uint64_t at_ = 0;
  Crc32 data_;  // of everything until now
  std::vector<std::byte> schemas_, channels_, chunk_indexes_;
  std::vector<std::byte> records_;       // of the present chunk
  std::uint64_t first_ = 0, last_ = 0;   // ns, of the present chunk
  std::uint64_t begins_ = 0, ends_ = 0;  // of all
  std::uint32_t chunks_ = 0;
};

/// In ns; nothing when MCAP has no such time.
std::optional<std::uint64_t> mcap_time(double seconds) noexcept {
  constexpr double most = 9e9;
  if (!(seconds >= 0.0 && seconds < most)) return {};
  return static_cast<std::uint64_t>(std::llround(seconds * 1e9));
}

}  // namespace

void export_mcap(const ResultReader& r, const ExportOptions& o, std::ostream& out) {
  const std::vector<Selected> selected = r.select(o.signals);
  if (selected.size() > most_channels)
    throw ConfigurationError("V7118", std::to_string(selected.size()) +
                                          " signals cannot be written: MCAP has at most " +
                                          std::to_string(most_channels));
  struct Group {
    RowCursor cursor;
    std::vector<McapChannel> channels = {};
    std::size_t signals = 0;
  };
  std::map<std::uint64_t, Group> groups;
  std::uint16_t id = 0;
  for (const Selected& s : selected) {
    const SignalSpec& spec = s.signal->spec;
    const std::uint32_t first = s.element.value_or(0);
    const std::uint32_t last = s.element ? *s.element + 1 : spec.count;
    Group& g = groups.try_emplace(s.signal->group, Group{RowCursor(r)}).first->second;
    g.cursor.add(*s.signal);
    ++id;
    g.channels.push_back({id, g.signals++, first, last, spec.scalar, ros_topic(spec, s.element),
                          ros_type(id), ros_schema(spec, s.element), &spec});
  }
  std::vector<RowCursor*> cursors;
  std::map<const RowCursor*, Group*> group_of;
  std::vector<McapChannel*> channels(id);
  for (auto& [key, g] : groups) {
    cursors.push_back(&g.cursor);
    group_of[&g.cursor] = &g;
    for (McapChannel& c : g.channels) channels[c.id - 1u] = &c;
  }

  McapFile file(out, r.version());
  file.declare(channels);
  in_order(std::move(cursors), o.every, [&](double t, std::span<RowCursor* const> here) {
    const auto time = mcap_time(t);
    if (!time) return;
    for (const RowCursor* cursor : here)
      for (McapChannel& c : group_of[cursor]->channels)
        file.message(c, *time, cursor->values(c.signal));
    if (file.chunk_is_full()) file.end_chunk(channels);
  });
  file.end_chunk(channels);
  file.finish(channels);
}

}  // namespace vernier::record
