#include "vernier/model/automaton/automaton.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "vernier/base/text.hpp"
#include "vernier/model/automaton/detail/code.hpp"
#include "vernier/model/automaton/detail/diagnosis.hpp"
#include "vernier/model/automaton/detail/equations.hpp"
#include "vernier/model/automaton/detail/machine.hpp"
#include "vernier/model/automaton/detail/model.hpp"

namespace vernier::embedded {
std::string_view automaton(std::string_view file) noexcept;
}

namespace vernier::automaton {
namespace {

using detail::Adjustable;
using detail::Code;
using detail::Equations;
using detail::Model;
using detail::Role;
using detail::Variable;

/// The parameter that selects the initial location; absent if a variable has this name.
constexpr const char* location_parameter = "location";
constexpr std::size_t most_extended = 8;  // documents in a chain of `extends`

/// A checked document, from which systems are made. Systems with the same constants share their
/// compiled code.
class Source {
 public:
  Source(std::shared_ptr<const Model> m, Equations e)
      : model_(std::move(m)),
        defaults_(detail::default_constants(*model_)),
        checked_(std::move(e)) {}

  std::unique_ptr<hybrid::System> make(const Parameters& p) {
    std::vector<double> constants = defaults_;
    for (const Variable& v : model_->constants) {
      if (!p.given(v.name)) continue;
      const std::vector<double>& given = p.reals(v.name);
      std::copy(given.begin(), given.end(),
                constants.begin() + static_cast<std::ptrdiff_t>(v.first));
    }
    // Fixed constants are folded into the code; adjustable ones become symbols after the inputs.
    Adjustable adjustable;
    for (const Variable& v : model_->constants) {
      if (!p.adjustable(v.name)) continue;
      adjustable.symbol.resize(constants.size(), Adjustable::fixed);
      for (std::size_t i = 0; i < v.count; ++i) adjustable.symbol[v.first + i] = adjustable.count++;
    }
    std::shared_ptr<const Code> code = code_for(constants, adjustable);
    hybrid::SystemSpec spec = code->spec;
    for (std::size_t i = 0; i < model_->states.size(); ++i) {
      const Variable& v = model_->states[i];
      if (p.given(v.name)) spec.states[i].initial = p.reals(v.name);
    }
    if (model_->locations.size() > 1 && !model_->names.contains(location_parameter) &&
        p.given(location_parameter)) {
      auto& a = spec.automata[0];
      const std::string& name = p.text(location_parameter);
      for (std::size_t i = 0; i < a.locations.size(); ++i) {
        if (a.locations[i] == name) a.initial = static_cast<int>(i);
      }
    }
    return std::make_unique<AutomatonSystem>(std::move(code), std::move(spec));
  }

 private:
  /// Orders vectors by the bits of their elements: -0 and 0 give different code.
  struct Bits {
    bool operator()(const std::vector<double>& a, const std::vector<double>& b) const noexcept {
      return std::lexicographical_compare(
          a.begin(), a.end(), b.begin(), b.end(), [](double x, double y) {
            return std::bit_cast<std::uint64_t>(x) < std::bit_cast<std::uint64_t>(y);
          });
    }
  };

  std::shared_ptr<const Code> code_for(const std::vector<double>& constants,
                                       const Adjustable& adjustable) {
    const std::lock_guard lock(mutex_);
    std::weak_ptr<const Code> none;
    std::weak_ptr<const Code>& known = adjustable.count == 0 ? codes_[constants] : none;
    if (auto code = known.lock()) return code;
    const auto compiled = [model = model_, constants, adjustable](Equations e, bool for_lanes) {
      return detail::compile(*model, std::move(e), constants, adjustable, for_lanes);
    };
    const auto built = [model = model_, constants, adjustable] {
      return detail::build_equations(*model, constants, nullptr, adjustable);
    };
    // The equations of the check are reused once, if the constants are those of the document.
    const bool as_checked = checked_ && adjustable.count == 0 && !Bits{}(constants, defaults_) &&
                            !Bits{}(defaults_, constants);
    std::shared_ptr<Code> code =
        compiled(as_checked ? std::move(*std::exchange(checked_, std::nullopt)) : built(), false);
    code->further = std::make_shared<detail::FurtherCode>(
        [compiled, built] { return compiled(built(), true); },
        [model = model_, constants, adjustable, built](hybrid::OutputSet wanted, bool for_lanes) {
          return detail::compile_outputs(*model, built(), constants, adjustable, wanted, for_lanes);
        },
        [model = model_, adjustable, built](std::size_t location, detail::Suspect suspect,
                                            std::size_t transition, std::span<const double> point,
                                            Fault& fault) {
          return detail::diagnose(*model, built(), adjustable, location, suspect, transition, point,
                                  fault);
        });
    known = code;
    return code;
  }

