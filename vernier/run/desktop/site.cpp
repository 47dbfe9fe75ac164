#include "vernier/run/desktop/site.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "vernier/run/desktop/home.hpp"
#include "vernier/run/desktop/problems.hpp"

namespace vernier::desktop {

using net::Role;

namespace {

constexpr std::size_t most_waiting = 64;  // requests of one client that are not answered yet

std::vector<std::filesystem::path> shown_folders(const Settings& s) {
  std::vector<std::filesystem::path> folders = {s.runs};
  for (const Offered& o : s.offered) folders.push_back(o.document.parent_path());
  if (!s.document.empty()) folders.push_back(std::filesystem::absolute(s.document).parent_path());
  if (!s.run.empty()) folders.push_back(s.run);
  return folders;
}

}  // namespace

Site::Site(Settings s, const Catalogue& catalogue)
    : settings_(std::move(s)),
      catalogue_(catalogue),
      page_(settings_.page),
      places_(".", shown_folders(settings_)),
      runs_(catalogue),
      documents_(catalogue) {
  settings_.editing.catalogue = &catalogue_;
  settings_.editing.folder = std::filesystem::current_path();
  // "runs/latest" is another one tomorrow
  if (!settings_.run.empty()) settings_.run = places_.run(settings_.run, Role::control);
}
Site::~Site() { ending_.ring(); }

const std::map<std::string, Site::Action, std::less<>>& Site::actions() {
  static const std::map<std::string, Action, std::less<>> all = {
      {"hello", {&Site::hello, false}},
      {"home", {&Site::home, false}},
      {"open", {&Site::open, false}},
      {"close", {&Site::close, false}},
      {"read", {&Site::read, false}},
      {"row", {&Site::row, false}},
      {"events", {&Site::events, false}},
      {"follow", {&Site::follow, false}},
      {"unfollow", {&Site::unfollow, false}},
      {"start", {&Site::start, true}},
      {"order", {&Site::order, true}},
      {"check", {&Site::edit, true}},
      {"automata", {&Site::automata, false}},
      {"parameters", {&Site::parameters, false}},
      {"describe", {&Site::edit, true}},
      {"catalogue", {&Site::edit, false}},
      {"grammar", {&Site::edit, false}},
      {"save", {&Site::edit, true}},
      {"new", {&Site::edit, true}},
      {"scene", {&Site::scene, false}},
      {"source", {&Site::source, false}},
      {"frames", {&Site::frames, false}},
      {"strip", {&Site::strip, false}},
      {"compare", {&Site::compare, false}},
      {"difference", {&Site::difference, false}},
      {"align", {&Site::align, false}}};
  return all;
}

std::optional<net::WebAnswer> Site::file(Client c, const net::http::Request& r, Role) {
  if (auto found = page_.file(r.path())) return found;
  if (auto found = picture(settings_, r.path())) return found;
  if (!r.path().starts_with("/file/")) return net::WebAnswer{.status = 404};
  reading_.add([this, c, path = std::string(r.path())] {
    net::WebAnswer a{.status = 503};
    try {
      a = files_.answer(path);
    } catch (const std::exception&) {  // no memory for a large one
    }
    hand_over([this, c, a] { server_->answer(c, a); });
  });
  return {};
}

void Site::opened(Client c, Role role) { visitors_[c].role = role; }

void Site::closed(Client c) {
  visitors_.erase(c);
  status_.forget(c);
}

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
    refuse("V8104", "this page only watches: it cannot start or change runs",
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
  hand_over([this, c, id, done = std::move(done)] {
    const auto visitor = visitors_.find(c);
    if (visitor == visitors_.end()) return;
    if (visitor->second.waiting-- == most_waiting) server_->hold(c, false);
    if (const auto* bytes = std::get_if<std::vector<std::byte>>(&done))
      return server_->send(c, Bytes(*bytes));
    if (const auto* text = std::get_if<std::string>(&done)) return server_->send(c, *text);
    try {
      server_->send(c, std::get<std::function<std::string()>>(done)());
    } catch (const ConfigurationError& e) {
      server_->send(c, refusal(id, e.diagnostics()));
    }
  });
}

void Site::hand_over(std::function<void()> what) {
  {
    const std::lock_guard lock(mutex_);
    done_.push_back(std::move(what));
  }
  server_->wake();
}

net::Clock::time_point Site::serve(net::Clock::time_point now) {
  std::vector<std::function<void()>> done;
  {
    const std::lock_guard lock(mutex_);
    done.swap(done_);
  }
  for (const auto& finish : done) finish();
  ask_states(now);
  return std::min(send_live(now), status_.next());
}

}  // namespace vernier::desktop
