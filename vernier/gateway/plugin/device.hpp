#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "vernier/base/native_code.hpp"
#include "vernier/component/component.hpp"
#include "vernier/gateway/channel/channel.hpp"
#include "vernier/gateway/channel/ports.hpp"
#include "vernier/gateway/plugin/vernier_plugin.h"

namespace vernier::plugin {

struct DeviceSettings {
  std::string name = "device";  // the instance name in the run, for messages
  std::filesystem::path path = {};
  std::string config = {};
  Rate rate = {};
};

/// A device, or any other C code, behind the interface of vernier_plugin.h, as a component. The
/// constructor loads the shared object and reads its ports; initialize() opens the device.
class Device final : public Component {
 public:
  /// The ports of the plug-in must match the channels, in order. Throws ConfigurationError (V5201
  /// to V5207, and those of NativeCode::load()).
  Device(channel::Channels, DeviceSettings, NativeCode&);
  ~Device() override;

  const Description& description() const noexcept override { return description_; }
  void bind(const Bindings&) override;
  bool initialize(Time start, int phase) override;

  Outcome output(Instant) noexcept override;
  Advance advance(Time from, Time to) noexcept override;

  void save(std::span<std::byte>) const noexcept override;
  void load(std::span<const std::byte>) noexcept override;

  const Fault& fault() const noexcept override { return fault_; }

 private:
  struct Library;

  Outcome outcome(int status, const char* doing, Time) noexcept;

  channel::Channels channels_;
  DeviceSettings settings_;
  Description description_;
  channel::Ports ports_;
  std::unique_ptr<Library> library_;
  std::vector<double> inputs_, outputs_;
  Fault fault_;
  bool broken_ = false;
};

}  // namespace vernier::plugin