  std::shared_ptr<const Model> model_;
  std::vector<double> defaults_;
  std::mutex mutex_;
  std::optional<Equations> checked_;  // from the check of the document; moved out when compiled
  std::map<std::vector<double>, std::weak_ptr<const Code>, Bits> codes_;
};

std::vector<ParameterSpec> parameters(const Model& m) {
  std::vector<ParameterSpec> specs;
  const auto add = [&](const Variable& v, std::string description) {
    ParameterSpec s;
    s.name = v.name;
    s.unit = v.unit_text.empty() ? "1" : v.unit_text;
    s.count = v.count;
    s.initial = v.value_text;
    if (v.value_text.empty()) {
      std::vector<std::string> numbers;
      for (const double x : v.value) numbers.push_back(exact(x));
      s.initial = joined(numbers, " ");
    }
    s.description = std::move(description);
    specs.push_back(std::move(s));
  };
  for (const Variable& v : m.constants) {
    add(v, v.description);
    specs.back().adjustable = true;
  }
  for (const Variable& v : m.states) {
    add(v, "at the start" + (v.description.empty() ? "" : ": " + v.description));
  }
  if (m.locations.size() > 1 && !m.names.contains(location_parameter)) {
    ParameterSpec s;
    s.name = location_parameter;
    s.kind = ParameterKind::choice;
    s.initial = m.locations[m.initial].name;
    s.description = "where it begins";
    for (const detail::Location& l : m.locations) s.choices.push_back(l.name);
    specs.push_back(std::move(s));
  }
  return specs;
}

/// The model of a document, including the documents that it extends, whose paths go into `files`.
std::shared_ptr<Model> model_of(document::Document d, std::vector<std::filesystem::path>& files,
                                Diagnostics& problems) {
  const document::Attribute* extends = d.root().attribute("extends");
  if (!extends) return detail::read_model(std::move(d), problems);
  const std::string name(trimmed(extends->value));
  const DocumentFile file = d.beside(name);
  detail::Report report(d, problems);
  if (files.size() >= most_extended ||
      std::find(files.begin(), files.end(), file.path()) != files.end()) {
    report.error("V1317", "documents extend each other in a ring, or more than eight deep",
                 extends->value_place);
    return nullptr;
  }
  files.push_back(file.path());
  const std::array grammars{grammar()};
  std::optional<document::Document> base = document::read(file, grammars, problems);
  std::shared_ptr<Model> model = base ? model_of(std::move(*base), files, problems) : nullptr;
  if (!model) {
    report.error("V1317", "the document that this one extends cannot be read: " + name,
                 extends->value_place);
    return nullptr;
  }
  detail::apply_changes(*model, d, problems);
  return model;
}

Type checked(document::Document d, Diagnostics& problems) {
  Type type;
  const std::shared_ptr<Model> model = model_of(std::move(d), type.files, problems);
  if (!model) return type;
  type.name = model->name;
  type.summary = std::string(trimmed(model->description.substr(0, model->description.find('\n'))));
  if (!model->names_known) return type;
  detail::Report report(model->document, problems);
  Equations equations = detail::build_equations(*model, detail::default_constants(*model), &report);
  if (problems.errors() > 0) return type;
  detail::check_sense(*model, equations, report);
  type.parameters = parameters(*model);
  type.machine = std::make_shared<const StateMachine>(detail::machine_of(*model));
  // Shared, because copies of the type make systems from the same source.
  const auto source = std::make_shared<Source>(model, std::move(equations));
  type.system = [source](const Parameters& p) { return source->make(p); };
  return type;
}

Type type_of(std::optional<document::Document> d, Diagnostics& problems) {
  if (!d) return {};
  Diagnostics found;
  Type type = checked(std::move(*d), found);
  // Names are checked before expressions, but messages are sorted from top to bottom.
  std::vector<Diagnostic> sorted = found.list();
  std::stable_sort(sorted.begin(), sorted.end(), [](const Diagnostic& a, const Diagnostic& b) {
    return std::pair(a.place.line, a.place.column) < std::pair(b.place.line, b.place.column);
  });
  // Equations shared by locations are checked in each of them; report each problem once.
  const auto same = [](const Diagnostic& a, const Diagnostic& b) {
    return a.code == b.code && a.message == b.message && a.place.line == b.place.line &&
           a.place.column == b.place.column && a.place.file == b.place.file;
  };
  sorted.erase(std::unique(sorted.begin(), sorted.end(), same), sorted.end());
  for (Diagnostic& one : sorted) problems.add(std::move(one));
  return type;
}

}  // namespace

document::Grammar grammar() {
  return {"hybridsystem", "hybrid.dtd", embedded::automaton("formats/hybrid/hybrid.dtd")};
}

Type read_type(const std::filesystem::path& path, Diagnostics& problems) {
  const std::array grammars{grammar()};
  return type_of(document::read(path, grammars, problems), problems);
}

Type parse_type(std::string content, const DocumentFile& name, Diagnostics& problems) {
  const std::array grammars{grammar()};
  return type_of(document::parse(std::move(content), name, grammars, problems), problems);
}

void add_to(Catalogue& c) {
  c.add(DocumentKind{.root = "hybridsystem",
                     .summary = "equations with modes and transitions",
                     .instance = InstanceKind::system,
                     .read = parse_type});
}

}  // namespace vernier::automaton
