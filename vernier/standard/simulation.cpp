#include "vernier/standard/simulation.hpp"

#include <cmath>
#include <exception>
#include <utility>

#include "vernier/run/session/requests.hpp"
#include "vernier/run/session/session.hpp"
#include "vernier/standard/catalogue.hpp"

namespace vernier {
namespace {

using executive::Ending;
using executive::OrderKind;

/// The duration of a run without an end: longer than any real run, and far from overflow.
constexpr Duration endless = std::chrono::hours(24 * 365 * 100);

/// Rounded to the nearest nanosecond; limited to `endless`.
Duration duration(double seconds) {
  if (std::isnan(seconds)) throw ConfigurationError("V2005", "a time is not a number");
  const double ns = std::round(seconds * 1e9);
  const auto most = static_cast<double>(endless.count());
  return Duration(static_cast<std::int64_t>(std::min(std::max(ns, -most), most)));
}

std::optional<Duration> duration(const std::optional<double>& seconds) {
  return seconds ? std::optional(duration(*seconds)) : std::nullopt;
}

/// Passes samples to a user function, whose exceptions are kept until the loop is left.
class Onlooker final : public executive::Observer {
 public:
  Onlooker(session::Session& s, std::vector<const executive::PortView*> ports,
           Simulation::Observer f)
      : session_(s), ports_(std::move(ports)), f_(std::move(f)) {
    std::size_t elements = 0;
    for (const executive::PortView* p : ports_) elements += p->port->count;
    values_.reserve(elements);
  }

  void sample(Instant at, bool last) noexcept override {
    if (!last || thrown_) return;
    values_.clear();
    for (const executive::PortView* p : ports_)
      for (std::size_t i = 0; i < p->port->count; ++i) values_.push_back(p->element(i));
    try {
      f_(seconds(at.time), values_);
    } catch (...) {
      thrown_ = std::current_exception();
      session_.request_return();
    }
  }

  void rethrow() {
    if (thrown_) std::rethrow_exception(std::exchange(thrown_, nullptr));
  }

 private:
  session::Session& session_;
  std::vector<const executive::PortView*> ports_;
  Simulation::Observer f_;
  std::vector<double> values_;
  std::exception_ptr thrown_;
};

}  // namespace

SimulationFailure::SimulationFailure(Diagnostic d)
    : std::runtime_error(rendered(d)), diagnostic_(std::move(d)) {}
SimulationFailure::~SimulationFailure() = default;

class Simulation::Work {
 public:
  Work(const std::filesystem::path& document, const SimulationOptions& o)
      : catalogue_(standard_catalogue(
            {.notice = o.notice, .code = trusted_code(o.trust), .writable = o.allow_write})) {
    session::Options options;
    options.changes = {
        .set = o.set, .until = duration(o.until), .seed = o.seed, .record = o.record};
    options.from = o.from;
    options.rate = o.rate;
    options.threads = o.threads;
    options.keep = !o.results.empty();
    options.runs = o.results;
    options.version = VERNIER_VERSION;
    session::Prepared prepared =
        session::prepare(document, options.changes, catalogue_, warnings_, false);
    has_end_ = prepared.plan.stop > Duration{};
    if (!has_end_) prepared.plan.stop = endless;
    session_ =
        std::make_unique<session::Session>(std::move(prepared), std::move(options), warnings_);
  }

  ~Work() {
    if (finished_) return;
    try {
      finish();
    } catch (...) {  // a destructor cannot report it
    }
  }

  const Diagnostics& warnings() const noexcept { return warnings_; }
  const executive::Executive& executive() const noexcept { return session_->executive(); }
  bool ended() const noexcept { return ended_; }
  void stop() noexcept { session_->request_return(); }

  void step(int count) {
    refuse_if_finished();
    for (int k = 0; k < count && !ended_; ++k)
      if (!advance(executive().now() + Duration(1))) return;
  }

  void run_until(double time) { advance(Time(duration(time))); }

  SimulationSummary run() {
    if (!has_end_)
      session::refuse_request("the document does not say when to stop",
                              "give the option until, or advance by run_until()");
    if (advance(Time::max()) || ended_) return finish();
    SimulationSummary so_far;
    so_far.result = session::Result::interrupted;
    so_far.from = seconds(session_->begins());
    so_far.reached = seconds(executive().now());
    return so_far;
  }

  std::vector<double> read(std::string_view path) const {
    return session_->carry_out({OrderKind::read, std::string(path), {}}).values;
  }

  void change(OrderKind kind, std::string_view path, std::span<const double> values) {
    refuse_if_finished();
    session_->carry_out({kind, std::string(path), {values.begin(), values.end()}});
  }

