#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "vernier/component/component.hpp"
#include "vernier/component/file_writer.hpp"
#include "vernier/component/pacer.hpp"
#include "vernier/gateway/channel/channel.hpp"
#include "vernier/gateway/channel/ports.hpp"

namespace vernier::file {

struct CsvSinkSettings {
  enum class Existing : std::uint8_t { number, replace, refuse };

  std::filesystem::path path = {};
  /// A document names the file: a relative path is below the folder of write_below(), an absolute
  /// one must be below one of `writable`.
  bool confined = false;
  std::vector<std::filesystem::path> writable = {};
  char separator = ',';
  bool units = false;  // in the header: "omega[0] (rad/s)"
  Existing existing = Existing::number;
  Rate rate = {};                             // none: a row at every instant of the run
  std::size_t memory = std::size_t{4} << 20;  // bytes for rows that wait for the disk
};

/// Writes its inputs to a file, one row per tick: the values after all reactions at that time.
/// Times are exact decimals, numbers have 17 significant digits.
///
/// A separate thread writes; the loop passes rows through a bounded queue and never waits. In an
/// unpaced run the pacer waits while the queue is more than half full, and nothing is lost. In a
/// real-time run a row that finds no room is dropped and counted, with an entry in the journal. The
/// last row is written when the sink is destroyed.
///
/// Rewinding a run removes the rows from that time on.
class CsvSink final : public Component, public PacerSource, public FileWriter {
 public:
  /// Throws ConfigurationError (V7312) for a file that a document must not write.
  CsvSink(channel::Channels, CsvSinkSettings);
  ~CsvSink() override;

  const Description& description() const noexcept override { return description_; }
  void bind(const Bindings&) override;
  /// Creates the file. Throws ConfigurationError.
  bool initialize(Time start, int phase) override;

  Outcome output(Instant) noexcept override;
  Outcome react(Instant) noexcept override;
  Advance advance(Time from, Time to) noexcept override;

  void save(std::span<std::byte>) const noexcept override;
  void load(std::span<const std::byte>) noexcept override;

  Telling tell(const Entry&) const override;
  const Fault& fault() const noexcept override { return fault_; }
  std::vector<Pacer*> pacers() override { return {&pacer_}; }

  void write_below(const std::filesystem::path& folder) override { folder_ = folder; }
  std::vector<std::filesystem::path> files() const override { return {path_}; }

  /// The file written; with `number` its name may differ from the requested one.
  const std::filesystem::path& path() const noexcept { return path_; }
  std::uint64_t dropped() const noexcept { return dropped_; }
  /// Passes on the open row and waits until everything is in the file.
  void flush();

 private:
  class Writer;
  struct Waiting final : Pacer {
    explicit Waiting(CsvSink& s) : sink(s) {}
    void start(Time) noexcept override { sink.paced_ = true; }
    Outcome wait_for(Time) noexcept override;
    CsvSink& sink;
  };

  std::string header() const;
  /// Creates path_, with the number if it is not 1; -1 with errno.
  int created(int number);
  [[noreturn]] void refuse_place(const std::string& why) const;
  void hand_over() noexcept;
  bool failed() noexcept;

  channel::Channels channels_;
  CsvSinkSettings settings_;
  Description description_;
  channel::Ports ports_;
  Journal* journal_ = nullptr;
  std::filesystem::path folder_;  // of the run; empty: there is none
  std::filesystem::path path_;
  std::unique_ptr<Writer> writer_;
  Waiting pacer_{*this};
  Fault fault_;
  bool paced_ = false;
  bool told_failure_ = false;
  std::uint64_t dropped_ = 0;
  Time due_ = Time::min();          // output() was called for this time
  Time handed_over_ = Time::min();  // the last row passed on

  // the state: the current row, which may still change
  struct Open {
    Time time = Time::min();  // none
  };
  Open open_;
  std::vector<double> row_;
};

}  // namespace vernier::file
