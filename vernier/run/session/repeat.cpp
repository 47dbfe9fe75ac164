#include "vernier/base/text.hpp"
#include "vernier/run/record/run_folder.hpp"
#include "vernier/run/session/order_log.hpp"
#include "vernier/run/session/session.hpp"

namespace vernier::session {

namespace {

/// One option of a manifest, read into what it sets.
class OptionReader {
 public:
  OptionReader(const std::filesystem::path& folder, const std::string& name,
               const std::string& value)
      : folder_(folder), name_(name), value_(value) {}

  double real() const { return checked(parsed_real(value_)); }
  int integer(int least, int most) const {
    const auto read = parsed_integer(value_);
    return static_cast<int>(checked(read && *read >= least && *read <= most ? read : std::nullopt));
  }
  /// "2000000000 ns"
  Duration time() const {
    const auto end = value_.find(" ns");
    return Duration(checked(parsed_integer(trimmed(std::string_view(value_).substr(0, end)))));
  }
  realtime::LatePolicy late() const { return checked(realtime::parsed_policy(value_)); }
  [[noreturn]] void unknown() const { refuse("is an option that this version does not have"); }

 private:
  template <class T>
  T checked(const std::optional<T>& read) const {
    if (!read) refuse("cannot be read: \"" + value_ + "\"");
    return *read;
  }
  [[noreturn]] void refuse(const std::string& why) const {
    throw ConfigurationError(
        "V7108", (folder_ / "manifest.json").string() + ": \"options." + name_ + "\" " + why);
  }

  const std::filesystem::path& folder_;
  const std::string& name_;
  const std::string& value_;
};

}  // namespace

Again repeated(const std::filesystem::path& run_folder) {
  const record::Repetition r = record::repetition(run_folder);
  Again again;
  again.document = r.document;
  Options& o = again.options;
  o.changes.set = r.manifest.set;
  o.changes.moved = r.moved;
  o.changes.seed = r.manifest.seed;
  RealTime real_time;
  bool rt = false;
  for (const auto& [name, value] : r.manifest.options) {
    const OptionReader read(run_folder, name, value);
    if (name == "until") {
      o.changes.until = read.time();
    } else if (name == "checkpoint-every") {
      o.checkpoint_every = read.time();
    } else if (name == "rate") {
      o.rate = read.real();
    } else if (name == "late") {
      o.late = read.late();
    } else if (name == "rt") {
      rt = true;
      real_time.require = value == "required";
    } else if (name == "priority") {
      real_time.wanted.priority = read.integer(0, 99);
    } else if (name == "cpu") {
      real_time.wanted.cpu = read.integer(0, 100'000);
    } else if (name == "spin") {
      real_time.spin = read.time();
    } else if (name == "threads") {
      o.threads = read.integer(1, 256);
    } else if (name == "record") {
      for (const std::string_view w : words(value)) o.changes.record.emplace_back(w);
    } else if (name == "override") {
      o.overrides.push_back(value);
    } else if (name == "on" || name == "keep-every" || name == "key" || name == "certificate" ||
               name == "private-key" || name == "authorities") {
      // where it ran; only a run that is continued runs there again
    } else if (name == "from") {
      o.from = run_folder / value;
    } else if (name == "registry") {
      o.registry = value;
    } else if (name == "registry-run") {
      o.registry_run = value;
    } else {
      read.unknown();
    }
  }
  if (rt) o.real_time = real_time;
  o.orders = read_orders(run_folder / orders_file);
  return again;
}

double Summary::factor() const noexcept {
  return wall > 0.0 ? seconds(reached - from) / wall : 0.0;
}

int exit_status(const Summary& s) noexcept {
  switch (s.result) {
    case Result::finished:
      return 0;
    case Result::broken_check:
      return 3;
    case Result::interrupted:
      return 130;
    case Result::failed:
      break;
  }
  switch (s.fault ? s.fault->category : Category::machine) {
    case Category::lateness:
      return 4;
    case Category::peer:
      return 5;
    case Category::input:
    case Category::numerics:
    case Category::machine:
      break;
  }
  return 1;
}

}  // namespace vernier::session
