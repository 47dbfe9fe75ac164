#include <algorithm>
#include <cstring>
#include <map>
#include <utility>

#include "vernier/base/require.hpp"
#include "vernier/run/executive/detail/cycle.hpp"
#include "vernier/run/executive/detail/memory.hpp"
#include "vernier/run/executive/executive.hpp"

// Sections of a snapshot, each a path of a kind and a name:
//
//   run            start; the microstep of each cluster; of each rate of a cluster: times, seconds,
//                  offset, the number of its next tick
//   state PART     Component::save()
//   port PATH      the value of an output that others read
//   shadow PATH    of an override: the value that the component wrote last (output) or reads
//   (input)
//   sent PATH      how often an event input was sent manually
//   stream PATH    Stream::save()
//   reader PATH    position and losses of a stream input
//   delay N NAME   DelayLine::save()
namespace vernier::executive {

namespace {

using Bytes = std::vector<std::byte>;

template <class T>
Bytes bytes_of(const T* data, std::size_t count) {
  const auto b = std::as_bytes(std::span(data, count));
  return {b.begin(), b.end()};
}

const char* const damaged = "the checkpoint is damaged: its times do not fit together";

/// The sections of a snapshot by path; reports problems in the user's terms.
class Sections {
 public:
  explicit Sections(const Snapshot& s) {
    for (const Section& section : s.sections) by_path_[section.path] = &section.bytes;
  }

  const Bytes* find(const std::string& path) const {
    const auto found = by_path_.find(path);
    return found == by_path_.end() ? nullptr : found->second;
  }

  /// Exactly `size` bytes for `what` of `name`, or null after a report.
  const Bytes* get(const std::string& kind, const std::string& what, const std::string& name,
                   std::size_t size, Diagnostics& problems) const {
    const Bytes* b = find(kind + " " + name);
    if (!b) {
      problems.error("V7202", "the checkpoint has no " + what + " for " + name, {});
      return nullptr;
    }
    if (b->size() == size) return b;
    problems.error("V7202",
                   "the " + what + " of " + name + " has " + std::to_string(b->size()) +
                       " bytes in the checkpoint, and " + std::to_string(size) + " in this run",
                   {});
    return nullptr;
  }

