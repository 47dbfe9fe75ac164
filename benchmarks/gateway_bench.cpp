// The cost of gateways: a step over the line protocol, rows written to and read from files.
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <thread>
#include <vector>

#include "vernier/base/temporary_folder.hpp"
#include "vernier/gateway/file/csv.hpp"
#include "vernier/gateway/file/csv_source.hpp"
#include "vernier/gateway/lines/line_server.hpp"
#include "vernier/gateway/lines/simulator.hpp"

namespace {

using namespace vernier;
using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

/// Six inputs, seven outputs: what a satellite's plant exchanges with its controller.
class Plant final : public Component {
 public:
  Plant() {
    description_.inputs = {{.name = "voltage", .count = 3, .initial = {{0, 0, 0}}},
                           {.name = "torque", .count = 3, .initial = {{0, 0, 0}}}};
    description_.outputs = {{.name = "omega", .count = 3}, {.name = "q", .count = 4}};
  }
  const Description& description() const noexcept override { return description_; }
  void bind(const Bindings& b) override {
    omega_ = b.real_output("omega");
    q_ = b.real_output("q");
  }
  Outcome output(Instant at) noexcept override {
    for (std::size_t i = 0; i < 3; ++i)
      omega_[i] = 0.017 * seconds(at.time) + static_cast<double>(i);
    for (std::size_t i = 0; i < 4; ++i) q_[i] = 0.5 + 1e-3 * seconds(at.time);
    return Outcome::ok;
  }
  Advance advance(Time, Time to) noexcept override { return {to}; }
  void save(std::span<std::byte>) const noexcept override {}
  void load(std::span<const std::byte>) noexcept override {}

 private:
  Description description_;
  std::span<double> omega_, q_;
};

/// Port memory for a benchmark: the same for all ports.
class Memory final : public Bindings {
 public:
  std::span<const double> real_input(std::string_view) const override {
    return std::span(in_).first(3);
  }
  std::span<double> real_output(std::string_view n) const override {
    return std::span(out_).first(n == "q" ? 4 : n == "x" ? 1 : 3);
  }
  std::span<const std::int64_t> integer_input(std::string_view) const override { return {}; }
  std::span<std::int64_t> integer_output(std::string_view) const override { return {}; }
  std::span<const std::uint8_t> byte_input(std::string_view) const override { return {}; }
  std::span<std::uint8_t> byte_output(std::string_view) const override { return {}; }
  StreamReader& stream_input(std::string_view) const override { std::abort(); }
  Stream& stream_output(std::string_view) const override { std::abort(); }
  Journal& journal() const override { return journal_; }

 private:
  std::vector<double> in_{0.1, 0.2, 0.3};
  mutable std::vector<double> out_ = std::vector<double>(4);
  mutable Journal journal_;
};

void steps_over_the_line() {
  Plant plant;
  lines::LineServer server(plant, {.name = "plant", .address = {"127.0.0.1", "0"}});
  std::thread host([&] { static_cast<void>(server.serve()); });
  {
    lines::Simulator simulator(
        lines::channels_of(plant.description()),
        {.name = "plant", .address = *net::parsed_address(server.address()), .listen = false});
    Memory memory;
    simulator.bind(memory);
    simulator.initialize(Time{}, 0);
    std::vector<double> cost;
    Time t{};
    for (int k = 0; k < 20'000; ++k, t += 100ms) {
      const auto begin = Clock::now();
      if (simulator.advance(t, t + 100ms).outcome != Outcome::ok) std::abort();
      cost.push_back(std::chrono::duration<double, std::micro>(Clock::now() - begin).count());
    }
    std::sort(cost.begin(), cost.end());
    std::printf(
        "line protocol, a step with 6 values there and 7 back: median %.1f us, 99 %% %.1f us, "
        "worst %.0f us\n",
        cost[cost.size() / 2], cost[cost.size() * 99 / 100], cost.back());
  }
  host.join();
}

void rows_from_a_file() {
  const TemporaryFolder folder;
  const auto path = folder / "rows.csv";
  constexpr int rows = 1'000'000;
  {
    std::ofstream file(path);
    file << "t,x\n";
    char text[64];
    for (int k = 0; k < rows; ++k) {
      file.write(text, static_cast<std::streamsize>(file::write_time(text, Time{k * 1ms})));
      file << ',';
      file.write(text, static_cast<std::streamsize>(file::write_real(text, 1.0 / (k + 1))));
      file << '\n';
    }
  }
  channel::Channels channels;
  channels.outputs.resize(1);
  channels.outputs[0].name = "x";
  const auto size = std::filesystem::file_size(path);
  {
    file::CsvSource source(channels, {.path = path});
    Memory memory;
    source.bind(memory);
    const auto begin = Clock::now();
    source.initialize(Time{}, 0);
    Pacer& pacer = *source.pacers().front();
    Time t{};
    for (int k = 0; k + 1 < rows; ++k, t += 1ms) {
      if (source.advance(t, t + 1ms).outcome != Outcome::ok) std::abort();
      pacer.wait_for(t + 1ms);
      if (source.output({t + 1ms}) != Outcome::ok) std::abort();
    }
    const double s = std::chrono::duration<double>(Clock::now() - begin).count();
    std::printf("CSV source, a tick per row: %.2f million rows per second (%.0f MB/s)\n",
                rows / s / 1e6, static_cast<double>(size) / s / 1e6);
  }
}

}  // namespace

int main() {
  steps_over_the_line();
  rows_from_a_file();
}
