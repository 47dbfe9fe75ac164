#include "vernier/gateway/spacefom/federate.hpp"

#include "vernier/gateway/spacefom/detail/waiting.hpp"

namespace vernier::spacefom {

Federate::Federate(Settings s, AmbassadorMaker maker)
    : work_(std::make_unique<Work>(std::move(s), std::move(maker))) {}
Federate::~Federate() { resign(); }

std::size_t Federate::publish(std::string object_class, std::string name,
                              std::vector<std::string> attributes, bool root) {
  return work_->own.add(std::move(object_class), std::move(name), std::move(attributes), root);
}

void Federate::subscribe(std::string object_class, std::vector<std::string> attributes) {
  work_->mirror.add(std::move(object_class), std::move(attributes));
}

std::size_t Federate::publish_interaction(std::string interaction_class,
                                          std::vector<std::string> parameters) {
  return work_->own.add_interaction(std::move(interaction_class), std::move(parameters));
}

std::size_t Federate::subscribe_interaction(std::string interaction_class,
                                            std::vector<std::string> parameters) {
  work_->heard.push_back({std::move(interaction_class), std::move(parameters)});
  return work_->heard.size() - 1;
}

void Federate::add_listener(Listener& l) { work_->listeners.push_back(&l); }

void Federate::set(std::size_t object, std::size_t attribute, std::span<const std::byte> bytes) {
  work_->own.set(object, attribute, bytes);
}

void Federate::post(std::size_t interaction, std::vector<Octets> values) {
  work_->own.post(interaction, std::move(values));
}

bool Federate::join() {
  return work_->guarded([this] { work_->join(); });
}
bool Federate::phase(std::size_t k) {
  return work_->guarded([&] { work_->phase(k); });
}
bool Federate::begin() {
  return work_->guarded([this] { work_->begin(); });
}
bool Federate::step() {
  return work_->guarded([this] { work_->step(); });
}
void Federate::resign() { work_->resign(); }

bool Federate::early() const noexcept { return work_->early(); }
Ticks Federate::granted() const noexcept { return work_->time.granted; }
Ticks Federate::started() const noexcept { return work_->time.started; }
const Settings& Federate::settings() const noexcept { return work_->settings; }
const Configuration& Federate::configuration() const noexcept { return work_->configuration(); }
Mode Federate::mode() const noexcept { return work_->mode.load(); }
double Federate::scenario_time(Ticks t) const noexcept { return work_->scenario_time(t); }
bool Federate::stood_still() noexcept { return std::exchange(work_->stood_still, false); }
std::int64_t Federate::waited() const noexcept { return work_->peers_.waited; }
const std::string& Federate::waited_for() const noexcept { return work_->peers_.keeper; }
void Federate::name_keepers(bool b) noexcept { work_->peers_.names_keepers = b; }
const std::vector<Keeper>& Federate::keepers() const noexcept { return work_->peers_.keepers; }
std::int64_t Federate::ran_at() const noexcept { return work_->ran_at; }
const std::string& Federate::farewell() const noexcept { return work_->ending.farewell; }
std::vector<std::string> Federate::members() const { return work_->peers_.members(); }
std::vector<Peer> Federate::peers() const { return work_->peers(); }
void Federate::look_around() {
  work_->guarded([this] { work_->look_around(); });
}
bool Federate::evoked() const noexcept { return work_->evoked; }

void Federate::request(Mode m) {
  work_->inbox.put({.kind = detail::Event::Kind::asked, .mode = m});
}
void Federate::send_request(Mode m) {
  work_->guarded([&] { work_->ask(m); });
}
void Federate::interrupt() noexcept { work_->interrupted.store(true); }

}  // namespace vernier::spacefom
