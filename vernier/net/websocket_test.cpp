#include "vernier/net/websocket.hpp"

#include <gtest/gtest.h>

#include <random>

namespace vernier::net::websocket {
namespace {

using Got = Receiver::Got;

std::vector<std::byte> bytes_of(std::initializer_list<int> values) {
  std::vector<std::byte> b;
  for (const int v : values) b.push_back(static_cast<std::byte>(v));
  return b;
}
Bytes of(std::string_view text) { return std::as_bytes(std::span(text)); }

struct Outcome {
  std::vector<Message> messages;
  Code refusal = Code::no_code;
  std::size_t left = 0;
};
Outcome received(Receiver& r, Bytes all, std::size_t piece = 1u << 20) {
  Outcome o;
  while (!all.empty()) {
    Bytes some = all.first(std::min(piece, all.size()));
    all = all.subspan(some.size());
    Message m;
    Got got = Got::more;
    while ((got = r.take(some, m)) == Got::message) o.messages.push_back(m);
    o.left = some.size() + all.size();
    if (got == Got::refused) break;
    EXPECT_TRUE(some.empty());
  }
  o.refusal = r.refusal();
  return o;
}
Outcome received(Side self, Bytes all, std::size_t longest = 1000) {
  Receiver r(self, longest);
  return received(r, all);
}
std::vector<std::byte> frame(Kind k, std::string_view content, bool first = true,
                             bool last = true) {
  std::vector<std::byte> b;
  append_client_frame(b, k, of(content), {std::byte{1}, std::byte{2}, std::byte{3}, std::byte{4}},
                      first, last);
  return b;
}
std::vector<std::byte> operator+(std::vector<std::byte> a, const std::vector<std::byte>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

// RFC 6455, section 1.3
TEST(WebSocketKey, IsAnsweredAsInTheStandard) {
  EXPECT_EQ(accept_key("dGhlIHNhbXBsZSBub25jZQ=="), "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=");
  EXPECT_TRUE(valid_key("dGhlIHNhbXBsZSBub25jZQ=="));
  EXPECT_FALSE(valid_key("dGhlIHNhbXBsZSBub25jZQ="));
  EXPECT_FALSE(valid_key("dGhlIHNhbXBsZSBub25jZ!=="));
}

// RFC 6455, section 5.7
TEST(WebSocketFrames, AreReadAsInTheStandard) {
  const auto unmasked = bytes_of({0x81, 0x05, 0x48, 0x65, 0x6c, 0x6c, 0x6f});
  Outcome o = received(Side::client, unmasked);
  ASSERT_EQ(o.messages.size(), 1u);
  EXPECT_EQ(o.messages[0].kind, Kind::text);
  EXPECT_EQ(o.messages[0].content, "Hello");

  const auto masked = bytes_of({0x81, 0x85, 0x37, 0xfa, 0x21, 0x3d, 0x7f, 0x9f, 0x4d, 0x51, 0x58});
  o = received(Side::server, masked);
  ASSERT_EQ(o.messages.size(), 1u);
  EXPECT_EQ(o.messages[0].content, "Hello");

  const auto fragments = bytes_of({0x01, 0x03, 0x48, 0x65, 0x6c, 0x80, 0x02, 0x6c, 0x6f});
  o = received(Side::client, fragments);
  ASSERT_EQ(o.messages.size(), 1u);
  EXPECT_EQ(o.messages[0].content, "Hello");

  const auto ping = bytes_of({0x89, 0x05, 0x48, 0x65, 0x6c, 0x6c, 0x6f});
  o = received(Side::client, ping);
  ASSERT_EQ(o.messages.size(), 1u);
  EXPECT_EQ(o.messages[0].kind, Kind::ping);
  EXPECT_EQ(o.messages[0].content, "Hello");

  auto binary = bytes_of({0x82, 0x7e, 0x01, 0x00});
  binary.resize(4 + 256, std::byte{7});
  o = received(Side::client, binary);
  ASSERT_EQ(o.messages.size(), 1u);
  EXPECT_EQ(o.messages[0].kind, Kind::binary);
  EXPECT_EQ(o.messages[0].content, std::string(256, 7));

  auto long_one = bytes_of({0x82, 0x7f, 0, 0, 0, 0, 0, 1, 0, 0});
  long_one.resize(10 + 65536, std::byte{7});
  o = received(Side::client, long_one, 65536);
  ASSERT_EQ(o.messages.size(), 1u);
  EXPECT_EQ(o.messages[0].content.size(), 65536u);
}

TEST(WebSocketFrames, BeginAsInTheStandard) {
  const auto head = [](std::size_t n) {
    const FrameHead h = frame_head(Kind::binary, n);
    const Bytes b = h;
    return std::vector<std::byte>(b.begin(), b.end());
  };
  EXPECT_EQ(head(125), bytes_of({0x82, 125}));
  EXPECT_EQ(head(126), bytes_of({0x82, 0x7e, 0, 126}));
  EXPECT_EQ(head(256), bytes_of({0x82, 0x7e, 1, 0}));
  EXPECT_EQ(head(65535), bytes_of({0x82, 0x7e, 0xff, 0xff}));
  EXPECT_EQ(head(65536), bytes_of({0x82, 0x7f, 0, 0, 0, 0, 0, 1, 0, 0}));
}

TEST(WebSocketFrames, MayArriveInAnyPieces) {
  const std::string text(300, 'x');
  const auto all = frame(Kind::text, "one", true, false) + frame(Kind::ping, "p") +
                   frame(Kind::text, "", false, false) + frame(Kind::text, "two", false, true) +
                   frame(Kind::binary, text) + frame(Kind::text, "");
  for (const std::size_t piece : {1u, 2u, 3u, 7u, 100u, 1000u}) {
    Receiver r(Side::server, 1000);
    const Outcome o = received(r, all, piece);
    ASSERT_EQ(o.messages.size(), 4u) << piece;
    EXPECT_EQ(o.messages[0].kind, Kind::ping);
    EXPECT_EQ(o.messages[0].content, "p");
    EXPECT_EQ(o.messages[1].content, "onetwo");
    EXPECT_EQ(o.messages[2].kind, Kind::binary);
    EXPECT_EQ(o.messages[2].content, text);
    EXPECT_EQ(o.messages[3].content, "");
  }
}

TEST(WebSocketFrames, OfTheWrongFormAreRefused) {
  const auto refusal = [](std::vector<std::byte> b) { return received(Side::server, b).refusal; };
  auto reserved = frame(Kind::text, "a");
  reserved[0] |= std::byte{0x40};
  EXPECT_EQ(refusal(reserved), Code::protocol_error);
  EXPECT_EQ(refusal(bytes_of({0x81, 0x01, 'a'})), Code::protocol_error) << "not masked";
  EXPECT_EQ(received(Side::client, frame(Kind::text, "a")).refusal, Code::protocol_error);
  for (const int operation : {3, 4, 5, 6, 7, 11, 12, 15}) {
    auto unknown = frame(Kind::text, "a");
    unknown[0] = static_cast<std::byte>(0x80 | operation);
    EXPECT_EQ(refusal(unknown), Code::protocol_error) << operation;
  }
  EXPECT_EQ(refusal(frame(Kind::text, "a", false, true)), Code::protocol_error) << "continues none";
  EXPECT_EQ(refusal(frame(Kind::text, "a", true, false) + frame(Kind::text, "b")),
            Code::protocol_error)
      << "begins within another";
  EXPECT_EQ(refusal(frame(Kind::ping, "a", true, false)), Code::protocol_error) << "in fragments";
  EXPECT_EQ(refusal(frame(Kind::ping, std::string(126, 'a'))), Code::protocol_error);
  EXPECT_EQ(received(Side::client, bytes_of({0x81, 126, 0, 125})).refusal, Code::protocol_error)
      << "a length not in its shortest form";
  EXPECT_EQ(received(Side::client, bytes_of({0x81, 127, 0, 0, 0, 0, 0, 0, 0xff, 0xff})).refusal,
            Code::protocol_error);
  EXPECT_EQ(received(Side::client, bytes_of({0x81, 127, 0x80, 0, 0, 0, 0, 0, 0, 0})).refusal,
            Code::protocol_error);
}

TEST(WebSocketFrames, AreRefusedByTheirAnnouncedLength) {
  // nothing of the content needs to arrive
  EXPECT_EQ(
      received(Side::client, bytes_of({0x82, 127, 0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}))
          .refusal,
      Code::too_big);
  EXPECT_EQ(received(Side::server, frame(Kind::text, std::string(1001, 'a'))).refusal,
            Code::too_big);
  EXPECT_EQ(received(Side::server, frame(Kind::text, std::string(1000, 'a'), true, false) +
                                       frame(Kind::text, "a", false, true))
                .refusal,
            Code::too_big);
  EXPECT_EQ(received(Side::server, frame(Kind::text, std::string(1000, 'a'))).messages.size(), 1u);
}

TEST(WebSocketClose, HasACodeAndAReason) {
  Outcome o = received(Side::server, frame(Kind::close, ""));
  ASSERT_EQ(o.messages.size(), 1u);
  EXPECT_EQ(o.messages[0].code, Code::no_code);
  o = received(Side::server, frame(Kind::close, close_content(Code::going_away, "bye")));
  ASSERT_EQ(o.messages.size(), 1u);
  EXPECT_EQ(o.messages[0].code, Code::going_away);
  EXPECT_EQ(o.messages[0].content, "bye");
  const auto refusal = [](std::string_view content) {
    return received(Side::server, frame(Kind::close, content)).refusal;
  };
  EXPECT_EQ(refusal("\x03"), Code::protocol_error);
  for (const int code : {0, 999, 1004, 1005, 1006, 1015, 1016, 2999, 5000, 65535})
    EXPECT_EQ(refusal(close_content(static_cast<Code>(code), "")), Code::protocol_error) << code;
  EXPECT_EQ(refusal("\x03\xe8\xff"), Code::not_utf8);
}

TEST(WebSocketClose, CutsItsReasonBetweenCharacters) {
  std::string reason;
  for (int i = 0; i < 60; ++i) reason += "\u00f6\u20ac";  // 5 bytes
  const std::string content = close_content(Code::normal, reason);
  EXPECT_LE(content.size(), 125u);
  EXPECT_GE(content.size(), 122u);
  EXPECT_TRUE(is_utf8(std::string_view(content).substr(2)));
}

TEST(WebSocketText, IsUtf8) {
  EXPECT_EQ(received(Side::server, frame(Kind::text, "a\xc3")).refusal, Code::not_utf8);
  EXPECT_EQ(received(Side::server, frame(Kind::binary, "a\xc3")).messages.size(), 1u);
  // a character may be cut by fragments
  EXPECT_EQ(received(Side::server, frame(Kind::text, "a\xc3", true, false) +
                                       frame(Kind::text, "\xb6", false, true))
                .messages.size(),
            1u);
}

// Unicode standard, table 3-7, and section 3.1 of Markus Kuhn's decoder test
TEST(Utf8, HasShortestFormsAndNoSurrogates) {
  for (const char* good : {"", "a", "\xc2\x80", "\xdf\xbf", "\xe0\xa0\x80", "\xed\x9f\xbf",
                           "\xee\x80\x80", "\xef\xbf\xbf", "\xf0\x90\x80\x80", "\xf4\x8f\xbf\xbf"})
    EXPECT_TRUE(is_utf8(good)) << good;
  for (const char* bad :
       {"\x80", "\xbf", "\xc0\xaf", "\xc1\xbf", "\xe0\x80\xaf", "\xe0\x9f\xbf", "\xed\xa0\x80",
        "\xed\xbf\xbf", "\xf0\x8f\xbf\xbf", "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "\xfe", "\xff",
        "\xc2", "\xe0\xa0", "\xf0\x90\x80", "\xc2\x41", "\xe1\x80\x41", "\xf1\x80\x80\x41"})
    EXPECT_FALSE(is_utf8(bad)) << bad;
}

}  // namespace
}  // namespace vernier::net::websocket
