#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <map>
#include <utility>

#include "vernier/base/require.hpp"
#include "vernier/run/executive/detail/cycle.hpp"
#include "vernier/run/executive/detail/fault.hpp"
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

using Image = std::vector<std::byte>;

template <class T>
Image bytes_of(const T* data, std::size_t count) {
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

  const Image* find(const std::string& path) const {
    const auto found = by_path_.find(path);
    return found == by_path_.end() ? nullptr : found->second;
  }

  /// Exactly `size` bytes for `what` of `name`, or null after a report.
  const Image* get(const std::string& kind, const std::string& what, const std::string& name,
                   std::size_t size, Diagnostics& problems) const {
    const Image* b = find(kind + " " + name);
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
  std::map<std::string, const Image*, std::less<>> by_path_;
};

/// Fills the sections of a snapshot one after the other, in the memory that those of an earlier one
/// have.
class Filler {
 public:
  explicit Filler(Snapshot& s) : all_(s.sections) {}
  ~Filler() { all_.resize(used_); }
  Filler(const Filler&) = delete;
  Filler& operator=(const Filler&) = delete;

  /// For the content of the next section.
  std::span<std::byte> room(std::string_view kind, std::string_view name, std::size_t size) {
    if (used_ == all_.size()) all_.emplace_back();
    Section& s = all_[used_++];
    const std::string_view path = s.path;
    if (path.size() != kind.size() + name.size() || !path.starts_with(kind) ||
        !path.ends_with(name))
      s.path.assign(kind).append(name);
    s.bytes.resize(size);
    return s.bytes;
  }
  void copy(std::string_view kind, std::string_view name, std::span<const std::byte> content) {
    std::copy(content.begin(), content.end(), room(kind, name, content.size()).begin());
  }

 private:
  std::vector<Section>& all_;
  std::size_t used_ = 0;
};

/// Those of the section "run".
template <class F>
void each_number(const detail::Cycle& cycle, const F& f) {
  f(cycle.clockwork().started().time_since_epoch().count());
  for (std::size_t c = 0; c < cycle.clusters(); ++c) f(cycle.microstep(c));
  for (const detail::Group& g : cycle.clockwork().groups())
    if (g.rate.periodic())
      for (const std::int64_t n : {g.rate.times, g.rate.seconds, g.offset.count(), g.k}) f(n);
}

std::vector<detail::Group*> rates(detail::Clockwork& clock) {
  std::vector<detail::Group*> all;
  for (detail::Group& g : clock.groups())
    if (g.rate.periodic()) all.push_back(&g);
  return all;
}

}  // namespace

Snapshot Executive::save() const {
  Snapshot s;
  save_into(s);
  return s;
}

