// The requests of pages, besides those about live rows.
#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "vernier/run/desktop/home.hpp"
#include "vernier/run/desktop/problems.hpp"
#include "vernier/run/desktop/site.hpp"
#include "vernier/run/desktop/starter.hpp"
#include "vernier/run/record/manifest.hpp"
#include "vernier/run/session/control.hpp"

namespace vernier::desktop {

namespace fs = std::filesystem;
using net::Role;
using nlohmann::ordered_json;

namespace {

constexpr std::uint64_t least_points = 2, most_points = 100'000;  // of one answer
constexpr std::uint64_t any_number = 0xffffffff;
constexpr std::uint64_t any_count = std::uint64_t{1} << 53;
constexpr std::size_t longest_line = 4000;  // of an order

}  // namespace

void Site::hello(Client c, const Request& r) {
  ordered_json start = ordered_json::object();
  if (!settings_.document.empty()) start["document"] = settings_.document.string();
  if (!settings_.run.empty()) start["run"] = settings_.run.string();
  server_->send(c, answer(r.id(), {{"version", settings_.version},
                                   {"protocol", 1},
                                   {"host", record::host_name()},
                                   {"folder", fs::current_path().string()},
                                   {"role", role(c) == Role::control ? "control" : "watch"},
                                   {"start", std::move(start)},
                                   {"demo", settings_.demo}}));
}

void Site::home(Client c, const Request& r) {
  have_done(c, r.id(), listing_,
            [this, id = r.id()]() -> Done { return answer(id, home_json(settings_)); });
}

void Site::open(Client c, const Request& r) {
  have_done(c, r.id(), reading_,
            [this, c, id = r.id(), name = r.text("run"), role = role(c)]() -> Done {
              const fs::path run = places_.run(name, role);
              ordered_json description = runs_.at(run).description();
              if (!description["live"].get<bool>()) return answer(id, std::move(description));
              return [this, c, name, run, text = answer(id, std::move(description))] {
                status_.watch(run, c, name);
                return text;
              };
            });
}

void Site::close(Client c, const Request& r) {
  have_done(
      c, r.id(), reading_, [this, c, id = r.id(), name = r.text("run"), role = role(c)]() -> Done {
        const fs::path run = places_.run(name, role);
        return [this, c, id, run] {
          status_.forget(run, c);
          std::erase_if(visitors_[c].follows, [&](const auto& f) { return f.second.run == run; });
          return answer(id, ordered_json::object());
        };
      });
}

void Site::read(Client c, const Request& r) {
  struct Asked {
    std::uint32_t signal, element;
    double from, to;
    std::size_t points;
  } const a{static_cast<std::uint32_t>(r.whole("signal", any_number)),
            static_cast<std::uint32_t>(r.has("element") ? r.whole("element", any_number) : 0),
            r.number("from"), r.number("to"),
            std::max<std::size_t>(least_points, r.whole("points", most_points))};
  if (!(a.from <= a.to)) refuse("V8103", "\"from\" is after \"to\"", "reload the page");
  have_done(c, r.id(), reading_,
            [this, a, id = r.id(), name = r.text("run"), role = role(c)]() -> Done {
              OpenRun& run = runs_.at(places_.run(name, role));
              return run.points(id, a.signal, a.element, a.from, a.to, a.points);
            });
}

void Site::row(Client c, const Request& r) {
  have_done(c, r.id(), reading_,
            [this, id = r.id(), name = r.text("run"), role = role(c), at = r.number("at"),
             signals = r.wholes("signals", any_number)]() -> Done {
              return answer(id, runs_.at(places_.run(name, role)).row(signals, at));
            });
}

void Site::events(Client c, const Request& r) {
  have_done(c, r.id(), reading_,
            [this, id = r.id(), name = r.text("run"), role = role(c),
             after = r.has("after") ? r.whole("after", any_count) : 0]() -> Done {
              return answer(id, runs_.at(places_.run(name, role)).events(after));
            });
}

void Site::start(Client c, const Request& r) {
  Start s{.what = r.has("run") ? r.text("run") : r.text("document"), .repeats = r.has("run")};
  if (r.has("set")) s.set = r.texts("set");
  if (r.has("until")) s.until = r.number("until");
  if (r.has("rate")) s.rate = r.number("rate");
  if (r.has("real_time")) s.real_time = r.yes("real_time");
  if (r.has("seed")) s.seed = r.whole("seed", any_count);
  if (r.has("from")) s.from = r.text("from");
  s.runs = settings_.runs;
  have_done(c, r.id(), starting_, [this, s, id = r.id(), role = role(c)]() mutable -> Done {
    s.what = s.repeats ? places_.run(s.what, role) : places_.document(s.what, role);
    if (!s.from.empty()) s.from = places_.document(s.from, role);
    const fs::path run = started(s, settings_.program, ending_);
    return answer(id, {{"run", places_.run(run, role).string()}});
  });
}

void Site::order(Client c, const Request& r) {
  std::string line = r.text("line");
  if (line.find_first_of("\r\n") != std::string::npos || line.size() > longest_line)
    refuse("V8103", "an order is one line of at most 4000 characters");
  have_done(
      c, r.id(), asking_,
      [this, id = r.id(), name = r.text("run"), line = std::move(line), role = role(c)]() -> Done {
        const fs::path run = places_.run(name, role);
        std::string said = session::ask(run, line, ending_.descriptor());
        return [id, said = std::move(said)] { return answer(id, {{"answer", said}}); };
      });
}

void Site::edit(Client c, const Request& r) {
  have_done(c, r.id(), describing_,
            [this, id = r.id(), request = r.object(), role = role(c)]() mutable -> Done {
              const bool writes = compose::writes(request["do"].get<std::string>());
              if (const auto d = request.find("document");
                  !writes && d != request.end() && d->is_string())
                *d = places_.document(d->get<std::string>(), role).string();
              return answer(id, compose::answer(request, settings_.editing));
            });
}

void Site::describe(Client c, const Request& r, Described what) {
  const bool run = r.has("run");
  have_done(c, r.id(), describing_,
            [this, what, run, id = r.id(), name = r.text(run ? "run" : "document"),
             role = role(c)]() -> Done {
              const Documents::Subject subject{
                  run ? places_.run(name, role) : places_.document(name, role), run};
              ordered_json described = (documents_.*what)(subject);
              if (what == &Documents::scene) files_.take(described);
              return answer(id, std::move(described));
            });
}

void Site::automata(Client c, const Request& r) { describe(c, r, &Documents::automata); }
void Site::parameters(Client c, const Request& r) { describe(c, r, &Documents::parameters); }
void Site::scene(Client c, const Request& r) { describe(c, r, &Documents::scene); }
void Site::source(Client c, const Request& r) { describe(c, r, &Documents::source); }

}  // namespace vernier::desktop
