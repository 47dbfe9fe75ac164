#include <algorithm>

#include "vernier/gateway/spacefom/detail/waiting.hpp"

namespace vernier::spacefom {

using detail::Over;
using detail::Role;

// Which other federates are lost, and the consequences for us.

void Federate::Work::peer_gone(const std::string& name, const std::string& why, bool lost) {
  const auto& before = ending.peer;
  if (name.empty() || name == settings.name || (before && before->needed && before->lost)) return;
  const auto& required = settings.federates;
  detail::Ending::Gone g{name, why, time.granted, lost, false, detail::Ending::Clock::now()};
  // the Pacing federate is required to the end; others may resign in order
  if (role_ != Role::unknown)
    g.needed = name == settings.pacer ||
               (lost && settings.master &&
                std::find(required.begin(), required.end(), name) != required.end()) ||
               // the Master is not known yet
               (lost && early() && !settings.master && !execution_.known());
  if (lost || g.needed) ending.peer = std::move(g);
}

// without management objects, names are the only information
void Federate::Work::miss_required() {
  if (peers_.has_mom() || !settings.master || role_ == Role::unknown) return;
  for (const std::string& name : settings.federates) {
    try {
      static_cast<void>(rti().getFederateHandle(wide(name)));
    } catch (const rti1516e::NameNotFound&) {
      peer_gone(name, "", true);
    }
  }
}

std::string Federate::Work::way_back() const {
  if (settings.master || settings.pacing || settings.root_publisher)
    return settings.name +
           " cannot come back into a running federation, since its roles belong to early joiners: "
           "restart all federates";
  const Ticks common = configuration().least_common;
  return "to come back while " + settings.federation + " runs, start " + settings.name +
         " again: it joins late" +
         (common > 0 ? ", at the next multiple of " + text_of(common) : "");
}

void Federate::Work::fail_lost(const std::string& why) const {
  Diagnostics d;
  Diagnostic& e = d.error("V5328",
                          "the connection of " + settings.name + " to the RTI" +
                              (settings.designator.empty() ? "" : " at " + settings.designator) +
                              " was lost" + (why.empty() ? "" : ": " + why),
                          {});
  e.category = Category::peer;
  e.notes.push_back("if the RTI has ended: start vernier rti, then restart all federates");
  e.notes.push_back(way_back());
  throw ConfigurationError(d);
}

void Federate::Work::fail_expelled() const {
  Diagnostics d;
  Diagnostic& e = d.error("V5328",
                          settings.name + " is no longer a member of the federation " +
                              settings.federation + ": another federate or the RTI resigned it",
                          {});
  e.category = Category::peer;
  e.notes.push_back(way_back());
  throw ConfigurationError(d);
}

void Federate::Work::fail_without_master() const {
  Diagnostics d;
  const auto& gone = ending.peer;
  const bool known = gone && gone->lost;
  Diagnostic& e = d.error(
      "V5329",
      "the Master of " + settings.federation + (known ? ", " + gone->name + "," : "") +
          " is gone without a shutdown" + (known && !gone->why.empty() ? ": " + gone->why : ""),
      {});
  e.category = Category::peer;
  e.notes.push_back("without a Master the federation cannot be frozen or shut down: restart it");
  throw ConfigurationError(d);
}

namespace {

std::string words_of_peers(const detail::Ending::Gone& g) {
  return g.name + (g.lost ? " was lost" : " left") + (g.why.empty() ? "" : ": " + g.why);
}

}  // namespace

void Federate::Work::fail_shut_down() const {
  Diagnostics d;
  Diagnostic& e = d.error(
      "V5336", settings.federation + " was shut down, since " + words_of_peers(*ending.peer), {});
  e.category = Category::peer;
  e.notes.push_back("find out why in the messages of " + ending.peer->name +
                    ", then restart the federation");
  throw ConfigurationError(d);
}

void Federate::Work::fail_without_peer() const {
  Diagnostics d;
  Diagnostic& e = d.error("V5335",
                          settings.name + " cannot continue in " + settings.federation + ": " +
                              words_of_peers(*ending.peer),
                          {});
  e.category = Category::peer;
  e.notes.push_back(ending.peer->name == settings.pacer
                        ? "it set the pace: without it time is tied to no clock"
                        : "the federation cannot do without it");
  e.notes.push_back("find out why in its messages, then restart the federation");
  throw ConfigurationError(d);
}

// Every wait also watches for the end (rule 7-17).
void Federate::Work::leave_if_over() {
  if (ending.connection_lost) fail_lost(*ending.connection_lost);
  if (interrupted.load()) throw Over{};
  const auto& gone = ending.peer;
  if (ending.shutdown) {
    // a shutdown right after a loss is a consequence of it
    if (settings.master || !gone || !(gone->lost || gone->needed) ||
        time.granted > gone->at + 2 * configuration().least_common)
      throw Over{};
    fail_shut_down();
  }
  // the RTI's report arrives after the removal of objects
  constexpr std::chrono::milliseconds moment{200};
  const auto now = detail::Ending::Clock::now();
  const bool reported = !peers_.has_mom() || (gone && gone->lost);
  if (gone && gone->needed && (reported || now - gone->since > moment)) fail_without_peer();
  if (ending.master_gone && (reported || now - *ending.master_gone > moment)) fail_without_master();
}

}  // namespace vernier::spacefom
