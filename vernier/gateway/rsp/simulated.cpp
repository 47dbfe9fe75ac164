#include "vernier/gateway/rsp/simulated.hpp"

#include <algorithm>
#include <cmath>
#include <ctime>
#include <limits>

namespace vernier::rsp {
namespace {

double processor_time() noexcept {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

}  // namespace

SimulatedEnd::SimulatedEnd(std::size_t room, std::size_t other_room, std::uint64_t seed)
    : room_(room), random_(seed), taken_(other_room) {}

void SimulatedEnd::connect(SimulatedEnd& other, const Ratio& home_to_target) noexcept {
  other_ = &other;
  map_.home_to_target = home_to_target;
}

void SimulatedEnd::come_up(std::uint32_t session) noexcept {
  up_ = true;
  session_ = session;
  heard_ = -1.0;
  waiting_.clear();
  told_.clear();
}

void SimulatedEnd::go_down() noexcept {
  up_ = false;
  waiting_.clear();
  told_.clear();
}

double SimulatedEnd::drawn() noexcept {
  double d = impairment.delay + impairment.jitter * random_.uniform();
  if (impairment.slow > 0.0 && random_.uniform() < impairment.slow)
    d += impairment.slowness * random_.uniform();
  return d;
}

void SimulatedEnd::step(std::int64_t n, double now) noexcept {
  now_ = now;
  // references received since the step before belong to it
  for (const Reference& r : told_) {
    if (r.at > now) continue;
    map_.refer(n - 1, r.step);
    heard_ = r.at;
  }
  std::erase_if(told_, [&](const Reference& r) { return r.at <= now; });
  n_ = n;
  if (up_ && other_->up_ && references) other_->told_.push_back({now + drawn(), n});
}

const link::StepMap* SimulatedEnd::steps() const noexcept {
  return up_ && heard_ >= 0.0 && now_ - heard_ <= 1.0 ? &map_ : nullptr;
}

Transport::Vector SimulatedEnd::next() noexcept {
  auto first = waiting_.end();
  for (auto i = waiting_.begin(); i != waiting_.end(); ++i) {
    if (i->at > now_) continue;
    if (first == waiting_.end() || i->at < first->at ||
        (i->at == first->at && i->number < first->number))
      first = i;
  }
  if (first == waiting_.end()) return {};
  const double age = now_ - first->at;
  taken_ = std::move(first->numbers);
  waiting_.erase(first);
  return {taken_, age};
}

void SimulatedEnd::deliver(std::span<const double> numbers, double at) {
  if (!up_ || !other_->up_ || waiting_.size() > 4096) return;
  waiting_.push_back({at, ++number_, {numbers.begin(), numbers.end()}});
}

void SimulatedEnd::inject(std::span<const double> numbers, double at) {
  other_->deliver(numbers, at);
}

void SimulatedEnd::send(std::span<const double> numbers) noexcept {
  const auto chance = [&](double share) { return share > 0.0 && random_.uniform() < share; };
  double at = now_ + drawn();
  if (impairment.ordered) last_ = at = std::max(at, last_);
  if (!chance(impairment.loss)) other_->deliver(numbers, at);
  if (chance(impairment.doubled)) other_->deliver(numbers, now_ + drawn());
  if (!chance(impairment.garbage)) return;
  std::vector<double> other(numbers.begin(), numbers.end());
  const auto some = [&] { return static_cast<std::size_t>(random_.bits() % other.size()); };
  const double odd[] = {std::numeric_limits<double>::quiet_NaN(),
                        std::numeric_limits<double>::infinity(),
                        -1.0,
                        0.5,
                        1e300,
                        9007199254740992.0,
                        5.0,
                        2.0,
                        3.0};
  for (std::uint64_t i = 0; i < 1 + random_.bits() % 4; ++i)
    other[some() % (random_.uniform() < 0.5 ? prefix : other.size())] =
        odd[random_.bits() % std::size(odd)];
  other_->deliver(other, now_ + drawn());
}

Experiment::Experiment(Settings s)
    : settings_(std::move(s)),
      states_(settings_.client.bodies),
      facility_(settings_.client.bodies),
      server_dt_(link::seconds(settings_.server.period)),
      client_dt_(link::seconds(settings_.client.period)) {
  server_ = std::make_unique<FacilityServer>(settings_.server);
  client_ = std::make_unique<Client>(settings_.client);
  const std::uint32_t bodies = settings_.client.bodies;
  const std::size_t up = numbers(bodies, settings_.client.accelerations),
                    down = numbers(bodies, false);
  server_end_ = std::make_unique<SimulatedEnd>(down, up, settings_.seed);
  client_end_ = std::make_unique<SimulatedEnd>(up, down, settings_.seed + 1000003);
  server_end_->connect(*client_end_,
                       *link::ratio(settings_.server.period, settings_.client.period));
  client_end_->connect(*server_end_,
                       *link::ratio(settings_.client.period, settings_.server.period));
}

void Experiment::cut() noexcept {
  server_end_->go_down();
  client_end_->go_down();
}

void Experiment::join() noexcept {
  ++session_;
  server_end_->come_up(session_);
  client_end_->come_up(session_);
}

void Experiment::replace_client() {
  client_ = std::make_unique<Client>(settings_.client);
  client_step_ = -1;
  simulated_ = 0.0;
  join();
}

void Experiment::replace_server() {
  server_ = std::make_unique<FacilityServer>(settings_.server);
  server_->observe({false, false, facility_});  // it stays where the previous server left it
  server_step_ = -1;
  join();
}

void Experiment::server_turn() {
  ++server_turns_;
  if (!server_runs) return;
  ++server_step_;
  server_end_->step(server_step_, now_);
  const double before = server_costs ? processor_time() : 0.0;
  server_->begin(server_step_, *server_end_);
  if (server_costs) server_costs->push_back(processor_time() - before);
  std::copy(server_->commanded().begin(), server_->commanded().end(), facility_.begin());
  server_->observe({ready, fault, facility_});
  server_->send(*server_end_);
  if (after_server) after_server();
}

void Experiment::client_turn() {
  ++client_turns_;
  if (!client_runs) return;
  const bool simulated = client_->simulating();
  ++client_step_;
  if (simulated) simulated_ += client_dt_;
  client_end_->step(client_step_, now_);
  client_->begin(client_step_, *client_end_);
  settings_.motion(simulated_, states_);
  client_->send(*client_end_, {states_, start, stop});
  if (after_client) after_client();
}

void Experiment::run(double seconds) {
  const double end = now_ + seconds;
  while (true) {
    const double server_at = static_cast<double>(server_turns_) * server_dt_;
    const double client_at =
        settings_.phase + static_cast<double>(client_turns_) * client_dt_ * (1.0 + settings_.skew);
    const double next = std::min(server_at, client_at);
    if (next >= end) break;
    now_ = next;
    if (server_at <= client_at) {
      server_turn();
    } else {
      client_turn();
    }
  }
  now_ = end;
}

}  // namespace vernier::rsp
