#include "vernier/gateway/shared/neighbour.hpp"

#include <thread>

#include "vernier/base/diagnostic.hpp"
#include "vernier/base/text.hpp"

namespace vernier::shared {
namespace {

enum Note : std::int32_t { became_stale = 1, became_fresh = 2, came_again = 3 };

constexpr const char* count_names[5] = {"shared.received", "shared.missed", "shared.repeated",
                                        "shared.torn", "shared.lives"};

}  // namespace

Neighbour::Neighbour(channel::Channels channels, NeighbourSettings settings)
    : channels_(std::move(channels)),
      settings_(std::move(settings)),
      description_(channel::described(channels_)) {
  Settings& m = settings_.memory;
  m.send = static_cast<std::uint32_t>(channel::size(channels_.inputs));
  m.receive = static_cast<std::uint32_t>(channel::size(channels_.outputs));
  m.period = settings_.rate.seconds * 1'000'000'000 / settings_.rate.times;
  description_.rate = settings_.rate;
  description_.abilities.rewinds = false;
  description_.abilities.faces_world = true;
  description_.outputs.push_back({.name = "shared.age", .unit = "s"});
  for (const char* name : count_names) {
    description_.outputs.push_back({.name = name});
    description_.outputs.back().scalar = Scalar::integer;
  }
  for (const char* name : {"shared.fresh", "shared.stale", "shared.present"}) {
    description_.outputs.push_back({.name = name});
    description_.outputs.back().scalar = Scalar::boolean;
  }
  out_.resize(m.send);
  in_ = channel::initial_values(channels_.outputs);
}

Neighbour::~Neighbour() = default;

void Neighbour::bind(const Bindings& b) {
  ports_.bind(channels_, b);
  journal_ = &b.journal();
  age_ = b.real_output("shared.age");
  for (std::size_t i = 0; i < std::size(count_names); ++i)
    counts_[i] = b.integer_output(count_names[i]);
  fresh_ = b.byte_output("shared.fresh");
  stale_ = b.byte_output("shared.stale");
  present_ = b.byte_output("shared.present");
}

bool Neighbour::initialize(Time start, int phase) {
  if (phase > 0) return true;
  began_ = met_ = false;
  is_stale_ = true;
  now_ = start;
  step_ = 0;
  received_ = repeated_ = 0;
  fault_ = {};
  in_ = channel::initial_values(channels_.outputs);
  segment_.reset();
  segment_ = std::make_unique<Segment>(settings_.memory);
  if (settings_.patience.count() <= 0) return true;
  const Settings& m = settings_.memory;
  const std::string span = exact(std::chrono::duration<double>(settings_.patience).count()) + " s";
  if (settings_.notice) {
    settings_.notice("waiting for the other side of the shared memory \"" + m.name + "\" (" + span +
                     ")");
  }
  const auto end = std::chrono::steady_clock::now() + settings_.patience;
  while (!segment_->alive()) {
    if (std::chrono::steady_clock::now() >= end) {
      Diagnostics problems;
      problems
          .error("V5187",
                 "no process attached to the " + std::string(name(other(m.side))) +
                     " side of the shared memory \"" + m.name + "\" within " + span,
                 {})
          .notes.push_back("start the other side, with the same name and side=\"" +
                           std::string(name(other(m.side))) + "\"");
      throw ConfigurationError(std::move(problems));
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return true;
}

void Neighbour::note(std::int32_t kind) noexcept {
  if (!journal_) return;
  Entry e;
  e.at = {now_};
  e.kind = kind;
  journal_->note(e);
}

void Neighbour::take() noexcept {
  const std::uint64_t lives_before = static_cast<std::uint64_t>(counts_[4][0]);
  const Received& r = segment_->read();
  const std::int64_t now = monotonic();
  if (r.fresh) {
    std::copy(r.values.begin(), r.values.end(), in_.begin());
    acquired_ = r.acquired;
    ++received_;
    met_ = true;
  } else {
    ++repeated_;
  }
  const double age = met_ ? static_cast<double>(now - acquired_) * 1e-9 : 0.0;
  const double limit = settings_.stale_periods * static_cast<double>(segment_->period()) * 1e-9;
  // half a period of tolerance: two processes on the same grid are never exactly in phase
  const bool old = !met_ || age > limit + 0.5e-9 * static_cast<double>(segment_->period());
  const std::uint64_t lives = segment_->lives();
  if (began_ && old != is_stale_) note(old ? became_stale : became_fresh);
  if (began_ && lives > lives_before && lives_before > 0) note(came_again);
  is_stale_ = old;
  age_[0] = age;
  const std::uint64_t counts[5] = {received_, r.missed, repeated_, r.torn, lives};
  for (std::size_t i = 0; i < 5; ++i) counts_[i][0] = static_cast<std::int64_t>(counts[i]);
  fresh_[0] = r.fresh ? 1 : 0;
  stale_[0] = old ? 1 : 0;
  present_[0] = segment_->present() ? 1 : 0;
}

Outcome Neighbour::output(Instant at) noexcept {
  // the memory is read once per step: outputs do not change between its microsteps
  if (!began_ || at.time != now_) {
    if (began_) ++step_;
    now_ = at.time;
    take();
    began_ = true;
  }
  ports_.give_outputs(in_);
  return Outcome::ok;
}

Advance Neighbour::advance(Time, Time to) noexcept {
  ports_.take_inputs(out_);
  segment_->write(out_, step_, monotonic());
  if (settings_.stop_when_lost && met_ && is_stale_) {
    fault_.set(Category::peer, "V5188", "the other side of the shared memory \"%s\" is silent",
               settings_.memory.name.c_str());
    return {to, Outcome::failed};
  }
  return {to, is_stale_ ? Outcome::held : Outcome::ok};
}

Telling Neighbour::tell(const Entry& e) const {
  Telling t;
  t.kind = "shared";
  t.warning = e.kind == became_stale;
  t.reason = e.kind == became_stale   ? "nothing new comes: the last value is held"
             : e.kind == became_fresh ? "new values come"
                                      : "the peer has reattached";
  return t;
}

}  // namespace vernier::shared
