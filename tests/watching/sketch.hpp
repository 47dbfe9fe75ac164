#pragma once

#include <bit>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "vernier/base/diagnostic.hpp"
#include "vernier/base/random.hpp"
#include "vernier/base/temporary_folder.hpp"
#include "vernier/model/automaton/automaton.hpp"
#include "vernier/model/island/island.hpp"
#include "vernier/model/multibody_loops/reader.hpp"
#include "vernier/model/multibody_tree/type.hpp"
#include "vernier/model/spacecraft/types.hpp"
#include "vernier/run/composition/plan.hpp"
#include "vernier/run/executive/executive.hpp"

/// Random compositions of real models, and what becomes of them to the bit.
namespace vernier::sketches {

inline const Catalogue& catalogue() {
  static const Catalogue filled = [] {
    Catalogue c;
    c.set_island(island::make_island);
    automaton::add_to(c);
    multibody_tree::add_to(c);
    multibody_loops::add_to(c);
    spacecraft::register_types(c);
    return c;
  }();
  return filled;
}

inline const char* const oscillator = R"(<hybridsystem name="Oscillator" version="1">
  <constants><constant name="k" value="4"/></constants>
  <inputs><input name="u" default="0"/></inputs>
  <states><state name="x" initial="1"/><state name="v" initial="0"/></states>
  <outputs><output name="y"/></outputs>
  <location><name>Swing</name>
    <diffequation state="x">v</diffequation>
    <diffequation state="v" unit="1">u - k*x - 0.1*v - 0.3*sin(x)</diffequation>
    <outputmap output="y">x</outputmap></location>
</hybridsystem>)";

inline const char* const relay = R"(<hybridsystem name="Relay" version="1">
  <inputs><input name="u" default="0"/></inputs>
  <outputs><output name="y"/></outputs>
  <events><event name="on" direction="out"/></events>
  <initial location="Off"/>
  <location><name>Off</name><outputmap output="y">0</outputmap>
    <transitions><transition><name>up</name><domain>u &gt; 0.4</domain><outevent>on</outevent>
      <reset><destination>On</destination></reset></transition></transitions></location>
  <location><name>On</name><outputmap output="y">1</outputmap>
    <transitions><transition><name>down</name><domain>u &lt; -0.4</domain>
      <reset><destination>Off</destination></reset></transition></transitions></location>
</hybridsystem>)";

inline const char* const counter = R"(<hybridsystem name="Counter" version="1">
  <inputs><input name="u" default="0"/></inputs>
  <states><state name="n" initial="0"/></states>
  <outputs><output name="y"/></outputs>
  <events><event name="on" direction="in"/></events>
  <location><name>Count</name>
    <diffequation state="n" unit="1">-0.2*n + 0.01*u</diffequation>
    <outputmap output="y">n + 0.1*u</outputmap>
    <transitions><transition><name>next</name><inevent>on</inevent>
      <reset><destination>Count</destination><statereset state="n">n + 1</statereset></reset>
    </transition></transitions></location>
</hybridsystem>)";

/// A composition of up to eight parts, wired at random: with and without islands, rates, delays of
/// values and of events, noise.
class Sketch {
 public:
  explicit Sketch(std::uint64_t seed) : random_(seed) {
    write("oscillator.xml", oscillator);
    write("relay.xml", relay);
    write("counter.xml", counter);
    const int parts = 2 + pick(5);
    for (int i = 0; i < parts; ++i) add_part("p" + std::to_string(i));
    for (std::size_t i = 0; i < names_.size(); ++i) connect(i);
    for (const std::string& from : relays_)
      for (const std::string& to : counters_) map_event(from, to);
    if (pick(3) == 0) {
      text_ << "<system id=\"craft\" type=\"rigid_body\">"
            << "<parameter name=\"inertia\" value=\"1 2 2.5\"/>"
            << "<parameter name=\"omega\" value=\"0.1 0.2 -0.3\"/></system>"
            << "<component id=\"gyro\" type=\"rate_sensor\" rate=\"" << 3 + pick(30) << " Hz\">"
            << "<parameter name=\"noise\" value=\"1e-3\"/></component>"
            << "<connect from=\"craft.omega\" to=\"gyro.truth\"/>";
    }
    if (pick(4) == 0)
      text_ << "<system id=\"tree\" file=\"" VERNIER_SOURCE_DIR
               "/formats/multibody/good/case_b.xml\"/>";
    if (pick(4) == 0)
      text_ << "<component id=\"arm\" file=\"" VERNIER_SOURCE_DIR
               "/formats/constrained/good/pendulum.xml\"/>";
    text_ << "<stimulus at=\"0.777 s\" input=\"ext.push\" value=\"0.9\"/>";
    step_ms_ = 20 + 10 * pick(9);
  }

