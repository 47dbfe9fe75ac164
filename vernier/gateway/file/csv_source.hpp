#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "vernier/component/component.hpp"
#include "vernier/component/pacer.hpp"
#include "vernier/gateway/channel/channel.hpp"
#include "vernier/gateway/channel/ports.hpp"
#include "vernier/gateway/file/window.hpp"

namespace vernier::file {

struct CsvSourceSettings {
  enum class Between : std::uint8_t { hold, linear };
  enum class Outside : std::uint8_t { nearest, initial, stop };

  std::filesystem::path path = {};
  std::string time_column = "t";
  char separator = ',';
  Between between = Between::hold;
  Outside before = Outside::nearest;  // before the first row
  Outside after = Outside::nearest;   // after the last row
  Rate rate = {};
  std::size_t memory = std::size_t{4} << 20;  // bytes for rows
};

/// Outputs that follow the columns of a file. At time t the current row is the last one whose time
/// is not later than t; of rows with the same time, the last. `hold` gives its values, `linear`
/// interpolates to the next row.
///
/// The file may have any size: a thread reads ahead into bounded memory. When the disk is too slow
/// for a real-time run, old values are held and counted; in an unpaced run the pacer waits for the
/// rows. The state is the number of the row and its place in the file.
class CsvSource final : public Component, public PacerSource {
 public:
  /// Reads the header and the first row. Throws ConfigurationError with file and line.
  CsvSource(channel::Channels, CsvSourceSettings);

  const Description& description() const noexcept override { return description_; }
  void bind(const Bindings&) override;
  bool initialize(Time start, int phase) override;

  Outcome output(Instant) noexcept override;
  Advance advance(Time from, Time to) noexcept override;

  void save(std::span<std::byte>) const noexcept override;
  void load(std::span<const std::byte>) noexcept override;

  const Fault& fault() const noexcept override { return fault_; }
  std::vector<Pacer*> pacers() override { return {&pacer_}; }

 private:
  struct Waiting final : Pacer {
    explicit Waiting(CsvSource& s) : source(s) {}
    Outcome wait_for(Time t) noexcept override;
    CsvSource& source;
  };

  bool accept(Window::Reach) noexcept;
  Outcome fail(const char* code, const char* text) noexcept;

  channel::Channels channels_;
  CsvSourceSettings settings_;
  Description description_;
  channel::Ports ports_;
  Layout layout_;
  Window::Position first_;
  std::unique_ptr<Window> window_;
  std::vector<double> values_, initial_;
  Waiting pacer_{*this};
  Fault fault_;
  bool behind_ = false;
  bool broken_ = false;
};

}  // namespace vernier::file
