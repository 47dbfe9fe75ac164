#include "vernier/gateway/plugin/device.hpp"

#include <algorithm>
#include <cstring>
#include <set>

#include "vernier/base/diagnostic.hpp"
#include "vernier/base/text.hpp"
#include "vernier/base/units.hpp"

namespace vernier::plugin {
namespace {

constexpr std::uint32_t most_ports = 4096;
constexpr std::uint64_t most_elements = 1'000'000;
constexpr std::size_t most_state = std::size_t{1} << 30;

[[noreturn]] void refuse(const char* code, const std::string& message,
                         const std::string& note = {}) {
  Diagnostics problems;
  auto& d = problems.error(code, message, {});
  if (!note.empty()) d.notes.push_back(note);
  throw ConfigurationError(std::move(problems));
}

struct ReadPort {
  std::string name, unit, follows;
  std::uint32_t count = 0;
};

std::vector<ReadPort> read_ports(const std::string& who, const char* kind, std::uint32_t count,
                                 const vernier_port* ports) {
  if (count == 0) return {};
  if (count > most_ports || ports == nullptr) {
    refuse("V5204", who + " says that it has " + std::to_string(count) + " " + kind + "s" +
                        (ports ? "" : ", and none is there"));
  }
  std::vector<ReadPort> all;
  std::set<std::string> names;
  std::uint64_t elements = 0;
  const char* at = reinterpret_cast<const char*>(ports);
  // a plug-in built with a later header may have larger port structures
  const std::uint32_t stride = ports->size;
  for (std::uint32_t i = 0; i < count; ++i, at += stride) {
    const auto* p = reinterpret_cast<const vernier_port*>(at);
    const std::string which = who + ": " + kind + " " + std::to_string(i + 1);
    if (stride < sizeof(vernier_port) || p->size != stride)
      refuse("V5204", which + " has a wrong size field");
    if (!p->name || p->name[0] == '\0' || strnlen(p->name, 257) > 256)
      refuse("V5204", which + " has no usable name");
    if (p->count == 0 || (elements += p->count) > most_elements) {
      refuse("V5204", which + " has " + std::to_string(p->count) + " elements");
    }
    if (!names.insert(p->name).second)
      refuse("V5204", which + ", \"" + shown(p->name) + "\", is there twice");
    all.push_back({p->name, p->unit ? shown(p->unit) : "1",
                   p->follows ? shown(p->follows, 4096) : "", p->count});
  }
  return all;
}

void compare(const std::string& who, const char* kind, const std::vector<ReadPort>& has,
             const std::vector<channel::Channel>& wanted) {
  for (std::size_t i = 0; i < std::min(has.size(), wanted.size()); ++i) {
    const std::string which = who + ": " + kind + " " + std::to_string(i + 1);
    const auto& w = wanted[i];
    if (has[i].name != w.name) {
      refuse("V5207",
             which + " is \"" + has[i].name + "\" there, \"" + w.name + "\" in the document");
    }
    if (has[i].count != w.count) {
      refuse("V5207", which + ", \"" + w.name + "\", has size " + std::to_string(has[i].count) +
                          " there, " + std::to_string(w.count) + " in the document");
    }
    const auto there = parsed_unit(has[i].unit), here = parsed_unit(w.unit);
    if (!there || !here || !(*there == *here)) {
      refuse("V5207", which + ", \"" + w.name + "\", is in \"" + has[i].unit + "\" there, in \"" +
                          w.unit + "\" in the document");
    }
  }
  if (has.size() != wanted.size()) {
    refuse("V5207", who + " has " + std::to_string(has.size()) + " " + kind + "s, the document " +
                        std::to_string(wanted.size()));
  }
}

}  // namespace

/// The shared object and the instance in it. The instance is destroyed before the object is
/// unloaded.
struct Device::Library {
  SharedObject object;
  vernier_plugin functions{};
  void* self = nullptr;

