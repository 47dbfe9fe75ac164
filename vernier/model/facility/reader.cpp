#include "vernier/model/facility/reader.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "vernier/base/text.hpp"
#include "vernier/document/report.hpp"
#include "vernier/model/facility/scene.hpp"
#include "vernier/model/multibody_tree/quantities.hpp"
#include "vernier/model/multibody_tree/title.hpp"

namespace vernier::embedded {
std::string_view facility(std::string_view file) noexcept;
}

namespace vernier::facility {
namespace {

using document::Document;
using document::Element;
using document::in_quotes;
using document::Report;
using multibody_tree::Quantities;

/// Builds an installation from a valid document and reports errors.
class Builder {
 public:
  Builder(const Document& d, Report& r, const Parameters* p)
      : root_(d.root()), report_(r), parameters_(p), quantities_(r, p) {}

  Installation run() {
    if (const Element* e = root_.child("constants")) quantities_.declare(*e);
    made_.name = trimmed(root_.value("name"));
    if (parameters_) made_.seed = parameters_->seed();
    rate();
    // Missing attributes have the defaults of the grammar, which are those of Installation.
    if (const Element* e = root_.child("laboratory")) laboratory(*e);
    static const Element none{};
    chain(root_.child("chain"), none);
    noise(root_.child("noise"), none);
    if (const Element* e = root_.child("takeover")) {
      made_.agree_position = positive(*e, "position", "m");
      made_.agree_attitude = positive(*e, "attitude", "rad");
      made_.fade = positive(*e, "fade", "s");
    }
    if (const Element* e = root_.child("homing"))
      made_.homing = share(*e, "share", made_.homing, false);
    std::vector<const Element*> robots;
    for (const Element& e : root_.children) {
      if (e.name == "robot") robots.push_back(&e);
    }
    for (std::size_t i = 0; i < 2; ++i) robot(*robots[i], made_.robots[i]);
    between(robots);
    return std::move(made_);
  }

  const std::vector<ParameterSpec>& specs() const noexcept { return quantities_.specs(); }

 private:
  double number(const Element& e, const char* attribute, const char* unit) {
    return quantities_.number(e, attribute, unit).value_or(0.0);
  }

  double positive(const Element& e, const char* attribute, const char* unit) {
    const auto x = quantities_.number(e, attribute, unit);
    if (x && !(*x > 0.0)) {
      report_.error("V1680", std::string(attribute) + " must be more than zero",
                    Report::value_place(e, attribute));
    }
    return x.value_or(1.0);
  }

  double not_negative(const Element& e, const char* attribute, double x) {
    if (!(x >= 0.0) || !std::isfinite(x)) {
      report_.error("V1680", std::string(attribute) + " must not be negative",
                    Report::value_place(e, attribute));
      return 0.0;
    }
    return x;
  }

  double share(const Element& e, const char* attribute, double otherwise, bool zero) {
    const auto x = quantities_.number(e, attribute, "1");
    if (!x) return otherwise;
    if (*x <= 1.0 && (zero ? *x >= 0.0 : *x > 0.0)) return *x;
    report_.error("V1680",
                  std::string(attribute) +
                      (zero ? " must be from 0 to 1" : " must be more than 0 and at most 1"),
                  Report::value_place(e, attribute));
    return otherwise;
  }

  void rate() {
    const auto w = quantities_.frequency(root_, "rate");
    if (!w) return;
    const double hertz = *w / (2.0 * std::numbers::pi), whole = std::round(hertz);
    if (whole < 1.0 || whole > 10000.0 || std::abs(hertz - whole) > 1e-9 * whole) {
      report_.error("V1680", "rate must be a whole number of Hz from 1 to 10000",
                    Report::value_place(root_, "rate"));
      return;
    }
    made_.rate = {static_cast<std::int64_t>(whole), 1};
  }

  void laboratory(const Element& e) {
    if (const auto R = quantities_.attitude(e)) made_.R_LS = *R;
    made_.share = share(e, "share", made_.share, true);
    made_.clearance = not_negative(e, "clearance", number(e, "clearance", "m"));
    made_.singular = share(e, "singular", made_.singular, false);
  }

