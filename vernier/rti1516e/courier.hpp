#pragma once

#include <RTI/FederateAmbassador.h>
#include <RTI/time/HLAfloat64Time.h>
#include <RTI/time/HLAinteger64Time.h>

#include <exception>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "vernier/gateway/federation/callbacks.hpp"
#include "vernier/rti1516e/handles.hpp"
#include "vernier/rti1516e/joined_federate.hpp"
#include "vernier/rti1516e/text.hpp"

namespace vernier::hla {

/// Attributes or parameters with their values, which point into the received frame. The memory is
/// reused.
template <class H>
class ValueMap {
 public:
  using Map = std::map<H, ::rti1516e::VariableLengthData>;

  /// False when the values cannot be read.
  bool fill(const federation::Values& values) {
    auto at = map_.begin();
    bool same = true;
    const bool good = federation::for_each(values, [&](Handle n, Bytes b) {
      same = same && at != map_.end() && number(at->first) == n;
      if (same) point(at++->second, b);
    });
    if (!good) return false;
    if (!same || at != map_.end()) rebuild(values);
    return true;
  }
  const Map& map() const noexcept { return map_; }

 private:
  static void point(::rti1516e::VariableLengthData& d, Bytes b) {
    d.setDataPointer(const_cast<std::byte*>(b.data()), b.size());
  }
  void rebuild(const federation::Values& values) {
    while (!map_.empty()) spare_.push_back(map_.extract(map_.begin()));
    federation::for_each(values, [&](Handle n, Bytes b) {
      if (spare_.empty()) {
        point(map_[handle<H>(n)], b);
        return;
      }
      auto node = std::move(spare_.back());
      spare_.pop_back();
      node.key() = handle<H>(n);
      point(node.mapped(), b);
      map_.insert(map_.end(), std::move(node));
    });
  }

  Map map_;
  std::vector<typename Map::node_type> spare_;
};

/// Delivers the RTI's messages to the federate: each updates what the member knows and is then
/// passed on as a callback, with the lock released. One at a time.
class Courier {
 public:
  using Lock = std::unique_lock<std::mutex>;

  void serve(::rti1516e::FederateAmbassador& federate) noexcept { federate_ = &federate; }
  /// False when the message cannot be decoded. Messages for a federation that the federate has left
  /// are dropped.
  bool deliver(Lock&, Bytes frame, std::unique_ptr<JoinedFederate>&);
  void tell_loss(Lock&, const std::string& why);

 private:
  using Holder = std::unique_ptr<JoinedFederate>;

  // one for each message; false when its content is impossible. A callback may end the membership.
#define VERNIER_TAKE(number, kind, M, service) bool take(Lock&, Holder&, federation::M&);
  VERNIER_FEDERATION_CALLBACKS(VERNIER_TAKE)
#undef VERNIER_TAKE

  /// Catches exceptions that the federate throws in a callback.
  template <class F>
  void call(Lock& lock, F&& callback) {
    lock.unlock();
    try {
      callback(*federate_);
    } catch (const ::rti1516e::Exception& e) {
      complain(narrow(e.what()));
    } catch (const std::exception& e) {
      complain(e.what());
    } catch (...) {
      complain("something that is no exception of the standard");
    }
    lock.lock();
  }
  void complain(const std::string& what);
  const ::rti1516e::LogicalTime& time(const TimeClass&, Stamp);
  const ::rti1516e::VariableLengthData& tag(Bytes);

  ::rti1516e::FederateAmbassador* federate_ = nullptr;
  ValueMap<::rti1516e::AttributeHandle> attributes_;
  ValueMap<::rti1516e::ParameterHandle> parameters_;
  ::rti1516e::VariableLengthData tag_;
  ::rti1516e::HLAinteger64Time integer_time_;
  ::rti1516e::HLAfloat64Time float_time_;
  std::shared_ptr<OwnTime> own_;  // the implementation of own_time_
  std::unique_ptr<::rti1516e::LogicalTime> own_time_;
  bool complained_ = false;
};

}  // namespace vernier::hla
