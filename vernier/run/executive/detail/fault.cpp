#include "vernier/run/executive/detail/fault.hpp"

#include <array>
#include <cmath>
#include <cstdio>
#include <utility>

#include "vernier/base/codec.hpp"
#include "vernier/base/text.hpp"
#include "vernier/component/output_explainer.hpp"

namespace vernier::executive::detail {

namespace {

bool has_nan(const PortView& v) {
  for (const double x : v.reals())
    if (std::isnan(x)) return true;
  return false;
}

/// The output to report: in the order of evaluation the first of a part whose inputs are all
/// numbers; if there is none, the first.
const PortView* first_nan(const Executive& run, std::vector<const PortView*>& all) {
  const PortView* first = nullptr;
  const PortView* root = nullptr;
  std::vector<bool> fed_badly(run.parts().size());
  std::vector<std::vector<const PortView*>> bad(run.parts().size());
  for (const PortView& v : run.ports()) {
    if (!has_nan(v)) continue;
    if (v.output)
      bad[v.part].push_back(&v);
    else
      fed_badly[v.part] = true;
  }
  std::vector<bool> seen(run.parts().size());
  for (const composition::Plan::Call& c : run.plan().order) {
    if (seen[c.part]) continue;
    seen[c.part] = true;
    for (const PortView* v : bad[c.part]) {
      all.push_back(v);
      if (!first) first = v;
      if (!root && !fed_badly[c.part]) root = v;
    }
  }
  return root ? root : first;
}

/// The lines of a text after its first.
void add_lines(std::string_view text, std::vector<std::string>& to) {
  for (std::size_t end = text.find('\n'); end != std::string_view::npos; end = text.find('\n')) {
    text.remove_prefix(end + 1);
    to.emplace_back(text.substr(0, text.find('\n')));
  }
}

Diagnostic not_a_number(const Executive& run, Time at, const std::string& when) {
  Diagnostic d;
  d.category = Category::numerics;
  d.code = "V3107";
  std::vector<const PortView*> all;
  const PortView* who = first_nan(run, all);
  if (!who) {
    d.message = "an output became not-a-number at " + when;
    return d;
  }
  std::string name = who->path;
  if (who->port->count > 1) {
    const auto x = who->reals();
    std::size_t i = 0;
    while (i + 1 < x.size() && !std::isnan(x[i])) ++i;
    name += "[" + std::to_string(i) + "]";
  }
  d.message = name + " became not-a-number at " + when;
  Fault why;
  auto* part = dynamic_cast<OutputExplainer*>(run.parts()[who->part].component.get());
  if (part && part->explain_output(at, why)) add_lines(why.text, d.notes);
  std::string others;
  std::size_t listed = 0;
  for (const PortView* v : all) {
    if (v == who) continue;
    if (++listed > 5) break;
    others += (others.empty() ? "" : ", ") + v->path;
  }
  if (all.size() > 6) others += " and " + std::to_string(all.size() - 6) + " more";
  if (!others.empty()) d.notes.push_back("with it at the same time: " + others);
  return d;
}

/// The message of a component about its failure, or of a pacer, which has no name.
Diagnostic told(const Fault& f, const std::string& who, const std::string& prefix,
                const std::string& when) {
  Diagnostic d;
  d.category = f.category;
  d.code = f.code[0] ? f.code : "V3101";
  std::string_view text = f.text;
  const bool goes_on = text.starts_with(' ');
  if (goes_on) d.message = f.subject[0] ? prefix + f.subject : who;
  if (text.empty()) d.message = (who.empty() ? "a pacer" : who) + " failed and gave no reason";
  d.message += text.substr(0, text.find('\n'));
  add_lines(text, d.notes);
  if (!goes_on) d.notes.push_back((who.empty() ? "" : "in " + who + " ") + "at " + when);
  return d;
}

Diagnostic instantaneous_loop(const Breakdown& b, const Executive& run, const Cycle& cycle,
                              const Options& options, const std::string& when) {
  Diagnostic d;
  d.category = Category::numerics;
  d.code = "V3110";
  const std::string times = std::to_string(options.policy.microsteps);
  const Entry& last = cycle.last_entry(b.part);
  const Telling t = run.tell(b.part, last);
  d.message = t.subject + " changes more than " + times + " times at " + when;
  if (last.at.time == b.at.time && !t.to.empty()) {
    d.message = t.subject + " switches more than " + times + " times at " + when + " between \"" +
                t.from + "\" and \"" + t.to + "\"";
    if (!t.reason.empty()) d.message += " (" + t.reason + ")";
  }
  std::string others;
  for (std::size_t i = b.part + 1; i < cycle.changed().size(); ++i)
    if (cycle.changed()[i]) others += (others.empty() ? "" : ", ") + run.parts()[i].name;
  if (!others.empty()) d.notes.push_back("still changing with it: " + others);
  d.notes.push_back("usual cause: enter and leave conditions meet. Give them a gap");
  return d;
}

std::string node_name(std::uint32_t node, const Options& options) {
  return node < options.node_names.size() ? options.node_names[node]
                                          : "node " + std::to_string(node);
}

Diagnostic lost_node(const Switchboard::Trouble& t, const Options& options,
                     const std::string& when) {
  Diagnostic d;
  d.category = Category::peer;
  d.code = "V5601";
  const std::string name = node_name(t.peer, options);
  d.message = t.kind == Switchboard::Trouble::Kind::interrupted
                  ? "the wait for " + name + " was interrupted at " + when
                  : name + " is lost at " + when + ": " + t.why;
  return d;
}

/// An element of a port from its bytes; `at` is the first that differs.
std::string element(const Port& p, std::uint64_t at, const std::array<std::byte, 8>& bytes) {
  if (p.flow != Flow::event && p.scalar == Scalar::real) {
    const auto x = load<double>(bytes.data());
    return exact(x);
  }
  if (p.flow == Flow::event || p.scalar == Scalar::integer)
    return std::to_string(load<std::int64_t>(bytes.data()));
  return std::to_string(std::to_integer<int>(bytes[at % bytes.size()]));
}

Diagnostic different_replicas(const Switchboard::Trouble& t, const Executive& run,
                              const Options& options, const std::string& when) {
  using Kind = Switchboard::Trouble::Kind;
  Diagnostic d;
  d.category = Category::machine;
  d.code = "V5608";
  const std::string& part = run.parts()[t.part].name;
  const std::string one = node_name(t.other, options), two = node_name(t.peer, options);
  const PortView& v = run.ports()[t.view];
  std::string what;
  if (t.kind == Kind::reaction) {
    const bool reacts = t.others[0] != std::byte{};
    what = part + " reacts on " + (reacts ? one : two) + ", and not on " + (reacts ? two : one);
  } else if (t.kind == Kind::message) {
    what = "message " + std::to_string(t.element) + " of " + v.path + " on " + one +
           " is not the one on " + two;
  } else {
    const bool wide = v.port->flow == Flow::event || v.port->scalar == Scalar::real ||
                      v.port->scalar == Scalar::integer;
    const std::string index =
        v.port->count == 1 ? "" : "[" + std::to_string(t.element / (wide ? 8 : 1)) + "]";
    what = v.path + index + " is " + element(*v.port, t.element, t.others) + " on " + one +
           " and " + element(*v.port, t.element, t.theirs) + " on " + two;
  }
  d.message = "the replicas of " + part + " differ at " + when + ": " + what;
  d.notes = {
      "one of the two computers computes wrongly, or " + part +
          " does not compute the same everywhere: it reads a clock, a file that differs, or memory "
          "that it has not set",
      "run it again on other nodes, or with three replicas, to find out which node it is"};
  return d;
}

}  // namespace

std::string text(Time t) {
  const auto ns = t.time_since_epoch().count();
  const auto magnitude = static_cast<unsigned long long>(ns < 0 ? -ns : ns);
  char buffer[40];
  std::snprintf(buffer, sizeof buffer, "%s%llu.%09llu", ns < 0 ? "-" : "",
                magnitude / 1'000'000'000, magnitude % 1'000'000'000);
  std::string s = buffer;
  while (s.back() == '0' && s[s.size() - 4] != '.') s.pop_back();
  return s + " s";
}

Diagnostic described(const Breakdown& b, const Executive& run, const Cycle& cycle,
                     const Options& options) {
  const std::string when = "t = " + text(b.at.time);
  const std::string who = b.part < run.parts().size() ? run.parts()[b.part].name : "";
  Diagnostic d;
  d.category = Category::numerics;
  switch (b.kind) {
    case Breakdown::Kind::none:
      break;
    case Breakdown::Kind::component:
      return told(run.parts()[b.part].component->fault(), who, run.parts()[b.part].prefix, when);
    case Breakdown::Kind::loop:
      return instantaneous_loop(b, run, cycle, options, when);
    case Breakdown::Kind::not_a_number:
      return not_a_number(run, b.at.time, when);
    case Breakdown::Kind::no_agreement:
      d.code = "V3102";
      d.message =
          who + " finds its event at another time whenever the step is repeated, at " + when;
      d.notes.push_back("its events depend on the length of the step: ask for a smaller tolerance");
      break;
    case Breakdown::Kind::unannounced:
      d.code = "V3103";
      d.message =
          who + " stopped before the end of the step without having announced it, at " + when;
      d.notes.push_back("a component that does so says stops_early in its abilities");
      break;
    case Breakdown::Kind::no_progress:
      d.code = "V3104";
      d.message = who + " does not get beyond " + when;
      d.notes.push_back(
          "it stops at an event that no reaction clears: the reaction must make the condition "
          "false");
      break;
    case Breakdown::Kind::pacer:
      return told(run.pacers()[b.part]->fault(), "", "", when);
    case Breakdown::Kind::peer:
      return lost_node(*cycle.trouble(), options, when);
    case Breakdown::Kind::replicas:
      return different_replicas(*cycle.trouble(), run, options, when);
  }
  return d;
}

Diagnostics as_diagnostics(Diagnostic d) {
  Diagnostics all;
  all.add(std::move(d));
  return all;
}

}  // namespace vernier::executive::detail
