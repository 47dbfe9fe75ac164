#pragma once

#include <RTI/NullFederateAmbassador.h>
#include <RTI/RTI1516.h>
#include <RTI/time/HLAfloat64Time.h>
#include <RTI/time/HLAinteger64Interval.h>
#include <RTI/time/HLAinteger64Time.h>

#include <gtest/gtest.h>

#include <condition_variable>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "vernier/rti1516e/ambassador.hpp"

namespace vernier::hla {

/// Handles of the FOM below.
enum : Handle { class_root = 1, class_a, class_b, class_c };
enum : Handle { privilege = 1, attribute_x, attribute_y, attribute_z, attribute_w };
enum : Handle { interaction_root = 1, interaction_i, interaction_j };
enum : Handle { parameter_p = 1, parameter_q };
enum : Handle { dimension_d = 1, dimension_e };

inline FomTables some_fom() {
  using wire::Order;
  FomTables t;
  t.object_classes = {{"HLAobjectRoot", 0, {1}, {}, 0, {}},
                      {"HLAobjectRoot.A", 1, {1, 2, 3}, {}, 0, {}},
                      {"HLAobjectRoot.A.B", 2, {1, 2, 3, 4}, {}, 0, {}},
                      {"HLAobjectRoot.C", 1, {1, 5}, {}, 0, {}}};
  t.attributes = {{"HLAprivilegeToDeleteObject", Order::time_stamp, 1, {}},
                  {"x", Order::time_stamp, 1, {dimension_d}},
                  {"y", Order::receive, 2, {}},
                  {"z", Order::receive, 1, {}},
                  {"x", Order::receive, 1, {}}};
  t.interaction_classes = {{"HLAinteractionRoot", 0, {}, Order::receive, 1, {}},
                           {"HLAinteractionRoot.I", 1, {1}, Order::time_stamp, 1, {dimension_d}},
                           {"HLAinteractionRoot.I.J", 2, {1, 2}, Order::receive, 2, {}}};
  t.parameters = {{"p", {}, 0, {}}, {"q", {}, 0, {}}};
  t.dimensions = {{"D", 10}, {"E", 0}};
  t.transportations = {"HLAreliable", "HLAbestEffort"};
  t.rates = {{"slow", 2.5}};
  return t;
}

template <class M>
wire::Blob encoded(const M& message) {
  wire::Blob b;
  wire::Writer w(b);
  const_cast<M&>(message).fields(w);
  return b;
}

template <class Expected, class F>
bool throws(F&& call) {
  try {
    call();
  } catch (const Expected&) {
    return true;
  }
  return false;
}

/// Grants every request without further checks, and sends what a test tells it to.
class FakeRti {
 public:
  /// Requests of these kinds are refused with this failure; all others are granted.
  std::map<Kind, wire::Failure> refused;
  wire::Joined joined{.federate = 7,
                      .name = "me",
                      .time = wire::TimeKind::integer64,
                      .tables = encoded(some_fom()),
                      .switches = {},
                      .resign = wire::ResignAction::cancel_then_delete_then_divest};
  std::optional<Stamp> time = Stamp{42};
  bool deaf = false;  // does not keep the frames it receives
  /// Frames sent just before a request of the kind is answered.
  std::map<Kind, std::vector<std::vector<std::byte>>> first;

  template <class M>
  void say(const M& message, std::uint32_t sequence = 0) {
    const std::lock_guard lock(mutex_);
    put(message, sequence);
  }
  void say_bytes(std::vector<std::byte> frame) {
    const std::lock_guard lock(mutex_);
    to_federate_.push_back(std::move(frame));
    changed_.notify_all();
  }
  void vanish(std::string why) {
    const std::lock_guard lock(mutex_);
    gone_ = why;
    changed_.notify_all();
  }
  /// All frames of the kind that the federate sent since the last call.
  template <class M>
  std::vector<std::vector<std::byte>> heard() {
    const std::lock_guard lock(mutex_);
    std::vector<std::vector<std::byte>> found;
    std::erase_if(from_federate_, [&](std::vector<std::byte>& f) {
      if (wire::header(f)->kind != M::kind) return false;
      found.push_back(std::move(f));
      return true;
    });
    return found;
  }
  /// The last one of the kind.
  template <class M>
  M last() {
    last_ = heard<M>();
    M m;
    EXPECT_FALSE(last_.empty());
    EXPECT_TRUE(last_.empty() || wire::read(last_.back(), m));
    return m;
  }
  int flushes() {
    const std::lock_guard lock(mutex_);
    return flushes_;
  }

  VernierAmbassador::Connect connector() {
    return [this](const wire::Designator&, std::string&) {
      gone_.reset();
      return std::make_unique<Way>(*this);
    };
  }

