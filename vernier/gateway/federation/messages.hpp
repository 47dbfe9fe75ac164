#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "vernier/base/codec.hpp"
#include "vernier/gateway/federation/failure.hpp"
#include "vernier/gateway/federation/kinds.hpp"
#include "vernier/net/framing.hpp"
#include "vernier/net/outbox.hpp"

/// The protocol between a federate and the RTI. A frame is a Header and the fields of one message.
/// Handles are numbers from 1; 0 means none. Handles of classes, attributes, parameters, dimensions
/// and transportations are the indices in the FOM plus 1. Text is UTF-8.
namespace vernier::federation {

using vernier::Bytes;
using Writer = ByteWriter;
using Reader = ByteReader;

constexpr std::uint32_t protocol_version = 3;
constexpr std::size_t longest_frame = 64u << 20;
/// The longest request. The RTI's messages made from it are longer and must not exceed the limit
/// for frames.
constexpr std::size_t longest_request = 48u << 20;

#define VERNIER_FIELDS(...)             \
  static constexpr bool visited = true; \
  template <class V>                    \
  void fields(V& v) {                   \
    v(__VA_ARGS__);                     \
  }

struct Header {
  std::uint32_t length = 0;  // of the whole frame, including this header
  Kind kind = Kind::none;
  std::uint16_t flags = 0;     // always 0
  std::uint32_t sequence = 0;  // of a request with an answer, and of that answer; else 0
  VERNIER_FIELDS(length, kind, flags, sequence)
};
static_assert(sizeof(Header) == 12);  // the size in the protocol

using Handle = std::uint32_t;
using Numbers = std::vector<std::uint32_t>;
using Blob = std::vector<std::byte>;
constexpr Handle rti_owner = 0xffffffff;

/// Logical time or a span of it, at least zero: the value of an HLAinteger64Time, or the bits of
/// the value of an HLAfloat64Time. Non-negative doubles order like their bits, so both compare as
/// integers.
struct Stamp {
  std::int64_t raw = 0;
  auto operator<=>(const Stamp&) const = default;
  VERNIER_FIELDS(raw)
};

enum class TimeKind : std::uint8_t { integer64, float64 };
enum class Order : std::uint8_t { receive, time_stamp };
/// timeAdvanceRequest (8.8), …Available (8.9), nextMessageRequest (8.10), …Available (8.11),
/// flushQueueRequest (8.12).
enum class AdvanceKind : std::uint8_t { to, to_available, next, next_available, flush };
/// In the order of the standard.
enum class ResignAction : std::uint8_t {
  divest,
  delete_objects,
  cancel_acquisitions,
  delete_then_divest,
  cancel_then_delete_then_divest,
  none
};
enum class Switch : std::uint8_t {
  object_class_relevance,
  attribute_relevance,
  attribute_scope,
  interaction_relevance
};
enum class SynchronizationFailure : std::uint8_t { none, label_in_use, member_unknown };
enum class SaveStatus : std::uint8_t { none, instructed, saving, waiting };
enum class RestoreStatus : std::uint8_t { none, requested, waiting, prepared, restoring, done };
enum class SaveFailure : std::uint8_t {
  none,
  rti,
  federate_failed,
  resigned,
  crashed,
  aborted,
  stamp_passed
};
enum class RestoreFailure : std::uint8_t { none, rti, federate_failed, resigned, crashed, aborted };

/// Values by handle, ascending: attributes or parameters. `raw` holds for each the handle (32
/// bits), the length (32 bits) and the bytes.
struct Values {
  std::uint32_t count = 0;
  Bytes raw;
  VERNIER_FIELDS(count, raw)
};
/// Calls `each(number, bytes)`; false when the values are malformed.
template <class F>
bool for_each(const Values& values, F each) {
  Reader r(values.raw);
  for (std::uint32_t i = 0; i < values.count; ++i) {
    Handle number = 0;
    Bytes value;
    r(number, value);
    if (!r.ok()) return false;
    each(number, value);
  }
  return r.complete();
}

/// A FOM module or MIM: the name that the user gave it, and its text.
struct Document {
  std::string name, text;
  VERNIER_FIELDS(name, text)
};
/// Attributes and the regions associated with them; no regions: the default region.
struct InRegions {
  Numbers attributes, regions;
  VERNIER_FIELDS(attributes, regions)
};
struct Bounds {
  Handle dimension = 0;
  std::uint32_t lower = 0, upper = 0;
  VERNIER_FIELDS(dimension, lower, upper)
};
struct RegionBounds {
  Handle region = 0;
  std::vector<Bounds> bounds;
  VERNIER_FIELDS(region, bounds)
};
/// A region conveyed with a message: its handle, and its bounds when the message was sent.
struct RegionOf {
  Handle region = 0;
  std::vector<Bounds> bounds;
  VERNIER_FIELDS(region, bounds)
};
struct Retraction {
  Handle federate = 0;
  std::uint32_t number = 0;
  VERNIER_FIELDS(federate, number)
};
struct FederationName {
  std::string name;
  TimeKind time{};
  std::string own_time{};  // as in CreateFederation
  VERNIER_FIELDS(name, time, own_time)
};
/// An instance as one federate knows it.
struct KnownObject {
  Handle object = 0, object_class = 0;
  std::string name;
  Numbers owned;         // attributes
  Numbers time_stamped;  // those of them sent in time stamp order
  VERNIER_FIELDS(object, object_class, name, owned, time_stamped)
};
struct Published {
  Handle object_class = 0;
  Numbers attributes;
  VERNIER_FIELDS(object_class, attributes)
};
struct StatusOf {
  Handle federate = 0;
  SaveStatus status{};
  VERNIER_FIELDS(federate, status)
};
struct RestoreStatusOf {
  Handle before = 0, after = 0;
  RestoreStatus status{};
  VERNIER_FIELDS(before, after, status)
};

// ---- bodies of answers

struct Joined {
  Handle federate = 0;
  std::string name;  // of the federate
  TimeKind time{};
  Blob tables;                     // FomTables
  std::array<bool, 4> switches{};  // in the order of enum Switch
  bool convey_producer = false, convey_regions = false;
  bool service_reporting = false, exception_reporting = false;
  ResignAction resign{};
  std::string own_time{};  // as in CreateFederation
  VERNIER_FIELDS(federate, name, time, tables, switches[0], switches[1], switches[2], switches[3],
                 convey_producer, convey_regions, service_reporting, exception_reporting, resign,
                 own_time)
};
struct Registered {
  Handle object = 0;
  std::string name;
  VERNIER_FIELDS(object, name)
};
struct Created {
  Handle region = 0;
  VERNIER_FIELDS(region)
};
struct Divested {
  Numbers attributes;
  VERNIER_FIELDS(attributes)
};
struct Truth {
  bool is = false;
  VERNIER_FIELDS(is)
};
struct MaybeTime {
  std::optional<Stamp> time;
  VERNIER_FIELDS(time)
};
struct Rate {
  double hertz = 0.0;  // 0: no rate
  VERNIER_FIELDS(hertz)
};

struct Found {
  Handle federate = 0;
  VERNIER_FIELDS(federate)
};
struct Named {
  std::string name;
  VERNIER_FIELDS(name)
};

/// What a federate needs from the FOM: names, class trees and defaults; index + 1 is the handle.
struct FomTables {
  struct Class {
    std::string path;  // "HLAobjectRoot.A.B"
    Handle parent = 0;
    Numbers members;  // own and inherited attributes or parameters
    Order order{};    // interactions only
    Handle transportation = 0;
    Numbers dimensions;
    VERNIER_FIELDS(path, parent, members, order, transportation, dimensions)
  };
  struct Field {
    std::string name;
    Order order{};  // attributes only
    Handle transportation = 0;
    Numbers dimensions;
    VERNIER_FIELDS(name, order, transportation, dimensions)
  };
  struct Dimension {
    std::string name;
    std::uint64_t upper_bound = 0;
    VERNIER_FIELDS(name, upper_bound)
  };
  struct UpdateRate {
    std::string name;
    double hertz = 0.0;
    VERNIER_FIELDS(name, hertz)
  };
  std::vector<Class> object_classes, interaction_classes;
  std::vector<Field> attributes, parameters;
  std::vector<Dimension> dimensions;
  std::vector<std::string> transportations;
  std::vector<UpdateRate> rates;
  VERNIER_FIELDS(object_classes, interaction_classes, attributes, parameters, dimensions,
                 transportations, rates)
};

/// The header at the beginning of the bytes, which must be at least that long.
inline Header front(Bytes bytes) noexcept {
  Header h;
  Reader{bytes}(h);
  return h;
}
inline void set_header(std::span<std::byte> frame, const Header& h) noexcept {
  SpanWriter{frame}(h);
}

/// Appends the frame of a message.
template <class M>
void write(std::vector<std::byte>& to, const M& message, std::uint32_t sequence = 0) {
  const std::size_t begin = to.size();
  to.resize(begin + sizeof(Header));
  Writer{to}(message);
  set_header(std::span(to).subspan(begin),
             {static_cast<std::uint32_t>(to.size() - begin), M::kind, 0, sequence});
}

/// Removes the next complete frame from the beginning of `bytes`. Unknown flags are refused before
/// the rest of the frame has arrived.
inline net::Cut next_frame(Bytes& bytes, Bytes& frame,
                           std::size_t longest = longest_frame) noexcept {
  if (bytes.size() >= sizeof(Header) && front(bytes).flags != 0) return net::Cut::malformed;
  return net::next_frame(bytes, frame, sizeof(Header), longest);
}

/// The header of a complete frame; nothing when the frame is not valid.
inline std::optional<Header> header(Bytes frame) noexcept {
  if (frame.size() < sizeof(Header)) return {};
  const Header h = front(frame);
  if (h.length != frame.size() || h.length > longest_frame || h.flags != 0) return {};
  return h;
}

/// Decodes the message in a frame; views in it point into the frame. False when it is malformed.
template <class M>
bool read(Bytes frame, M& message) {
  if (frame.size() < sizeof(Header)) return false;
  Reader r(frame.subspan(sizeof(Header)));
  r(message);
  return r.complete();
}

using Frame = net::SharedBytes;

template <class M>
Frame frame(const M& message, std::uint32_t sequence = 0) {
  auto bytes = std::make_shared<std::vector<std::byte>>();
  write(*bytes, message, sequence);
  return bytes;
}

}  // namespace vernier::federation
