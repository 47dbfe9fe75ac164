#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "vernier/gateway/channel/ports.hpp"
#include "vernier/gateway/lines/line_server.hpp"

namespace vernier::lines {

/// The memory for the ports of a hosted component. Signals are transferred as flat vectors, as in a
/// line.
class LineServer::Memory final : public Bindings {
 public:
  explicit Memory(const Description&);

  void set_inputs(std::span<const double>) noexcept;
  /// False when an integer is too large for the protocol; `at` is then its element.
  bool get_outputs(std::span<double>, std::size_t& at) const noexcept;
  void reset_inputs() noexcept;

  /// Event counts, in the order of the description.
  std::span<std::int64_t> events_in() noexcept { return events_in_; }
  std::span<const std::int64_t> events_out() const noexcept { return events_out_; }
  Journal& journal() const override { return journal_; }

  std::span<const double> real_input(std::string_view) const override;
  std::span<double> real_output(std::string_view) const override;
  std::span<const std::int64_t> integer_input(std::string_view) const override;
  std::span<std::int64_t> integer_output(std::string_view) const override;
  std::span<const std::uint8_t> byte_input(std::string_view) const override;
  std::span<std::uint8_t> byte_output(std::string_view) const override;
  StreamReader& stream_input(std::string_view) const override;
  Stream& stream_output(std::string_view) const override;

 private:
  struct Signal {
    Scalar scalar = Scalar::real;
    std::vector<double> reals, initial;
    std::vector<std::int64_t> integers;
    std::vector<std::uint8_t> bytes;
  };
  struct Side {
    std::vector<std::unique_ptr<Signal>> signals;  // in the order of the description
    std::vector<std::unique_ptr<Signal>> states;   // not visible to the peer
    std::map<std::string, Signal*, std::less<>> by_name;
    std::map<std::string, std::size_t, std::less<>> events;
  };
  static Side made(const std::vector<Port>&, std::vector<std::int64_t>& events);
  static Signal& find(const Side&, std::string_view, Scalar);

  mutable std::vector<std::int64_t> events_in_, events_out_;  // filled during construction
  Side inputs_, outputs_;
  mutable Journal journal_;
};

}  // namespace vernier::lines