 private:
  class Way final : public RtiTransport {
   public:
    explicit Way(FakeRti& rti) : rti_(rti) {}
    bool send(Bytes frame) override {
      const std::lock_guard lock(rti_.mutex_);
      if (rti_.gone_) return false;
      if (!rti_.deaf) rti_.from_federate_.emplace_back(frame.begin(), frame.end());
      if (const wire::Header h = *wire::header(frame); h.sequence != 0) rti_.answer(h, frame);
      return true;
    }
    bool flush() override {
      const std::lock_guard lock(rti_.mutex_);
      ++rti_.flushes_;
      return !rti_.gone_;
    }
    bool receive(Clock::time_point until, const std::function<void(Bytes)>& take) override {
      std::unique_lock lock(rti_.mutex_);
      rti_.changed_.wait_until(lock, until,
                               [&] { return !rti_.to_federate_.empty() || woken_ || rti_.gone_; });
      woken_ = false;
      if (rti_.to_federate_.empty()) return !rti_.gone_;
      const bool one_by_one = !rti_.first.empty();
      do {
        take(rti_.to_federate_.front());
        rti_.to_federate_.pop_front();
      } while (!rti_.to_federate_.empty() && !one_by_one);
      return true;
    }
    void wake() override {
      const std::lock_guard lock(rti_.mutex_);
      woken_ = true;
      rti_.changed_.notify_all();
    }
    std::string why_lost() const override {
      const std::lock_guard lock(rti_.mutex_);
      return rti_.gone_.value_or("");
    }

   private:
    FakeRti& rti_;
    bool woken_ = false;
  };

  template <class M>
  void put(const M& message, std::uint32_t sequence) {
    wire::write(to_federate_.emplace_back(), message, sequence);
    changed_.notify_all();
  }
  void answer(const wire::Header& h, Bytes frame) {
    wire::Answer a;
    if (const auto at = refused.find(h.kind); at != refused.end()) {
      a.failure = at->second;
      a.text = "no: \xc3\xa4";  // ä
    } else {
      a.body = body(h.kind, frame);
    }
    if (const auto at = first.find(h.kind); at != first.end())
      to_federate_.insert(to_federate_.end(), at->second.begin(), at->second.end());
    put(a, h.sequence);
  }
  wire::Blob body(Kind kind, Bytes frame) {
    switch (kind) {
      case Kind::join:
        return encoded(joined);
      case Kind::register_object: {
        wire::RegisterObject m;
        wire::read(frame, m);
        ++objects_;
        return encoded(wire::Registered{100 + objects_,
                                        m.name.value_or("object " + std::to_string(objects_))});
      }
      case Kind::create_region:
        return encoded(wire::Created{200 + ++regions_});
      case Kind::divest_if_wanted:
        return encoded(wire::Divested{{attribute_x}});
      case Kind::query_galt:
      case Kind::query_lits:
      case Kind::query_lookahead:
        return encoded(wire::MaybeTime{time});
      case Kind::query_rate:
        return encoded(wire::Rate{12.5});
      case Kind::find_federate:
        return encoded(wire::Found{9});
      case Kind::name_federate:
        return encoded(wire::Named{"other"});
      default:
        return {};
    }
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::vector<std::byte>> to_federate_;
  std::vector<std::vector<std::byte>> from_federate_, last_;
  std::optional<std::string> gone_;
  int flushes_ = 0;
  Handle objects_ = 0, regions_ = 0;
};

/// A joined federate, connected to an RTI that sends nothing by itself.
struct Rig {
  explicit Rig(FederateAmbassador& f, CallbackModel model = HLA_EVOKED) {
    ambassador.connect(f, model, L"");
    ambassador.joinFederationExecution(L"me", L"type", L"federation", {});
  }
  /// Registers an instance of A with all attributes.
  ObjectInstanceHandle object() {
    ambassador.publishObjectClassAttributes(handle<ObjectClassHandle>(class_a), both);
    return ambassador.registerObjectInstance(handle<ObjectClassHandle>(class_a));
  }
  void evoke_all() {
    while (ambassador.evokeCallback(0.0)) {
    }
  }
  void regulate(long lookahead) {
    ambassador.enableTimeRegulation(HLAinteger64Interval(lookahead));
    rti.say(wire::RegulationEnabled{Stamp{0}});
    evoke_all();
  }

  FakeRti rti;
  VernierAmbassador ambassador{rti.connector()};
  const AttributeHandleSet both{handle<AttributeHandle>(attribute_x),
                                handle<AttributeHandle>(attribute_y)};
  const AttributeHandleSet x{handle<AttributeHandle>(attribute_x)},
      y{handle<AttributeHandle>(attribute_y)}, z{handle<AttributeHandle>(attribute_z)};
  const VariableLengthData tag{"tag", 3};
};

}  // namespace vernier::hla