  std::string document(bool more) const {
    std::string s = "<interconnection name=\"sketch\" version=\"1\"><input name=\"push\"/>";
    s += text_.str();
    if (more)
      s += "<system id=\"ball\" file=\"" VERNIER_SOURCE_DIR
           "/formats/hybrid/good/bouncing_ball.xml\"/>"
           "<system id=\"other\" type=\"rigid_body\"><parameter name=\"inertia\" value=\"1 2 "
           "2.5\"/></system>"
           "<component id=\"other_gyro\" type=\"rate_sensor\" rate=\"137 Hz\"/>"
           "<connect from=\"other.omega\" to=\"other_gyro.truth\"/>"
           "<system id=\"alone\" file=\"oscillator.xml\" rate=\"17 per 1 s\"/>"
           "<stimulus at=\"1.2345 s\" input=\"alone.u\" value=\"3\"/>";
    return s + "<run stop=\"3 s\" step=\"" + std::to_string(step_ms_) + " ms\"/></interconnection>";
  }

  /// The document as a file, for programs that read it by name.
  std::filesystem::path file() const {
    const std::filesystem::path path = folder_ / "sketch.xml";
    if (!std::filesystem::exists(path)) std::ofstream(path) << document(false);
    return path;
  }

  composition::Plan plan(bool more = false) const {
    Diagnostics problems;
    const composition::Composition c =
        composition::parse_composition(document(more), folder_ / "sketch.xml", problems);
    return composition::make_plan(c, catalogue(), problems);
  }

 private:
  int pick(int n) { return static_cast<int>(random_.uniform() * n); }
  void write(const char* name, const char* content) { std::ofstream(folder_ / name) << content; }

  void add_part(const std::string& name) {
    static const char* const files[] = {"oscillator.xml", "oscillator.xml", "relay.xml",
                                        "counter.xml"};
    const int kind = pick(4);
    names_.push_back(name);
    feeds_through_.push_back(kind == 3);
    if (kind == 2) relays_.push_back(name);
    if (kind == 3) counters_.push_back(name);
    text_ << "<system id=\"" << name << "\" file=\"" << files[kind] << "\"";
    if (pick(3) == 0)
      text_ << " island=\"own\"";
    else if (pick(6) == 0)
      text_ << " rate=\"" << 5 + pick(40) << " Hz\"";
    text_ << "/>";
  }

  void connect(std::size_t to) {
    const auto from = static_cast<std::size_t>(pick(static_cast<int>(names_.size()) + 2));
    if (from == names_.size()) return;
    const bool outside = from > names_.size();
    // no ring of outputs that need each other at once
    if (!outside && feeds_through_[to] && feeds_through_[from] && from >= to) return;
    text_ << "<connect from=\"" << (outside ? "ext.push" : names_[from] + ".y") << "\" to=\""
          << names_[to] << ".u\" gain=\"" << 0.25 * (1 + pick(6)) << "\"";
    if (pick(3) == 0) text_ << delay();
    text_ << "/>";
  }

  // a label that no map names reaches all that wait for it
  void map_event(const std::string& from, const std::string& to) {
    if (pick(3) == 0) return;
    text_ << "<eventmap from=\"" << from << ".on\" to=\"" << to << ".on\"";
    if (pick(3) != 0) text_ << delay();
    text_ << "/>";
  }

  std::string delay() {
    static const char* const lengths[] = {"1 tick", "2 ticks", "37 ms", "250 ms"};
    return std::string(" delay=\"") + lengths[pick(4)] + "\"";
  }

  Random random_;
  TemporaryFolder folder_;
  std::vector<std::string> names_;
  std::vector<bool> feeds_through_;
  std::vector<std::string> relays_, counters_;
  std::ostringstream text_;
  int step_ms_ = 100;
};

/// What an output shows at the instants of its cluster, as a number that any bit changes.
class Digest final : public executive::Observer {
 public:
  explicit Digest(const executive::PortView& v) : view_(v) {}
  void sample(Instant at, bool last) noexcept override {
    take(static_cast<std::uint64_t>(at.time.time_since_epoch().count()));
    take(last);
    for (std::uint32_t i = 0; i < view_.port->count; ++i)
      take(std::bit_cast<std::uint64_t>(view_.element(i)));
    ++rows;
  }
  std::uint64_t value = 14695981039346656037u;
  std::uint64_t rows = 0;

 private:
  void take(std::uint64_t v) noexcept { value = (value ^ v) * 1099511628211u; }
  const executive::PortView& view_;
};

}  // namespace vernier::sketches