  void observe(const std::vector<std::string>& paths, Observer f, std::string_view rate) {
    refuse_if_finished();
    executive::Sampling sampling{.events = false};
    if (!rate.empty()) {
      const auto parsed = composition::parsed_rate(rate);
      if (!parsed) {
        Diagnostics problems;
        problems.error("V2005", "\"" + std::string(rate) + "\" is not a rate", {})
            .notes.push_back("for example \"10 Hz\" or \"100 ms\"");
        throw ConfigurationError(problems);
      }
      sampling.rate = *parsed;
    }
    std::vector<const executive::PortView*> ports;
    for (const std::string& path : paths) {
      read(path);  // refuses an unknown path, with a suggestion
      ports.push_back(executive().find(path));
    }
    onlookers_.push_back(std::make_unique<Onlooker>(*session_, std::move(ports), std::move(f)));
    session_->observe(*onlookers_.back(), sampling);
  }

  State save() const { return record::encoded(session_->state()); }

  void restore(const State& state) {
    session_->restore(record::decoded(state, "the state"), warnings_);
    ended_ = false;
  }

  SimulationSummary finish() {
    refuse_if_finished();
    finished_ = true;
    // what moves comes to rest first, and observers see that
    const session::Summary s = session_->finish();
    for (const auto& o : onlookers_) session_->remove(*o);
    SimulationSummary mine;
    mine.result = s.result;
    mine.from = seconds(s.from);
    mine.reached = seconds(s.reached);
    mine.wall = s.wall;
    mine.rest = s.rest ? std::optional(seconds(*s.rest)) : std::nullopt;
    for (const session::ReportResult& r : s.reports)
      mine.reports.push_back({r.name, r.signal, r.unit, r.value});
    for (const session::CheckResult& c : s.checks)
      mine.checks.push_back({c.name, c.signal, c.unit, c.kept, c.worst, c.allowed, c.at});
    mine.folder = session_->folder();
    ended_ = true;
    for (const auto& o : onlookers_) o->rethrow();
    if (s.fault && s.fault->code == "V4123") throw SimulationFailure(*s.fault);
    return mine;
  }

  record::ResultReader results() const {
    if (session_->folder().empty())
      session::refuse_request("nothing was recorded", "give the option results a folder");
    return record::ResultReader(session_->folder());
  }

 private:
  /// False: stop() was called before.
  bool advance(Time to) {
    refuse_if_finished();
    const Ending ending = session_->run_until(to);
    if (ending != Ending::frozen) ended_ = true;
    for (const auto& o : onlookers_) o->rethrow();
    if (ending == Ending::failed) throw SimulationFailure(*session_->fault());
    return ended_ || executive().now() >= to;
  }

  void refuse_if_finished() const {
    if (finished_) session::refuse_request("the simulation was finished", "make a new one");
  }

  Catalogue catalogue_;
  Diagnostics warnings_;
  std::unique_ptr<session::Session> session_;
  std::vector<std::unique_ptr<Onlooker>> onlookers_;
  bool has_end_ = true, ended_ = false, finished_ = false;
};

Simulation::Simulation(const std::filesystem::path& document, const SimulationOptions& options)
    : work_(std::make_unique<Work>(document, options)) {}
Simulation::~Simulation() = default;
Simulation::Simulation(Simulation&&) noexcept = default;
Simulation& Simulation::operator=(Simulation&&) noexcept = default;

const Diagnostics& Simulation::warnings() const noexcept { return work_->warnings(); }

std::vector<SignalInformation> Simulation::signals() const {
  std::vector<SignalInformation> all;
  for (const executive::PortView& v : work_->executive().ports()) {
    if (v.port->flow == Flow::stream) continue;
    all.push_back({.path = v.path,
                   .unit = v.port->unit,
                   .frame = v.port->frame,
                   .description = v.port->description,
                   .elements = v.port->count,
                   .output = v.output,
                   .event = v.port->flow == Flow::event});
  }
  return all;
}

double Simulation::time() const noexcept { return seconds(work_->executive().now()); }
bool Simulation::ended() const noexcept { return work_->ended(); }
void Simulation::step(int count) { work_->step(count); }
void Simulation::run_until(double time) { work_->run_until(time); }
SimulationSummary Simulation::run() { return work_->run(); }
void Simulation::stop() noexcept { work_->stop(); }
std::vector<double> Simulation::read(std::string_view path) const { return work_->read(path); }
void Simulation::write(std::string_view path, std::span<const double> values) {
  work_->change(OrderKind::replace, path, values);
}
void Simulation::release(std::string_view path) { work_->change(OrderKind::release, path, {}); }
void Simulation::send(std::string_view path) { work_->change(OrderKind::send, path, {}); }
void Simulation::observe(const std::vector<std::string>& paths, Observer f, std::string_view rate) {
  work_->observe(paths, std::move(f), rate);
}
Simulation::State Simulation::save() const { return work_->save(); }
void Simulation::restore(const State& state) { work_->restore(state); }
SimulationSummary Simulation::finish() { return work_->finish(); }
record::ResultReader Simulation::results() const { return work_->results(); }

}  // namespace vernier