  void chain(const Element* given, const Element& none) {
    const Element& e = given ? *given : none;
    made_.delay =
        quantities_
            .replaceable("delay", e, "delay", "s", {made_.delay}, "from commanded to measured")
            .front();
    if (delay_steps(made_) == 0) {
      report_
          .error("V1681", "the delay is not a whole number of steps, from 1 to 4096",
                 given ? Report::value_place(e, "delay") : root_.place)
          .notes.push_back("a step takes " + exact(1000.0 / static_cast<double>(made_.rate.times)) +
                           " ms");
    }
    if (!given) return;
    if (e.attribute("bandwidth"))
      made_.bandwidth = quantities_.frequency(e, "bandwidth").value_or(0.0);
    // A bandwidth that the step cannot resolve is treated as exact.
    if (made_.bandwidth > 10.0 * static_cast<double>(made_.rate.times)) {
      report_
          .error("V1680", "bandwidth is more than ten times the rate in rad/s",
                 Report::value_place(e, "bandwidth"))
          .notes.push_back("without a bandwidth joints follow exactly");
      made_.bandwidth = 0.0;
    }
    made_.damping = positive(e, "damping", "1");
    if (made_.damping > 10.0) {
      report_.error("V1680", "damping must be at most 10", Report::value_place(e, "damping"));
      made_.damping = 1.0;
    }
  }

  void noise(const Element* given, const Element& none) {
    const Element& e = given ? *given : none;
    made_.position_noise =
        not_negative(given ? e : root_, "position",
                     quantities_
                         .replaceable("position_noise", e, "position", "m", {0.0},
                                      "standard deviation of measured positions, each axis")
                         .front());
    made_.attitude_noise =
        not_negative(given ? e : root_, "attitude",
                     quantities_
                         .replaceable("attitude_noise", e, "attitude", "rad", {0.0},
                                      "standard deviation of measured attitudes, each axis")
                         .front());
  }

  Pose pose(const Element& e) {
    Pose p;
    if (const auto v = quantities_.vector(e, "position", "m")) p.p = *v;
    if (const auto R = quantities_.attitude(e)) p.R = *R;
    return p;
  }

  void robot(const Element& e, Robot& r) {
    r.name = trimmed(e.value("name"));
    quantities_.good_name(e, r.name);
    r.base = pose(e);
    for (Joint& j : r.joints) j.acceleration = 0.0;
    std::size_t next = 1;
    for (const Element& c : e.children) {
      if (c.name == "arm") arm(c, r.arm);
      if (c.name == "mount") r.mount = pose(c);
      if (c.name == "rail") {
        r.railed = true;
        if (const auto axis = quantities_.direction(c, "axis")) r.axis = *axis;
        r.stand = number(c, "stand", "m");
        r.joints[0].name = "rail";
        joint(c, r.joints[0], "m");
      }
      if (c.name == "joint") {
        r.joints[next].name = trimmed(c.value("name"));
        quantities_.good_name(c, r.joints[next].name);
        joint(c, r.joints[next++], "rad");
      }
    }
  }

  void arm(const Element& e, Arm& a) {
    a.shoulder_height = number(e, "shoulder_height", "m");
    a.shoulder_offset = number(e, "shoulder_offset", "m");
    a.elbow_offset = number(e, "elbow_offset", "m");
    a.upper_arm = positive(e, "upper_arm", "m");
    a.forearm = positive(e, "forearm", "m");
    a.hand = not_negative(e, "hand", number(e, "hand", "m"));
  }

  void joint(const Element& e, Joint& j, const std::string& unit) {
    j.minimum = number(e, "minimum", unit.c_str());
    j.maximum = number(e, "maximum", unit.c_str());
    j.rate = positive(e, "rate", (unit + "/s").c_str());
    j.acceleration = positive(e, "acceleration", (unit + "/s^2").c_str());
    j.home = number(e, "home", unit.c_str());
    j.parked = e.attribute("parked") ? number(e, "parked", unit.c_str()) : j.home;
    if (report_.failed()) return;
    if (!(j.minimum < j.maximum)) {
      report_.error("V1682", "the minimum of " + j.name + " is not less than its maximum",
                    Report::value_place(e, "minimum"));
      return;
    }
    for (const auto& [attribute, x] : {std::pair("home", j.home), std::pair("parked", j.parked)}) {
      if (!e.attribute(attribute) || (x >= j.minimum && x <= j.maximum)) continue;
      report_
          .error("V1682", std::string(attribute) + " of " + j.name + " is outside of its limits",
                 Report::value_place(e, attribute))
          .notes.push_back("they are " + std::string(e.value("minimum")) + " and " +
                           std::string(e.value("maximum")));
    }
  }

