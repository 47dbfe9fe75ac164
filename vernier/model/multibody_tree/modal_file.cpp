#include "vernier/model/multibody_tree/modal_file.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <numbers>
#include <set>
#include <sstream>
#include <utility>

#include "vernier/base/text.hpp"
#include "vernier/base/units.hpp"
#include "vernier/document/report.hpp"

namespace vernier::multibody_tree {
namespace {

using document::in_quotes;
using multibody::Lump;
using multibody::Matrix3;
using multibody::Matrix3X;
using multibody::Vector3;

constexpr std::size_t most_problems = 20;
constexpr double tolerance = 1e-3;  // of the check lines: programs print few digits

/// Thrown after an error that makes further reading pointless.
struct Stop {};

class ModalReader {
 public:
  ModalReader(std::string_view content, const std::string& name, Diagnostics& problems,
              const ModalLimits& limits)
      : rest_(content), name_(name), problems_(problems), limits_(limits) {}

  std::optional<ModalFile> run() {
    const std::size_t before = problems_.errors();
    try {
      read_head();
      read_points();
      read_checks();
    } catch (const Stop&) {
    }
    if (problems_.errors() > before) return {};
    return std::move(file_);
  }

 private:
  // Lines

  /// Reads the next line that is not empty, without its comment, as words; false at the end.
  bool next() {
    while (!rest_.empty()) {
      const std::size_t end = std::min(rest_.find('\n'), rest_.size());
      text_ = rest_.substr(0, end);
      rest_.remove_prefix(std::min(end + 1, rest_.size()));
      ++number_;
      const std::string_view said = trimmed(text_.substr(0, text_.find('#')));
      if (said.size() > longest_line) {
        error("V1652", "a line has more than 65536 characters");
        throw Stop{};
      }
      words_ = words(said);
      if (!words_.empty()) return true;
    }
    ++number_;  // one past the last
    words_.clear();
    text_ = {};
    return false;
  }

  /// Reports an error at the word with this index.
  Diagnostic& error(const char* code, std::string message, std::size_t word = 0) {
    if (problems_.errors() - errors_before_ >= most_problems) throw Stop{};
    Place place{.file = name_, .line = number_, .column = 1, .length = 1};
    if (!words_.empty()) {
      place.column = static_cast<int>(width(text_.substr(
                         0, static_cast<std::size_t>(words_[word].data() - text_.data())))) +
                     1;
      place.length = static_cast<int>(width(words_[word]));
    }
    Diagnostic& d = problems_.error(code, std::move(message), place);
    constexpr std::size_t worth_showing = 200;
    if (!words_.empty() && text_.size() <= worth_showing)
      d.source.push_back({number_, std::string(trimmed_end(text_))});
    return d;
  }

  static std::string_view trimmed_end(std::string_view s) {
    while (!s.empty() && (s.back() == '\r' || s.back() == ' ')) s.remove_suffix(1);
    return s;
  }

  /// The words from `first` on as numbers; reports any that is not a finite number.
  std::optional<std::vector<double>> numbers(std::size_t first) {
    std::vector<double> values;
    for (std::size_t i = first; i < words_.size(); ++i) {
      const auto x = parsed_real(words_[i]);
      if (!x || !std::isfinite(*x)) {
        error("V1654", in_quotes(words_[i]) + " is not a finite number", i);
        return {};
      }
      values.push_back(*x);
    }
    return values;
  }

  std::size_t count(std::size_t most) {
    const auto n = words_.size() == 2 ? parsed_integer(words_[1]) : std::nullopt;
    if (!n || *n < 1) {
      error("V1652", in_quotes(words_[0]) + " must be followed by a whole number, at least 1");
      throw Stop{};
    }
    if (static_cast<unsigned long long>(*n) > most) {
      error("V1655", std::to_string(*n) + " " + std::string(words_[0]) +
                         " are more than a modal file may have")
          .notes.push_back("at most " + std::to_string(most));
      throw Stop{};
    }
    return static_cast<std::size_t>(*n);
  }

  double unit(const char* expected) {
    const std::string text = words_.size() == 2 ? std::string(words_[1]) : std::string();
    const auto u = parsed_unit(text);
    if (text.empty() || !u || !same_dimension(*u, *parsed_unit(expected))) {
      error("V1652", in_quotes(words_[0]) + " must be followed by a unit such as " + expected);
      return 1.0;
    }
    return u->factor;
  }

  // The head

