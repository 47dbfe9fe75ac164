#include <nlohmann/json.hpp>

#include "vernier/run/desktop/compare_runs.hpp"
#include "vernier/run/desktop/problems.hpp"
#include "vernier/run/desktop/real_time.hpp"
#include "vernier/run/desktop/site.hpp"

/// The requests that look at how a run kept time, and at runs against each other.
namespace vernier::desktop {
namespace {

constexpr std::uint64_t most_frames = 20'000;       // of one answer
constexpr std::uint64_t most_of_a_curve = 100'000;  // points
constexpr std::size_t most_compared = 64;           // runs
constexpr std::uint64_t any_late = std::uint64_t{1} << 53;

struct Asked {
  std::vector<std::string> runs;
  std::vector<double> shifts;
};

Asked runs_of(const Request& r) {
  Asked a{r.texts("runs"), r.has("shifts") ? r.numbers("shifts") : std::vector<double>()};
  if (a.runs.size() > most_compared)
    refuse("V8133", "at most 64 runs can be compared at once", "choose fewer runs");
  a.shifts.resize(a.runs.size(), 0.0);
  return a;
}

/// Runs that are compared; read for one answer alone, as there may be more than are kept open.
class Open {
 public:
  Open(const Asked& a, Places& places, net::Role role) {
    readers_.reserve(a.runs.size());  // the addresses stay
    for (std::size_t i = 0; i < a.runs.size(); ++i) {
      readers_.emplace_back(places.run(a.runs[i], role));
      runs.push_back({a.runs[i], &readers_.back(), a.shifts[i]});
    }
  }
  std::vector<Compared> runs;

 private:
  std::vector<record::ResultReader> readers_;
};

Alignment alignment_of(const Request& r) {
  Alignment a;
  const auto text = [&](const char* name) { return r.has(name) ? r.text(name) : std::string(); };
  a.component = text("component");
  a.kind = text("kind");
  a.from = text("from");
  a.to = text("to");
  a.signal = text("signal");
  if (r.has("element")) a.element = static_cast<std::uint32_t>(r.whole("element", 0xffffffff));
  if (!a.signal.empty()) a.level = r.number("level");
  const std::string way = text("crossing");
  a.crossing = way == "rising"    ? record::Crossing::rising
               : way == "falling" ? record::Crossing::falling
                                  : record::Crossing::either;
  if (r.has("n")) a.n = std::max<std::uint64_t>(1, r.whole("n", any_late));
  return a;
}

}  // namespace

void Site::frames(Client c, const Request& r) {
  have_done(c, r.id(), reading_,
            [this, id = r.id(), name = r.text("run"), role = role(c),
             late = r.has("late") ? r.whole("late", any_late) : 0]() -> Done {
              return answer(id, runs_.at(places_.run(name, role)).real_time().description(late));
            });
}

void Site::strip(Client c, const Request& r) {
  have_done(c, r.id(), reading_,
            [this, id = r.id(), name = r.text("run"), role = role(c), from = r.number("from"),
             to = r.number("to"), points = r.whole("points", most_frames)]() -> Done {
              return answer(id,
                            runs_.at(places_.run(name, role)).real_time().strip(from, to, points));
            });
}

void Site::compare(Client c, const Request& r) {
  record::CompareOptions o;
  if (r.has("signals")) o.signals = r.texts("signals");
  if (r.has("between")) o.between = r.yes("between");
  std::string tolerances = r.has("tolerances") ? r.text("tolerances") : "";
  const double absolute = r.has("absolute") ? r.number("absolute") : 0.0;
  const double relative = r.has("relative") ? r.number("relative") : 0.0;
  have_done(c, r.id(), reading_,
            [this, id = r.id(), asked = runs_of(r), role = role(c), o = std::move(o), absolute,
             relative, tolerances = std::move(tolerances)]() mutable -> Done {
              if (!tolerances.empty())
                o.tolerances = record::read_tolerances(places_.document(tolerances, role));
              if (absolute > 0.0 || relative > 0.0)
                o.tolerances.push_back({"*", absolute, relative});
              return answer(id, compared(Open(asked, places_, role).runs, o));
            });
}

void Site::difference(Client c, const Request& r) {
  have_done(c, r.id(), reading_,
            [this, id = r.id(), asked = runs_of(r), role = role(c), signal = r.text("signal"),
             element = static_cast<std::uint32_t>(r.whole("element", 0xffffffff)),
             points = r.whole("points", most_of_a_curve)]() -> Done {
              return answer(id,
                            differences(Open(asked, places_, role).runs, signal, element, points));
            });
}

void Site::align(Client c, const Request& r) {
  have_done(
      c, r.id(), reading_,
      [this, id = r.id(), asked = runs_of(r), role = role(c), by = alignment_of(r)]() -> Done {
        return answer(id, aligned(Open(asked, places_, role).runs, by));
      });
}

}  // namespace vernier::desktop
