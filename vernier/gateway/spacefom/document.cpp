#include "vernier/gateway/spacefom/document.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "vernier/base/text.hpp"
#include "vernier/base/units.hpp"
#include "vernier/document/report.hpp"
#include "vernier/gateway/fom/merge.hpp"
#include "vernier/gateway/fom/reader.hpp"
#include "vernier/gateway/spacefom/central_clock.hpp"
#include "vernier/gateway/spacefom/detail/mapping.hpp"
#include "vernier/kernel/frames/dates.hpp"

namespace vernier::embedded {
std::string_view spacefom(std::string_view file) noexcept;
}

namespace vernier::spacefom {
namespace {

using document::Document;
using document::Element;
using document::in_quotes;
using document::Report;

/// Accepts what realtime::parsed_policy() accepts.
bool good_policy(std::string_view s) {
  if (s == "strict" || s == "elastic" || s == "catch-up" || s == "slip") return true;
  if (!s.starts_with("elastic:")) return false;
  const auto counts = split(s.substr(8), ',');
  for (const auto c : counts)
    if (const auto n = parsed_integer(c); !n || *n < 0 || *n > 1'000'000) return false;
  return counts.size() <= 2 && *parsed_integer(counts[0]) > 0;
}

/// Fills a FederateDocument from a valid document. Continues after each problem, to report all.
class Builder {
 public:
  Builder(const Document& d, Report& r, Diagnostics& problems)
      : document_(d), root_(d.root()), report_(r), problems_(problems) {
    made_.file = d.file();
  }

  FederateDocument run() {
    Settings& s = made_.settings;
    s.name = trimmed(root_.value("name"));
    s.type = trimmed(root_.value("type", s.name));
    if (root_.value("version") != "1")
      wrong("V1831", root_, "version",
            "the document has version " + std::string(root_.value("version")) +
                ", this program reads version 1")
          .mark = "write version=\"1\"";
    if (s.name.empty()) wrong("V1832", root_, "name", "a federate needs a name");
    if (const Element* e = root_.child("description")) made_.description = trimmed(e->text);
    federation(*root_.child("federation"));
    if (const Element* e = root_.child("role")) {
      s.master = e->value("master") == "yes";
      s.pacing = e->value("pacing") == "yes";
      s.root_publisher = e->value("root") == "yes";
      s.late_only = e->value("join") == "late";
      if (s.late_only && (s.master || s.pacing || s.root_publisher))
        wrong("V1834", *e, "join",
              "a federate that joins late cannot be Master, Pacing or Root Reference Frame "
              "Publisher");
    }
    time(*root_.child("time"));
    for (const Element& e : root_.children) {
      if (e.name == "require") require(e);
      if (e.name == "phase") named(e, made_.settings.phases, "phase");
      if (e.name == "module") module(e);
    }
    if (!merge()) return std::move(made_);
    if (const Element* e = root_.child("publish"))
      for (const Element& o : e->children) publish(o);
    if (const Element* e = root_.child("subscribe"))
      for (const Element& o : e->children) subscribe(o);
    roles();
    return std::move(made_);
  }

 private:
  Diagnostic& wrong(const char* code, const Element& e, std::string_view attribute,
                    std::string what) {
    return report_.error(code, std::move(what), Report::value_place(e, attribute));
  }

  std::optional<double> quantity(const Element& e, std::string_view attribute,
                                 std::string_view unit) {
    const auto value = parsed_quantity(e.value(attribute), unit);
    if (!value || !std::isfinite(*value)) {
      wrong("V1832", e, attribute,
            in_quotes(e.value(attribute)) + " is not a quantity in " + std::string(unit));
      return {};
    }
    return value;
  }

  // logical time is a whole number of microseconds (rule 4-8)
  Ticks ticks(const Element& e, std::string_view attribute, Ticks otherwise) {
    if (!e.attribute(attribute)) return otherwise;
    const auto seconds = quantity(e, attribute, "s");
    if (!seconds) return otherwise;
    const double us = *seconds * 1e6, whole = std::round(us);
    if (!(whole >= 1.0 && whole < 1e15) ||
        std::abs(us - whole) > 1e-6 * std::max(1.0, 1e-6 * whole)) {
      wrong("V1832", e, attribute,
            in_quotes(e.value(attribute)) + " is not a positive whole number of microseconds")
          .notes.push_back("logical time of a SpaceFOM federation counts microseconds");
      return otherwise;
    }
    return static_cast<Ticks>(whole);
  }

