// Storage, validation and adoption of saved federation states.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "vernier/gateway/federation/detail/saved.hpp"
#include "vernier/gateway/federation/federation.hpp"
#include "vernier/gateway/federation/regions.hpp"

namespace vernier::federation {

// ---- storage of saved states

namespace {

constexpr std::uint64_t save_magic = 0x4556415349545256;  // "VRTISAVE"
constexpr std::uint32_t save_version = 2;
constexpr std::uintmax_t largest_save = std::uintmax_t{4} << 30;

/// FNV-1a, to detect damaged or truncated files.
std::uint64_t hash_of(Bytes bytes) noexcept {
  std::uint64_t h = 14695981039346656037u;
  for (const std::byte b : bytes) h = (h ^ static_cast<std::uint64_t>(b)) * 1099511628211u;
  return h;
}

std::string file_part(const std::string& text) {
  std::string name;
  for (const char c : text) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '-' || c == '_';
    if (name.size() < 80) name += plain ? c : '_';
  }
  return name;
}

bool ascends(const Numbers& all, Handle most) {
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i] == 0 || all[i] > most || (i > 0 && all[i] <= all[i - 1])) return false;
  }
  return true;
}

}  // namespace

std::string SaveStore::file(const std::string& federation, const std::string& label) const {
  // the hash also covers characters that are replaced in the file name
  const std::string both = federation + '\n' + label;
  char hash[20];
  std::snprintf(hash, sizeof hash, "%016llx",
                static_cast<unsigned long long>(hash_of(std::as_bytes(std::span(both)))));
  return (std::filesystem::path(folder_) /
          (file_part(federation) + "." + file_part(label) + "." + hash + ".rti"))
      .string();
}

bool SaveStore::has_room(const std::string& federation, const std::string& label) const {
  if (folder_.empty()) return kept_.size() < most_in_memory || kept_.contains({federation, label});
  const std::filesystem::path own = file(federation, label);
  std::size_t others = 0;
  std::uintmax_t bytes = 0;
  std::error_code error;
  for (std::filesystem::directory_iterator at(folder_, error), end; !error && at != end;
       at.increment(error)) {
    if (at->path().extension() != ".rti" || at->path() == own) continue;
    std::error_code gone;
    const std::uintmax_t size = at->file_size(gone);
    if (!gone) bytes += size;
    if (++others >= most_in_folder || bytes >= most_folder_bytes) return false;
  }
  return true;
}

bool SaveStore::put(const std::string& federation, const std::string& label, Blob state) {
  if (folder_.empty()) {
    std::size_t bytes = state.size();
    for (const auto& [key, kept] : kept_) bytes += kept.size();
    if (bytes > most_bytes) return false;
    kept_[{federation, label}] = std::move(state);
    return true;
  }
  if (!has_room(federation, label)) return false;  // others may have saved since the request
  const std::string name = file(federation, label), fresh = name + ".new";
  Blob head;
  Writer w(head);
  w(save_magic, save_version, static_cast<std::uint64_t>(state.size()), hash_of(state));
  std::error_code error;
  std::filesystem::create_directories(folder_, error);
  error.clear();  // if the directory cannot be created, writing fails below
  {
    std::ofstream out(fresh, std::ios::binary | std::ios::trunc);
    for (const Blob* part : {&head, &state})
      out.write(reinterpret_cast<const char*>(part->data()),
                static_cast<std::streamsize>(part->size()));
    if (!out.flush()) error = std::make_error_code(std::errc::io_error);
  }
  if (!error) std::filesystem::rename(fresh, name, error);
  if (!error) return true;
  std::filesystem::remove(fresh, error);
  return false;
}

std::optional<Blob> SaveStore::get(const std::string& federation, const std::string& label) const {
  if (folder_.empty()) {
    const auto at = kept_.find({federation, label});
    return at == kept_.end() ? std::nullopt : std::optional(at->second);
  }
  const std::string name = file(federation, label);
  std::error_code error;
  const auto size = std::filesystem::file_size(name, error);
  if (error || size > largest_save) return {};
  Blob all(size);
  std::ifstream in(name, std::ios::binary);
  if (!in.read(reinterpret_cast<char*>(all.data()), static_cast<std::streamsize>(size))) return {};
  Reader r(all);
  std::uint64_t magic = 0, length = 0, hash = 0;
  std::uint32_t version = 0;
  r(magic, version, length, hash);
  const Bytes body = r.rest();
  if (!r.ok() || magic != save_magic || version != save_version || length != body.size() ||
      hash != hash_of(body))
    return {};
  return Blob(body.begin(), body.end());
}