  void read_head() {
    if (!next() || words_[0] != "vernier-modal") {
      error("V1651", "this is not a modal file")
          .notes.push_back("the first line must be: vernier-modal 1");
      throw Stop{};
    }
    if (words_.size() != 2 || words_[1] != "1") {
      error("V1651", "this program reads version 1 of modal files");
      throw Stop{};
    }
    bool shapes_turn = false;
    while (next()) {
      const std::string_view key = words_[0];
      if (key == "point") break;
      const bool again = !seen_.emplace(key, number_).second;
      if (again) {
        error("V1652", in_quotes(key) + " is said twice");
      } else if (key == "name") {
        continue;
      } else if (key == "length") {
        length_ = unit("m");
      } else if (key == "mass") {
        mass_ = unit("kg");
      } else if (key == "modes") {
        modes_ = count(limits_.modes);
      } else if (key == "points") {
        points_ = count(limits_.points);
      } else if (key == "rotations") {
        shapes_turn = words_.size() == 2 && words_[1] == "yes";
        if (!shapes_turn && !(words_.size() == 2 && words_[1] == "no"))
          error("V1652", "\"rotations\" must be followed by yes or no");
      } else if (key == "frequency") {
        read_frequencies();
      } else if (key == "damping") {
        if (auto values = of_modes(1)) file_.damping = std::move(*values);
      } else {
        static const std::vector<std::string> keys{"name",   "length",    "mass",      "modes",
                                                   "points", "rotations", "frequency", "damping"};
        Diagnostic& d = error("V1652", in_quotes(key) + " is not a word of modal files");
        if (const auto near = closest(key, keys)) {
          d.mark = "did you mean " + *near + "?";
        } else {
          d.notes.push_back("before the points may come: " + joined(keys, ", "));
        }
      }
    }
    file_.rotations = shapes_turn;
    for (const char* needed : {"length", "mass", "modes", "points", "rotations", "frequency"}) {
      if (seen_.contains(needed)) continue;
      error("V1652", "the line " + in_quotes(needed) + " is missing before the points");
      missing_ = true;
    }
    // The counts must be plausible for the size of the file before memory is allocated.
    constexpr std::size_t shortest_shape = 8;  // "1 0 0 0\n"
    if (!missing_ &&
        points_ * modes_ > (rest_.size() + text_.size()) / shortest_shape + modes_ + 1) {
      error("V1653", std::to_string(points_) + " points with " + std::to_string(modes_) +
                         " modes each do not fit into the rest of the file");
      throw Stop{};
    }
    if (missing_) throw Stop{};
  }

  /// The numbers of a line, one for each mode.
  std::optional<std::vector<double>> of_modes(std::size_t first) {
    auto values = numbers(first);
    if (!values) return {};
    if (modes_ == 0) {
      error("V1652", "\"modes\" must come before " + in_quotes(words_[0]));
      throw Stop{};
    }
    if (values->size() != modes_) {
      error("V1653", in_quotes(words_[0]) + " must have a number for each of the " +
                         std::to_string(modes_) + " modes, not " + std::to_string(values->size()));
      return {};
    }
    for (const double x : *values) {
      if (x < 0.0) {
        error("V1654", in_quotes(words_[0]) + " must not be negative");
        return {};
      }
    }
    return values;
  }

  void read_frequencies() {
    const std::string_view u = words_.size() > 1 ? words_[1] : std::string_view();
    if (u != "Hz" && u != "rad/s") {
      error("V1652", "\"frequency\" must be followed by Hz or rad/s, then the numbers");
      return;
    }
    if (auto values = of_modes(2)) {
      for (double& x : *values) x *= u == "Hz" ? 2.0 * std::numbers::pi : 1.0;
      file_.frequencies = std::move(*values);
    }
  }

  // Points

  void read_points() {
    file_.points.reserve(points_);
    file_.lines.reserve(points_);
    while (!words_.empty() && words_[0] == "point") read_point();
    if (file_.points.size() != points_) {
      const bool cut = words_.empty();
      error("V1653", "there must be " + std::to_string(points_) + " points, not " +
                         std::to_string(file_.points.size()))
          .notes.push_back(cut ? "the file ends on line " + std::to_string(number_ - 1)
                               : "the points end before line " + std::to_string(number_));
      throw Stop{};
    }
  }

