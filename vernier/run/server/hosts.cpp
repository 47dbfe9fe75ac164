#include "vernier/run/server/hosts.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <limits>
#include <utility>

#include "vernier/net/socket.hpp"
#include "vernier/run/server/greeting.hpp"

namespace vernier::server {
namespace {

using net::Clock;
using State = net::Stream::State;
using namespace std::chrono_literals;

constexpr auto stalled = 60s;  // of a transfer

std::int64_t nanoseconds(auto since) {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(since).count();
}

Diagnostic problem(std::string code, std::string message, std::string note = {}) {
  Diagnostic d;
  d.code = std::move(code);
  d.message = std::move(message);
  d.category = Category::peer;
  if (!note.empty()) d.notes.push_back(std::move(note));
  return d;
}

}  // namespace

Diagnostic Connection::trouble(std::string code, const std::string& what, std::string note) const {
  return problem(std::move(code), name_ + ": " + what, std::move(note));
}

Diagnostic Connection::no_tls() const {
  return trouble("V5639", "TLS fails: " + stream_.why(),
                 "each side needs a certificate by an authority that the other believes");
}

Result<Connection, Diagnostic> Connection::to(const net::Address& where, const Credentials& with,
                                              const std::string& version,
                                              Clock::time_point deadline, int wake) {
  Connection c;
  c.name_ = net::text(where);
  c.deadline_ = deadline;
  c.wake_ = wake;
  auto fd = net::connected(where, deadline, wake);
  if (!fd)
    return Failure{c.trouble("V5631", "the server does not answer: " + fd.error(),
                             "start it there: vernier server --listen ADDRESS")};
  c.stream_ = net::Stream(std::move(*fd));
  c.stream_.tolerate(stalled);
  if (with.tls) {
    c.stream_.secure(*with.tls, where.host);
    State s = State::wait;
    while ((s = c.stream_.shake()) != State::done) {
      if (s == State::closed) return Failure{c.no_tls()};
      if (!c.wait_to_read(s))
        return Failure{c.trouble("V5631", "the server does not answer in time")};
    }
  }
  GreetingToServer greeting(with.key, version);
  std::vector<std::byte> out;
  greeting.begin(out);
  for (Greeting g = Greeting::more; g == Greeting::more;) {
    const auto sent = c.send(out);
    const auto frame =
        sent ? c.receive(longest_greeting) : Result<Bytes, Diagnostic>(Failure{sent.error()});
    if (!frame) {
      // in TLS 1.3 a server sees the certificate of its client after the client has finished
      const bool certificate = with.tls && frame.error().code == "V5637";
      return Failure{certificate ? c.no_tls() : frame.error()};
    }
    out.clear();
    g = greeting.take(*frame, out);
    if (g == Greeting::refused) {
      Diagnostic d = c.trouble(greeting.why().code, greeting.why().message);
      d.notes = greeting.why().notes;
      return Failure{std::move(d)};
    }
  }
  c.version_ = greeting.program();
  return c;
}

bool Connection::wait_to_read(State s) const noexcept {
  const auto what = s == State::wait_to_write ? net::writable : net::readable;
  const net::Waited w = net::wait_for(stream_.descriptor(), what, deadline_, wake_);
  // a peer that sends byte by byte does not extend the deadline
  return w.ready != 0 && !w.woken && Clock::now() < deadline_;
}

bool Connection::wait_to_write() const noexcept {
  const net::Waited w = net::wait_for(stream_.descriptor(), net::writable, deadline_, wake_);
  return w.ready != 0 && !w.woken;
}

Result<bool, Diagnostic> Connection::send(Bytes bytes) {
  while (!bytes.empty()) {
    const net::Stream::Moved m = stream_.write(bytes);
    bytes = bytes.subspan(m.bytes);
    if (m.state == State::done) continue;
    if (m.state == State::closed) {
      // it may have said why before
      const auto last = receive(longest_request);
      return Failure{last ? trouble("V5637", "the connection was lost: " + stream_.why())
                          : last.error()};
    }
    if (!wait_to_write()) return Failure{trouble("V5631", "the server does not answer in time")};
  }
  return true;
}

Result<Bytes, Diagnostic> Connection::receive(std::size_t longest) {
  in_.keep(in_.content().subspan(std::exchange(taken_, 0)));
  while (true) {
    Bytes rest = in_.content(), frame;
    switch (net::next_frame(rest, frame, frame_head, longest)) {
      case net::Cut::frame:
        taken_ = frame.size();
        if (word_of(frame) == HostWord::refused) {
          const Refusal r = believed(content_of<Refusal>(frame).value_or(Refusal{}));
          Diagnostic d = trouble(r.code, r.message);
          d.notes = r.notes;
          return Failure{std::move(d)};
        }
        return frame;
      case net::Cut::malformed:
        return Failure{trouble("V5637", "what answers there is no Vernier server")};
      case net::Cut::more:
        break;
    }
    // no further than the frame: what follows may be the executor's
    const std::size_t got = in_.content().size();
    const std::size_t end = got < 4 ? 4 : load<std::uint32_t>(in_.content().data());
    const std::span<std::byte> room = in_.room();
    const net::Stream::Moved m = stream_.read(room.first(std::min(room.size(), end - got)));
    in_.add(m.bytes);
    if (m.state == State::done) continue;
    if (m.state == State::closed)
      return Failure{trouble("V5637", "the connection was lost: " + stream_.why())};
    if (!wait_to_read(m.state))
      return Failure{trouble("V5631", "the server does not answer in time")};
  }
}

template <class T>
Result<T, Diagnostic> Connection::answer(HostWord word) {
  const auto frame = receive(longest_request);
  if (!frame) return Failure{frame.error()};
  if (word_of(*frame) == word)
    if (auto content = content_of<T>(*frame)) return std::move(*content);
  return Failure{trouble("V5637", "the server answers something else than it was asked")};
}

template <class T>
Result<T, Diagnostic> Connection::ask(HostWord word, const auto& question, HostWord answered) {
  std::vector<std::byte> frame;
  put_frame(frame, word, question);
  if (const auto sent = send(frame); !sent) return Failure{sent.error()};
  return answer<T>(answered);
}

Result<About, Diagnostic> Connection::info() {
  auto a = ask<About>(HostWord::info, Reserved<0>(), HostWord::about);
  if (!a) return a;
  for (std::string* s :
       {&a->version, &a->host, &a->kernel, &a->instructions, &a->arithmetic, &a->fitness})
    *s = printable(*s);
  for (std::string& s : a->types) s = printable(s);
  return a;
}

Result<ClockOffset, Diagnostic> Connection::ping(int times) {
  ClockOffset best{.round_trip = std::numeric_limits<std::int64_t>::max()};
  for (int i = 0; i < times; ++i) {
    const auto token = static_cast<std::uint64_t>(i) + 1;
    const Clock::time_point sent = Clock::now();
    const auto wall = std::chrono::system_clock::now();
    const auto pong = ask<Pong>(HostWord::ping, token, HostWord::pong);
    const std::int64_t trip = nanoseconds(Clock::now() - sent);
    if (!pong) return Failure{pong.error()};
    if (pong->token != token)
      return Failure{trouble("V5637", "the server answers something else than it was asked")};
    if (trip >= best.round_trip) continue;
    // Cristian 1989: the answer was made half way
    const auto offset = [trip](std::int64_t there, std::int64_t here) {
      return static_cast<std::int64_t>(static_cast<std::uint64_t>(there) -
                                       static_cast<std::uint64_t>(here)) -
             trip / 2;
    };
    best = {trip, offset(pong->steady, nanoseconds(sent.time_since_epoch())),
            offset(pong->wall, nanoseconds(wall.time_since_epoch()))};
  }
  return best;
}

Result<std::map<std::string, std::string>, Diagnostic> Connection::files(
    const std::vector<std::filesystem::path>& paths) {
  std::vector<FileId> all;
  for (const std::filesystem::path& p : paths) {
    std::error_code failed;
    FileId f{p.string(), std::filesystem::file_size(p, failed), {}};
    if (failed)
      return Failure{problem("V7107", "cannot read " + p.string() + ": " + failed.message())};
    f.sha256 = sha256_of_file(p);
    all.push_back(std::move(f));
  }
  deadline_ = std::max(deadline_, Clock::now() + stalled);
  const auto missing = ask<std::vector<std::uint32_t>>(HostWord::files, all, HostWord::missing);
  if (!missing) return Failure{missing.error()};
  if (const auto sent = send_missing(paths, all, *missing); !sent) return Failure{sent.error()};
  const auto places = answer<std::vector<std::string>>(HostWord::places);
  if (!places) return Failure{places.error()};
  if (places->size() != all.size())
    return Failure{trouble("V5637", "the server answers something else than it was asked")};
  std::map<std::string, std::string> where;
  for (std::size_t i = 0; i < all.size(); ++i) where[all[i].path] = (*places)[i];
  return where;
}

Result<bool, Diagnostic> Connection::send_missing(const std::vector<std::filesystem::path>& paths,
                                                  const std::vector<FileId>& files,
                                                  const std::vector<std::uint32_t>& missing) {
  std::vector<std::byte> content(piece_size), frame;
  for (const std::uint32_t i : missing) {
    if (i >= files.size())
      return Failure{trouble("V5637", "the server answers something else than it was asked")};
    const Descriptor from(open(paths[i].c_str(), O_RDONLY | O_CLOEXEC));
    std::uint64_t left = files[i].size;
    do {
      const std::size_t wanted = std::min<std::uint64_t>(left, content.size());
      ssize_t n = 0;
      do n = ::read(from.get(), content.data(), wanted);
      while (n < 0 && errno == EINTR);
      if (!from || n < 0 || (n == 0 && wanted > 0))
        return Failure{problem("V7107", "cannot read " + paths[i].string() + ": it has changed")};
      left -= static_cast<std::uint64_t>(n);
      frame.clear();
      put_frame(frame, HostWord::piece,
                Piece{i, Bytes(content).first(static_cast<std::size_t>(n))});
      deadline_ = std::max(deadline_, Clock::now() + stalled);
      if (const auto sent = send(frame); !sent) return Failure{sent.error()};
    } while (left > 0);
  }
  return true;
}

std::string Connection::host() const {
  const auto a = net::parsed_address(net::text(net::peer_of(stream_.descriptor())));
  return a ? a->host : std::string();
}

Result<net::Stream, Diagnostic> Connection::execute(const Execute& wanted) {
  const auto begun = ask<Reserved<0>>(HostWord::execute, wanted, HostWord::executing);
  if (!begun) return Failure{begun.error()};
  return std::move(stream_);
}

Result<std::vector<HostedRun>, Diagnostic> Connection::runs() {
  auto all = ask<std::vector<HostedRun>>(HostWord::runs, Reserved<0>(), HostWord::hosted);
  if (!all) return all;
  for (HostedRun& r : *all) {
    r.name = printable(r.name);
    r.host = printable(r.host);
  }
  return all;
}

Result<std::string, Diagnostic> Connection::control(const std::string& run,
                                                    const std::string& line) {
  return ask<std::string>(HostWord::control, ControlLine{run, line}, HostWord::answered);
}

Result<std::string, Diagnostic> Connection::attach(const Attach& a) {
  return ask<std::string>(HostWord::attach, a, HostWord::attached);
}

Result<NumberedLine, Diagnostic> Connection::receive_question() {
  auto question = answer<NumberedLine>(HostWord::asked);
  if (question && question->line.size() > longest_line)
    return Failure{trouble("V5637", "the server asks something too long")};
  return question;
}

Result<bool, Diagnostic> Connection::say(const NumberedLine& said) {
  std::vector<std::byte> frame;
  put_frame(frame, HostWord::said, said);
  return send(frame);
}

}  // namespace vernier::server