// ---- checks of an untrusted state

/// Checks that every reference in a state is valid. Its FOM is the beginning of ours.
class SavedCheck {
 public:
  SavedCheck(const FomTables& t, Handle end) : tables_(t), members_(end, false) {}

  bool federate(const Federate& f) {
    if (f.handle == 0 || f.handle >= members_.size() || members_[f.handle]) return false;
    members_[f.handle] = true;
    if (f.resign > ResignAction::none || f.objects.size() > tables_.object_classes.size() + 1 ||
        f.interactions.size() > tables_.interaction_classes.size() + 1)
      return false;
    for (std::size_t c = 0; c < f.objects.size(); ++c) {
      const ObjectDeclaration& d = f.objects[c];
      if (c == 0 && !(d.published.empty() && d.subscribed.empty())) return false;
      Numbers subscribed;
      for (const AttributeSubscription& s : d.subscribed) {
        subscribed.push_back(s.attribute);
        if (s.rate > tables_.rates.size() || (!s.plain && s.regions.empty())) return false;
      }
      if (c == 0) continue;
      const Numbers& members = tables_.object_classes[c - 1].members;
      for (const Numbers* all : {static_cast<const Numbers*>(&subscribed), &d.published}) {
        if (!ascends(*all, static_cast<Handle>(tables_.attributes.size())) ||
            !std::includes(members.begin(), members.end(), all->begin(), all->end()))
          return false;
      }
    }
    for (std::size_t c = 1; c < f.interactions.size(); ++c) {
      const InteractionDeclaration& d = f.interactions[c];
      if (d.order > Order::time_stamp || !transportation(d.transportation)) return false;
    }
    return true;
  }

  bool instance(const Instance& i) const {
    if (i.object_class == 0 || i.object_class > tables_.object_classes.size()) return false;
    const Numbers& members = tables_.object_classes[i.object_class - 1].members;
    if (i.slots.size() > members.size() || !owner(i.deleted_by)) return false;
    for (std::size_t n = 0; n < i.slots.size(); ++n) {
      const Slot& s = i.slots[n];
      if (s.attribute != members[n] || !owner(s.owner) || s.order > Order::time_stamp ||
          !transportation(s.transportation) || s.rate_told > tables_.rates.size() ||
          s.regions.size() > Regions::most_together)
        return false;
      for (const Acquisition& a : s.wanted_by) {
        if (!member(a.federate)) return false;
      }
    }
    Handle last = 0;
    for (const Known& k : i.known) {
      if (!member(k.federate) || k.federate <= last || !is_a(i.object_class, k.object_class))
        return false;
      last = k.federate;
    }
    return i.deleted_by == 0 || is_a(i.object_class, i.deleted_class) || i.deleted_class == 0;
  }

  bool member(Handle h) const noexcept { return h < members_.size() && members_[h]; }

 private:
  bool owner(Handle h) const noexcept { return h == 0 || h == rti_owner || member(h); }
  bool transportation(Handle h) const noexcept {
    return h > 0 && h <= tables_.transportations.size();
  }
  bool is_a(Handle c, Handle ancestor) const noexcept {
    if (ancestor == 0) return false;
    while (c > ancestor) c = tables_.object_classes[c - 1].parent;
    return c == ancestor;
  }

  const FomTables& tables_;
  std::vector<bool> members_;
};

