#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "vernier/gateway/federation/messages.hpp"

namespace vernier::federation {

struct Federate;

/// A set of small integers. Members below 64 need no allocation.
class Bits {
 public:
  static constexpr bool visited = true;

  bool has(std::size_t n) const noexcept {
    if (n < 64) return (first_ >> n & 1u) != 0;
    const std::size_t word = n / 64 - 1;
    return word < more_.size() && (more_[word] >> (n % 64) & 1u) != 0;
  }
  void set(std::size_t n, bool on = true) {
    std::uint64_t* word = &first_;
    if (n >= 64) {
      if (n / 64 > more_.size()) more_.resize(n / 64);
      word = &more_[n / 64 - 1];
    }
    const std::uint64_t bit = std::uint64_t{1} << (n % 64);
    *word = on ? *word | bit : *word & ~bit;
  }
  bool none() const noexcept {
    return first_ == 0 && std::all_of(more_.begin(), more_.end(), [](auto w) { return w == 0; });
  }
  template <class V>
  void fields(V& v) {
    v(first_, more_);
  }

 private:
  std::uint64_t first_ = 0;
  std::vector<std::uint64_t> more_;
};

/// A table by ascending handle; memory of erased entries is freed page by page.
template <class T>
class Table {
 public:
  T* find(Handle h) const noexcept {
    const std::size_t page = h / page_size;
    return page < pages_.size() && pages_[page] ? pages_[page]->all[h % page_size].get() : nullptr;
  }
  T& put(Handle h, std::unique_ptr<T> t) {
    const std::size_t page = h / page_size;
    if (page >= pages_.size()) pages_.resize(page + 1);
    if (!pages_[page]) pages_[page] = std::make_unique<Page>();
    auto& at = pages_[page]->all[h % page_size];
    if (!at) ++pages_[page]->used, ++size_;
    at = std::move(t);
    return *at;
  }
  void erase(Handle h) {
    if (!find(h)) return;
    auto& page = pages_[h / page_size];
    page->all[h % page_size].reset();
    --size_;
    if (--page->used == 0) page.reset();
  }
  std::size_t size() const noexcept { return size_; }
  /// In the order of handles; `f` may erase and put entries.
  template <class F>
  void each(F f) const {
    for (std::size_t p = 0; p < pages_.size(); ++p) {
      for (std::size_t i = 0; i < page_size && pages_[p]; ++i) {
        if (T* t = pages_[p]->all[i].get()) f(*t);
      }
    }
  }

 private:
  static constexpr std::size_t page_size = 256;
  struct Page {
    std::array<std::unique_ptr<T>, page_size> all;
    std::size_t used = 0;
  };
  std::vector<std::unique_ptr<Page>> pages_;
  std::size_t size_ = 0;
};

/// A pending request to own an attribute.
struct Acquisition {
  Handle federate = 0;
  bool if_available = false;
  Blob tag;
  VERNIER_FIELDS(federate, if_available, tag)
};

/// An attribute of an instance. Slots are in the order of the class's attributes, ascending.
struct Slot {
  Handle attribute = 0;
  Handle owner = 0;  // a federate, 0 for unowned, or rti_owner
  Order order{};
  Handle transportation = 0;
  Numbers regions;             // associated by the owner; empty: the default region
  bool divesting = false;      // by negotiation
  bool asked_confirm = false;  // the owner was asked to confirm
  Blob divesting_tag;
  std::vector<Acquisition> wanted_by;  // in the order of their requests
  bool updates_told = false;           // the owner was told that updates are wanted
  Handle rate_told = 0;                // the rate that it was told
  VERNIER_FIELDS(attribute, owner, order, transportation, regions, divesting, asked_confirm,
                 divesting_tag, wanted_by, updates_told, rate_told)
};

/// An instance that a federate knows, by registration or discovery.
struct Known {
  Handle federate = 0;
  Handle object_class = 0;  // the class as which it is known
  Bits scope;               // slots in scope: owned by another, subscribed, regions overlap
  bool reflected = false;   // it has received an update
  bool updated = false;     // it has sent one
  VERNIER_FIELDS(federate, object_class, scope, reflected, updated)
};

/// The receivers of updates of one set of attributes; computed once and reused until something
/// changes.
struct Route {
  struct Target {
    Federate* federate = nullptr;
    std::uint64_t* received = nullptr;  // counts reflections
    Known* known = nullptr;
    std::int64_t interval_ns = 0;  // minimum between two updates; 0: all updates
    std::int64_t next_ns = 0;
  };
  /// Receivers of the same bytes.
  struct Part {
    Order sent{};
    Handle transportation = 0;
    bool convey_producer = false;
    Numbers picked;          // positions in the update; empty: all
    Numbers region_handles;  // of these attributes, if the receivers want them conveyed
    std::vector<RegionOf> regions;
    std::vector<Target> targets;
  };
  Numbers attributes;
  Handle sender = 0;
  bool ordered = false;  // the update has a time stamp from a regulating federate
  std::uint64_t declarations = 0;
  std::vector<Part> parts;
  std::vector<std::uint64_t*> sent;  // counters of updates, one per transportation
};

struct Instance {
  Handle handle = 0;
  Handle object_class = 0;  // the class of registration
  std::string name;
  Handle producer = 0;  // the federate that registered it; rti_owner: the RTI
  std::vector<Slot> slots;
  std::vector<Known> known;  // by federate, ascending
  /// A time-stamped deletion is pending; federates that still know the instance have not received
  /// it.
  Handle deleted_by = 0;
  std::uint32_t deleted_retraction = 0;
  Handle deleted_class = 0;   // the class as which the deleting federate knew it
  std::vector<Route> routes;  // newest last
  VERNIER_FIELDS(handle, object_class, name, producer, slots, known, deleted_by, deleted_retraction,
                 deleted_class)

  Known* known_by(Handle federate) noexcept {
    const auto at = std::lower_bound(known.begin(), known.end(), federate,
                                     [](const Known& k, Handle f) { return k.federate < f; });
    return at != known.end() && at->federate == federate ? &*at : nullptr;
  }
  /// Null when the class has no such attribute.
  Slot* slot(Handle attribute) noexcept {
    const auto at = std::lower_bound(slots.begin(), slots.end(), attribute,
                                     [](const Slot& s, Handle a) { return s.attribute < a; });
    return at != slots.end() && at->attribute == attribute ? &*at : nullptr;
  }
  std::size_t place(const Slot& s) const noexcept {
    return static_cast<std::size_t>(&s - slots.data());
  }
};

}  // namespace vernier::federation
