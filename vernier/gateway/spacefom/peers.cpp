#include <algorithm>

#include "vernier/gateway/spacefom/detail/waiting.hpp"

namespace vernier::spacefom {
namespace {

/// HLAlogicalTime, HLAtimeInterval: the encoded time behind its length; empty: none.
std::optional<Ticks> time_in(std::span<const std::byte> bytes) noexcept {
  if (bytes.size() < 8) return {};
  return read_ticks(bytes.last(8));
}

}  // namespace

// Who of the others holds time back, and who is lost: as far as the RTI's management objects tell.

void Federate::Work::watch_peers() {
  declare(federates_);
  rti().subscribeObjectClassAttributes(
      federates_.handle,
      settings.observes
          ? rti1516e::AttributeHandleSet(federates_.handles.begin(), federates_.handles.end())
          : rti1516e::AttributeHandleSet{federates_.handles[0]});
  has_mom_ = true;
  lost_report_ = rti().getInteractionClassHandle(
      L"HLAinteractionRoot.HLAmanager.HLAfederate.HLAreport.HLAreportFederateLost");
  lost_name_ = rti().getParameterHandle(lost_report_, L"HLAfederateName");
  lost_why_ = rti().getParameterHandle(lost_report_, L"HLAfaultDescription");
  rti().subscribeInteractionClass(lost_report_);
}

// -- time ----------------------------------------------------------------------------------------

// The state of time management changes with every step of everybody: it is subscribed only while
// time is held back.
void Federate::Work::look_for_keeper() {
  if (!has_mom_ || !names_keepers) return;
  for (Remote& r : remotes)
    if (r.object_class == federates_.name)
      for (std::size_t i = 1; i < r.values.size(); ++i) r.values[i].bytes.clear();
  const rti1516e::AttributeHandleSet wanted(federates_.handles.begin() + 1,
                                            federates_.handles.end());
  if (!std::exchange(looking_, true))
    rti().subscribeObjectClassAttributes(federates_.handle, wanted);
  rti().requestAttributeValueUpdate(federates_.handle, wanted, {});
}

// Whoever has not asked to advance holds time back; of several, the one whose messages may come
// earliest.
void Federate::Work::note_keeper() {
  Ticks least = 0;
  const Remote* found = nullptr;
  for (const Remote& r : remotes) {
    if (r.object_class != federates_.name) continue;
    const auto &state = r.values[1].bytes, &time = r.values[2].bytes, &ahead = r.values[3].bytes;
    const auto t = time_in(time), l = time_in(ahead);
    // HLAtimeState, 32 bits, big endian: 0 is granted; without a lookahead it does not regulate
    if (state.size() != 4 || state.back() != std::byte{0} || !t || !l) continue;
    if (read_string(r.values[0].bytes) == settings.name || (found && sum_of(*t, *l) >= least))
      continue;
    found = &r;
    least = sum_of(*t, *l);
  }
  if (found) keeper = read_string(found->values[0].bytes).value_or("");
}

void Federate::Work::end_looking() {
  if (!std::exchange(looking_, false) || settings.observes) return;
  rti().unsubscribeObjectClassAttributes(
      federates_.handle,
      rti1516e::AttributeHandleSet(federates_.handles.begin() + 1, federates_.handles.end()));
}

// -- loss ----------------------------------------------------------------------------------------

void Federate::Work::peer_lost(const detail::Event& e) {
  const auto text = [&](const rti1516e::ParameterHandle& h) {
    const auto p = e.parameters.find(h);
    if (p == e.parameters.end()) return std::string();
    return read_string({static_cast<const std::byte*>(p->second.data()), p->second.size()})
        .value_or("");
  };
  peer_gone(text(lost_name_), text(lost_why_), true);
}

void Federate::Work::peer_gone(const std::string& name, const std::string& why, bool lost) {
  if (name.empty() || name == settings.name || (gone_ && gone_->needed && gone_->lost)) return;
  const auto& required = settings.federates;
  Gone g{name, why, granted, lost, false, std::chrono::steady_clock::now()};
  // the Pacing federate is needed to the end; others that leave in order have done their part
  if (role_known_)
    g.needed = name == settings.pacer ||
               (lost && settings.master &&
                std::find(required.begin(), required.end(), name) != required.end()) ||
               // nobody knows yet who the Master is
               (lost && early && !settings.master && !exco_object_.isValid());
  if (lost || g.needed) gone_ = std::move(g);
}

// Without management objects only the names tell.
void Federate::Work::miss_required() {
  if (has_mom_ || !settings.master || !role_known_) return;
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
           "start all federates anew";
  const Ticks common = configuration.least_common;
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
  e.notes.push_back("if the RTI has ended: vernier rti, then all federates anew");
  e.notes.push_back(way_back());
  throw ConfigurationError(d);
}

void Federate::Work::fail_expelled() const {
  Diagnostics d;
  Diagnostic& e = d.error("V5328",
                          settings.name + " is no longer a member of the federation " +
                              settings.federation + ": somebody resigned it",
                          {});
  e.notes.push_back(way_back());
  throw ConfigurationError(d);
}

void Federate::Work::fail_without_master() const {
  Diagnostics d;
  const bool known = gone_ && gone_->lost;
  Diagnostic& e = d.error(
      "V5329",
      "the Master of " + settings.federation + (known ? ", " + gone_->name + "," : "") +
          " is gone without a shutdown" + (known && !gone_->why.empty() ? ": " + gone_->why : ""),
      {});
  e.notes.push_back("nobody can freeze or end the federation in order any more: start it anew");
  throw ConfigurationError(d);
}

void Federate::Work::leave_if_over() {
  if (lost_) fail_lost(*lost_);
  if (interrupted.load()) throw Over{};
  const auto who = [this] {
    return gone_->name + (gone_->lost ? " was lost" : " left") +
           (gone_->why.empty() ? "" : ": " + gone_->why);
  };
  if (shutdown_) {
    // right after a loss, it is because of it
    if (settings.master || !gone_ || !(gone_->lost || gone_->needed) ||
        granted > gone_->at + 2 * configuration.least_common)
      throw Over{};
    Diagnostics d;
    d.error("V5336", settings.federation + " was shut down, since " + who(), {})
        .notes.push_back("find out why in the messages of " + gone_->name +
                         ", then start the federation anew");
    throw ConfigurationError(d);
  }
  // the RTI's report comes behind the removal of objects
  constexpr std::chrono::milliseconds moment{200};
  const auto now = std::chrono::steady_clock::now();
  const bool reported = !has_mom_ || (gone_ && gone_->lost);
  if (gone_ && gone_->needed && (reported || now - gone_->since > moment)) {
    Diagnostics d;
    Diagnostic& e = d.error(
        "V5335", settings.name + " cannot go on in " + settings.federation + ": " + who(), {});
    e.notes.push_back(gone_->name == settings.pacer
                          ? "it set the pace: without it time is tied to no clock"
                          : "the federation cannot do without it");
    e.notes.push_back("find out why in its messages, then start the federation anew");
    throw ConfigurationError(d);
  }
  if (master_lost_ && (reported || now - master_lost_at_ > moment)) fail_without_master();
}

}  // namespace vernier::spacefom
