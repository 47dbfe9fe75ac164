#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "vernier/component/catalogue.hpp"
#include "vernier/run/desktop/real_time.hpp"
#include "vernier/run/record/columns.hpp"
#include "vernier/run/record/event_list.hpp"

namespace vernier::desktop {

/// A run that pages look at, while it runs or afterwards. Not thread-safe. All functions throw
/// ConfigurationError.
class OpenRun {
 public:
  /// `folder`: as shown to pages.
  OpenRun(std::filesystem::path folder, const Catalogue&);
  ~OpenRun();
  OpenRun(const OpenRun&) = delete;
  OpenRun& operator=(const OpenRun&) = delete;

  /// The answer to `open`.
  nlohmann::ordered_json description();
  /// The answer to `read`: a binary message.
  std::vector<std::byte> points(std::uint64_t id, std::uint32_t signal, std::uint32_t element,
                                double from, double to, std::size_t most);
  /// The answer to `row`.
  nlohmann::ordered_json row(const std::vector<std::uint64_t>& signals, double at);
  /// The answer to `events`.
  nlohmann::ordered_json events(std::uint64_t after);
  /// The paths of signals and their elements, checked.
  std::vector<std::pair<std::string, std::uint32_t>> columns(
      const std::vector<std::pair<std::uint32_t, std::uint32_t>>&) const;
  /// How it keeps time. Throws V8131 when it has no frames.
  RealTimeView& real_time();

 private:
  const record::Signal& signal(std::uint64_t number) const;
  const record::Signal& checked(std::uint64_t number, std::uint32_t element) const;
  /// Of a run that goes on.
  void refresh();

  std::filesystem::path folder_;
  const Catalogue& catalogue_;
  record::Columns columns_;
  record::EventList events_;
  bool live_ = true;  // it was, when the file was opened last
  std::chrono::steady_clock::time_point refreshed_{};
  std::unique_ptr<RealTimeView> real_time_;  // once somebody has looked at it
};

/// The runs that pages look at. Used by one thread.
class OpenRuns {
 public:
  explicit OpenRuns(const Catalogue& c) : catalogue_(c) {}
  /// Opens it when it is not open; what was not used for longest is closed.
  OpenRun& at(const std::filesystem::path& folder);
  void forget(const std::filesystem::path& folder);

 private:
  static constexpr std::size_t most = 16;
  const Catalogue& catalogue_;
  std::vector<std::pair<std::filesystem::path, std::unique_ptr<OpenRun>>> runs_;  // latest last
};

}  // namespace vernier::desktop