  void read_point() {
    const auto id = words_.size() > 1 ? parsed_integer(words_[1]) : std::nullopt;
    const auto values = words_.size() > 1 ? numbers(2) : std::nullopt;
    Lump lump;
    if (words_.size() > 1 && !values) {
      // Already reported.
    } else if (!id || !values || (values->size() != 4 && values->size() != 10)) {
      error("V1652", "a point is a number, its mass, and x y z; then perhaps its inertia")
          .notes.push_back(
              "point 17  0.25  1.0 0.0 0.2        or followed by Ixx Iyy Izz Ixy Ixz Iyz");
    } else if (!file_.by_id.emplace(*id, file_.points.size()).second) {
      error("V1652", "there are two points " + std::to_string(*id))
          .notes.push_back("the first is on line " + std::to_string(file_.lines[file_.by_id[*id]]));
    } else {
      const std::vector<double>& v = *values;
      lump.mass = v[0] * mass_;
      lump.p = Vector3(v[1], v[2], v[3]) * length_;
      if (lump.mass < 0.0) error("V1654", "the mass of a point must not be negative");
      if (v.size() == 10) {
        lump.inertia << v[4], v[7], v[8], v[7], v[5], v[9], v[8], v[9], v[6];
        lump.inertia *= mass_ * length_ * length_;
      }
    }
    if (file_.points.size() == points_) {
      error("V1653",
            "there are more points than the " + std::to_string(points_) + " that the head says");
      throw Stop{};
    }
    file_.lines.push_back(number_);
    lump.shape.setZero(3, static_cast<Eigen::Index>(modes_));
    if (file_.rotations) lump.rotation.setZero(3, static_cast<Eigen::Index>(modes_));
    read_shapes(lump);
    file_.points.push_back(std::move(lump));
  }

  void read_shapes(Lump& lump) {
    const int point_line = number_;
    const std::size_t wanted = file_.rotations ? 6 : 3;
    for (std::size_t mode = 0; mode < modes_; ++mode) {
      const bool there = next();
      const auto which = there ? parsed_integer(words_[0]) : std::nullopt;
      if (!which) {
        error("V1653", "the point on line " + std::to_string(point_line) +
                           " must have a shape of each of the " + std::to_string(modes_) +
                           " modes, not " + std::to_string(mode));
        if (!there || words_[0] != "point") throw Stop{};
        return;
      }
      if (*which != static_cast<long long>(mode) + 1) {
        error("V1653", "here must be the shape of mode " + std::to_string(mode + 1) + ", not of " +
                           std::to_string(*which));
        throw Stop{};
      }
      const auto values = numbers(1);
      if (!values) continue;
      if (values->size() != wanted) {
        error("V1653", "a shape has " + std::to_string(wanted) + " numbers, not " +
                           std::to_string(values->size()))
            .notes.push_back(file_.rotations
                                 ? "translation, then rotation"
                                 : "translation; with rotations the head says: rotations yes");
        continue;
      }
      const auto column = static_cast<Eigen::Index>(mode);
      lump.shape.col(column) = Vector3(values->data()) * length_;
      if (file_.rotations) lump.rotation.col(column) = Vector3(values->data() + 3);
    }
    next();
  }

  // Checksums: totals that the writer of the file expects

  void read_checks() {
    for (; !words_.empty(); next()) {
      if (words_[0] == "end" && words_.size() == 1) {
        if (on_beams_ > 0 && problems_.errors() == errors_before_) check_beams();
        if (next()) error("V1652", "nothing may follow the line \"end\"");
        return;
      }
      if (words_[0] == "beam") {
        read_beam();
        continue;
      }
      if (words_[0] != "check" || words_.size() < 3) {
        error("V1652", in_quotes(words_[0]) + " is not allowed here")
            .notes.push_back("after the points may come: beam, check mass, check modal_mass, end");
        throw Stop{};
      }
      check();
    }
    error("V1653", "the line \"end\" is missing: the file was cut off");
  }

  /// Points along a beam: each shortens by what is bent between it and the first.
  void read_beam() {
    if (!file_.rotations) {
      error("V1616", "a beam needs the rotations of its points")
          .notes.push_back("the head must say: rotations yes; each shape then has six numbers");
      throw Stop{};
    }
    if (words_.size() < 3) {
      error("V1652", "\"beam\" must be followed by the numbers of at least two points");
      return;
    }
    Lump* before = nullptr;
    std::vector<std::size_t> along;
    for (std::size_t i = 1; i < words_.size(); ++i) {
      const auto id = parsed_integer(words_[i]);
      const auto found = id ? file_.by_id.find(*id) : file_.by_id.end();
      if (found == file_.by_id.end()) {
        error("V1616", "there is no point " + in_quotes(words_[i]), i);
        return;
      }
      Lump& here = file_.points[found->second];
      if (before != nullptr) {
        if (here.second.cols() > 0 || roots_.contains(found->second)) {
          error("V1616", "point " + in_quotes(words_[i]) + " is on two beams", i)
              .notes.push_back(
                  "only the first point of a beam may be on another one, which comes before it");
          return;
        }
        if (here.p == before->p) {
          error("V1616",
                "points " + in_quotes(words_[i - 1]) + " and " + in_quotes(words_[i]) +
                    " are at the same place",
                i);
          return;
        }
        if (++on_beams_ * multibody::pairs_of(modes_) > limits_.second_order) {
          error("V1655", "the beams have more points than a modal file may have with " +
                             std::to_string(modes_) + " modes")
              .notes.push_back("at most " + std::to_string(limits_.second_order) +
                               " points times pairs of modes");
          throw Stop{};
        }
        here.second = multibody::shortened(*before, here);
      }
      if (before == nullptr && here.second.cols() == 0) {
        // g is zero at one point that moves at most, of modes that are not clamped.
        const bool first = std::ranges::none_of(
            roots_, [&](std::size_t k) { return k != found->second && moves(file_.points[k]); });
        if (moves(here) && !first) {
          error("V1616", "point " + in_quotes(words_[i]) + " begins a beam that no other leads to",
                i)
              .notes.push_back("give the beam that leads to it first");
          return;
        }
        roots_.insert(found->second);
      }
      before = &here;
      along.push_back(found->second);
    }
    file_.beams.push_back(std::move(along));
  }

