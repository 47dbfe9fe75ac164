#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "vernier/component/component.hpp"

namespace vernier::testing {

/// A test rig for one component: gives it port memory, drives it, and reads its outputs.
class Rig final : public Bindings {
 public:
  /// Binds and initializes; inputs start at their defaults.
  explicit Rig(Component&);

  /// An element of a real input or output.
  double& in(std::string_view port, std::size_t element = 0);
  double out(std::string_view port, std::size_t element = 0) const;
  std::span<const double> reals(std::string_view output) const;
  std::int64_t integer(std::string_view output) const;

  /// Sends an event: visible in the next react().
  void send(std::string_view event_input);
  /// How often an event output was emitted.
  std::int64_t emitted(std::string_view event_output) const { return integer(event_output); }
  /// The stream behind an input: push, then publish.
  Stream& stream(std::string_view input);

  /// Updates the outputs from the inputs, without advancing time.
  void settle();
  /// Settles and lets the component react until it no longer returns `changed`; returns how often
  /// it did.
  int react();
  /// One step of the executive's cycle: react, then advance to the end, however often it stops
  /// early.
  void step(Duration);
  void run(Duration step, Duration span);

  std::vector<std::byte> save() const;
  void load(const std::vector<std::byte>&);
  Time now() const { return now_; }

  // Bindings
  std::span<const double> real_input(std::string_view) const override;
  std::span<double> real_output(std::string_view) const override;
  std::span<const std::int64_t> integer_input(std::string_view) const override;
  std::span<std::int64_t> integer_output(std::string_view) const override;
  std::span<const std::uint8_t> byte_input(std::string_view) const override;
  std::span<std::uint8_t> byte_output(std::string_view) const override;
  StreamReader& stream_input(std::string_view) const override;
  Stream& stream_output(std::string_view) const override;
  Journal& journal() const override { return journal_; }

 private:
  struct Memory {
    const Port* port = nullptr;
    std::vector<double> reals;
    std::vector<std::int64_t> integers;
    std::vector<std::uint8_t> bytes;
    std::unique_ptr<Stream> stream;
    StreamReader reader;
  };
  using Memories = std::map<std::string, std::unique_ptr<Memory>, std::less<>>;
  static Memory& find(const Memories&, std::string_view name, Flow, Scalar);

  friend void expect_conforming(Component&, Duration, const std::function<void(Rig&, int)>&);

  Component& component_;
  Time now_{};
  Memories inputs_, outputs_;
  mutable Journal journal_;
};

/// Checks the contract of every component: feedthrough as declared, exact save and load, no
/// allocation in the real-time functions or when bound again, state size as declared. `drive` sets
/// the inputs of step k.
void expect_conforming(Component&, Duration step, const std::function<void(Rig&, int k)>& drive);

}  // namespace vernier::testing
