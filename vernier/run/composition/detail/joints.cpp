#include "vernier/run/composition/detail/joints.hpp"

#include <algorithm>
#include <unordered_map>

#include "vernier/base/ordering.hpp"
#include "vernier/base/text.hpp"
#include "vernier/base/units.hpp"
#include "vernier/run/composition/detail/loop.hpp"

namespace vernier::composition::detail {

namespace {

/// The most values that a delay may hold.
constexpr double longest_delay = 10e6;

bool dimensioned(const Port& p) {
  const auto u = parsed_unit(p.unit);
  return u && !dimensionless(*u);
}

/// Which of size, unit and axes keeps one port from feeding another, and what to do.
std::vector<std::string> differences(const Port& from, std::uint32_t given, const Port& to,
                                     std::uint32_t wanted) {
  if (from.flow != Flow::signal || to.flow != Flow::signal || from.scalar != to.scalar) return {};
  std::vector<std::string> all;
  const auto a = parsed_unit(from.unit), b = parsed_unit(to.unit);
  if (a && b && !interchangeable(from.unit, to.unit))
    all.push_back(unit_mismatch(from.unit, to.unit));
  if (given != wanted)
    all.push_back(std::to_string(given) + (given == 1 ? " element is" : " elements are") +
                  " given, " + std::to_string(wanted) + " expected");
  if (from.frame.empty() || to.frame.empty() || from.frame == to.frame) return all;
  all.push_back("the axes differ: the components are in " + from.frame + ", those in " + to.frame +
                " were expected");
  const bool to_body = from.frame == "N" && to.frame == "B";
  if (to_body || (from.frame == "B" && to.frame == "N"))
    all.push_back("rotate it in between: <system id=\"…\" type=\"rotation\"> with way=\"" +
                  std::string(to_body ? "to_body" : "to_inertial") + "\", unit=\"" + from.unit +
                  "\" and the attitude");
  return all;
}

}  // namespace

Joints::Joints(const Composition& c, Members& members, Diagnostics& problems)
    : composition_(c), members_(members), problems_(problems) {
  for (const Connection& x : c.connections) connect(x);
  for (const Stimulus& s : c.stimuli) stimulate(s);
  check_inputs();
  check_loops();
}

void Joints::connect(const Connection& c) {
  const auto from = members_.find(c.from, Wanted::output, problems_);
  const auto to = members_.find(c.to, Wanted::input, problems_);
  if (!from || !to || !fits(*from, *to, c)) {
    // the mistake was reported; that the input stays without a value follows from it
    excuse(c.to, to);
    return;
  }
  list_.push_back({.from = *from,
                   .to = *to,
                   .gain = c.gain,
                   .delay = checked_delay(composition_, members_, *to, c, problems_),
                   .place = c.place});
}

void Joints::excuse(const Endpoint& end, const std::optional<Reach>& found) {
  if (found) {
    excused_.insert({found->member, found->port});
    return;
  }
  // a misspelt port may be any input of the instance
  for (std::size_t m = 0; m < members_.list().size(); ++m) {
    if (members_[m].name != end.instance) continue;
    for (std::size_t i = 0; i < members_[m].inputs.size(); ++i) excused_.insert({m, i});
  }
}

bool Joints::fits(const Reach& from, const Reach& to, const Connection& c) {
  const Port &a = members_.port(from), &b = members_.port(to);
  if (same_kind(a, b) && from.count == to.count) {
    if (a.flow == Flow::event) {
      problems_.error("V2123", "events are connected by <eventmap>, not by <connect>", c.place);
      return false;
    }
    const bool real = a.flow == Flow::signal && a.scalar == Scalar::real;
    if (!real && c.gain != 1.0) {
      problems_.error("V2118", c.to.text + " is not a real number, so it takes no gain", c.place);
      return false;
    }
    return true;
  }
  Diagnostic& d = problems_.error("V2121",
                                  c.from.text + " (" + shape(a, from.count) + ") cannot feed " +
                                      c.to.text + " (" + shape(b, to.count) + ")",
                                  c.place);
  d.notes = differences(a, from.count, b, to.count);
  // an output of the same instance that would do, or an input of the other one
  const auto suggest = [&](const std::vector<Port>& ports, const Port& other, std::uint32_t count,
                           bool outputs, const std::string& instance, const std::string& wrong) {
    std::vector<std::string> fitting;
    const Port* only = nullptr;
    for (const Port& p : ports) {
      if (p.count != count || !(outputs ? same_kind(p, other) : same_kind(other, p))) continue;
      fitting.push_back(p.name);
      only = &p;
    }
    if (fitting.size() > 1) {
      const auto near = closest(wrong, fitting);
      if (!near) return false;
      only = &*std::find_if(ports.begin(), ports.end(),
                            [&near](const Port& p) { return p.name == *near; });
    }
    if (!only) return false;
    d.notes.push_back("did you mean " + instance + "." + only->name + " (" +
                      shape(*only, only->count) + ")?");
    return true;
  };
  const Member &m = members_[from.member], &n = members_[to.member];
  if (!suggest(m.outputs, b, to.count, true, m.name, a.name))
    suggest(n.inputs, a, from.count, false, n.name, b.name);
  return false;
}

Duration checked_delay(const Composition& composition, const Members& members, const Reach& to,
                       const Connection& c, Diagnostics& problems) {
  const double step = seconds(composition.run.step);
  const double delay = seconds(c.delay) + c.delay_ticks * step;
  if (c.delay < Duration{} || c.delay_ticks < 0) {
    problems.error("V2117", "a delay must not be negative", c.place);
    return {};
  }
  if (members.port(to).flow == Flow::stream && delay > 0.0) {
    problems.error("V2117", c.to.text + " is a stream: it takes no delay", c.place);
    return {};
  }
  double ticks = delay / step;
  for (const Member& m : members.list()) {
    if (!m.component) continue;
    const Rate own = m.component->description().rate;
    const Rate r = m.instance && m.instance->rate.periodic() ? m.instance->rate : own;
    if (r.periodic())
      ticks =
          std::max(ticks, delay * static_cast<double>(r.times) / static_cast<double>(r.seconds));
  }
  if (ticks * to.count > longest_delay) {
    problems
        .error("V2117", "a delay of " + exact(delay) + " s is too long for the ticks of this run",
               c.place)
        .notes.push_back("at most ten million values can be under way");
    return {};
  }
  return c.delay + c.delay_ticks * composition.run.step;
}

void Joints::stimulate(const Stimulus& s) {
  if (s.to.instance.empty() || !s.value) return;  // events: see event_links()
  const auto to =
      members_.find(s.to, s.to.instance == "ext" ? Wanted::output : Wanted::input, problems_);
  if (!to) return;
  const Port p = members_.port(*to);
  if (p.flow != Flow::signal || p.scalar != Scalar::real) {
    problems_.error("V2126", s.to.text + " is not a real number: a stimulus cannot set it",
                    s.to.place);
    return;
  }
  if (s.value->size() != to->count) {
    problems_.error("V2126",
                    s.to.text + " has " + std::to_string(to->count) + " elements, the stimulus " +
                        std::to_string(s.value->size()),
                    s.to.place);
    return;
  }
  const auto given = parsed_unit(s.unit), own = parsed_unit(p.unit);
  if (!s.unit.empty() && given && own && !interchangeable(s.unit, p.unit)) {
    problems_
        .error("V2126", s.to.text + " is in " + p.unit + ", the stimulus in " + s.unit, s.to.place)
        .notes.push_back(unit_mismatch(s.unit, p.unit));
    return;
  }
  std::size_t output = to->port;
  Member& ext = members_.ext();
  if (s.to.instance != "ext") {
    // an input of an instance: ext gets an output for it, with the input's default until then
    const std::string name = members_.path(*to);
    const auto known = std::find_if(ext.outputs.begin(), ext.outputs.end(),
                                    [&name](const Port& q) { return q.name == name; });
    output = static_cast<std::size_t>(known - ext.outputs.begin());
    if (known == ext.outputs.end()) {
      const bool connected = std::any_of(list_.begin(), list_.end(), [&to](const Joint& j) {
        return j.to.member == to->member && j.to.port == to->port;
      });
      if (connected) {
        problems_.error("V2126", s.to.text + " is connected: a stimulus cannot set it", s.to.place)
            .notes.push_back("add an input to the composition, and connect it there as well");
        return;
      }
      Port q = p;
      q.name = name;
      if (!q.initial) q.initial = std::vector<double>(q.count, 0.0);
      ext.outputs.push_back(std::move(q));
      const Reach from{members_.list().size() - 1, output, true, 0, p.count};
      const Reach whole{to->member, to->port, false, 0, p.count};
      list_.push_back({.from = from, .to = whole, .gain = 1.0, .delay = {}, .place = s.to.place});
    }
  }
  actions_.push_back({s.at, output, to->first, *s.value});
}

void Joints::check_inputs() {
  std::vector<std::vector<std::vector<const Joint*>>> to(members_.list().size());
  for (std::size_t m = 0; m < to.size(); ++m) to[m].resize(members_[m].inputs.size());
  for (const Joint& j : list_) to[j.to.member][j.to.port].push_back(&j);
  for (std::size_t m = 0; m < to.size(); ++m) {
    const Member& member = members_[m];
    for (std::size_t i = 0; i < member.inputs.size(); ++i) {
      const Port& p = member.inputs[i];
      const auto& joints = to[m][i];
      if (excused_.contains({m, i})) continue;
      if (joints.empty()) {
        if (p.flow == Flow::signal && p.initial)
          warn_unconnected(m, i);
        else if (p.flow == Flow::signal)
          problems_
              .error("V2104",
                     "input " + member.name + "." + p.name + " (" + shape(p, p.count) +
                         ") has no default and is connected to nothing",
                     member.place())
              .notes.push_back(candidates(m, p));
        continue;
      }
      check_shared(member, p, joints);
    }
  }
}

void Joints::check_shared(const Member& member, const Port& p,
                          const std::vector<const Joint*>& joints) {
  const std::string name = member.name + "." + p.name;
  if (p.flow == Flow::stream && joints.size() > 1) {
    problems_.error("V2118", name + " is a stream: only one connection can lead to it",
                    joints[1]->place);
    return;
  }
  std::vector<int> covered(p.count);
  for (const Joint* j : joints)
    for (std::uint32_t k = 0; k < j->to.count; ++k) ++covered[j->to.first + k];
  const bool adds = p.scalar == Scalar::real || p.scalar == Scalar::integer;
  if (!adds && *std::max_element(covered.begin(), covered.end()) > 1)
    problems_.error("V2118",
                    name + " cannot have several sources: booleans and bytes do not add up",
                    joints.back()->place);
  const auto gap = std::find(covered.begin(), covered.end(), 0);
  if (gap != covered.end() && !p.initial)
    problems_.error("V2104",
                    "element " + std::to_string(gap - covered.begin()) + " of input " + name +
                        " has no default and is connected to nothing",
                    joints.back()->place);
}

bool Joints::idle(std::size_t member, std::size_t output) const {
  return std::none_of(list_.begin(), list_.end(), [&](const Joint& j) {
    return j.from.member == member && j.from.port == output;
  });
}

std::vector<Reach> Joints::fitting(std::size_t member, const Port& input) const {
  std::vector<Reach> all;
  for (std::size_t m = 0; m < members_.list().size(); ++m) {
    if (m == member) continue;
    for (std::size_t i = 0; i < members_[m].outputs.size(); ++i) {
      const Port& o = members_[m].outputs[i];
      if (o.flow != Flow::signal || o.count != input.count || !same_kind(o, input)) continue;
      all.push_back({.member = m, .port = i, .output = true, .count = o.count});
    }
  }
  // what feeds nothing yet was more probably forgotten
  std::stable_partition(all.begin(), all.end(),
                        [this](const Reach& r) { return idle(r.member, r.port); });
  return all;
}

std::string Joints::candidates(std::size_t member, const Port& input) const {
  constexpr std::size_t most = 4;
  std::vector<std::string> names;
  for (const Reach& r : fitting(member, input)) names.push_back(members_.path(r));
  if (names.empty()) return "no output here is " + shape(input, input.count);
  const std::size_t count = names.size();
  if (count > most) names.resize(most);
  return "would fit: " + joined(names, ", ") +
         (count > most ? ", … (" + std::to_string(count - most) + " more)" : "");
}

void Joints::warn_unconnected(std::size_t member, std::size_t port) {
  const Member& m = members_[member];
  const Port& p = m.inputs[port];
  if (m.instance && m.instance->parameters.contains(p.name)) return;
  // most inputs with a default are left alone on purpose; one was probably forgotten when an output
  // would fit that has the same name, or that feeds nothing either
  const std::vector<Reach> outputs = fitting(member, p);
  const bool likely = std::any_of(outputs.begin(), outputs.end(), [&](const Reach& r) {
    return members_.port(r).name == p.name ||
           (idle(r.member, r.port) && (dimensioned(p) || p.count > 1));
  });
  if (!likely) return;
  std::vector<std::string> values;
  for (const double v : *p.initial) values.push_back(exact(v));
  if (std::adjacent_find(values.begin(), values.end(), std::not_equal_to<>()) == values.end())
    values.resize(std::min<std::size_t>(1, values.size()));
  problems_
      .warning("V2105",
               "input " + m.name + "." + p.name +
                   " is connected to nothing and stays at its default " + joined(values, " ") +
                   (p.unit == "1" ? "" : " " + p.unit),
               m.place())
      .notes.push_back(candidates(member, p));
}

void Joints::check_loops() {
  std::vector<Block> blocks;
  for (const Member& m : members_.list()) {
    Block b{.outputs = m.outputs.size(), .inputs = m.inputs.size(), .needs = {}};
    std::unordered_map<std::string_view, std::size_t> in, out;
    for (std::size_t i = 0; i < m.inputs.size(); ++i) in.emplace(m.inputs[i].name, i);
    for (std::size_t i = 0; i < m.outputs.size(); ++i) out.emplace(m.outputs[i].name, i);
    for (const Feedthrough& f : m.feedthrough) {
      const auto o = out.find(f.output);
      const auto i = in.find(f.input);
      if (o != out.end() && i != in.end()) b.needs.push_back({o->second, i->second});
    }
    blocks.push_back(std::move(b));
  }
  std::vector<DirectFeed> links;
  std::vector<const Joint*> joints;
  for (const Joint& j : list_) {
    if (j.delay > Duration{}) continue;
    links.push_back({j.from.member, j.from.port, j.to.member, j.to.port});
    joints.push_back(&j);
  }
  const Ordering o = ordering(blocks, links);
  if (o.loop.empty()) return;
  std::vector<Hop> hops;
  for (const DirectFeed& l : o.loop) {
    const auto at = std::find(links.begin(), links.end(), l) - links.begin();
    const Joint& j = *joints[static_cast<std::size_t>(at)];
    hops.push_back({members_.path(j.from), members_.path(j.to), j.place});
  }
  report_loop(hops, problems_);
}

}  // namespace vernier::composition::detail
