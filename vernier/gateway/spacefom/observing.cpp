#include <algorithm>

#include "vernier/gateway/spacefom/detail/peers.hpp"

namespace vernier::spacefom::detail {
namespace {

/// HLAlogicalTime, HLAtimeInterval: the encoded time after its length; empty: none.
std::optional<Ticks> time_in(std::span<const std::byte> bytes) noexcept {
  if (bytes.size() < 8) return {};
  return read_ticks(bytes.last(8));
}

/// A big-endian number of any size, after `skip` bytes.
std::optional<Ticks> number_in(const Octets& b, std::size_t skip) {
  if (b.size() <= skip || b.size() - skip > 8) return {};
  std::uint64_t n = 0;
  for (std::size_t i = skip; i < b.size(); ++i) n = n << 8 | static_cast<std::uint64_t>(b[i]);
  return static_cast<Ticks>(n);
}

/// Slots of the federates' class; the last three only with Settings::observes.
struct Slot {
  static constexpr std::size_t name = 0, state = 1, time = 2, lookahead = 3, type = 4,
                               regulating = 5, constrained = 6;
};

}  // namespace

Peers::Peers(Mirror& mirror, const Settings& settings)
    : mirror_(mirror),
      settings_(settings),
      federates_(
          mirror.add("HLAobjectRoot.HLAmanager.HLAfederate",
                     {"HLAfederateName", "HLAtimeManagerState", "HLAlogicalTime", "HLAlookahead"},
                     Class::Concern::federates)) {
  if (settings_.observes)
    for (const char* a : {"HLAfederateType", "HLAtimeRegulating", "HLAtimeConstrained"})
      federates_.attributes.emplace_back(a);
}

void Peers::watch(rti1516e::RTIambassador& rti) {
  federates_.resolve(rti);
  rti.subscribeObjectClassAttributes(
      federates_.handle, settings_.observes
                             ? federates_.all()
                             : rti1516e::AttributeHandleSet{federates_.handles[Slot::name]});
  watch_ = Watch::names;
  lost_report_.resolve(rti);
  rti.subscribeInteractionClass(lost_report_.handle);
}

std::vector<std::string> Peers::members() const {
  std::vector<std::string> names;
  for (const Mirror::Object& o : mirror_.objects())
    if (o.of == &federates_)
      if (auto n = read_string(o.remote.values[Slot::name].bytes)) names.push_back(std::move(*n));
  return names;
}

// times in the MOM: a byte count, then an HLAinteger64Time
std::vector<Peer> Peers::all(const Execution& execution) const {
  std::vector<Peer> peers;
  for (const Mirror::Object& o : mirror_.objects()) {
    if (o.of != &federates_) continue;
    const std::vector<Remote::Value>& v = o.remote.values;
    const auto reported = [&](std::size_t s) { return s < v.size() && v[s].updates > 0; };
    const auto on = [&](std::size_t s) {
      return reported(s) && number_in(v[s].bytes, 0).value_or(0) != 0;
    };
    Peer p;
    p.name = read_string(v[Slot::name].bytes).value_or("");
    if (p.name.empty()) continue;
    if (Slot::type < v.size()) p.type = read_string(v[Slot::type].bytes).value_or("");
    p.time = number_in(v[Slot::time].bytes, 4).value_or(-1);
    p.lookahead = number_in(v[Slot::lookahead].bytes, 4).value_or(-1);
    p.known = reported(Slot::regulating) && reported(Slot::constrained);
    p.regulating = on(Slot::regulating);
    p.constrained = on(Slot::constrained);
    p.advancing = on(Slot::state);
    for (const auto& [object, owner] : owners_) {
      if (owner != p.name) continue;
      p.master |= object == execution.object;
      const Mirror::Object* known = mirror_.find(object);
      p.root_publisher |= known && known->remote.name == execution.configuration.root_frame;
    }
    peers.push_back(std::move(p));
  }
  return peers;
}

void Peers::look_around(rti1516e::RTIambassador& rti, const Execution& execution) {
  if (has_mom()) rti.requestAttributeValueUpdate(federates_.handle, federates_.all(), {});
  if (!owners_.empty()) return;  // both roles are constant
  if (execution.known() && !settings_.master)
    rti.queryAttributeOwnership(execution.object, execution.exco->handles.front());
  for (const Mirror::Object& o : mirror_.objects())
    if (o.remote.name == execution.configuration.root_frame)
      rti.queryAttributeOwnership(o.handle, o.of->handles.front());
}

void Peers::owned(rti1516e::RTIambassador& rti, const Event& e) {
  try {
    owners_[e.object] = narrow(rti.getFederateName(e.federate));
  } catch (const rti1516e::Exception&) {  // it resigned meanwhile
  }
}

// -- time ----------------------------------------------------------------------------------------

rti1516e::AttributeHandleSet Peers::time_attributes() const {
  return {federates_.handles.begin() + 1, federates_.handles.end()};
}

void Peers::look_for_keeper(rti1516e::RTIambassador& rti) {
  if (!has_mom() || !names_keepers) return;
  asked_.clear();
  for (const Mirror::Object& o : mirror_.objects()) {
    if (o.of != &federates_) continue;
    const std::vector<Remote::Value>& v = o.remote.values;
    asked_[o.handle] = {v[Slot::state].updates, v[Slot::time].updates, v[Slot::lookahead].updates};
  }
  if (!looking()) rti.subscribeObjectClassAttributes(federates_.handle, time_attributes());
  watch_ = Watch::time;
  rti.requestAttributeValueUpdate(federates_.handle, time_attributes(), {});
}

// A federate that has not requested an advance holds time back; of several, the one whose messages
// may arrive earliest.
void Peers::note_keeper() {
  Ticks least = 0;
  const Remote* found = nullptr;
  for (const Mirror::Object& o : mirror_.objects()) {
    if (o.of != &federates_) continue;
    const std::vector<Remote::Value>& v = o.remote.values;
    // only what was reported since the question; what is older remains for all()
    if (const auto before = asked_.find(o.handle);
        before != asked_.end() && (v[Slot::state].updates == before->second[0] ||
                                   v[Slot::time].updates == before->second[1] ||
                                   v[Slot::lookahead].updates == before->second[2]))
      continue;
    const Octets& granted = v[Slot::state].bytes;
    const auto t = time_in(v[Slot::time].bytes), l = time_in(v[Slot::lookahead].bytes);
    // HLAtimeState, 32 bits, big endian: 0 is granted; without a lookahead it is not regulating
    if (granted.size() != 4 || granted.back() != std::byte{0} || !t || !l) continue;
    if (read_string(v[Slot::name].bytes) == settings_.name || (found && sum_of(*t, *l) >= least))
      continue;
    found = &o.remote;
    least = sum_of(*t, *l);
  }
  if (found) keeper = read_string(found->values[Slot::name].bytes).value_or("");
}

void Peers::end_looking(rti1516e::RTIambassador& rti) {
  if (!looking()) return;
  watch_ = Watch::names;
  if (!settings_.observes)
    rti.unsubscribeObjectClassAttributes(federates_.handle, time_attributes());
}

void Peers::count_wait(std::int64_t ns) {
  waited = ns;
  auto known = std::find_if(keepers.begin(), keepers.end(),
                            [&](const Keeper& k) { return k.name == keeper; });
  if (known == keepers.end()) known = keepers.insert(known, {keeper});
  ++known->steps;
  known->longest = std::max(known->longest, waited);
}

// -- loss ----------------------------------------------------------------------------------------

std::optional<Peers::Lost> Peers::lost(const Event& e) const {
  if (!lost_report_.handle.isValid() || e.interaction != lost_report_.handle) return {};
  const auto text = [&](std::size_t i) {
    const Octets* bytes = bytes_of(e.parameters, lost_report_.handles[i]);
    return bytes ? read_string(*bytes).value_or("") : std::string();
  };
  return Lost{text(0), text(1)};
}

}  // namespace vernier::spacefom::detail
