#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "vernier/base/time.hpp"

namespace vernier::executive {

/// What other threads can request of a run while it runs.
enum class OrderKind : std::uint8_t {
  replace,  // replaces the values of a port from then on: Executive::override_port()
  release,  // undoes replace
  send,     // an event to an event input, once
  read,     // the values of a port
  // recorded and repeated only, without a port:
  rest,  // a freeze: what moves comes to rest
  move   // the run continues: it may move again
};

struct Order {
  OrderKind kind = OrderKind::replace;
  std::string path;
  std::vector<double> values = {};  // of replace
};

/// An order as executed by the loop.
struct CarriedOut {
  Time at;
  bool settled = false;  // the run was frozen: everything at that time was done
  OrderKind kind = OrderKind::replace;
  std::uint32_t view = 0;          // index into Executive::ports(); of rest and move 0
  std::span<const double> values;  // of replace; valid during the call
  bool scheduled = false;          // by Executive::schedule()
};

/// Records executed orders. Called in the loop: must not allocate, wait or throw.
class OrderJournal {
 public:
  virtual ~OrderJournal() = default;
  virtual void carried_out(const CarriedOut&) noexcept = 0;
};

/// An order at a given time: to repeat a run in which it was given.
struct ScheduledOrder {
  Time at;
  Order order;
  bool settled = false;  // after everything at that time is done; else before
};

/// The result of an order.
struct OrderAnswer {
  bool done = false;
  Time at{};                        // when
  std::vector<double> values = {};  // of read
};

}  // namespace vernier::executive
