// An RTI that sends arbitrary messages: the federate's side refuses them or calls the federate, and
// its services stay within bounds.
//
// The first byte: bit 0, time is floating point; bit 1, the first record is the tables of the FOM.
// A record is a kind (2 bytes), a length (2 bytes) and a body; a record of kind answer is the body
// of the answer to the next request.
#include <RTI/NullFederateAmbassador.h>

#include <deque>

#include "vernier/base/require.hpp"
#include "vernier/rti1516e/ambassador.hpp"

namespace {

using namespace vernier::hla;
using namespace rti1516e;

wire::FomTables small_fom() {
  using wire::Order;
  wire::FomTables t;
  t.object_classes = {{"HLAobjectRoot", 0, {1}, {}, 0, {}},
                      {"HLAobjectRoot.A", 1, {1, 2, 3}, {}, 0, {}}};
  t.attributes = {{"HLAprivilegeToDeleteObject", Order::time_stamp, 1, {}},
                  {"x", Order::time_stamp, 1, {1}},
                  {"y", Order::receive, 2, {}}};
  t.interaction_classes = {{"HLAinteractionRoot", 0, {}, Order::receive, 1, {}},
                           {"HLAinteractionRoot.I", 1, {1}, Order::time_stamp, 1, {1}}};
  t.parameters = {{"p", {}, 0, {}}};
  t.dimensions = {{"D", 10}};
  t.transportations = {"HLAreliable", "HLAbestEffort"};
  t.rates = {{"slow", 2.5}};
  return t;
}

/// The remaining records, shared with the channel.
struct Script {
  explicit Script(Bytes input) : rest(input) { rest(how); }
  bool next(Kind& kind, Bytes& body) {
    std::uint16_t length = 0;
    if (rest.rest().empty()) return false;
    rest(kind, length);
    body = rest.raw(std::min<std::size_t>(length, rest.rest().size()));
    return rest.ok();
  }
  wire::Reader rest;
  std::uint8_t how = 0;
  wire::Blob answer;
};

class Says final : public RtiTransport {
 public:
  explicit Says(Script& s) : script_(s) {}
  bool send(Bytes frame) override {
    const wire::Header h = *wire::header(frame);
    if (h.sequence == 0) return true;
    wire::Answer a;
    a.body = h.kind == Kind::join ? joined() : std::exchange(script_.answer, {});
    wire::write(answers_.emplace_back(), a, h.sequence);
    return true;
  }
  bool flush() override { return true; }
  bool receive(Clock::time_point, const std::function<void(Bytes)>& take) override {
    if (!answers_.empty()) {
      take(answers_.front());
      answers_.pop_front();
      return true;
    }
    Kind kind{};
    Bytes body;
    if (!script_.next(kind, body)) return false;
    if (kind == Kind::answer) {
      script_.answer.assign(body.begin(), body.end());
      return true;
    }
    std::vector<std::byte> frame(sizeof(wire::Header));
    frame.insert(frame.end(), body.begin(), body.end());
    wire::set_header(frame, {static_cast<std::uint32_t>(frame.size()), kind, 0, 0});
    take(frame);
    return true;
  }
  void wake() override {}
  std::string why_lost() const override { return "all is said"; }

 private:
  wire::Blob joined() {
    wire::Joined j{.federate = 7, .name = "me", .tables = {}, .switches = {}, .resign = {}};
    j.time = (script_.how & 1u) != 0 ? wire::TimeKind::float64 : wire::TimeKind::integer64;
    Kind kind{};
    Bytes body;
    if ((script_.how & 2u) != 0 && script_.next(kind, body))
      j.tables.assign(body.begin(), body.end());
    else
      wire::Writer{j.tables}(small_fom());
    wire::Blob b;
    wire::Writer{b}(j);
    return b;
  }

  Script& script_;
  std::deque<std::vector<std::byte>> answers_;
};

/// Reads everything it receives, so that the sanitizers find invalid memory.
class Federate final : public NullFederateAmbassador {
 public:
  using NullFederateAmbassador::receiveInteraction;
  using NullFederateAmbassador::reflectAttributeValues;
  void reflectAttributeValues(ObjectInstanceHandle, const AttributeHandleValueMap& values,
                              const VariableLengthData& tag, OrderType, TransportationType,
                              SupplementalReflectInfo) override {
    for (const auto& [h, v] : values) look(v);
    look(tag);
  }
  void receiveInteraction(InteractionClassHandle, const ParameterHandleValueMap& values,
                          const VariableLengthData& tag, OrderType, TransportationType,
                          SupplementalReceiveInfo) override {
    for (const auto& [h, v] : values) look(v);
    look(tag);
  }

 private:
  void look(const VariableLengthData& d) {
    const auto* bytes = static_cast<const unsigned char*>(d.data());
    for (std::size_t i = 0; i < d.size(); ++i) sum_ += bytes[i];
  }
  std::size_t sum_ = 0;
};

template <class F>
void attempt(F&& service) {
  try {
    service();
  } catch (const Exception&) {
  }
}

void use(VernierAmbassador& rti) {
  const AttributeHandleSet attributes{handle<AttributeHandle>(2)};
  const AttributeHandleValueMap values{{handle<AttributeHandle>(2), VariableLengthData("v", 1)}};
  const VariableLengthData tag;
  for (Handle n = 1; n < 4; ++n) {
    const auto object = handle<ObjectInstanceHandle>(n);
    const auto region = handle<RegionHandle>(n);
    const auto of = handle<ObjectClassHandle>(n);
    attempt([&] { rti.getObjectInstanceName(object); });
    attempt([&] { rti.getObjectClassName(rti.getKnownObjectClassHandle(object)); });
    attempt([&] { rti.updateAttributeValues(object, values, tag); });
    attempt([&] { rti.unconditionalAttributeOwnershipDivestiture(object, attributes); });
    attempt([&] { rti.changeAttributeOrderType(object, attributes, TIMESTAMP); });
    attempt([&] { rti.getRangeBounds(region, handle<DimensionHandle>(1)); });
    attempt([&] { rti.getDimensionHandleSet(region); });
    attempt([&] { rti.getAvailableDimensionsForClassAttribute(of, handle<AttributeHandle>(n)); });
    attempt([&] { rti.getAttributeHandle(of, L"x"); });
    attempt([&] { rti.publishObjectClassAttributes(of, attributes); });
    attempt([&] { rti.registerObjectInstance(of); });
    attempt([&] { rti.queryAttributeOwnership(object, handle<AttributeHandle>(n)); });
    attempt([&] { rti.deleteObjectInstance(object, tag); });
  }
  attempt([&] { rti.createRegion({handle<DimensionHandle>(1)}); });
  AttributeHandleSet divested;
  attempt([&] {
    rti.attributeOwnershipDivestitureIfWanted(handle<ObjectInstanceHandle>(1), attributes,
                                              divested);
  });
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Script script(std::as_bytes(std::span(data, size)));
  Federate federate;
  VernierAmbassador rti(
      [&](const wire::Designator&, std::string&) -> std::unique_ptr<RtiTransport> {
        return std::make_unique<Says>(script);
      });
  try {
    rti.connect(federate, HLA_EVOKED, L"");
    rti.joinFederationExecution(L"me", L"type", L"F", {});
    // ends when the script is used up: the connection is then lost
    for (int i = 0;; ++i) {
      rti.evokeCallback(0.0);
      if (i % 4 == 3) use(rti);
    }
  } catch (const Exception&) {
  }
  return 0;
}
