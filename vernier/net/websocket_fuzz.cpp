// A byte stream in pieces of any length gives the same messages as in one; memory stays within the
// bytes received; texts are UTF-8.
#include <cstdlib>

#include "vernier/net/websocket.hpp"

using namespace vernier;
using namespace vernier::net::websocket;

namespace {

struct Seen {
  std::vector<Message> messages;
  Code refusal = Code::no_code;
};

Seen seen(Bytes all, std::size_t piece, Side side) {
  Seen s;
  constexpr std::size_t longest = 4096;
  Receiver r(side, longest);
  std::size_t given = 0;
  while (!all.empty()) {
    Bytes some = all.first(std::min(piece, all.size()));
    all = all.subspan(some.size());
    given += some.size();
    Message m;
    Receiver::Got got = Receiver::Got::more;
    while ((got = r.take(some, m)) == Receiver::Got::message) {
      if (m.content.size() > longest) std::abort();
      if (m.kind != Kind::binary && m.kind < Kind::ping && !is_utf8(m.content)) std::abort();
      s.messages.push_back(m);
    }
    if (r.pending() > longest || r.pending() > given) std::abort();
    if (got == Receiver::Got::refused) break;
    if (!some.empty()) std::abort();
  }
  s.refusal = r.refusal();
  return s;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  const std::size_t piece = data[0] + 1u;
  const Side side = data[1] % 2 == 0 ? Side::server : Side::client;
  const Bytes all = std::as_bytes(std::span(data + 2, size - 2));
  const Seen a = seen(all, all.size() + 1, side), b = seen(all, piece, side);
  if (a.refusal != b.refusal || a.messages.size() != b.messages.size()) std::abort();
  for (std::size_t i = 0; i < a.messages.size(); ++i) {
    const Message &m = a.messages[i], &n = b.messages[i];
    if (m.kind != n.kind || m.content != n.content || m.code != n.code) std::abort();
    // what was read can be written and read again
    std::vector<std::byte> again;
    const std::string content = m.kind == Kind::close && m.code != Code::no_code
                                    ? close_content(m.code, m.content)
                                    : m.content;
    append_client_frame(again, m.kind, std::as_bytes(std::span(content)),
                        {std::byte{9}, std::byte{8}, std::byte{7}, std::byte{6}});
    const Seen c = seen(again, again.size(), Side::server);
    if (c.messages.size() != 1 || c.messages[0].content != m.content) std::abort();
  }
  return 0;
}
