#pragma once

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>

#include "vernier/run/record/recorder.hpp"

namespace vernier::record {

/// events.csv: time, component, kind, from, to, reason, transition; quoted as RFC 4180 says.
class EventFile {
 public:
  /// Throws ConfigurationError when the file exists or cannot be created.
  explicit EventFile(const std::filesystem::path&);
  /// Keeps so many bytes of an existing file, and adds lines after them. Throws
  /// ConfigurationError.
  EventFile(const std::filesystem::path&, std::uint64_t kept);

  void write(const Event&);
  /// Passes the data to the system, which keeps it if the process dies.
  bool flush() noexcept;

 private:
  struct Close {
    void operator()(std::FILE* f) const noexcept { std::fclose(f); }
  };
  std::unique_ptr<std::FILE, Close> file_;
  std::string line_;
};

/// A field of a CSV file, quoted if necessary.
void append_csv_field(std::string& line, std::string_view field);

}  // namespace vernier::record