void Executive::save_into(Snapshot& s) const {
  for (const composition::Part& p : plan_.parts)
    if (!p.component->description().abilities.rewinds)
      throw ConfigurationError("V7203", p.name +
                                            " cannot go back to an earlier state, so a run with "
                                            "it has no checkpoints");
  require(cycle_->aligned());
  s.time = now_;
  Filler sections(s);
  std::size_t numbers = 0;
  each_number(*cycle_, [&numbers](std::int64_t) { ++numbers; });
  std::byte* to = sections.room("run", {}, numbers * sizeof(std::int64_t)).data();
  each_number(*cycle_, [&to](std::int64_t n) {
    std::memcpy(to, &n, sizeof n);
    to += sizeof n;
  });
  for (std::size_t i = 0; i < plan_.parts.size(); ++i) {
    if (!here(i)) continue;
    const composition::Part& p = plan_.parts[i];
    p.component->save(sections.room("state ", p.name, p.component->description().state_bytes));
  }
  for (std::size_t i = 0; i < views_.size(); ++i) {
    const PortView& v = views_[i];
    if (!here(v.part)) continue;
    if (Stream* stream = memory_->stream(i)) {
      stream->save(sections.room("stream ", v.path, stream->state_bytes()));
    } else if (StreamReader* reader = memory_->reader(i)) {
      const std::uint64_t position[] = {reader->position().next, reader->position().lost};
      sections.copy("reader ", v.path, std::as_bytes(std::span(position)));
    } else if (v.output) {
      sections.copy("port ", v.path, memory_->content(i));
    } else if (v.port->flow == Flow::event) {
      sections.copy("sent ", v.path, std::as_bytes(std::span(&memory_->sent(i), 1)));
    }
    if (v.overridden)
      sections.copy(v.output ? "shadow output " : "shadow input ", v.path, memory_->shadow(i));
  }
  const auto delays = std::as_const(*memory_).delays();
  for (std::size_t i = 0; i < delays.size(); ++i) {
    if (!here(plan_.wires[memory_->delay_wire(i)].to_part)) continue;
    std::array<char, 32> kind{'d', 'e', 'l', 'a', 'y', ' '};
    char* const end = std::to_chars(kind.data() + 6, kind.data() + kind.size(), i).ptr;
    *end = ' ';
    // another node may be ahead
    delays[i].save(now_, sections.room({kind.data(), end + 1}, memory_->delay_name(i),
                                       delays[i].state_bytes(now_)));
  }
}

Snapshot Executive::merged(const std::vector<Snapshot>& by_node) const {
  const composition::Cut& cut = switchboard_->cut();
  const auto groups = cycle_->clockwork().groups();
  const std::size_t clusters = cycle_->clusters();
  const auto there = [&by_node](std::uint32_t n) { return !by_node[n].sections.empty(); };
  std::uint32_t any = 0;
  while (any + 1 < by_node.size() && !there(any)) ++any;
  const auto owner = [&](std::size_t c) {
    const std::vector<std::uint32_t>& nodes = cut.clusters[c].nodes;
    const auto n = std::find_if(nodes.begin(), nodes.end(), there);
    return n == nodes.end() ? any : *n;
  };
  Snapshot all;
  all.time = by_node[any].time;
  std::vector<std::vector<std::int64_t>> numbers;
  for (const Snapshot& s : by_node) {
    if (s.sections.empty()) numbers.emplace_back();
    for (const Section& section : s.sections) {
      if (section.path != "run") {
        all.sections.push_back(section);
        continue;
      }
      numbers.emplace_back(section.bytes.size() / sizeof(std::int64_t));
      std::memcpy(numbers.back().data(), section.bytes.data(),
                  numbers.back().size() * sizeof(std::int64_t));
    }
  }
  // a node knows the instants of its own clusters only
  std::vector<std::int64_t> run = numbers[any];
  for (std::size_t c = 0; c < clusters; ++c) run[1 + c] = numbers[owner(c)][1 + c];
  std::size_t at = 1 + clusters;
  for (const detail::Group& g : groups) {
    if (!g.rate.periodic()) continue;
    std::copy_n(numbers[owner(g.cluster)].begin() + static_cast<std::ptrdiff_t>(at), 4,
                run.begin() + static_cast<std::ptrdiff_t>(at));
    at += 4;
  }
  all.sections.insert(all.sections.begin(), {"run", bytes_of(run.data(), run.size())});
  // in the order of save_into(): the same file, wherever the parts were
  std::map<std::string, std::size_t, std::less<>> order;
  for (const composition::Part& p : plan_.parts) order.emplace("state " + p.name, order.size() + 1);
  for (const PortView& v : views_) order.emplace(v.path, order.size() + 1);
  const auto place = [&order](const Section& s) -> std::size_t {
    const std::string_view path = s.path;
    if (path == "run") return 0;
    if (path.starts_with("delay ")) {
      std::size_t n = 0;
      std::from_chars(path.data() + 6, path.data() + path.size(), n);
      return order.size() + 1 + n;
    }
    const auto found =
        order.find(path.starts_with("state ") ? path : path.substr(path.rfind(' ') + 1));
    return found == order.end() ? std::string::npos : found->second;
  };
  std::stable_sort(all.sections.begin(), all.sections.end(),
                   [&place](const Section& a, const Section& b) { return place(a) < place(b); });
  for (std::size_t i = 1; i < all.sections.size(); ++i)
    if (all.sections[i].path == all.sections[i - 1].path &&
        all.sections[i].bytes != all.sections[i - 1].bytes)
      throw ConfigurationError(
          "V5608", "the replicas of a part differ at t = " + detail::text(all.time) + ": " +
                       all.sections[i].path + " is not the same on all nodes that run it");
  // parts that run on several nodes
  all.sections.erase(
      std::unique(all.sections.begin(), all.sections.end(),
                  [](const Section& a, const Section& b) { return a.path == b.path; }),
      all.sections.end());
  return all;
}

