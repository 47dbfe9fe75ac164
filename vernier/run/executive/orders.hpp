#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "vernier/base/time.hpp"

namespace vernier::executive {

/// What can be asked of a run from other threads, while it runs.
enum class OrderKind : std::uint8_t {
  replace,  // the values that a port carries, from then on: Executive::override_port()
  release,  // what replace did
  send,     // an event to an event input, once
  read      // the values of a port
};

struct Order {
  OrderKind kind = OrderKind::replace;
  std::string path;
  std::vector<double> values = {};  // of replace
};

/// An order as the loop carried it out.
struct CarriedOut {
  Time at;
  bool settled = false;  // the run stood still: everything at that time had happened
  OrderKind kind = OrderKind::replace;
  std::uint32_t view = 0;          // index into Executive::ports()
  std::span<const double> values;  // of replace; until the call is over
};

/// Who writes down what was ordered. Called in the loop: must not allocate, wait or throw.
class OrderJournal {
 public:
  virtual ~OrderJournal() = default;
  virtual void carried_out(const CarriedOut&) noexcept = 0;
};

/// An order for a given time: to repeat a run in which it was given.
struct ScheduledOrder {
  Time at;
  Order order;
  bool settled = false;  // after everything at that time has happened; else before
};

/// What became of an order.
struct OrderAnswer {
  bool done = false;
  Time at{};                        // when
  std::vector<double> values = {};  // of read
};

}  // namespace vernier::executive
