#include <algorithm>
#include <utility>

#include "vernier/gateway/federation/detail/mom.hpp"
#include "vernier/gateway/federation/detail/octets.hpp"

namespace vernier::federation {

using detail::OctetReader;

namespace {

/// Holds back messages to a federate, so that it learns of the service before its consequences.
class Held final : public Peer {
 public:
  explicit Held(Federate& f) : federate_(f), peer_(std::exchange(f.peer, this)) {}
  ~Held() override { federate_.peer = peer_; }
  Held(const Held&) = delete;

  void put(const Frame& f) override { frames_.push_back(f); }
  std::size_t backlog() const noexcept override { return peer_->backlog(); }
  std::string host() const override { return peer_->host(); }
  /// The service was served: sends `first`, then the held messages.
  void release(const Frame& first) {
    peer_->put(first);
    for (const Frame& f : frames_) peer_->put(f);
  }

 private:
  Federate& federate_;
  Peer* peer_;
  std::vector<Frame> frames_;
};

}  // namespace

// ---- adjustments

const std::map<std::string_view, Mom::Act>& Mom::adjustments() {
  static const std::map<std::string_view, Act> all{
      {"HLAfederate.HLAadjust.HLAsetTiming",
       [](Call& c) {
         const auto seconds =
             static_cast<std::int32_t>(c.get("HLAreportPeriod", &OctetReader::number));
         if (seconds < 0) c.wrong("HLAreportPeriod");
         Watched* w = c.mom.watched(c.target->handle);
         if (!w) return;
         w->period = std::chrono::seconds(seconds);
         w->next = Clock::now() + w->period;
         c.mom.due = true;
         c.mom.periodic =
             std::any_of(c.mom.watched_.begin(), c.mom.watched_.end(),
                         [](const auto& one) { return one.second.period.count() > 0; });
       }},
      {"HLAfederate.HLAadjust.HLAmodifyAttributeState",
       [](Call& c) {
         const Handle object = c.get("HLAobjectInstance", &OctetReader::handle);
         const Handle attribute = c.get("HLAattribute", &OctetReader::handle);
         c.mom.federation_.set_ownership(*c.target, object, attribute,
                                         c.get("HLAattributeState", &OctetReader::truth));
       }},
      {"HLAfederate.HLAadjust.HLAsetServiceReporting",
       [](Call& c) {
         const bool on = c.get("HLAreportingState", &OctetReader::truth);
         const auto& classes = c.mom.federation_.tables().interaction_classes;
         for (std::size_t i = 0; on && i < classes.size(); ++i) {
           if (classes[i].path.ends_with(".HLAreportServiceInvocation") &&
               c.mom.federation_.subscribed(*c.target, static_cast<Handle>(i + 1)))
             throw Refusal{Failure::FederateServiceInvocationsAreBeingReportedViaMOM,
                           "The federate itself takes reports of services"};
         }
         c.mom.federation_.set_reporting(*c.target, on, c.target->exception_reporting);
       }},
      {"HLAfederate.HLAadjust.HLAsetExceptionReporting",
       [](Call& c) {
         c.mom.federation_.set_reporting(*c.target, c.target->service_reporting,
                                         c.get("HLAreportingState", &OctetReader::truth));
       }},
      {"HLAfederate.HLAadjust.HLAsetSwitches",
       [](Call& c) {
         const auto value = [&](std::string_view name, bool now) {
           return c.has(name) ? c.get(name, &OctetReader::truth) : now;
         };
         const bool regions = value("HLAconveyRegionDesignatorSets", c.target->convey_regions);
         const bool producer = value("HLAconveyProducingFederate", c.target->convey_producer);
         c.mom.federation_.set_convey(*c.target, producer, regions);
         c.mom.changed();
       }},
      {"HLAfederation.HLAadjust.HLAsetSwitches",
       [](Call& c) {
         if (c.has("HLAautoProvide"))
           c.mom.federation_.set_auto_provide(c.get("HLAautoProvide", &OctetReader::truth));
         c.mom.changed();
       }},
  };
  return all;
}

// ---- services on behalf of a federate

const std::map<std::string_view, Mom::Act>& Mom::services() {
  static const auto serve = []<class M>(Call& c, const M& request) {
    static_assert(mom_invokes<M>, "the federate must know what was done on its behalf");
    Federation& in = c.mom.federation_;
    in.require_running(request.kind);
    Held held(*c.target);
    in.take(*c.target, request);
    const Frame as_asked = frame(request);
    held.release(frame(Served{*as_asked}));
    if (c.target->service_reporting) c.mom.invoked(*c.target, request.kind, *as_asked, {}, nullptr);
  };
  static const auto handle = [](Call& c, std::string_view name) {
    return c.get(name, &OctetReader::handle);
  };
  static const auto handles = [](Call& c) {
    Numbers all = c.get("HLAattributeList", &OctetReader::handles);
    std::sort(all.begin(), all.end());
    return all;
  };
  static const auto truth = [](Call& c, std::string_view name) {
    return c.get(name, &OctetReader::truth);
  };
  static const auto time = [](Call& c, std::string_view name) {
    return c.get(name, &OctetReader::time);
  };
  static const auto order = [](Call& c) {
    return c.get("HLAsendOrder", &OctetReader::truth) ? Order::time_stamp : Order::receive;
  };
  static const auto transportation = [](Call& c) {
    const std::string name = c.get("HLAtransportation", &OctetReader::text);
    const auto& all = c.mom.federation_.tables().transportations;
    const auto at = std::find(all.begin(), all.end(), name);
    if (at == all.end()) throw WrongParameter{"HLAtransportation is not of the FOM"};
    return static_cast<Handle>(at - all.begin() + 1);
  };
  static const auto advance = [](Call& c, AdvanceKind how) {
    serve(c, Advance{how, time(c, "HLAtimeStamp")});
  };
  static const std::map<std::string_view, Act> all{
      {"HLAfederate.HLAservice.HLAresignFederationExecution",
       [](Call& c) {
         const std::uint32_t action = c.get("HLAresignAction", &OctetReader::number);
         if (action < 1 || action > 6) c.wrong("HLAresignAction");
         c.mom.federation_.check_resign(*c.target, static_cast<ResignAction>(action - 1));
         c.mom.evictions.emplace_back(c.target->connection, static_cast<ResignAction>(action - 1));
         c.mom.due = true;
       }},
      {"HLAfederate.HLAservice.HLAsynchronizationPointAchieved",
       [](Call& c) {
         serve(c, AchieveSynchronization{c.get("HLAlabel", &OctetReader::text), true});
       }},
      {"HLAfederate.HLAservice.HLAfederateSaveBegun", [](Call& c) { serve(c, SaveBegun{}); }},
      {"HLAfederate.HLAservice.HLAfederateSaveComplete",
       [](Call& c) { serve(c, SaveDone{truth(c, "HLAsuccessIndicator")}); }},
      {"HLAfederate.HLAservice.HLAfederateRestoreComplete",
       [](Call& c) { serve(c, RestoreDone{truth(c, "HLAsuccessIndicator")}); }},
      {"HLAfederate.HLAservice.HLApublishObjectClassAttributes",
       [](Call& c) {
         serve(c, PublishAttributes{handle(c, "HLAobjectClass"), handles(c)});
       }},
      {"HLAfederate.HLAservice.HLAunpublishObjectClassAttributes",
       [](Call& c) {
         serve(c, UnpublishAttributes{handle(c, "HLAobjectClass"), handles(c)});
       }},
      {"HLAfederate.HLAservice.HLApublishInteractionClass",
       [](Call& c) { serve(c, PublishInteraction{handle(c, "HLAinteractionClass")}); }},
      {"HLAfederate.HLAservice.HLAunpublishInteractionClass",
       [](Call& c) { serve(c, UnpublishInteraction{handle(c, "HLAinteractionClass")}); }},
      {"HLAfederate.HLAservice.HLAsubscribeObjectClassAttributes",
       [](Call& c) {
         serve(c, SubscribeAttributes{.object_class = handle(c, "HLAobjectClass"),
                                      .parts = {{handles(c), {}}},
                                      .active = truth(c, "HLAactive")});
       }},
      {"HLAfederate.HLAservice.HLAunsubscribeObjectClassAttributes",
       [](Call& c) {
         serve(c, UnsubscribeAttributes{.object_class = handle(c, "HLAobjectClass"),
                                        .parts = {{{handles(c), {}}}}});
       }},
      {"HLAfederate.HLAservice.HLAsubscribeInteractionClass",
       [](Call& c) {
         serve(c, SubscribeInteraction{.interaction_class = handle(c, "HLAinteractionClass"),
                                       .active = truth(c, "HLAactive")});
       }},
      {"HLAfederate.HLAservice.HLAunsubscribeInteractionClass",
       [](Call& c) {
         serve(c, UnsubscribeInteraction{.interaction_class = handle(c, "HLAinteractionClass")});
       }},
      {"HLAfederate.HLAservice.HLAdeleteObjectInstance",
       [](Call& c) {
         DeleteObject m{.object = handle(c, "HLAobjectInstance")};
         if (c.has("HLAtag")) m.tag = c.get("HLAtag", &OctetReader::opaque);
         if (c.has("HLAtimeStamp") && c.value("HLAtimeStamp").size() > 4)
           m.time = time(c, "HLAtimeStamp");
         serve(c, m);
       }},
      {"HLAfederate.HLAservice.HLAlocalDeleteObjectInstance",
       [](Call& c) { serve(c, LocalDelete{handle(c, "HLAobjectInstance")}); }},
      {"HLAfederate.HLAservice.HLArequestAttributeTransportationTypeChange",
       [](Call& c) {
         serve(c, ChangeAttributeTransportation{handle(c, "HLAobjectInstance"), handles(c),
                                                transportation(c)});
       }},
      {"HLAfederate.HLAservice.HLArequestInteractionTransportationTypeChange",
       [](Call& c) {
         serve(c, ChangeInteractionTransportation{handle(c, "HLAinteractionClass"),
                                                  transportation(c)});
       }},
      {"HLAfederate.HLAservice.HLAunconditionalAttributeOwnershipDivestiture",
       [](Call& c) {
         serve(c, DivestUnconditionally{handle(c, "HLAobjectInstance"), handles(c)});
       }},
      {"HLAfederate.HLAservice.HLAenableTimeRegulation",
       [](Call& c) { serve(c, EnableRegulation{time(c, "HLAlookahead")}); }},
      {"HLAfederate.HLAservice.HLAdisableTimeRegulation",
       [](Call& c) { serve(c, DisableRegulation{}); }},
      {"HLAfederate.HLAservice.HLAenableTimeConstrained",
       [](Call& c) { serve(c, EnableConstrained{}); }},
      {"HLAfederate.HLAservice.HLAdisableTimeConstrained",
       [](Call& c) { serve(c, DisableConstrained{}); }},
      {"HLAfederate.HLAservice.HLAtimeAdvanceRequest",
       [](Call& c) { advance(c, AdvanceKind::to); }},
      {"HLAfederate.HLAservice.HLAtimeAdvanceRequestAvailable",
       [](Call& c) { advance(c, AdvanceKind::to_available); }},
      {"HLAfederate.HLAservice.HLAnextMessageRequest",
       [](Call& c) { advance(c, AdvanceKind::next); }},
      {"HLAfederate.HLAservice.HLAnextMessageRequestAvailable",
       [](Call& c) { advance(c, AdvanceKind::next_available); }},
      {"HLAfederate.HLAservice.HLAflushQueueRequest",
       [](Call& c) { advance(c, AdvanceKind::flush); }},
      {"HLAfederate.HLAservice.HLAenableAsynchronousDelivery",
       [](Call& c) { serve(c, EnableAsynchronous{}); }},
      {"HLAfederate.HLAservice.HLAdisableAsynchronousDelivery",
       [](Call& c) { serve(c, DisableAsynchronous{}); }},
      {"HLAfederate.HLAservice.HLAmodifyLookahead",
       [](Call& c) { serve(c, ModifyLookahead{time(c, "HLAlookahead")}); }},
      {"HLAfederate.HLAservice.HLAchangeAttributeOrderType",
       [](Call& c) {
         serve(c, ChangeAttributeOrder{handle(c, "HLAobjectInstance"), handles(c), order(c)});
       }},
      {"HLAfederate.HLAservice.HLAchangeInteractionOrderType",
       [](Call& c) {
         serve(c, ChangeInteractionOrder{handle(c, "HLAinteractionClass"), order(c)});
       }},
  };
  return all;
}

}  // namespace vernier::federation
