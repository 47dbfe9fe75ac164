#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "vernier/document/document.hpp"

namespace vernier::document::detail {

/// What an element may contain, as written in the DTD.
struct Particle {
  enum class Kind : std::uint8_t { element, sequence, choice } kind = Kind::element;
  enum class Occurrence : std::uint8_t { once, optional, any, some } occurrence = Occurrence::once;
  std::string name;             // element
  std::vector<Particle> parts;  // sequence, choice
};

/// "diffequation*", "(a | b)+"
std::string text(const Particle&);
bool mentions(const Particle&, std::string_view name);
bool repeats(const Particle&) noexcept;
bool optional(const Particle&) noexcept;

struct AttributeRule {
  enum class Type : std::uint8_t { text, token, id, reference, choice } type = Type::text;
  std::string name;
  std::vector<std::string> choices;
  std::string initial;  // given when has_initial
  bool has_initial = false;
  bool fixed = false;
  bool required = false;
};

/// A content model as a Glushkov automaton: one state per occurrence of a name in the model.
/// Matching takes time linear in the number of children, for any document.
class Matcher {
 public:
  Matcher() = default;
  explicit Matcher(const std::vector<Particle>& sequence);

  bool matches(const std::vector<Element>&) const;

 private:
  struct Part {
    bool nullable = true;
    std::vector<int> first, last;
  };
  Part add(const Particle&);
  Part add_once(const Particle&);
  Part chain(const Part&, const Part&);

  std::vector<std::string> names_;         // by position
  std::vector<std::vector<int>> follows_;  // by position
  Part whole_;
};

struct ElementRule {
  std::string comment;  // directly before its declaration
  enum class Content : std::uint8_t { empty, anything, mixed, elements } content = Content::empty;
  std::vector<Particle> sequence;   // elements: one after another
  std::vector<std::string> inside;  // mixed: elements allowed between the text
  std::vector<AttributeRule> attributes;
  Matcher matcher;

  const AttributeRule* attribute(std::string_view name) const noexcept;
  /// All names that may occur as children, in the order of the model.
  std::vector<std::string> children() const;
};

struct Rules {
  std::map<std::string, ElementRule, std::less<>> elements;

  const ElementRule* find(std::string_view name) const noexcept;
};

/// The rules of a DTD; kept until the program ends. Our DTDs are built in, so one that cannot be
/// parsed is a programming error and stops the program.
std::shared_ptr<const Rules> rules_of(const Grammar&);

}  // namespace vernier::document::detail
