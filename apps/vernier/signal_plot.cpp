#include "apps/vernier/signal_plot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "vernier/base/diagnostic.hpp"
#include "vernier/base/text.hpp"
#include "vernier/base/units.hpp"

namespace vernier::app {
namespace {

constexpr std::size_t most_points = 20'000;

[[noreturn]] void refuse(const char* code, std::string what, std::string note) {
  Diagnostics problems;
  problems.error(code, std::move(what), {}).notes.push_back(std::move(note));
  throw ConfigurationError(std::move(problems));
}

/// Results are in SI.
void convert(std::vector<double>& values, const std::string& unit) {
  const auto u = parsed_unit(unit);
  if (!u || u->factor == 1.0) return;
  for (double& v : values) v /= u->factor;
}

/// Whether a unit counts angles. To Unit they are numbers, but 1 rad/s is not 1 Hz, and a
/// quaternion is not in degrees.
bool angular(std::string_view unit) {
  for (const std::string_view name : {"rad", "deg", "\u00b0", "arcmin", "arcsec", "rev", "rpm"}) {
    if (unit.find(name) != unit.npos) return true;
  }
  return false;
}

/// The units that the user asked for, each for the signals of its dimension.
class ChosenUnits {
 public:
  explicit ChosenUnits(const std::vector<std::string>& texts) {
    for (const std::string& text : texts) {
      const auto u = parsed_unit(text);
      if (!u) throw ConfigurationError("V2005", "--unit: \"" + text + "\" is not a unit");
      units_.push_back({text, *u, false});
    }
  }

  /// Empty: none of them fits.
  std::string of(const record::Selected& s) {
    const std::string& unit = s.signal->spec.unit;
    drawn_.insert(unit == "1" ? s.name() + " has no unit" : s.name() + " is in " + unit);
    const auto own = parsed_unit(s.signal->spec.unit);
    for (Chosen& c : units_) {
      if (!own || !same_dimension(*own, c.unit) || angular(unit) != angular(c.text)) continue;
      c.used = true;
      return c.text;
    }
    return {};
  }

  void refuse_unused() const {
    for (const Chosen& c : units_) {
      if (c.used) continue;
      refuse("V7122", "no signal that is drawn can be shown in " + c.text,
             joined({drawn_.begin(), drawn_.end()}, ", "));
    }
  }

 private:
  struct Chosen {
    std::string text;
    Unit unit;
    bool used;
  };
  std::vector<Chosen> units_;
  std::set<std::string> drawn_;
};

std::string element_name(const record::Signal& s, std::uint32_t element) {
  return s.spec.count == 1 ? s.spec.path : fmt::format("{}[{}]", s.spec.path, element);
}

/// What of a panel is known only when all its curves are there.
struct PanelNames {
  std::set<std::string> signals;                                   // for the axis
  std::vector<std::string> curves;                                 // by style
  std::vector<std::pair<std::size_t, std::size_t>> style_and_run;  // of each curve
};

/// Several quantities: a style for each, and a shade for each run. One quantity: a style for each
/// run.
void set_styles(plot::Panel& panel, const PanelNames& names) {
  for (std::size_t i = 0; i < panel.curves.size(); ++i) {
    const auto [style, run] = names.style_and_run[i];
    const bool several = names.curves.size() > 1;
    panel.curves[i].style = static_cast<int>(several ? style : run);
    panel.curves[i].shade = several ? static_cast<int>(run) : 0;
  }
}

class SignalPlot {
 public:
  SignalPlot(const std::vector<DrawnRun>& runs, const SignalChoice& choice)
      : runs_(runs), choice_(choice), units_(choice.units) {
    plot_.title = runs.size() == 1 ? runs.front().name : "";
  }

  plot::Plot over_time() {
    for (std::size_t run = 0; run < runs_.size(); ++run) {
      if (!choice_.patterns.empty()) {
        for (const record::Selected& s : runs_[run].results->select(choice_.patterns)) {
          const bool single = s.signal->spec.count == 1 || s.element;
          const std::string unit = unit_of(s);
          add(s, run, single ? "unit " + unit : "vector " + s.signal->spec.path, unit);
        }
      }
      for (std::size_t n = 0; n < choice_.panels.size(); ++n) {
        for (const record::Selected& s : runs_[run].results->select(choice_.panels[n])) {
          add(s, run, fmt::format("panel {}", n), unit_of(s));
        }
      }
    }
    plot_.from = choice_.from;
    plot_.to = choice_.to;
    return finished();
  }