 private:
  std::map<std::string, const Bytes*, std::less<>> by_path_;
};

Bytes saved(const detail::Cycle& cycle) {
  const detail::Clockwork& clock = cycle.clockwork();
  std::vector<std::int64_t> numbers{clock.started().time_since_epoch().count()};
  for (std::size_t c = 0; c < cycle.clusters(); ++c) numbers.push_back(cycle.microstep(c));
  for (const detail::Group& g : clock.groups())
    if (g.rate.periodic())
      numbers.insert(numbers.end(), {g.rate.times, g.rate.seconds, g.offset.count(), g.k});
  return bytes_of(numbers.data(), numbers.size());
}

std::vector<detail::Group*> rates(detail::Clockwork& clock) {
  std::vector<detail::Group*> all;
  for (detail::Group& g : clock.groups())
    if (g.rate.periodic()) all.push_back(&g);
  return all;
}

}  // namespace

Snapshot Executive::save() const {
  for (const composition::Part& p : plan_.parts)
    if (!p.component->description().abilities.rewinds)
      throw ConfigurationError("V7203", p.name +
                                            " cannot go back to an earlier state, so a run with "
                                            "it has no checkpoints");
  require(cycle_->aligned());
  Snapshot s;
  s.time = now_;
  const auto add = [&s](std::string path, Bytes b) {
    s.sections.push_back({std::move(path), std::move(b)});
  };
  add("run", saved(*cycle_));
  for (const composition::Part& p : plan_.parts) {
    Bytes b(p.component->description().state_bytes);
    p.component->save(b);
    add("state " + p.name, std::move(b));
  }
  for (std::size_t i = 0; i < views_.size(); ++i) {
    const PortView& v = views_[i];
    const auto copy = [](std::span<const std::byte> b) { return Bytes(b.begin(), b.end()); };
    if (Stream* stream = memory_->stream(i)) {
      Bytes b(stream->state_bytes());
      stream->save(b);
      add("stream " + v.path, std::move(b));
    } else if (StreamReader* reader = memory_->reader(i)) {
      const std::uint64_t position[] = {reader->position().next, reader->position().lost};
      add("reader " + v.path, bytes_of(position, 2));
    } else if (v.output) {
      add("port " + v.path, copy(memory_->content(i)));
    } else if (v.port->flow == Flow::event) {
      add("sent " + v.path, bytes_of(&memory_->sent(i), 1));
    }
    if (v.overridden)
      add((v.output ? "shadow output " : "shadow input ") + v.path, copy(memory_->shadow(i)));
  }
  const auto delays = std::as_const(*memory_).delays();
  for (std::size_t i = 0; i < delays.size(); ++i)
    add("delay " + std::to_string(i) + " " + memory_->delay_name(i), delays[i].save());
  return s;
}

void Executive::restore(const Snapshot& s) {
  ready_ = paced_ = false;
  rest_began_.reset();
  const Sections sections(s);
  Diagnostics problems;

  const std::vector<detail::Group*> groups = rates(cycle_->clockwork());
  const std::size_t clusters = cycle_->clusters(), first = 1 + clusters;
  std::vector<std::int64_t> numbers(first + 4 * groups.size());
  const Bytes* run = sections.find("run");
  if (run && run->size() == numbers.size() * 8)
    std::memcpy(numbers.data(), run->data(), run->size());
  else
    problems.error(
        "V7202", "the checkpoint belongs to a composition with different rates or connections", {});
  const std::int64_t* theirs = numbers.data() + first;
  for (std::size_t g = 0; g < groups.size() && problems.errors() == 0; ++g, theirs += 4) {
    const detail::Group& mine = *groups[g];
    if (theirs[0] != mine.rate.times || theirs[1] != mine.rate.seconds ||
        theirs[2] != mine.offset.count()) {
      problems.error("V7202", "the checkpoint belongs to a composition with different rates", {});
      break;
    }
    // the tick at the time of the checkpoint may or may not have been executed
    const std::int64_t k = detail::first_tick(mine.rate, std::max(Time{}, s.time - mine.offset));
    if (theirs[3] != k && theirs[3] != k + 1) problems.error("V7204", damaged, {});
  }
  const std::int64_t time = s.time.time_since_epoch().count();
  std::vector<std::uint32_t> microsteps;
  for (std::size_t c = 0; c < clusters; ++c) {
    microsteps.push_back(static_cast<std::uint32_t>(numbers[1 + c]));
    if (numbers[1 + c] < 0) problems.error("V7204", damaged, {});
  }
  if (numbers[0] < 0 || time < numbers[0]) problems.error("V7204", damaged, {});

  // check everything before changing anything
  for (const composition::Part& p : plan_.parts)
    sections.get("state", "state", p.name, p.component->description().state_bytes, problems);
  for (std::size_t i = 0; i < views_.size(); ++i) {
    const PortView& v = views_[i];
    if (const Stream* stream = memory_->stream(i))
      sections.get("stream", "messages", v.path, stream->state_bytes(), problems);
    else if (memory_->reader(i))
      sections.get("reader", "position", v.path, 16, problems);
    else if (v.output)
      sections.get("port", "value", v.path, memory_->content(i).size(), problems);
  }
  problems.throw_if_errors();

  // components may prepare more than their state in initialize()
  if (!initialized_) start_components(Time{Duration(numbers[0])});
  for (std::size_t i = 0; i < views_.size(); ++i) {
    if (!views_[i].overridden) continue;
    memory_->release(i);
    memory_->bind(views_[i].part);
  }
  memory_->reset();
  cycle_->restart(Time{Duration(numbers[0])});
  for (std::size_t g = 0; g < groups.size(); ++g) {
    groups[g]->k = numbers[first + 4 * g + 3];
    groups[g]->next = tick(groups[g]->rate, groups[g]->k) + groups[g]->offset;
  }
  for (composition::Part& p : plan_.parts) p.component->load(*sections.find("state " + p.name));
  for (std::size_t i = 0; i < views_.size(); ++i) {
    const PortView& v = views_[i];
    if (Stream* stream = memory_->stream(i)) {
      stream->load(*sections.find("stream " + v.path));
    } else if (StreamReader* reader = memory_->reader(i)) {
      std::uint64_t position[2];
      std::memcpy(position, sections.find("reader " + v.path)->data(), sizeof position);
      reader->seek({position[0], position[1]});
    } else if (v.output) {
      const Bytes& b = *sections.find("port " + v.path);
      std::copy(b.begin(), b.end(), memory_->content(i).begin());
    } else if (v.port->flow == Flow::event) {
      const Bytes* b = sections.find("sent " + v.path);
      if (b && b->size() == 8) std::memcpy(&memory_->sent(i), b->data(), 8);
    }
    const Bytes* shadow = sections.find((v.output ? "shadow output " : "shadow input ") + v.path);
    if (!shadow || v.port->flow == Flow::stream) continue;
    // activate the override without changing what others read
    memory_->override_port(i, {});
    if (shadow->size() == memory_->shadow(i).size())
      std::copy(shadow->begin(), shadow->end(), memory_->shadow(i).begin());
    memory_->bind(v.part);
  }
  for (std::size_t i = 0; i < memory_->delays().size(); ++i) {
    const std::string path = "delay " + std::to_string(i) + " " + memory_->delay_name(i);
    const Bytes* b = sections.find(path);
    if (!b || !memory_->delays()[i].load(*b))
      problems.error("V7202",
                     "the delay of " + memory_->delay_name(i) + " is another one in the checkpoint",
                     {});
  }
  problems.throw_if_errors();
  memory_->carry_all();
  now_ = s.time;
  cycle_->resettled(now_, microsteps);
  // a state saved while the run was frozen: a run that continues from it may move again
  cycle_->end_rest();
  ready_ = true;
}

}  // namespace vernier::executive
