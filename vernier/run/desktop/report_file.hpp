#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "vernier/run/desktop/page.hpp"

/// The pieces of a report: one HTML file with the page, its data, and nothing else.
namespace vernier::desktop {

/// Arrays of numbers that a report keeps beside its JSON. Equal ones are stored once.
class ReportNumbers {
 public:
  /// The place of an array, for a JSON text: [offset, count, coding]. Coding 0: the numbers as they
  /// are; 1: times, as differences in whole nanoseconds.
  nlohmann::ordered_json add(std::span<const double> values);
  /// The same for times in s that ascend.
  nlohmann::ordered_json add_times(std::span<const double> times);
  std::string_view bytes() const noexcept { return bytes_; }

 private:
  nlohmann::ordered_json store(std::span<const double> values, int coding);

  std::string bytes_;
  std::vector<std::pair<std::string, std::size_t>> known_;  // digest and offset
};

/// JSON and numbers in one piece, compressed with gzip: the length of the JSON text in 8 bytes,
/// little-endian; the text, filled up with blanks to a multiple of 8 bytes; the numbers. Throws
/// ConfigurationError (V8109) when memory is short.
std::string report_data(const nlohmann::ordered_json&, const ReportNumbers&);

/// The file. `data` is that of report_data(). Nothing of it becomes markup or a script.
std::string report_html(const std::string& title, std::string_view data, const Page&);

}  // namespace vernier::desktop
