#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <vector>

#include "vernier/base/mailbox.hpp"
#include "vernier/run/executive/executive.hpp"
#include "vernier/run/executive/orders.hpp"

namespace vernier::session {

/// Writes down what was ordered of a run, in orders.csv of its folder, so that the run can be
/// repeated: time_ns,order,path,values. A "+" after the time: the run stood still there, and all of
/// that time had happened. The loop hands lines over through a queue.
class OrderLog final : public executive::OrderJournal {
 public:
  OrderLog(const executive::Executive&, std::filesystem::path file);

  void carried_out(const executive::CarriedOut&) noexcept override;
  /// Writes what the loop handed over. From any thread but the loop's; false: it cannot be written.
  bool drain();
  /// Orders that found no room.
  std::uint64_t lost() const noexcept { return lost_.load(std::memory_order_relaxed); }

 private:
  const executive::Executive& executive_;
  std::filesystem::path file_;
  std::ofstream out_;  // made with the first order
  std::mutex drains_;
  OwnedQueue queue_;
  std::atomic<std::uint64_t> lost_{0};
};

/// The orders of a run that is repeated; none when there is no such file. Throws ConfigurationError
/// (V7117).
std::vector<executive::ScheduledOrder> read_orders(const std::filesystem::path& file);
/// The same of a text; `name` stands for the file in messages.
std::vector<executive::ScheduledOrder> parse_orders(std::istream&, const std::string& name);

}  // namespace vernier::session
