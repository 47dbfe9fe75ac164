#include <algorithm>
#include <cmath>
#include <utility>

#include "vernier/base/text.hpp"
#include "vernier/model/multibody_tree/detail/builder.hpp"

namespace vernier::multibody_tree::detail {
namespace {

constexpr std::size_t most_modes = ModalLimits{}.modes;

Eigen::Index index(std::size_t i) { return static_cast<Eigen::Index>(i); }

/// An <integral> of the document.
struct Given {
  const Element* element = nullptr;
  std::vector<double> numbers;
};

/// The integrals of one kind, indexed by mode, or by pair of modes.
using Table = std::vector<Given>;

/// Whether an element gives an integral of second-order displacements.
bool of_pairs(const Element& c) {
  return c.name == "integral" && (c.value("of") == "S2" || c.value("of") == "N2");
}

Matrix3 by_rows(const std::vector<double>& x) {
  return Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(x.data());
}

}  // namespace

std::shared_ptr<const ModalFile> Builder::modal_file(const Element& e) {
  const std::string name(trimmed(e.value("file")));
  const auto [entry, fresh] = files_.modal.try_emplace(name);
  if (!fresh) return entry->second;
  const Place place = Report::value_place(e, "file");
  Diagnostics found;
  // The path is relative to the document.
  const std::filesystem::path path = document_.beside(name);
  auto file = read_modal_file(path, found);
  const bool there = found.list().empty() || found.list().front().code != "V1650";
  if (!there) {
    report_.error("V1650", "the modal file " + in_quotes(name) + " cannot be read", place)
        .notes.push_back("it is looked for beside the document");
  } else if (found.errors() > 0) {
    of_files_.append(found);
    report_.error("V1658", "the modal file " + in_quotes(name) + " cannot be used", place);
  }
  if (file) entry->second = std::make_shared<const ModalFile>(std::move(*file));
  return entry->second;
}

// Modes come from a modal file, from lumps with shapes, or as integrals
// (formats/multibody/README.md, "Modes").
void Builder::read_modes(int i, const Element& e) {
  Known& k = known(i);
  const Element& of = *k.element;
  const std::string who = "the body " + in_quotes(body(i).name);
  const bool has_lumps = of.child("lump") != nullptr;
  const bool has_integrals =
      std::any_of(e.children.begin(), e.children.end(), [](const Element& c) {
        return c.name == "integral" && c.value("of") != "K" && c.value("of") != "D" && !of_pairs(c);
      });
  std::size_t n = 0;
  if (e.attribute("file")) {
    for (const Element& c : e.children) {
      if (of_pairs(c)) continue;
      report_.error("V1626", "the modal file gives what <" + c.name + "> says", c.place);
      return;
    }
    k.file = modal_file(e);
    if (!k.file) {
      k.usable = false;
      return;
    }
    n = k.file->modes();
    for (std::size_t m = 0; m < n; ++m) k.modes.push_back(std::to_string(m + 1));
  } else {
    for (const Element& c : e.children) {
      if (c.name != "mode") continue;
      ++n;
      const std::string name(trimmed(c.value("name", "")));
      const bool twice = std::find(k.modes.begin(), k.modes.end(), name) != k.modes.end();
      if (c.attribute("name") && quantities_.good_name(c, name) && twice) {
        report_.error("V1311", "there are two modes " + in_quotes(name),
                      Report::value_place(c, "name"));
      }
      k.modes.push_back(name.empty() ? std::to_string(n) : name);
    }
  }
  if (n == 0 || n > most_modes) {
    report_.error("V1630",
                  n == 0 ? "<modes> of " + who + " has no mode"
                         : who + " has more than " + std::to_string(most_modes) + " modes",
                  e.place);
    k.usable = false;
    return;
  }

  Modes modes;
  if (k.file || has_lumps) {
    const std::string by = k.file ? "the modal file" : "the lumps of this body";
    refuse_attributes(of, {"mass", "centre", "moment"}, "V1626", "is given by " + by);
    if (const Element* j = of.child("inertia"))
      report_.error("V1626", "the inertia is given by " + by, j->place);
    if (k.file && has_lumps)
      report_.error("V1626", "the modal file gives the lumps of this body",
                    of.child("lump")->place);
    if (has_integrals) report_.error("V1626", "the integrals follow from " + by, e.place);
    const bool before = report_.failed();
    const std::vector<Lump> own = k.file ? std::vector<Lump>() : lumps(i);
    if (before || report_.failed()) {
      k.usable = k.usable && !k.modes.empty();
    } else {
      const std::vector<Lump>& all = k.file ? k.file->points : own;
      body(i).inertia = multibody::rigid_inertia(all);
      modes = multibody::modal_integrals(all);
      k.computed = true;
    }
    modes.order = 2;
  } else {
    read_rigid(i);
    read_integrals(e, i, modes);
  }
  if (e.attribute("order")) modes.order = e.value("order")[0] - '0';
  read_pairs(e, i, modes);
  if (modes.order < 2 && !modes.shortens()) modes.J2.clear();
  if (modes.order < 1) {
    modes.N0.clear();
    modes.H1.clear();
  }
  if (const auto limit = positive(e, "limit", "1")) modes.limit = *limit;
  read_stiffness(e, i, modes);
  body(i).modes = std::move(modes);
  const std::vector<double> zero(n, 0.0);
  k.eta = quantities_.replaceable(body(i).name + ".eta", of, "eta", "1", zero,
                                  "modal coordinates at the start");
  k.eta_rate = quantities_.replaceable(body(i).name + ".eta_rate", of, "eta_rate", "1", zero,
                                       "their rates at the start");
}

std::optional<std::size_t> Builder::mode_index(const Known& k, const Element& e,
                                               std::string_view attribute) {
  const std::string_view name = trimmed(e.value(attribute));
  const auto named = std::find(k.modes.begin(), k.modes.end(), name);
  if (named != k.modes.end()) return static_cast<std::size_t>(named - k.modes.begin());
  const auto number = parsed_integer(name);
  if (number && *number >= 1 && *number <= static_cast<long long>(k.modes.size()))
    return static_cast<std::size_t>(*number - 1);
  if (!k.usable) return {};
  Diagnostic& d = report_.error("V1628", "there is no mode " + in_quotes(name),
                                Report::value_place(e, attribute));
  if (k.modes.empty()) {
    d.notes.push_back("this body is rigid: it has no <modes>");
  } else {
    if (const auto near = closest(name, k.modes)) did_you_mean(d, *near);
    d.notes.push_back("modes: " + listed(k.modes));
  }
  return {};
}

/// The place of a pair of modes among all pairs.
std::optional<std::size_t> Builder::mode_pair(const Known& k, const Element& e) {
  const auto m = mode_index(k, e, "mode"), l = mode_index(k, e, "with");
  if (!m || !l) return {};
  return multibody::pair_of(std::max(*m, *l), std::min(*m, *l));
}

/// Reads a shape for every mode, and all or none for pairs of modes; `turns`: rotations are
/// required. False if something is missing.
bool Builder::read_shapes(const Element& e, const Known& k, const std::string& whose, bool turns,
                          Matrix3X& translation, Matrix3X& rotation, Matrix3X& second) {
  const std::size_t n = k.modes.size(), pairs = multibody::pairs_of(n);
  std::vector<const Element*> seen(n, nullptr), seen_pairs;
  Matrix3X t = Matrix3X::Zero(3, index(n)), r = Matrix3X::Zero(3, index(n)), g;
  bool good = true, any_rotation = false;
  for (const Element& s : e.children) {
    if (s.name != "shape") continue;
    if (s.attribute("with")) {
      const auto pair = mode_pair(k, s);
      good =
          refuse_attributes(s, {"rotation"}, "V1632", "is for shapes of one mode") && pair && good;
      if (!pair) continue;
      if (seen_pairs.empty()) {
        seen_pairs.resize(pairs, nullptr);
        g.setZero(3, index(pairs));
      }
      if (seen_pairs[*pair]) {
        report_.error("V1628", whose + " has two shapes of these modes", s.place)
            .notes.push_back("the first is on line " +
                             std::to_string(seen_pairs[*pair]->place.line));
        good = false;
      }
      seen_pairs[*pair] = &s;
      if (const auto v = quantities_.vector(s, "translation", "1")) g.col(index(*pair)) = *v;
      continue;
    }
    const auto m = mode_index(k, s, "mode");
    if (!m) {
      good = false;
      if (n == 0) return false;
      continue;
    }
    if (seen[*m]) {
      report_.error("V1628", whose + " has two shapes of mode " + in_quotes(k.modes[*m]), s.place)
          .notes.push_back("the first is on line " + std::to_string(seen[*m]->place.line));
      good = false;
      continue;
    }
    seen[*m] = &s;
    if (const auto v = quantities_.vector(s, "translation", "1")) t.col(index(*m)) = *v;
    if (const auto v = quantities_.vector(s, "rotation", "1")) {
      r.col(index(*m)) = *v;
      any_rotation = true;
    } else if (turns && !s.attribute("rotation")) {
      not_given("V1628", whose + " has no rotation by mode " + in_quotes(k.modes[*m]), s,
                "give rotation=\"…\", how far the mode turns it; zeros if it does not");
      good = false;
    }
  }
  if (!good || !k.usable) return false;
  std::vector<std::string> missing;
  for (std::size_t m = 0; m < n; ++m) {
    if (!seen[m]) missing.push_back(k.modes[m]);
  }
  if (!missing.empty()) {
    not_given(
        "V1628",
        whose + " has no shape of mode" + (missing.size() > 1 ? "s " : " ") + listed(missing), e,
        e.name == "node" ? "add <shape mode=… translation=… rotation=…/>, or say rigid=\"yes\" "
                           "when the modes do not move it"
                         : "add <shape mode=… translation=…/>; zeros if the mode does not move it");
    return false;
  }
  for (std::size_t a = 0; a < n && !seen_pairs.empty(); ++a) {
    for (std::size_t b = 0; b <= a; ++b) {
      if (seen_pairs[multibody::pair_of(a, b)]) continue;
      not_given("V1628",
                whose + " has no shape of modes " + in_quotes(k.modes[a]) + " and " +
                    in_quotes(k.modes[b]) + " together",
                e,
                "add <shape mode=… with=… translation=…/>; with=… may be the same mode. Give all "
                "pairs or none");
      return false;
    }
  }
  if (n == 0) return true;
  translation = std::move(t);
  if (turns || any_rotation) rotation = std::move(r);
  second = std::move(g);
  return true;
}

/// Modal integrals given in the document (formats/multibody/README.md).
void Builder::read_integrals(const Element& e, int i, Modes& modes) {
  const Known& k = known(i);
  const std::size_t n = k.modes.size();
  std::map<std::string, Table> tables;
  for (const char* of : {"S1", "H0", "Mff", "N0", "H1"}) tables[of].resize(n);
  tables["J2"].resize(n * n);
  for (const Element& c : e.children) {
    if (c.name != "integral") continue;
    const std::string of(c.value("of"));
    if (of == "K" || of == "D" || of_pairs(c)) continue;  // read_stiffness, read_pairs
    const auto m = mode_index(k, c, "mode");
    if (!m) continue;
    std::size_t at = *m;
    if (of == "J2") {
      if (!c.attribute("with")) {
        not_given("V1629", "J2 is an integral of two modes", c, "add with=\"…\", the second mode");
        continue;
      }
      const auto l = mode_index(k, c, "with");
      if (!l) continue;
      at = *m * n + *l;
    } else {
      refuse_attributes(c, {"with"}, "V1632", "is for J2, S2 and N2");
    }
    Given& g = tables[of][at];
    if (g.element) {
      report_.error("V1626", of + " of this mode is given twice", c.place)
          .notes.push_back("first on line " + std::to_string(g.element->place.line));
      continue;
    }
    g.element = &c;
    const std::size_t row = words(c.text).size();
    const std::size_t count = of == "S1" || of == "H0"   ? 3
                              : of == "N0" || of == "J2" ? 9
                              : of == "H1"               ? 3 * n
                              : row == 1                 ? 1
                                                         : n;
    if (auto v = quantities_.numbers(c.text, report_.text_place(c), of, "1", count))
      g.numbers = std::move(*v);
  }
  const auto complete = [&](const char* of) {
    const Table& t = tables[of];
    return std::all_of(t.begin(), t.end(), [](const Given& g) { return g.element; });
  };
  const auto any = [&](const char* of) {
    const Table& t = tables[of];
    return std::any_of(t.begin(), t.end(), [](const Given& g) { return g.element; });
  };
  // J2_li is the transpose of J2_il, so half of them are enough.
  Table& J2 = tables["J2"];
  for (std::size_t a = 0; a < n; ++a) {
    for (std::size_t b = 0; b < n; ++b) {
      const Given& other = J2[b * n + a];
      if (J2[a * n + b].element || other.numbers.size() != 9) continue;
      const std::vector<double>& x = other.numbers;
      J2[a * n + b] = {other.element, {x[0], x[3], x[6], x[1], x[4], x[7], x[2], x[5], x[8]}};
    }
  }
  std::vector<std::string> needed{"S1", "H0", "Mff"};
  modes.order = any("J2") ? 2 : 1;
  if (e.attribute("order")) modes.order = e.value("order")[0] - '0';
  if (modes.order >= 1) needed.insert(needed.end(), {"N0", "H1"});
  // Second-order displacements change the inertia at the same order as J2: either both or none.
  const bool shortens = std::ranges::any_of(e.children, of_pairs);
  const bool with_J2 = modes.order >= 2 || (modes.order == 1 && shortens);
  if (with_J2) needed.emplace_back("J2");
  std::vector<std::string> missing;
  for (const std::string& of : needed) {
    if (!complete(of.c_str())) missing.push_back(of);
  }
  if (!missing.empty()) {
    Diagnostic& d = report_.error(
        "V1629",
        "the body " + in_quotes(body(i).name) + " lacks modal integrals: " + joined(missing, ", "),
        e.place);
    d.notes.push_back("give <integral of=\"" + missing.front() +
                      "\" mode=\"…\"> for every mode; or <lump>s with shapes, or a modal file, "
                      "from which all follow");
    if (shortens && missing.back() == "J2")
      d.notes.emplace_back("S2 and N2 need J2: without it, spin would stiffen too much");
    if (modes.order > 0 && complete("S1") && complete("H0") && complete("Mff"))
      d.notes.emplace_back("order=\"0\" needs S1, H0 and Mff only, order=\"1\" also N0 and H1");
    return;
  }
  if (report_.failed()) return;
  const Eigen::Index columns = index(n);
  modes.S1.setZero(3, columns);
  modes.H0.setZero(3, columns);
  modes.mass.setZero(columns, columns);
  for (std::size_t m = 0; m < n; ++m) {
    modes.S1.col(index(m)) = Vector3(tables["S1"][m].numbers.data());
    modes.H0.col(index(m)) = Vector3(tables["H0"][m].numbers.data());
    const std::vector<double>& row = tables["Mff"][m].numbers;
    if (row.size() == 1) {
      modes.mass(index(m), index(m)) = row.front();
    } else {
      for (std::size_t l = 0; l < n; ++l) modes.mass(index(m), index(l)) = row[l];
    }
    if (modes.order < 1) continue;
    modes.N0.push_back(by_rows(tables["N0"][m].numbers));
    modes.H1.emplace_back(
        Eigen::Map<const Eigen::Matrix<double, 3, Eigen::Dynamic, Eigen::RowMajor>>(
            tables["H1"][m].numbers.data(), 3, columns));
  }
  for (std::size_t a = 0; with_J2 && a < n * n; ++a) modes.J2.push_back(by_rows(J2[a].numbers));
}

/// S2 and N2 of all pairs of modes, or of none (formats/multibody/README.md, "Geometric
/// stiffness").
void Builder::read_pairs(const Element& e, int i, Modes& modes) {
  const Known& k = known(i);
  const std::size_t pairs = multibody::pairs_of(k.modes.size());
  Table S2, N2;
  for (const Element& c : e.children) {
    if (!of_pairs(c)) continue;
    if (!modes.S2.empty()) {
      report_.error("V1626", "S2 and N2 follow from the second-order shapes of the points",
                    c.place);
      return;
    }
    if (S2.empty()) {
      S2.resize(pairs);
      N2.resize(pairs);
    }
    const bool first = c.value("of") == "S2";
    const std::string of(c.value("of"));
    if (!c.attribute("with")) {
      not_given("V1629", of + " is an integral of two modes", c, "add with=\"…\", the second mode");
      continue;
    }
    const auto pair = mode_pair(k, c);
    if (!pair) continue;
    Given& g = (first ? S2 : N2)[*pair];
    if (g.element) {
      report_.error("V1626", of + " of these modes is given twice", c.place)
          .notes.push_back("first on line " + std::to_string(g.element->place.line));
      continue;
    }
    g.element = &c;
    if (auto v = quantities_.numbers(c.text, report_.text_place(c), of, "1", first ? 3 : 9))
      g.numbers = std::move(*v);
  }
  const auto lacks = [](const Given& g) { return g.element == nullptr; };
  if (std::ranges::any_of(S2, lacks) || std::ranges::any_of(N2, lacks)) {
    if (report_.failed()) return;
    report_
        .error("V1629",
               "the body " + in_quotes(body(i).name) + " lacks modal integrals: " +
                   (std::ranges::any_of(S2, lacks) ? "S2" : "N2") + " of all pairs of modes",
               e.place)
        .notes.push_back("give S2 and N2 for every pair of modes, each with itself too, or none");
    return;
  }
  if (report_.failed()) return;
  for (std::size_t a = 0; a < S2.size(); ++a) {
    modes.S2.emplace_back(S2[a].numbers.data());
    modes.N2.push_back(by_rows(N2[a].numbers));
  }
}

/// Stiffness and damping of every mode: K = m ω², D = 2 ζ √(m K), or as given.
void Builder::read_stiffness(const Element& e, int i, Modes& modes) {
  const Known& k = known(i);
  const std::size_t n = k.modes.size();
  const Eigen::Index columns = index(n);
  MatrixX K = MatrixX::Zero(columns, columns), D = K;
  std::vector<std::uint8_t> stiff(n, 0), damped(n, 0);
  for (const Element& c : e.children) {
    if (c.name != "integral" || (c.value("of") != "K" && c.value("of") != "D")) continue;
    const auto m = mode_index(k, c, "mode");
    if (!m) continue;
    const std::string of(c.value("of"));
    const std::size_t count = words(c.text).size() == 1 ? 1 : n;
    const auto row = quantities_.numbers(c.text, report_.text_place(c), of, "1", count);
    if (!row) continue;
    MatrixX& into = of == "K" ? K : D;
    std::vector<std::uint8_t>& seen = of == "K" ? stiff : damped;
    if (std::exchange(seen[*m], 1))
      report_.error("V1626", of + " of this mode is given twice", c.place);
    for (std::size_t l = 0; l < n; ++l)
      into(index(*m), index(l)) = count == 1 ? (l == *m ? row->front() : 0.0) : (*row)[l];
  }
  const bool masses = modes.mass.cols() == columns;
  bool coupled_matters = false;
  // ω and ζ refer to the diagonal modal mass.
  const auto own_mass = [&](std::size_t m) {
    return masses ? modes.mass(index(m), index(m)) : 1.0;
  };
  const auto ratio_of_all = positive(e, "damping", "1", true);
  std::vector<const Element*> rows;
  for (const Element& c : e.children) {
    if (c.name == "mode") rows.push_back(&c);
  }
  // Parameters can replace frequencies and ratios only if all modes have them (`own`).
  std::vector<double> frequencies(n, 0.0), ratios(n, 0.0);
  bool own = n > 0;
  for (std::size_t m = 0; m < n; ++m) {
    const Element& row = k.file ? e : *rows[m];
    std::optional<double> w, ratio = ratio_of_all;
    if (k.file) {
      w = k.file->frequencies[m];
      if (!ratio && !k.file->damping.empty()) ratio = k.file->damping[m];
    } else {
      if (row.attribute("frequency")) w = quantities_.frequency(row, "frequency");
      if (row.attribute("damping")) ratio = positive(row, "damping", "1", true);
      own = own && !row.attribute("damper") && damped[m] == 0;
    }
    own = own && w && ratio;
    frequencies[m] = w.value_or(0.0);
    ratios[m] = ratio.value_or(-1.0);  // below zero: not given
  }
  const std::string& whole = body(i).name;
  if (own) {
    frequencies = quantities_.replaceable_frequencies(whole + ".frequency", std::move(frequencies),
                                                      "of the modes; in Hz with that unit");
    ratios = quantities_.replaceable(whole + ".damping", "1", std::move(ratios),
                                     "of the modes, ratio to critical");
    const auto negative = [](double x) { return !(x >= 0.0); };
    if (std::any_of(frequencies.begin(), frequencies.end(), negative))
      report_.error("V1622", whole + ".frequency must not be negative", e.place);
    if (std::any_of(ratios.begin(), ratios.end(), negative))
      report_.error("V1622", whole + ".damping must not be negative", e.place);
  }
  for (std::size_t m = 0; m < n; ++m) {
    const Element& row = k.file ? e : *rows[m];
    const Eigen::Index at = index(m);
    const std::string who =
        "mode " + in_quotes(k.modes[m]) + " of the body " + in_quotes(body(i).name);
    if (k.file) {
      K(at, at) = own_mass(m) * frequencies[m] * frequencies[m];
      coupled_matters = true;
    } else {
      const bool by_frequency = row.attribute("frequency"),
                 by_stiffness = row.attribute("stiffness");
      if (by_frequency + by_stiffness + stiff[m] != 1) {
        report_
            .error(by_frequency + by_stiffness + stiff[m] == 0 ? "V1630" : "V1626",
                   who + (by_frequency + by_stiffness + stiff[m] == 0
                              ? " has no stiffness"
                              : " has its stiffness given twice"),
                   row.place)
            .notes.push_back(
                "say either frequency=\"… Hz\", or stiffness=\"…\", or <integral of=\"K\">");
        continue;
      }
      if (by_stiffness) K(at, at) = positive(row, "stiffness", "1", true).value_or(0.0);
      if (by_frequency) {
        K(at, at) = own_mass(m) * frequencies[m] * frequencies[m];
        coupled_matters = true;
      }
      if (row.attribute("damper")) {
        refuse_attributes(row, {"damping"}, "V1626", "and damper both say how it is damped");
        D(at, at) = positive(row, "damper", "1", true).value_or(0.0);
        continue;
      }
      if (damped[m]) {
        refuse_attributes(row, {"damping"}, "V1626", "is given by <integral of=\"D\"> too");
        continue;
      }
    }
    if (ratios[m] < 0.0) {
      if (!row.attribute("damping")) {
        not_given("V1630", who + " has no damping", row,
                  "say damping=\"0.005\", the ratio to critical, here or for all in <modes>; 0 if "
                  "none is meant");
        if (k.file) return;  // the same for all of them
      }
      continue;
    }
    coupled_matters = coupled_matters || ratios[m] > 0.0;
    D(at, at) = 2.0 * ratios[m] * std::sqrt(std::max(0.0, own_mass(m) * K(at, at)));
  }
  if (masses && coupled_matters) {
    constexpr double most = 3e-2;  // tolerance for lumped masses; frequencies change by its square
    for (std::size_t a = 0; a < n; ++a) {
      for (std::size_t b = 0; b < a; ++b) {
        const double m = modes.mass(index(a), index(b));
        if (std::abs(m) <= most * std::sqrt(std::abs(own_mass(a) * own_mass(b)))) continue;
        not_given(
            "V1631",
            "modes " + in_quotes(k.modes[b]) + " and " + in_quotes(k.modes[a]) + " of the body " +
                in_quotes(body(i).name) +
                " share mass, so that they have no frequencies and damping ratios of their own",
            e, "give stiffness and damper of each mode, or shapes that are eigenmodes");
        return;
      }
    }
  }
  modes.stiffness = std::move(K);
  modes.damping = std::move(D);
  if (!own || !masses) return;
  using Kind = multibody::Parameter::Kind;
  const std::size_t before = craft_.model.parameters.size(), at = craft_.model.modes.size();
  adjustable(whole + ".frequency", "rad/s", Kind::frequency, at, n);
  adjustable(whole + ".damping", "1", Kind::ratio, at, n);
  if (craft_.model.parameters.size() == before) return;
  multibody::GivenModes given{i, {}, frequencies, ratios};
  for (std::size_t m = 0; m < n; ++m) given.mass.push_back(own_mass(m));
  craft_.model.modes.push_back(std::move(given));
}

}  // namespace vernier::multibody_tree::detail
