#include "vernier/gateway/federation/hello.hpp"

#include <algorithm>

#include "vernier/gateway/federation/callbacks.hpp"
#include "vernier/gateway/federation/detail/octets.hpp"
#include "vernier/net/secret.hpp"

namespace vernier::federation {
namespace {

Blob proof_of(std::string_view who, Bytes key, Bytes federate, Bytes rti) {
  Blob message;
  Writer w(message);
  w(who, federate, rti);
  const Digest d = net::authentication(key, message);
  return {d.begin(), d.end()};
}

bool proves(const Blob& claimed, std::string_view who, Bytes key, Bytes federate, Bytes rti) {
  return net::same(claimed, proof_of(who, key, federate, rti));
}

std::string printable(std::string_view s) {
  std::string shown(s.substr(0, 80));
  std::replace_if(
      shown.begin(), shown.end(), [](unsigned char c) { return c < 32 || c == 127; }, '?');
  return shown;
}

}  // namespace

Greeting HelloFromFederate::refuse(std::uint32_t sequence, std::string why,
                                   std::vector<std::byte>& reply) {
  why_ = std::move(why);
  if (sequence != 0) write(reply, Answer{Failure::ConnectionFailed, why_, {}}, sequence);
  write(reply, Lost{why_});
  return Greeting::refused;
}

Greeting HelloFromFederate::take(Bytes frame, std::vector<std::byte>& reply) {
  const auto h = header(frame);
  Hello hello;
  if (!h || h->kind != Kind::hello || h->sequence == 0)
    return refuse(0, "what came is not the hello of a federate", reply);
  // in another protocol version only the beginning of the frame is certain to be the same
  Reader r(frame.subspan(sizeof(Header)));
  r(hello.program, hello.version);
  if (!r.ok()) return refuse(0, "the hello of the federate is malformed", reply);
  if (!detail::well_formed(hello.program))
    return refuse(0, "the name of the federate's program is not UTF-8", reply);
  program_ = printable(hello.program);
  if (hello.version != protocol_version)
    return refuse(h->sequence,
                  "the federate speaks version " + std::to_string(hello.version) +
                      " of the protocol, the RTI version " + std::to_string(protocol_version),
                  reply);
  if (!read(frame, hello)) return refuse(0, "the hello of the federate is malformed", reply);

  Welcome welcome;
  Greeting result = Greeting::done;
  if (!challenged_ && !key_.empty()) {
    if (hello.proof.size() != ours_.size())
      return refuse(h->sequence, "the hello of the federate is malformed", reply);
    challenged_ = true;
    theirs_ = hello.proof;
    net::fill_random(ours_);
    welcome.challenge.assign(ours_.begin(), ours_.end());
    result = Greeting::more;
  } else if (challenged_) {
    if (!proves(hello.proof, "federate", key_, theirs_, ours_))
      return refuse(h->sequence, "the keys of federate and RTI are different", reply);
    welcome.proof = proof_of("rti", key_, theirs_, ours_);
  }
  Answer a;
  Writer w(a.body);
  w(welcome);
  write(reply, a, h->sequence);
  return result;
}

HelloToRti::HelloToRti(std::string program, Bytes key) : program_(std::move(program)), key_(key) {
  net::fill_random(ours_);
  if (program_.size() > 200) program_.resize(200);
}

void HelloToRti::begin(std::vector<std::byte>& reply) const {
  write(reply, Hello{program_, protocol_version, {ours_.begin(), ours_.end()}}, 1);
}

Greeting HelloToRti::take(Bytes frame, std::vector<std::byte>& reply) {
  const auto h = header(frame);
  if (Lost lost; h && h->kind == Kind::lost && read(frame, lost)) {
    why_ = printable(lost.why);
    return Greeting::refused;
  }
  Answer a;
  if (!h || h->kind != Kind::answer || !read(frame, a)) {
    why_ = "the peer is not an RTI";
    return Greeting::refused;
  }
  if (a.failure != Failure::none) {
    why_ = printable(a.text);
    return Greeting::refused;
  }
  Welcome welcome;
  Reader r(a.body);
  r(welcome);
  if (!r.complete()) {
    why_ = "the peer is not an RTI of this version";
  } else if (!welcome.challenge.empty()) {
    if (key_.empty()) {
      why_ = "the RTI wants a key; say key-file=FILE";
    } else if (!theirs_.empty()) {
      why_ = "the peer is not an RTI: it asks twice";
    } else {
      theirs_ = welcome.challenge;
      write(reply, Hello{program_, protocol_version, proof_of("federate", key_, ours_, theirs_)},
            2);
      return Greeting::more;
    }
  } else if (key_.empty() ||
             (!theirs_.empty() && proves(welcome.proof, "rti", key_, ours_, theirs_))) {
    return Greeting::done;
  } else if (theirs_.empty()) {
    why_ = "the RTI asks for no key, so it may be any; start it with the key or leave key-file out";
  } else {
    why_ = "the keys of federate and RTI are different";
  }
  return Greeting::refused;
}

}  // namespace vernier::federation