  Library() = default;
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;
  ~Library() {
    if (self) functions.destroy(self);
  }
  bool rewinds() const noexcept { return functions.save && functions.load && functions.state_size; }
};

Device::Device(channel::Channels channels, DeviceSettings settings, NativeCode& code)
    : channels_(std::move(channels)),
      settings_(std::move(settings)),
      library_(std::make_unique<Library>()) {
  const std::string who = "the plug-in " + settings_.path.string();
  Library& lib = *library_;
  auto object = code.load(settings_.path);
  if (!object) refuse("V5201", who + " cannot be loaded: " + object.error());
  lib.object = std::move(*object);

  const auto entry =
      lib.object.function<const vernier_plugin*(std::uint32_t)>("vernier_plugin_entry");
  if (!entry) {
    refuse("V5202", who + " has no function vernier_plugin_entry",
           "it must be compiled with vernier_plugin.h, and as C (or extern \"C\")");
  }
  const vernier_plugin* given = entry(VERNIER_PLUGIN_VERSION);
  if (!given || given->version != VERNIER_PLUGIN_VERSION) {
    refuse("V5203",
           who +
               (given ? " has version " + std::to_string(given->version)
                      : " does not serve version " + std::to_string(VERNIER_PLUGIN_VERSION)) +
               ", this program needs version " + std::to_string(VERNIER_PLUGIN_VERSION));
  }
  if (given->size < sizeof(vernier_plugin)) {
    refuse("V5203", who + " has a table of " + std::to_string(given->size) + " bytes, version " +
                        std::to_string(VERNIER_PLUGIN_VERSION) + " has " +
                        std::to_string(sizeof(vernier_plugin)));
  }
  std::memcpy(&lib.functions, given, sizeof lib.functions);
  const vernier_plugin& f = lib.functions;
  if (!f.create || !f.destroy || !f.inputs || !f.outputs || !f.start || !f.output || !f.advance) {
    refuse("V5204", who + " leaves out a function that is needed",
           "needed: create, destroy, inputs, outputs, start, output, advance");
  }
  char error[512] = "";
  lib.self = f.create(settings_.config.c_str(), error, sizeof error);
  error[sizeof error - 1] = '\0';
  if (!lib.self)
    refuse("V5205",
           who + " refuses its configuration: " + (error[0] ? shown(error) : "it gives no reason"));

  const vernier_port* ports = nullptr;
  const std::uint32_t inputs = f.inputs(lib.self, &ports);
  const auto has_inputs = read_ports(who, "input", inputs, ports);
  ports = nullptr;
  const std::uint32_t outputs = f.outputs(lib.self, &ports);
  const auto has_outputs = read_ports(who, "output", outputs, ports);
  compare(who, "input", has_inputs, channels_.inputs);
  compare(who, "output", has_outputs, channels_.outputs);
  channels_.feedthrough.clear();
  for (const auto& o : has_outputs) {
    for (const auto input : words(o.follows)) {
      const bool known = std::any_of(has_inputs.begin(), has_inputs.end(),
                                     [&](const ReadPort& p) { return p.name == input; });
      if (!known)
        refuse("V5204", who + ": output \"" + o.name + "\" follows \"" + std::string(input) +
                            "\", which is no input");
      channels_.feedthrough.push_back({o.name, std::string(input)});
    }
  }

  description_ = channel::described(channels_);
  description_.rate = settings_.rate;
  description_.abilities.rewinds = lib.rewinds();
  description_.abilities.faces_world = (f.flags & VERNIER_FACES_WORLD) != 0;
  if (lib.rewinds()) {
    description_.state_bytes = f.state_size(lib.self);
    if (description_.state_bytes > most_state)
      refuse("V5204", who + " says that its state has " + std::to_string(description_.state_bytes) +
                          " bytes");
  }
  inputs_.resize(channel::size(channels_.inputs));
  outputs_ = channel::initial_values(channels_.outputs);
}

Device::~Device() = default;

void Device::bind(const Bindings& bindings) { ports_.bind(channels_, bindings); }

bool Device::initialize(Time start, int phase) {
  if (phase > 0) return true;
  broken_ = false;
  const int status = library_->functions.start(library_->self, start.time_since_epoch().count());
  if (outcome(status, "start", start) == Outcome::failed)
    throw ConfigurationError(fault_.code, fault_.text);
  return true;
}

Outcome Device::outcome(int status, const char* doing, Time t) noexcept {
  if (status == VERNIER_OK) return Outcome::ok;
  if (status == VERNIER_HELD) return Outcome::held;
  broken_ = true;
  const vernier_plugin& f = library_->functions;
  const char* why = f.error ? f.error(library_->self) : nullptr;
  fault_.set(Category::peer, "V5206", "the plug-in of \"%s\" failed in %s at t = %.9g s: %.300s",
             settings_.name.c_str(), doing, seconds(t), why && why[0] ? why : "it gives no reason");
  for (char* c = fault_.text; *c; ++c) {
    if (static_cast<unsigned char>(*c) < 0x20) *c = '?';
  }
  return Outcome::failed;
}

Outcome Device::output(Instant at) noexcept {
  if (broken_) return Outcome::failed;
  ports_.take_inputs(inputs_);
  const int status = library_->functions.output(library_->self, at.time.time_since_epoch().count(),
                                                inputs_.data(), outputs_.data());
  const Outcome o = outcome(status, "output", at.time);
  if (o != Outcome::failed) ports_.give_outputs(outputs_);
  return o;
}

Advance Device::advance(Time from, Time to) noexcept {
  if (broken_) return {from, Outcome::failed};
  ports_.take_inputs(inputs_);
  const int status = library_->functions.advance(library_->self, from.time_since_epoch().count(),
                                                 to.time_since_epoch().count(), inputs_.data());
  const Outcome o = outcome(status, "advance", from);
  return {o == Outcome::failed ? from : to, o};
}

void Device::save(std::span<std::byte> state) const noexcept {
  if (library_->rewinds()) library_->functions.save(library_->self, state.data());
}

void Device::load(std::span<const std::byte> state) noexcept {
  if (library_->rewinds())
    outcome(library_->functions.load(library_->self, state.data()), "load", Time{});
}

}  // namespace vernier::plugin
