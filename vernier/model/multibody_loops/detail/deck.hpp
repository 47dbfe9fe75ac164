#pragma once

#include <array>
#include <initializer_list>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "vernier/model/multibody_loops/deck.hpp"
#include "vernier/model/multibody_loops/detail/deck_text.hpp"

namespace vernier::multibody_loops::detail {

/// Reads the arguments of a statement one by one. All functions throw ConfigurationError.
class DeckArguments {
 public:
  DeckArguments(const DeckStatement& s, const DeckNumbers& n) : statement_(s), numbers_(n) {}

  bool more(std::size_t ahead = 0) const { return at_ + ahead < statement_.arguments.size(); }
  const DeckArgument& next(const char* what);
  const DeckArgument& peek(std::size_t ahead = 0) const {
    return statement_.arguments[at_ + ahead];
  }
  std::size_t left() const { return statement_.arguments.size() - at_; }
  /// Consumes the next argument if it is this keyword.
  bool keyword(std::string_view word);
  double number(const char* what) { return numbers_.value(next(what)); }
  long label(const char* what);
  /// Skips `name, "text"` after a label.
  void skip_name();
  Place place() const { return more() ? peek().place : statement_.place; }
  const DeckNumbers& numbers() const { return numbers_; }
  [[noreturn]] void unexpected(const char* wanted) const;

 private:
  const DeckStatement& statement_;
  const DeckNumbers& numbers_;
  std::size_t at_ = 0;
};

/// Converts an MBDyn deck, statement by statement, to the text of a document.
class Deck {
 public:
  explicit Deck(DeckSteps steps) : steps_(steps) {}

  void convert(const DeckStatement&, Diagnostics&);
  /// Finds the variables that are assigned more than once: they do not name labels.
  void look_ahead(const std::vector<DeckStatement>&);
  /// The file name of an include statement; throws ConfigurationError.
  static std::string included(const DeckStatement&);
  std::string document(const std::string& name) const;
  /// Compares the counts of the control data with what was read and reports sections that do not
  /// end. `last` is the last statement.
  void check_counts(const DeckStatement& last, Diagnostics&) const;
  /// Reports what was left out, times that do not fit, and strings whose variables changed.
  void check_rest(Diagnostics&) const;

 private:
  using Vector3 = spatial::Vector3;
  using Matrix3 = spatial::Matrix3;
  struct Pose {
    Matrix3 R = Matrix3::Identity();
    Vector3 p = Vector3::Zero(), v = Vector3::Zero(), w = Vector3::Zero();
  };
  struct Node {
    std::string name;
    Pose pose;
  };
  /// A point of attachment with axes, in node axes; no node: the ground.
  struct End {
    const Node* node = nullptr;
    Vector3 offset = Vector3::Zero();
    Matrix3 axes = Matrix3::Identity();
  };
  struct Drive {
    enum class Kind {
      constant,
      ramp,
      step,
      sine,
      table,
      polynomial,
      formula
    } kind = Kind::constant;
    std::vector<double> numbers;  // as the attributes of the kind; times from the start of the run
    std::string formula;
  };
  /// A drive with a factor for each of x, y, z.
  struct Drive3 {
    std::array<std::optional<Drive>, 3> drive;
    std::array<double, 3> factor = {1.0, 1.0, 1.0};
  };
  struct Law {
    std::size_t n = 0;
    std::vector<double> stiffness, damping;  // n × n, row major
    double cubic = 0.0;                      // of one dimension
  };
  /// A statement or part of one that has no counterpart in the document.
  struct LeftOut {
    std::string what;
    Place place;
  };
  /// The first end of a joint, to which the second may refer (`other node`, `other position`).
  struct Other {
    const Pose* node = nullptr;
    Vector3 position = Vector3::Zero();  // of the joint, global
    Matrix3 orientation = Matrix3::Identity();
  };

