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

/// Records the orders to a run in orders.csv in its directory, so that the run can be repeated:
/// time_ns,order,path,values. A "+" after the time: the run was frozen there, and everything at
/// that time was done. The loop passes lines through a queue.
class OrderLog final : public executive::OrderJournal {
 public:
  /// `known`: orders that the file of a run that is continued has already.
  OrderLog(const executive::Executive&, std::filesystem::path file, std::uint64_t known = 0);

  void carried_out(const executive::CarriedOut&) noexcept override;
  /// Writes what the loop has passed on. From any thread, not within the loop; false: writing
  /// failed.
  bool drain();
  /// Orders passed on by the loop, by the thread that runs it.
  std::uint64_t passed() const noexcept { return passed_; }
  /// Orders that found no room.
  std::uint64_t lost() const noexcept { return lost_.load(std::memory_order_relaxed); }

 private:
  const executive::Executive& executive_;
  std::filesystem::path file_;
  std::ofstream out_;  // created with the first order
  std::mutex drains_;
  OwnedQueue queue_;
  std::uint64_t passed_;
  std::atomic<std::uint64_t> lost_{0};
};

/// The orders of a run to repeat; none when there is no such file. Throws ConfigurationError
/// (V7117).
std::vector<executive::ScheduledOrder> read_orders(const std::filesystem::path& file);
/// The same of a text; `name` stands for the file in messages.
std::vector<executive::ScheduledOrder> parse_orders(std::istream&, const std::string& name);

/// The orders of a run that may have been killed while it wrote one: without that one.
std::vector<executive::ScheduledOrder> read_whole_orders(const std::filesystem::path& file);
/// Replaces the file. Throws ConfigurationError (V7107).
void write_orders(const std::filesystem::path& file, const std::vector<executive::ScheduledOrder>&);

inline constexpr const char* orders_file = "orders.csv";

}  // namespace vernier::session
