#include "vernier/model/mechanism/deck.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>

#include "vernier/base/text.hpp"
#include "vernier/model/mechanics/quantities.hpp"
#include "vernier/model/mechanism/detail/deck.hpp"

namespace vernier::mechanism {
namespace detail {

void Deck::convert(const DeckStatement& s, Diagnostics& problems) {
  try {
    DeckArguments a(s, numbers_);
    if (s.keyword == "begin" || s.keyword == "end") return section(s, s.keyword == "begin");
    if (s.keyword == "set") {
      for (const DeckArgument& one : s.arguments) numbers_.set(one);
      return;
    }
    if (s.keyword == "remark" || s.keyword == "print symbol table") return;
    const std::string where = open_.empty() ? "" : open_.back();
    if (s.keyword == "reference" && where != "elements") return reference(a);
    if (s.keyword == "drive caller") {
      const long label = a.label("the label of the drive");
      drives_[label] = drive(a);
      return tail(a);
    }
    if (s.keyword == "constitutive law") return constitutive_law(a);
    if (where == "data") {
      if (s.keyword == "problem" && a.keyword("initial value")) return;
    } else if (where == "initial value") {
      return problem(s);
    } else if (where == "control data") {
      return control(s);
    } else if (where == "nodes") {
      return node(s, a);
    } else if (where == "elements") {
      return element(s, a);
    }
    refuse(
        "V1722", "\"" + s.keyword + "\" is not among what can be converted", s.place,
        where.empty() ? "it stands in no section" : "it stands in the section \"" + where + "\"");
  } catch (const DeckProblem& p) {
    problems.add(p.diagnostic);
  }
}

void Deck::section(const DeckStatement& s, bool begins) {
  static const std::array<std::string_view, 5> known{"data", "initial value", "control data",
                                                     "nodes", "elements"};
  if (s.arguments.size() != 1) refuse("V1721", "a section has one name", s.place);
  const std::string name = normal(s.arguments[0].text);
  if (begins) {
    if (std::find(known.begin(), known.end(), name) == known.end()) {
      open_.push_back(name);  // so that its end is found
      refuse("V1722", "the section \"" + name + "\" is not among what can be converted",
             s.arguments[0].place,
             "can be converted: data, initial value, control data, nodes, elements");
    }
    open_.push_back(name);
    return;
  }
  if (open_.empty() || open_.back() != name)
    refuse("V1721", "\"" + name + "\" ends and did not begin here", s.arguments[0].place);
  open_.pop_back();
}

void Deck::problem(const DeckStatement& s) {
  DeckArguments a(s, numbers_);
  if (s.keyword == "time step") {
    const Place place = a.place();
    step_ = a.number("the step");
    if (!(step_ > 0.0)) refuse("V1721", "the time step must be more than zero", place);
  } else if (s.keyword == "max iterations") {
    settings_ += " iterations=\"" + std::to_string(a.label("a number")) + "\"";
  } else if (s.keyword == "method") {
    if (a.keyword("ms") || a.keyword("hope")) {
      const Drive rho = drive(a);
      if (rho.kind != Drive::Kind::constant)
        refuse("V1722", "rho can be converted when it is const", a.place());
      settings_ +=
          " scheme=\"multistep2\" rho=\"" + exact(std::clamp(rho.numbers[0], 0.0, 0.99)) + "\"";
    } else if (a.keyword("bdf")) {
      settings_ += " scheme=\"multistep2\" rho=\"0\"";
    } else if (a.keyword("crank nicolson")) {
      settings_ += " scheme=\"trapezoid\"";
    } else {
      a.unexpected("ms, hope, bdf, crank nicolson");
    }
  }
  // the rest is about MBDyn's own solvers and output
}

void Deck::control(const DeckStatement& s) {
  static const std::map<std::string_view, const char*> counts{
      {"structural nodes", "structural nodes"},
      {"rigid bodies", "rigid bodies"},
      {"joints", "joints"},
      {"forces", "forces"},
      {"beams", "beams"},
      {"abstract nodes", "abstract nodes"}};
  const auto found = counts.find(s.keyword);
  if (found == counts.end() || s.arguments.empty()) return;
  declared_[found->second] = numbers_.value(s.arguments[0]);
}

void Deck::reference(DeckArguments& a) {
  const long label = a.label("the label of the reference");
  const Pose p = pose(a);
  frames_[label] = p;
  tail(a);
}

void Deck::node(const DeckStatement& s, DeckArguments& a) {
  if (s.keyword == "abstract") {
    const std::string name = named(s, "abstract", a.label("the label of the node"));
    counted_["abstract nodes"] += 1.0;
    double value = 0.0;
    if (!a.keyword("algebraic")) a.keyword("differential");
    if (a.keyword("value")) value = a.number("the value");
    written_nodes_ += "  <scalar name=\"" + name + "\" initial=\"" + exact(value) + "\"/>\n";
    return;
  }
  if (s.keyword != "structural")
    refuse("V1722", "nodes of kind \"" + s.keyword + "\" are not among what can be converted",
           s.place, "can be converted: structural, abstract");
  const long label = a.label("the label of the node");
  const bool fixed = a.keyword("static");
  if (!fixed && !a.keyword("dynamic")) a.unexpected("dynamic or static");
  if (nodes_.contains(label))
    refuse("V1723", "there are two structural nodes " + std::to_string(label), s.place);
  Node n;
  n.pose = pose(a);
  n.name = named(s, "node", label);
  const Pose& p = n.pose;
  written_nodes_ += "  <node name=\"" + n.name + "\"" + (fixed ? " kind=\"static\"" : "") +
                    (p.p.isZero(0.0) ? "" : " position=\"" + vector(p.p, "m") + "\"") +
                    attitude(p.R) +
                    (p.v.isZero(0.0) ? "" : " velocity=\"" + vector(p.v, "m/s") + "\"") +
                    (p.w.isZero(0.0) ? "" : " rate=\"" + vector(p.w, "rad/s") + "\"") + "/>\n";
  counted_["structural nodes"] += 1.0;
  nodes_.emplace(label, std::move(n));
  // initial stiffnesses and output do not concern the document
  if (!a.more()) return;
  static const std::array<std::string_view, 6> harmless{
      "output",        "position initial stiffness", "velocity initial stiffness", "assembly",
      "accelerations", "orientation description"};
  const std::string word = normal(a.peek().text);
  if (std::find(harmless.begin(), harmless.end(), word) == harmless.end())
    a.unexpected("nothing more, assembly, or output");
}

void Deck::element(const DeckStatement& s, DeckArguments& a) {
  const auto count = [&](const char* what) { counted_[what] += 1.0; };
  if (s.keyword == "body") {
    count("rigid bodies");
    return body(s, a);
  }
  if (s.keyword == "joint") {
    count("joints");
    return joint(s, a);
  }
  if (s.keyword == "beam3" || s.keyword == "beam" || s.keyword == "beam2") {
    count("beams");
    return beam(s, a, s.keyword == "beam2" ? 2 : 3);
  }
  if (s.keyword == "force" || s.keyword == "couple") {
    count("forces");
    return force(s, a, s.keyword == "couple");
  }
  if (s.keyword == "gravity") return gravity(a);
  if (s.keyword == "inertia" || s.keyword == "output") return;  // reports of MBDyn
  refuse("V1722", "the element \"" + s.keyword + "\" is not among what can be converted", s.place,
         "can be converted: body, joint, beam2, beam3, force, couple, gravity");
}

std::string Deck::named(const DeckStatement& s, const char* kind, long label) {
  // a label that was a variable keeps its name
  const std::string& word = s.arguments[0].text;
  std::string name =
      mechanics::identifier(word)
          ? word
          : std::string(kind) + "_" + (label < 0 ? "m" : "") + std::to_string(std::abs(label));
  if (name == "ground" || name == "mechanism") name += "_1";
  if (names_.contains(name)) name = std::string(kind) + "_" + name;
  while (!names_.insert(name).second) name += "_2";
  return name;
}

// ---- the document

std::string Deck::vector(const Vector3& v, const char* unit) {
  return exact(v[0]) + " " + exact(v[1]) + " " + exact(v[2]) + " " + unit;
}

std::string Deck::attitude(const Matrix3& R) {
  if ((R - Matrix3::Identity()).isZero(0.0)) return {};
  // of the largest element, so that nothing is divided by what is small
  const double t = R.trace();
  Eigen::Index k = 0;
  R.diagonal().maxCoeff(&k);
  spatial::Quaternion q;
  if (t > R(k, k)) {
    q << R(2, 1) - R(1, 2), R(0, 2) - R(2, 0), R(1, 0) - R(0, 1), 1.0 + t;
  } else {
    const Eigen::Index i = k, j = (k + 1) % 3, l = (k + 2) % 3;
    q[i] = 1.0 + R(i, i) - R(j, j) - R(l, l);
    q[j] = R(i, j) + R(j, i);
    q[l] = R(i, l) + R(l, i);
    q[3] = R(l, j) - R(j, l);
  }
  q.normalize();
  return " quaternion=\"" + exact(q[0]) + " " + exact(q[1]) + " " + exact(q[2]) + " " +
         exact(q[3]) + "\"";
}

std::string Deck::text(const End& e) {
  return "    <end node=\"" + (e.node ? e.node->name : std::string("ground")) + "\"" +
         (e.offset.isZero(0.0) ? "" : " offset=\"" + vector(e.offset, "m") + "\"") +
         attitude(e.axes) + "/>\n";
}

void Deck::write_joint(const std::string& name, const char* kind, const End& a, const End& b,
                       const std::string& more) {
  names_.insert(name);
  written_ += "  <joint name=\"" + name + "\" kind=\"" + kind + "\"" + more + ">\n" + text(a) +
              text(b) + "  </joint>\n";
}

std::string Deck::matrix_text(const char* of, const std::vector<double>& m, std::size_t n) const {
  std::string all = std::string("    <matrix of=\"") + of + "\">\n";
  for (std::size_t i = 0; i < n; ++i) {
    all += "     ";
    for (std::size_t j = 0; j < n; ++j) all += " " + exact(m[i * n + j]);
    all += "\n";
  }
  return all + "    </matrix>\n";
}

std::string Deck::drive_text(const Drive& d, double factor, const char* unit) {
  using Kind = Drive::Kind;
  const auto quantity = [&](double x) {
    return exact(x * factor) + (x == 0.0 ? "" : std::string(" ") + unit);
  };
  if (d.kind == Kind::constant) return quantity(d.numbers[0]);
  std::string name = "drive_" + std::to_string(++drive_count_["drive"]);
  while (!names_.insert(name).second) name += "_2";
  const std::string head = " name=\"" + name + "\" unit=\"" + unit + "\"";
  const std::vector<double>& n = d.numbers;
  std::string& out = written_drives_;
  switch (d.kind) {
    case Kind::ramp:
      out += "  <ramp" + head + " from=\"" + quantity(n[0]) + "\" to=\"" + quantity(n[1]) +
             "\" begin=\"" + exact(n[2]) + " s\" end=\"" + exact(n[3]) + " s\"/>\n";
      break;
    case Kind::step:
      out += "  <step" + head + " from=\"" + quantity(n[0]) + "\" to=\"" + quantity(n[1]) +
             "\" at=\"" + exact(n[2]) + " s\"/>\n";
      break;
    case Kind::sine:
      out += "  <sine" + head + " offset=\"" + quantity(n[0]) + "\" amplitude=\"" + quantity(n[1]) +
             "\" frequency=\"" + exact(n[2]) + " rad/s\" phase=\"" + exact(n[3]) +
             " rad\" begin=\"" + exact(n[4]) + " s\"" +
             (n[5] != 0.0 ? " end=\"" + exact(n[6]) + " s\"" : "") + "/>\n";
      break;
    case Kind::table: {
      out += "  <table" + head + ">";
      for (std::size_t i = 0; i < n.size(); i += 2)
        out += "\n    " + exact(n[i]) + " " + exact(n[i + 1] * factor);
      out += "\n  </table>\n";
      break;
    }
    default:
      // what the terms are in is known to whoever wrote them
      out += "  <function name=\"" + name + "\" value=\"" +
             escaped(factor == 1.0 ? d.formula : "(" + exact(factor) + ")*(" + d.formula + ")") +
             "\"/>\n";
  }
  return name;
}

std::string Deck::document(const std::string& name) const {
  std::string step = step_ > 0.0 ? " step=\"" + exact(step_) + " s\"" : "";
  return "<!DOCTYPE mechanism SYSTEM \"constrained.dtd\">\n<mechanism name=\"" + name +
         "\" version=\"1\">\n" + gravity_ +
         (settings_.empty() && step.empty() ? "" : "  <settings" + settings_ + step + "/>\n") +
         "\n" + written_nodes_ + "\n" + written_drives_ + written_ + "</mechanism>\n";
}

void Deck::check_counts(const DeckStatement& last, Diagnostics& problems) const {
  for (const auto& [what, declared] : declared_) {
    const auto found = counted_.find(what);
    const double there = found == counted_.end() ? 0.0 : found->second;
    if (there == declared) continue;
    problems.warning(
        "V1725",
        "the control data says " + exact(declared) + " " + what + ", the deck has " + exact(there),
        last.place);
  }
  if (!open_.empty())
    problems.error("V1721", "the section \"" + open_.back() + "\" has no end", last.place);
}

}  // namespace detail

namespace {

/// The same problems, each with the line it is about.
void add_with_lines(const Diagnostics& found, std::string_view content, Diagnostics& to) {
  constexpr std::size_t longest = 400;
  std::vector<std::string_view> lines;
  if (!found.list().empty()) lines = split(content, '\n');
  for (const Diagnostic& d : found.list()) {
    Diagnostic& copy = to.add(d);
    const auto n = static_cast<std::size_t>(d.place.line);
    if (n == 0 || n > lines.size() || lines[n - 1].size() > longest) continue;
    std::string_view line = lines[n - 1];
    if (line.ends_with('\r')) line.remove_suffix(1);
    copy.source.push_back({d.place.line, std::string(line)});
  }
}

std::optional<std::string> converted(std::string_view content, const std::string& name,
                                     Diagnostics& problems) {
  constexpr std::size_t most_problems = 100;
  const std::vector<detail::DeckStatement> all = detail::deck_statements(content, name, problems);
  if (problems.errors() > 0) return {};
  detail::Deck deck;
  for (const detail::DeckStatement& s : all) {
    deck.convert(s, problems);
    if (problems.errors() > most_problems) return {};
  }
  if (all.empty()) {
    problems.error("V1721", "the deck is empty", {.file = name, .line = 1, .column = 1});
  } else {
    deck.check_counts(all.back(), problems);
  }
  if (problems.errors() > 0) return {};
  std::string own = std::filesystem::path(name).stem().string();
  if (!mechanics::identifier(own)) own = "deck";
  return deck.document(own);
}

}  // namespace

std::optional<std::string> convert_deck(std::string_view content, const std::string& name,
                                        Diagnostics& problems) {
  Diagnostics found;
  std::optional<std::string> made = converted(content, name, found);
  add_with_lines(found, content, problems);
  return made;
}

std::optional<std::string> import_deck(const std::filesystem::path& path, Diagnostics& problems) {
  constexpr std::uintmax_t largest = 16u << 20;
  std::error_code failed;
  const bool fits = std::filesystem::is_regular_file(path, failed) &&
                    std::filesystem::file_size(path, failed) <= largest && !failed;
  std::ifstream in(path, std::ios::binary);
  if (!fits || !in) {
    problems.error("V1720", "\"" + path.string() + "\" cannot be read", {})
        .notes.push_back("a deck is a file of at most 16 MiB");
    return {};
  }
  const std::string content{std::istreambuf_iterator<char>(in), {}};
  return convert_deck(content, path.string(), problems);
}

}  // namespace vernier::mechanism
