#include <fmt/format.h>

#include "vernier/run/server/detail/host_work.hpp"

namespace vernier::server {

void Host::Work::attach(Visitor& v, Attach a) {
  if (a.run.empty() || a.run.size() > longest_run_name || a.host.size() > longest_run_name)
    return refuse(v, "V5637", "the name of a run or of its host is too long, or empty");
  if (a.composer == 0) return refuse(v, "V5637", "a composer that attaches needs a number");
  for (const auto& [id, other] : visitors_)
    if (other->stage == Stage::attached && other->open->about.composer == a.composer) lose(*other);
  a.run = free_name(printable(a.run));
  a.host = printable(a.host);
  log(fmt::format("{} of {} can be asked here", a.run, v.name));
  v.open = std::make_unique<OpenRun>();
  v.open->about = std::move(a);
  v.stage = Stage::attached;
  v.transfer.reset();
  loop_.timers().cancel(key(v, Watched::wire));
  say(v, HostWord::attached, v.open->about.run);
}

/// Runs that were started in different folders may have the same name.
std::string Host::Work::free_name(const std::string& wanted) const {
  std::string name = wanted;
  const auto taken = [&] {
    return std::ranges::any_of(visitors_, [&](const auto& v) {
      return v.second->stage == Stage::attached && v.second->open->about.run == name;
    });
  };
  for (int n = 2; taken(); ++n) name = fmt::format("{}.{}", wanted, n);
  return name;
}

std::vector<HostedRun> Host::Work::hosted() const {
  std::vector<HostedRun> all;
  for (const auto& [id, v] : visitors_) {
    if (v->stage != Stage::attached) continue;
    const Attach& a = v->open->about;
    const auto executors = std::ranges::count_if(visitors_, [&a](const auto& other) {
      return other.second->run && other.second->run->composer == a.composer;
    });
    all.push_back({a.run, a.host, a.since, static_cast<std::uint32_t>(executors)});
  }
  return all;
}

void Host::Work::ask(Visitor& v, ControlLine c) {
  if (c.line.size() > longest_line || c.line.find('\n') != std::string::npos)
    return refuse(v, "V5637", "a request to a run is one line of at most 4096 bytes");
  const auto found = std::ranges::find_if(visitors_, [&c](const auto& other) {
    return other.second->stage == Stage::attached && other.second->open->about.run == c.run;
  });
  if (found == visitors_.end())
    return refuse(v, "V5661", "there is no run \"" + printable(c.run) + "\"",
                  "vernier nodes --on SERVER   lists the runs of a server");
  Visitor& run = *found->second;
  if (run.open->waiting.size() >= most_questions)
    return refuse(v, "V5662",
                  fmt::format("{} requests wait for {} already", most_questions, c.run));
  v.question = std::make_unique<Question>(Question{run.id, std::move(c.line)});
  loop_.timers().set(key(v, Watched::wire), now_ + settings_.answer_within);
  run.open->waiting.push_back(v.id);
  ask_next(run);
}

void Host::Work::ask_next(Visitor& run) {
  OpenRun& o = *run.open;
  if (o.asked || o.waiting.empty()) return;
  o.asker = o.waiting.front();
  o.waiting.pop_front();
  o.asked = true;
  say(run, HostWord::asked, NumberedLine{++o.number, find(o.asker)->question->line});
  send(run);
}

void Host::Work::take_answer(Visitor& run, const NumberedLine& said) {
  OpenRun& o = *run.open;
  if (!o.asked || said.number != o.number || said.line.size() > longest_answer)
    return refuse(run, "V5637", "the composer answers something else than it was asked");
  o.asked = false;
  Visitor* v = o.asker == 0 ? nullptr : find(std::exchange(o.asker, 0));
  if (v) {
    v->question.reset();
    loop_.timers().set(key(*v, Watched::wire), now_ + settings_.idle);
    say(*v, HostWord::answered, said.line);
    send(*v);
    // what was received meanwhile is not reported again
    if (v->stage == Stage::asking) take_frames(*v);
    if (!gone(*v)) unread_.push_back(v->id);
  }
  if (run.stage == Stage::attached) ask_next(run);
}

void Host::Work::forget_question(Visitor& v) {
  if (!v.question) return;
  if (Visitor* run = find(v.question->run); run && run->open) {
    std::erase(run->open->waiting, v.id);
    if (run->open->asker == v.id) run->open->asker = 0;
  }
  v.question.reset();
}

void Host::Work::give_up_question(Visitor& v) {
  const auto ms = settings_.answer_within.count();
  refuse(v, "V5662",
         "the run has not answered for " +
             (ms < 1000 ? fmt::format("{} ms", ms) : fmt::format("{} s", ms / 1000)),
         "a run that waits for a peer or computes a long step answers later");
}

void Host::Work::withdraw(Visitor& run) {
  const std::unique_ptr<OpenRun> o = std::move(run.open);
  log(o->about.run + " can be asked no more");
  if (o->asker != 0) o->waiting.push_front(o->asker);
  for (const std::uint64_t id : o->waiting)
    if (Visitor* v = find(id); v && v->question)
      refuse(*v, "V5661", o->about.run + " has ended, or the connection to it was lost");
}

}  // namespace vernier::server
