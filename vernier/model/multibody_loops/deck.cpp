#include "vernier/model/multibody_loops/deck.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <map>
#include <set>

#include "vernier/base/text.hpp"
#include "vernier/model/multibody_loops/detail/deck.hpp"
#include "vernier/model/multibody_tree/quantities.hpp"

namespace vernier::multibody_loops {
namespace detail {

// What a statement means depends on the section that contains it. An error ends the conversion of
// its statement only, so that all errors of a deck are reported together.
void Deck::convert(const DeckStatement& s, Diagnostics& problems) {
  warnings_ = &problems;
  try {
    DeckArguments a(s, numbers_);
    if (s.keyword == "begin" || s.keyword == "end") return section(s, s.keyword == "begin");
    if (s.keyword == "set") {
      for (const DeckArgument& one : s.arguments) numbers_.set(one);
      return;
    }
    if (s.keyword == "remark" || s.keyword == "license") return;
    if (s.keyword == "print symbol table") return leave_out(s.keyword, s.place);
    const std::string where = open_.empty() ? "" : open_.back();
    if (s.keyword == "reference" && where != "elements") return reference(a);
    if (s.keyword == "drive caller") {
      const long label = a.label("the label of the drive");
      a.skip_name();
      drives_[label] = drive(a);
      return tail(a);
    }
    if (s.keyword == "constitutive law") return constitutive_law(a);
    if (where == "data") {
      if (s.keyword == "problem" && (a.keyword("initial value") || a.keyword("multistep"))) return;
      if (s.keyword == "problem") a.unexpected("initial value");
    } else if (where == "initial value" || where == "multistep") {
      return problem(s);
    } else if (where == "control data") {
      return control(s);
    } else if (where == "nodes") {
      return node(s, a);
    } else if (where == "elements") {
      return element(s, a);
    }
    refuse("V1722", "\"" + s.keyword + "\" is not among what can be converted", s.place,
           where.empty() ? "it is outside any section" : "it is in the section \"" + where + "\"");
  } catch (const ConfigurationError& e) {
    problems.append(e.diagnostics());
  }
}

void Deck::section(const DeckStatement& s, bool begins) {
  static const std::array<std::string_view, 6> known{"data",         "initial value", "multistep",
                                                     "control data", "nodes",         "elements"};
  if (s.arguments.size() != 1) refuse("V1721", "a section has one name", s.place);
  const std::string name = normal(s.arguments[0].text);
  if (begins) {
    if (std::find(known.begin(), known.end(), name) == known.end()) {
      open_.push_back(name);  // so that its end matches
      refuse("V1722", "the section \"" + name + "\" is not among what can be converted",
             s.arguments[0].place,
             name == "drivers"
                 ? "data of a file becomes a <table file=\"…\"> of the document, what comes from "
                   "elsewhere a <port>"
                 : "can be converted: data, initial value, control data, nodes, elements");
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
  const auto instead = [&](const std::string& what, const std::string& used) {
    warnings_
        ->warning("V1726", what + " is not supported; " + used + " is used instead",
                  s.arguments[0].place)
        .notes.push_back(
            "the <settings> of the document name another; known in decks: ms, ms2, "
            "ms3, ms4, hope, bdf, crank nicolson");
  };
  // MBDyn's multistep methods take the spectral radius at infinity as a drive, and a second one for
  // algebraic unknowns. Schemes here need one constant below 1.
  const auto dissipation = [&] {
    const auto constant = [&] {
      const Place place = a.place();
      const Drive rho = drive(a);
      if (rho.kind != Drive::Kind::constant)
        refuse("V1722", "rho can be converted when it is const", place);
      return rho.numbers[0];
    };
    const double asked = constant(), used = std::clamp(asked, 0.0, 0.99);
    if (used != asked) instead("a rho of " + exact(asked), exact(used));
    if (a.more()) {
      const double algebraic = constant();
      if (algebraic != asked)
        instead("a rho of its own for algebraic unknowns", "that of the others");
    }
    return " rho=\"" + exact(used) + "\"";
  };
  if (s.keyword == "time step") {
    const Place place = a.place();
    step_ = a.number("the step");
    if (!(step_ > 0.0)) refuse("V1721", "the time step must be more than zero", place);
  } else if (s.keyword == "initial time") {
    start_ = a.number("the time");
  } else if (s.keyword == "final time") {
    final_place_ = a.place();
    if (a.keyword("forever"))
      leave_out("final time: forever", final_place_);
    else
      final_ = a.number("the time");
  } else if (s.keyword == "max iterations") {
    settings_ += " iterations=\"" + std::to_string(a.label("a number")) + "\"";
  } else if (s.keyword == "method") {
    method_ = true;
    if (a.keyword("ms") || a.keyword("ms2") || a.keyword("hope")) {
      settings_ += " scheme=\"multistep2\"" + dissipation();
    } else if (a.keyword("ms3")) {
      settings_ += " scheme=\"multistep3\"" + dissipation();
    } else if (a.keyword("ms4")) {
      settings_ += " scheme=\"multistep4\"" + dissipation();
    } else if (a.keyword("bdf")) {
      settings_ += " scheme=\"multistep2\" rho=\"0\"";
      if (a.keyword("order") && a.label("the order") != 2)
        instead("bdf of another order than 2", "order 2");
    } else if (a.keyword("crank nicolson") || a.keyword("crank nicholson")) {
      settings_ += " scheme=\"trapezoid\"";
    } else {
      instead("the method \"" + normal(a.next("a method").text) + "\"", "multistep2");
    }
  } else {
    // How MBDyn solves its equations is not part of the model; everything else is reported.
    static const std::set<std::string_view> numerics{"tolerance",
                                                     "max residual",
                                                     "modify residual test",
                                                     "linear solver",
                                                     "interface linear solver",
                                                     "solver",
                                                     "interface solver",
                                                     "preconditioner",
                                                     "nonlinear solver",
                                                     "threads",
                                                     "enforce constraint equations",
                                                     "derivatives coefficient",
                                                     "derivatives tolerance",
                                                     "derivatives max iterations"};
    if (!numerics.contains(s.keyword)) leave_out(s.keyword, s.place);
  }
}

void Deck::control(const DeckStatement& s) {
  static const std::map<std::string_view, const char*> counts{
      {"structural nodes", "structural nodes"},
      {"rigid bodies", "rigid bodies"},
      {"joints", "joints"},
      {"forces", "forces"},
      {"beams", "beams"},
      {"abstract nodes", "abstract nodes"}};
  if (s.keyword == "rigid body kinematics" ||
      (s.keyword == "model" && !s.arguments.empty() && normal(s.arguments[0].text) == "static"))
    refuse("V1722", "\"" + s.keyword + "\" changes what the deck means, and cannot be converted",
           s.place, "convert without it; settings start=\"equilibrium\" begins at rest");
  const auto found = counts.find(s.keyword);
  if (found == counts.end() || s.arguments.empty()) {
    // Counts of what is converted or refused where it stands, and how MBDyn assembles.
    static const std::set<std::string_view> silent{"gravity",
                                                   "inertia",
                                                   "title",
                                                   "max iterations",
                                                   "max initial iterations",
                                                   "initial stiffness",
                                                   "initial tolerance",
                                                   "use",
                                                   "use automatic differentiation",
                                                   "default scale",
                                                   "default orientation",
                                                   "tolerance"};
    const bool count =
        s.keyword.ends_with('s') && s.arguments.size() == 1 && numbers_.begins(s.arguments[0].text);
    if (!silent.contains(s.keyword) && !count) leave_out(s.keyword, s.place);
    return;
  }
  declared_[found->second] = numbers_.value(s.arguments[0]);
}

void Deck::reference(DeckArguments& a) {
  const long label = a.label("the label of the reference");
  a.skip_name();
  const Pose p = pose(a, true);
  frames_[label] = p;
  tail(a);
}

void Deck::node(const DeckStatement& s, DeckArguments& a) {
  if (s.keyword == "abstract") {
    // Only genels and the like use abstract nodes, and those are refused: a scalar that nothing
    // uses would have no equation.
    counted_["abstract nodes"] += 1.0;
    return leave_out("abstract node " + std::to_string(a.label("the label of the node")), s.place);
  }
  if (s.keyword != "structural")
    refuse("V1722", "nodes of kind \"" + s.keyword + "\" are not among what can be converted",
           s.place, "can be converted: structural, abstract");
  const long label = a.label("the label of the node");
  a.skip_name();
  const bool fixed = a.keyword("static");
  if (a.more() && normal(a.peek().text) == "dummy")
    refuse(
        "V1722", "a dummy node is not among what can be converted", a.place(),
        "it only shows a point of another node: give that point an <output>, or a body's offset");
  if (!fixed && !a.keyword("dynamic")) a.unexpected("dynamic or static");
  if (nodes_.contains(label))
    refuse("V1723", "there are two structural nodes " + std::to_string(label), s.place);
  Node n;
  n.pose = pose(a, false);
  n.name = named(s, "node", label);
  const Pose& p = n.pose;
  written_nodes_ += "  <node name=\"" + n.name + "\"" + (fixed ? " kind=\"static\"" : "") +
                    (p.p.isZero(0.0) ? "" : " position=\"" + vector(p.p, "m") + "\"") +
                    attitude(p.R) +
                    (p.v.isZero(0.0) ? "" : " velocity=\"" + vector(p.v, "m/s") + "\"") +
                    (p.w.isZero(0.0) ? "" : " rate=\"" + vector(p.w, "rad/s") + "\"") + "/>\n";
  counted_["structural nodes"] += 1.0;
  nodes_.emplace(label, std::move(n));
  // Initial stiffnesses and output options have no counterpart in the document.
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
  other_.reset();
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
  // Reports and numerical regularization have no counterpart in the document.
  static const std::array<std::string_view, 6> reports{
      "inertia",    "output", "joint regularization", "stream output", "stream motion output",
      "rtai output"};
  if (std::find(reports.begin(), reports.end(), s.keyword) != reports.end())
    return leave_out(s.keyword, s.place);
  refuse("V1722", "the element \"" + s.keyword + "\" is not among what can be converted", s.place,
         "can be converted: body, joint, beam2, beam3, force, couple, gravity");
}

std::string Deck::named(const DeckStatement& s, const char* kind, long label) {
  // If a variable was written as the label, its name becomes the name of the element, unless the
  // variable is assigned more than once (a counter).
  const std::string& word = s.arguments[0].text;
  const std::string by_number =
      std::string(kind) + "_" + (label < 0 ? "m" : "") + std::to_string(std::abs(label));
  std::string name =
      multibody_tree::identifier(word) && !counters_.contains(word) ? word : by_number;
  if (name == "ground" || name == "mechanism") name += "_1";
  if (names_.contains(name)) name = std::string(kind) + "_" + name;
  while (!names_.insert(name).second) name += "_2";
  return name;
}

void Deck::look_ahead(const std::vector<DeckStatement>& all) {
  for (const DeckStatement& s : all) {
    if (s.keyword != "set") continue;
    for (const DeckArgument& a : s.arguments) {
      const std::vector<std::string_view> left =
          words(std::string_view(a.text).substr(0, a.text.find('=')));
      if (left.size() == 1)
        counters_.emplace(left[0]);  // no type: an assignment to a declared variable
    }
  }
}

std::string Deck::included(const DeckStatement& s) {
  const std::string_view text = s.arguments.size() == 1 ? trimmed(s.arguments[0].text) : "";
  if (text.size() < 3 || text.front() != '"' || text.back() != '"')
    refuse("V1721", "include takes the name of one file in quotes", s.place);
  return std::string(text.substr(1, text.size() - 2));
}

// Writing the document

std::string Deck::vector(const Vector3& v, const char* unit) {
  return exact(v[0]) + " " + exact(v[1]) + " " + exact(v[2]) + " " + unit;
}

std::string Deck::attitude(const Matrix3& R) {
  if ((R - Matrix3::Identity()).isZero(0.0)) return {};
  // Quaternion from a rotation matrix, starting from its largest element (Shepperd's method), so
  // that no division is by a small number.
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

std::string Deck::document(const std::string& name) const {
  std::string settings = settings_;
  // MBDyn's default is the method of Gear of order 2.
  if (!method_) settings += " scheme=\"multistep2\" rho=\"0\"";
  std::string run;
  if (final_) run += " stop=\"" + exact(*final_ - start_) + " s\"";
  if (step_ > 0.0) {
    settings += " step=\"" + exact(step_) + " s\"";
    // Ticks are whole nanoseconds.
    run += " step=\"" + exact(std::max(1.0, std::round(step_ * 1e9)) * 1e-9) + " s\"";
  }
  return "<!DOCTYPE mechanism SYSTEM \"constrained.dtd\">\n<mechanism name=\"" + name +
         "\" version=\"1\">\n" + gravity_ + "  <settings" + settings + "/>\n" +
         (run.empty() ? "" : "  <run" + run + "/>\n") + "\n" + written_nodes_ + "\n" +
         written_drives_ + written_ + "</mechanism>\n";
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

void Deck::check_rest(Diagnostics& problems) const {
  if (final_ && !(*final_ > start_))
    problems.error("V1721", "the final time is not after the initial time", final_place_);
  for (const DeckNumbers::Use& u : numbers_.changed_uses())
    problems
        .error("V1722", "this string uses \"" + u.name + "\", which is set again later", u.place)
        .notes.push_back("MBDyn evaluates strings during the run, with the last value: " +
                         exact(numbers_.value({u.name, u.place})) + ", not " + exact(u.value));
  if (left_out_.empty()) return;
  std::vector<std::string> all;
  for (const LeftOut& l : left_out_) {
    std::string text = l.what + " (line " + std::to_string(l.place.line) + ")";
    if (std::find(all.begin(), all.end(), text) == all.end()) all.push_back(std::move(text));
  }
  constexpr std::size_t most_named = 20;
  std::string named;
  for (std::size_t i = 0; i < std::min(all.size(), most_named); ++i)
    named += (i > 0 ? ", " : "") + all[i];
  if (all.size() > most_named) named += " and " + std::to_string(all.size() - most_named) + " more";
  problems.warning("V1729", "the document leaves out: " + named, left_out_.front().place)
      .notes.push_back("docs/how-to/import-mbdyn.md says what to use instead");
}

}  // namespace detail

namespace {

constexpr std::uintmax_t largest = 16u << 20;
constexpr std::size_t most_problems = 100;

/// A deck and the files that it includes, converted as one sequence of statements.
class Files {
 public:
  /// `follow`: read included files from disk.
  Files(Diagnostics& found, bool follow, DeckSteps steps)
      : found_(found), follow_(follow), deck_(steps) {}

  /// Converts the statements of one file at the given depth of includes; false: stop converting.
  bool convert(const std::string& content, const std::string& name, int depth) {
    const std::string& kept = contents_.try_emplace(name, content).first->second;
    const std::size_t before = found_.errors();
    const std::vector<detail::DeckStatement> all = detail::deck_statements(kept, name, found_);
    if (found_.errors() > before) return false;
    deck_.look_ahead(all);
    for (const detail::DeckStatement& s : all) {
      if (s.keyword != "include") {
        deck_.convert(s, found_);
      } else if (!include(s, name, depth)) {
        return false;
      }
      if (found_.errors() > most_problems) return false;
    }
    if (depth > 0) return true;
    if (all.empty()) {
      found_.error("V1721", "the deck is empty", {.file = name, .line = 1, .column = 1});
    } else {
      deck_.check_counts(all.back(), found_);
      deck_.check_rest(found_);
    }
    return found_.errors() == 0;
  }

  const detail::Deck& deck() const { return deck_; }

  /// Copies the problems found, each with its source line.
  void add_with_lines(Diagnostics& to) const {
    constexpr std::size_t longest = 400;
    std::map<std::string_view, std::vector<std::string_view>> lines;
    std::set<std::string> told;  // a file may be included several times
    for (const Diagnostic& d : found_.list()) {
      if (!told.insert(d.place.file + ":" + std::to_string(d.place.line) + ":" +
                       std::to_string(d.place.column) + d.message)
               .second)
        continue;
      Diagnostic& copy = to.add(d);
      const auto content = contents_.find(d.place.file);
      if (content == contents_.end()) continue;
      const auto [own, fresh] = lines.try_emplace(content->first);
      if (fresh) own->second = split(content->second, '\n');
      const auto n = static_cast<std::size_t>(d.place.line);
      if (n == 0 || n > own->second.size() || own->second[n - 1].size() > longest) continue;
      std::string_view line = own->second[n - 1];
      if (line.ends_with('\r')) line.remove_suffix(1);
      copy.source.push_back({d.place.line, std::string(line)});
    }
  }

 private:
  bool include(const detail::DeckStatement& s, const std::string& from, int depth) {
    constexpr int deepest = 16, most = 2000;
    try {
      const std::string file = detail::Deck::included(s);
      const Place& place = s.arguments[0].place;
      if (!follow_) detail::refuse("V1722", "include can be followed in files only", place);
      if (depth >= deepest || ++count_ > most)
        detail::refuse(
            "V1721", "includes lead too far", place,
            std::to_string(deepest) + " one inside the other, " + std::to_string(most) + " in all");
      const std::string path = (std::filesystem::path(from).parent_path() / file).string();
      if (path == from || std::find(open_.begin(), open_.end(), path) != open_.end())
        detail::refuse("V1721", "\"" + path + "\" includes itself", place);
      const auto known = contents_.find(path);
      const std::optional<std::string> content =
          known != contents_.end() ? known->second : read(path, largest);
      if (!content || content->size() > largest - bytes_)
        detail::refuse("V1720", "\"" + path + "\" cannot be read", place,
                       "a deck has at most 16 MiB with all that it includes; names are relative to "
                       "the file that includes");
      bytes_ += content->size();
      open_.push_back(from);
      const bool good = convert(*content, path, depth + 1);
      open_.pop_back();
      return good;
    } catch (const ConfigurationError& e) {
      found_.append(e.diagnostics());
      return true;
    }
  }

 public:
  static std::optional<std::string> read(const std::filesystem::path& path, std::uintmax_t most) {
    std::error_code failed;
    const bool fits = std::filesystem::is_regular_file(path, failed) &&
                      std::filesystem::file_size(path, failed) <= most && !failed;
    std::ifstream in(path, std::ios::binary);
    if (!fits || !in) return {};
    return std::string{std::istreambuf_iterator<char>(in), {}};
  }

 private:
  Diagnostics& found_;
  bool follow_;
  detail::Deck deck_;
  std::map<std::string, std::string, std::less<>> contents_;  // by name
  std::vector<std::string> open_;                             // files that are being included
  std::uintmax_t bytes_ = 0;                                  // total size of included files
  int count_ = 0;
};

std::optional<std::string> converted(const std::string& content, const std::string& name,
                                     bool follow, Diagnostics& problems, DeckSteps steps) {
  Diagnostics found;
  Files files(found, follow, steps);
  const bool whole = files.convert(content, name, 0) && found.errors() == 0;
  files.add_with_lines(problems);
  if (!whole) return {};
  std::string own = std::filesystem::path(name).stem().string();
  if (!multibody_tree::identifier(own)) own = "deck";
  return files.deck().document(own);
}

}  // namespace

std::optional<std::string> convert_deck(std::string_view content, const std::string& name,
                                        Diagnostics& problems, DeckSteps steps) {
  return converted(std::string(content), name, false, problems, steps);
}

std::optional<std::string> import_deck(const std::filesystem::path& path, Diagnostics& problems,
                                       DeckSteps steps) {
  const std::optional<std::string> content = Files::read(path, largest);
  if (!content) {
    problems.error("V1720", "\"" + path.string() + "\" cannot be read", {})
        .notes.push_back("a deck is a file of at most 16 MiB");
    return {};
  }
  return converted(*content, path.string(), true, problems, steps);
}

}  // namespace vernier::multibody_loops
