#include "vernier/run/server/composer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "vernier/base/text.hpp"
#include "vernier/component/file_writer.hpp"
#include "vernier/run/server/detail/work.hpp"

namespace vernier::server {
namespace {

std::vector<std::string> names_of(const std::vector<Seat>& seats) {
  std::vector<std::string> names;
  for (const Seat& s : seats) names.push_back(s.name);
  return names;
}

}  // namespace

const char* why_it_stays(const Component& c) noexcept {
  if (!c.description().abilities.rewinds) return "cannot return to an earlier state";
  if (c.description().abilities.faces_world) return "is connected to something outside of the run";
  if (dynamic_cast<const FileWriter*>(&c)) return "has written to files";
  return nullptr;
}

Composer::Composer(composition::Plan plan, std::vector<Pacer*> pacers, executive::Options options,
                   Team team)
    : Composer(std::move(plan), std::move(pacers), std::move(options), std::move(team),
               std::make_unique<Nobody>()) {}

Composer::Composer(composition::Plan plan, std::vector<Pacer*> pacers, executive::Options options,
                   Team team, std::unique_ptr<Nobody> nobody)
    : Executive(
          std::move(plan), std::move(pacers),
          (nobody->set_nodes(team.seats.size()), options.exchange = nobody.get(),
           options.nodes = team.division, options.node_names = names_of(team.seats), options)),
      nobody_(std::move(nobody)),
      work_(std::make_unique<Work>(*this, std::move(team))) {}

Composer::~Composer() = default;

void Composer::move(std::string_view part, std::string_view seat) {
  const auto& all = parts();
  const auto p = std::find_if(all.begin(), all.end(), [part](const composition::Part& x) {
    return x.name == part ||
           std::find(x.instances.begin(), x.instances.end(), part) != x.instances.end();
  });
  const std::vector<Seat>& seats = work_->team().seats;
  const auto s =
      std::find_if(seats.begin(), seats.end(), [seat](const Seat& x) { return x.name == seat; });
  Diagnostics d;
  if (p == all.end()) {
    std::vector<std::string> names;
    for (const composition::Part& x : all) names.push_back(x.name);
    Diagnostic& e = d.error("V5606", fmt::format("there is no part \"{}\"", part), {});
    const auto near = closest(part, names);
    e.notes.push_back(near ? "did you mean " + *near + "?"
                           : "the parts are: " + joined(names, ", "));
  } else if (s == seats.end()) {
    d.error("V5606", fmt::format("there is no node \"{}\"", seat), {})
        .notes.push_back("the nodes are: " + joined(names_of(seats), ", "));
  } else if (!work_->stays().empty()) {
    d.error("V5606", fmt::format("{} cannot be moved while the run runs", part), {})
        .notes.push_back(work_->stays() + "; choose its node before the run");
  } else if (const auto& home = work_->home()[static_cast<std::size_t>(p - all.begin())];
             std::find(home.begin() + 1, home.end(), s - seats.begin()) != home.end()) {
    d.error("V5606", fmt::format("{} runs on {} already: it is one of its replicas", part, seat),
            {})
        .notes.push_back("a move takes it from " + seats[home.front()].name + " to another node");
  }
  d.throw_if_errors();
  work_->move(static_cast<std::uint32_t>(p - all.begin()),
              static_cast<std::uint32_t>(s - seats.begin()));
}

executive::Executive::Placement Composer::placement() const {
  Placement all;
  for (const std::string& n : names_of(work_->team().seats)) all.push_back({n, {}});
  const auto current = work_->current();
  for (std::size_t p = 0; p < parts().size(); ++p)
    for (const std::uint32_t s : current[p]) all[s].second.push_back(parts()[p].name);
  return all;
}

void Composer::initialize() { work_->initialize(); }
Diagnostics Composer::take_privileges() { return work_->take_privileges(); }
void Composer::resume() noexcept {
  Executive::resume();
  work_->restart_clock();
}
Ending Composer::run_until(Time t) noexcept { return work_->run_until(t); }
void Composer::request_freeze(Time t) noexcept {
  Executive::request_freeze(t);
  work_->wake();
}
void Composer::request_stop() noexcept {
  Executive::request_stop();
  work_->wake();
}
void Composer::write_below(const std::filesystem::path& p) { work_->write_below(p); }

std::vector<std::filesystem::path> Composer::files() const {
  std::vector<std::filesystem::path> all;
  std::error_code none;
  for (const auto& f : std::filesystem::recursive_directory_iterator(work_->outputs(), none))
    if (f.is_regular_file(none)) all.push_back(f.path());
  std::sort(all.begin(), all.end());
  return all;
}

Diagnostic Composer::fault() const {
  return work_->fault().code.empty() ? Executive::fault() : work_->fault();
}
void Composer::observe(executive::Observer& o, const executive::Sampling& s) {
  work_->observe(o, s);
}
void Composer::remove(executive::Observer& o) noexcept { work_->remove(o); }

void Composer::override_port(std::string_view path, std::span<const double> values) {
  work_->replace(
      checked_view(
          {executive::OrderKind::replace, std::string(path), {values.begin(), values.end()}}),
      values);
}
void Composer::release(std::string_view path) {
  static_cast<void>(done({executive::OrderKind::release, std::string(path), {}}));
}
void Composer::send(std::string_view path) {
  static_cast<void>(done({executive::OrderKind::send, std::string(path), {}}));
}
executive::OrderAnswer Composer::done(const executive::Order& o) {
  const std::uint64_t number = ask(o);
  carry_out();
  return answer(number);
}

void Composer::carry_out() noexcept { work_->carry_out(); }
void Composer::schedule(const std::vector<executive::ScheduledOrder>& orders) {
  work_->schedule(orders);
}
executive::Snapshot Composer::save() const { return work_->save(); }
void Composer::restore(const executive::Snapshot& s) { work_->restore(s); }
const executive::Statistics& Composer::statistics() const noexcept {
  work_->count();
  return work_->statistics;
}

}  // namespace vernier::server