  plot::Plot paths() {
    plot_.path = true;
    plot_.panels.emplace_back();
    names_.emplace_back();
    for (std::size_t run = 0; run < runs_.size(); ++run) {
      for (const auto& pair : choice_.paths) add_path(pair, run);
    }
    plot_.x_label = choice_.x_label.empty() ? axis_name(x_names_, plot_.x_unit) : choice_.x_label;
    if (choice_.x_range) {
      plot_.from = choice_.x_range->low;
      plot_.to = choice_.x_range->high;
    }
    return finished();
  }

 private:
  /// The unit a signal is drawn in.
  std::string unit_of(const record::Selected& s) {
    const std::string chosen = units_.of(s);
    return chosen.empty() ? s.signal->spec.unit : chosen;
  }
  bool chosen(const std::string& unit) const {
    return std::find(choice_.units.begin(), choice_.units.end(), unit) != choice_.units.end();
  }

  static std::string axis_name(const std::set<std::string>& names, const std::string& unit) {
    return names.size() == 1 ? *names.begin() : common_name(names, unit);
  }

  void add(const record::Selected& s, std::size_t run, const std::string& place,
           const std::string& unit) {
    const auto [at, fresh] = places_.try_emplace(place, plot_.panels.size());
    if (fresh) {
      plot_.panels.push_back({.y_unit = unit, .y_prefix = !chosen(unit)});
      names_.emplace_back();
    }
    const plot::Panel& panel = plot_.panels[at->second];
    if (panel.y_unit != unit)
      refuse_second_unit("a panel", panel.y_unit, s, unit, "give each unit a --panel");
    const record::Signal& signal = *s.signal;
    const std::uint32_t first = s.element.value_or(0);
    const std::uint32_t last = s.element ? first + 1 : signal.spec.count;
    names_[at->second].signals.insert(s.name());
    for (std::uint32_t i = first; i < last; ++i) {
      put(at->second, curve_of(*runs_[run].results, signal, i, unit, ""), element_name(signal, i),
          run);
    }
  }

  [[noreturn]] static void refuse_second_unit(const char* what, const std::string& first,
                                              const record::Selected& s, const std::string& unit,
                                              const char* advice) {
    refuse(
        "V7123",
        fmt::format("{} has one unit: it shows {}, and {} is in {}", what, first, s.name(), unit),
        advice);
  }

  record::Selected one_number(const std::string& name, std::size_t run) const {
    const auto found = runs_[run].results->select({name});
    const record::Selected& s = found.front();
    if (found.size() > 1 || (s.signal->spec.count > 1 && !s.element)) {
      refuse("V7123", fmt::format("--xy needs one number for each axis: {} has several", name),
             fmt::format("name one, such as {}",
                         s.signal->spec.count > 1 ? element_name(*s.signal, 0) : s.name()));
    }
    return s;
  }

  void add_path(const std::array<std::string, 2>& pair, std::size_t run) {
    const record::Selected x = one_number(pair[0], run), y = one_number(pair[1], run);
    const std::string x_unit = unit_of(x), y_unit = unit_of(y);
    plot::Panel& panel = plot_.panels.front();
    const char* advice = "draw them apart, or choose --unit";
    if (x_names_.empty()) {
      plot_.x_unit = x_unit;
      plot_.x_prefix = !chosen(x_unit);
      panel.y_unit = y_unit;
      panel.y_prefix = !chosen(y_unit);
    }
    if (x_unit != plot_.x_unit) refuse_second_unit("an axis", plot_.x_unit, x, x_unit, advice);
    if (y_unit != panel.y_unit) refuse_second_unit("an axis", panel.y_unit, y, y_unit, advice);
    // where both axes have the same unit they must also have the same prefix
    if (x_unit == y_unit) plot_.x_prefix = panel.y_prefix = false;
    x_names_.insert(x.name());
    names_.front().signals.insert(y.name());
    const bool together = x.signal == y.signal;
    put(0, path_of(*runs_[run].results, x, y, x_unit, y_unit),
        together ? x.signal->spec.path : y.name(), run);
  }

  /// y over x, at the times of y. Where x was recorded at others, it is interpolated.
  plot::Curve path_of(const record::ResultReader& results, const record::Selected& x,
                      const record::Selected& y, const std::string& x_unit,
                      const std::string& y_unit) const {
    record::Trace across = results.trace(*x.signal, x.element.value_or(0));
    record::Trace up = results.trace(*y.signal, y.element.value_or(0));
    plot::Curve curve;
    const bool together = x.signal->group == y.signal->group;
    for (std::size_t k = 0; k < up.time.size(); ++k) {
      const double t = up.time[k];
      if ((choice_.from && t < *choice_.from) || (choice_.to && t > *choice_.to)) continue;
      curve.x.push_back(together && k < across.values.size()
                            ? across.values[k]
                            : interpolated(across, t, x.signal->spec.held));
      curve.y.push_back(up.values[k]);
    }
    convert(curve.x, x_unit);
    convert(curve.y, y_unit);
    return curve;
  }