std::unique_ptr<Federation::SavedState> Federation::parsed_state(Bytes bytes) const {
  auto s = std::make_unique<SavedState>();
  Reader r(bytes);
  s->fields(r);
  if (!r.complete() || s->name != name_ || s->kind != time_.kind() || s->own_time != own_time_ ||
      s->documents.size() > documents_.size() || s->federates_end > limits.joins + 1)
    return {};
  for (std::size_t d = 0; d < s->documents.size(); ++d) {
    if (s->documents[d].text != documents_[d].text) return {};
  }
  SavedCheck check(tables_, std::max(s->federates_end, Handle{1}));
  std::vector<std::string> names;
  for (const Federate& f : s->federates) {
    if (!check.federate(f)) return {};
    names.push_back(f.name);
  }
  std::sort(names.begin(), names.end());
  if (std::adjacent_find(names.begin(), names.end()) != names.end()) return {};
  Handle last = 0;
  names.clear();
  for (const Instance& i : s->instances) {
    if (i.handle <= last || i.handle >= s->next_instance || !check.instance(i)) return {};
    last = i.handle;
    names.push_back(i.name);
  }
  std::sort(names.begin(), names.end());
  if (std::adjacent_find(names.begin(), names.end()) != names.end()) return {};
  for (const ReservedName& n : s->reserved) {
    if (!check.member(n.by)) return {};
  }
  for (const NamedPoint& p : s->points) {
    for (const Point::Participant& m : p.point.members) {
      if (!check.member(m.federate)) return {};
    }
  }
  for (const WaitingMessage& m : s->waiting) {
    if (!check.member(m.to) || !header(m.frame)) return {};
  }
  TimeManager time(s->kind, [](Handle, const Frame&) {});
  Regions regions;
  if (!time.load(s->time) || !regions.load(s->regions) || time.members() != s->federates.size())
    return {};
  for (const Federate& f : s->federates) {
    if (!time.member(f.handle)) return {};
  }
  return s;
}

/// Makes the saved state the current one; federates keep their connections.
bool Federation::adopt(SavedState& s) {
  if (!time_.load(s.time) || !regions_->load(s.regions)) return false;
  std::vector<std::unique_ptr<Federate>> all(
      std::max<std::size_t>(s.federates_end, federates_.size()));
  joined_.clear();
  for (Federate& saved : s.federates) {
    const auto at = std::find_if(federates_.begin(), federates_.end(), [&](const auto& f) {
      return f && f->restored_as == saved.handle;
    });
    std::unique_ptr<Federate> f = std::move(*at);
    saved.peer = f->peer;
    saved.connection = f->connection;
    *f = std::move(saved);
    size_tables(*f);
    joined_.push_back(f.get());
    all[f->handle] = std::move(f);
  }
  federates_ = std::move(all);
  instances_ = {};
  names_.clear();
  deleting_.clear();
  points_.clear();
  auto_provide_ = s.auto_provide;
  next_instance_ = std::max(next_instance_, s.next_instance);
  for (ReservedName& n : s.reserved) names_[n.name].reserved_by = n.by;
  for (Instance& i : s.instances) {
    names_[i.name].object = i.handle;
    if (i.deleted_by != 0) deleting_.push_back(i.handle);
    const Numbers& members = tables_.object_classes[i.object_class - 1].members;
    for (std::size_t n = i.slots.size(); n < members.size(); ++n)
      i.slots.push_back(fresh_slot(members[n]));
    const Handle h = i.handle;
    instances_.put(h, std::make_unique<Instance>(std::move(i)));
  }
  for (WaitingMessage& m : s.waiting)
    federates_[m.to]->waiting.push_back(std::make_shared<const Blob>(std::move(m.frame)));
  for (NamedPoint& p : s.points) points_[p.label] = std::move(p.point);
  routes_changed();
  return true;
}

MemberState Federation::member_state(const Federate& f) const {
  MemberState m;
  m.federate = f.handle;
  m.name = f.name;
  instances_.each([&](Instance& i) {
    const Known* k = i.known_by(f.handle);
    if (!k) return;
    KnownObject o{i.handle, k->object_class, i.name, {}, {}};
    for (const Slot& s : i.slots) {
      if (s.owner != f.handle) continue;
      o.owned.push_back(s.attribute);
      if (s.order == Order::time_stamp) o.time_stamped.push_back(s.attribute);
    }
    m.objects.push_back(std::move(o));
  });
  for (Handle c = 1; c < f.objects.size(); ++c) {
    if (!f.objects[c].published.empty()) m.published.push_back({c, f.objects[c].published});
  }
  for (Handle c = 1; c < f.interactions.size(); ++c) {
    if (!f.interactions[c].published) continue;
    m.published_interactions.push_back(c);
    if (f.interactions[c].order == Order::time_stamp) m.time_stamped_interactions.push_back(c);
  }
  m.regions = regions_->of(f.handle);
  const TimeManager::Report t = time_.report(f.handle);
  m.regulating = t.regulating;
  m.constrained = t.constrained;
  m.asynchronous = t.asynchronous;
  m.time = t.time;
  m.lookahead = t.lookahead;
  m.switches = f.switches;
  m.resign = f.resign;
  m.service_reporting = f.service_reporting;
  m.exception_reporting = f.exception_reporting;
  return m;
}

}  // namespace vernier::federation