  static bool moves(const Lump& l) { return !l.shape.isZero(0.0) || !l.rotation.isZero(0.0); }

  /// With beams, everything that moves must be on one: shortening left out would be wrong there.
  void check_beams() {
    for (const auto& [id, k] : file_.by_id) {
      const Lump& l = file_.points[k];
      if (l.second.cols() > 0 || !moves(l) || roots_.contains(k)) continue;
      error("V1616", "point " + std::to_string(id) + " moves and is on no beam")
          .notes.push_back("the point is on line " + std::to_string(file_.lines[k]) +
                           "; add it to a beam, or a beam that leads to it");
    }
  }

  void check() {
    const auto values = numbers(2);
    if (!values) return;
    if (words_[1] == "mass" && values->size() == 1) {
      double sum = 0.0;
      for (const Lump& l : file_.points) sum += l.mass;
      compare("mass", sum / mass_, values->front());
    } else if (words_[1] == "modal_mass" && values->size() == modes_) {
      for (std::size_t i = 0; i < modes_; ++i) {
        const auto column = static_cast<Eigen::Index>(i);
        double sum = 0.0;
        for (const Lump& l : file_.points) {
          sum += l.mass * l.shape.col(column).squaredNorm();
          if (file_.rotations)
            sum += l.rotation.col(column).dot(l.inertia * l.rotation.col(column));
        }
        compare("modal mass of mode " + std::to_string(i + 1), sum / (mass_ * length_ * length_),
                (*values)[i]);
      }
    } else {
      error("V1652", "a check is of the mass, or of the modal_mass with a number for each mode");
    }
  }

  void compare(const std::string& what, double found, double said) {
    if (std::abs(found - said) <= tolerance * std::abs(said)) return;
    std::ostringstream f;
    f.precision(6);
    f << "the " << what << " of the points is " << found << ", and the file says " << said;
    error("V1656", f.str())
        .notes.push_back(
            "points may be missing, or masses and shapes in other units than the head says");
  }

  static constexpr std::size_t longest_line = 65536;
  std::string_view rest_, text_;
  std::vector<std::string_view> words_;
  int number_ = 0;
  std::string name_;
  Diagnostics& problems_;
  ModalLimits limits_;
  std::size_t errors_before_ = problems_.errors();
  std::map<std::string, int, std::less<>> seen_;
  double length_ = 1.0, mass_ = 1.0;
  std::size_t modes_ = 0, points_ = 0;
  bool missing_ = false;
  std::size_t on_beams_ = 0;
  std::set<std::size_t> roots_;  // first points of beams that are on no other
  ModalFile file_;
};

}  // namespace

std::optional<ModalFile> parse_modal_file(std::string_view content, const std::string& name,
                                          Diagnostics& problems, const ModalLimits& limits) {
  if (content.size() > limits.bytes) {
    problems.error("V1655",
                   "the modal file is larger than " + std::to_string(limits.bytes >> 20) + " MiB",
                   {.file = name});
    return {};
  }
  return ModalReader(content, name, problems, limits).run();
}

std::optional<ModalFile> read_modal_file(const std::filesystem::path& path, Diagnostics& problems,
                                         const ModalLimits& limits) {
  std::error_code failed;
  const bool file = std::filesystem::is_regular_file(path, failed);
  const std::uintmax_t bytes = file ? std::filesystem::file_size(path, failed) : 0;
  std::ifstream in(path, std::ios::binary);
  if (!file || failed || !in) {
    problems.error("V1650", "the modal file cannot be read", {.file = path.string()});
    return {};
  }
  if (bytes > limits.bytes) {
    problems.error("V1655",
                   "the modal file is larger than " + std::to_string(limits.bytes >> 20) + " MiB",
                   {.file = path.string()});
    return {};
  }
  std::string content(static_cast<std::size_t>(bytes), '\0');
  in.read(content.data(), static_cast<std::streamsize>(bytes));
  content.resize(static_cast<std::size_t>(in.gcount()));
  return parse_modal_file(content, path.string(), problems, limits);
}

}  // namespace vernier::multibody_tree
