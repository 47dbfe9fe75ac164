#include "vernier/run/server/greeting.hpp"

#include <algorithm>

#include "vernier/base/text.hpp"
#include "vernier/net/secret.hpp"

namespace vernier::server {
namespace {

using Random = std::array<std::byte, 16>;

struct Hello {
  static constexpr bool visited = true;
  // what every version of the protocol begins with
  std::array<char, 8> magic{'V', 'R', 'N', 'S', 'E', 'R', 'V', 'E'};
  std::uint32_t protocol = host_protocol;
  std::string program;
  Random random{};

  template <class Visitor>
  void fields(Visitor& v) {
    v(magic, protocol, program, random);
  }
};

struct Welcome {
  static constexpr bool visited = true;
  Hello hello;
  bool wants_proof = false;

  template <class Visitor>
  void fields(Visitor& v) {
    v(hello, wants_proof);
  }
};

struct Code {
  static constexpr bool visited = true;
  Digest code{};

  template <class Visitor>
  void fields(Visitor& v) {
    v(code);
  }
};

Code code_of(std::string_view who, Bytes key, const Random& client, const Random& server) {
  std::vector<std::byte> message;
  ByteWriter w(message);
  w(who, host_protocol, client, server);
  return {net::authentication(key, message)};
}

bool proves(Bytes frame, std::string_view who, Bytes key, const Random& client,
            const Random& server) {
  const auto claimed = content_of<Code>(frame);
  return claimed && net::same(claimed->code, code_of(who, key, client, server).code);
}

/// The beginning of a hello or welcome of any version of the protocol.
bool read_beginning(Bytes frame, std::uint32_t& protocol, std::string& program) {
  ByteReader r(frame.subspan(frame_head));
  std::array<char, 8> magic{};
  r(magic, protocol, program);
  program = printable(program, 40);
  return r.ok() && magic == Hello{}.magic;
}

}  // namespace

std::string printable(std::string_view s, std::size_t longest) {
  std::string shown(s.substr(0, longest));
  // a character may have been cut
  while (!shown.empty() && s.size() > longest && (shown.back() & 0x80) != 0) shown.pop_back();
  std::replace_if(
      shown.begin(), shown.end(), [](unsigned char c) { return c < 32 || c == 127; }, '?');
  return shown;
}

GreetingFromClient::GreetingFromClient(Bytes key, std::string version)
    : key_(key), version_(std::move(version)) {
  net::fill_random(ours_);
}

Greeting GreetingFromClient::refuse(std::string code, std::string why,
                                    std::vector<std::byte>& reply) {
  why_ = why;
  put_frame(reply, HostWord::refused, Refusal{std::move(code), std::move(why), {}});
  return Greeting::refused;
}

Greeting GreetingFromClient::take(Bytes frame, std::vector<std::byte>& reply) {
  if (challenged_) {
    if (word_of(frame) != HostWord::proof || !proves(frame, "client", key_, theirs_, ours_))
      return refuse("V5632", "the key of the server is another one", reply);
    put_frame(reply, HostWord::accepted, code_of("server", key_, theirs_, ours_));
    return Greeting::done;
  }
  std::uint32_t protocol = 0;
  if (word_of(frame) != HostWord::hello || !read_beginning(frame, protocol, program_)) {
    why_ = "what came is not the hello of a client";  // nothing is said to strangers
    return Greeting::refused;
  }
  if (protocol != host_protocol)
    return refuse("V5633",
                  "the server is Vernier " + version_ + ", which speaks version " +
                      std::to_string(host_protocol) + " of the protocol, not " +
                      std::to_string(protocol),
                  reply);
  const auto hello = content_of<Hello>(frame);
  if (!hello) {
    why_ = "the hello of the client is malformed";
    return Greeting::refused;
  }
  theirs_ = hello->random;
  challenged_ = true;
  put_frame(reply, HostWord::welcome,
            Welcome{{.program = version_, .random = ours_}, !key_.empty()});
  return key_.empty() ? Greeting::done : Greeting::more;
}

GreetingToServer::GreetingToServer(Bytes key, std::string version)
    : key_(key), version_(std::move(version)) {
  net::fill_random(ours_);
}

void GreetingToServer::begin(std::vector<std::byte>& reply) const {
  put_frame(reply, HostWord::hello, Hello{.program = version_, .random = ours_});
}

Greeting GreetingToServer::refuse(std::string code, std::string why, std::string note) {
  why_ = {std::move(code), std::move(why), {}};
  if (!note.empty()) why_.notes.push_back(std::move(note));
  return Greeting::refused;
}

Greeting GreetingToServer::take(Bytes frame, std::vector<std::byte>& reply) {
  if (word_of(frame) == HostWord::refused) {
    if (const auto r = content_of<Refusal>(frame)) {
      why_ = believed(*r);
      return Greeting::refused;
    }
  }
  if (!challenged_) return take_welcome(frame, reply);
  if (word_of(frame) != HostWord::accepted || !proves(frame, "server", key_, ours_, theirs_))
    return refuse("V5632", "the key of the server is another one");
  return Greeting::done;
}

Greeting GreetingToServer::take_welcome(Bytes frame, std::vector<std::byte>& reply) {
  std::uint32_t protocol = 0;
  if (word_of(frame) != HostWord::welcome || !read_beginning(frame, protocol, program_))
    return refuse("V5637", "what answers there is no Vernier server");
  const auto welcome = content_of<Welcome>(frame);
  if (protocol != host_protocol || !welcome)
    return refuse("V5633", "the server is Vernier " + program_ + ", which speaks version " +
                               std::to_string(protocol) + " of the protocol, not " +
                               std::to_string(host_protocol));
  if (!welcome->wants_proof) {
    if (key_.empty()) return Greeting::done;
    return refuse("V5632", "the server asks for no key, so it may be any",
                  "start it with the key, or leave --key out");
  }
  if (key_.empty())
    return refuse("V5632", "the server wants a key",
                  "say --key FILE, with a copy of the server's key");
  theirs_ = welcome->hello.random;
  challenged_ = true;
  put_frame(reply, HostWord::proof, code_of("client", key_, ours_, theirs_));
  return Greeting::more;
}

Refusal believed(const Refusal& r) {
  const bool ours = r.code.size() == 5 && r.code.starts_with("V56") &&
                    parsed_integer(std::string_view(r.code).substr(3)).has_value();
  Refusal b{ours ? r.code : "V5637", printable(r.message, 400), {}};
  for (const std::string& n : r.notes)
    if (b.notes.size() < 4) b.notes.push_back(printable(n));
  return b;
}

}  // namespace vernier::server
