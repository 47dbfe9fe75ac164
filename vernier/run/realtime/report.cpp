#include "vernier/run/realtime/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "vernier/base/text.hpp"
#include "vernier/run/composition/time_text.hpp"

namespace vernier::realtime {
namespace {

constexpr std::size_t shown_late = 100;

std::string row(std::string_view name, const Histogram& h, int decimals) {
  if (h.count() == 0) return {};
  return fmt::format(
      "<tr><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td>"
      "<td>frame {}, t = {:.{}f} s</td></tr>\n",
      escaped(name), time_text(h.mean()), time_text(static_cast<double>(h.quantile(0.5))),
      time_text(static_cast<double>(h.quantile(0.99))),
      time_text(static_cast<double>(h.quantile(0.999))), time_text(static_cast<double>(h.max())),
      h.max_frame(), seconds(h.max_time()), decimals);
}

/// Counts over durations; both axes are logarithmic.
std::string picture(const Histogram& h, const std::string& title, double limit) {
  constexpr double w = 640, height = 150, left = 48, right = 10, bottom = 24;
  if (h.count() == 0) return {};
  const double low = std::log10(std::max<double>(100.0, static_cast<double>(h.min()) * 0.8));
  double high = std::log10(std::max<double>(1000.0, static_cast<double>(h.max()) * 1.3));
  if (limit > 0.0) high = std::max(high, std::log10(limit * 1.3));
  std::uint64_t most = 1;
  for (std::size_t i = 0; i < Histogram::buckets; ++i) most = std::max(most, h.in_bucket(i));
  const auto x = [&](double ns) {
    return left + (std::clamp(std::log10(std::max(ns, 1.0)), low, high) - low) / (high - low) *
                      (w - left - right);
  };
  const double scale = std::log10(static_cast<double>(most) + 1.0);
  const auto y = [&](double count) {
    return height - 4 - (height - 20) * std::log10(count + 1.0) / scale;
  };
  std::string svg = fmt::format(
      "<figure><svg viewBox=\"0 0 {} {}\" role=\"img\" aria-label=\"{}\">\n<path class=\"bar\" "
      "d=\"",
      w, height + bottom, escaped(title));
  for (std::size_t i = 0; i < Histogram::buckets; ++i) {
    if (h.in_bucket(i) == 0) continue;
    const double x0 = x(static_cast<double>(Histogram::lower(i)));
    const double x1 = std::max(x0 + 1.0, x(static_cast<double>(Histogram::upper(i)) + 1.0));
    svg += fmt::format("M{:.1f} {}V{:.1f}H{:.1f}V{}z", x0, height,
                       y(static_cast<double>(h.in_bucket(i))), x1, height);
  }
  svg += "\"/>\n";
  for (int decade = static_cast<int>(std::ceil(low)); decade <= static_cast<int>(high); ++decade) {
    const double at = x(std::pow(10.0, decade));
    svg += fmt::format(
        "<path class=\"tick\" d=\"M{0:.1f} {1}v5\"/><text x=\"{0:.1f}\" y=\"{2}\">{3}</text>\n", at,
        height, height + 18, time_text(std::pow(10.0, decade)));
  }
  for (double count = 1.0; count <= static_cast<double>(most); count *= 10.0) {
    svg += fmt::format(
        "<path class=\"tick\" d=\"M{0} {1:.1f}h-5\"/><text x=\"{2}\" y=\"{3:.1f}\" "
        "style=\"text-anchor:end\">{4:.0f}</text>\n",
        left, y(count), left - 8, y(count) + 3.5, count);
  }
  svg += fmt::format(
      "<path class=\"tick\" d=\"M{0} 12V{1}\"/><text transform=\"translate(10 {2}) rotate(-90)\">"
      "frames</text>\n",
      left, height, height / 2);
  const auto mark = [&](double ns, const char* name, const char* kind) {
    svg += fmt::format(
        "<path class=\"{0}\" d=\"M{1:.1f} 12V{2}\"/><text x=\"{1:.1f}\" y=\"10\">{3}</text>\n",
        kind, x(ns), height, name);
  };
  mark(static_cast<double>(h.quantile(0.99)), "p99", "mark");
  if (limit > 0.0) mark(limit, "deadline", "limit");
  return svg +
         fmt::format(
             "</svg><figcaption>{} ({} frames; both axes logarithmic)</figcaption></figure>\n",
             escaped(title), h.count());
}

constexpr const char* style = R"(<style>
body{font:15px/1.45 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color:#1c2530;background:#fff}
h1{font-size:1.4rem;margin:0}h2{font-size:1.05rem;margin:1.6rem 0 .4rem}p{margin:.3rem 0}
.verdict{padding:.6rem .9rem;border-radius:.4rem;font-weight:600;margin:1rem 0}
.good{background:#dff3e3}.warn{background:#fff1cc}.bad{background:#fbdcdc}
table{border-collapse:collapse;width:100%;font-variant-numeric:tabular-nums}
td,th{text-align:right;padding:.15rem .5rem;border-bottom:1px solid #dde3ea}td:first-child,th:first-child{text-align:left}
.text td,.text th{text-align:left}
svg{width:100%;height:auto;font-size:10px}svg text{text-anchor:middle;fill:#556}
.bar{fill:#3b76af}.tick{stroke:#889}.mark{stroke:#c07800;stroke-dasharray:3 2}.limit{stroke:#b00020}
figure{margin:.5rem 0}figcaption{color:#556;font-size:.85rem}
</style>)";

/// Late frames by cause.
std::string counts(const Health& h) {
  const auto& by = h.frames.late_by;
  std::string text = fmt::format("work {}, wake-up {}, wait {}", by[1], by[2], by[3]);
  if (!h.nodes.empty()) {
    text += fmt::format(", network {}, moves and losses {}", by[7], by[8]);
    std::string who;
    for (const NodeHealth& n : h.nodes)
      if (const std::uint64_t late = n.late_by_work + n.late_by_wake_up; late > 0)
        who += fmt::format("{}node {} {}", who.empty() ? "" : ", ", n.name, late);
    if (!who.empty()) text += " (" + who + ")";
  }
  if (!h.shares_time) return text;
  text += fmt::format(", federation {}, pacing {}", by[4], by[5]);
  std::string who;
  for (const Other& o : h.others)
    if (o.late > 0) who += fmt::format("{}{} {}", who.empty() ? "" : ", ", o.name, o.late);
  return who.empty() ? text : text + " (" + who + ")";
}

std::string others_table(const Health& h) {
  std::string out =
      "<h2>Federation</h2>\n<table><tr><th>held back by</th><th>frames</th><th>late because of "
      "it</th><th>longest</th></tr>\n";
  for (const Other& o : h.others)
    out += fmt::format("<tr><td>{}</td><td>{}</td><td>{}</td><td>{}</td></tr>\n", escaped(o.name),
                       o.held, o.late, time_text(static_cast<double>(o.longest)));
  return out + "</table>\n";
}

std::string nodes_table(const Health& h) {
  std::string out =
      "<h2>Nodes</h2>\n<table><tr><th>node</th><th>frames</th><th>late by its work</th><th>by its "
      "wake-up</th><th>wake-up p99</th><th>max</th><th>work p99</th><th>max</th><th>waiting for "
      "others p99</th><th>max</th><th>priority</th><th>clock</th></tr>\n";
  const auto two = [](const Histogram& d) {
    return fmt::format("<td>{}</td><td>{}</td>", time_text(static_cast<double>(d.quantile(0.99))),
                       time_text(static_cast<double>(d.max())));
  };
  for (const NodeHealth& n : h.nodes)
    out += fmt::format(
        "<tr><td>{}</td><td>{}</td><td>{}</td><td>{}</td>{}{}{}<td>{}</td><td>{}"
        "</td></tr>\n",
        escaped(n.name), n.frames, n.late_by_work, n.late_by_wake_up, two(n.wake_up), two(n.work),
        two(n.waiting), n.prioritized ? "yes" : "no", escaped(n.clock));
  out += "</table>\n";
  for (const Health::Path& p : h.paths)
    out += fmt::format("<p>The network from {} to {} made {} frames late; longest {}.</p>\n",
                       escaped(p.from), escaped(p.to), p.late,
                       time_text(static_cast<double>(p.longest)));
  return out;
}

std::vector<std::string> names_of(const std::vector<NodeHealth>& nodes) {
  std::vector<std::string> all;
  for (const NodeHealth& n : nodes) all.push_back(n.name);
  return all;
}

std::string late_table(const Health& h) {
  if (h.frames.late == 0) return "<p>None.</p>\n";
  std::string out = fmt::format(
      "<p>{} of {} frames: {}; at most {} in a row.</p>\n<table "
      "class=\"text\"><tr><th>frame</th><th>t</th><th>late by</th><th>cause</th></tr>\n",
      h.frames.late, h.frames.frames, counts(h), h.frames.in_a_row);
  std::size_t shown = 0;
  for (const Frame& f : h.frames.late_frames) {
    if (++shown > shown_late) break;
    out += fmt::format("<tr><td>{}</td><td>{:.{}f} s</td><td>{}</td><td>{}</td></tr>\n", f.number,
                       seconds(f.time), h.decimals(), time_text(static_cast<double>(-f.margin)),
                       escaped(blame(f, h)));
  }
  out += "</table>\n";
  if (h.frames.late > shown_late)
    out += fmt::format("<p>The first {} are shown; frames.h5 has all.</p>\n", shown_late);
  return out;
}

std::string machine_table(const Health& h) {
  std::string out = "<table class=\"text\">\n";
  const auto line = [&](std::string_view name, std::string_view value) {
    out += fmt::format("<tr><td>{}</td><td>{}</td></tr>\n", escaped(name), escaped(value));
  };
  const Machine& m = h.machine;
  line("machine",
       fmt::format("{}, {} CPUs, Linux {}{}{}", m.host, m.cpus, m.kernel,
                   m.preempt_rt ? " (PREEMPT_RT)" : "", m.hypervisor ? ", a virtual machine" : ""));
  for (const Privilege& p : h.privileges)
    line(p.name, (p.granted ? "yes: " : "no: ") + p.detail +
                     (p.granted || p.fix.empty() ? "" : ". Fix: " + p.fix));
  line("isolated CPUs", m.isolated.empty() ? "none" : m.isolated);
  line("clock", m.clock_source.empty() ? "unknown" : m.clock_source);
  line("real-time throttling",
       m.rt_runtime_us < 0 ? "off" : fmt::format("{:.0f} % of a CPU", m.throttle() * 100.0));
  for (const Machine::Governor& g : m.governors)
    line(fmt::format("governor of CPU {}", g.cpu), g.name);
  line("load at the start", fmt::format("{:.2f} runnable tasks in the last minute", m.load));
  line("CPU used by the loop", fmt::format("{:.1f} %", h.frames.load() * 100.0));
  line("page faults in the loop",
       fmt::format("{} minor, {} major", h.minor_faults, h.major_faults));
  line("waits in the loop besides the sleep", fmt::format("{}", h.waits));
  line("samples not recorded", fmt::format("{} signals, {} frames", h.dropped, h.not_kept));
  return out + "</table>\n";
}

}  // namespace

std::string time_text(double ns) {
  const double v = std::abs(ns);
  if (v < 999.5) return fmt::format("{:.0f} ns", ns);
  if (v < 999.5e3) return fmt::format("{:.{}f} µs", ns / 1e3, v < 99.95e3 ? 1 : 0);
  if (v < 999.5e6) return fmt::format("{:.{}f} ms", ns / 1e6, v < 9.995e6 ? 3 : 1);
  return fmt::format("{:.3f} s", ns / 1e9);
}

std::string rate_text(double period_ns) {
  const double hz = 1e9 / period_ns;
  if (std::abs(hz - std::round(hz)) < 1e-6 * hz && hz >= 1.0) return fmt::format("{:.0f} Hz", hz);
  return "every " + time_text(period_ns);
}

std::string blame(const Frame& f, const std::vector<std::string>& parts,
                  const std::vector<Other>& others, const std::vector<std::string>& nodes) {
  const auto node = [&nodes](std::uint32_t n) {
    return n < nodes.size() ? "node " + nodes[n] : std::string("another node");
  };
  const std::string who = f.culprit < parts.size() ? parts[f.culprit] : "the run itself";
  const std::string after = (f.node < nodes.size() ? " on " + node(f.node) : "") +
                            (f.behind ? ", after an earlier late frame" : "");
  switch (f.cause) {
    case Cause::none:
      return "not late";
    case Cause::work:
      return "work of " + who + after;
    case Cause::wake_up:
      return f.behind ? "wake-up of an earlier frame" +
                            (f.node < nodes.size() ? " on " + node(f.node) : std::string())
                      : "woken " + time_text(static_cast<double>(f.wake_up)) + " late" + after;
    case Cause::wait:
      return "waiting of " + who + after;
    case Cause::federation:
    case Cause::pacing:
      if (f.culprit >= others.size()) return std::string("waiting for the federation") + after;
      return (f.cause == Cause::pacing ? "waiting for the federation, whose pace is set by "
                                       : "waiting for the federation, which was held back by ") +
             others[f.culprit].name + after;
    case Cause::node:
      return "waiting for " + node(f.culprit) + (f.behind ? ", after an earlier late frame" : "");
    case Cause::network:
      return "the network from " + node(f.culprit) + " to " + node(f.node) +
             (f.behind ? ", after an earlier late frame" : "");
    case Cause::division:
      return std::string("a part was moved, or a node was lost") +
             (f.behind ? ", in an earlier frame" : "");
  }
  return {};
}

std::string blame(const Frame& f, const Health& h) {
  return blame(f, h.parts, h.others, names_of(h.nodes));
}

int Health::decimals() const noexcept {
  const Time last = grid.tick(grid.number(grid.origin) + static_cast<std::int64_t>(frames.frames));
  return composition::time_decimals(Duration(std::llround(grid.period() * 1e9)),
                                    last - grid.origin);
}

std::string verdict(const Health& h) {
  const FrameStatistics& f = h.frames;
  if (h.broken) return fmt::format("real time broken: policy {} ended the run", text(h.late));
  if (f.late == 0) return fmt::format("real time kept: no late frame in {}", f.frames);
  return fmt::format("{} of {} frames late: {}", f.late, f.frames, counts(h));
}

std::string report_html(const Health& h, const std::string& title, const std::string& subtitle,
                        const std::vector<LinkFigure>& links) {
  const FrameStatistics& f = h.frames;
  const double period = h.period();
  std::string out = fmt::format(
      "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>{0}: real "
      "time</title>\n{1}</head><body>\n<h1>{0}: real time</h1><p>{2}</p>\n<p class=\"verdict "
      "{3}\">{4}: "
      "{5}</p>\n",
      escaped(title), style, escaped(subtitle),
      h.broken     ? "bad"
      : f.late > 0 ? "warn"
                   : "good",
      h.broken ? "FAIL" : "PASS", escaped(verdict(h)));
  out += fmt::format("<h2>Contract</h2><p>{}, a frame of {}{}; late frames: {}; {}.</p>\n",
                     rate_text(period), time_text(period),
                     h.rate == 1.0 ? "" : fmt::format(" ({:g} × real time)", h.rate), text(h.late),
                     h.prioritized ? "real-time priority" : "no real-time priority");
  if (f.slipped > 0)
    out += fmt::format("<p>Simulated time lost {} against wall time (slip).</p>\n",
                       time_text(static_cast<double>(f.slipped)));
  if (h.near_throttling())
    out += fmt::format(
        "<p>The loop used {:.0f} % of a CPU; real-time threads get {:.0f} % of every second, and "
        "then "
        "nothing for the rest of it.</p>\n",
        f.load() * 100.0, h.machine.throttle() * 100.0);
  const int decimals = h.decimals();
  out += "<h2>Time used</h2>\n" +
         picture(f.used, "from the intended beginning of a frame to the end of its work", period) +
         picture(f.wake_up, "wake-up: actual minus intended beginning", 0.0);
  out +=
      "<table><tr><th></th><th>mean</th><th>p50</th><th>p99</th><th>p99.9</th><th>max</th><th>when"
      "</th></tr>\n" +
      row("time used", f.used, decimals) + row("wake-up", f.wake_up, decimals) +
      row("cost of a frame", f.cost, decimals);
  for (std::size_t i = 0; i < h.parts.size() && i < f.parts.size(); ++i)
    out += row(h.parts[i], f.parts[i], decimals);
  out += row("executive, recorder", f.rest, decimals);
  if (h.shares_time) out += row("kept by the federation", f.held, decimals);
  if (!h.nodes.empty()) out += row("waiting for other nodes", f.held, decimals);
  out += fmt::format("</table>\n<p>Least margin {} of {}.</p>\n",
                     time_text(period - static_cast<double>(f.used.max())), time_text(period));
  out += "<h2>Late frames</h2>\n" + late_table(h);
  if (!h.others.empty()) out += others_table(h);
  if (!h.nodes.empty()) out += nodes_table(h);
  if (!links.empty()) {
    out += "<h2>Links, at the end</h2>\n<table class=\"text\">\n";
    for (const LinkFigure& l : links)
      out += fmt::format("<tr><td>{}</td><td>{}</td><td>{}</td></tr>\n", escaped(l.link),
                         escaped(l.name), escaped(l.value));
    out += "</table>\n";
  }
  out += "<h2>Machine</h2>\n" + machine_table(h);
  return out + "</body></html>\n";
}

}  // namespace vernier::realtime
