#include "vernier/run/session/session.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <system_error>
#include <thread>
#include <utility>

#include "vernier/base/require.hpp"
#include "vernier/base/text.hpp"
#include "vernier/run/session/detail/work.hpp"
#include "vernier/run/session/pace.hpp"

namespace vernier::session {

Session::Work::Work(Prepared prepared, Options options, Diagnostics& problems)
    : composition_(std::move(prepared.composition)), options_(std::move(options)) {
  adopt_pace(prepared.plan, options_);
  const bool by_the_clock = options_.rate || options_.real_time;
  // parts in other processes are held back there
  std::vector<Pacer*> pacers =
      options_.executive ? std::vector<Pacer*>() : pacers_of(prepared.plan, by_the_clock);
  if (!by_the_clock) rest_pacers_ = pacers_at_rest(prepared.plan);
  if (by_the_clock) {
    timing_ = std::make_unique<Timing>(prepared.plan, options_.rate.value_or(1.0), options_.late,
                                       options_.real_time);
    rate_.store(options_.rate.value_or(1.0));
    if (!options_.executive) pacers.push_back(&timing_->pacer());
  } else {
    pacers.push_back(&recorder_.pacer());
  }
  if (!pacers.empty()) rest_pacers_.push_back(pacers.back());
  writers_ = writers_in(prepared.plan);
  stop_ = Time(prepared.plan.stop);
  const executive::Options how{.threads = options_.threads,
                               .real_time = options_.real_time.has_value(),
                               .meter = timing_ ? timing_->meter() : nullptr};
  executive_ = options_.executive
                   ? options_.executive(composition_, options_, std::move(prepared.plan),
                                        std::move(pacers), how, timing_.get())
                   : std::make_unique<executive::Executive>(std::move(prepared.plan),
                                                            std::move(pacers), how);
  executive_->on_news = [this](const Diagnostics& news) {
    archive_->add(news);
    if (options_.on_warnings) options_.on_warnings(news);
  };
  longest_rest_ = executive_->longest_rest();
  if (timing_) timing_->attach(*executive_);
  for (const std::string& o : options_.overrides) apply_override(*executive_, o);
  executive_->schedule(options_.orders);
  watch_ = std::make_unique<Watch>(composition_, *executive_);
  if (Continuation* const c = options_.continuation.get()) {
    take_up(*c, problems);
  } else {
    checkpoint_file_ = options_.from;
    if (!options_.from.empty()) checkpoint_ = record::read_checkpoint(options_.from);
    archive_.emplace(composition_, options_, problems);
  }
  saved_.emplace(*archive_, [this] { return std::pair(state(), progress()); });
  if (options_.continuation) saved_->adopt(options_.continuation->automatic);
  executive_->write_below(archive_->outputs());
  try {
    if (options_.companion)
      companion_ = options_.companion({options_, composition_, *executive_, archive_->kept(),
                                       [this](Diagnostic why) { fail(std::move(why)); }});
    start(problems);
    archive_->warn_of_lost(writers_, problems);
  } catch (const ConfigurationError&) {
    companion_.reset();
    discard();
    throw;
  }
  if (!archive_->keeps()) return;
  orders_ = std::make_unique<OrderLog>(*executive_, archive_->place() / orders_file,
                                       continued_ ? continued_->orders : 0);
  executive_->keep_journal(orders_.get());
  live_ = std::make_unique<Live>(*executive_, *this);
  const auto answer = [this](std::string_view line) {
    const std::lock_guard one_at_a_time(answering_);
    std::string said = live_->answer(line);
    orders_->drain();
    return said;
  };
  control_ = std::make_unique<Control>(archive_->place(), answer);
  if (options_.access) access_ = options_.access(archive_->name(), answer);
}

Session::Work::~Work() {
  try {
    come_to_rest_unless_ended();
  } catch (...) {  // nobody is left to report it to
  }
  requests_.close();  // a client may be waiting although nothing was run
  keeper_.reset();
  recorder_.finish();
}

Summary Session::Work::run() {
  run_until(Time::max());
  return finish();
}

executive::Ending Session::Work::run_until(Time until) {
  begin();
  if (finished_) refuse_request("the run was finished");
  if (ended_) return *ended_;
  if (std::exchange(stood_still_, true)) continue_from_here();
  began_ = std::chrono::steady_clock::now();
  executive::Ending ending = executive::Ending::failed;
  try {
    ending = run_to(until);
    if (ending == executive::Ending::failed) fault_ = executive_->fault();
  } catch (const ConfigurationError& e) {  // a checkpoint could not be written
    fault_ = e.diagnostics().list().front();
  }
  if (ending != executive::Ending::frozen && !come_to_rest()) ending = executive::Ending::failed;
  if (failed_by_companion()) ending = executive::Ending::failed;
  wall_ += std::chrono::steady_clock::now() - *std::exchange(began_, std::nullopt);
  if (ending != executive::Ending::frozen) ended_ = ending;
  return ending;
}

executive::OrderAnswer Session::Work::carry_out(const executive::Order& order) {
  const std::uint64_t number = executive_->ask(order);
  executive_->carry_out();
  if (orders_) orders_->drain();
  return executive_->answer(number);
}

void Session::Work::request_return() noexcept {
  returning_.store(true);
  executive_->request_freeze(Time::min());
}

Summary Session::Work::finish() {
  require(!std::exchange(finished_, true));
  come_to_rest_unless_ended();
  Summary s;
  s.from = begins_;
  s.rest = rest_;
  s.longest_rest = longest_rest_;
  s.fault = fault_;
  // a run finished before its end has done what was wanted of it
  executive::Ending ending = ended_.value_or(executive::Ending::reached);
  s.wall = wall();
  requests_.close();
  keeper_.reset();
  control_.reset();
  access_.reset();
  if (orders_) s.orders_lost = orders_->lost() + (orders_->drain() ? 0 : 1);
  s.rewind = rewind_;
  s.checkpoints = saved_->saved();
  s.files = executive_->files();
  if (timing_) timing_->end();
  archive_->release_reserve();
  s.reached = executive_->now();
  s.statistics = statistics();
  watch_->leave(*executive_);
  recorder_.finish();
  s.recorded = recorder_.statistics();
  // a paced run continues without its recorder; that is reported at the end
  if (!s.recorded.failure.empty() && !s.fault) {
    ending = executive::Ending::failed;
    s.fault.emplace();
    s.fault->category = Category::machine;
    s.fault->code = "V7104";
    s.fault->message = s.recorded.failure;
  }
  if (timing_) s.real_time = timing_->health(s.recorded.dropped);
  if (s.fault) advise(*s.fault, s);
  if (s.fault) archive_->log(rendered(*s.fault));
  s.reports = watch_->reports();
  s.checks = watch_->checks();
  s.result = result_of(ending, s);
  try {
    // what another process may continue now is left as if this one had been killed
    if (!failed_by_companion()) archive_->finish(s, link_figures(*executive_));
  } catch (const ConfigurationError& e) {  // the disk is full
    if (!s.fault) s.fault = e.diagnostics().list().front();
    s.result = Result::failed;
  }
  if (s.result == Result::finished || s.result == Result::broken_check) saved_->remove_kept();
  if (companion_) companion_->ended(s);
  return s;
}

void Session::Work::fail(Diagnostic why) {
  {
    const std::lock_guard lock(companion_mutex_);
    if (!companion_fault_) companion_fault_ = std::move(why);
  }
  request_stop();
}

void Session::Work::request_stop() noexcept {
  stopping_.store(true);
  executive_->request_stop();
  // what moves comes to rest by the clock: a frame cut short would be a jump in time
  const Pacer* clock = timing_ && longest_rest_ > Duration{} ? &timing_->pacer() : nullptr;
  for (Pacer* p : executive_->pacers())
    if (p != clock) p->interrupt();
  frozen_.store(0);
  frozen_.notify_all();
}

void Session::Work::request_freeze() noexcept {
  frozen_.store(1);
  executive_->request_freeze(Time::min());
}

void Session::Work::request_resume() noexcept {
  frozen_.store(0);
  frozen_.notify_all();
}

bool Session::Work::failed_by_companion() {
  const std::lock_guard lock(companion_mutex_);
  if (!companion_fault_) return false;
  fault_ = companion_fault_;  // what failed since then only follows from it
  return true;
}

void Session::Work::start(Diagnostics& problems) {
  record::RecorderOptions recording{
      .version = options_.version,
      .composition = composition_.name,
      .start = archive_->started(),
      .live = archive_->keeps(),
      .earlier = options_.continuation ? options_.continuation->results : std::nullopt,
      .remarks =
          options_.continuation ? options_.continuation->remarks : std::vector<record::Event>(),
      .on_event = options_.on_event,
      .on_failure = [this](const std::string& why) { recording_failed(why); }};
  std::vector<record::RecordGroup> groups;
  if (options_.keep)
    groups = record::groups_of(executive_->ports(), composition_.records, problems);
  if (checkpoint_) {
    // compare the checkpoint with the initial state to see whether it fits
    executive_->initialize();
    check_fit(*checkpoint_, executive_->save(), checkpoint_file_, problems);
  }
  recorder_.begin(*executive_, archive_->place(), groups, recording);
  if (options_.continuation) recording.earlier = options_.continuation->frames;
  if (timing_ && options_.keep) timing_->open(archive_->place(), recording);
  watch_->attach(*executive_);
  if (checkpoint_) {
    executive_->restore(checkpoint_->snapshot);
  } else {
    executive_->initialize();
  }
  begins_ = executive_->now();
  if (begins_ <= stop_ && continued_) {
    const bool at_checkpoint = !options_.continuation->checkpoint.empty();
    if (at_checkpoint) begins_ = Time(Duration(continued_->begin));
    if (at_checkpoint && !watch_->load(continued_->watch))
      throw ConfigurationError("V7136", checkpoint_file_.string() +
                                            " cannot be continued: it was written with other "
                                            "reports or checks");
    if (at_checkpoint) counted_before_ = executive_->statistics();
  }
  if (begins_ > stop_) {
    Diagnostics late;
    late.error("V2027",
               fmt::format("the checkpoint is at {} s, after the end of the run at {} s",
                           exact(seconds(begins_)), exact(seconds(stop_))),
               {})
        .notes.push_back("choose an earlier checkpoint, or a later end with --until");
    throw ConfigurationError(late);
  }
  // report now, not at the first checkpoint, that saving is impossible
  if (options_.checkpoint_every && archive_->keeps()) static_cast<void>(executive_->save());
}

void Session::Work::discard() {
  recorder_.finish();
  archive_->discard();
}

void Session::Work::recording_failed(const std::string& why) {
  if (!timing_ || recording_failed_.exchange(true) || !options_.on_warnings) return;
  Diagnostics problems;
  Diagnostic& d = problems.warning("V7104", why, {});
  d.notes.push_back("the run continues; nothing more is recorded");
  add_advice_on_room(d);
  options_.on_warnings(problems);
}

void Session::Work::add_advice_on_room(Diagnostic& d) const {
  std::error_code ignored;
  if (!std::filesystem::exists(archive_->place(), ignored)) return;
  d.notes.push_back("what was recorded before stays readable");
  d.notes.push_back(
      "make room, record less (--record, <record every=…>), or write elsewhere with --out");
}

void Session::Work::take_privileges() {
  try {
    const Diagnostics missing = timing_->begin(*executive_);
    archive_->add(missing);
    if (!missing.list().empty() && options_.on_warnings) options_.on_warnings(missing);
  } catch (const ConfigurationError&) {
    timing_->end();
    discard();
    throw;
  }
}

void Session::Work::begin() {
  if (std::exchange(begun_, true)) return;
  if (timing_) take_privileges();
  if (options_.real_time) executive_->rehearse();
  next_checkpoint_ = every() > Duration{} ? begins_ + every() : Time::max();
  while (next_checkpoint_ <= executive_->now()) next_checkpoint_ += every();
  if (keeps_state()) keep_state();
}

void Session::Work::continue_from_here() {
  executive_->resume();
  if (options_.real_time) executive_->rehearse();
  if (stopping_.load()) executive_->request_stop();
}

executive::Ending Session::Work::run_to(Time until) {
  while (true) {
    const executive::Ending ending = run_until_asked(std::min(next_checkpoint_, until));
    const bool due = every() > Duration{} && (ending == executive::Ending::reached ||
                                              executive_->now() >= next_checkpoint_);
    if (due && ending != executive::Ending::failed && ending != executive::Ending::stopped)
      save_state();
    if (ending != executive::Ending::frozen) return ending;
    while (next_checkpoint_ <= executive_->now()) next_checkpoint_ += every();
    requests_.serve();
    if (frozen_.load() != 0) {  // else only for the checkpoint or a request: the clock continues
      if (!come_to_rest()) return executive::Ending::failed;
      const auto ended = stand_still();
      if (ended) return *ended;
      executive_->end_rest();
      continue_from_here();
    }
    if (returning_.exchange(false) || executive_->now() >= until) return ending;
  }
}

executive::Ending Session::Work::run_until_asked(Time freeze) {
  executive_->request_freeze(freeze);
  if (frozen_.load() != 0 || requests_.waiting() || returning_.load())
    executive_->request_freeze(Time::min());
  if (timing_) timing_->enter();
  const executive::Ending ending = executive_->run_until(stop_);
  if (timing_) timing_->leave();
  return ending;
}

bool Session::Work::come_to_rest() {
  const Time began = executive_->now();
  const bool moves = executive_->moving(), failed = fault_.has_value();
  resting_.store(moves);
  if (timing_) {
    timing_->tolerate(true);
    timing_->enter();
  }
  const bool rests = executive_->come_to_rest(rest_pacers_);
  if (timing_) {
    timing_->leave();
    timing_->tolerate(false);
  }
  resting_.store(false);
  const bool moved = moves || executive_->now() > began;
  if (moved) rest_ = executive_->now() - began;
  if (moved && rests) archive_->log(fmt::format("came to rest in {}", rest_text(*rest_)));
  if (moved && !failed) warn_of_failure_at_rest();
  const std::string motion = executive_->motion();
  if (!rests && !fault_) fault_ = not_at_rest(longest_rest_, motion);
  if (failed && !motion.empty()) fault_->notes.push_back("still moving: " + motion);
  return rests;
}

void Session::Work::come_to_rest_unless_ended() {
  if (!begun_ || ended_) return;
  const auto began = std::chrono::steady_clock::now();
  if (stood_still_) continue_from_here();
  ended_ = come_to_rest() ? executive::Ending::reached : executive::Ending::failed;
  wall_ += std::chrono::steady_clock::now() - began;
}

void Session::Work::warn_of_failure_at_rest() {
  Diagnostic d = executive_->fault();
  if (d.code.empty()) return;
  d.severity = Severity::warning;
  d.notes.emplace_back("it failed while the run came to rest, and was left out");
  Diagnostics problems;
  problems.add(std::move(d));
  archive_->add(problems);
  if (options_.on_warnings) options_.on_warnings(problems);
}

std::optional<executive::Ending> Session::Work::stand_still() {
  while (frozen_.load() != 0) {
    executive_->carry_out();
    requests_.serve();
    if (ended_) return ended_;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  return {};
}

void Session::Work::advise(Diagnostic& fault, const Summary& s) const {
  if (fault.category == Category::machine && !s.recorded.failure.empty()) add_advice_on_room(fault);
  if (s.checkpoints.empty()) return;
  const std::string last = s.checkpoints.back().string();
  fault.notes.push_back(fmt::format("last good checkpoint: {}", last));
  fault.notes.push_back(
      fmt::format("vernier run {} --from {} --record '*'   repeats the run from there",
                  composition_.file.string(), last));
}

Result Session::Work::result_of(executive::Ending ending, const Summary& s) {
  if (ending == executive::Ending::stopped) return Result::interrupted;
  if (ending == executive::Ending::failed) return Result::failed;
  for (const CheckResult& c : s.checks) {
    if (!c.kept) return Result::broken_check;
  }
  return Result::finished;
}

Session::Session(Prepared prepared, Options options, Diagnostics& problems)
    : work_(std::make_unique<Work>(std::move(prepared), std::move(options), problems)) {}
Session::~Session() = default;

Summary Session::run() { return work_->run(); }
executive::Ending Session::run_until(Time t) { return work_->run_until(t); }
void Session::request_return() noexcept { work_->request_return(); }
executive::OrderAnswer Session::carry_out(const executive::Order& o) { return work_->carry_out(o); }
record::Checkpoint Session::state() const { return work_->state(); }
void Session::restore(const record::Checkpoint& c, Diagnostics& problems) {
  work_->restore(c, problems);
}
void Session::observe(executive::Observer& o, const executive::Sampling& s) {
  work_->orders().observe(o, s);
}
void Session::remove(executive::Observer& o) noexcept { work_->orders().remove(o); }
const std::optional<Diagnostic>& Session::fault() const noexcept { return work_->fault(); }
Summary Session::finish() { return work_->finish(); }
void Session::request_stop() noexcept { work_->request_stop(); }
void Session::request_freeze() noexcept { work_->request_freeze(); }
void Session::request_resume() noexcept { work_->request_resume(); }
bool Session::frozen() const noexcept { return work_->frozen(); }
Pulse Session::pulse() const { return work_->pulse(); }
std::uint64_t Session::ask(const executive::Order& o) { return work_->orders().ask(o); }
executive::OrderAnswer Session::answer(std::uint64_t order) {
  return work_->orders().answer(order);
}
void Session::forget(std::uint64_t order) { work_->orders().forget(order); }
Time Session::now() const noexcept { return work_->now(); }
Time Session::told() const noexcept { return work_->told(); }
Time Session::begins() const noexcept { return work_->begins(); }
Time Session::ends() const noexcept { return work_->ends(); }
const composition::Composition& Session::composition() const noexcept {
  return work_->composition();
}
const executive::Executive& Session::executive() const noexcept { return work_->executive(); }
const std::filesystem::path& Session::folder() const noexcept { return work_->folder(); }

}  // namespace vernier::session