  template <class To>
  void numbers(const Element& e, std::string_view attribute, std::string_view unit, To to,
               std::size_t count) {
    if (!e.attribute(attribute)) return;
    std::vector<std::string_view> list = words(e.value(attribute));
    if (count == 1) list = {e.value(attribute)};  // a number and a unit
    std::vector<double> values;
    for (const auto w : list)
      if (const auto x = parsed_quantity(w, unit); x && std::isfinite(*x)) values.push_back(*x);
    if (values.size() != count || list.size() != count) {
      wrong("V1832", e, attribute,
            "\"" + std::string(e.value(attribute)) + "\" is not " + std::to_string(count) +
                (count == 1 ? " number" : " numbers") + " in " + std::string(unit));
      return;
    }
    for (std::size_t i = 0; i < count; ++i) to[i] = values[i];
  }

  void attitude(const Element& e, std::string_view attribute, frames::Quaternion& q) {
    if (!e.attribute(attribute)) return;
    numbers(e, attribute, "1", q.data(), 4);
    const double n = q.norm();
    if (!(std::abs(n - 1.0) <= 1e-3)) {
      wrong("V1832", e, attribute, "an attitude is a unit quaternion, scalar last");
      q = {0.0, 0.0, 0.0, 1.0};
    } else {
      q /= n;
    }
  }

  void federation(const Element& e) {
    Settings& s = made_.settings;
    s.federation = trimmed(e.value("name"));
    s.designator = trimmed(e.value("rti"));
    s.attitude = e.value("attitude") == "appendix-e" ? frames::WireAttitude::own_to_parent
                                                     : frames::WireAttitude::parent_to_own;
    s.tolerate_swapped_lcts = e.value("lcts") == "tolerant";
    s.evoked = e.value("callbacks") == "evoked";
    s.use_mom = e.value("mom") == "yes";
    if (s.federation.empty()) wrong("V1832", e, "name", "a federation needs a name");
    if (const auto t = quantity(e, "patience", "s")) {
      if (*t < 0.0 || *t > 1e6) wrong("V1832", e, "patience", "patience must not be negative");
      s.patience = std::chrono::milliseconds(std::llround(std::clamp(*t, 0.0, 1e6) * 1e3));
    }
  }