  /// Checks that concern both robots.
  void between(const std::vector<const Element*>& robots) {
    const std::array names{made_.robots[0].name, made_.robots[1].name};
    if (names[0] == names[1]) {
      report_.error("V1310", "the name " + in_quotes(names[0]) + " is used twice",
                    Report::value_place(*robots[1], "name"));
    }
    made_.reference = 1;
    if (root_.attribute("reference")) {
      const std::string wanted(trimmed(root_.value("reference")));
      if (wanted == names[0]) made_.reference = 0;
      if (wanted != names[0] && wanted != names[1]) {
        Diagnostic& d = report_.error("V1683", "reference names no robot: " + in_quotes(wanted),
                                      Report::value_place(root_, "reference"));
        if (const auto near = closest(wanted, {names[0], names[1]})) did_you_mean(d, *near);
        d.notes.push_back("robots: " + names[0] + ", " + names[1]);
      }
    }
    if (made_.robots[0].railed == made_.robots[1].railed) {
      report_.error("V1684",
                    made_.robots[0].railed ? "both robots are on a rail, one must stand"
                                           : "no robot is on a rail, one must be",
                    robots[1]->place);
    }
    if (report_.failed()) return;
    Vector3 at[2];
    for (std::size_t i = 0; i < 2; ++i) {
      const Robot& r = made_.robots[i];
      const Coordinates q = home(r);
      const Pose body = body_pose(r, q);
      at[i] = body.p;
      if (!(body.p.norm() < 1e4)) {
        report_.error("V1680", "at home " + r.name + " is more than 10 km from the origin",
                      robots[i]->place);
        continue;
      }
      const Singularity s = singularity(conditions(r.arm, q.tail<6>()), made_.singular);
      static const char* const names_of[] = {"", "shoulder", "elbow", "wrist"};
      if (s != Singularity::none) {
        report_
            .error("V1685",
                   "the home position of " + r.name +
                       " is singular: " + names_of[static_cast<std::size_t>(s)],
                   robots[i]->place)
            .notes.push_back(s == Singularity::wrist ? "axes 4 and 6 are in line; bend A5 more"
                             : s == Singularity::elbow
                                 ? "the arm is stretched or folded; bend A3 more"
                                 : "the wrist is over axis 1");
      } else if (r.railed) {
        // The rail position by the rule of placed().
        const double rail = placed(r, body, q).q[0];
        if (std::abs(rail - q[0]) > 1e-3) {
          const double stand = r.stand + rail - q[0];
          report_
              .error("V1686",
                     "at home the wrist of " + r.name + " stands " +
                         exact(std::round(stand * 1e4) / 1e4) +
                         " m before its base along the rail, not as far as stand says",
                     robots[i]->place)
              .notes.push_back("stand and the home angles must be the same to 1 mm");
        }
      }
    }
    if (!report_.failed() && (at[1] - at[0]).norm() < made_.clearance) {
      report_.error("V1687", "at home the bodies are nearer to each other than the clearance",
                    robots[1]->place);
    }
  }

  const Element& root_;
  Report& report_;
  const Parameters* parameters_;
  Quantities quantities_;
  Installation made_;
};

class DocumentSource final : public Source {
 public:
  DocumentSource(Document d, Diagnostics& problems)
      : document_(std::move(d)), title_(multibody_tree::title_of(document_)) {
    Report report(document_, problems);
    Builder builder(document_, report, nullptr);
    builder.run();
    specs_ = builder.specs();
  }

  const std::string& name() const noexcept override { return title_.name; }
  const std::string& summary() const noexcept override { return title_.summary; }
  const std::vector<ParameterSpec>& parameters() const noexcept override { return specs_; }

  Installation made(const Parameters& p) const override {
    Diagnostics problems;
    Report report(document_, problems);
    Installation made = Builder(document_, report, &p).run();
    if (problems.errors() > 0) throw ConfigurationError(problems);
    return made;
  }

 private:
  Document document_;
  multibody_tree::Title title_;
  std::vector<ParameterSpec> specs_;
};

}  // namespace

document::Grammar grammar() {
  return {"facility", "facility.dtd", embedded::facility("formats/facility/facility.dtd")};
}

std::shared_ptr<const Source> read_source(const std::filesystem::path& path,
                                          Diagnostics& problems) {
  return document::read_as<DocumentSource>(path, grammar(), problems);
}

std::shared_ptr<const Source> parse_source(std::string content, const std::filesystem::path& name,
                                           Diagnostics& problems) {
  return document::parse_as<DocumentSource>(std::move(content), name, grammar(), problems);
}

Type type_of(const std::shared_ptr<const Source>& source) {
  Type type;
  type.name = source->name();
  type.summary = source->summary();
  type.parameters = source->parameters();
  type.component = [source](const Parameters& p) {
    return std::make_unique<Facility>(source->made(p));
  };
  type.scene = [source](const Parameters& p) { return scene_of(source->made(p)); };
  return type;
}

void add_to(Catalogue& c) {
  c.add(DocumentKind{
      .root = "facility",
      .summary = "robots that move two bodies as spacecraft move",
      .instance = InstanceKind::component,
      .read = [](std::string content, const std::filesystem::path& file, Diagnostics& problems) {
        const auto source = parse_source(std::move(content), file, problems);
        return source ? type_of(source) : Type{};
      }});
}

}  // namespace vernier::facility