void Executive::restore(const Snapshot& s) {
  ready_ = paced_ = false;
  rest_began_.reset();
  const Sections sections(s);
  Diagnostics problems;

  const std::vector<detail::Group*> groups = rates(cycle_->clockwork());
  const std::size_t clusters = cycle_->clusters(), first = 1 + clusters;
  std::vector<std::int64_t> numbers(first + 4 * groups.size());
  const Image* run = sections.find("run");
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
    const std::int64_t k = first_tick(mine.rate, std::max(Time{}, s.time - mine.offset));
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
  for (std::size_t i = 0; i < plan_.parts.size(); ++i)
    if (prepared(i)) plan_.parts[i].component->load(*sections.find("state " + plan_.parts[i].name));
  for (std::size_t i = 0; i < views_.size(); ++i) {
    const PortView& v = views_[i];
    if (Stream* stream = memory_->stream(i)) {
      stream->load(*sections.find("stream " + v.path));
    } else if (StreamReader* reader = memory_->reader(i)) {
      std::uint64_t position[2];
      std::memcpy(position, sections.find("reader " + v.path)->data(), sizeof position);
      reader->seek({position[0], position[1]});
    } else if (v.output) {
      const Image& b = *sections.find("port " + v.path);
      std::copy(b.begin(), b.end(), memory_->content(i).begin());
    } else if (v.port->flow == Flow::event) {
      const Image* b = sections.find("sent " + v.path);
      if (b && b->size() == 8) std::memcpy(&memory_->sent(i), b->data(), 8);
    }
    const Image* shadow = sections.find((v.output ? "shadow output " : "shadow input ") + v.path);
    if (!shadow || v.port->flow == Flow::stream) continue;
    // activate the override without changing what others read
    memory_->override_port(i, {});
    if (shadow->size() == memory_->shadow(i).size())
      std::copy(shadow->begin(), shadow->end(), memory_->shadow(i).begin());
    memory_->bind(v.part);
  }
  for (std::size_t i = 0; i < memory_->delays().size(); ++i) {
    const std::string path = "delay " + std::to_string(i) + " " + memory_->delay_name(i);
    const Image* b = sections.find(path);
    if (!b || !memory_->delays()[i].load(*b))
      problems.error("V7202",
                     "the delay of " + memory_->delay_name(i) + " is another one in the checkpoint",
                     {});
  }
  problems.throw_if_errors();
  memory_->carry_all();
  now_ = s.time;
  cycle_->resettled(now_, microsteps);
  if (switchboard_) switchboard_->restart(now_, true);
  next_scheduled_ = 0;
  while (next_scheduled_ < scheduled_.size() &&
         (scheduled_[next_scheduled_].at < now_ ||
          (scheduled_[next_scheduled_].at == now_ && !scheduled_[next_scheduled_].settled)))
    ++next_scheduled_;
  // a state saved while the run was frozen: a run that continues from it may move again
  cycle_->end_rest();
  ready_ = settled_ = returned_ = true;
}

}  // namespace vernier::executive
