#include "vernier/gateway/spacefom/detail/execution.hpp"

#include <utility>

namespace vernier::spacefom::detail {
namespace {

/// An attribute of ExecutionConfiguration: its name, and its encoding from and to a Configuration.
struct Attribute {
  const char* name;
  bool mode;                                     // contains modes
  void (*write)(const Configuration&, Octets&);  // writes nothing while there is no value yet
  bool (*read)(std::span<const std::byte>, Configuration&);
};

bool read_mode_into(std::span<const std::byte> bytes, Mode& to) {
  const auto m = read_mode(bytes);
  if (m) to = *m;
  return m.has_value();
}

constexpr Attribute table[]{
    {"root_frame_name", false,
     [](const Configuration& c, Octets& to) {
       if (!c.root_frame.empty()) put_string(c.root_frame, to);
     },
     [](std::span<const std::byte> bytes, Configuration& c) {
       auto s = read_string(bytes);
       if (s) c.root_frame = std::move(*s);
       return s.has_value();
     }},
    {"scenario_time_epoch", false,
     [](const Configuration& c, Octets& to) {
       put_reals({&c.epoch, 1}, to);
     },
     [](std::span<const std::byte> bytes, Configuration& c) {
       return c.has_epoch |= read_reals(bytes, {&c.epoch, 1});
     }},
    {"current_execution_mode", true,
     [](const Configuration& c, Octets& to) { put_mode(c.current, to); },
     [](std::span<const std::byte> bytes, Configuration& c) {
       return read_mode_into(bytes, c.current);
     }},
    {"next_execution_mode", true, [](const Configuration& c, Octets& to) { put_mode(c.next, to); },
     [](std::span<const std::byte> bytes, Configuration& c) {
       return read_mode_into(bytes, c.next);
     }},
    {"next_mode_scenario_time", false,
     [](const Configuration& c, Octets& to) {
       put_reals({&c.next_mode_time, 1}, to);
     },
     [](std::span<const std::byte> bytes, Configuration& c) {
       return read_reals(bytes, {&c.next_mode_time, 1});
     }},
    {"next_mode_cte_time", false,
     [](const Configuration& c, Octets& to) {
       put_reals({&c.next_mode_central_time, 1}, to);
     },
     [](std::span<const std::byte> bytes, Configuration& c) {
       const bool good = read_reals(bytes, {&c.next_mode_central_time, 1});
       if (!good) c.next_mode_central_time = 0.0;
       return good;
     }},
    {"least_common_time_step", false,
     [](const Configuration& c, Octets& to) { put_ticks(c.least_common, to); },
     [](std::span<const std::byte> bytes, Configuration& c) {
       const auto t = read_ticks(bytes);
       if (t) c.least_common = *t;
       return t.has_value();
     }},
};

}  // namespace

std::vector<std::string> Execution::attributes() {
  std::vector<std::string> names;
  for (const Attribute& a : table) names.emplace_back(a.name);
  return names;
}

void Execution::send(rti1516e::RTIambassador& rti) const {
  rti1516e::AttributeHandleValueMap values;
  for (std::size_t i = 0; i < std::size(table); ++i) {
    Octets bytes;
    table[i].write(configuration, bytes);
    if (!bytes.empty()) values[exco->handles[i]].setData(bytes.data(), bytes.size());
  }
  rti.updateAttributeValues(object, values, {});
}

bool Execution::take(const Updates& updates, bool tolerate_swapped_lcts) {
  bool modes = false;
  const Ticks before = configuration.least_common;
  // slots of the class are indices in the table
  for (const auto& [attribute, bytes] : updates) {
    const auto slot = exco->slot(attribute);
    if (slot && table[*slot].read(bytes, configuration)) modes |= table[*slot].mode;
  }
  Ticks& step = configuration.least_common;
  if (step != before && tolerate_swapped_lcts) step = straightened(step);
  if (step <= 0 || step > longest_step) step = before;
  configuration.has_modes |= modes;
  return modes;
}

void ModeRequests::publish(rti1516e::RTIambassador& rti) {
  rti.publishInteractionClass(request.handle);
  published = true;
  for (const Mode m : std::exchange(waiting, {})) send(rti, m);
}

void ModeRequests::send(rti1516e::RTIambassador& rti, Mode wanted) {
  if (!published) {
    waiting.push_back(wanted);
    return;
  }
  Octets bytes;
  put_mode(wanted, bytes);
  rti1516e::ParameterHandleValueMap values;
  values[request.handles[0]].setData(bytes.data(), bytes.size());
  rti.sendInteraction(request.handle, values, {});
}

}  // namespace vernier::spacefom::detail
