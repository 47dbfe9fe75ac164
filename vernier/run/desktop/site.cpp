#include "vernier/run/desktop/site.hpp"

#include <nlohmann/json.hpp>
#include <utility>

#include "vernier/run/desktop/home.hpp"
#include "vernier/run/desktop/problems.hpp"
#include "vernier/run/record/manifest.hpp"

namespace vernier::desktop {

using net::Role;
using nlohmann::ordered_json;

namespace {

constexpr std::size_t most_waiting = 64;        // requests of one client that are not answered yet
constexpr std::uint64_t most_points = 100'000;  // of one answer

std::vector<std::filesystem::path> shown_folders(const Settings& s) {
  std::vector<std::filesystem::path> folders = {s.runs};
  for (const Offered& o : s.offered) folders.push_back(o.document.parent_path());
  return folders;
}

/// A failure of the machine: no memory, no descriptors.
Diagnostics failure(const std::exception& e) {
  Diagnostics problems;
  problems.error("V8109", std::string("the desktop could not do this: ") + e.what(), {});
  return problems;
}

}  // namespace

Site::Site(Settings s, const Catalogue& catalogue)
    : settings_(std::move(s)),
      catalogue_(catalogue),
      page_(settings_.page),
      places_(".", shown_folders(settings_)),
      runs_(catalogue) {}
Site::~Site() = default;

const std::map<std::string, Site::Action, std::less<>>& Site::actions() {
  static const std::map<std::string, Action, std::less<>> all = {
      {"hello", {&Site::hello, false}},     {"home", {&Site::home, false}},
      {"open", {&Site::open, false}},       {"close", {&Site::close, false}},
      {"read", {&Site::read, false}},       {"row", {&Site::row, false}},
      {"frames", {&Site::frames, false}},   {"strip", {&Site::strip, false}},
      {"compare", {&Site::compare, false}}, {"difference", {&Site::difference, false}},
      {"align", {&Site::align, false}},     {"events", {&Site::events, false}}};
  return all;
}

std::optional<net::WebAnswer> Site::file(Client, const net::http::Request& r, Role) {
  if (auto found = page_.file(r.path())) return found;
  return net::WebAnswer{.status = 404};
}

void Site::opened(Client c, Role role) { visitors_[c].role = role; }
void Site::closed(Client c) { visitors_.erase(c); }

Role Site::role(Client c) const {
  const auto at = visitors_.find(c);
  return at == visitors_.end() ? Role::none : at->second.role;
}

void Site::received(Client c, std::string text) {
  std::uint64_t id = 0;
  try {
    const Request r(text);
    id = r.id();
    take(c, r);
  } catch (const ConfigurationError& e) {
    if (id == 0) id = Request::id_in(text);
    server_->send(c, refusal(id, e.diagnostics()));
  } catch (const std::exception& e) {
    server_->send(c, refusal(id, failure(e)));
  }
}

void Site::take(Client c, const Request& r) {
  const auto action = actions().find(r.what());
  if (action == actions().end())
    refuse("V8103", "this desktop does not know the request \"" + r.what() + "\"",
           "reload the page; the desktop may have been replaced by another version");
  if (action->second.controls && role(c) != Role::control)
    refuse("V8104", "this page only watches: it cannot " + r.what() + " anything",
           "use the first address that vernier desktop has printed");
  (this->*action->second.take)(c, r);
}

void Site::have_done(Client c, std::uint64_t id, Workers& who, Work work) {
  if (++visitors_[c].waiting == most_waiting) server_->hold(c, true);
  who.add([this, c, id, work = std::move(work)] { deliver(c, id, work); });
}

/// On a worker's thread.
void Site::deliver(Client c, std::uint64_t id, const Work& work) {
  Done done;
  try {
    done = work();
  } catch (const ConfigurationError& e) {
    done = refusal(id, e.diagnostics());
  } catch (const std::exception& e) {
    done = refusal(id, failure(e));
  }
  auto finish = [this, c, done = std::move(done)]() mutable {
    const auto visitor = visitors_.find(c);
    if (visitor == visitors_.end()) return;
    if (visitor->second.waiting-- == most_waiting) server_->hold(c, false);
    if (const auto* then = std::get_if<std::function<std::string()>>(&done)) done = (*then)();
    if (const auto* text = std::get_if<std::string>(&done)) server_->send(c, *text);
    if (const auto* bytes = std::get_if<std::vector<std::byte>>(&done))
      server_->send(c, Bytes(*bytes));
  };
  {
    const std::lock_guard lock(mutex_);
    done_.emplace_back(std::move(finish));
  }
  server_->wake();
}

net::Clock::time_point Site::serve(net::Clock::time_point) {
  std::vector<std::function<void()>> done;
  {
    const std::lock_guard lock(mutex_);
    done.swap(done_);
  }
  for (const auto& finish : done) finish();
  return net::forever;
}

// ---- requests

void Site::hello(Client c, const Request& r) {
  ordered_json start = ordered_json::object();
  if (!settings_.document.empty()) start["document"] = settings_.document.string();
  if (!settings_.run.empty()) start["run"] = settings_.run.string();
  server_->send(c, answer(r.id(), {{"version", settings_.version},
                                   {"protocol", 1},
                                   {"host", record::host_name()},
                                   {"folder", std::filesystem::current_path().string()},
                                   {"role", role(c) == Role::control ? "control" : "watch"},
                                   {"start", std::move(start)},
                                   {"demo", settings_.demo}}));
}

void Site::home(Client c, const Request& r) {
  have_done(c, r.id(), documents_,
            [this, id = r.id()]() -> Done { return answer(id, home_json(settings_)); });
}

void Site::open(Client c, const Request& r) {
  have_done(c, r.id(), reading_,
            [this, id = r.id(), name = r.text("run"), role = role(c)]() -> Done {
              return answer(id, runs_.at(places_.run(name, role)).description());
            });
}

void Site::close(Client c, const Request& r) {
  have_done(c, r.id(), reading_,
            [id = r.id()]() -> Done { return answer(id, ordered_json::object()); });
}

void Site::read(Client c, const Request& r) {
  struct Asked {
    std::uint32_t signal, element;
    double from, to;
    std::size_t points;
  } const a{static_cast<std::uint32_t>(r.whole("signal", 0xffffffff)),
            static_cast<std::uint32_t>(r.has("element") ? r.whole("element", 0xffffffff) : 0),
            r.number("from"), r.number("to"),
            static_cast<std::size_t>(r.whole("points", most_points))};
  have_done(c, r.id(), reading_,
            [this, a, id = r.id(), name = r.text("run"), role = role(c)]() -> Done {
              OpenRun& run = runs_.at(places_.run(name, role));
              return run.points(id, a.signal, a.element, a.from, a.to, a.points);
            });
}

void Site::row(Client c, const Request& r) {
  have_done(c, r.id(), reading_,
            [this, id = r.id(), name = r.text("run"), role = role(c), at = r.number("at"),
             signals = r.wholes("signals", 0xffffffff)]() -> Done {
              return answer(id, runs_.at(places_.run(name, role)).row(signals, at));
            });
}

void Site::events(Client c, const Request& r) {
  have_done(c, r.id(), reading_,
            [this, id = r.id(), name = r.text("run"), role = role(c),
             after = r.has("after") ? r.whole("after", std::uint64_t{1} << 53) : 0]() -> Done {
              return answer(id, runs_.at(places_.run(name, role)).events(after));
            });
}

}  // namespace vernier::desktop
