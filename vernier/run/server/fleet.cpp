#include "vernier/run/server/fleet.hpp"

#include <poll.h>

#include <algorithm>

#include "vernier/net/socket.hpp"

namespace vernier::server {
namespace {

using namespace std::chrono_literals;
using net::Clock;

constexpr auto ping_every = 250ms;
/// An executor that does not answer for so long is lost. It answers while it computes.
constexpr auto silence = 3s;
/// What an executor has to end by itself.
constexpr auto farewell = 2s;

template <class T>
bool read_into(T& to, Bytes content) {
  auto message = decode<T>(content);
  if (message) to = std::move(*message);
  return message.has_value();
}

}  // namespace

Fleet::Fleet(std::vector<Seat> seats, Listener& l, std::int64_t (*clock)() noexcept)
    : seats_(std::move(seats)), listener_(l), clock_(clock), executors_(seats_.size()) {}

Fleet::~Fleet() {
  for (const auto& e : executors_)
    if (e && !e->lost) static_cast<void>(e->channel.send(Word::quit));
  const auto until = Clock::now() + farewell;
  for (const auto& e : executors_)
    if (e && e->process)
      static_cast<void>(net::wait_for(e->process->process->descriptor(), net::readable, until));
}

void Fleet::start(std::uint32_t seat, const Begin& begin) {
  end(seat);
  Started started = seats_[seat].start();
  Begin mine = begin;
  mine.listen = seats_[seat].listen;
  mine.files = std::move(started.files);
  if (!mine.files.empty()) mine.folder.clear();
  executors_[seat] = std::make_unique<Executor>(seat, std::move(started));
  Executor& e = *executors_[seat];
  e.number = ++started_;
  e.heard = Clock::now();
  ask(e, Word::begin, mine);
}

void Fleet::end(std::uint32_t seat) noexcept {
  if (!executors_[seat]) return;
  lose(*executors_[seat], "it was ended");
  executors_[seat].reset();
}

void Fleet::lose(Executor& e, std::string why) noexcept {
  if (std::exchange(e.lost, true)) return;
  e.why = std::move(why);
  e.busy = false;
  e.process.reset();
  e.channel.stream().close();
}

void Fleet::listen(Clock::time_point until) {
  const Clock::time_point began = Clock::now();
  // after a pause of our own nobody was silent
  if (began - listened_ > silence / 2)
    for (const auto& e : executors_)
      if (e) e->heard = began;
  check_life(began);
  std::vector<pollfd> all{{wake_.descriptor(), POLLIN, 0}};
  std::vector<Executor*> who;
  for (const auto& e : executors_) {
    if (!e || e->lost) continue;
    all.push_back({e->channel.stream().descriptor(), POLLIN, 0});
    who.push_back(e.get());
  }
  const timespec left = net::time_left(std::min(until, began + ping_every));
  ::ppoll(all.data(), all.size(), &left, nullptr);
  listened_ = Clock::now();
  if (all[0].revents != 0) static_cast<void>(wake_.clear());
  for (std::size_t i = 0; i < who.size(); ++i)
    if (all[i + 1].revents != 0 && !take(*who[i])) lose(*who[i], "the connection was closed");
}

void Fleet::settle(Clock::time_point until) {
  const auto busy = [this] {
    return std::any_of(executors_.begin(), executors_.end(),
                       [](const auto& e) { return e && e->busy && !e->lost; });
  };
  while (busy() && Clock::now() < until) listen(until);
  for (const auto& e : executors_)
    if (e && e->busy && !e->lost) lose(*e, "it does not answer");
}

void Fleet::check_life(Clock::time_point now) {
  const bool ping = now - pinged_ >= ping_every;
  if (ping) pinged_ = now;
  for (const auto& e : executors_) {
    if (!e || e->lost) continue;
    if (now - e->heard > silence)
      lose(*e, "it has been silent for 3 s");
    else if (ping)
      send(*e, Word::ping);
  }
}

bool Fleet::take(Executor& e) {
  bool good = true;
  const bool open = e.channel.take([&](Word w, Bytes content) {
    e.heard = Clock::now();
    good = good && take(e, w, content);
  });
  if (!good) lose(e, "it sent what cannot be read");
  return open;
}

bool Fleet::take(Executor& e, Word w, Bytes content) {
  switch (w) {
    case Word::ready:
      e.ready = true;
      e.busy = false;
      return read_into(e.address, content);
    case Word::results:
      return listener_.results(e, content);
    case Word::halted:
      e.busy = false;
      if (!read_into(e.halted, content)) return false;
      listener_.halted(e);
      return true;
    case Word::news: {
      const auto problems = decode<Problems>(content);
      if (problems) listener_.news(e, *problems);
      return problems.has_value();
    }
    case Word::probe: {
      const std::int64_t taken = clock_();
      auto probe = decode<Probe>(content);
      if (!probe) return false;
      probe->taken = taken;
      probe->answered = clock_();
      send(e, Word::clock, *probe);
      return true;
    }
    case Word::answered: {
      const auto a = decode<Answered>(content);
      if (a) listener_.answered(e, *a);
      return a.has_value();
    }
    case Word::saved:
      e.busy = false;
      e.saved.emplace(content.begin(), content.end());
      return true;
    case Word::refused:
      e.busy = false;
      return read_into(e.refused.emplace(), content);
    case Word::draining:
      e.draining = true;
      return true;
    default:
      return w == Word::pong;
  }
}

}  // namespace vernier::server
