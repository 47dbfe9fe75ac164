#include "vernier/base/text.hpp"
#include "vernier/run/record/run_folder.hpp"
#include "vernier/run/session/order_log.hpp"
#include "vernier/run/session/session.hpp"

namespace vernier::session {

Again repeated(const std::filesystem::path& run_folder) {
  const record::Repetition r = record::repetition(run_folder);
  Again again;
  again.document = r.document;
  Options& o = again.options;
  o.changes.set = r.manifest.set;
  o.changes.seed = r.manifest.seed;
  const auto nanoseconds = [](const std::string& text) {
    const auto n = parsed_integer(trimmed(std::string_view(text).substr(0, text.find(' '))));
    return n ? std::optional(Duration(*n)) : std::nullopt;
  };
  RealTime real_time;
  bool rt = false;
  for (const auto& [name, value] : r.manifest.options) {
    if (name == "until") {
      o.changes.until = nanoseconds(value);
    } else if (name == "checkpoint-every") {
      o.checkpoint_every = nanoseconds(value);
    } else if (name == "rate") {
      o.rate = parsed_real(value);
    } else if (name == "late") {
      o.late = realtime::parsed_policy(value).value_or(realtime::LatePolicy{});
    } else if (name == "rt") {
      rt = true;
      real_time.require = value == "required";
    } else if (name == "priority") {
      real_time.wanted.priority = static_cast<int>(parsed_integer(value).value_or(80));
    } else if (name == "cpu") {
      real_time.wanted.cpu = static_cast<int>(parsed_integer(value).value_or(-1));
    } else if (name == "spin") {
      real_time.spin = nanoseconds(value).value_or(Duration{});
    } else if (name == "threads") {
      o.threads = static_cast<int>(parsed_integer(value).value_or(1));
    } else if (name == "record") {
      for (const std::string_view w : words(value)) o.changes.record.emplace_back(w);
    } else if (name == "override") {
      o.overrides.push_back(value);
    } else if (name == "from") {
      o.from = run_folder / value;
    }
  }
  if (rt) o.real_time = real_time;
  o.orders = read_orders(run_folder / "orders.csv");
  return again;
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
