#include "vernier/gateway/link/frame.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <map>
#include <numbers>
#include <optional>
#include <sstream>

#include "vernier/base/random.hpp"
#include "vernier/gateway/link/crc.hpp"
#include "vernier/gateway/link/messages.hpp"
#include "vernier/testing/allocations.hpp"

namespace vernier::link {
namespace {

using Bytes = std::vector<std::byte>;
const std::filesystem::path format = VERNIER_SOURCE_DIR "/formats/scp";
constexpr std::uint32_t session_id = 0x1234abcd;

Bytes frame_in(const std::filesystem::path& path) {
  std::ifstream in(path);
  std::string line;
  std::getline(in, line);  // the description
  Bytes bytes;
  for (std::string word; in >> word;) {
    bytes.push_back(static_cast<std::byte>(std::stoi(word, nullptr, 16)));
  }
  EXPECT_FALSE(bytes.empty()) << path;
  return bytes;
}
Bytes golden(const char* name) {
  return frame_in(format / "golden" / (std::string(name) + ".hex"));
}

Bytes written(const Header& h, std::span<const std::byte> payload = {}) {
  Bytes to(frame_bytes(payload.size(), (h.flags & payload_checked) != 0));
  EXPECT_EQ(write_frame(h, payload, to), to.size());
  return to;
}

template <class T>
Bytes packed(std::vector<T> v) {
  Bytes b(v.size() * sizeof(T));
  pack(std::span<const T>(v), b);
  return b;
}

/// What a reader returns for bytes that arrive all at once.
std::vector<FrameReader::Next> all_read(std::span<const std::byte> bytes,
                                        std::size_t vector_bytes) {
  static std::optional<FrameReader> kept;  // outlives the call: the payloads point into it
  FrameReader& reader = kept.emplace(vector_bytes);
  reader.allow(vector_bytes, most_payload);
  const auto room = reader.room();
  std::copy(bytes.begin(), bytes.end(), room.begin());
  reader.received(bytes.size());
  std::vector<FrameReader::Next> all;
  while (true) {
    all.push_back(reader.next());
    const auto p = all.back().progress;
    if (p == FrameReader::Progress::more || p == FrameReader::Progress::broken) return all;
  }
}

TEST(Crc, IsThatOfTheStandard) {
  const std::string_view digits = "123456789";
  EXPECT_EQ(crc32c(std::as_bytes(std::span(digits))), 0xE3069283u);
  // RFC 3720, B.4: 32 bytes of zeros, of ones, and counting up
  Bytes b(32);
  EXPECT_EQ(crc32c(b), 0x8A9136AAu);
  std::fill(b.begin(), b.end(), std::byte{0xff});
  EXPECT_EQ(crc32c(b), 0x62A8AB43u);
  for (std::size_t i = 0; i < 32; ++i) b[i] = static_cast<std::byte>(i);
  EXPECT_EQ(crc32c(b), 0x46DD794Eu);
}

// the golden frames were written by formats/scp/frames.py
TEST(Frame, IsTheGoldenOneToTheBit) {
  Header h{.type = Type::ping,
           .session = session_id,
           .sequence = 7,
           .step = 1000,
           .t_trm = 123456789012345};
  EXPECT_EQ(written(h), golden("ping"));
  h = {.type = Type::ping_return,
       .session = session_id,
       .sequence = 8,
       .step = 12,
       .t_trm = 2'000'000'100,
       .echo = 123456789012345};
  EXPECT_EQ(written(h), golden("ping_return"));
  h = {.type = Type::reference,
       .session = session_id,
       .sequence = 8,
       .step = 1001,
       .t_acq = 4'004'000'000,
       .t_trm = 4'004'012'345};
  EXPECT_EQ(written(h), golden("reference"));
  h = {.type = Type::delay,
       .session = session_id,
       .sequence = 9,
       .step = 1001,
       .t_trm = 1'000'000'000};
  EXPECT_EQ(written(h), golden("delay"));
  h = {.type = Type::delay_return,
       .session = session_id,
       .sequence = 9,
       .step = 41,
       .t_acq = 2'000'000'500,
       .t_trm = 2'000'000'900,
       .echo = 1'000'000'000};
  EXPECT_EQ(written(h), golden("delay_return"));
  h = {.type = Type::data,
       .flags = payload_checked,
       .session = session_id,
       .sequence = 1,
       .step = 41,
       .t_acq = 164'000'000,
       .t_trm = 164'020'000,
       .echo = 123,
       .element = Element::real};
  EXPECT_EQ(written(h, packed<double>({1.0, -2.5, std::numbers::pi})), golden("data_double"));
  h = {.type = Type::data,
       .flags = payload_checked,
       .session = session_id,
       .sequence = 2,
       .step = 42,
       .t_acq = 168'000'000,
       .t_trm = 168'020'000,
       .element = Element::int8};
  EXPECT_EQ(written(h, packed<std::int8_t>({-1, 0, 127})), golden("data_int8"));
  h = {.type = Type::data,
       .flags = payload_checked,
       .session = session_id,
       .sequence = 3,
       .step = 43,
       .t_acq = 172'000'000,
       .t_trm = 172'020'000,
       .element = Element::uint8};
  EXPECT_EQ(written(h, packed<std::uint8_t>({0, 128, 255})), golden("data_uint8"));
  h = {.type = Type::data,
       .session = session_id,
       .sequence = 4,
       .step = 44,
       .t_acq = 176'000'000,
       .t_trm = 176'020'000,
       .element = Element::real};
  EXPECT_EQ(written(h), golden("data_empty"));
}

TEST(Frame, ItsOtherPayloadsAreTheGoldenOnesToo) {
  Hello h;
  h.period = {100'000'000, 3};
  h.tx_count = 26;
  h.rx_count = 3;
  h.interface_hash = 0xFEDCBA9876543210;
  h.name = cut("simulator");
  h.build = cut("vernier 0.1");
  std::array<std::byte, signed_hello_bytes> room;
  const auto hello = [&](Header header) {
    header.flags = payload_checked;
    return written(header, std::span(room).first(write_hello(h, room)));
  };
  EXPECT_EQ(hello({.type = Type::hello, .t_trm = 5}), golden("hello"));
  h.connection = Connection::data;
  h.token = 0x0123456789ABCDEF;
  EXPECT_EQ(hello({.type = Type::hello, .session = session_id, .t_trm = 7}), golden("hello_data"));
  h.connection = Connection::control;
  h.token = 0;
  h.capabilities = authenticates;
  for (std::size_t i = 0; i < 32; ++i) {
    h.nonce[i] = static_cast<std::byte>(i);
    h.proof[i] = static_cast<std::byte>(224 + i);
  }
  EXPECT_EQ(hello({.type = Type::hello, .t_trm = 8}), golden("hello_signed"));
  h = {};
  h.role = Role::server;
  h.period = {4'000'000, 1};
  h.tx_count = 3;
  h.rx_count = 26;
  h.token = 0x0123456789ABCDEF;
  h.interface_hash = 0xFEDCBA9876543210;
  h.name = cut("facility");
  h.build = cut("vernier 0.1");
  EXPECT_EQ(hello({.type = Type::hello_ack, .session = session_id, .t_trm = 6}),
            golden("hello_ack"));

  std::array<std::byte, longest_bye> bye_room;
  const std::size_t n = write_bye(bye(Reason::busy, "another client is connected"), bye_room);
  EXPECT_EQ(
      written({.type = Type::bye, .flags = payload_checked, .session = session_id, .sequence = 1},
              std::span(bye_room).first(n)),
      golden("bye"));
  std::array<std::byte, clock_bytes> clock_room;
  write_clock({2'900'000'000, -0.9999999, 10e-6, 24e-6, 5e-8}, clock_room);
  EXPECT_EQ(written({.type = Type::clock,
                     .flags = payload_checked,
                     .session = session_id,
                     .sequence = 10,
                     .step = 41,
                     .t_trm = 3'000'000'000},
                    clock_room),
            golden("clock"));
  std::array<std::byte, stats_bytes> stats_room;
  write_stats({1000, 999, 3, 2, 1, {5e-5, 1e-4, 2e-4}, {2e-3, 4e-3, 4.1e-3}, {4e-3, 8e-3, 8.1e-3}},
              stats_room);
  EXPECT_EQ(written({.type = Type::stats,
                     .flags = payload_checked,
                     .session = session_id,
                     .sequence = 11,
                     .step = 41,
                     .t_trm = 3'000'000'000},
                    stats_room),
            golden("stats"));
}

TEST(Frame, EveryGoldenOneIsReadAndWrittenAgainAsItWas) {
  int count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(format / "golden")) {
    const Bytes bytes = frame_in(entry.path());
    const bool three_bytes = bytes.size() == 64 + 3 + 4;
    const bool empty = entry.path().stem() == "data_empty";
    const auto all = all_read(bytes, empty ? 0 : three_bytes ? 3 : 24);
    ASSERT_EQ(all.size(), 2u) << entry.path() << words(all[0].flaw);
    EXPECT_EQ(all[0].progress, FrameReader::Progress::frame);
    const Header& h = all[0].header;
    EXPECT_EQ(written(h, all[0].payload), bytes) << entry.path();
    // payloads with fields are checked too
    if (h.type == Type::hello || h.type == Type::hello_ack) {
      const auto hello = read_hello(all[0].payload);
      ASSERT_TRUE(hello) << entry.path();
      std::array<std::byte, signed_hello_bytes> room;
      const auto again = std::span(room).first(write_hello(*hello, room));
      EXPECT_TRUE(std::equal(again.begin(), again.end(), all[0].payload.begin()));
    }
    if (h.type == Type::bye) {
      EXPECT_EQ(read_bye(all[0].payload)->reason, Reason::busy);
    }
    if (h.type == Type::clock) {
      EXPECT_EQ(read_clock(all[0].payload)->skew, 10e-6);
    }
    if (h.type == Type::stats) {
      EXPECT_EQ(read_stats(all[0].payload)->dead_time.most, 8.1e-3);
    }
    ++count;
  }
  EXPECT_EQ(count, 16);
}

TEST(Frame, EveryBadOneIsRefusedForItsFlaw) {
  const std::map<std::string, Flaw> flaws{{"magic", Flaw::magic},
                                          {"version", Flaw::version},
                                          {"header_bit", Flaw::header_checksum},
                                          {"payload_bit", Flaw::payload_checksum},
                                          {"element", Flaw::element},
                                          {"too_long", Flaw::length},
                                          {"limit", Flaw::length},
                                          {"ping_payload", Flaw::length},
                                          {"time", Flaw::time},
                                          {"step", Flaw::time}};
  for (const auto& [name, flaw] : flaws) {
    const auto all = all_read(frame_in(format / "bad" / (name + ".hex")), 24);
    EXPECT_EQ(all.back().progress, FrameReader::Progress::broken) << name;
    EXPECT_EQ(all.back().flaw, flaw) << name << ": " << words(all.back().flaw);
  }
  for (const auto& entry : std::filesystem::directory_iterator(format / "bad")) {
    if (entry.path().extension() == ".hex") {
      EXPECT_TRUE(flaws.contains(entry.path().stem()));
    }
  }
}

TEST(Frame, EverySingleWrongBitIsFound) {
  const Bytes good = golden("data_double");
  for (std::size_t bit = 0; bit < good.size() * 8; ++bit) {
    Bytes b = good;
    b[bit / 8] ^= std::byte{1} << (bit % 8);
    EXPECT_EQ(all_read(b, 24).back().progress, FrameReader::Progress::broken) << bit;
  }
}

TEST(FrameReader, DoesNotCareHowTheBytesCome) {
  Bytes stream;
  std::vector<Header> expected;
  for (const char* name : {"hello_ack", "ping", "data_double", "delay_return", "bye", "stats"}) {
    const Bytes b = golden(name);
    stream.insert(stream.end(), b.begin(), b.end());
    expected.push_back(decode(std::span(b).first<header_bytes>()).header);
  }
  for (std::size_t piece = 1; piece < stream.size(); piece += piece < 70 ? 1 : 37) {
    FrameReader reader(24);
    reader.allow(24, most_payload);
    std::vector<Header> got;
    for (std::size_t at = 0; at < stream.size();) {
      const std::size_t n = std::min(piece, stream.size() - at);
      std::copy_n(stream.begin() + static_cast<std::ptrdiff_t>(at), n, reader.room().begin());
      reader.received(n);
      at += n;
      while (true) {
        const auto next = reader.next();
        ASSERT_NE(next.progress, FrameReader::Progress::broken);
        if (next.progress != FrameReader::Progress::frame) break;
        got.push_back(next.header);
      }
      EXPECT_EQ(reader.partial(), got.size() < expected.size() && reader.partial());
    }
    EXPECT_FALSE(reader.partial());
    EXPECT_EQ(got, expected) << piece;
  }
}

TEST(FrameReader, SkipsWhatANewerMinorVersionMaySend) {
  Bytes stream = written({.minor = 3, .type = static_cast<Type>(0x77), .flags = payload_checked},
                         Bytes(100'000));
  const Bytes ping = golden("ping");
  stream.insert(stream.end(), ping.begin(), ping.end());
  FrameReader reader(24);
  reader.allow(24, most_payload);
  int skipped = 0, frames = 0;
  for (std::size_t at = 0; at < stream.size();) {
    const std::size_t n = std::min<std::size_t>(reader.room().size(), stream.size() - at);
    std::copy_n(stream.begin() + static_cast<std::ptrdiff_t>(at), n, reader.room().begin());
    reader.received(n);
    at += n;
    for (auto next = reader.next(); next.progress != FrameReader::Progress::more;
         next = reader.next()) {
      skipped += next.progress == FrameReader::Progress::skipped;
      frames += next.progress == FrameReader::Progress::frame;
    }
  }
  EXPECT_EQ(skipped, 1);
  EXPECT_EQ(frames, 1);
  // but not more than was agreed
  reader.clear();
  reader.allow(24, 99'999);
  std::copy_n(stream.begin(), 64, reader.room().begin());
  reader.received(64);
  EXPECT_EQ(reader.next().flaw, Flaw::length);
}

TEST(FrameReader, TakesNoMemoryHoweverLongAFrameSaysItIs) {
  FrameReader reader(24);
  reader.allow(24, most_payload);
  Random random(3);
  const long before = testing::allocations();
  for (int k = 0; k < 2000; ++k) {
    Header h{.type = static_cast<Type>(random.bits()),
             .flags = static_cast<std::uint8_t>(random.bits()),
             .payload = static_cast<std::uint32_t>(random.bits())};
    reader.clear();
    encode(h, reader.room().first<header_bytes>());
    reader.received(header_bytes);
    const auto next = reader.next();
    if (known(h.type) && h.payload > 200) {
      EXPECT_EQ(next.flaw, Flaw::length);
    }
  }
  EXPECT_EQ(testing::allocations(), before);
}

TEST(Vectors, KeepEveryBit) {
  const std::vector<double> odd{-0.0,      std::numeric_limits<double>::denorm_min(),    HUGE_VAL,
                                -HUGE_VAL, std::bit_cast<double>(0x7ff8dead0000beefull), 1e308};
  const Bytes b = packed(odd);
  std::vector<double> back(odd.size());
  unpack(b, std::span(back));
  for (std::size_t i = 0; i < odd.size(); ++i) {
    EXPECT_EQ(std::bit_cast<std::uint64_t>(odd[i]), std::bit_cast<std::uint64_t>(back[i]));
  }
  std::vector<std::int8_t> all(256), all_back(256);
  for (int i = 0; i < 256; ++i)
    all[static_cast<std::size_t>(i)] = static_cast<std::int8_t>(i - 128);
  unpack(packed(all), std::span(all_back));
  EXPECT_EQ(all, all_back);
}

TEST(Hello, IsRefusedWhenAFieldHasNoMeaning) {
  Hello h;
  h.period = {4'000'000, 1};
  std::array<std::byte, signed_hello_bytes> room;
  const auto read_changed = [&](std::size_t at, int value) {
    write_hello(h, room);
    room[at] = static_cast<std::byte>(value);
    return read_hello(std::span(room).first(hello_bytes)).has_value();
  };
  EXPECT_TRUE(read_changed(0, 1));
  EXPECT_FALSE(read_changed(0, 3));     // role
  EXPECT_FALSE(read_changed(1, 0));     // connection
  EXPECT_FALSE(read_changed(2, 1));     // claims to authenticate, without proof
  EXPECT_FALSE(read_changed(15, 200));  // a period of centuries
  EXPECT_FALSE(read_changed(16, 0));    // a period divided by zero
  EXPECT_FALSE(read_changed(23, 1));    // 2^24 doubles
  EXPECT_FALSE(read_changed(28, 9));    // element type
  EXPECT_FALSE(read_changed(35, 255));  // an interval of months
  EXPECT_FALSE(read_hello(std::span(room).first(127)).has_value());
}

TEST(Bye, ShowsNothingThatATerminalWouldObey) {
  std::array<std::byte, longest_bye> room;
  const std::size_t n = write_bye(bye(Reason::closing, "a\x1b[2Jb\n\xc3\xa4"), room);
  EXPECT_STREQ(read_bye(std::span(room).first(n))->text.data(), "a?[2Jb???");
}

}  // namespace
}  // namespace vernier::link