  // Sections of the deck (deck.cpp)
  void section(const DeckStatement&, bool begins);
  void problem(const DeckStatement&);
  void control(const DeckStatement&);
  void reference(DeckArguments&);
  void node(const DeckStatement&, DeckArguments&);
  void element(const DeckStatement&, DeckArguments&);

  std::string named(const DeckStatement&, const char* kind, long label);

  // Values (deck_values.cpp)
  const Pose* frame(DeckArguments&, const Pose* own);
  bool as_other(DeckArguments&, std::initializer_list<const char*> words, const char* rest);
  Vector3 plain_vector(DeckArguments&);
  Matrix3 plain_matrix(DeckArguments&);
  Vector3 position(DeckArguments&, const Pose& own);
  Matrix3 orientation(DeckArguments&, const Pose& own);
  Pose pose(DeckArguments&, bool at_rest_if_short);
  std::vector<double> square(DeckArguments&, std::size_t n);
  Law law(DeckArguments&, std::size_t n);
  void constitutive_law(DeckArguments&);
  const Node& node_of(DeckArguments&);
  /// [position,] offset, [orientation | hinge, matrix]; all optional.
  End end(DeckArguments&, bool bare_offset);
  void tail(DeckArguments&);
  void leave_out(std::string what, const Place& place) {
    left_out_.push_back({std::move(what), place});
  }

  // Drives (deck_drives.cpp)
  Drive drive(DeckArguments&);
  Drive3 drive3(DeckArguments&);
  /// The value after a step; warns where versions of MBDyn disagree.
  double after_step(double step, double before, const Place&);
  std::string formula_of(const Drive&, const Place&);
  std::string integral_of(const Drive&, const Place&);
  std::string drive_text(const Drive&, double factor, const char* unit);

  // Elements (deck_elements.cpp)
  void body(const DeckStatement&, DeckArguments&);
  void joint(const DeckStatement&, DeckArguments&);
  bool two_node_joint(const std::string& kind, const std::string& name, DeckArguments&);
  bool pin_joint(const std::string& kind, const std::string& name, DeckArguments&);
  bool elastic_joint(const std::string& kind, const std::string& name, DeckArguments&);
  bool driven_joint(const std::string& kind, const std::string& name, DeckArguments&);
  std::string follow_text(const Drive3&, const char* unit);
  static std::string law_text(const Law&, double length, const char* stiffness, const char* damping,
                              const char* cubic);
  void total_joint(const std::string& name, DeckArguments&, bool pin);
  void force(const DeckStatement&, DeckArguments&, bool couple);
  void beam(const DeckStatement&, DeckArguments&, std::size_t ends);
  void gravity(DeckArguments&);

  // Writing the document (deck.cpp)
  static std::string text(const End&);
  static std::string attitude(const Matrix3&);
  static std::string vector(const Vector3&, const char* unit);
  void write_joint(const std::string& name, const char* kind, const End& a, const End& b,
                   const std::string& more = {});
  std::string matrix_text(const char* of, const std::vector<double>&, std::size_t n) const;

  DeckNumbers numbers_;
  std::vector<std::string> open_;  // open sections
  std::map<long, Pose> frames_;
  std::map<long, Node> nodes_;
  std::map<long, Drive> drives_;
  std::map<long, Law> laws_;
  std::set<std::string> names_;
  std::set<std::string, std::less<>> counters_;  // variables that are set more than once
  std::map<std::string, double> declared_;       // counts of the control data
  std::map<std::string, double> counted_;
  std::map<std::string, int> drive_count_;
  std::string settings_ = "";
  DeckSteps steps_;
  double step_ = 0.0, start_ = 0.0;  // s: the time step, and the value of Time at the start
  std::optional<double> final_;      // s
  Place final_place_;
  bool method_ = false;              // the deck names its method
  Diagnostics* warnings_ = nullptr;  // of the statement that is being converted
  std::vector<LeftOut> left_out_;
  int drive_depth_ = 0;
  std::optional<Other> other_;
  std::string gravity_, written_nodes_, written_drives_, written_;
};

}  // namespace vernier::multibody_loops::detail