  void time(const Element& e) {
    Settings& s = made_.settings;
    s.steps.step = ticks(e, "step", 1'000'000);
    s.steps.simulation = ticks(e, "simulation", 0);
    s.steps.federation = ticks(e, "federation", s.pacing ? s.steps.step : 0);
    s.steps.least_common = ticks(e, "lcts", 0);
    s.freeze_padding = ticks(e, "freeze", 0);
    if (e.attribute("epoch")) {
      if (const auto at = frames::parsed_instant(e.value("epoch"))) {
        s.epoch = frames::scenario_time(*at);
      } else {
        wrong("V1832", e, "epoch", in_quotes(e.value("epoch")) + " is not an instant")
            .notes.push_back("write 2026-06-01T12:00:00 UTC, or TJDS and seconds of TT");
      }
    }
    if (e.attribute("pacer")) s.pacer = trimmed(e.value("pacer"));
    if (s.pacing && !s.pacer.empty() && s.pacer != s.name)
      wrong("V1834", e, "pacer", "this federate is the Pacing federate itself");
    made_.central_clock = trimmed(e.value("cte"));
    if (!made_.central_clock.empty() && !names_central_clock(made_.central_clock))
      wrong("V1832", e, "cte", in_quotes(made_.central_clock) + " is no central timing equipment")
          .notes.push_back("write system for the clock of this machine, or a PTP clock: /dev/ptp0");
    s.central_lead = std::chrono::milliseconds(ticks(e, "cte_lead", 500'000) / 1000);
    if (s.central_lead < std::chrono::milliseconds(50))
      wrong("V1832", e, "cte_lead",
            "others must hear of it in time: the lead is at least 50 ms, twice what a frozen "
            "federate needs");
    const std::string_view pace = e.value("pace");
    made_.pace.kind = pace == "scaled"      ? Pace::Kind::scaled
                      : pace == "real-time" ? Pace::Kind::real_time
                                            : Pace::Kind::none;
    made_.pace.late = trimmed(e.value("late"));
    if (!good_policy(made_.pace.late))
      wrong("V1832", e, "late",
            in_quotes(made_.pace.late) + " does not say what to do when it is late")
          .notes.push_back("strict, elastic, elastic:3, elastic:3,50, catch-up or slip");
    if (const auto f = parsed_real(trimmed(e.value("factor"))); f && *f > 0.0) {
      made_.pace.factor = *f;
    } else {
      wrong("V1832", e, "factor", "the factor must be a positive number");
    }
    if (made_.pace.kind == Pace::Kind::real_time && made_.pace.factor != 1.0)
      wrong("V1834", e, "factor", "real time has no factor: it is pace=\"scaled\" then");
    if (made_.pace.kind != Pace::Kind::none && !s.pacing)
      wrong("V1834", e, "pace", "only the Pacing federate ties time to the clock")
          .notes.push_back("write <role pacing=\"yes\"/>, or leave pace out");
    if (const std::string rule = broken_rule(s.steps); !rule.empty())
      wrong("V1835", e, rule.find("least") != std::string::npos ? "lcts" : "step", rule);
    if (s.master && s.steps.least_common == 0)
      wrong("V1834", e, "lcts", "the Master must give the least common time step, lcts");
    if (s.master && !e.attribute("epoch"))
      wrong("V1834", e, "epoch", "the Master must give the epoch");
    if (s.master && s.freeze_padding > 0 && s.steps.least_common > 0)
      if (const std::string why = broken_padding(s.freeze_padding, s.steps.least_common);
          !why.empty())
        wrong("V1835", e, "freeze", why);
  }

  void require(const Element& e) {
    const bool federate = e.attribute("federate"), instance = e.attribute("instance");
    if (federate == instance) {
      report_.error("V1832", "require either a federate or an instance", e.place);
      return;
    }
    if (federate && !made_.settings.master)
      wrong("V1834", e, "federate", "only the Master waits for federates");
    (federate ? made_.settings.federates : made_.settings.instances)
        .emplace_back(trimmed(e.value(federate ? "federate" : "instance")));
  }

  void named(const Element& e, std::vector<std::string>& to, const char* what) {
    const std::string name(trimmed(e.value("name")));
    if (name.empty()) wrong("V1832", e, "name", std::string("a ") + what + " needs a name");
    for (const std::string& other : to)
      if (other == name) wrong("V1833", e, "name", "the name \"" + name + "\" is there twice");
    to.push_back(name);
  }

  void module(const Element& e) {
    const std::filesystem::path file =
        std::filesystem::absolute(document_.beside(std::string(e.value("file"))))
            .lexically_normal();
    made_.modules.push_back(file);
    made_.settings.modules.push_back(file.string());
  }

  bool merge() {
    if (made_.modules.empty()) return true;
    std::vector<fom::Module> modules;
    for (const std::string& name : fom::spacefom_modules()) modules.push_back(*fom::built_in(name));
    const std::size_t before = problems_.errors();
    for (const auto& file : made_.modules)
      if (auto m = fom::read_module(file, problems_)) modules.push_back(std::move(*m));
    if (problems_.errors() == before) fom_ = fom::merge(modules, fom::standard_mim(), problems_);
    if (fom_) mapping_.use(*fom_);
    return problems_.errors() == before;
  }

  // -- objects --

  std::string port(const Element& e) {
    std::string p(trimmed(e.value("port", e.value("name"))));
    const auto good = [](char c) {
      return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
             c == '_' || c == '.' || c == '-';
    };
    if (e.attribute("port") && !std::all_of(p.begin(), p.end(), good))
      wrong("V1832", e, "port", "\"" + p + "\" is not a name for a port");
    for (char& c : p)
      if (!good(c)) c = '_';
    if (p.empty()) wrong("V1832", e, "name", "an object needs a name");
    if (!ports_.insert(p).second)
      wrong("V1833", e, e.attribute("port") ? "port" : "name",
            "the port \"" + p + "\" is there twice");
    return p;
  }

  void own(const Element& e) {
    if (!names_.insert(std::string(e.value("name"))).second)
      wrong("V1833", e, "name",
            "the object \"" + std::string(e.value("name")) + "\" is published twice");
  }

  void publish(const Element& e) {
    if (e.name == "interaction") {
      mapping_.interaction(e, port(e), made_.interactions);
      return;
    }
    own(e);
    const std::string name(trimmed(e.value("name")));
    if (e.name == "frame") {
      PublishedFrame f{name, std::string(trimmed(e.value("parent"))), port(e), {}};
      numbers(e, "position", "m", f.initial.position.data(), 3);
      numbers(e, "velocity", "m/s", f.initial.velocity.data(), 3);
      attitude(e, "attitude", f.initial.attitude);
      numbers(e, "rate", "rad/s", f.initial.rate.data(), 3);
      if (e.attribute("in"))
        wrong("V1832", e, "in",
              "a frame that is published has a parent; in is for subscribed ones");
      mapping_.extend(e, "ReferenceFrame", f.port, f.extended, true);
      made_.frames.push_back(std::move(f));
    } else if (e.name == "entity") {
      PublishedEntity p;
      p.port = port(e);
      p.entity.name = name;
      p.entity.type = e.value("type");
      p.entity.status = e.value("status");
      p.entity.dynamical = mapping_.extend(e, "PhysicalEntity", p.port, p.extended, true) ||
                           e.value("kind") == "dynamical";
      for (const auto w : words(e.value("parents"))) p.parents.emplace_back(w);
      if (p.parents.empty()) {
        wrong("V1832", e, "parents", "the entity \"" + name + "\" needs a parent frame")
            .notes.push_back("write parents=\"EarthMJ2000Eq\", or several to choose from");
        p.parents.emplace_back("?");
      }
      p.entity.parent = p.parents.front();
      p.expressed = e.value("expressed");
      numbers(e, "center_of_mass", "m", p.entity.center_of_mass.data(), 3);
      attitude(e, "structure", p.entity.body_wrt_structural);
      numbers(e, "mass", "kg", &p.entity.mass, 1);
      numbers(e, "inertia", "kg*m^2", p.entity.inertia.data(), 9);
      made_.entities.push_back(std::move(p));
    } else if (e.name == "interface") {
      PublishedInterface i;
      i.port = port(e);
      i.interface.name = name;
      i.interface.parent = trimmed(e.value("parent"));
      if (i.interface.parent.empty())
        wrong("V1832", e, "parent", "the interface \"" + name + "\" needs a parent");
      numbers(e, "position", "m", i.interface.position.data(), 3);
      attitude(e, "attitude", i.interface.attitude);
      mapping_.extend(e, "PhysicalInterface", i.port, i.extended, true);
      made_.interfaces.push_back(std::move(i));
    } else if (e.name == "object") {
      mapping_.object(e, port(e), made_.objects);
    }
  }

  void subscribe(const Element& e) {
    if (e.name == "object") {
      mapping_.object(e, port(e), made_.subscribed_objects);
      return;
    }
    if (e.name == "interaction") {
      mapping_.interaction(e, port(e), made_.subscribed_interactions);
      return;
    }
    Subscribed s;
    s.name = trimmed(e.value("name"));
    s.port = port(e);
    s.propagated = e.value("states") != "received";
    const char* base = e.name == "frame"    ? "ReferenceFrame"
                       : e.name == "entity" ? "PhysicalEntity"
                                            : "PhysicalInterface";
    s.dynamical = mapping_.extend(e, base, s.port, s.extended, false) ||
                  (e.name == "entity" && e.value("kind") == "dynamical");
    s.in = trimmed(e.value("in"));
    if (e.name != "interface" && s.in.empty())
      wrong("V1832", e, "in", "say in which frame the states of \"" + s.name + "\" are wanted")
          .notes.push_back("write in=\"EarthMJ2000Eq\"");
    (e.name == "frame"    ? made_.subscribed_frames
     : e.name == "entity" ? made_.subscribed_entities
                          : made_.subscribed_interfaces)
        .push_back(std::move(s));
  }

  void roles() {
    const Settings& s = made_.settings;
    std::size_t roots = 0;
    for (const PublishedFrame& f : made_.frames) roots += f.parent.empty() ? 1 : 0;
    if (s.root_publisher != (roots == 1))
      report_
          .error("V1834",
                 s.root_publisher
                     ? "the Root Reference Frame Publisher publishes one frame without a "
                       "parent, and there are " +
                           std::to_string(roots)
                     : "a frame without a parent is the root frame, which the Root Reference "
                       "Frame Publisher alone publishes",
                 root_.place)
          .notes.push_back("write <role root=\"yes\"/>, or give the frame a parent");
  }

  const Document& document_;
  const Element& root_;
  Report& report_;
  Diagnostics& problems_;
  FederateDocument made_;
  std::optional<fom::Fom> fom_;
  std::set<std::string> ports_, names_;
  detail::Mapping mapping_{report_, ports_};
};

std::optional<FederateDocument> built(const std::optional<Document>& d, Diagnostics& problems) {
  if (!d) return {};
  const std::size_t before = problems.errors();
  Report report(*d, problems);
  FederateDocument made = Builder(*d, report, problems).run();
  if (problems.errors() > before) return {};
  return made;
}

}  // namespace

document::Grammar grammar() noexcept {
  return {"federate", "federate.dtd", embedded::spacefom("formats/federate/federate.dtd")};
}

std::optional<FederateDocument> read_federate(const std::filesystem::path& path,
                                              Diagnostics& problems) {
  return built(document::read(path, std::array{grammar()}, problems), problems);
}

std::optional<FederateDocument> parse_federate(std::string content, const DocumentFile& name,
                                               Diagnostics& problems) {
  return built(document::parse(std::move(content), name, std::array{grammar()}, problems),
               problems);
}

std::string summary(const FederateDocument& d) {
  const Settings& s = d.settings;
  std::string text;
  const auto line = [&](const std::string& name, const std::string& value) {
    text += name + std::string(name.size() < 14 ? 14 - name.size() : 1, ' ') + value + "\n";
  };
  const auto listed = [](const auto& all, auto name) {
    std::vector<std::string> names;
    for (const auto& one : all) names.push_back(name(one));
    return joined(names, ", ");
  };
  const auto extended = [](const Extended& x) {
    return x.object_class.empty() ? std::string() : " of " + x.object_class;
  };
  std::vector<std::string> roles;
  if (s.master) roles.emplace_back("Master");
  if (s.pacing) roles.emplace_back("Pacing");
  if (s.root_publisher) roles.emplace_back("Root Reference Frame Publisher");
  line("federate", s.name + (s.type == s.name ? "" : ", type " + s.type));
  line("federation",
       s.federation + " at " + (s.designator.empty() ? "the RTI of this process" : s.designator));
  line("roles", roles.empty() ? (s.late_only ? "late joiner" : "none") : joined(roles, ", "));
  std::vector<std::string> modules = fom::spacefom_modules();
  for (const auto& m : d.modules) modules.push_back(m.filename().string());
  line("modules", joined(modules, ", "));
  line("step", text_of(s.steps.step) + ", lookahead " + text_of(s.steps.step) +
                   (s.steps.least_common > 0 ? ", least common " + text_of(s.steps.least_common)
                                             : ", least common from the Master"));
  line("epoch", s.master ? frames::date_text(frames::reading(frames::scenario_instant(s.epoch),
                                                             frames::Scale::tt)) +
                               " TT, " + exact(s.epoch) + " s past TJD 0"
                         : "from the Master");
  line("paced by", !s.pacing ? s.pacer.empty() ? "another federate" : s.pacer
                   : d.pace.kind == Pace::Kind::none ? "this one, as fast as possible"
                   : d.pace.kind == Pace::Kind::scaled
                       ? "this one, " + exact(d.pace.factor) + " s per s, " + d.pace.late
                       : "this one, real time, " + d.pace.late);
  if (s.master) {
    line("freezes", "at least " +
                        text_of(s.freeze_padding > 0 ? s.freeze_padding
                                                     : usual_padding(s.steps.least_common)) +
                        " after the request");
    line("waits for", s.federates.empty() ? "no federate" : joined(s.federates, ", "));
  }
  if (!s.instances.empty()) line("needs", joined(s.instances, ", "));
  if (!s.phases.empty()) line("phases", joined(s.phases, ", "));
  if (!d.frames.empty())
    line("publishes", "frames " + listed(d.frames, [&](const auto& f) {
                        return f.name + (f.parent.empty() ? " (root)" : " in " + f.parent) +
                               extended(f.extended);
                      }));
  if (!d.entities.empty())
    line("publishes", "entities " + listed(d.entities, [&](const auto& e) {
                        return e.entity.name + " in " + joined(e.parents, " or ") +
                               extended(e.extended);
                      }));
  if (!d.interfaces.empty())
    line("publishes", "interfaces " + listed(d.interfaces, [&](const auto& i) {
                        return i.interface.name + extended(i.extended);
                      }));
  if (!d.objects.empty())
    line("publishes",
         listed(d.objects, [](const auto& o) { return o.name + " of " + o.object_class; }));
  const auto event = [](const auto& i) { return i.port + " of " + i.interaction_class; };
  if (!d.interactions.empty()) line("publishes", "interactions " + listed(d.interactions, event));
  const auto wanted = [&](const Subscribed& w) {
    return w.name + (w.in.empty() ? "" : " in " + w.in) + extended(w.extended);
  };
  if (!d.subscribed_frames.empty())
    line("subscribes", "frames " + listed(d.subscribed_frames, wanted));
  if (!d.subscribed_entities.empty())
    line("subscribes", "entities " + listed(d.subscribed_entities, wanted));
  if (!d.subscribed_interfaces.empty())
    line("subscribes", "interfaces " + listed(d.subscribed_interfaces, wanted));
  if (!d.subscribed_objects.empty())
    line("subscribes", listed(d.subscribed_objects,
                              [](const auto& o) { return o.name + " of " + o.object_class; }));
  if (!d.subscribed_interactions.empty())
    line("subscribes", "interactions " + listed(d.subscribed_interactions, event));
  return text;
}

}  // namespace vernier::spacefom