  static double interpolated(const record::Trace& trace, double t, bool held) {
    const auto after = std::upper_bound(trace.time.begin(), trace.time.end(), t);
    const auto k = static_cast<std::size_t>(after - trace.time.begin());
    if (k == 0) return NAN;  // not known yet
    const double before = trace.values[k - 1], since = t - trace.time[k - 1];
    if (held || since == 0.0) return before;
    if (k == trace.time.size()) return NAN;
    return before + since / (trace.time[k] - trace.time[k - 1]) * (trace.values[k] - before);
  }

  void put(std::size_t panel, plot::Curve curve, const std::string& name, std::size_t run) {
    PanelNames& names = names_[panel];
    const auto known = std::find(names.curves.begin(), names.curves.end(), name);
    names.style_and_run.emplace_back(known - names.curves.begin(), run);
    if (known == names.curves.end()) names.curves.push_back(name);
    const std::string label = labels_ < choice_.labels.size() ? choice_.labels[labels_++] : name;
    curve.label = runs_.size() == 1 ? label : fmt::format("{} · {}", label, runs_[run].name);
    plot_.panels[panel].curves.push_back(std::move(curve));
  }

  plot::Plot finished() {
    units_.refuse_unused();
    const std::size_t ranges = choice_.y_ranges.size();
    if (ranges > 1 && ranges != plot_.panels.size()) {
      refuse("V7123",
             fmt::format("--y-range is given {} times, and there {} {} panel{}", ranges,
                         plot_.panels.size() == 1 ? "is" : "are", plot_.panels.size(),
                         plot_.panels.size() == 1 ? "" : "s"),
             "give one for all panels, or one for each");
    }
    for (std::size_t n = 0; n < plot_.panels.size(); ++n) {
      plot::Panel& panel = plot_.panels[n];
      panel.y_label =
          choice_.y_label.empty() ? axis_name(names_[n].signals, panel.y_unit) : choice_.y_label;
      if (ranges > 0) {
        panel.y_range = choice_.y_ranges[ranges == 1 ? 0 : n];
        panel.y_prefix = false;
      }
      set_styles(panel, names_[n]);
    }
    return std::move(plot_);
  }

  const std::vector<DrawnRun>& runs_;
  const SignalChoice& choice_;
  ChosenUnits units_;
  plot::Plot plot_;
  std::vector<PanelNames> names_;  // of each panel
  std::map<std::string, std::size_t> places_;
  std::set<std::string> x_names_;
  std::size_t labels_ = 0;
};

/// "rate" of "servicer.base.rate", "rate[0]" of "servicer.base.rate[0]".
std::string last_part(const std::string& name) {
  std::string part = name.substr(name.rfind('.') + 1);
  std::replace(part.begin(), part.end(), '_', ' ');
  return part;
}

}  // namespace

plot::Curve curve_of(const record::ResultReader& results, const record::Signal& signal,
                     std::uint32_t element, const std::string& unit, std::string label) {
  record::Trace trace = results.trace(signal, element, most_points);
  convert(trace.values, unit.empty() ? signal.spec.unit : unit);
  return {.label = std::move(label),
          .x = std::move(trace.time),
          .y = std::move(trace.values),
          .steps = signal.spec.held || signal.spec.scalar != Scalar::real};
}

std::string common_name(const std::set<std::string>& names, const std::string& unit) {
  static const std::map<std::string, std::string> quantities{
      {"m", "length"},           {"m/s", "velocity"},   {"m/s^2", "acceleration"}, {"rad", "angle"},
      {"rad/s", "angular rate"}, {"deg", "angle"},      {"deg/s", "angular rate"}, {"N", "force"},
      {"J", "energy"},           {"W", "power"},        {"K", "temperature"},      {"V", "voltage"},
      {"A", "current"},          {"T", "flux density"}, {"Pa", "pressure"},        {"kg", "mass"},
      {"s", "duration"}};
  std::set<std::string> parts;
  for (const std::string& name : names) parts.insert(last_part(name));
  if (parts.size() == 1) return *parts.begin();
  const auto quantity = quantities.find(unit);
  return quantity != quantities.end() ? quantity->second : "value";
}

plot::Plot plot_of_signals(const std::vector<DrawnRun>& runs, const SignalChoice& choice) {
  SignalPlot plot(runs, choice);
  return choice.paths.empty() ? plot.over_time() : plot.paths();
}

}  // namespace vernier::app
